"""A gait on any number of legs: from settings, a rig, a way and ground to the walk as arrays.

The counterpart of plan_straight.py and plan_way.py for animals. Which gait, how long a stride and how long a
stance come from data/gaits.toml by Froude number, moment by moment, so that a body that grows faster goes
from one gait over into the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import AmbleError, BadSetting
from ..options import LAST_FRAME
from ..reading import METRES, Size
from ..rig import Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.stance import on_stance
from .journey import check_upright
from .legged_body import Leg, legged_body, legged_parts, legs_of, seed_turns, space_of
from .plan_way import Elsewhere, timing_along, way_of
from .presets import Preset, aligned, chosen
from .settings import GaitSettings, with_cycle
from .timing import STRIKE_KEY, fit_frames, keys_a_frame
from .trail import MISSED, Manner, Trail
from .values import GRAVITY
from .walk import Walk, keyed_rows, travels
from .way import Stage, Way, check_speed, check_speeds, from_speeds

Floats = npt.NDArray[np.float64]

# Of the hip's height: as low as a trunk may be for legs to reach as far as a stride asks.
LOWEST = 0.92
# Of a leg: as far as it is drawn out.
REACH = 0.985
# As the core draws feet in that stand out from the body (legged_leg.c).
DRAWN_IN = 0.12
# Of a leg: a gait over level ground that leaves more of it lacking is none that such legs can make.
MOST_LACK = 0.25
# A body that goes no further (hip heights) and turns no further (radians) than this in all takes no step.
ON_THE_SPOT = 0.1
# What animals' gaits take no account of.
PEOPLES = ("step_width", "first_foot", "lean", "arm_swing")
# Strides over which one gait goes over into the next; strides of the way before and after what is asked for.
CHANGE, LEAD = 1.6, 4.0


def plan_legged(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    settings: GaitSettings,
    elsewhere: Elsewhere | None,
    *,
    fps: float,
    size: Size = METRES,
    name: str = "",
    controls: Controls | None = None,
) -> Walk:
    """A gait of a rig on paws (paws.on_paws). elsewhere: what is asked for beyond a straight way over level
    ground; size: of an armature unit; name: of the object. Raises NoLegsFound, MissingRole,
    BadSetting."""
    try:
        return _planned(skeleton, roles, soles, settings, elsewhere, fps, size, name, controls)
    except ValueError as reason:
        if isinstance(reason, AmbleError):
            raise
        raise BadSetting(f"{str(reason)[:1].upper()}{str(reason)[1:]}.") from reason


def _planned(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    settings: GaitSettings,
    elsewhere: Elsewhere | None,
    fps: float,
    size: Size,
    name: str,
    controls: Controls | None,
) -> Walk:
    native = core.load()
    legs = legs_of(roles)
    parts = legged_parts(skeleton, roles, legs)
    body = legged_body(skeleton, roles, soles, legs, parts, controls)
    aside_too = bool(settings.direction or settings.turn) or (
        elsewhere is not None and elsewhere.path is not None
    )
    hip, reaches = _measures(skeleton, roles, legs, aside_too=aside_too)
    rows = chosen(settings.gait, len(legs), roles.leg_length * size.up)
    gravity = GRAVITY * size.up / size.forward**2
    if settings.speed is None:
        usual = rows[0].usual if settings.gait != "auto" else _at_ease(rows).usual
        settings = replace(settings, speed=size.forward * math.sqrt(usual * gravity * hip))
    speed, settings = settings.speed, with_cycle(settings)
    assert speed is not None
    rate = settings.fps or fps
    travel = travels(roles, settings.root_motion)
    stage = Stage(np.asarray(skeleton.world @ space_of(body, legs)), hip, gravity)
    way, duration = _way(settings, size, stage, elsewhere, rate, rows, name)

    stays = _stays(way, duration, hip)

    def manner(factor: float = 1.0) -> Manner:
        found = _manner(way, rows, settings, stage, hip, reaches, factor)
        return replace(found, rate=np.zeros_like(found.rate)) if stays else found

    made = manner()
    zero = int(np.argmin(np.abs(way.times)))
    inside = made.rate[(way.times >= 0.0) & (way.times <= duration) & (made.rate > 0.0)]
    stands = not len(inside)
    cycle = duration if stands else 1.0 / float(made.rate[zero] if way.steady else np.median(inside))
    flat = elsewhere is None
    loop = settings.loop and way.steady
    if loop and not stands:
        timing = fit_frames(settings, cycle, rate)
        made = manner(cycle / timing.cycle)
    else:
        timing = timing_along(settings, duration, cycle, rate)
    if timing.end > LAST_FRAME:
        raise BadSetting(f"The walk would end at frame {timing.end:.0f}: frames end at {LAST_FRAME}.")
    if travel and body.root >= 0 and float(np.abs(way.facing).max()) > 1e-9:
        turned = replace(body.keyed[body.root], rotation=True)
        body = replace(body, keyed={**body.keyed, body.root: turned})
    trail = Trail(
        native, body, legs, values_of(native, settings, rows, made, zero, gravity), way, made, stage
    )
    if elsewhere is not None and elsewhere.ground is not None:
        trail.stand_on(elsewhere.ground)
    falls = trail.falls
    marks = np.concatenate([falls["strike"], falls["off"]]) * rate + timing.start
    marks = _apart(marks[(marks > timing.start) & (marks < timing.end)])
    preset = rows[int(made.row[zero])]
    timing = replace(timing, keys=keys_a_frame(skeleton, body, timing, "run"), struck=tuple(marks.tolist()))
    frames = timing.frames
    moved, motion, slopes, _track, lack = trail.pose((frames - timing.start) / rate, travel=travel)
    bones, motion, slopes, channels = keyed_rows(body, moved, motion, slopes / np.float32(rate))
    if controls is not None:
        turns = seed_turns(skeleton, controls)
        motion, slopes = on_stance(skeleton, turns, bones, [motion, slopes])
    time = (frames - timing.start) / rate
    gone = np.interp(time, way.times, way.gone) * stage.unit
    contacts = trail.contacts(roles, timing, loop=loop and flat)
    notes = []
    plain = GaitSettings()
    unused = [name for name in PEOPLES if getattr(settings, name) != getattr(plain, name)]
    if unused:
        notes.append(f"Without effect on animals: {', '.join(unused)}.")
    if stays and float(np.ptp(way.place)) > 0.0:
        notes.append("The way is too short for a step of legs this long: the feet stay where they are.")
    notes += trail.notes(0.0, (timing.end - timing.start) / rate)
    if settings.keys == "reduced":
        notes.append("Keys of animals are not reduced: every frame has one.")
    short = float(
        made.stride[zero] / rows[int(made.row[zero])].stride_at(np.array([_froude(way, stage, hip)[zero]]))[0]
    )
    if short < 0.9 and settings.cycle is None:
        notes.append(
            f"The legs are too straight for the usual stride: it is {100 * (1 - short):.0f} % shorter."
        )
    if flat and float(lack.max()) > MOST_LACK:
        asked = "this cycle" if settings.cycle is not None else f"speed {speed:g} m/s"
        raise BadSetting(
            f"Legs this long come to no gait at {asked}: a foot would be {100 * float(lack.max()):.0f} % of "
            "its leg's length out of reach. Ask for less speed, or for a shorter cycle."
        )
    if float(lack.max()) > MISSED:
        notes.append(f"A leg misses its foot by up to {100 * float(lack.max()):.0f} % of its length.")
    figures = {
        "cycle": timing.cycle,
        "stride": float(made.stride[zero]) * hip,
        "duty": float(made.duty[:, zero].mean()),
        "leg_length": roles.leg_length,
        "froude": float(_froude(way, stage, hip)[zero]),
        "lack": float(lack.max()),
        **{f"phase_{leg.name}": float(made.offset[k, zero]) for k, leg in enumerate(legs)},
        **{f"duty_{leg.name}": float(made.duty[k, zero]) for k, leg in enumerate(legs)},
    }
    return Walk(
        bones=bones,
        motion=motion,
        slopes=slopes,
        channels=channels,
        timing=timing,
        contacts=contacts,
        figures=figures,
        carrier=body.carrier if travel else None,
        speed=speed if flat else float(gone[-1] - gone[0]) / float(time[-1]),
        feet=tuple(leg.contact for leg in roles.legs),
        steps=trail.steps(roles, timing, travel=travel),
        gait=preset.name,
        notes=tuple(notes),
        journey=None if flat else trail,
        loop=loop,
        gone=None if flat else gone - gone[0],
    )


def _stays(way: Way, duration: float, hip: float) -> bool:
    """Whether a body that does not go on for ever is on the spot from the first frame to the last."""
    inside = (way.times >= 0.0) & (way.times <= duration)
    if way.steady or not inside.any():
        return False
    far = float(np.ptp(way.gone[inside]))
    return far <= ON_THE_SPOT * hip and float(np.ptp(way.facing[inside])) <= ON_THE_SPOT


def _apart(frames: Floats) -> Floats:
    """The frames in order, of those that are nearly one only the first."""
    frames = np.sort(frames)
    found: list[float] = []
    while len(frames):
        found.append(float(frames[0]))
        frames = frames[np.searchsorted(frames, found[-1] + 2.0 * STRIKE_KEY) :]
    return np.array(found)


def _at_ease(rows: Sequence[Preset]) -> Preset:
    """What a body does that is asked for nothing: the slowest gait that it has of its own accord from Froude
    0.02 on."""
    return next((row for row in rows if row.usual > 0.02), rows[0])


def _measures(
    skeleton: Skeleton, roles: Roles, legs: Sequence[Leg], *, aside_too: bool
) -> tuple[float, Floats]:
    """Mean height of the hips, of legs that stand out half their length; and how far along the way each
    leg's foot may stand, (legs,), armature units."""
    up, facing = np.array(roles.up), np.array(roles.facing)
    heights, reaches = [], []
    for leg in legs:
        heads = skeleton.heads[[skeleton.index(bone) for bone in leg.limb.bones]]
        whole = float(np.linalg.norm(np.diff(heads, axis=0), axis=1).sum())
        apart = heads[-1] - heads[0]
        down, along = -float(apart @ up), float(apart @ facing)
        aside = math.sqrt(max(float(apart @ apart) - down**2 - along**2, 0.0))
        if down > math.hypot(along, aside):
            heights.append(float(heads[0] @ up) - roles.ground)
            down, along, aside = LOWEST * down, 0.0, 0.0
        else:
            heights.append(0.5 * whole)
            along, aside = (1.0 - DRAWN_IN) * along, (1.0 - DRAWN_IN) * aside
        if aside_too:
            far = math.sqrt(max((REACH * whole) ** 2 - down**2, 0.0)) - math.hypot(along, aside)
        else:
            far = math.sqrt(max((REACH * whole) ** 2 - down**2 - aside**2, 0.0)) - abs(along)
        reaches.append(2.0 * max(far, 0.1 * whole))
        if leg.girdle and leg.limb.girdle:
            reaches[-1] *= 1.15  # the shoulder blade swings along
    return float(np.mean(heights)), np.array(reaches)


