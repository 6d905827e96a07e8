"""The name of a mirrored action, and letting the object play it."""

from __future__ import annotations

from typing import Any

import bpy

from ..action import slots
from ..action.channels import rotation_path
from ..action.names import NAME_BYTES, check_name, cut, next_free
from ..action.read import Clip, channel_of
from ..errors import ActionExists, AmbleError
from ..rig.flip import flip_side
from .sums import DEFAULTS

SUFFIX = "_mirrored"


def mirrored_name(name: str) -> str:
    """The name of an action's mirror image: that of the other side, else with a suffix."""
    flipped = flip_side(name)
    return flipped if flipped != name else cut(name, NAME_BYTES - len(SUFFIX)) + SUFFIX


def free_name(source: Any, name: str | None, overwrite: bool, target: Any) -> str:
    """The name of the new action: the one asked for, else the other side's, with a number where it is taken.
    Raises BadSetting, and ActionExists where what is to be replaced cannot be."""
    if name is not None:
        check_name(name)
    actions: Any = bpy.data.actions
    taken = {one.name for one in actions if one.library is None}
    if overwrite and name is not None:
        existing = _existing(name)
        if existing is not None:
            _check_replaceable(existing, source, target)
    return next_free(name if name is not None else mirrored_name(source.name), taken)


def _check_replaceable(existing: Any, source: Any, target: Any) -> None:
    if existing == source:
        raise ActionExists(
            f'"{source.name}" is what is mirrored and cannot be replaced by it; choose another name.'
        )
    others = slots.used_by_others(existing, target)
    if others:
        raise ActionExists(f'The action "{existing.name}" also moves "{others[0]}"; choose another name.')
    if slots.HAS_SLOTS and len(existing.slots) > 1:
        raise ActionExists(f'The action "{existing.name}" also moves other things; choose another name.')


def _existing(name: str) -> Any:
    """The action of this file that a new one of that name would replace, None where there is none."""
    actions: Any = bpy.data.actions
    return actions.get((cut(name), None))


def replace(name: str, made: Any, target: Any) -> None:
    """Put the new action in the place of the one of that name, wherever the object plays that."""
    existing = _existing(name)
    if existing in (None, made):
        return
    data = target.animation_data
    users: list[Any] = []
    if slots.HAS_SLOTS and data is not None:  # they play the slot, not only the action
        users = [data, *(strip for track in data.nla_tracks for strip in track.strips)]
        users = [user for user in users if user.action == existing]
    existing.user_remap(made)
    bpy.data.actions.remove(existing)
    made.name = cut(name)
    for user in users:
        if user.action_slot is None:
            user.action_slot = made.slots[0]


def bare_channels(source: Clip, made: Any, target: Any) -> list[tuple[str, str]]:
    """Bones and properties that the source moves and its mirror image does not."""
    before = {(c.bone, c.path) for c in source.channels_of if c.bone and c.path in DEFAULTS}
    paths = {curve.data_path for curve in slots.curves_for(made, target) or () if not curve.mute}
    after = {(channel.bone, channel.path) for channel in (channel_of(path, 0) for path in paths)}
    return sorted(before - after)


def play(target: Any, made: Any, bare: list[tuple[str, str]]) -> None:
    """Let the object play an action; what that does not move (`bare_channels`) goes to rest."""
    data = target.animation_data
    former, _ = slots.current(data)
    data = target.animation_data_create() if data is None else data
    slots.assign(data, made, slots.slot_to_play(made, target))
    if data.action != made:
        raise AmbleError(f'Blender does not let "{target.name}" change its action; look at its NLA tracks.')
    slots.keep(former)
    # What only the former action moved would stay where that left it.
    for name, path in bare:
        bone = target.pose.bones.get(name)
        if bone is not None and path in ("location", "scale", rotation_path(bone.rotation_mode)):
            setattr(bone, path, DEFAULTS[path])
