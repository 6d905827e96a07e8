"""Up and forward of a body in armature space, from its own shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import naming
from .body import Body
from .limbs import LEG_HINTS, Branch, chain_points
from .pairs import Mirror

Vector = npt.NDArray[np.float64]

# How much an axis is favoured as up where the body says little: Blender's Z, then the Y of other programs.
_UP_PRIOR = {2: 0.25, 1: 0.15}
# Heights of foot and lower shin as parts of a leg.
LEVEL_COS = 0.985  # 10 degrees
FOOT_SLAB, SHIN_SLAB = 0.1, (0.15, 0.4)
LOW_ANKLE = 0.35  # of the leg's height: a joint above that is no ankle
_OBLIQUE = 0.5  # cosine: no axis within 60 degrees of what the body says


@dataclass(frozen=True, slots=True)
class Vote:
    """One piece of evidence for forward: which way (+ or -) along the axis, how heavy, in words."""

    weight: float
    why: str


def find_up(body: Body, mirror: Mirror, branches: list[Branch]) -> tuple[Vector, str, float]:
    """(unit up vector, why, how sure)."""
    lateral = mirror.normal
    candidates: list[Vector] = []
    for k in range(3):
        for sign in (1.0, -1.0):
            axis = np.zeros(3)
            axis[k] = sign
            if abs(float(axis @ lateral)) < 0.2:
                candidates.append(axis)
    if not mirror.found:
        candidates = [sign * axis for axis in np.eye(3) for sign in (1.0, -1.0)]
    evidence = _descent(body, branches)
    names = _named_rise(body)
    names = names - (names @ lateral) * lateral if mirror.found else names
    total = evidence + names
    flat = total - (total @ lateral) * lateral if mirror.found else total
    norm = float(np.linalg.norm(flat))
    direction = flat / norm if norm > 1e-9 else np.zeros(3)
    best, best_score = np.array([0.0, 0.0, 1.0]), -np.inf
    scores = []
    tilted = _supports(body, mirror, branches) if mirror.found else []
    # A line of feet that is nearly level is level: the axis itself stands for it.
    tilted = [t for t in tilted if all(float(t @ axis) < LEVEL_COS for axis in candidates)]
    for axis in candidates + tilted:
        score = float(axis @ direction) * min(1.0, norm)
        score += 0.8 * _stands(body, branches, axis)
        k = int(np.argmax(np.abs(axis)))
        if axis[k] > 0.999:
            score += _UP_PRIOR.get(k, 0.0)
        scores.append(score)
        if score > best_score + 1e-9:
            best, best_score = axis, score
    if norm > 0.5 and mirror.found and (not candidates or float(best @ direction) < _OBLIQUE):
        return direction, "the way from the feet to the hips and the head", 0.5
    ordered = sorted(scores, reverse=True)
    margin = ordered[0] - ordered[1] if len(ordered) > 1 else 1.0
    return best, "the armature axis that the limbs stand along", float(np.clip(0.5 + margin / 2, 0.0, 1.0))


def _supports(body: Body, mirror: Mirror, branches: list[Branch]) -> list[Vector]:
    """Upward normals of the lines through the ends of two long paired limbs, seen along the lateral axis."""
    long = [b for b in branches if b.count(LEG_HINTS) and b.reach > 0.2 * body.size]
    found: list[Vector] = []
    for i, first in enumerate(long):
        for second in long[i + 1 :]:
            ends = [np.mean([_limb_end(body, c) for c in b.chains], axis=0) for b in (first, second)]
            line = ends[1] - ends[0]
            normal = np.cross(line, mirror.normal)
            size = float(np.linalg.norm(normal))
            if size < 0.15 * body.size:
                continue
            roots = [np.mean([body.heads[c[0]] for c in b.chains], axis=0) for b in (first, second)]
            rise = sum(float((r - e) @ normal) for r, e in zip(roots, ends, strict=True))
            found.append(normal / size * (1.0 if rise >= 0 else -1.0))
    return found


def _descent(body: Body, branches: list[Branch]) -> Vector:
    """Mean direction from the ends of long limbs to their roots; legs by name weigh most, arms and wings
    little.
    """
    total, weight = np.zeros(3), 0.0
    for branch in branches:
        if branch.reach < 0.12 * body.size:
            continue
        heavy = 1.0 if branch.count(LEG_HINTS) else 0.3
        if branch.hints["wing"] or branch.hints["face"] or branch.hints["extra"]:
            heavy = 0.02
        elif branch.count(frozenset({"upperarm", "forearm", "hand", "arm"})) and not branch.count(LEG_HINTS):
            heavy = 0.3
        for chain in branch.chains:
            rise = body.heads[chain[0]] - _limb_end(body, chain)
            total += heavy * rise
            weight += heavy * branch.reach
    return total / weight if weight else total


def _limb_end(body: Body, chain: list[int]) -> Vector:
    """Where a limb ends: the middle of the last bone's skin, else its tail where that can be believed."""
    last = chain[-1]
    if body.skin is not None and body.solid_known:
        own = body.skin.points[body.skin.bones == last]
        if len(own):
            return np.asarray(own.mean(axis=0))
    if body.tails_real or len(chain) <= 2:
        return np.asarray(body.skeleton.tails[last])
    return np.asarray(body.heads[last])


