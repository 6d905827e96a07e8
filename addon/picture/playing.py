"""Play an action on an armature for a look at it, and leave everything as it was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

# What an action may change on a pose bone and on the object; kept and put back.
BONE_CHANNELS = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4, "scale": 3}
OBJECT_CHANNELS = (*BONE_CHANNELS, "delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale")


@contextmanager
def playing(
    armature_object: bpy.types.Object, action: bpy.types.Action | None
) -> Iterator[Callable[[float], bpy.types.Depsgraph]]:
    """Assign `action` for the length of the `with` block; None plays what is assigned.

    Yields `at(frame)`, which moves the scene to that frame (fractions allowed) and returns the evaluated
    dependency graph. At the end, also after an error, frame, action, slot, NLA use and pose are as before.
    """
    scene = bpy.context.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    pose = _pose(armature_object)
    place = {name: tuple(getattr(armature_object, name)) for name in OBJECT_CHANNELS}
    had_data = armature_object.animation_data is not None
    data = armature_object.animation_data_create()
    before: dict[str, Any] = {"action": data.action, "use_nla": data.use_nla}
    slot = getattr(data, "action_slot", None)

    def at(time: float) -> bpy.types.Depsgraph:
        whole = math.floor(time)
        scene.frame_set(whole, subframe=time - whole)
        return bpy.context.evaluated_depsgraph_get()

    try:
        if action is not None:
            data.use_nla = False
            if data.action is not action:
                data.action = action
            if hasattr(data, "action_slot") and data.action_slot is None and action.slots:
                data.action_slot = action.slots[0]
        yield at
    finally:
        if action is not None:
            if data.action is not before["action"]:
                data.action = before["action"]
            data.use_nla = before["use_nla"]
            if slot is not None and data.action_slot is not slot:
                data.action_slot = slot
        if not had_data:
            armature_object.animation_data_clear()
        scene.frame_set(frame, subframe=subframe)
        # Channels that the former action does not drive would keep the values just played.
        for name, value in place.items():
            setattr(armature_object, name, value)
        for name, values in pose.items():
            armature_object.pose.bones.foreach_set(name, values)
        armature_object.update_tag()
        bpy.context.view_layer.update()


def _pose(armature_object: bpy.types.Object) -> dict[str, np.ndarray]:
    """Every pose bone's own channels, flat float32 (bones * size,) by name."""
    bones = armature_object.pose.bones
    pose = {}
    for name, size in BONE_CHANNELS.items():
        pose[name] = np.empty(len(bones) * size, dtype=np.float32)
        bones.foreach_get(name, pose[name])
    return pose
