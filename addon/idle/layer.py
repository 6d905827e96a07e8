"""An idle as an additive layer: an NLA strip that is combined with what is played, and changes nothing else.

What the object plays goes into a track of its own below, as Blender's Push Down does; a pose that nothing
plays is kept there as an action of one key a channel. Without it the object
would be at rest below the layer.

Blender takes the angle of a combined quaternion from its w alone, in float32: angles under a degree are
rounded to steps of up to 0.04 degrees, so that held feet drift by up to 2 mm in a layer. In a whole action
they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import action as actions
from .. import core
from ..action import slots
from ..errors import AmbleError
from ..rig import Skeleton
from .held import Held
from .plan import Idle, Timing

Float32 = npt.NDArray[np.float32]


def relative(skeleton: Skeleton, held: Held, made: Idle) -> tuple[Float32, Float32]:
    """Motion and slopes (bones, 10, frames) of the moving bones as differences from the held pose: as NLA's
    Combine puts them together again, rotation = held * difference, location = held + difference."""
    native = core.load()
    motion, slopes = made.motion.copy(), made.slopes.copy()
    for row, bone in enumerate(made.bones):
        own = held.channels[skeleton.index(bone)]
        motion[row, :3] -= own[:3, None]
        back = np.repeat(
            (own[3:7] * np.array([1, -1, -1, -1], dtype=np.float32))[:, None], motion.shape[2], axis=1
        )
        back = native.quaternion_normalise(np.ascontiguousarray(back))
        motion[row, 3:7] = native.quaternion_multiply(back, np.ascontiguousarray(motion[row, 3:7]))
        slopes[row, 3:7] = native.quaternion_multiply(back, np.ascontiguousarray(slopes[row, 3:7]))
        motion[row, 7:], slopes[row, 7:] = 1.0, 0.0
    return motion, slopes


def check_modes(armature_object: Any, bones: Sequence[str]) -> None:
    """Raises AmbleError for bones whose rotations NLA cannot combine: it adds angles one by one."""
    odd = [bone for bone in bones if armature_object.pose.bones[bone].rotation_mode != "QUATERNION"]
    if odd:
        raise AmbleError(
            f'"{odd[0]}" does not turn by quaternions, whose differences alone a layer can hold: set its '
            "rotation mode, or let written be action."
        )


def lay(armature_object: Any, base: Any, action: Any, timing: Timing) -> Any:
    """Put strips of `base` and, combined with it, of `action` on tracks of their own; returns the latter,
    which may be there already."""
    data = armature_object.animation_data or armature_object.animation_data_create()
    below, slot = (base, slots.slot_for(base, armature_object)) if base is not None else slots.current(data)
    if below is not None:
        strip = _strip(data, below, slot, f"{below.name}", float(below.frame_range[0]))
        strip.extrapolation = "HOLD"
        strip.blend_type = data.action_blend_type if base is None else "REPLACE"
    slots.assign(data, None, None)
    slot = slots.slot_for(action, armature_object)
    there = (strip for track in data.nla_tracks for strip in track.strips if strip.action == action)
    strip = next(there, None)
    if strip is None:
        strip = _strip(data, action, slot, action.name, float(timing.first))
    else:  # a layer that is made again
        _place(strip, action, slot, float(timing.first))
    strip.blend_type = "COMBINE"
    strip.extrapolation = "NOTHING"
    return strip


def _strip(data: Any, action: Any, slot: Any, name: str, start: float) -> Any:
    track = data.nla_tracks.new()
    track.name = name
    strip = track.strips.new(name, round(start), action)
    _place(strip, action, slot, start)
    return strip


def _place(strip: Any, action: Any, slot: Any, start: float) -> None:
    if slots.HAS_SLOTS and slot is not None:
        strip.action_slot = slot
    strip.action_frame_start, strip.action_frame_end = action.frame_range
    strip.frame_start = start
    strip.frame_end = start + (strip.action_frame_end - strip.action_frame_start)


def base_action(armature_object: Any, name: str, skeleton: Skeleton, held: Held, frame: float) -> Any:
    """An action of one key for each channel of the held pose that is not at rest."""
    wanted = held.off_rest()
    rows = np.flatnonzero(wanted.any(axis=1))
    block = held.channels[rows][:, :, None]
    written = actions.write(
        armature_object,
        name,
        [skeleton.names[row] for row in rows],
        block,
        np.zeros_like(block),
        [frame],
        wanted[rows],
        assign=False,
    )
    return written.action
