"""Constant keys on properties that are no transforms: the switches of a rig."""

from collections.abc import Iterable

import bpy

from . import slots


def add_constants(
    target: bpy.types.Object, action: bpy.types.Action, values: Iterable[tuple[str, float, str]], frame: float
) -> None:
    """Give the object's curves in `action` one key, at `frame`, for each (data path, value, group); a curve
    that is there already is left alone.
    """
    home = slots.open_home(action, target)
    there = {(curve.data_path, curve.array_index) for curve in home.bag.fcurves}
    for path, value, group in values:
        if (path, 0) in there:
            continue
        curve = home.new_curve(path, 0, group)
        points = curve.keyframe_points
        points.add(1)
        points[0].co = (frame, value)
        points[0].interpolation = "CONSTANT"
        curve.update()
