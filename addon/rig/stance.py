"""A stance for bodies whose rest pose is none that one could stand in, as turns of single bones.

A walk begins from the rest pose. Where that flies, sits or lies, the skeleton is put into a stance first, the
walk is made on the skeleton as it then stands, and what is keyed is the stance with the walk on top of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .. import core
from ..once import once
from .parts import Part
from .roles import Roles
from .sides import SIDES
from .skeleton import FLAG_NO_LOCAL_LOCATION, Skeleton
from .skin import Skin
from .sole import Sole

Floats = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]
# By bone its own rotation from rest (w, x, y, z), of unit length, (4,).
Turns = Mapping[str, Floats]

TILTED = 0.3  # sine: the sole of a foot that stands is no steeper
UNEVEN = 0.04  # of the leg: ankles that stand differ less in height
UNSURE = 0.7
BEND = np.radians(4.0)  # of a thigh that stands, forward
HINGED = 0.1  # sine of a knee's bend from which it tells where its hinge is
LEANING = 0.9  # cosine of the slant of a trunk that is put upright


@once
def unsettled(roles: Roles, soles: Sequence[Sole]) -> Sequence[str]:
    """What speaks against a standing rest pose, by its feet: only those of bipeds are known to be flat."""
    if roles.kind != "biped" or not soles:
        return []
    up = np.array(roles.up)
    found = []
    steepest = 0.0
    for sole in soles:
        along = sole.tip - sole.heel
        steepest = max(steepest, abs(float(along @ up)) / max(float(np.linalg.norm(along)), 1e-9))
    if steepest > TILTED:
        found.append(f"a sole is tilted by {np.degrees(np.arcsin(min(steepest, 1.0))):.0f} degrees")
    apart = float(np.ptp([sole.ankle @ up for sole in soles])) / max(roles.leg_length, 1e-9)
    if apart > UNEVEN:
        found.append(f"the ankles differ in height by {100 * apart:.0f} % of the leg")
    if found:
        unsure = [key for key in ("up", "facing") if roles.sure.get(key, 1.0) < UNSURE]
        found += [f"{key} is only {100 * roles.sure[key]:.0f} % sure" for key in unsure]
    return found


def posed(skeleton: Skeleton, turns: Turns) -> Skeleton:
    """The skeleton with the stance as its rest pose."""
    channels = np.zeros((len(skeleton.names), 10, 1), dtype=np.float32)
    channels[:, [3, 7, 8, 9]] = 1.0
    for bone, turn in turns.items():
        channels[skeleton.index(bone), 3:7, 0] = turn
    rows = core.load().forward_kinematics(
        np.ascontiguousarray(skeleton.parents),
        np.ascontiguousarray(skeleton.rest),
        np.ascontiguousarray(skeleton.flags),
        channels,
    )
    rest = np.tile(np.eye(4), (len(skeleton.names), 1, 1))
    rest[:, :3] = rows[..., 0].reshape(-1, 3, 4)
    moved = rest @ np.linalg.inv(skeleton.rest)
    tails = np.einsum("nij,nj->ni", moved[:, :3, :3], skeleton.tails) + moved[:, :3, 3]
    return dataclasses.replace(skeleton, rest=rest, tails=tails)


def posed_skin(skin: Skin | None, skeleton: Skeleton, stance: Skeleton) -> Skin | None:
    """The skin in the stance, each point carried by the bone that it hangs on most."""
    if skin is None:
        return None
    moved = (stance.rest @ np.linalg.inv(skeleton.rest))[skin.bones]
    points = np.einsum("nij,nj->ni", moved[:, :3, :3], skin.points) + moved[:, :3, 3]
    return Skin(points, skin.bones)


def together(first: Turns, then: Turns) -> Turns:
    """Turns from rest, and further ones from there, as one."""
    native = core.load()
    found = {**first, **then}
    for bone in first.keys() & then.keys():
        a, b = (np.ascontiguousarray(x[bone][:, None], dtype=np.float32) for x in (first, then))
        found[bone] = np.asarray(native.quaternion_multiply(a, b)[:, 0], dtype=np.float64)
    return found


def upright(skeleton: Skeleton, roles: Roles, soles: Sequence[Sole], parts: Sequence[Part]) -> Turns:
    """Turns that put a biped upright: hips level, the trunk over them, legs straight down, soles flat."""
    return _Standing(skeleton, roles, soles, parts).turns


class _Standing:
    """One body that is being put upright, from the pelvis outward."""

    def __init__(
        self, skeleton: Skeleton, roles: Roles, soles: Sequence[Sole], parts: Sequence[Part]
    ) -> None:
        self.skeleton, self.stance = skeleton, skeleton
        self.turns: dict[str, Floats] = {}
        self.bone = {part.key: part.bone for part in parts}
        self.up, self.facing = np.array(roles.up), np.array(roles.facing)
        self.left = np.cross(self.up, self.facing)
        column = [p.bone for p in parts if p.key.startswith("spine")]
        top = [p.bone for p in parts if p.key.startswith("neck")]
        hips = self._place("thigh.L") - self._place("thigh.R")
        self._turn(self.bone["pelvis"], hips, self.facing, self.left, self.facing)
        if column and top:
            trunk = self._head(top[0]) - self._head(column[0])
            if float(_unit(trunk) @ self.up) < LEANING:
                self._turn(column[0], trunk, self.left, self.up, self.left)
        by_side = {leg.side: sole for leg, sole in zip(roles.legs, soles, strict=True)}
        for side in SIDES:
            self._leg(side, by_side[side])

    def _leg(self, side: str, sole: Sole) -> None:
        thigh, shin, foot = (self.bone[f"{name}.{side}"] for name in ("thigh", "shin", "foot"))
        # The way that the knee folds: a hinge to the left for one that points forward.
        u, v = self._head(shin) - self._head(thigh), self._head(foot) - self._head(shin)
        hinge = np.cross(_unit(u), _unit(v))
        if float(np.linalg.norm(hinge)) < HINGED:
            hinge = self.left - (self.left @ _unit(u)) * _unit(u)
        sign = -1.0 if float(_unit(hinge) @ self.left) < -0.5 else 1.0
        lean = np.arcsin(min(np.sin(BEND) * float(np.linalg.norm(u) / np.linalg.norm(v)), 0.5))
        for bone, end, angle in ((thigh, shin, sign * BEND), (shin, foot, -sign * lean)):
            along = self._head(end) - self._head(bone)
            axis = self._carried(thigh, hinge)
            self._turn(
                bone, along, axis, np.sin(angle) * self.facing - np.cos(angle) * self.up, sign * self.left
            )
        # Heel to tip of the sole, and what lies across it, level in the rest pose.
        along = self._carried(foot, sole.tip - sole.heel)
        across = self._carried(foot, np.cross(self.up, sole.tip - sole.heel))
        self._turn(foot, along, across, self.facing, self.left)

    def _turn(self, bone: str, along: Floats, across: Floats, to: Floats, to_across: Floats) -> None:
        """Turn a bone as it stands by what brings one direction onto another, and a second one, as far as it
        lies across the first, likewise."""
        turn = _frame(to, to_across) @ _frame(along, across).T
        own = self.stance.rest[self.stance.index(bone)][:3, :3]
        self.turns[bone] = quaternion_of(own.T @ turn @ own)
        self.stance = posed(self.skeleton, self.turns)

    def _head(self, bone: str) -> Floats:
        return self.stance.heads[self.stance.index(bone)]

    def _place(self, key: str) -> Floats:
        return self._head(self.bone[key])

    def _carried(self, bone: str, direction: Floats) -> Floats:
        """A direction of the rest pose as a bone carries it."""
        k = self.skeleton.index(bone)
        return np.asarray(
            self.stance.rest[k][:3, :3] @ self.skeleton.rest[k][:3, :3].T @ direction, dtype=np.float64
        )


def on_stance(
    skeleton: Skeleton,
    turns: Turns,
    bones: Sequence[str],
    blocks: Sequence[Float32],
) -> Iterator[Float32]:
    """Motions (or slopes) of bones made on the stance, (bones, 10, frames) each, as what is keyed from rest.

    A bone that stands turned by s from rest and moves by location l and rotation q from there has the
    location s l and the rotation s q; slopes likewise, for s stays.
    """
    native = core.load()
    for block in blocks:
        found = block.copy()
        for row, bone in enumerate(bones):
            if bone not in turns:
                continue
            stand = np.repeat(np.asarray(turns[bone], dtype=np.float32)[:, None], block.shape[2], axis=1)
            found[row, 3:7] = native.quaternion_multiply(stand, np.ascontiguousarray(block[row, 3:7]))
            if not skeleton.flags[skeleton.index(bone)] & FLAG_NO_LOCAL_LOCATION:
                found[row, :3] = native.quaternion_rotate(stand, np.ascontiguousarray(block[row, :3]))
        yield found


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float64)


def _frame(along: Floats, across: Floats) -> Floats:
    """Columns: along, what of `across` lies across it, and the third."""
    x = _unit(along)
    y = _unit(across - (across @ x) * x)
    return np.column_stack([x, y, np.cross(x, y)])


def quaternion_of(turn: Floats) -> Floats:
    """Of a matrix (3, 3)."""
    rows = np.ascontiguousarray(turn.reshape(9, 1), dtype=np.float32)
    return np.asarray(core.load().quaternion_from_matrix(rows)[:, 0], dtype=np.float64)