def _way(
    settings: GaitSettings,
    size: Size,
    stage: Stage,
    elsewhere: Elsewhere | None,
    rate: float,
    rows: Sequence[Preset],
    name: str,
) -> tuple[Way, float]:
    """Where the body goes, and for how many seconds."""
    assert settings.speed is not None
    if elsewhere is not None:
        if elsewhere.path is not None or elsewhere.ground is not None:
            check_upright(stage, name)
        own = Size(stage.unit, *(float(np.linalg.norm(stage.matrix[:3, axis])) for axis in (1, 2)))
        return way_of(settings, own, stage, elsewhere, rate, len(rows[0].phases))
    speed = settings.speed / size.forward
    check_speed(speed, stage)
    froude = speed**2 / (stage.gravity * stage.leg)
    stride = stage.leg * float(_row_at(rows, np.array([froude]))[0].stride_at(np.array([froude]))[0])
    cycle = settings.cycle or stride / speed
    asked = None if settings.frames is None else (settings.frames[1] - settings.frames[0]) / rate
    duration = asked if asked is not None else 2.0 * cycle
    way = from_speeds(stage, duration, (speed,), 0.0, 0.0, LEAD * cycle)
    check_speeds(way, stage, duration, len(rows[0].phases))
    return way, duration


def _row_at(rows: Sequence[Preset], froude: Floats) -> list[Preset]:
    return [rows[int(k)] for k in _which(rows, froude)]


