"""Orbits for the tests of the orbit gait, one field at a time, and courses to ride them on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import amble_core
import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

FIELDS = [name for name, _, _ in amble_core.ORBIT_FIELDS]
SETTINGS = [name for name, _, _ in amble_core.RIDE_SETTINGS]
GOINGS = ("forward", "backward", "sideways")


def sizes(name: str, value: float | tuple[float, float] | dict[str, tuple[float, float]]) -> dict[str, float]:
    """The fields of a size: one for all, a pair slow and fast, or a pair by way of going."""
    if isinstance(value, dict):
        pairs = value
    else:
        pairs = dict.fromkeys(GOINGS, value if isinstance(value, tuple) else (value, value))
    return {f"{g}_{s}_{name}": pairs[g][k] for g in GOINGS for k, s in enumerate(("slow", "fast"))}


@dataclass
class Part:
    """A row of the core's orbits, and its corners."""

    row: dict[str, float]
    corners: Sequence[tuple[float, float]]


def part(
    *,
    centre: Sequence[float] = (0.0, 0.0, 0.0),
    ahead: Sequence[float] = (1.0, 0.0, 0.0),
    upward: Sequence[float] = (0.0, 0.0, 1.0),
    echo: Sequence[float] = (0.0, 0.0, 0.0),
    length: Any = 2.0,
    height: Any = 1.0,
    tilt: Any = 0.0,
    corners: Sequence[tuple[float, float]] = (),
    **given: float,
) -> Part:
    """An ellipse 2 by 1 around the character's place; with corners a polygon of that size."""
    row = {"on": -1.0, "source": -1.0, "rate": 1.0, "curve": 1.0 if corners else 0.0, **given}
    row["corners"] = float(len(corners))
    for name, vector in (("centre", centre), ("ahead", ahead), ("upward", upward), ("echo", echo)):
        row |= {f"{name}_{a}": v for a, v in zip(("forward", "left", "up"), vector, strict=True)}
    for name, value in (("length", length), ("height", height), ("tilt", tilt)):
        row |= sizes(name, value)
    assert set(row) <= set(FIELDS)
    return Part(row, corners)


def rows(*parts: Part) -> tuple[Array, Array]:
    """Orbits and vertices."""
    orbits = np.array([[one.row.get(name, 0.0) for name in FIELDS] for one in parts])
    return orbits, np.array([c for one in parts for c in one.corners], dtype=np.float64).reshape(-1, 2)


def ride(**given: float) -> Array:
    """Settings: the travel's angle is 1 a length; nothing lands softly, nothing grows."""
    values = {"fast": 10.0, "rate": 1.0, "axes": 2.0, "step": 1.0, **given}
    assert set(values) <= set(SETTINGS)
    return np.array([values.get(name, 0.0) for name in SETTINGS])


def course(
    velocity: ArrayLike, facing: ArrayLike = (1.0, 0.0, 0.0), dt: ArrayLike = 1.0, start: ArrayLike = 0.0
) -> dict[str, Array]:
    """A course by velocities (frames, 3) or one for all frames, and the same of facings."""
    moves = np.atleast_2d(np.asarray(velocity, dtype=np.float64))
    faces = np.broadcast_to(np.asarray(facing, dtype=np.float64), moves.shape)
    steps = np.broadcast_to(np.asarray(dt, dtype=np.float64), len(moves))
    places = np.cumsum(moves * steps[:, None], axis=0) + np.asarray(start, dtype=np.float64)
    columns = {"position": places, "velocity": moves, "facing": faces}
    return {**{name: np.ascontiguousarray(v.T) for name, v in columns.items()}, "dt": np.array(steps)}


@dataclass
class Ride:
    """What came of a ride."""

    tracks: Array
    phase: Array
    going: NDArray[np.int32]
    turning: Array
    state: Array

    def place(self, number: int) -> Array:
        """(frames, 3)."""
        return self.tracks[number, :3].T


def run(parts: Sequence[Part], going: dict[str, Array], state: Array | None = None, **given: float) -> Ride:
    """Ride the parts along a course."""
    orbits, vertices = rows(*parts)
    state = np.zeros(amble_core.ORBIT_STATE) if state is None else state
    return Ride(*amble_core.orbit_ride(orbits, vertices, ride(**given), **going, state=state))


@dataclass
class Landing:
    """What came of a landing."""

    tracks: Array
    soles: Array
    down: NDArray[np.int32]
    state: Array


def land(
    parts: Sequence[Part],
    going: dict[str, Array],
    tracks: Array,
    height: ArrayLike = 0.0,
    normal: ArrayLike = (0.0, 0.0, 1.0),
    state: Array | None = None,
    **given: float,
) -> Landing:
    """Land the parts on ground of one height, or one for each part and frame, and one normal."""
    orbits, vertices = rows(*parts)
    lands = int(sum(one.row.get("lands", 0.0) for one in parts))
    frames = tracks.shape[2]
    ground = {
        "height": np.ascontiguousarray(
            np.broadcast_to(np.asarray(height, dtype=np.float64), (lands, frames))
        ),
        "normal": np.ascontiguousarray(
            np.broadcast_to(np.asarray(normal, dtype=np.float64)[:, None], (lands, 3, frames))
        ),
        "state": np.zeros((lands, 3)) if state is None else state,
    }
    return Landing(*amble_core.orbit_land(orbits, vertices, ride(**given), **going, tracks=tracks, **ground))
