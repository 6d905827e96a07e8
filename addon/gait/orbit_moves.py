"""A character's way in the body's own axes: along a course or straight on, over the ground."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..report.tracks import Route
from ..scene import Ground
from .course import Course
from .orbit_body import Frame
from .timing import Timing
from .way import Stage, Way

Floats = npt.NDArray[np.float64]

# Ground this much of a leg over the character's own is still stepped on.
STEP_UP = 0.5
# The cosine between the body's up and the world's under which there is no ground to be found under it.
UPRIGHT = 0.999


@dataclass(frozen=True, slots=True)
class Terrain:
    """Ground under a body: heights and normals in its own axes and armature units.

    ground: None is the level that the rest pose stands on. out: (3, 3), from the body's axes to the world;
    home: (3,), the body's origin there; step: metres over the character that are still stepped on.
    """

    ground: Ground | None
    out: Floats
    home: Floats
    step: float

    def along(self, points: Floats) -> tuple[Floats, Floats]:
        """Under points (2, n) that are passed one after the other, the first near the origin."""
        if self.ground is None:
            return _level(points.shape[1])
        world = self._world(np.vstack([points, np.zeros(points.shape[1])]))
        found = self.ground.follow(np.ascontiguousarray(world[:2]), float(self.home[2]), up=self.step)
        return self._own(world, found.height, found.normal)

    def under(self, points: Floats) -> tuple[Floats, Floats]:
        """Under points (3, n), each as high as the character there."""
        if self.ground is None:
            return _level(points.shape[1])
        world = self._world(points)
        found = self.ground.heights(np.ascontiguousarray(world), up=self.step)
        return self._own(world, found.height, found.normal)

    def surface(self, points: Floats) -> tuple[Floats, Floats]:
        """As a report asks: heights under points (3, n) of the world, and how upright the ground is there."""
        assert self.ground is not None
        found = self.ground.heights(points, up=self.step)
        return np.where(found.found, found.height, points[2] - self.step), found.normal[2]

    def _world(self, points: Floats) -> Floats:
        return np.asarray(self.home[:, None] + self.out @ points)

    def _own(self, world: Floats, height: Floats, normal: Floats) -> tuple[Floats, Floats]:
        places = np.linalg.solve(self.out, np.vstack([world[:2], height]) - self.home[:, None])
        # A normal goes the way of planes, which scale turns otherwise than points.
        own = self.out.T @ normal
        return np.asarray(places[2]), np.asarray(own / np.linalg.norm(own, axis=0))


def terrain_of(ground: Ground | None, frame: Frame, world: Floats) -> Terrain:
    """The ground under a body whose armature has this matrix, (4, 4). Raises BadSetting for one that does not
    stand upright in the world."""
    out = world[:3, :3] @ frame.axes.T
    if ground is not None and not out[2, 2] > UPRIGHT * np.linalg.norm(out[:, 2]):
        raise BadSetting(
            "The rig does not stand upright in the world, where the ground is: turn the object upright."
        )
    home = world[:3, :3] @ frame.origin + world[:3, 3]
    step = STEP_UP * frame.leg * float(np.linalg.norm(out[:, 2]))
    return Terrain(ground, out, home, step)


def moves_straight(times: Floats, speed: float, direction: float, terrain: Terrain) -> dict[str, Floats]:
    """position, velocity, facing, (3, frames) each, and dt, (frames,), of a straight way; times: seconds from
    the start; speed: armature units a second; direction: radians from the facing, to the left."""
    ahead, way = np.zeros((2, 3, len(times)))
    ahead[0] = 1.0
    way[0], way[1] = math.cos(direction), math.sin(direction)
    moves = {
        "position": speed * times * way,
        "velocity": speed * way,
        "facing": ahead,
        "dt": np.diff(times, prepend=times[0]),
    }
    _put_down(moves, terrain)
    return moves


def moves_along(course: Course, fps: float, terrain: Terrain) -> dict[str, Floats]:
    """The same of a course. Where its velocities are level it goes up and down with the ground."""
    dt = np.full(course.frames, 1.0 / fps)
    dt[0] = 0.0
    place = course.position
    if place is None:
        place = course.velocity * dt
        place[:, 0] = terrain.home if course.start is None else np.asarray(course.start, dtype=np.float64)
        place = np.cumsum(place, axis=1)

    def own(vectors: Floats) -> Floats:
        return np.ascontiguousarray(np.linalg.solve(terrain.out, vectors), dtype=np.float64)

    moves = {
        "position": own(place - terrain.home[:, None]),
        "velocity": own(course.velocity),
        "facing": _last_level(own(course.velocity if course.facing is None else course.facing)),
        "dt": dt,
    }
    if not course.velocity[2].any():
        _put_down(moves, terrain)
    return moves


def course_of(way: Way, stage: Stage, duration: float, fps: float) -> Course:
    """A way's places, facings and velocities at every frame of a duration (seconds)."""
    times = np.arange(max(round(duration * fps), 1) + 1) / fps

    def places(moments: Floats) -> Floats:
        level = [np.interp(moments, way.times, row) for row in way.place]
        return np.stack([*level, np.zeros_like(moments)])

    near = 0.5 * way.step
    turned = np.interp(times, way.times, way.facing)
    axes = stage.matrix[:3, :3]
    return Course(
        velocity=axes @ ((places(times + near) - places(times - near)) / (2.0 * near)),
        facing=axes @ np.stack([np.cos(turned), np.sin(turned), np.zeros_like(turned)]),
        position=stage.outward(places(times)),
    )


