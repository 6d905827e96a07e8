"""Whether a motion fits among what stands around, whether its mirror image does (JP4136341B2, M2 to M5).

Two tests. `reach` is the patent's: the largest reach over the whole motion, in its direction, against how far
off the obstacle is there. `full` looks at every part in every frame and on the way between, and so finds what
the first misses and lets pass what only looks too near.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import core
from .obstacles import Obstacle

Floats = npt.NDArray[np.float64]
Outcome = Literal["original", "mirrored", "both", "neither"]
# Heights on the reference line from which the obstacle is looked for.
LEVELS = 24
# Of the body's size: what is farther off than this is not looked at more closely, unless room is asked for.
NEAR = 0.4


@dataclass(frozen=True, slots=True)
class Reach:
    """The largest distance of any part from the reference line over the motion (M2): distance, metres, with
    the radius; direction: level unit vector of the world; part, frame: whose and when; line: a point on it;
    reference: how far the nearest obstacle is from the line in that direction (M4), infinite without
    one; obstacle: which.
    """

    distance: float
    direction: tuple[float, float, float]
    part: str
    frame: float
    line: tuple[float, float, float]
    reference: float
    obstacle: str

    @property
    def room(self) -> float:
        """Reference less distance, which the tolerance is compared with (M5)."""
        return self.reference - self.distance


@dataclass(frozen=True, slots=True)
class Fit:
    """How one of the two motions fits. clearance: least distance of any part from any obstacle, metres, below
    0 by how deep it is in, at most `limit`; part, frame, obstacle: whose, when, from what; beyond: the side
    of it that is too far; place: where that part
    is then; by_part: least clearance of each part by name; reach: of this motion; fits: by the test asked.
    """

    fits: bool
    clearance: float
    part: str
    frame: float
    obstacle: str
    beyond: str
    place: tuple[float, float, float]
    by_part: dict[str, float]
    reach: Reach
    limit: float

    def words(self) -> str:
        """What is to be said of it, without a full stop."""
        if self.clearance >= self.limit:
            return f"nothing is within {self.limit:.2g} m"
        if self.clearance < 0.0:
            depth = f"{-self.clearance:.3f} m"
            return f'"{self.part}" is {depth} {self.beyond} "{self.obstacle}" at frame {self.frame:g}'
        return f'"{self.part}" passes "{self.obstacle}" at {self.clearance:.3f} m at frame {self.frame:g}'


@dataclass(frozen=True, slots=True)
class Verdict:
    """outcome: which of the two fit; better: the one that fits better; tolerance: room that was asked for."""

    outcome: Outcome
    better: Literal["original", "mirrored"]
    original: Fit
    mirrored: Fit
    tolerance: float

    def words(self) -> str:
        """One sentence for people."""
        better = "motion" if self.better == "original" else "mirror image"
        text = {
            "original": "The motion fits as it is",
            "mirrored": "The mirror image fits, the motion itself does not",
            "both": "The motion and its mirror image both fit",
            "neither": f"Neither fits; the {better} fits better",
        }[self.outcome]
        return f"{text}: as it is {self.original.words()}; mirrored {self.mirrored.words()}."

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: what is infinite is None."""
        return _plain({**asdict(self), "words": self.words()})


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@dataclass(frozen=True, slots=True)
class Moving:
    """A motion of parts in the world. track: (2, 3, parts, frames); frames: (f,); names, radius: of parts;
    line: a point on the reference line; up: its direction; size: of the body.
    """

    track: Floats
    frames: Floats
    names: tuple[str, ...]
    radius: Floats
    line: Floats
    up: Floats
    size: float

    def moved(self, matrix: Floats) -> Moving:
        """The motion carried elsewhere by a matrix (4, 4) of the world."""
        turn = matrix[:3, :3]
        track = np.einsum("rc,scpf->srpf", turn, self.track) + matrix[:3, 3][:, None, None]
        scale = float(np.linalg.svd(turn, compute_uv=False)[0])
        line = turn @ self.line + matrix[:3, 3]
        return Moving(
            np.ascontiguousarray(track),
            self.frames,
            self.names,
            scale * self.radius,
            line,
            turn @ self.up,
            scale * self.size,
        )


