"""What an object shows, kept for when something goes wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from .report.sampling import BONE_CHANNELS, OBJECT_CHANNELS
from .rig.switches import get_value, set_value


@contextmanager
def pose_kept_on_error(armature_object: Any, paths: Iterable[str] = ()) -> Iterator[None]:
    """Where the block raises, put back the object's pose, transforms and properties at these data paths."""
    places = {name: tuple(getattr(armature_object, name)) for name in OBJECT_CHANNELS}
    bones = armature_object.pose.bones
    poses = {name: np.empty(len(bones) * size, dtype=np.float32) for name, size in BONE_CHANNELS.items()}
    for name, values in poses.items():
        bones.foreach_get(name, values)
    switches = {path: get_value(armature_object, path) for path in paths}
    try:
        yield
    except BaseException:
        if bpy.context.view_layer is not None:
            bpy.context.view_layer.update()  # else the action that is back would overwrite it later
        for name, place in places.items():
            # Only where it differs: of an override that would be a change.
            if tuple(getattr(armature_object, name)) != place:
                setattr(armature_object, name, place)
        for name, values in poses.items():
            now = np.empty_like(values)
            bones.foreach_get(name, now)
            if not np.array_equal(now, values):
                bones.foreach_set(name, values)
        for path, value in switches.items():
            if get_value(armature_object, path) != value:
                set_value(armature_object, path, value)
        armature_object.update_tag(refresh={"OBJECT", "DATA"})
        raise
