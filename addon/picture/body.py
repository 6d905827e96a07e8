"""A plain figure for rigs without a mesh: smooth capsules along the limbs, a trunk, a head, feet.

Every part is the convex hull of a few balls and rides rigidly on one bone. Sizes follow the rig's own leg
and trunk, so that a doll stays a doll. Only the bones that have a role are drawn: helpers, fingers and
faces would hide the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import bmesh
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Sides = npt.NDArray[np.int8]

NONE, LEFT, RIGHT = 0, 1, 2
SIDES = {"L": LEFT, "R": RIGHT}
BALL_POINTS = 220

Ball = tuple[Floats, float]  # centre (3,) in armature space, radius


@dataclass(frozen=True, slots=True)
class Body:
    """A surface in the armature's rest pose, armature space."""

    points: Floats  # float64 (points, 3)
    normals: Floats  # float64 (points, 3), unit
    faces: Ints  # int32 (faces, 3)
    bones: Ints  # int32 (points,): the bone that carries the point
    sides: Sides  # int8 (points,): NONE, LEFT or RIGHT


@dataclass(frozen=True, slots=True)
class Foot:
    """The points of a sole in the rest pose, float64 (3,) each, and the bones that carry them."""

    heel: Floats
    ball: Floats
    tip: Floats
    ankle: Floats
    foot_bone: int
    toe_bone: int


def frame_of(roles: Any) -> tuple[Floats, Floats, Floats]:
    """(forward, left, up) as float64 unit vectors of armature space; left = up x forward."""
    up = np.asarray(roles.up, dtype=np.float64)
    forward = np.asarray(roles.facing, dtype=np.float64)
    forward = forward - up * (forward @ up)
    forward /= np.linalg.norm(forward)
    return forward, np.cross(up, forward), up


def foot_of(limb: Any, skeleton: Any, roles: Any, sole: Any = None) -> Foot:
    """The foot of a leg: its sole where one is given, else proportions from the bones.

    `sole` has heel, ball, tip, ankle as points (3,) in rest armature space.
    """
    chain = [skeleton.index(name) for name in limb.bones]
    contact = skeleton.index(limb.contact)
    foot = contact
    if limb.contact_end == "head" and contact in chain[1:]:
        foot = chain[chain.index(contact) - 1]
    toe = skeleton.index(limb.toe) if limb.toe else foot
    if sole is not None:
        heel, ball, tip, ankle = (
            np.asarray(getattr(sole, name), dtype=np.float64) for name in ("heel", "ball", "tip", "ankle")
        )
        return Foot(heel, ball, tip, ankle, foot, toe)
    forward, _left, up = frame_of(roles)
    size = float(roles.leg_length)

    def grounded(point: Floats) -> Floats:
        return point + up * (roles.ground - point @ up)

    ankle = skeleton.rest[foot, :3, 3]
    end = skeleton.tails[contact] if limb.contact_end == "tail" else skeleton.rest[contact, :3, 3]
    ahead = max(float((end - ankle) @ forward), 0.1 * size) if limb.contact_end != "mesh" else 0.14 * size
    ball = grounded(ankle + forward * ahead)
    return Foot(grounded(ankle) - forward * 0.06 * size, ball, ball + forward * 0.08 * size, ankle, foot, toe)


def bone_sides(skeleton: Any, roles: Any) -> Sides:
    """int8 (bones,): LEFT or RIGHT for the bones of legs and arms and all that hang on them."""
    sides = np.zeros(len(skeleton.names), dtype=np.int8)
    for limb in (*roles.legs, *roles.arms):
        sides[[skeleton.index(name) for name in limb.bones]] = SIDES.get(limb.side, NONE)
    for bone, parent in enumerate(skeleton.parents):  # parents come first
        if parent >= 0 and sides[bone] == NONE:
            sides[bone] = sides[parent]
    return sides


