"""A gait on orbits (contact="orbit"): from settings, orbits and a rig to the walk as arrays.

The counterpart of plan.py for the source's own motion, sliding feet included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import BadSetting
from ..reading import METRES, Size
from ..report.contacts import Contact, runs
from ..rig import Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.parts import SIDES, body_parts
from .body import controlled_body, plain_body
from .course import Course, checked, steered
from .orbit_body import Frame, hand_tracks, measure_frame, turning_root, with_extras
from .orbit_rows import core_rows, toe_out
from .orbits import Orbits, Part, orbits_of
from .plan import GRAVITY, Timing, Walk, check_keys, feet_of, fit_frames, keyed_rows, keys_a_frame, travels
from .settings import LAST_FRAME, USUAL_SPEED, GaitSettings, with_cycle
from .steps import Step

Floats = npt.NDArray[np.float64]

# What steers is asked once a frame.
MOST_STEERED = 100_000

# Heights of the ground, (n,), and its normals, (3, n), under points (2, n): forward and left of the body's
# origin at rest, in its own axes and armature units.
Terrain = Callable[[Floats], tuple[Floats, Floats]]


def flat(points: Floats) -> tuple[Floats, Floats]:
    """The ground of the rest pose."""
    normals = np.zeros((3, points.shape[1]))
    normals[2] = 1.0
    return np.zeros(points.shape[1]), normals


def ride(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    settings: GaitSettings,
    *,
    fps: float,
    size: Size = METRES,
    controls: Controls | None = None,
    terrain: Terrain = flat,
) -> Walk:
    """A gait on orbits of this skeleton; arguments and errors as of plan.plan. terrain: the ground, asked for
    twice: under the character, where it goes at a speed of its own, and under its feet.
    """
    native = core.load()
    parts = body_parts(skeleton, roles)
    orbits = orbits_of(settings.orbits)
    body = (
        plain_body(skeleton, roles, soles, parts)
        if controls is None
        else controlled_body(skeleton, roles, soles, parts, controls)
    )
    frame = measure_frame(body)
    body, extras = with_extras(skeleton, parts, body, orbits, frame, controls)
    rate = settings.fps or fps
    settings = with_cycle(settings)
    speed = (settings.speed or USUAL_SPEED[settings.gait]) / size.forward
    root = math.sqrt(GRAVITY * size.up / size.forward**2 * frame.leg)
    rows, corners, riding = core_rows(native, orbits, frame, root, settings.arm_swing)
    course = _course(settings, skeleton, frame, rate)
    if course is None:
        timing = _timing(settings, orbits, frame, speed, root, rate)
        timing = replace(timing, keys=keys_a_frame(skeleton, body, timing))
        # The leader goes round once a stride, the waist `period` times.
        riding[_setting(native, "rate")] = _leader(orbits).period * math.tau / (speed * timing.cycle)
        moves = _straight(timing, speed, rate, terrain)
    else:
        timing = _course_timing(settings, course, rate)
        body = turning_root(body)
        moves = _along(course, frame, skeleton.world, rate, terrain)
    given = {"orbits": rows, "vertices": corners, "ride": riding, **moves}
    try:
        tracks, _, _, turning, _ = native.orbit_ride(**given, state=np.zeros(native.ORBIT_STATE))
        lands = [k for k, part in enumerate(orbits.parts) if part.lands]
        heights, normals = _under(terrain, tracks[lands, :2])
        landing = {**given, "tracks": tracks, "height": heights, "normal": normals}
        state = np.zeros((len(lands), 3))
        if settings.loop and course is None:  # soles that come out of a round as they went into it
            *_, state = native.orbit_land(**landing, state=state)
        landed, soles_at, down, _ = native.orbit_land(**landing, state=state)
        tracks[lands] = landed
        feet = [lands.index(orbits.names[f"ankle.{side}"]) for side in SIDES]
        moved, motion, slopes = native.orbit_pose(
            **body.arguments,
            root=body.root if travels(roles, settings.root_motion) else -1,
            extras=np.array([[row, how] for row, how, _ in extras], dtype=np.int32).reshape(-1, 2),
            travel=travels(roles, settings.root_motion),
            course=np.concatenate([moves["position"], moves["velocity"]]),
            facing=moves["facing"],
            turning=turning,
            waist=tracks[orbits.names["waist"]],
            ankles=np.ascontiguousarray(landed[feet]),
            sole_tracks=np.ascontiguousarray(soles_at[feet]),
            toe_out=np.array([toe_out(orbits, frame, side) for side in SIDES]),
            hand_tracks=hand_tracks(orbits, body, tracks),
            extra_tracks=np.ascontiguousarray(tracks[[track for _, _, track in extras]]),
            lean=math.radians(settings.lean),
        )
    except ValueError as reason:
        raise BadSetting(_in_words(str(reason), orbits)) from reason
    bones, motion, slopes, channels = keyed_rows(body, moved, motion, slopes / np.float32(rate))
    contacts = _contacts(roles, timing, down[feet], settings.loop and course is None)
    return Walk(
        bones=bones,
        motion=motion,
        slopes=slopes,
        channels=channels,
        timing=timing,
        contacts=contacts,
        figures=_figures(timing, speed, root, frame, contacts),
        carrier=body.carrier if travels(roles, settings.root_motion) else None,
        speed=(settings.speed or USUAL_SPEED[settings.gait]) if course is None else _mean_speed(course),
        feet=feet_of(parts, roles),
        steps=_steps(roles, contacts, timing, frame, landed[feet]),
        gait="run" if settings.gait == "run" else "walk",
        course=None
        if course is None
        else np.concatenate([frame.axes.T @ moves["position"], frame.axes.T @ moves["velocity"]]),
    )


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
    slow, fast = _leader(orbits).length.forward
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


def _course(settings: GaitSettings, skeleton: Skeleton, frame: Frame, fps: float) -> Course | None:
    """The course asked for; what steers is asked here. Raises BadSetting."""
    if settings.course is None or not callable(settings.course):
        return None if settings.course is None else checked(settings.course)
    if settings.frames is None:
        raise BadSetting("A function that steers needs frames: say how many to ask it for.")
    start = skeleton.world[:3, :3] @ frame.origin + skeleton.world[:3, 3]
    count = settings.frames[1] - settings.frames[0] + 1
    if not 2 <= count <= MOST_STEERED:
        raise BadSetting(f"frames hold {count} frames: what steers takes 2 to {MOST_STEERED}.")
    facing = skeleton.world[:3, :3] @ frame.axes[0]
    return checked(steered(settings.course, count, fps, start=start, facing=facing))


def _straight(timing: Timing, speed: float, fps: float, terrain: Terrain) -> dict[str, Floats]:
    """position, velocity, facing and dt of a straight way forward over the ground."""
    gone = (timing.frames - timing.start) / fps
    level = np.zeros((3, len(gone)))
    level[0] = 1.0
    position = speed * gone * level
    height, normal = terrain(position[:2])
    velocity = speed * level
    position[2] = height
    velocity[2] = -speed * normal[0] / normal[2]
    return {"position": position, "velocity": velocity, "facing": level, "dt": np.diff(gone, prepend=gone[0])}


def _along(course: Course, frame: Frame, world: Floats, fps: float, terrain: Terrain) -> dict[str, Floats]:
    """The same of a course, brought from the world into the body's axes."""
    out = world[:3, :3] @ frame.axes.T
    home = world[:3, :3] @ frame.origin + world[:3, 3]
    dt = np.full(course.frames, 1.0 / fps)
    dt[0] = 0.0
    velocity: Floats = np.asarray(np.linalg.solve(out, course.velocity), dtype=np.float64)
    if course.position is None:
        start = home if course.start is None else np.asarray(course.start, dtype=np.float64)
        steps = course.velocity * dt
        steps[:, 0] = start
        place = np.cumsum(steps, axis=1)
    else:
        place = course.position
    position: Floats = np.asarray(np.linalg.solve(out, place - home[:, None]), dtype=np.float64)
    if course.position is None and not velocity[2].any():
        height, normal = terrain(position[:2])
        position[2] += height
        velocity[2] = -(normal[0] * velocity[0] + normal[1] * velocity[1]) / normal[2]
    facing = velocity if course.facing is None else np.linalg.solve(out, course.facing)
    facing = _last_level(np.asarray(facing, dtype=np.float64))
    return {"position": position, "velocity": velocity, "facing": facing, "dt": dt}


def _last_level(ways: Floats) -> Floats:
    """The ways, (3, frames), with the last level one in place of those that have no level part; at the start
    straight on."""
    level = np.hypot(ways[0], ways[1]) > 1e-9 * max(float(np.abs(ways).max()), 1e-300)
    last = np.maximum.accumulate(np.where(level, np.arange(ways.shape[1]) + 1, 0))
    padded = np.concatenate([np.array([[1.0], [0.0], [0.0]]), ways], axis=1)
    return np.ascontiguousarray(padded[:, last])


def _under(terrain: Terrain, places: Floats) -> tuple[Floats, Floats]:
    """Heights (n, frames) and normals (n, 3, frames) of the ground under places (n, 2, frames)."""
    count, _, frames = places.shape
    height, normal = terrain(places.transpose(1, 0, 2).reshape(2, -1))
    return (
        np.ascontiguousarray(height.reshape(count, frames), dtype=np.float64),
        np.ascontiguousarray(normal.reshape(3, count, frames).transpose(1, 0, 2), dtype=np.float64),
    )


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
