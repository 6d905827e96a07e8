"""Settings of keys as the whole numbers that Blender stores, for setting them in bulk."""

from typing import Any

import bpy


def keyframe_setting(name: str, value: str) -> int:
    """The number that stands for a word: ("interpolation", "BEZIER")."""
    setting: Any = bpy.types.Keyframe.bl_rna.properties[name]
    return int(setting.enum_items[value].value)
