"""Loops that go on: cyclic modifiers on the curves of an action."""

from __future__ import annotations

import bpy
import numpy as np

from . import slots

# A curve that ends farther than this from where it began (a share of all that it moves) goes on from there
# with every round; one that ends nearer is closed.
TRAVELS = 1e-3
# Numbers of a rotation that say nothing when added up.
_CLOSED = ("rotation_quaternion", "rotation_axis_angle")


def repeat(target: bpy.types.Object, action: bpy.types.Action) -> int:
    """Let every curve of the object in `action` play on before its first and after its last key, and return
    how many travel.

    What travels (a root's place, the way gone, an angle that winds) goes on from where it ended; everything
    else starts over. Within the keys nothing changes.
    """
    travelling = 0
    for curve in slots.open_home(action, target).bag.fcurves:
        count = len(curve.keyframe_points)
        if count < 2:
            continue
        keys = np.empty(2 * count, dtype=np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        values = keys[1::2]
        far = abs(float(values[-1]) - float(values[0])) > TRAVELS * float(np.ptp(values))
        travels = far and not curve.data_path.endswith(_CLOSED)
        modifier = curve.modifiers.new("CYCLES")
        modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET" if travels else "REPEAT"
        travelling += travels
    return travelling