def _named_rise(body: Body) -> Vector:
    """From feet to head, or to the hips where there is no head, by names; over the size; zero where names
    say nothing.
    """
    feet = [
        b
        for b in range(len(body.names))
        if body.hints[b] & {"foot", "toe"} and not body.hints[b] & {"control"}
    ]
    legs = [
        b for b in range(len(body.names)) if body.hints[b] & {"thigh"} and not body.hints[b] & {"control"}
    ]
    if not feet:
        return np.zeros(3)
    low = body.heads[feet].mean(axis=0)
    rise = np.zeros(3)
    if legs:
        rise += body.heads[legs].mean(axis=0) - low
    heads = [
        b
        for b in range(len(body.names))
        if "head" in body.hints[b] and not body.hints[b] & {"control", "end"}
    ]
    if heads:
        rise += 0.3 * (body.heads[heads].mean(axis=0) - low)
    return rise / body.size


def _stands(body: Body, branches: list[Branch], up: Vector) -> float:
    """1 where the ends of paired limbs are the lowest of the body and level with each other, down to 0."""
    skin = body.skin if body.solid_known else None
    if skin is not None:
        heights = skin.points @ up
    else:
        used = body.kept & body.solid if (body.kept & body.solid).any() else body.kept
        heights = body.heads[used] @ up
    low, high = float(heights.min()), float(heights.max())
    span = max(high - low, 1e-9)
    level = 0
    for branch in branches:
        if branch.reach < 0.15 * body.size or branch.hints["face"] or branch.hints["extra"]:
            continue
        ends = []
        for chain in branch.chains:
            own = heights[np.isin(skin.bones, chain)] if skin is not None else body.heads[chain[-1:]] @ up
            ends.append(float(own.min()) - low if len(own) else span)
        roots = [float((body.heads[chain[0]] @ up) - low) for chain in branch.chains]
        if max(ends) < (0.03 if skin is not None else 0.08) * span and min(roots) > max(ends):
            level += 1
    return min(level, 2) / 2.0


def find_forward(
    body: Body, mirror: Mirror, up: Vector, legs: list[Branch], standing: bool
) -> tuple[Vector, str, float, bool]:
    """(unit facing, why, how sure, whether the names call the sides the other way round).

    standing: False where the rest pose is none that a body could stand in; then only names count.
    """
    if mirror.found:
        axis = np.cross(mirror.normal, up)
    else:
        axis = _long_axis(body, up)
    axis = axis / np.linalg.norm(axis)
    votes = [
        _feet_vote(body, axis, up, legs),
        _trunk_vote(body, axis),
        _front_legs_vote(body, axis, legs),
        _depth_vote(body, axis, legs),
        _knee_vote(body, axis, legs),
        _face_vote(body, axis),
        _prior_vote(axis, up),
    ]
    names = _name_vote(body, mirror, axis, up)
    votes.append(names)
    if not standing:
        votes = [names, votes[-2]]
    total = sum(v.weight for v in votes)
    size = sum(abs(v.weight) for v in votes)
    sign = 1.0 if total >= 0 else -1.0
    agreeing = sorted((v for v in votes if v.weight * sign > 0.05), key=lambda v: -abs(v.weight))
    why = "; ".join(v.why for v in agreeing[:3]) or "nothing but custom"
    lies = names.weight * sign < -0.5
    return sign * axis, why, abs(total) / max(size, 1e-9), lies


def _long_axis(body: Body, up: Vector) -> Vector:
    """The armature axis across up along which a body without pairs is longest."""
    points = body.heads[body.kept]
    best, length = np.array([0.0, -1.0, 0.0]), -1.0
    for axis in np.eye(3):
        if abs(float(axis @ up)) < 0.5:
            extent = float(np.ptp(points @ axis))
            if extent > length + 1e-9:
                best, length = axis, extent
    return best


