"""Copies of curves and of an object's share of an action, with everything that Blender keeps of them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from . import slots

# What a key has beside its place: name, numbers, kind of number as Blender stores it.
KEY_PROPERTIES = (
    ("co", 2, np.float32),
    ("handle_left", 2, np.float32),
    ("handle_right", 2, np.float32),
    ("interpolation", 1, np.uint8),
    ("easing", 1, np.uint8),
    ("handle_left_type", 1, np.uint8),
    ("handle_right_type", 1, np.uint8),
    ("type", 1, np.uint8),
    ("back", 1, np.float32),
    ("amplitude", 1, np.float32),
    ("period", 1, np.float32),
)
_CURVE_PROPERTIES = ("extrapolation", "auto_smoothing", "color_mode", "mute", "lock", "hide")


def copy_action(
    action: bpy.types.Action, target: bpy.types.Object, name: str
) -> tuple[bpy.types.Action, slots.CurveHome]:
    """A new action with what `action` holds for an object, and the home of its curves there.

    Keys, modifiers, groups and markers are as they were; where there are slots, the object's is the only one
    and bears its name. Raises nothing that Blender does not.
    """
    made: Any = action.copy()
    made.name = name
    made.use_fake_user = True
    if slots.HAS_SLOTS:
        own = slots.slot_to_play(action, target)
        for slot in list(made.slots):
            if own is None or slot.handle != own.handle:
                made.slots.remove(slot)
        if own is not None and made.slots[0].target_id_type == "OBJECT":
            made.slots[0].name_display = target.name
    return made, home_in(made, target)


def home_in(action: Any, target: bpy.types.Object) -> slots.CurveHome:
    """The home of the only object in an action; made where there is none."""
    if not slots.HAS_SLOTS:
        return slots.CurveHome(action, None, action)
    if not action.slots:
        return slots.open_home(action, target)
    slot = action.slots[0]
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip: Any = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return slots.CurveHome(action, slot, strip.channelbag(slot, ensure=True))


def copy_curve(home: slots.CurveHome, curve: Any, path: str, index: int, group: str) -> Any:
    """A copy of a curve, keys, settings and modifiers, for another channel of `home`."""
    made = home.new_curve(path, index, group)
    copy_keys(curve, made)
    for name in _CURVE_PROPERTIES:
        setattr(made, name, getattr(curve, name))
    if curve.color_mode == "CUSTOM":
        made.color = curve.color
    for modifier in curve.modifiers:
        _copy_modifier(modifier, made.modifiers.new(modifier.type))
    return made


def copy_keys(curve: Any, made: Any) -> None:
    """Give a curve without keys those of another."""
    count = len(curve.keyframe_points)
    made.keyframe_points.add(count)
    for name, width, kind in KEY_PROPERTIES:
        block = np.empty(count * width, kind)
        curve.keyframe_points.foreach_get(name, block)
        made.keyframe_points.foreach_set(name, block)


def _copy_modifier(modifier: Any, made: Any) -> None:
    for prop in modifier.bl_rna.properties:
        if not prop.is_readonly and prop.identifier != "name":
            value = getattr(modifier, prop.identifier)
            setattr(made, prop.identifier, tuple(value) if getattr(prop, "is_array", False) else value)
    if modifier.type == "ENVELOPE":
        for point in modifier.control_points:
            new = made.control_points.add(point.frame)
            new.min, new.max = point.min, point.max
