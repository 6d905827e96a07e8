"""Where a body goes: its place and facing over time, from speeds and turns, a curve, an object's animation,
or arrays and functions of a script.

A way is in the body's own axes: forward, left, from where it stands at rest, in armature units; the world's
is turned into that by a `Stage`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import AmbleError, BadSetting
from ..scene import Ground

Floats = npt.NDArray[np.float64]

# Samples of a way in the time in which a leg swings through, as a share of sqrt(leg length / gravity).
STEP = 1.0 / 36.0
# Speeds and paths are smoothed over this share of the leg's length, so that corners are rounded.
ROUND = 0.35
# Samples on either side over which a script's path, which has corners in time as well, is rounded.
CORNER = 24
# Slower than this (dimensionless) a path's end is at rest.
RESTING = 0.06
# People start and stop at about this share of gravity.
STARTING = 0.07
# Legs go by no even speed slower or faster than these (dimensionless); 0 is a stand. The fastest of people
# come to 4, cheetahs to 11.
SLOWEST, FASTEST = 0.01, {2: 4.5, 4: 12.0}
# More samples than this are no way that anybody asked for, and would fill the memory.
MOST_SAMPLES = 3_000_000
# The steeper, the shorter strides: the rate of strides grows by this much of the slope.
STEEP = 1.0


@dataclass(frozen=True, slots=True)
class Path:
    """A way from a script.

    places: (n, 2) or (n, 3), in the world, at n even moments from the first frame to the last; heights are
    of no account, feet go by the ground. facing: (n,), degrees from the world's X towards Y; None: the way
    the path goes. Or places: a function that is given seconds since the first frame, (n,), and returns
    (places, facing) of these shapes; where it is called with what, is the generator's affair.
    """

    places: Any
    facing: Any = None


@dataclass(frozen=True, slots=True)
class Stage:
    """The body's own space in the world. matrix: (4, 4), from forward, left, up in armature units; leg: its
    length in them; gravity: in them."""

    matrix: Floats
    leg: float
    gravity: float

    def inward(self, places: Floats) -> Floats:
        """Places (n, 2) of the world as forward and left, (2, n)."""
        count = len(places)
        points = np.column_stack([places[:, :2], np.full(count, self.matrix[2, 3]), np.ones(count)])
        return np.ascontiguousarray(np.linalg.solve(self.matrix, points.T)[:2])

    def outward(self, points: Floats) -> Floats:
        """Points (3, n) of forward, left, up in the world, (3, n)."""
        return np.asarray(self.matrix[:3, :3] @ points + self.matrix[:3, 3:])

    @property
    def heading(self) -> float:
        """Radians from the world's X towards Y of a body that faces forward."""
        return math.atan2(self.matrix[1, 0], self.matrix[0, 0])

    @property
    def unit_speed(self) -> float:
        """Armature units a second of the dimensionless speed 1."""
        return math.sqrt(self.leg * self.gravity)

    @property
    def unit(self) -> float:
        """Metres that an armature unit is along the ground."""
        return float(np.linalg.norm(self.matrix[:3, 0]))

    @property
    def step(self) -> float:
        """Seconds between two samples of a way."""
        return STEP * math.sqrt(self.leg / self.gravity)


@dataclass(frozen=True, slots=True)
class Way:
    """Samples of a way, `step` seconds apart from `start` on.

    place: (2, n); facing: (n,) radians; pace: (n,) factor on the rate of strides; steady: the same speed,
    turn and direction throughout.
    """

    start: float
    step: float
    place: Floats
    facing: Floats
    pace: Floats
    steady: bool

    @property
    def arguments(self) -> dict[str, Any]:
        """Of amble_core.journey."""
        return {
            "start": self.start,
            "step": self.step,
            "place": np.ascontiguousarray(self.place),
            "facing": np.ascontiguousarray(self.facing),
            "pace": np.ascontiguousarray(self.pace),
        }

    @property
    def times(self) -> Floats:
        """Seconds of the samples."""
        return self.start + self.step * np.arange(self.place.shape[1], dtype=np.float64)

    @property
    def gone(self) -> Floats:
        """How far the body has come at each sample, along the way."""
        return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.place, axis=1)))])

    def fastest(self, first: float, last: float) -> float:
        """The greatest speed between two times."""
        inside = (self.times >= first - self.step) & (self.times <= last + self.step)
        return float((np.hypot(*np.diff(self.place[:, inside], axis=1)) / self.step).max(initial=0.0))