def verdict(
    original: Moving, mirrored: Moving, obstacles: Sequence[Obstacle], tolerance: float, test: str
) -> Verdict:
    """Decide for a motion and its mirror image. test: "full" or "reach"."""
    first = fit(original, obstacles, tolerance, test)
    second = fit(mirrored, obstacles, tolerance, test)
    outcomes: dict[tuple[bool, bool], Outcome] = {
        (True, True): "both",
        (True, False): "original",
        (False, True): "mirrored",
        (False, False): "neither",
    }
    room = [one.reach.room if test == "reach" else one.clearance for one in (first, second)]
    better: Literal["original", "mirrored"] = "original"
    if not first.fits and (second.fits or room[1] > room[0]):
        better = "mirrored"
    return Verdict(outcomes[first.fits, second.fits], better, first, second, tolerance)


def fit(moving: Moving, obstacles: Sequence[Obstacle], tolerance: float, test: str) -> Fit:
    """How a motion fits among obstacles."""
    limit = max(NEAR * moving.size, 2.0 * tolerance)
    table, which = clearances(moving, obstacles, limit)
    part, at = np.unravel_index(int(np.argmin(table)), table.shape) if table.size else (0, 0)
    worst = float(table[part, at]) if table.size else limit
    found = reach(moving, obstacles)
    fits = found.room >= tolerance if test == "reach" else worst >= tolerance
    near = worst < limit
    place = moving.track[:, :, part, at].mean(axis=0) if table.size else np.zeros(3)
    return Fit(
        bool(fits),
        worst,
        moving.names[part] if near else "",
        float(moving.frames[at]) if table.size else 0.0,
        obstacles[which[part, at]].name if near else "",
        obstacles[which[part, at]].beyond if near else "",
        (float(place[0]), float(place[1]), float(place[2])),
        {name: float(table[k].min()) for k, name in enumerate(moving.names)} if table.size else {},
        found,
        limit,
    )


def clearances(
    moving: Moving, obstacles: Sequence[Obstacle], limit: float
) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Least clearance of each part in each interval between frames, and from which obstacle: (parts, f - 1)
    twice; (parts, 1) for a single frame; limit: the most that is told. Parts move in
    straight lines between frames."""
    track = moving.track
    parts, frames = track.shape[2:]
    start, end = (track[..., :-1], track[..., 1:]) if frames > 1 else (track, track)
    shape = (parts, max(frames - 1, 1)) if parts else (0, 0)
    best, which = np.full(shape, limit), np.zeros(shape, np.intp)
    if not parts:
        return best, which
    count = shape[0] * shape[1]
    begins, ends = (np.ascontiguousarray(block.reshape(2, 3, count)) for block in (start, end))
    radius = np.repeat(moving.radius, shape[1])
    for number, obstacle in enumerate(obstacles):
        found = obstacle.clearance(begins, ends, radius, limit).reshape(shape)
        which[found < best] = number
        best = np.minimum(best, found)
    return best, which


def reach(moving: Moving, obstacles: Sequence[Obstacle]) -> Reach:
    """The largest reach from the reference line, and what stands in its direction (M2 to M4)."""
    distance, part, _, direction = core.load().reach(moving.track, moving.radius, moving.line, moving.up)
    at = int(np.argmax(distance)) if len(distance) else 0
    way = direction[:, at] if len(distance) else np.zeros(3)
    reference, name = math.inf, ""
    if np.any(way) and moving.track.size:
        heights = np.einsum("r,srpf->spf", moving.up, moving.track) - moving.up @ moving.line
        levels = np.linspace(heights.min(), heights.max(), LEVELS)
        points = moving.line[:, None] + moving.up[:, None] * levels
        for obstacle in obstacles:
            found = float(obstacle.along(points, way).min())
            if found < reference:
                reference, name = found, obstacle.name
    point = moving.line
    return Reach(
        float(distance[at]) if len(distance) else 0.0,
        (float(way[0]), float(way[1]), float(way[2])),
        moving.names[int(part[at])] if len(distance) and part[at] >= 0 else "",
        float(moving.frames[at]) if len(distance) else 0.0,
        (float(point[0]), float(point[1]), float(point[2])),
        reference,
        name,
    )
