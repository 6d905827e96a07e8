"""Rigs, motions and looks into curves that the tests of written actions share."""

import math
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from amble.action import slots

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
ALL = (True, True, True)
# Keeps the axis of a rotation well defined.
LEAN = dict.fromkeys(MODES, 0.0) | {"AXIS_ANGLE": 1.3}


def make_rig(names: tuple[str, ...] = ("a", "b"), name: str = "Rig") -> Any:
    """Bones side by side, of unequal rest directions, in a scene."""
    rig: Any = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for at, bone in enumerate(names):
        edit = rig.data.edit_bones.new(bone)
        edit.head, edit.tail, edit.roll = (at, 0, 0), (at + 0.3 * at, 0.4, 1), 0.5 * at
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def rest(bones: int, frames: int) -> tuple[np.ndarray, np.ndarray]:
    motion = np.zeros((bones, 10, frames))
    motion[:, 3] = motion[:, 7:] = 1.0
    return motion, np.zeros_like(motion)


def random_motion(bones: int, frames: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    motion, slopes = rest(bones, frames)
    motion += draw.uniform(-0.4, 0.4, motion.shape)
    return motion, slopes + draw.uniform(-0.4, 0.4, motion.shape)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion product of (4, ...) arrays."""
    return np.array(
        (
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        )
    )


Angle = Callable[[np.ndarray], np.ndarray]


def about(axis: int, angle: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q, dq = np.zeros((4, angle.size)), np.zeros((4, angle.size))
    q[0], q[axis + 1] = np.cos(angle / 2), np.sin(angle / 2)
    dq[0], dq[axis + 1] = -np.sin(angle / 2) * rate / 2, np.cos(angle / 2) * rate / 2
    return q, dq


def turning(frames: np.ndarray, *turns: tuple[int, Angle, Angle]) -> tuple[np.ndarray, np.ndarray]:
    """Quaternions (4, f) of turns about axes, the first given turned first, and their exact slopes."""
    q, dq = about(0, np.zeros(frames.size), np.zeros(frames.size))
    for axis, angle, rate in turns:
        p, dp = about(axis, angle(frames), rate(frames))
        q, dq = product(p, q), product(dp, q) + product(p, dq)
    return q, dq


def swing(frames: np.ndarray, lean: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A smooth motion about all axes, away from gimbal lock; `lean` about X comes first."""

    def sine(size: float, speed: float, phase: float) -> tuple[Angle, Angle]:
        return (
            lambda t: size * np.sin(speed * t + phase),
            lambda t: size * speed * np.cos(speed * t + phase),
        )

    return turning(
        frames,
        (0, lambda t: np.full(t.size, lean), np.zeros_like),
        (0, *sine(0.7, 0.26, 0.3)),
        (1, *sine(0.5, 0.21, 1.1)),
        (2, *sine(0.6, 0.17, 2.0)),
    )


def with_rotation(q: np.ndarray, dq: np.ndarray, bones: int = 1) -> tuple[np.ndarray, np.ndarray]:
    motion, slopes = rest(bones, q.shape[1])
    motion[:, 3:7], slopes[:, 3:7] = q, dq
    return motion, slopes


def curves(rig: Any) -> dict[tuple[str, int], Any]:
    found = slots.find_curves(rig)
    return {} if found is None else {(curve.data_path, curve.array_index): curve for curve in found}


def numbers(curve: Any) -> np.ndarray:
    """Keys, handles and settings of a curve, one row a key."""
    points = curve.keyframe_points
    columns = []
    for name, width, kind in (
        ("co", 2, np.float32),
        ("handle_left", 2, np.float32),
        ("handle_right", 2, np.float32),
        ("interpolation", 1, np.int32),
        ("handle_left_type", 1, np.int32),
        ("handle_right_type", 1, np.int32),
        ("easing", 1, np.int32),
        ("type", 1, np.int32),
    ):
        block = np.zeros(len(points) * width, kind)
        points.foreach_get(name, block)
        columns.append(block.reshape(-1, width).astype(np.float64))
    return np.concatenate(columns, axis=1)


def contents(rig: Any) -> dict[tuple[str, int], bytes]:
    return {key: numbers(curve).tobytes() for key, curve in curves(rig).items()}


def hermite(frames: np.ndarray, values: np.ndarray, slopes: np.ndarray, at: np.ndarray) -> np.ndarray:
    k = np.clip(np.searchsorted(frames, at, side="right") - 1, 0, frames.size - 2)
    h = frames[k + 1] - frames[k]
    u = (at - frames[k]) / h
    return (
        values[k] * (1 + 2 * u) * (1 - u) ** 2
        + values[k + 1] * u * u * (3 - 2 * u)
        + h * (slopes[k] * u * (1 - u) ** 2 - slopes[k + 1] * u * u * (1 - u))
    )


def basis_quaternion(rig: Any, bone: str, frame: float) -> np.ndarray:
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(seen.pose.bones[bone].matrix_basis.to_quaternion())


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """Radians; exact for small angles too."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    b = b * np.sign(a @ b)
    return 4.0 * math.asin(min(1.0, float(np.linalg.norm(a - b)) / 2.0))


def state(rig: Any) -> dict[str, Any]:
    """What a call must leave as it was."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    return {
        "frame": (scene.frame_current, scene.frame_subframe, scene.frame_start, scene.frame_end),
        "objects": [(ob.name, ob.mode, ob.select_get(), ob.hide_get()) for ob in scene.objects],
        "active": layer.objects.active,
        "bones": [
            (b.name, b.rotation_mode, tuple(b.lock_location), b.matrix_basis.copy()) for b in rig.pose.bones
        ],
        "place": rig.matrix_basis.copy(),
        "actions": sorted((action.name, action.users, action.use_fake_user) for action in bpy.data.actions),
        "data": rig.animation_data is None,
        "plays": None if rig.animation_data is None else rig.animation_data.action,
    }