def from_speeds(
    stage: Stage, duration: float, speeds: tuple[float, ...], turn: float, direction: float, lead: float
) -> Way:
    """A way by speeds (at even moments over the duration; armature units a second), turning at an even rate.

    turn: radians a second to the left; direction: radians from facing to travel. It goes on for `lead`
    seconds before and after as it begins and ends.
    """
    times = _times(stage, duration, lead)
    knots = np.linspace(0.0, duration, len(speeds)) if len(speeds) > 1 else np.zeros(1)
    speed = np.interp(times, knots, speeds)
    facing = turn * times
    return _integrated(stage, times, speed, facing, direction, steady=len(set(speeds)) == 1)


def check_speeds(way: Way, stage: Stage, duration: float, legs: int) -> None:
    """Raises BadSetting for a way that is gone faster or, at an even speed, slower than legs go, and for one
    that is so slow that its legs would take no step on it."""
    fastest = way.fastest(0.0, duration)
    metre, most = stage.unit, FASTEST[2 if legs <= 2 else 4] * stage.unit_speed
    if fastest > most:
        raise BadSetting(
            f"The body would go at {fastest * metre:.3g} m/s, and legs this long come to no more than "
            f"{most * metre:.3g} m/s: ask for less speed, or for more frames on a path."
        )
    least = SLOWEST * stage.unit_speed
    inside = (way.times >= 0.0) & (way.times <= duration)
    gone = float(np.ptp(way.gone[inside])) if inside.any() else 0.0
    if 0.0 < fastest < least and (way.steady or gone > 0.1 * stage.leg):
        raise BadSetting(
            f"The body would go at {fastest * metre:.3g} m/s, and legs this long step at "
            f"{least * metre:.3g} m/s or more: ask for more speed (speeds 0,0 stays on the spot)."
        )


def check_speed(speed: float, stage: Stage) -> None:
    """As check_speeds, for a speed (armature units a second) before there is a way of it."""
    least = SLOWEST * stage.unit_speed
    if speed < least:
        raise BadSetting(
            f"speed {speed * stage.unit:.3g} m/s is too slow for legs this long, which step at "
            f"{least * stage.unit:.3g} m/s or more: ask for more."
        )


def _times(stage: Stage, duration: float, lead: float) -> Floats:
    if not (duration + 2.0 * lead) / stage.step < MOST_SAMPLES:
        raise BadSetting(
            f"A way of {duration:.4g} s is too long for legs this short: ask for fewer frames or more speed."
        )
    count = math.ceil((duration + 2.0 * lead) / stage.step) + 1
    before = math.ceil(lead / stage.step)
    moments = np.arange(max(count, before + 4), dtype=np.float64)
    return (moments - before) * stage.step


def _integrated(
    stage: Stage, times: Floats, speed: Floats, facing: Floats, direction: float, *, steady: bool
) -> Way:
    heading = facing + direction
    rate = speed * np.stack([np.cos(heading), np.sin(heading)])
    place = np.zeros((2, len(times)))
    place[:, 1:] = np.cumsum(0.5 * (rate[:, 1:] + rate[:, :-1]), axis=1) * stage.step
    zero = int(np.argmin(np.abs(times)))
    return Way(
        float(times[0]), stage.step, place - place[:, zero : zero + 1], facing, np.ones_like(times), steady
    )


def from_line(
    stage: Stage, line: Floats, speed: float, direction: float, lead: float, *, closed: bool
) -> tuple[Way, float]:
    """A way along a line of points (n, 2) in the world at a speed, armature units a second; its duration.

    A closed line is gone round once at the full speed; an open one is begun from a stand and ends in one.
    """
    points = stage.inward(line).T
    points = np.concatenate([points, points[:1]]) if closed else points
    points, arc = _rounded(points, ROUND * stage.leg, closed)
    length = float(arc[-1])
    if not length > 0.2 * stage.leg:
        raise BadSetting("The path is shorter than a step: give a longer one.")
    if closed:
        duration = length / speed
        times = _times(stage, duration, lead)
        gone = speed * times
    else:
        ramp = min(speed / (STARTING * stage.gravity), length / speed)
        duration = length / speed + ramp
        times = _times(stage, duration, lead)
        # From rest to speed and back at even acceleration; the way there takes the time of half of it.
        up = np.clip(times, 0.0, ramp)
        down = np.clip(times - (duration - ramp), 0.0, ramp)
        on = (
            np.clip(times - ramp, 0.0, duration - 2.0 * ramp)
            if duration > 2.0 * ramp
            else np.zeros_like(times)
        )
        gone = speed * (up**2 / (2.0 * ramp) + on + down - down**2 / (2.0 * ramp))
    wrapped = np.mod(gone, length) if closed else np.clip(gone, 0.0, length)
    place = np.stack([np.interp(wrapped, arc, points[:, axis]) for axis in (0, 1)])
    tangent = np.gradient(points, arc, axis=0)
    if closed:
        tangent[0] = tangent[-1] = 0.5 * (tangent[0] + tangent[-1])
    heading = np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0]))
    facing = np.interp(wrapped, arc, heading) - direction
    if closed:
        facing += (heading[-1] - heading[0]) * np.floor(gone / length)
    steady = False
    return Way(float(times[0]), stage.step, place, facing, np.ones_like(times), steady), duration