def body(skeleton: Any, roles: Any, soles: Sequence[Any] | None = None) -> Body:
    """The figure for a rig, from its roles. `soles`: one a leg, or None."""
    parts = _Parts()
    forward, left, up = frame_of(roles)
    heads = skeleton.rest[:, :3, 3]
    leg = float(roles.leg_length)
    spine = [skeleton.index(name) for name in (roles.pelvis, *roles.spine) if name]
    neck = [skeleton.index(name) for name in roles.neck]
    skull = skeleton.index(roles.head) if roles.head else -1
    hips = [heads[skeleton.index(limb.bones[0])] for limb in roles.legs]
    shoulders = [heads[skeleton.index(limb.bones[0])] for limb in roles.arms]
    top = (
        heads[neck[0]]
        if neck
        else heads[skull]
        if skull >= 0
        else np.mean(shoulders or hips, axis=0) + up * leg * 0.2
    )
    trunk = float(np.linalg.norm(top - np.mean(hips, axis=0))) if hips else leg
    size = leg * float(
        np.clip(np.sqrt(max(trunk / leg, 1e-3) / 0.72), 0.75, 1.5)
    )  # 0.72: an adult's trunk to leg

    for number, limb in enumerate(roles.legs):
        side = SIDES.get(limb.side, NONE)
        foot = foot_of(limb, skeleton, roles, soles[number] if soles else None)
        chain = [skeleton.index(name) for name in limb.bones]
        if foot.foot_bone in chain:
            chain = chain[: chain.index(foot.foot_bone)]
        joints = [*(heads[bone] for bone in chain), foot.ankle]
        widths = np.interp(np.linspace(0, 1, len(joints)), (0.0, 0.5, 1.0), (0.088, 0.060, 0.040)) * size
        if len(roles.legs) > 2:
            widths *= 0.7
        for bone, a, b, ra, rb in zip(chain, joints, joints[1:], widths, widths[1:], strict=False):
            parts.add(bone, side, (a, ra), (b, rb))
        _add_foot(parts, foot, side, size if len(roles.legs) == 2 else 0.6 * size, left, up)

    for limb in roles.arms:
        side = SIDES.get(limb.side, NONE)
        chain = [skeleton.index(name) for name in limb.bones]
        joints = [heads[bone] for bone in chain]
        tip = joints[-1] + _direction(joints[-1] - joints[-2] if len(joints) > 1 else -up) * 0.19 * leg
        widths = (
            np.interp(np.linspace(0, 1, len(joints) + 1), (0.0, 0.4, 0.75, 1.0), (0.058, 0.044, 0.034, 0.026))
            * size
        )
        for bone, a, b, ra, rb in zip(chain, joints, [*joints[1:], tip], widths, widths[1:], strict=False):
            parts.add(bone, side, (a, ra), (b, rb))

    _add_trunk(parts, spine, heads, hips, shoulders, top, size, left, up)
    for bone, after in zip(neck, [*neck, skull][1:], strict=True):
        end = heads[after] if after >= 0 else skeleton.tails[bone]
        parts.add(bone, NONE, (heads[bone], 0.062 * size), (end, 0.058 * size))
    if skull >= 0:
        base, height = heads[skull], max(0.215 * leg, 0.26 * trunk)
        parts.add(
            skull, NONE,
            (base + up * 0.62 * height + forward * 0.02 * height, 0.44 * height),
            (base + up * 0.28 * height + forward * 0.16 * height, 0.30 * height),
        )  # fmt: skip
    tail = [skeleton.index(name) for name in roles.tail]
    for bone, after in pairwise(tail):
        parts.add(bone, NONE, (heads[bone], 0.04 * size), (heads[after], 0.03 * size))
    return parts.body()


def _add_foot(parts: _Parts, foot: Foot, side: int, size: float, left: Floats, up: Floats) -> None:
    """Heel, ball and toes with flat soles: balls of the part's thickness rest on the sole's points."""
    long = float(np.linalg.norm(foot.tip - foot.heel))
    heel_r, ball_r, tip_r = (min(r * size, 0.2 * long) for r in (0.040, 0.030, 0.022))
    wide = left * min(0.026 * size, 0.15 * long)
    heel = foot.heel + up * heel_r
    heel = heel + _direction(foot.tip - foot.heel) * heel_r  # the ball's back, not its centre, ends the heel
    ball = foot.ball + up * ball_r
    tip = foot.tip + up * tip_r - _direction(foot.tip - foot.heel) * tip_r
    balls: list[Ball] = [
        (foot.ankle, 0.040 * size),
        (heel, heel_r),
        (ball + wide, ball_r),
        (ball - wide, ball_r),
    ]
    toes: list[Ball] = [
        (ball + wide, ball_r),
        (ball - wide, ball_r),
        (tip + wide * 0.7, tip_r),
        (tip - wide * 0.7, tip_r),
    ]
    parts.add(foot.foot_bone, side, *balls)
    parts.add(foot.toe_bone, side, *toes)


