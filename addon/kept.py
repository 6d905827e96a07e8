"""What an object shows and plays, kept for when something goes wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from .action import slots
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


@contextmanager
def actions_kept_on_error(holder: Any) -> Iterator[None]:
    """Where the block raises, remove the actions of the file and the NLA tracks of a data-block that it made,
    and let the data-block play what it played."""
    actions: Any = bpy.data.actions
    # By name: an action that is overwritten and brought back is another data-block.
    before = {_key(action) for action in actions}
    data = holder.animation_data
    former, slot = slots.current(data)
    played = None if former is None else (_key(former), former.use_fake_user, getattr(slot, "handle", None))
    tracks = 0 if data is None else len(data.nla_tracks)
    created = data is None
    try:
        yield
    except BaseException:
        data = holder.animation_data
        if created:
            holder.animation_data_clear()
        elif data is not None:
            for track in list(data.nla_tracks)[tracks:]:
                data.nla_tracks.remove(track)
            former = None if played is None else actions.get(played[0])
            if slots.current(data)[0] != former:
                handle = None if played is None else played[2]
                own = [] if former is None or not slots.HAS_SLOTS else former.slots
                slots.assign(data, former, next((one for one in own if one.handle == handle), None))
            if former is not None and played is not None and former.use_fake_user != played[1]:
                former.use_fake_user = played[1]
        for action in list(actions):
            if _key(action) not in before:
                actions.remove(action)
        raise


def _key(action: Any) -> tuple[str, str | None]:
    return action.name, None if action.library is None else action.library.filepath
