"""Shape keys with side names on the character's meshes: their actions, mirrored."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import Any

import bpy

from ..action import slots
from ..kept import actions_kept_on_error
from ..rig.flip import flip_side
from ..scene.read import belongs_to

_SHAPE = re.compile(r'^key_blocks\["((?:[^"\\]|\\.)*)"\](.*)$', re.DOTALL)


def mirror_shapes(target: Any, suffix: str, *, assign: bool) -> tuple[Any, ...]:
    """A mirrored copy of the action of each mesh's shape keys, played by them if assigned.

    Values of keys named for a side go to the other side's; of those that are not there, they stay. Meshes
    whose keys have no action of their own, or none named for a side, are left alone.
    """
    bodies: list[Any] = [o for o in bpy.data.objects if o.type == "MESH" and belongs_to(o, target)]
    every = dict.fromkeys(mesh.data.shape_keys for mesh in bodies)  # once where objects share a mesh
    with ExitStack() as undo:
        made = []
        for keys in filter(_has_sides, every):
            undo.enter_context(actions_kept_on_error(keys))
            made.append(_mirrored(keys, suffix, assign))
        return tuple(made)


def _has_sides(keys: Any) -> bool:
    """Whether these shape keys play an action, and some of them are named for a side."""
    data = keys.animation_data if keys is not None else None
    if data is None or data.action is None or keys.library is not None:
        return False
    flipped = ((key.name, flip_side(key.name)) for key in keys.key_blocks)
    return any(other != name and other in keys.key_blocks for name, other in flipped)


def _mirrored(keys: Any, suffix: str, assign: bool) -> Any:
    data = keys.animation_data
    former = data.action
    action: Any = former.copy()
    other = flip_side(former.name)
    action.name = other if other != former.name else former.name + suffix
    slot = None
    if slots.HAS_SLOTS:
        own = data.action_slot.handle if data.action_slot is not None else None
        for one in list(action.slots):
            if one.handle != own:
                action.slots.remove(one)
        slot = action.slots[0] if action.slots else None
    for curve in slots.curves_in(action, slot) or ():
        curve.data_path = _flipped(curve.data_path, keys)
    action.use_fake_user = True
    if assign:
        slots.assign(data, action, slot)
        slots.keep(former)
    return action


def _flipped(path: str, keys: Any) -> str:
    match = _SHAPE.match(path)
    if match is None:
        return path
    other = flip_side(bpy.utils.unescape_identifier(match[1]))
    if other not in keys.key_blocks:
        return path
    return f'key_blocks["{bpy.utils.escape_identifier(other)}"]{match[2]}'
