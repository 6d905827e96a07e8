"""A transition before it is written: where to cut, where to set B down, how long to take."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import options
from ..errors import BadSetting
from .body import Body
from .distance import AS_ASKED, CLOSING, Bounds, Need, Peaks, bounds_of, joints, need, own_peaks, peaks
from .feet import STEP, Held, footings, groups_of
from .ground import Move, find_carrier, find_move
from .join import Cut, Pair, Stance, edges, join, lead_of, seams, shares_of
from .legs import legs_of, with_hinges
from .search import find_meeting
from .settings import AUTO, CURVES, BlendSettings
from .source import ClipSource, Joined, Source

# Where the frames that are needed by themselves do not do, these multiples of them are tried, fewer last: a B
# that moves more than A's pose goes well with, or begins with a jolt, is worse the longer the offset lasts.
TRIED = (1.0, 1.2, 1.5, 2.0, 3.0, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2)
LEAST = 2
# Frames that a transition may have from A's first to B's last: each takes some 30 kB of memory on the way.
MOST_FRAMES = 100_000
# Share of the bounds that is used where constraints move bones in ways that their own numbers do not show.
UNSEEN = 0.9


def settings_of(settings: BlendSettings | None, changes: dict[str, Any]) -> BlendSettings:
    """Settings with changes by keyword, checked. frames="auto" is None."""
    if changes.get("frames") == AUTO:
        changes = {**changes, "frames": None}
    found = options.changed(BlendSettings, settings, changes)
    if found.frames is not None and found.seconds is not None:
        raise BadSetting("frames and seconds are set, and each of them sets how long it takes: set one.")
    return found


@dataclass(frozen=True, slots=True)
class Planned:
    """A transition before it is written. distance: of the joint that decides its frames, units, and why."""

    joined: Joined
    cut: Cut
    move: Move
    distance: float
    why: str
    own: Peaks
    pair: Pair
    held: Held | None
    notes: tuple[str, ...]


def plan(body: Body, a: Source, b: Source, settings: BlendSettings, name: str) -> Planned:
    """Decide where to cut, where to set B down and how long to take, and blend."""
    frame, roles = body.frame, body.rig.roles
    notes: list[str] = []
    a, b = _with_object(a, b, settings)
    at = a.last if settings.at is None else float(settings.at)
    if at < a.first:
        raise BadSetting(
            f'at is {at:g}, before "{a.name}" begins at {a.first:g}: choose a frame from there on.'
        )
    entry = b.first if settings.entry is None else float(settings.entry)
    if not b.first <= entry <= b.last:
        raise BadSetting(f'entry is {entry:g}, but "{b.name}" goes from {b.first:g} to {b.last:g}.')
    given = settings.frames
    if settings.seconds is not None:
        given = math.floor(settings.seconds * body.fps + 0.5)
    _check_length(a, b, at, entry, given or 0)
    lead = 1.0 if given == 0 else lead_of(settings.curve)
    if settings.find:
        at, entry = _searched(body, a, b, at, entry, settings)
        notes.append(f"A is left at frame {at:g} and B entered at {entry:g}, where the two are nearest.")
    if isinstance(a, ClipSource):
        a = a.on_frames_of(at)
    if isinstance(b, ClipSource):
        b = b.on_frames_of(entry)
    own_a, own_b = own_peaks(frame, a, at), own_peaks(frame, b, entry)
    own = Peaks(max(own_a.speed, own_b.speed), max(own_a.jump, own_b.jump), max(own_a.jerk, own_b.jerk))

    def moved(length: float) -> Move:
        return find_move(
            frame,
            roles,
            body.reach,
            a,
            b,
            (at, entry),
            align=settings.align,
            up=body.up,
            fps=body.fps,
            length=length,
            drifts=CURVES[settings.curve].moving,
        )

    move = moved(float(given or 1))
    start = edges(a, at)
    onto = move.moved(frame, edges(b, entry - lead), np.array([-1.0, 0.0, 1.0]))
    bounds = _bounds(body, own, settings)
    wanted = need(frame, start, onto, bounds=bounds, fps=body.fps)
    why = _why(body, wanted, bounds) if given is None else "as asked"
    legs = [name for leg in roles.legs for name in (*leg.girdle, *leg.bones)]
    arms = [name for arm in roles.arms for name in (*arm.girdle, *arm.bones)]
    stance = _stance(body, a, b, at, entry - lead, settings)
    pair = Pair(frame, a, b, settings, shares_of(frame, settings, legs, arms), stance)
    cut = Cut(at, entry, lead, wanted.frames if given is None else given)
    if given is None:
        groups = _groups(pair, move, entry)
        if groups and cut.frames < groups * STEP * body.fps:
            cut = dataclasses.replace(cut, frames=math.ceil(groups * STEP * body.fps))
            why += "; feet take steps"
        move = moved(float(cut.frames))
        if lead == 0.0:
            cut, move = _long_enough(pair, cut, moved, bounds, UNSEEN if body.rig.skeleton.links else 1.0)
    joined, held = join(pair, cut, move, name)
    if stance is None and roles.legs and (settings.feet or (settings.feet is None and lead == 0.0)):
        notes.append("The feet are not held: the rig moves its legs by other means than controls at them.")
    if joined.extra_steps.any():
        stepped = [c.path for c, s in zip(joined.extras, joined.extra_steps, strict=True) if s]
        notes.append(f"{stepped[0]} and whatever else has steps changes over at frame {cut.switch:g}.")
    return Planned(joined, cut, move, wanted.distance, why, own, pair, held, tuple(notes))


def _check_length(a: Source, b: Source, at: float, entry: float, frames: int) -> None:
    """Refuse what would take no end of memory."""
    count = at - a.first + max(b.last - entry, float(frames))
    if count > MOST_FRAMES:
        raise BadSetting(
            f'"{a.name}" until frame {at:g} and then "{b.name}" would take {count:.0f} frames, over '
            f"{MOST_FRAMES}: leave A earlier (at) or blend shorter actions."
        )


def _bounds(body: Body, own: Peaks, settings: BlendSettings) -> Bounds:
    """What the frames are chosen by: what the clips do themselves, or what is asked for."""
    bounds = bounds_of(own, body.reach, body.fps)
    if settings.acceleration is not None or settings.joint_speed is not None:
        bounds = dataclasses.replace(bounds, most=AS_ASKED * body.fps)
    if settings.acceleration is not None:
        bounds = dataclasses.replace(bounds, jump=settings.acceleration / body.metres / body.fps**2)
    if settings.joint_speed is not None:
        bounds = dataclasses.replace(bounds, closing=settings.joint_speed / body.metres / body.fps)
    return bounds


def _why(body: Body, found: Need, bounds: Bounds) -> str:
    """The joint and the bound that decide, in words."""
    if found.by == "time":
        return "as few as a body needs for any change"
    limit = f"{bounds.jump * body.metres * body.fps**2:.0f} m/s²"
    if found.by == "speed":
        limit = f"{bounds.closing * body.metres * body.fps:.1f} m/s"
    return f'"{found.joint}" is {found.distance * body.metres:.3f} m away; within {limit}'


def _searched(
    body: Body, a: Source, b: Source, at: float, entry: float, settings: BlendSettings
) -> tuple[float, float]:
    """Last frame of A and first of B, within the window, where the two are nearest."""
    frame, roles = body.frame, body.rig.roles
    carrier, _ = find_carrier(frame, roles, body.reach, ((a, at), (b, entry)), body.up)
    stand = carrier if carrier is not None else 0
    found = find_meeting(
        frame,
        roles,
        legs_of(body.target, body.rig, frame, body.kept),
        (a, max(at - settings.find, a.first), at),
        (b, entry, min(entry + settings.find, b.last)),
        (stand, stand),
        body.reach,
        body.up,
        body.fps,
    )
    return found.at, found.entry


def _stance(
    body: Body, a: Source, b: Source, at: float, entry: float, settings: BlendSettings
) -> Stance | None:
    """The feet to hold, where they are asked for and the rig has such as can be held."""
    asked = CURVES[settings.curve].moving if settings.feet is None else settings.feet
    if not asked:
        return None
    legs = legs_of(body.target, body.rig, body.frame, body.kept)
    if not legs.feet:
        return None
    feet = with_hinges(body.frame, legs.feet, (a, b), np.array(body.rig.roles.facing))
    legs = dataclasses.replace(legs, feet=feet)
    both = footings(legs, ((a, at), (b, entry)), body.reach, body.up, body.fps)
    closing = CLOSING * body.reach / body.fps
    return Stance(legs, both[0], both[1], body.reach, body.up, closing)


def _groups(pair: Pair, move: Move, entry: float) -> int:
    """How many groups of feet must step."""
    stance = pair.stance
    if stance is None:
        return 0
    return groups_of(stance.legs, stance.a, stance.b, move, pair.b, entry, stance.reach)


def _long_enough(
    pair: Pair, cut: Cut, moved: Callable[[float], Move], bounds: Bounds, share: float
) -> tuple[Cut, Move]:
    """The cut with the fewest frames from those needed on with which no joint exceeds the bounds where B's
    motion and the offset's add up. share: of the bounds that is used.

    Where none will do, the number that exceeds them least, fewer among them: a B that begins with a jolt is
    the worse the longer the offset lasts.
    """
    best: tuple[float, Cut, Move] | None = None
    for factor in TRIED:
        frames = max(math.ceil(cut.frames * factor), LEAST)
        if frames > bounds.most and factor > 1.0:
            continue
        tried = dataclasses.replace(cut, frames=frames)
        move = moved(float(tried.frames))
        found = peaks(joints(pair.frame, seams(pair, tried, move)))
        over = max(found.jump / bounds.jump, found.jerk / bounds.jerk)
        if best is None or over < best[0]:
            best = over, tried, move
        if over <= share:
            break
    assert best is not None
    return best[1], best[2]


def _with_object(a: Source, b: Source, settings: BlendSettings) -> tuple[Source, Source]:
    """Where only one of the two moves the object, the other one holds it where they meet."""
    at = a.last if settings.at is None else settings.at
    entry = b.first if settings.entry is None else settings.entry
    if a.keyed[0].any() and isinstance(b, ClipSource):
        b = dataclasses.replace(b, hold=a.numbers([at])[0, :, 0])
    elif b.keyed[0].any() and isinstance(a, ClipSource):
        a = dataclasses.replace(a, hold=b.numbers([entry])[0, :, 0])
    return a, b
