"""A gait on orbits (contact="orbit"): from settings, orbits and a rig to the walk as arrays.

The counterpart of plan_straight.py for the source's own motion, sliding feet included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import BadSetting
from ..options import LAST_FRAME
from ..reading import METRES, Size
from ..report.contacts import Contact, runs
from ..rig import Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.parts import body_parts, need_knees
from ..rig.sides import SIDES
from .body import Body, body_of
from .course import Course, checked, steered
from .journey import stage_of
from .orbit_body import Frame, hand_tracks, measure_frame, turning_root, with_extras
from .orbit_moves import Terrain, course_of, moves_along, moves_straight, route_of, terrain_of
from .orbit_rows import core_rows, toe_out
from .orbits import Orbits, Part, orbits_of
from .plan_way import Elsewhere, way_of
from .reduce import reduction_for
from .settings import POSTURE, USUAL_SPEED, GaitSettings, with_cycle
from .steps import Step
from .timing import Timing, check_keys, fit_frames, keys_a_frame
from .values import GRAVITY
from .walk import Walk, feet_of, keyed_rows, travels

Floats = npt.NDArray[np.float64]

NO_LOOP = "Feet come to other ground in each round: the motion is no loop."
# What only planted feet have.
PLANTED = ("duty", "step_width", "pelvis_sway", "pelvis_turn", "step_length", "bounce", *POSTURE)
# What steers is asked once a frame.
MOST_STEERED = 100_000


def settled(settings: GaitSettings) -> GaitSettings:
    """The settings for what they ask: a course has an end and is no loop. Raises BadSetting for what is only
    for contact orbit."""
    if settings.contact == "orbit":
        return settings if settings.course is None else replace(settings, loop=False)
    for name in ("orbits", "course"):
        if getattr(settings, name) is not None:
            raise BadSetting(f"{name} is for contact orbit: set contact to orbit, or leave it out.")
    return settings


def unused(settings: GaitSettings) -> tuple[str, ...]:
    """A sentence about settings that are set and of no account to a gait on orbits."""
    if settings.contact != "orbit":
        return ()
    usual = GaitSettings()
    names = [name for name in PLANTED if getattr(settings, name) != getattr(usual, name)]
    return (f"For planted feet only, and left out: {', '.join(names)}.",) if names else ()


@dataclass(frozen=True, slots=True)
class _Ridden:
    """Where the parts come to: tracks (parts, 6, frames), landed feet among them; soles (2, 6, frames) and
    down (2, frames) of the feet, left and right; turning (frames,)."""

    tracks: Floats
    soles: Floats
    down: npt.NDArray[np.int32]
    turning: Floats


def plan_orbits(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    settings: GaitSettings,
    *,
    fps: float,
    size: Size = METRES,
    controls: Controls | None = None,
    elsewhere: Elsewhere | None = None,
) -> Walk:
    """A gait on orbits of this skeleton; arguments and errors as of plan_way. Ground is asked for twice,
    under the character and under the feet.
    """
    native = core.load()
    need_knees(roles, "A gait on orbits")
    parts = body_parts(skeleton, roles)
    orbits = orbits_of(settings.orbits)
    body = body_of(skeleton, roles, soles, parts, controls)
    frame = measure_frame(body)
    body, extras = with_extras(skeleton, parts, body, orbits, frame, controls)
    rate = settings.fps or fps
    settings = with_cycle(settings)
    speed = (settings.speed or USUAL_SPEED[settings.gait]) / size.forward
    root = math.sqrt(GRAVITY * size.up / size.forward**2 * frame.leg)
    terrain = terrain_of(elsewhere.ground if elsewhere is not None else None, frame, skeleton.world)
    rows, corners, riding = core_rows(native, orbits, frame, root, settings.arm_swing)
    course = _course(settings, terrain, rate)
    if course is None and elsewhere is not None and (elsewhere.path or settings.speeds or settings.turn):
        stage = stage_of(body, skeleton.world, frame.leg, root**2 / frame.leg)
        way, duration = way_of(settings, size, stage, elsewhere, rate, len(roles.legs))
        course = course_of(way, stage, duration, rate)
    direction = math.radians(settings.direction)
    if course is None:
        timing = _timing(settings, orbits, frame, speed, root, rate)
        timing = replace(timing, keys=keys_a_frame(skeleton, body, timing))
        # The leader goes round once a stride, the waist `period` times.
        riding[_setting(native, "rate")] = _leader(orbits).period * math.tau / (speed * timing.cycle)
        moves = moves_straight((timing.frames - timing.start) / rate, speed, direction, terrain)
    else:
        timing = _course_timing(settings, course, rate)
        body = turning_root(body)
        moves = moves_along(course, rate, terrain)
    travel = travels(roles, settings.root_motion)
    closed = settings.loop and course is None and terrain.ground is None
    try:
        given = {"orbits": rows, "vertices": corners, "ride": riding, **moves}
        ridden = _ridden(native, orbits, given, terrain, closed)
        moved, motion, slopes = native.orbit_pose(
            **body.arguments,
            **_goals(orbits, frame, body, extras, moves, ridden),
            root=body.root if travel else -1,
            travel=travel,
            lean=math.radians(settings.lean),
        )
    except ValueError as reason:
        raise BadSetting(_in_words(str(reason), orbits)) from reason
    bones, motion, slopes, channels = keyed_rows(body, moved, motion, slopes / np.float32(rate))
    contacts = _contacts(roles, timing, ridden.down, closed)
    plain = course is None and terrain.ground is None and not direction
    feet = [orbits.names[f"ankle.{side}"] for side in SIDES]
    return Walk(
        bones=bones,
        motion=motion,
        slopes=slopes,
        channels=channels,
        timing=timing,
        contacts=contacts,
        figures=_figures(timing, speed, root, frame, contacts),
        carrier=body.carrier if travel else None,
        speed=(settings.speed or USUAL_SPEED[settings.gait]) if course is None else _mean_speed(course),
        feet=feet_of(parts, roles),
        steps=_steps(roles, contacts, timing, frame, ridden.tracks[feet]),
        gait="run" if settings.gait == "run" else "walk",
        route=None if plain else route_of(moves, terrain, timing),
        loop=closed,
        notes=() if course is not None or closed or not settings.loop else (NO_LOOP,),
        gone=None if course is None else _gone(course, rate),
        moves=np.concatenate([frame.axes.T @ moves["position"], frame.axes.T @ moves["velocity"]]),
        reduction=reduction_for(
            settings,
            skeleton,
            roles,
            body,
            moved,
            timing.frames,
            contacts,
            timing.cycle_frames,
            frame.leg,
            closed,
            between=0,
        ),
    )


def _ridden(native: Any, orbits: Orbits, given: dict[str, Floats], terrain: Terrain, closed: bool) -> _Ridden:
    """The parts on their orbits, then on the ground. closed: soles come out of the last frame as they went
    into the first."""
    tracks, _, _, turning, _ = native.orbit_ride(**given, state=np.zeros(native.ORBIT_STATE))
    lands = [k for k, part in enumerate(orbits.parts) if part.lands]
    under = tracks[lands, :3].copy()
    under[:, 2] = given["position"][2]
    height, normal = terrain.under(under.transpose(1, 0, 2).reshape(3, -1))
    landing = {
        **given,
        "tracks": tracks,
        "height": np.ascontiguousarray(height.reshape(len(lands), -1)),
        "normal": np.ascontiguousarray(normal.reshape(3, len(lands), -1).transpose(1, 0, 2)),
    }
    state = np.zeros((len(lands), 3))
    if closed:
        *_, state = native.orbit_land(**landing, state=state)
    landed, soles, down, _ = native.orbit_land(**landing, state=state)
    tracks[lands] = landed
    feet = [lands.index(orbits.names[f"ankle.{side}"]) for side in SIDES]
    return _Ridden(tracks, np.ascontiguousarray(soles[feet]), down[feet], turning)


def _goals(
    orbits: Orbits,
    frame: Frame,
    body: Body,
    extras: Sequence[tuple[int, int, int]],
    moves: dict[str, Floats],
    ridden: _Ridden,
) -> dict[str, Any]:
    """What the core poses a body by."""
    feet = [orbits.names[f"ankle.{side}"] for side in SIDES]
    return {
        "extras": np.array([[row, how] for row, how, _ in extras], dtype=np.int32).reshape(-1, 2),
        "course": np.concatenate([moves["position"], moves["velocity"]]),
        "facing": moves["facing"],
        "turning": ridden.turning,
        "waist": ridden.tracks[orbits.names["waist"]],
        "ankles": np.ascontiguousarray(ridden.tracks[feet]),
        "sole_tracks": ridden.soles,
        "toe_out": np.array([toe_out(orbits, frame, side) for side in SIDES]),
        "hand_tracks": hand_tracks(orbits, body, ridden.tracks),
        "extra_tracks": np.ascontiguousarray(ridden.tracks[[track for _, _, track in extras]]),
    }


def _setting(native: Any, name: str) -> int:
    return [one[0] for one in native.RIDE_SETTINGS].index(name)


def _leader(orbits: Orbits) -> Part:
    return orbits.parts[orbits.names[orbits.leader]]


def _in_words(reason: str, orbits: Orbits) -> str:
    """The core's complaint in the user's terms."""
    for row, part in enumerate(orbits.parts):
        if reason.startswith(f"orbits[{row}]: "):
            return f'The orbit of "{part.name}": {reason.split(": ", 1)[1]}.'
    return f"{reason[0].upper()}{reason[1:]}."


# ---- timing and course ----


def _timing(
    settings: GaitSettings, orbits: Orbits, frame: Frame, speed: float, root: float, fps: float
) -> Timing:
    """Of a straight way at one speed."""
    share = min(max((speed / root - orbits.slow) / (orbits.fast - orbits.slow), 0.0), 1.0)
    r = math.cos(math.radians(settings.direction))
    going = "forward" if r >= 0.5 else "backward" if r <= -0.5 else "sideways"
    slow, fast = getattr(_leader(orbits).length, going)
    stride = orbits.axes * orbits.unit * frame.leg * (slow + share * (fast - slow))
    cycle = settings.cycle or stride / speed
    if not cycle > 0.0:
        raise BadSetting(f'The orbit of the leader, "{orbits.leader}", has no length: give one, or cycle.')
    timing = fit_frames(settings, cycle, fps)
    check_keys(timing.end - timing.start, timing.cycle_frames)
    if timing.end > LAST_FRAME:
        raise BadSetting(f"The motion would end at frame {timing.end:.0f}: frames end at {LAST_FRAME}.")
    return timing


def _course_timing(settings: GaitSettings, course: Course, fps: float) -> Timing:
    first = settings.frames[0] if settings.frames is not None else 1
    span = course.frames - 1
    check_keys(float(span), float(span))
    # No strides are fitted into it: none is told.
    return Timing(float(first), float(first + span), 0.0, fps, span / fps)


def _course(settings: GaitSettings, terrain: Terrain, fps: float) -> Course | None:
    """The course asked for; what steers is asked here. Raises BadSetting."""
    if settings.course is None or not callable(settings.course):
        return None if settings.course is None else checked(settings.course)
    if settings.frames is None:
        raise BadSetting("A function that steers needs frames: say how many to ask it for.")
    count = settings.frames[1] - settings.frames[0] + 1
    if not 2 <= count <= MOST_STEERED:
        raise BadSetting(f"frames hold {count} frames: what steers takes 2 to {MOST_STEERED}.")
    return checked(steered(settings.course, count, fps, start=terrain.home, facing=terrain.out[:, 0]))


# ---- what it came to ----


def _contacts(roles: Roles, timing: Timing, down: npt.NDArray[np.int32], loop: bool) -> tuple[Contact, ...]:
    """Every run of keys in which a heel counts as down. down: (2, frames), left and right."""
    frames = timing.frames
    count = len(frames) - 1 if loop else len(frames)
    by_side = {leg.side: number for number, leg in enumerate(roles.legs)}
    found = []
    for row, side in enumerate(SIDES):
        number = by_side[side]
        for first, last in runs(down[row, :count] > 0, cyclic=loop, shortest=2):
            on, off = (frames[k % count] + k // count * (timing.end - timing.start) for k in (first, last))
            ball = float(off) if roles.legs[number].toe else None
            found.append(Contact(number, float(on), float(on), float(off), float(off), ball))
    return tuple(sorted(found, key=lambda contact: contact.heel_on))


def _steps(
    roles: Roles, contacts: Sequence[Contact], timing: Timing, frame: Frame, ankles: Floats
) -> tuple[Step, ...]:
    """The contacts as steps; each at the place of its foot's ankle over the ground as it comes down."""
    sides = {number: SIDES.index(leg.side) for number, leg in enumerate(roles.legs)}
    found = []
    for number, row in sides.items():
        own = [contact for contact in contacts if contact.leg == number]
        spans = [(contact.heel_on, contact.toe_off) for contact in own] or [(timing.end, timing.end)]
        for on, off in spans:
            key = int(np.searchsorted(timing.frames, on - 1e-9).clip(0, ankles.shape[2] - 1))
            place = ankles[row, :3, key] - np.array([0.0, 0.0, frame.places[f"ankle.{SIDES[row]}"][2]])
            found.append(Step(number, on, off, frame.origin + frame.axes.T @ place))
    return tuple(found)


def _figures(
    timing: Timing, speed: float, root: float, frame: Frame, contacts: Sequence[Contact]
) -> dict[str, float]:
    """What the gait turned out to be: armature units, seconds."""
    stood = sum(contact.toe_off - contact.heel_on for contact in contacts)
    return {
        "cycle": timing.cycle,
        "stride": speed * timing.cycle,
        "duty": stood / (2.0 * (timing.end - timing.start)),
        "leg_length": frame.leg,
        "vn": speed / root,
        "pelvis_height": float(frame.places["waist"][2]),
    }


def _mean_speed(course: Course) -> float:
    return float(np.linalg.norm(course.velocity, axis=0)[1:].mean())


def _gone(course: Course, fps: float) -> Floats:
    """Metres since the first frame, (frames,)."""
    steps = np.linalg.norm(course.velocity, axis=0) / fps
    steps[0] = 0.0
    return np.cumsum(steps)