def _rounded(points: Floats, width: float, closed: bool) -> tuple[Floats, Floats]:
    """The line at even distances, its corners rounded over a width; and the distances along it."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    kept = np.concatenate([[True], np.diff(along) > 0.0])
    points, along = points[kept], along[kept]
    if len(points) < 2:
        return points, along
    count = max(int(along[-1] / (0.1 * width)), 8) + 1
    even = np.linspace(0.0, along[-1], count)
    line = np.stack([np.interp(even, along, points[:, axis]) for axis in (0, 1)], axis=1)
    reach = max(round(width / (even[1] - even[0])), 1)
    kernel = np.hanning(2 * reach + 3)[1:-1]
    kernel /= kernel.sum()
    before, after = _beyond(line, reach, closed)
    long = np.concatenate([before, line, after])
    line = np.stack([np.convolve(long[:, axis], kernel, "valid") for axis in (0, 1)], axis=1)
    return line, np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])


def _beyond(line: Floats, reach: int, closed: bool) -> tuple[Floats, Floats]:
    """What comes before and after a line: the line itself where it is closed, else it goes straight on."""
    if closed:
        return line[-1 - reach : -1], line[1 : 1 + reach]
    steps = np.arange(1, reach + 1)[:, None]
    return line[0] - steps[::-1] * (line[1] - line[0]), line[-1] + steps * (line[-1] - line[-2])


def from_path(stage: Stage, path: Path, duration: float, direction: float, lead: float) -> Way:
    """A way that a script tells, its corners rounded.

    Before and after it the body goes straight on as it begins and ends, or stands where it does so at rest.
    """
    times = _times(stage, duration, lead)
    inside = np.clip(times, 0.0, duration)
    if callable(path.places):
        places, facing = _called(path.places, inside)
    else:
        places = np.asarray(path.places, dtype=np.float64)
        if places.ndim != 2 or places.shape[1] not in (2, 3) or len(places) < 2:
            raise BadSetting(f"places of a path must have the shape (n, 2) or (n, 3), not {places.shape}.")
        knots = np.linspace(0.0, duration, len(places))
        facing = None if path.facing is None else np.asarray(path.facing, dtype=np.float64)
        if facing is not None and facing.shape != (len(places),):
            raise BadSetting(f"facing of a path must have the shape ({len(places)},), not {facing.shape}.")
        if facing is not None:
            facing = np.interp(inside, knots, np.degrees(np.unwrap(np.radians(facing))))
        places = np.stack([np.interp(inside, knots, places[:, axis]) for axis in (0, 1)], axis=1)
    if not np.isfinite(places).all() or not (facing is None or np.isfinite(facing).all()):
        raise BadSetting("The path holds numbers that are not finite.")
    place = _smooth(_gone_on(stage, stage.inward(places), times, duration), CORNER)
    if facing is None:
        rate = np.gradient(place, stage.step, axis=1)
        moving = np.hypot(*rate) > 1e-3 * stage.unit_speed
        if not moving.any():
            raise BadSetting("The path goes nowhere: give it a facing, or places that differ.")
        angle = np.unwrap(np.arctan2(rate[1], rate[0])[moving])
        turned = np.interp(times, times[moving], angle) - direction
    else:
        turned = np.unwrap(np.radians(facing)) - stage.heading
        turned -= 2.0 * np.pi * np.round(turned[0] / (2.0 * np.pi))
    turned = _smooth(turned[None], CORNER)[0]
    return Way(float(times[0]), stage.step, place, turned, np.ones_like(times), False)


def _gone_on(stage: Stage, place: Floats, times: Floats, duration: float) -> Floats:
    """Places (2, n) that rest before time 0 and after the duration, gone on there at the ends' own speed."""
    found = place.copy()
    rows = np.flatnonzero((times >= 0.0) & (times <= duration))
    for end, inner, beyond in (
        (rows[0], rows[:CORNER][-1], times < 0.0),
        (rows[-1], rows[-CORNER:][0], times > duration),
    ):
        if end == inner:
            continue
        rate = (place[:, end] - place[:, inner]) / (times[end] - times[inner])
        if np.hypot(*rate) > RESTING * stage.unit_speed:
            found[:, beyond] = place[:, end, None] + rate[:, None] * (times[beyond] - times[end])
    return found


