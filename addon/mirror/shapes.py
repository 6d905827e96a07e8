"""Shape keys with side names on the character's meshes: their actions, mirrored."""

from __future__ import annotations

import re
from typing import Any

import bpy

from ..action import slots
from ..rig.flip import flip_side
from ..scene.read import belongs_to

_SHAPE = re.compile(r'^key_blocks\["((?:[^"\\]|\\.)*)"\](.*)$', re.DOTALL)


def mirror_shapes(target: Any, suffix: str, *, assign: bool) -> tuple[Any, ...]:
    """A mirrored copy of the action of each mesh's shape keys, played by them if assigned.

    Values of keys named for a side go to the other side's; of those that are not there, they stay. Meshes
    whose keys have no action of their own, or none named for a side, are left alone.
    """
    made = []
    for mesh in [o for o in bpy.data.objects if o.type == "MESH" and belongs_to(o, target)]:
        data_block: Any = mesh.data
        keys = data_block.shape_keys
        data = keys.animation_data if keys is not None else None
        if data is None or data.action is None or keys.library is not None:
            continue
        if not any(
            flip_side(key.name) in keys.key_blocks and flip_side(key.name) != key.name
            for key in keys.key_blocks
        ):
            continue
        action: Any = data.action.copy()
        action.name = (
            flip_side(data.action.name)
            if flip_side(data.action.name) != data.action.name
            else data.action.name + suffix
        )
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
        made.append(action)
    return tuple(made)


def _flipped(path: str, keys: Any) -> str:
    match = _SHAPE.match(path)
    if match is None:
        return path
    other = flip_side(bpy.utils.unescape_identifier(match[1]))
    if other not in keys.key_blocks:
        return path
    return f'key_blocks["{bpy.utils.escape_identifier(other)}"]{match[2]}'
