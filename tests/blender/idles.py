"""Poses to idle in, and what an idle does on the evaluated armature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import amble
import bpy
import numpy as np
from amble.report.sampling import sample
from mathutils import Quaternion, Vector
from tests.blender import rigs


def turn(rig: Any, bone: str, axis: Sequence[float], degrees: float) -> None:
    """Turn a bone of the pose about an axis of armature space, seen from its rest pose."""
    pose = rig.pose.bones[bone]
    local = pose.bone.matrix_local.to_3x3().inverted() @ Vector(axis)
    more = Quaternion(local, np.radians(degrees))
    if pose.rotation_mode == "QUATERNION":
        pose.rotation_quaternion = pose.rotation_quaternion @ more
    elif pose.rotation_mode == "AXIS_ANGLE":
        pose.rotation_axis_angle = (more.angle, more.axis[0], more.axis[1], more.axis[2])
    else:
        pose.rotation_euler = more.to_euler(pose.rotation_mode)


def move(rig: Any, bone: str, way: Sequence[float]) -> None:
    """Move a bone of the pose by a way in armature space."""
    pose = rig.pose.bones[bone]
    pose.location = pose.location + pose.bone.matrix_local.to_3x3().inverted() @ Vector(way)


def crouch(rig: Any, legs: Sequence[tuple[str, str, str]] | None = None) -> None:
    """A biped's crouch: both legs bent, the pelvis lowered until the feet are flat on the ground again."""
    legs = legs or [(f"thigh.{s}", f"shin.{s}", f"foot.{s}") for s in "LR"]
    left = (1, 0, 0)
    bpy.context.view_layer.update()
    before = world_heads(rig, [foot for *_, foot in legs])
    for thigh, shin, foot in legs:
        turn(rig, thigh, left, -50)
        turn(rig, shin, left, 80)
        turn(rig, foot, left, -30)
    bpy.context.view_layer.update()
    after = world_heads(rig, [foot for *_, foot in legs])
    way = (before - after).mean(axis=0)
    inverse = np.linalg.inv(np.array(rig.matrix_world)[:3, :3])
    move(rig, amble.rig.roles(rig).pelvis or "pelvis", inverse @ way)
    bpy.context.view_layer.update()


def world_heads(rig: Any, bones: Sequence[str]) -> Any:
    """Heads (bones, 3) of the evaluated pose in the world."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([tuple(evaluated.matrix_world @ evaluated.pose.bones[bone].head) for bone in bones])


def tracks(rig: Any, result: Any, bones: Sequence[str], step: float = 0.25) -> Any:
    """World matrices (frames, bones, 4, 4) of the played idle, at frames and between."""
    first, last = result.frames
    return sample(rig, np.arange(first, last + 0.5 * step, step), bones)


def drift(matrices: Any) -> float:
    """The farthest that heads get from where they begin, metres."""
    places = matrices[..., :3, 3]
    return float(np.linalg.norm(places - places[:1], axis=-1).max())


def turned(matrices: Any) -> float:
    """The farthest that bones turn from how they begin, degrees."""
    axes = matrices[..., :3, :3] / np.linalg.norm(matrices[..., :3, :3], axis=-2, keepdims=True)
    relative = np.swapaxes(axes[:1], -1, -2) @ axes
    trace = np.trace(relative, axis1=-2, axis2=-1)
    skew = np.stack(
        [
            relative[..., 2, 1] - relative[..., 1, 2],
            relative[..., 0, 2] - relative[..., 2, 0],
            relative[..., 1, 0] - relative[..., 0, 1],
        ],
        axis=-1,
    )
    return float(np.degrees(np.arctan2(np.linalg.norm(skew, axis=-1), trace - 1.0)).max())


def curves_of(rig: Any) -> dict[tuple[str, int], Any]:
    """The curves of the action that is played, by path and index."""
    from amble.action import slots

    return {(curve.data_path, curve.array_index): curve for curve in slots.find_curves(rig) or ()}


def channels_shown(rig: Any) -> dict[str, tuple[float, ...]]:
    """Every channel of the pose as it is shown."""
    return {
        bone.name: (
            *bone.location,
            *bone.rotation_quaternion,
            *bone.rotation_euler,
            *bone.rotation_axis_angle,
            *bone.scale,
        )
        for bone in rig.pose.bones
    }


def crouched(size: float = 1.0) -> Any:
    """The plain biped in a crouch."""
    rig = rigs.biped(size)
    crouch(rig)
    return rig
