"""A gait along a way: from settings, a rig, a path and ground to the walk as arrays.

The counterpart of plan_straight.py for all that does not go straight on at one speed over level ground.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import AmbleError, BadSetting
from ..reading import METRES, Size
from ..rig import Limb, Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.parts import Part, body_parts, need_knees, two_legs
from ..scene import Ground
from .body import Body, body_of
from .journey import Journey, check_upright, resampled, stage_of
from .reduce import frames_of, reduction_for
from .settings import GAITS, USUAL_SPEED, GaitSettings, with_cycle
from .timing import Timing, check_keys, fit_frames, keys_a_frame
from .values import figures_of, in_words, place_of, usual_speed, values_of
from .walk import Walk, feet_of, keyed_rows, travels
from .way import (
    Path,
    Stage,
    Way,
    check_speed,
    check_speeds,
    from_line,
    from_path,
    from_speeds,
    shorter_on_slopes,
)

Floats = npt.NDArray[np.float64]

# Seconds between two of the speeds that are asked for, where frames are not.
INTERVAL = 2.0
# How long a way goes on before and after what is asked for, in sqrt(leg length / gravity): some strides.
LEAD = 30.0
# The dimensionless speed from which people run.
RUN_FROM = math.sqrt(0.5)
# Poses whose channels differ by no more than this (lengths of the leg) are the same.
CLOSED = 1e-4


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is asked of a gait that does not go straight on over level ground.

    name, world: of the armature object, its matrix (4, 4); path: a Path, or points (n, 2) of a line and
    whether it is closed.
    """

    name: str
    world: Floats
    path: Path | tuple[Floats, bool] | None
    ground: Ground | None


def plan_way(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    settings: GaitSettings,
    elsewhere: Elsewhere,
    *,
    fps: float,
    size: Size = METRES,
    controls: Controls | None = None,
) -> Walk:
    """A gait of this skeleton along a way; other arguments and errors as of plan_straight."""
    native = core.load()
    need_knees(roles, "A walk that turns, changes its speed or goes over ground")
    legs = two_legs(roles)
    parts = body_parts(skeleton, roles)
    body = body_of(skeleton, roles, soles, parts, controls)
    asked, settings = settings, with_cycle(settings)
    values = values_of(native, settings, size)
    usual = values.copy()
    usual[place_of(native, "speed")] = usual_speed(skeleton, roles, size) / size.forward
    usual[place_of(native, "cycle")], usual[place_of(native, "gait")] = 0.0, float(GAITS["walk"])
    try:
        found = native.gait(**body.arguments, root=-1, settings=usual, travel=False, time=np.zeros(0))[3]
        leg = figures_of(native, found)["leg_length"]
        stage = stage_of(body, elsewhere.world, leg, float(values[place_of(native, "gravity")]))
        rate = settings.fps or fps
        return _along(native, skeleton, roles, legs, parts, body, settings, values, stage, elsewhere, rate)
    except ValueError as reason:
        if isinstance(reason, AmbleError):
            raise
        raise BadSetting(in_words(str(reason), asked, legs)) from reason


def way_of(
    settings: GaitSettings, size: Size, stage: Stage, elsewhere: Elsewhere, rate: float, legs: int
) -> tuple[Way, float]:
    """The way that is asked for of so many legs, and its duration in seconds."""
    if not settings.speeds and not isinstance(elsewhere.path, Path):
        speed = settings.speed or USUAL_SPEED[settings.gait]
        check_speed(speed / size.forward, stage)
    way, duration = _asked_way(settings, size, stage, elsewhere, rate)
    check_speeds(way, stage, duration, legs)
    return way, duration


def _asked_way(
    settings: GaitSettings, size: Size, stage: Stage, elsewhere: Elsewhere, rate: float
) -> tuple[Way, float]:
    speed = (settings.speed or USUAL_SPEED[settings.gait]) / size.forward
    turn, direction = math.radians(settings.turn), math.radians(settings.direction)
    lead = LEAD * math.sqrt(stage.leg / stage.gravity)
    asked = None if settings.frames is None else (settings.frames[1] - settings.frames[0]) / rate
    if isinstance(elsewhere.path, tuple):
        line, closed = elsewhere.path
        way, duration = from_line(stage, line, speed, direction, lead, closed=closed)
        return way, duration if asked is None else asked
    if elsewhere.path is not None:
        duration = INTERVAL if asked is None else asked
        return from_path(stage, elsewhere.path, duration, direction, lead), duration
    speeds = tuple(value / size.forward for value in settings.speeds) or (speed,)
    duration = INTERVAL * max(len(speeds) - 1, 1) if asked is None else asked
    return from_speeds(stage, duration, speeds, turn, direction, lead), duration