def _feet_vote(body: Body, axis: Vector, up: Vector, legs: list[Branch]) -> Vote:
    """Feet point forward, and so does their skin: from the last joint above the ground to the end on it."""
    total = 0.0
    for leg in legs:
        reach = max(leg.reach, 1e-9)
        for chain in leg.chains:
            points = chain_points(body, chain)
            heights = points @ up
            low = float(heights.min())
            above = [i for i in range(len(points)) if heights[i] - low > 0.05 * reach]
            ankle = max(min(above[-1] if above else len(points) - 2, len(points) - 2), 0)
            high = low + LOW_ANKLE * float(np.ptp(heights))
            while heights[ankle] > high and ankle < len(points) - 2:
                ankle += 1
            bones = 0.0
            if heights[ankle] > high:
                pass  # the last segment is a shin, not a foot
            elif body.tails_real or (len(points) - ankle >= 2 and len(chain) >= 4):
                bones = float(np.clip((points[-1] - points[ankle]) @ axis / (0.08 * reach), -1.0, 1.0))
            else:
                # The last joint has no tail to believe; its bone still points somewhere, and its skin does.
                last = chain[-1]
                way = body.skeleton.tails[last] - body.heads[last]
                bones = 0.3 * float(way @ axis) / max(float(body.lengths[last]), 1e-12)
                bones = bones if abs(bones) > 0.2 else 0.0
            total += float(np.clip(bones + _skin_ahead(body, chain, axis, up, reach), -1.0, 1.0))
    pairs = max(1, 2 * len(legs))
    return Vote(3.0 * total / pairs, "the feet point that way")


def _skin_ahead(body: Body, chain: list[int], axis: Vector, up: Vector, reach: float) -> float:
    """How far the skin of the foot lies ahead of that of the shin above it, -1 to 1; 0 without skin."""
    if body.skin is None or not body.solid_known:
        return 0.0
    own = body.skin.points[np.isin(body.skin.bones, chain)]
    if len(own) < 12:
        return 0.0
    # Where there is an ankle joint, a foot's skin reaches further ahead of it than behind.
    last = next((b for b in chain[2:] if "foot" in body.hints[b]), chain[-1])
    heights = own @ up
    mine = body.skin.points[body.skin.bones == last]
    rise = float(body.heads[last] @ up) - float(heights.min())
    if len(chain) > 2 and len(mine) >= 4 and rise < 0.25 * reach:
        ahead = mine @ axis - float(body.heads[last] @ axis)
        return float(np.clip(0.5 * float(ahead.max() + ahead.min()) / (0.06 * reach), -1.0, 1.0))
    low, high = float(heights.min()), max(float(heights.min()) + 1e-9, float((body.heads[chain] @ up).max()))
    part = (heights - low) / (high - low)
    foot, shin = own[part < FOOT_SLAB] @ axis, own[(part > SHIN_SLAB[0]) & (part < SHIN_SLAB[1])] @ axis
    if len(foot) < 3 or len(shin) < 3 or float(np.ptp(foot)) < 1.25 * float(np.ptp(shin)):
        return 0.0
    ahead = 0.5 * (float(foot.max() + foot.min()) - float(shin.max() + shin.min()))
    return float(np.clip(ahead / (0.04 * reach), -1.0, 1.0))


def _trunk_vote(body: Body, axis: Vector) -> Vote:
    """The head is in front of the pelvis, the tail behind, by names; heavy only for bodies that lie along
    the ground.
    """

    def middle(part: str) -> Vector | None:
        bones = [
            b
            for b in range(len(body.names))
            if part in body.hints[b]
            and body.kept[b]
            and not body.hints[b] & {"control", "extra", "end"}
            and (body.solid[b] or not body.solid_known)
        ]
        return body.heads[bones].mean(axis=0) if bones else None

    head, pelvis, tail = middle("head"), middle("pelvis"), middle("tail")
    weight = 0.0
    if head is not None and pelvis is not None:
        weight += 2.5 * float(np.clip((head - pelvis) @ axis / (0.4 * body.size), -1.0, 1.0))
    if tail is not None and (pelvis is not None or head is not None):
        ahead = pelvis if pelvis is not None else head
        assert ahead is not None
        weight += 1.5 * float(np.clip((ahead - tail) @ axis / (0.2 * body.size), -1.0, 1.0))
    return Vote(weight, "the head is in front of the pelvis or the tail behind it")


