"""Where an object stands before it sets off, whatever frame is shown."""

import bpy

from . import slots


def first_location(target: bpy.types.Object) -> tuple[float, float, float]:
    """The object's own location; on axes that its action moves, as that begins.

    A walk that begins where the object is shown would drift with every time that it is made anew.
    """
    place = target.location.x, target.location.y, target.location.z
    data = target.animation_data
    curves = [
        curve
        for curve in slots.find_curves(target) or ()
        if curve.data_path == "location" and not curve.mute and not curve.is_empty
    ]
    if data is None or data.action_blend_type != "REPLACE" or not curves:
        return place
    first = min(curve.range()[0] for curve in curves)
    moved = {curve.array_index: curve.evaluate(first) for curve in curves}
    return moved.get(0, place[0]), moved.get(1, place[1]), moved.get(2, place[2])