def _along(
    native: Any,
    skeleton: Skeleton,
    roles: Roles,
    legs: Sequence[Limb],
    parts: Sequence[Part],
    body: Body,
    settings: GaitSettings,
    values: Floats,
    stage: Stage,
    elsewhere: Elsewhere,
    rate: float,
) -> Walk:
    """A gait along a way."""
    travel = travels(roles, settings.root_motion)
    if elsewhere.path is not None or elsewhere.ground is not None:
        check_upright(stage, elsewhere.name)
    size = Size(stage.unit, *(float(np.linalg.norm(stage.matrix[:3, axis])) for axis in (1, 2)))
    way, duration = way_of(settings, size, stage, elsewhere, rate, len(legs))
    if elsewhere.ground is not None:
        way = shorter_on_slopes(way, stage, elsewhere.ground)
    if travel and body.root >= 0 and float(np.abs(way.facing).max()) > 1e-9:
        turned = replace(body.keyed[body.root], rotation=True)
        body = replace(body, keyed={**body.keyed, body.root: turned})
    first = 0 if settings.first_foot == "left" else 1

    def journey(way: Way) -> Journey:
        made = Journey(native, body, values, way, stage, travel=travel, first=first)
        if elsewhere.ground is not None:
            made.stand_on(elsewhere.ground)
        return made

    made = journey(way)
    turns = float(np.ptp(way.facing)) > 0.0
    stands = way.steady and not turns and not way.fastest(0.0, duration) > 0.0
    cycle = duration if stands else made.cycle()
    loop = settings.loop and way.steady
    if loop and not stands:
        timing = fit_frames(settings, cycle, rate)
        way = resampled(way, cycle / timing.cycle)
        made = journey(way)
        loop = _closes(made, timing)
    else:
        timing = timing_along(settings, duration, cycle, rate)
    # A foot that steps back leaves the ground as abruptly as one that steps ahead comes down.
    plants = made.plants
    struck = timing.start + np.concatenate([plants["strike"], plants["off"]]) * rate
    struck = struck[(struck > timing.start) & (struck < timing.end)]
    gait = _gait_along(made, settings, duration)
    keys = keys_a_frame(skeleton, body, timing, gait)
    timing = replace(timing, keys=keys, struck=tuple(np.sort(struck).tolist()))
    frames = frames_of(settings, timing.frames)
    moved, motion, slopes, summary, _, _ = made.pose((frames - timing.start) / rate, travel=travel)
    bones, motion, slopes, channels = keyed_rows(body, moved, motion, slopes / np.float32(rate))
    figures = figures_of(native, summary)
    time = (timing.frames - timing.start) / rate
    gone = np.interp(time, way.times, way.gone) * stage.unit
    note = (
        ""
        if loop or not settings.loop or not way.steady
        else "The ground is not even: the motion is no loop."
    )
    contacts = made.contacts(legs, roles, timing)
    return Walk(
        bones=bones,
        motion=motion,
        slopes=slopes,
        channels=channels,
        timing=timing,
        contacts=contacts,
        figures=figures,
        carrier=body.carrier if travel else None,
        speed=float(gone[-1] - gone[0]) / float(time[-1]),
        feet=feet_of(parts, roles),
        steps=made.steps(legs, roles, timing),
        gait=gait,
        notes=(*made.notes(0.0, float(time[-1])), *([note] if note else [])),
        journey=made,
        loop=loop,
        gone=gone - gone[0],
        samples=frames,
        reduction=reduction_for(
            settings,
            skeleton,
            roles,
            body,
            moved,
            frames,
            contacts,
            cycle * rate,
            figures["leg_length"],
            loop,
        ),
    )


def timing_along(settings: GaitSettings, duration: float, cycle: float, rate: float) -> Timing:
    """Frames of a way that is gone once. duration, cycle: seconds; rate: frames a second."""
    start = 1 if settings.frames is None else settings.frames[0]
    end = start + max(round(duration * rate), 1)
    check_keys(float(end - start), cycle * rate)
    return Timing(float(start), float(end), (end - start) / (cycle * rate), rate, cycle)


def _gait_along(made: Journey, settings: GaitSettings, duration: float) -> str:
    """A run where the way has one."""
    if settings.gait != "auto":
        return settings.gait
    vn = made.way.fastest(0.0, duration) / math.sqrt(made.stage.leg * made.stage.gravity)
    return "run" if vn > RUN_FROM else "walk"


def _closes(made: Journey, timing: Timing) -> bool:
    """Whether the pose at the end is that at the start, seen from the body."""
    motion = made.pose(np.array([0.0, (timing.end - timing.start) / timing.fps]), travel=False)[1]
    first, last = motion[..., 0], motion[..., 1]
    scale = np.concatenate([np.full(3, 1.0 / made.stage.leg), np.ones(7)])
    return bool((np.abs(last - first) * scale).max(initial=0.0) < CLOSED)