def _which(rows: Sequence[Preset], froude: Floats) -> npt.NDArray[np.intp]:
    """Which of the gaits a body has at each Froude number."""
    edges = [row.auto[0] for row in rows[1:] if row.auto is not None]
    return np.searchsorted(np.array(edges), froude, side="right") if edges else np.zeros(len(froude), np.intp)


def _froude(way: Way, stage: Stage, hip: float) -> Floats:
    velocity = np.gradient(way.place, way.step, axis=1)
    turning = np.gradient(way.facing, way.step) * 0.5 * hip
    return np.asarray((velocity**2).sum(axis=0) + turning**2) / (stage.gravity * hip)


def _manner(
    way: Way,
    rows: Sequence[Preset],
    settings: GaitSettings,
    stage: Stage,
    hip: float,
    reaches: Floats,
    factor: float,
) -> Manner:
    """How the legs go along a way. factor: on the rate of strides."""
    froude = _froude(way, stage, hip)
    row = _which(rows, froude)
    phases = aligned(rows)
    count = len(froude)
    duty, stride, flex = np.empty(count), np.empty(count), np.empty(count)
    for k, preset in enumerate(rows):
        here = row == k
        duty[here], stride[here] = preset.duty_at(froude[here]), preset.stride_at(froude[here])
        flex[here] = preset.flex
    if settings.duty is not None:
        duty[:] = settings.duty
    offset = np.ascontiguousarray(phases[row].T)
    speed = np.sqrt(froude * stage.gravity * hip)
    zero = int(np.argmin(np.abs(way.times)))
    if not way.steady and len(set(row.tolist())) > 1:
        usual = speed / np.maximum(stride * hip, 1e-12)
        width = max(int(CHANGE / max(float(np.median(usual[usual > 0.0])), 1e-9) / way.step), 3)
        offset = _smoothed(offset, width)
        duty, flex, stride = _smoothed(np.stack([duty, flex, stride]), width)
    stride = np.minimum(stride, reaches.min() / hip / duty)
    rate = speed / np.maximum(stride * hip, 1e-12)
    if settings.cycle is not None:
        rate = speed / max(float(np.max(speed)), 1e-12) / settings.cycle
    rate = rate * way.pace * factor
    duties = np.tile(duty, (phases.shape[1], 1))
    if way.steady:  # to the last bit, which differences of places are not
        rate, flex, stride = (np.full(count, line[zero]) for line in (rate, flex, stride))
        offset, duties = (np.repeat(block[:, zero : zero + 1], count, axis=1) for block in (offset, duties))
        row = np.full(count, row[zero])
    return Manner(rate, offset, duties, flex, stride, row)


def _smoothed(block: Floats, width: int) -> Floats:
    """Rows (n, samples) averaged over a window."""
    kernel = np.hanning(2 * (width // 2) + 3)[1:-1]
    kernel /= kernel.sum()
    padded = np.pad(block, ((0, 0), (width // 2, width // 2)), mode="edge")
    return np.stack([np.convolve(line, kernel, "valid") for line in padded])


def values_of(
    native: Any, settings: GaitSettings, rows: Sequence[Preset], made: Manner, zero: int, gravity: float
) -> Floats:
    """The core's settings."""
    values = {name: initial for name, initial, _, _ in native.LEGGED_SETTINGS}
    values |= {
        "gravity": gravity,
        "sway": settings.pelvis_sway,
        "turn": settings.pelvis_turn,
        "lift": rows[int(made.row[zero])].lift,
        "reach": REACH,
    }
    return np.array([values[name] for name, *_ in native.LEGGED_SETTINGS])
