"""An idle as an additive layer: an NLA strip that is combined with what is played, and changes nothing else.

What the object plays goes into a track of its own below, as Blender's Push Down does; a pose that nothing
plays is kept there as an action of one key a channel. Without it the object
would be at rest below the layer.

Blender takes the angle of a combined quaternion from its w alone, in float32: angles under a degree are
rounded to steps of up to 0.04 degrees, and held feet would drift by up to 2 mm. So the action holds the
differences many times as large, up to wide angles whose w says them well, and the strip's influence takes
them back: its key of 1/32, say, is the idle as it was asked for, twice as much is twice the idle.
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

# Differences are made so large, radians, at most so many times: a quaternion's own angle is half of that, and
# its w tells it well up to there.
WIDEST, MOST_TIMES = 5.6, 64


def relative(skeleton: Skeleton, held: Held, made: Idle) -> tuple[Float32, Float32, float]:
    """Motion and slopes (bones, 10, frames) of the moving bones as differences from the held pose, and the
    influence that they are to be played at. At an influence of 1 NLA's Combine puts them together as rotation
    = held * difference, location = held + difference."""
    native = core.load()
    motion, slopes = made.motion.copy(), made.slopes.copy()
    own = held.channels[[skeleton.index(bone) for bone in made.bones]]
    turns = [np.ascontiguousarray(part) for part in (own[:, 3:7], motion[:, 3:7], slopes[:, 3:7])]
    largest = native.idle_layer(*turns, 1.0)[2]
    times = max(1, min(MOST_TIMES, int(WIDEST / max(largest, 1e-6))))
    motion[:, 3:7], slopes[:, 3:7], _ = native.idle_layer(*turns, float(times))
    motion[:, :3] = (motion[:, :3] - own[:, :3, None]) * np.float32(times)
    slopes[:, :3] *= np.float32(times)
    motion[:, 7:], slopes[:, 7:] = 1.0, 0.0
    return motion, slopes, 1.0 / times


def check_modes(armature_object: Any, bones: Sequence[str]) -> None:
    """Raises AmbleError for bones whose rotations NLA cannot combine: it adds angles one by one."""
    odd = [bone for bone in bones if armature_object.pose.bones[bone].rotation_mode != "QUATERNION"]
    if odd:
        raise AmbleError(
            f'"{odd[0]}" does not turn by quaternions, whose differences alone a layer can hold: set its '
            "rotation mode, or let written be action."
        )


def lay(armature_object: Any, base: Any, action: Any, timing: Timing, influence: float) -> Any:
    """Put strips of `base` and, combined with it at that influence, of `action` on tracks of their own;
    returns the latter, which may be there already."""
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
    # Blender heeds an influence of its own only where it is animated.
    strip.use_animated_influence = True
    strip.influence = influence
    curve = strip.fcurves.find("influence")
    for key in reversed(range(len(curve.keyframe_points))):
        curve.keyframe_points.remove(curve.keyframe_points[key])
    curve.keyframe_points.insert(strip.frame_start, influence)
    return strip


def unheard(armature_object: Any, strip: Any) -> list[str]:
    """Sentences on why a layer's strip is not played, where it is not."""
    data, name = armature_object.animation_data, armature_object.name
    notes = []
    if not data.use_nla:
        notes.append(
            f'The NLA of "{name}" is switched off, so that neither the layer nor what it lies on is played: '
            "switch it on in the NLA editor."
        )
    track = next(one for one in data.nla_tracks if any(own == strip for own in one.strips))
    solo = [one.name for one in data.nla_tracks if one.is_solo and one != track]
    if solo:
        notes.append(f'Only the NLA track "{solo[0]}" of "{name}" is played: switch its star off.')
    return notes


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