def _called(function: Callable[[Floats], Any], times: Floats) -> tuple[Floats, Floats | None]:
    found = function(times.copy())
    places, facing = found if isinstance(found, tuple) else (found, None)
    places = np.asarray(places, dtype=np.float64)
    if places.shape not in ((len(times), 2), (len(times), 3)):
        raise BadSetting(
            f"The path's function must return places of shape ({len(times)}, 2), not {places.shape}."
        )
    if facing is not None:
        facing = np.asarray(facing, dtype=np.float64)
        if facing.shape != (len(times),):
            raise BadSetting(f"The path's function must return facings of shape ({len(times)},).")
    return places, facing


def _smooth(rows: Floats, reach: int) -> Floats:
    """Rows averaged over so many samples on either side; straight lines stay what they are."""
    kernel = np.hanning(2 * reach + 3)[1:-1]
    kernel /= kernel.sum()
    padded = np.pad(rows, ((0, 0), (reach, reach)), mode="reflect", reflect_type="odd")
    return np.stack([np.convolve(row, kernel, "valid") for row in padded])


def shorter_on_slopes(way: Way, stage: Stage, ground: Ground) -> Way:
    """The way with strides that grow shorter, and quicker, the steeper the ground is along it."""
    world = stage.outward(np.concatenate([way.place, np.zeros((1, way.place.shape[1]))]))
    # Both ways from where the body stands at rest, whose height is known.
    zero = int(np.argmin(np.abs(way.times)))
    level = float(stage.matrix[2, 3])
    after = ground.follow(np.ascontiguousarray(world[:2, zero:]), level).height
    before = ground.follow(np.ascontiguousarray(world[:2, zero::-1]), level).height
    height = np.concatenate([before[:0:-1], after])
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(world[:2], axis=1), axis=0))])
    reach = 0.6 * stage.leg * stage.unit
    if not gone[-1] > reach:
        return way
    # Over a step or so on either side: stairs are a slope then.
    ahead, behind = np.interp(gone + reach, gone, height), np.interp(gone - reach, gone, height)
    run = np.minimum(gone + reach, gone[-1]) - np.maximum(gone - reach, 0.0)
    slope = np.abs(ahead - behind) / np.maximum(run, 1e-9)
    width = np.hanning(63)[1:-1]
    slope = np.convolve(np.pad(slope, 30, mode="edge"), width / width.sum(), "valid")
    return replace(way, pace=way.pace * np.clip(1.0 + STEEP * slope, 1.0, 2.5))


def curve_line(thing: Any) -> tuple[Floats, bool]:
    """Points (n, 2) in the world of a curve object's first spline, and whether it is closed."""
    import bpy

    if not thing.data.splines:
        raise AmbleError(f'The curve "{thing.name}" has no spline: draw one.')
    closed = bool(thing.data.splines[0].use_cyclic_u)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = bpy.data.meshes.new_from_object(evaluated)
    try:
        count = len(mesh.vertices)
        points = np.empty(3 * count)
        mesh.vertices.foreach_get("co", points)
        edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
        mesh.edges.foreach_get("vertices", edges)
    finally:
        bpy.data.meshes.remove(mesh)
    # Splines follow one another; the first ends where an edge is missing.
    pairs = edges.reshape(-1, 2)
    if count < 2 or not len(pairs):
        raise AmbleError(f'The curve "{thing.name}" has no length, or is made solid: take its bevel away.')
    joined = np.zeros(count, dtype=bool)
    joined[pairs[np.abs(pairs[:, 1] - pairs[:, 0]) == 1].max(axis=1)] = True
    ends = np.flatnonzero(~joined[1:])
    last = int(ends[0]) + 1 if len(ends) else count
    world = np.array(thing.matrix_world)
    return (points.reshape(-1, 3)[:last] @ world[:3, :3].T + world[:3, 3])[:, :2], closed


def animated_path(thing: Any, frames: Floats) -> Path:
    """The way of an animated object at frames, read from its curves: its place, and where its -Y points."""
    from ..action.read import read

    channels = read(thing).object_channels(thing, frames).astype(np.float64)
    parent = np.array(thing.matrix_world @ thing.matrix_basis.inverted())
    w, x, y, z = channels[3:7] / np.linalg.norm(channels[3:7], axis=0)
    minus_y = -np.stack([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)])
    places = parent[:3, :3] @ channels[:3] + parent[:3, 3:]
    ahead = parent[:3, :3] @ minus_y
    return Path(places.T, np.degrees(np.unwrap(np.arctan2(ahead[1], ahead[0]))))
