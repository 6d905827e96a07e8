"""The sole of a foot in the rest pose: heel, ball and tip on the ground, the ankle, the point it rolls off
over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import naming
from .roles import Limb, Roles
from .skeleton import Skeleton
from .skin import Skin

# Proportions of a human foot where neither bones nor skin tell: heel behind the ankle and toes before the
# ball, as parts of the level distance from ankle to ball; place of the ball between heel and tip.
HEEL_BEHIND = 0.35
TOES_AHEAD = 0.5
BALL_PLACE = 0.7
STANDING = 0.12  # of the leg: a contact further from the ground than this belongs to a foot in the air
SHORTEST = 0.05  # of the leg: skin shorter than this along the foot tells nothing about the sole
STEEPEST = 0.8  # sine: an edge steeper than this is the heel's back or the tip, not the sole
FLAT_TILT = 0.1  # radians: a sole tilted more than this in the rest pose is that of a foot in the air
STUB = 0.12  # of the leg: a segment shorter than this above the foot's is a part of the foot, no shin
SPLIT_COS = 0.9986  # 3 degrees: bones of one segment that was cut in two lie in line


@dataclass(frozen=True, slots=True)
class Sole:
    """Rest points in armature space, float64 (3,) each: heel, ball, tip on the sole; ankle (of a leg in one
    piece the sole under its hip joint); pivot (toe joint).
    """

    heel: npt.NDArray[np.float64]
    ball: npt.NDArray[np.float64]
    tip: npt.NDArray[np.float64]
    ankle: npt.NDArray[np.float64]
    pivot: npt.NDArray[np.float64]


def foot_points(skeleton: Skeleton, limb: Limb, skin: Skin | None) -> npt.NDArray[np.float64] | None:
    """Skin vertices (n, 3) of a leg's foot and toes, or None where there are none."""
    if skin is None:
        return None
    first = skeleton.index(foot_bones(skeleton, limb)[0])
    below = {first}
    for bone, parent in enumerate(skeleton.parents):
        if int(parent) in below:
            below.add(bone)
    below.update(skeleton.index(name) for name in foot_bones(skeleton, limb))
    points = skin.points[np.isin(skin.bones, sorted(below))]
    return points if len(points) else None


def sole(
    skeleton: Skeleton, roles: Roles, limb: Limb, mesh_points: npt.NDArray[np.float64] | None = None
) -> Sole:
    """The sole of one leg. mesh_points: float64 (n, 3), rest vertices of that foot, the best witness.

    Without skin the heel comes from a bone named so under the foot, the tip from the toe's end; what is
    missing comes from the proportions of a human foot. A foot that stands flat has its sole on the ground of
    the rest pose; one held in the air has it along the underside of its skin, tilted as the foot is.
    """
    up, facing = np.array(roles.up), np.array(roles.facing)
    bones = foot_bones(skeleton, limb)
    ankle = skeleton.heads[skeleton.index(bones[0])]
    contact = np.array(limb.contact_point)
    end = _end(skeleton, limb)
    leg = max(limb.length, 1e-9)
    toe = skeleton.heads[skeleton.index(limb.toe)] if limb.toe else None

    along = _level(end - ankle, up)
    if float(np.linalg.norm(along)) < 0.03 * leg or float(along @ facing) < 0.3 * float(
        np.linalg.norm(along)
    ):
        along = _level(facing, up)
    along = along / np.linalg.norm(along)
    near = abs(float(contact @ up) - roles.ground) < STANDING * leg
    height = roles.ground if near else float(contact @ up)
    base = ankle + (height - float(ankle @ up)) * up
    ball = None if toe is None else float((toe - ankle) @ along)
    under = None
    if mesh_points is not None and len(mesh_points):
        # Spikes and hooves are no soles to stand on lengthwise; only feet of bipeds are looked at for a tilt.
        under = _underside(mesh_points, ankle, along, up, leg, roles.kind == "biped")
    if under is not None:
        if under.tilt > FLAT_TILT:
            base, along = under.base, under.along
            ball = None if toe is None else float((toe - base) @ along)
        heel, tip = under.heel, under.tip
    else:
        tip = _tip_without_bone(float((end - ankle) @ along), ball, leg)
        bone = _heel_bone(skeleton, bones, along, float(ankle @ along))
        level_ball = ball if ball is not None and ball > 0 else BALL_PLACE * tip
        heel = bone if bone is not None else -HEEL_BEHIND * level_ball
    if ball is None or not heel < ball < tip:
        ball = heel + BALL_PLACE * (tip - heel)
    pivot = toe if toe is not None else base + ball * along
    if limb.contact_end == "tail" and float((contact - ankle) @ along) > 0.02 * leg:
        pivot = contact
    return Sole(
        heel=base + heel * along,
        ball=base + ball * along,
        tip=base + tip * along,
        ankle=ankle.copy() if bones[0] != limb.bones[0] else base.copy(),
        pivot=pivot.copy(),
    )