def _add_trunk(
    parts: _Parts,
    spine: list[int],
    heads: Floats,
    hips: list[Floats],
    shoulders: list[Floats],
    top: Floats,
    size: float,
    left: Floats,
    up: Floats,
) -> None:
    """A flat-sided column from the hips over the waist to the shoulders, one piece a spine bone."""
    spine = list(dict.fromkeys(spine))
    if not spine:
        return
    joints = [heads[bone] for bone in spine] + [top]
    if hips and (joints[0] - hips[0]) @ up < 0.0:  # a pelvis bone below the hip joints would bulge under them
        joints[0] = np.mean(hips, axis=0)
    count = len(spine)
    half = np.interp(np.linspace(0, 1, count + 1), (0.0, 0.3, 0.75, 1.0), (0.075, 0.065, 0.095, 0.06)) * size
    thick = (
        np.interp(np.linspace(0, 1, count + 1), (0.0, 0.3, 0.75, 1.0), (0.105, 0.100, 0.115, 0.075)) * size
    )
    for k, bone in enumerate(spine):
        balls: list[Ball] = []
        for joint, wide, radius in (
            (joints[k], half[k], thick[k]),
            (joints[k + 1], half[k + 1], thick[k + 1]),
        ):
            balls += [(joint + left * wide, radius), (joint - left * wide, radius)]
        if k == 0:
            balls += [
                (point * 0.92 + np.mean(hips, axis=0) * 0.08 + up * 0.01 * size, 0.092 * size)
                for point in hips[:2]
            ]
            if len(spine) > 1 and np.linalg.norm(joints[1] - joints[0]) < 0.02 * size:
                balls = balls[2:]
        if k == count - 1 and shoulders:
            middle = np.mean(shoulders, axis=0)
            balls += [
                (middle + (point - middle) * 0.82 - up * 0.01 * size, 0.066 * size) for point in shoulders
            ]
        parts.add(bone, NONE, *balls)


class _Parts:
    """Collects hulls into one surface."""

    def __init__(self) -> None:
        self._parts: list[Body] = []

    def add(self, bone: int, side: int, *balls: Ball) -> None:
        # Neighbours share a ball at the joint; a hair's difference keeps equal surfaces from flickering.
        shrink = 1.0 - 0.012 * (len(self._parts) % 3)
        points, normals, faces = hull([(centre, radius * shrink) for centre, radius in balls])
        bones = np.full(len(points), bone, dtype=np.int32)
        self._parts.append(Body(points, normals, faces, bones, np.full(len(points), side, dtype=np.int8)))

    def body(self) -> Body:
        starts = np.cumsum([0, *(len(part.points) for part in self._parts[:-1])])
        return Body(
            points=np.concatenate([part.points for part in self._parts]),
            normals=np.concatenate([part.normals for part in self._parts]),
            faces=np.concatenate([p.faces + np.int32(k) for p, k in zip(self._parts, starts, strict=True)]),
            bones=np.concatenate([part.bones for part in self._parts]),
            sides=np.concatenate([part.sides for part in self._parts]),
        )


def hull(balls: Sequence[Ball]) -> tuple[Floats, Floats, Ints]:
    """Convex hull of balls: points float64 (n, 3), unit normals (n, 3), triangles int32 (m, 3).

    A point's normal is its direction from the centre of its own ball: exact where the hull follows a
    ball, and smooth over the straight stretches between.
    """
    unit = _sphere(BALL_POINTS)
    points = np.concatenate([centre + unit * radius for centre, radius in balls])
    normals = np.tile(unit, (len(balls), 1))
    mesh = bmesh.new()
    try:
        verts = [mesh.verts.new(point) for point in points]
        mesh.verts.index_update()
        result = bmesh.ops.convex_hull(mesh, input=verts, use_existing_faces=False)
        del result
        faces = np.array([[v.index for v in face.verts] for face in mesh.faces], dtype=np.int32)
    finally:
        mesh.free()
    used, inverse = np.unique(faces, return_inverse=True)
    return points[used], normals[used], inverse.reshape(faces.shape).astype(np.int32)


def _sphere(count: int) -> Floats:
    """Unit vectors spread evenly over a sphere along a golden spiral, float64 (count, 3)."""
    k = np.arange(count) + 0.5
    z = 1.0 - 2.0 * k / count
    turn = np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def _direction(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else vector
