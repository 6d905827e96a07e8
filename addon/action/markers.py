"""Pose markers: names at frames that travel with the action (heel down, toe off ...)."""

import math
from collections.abc import Iterable

import bpy

from .names import cut


def add_markers(action: bpy.types.Action, markers: Iterable[tuple[str, float]]) -> int:
    """Add a pose marker for every (name, frame) and return how many are new.

    Blender's markers sit on whole frames: a frame between two goes to the nearer one, a half to the later
    one. A marker that is there already, same name and frame, is not added again.
    """
    there = {(marker.name, marker.frame) for marker in action.pose_markers}
    count = 0
    for name, frame in markers:
        key = (cut(name), math.floor(frame + 0.5))
        if key in there:
            continue
        marker = action.pose_markers.new(key[0])
        marker.frame = key[1]
        there.add(key)
        count += 1
    return count
