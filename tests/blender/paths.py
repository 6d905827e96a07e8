"""World paths of bones, and plants read off them, for tests that compare walks or look for planted feet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from amble.rig import foot_bones, read_skeleton

FEET = ("foot.L", "toe.L", "foot.R", "toe.R")


def show(frame: float) -> None:
    """Evaluate the scene at a frame, which may lie between two whole ones."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))


def path(armature: Any, frames: Sequence[float] | np.ndarray, bones: Sequence[str] = FEET) -> np.ndarray:
    """World heads and tails of evaluated bones, (frames, bones, 2, 3)."""
    found = []
    for frame in frames:
        show(float(frame))
        seen = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrix = seen.matrix_world
        shown = [seen.pose.bones[bone] for bone in bones]
        found.append([[matrix @ bone.head, matrix @ bone.tail] for bone in shown])
    return np.array(found)


def whole(result: Any) -> np.ndarray:
    """The whole frames of a result."""
    first, last = result.frames
    return np.arange(np.ceil(first), np.floor(last) + 1)


def feet_of(result: Any, armature: Any) -> tuple[str, ...]:
    """Foot and toe bones as they were recognised, left first."""
    skeleton = read_skeleton(armature)
    legs = sorted(result.roles.legs, key=lambda leg: leg.side)
    return tuple(bone for leg in legs for bone in foot_bones(skeleton, leg))


def plants(armature: Any, result: Any) -> list[tuple[str, float, np.ndarray]]:
    """Of every stance whose flat part lies within the motion: side, frame and world place of the foot's head
    in its middle, in the order of time.
    """
    found = []
    for contact in result.contacts:
        middle = 0.5 * (contact.flat + contact.heel_off)
        if not result.frames[0] <= middle <= result.frames[1]:
            continue
        leg = result.roles.legs[contact.leg]
        bone = foot_bones(read_skeleton(armature), leg)[0]
        found.append((leg.side, middle, path(armature, [middle], [bone])[0, 0, 0]))
    return sorted(found, key=lambda plant: plant[1])
