"""Left and right: the mirror plane of the rest pose and which bone mirrors which.

Names propose, places decide: where a bone's mirror image is exactly another one, that is its partner even
when the numbers in the names differ or are shifted; where the rest pose is not symmetric, the names are
what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import naming, tree
from .body import Body
from .skeleton import depths

EXACT = 0.012  # of the size: a bone this near to the mirror image of another is in its place
OFF_PLANE = 0.004  # of the size: bones nearer to the plane than this with both ends have no partner by place
LOOSE = 0.06  # of the size: further away than this the names alone speak
DEPTH_STEP = 0.05  # of the size for each level of the hierarchy
MOST_POINTS = 160  # joints looked at to compare planes
SNAP_COS = 0.94  # 20 degrees: a lateral axis nearer than this to an armature axis is taken to be that axis
UPRIGHT = 0.02  # sine: a slanted plane that contains an armature axis belongs to a rig turned about it
TRUE_MIRROR = 0.004  # rms of the mirror images over the size below which a slanted plane is believed


@dataclass(slots=True)
class Mirror:
    """normal: unit lateral axis (either sense); offset: of the plane along it; pairs: (bones,) partner or -1;
    residual: rms distance of partners from each other's images over the size; named: pairs the names gave;
    moved_by_place: bones whose partner by place is not the one by name.
    """

    normal: npt.NDArray[np.float64]
    offset: float
    partner: npt.NDArray[np.int32]
    residual: float
    named: list[tuple[int, int]]
    moved_by_place: list[tuple[int, int]]
    found: bool

    def lateral(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Signed distance from the plane along the normal."""
        return points @ self.normal - self.offset


def find_mirror(body: Body, given: Sequence[tuple[int, int]] = (), alone: Sequence[int] = ()) -> Mirror:
    """The mirror plane and partners of a body. Without any pair the plane is the armature's X through the
    origin. given: pairs set by hand; alone: bones set to have no partner.
    """
    fixed = {*alone, *(b for pair in given for b in pair)}
    named = naming.name_pairs(body.names)
    named = [*given, *(pair for pair in named if fixed.isdisjoint(pair))]
    normal, offset, found = _plane(body, named)
    if named and found:
        i, j = np.array(named).T
        fits = _Gaps(body, normal, offset).between(i, j) < EXACT
        if fits.sum() >= 2:
            normal, offset, _ = _refined(body, i[fits], j[fits], normal, offset)
    partner, moved = _partners(body, named, normal, offset, found)
    if fixed:
        _set(partner, given, fixed)
        moved = [pair for pair in moved if fixed.isdisjoint(pair)]
    left = np.flatnonzero((partner >= 0) & (np.arange(len(partner)) < partner))
    residual = 0.0
    if len(left):
        normal, offset, residual = _refined(body, left, partner[left], normal, offset)
    return Mirror(normal, offset, partner, residual, named, moved, bool(len(left)))


def _set(partner: npt.NDArray[np.int32], given: Sequence[tuple[int, int]], fixed: set[int]) -> None:
    """Lay pairs set by hand over those found."""
    for bone in fixed:
        if partner[bone] >= 0:
            partner[partner[bone]] = -1
            partner[bone] = -1
    for i, j in given:
        partner[i], partner[j] = j, i


