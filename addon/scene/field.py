"""Grounds that have one height at every place: a level, and a function from a script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from .ground import Floats, Ground, Surface, as_points, check_limits


class HeightField(Ground):
    """Ground at z = function(x, y), where x and y are arrays (n,); not a number where there is none.

    spacing: the distance over which the slope is taken.
    """

    def __init__(self, function: Callable[[Floats, Floats], Any], spacing: float = 0.01) -> None:
        if not spacing > 0.0:
            raise BadSetting(f"spacing must be over 0, not {spacing:g}.")
        self._function = function
        self._spacing = spacing

    def heights(self, points: Floats, up: float = 0.5, down: float = 1e6) -> Surface:
        """See Ground."""
        points = as_points(points, 3)
        check_limits(up=up, down=down)
        height = self._at(points[0], points[1])
        step = height - points[2]
        return self._surface(points[:2], height, (step <= up) & (step >= -down), points[2])

    def follow(self, places: Floats, start: float, up: float = 0.5, down: float = 1e6) -> Surface:
        """See Ground."""
        places = as_points(places, 2)
        check_limits(up=up, down=down)
        height = self._at(places[0], places[1])
        found, kept = _passed(height, start, up, down)
        return self._surface(places, height, found, kept)

    def _surface(
        self, places: Floats, height: Floats, found: npt.NDArray[np.bool_], otherwise: Floats
    ) -> Surface:
        normal = np.zeros((3, places.shape[1]))
        normal[2] = 1.0
        for axis in (0, 1):
            ahead, behind = places.copy(), places.copy()
            ahead[axis] += self._spacing
            behind[axis] -= self._spacing
            rise = self._at(*ahead) - self._at(*behind)
            # Beside a place where there is no ground the slope is not known: taken as level.
            normal[axis] = np.where(np.isfinite(rise), -rise / (2.0 * self._spacing), 0.0)
        normal /= np.linalg.norm(normal, axis=0)
        normal[:, ~found] = [[0.0], [0.0], [1.0]]
        return Surface(np.where(found, height, otherwise), normal, found)

    def _at(self, x: Floats, y: Floats) -> Floats:
        found = np.asarray(self._function(x, y), dtype=np.float64)
        if found.shape not in ((), x.shape):
            raise BadSetting(
                f"The function of a height field must give one height for each place, {x.shape}, "
                f"not an array of shape {found.shape}."
            )
        return np.where(np.isfinite(found), found, np.nan) * np.ones_like(x)


class Flat(HeightField):
    """Level ground."""

    def __init__(self, height: float = 0.0) -> None:
        if not np.isfinite(height):
            raise BadSetting(f"The height of flat ground must be a finite number, not {height}.")
        super().__init__(lambda x, _: np.full_like(x, height))


def _passed(height: Floats, start: float, up: float, down: float) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Which heights a track keeps to that goes no further up or down at a time, and where it stands else."""
    found = np.zeros(len(height), dtype=bool)
    kept = np.full(len(height), float(start))
    at, last = 0, float(start)
    while at < len(height):  # one round for each gap
        steps = np.diff(height[at:], prepend=last)
        good = (steps <= up) & (steps >= -down)
        run = len(good) if good.all() else int(good.argmin())
        found[at : at + run] = True
        at += run
        if run:
            last = float(height[at - 1])
        kept[at:] = last
        near = (height[at:] - last <= up) & (height[at:] - last >= -down)
        at = at + int(near.argmax()) if near.any() else len(height)
    return found, kept
