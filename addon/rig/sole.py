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
SPLIT_COS = 0.9986  # 3 degrees: bones of one segment that was cut in two lie in line


@dataclass(frozen=True, slots=True)
class Sole:
    """Rest points in armature space, float64 (3,) each: heel, ball, tip on the sole; ankle; pivot (toe
    joint).
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
    """The sole of one leg. mesh_points: float64 (n, 3), rest vertices of that foot, the best witness where
    given.

    Without skin the heel comes from a bone named so under the foot, the tip from the toe's end; what is
    missing comes from the proportions of a human foot.
    """
    up = np.array(roles.up)
    facing = np.array(roles.facing)
    bones = foot_bones(skeleton, limb)
    ankle = skeleton.heads[skeleton.index(bones[0])]
    contact = np.array(limb.contact_point)
    end = _end(skeleton, limb)
    leg = max(limb.length, 1e-9)
    height = roles.ground if abs(float(contact @ up) - roles.ground) < STANDING * leg else float(contact @ up)

    def level(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return vector - (vector @ up) * up

    def floor(point: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return level(point) + height * up

    along = level(end - ankle)
    if float(np.linalg.norm(along)) < 0.03 * leg or float(along @ facing) < 0.3 * float(
        np.linalg.norm(along)
    ):
        along = level(facing)
    along = along / np.linalg.norm(along)
    toe = skeleton.heads[skeleton.index(limb.toe)] if limb.toe else None
    base = float(ankle @ along)
    ball = None if toe is None else float(toe @ along) - base
    tip = float((end - ankle) @ along)
    tip = _tip_without_bone(tip, ball, leg)
    heel = _heel_bone(skeleton, bones, along, base)
    if heel is None:
        heel = -HEEL_BEHIND * (ball if ball is not None and ball > 0 else BALL_PLACE * tip)
    if mesh_points is not None and len(mesh_points):
        low = mesh_points[
            (mesh_points @ up) < float((mesh_points @ up).min()) + 0.35 * _rise(ankle, up, mesh_points)
        ]
        reach = low @ along - base
        # A vertex or two may belong to something else: the second per cent at either end is left out.
        heel, tip = float(np.quantile(reach, 0.01)), float(np.quantile(reach, 0.99))
    if ball is None or not heel < ball < tip:
        ball = heel + BALL_PLACE * (tip - heel)
    pivot = toe if toe is not None else floor(ankle + ball * along)
    if limb.toe is None and limb.contact_end in ("tail", "mesh") and len(limb.bones) > 4:
        pivot = contact
    return Sole(
        heel=floor(ankle + heel * along),
        ball=floor(ankle + ball * along),
        tip=floor(ankle + tip * along),
        ankle=ankle.copy(),
        pivot=pivot.copy(),
    )


def _rise(
    ankle: npt.NDArray[np.float64], up: npt.NDArray[np.float64], points: npt.NDArray[np.float64]
) -> float:
    """Height of the ankle above the lowest vertex, never nothing."""
    low = float((points @ up).min())
    return max(float(ankle @ up) - low, 0.1 * float(np.ptp(points @ up)), 1e-9)


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
    if first < 2 <= len(chain) - 1:
        first = min(2, place)
    while first > 1 and _one_segment(skeleton, chain[first - 1], chain[first]):
        first -= 1
    return chain[first:]


def _one_segment(skeleton: Skeleton, upper: str, lower: str) -> bool:
    """Whether two bones are one that was cut: named alike, or in line and far from any joint's bend."""
    a, b = skeleton.index(upper), skeleton.index(lower)
    u, v = skeleton.tails[a] - skeleton.heads[a], skeleton.tails[b] - skeleton.heads[b]
    norm = float(np.linalg.norm(u) * np.linalg.norm(v))
    in_line = norm > 0 and float(u @ v) / norm > SPLIT_COS
    return in_line and naming.stem(upper) == naming.stem(lower)


def _end(skeleton: Skeleton, limb: Limb) -> npt.NDArray[np.float64]:
    """The foremost point of the foot's bones: the last tail where it is believable, else the last head."""
    last = skeleton.index(limb.bones[-1])
    head, tail = skeleton.heads[last], skeleton.tails[last]
    parent = int(skeleton.parents[last])
    own = float(np.linalg.norm(tail - head))
    before = float(np.linalg.norm(skeleton.tails[parent] - skeleton.heads[parent])) if parent >= 0 else 0.0
    invented = abs(own - before) < 2e-3 * max(own, 1e-12)
    if invented and len(limb.bones) > 1 and limb.bones[-1] != limb.contact:
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