def _level(vector: npt.NDArray[np.float64], up: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return vector - (vector @ up) * up


@dataclass(frozen=True, slots=True)
class _Underside:
    """The line that a foot stands on: point under the ankle, direction heel to tip, both ends, its slope."""

    base: npt.NDArray[np.float64]
    along: npt.NDArray[np.float64]
    heel: float
    tip: float
    tilt: float


def _underside(
    points: npt.NDArray[np.float64],
    ankle: npt.NDArray[np.float64],
    along: npt.NDArray[np.float64],
    up: npt.NDArray[np.float64],
    leg: float,
    tilted: bool,
) -> _Underside | None:
    """The longest edge that faces down of the foot's outline from the side (level where not `tilted`)."""
    flat = np.column_stack(((points - ankle) @ along, (points - ankle) @ up))
    hull = _lower_hull(flat)
    steps = np.diff(hull, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    if not len(lengths) or float(np.ptp(flat[:, 0])) < SHORTEST * leg:
        return None
    edge = int(np.argmax(lengths * (np.abs(steps[:, 1]) < lengths * STEEPEST)))
    way = steps[edge] / lengths[edge] if tilted else np.array([1.0, 0.0])
    if abs(float(way[1])) < FLAT_TILT:
        way = np.array([1.0, 0.0])
    normal = np.array([-way[1], way[0]])
    drop = float((flat @ normal).min())
    # Heel and tip are the ends of what lies near that line: toes bend up from it, soles are rounded.
    low = flat[flat @ normal < drop + 0.35 * max(-drop, 0.1 * float(np.ptp(flat[:, 1])))]
    reach = low @ way
    heel, tip = float(np.quantile(reach, 0.01)), float(np.quantile(reach, 0.99))
    direction = way[0] * along + way[1] * up
    base = ankle + drop * (normal[0] * along + normal[1] * up)
    return _Underside(base, direction, heel, tip, abs(float(np.arctan2(way[1], way[0]))))


def _lower_hull(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Lower convex hull of points (n, 2), from left to right. Thinned to the lowest of each column first."""
    columns = np.floor(64 * (points[:, 0] - points[:, 0].min()) / max(float(np.ptp(points[:, 0])), 1e-12))
    order = np.lexsort((points[:, 1], columns))
    points = points[order][np.unique(columns[order], return_index=True)[1]]
    hull: list[npt.NDArray[np.float64]] = []
    for point in points[np.argsort(points[:, 0], kind="stable")]:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0) > 0:
                break
            hull.pop()
        hull.append(point)
    return np.array(hull)


def _tip_without_bone(tip: float, ball: float | None, leg: float) -> float:
    if ball is not None and tip < ball * 1.05:
        return ball * (1.0 + TOES_AHEAD)
    return tip if tip > 0.02 * leg else 0.15 * leg


def foot_bones(skeleton: Skeleton, limb: Limb) -> list[str]:
    """The chain from the foot on: from the joint above the contact, halves of a cut bone taken together."""
    chain = list(limb.bones)
    place = chain.index(limb.contact)
    if limb.toe is None and limb.contact_end == "head" and "foot" in naming.parts(limb.contact):
        return chain[place:]
    first = place if limb.contact_end in ("tail", "mesh") else max(place - 1, 0)
    # Two bones come before a foot, unless the second says itself that it is one: then the leg has no shin.
    if first < 2 <= len(chain) - 1 and "foot" not in naming.parts(chain[first]):
        first = min(2, place)
    while first > 1 and (
        one_segment(skeleton, chain[first - 1], chain[first])
        or _span(skeleton, chain[first - 1], chain[first]) < STUB * limb.length
    ):
        first -= 1
    return chain[first:]


def one_segment(skeleton: Skeleton, upper: str, lower: str) -> bool:
    """Whether two bones are one that was cut: named alike, or in line and far from any joint's bend."""
    a, b = skeleton.index(upper), skeleton.index(lower)
    u, v = skeleton.tails[a] - skeleton.heads[a], skeleton.tails[b] - skeleton.heads[b]
    norm = float(np.linalg.norm(u) * np.linalg.norm(v))
    in_line = norm > 0 and float(u @ v) / norm > SPLIT_COS
    return in_line and naming.stem(upper) == naming.stem(lower)


def _span(skeleton: Skeleton, upper: str, lower: str) -> float:
    """Distance between the heads of two bones."""
    heads = skeleton.heads
    return float(np.linalg.norm(heads[skeleton.index(upper)] - heads[skeleton.index(lower)]))


def _end(skeleton: Skeleton, limb: Limb) -> npt.NDArray[np.float64]:
    """The foremost point of the foot's bones: the last tail where it is believable, else the last head."""
    last = skeleton.index(limb.bones[-1])
    head, tail = skeleton.heads[last], skeleton.tails[last]
    if "end" in naming.parts(limb.bones[-1]) and limb.bones[-1] != limb.contact:
        return head  # a mark of where the toes end
    parent = int(skeleton.parents[last])
    own = float(np.linalg.norm(tail - head))
    before = float(np.linalg.norm(skeleton.tails[parent] - skeleton.heads[parent])) if parent >= 0 else 0.0
    invented = abs(own - before) < 2e-3 * max(own, 1e-12)
    on_its_tail = limb.bones[-1] == limb.contact and limb.contact_end != "head"
    if invented and len(limb.bones) > 1 and not on_its_tail:
        return head
    if own > 0.35 * max(limb.length, 1e-9):
        return head
    return tail


def _heel_bone(
    skeleton: Skeleton, bones: list[str], along: npt.NDArray[np.float64], base: float
) -> float | None:
    """Place along the foot of a bone named heel that hangs on it, or None."""
    foot = {skeleton.index(name) for name in bones}
    for bone, parent in enumerate(skeleton.parents):
        if int(parent) in foot and "heel" in naming.words(skeleton.names[bone]):
            middle = 0.5 * (skeleton.heads[bone] + skeleton.tails[bone])
            return float(middle @ along) - base
    return None