def route_of(moves: dict[str, Floats], terrain: Terrain, timing: Timing) -> Route:
    """What a report asks of where a motion goes. timing: of the frames that the moves are at."""
    yaw = np.unwrap(np.arctan2(moves["facing"][1], moves["facing"][0]))
    body = np.eye(4)
    body[:3, :3], body[:3, 3] = terrain.out, terrain.home
    speeds = np.linalg.norm(terrain.out @ moves["velocity"], axis=0)
    level = np.hypot(*(terrain.out @ moves["velocity"])[:2])

    def carried(frames: Floats) -> Floats:
        own = np.tile(np.eye(4), (len(frames), 1, 1))
        turn = np.interp(frames, timing.frames, yaw) - yaw[0]
        own[:, 0, 0], own[:, 1, 1] = np.cos(turn), np.cos(turn)
        own[:, 0, 1], own[:, 1, 0] = -np.sin(turn), np.sin(turn)
        way = moves["position"] - moves["position"][:, :1]
        own[:, :3, 3] = np.stack([np.interp(frames, timing.frames, row) for row in way], axis=1)
        # It turns about the character, wherever that was at the start.
        there = np.eye(4)
        there[:3, 3] = moves["position"][:, 0]
        return np.asarray(body @ there @ own @ np.linalg.inv(body @ there))

    return Route(
        fastest=float(speeds.max()),
        mean=float(np.average(level[1:], weights=moves["dt"][1:])),
        steady=bool(np.ptp(speeds) < 1e-9 * max(speeds.max(), 1e-9) and np.ptp(yaw) < 1e-9),
        surface=None if terrain.ground is None else terrain.surface,
        carried=carried,
    )


def _put_down(moves: dict[str, Any], terrain: Terrain) -> None:
    """Let level moves go up and down with the ground."""
    if terrain.ground is None:
        return
    height, normal = terrain.along(moves["position"][:2])
    velocity = moves["velocity"]
    moves["position"][2] = height
    velocity[2] = -(normal[0] * velocity[0] + normal[1] * velocity[1]) / normal[2]


def _level(count: int) -> tuple[Floats, Floats]:
    normals = np.zeros((3, count))
    normals[2] = 1.0
    return np.zeros(count), normals


def _last_level(ways: Floats) -> Floats:
    """The ways, (3, frames), with the last level one in place of those that have no level part; at the start
    straight on."""
    level = np.hypot(ways[0], ways[1]) > 1e-9 * max(float(np.abs(ways).max()), 1e-300)
    last = np.maximum.accumulate(np.where(level, np.arange(ways.shape[1]) + 1, 0))
    padded = np.concatenate([np.array([[1.0], [0.0], [0.0]]), ways], axis=1)
    return np.ascontiguousarray(padded[:, last])
