"""Play an action on an armature for a look at it, and leave everything as it was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..action import slots
from ..report.sampling import scene_kept


@contextmanager
def playing(
    armature_object: bpy.types.Object, action: bpy.types.Action | None
) -> Iterator[Callable[[float], bpy.types.Depsgraph]]:
    """Assign `action` for the length of the `with` block; None plays what is assigned, NLA and all.

    Yields `at(frame)`, which moves the scene to that frame (fractions allowed) and returns the evaluated
    dependency graph. At the end, also after an error, frame, action, slot, NLA use and poses are as before.
    """
    scene: Any = bpy.context.scene

    def at(time: float) -> bpy.types.Depsgraph:
        whole = math.floor(time)
        scene.frame_set(whole, subframe=time - whole)
        return bpy.context.evaluated_depsgraph_get()

    had_data = armature_object.animation_data is not None
    data: Any = armature_object.animation_data_create()
    former, use_nla = slots.current(data), data.use_nla
    with scene_kept(scene):
        try:
            if action is not None:
                data.use_nla = False
                slots.assign(data, action, slots.slot_to_play(action, armature_object))
            yield at
        finally:
            if action is not None:
                slots.assign(data, *former)
                data.use_nla = use_nla
    if not had_data:
        armature_object.animation_data_clear()
