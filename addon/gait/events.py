"""What a walk tells of itself beside its keys: markers, event curves, numbers on the action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..action.events import EventCurve
from ..action.memory import Number
from ..action.names import cut
from ..report.contacts import Contact
from ..rig import Roles
from ..rig.sides import leg_words
from .steps import Step
from .timing import Timing
from .walk import Walk

Floats = npt.NDArray[np.float64]

# Two frames this near are one.
SAME = 1e-6


def event_curves(walk: Walk, feet: Sequence[str]) -> list[EventCurve]:
    """Contact and plant of every leg, and the way gone. feet: each leg's foot bone."""
    timing = walk.timing
    found = []
    for leg, foot in enumerate(feet):
        steps = [step for step in walk.steps if step.leg == leg]
        found += [_contact(steps, foot, timing), _plant(steps, foot, timing)]
    ends = np.array([timing.start, timing.end])
    way = walk.speed * (ends - timing.start) / timing.fps
    if walk.gone is not None:
        ends, way = timing.frames, walk.gone
    text = "Way gone over the ground since the first frame, metres"
    return [*found, EventCurve("distance", text, ends, way[None], stepped=False)]


def _contact(steps: Sequence[Step], foot: str, timing: Timing) -> EventCurve:
    changes = [(step.on, 1.0) for step in steps] + [(step.off, 0.0) for step in steps]
    frames, values = _stepped(changes, 0.0, timing)
    text = f"1 while {foot} is on the ground, from the first touch to the last"
    return EventCurve(cut(f"contact_{foot}"), text, frames, values[None], stepped=True, low=0.0, high=1.0)


def _plant(steps: Sequence[Step], foot: str, timing: Timing) -> EventCurve:
    # From where a foot leaves the ground on, what counts is where it comes down next.
    changes = [(step.off, following) for step, following in zip(steps, range(1, len(steps)), strict=False)]
    frames, which = _stepped(changes, 0, timing)
    places = np.array([step.place for step in steps])[which.astype(np.intp)]
    text = (
        f"Where the heel of {foot} stands, or from its leaving the ground on where it will come down next; "
        "in the object's own space as that is at the first frame"
    )
    return EventCurve(cut(f"plant_{foot}"), text, frames, places.T, stepped=True)


def _stepped(changes: list[tuple[float, Any]], first: Any, timing: Timing) -> tuple[Floats, Floats]:
    """Keys of a value that changes at frames: at both ends of the motion and at each change between."""
    changes = sorted(changes)
    now, keys = first, []
    for frame, value in changes:
        if frame <= timing.start + SAME:
            now = value
        elif frame < timing.end - SAME:
            keys.append((frame, value))
    # The last key begins the next round of a loop, so that a change right there counts.
    last = [value for frame, value in changes if frame <= timing.end + SAME]
    keys = [(timing.start, now), *keys, (timing.end, last[-1] if last else first)]
    frames, values = zip(*keys, strict=True)
    return np.array(frames, dtype=np.float64), np.array(values, dtype=np.float64)


def numbers(walk: Walk) -> list[Number]:
    """What games set a walk's speed by."""
    cycle = walk.timing.cycle
    return [
        Number("speed", walk.speed, "Speed over the ground, metres a second"),
        Number("distance_per_cycle", walk.speed * cycle, "Way of one stride, both steps of it, metres"),
        Number("frames_per_cycle", walk.timing.cycle_frames, "Frames of one stride"),
    ]


def markers(
    roles: Roles, contacts: Sequence[Contact], timing: Timing, *, loop: bool
) -> list[tuple[str, float]]:
    """Foot down and foot up, by foot, within the motion. loop: what is in the round before or after it is in
    it as well."""
    length = timing.end - timing.start
    found = set()
    for contact in contacts:
        leg = roles.legs[contact.leg]
        name = leg_words(leg.side, leg.pair, len(roles.legs)) or "foot"
        for word, frame in (("down", contact.heel_on), ("up", contact.toe_off)):
            if loop and not timing.start - SAME <= frame <= timing.end + SAME:
                frame = timing.start + (frame - timing.start) % length
            if timing.start - SAME <= frame <= timing.end + SAME:
                found.add((f"{name} {word}", frame))
    return sorted(found, key=lambda marker: (marker[1], marker[0]))
