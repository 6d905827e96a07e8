"""Rigs that are moved by controls: the body's parts idle as bones of their own, and the controls follow them.

The rig is evaluated in its held pose once. Its parts, thigh on pelvis and so on, make a skeleton whose rest
is that pose; what idles is this skeleton. With G a part's motion from there in armature space, A that of the
part that carries a control, C where the control would be by its carrier alone and B its own channels, all as
matrices, the control comes to lie at G C B = A C B', so that B' = C^-1 A^-1 G C B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Quaternion

from .. import core
from ..rig import Roles, Skeleton
from ..rig.bench import Bench
from ..rig.controls import Control, Controls
from ..rig.parts import Part
from ..rig.search import find_controls
from ..rig.skeleton import reorder
from .held import Float32, Held
from .plan import Idle

Floats = npt.NDArray[np.float64]

# A control that moves less than this (of the leg, radians) is left alone.
STILL = 2e-5


class Rigged:
    """A rig in its held pose. skeleton: the body's parts as bones, at rest as they are held; pose: (bones,
    12) of the real skeleton's bones, evaluated."""

    def __init__(
        self, armature_object: Any, skeleton: Skeleton, roles: Roles, parts: Sequence[Part], held: Held
    ) -> None:
        self.object, self.real, self.held = armature_object, skeleton, held
        self.controls: Controls = find_controls(armature_object, roles, parts, travels=False, stands=True)
        self.matrices = _evaluated(armature_object, skeleton, held)
        self.pose: Float32 = np.ascontiguousarray(self.matrices[:, :3].reshape(-1, 12), dtype=np.float32)
        self.skeleton = self._body(parts, roles)
        self.size = max(roles.leg_length, 1e-9)

    def _body(self, parts: Sequence[Part], roles: Roles) -> Skeleton:
        """All bones at rest as they are held; those of parts hang from one another as the body does, and of
        more than two legs every bone from the one above it, the first from chest or pelvis."""
        real = self.real
        bone_of = {part.key: part.bone for part in parts}
        parents = np.full(len(real.names), -1, dtype=np.int32)
        for part in parts:
            if part.parent is not None:
                parents[real.index(part.bone)] = real.index(bone_of[part.parent])
        trunk = [part.bone for part in parts if part.key.startswith(("pelvis", "spine"))]
        for k, leg in enumerate(roles.legs if len(roles.legs) > 2 else ()):
            carrier = trunk[0] if k + 2 >= len(roles.legs) else trunk[-1]
            for upper, lower in pairwise((carrier, *leg.bones)):
                parents[real.index(lower)] = real.index(upper)
        rest = self.matrices.copy()
        rest[:, :3, :3] /= np.maximum(np.linalg.norm(rest[:, :3, :3], axis=1, keepdims=True), 1e-12)
        lengths = np.linalg.norm(real.tails - real.heads, axis=1)
        found = replace(
            real,
            parents=parents,
            rest=rest,
            tails=rest[:, :3, 3] + rest[:, :3, 1] * lengths[:, None],
            flags=np.zeros_like(real.flags),
            links=(),
        )
        depth = np.zeros(len(parents), dtype=int)
        for bone in range(len(parents)):
            above = int(parents[bone])
            while above >= 0:
                depth[bone] += 1
                above = int(parents[above])
        return reorder(found, np.argsort(depth, kind="stable"))

    @property
    def still(self) -> Float32:
        """The held pose as channels (bones, 10) of the body."""
        found = np.zeros((len(self.skeleton.names), 10), dtype=np.float32)
        found[:, [3, 7, 8, 9]] = 1.0
        return found

    def followed(self, motion: Float32, count: int) -> Idle:
        """The controls' channels for those of the body, (bones, 10, frames and halves); count: of frames."""
        pose = core.load().forward_kinematics(*self.skeleton.arrays, motion).astype(np.float64)
        frames = pose.shape[2]
        whole = np.tile(np.eye(4), (len(pose), frames, 1, 1))
        whole[:, :, :3] = pose.reshape(-1, 3, 4, frames).transpose(0, 3, 1, 2)
        bone_of = {part.key: part.bone for part in self.controls.parts}

        def gone(part: str) -> Floats:
            """The part's motion from the held pose, (frames, 4, 4)."""
            k = self.skeleton.index(bone_of[part])
            return np.asarray(whole[k] @ np.linalg.inv(whole[k, 0]))

        bones, motions, slopes, channels = [], [], [], []
        for control in self._controls():
            if control.follows not in bone_of or (
                control.anchor is not None and control.anchor not in bone_of
            ):
                continue
            own = self._own(control, gone)
            halves = own[:, count:]
            slope = halves[:, 1:] - halves[:, :-1]
            moves = float(np.ptp(own[:3, :count], axis=1).max()) > STILL * self.size
            turns = float(np.ptp(own[3:7, :count], axis=1).max()) > STILL
            if (moves and control.location) or (turns and control.rotation):
                bones.append(control.bone)
                motions.append(own[:, :count])
                slopes.append(slope)
                channels.append((moves and control.location, turns and control.rotation, False))
        shape = (len(bones), 10, count)
        return Idle(
            tuple(bones),
            np.array(motions, dtype=np.float32).reshape(shape),
            np.array(slopes, dtype=np.float32).reshape(shape),
            np.array(channels, dtype=bool).reshape(-1, 3),
            (),
            (),
            {},
        )

    def _controls(self) -> list[Control]:
        """The controls; those that carry a wrist follow the hand, where the rig has one."""
        keys = {part.key for part in self.controls.parts}
        found = []
        for control in self.controls.controls:
            part, _, side = control.follows.partition(".")
            hand = f"hand.{side}"
            carries = part == "fore" and control.location and hand in keys
            found.append(replace(control, follows=hand) if carries else control)
        return found

    def _own(self, control: Control, gone: Any) -> Float32:
        """Channels (10, frames) of a control that goes along with its part."""
        k = self.real.index(control.bone)
        own = self.held.channels[k].astype(np.float64)
        basis = _basis(own)
        carried = self.matrices[k] @ np.linalg.inv(basis)
        follow = gone(control.follows)
        carrier = np.tile(np.eye(4), (len(follow), 1, 1)) if control.anchor is None else gone(control.anchor)
        if control.hinge:
            point = carried[:, 3]
            moved = carrier @ point
            carrier = np.tile(np.eye(4), (len(follow), 1, 1))
            carrier[:, :3, 3] = moved[:, :3] - point[:3]
        found = np.linalg.inv(carried) @ np.linalg.inv(carrier) @ follow @ carried @ basis
        frames = len(found)
        channels = np.repeat(self.held.channels[k][:, None], frames, axis=1)
        parent = int(self.real.parents[k])
        if not self.object.pose.bones[control.bone].bone.use_local_location and parent >= 0:
            # Its location is along its parent's axes.
            head = (follow @ self.matrices[k])[:, :3, 3]
            back = (np.linalg.inv(carrier) @ np.append(head, np.ones((frames, 1)), axis=1)[..., None])[
                :, :3, 0
            ]
            way = (back - self.matrices[k][:3, 3]) @ np.linalg.inv(self.matrices[parent][:3, :3]).T
            channels[:3] += way.T.astype(np.float32)
        else:
            channels[:3] += (found[:, :3, 3] - found[:1, :3, 3]).T.astype(np.float32)
        axes = found[:, :3, :3] / np.maximum(np.linalg.norm(found[:, :3, :3], axis=1, keepdims=True), 1e-12)
        rows = np.ascontiguousarray(axes.reshape(frames, 9).T, dtype=np.float32)
        native = core.load()
        turn = native.quaternion_from_matrix(rows)
        back = np.repeat((turn[:, :1] * np.array([[1], [-1], [-1], [-1]], np.float32)), frames, axis=1)
        step = native.quaternion_multiply(np.ascontiguousarray(back), turn)
        step *= np.where(step[:1] < 0.0, np.float32(-1.0), np.float32(1.0))
        held = np.repeat(self.held.channels[k][3:7, None], frames, axis=1)
        channels[3:7] = native.quaternion_multiply(np.ascontiguousarray(held), np.ascontiguousarray(step))
        channels[:, 0] = self.held.channels[k]
        return channels


def _basis(channels: Floats) -> Floats:
    """The matrix of a bone's own channels (10,)."""
    turn = Quaternion(channels[3:7].tolist()).normalized()
    return np.array(Matrix.LocRotScale(channels[:3].tolist(), turn, channels[7:].tolist()), dtype=np.float64)


def _evaluated(armature_object: Any, skeleton: Skeleton, held: Held) -> Floats:
    """Matrices (bones, 4, 4), armature space, of the rig evaluated in its held pose; all is put back."""
    with Bench(armature_object) as bench:
        for row, name in enumerate(skeleton.names):
            bone = armature_object.pose.bones[name]
            values = held.channels[row].tolist()
            bone.location, bone.scale = values[:3], values[7:]
            turn = Quaternion(values[3:7]).normalized()
            if bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = turn
            elif bone.rotation_mode == "AXIS_ANGLE":
                axis, angle = turn.to_axis_angle()
                bone.rotation_axis_angle = (angle, axis[0], axis[1], axis[2])
            else:
                bone.rotation_euler = turn.to_euler(bone.rotation_mode)
        found = bench.matrices()
        place = {name: k for k, name in enumerate(bench.names)}
    return np.asarray(found[[place[name] for name in skeleton.names]])
