"""What every ground answers: how high it is, which way it faces, and where a foot can stand."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting

Floats = npt.NDArray[np.float64]

# The largest coordinate or distance that the core takes.
LARGEST = 1e14

# Directions that are tried around a place, of a full turn.
AROUND = 16


@dataclass(frozen=True, slots=True)
class Surface:
    """Ground at n places.

    height: (n,), Z; where nothing was found, the height that was asked at.
    normal: (3, n), unit, upward; straight up where nothing was found.
    found: bool (n,).
    """

    height: Floats
    normal: Floats
    found: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Footing:
    """What a foot needs of the ground under it.

    patch: (2, k), k >= 3 points of the sole about the place that it stands at, forward and to the left; as
        close to each other as the narrowest hole that is to be found.
    spread: how far the ground under them may be off a plane. steepest: of that plane, in degrees.
    up, down: how far over and under the asked height the ground may be.
    headroom: how much room there must be above; 0 for any.
    """

    patch: Floats
    spread: float = 0.02
    steepest: float = 35.0
    up: float = 0.5
    down: float = 0.5
    headroom: float = 0.0

    def __post_init__(self) -> None:
        patch = as_points(self.patch, 2)
        if patch.shape[1] < 3 or np.linalg.matrix_rank(patch - patch.mean(axis=1, keepdims=True)) < 2:
            raise BadSetting("The patch of a footing must hold three points or more, not all on one line.")
        check_limits(spread=self.spread, up=self.up, down=self.down, headroom=self.headroom)
        if not 0.0 <= self.steepest < 90.0:
            raise BadSetting(f"steepest must be from 0 to under 90 degrees, not {self.steepest:g}.")


@dataclass(frozen=True, slots=True)
class Stand:
    """A foot on the ground at each of n places.

    place: (3, n), where its place comes to lie: no point of its patch is under the ground there.
    normal: (3, n), of the plane that the sole lies in; unit, upward.
    solid: bool (n,), whether the ground is as the footing wants it; elsewhere place is the one asked for.
    """

    place: Floats
    normal: Floats
    solid: npt.NDArray[np.bool_]


class Ground(ABC):
    """Ground to walk on. Every question is asked of many places at once.

    notes: one sentence each, on what was not taken as it was given.
    """

    notes: tuple[str, ...] = ()

    @abstractmethod
    def heights(self, points: Floats, up: float = 0.5, down: float = 1e6) -> Surface:
        """The highest surface at most `up` over and `down` under each point, (3, n).

        So neither a ceiling nor a bridge overhead is ground, nor what is too high to step on.
        """

    @abstractmethod
    def follow(self, places: Floats, start: float, up: float = 0.5, down: float = 1e6) -> Surface:
        """Heights along a track of places, (2, n), in the order in which they are passed.

        Each is looked for as in `heights`, from the height of the place before; the first from `start`. Where
        nothing is found the height stays.
        """

    def room(self, points: Floats, most: float) -> Floats:
        """How far it is from each point, (3, n), straight up to the next surface; at most `most`."""
        return np.full(points.shape[1], float(most))

    def stand(self, points: Floats, heading: npt.ArrayLike, footing: Footing) -> Stand:
        """Put feet down at points, (3, n), each turned by its heading (n,), radians from X towards Y."""
        points = as_points(points, 3)
        patch = np.asarray(footing.patch, dtype=np.float64)
        turn = np.broadcast_to(np.asarray(heading, dtype=np.float64), points.shape[1:])
        forward = np.stack([np.cos(turn), np.sin(turn)])
        left = np.stack([-forward[1], forward[0]])
        spots = np.empty((3, points.shape[1], patch.shape[1]))
        spots[:2] = points[:2, :, None] + forward[:, :, None] * patch[0] + left[:, :, None] * patch[1]
        spots[2] = points[2, :, None]
        under = self.heights(spots.reshape(3, -1), footing.up, footing.down)
        found = under.found.reshape(spots.shape[1:]).all(axis=1)
        ground = under.height.reshape(spots.shape[1:])

        # The plane height = c0 + c1 forward + c2 left that is nearest to all of them.
        basis = np.stack([np.ones(patch.shape[1]), *patch])
        plane = np.linalg.pinv(basis.T) @ ground.T
        off = ground - plane.T @ basis
        rise = forward * plane[1] + left * plane[2]
        length = np.sqrt(1.0 + plane[1] ** 2 + plane[2] ** 2)
        level = 1.0 / length >= math.cos(math.radians(footing.steepest))
        solid = found & level & (np.ptp(off, axis=1) <= footing.spread)
        if footing.headroom > 0.0 and solid.any():
            spots[2] = ground
            over = spots[:, solid].reshape(3, -1)
            free = self.room(over, footing.headroom) >= footing.headroom
            solid[solid] = free.reshape(-1, patch.shape[1]).all(axis=1)

        place = points.copy()
        place[2] = np.where(solid, plane[0] + off.max(axis=1), points[2])
        normal = np.stack([-rise[0], -rise[1], np.ones_like(length)]) / length
        return Stand(place, np.where(solid, normal, [[0.0], [0.0], [1.0]]), solid)

    def stand_near(
        self, points: Floats, heading: npt.ArrayLike, footing: Footing, reach: float = 0.3, step: float = 0.02
    ) -> Stand:
        """Put feet down at points, or at the nearest place within `reach` of each that is solid.

        Places are tried in rings `step` apart, in 16 directions: straight on first, sideways last.
        """
        if not 0.0 < step <= reach:
            raise BadSetting(f"step must be over 0 and at most reach, {reach:g}, not {step:g}.")
        best = self.stand(points, heading, footing)
        points = as_points(points, 3)
        turn = np.broadcast_to(np.asarray(heading, dtype=np.float64), points.shape[1:])
        angles = np.arange(AROUND) * (2.0 * np.pi / AROUND)
        # The same side for the left and right foot would push one of them inwards: equals are equal.
        angles = angles[
            np.lexsort((angles, np.round(-np.cos(angles), 9), np.round(np.abs(np.sin(angles)), 9)))
        ]
        for ring in range(1, int(reach / step + 1e-9) + 1):
            left = np.flatnonzero(~best.solid)
            if not len(left):
                break
            way = turn[left, None] + angles
            tried = np.repeat(points[:, left, None], AROUND, axis=2)
            tried[0] += ring * step * np.cos(way)
            tried[1] += ring * step * np.sin(way)
            there = self.stand(tried.reshape(3, -1), np.repeat(turn[left], AROUND), footing)
            solid = there.solid.reshape(-1, AROUND)
            first = np.arange(len(left)) * AROUND + solid.argmax(axis=1)
            for mine, theirs in ((best.place, there.place), (best.normal, there.normal)):
                mine[:, left] = np.where(solid.any(axis=1), theirs[:, first], mine[:, left])
            best.solid[left] = solid.any(axis=1)
        return best


def as_points(points: Any, rows: int) -> Floats:
    """The points as float64 (rows, n), contiguous and finite, or BadSetting."""
    found = np.ascontiguousarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[0] != rows:
        raise BadSetting(f"Points must be an array of shape ({rows}, n), not {found.shape}.")
    if not (np.abs(found) <= LARGEST).all():
        raise BadSetting(f"Points must be numbers of at most {LARGEST:g}.")
    return found


def check_limits(**limits: float) -> None:
    """Refuse, by its name, a distance that is negative or no number."""
    for name, value in limits.items():
        if not 0.0 <= value <= LARGEST:
            raise BadSetting(f"{name} must be a number from 0 to {LARGEST:g}, not {value:g}.")
