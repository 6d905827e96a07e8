"""Evaluating what is hidden: Blender leaves out what is switched off, excluded, or shown in rest position."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy


@contextmanager
def shown(armature_object: Any) -> Iterator[None]:
    """Let an armature object be evaluated, posed, in the current scene, wherever it is hidden.

    Where it is in no collection that is evaluated, the scene's own holds it meanwhile. Afterwards
    it is hidden as it was.
    """
    data = armature_object.data
    position, off = data.pose_position, armature_object.hide_viewport
    home: Any = None
    try:
        if position != "POSE":
            data.pose_position = "POSE"
        if off:
            armature_object.hide_viewport = False
        if not _is_evaluated(armature_object):
            scene: Any = bpy.context.scene
            if armature_object.name not in scene.collection.objects:
                scene.collection.objects.link(armature_object)
                home = scene.collection
                _is_evaluated(armature_object)
        yield
    finally:
        if home is not None:
            home.objects.unlink(armature_object)
        if armature_object.hide_viewport != off:
            armature_object.hide_viewport = off
        if data.pose_position != position:
            data.pose_position = position


def _is_evaluated(armature_object: Any) -> bool:
    return bool(armature_object.evaluated_get(bpy.context.evaluated_depsgraph_get()).is_evaluated)