def _front_legs_vote(body: Body, axis: Vector, legs: list[Branch]) -> Vote:
    """Branches named front or fore lie before those named back or hind."""
    front, back = [], []
    for leg in legs:
        for chain in leg.chains:
            said = {w for b in chain for w in naming.words(body.names[b])}
            arm_named = leg.count(frozenset({"upperarm", "forearm", "hand", "arm"})) > leg.count(LEG_HINTS)
            if said & {"front", "fore", "forefoot", "foreleg", "frontleg"} or arm_named:
                front.append(body.heads[chain[0]] @ axis)
            elif said & {"back", "hind", "rear", "hindleg", "backleg", "hindfoot"} or leg.count(LEG_HINTS):
                back.append(body.heads[chain[0]] @ axis)
    if not front or not back:
        return Vote(0.0, "")
    gap = float(np.mean(front) - np.mean(back))
    return Vote(2.0 * float(np.clip(gap / (0.1 * body.size), -1, 1)), "the fore legs are on that side")


def _depth_vote(body: Body, axis: Vector, legs: list[Branch]) -> Vote:
    """Without names: the legs that hang further from the root along the spine are the fore legs."""
    if len(legs) != 2:
        return Vote(0.0, "")
    depth = [len(body.ancestors(leg.chains[0][0])) for leg in legs]
    if depth[0] == depth[1]:
        return Vote(0.0, "")
    deep, shallow = (legs[0], legs[1]) if depth[0] > depth[1] else (legs[1], legs[0])
    gap = float((body.heads[deep.chains[0][0]] - body.heads[shallow.chains[0][0]]) @ axis)
    return Vote(1.0 * float(np.sign(gap)), "the legs further along the spine are on that side")


def _knee_vote(body: Body, axis: Vector, legs: list[Branch]) -> Vote:
    """A human knee points forward; said only of one pair of legs, and softly."""
    if len(legs) != 1:
        return Vote(0.0, "")
    total = 0.0
    for chain in legs[0].chains:
        points = body.heads[chain]
        if len(points) < 3:
            continue
        middle = 1 if len(points) < 5 else int(np.argmax(_bend(points)[1:-1]) + 1)
        hip, knee, ankle = points[0], points[middle], points[min(middle + 1, len(points) - 1)]
        line = ankle - hip
        off = knee - hip - line * float((knee - hip) @ line / max(float(line @ line), 1e-12))
        total += float(np.clip((off @ axis) / (0.03 * legs[0].reach), -1, 1))
    return Vote(0.35 * total, "the knees bend that way")


def _bend(points: Vector) -> Vector:
    steps = np.diff(points, axis=0)
    unit = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-12)
    bend = np.zeros(len(points))
    bend[1:-1] = 1.0 - np.sum(unit[1:] * unit[:-1], axis=1)
    return bend


def _face_vote(body: Body, axis: Vector) -> Vote:
    """Eyes, nose and jaw lie before the head's joint."""
    heads = body.called_head()
    face = [
        b
        for b in range(len(body.names))
        if body.kept[b]
        and set(naming.words(body.names[b]))
        & {"eye", "nose", "jaw", "chin", "mouth", "snout", "beak", "目", "lip"}
        and "control" not in body.hints[b]
    ]
    if not heads or not face:
        return Vote(0.0, "")
    gap = float((np.median(body.heads[face], axis=0) - body.heads[heads].mean(axis=0)) @ axis)
    return Vote(1.2 * float(np.clip(gap / (0.02 * body.size), -1, 1)), "the face is on that side")


def _name_vote(body: Body, mirror: Mirror, axis: Vector, up: Vector) -> Vote:
    """Names say which side is left."""
    left = np.cross(up, axis)
    total, count = 0.0, 0
    for i, j in enumerate(mirror.partner):
        sides = (naming.side(body.names[i]), naming.side(body.names[j])) if j >= 0 else ("", "")
        if sides != ("L", "R"):
            continue
        across = float((body.heads[i] - body.heads[j]) @ left)
        if abs(across) > 0.01 * body.size:
            total += float(np.sign(across))
            count += 1
    return Vote(1.6 * total / count if count else 0.0, "the names say which side is left")


def _prior_vote(axis: Vector, up: Vector) -> Vote:
    """Where nothing else speaks: -Y for a body that is Z up, +Z for one that is Y up (the custom of
    exporters).
    """
    custom = (
        np.array([0.0, -1.0, 0.0]) if abs(up[2]) > 0.5 else np.array([0.0, 0.0, 1.0]) * np.sign(up[1] or 1.0)
    )
    return Vote(0.2 * float(axis @ custom), "custom")