def _plane(body: Body, named: list[tuple[int, int]]) -> tuple[npt.NDArray[np.float64], float, bool]:
    """The best of the planes that name pairs, look-alike siblings and the armature's axes propose."""
    heads, kept = body.heads, body.kept
    proposals: list[npt.NDArray[np.float64]] = []
    if len(named) >= 1:
        i, j = np.array(named).T
        across = heads[i] - heads[j]
        far = np.linalg.norm(across, axis=1)
        good = far > 0.01 * body.size
        if good.any():
            proposals.append(_common_direction(across[good]))
    proposals.extend(np.eye(3))
    siblings = _look_alikes(body)
    if len(siblings):
        i, j = siblings.T
        across = heads[i] - heads[j]
        proposals.append(_common_direction(across))
        longest = np.argsort(-np.linalg.norm(across, axis=1), kind="stable")[:6]
        proposals.extend(across[k] / np.linalg.norm(across[k]) for k in longest)
    # Partners stand equally deep in the hierarchy: without depth as a fourth coordinate a chain would
    # mirror itself.
    deep = DEPTH_STEP * body.size * depths(body.skeleton.parents)[kept]
    points = np.column_stack((heads[kept], deep))
    points = points[:: max(1, len(points) // MOST_POINTS)]
    mid = _centre_candidates(body, named, siblings)
    best, score = (np.eye(3)[0], 0.0), -1.0
    for normal in proposals:
        offsets: list[float] = []
        for centre in mid:
            offset = float(centre @ normal)
            if any(abs(offset - o) < 1e-5 * body.size for o in offsets):
                continue
            offsets.append(offset)
            value = _symmetry(points, normal, offset, body.size)
            if value > score + 1e-9:
                best, score = (normal, offset), value
        if score > 0.6 * len(points) and named:
            break
    trusted = _trusted(body, named)
    # A rest pose that is not symmetric leaves only the names, if these agree among each other.
    if trusted is not None and score < 0.35 * len(points):
        return trusted[0], trusted[1], True
    # A single chance likeness makes no plane.
    found = bool(named) or _likenesses(points, best[0], best[1], body.size) >= 4
    return best[0], best[1], found


def _trusted(body: Body, named: list[tuple[int, int]]) -> tuple[npt.NDArray[np.float64], float] | None:
    if len(named) < 2:
        return None
    i, j = np.array(named).T
    across = body.heads[i] - body.heads[j]
    far = np.linalg.norm(across, axis=1)
    good = far > 0.01 * body.size
    if good.sum() < 2:
        return None
    normal = _common_direction(across[good])
    if np.mean(np.abs(across[good] @ normal) / far[good]) < 0.7:
        return None
    axis = np.eye(3)[int(np.argmax(np.abs(normal)))]
    if abs(float(axis @ normal)) > SNAP_COS:
        normal = axis
    middle = 0.5 * (body.heads[i] + body.heads[j])[good] @ normal
    return normal, float(np.median(middle))


def _common_direction(across: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Unit direction that vectors of either sense share; long ones count more, but less than squared."""
    far = np.linalg.norm(across, axis=1, keepdims=True)
    scaled = across / np.sqrt(far)
    _, vectors = np.linalg.eigh(scaled.T @ scaled)
    axis = vectors[:, -1]
    return axis * (1.0 if axis[int(np.argmax(np.abs(axis)))] >= 0 else -1.0)


def _look_alikes(body: Body) -> npt.NDArray[np.intp]:
    """Index pairs of bones that hang on the same bone with equally long and equally branched limbs under
    them.
    """
    count = len(body.names)
    total = body.lengths.copy() if body.tails_real else np.zeros(count)
    number = np.ones(count, dtype=np.int64)
    reach = np.zeros(count)
    for bone in reversed(tree.by_depth(body)):
        for child in body.children[bone]:
            number[bone] += number[child]
            total[bone] += total[child] + np.linalg.norm(body.heads[child] - body.heads[bone])
        reach[bone] = total[bone]
    found: list[tuple[int, int]] = []
    roots = [b for b in range(count) if body.kept[b] and body.parents[b] < 0]
    groups = [c for c in body.children if len(c) > 1] + ([roots] if len(roots) > 1 else [])
    for group in groups:
        if len(group) > 40:
            continue
        for a, first in enumerate(group):
            for second in group[a + 1 :]:
                if number[first] != number[second] or max(reach[first], reach[second]) < 0.05 * body.size:
                    continue
                if abs(reach[first] - reach[second]) > 0.05 * max(reach[first], reach[second]):
                    continue
                if np.linalg.norm(body.heads[first] - body.heads[second]) > 0.01 * body.size:
                    found.append((first, second))
    return np.array(found, dtype=np.intp).reshape(-1, 2)


def _centre_candidates(
    body: Body, named: list[tuple[int, int]], siblings: npt.NDArray[np.intp]
) -> list[npt.NDArray[np.float64]]:
    heads = body.heads
    found = [np.zeros(3), np.median(heads[body.kept], axis=0)]
    if named:
        i, j = np.array(named).T
        found.append(np.median(0.5 * (heads[i] + heads[j]), axis=0))
    if len(siblings):
        middle = 0.5 * (heads[siblings[:, 0]] + heads[siblings[:, 1]])
        found.append(np.median(middle, axis=0))
        found.extend(middle[:4])
    return found


def _symmetry(
    points: npt.NDArray[np.float64],
    normal: npt.NDArray[np.float64],
    offset: float,
    size: float,
) -> float:
    """How many points have a mirror image, not counting those that lie on the plane (these only a little)."""
    across, image = _image(points, normal, offset)
    # Only those off the plane need a partner; the others are their own image.
    off = np.abs(across) > 0.015 * size
    if not off.any():
        return 0.2 * len(points)
    gap = _squared_distances(image[off], points).min(axis=1)
    return float((gap < (EXACT * size) ** 2).sum() + 0.2 * (~off).sum())


def _image(
    points: npt.NDArray[np.float64], normal: npt.NDArray[np.float64], offset: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(distances from the plane, mirror images); further coordinates stay as they are."""
    across = points[:, :3] @ normal - offset
    image = points.copy()
    image[:, :3] -= 2.0 * across[:, None] * normal
    return across, image


def _likenesses(
    points: npt.NDArray[np.float64], normal: npt.NDArray[np.float64], offset: float, size: float
) -> int:
    """How many points off the plane have another one as their image."""
    across, image = _image(points, normal, offset)
    off = np.abs(across) > 0.015 * size
    if not off.any():
        return 0
    return int((_squared_distances(image[off], points).min(axis=1) < (EXACT * size) ** 2).sum())


def _squared_distances(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Squared distances between two sets of points, (len(a), len(b)); the middle is taken off first."""
    middle = b.mean(axis=0)
    a, b = a - middle, b - middle
    return (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None, :] - 2.0 * (a @ b.T)


def _refined(
    body: Body,
    left: npt.NDArray[np.intp],
    right: npt.NDArray[np.signedinteger[Any]],
    normal: npt.NDArray[np.float64],
    offset: float,
) -> tuple[npt.NDArray[np.float64], float, float]:
    """Plane through the middles of the pairs; a slanted one only where the images really fall together."""
    across = body.heads[left] - body.heads[right]
    far = np.linalg.norm(across, axis=1)
    wide = far > 0.01 * body.size
    if not wide.any():
        return normal, offset, 0.0
    slanted = _common_direction(across[wide])
    axis = np.eye(3)[int(np.argmax(np.abs(slanted)))]
    chosen: tuple[npt.NDArray[np.float64], float, float] | None = None
    for candidate in (axis, slanted):
        if abs(float(candidate @ slanted)) < SNAP_COS:
            continue
        middle = float(np.median(0.5 * (body.heads[left] + body.heads[right])[wide] @ candidate))
        images = body.heads[left] - 2.0 * ((body.heads[left] @ candidate) - middle)[:, None] * candidate
        residual = float(np.sqrt(np.mean(np.sum((images - body.heads[right]) ** 2, axis=1)))) / body.size
        # A body turned about its upright keeps that axis in its plane; one that leans both ways is posed.
        turned = bool(np.min(np.abs(candidate)) < UPRIGHT)
        if chosen is None or (turned and residual < TRUE_MIRROR and residual < 0.5 * chosen[2]):
            chosen = (candidate, middle, residual)
    return chosen if chosen is not None else (normal, offset, 1.0)


def _partners(
    body: Body, named: list[tuple[int, int]], normal: npt.NDArray[np.float64], offset: float, found: bool
) -> tuple[npt.NDArray[np.int32], list[tuple[int, int]]]:
    """Partner of each bone, -1 where it has none, and the pairs by name that are none by place."""
    count = len(body.names)
    partner = np.full(count, -1, dtype=np.int32)
    by_name = np.full(count, -1, dtype=np.int32)
    for i, j in named:
        by_name[i], by_name[j] = j, i
    if not found:
        return by_name, []
    gaps = _Gaps(body, normal, offset)
    moved: list[tuple[int, int]] = []
    if named:
        i, j = np.array(named).T
        own = gaps.between(i, j)
        back = gaps.between(j, i)
        for k in range(len(named)):
            if own[k] > OFF_PLANE and (
                _stands_for_another(body, gaps, int(i[k]), float(own[k]))
                or _stands_for_another(body, gaps, int(j[k]), float(back[k]))
            ):
                moved.append(named[k])
            else:
                partner[i[k]], partner[j[k]] = j[k], i[k]
    free = np.flatnonzero((partner < 0) & (gaps.across > OFF_PLANE))
    if len(free):
        cost = gaps.matrix(free, free)
        wanted = []
        # A bone that is nearer to its own image than to any other is in the middle.
        close = np.minimum(EXACT * 2, gaps.across[free])[:, None]
        for a, b in zip(*np.nonzero(cost < close), strict=True):
            first, second = int(free[a]), int(free[b])
            if first < second and first not in body.ancestors(second):
                unlike = 0.0 if _alike(body, first, second) else 0.004
                charge = float(cost[a, b]) + unlike + _hung(body, partner, first, second)
                wanted.append((charge, body.names[first], body.names[second], first, second))
        _take(sorted(wanted), partner)
    _by_family(body, partner, gaps)
    return partner, moved


class _Gaps:
    """How far bones are from the mirror images of others: head and, half as heavy, end; over the size."""

    def __init__(self, body: Body, normal: npt.NDArray[np.float64], offset: float) -> None:
        self.heads, self.ends, self.size = body.heads, body.ends, body.size
        head_across = self.heads @ normal - offset
        end_across = self.ends @ normal - offset
        self.image = self.heads - 2.0 * head_across[:, None] * normal
        self.image_end = self.ends - 2.0 * end_across[:, None] * normal
        self.across = np.maximum(np.abs(head_across), np.abs(end_across)) / body.size

    def between(self, i: npt.NDArray[np.intp], j: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Gap of each bone i from being the image of bone j."""
        head = np.linalg.norm(self.image[i] - self.heads[j], axis=-1)
        end = np.linalg.norm(self.image_end[i] - self.ends[j], axis=-1)
        return np.asarray((head + 0.5 * end) / self.size)

    def matrix(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Gaps of all of the first from all of the second; infinite of a bone from itself."""
        head = np.sqrt(np.maximum(_squared_distances(self.image[rows], self.heads[columns]), 0.0))
        end = np.sqrt(np.maximum(_squared_distances(self.image_end[rows], self.ends[columns]), 0.0))
        cost = (head + 0.5 * end) / self.size
        cost[rows[:, None] == columns[None, :]] = np.inf
        return cost


def _stands_for_another(body: Body, gaps: _Gaps, bone: int, own: float) -> bool:
    """Whether a bone is the image of another one than its partner by name, named alike but for numbers."""
    everything = np.arange(len(body.names))
    cost = gaps.matrix(np.array([bone]), everything)[0]
    nearest = int(np.argmin(cost))
    return bool(cost[nearest] < min(EXACT, 0.1 * own)) and _alike(body, bone, nearest)


def _take(wanted: list[tuple[float, str, str, int, int]], partner: npt.NDArray[np.int32]) -> None:
    for _, _, _, b, k in wanted:
        if partner[b] < 0 and partner[k] < 0:
            partner[b], partner[k] = k, b


def _alike(body: Body, first: int, second: int) -> bool:
    """Whether two names differ by no more than side and numbers."""
    return naming.stem(body.names[first]) == naming.stem(body.names[second])


def _hung(body: Body, partner: npt.NDArray[np.int32], first: int, second: int) -> float:
    """Zero where both hang on the same bone or on partners, else a small charge."""
    p, q = int(body.skeleton.parents[first]), int(body.skeleton.parents[second])
    return 0.0 if p == q or (p >= 0 and int(partner[p]) == q) else 0.006


def _by_family(body: Body, partner: npt.NDArray[np.int32], gaps: _Gaps) -> None:
    """Pair what is left under paired parents, downwards: limbs posed unlike each other still have equal
    families.
    """
    for bone in range(len(partner)):
        other = int(partner[bone])
        if other < bone:
            continue
        mine = [c for c in body.children[bone] if partner[c] < 0]
        theirs = [c for c in body.children[other] if partner[c] < 0]
        if (
            len(mine) == 1
            and len(theirs) == 1
            and len(body.children[mine[0]]) == len(body.children[theirs[0]])
        ):
            c, d = mine[0], theirs[0]
            if float(gaps.between(np.array([c]), np.array([d]))[0]) < 5 * LOOSE:
                partner[c], partner[d] = d, c
