"""Ways for the tests of journeys, and the core's journeys along them as paths of feet, knees and hips."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import amble_core
import numpy as np
from numpy.typing import ArrayLike
from tests.core.bodies import Array, Body, Figure, Walk, settings

NEVER = 1e9
COLUMN = {name: index for index, name in enumerate(amble_core.JOURNEY_PLANT)}
PLACE = [COLUMN[axis] for axis in "xyz"]
NORMAL = [COLUMN[f"normal_{axis}"] for axis in "xyz"]
Ground = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class Way:
    """Samples of a way: seconds of the first, between two; place (2, n), facing and pace (n,)."""

    start: float
    step: float
    place: Array
    facing: Array
    pace: Array

    @property
    def times(self) -> Array:
        return self.start + self.step * np.arange(len(self.facing), dtype=np.float64)

    @property
    def end(self) -> float:
        return float(self.times[-1])

    @property
    def arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("start", "step", "place", "facing", "pace")}


def way(
    body: Body,
    speed: Callable[[Array], ArrayLike],
    turning: Callable[[Array], ArrayLike] = np.zeros_like,
    aside: float = 0.0,
    seconds: tuple[float, float] = (-4.0, 6.0),
    pace: float = 1.0,
) -> Way:
    """A way that passes its origin at time 0, facing forward: speeds (dimensionless) and rates of turning
    (radians a second) of times; aside: radians from facing to travel."""
    step = float(np.sqrt(body.leg / (9.81 * body.figure.size))) / 36.0
    before = round(-seconds[0] / step)
    times = step * (np.arange(before + round(seconds[1] / step) + 1, dtype=np.float64) - before)

    def summed(rate: Array) -> Array:
        sums = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) * step
        return sums - sums[before]

    def of_times(function: Callable[[Array], ArrayLike]) -> Array:
        return np.broadcast_to(np.asarray(function(times), dtype=np.float64), times.shape)

    facing = summed(of_times(turning))
    rate = body.speed(1.0) * of_times(speed)
    place = np.stack([summed(rate * np.cos(facing + aside)), summed(rate * np.sin(facing + aside))])
    return Way(float(times[0]), step, place, facing, np.full(len(times), pace))


def ramp(*knots: tuple[float, float]) -> Callable[[Array], Array]:
    """A function of time that goes straight from knot to knot (time, value), as it begins and ends beyond."""
    times, values = zip(*knots, strict=True)
    return lambda t: np.interp(t, times, values)


@dataclass
class Trip:
    """A journey of the core."""

    body: Body
    way: Way
    core: Any

    @property
    def plants(self) -> Array:
        return amble_core.journey_plants(self.core)

    def column(self, name: str) -> Array:
        return self.plants[:, COLUMN[name]]

    def of(self, leg: int) -> Array:
        """The footfalls of one leg."""
        plants = self.plants
        return plants[plants[:, 0] == leg]

    def stand_on(self, height: Ground, lifted: bool = True) -> "Trip":
        """Puts the feet onto a ground of heights by place, and lifts them over it."""
        plants = self.plants
        x, y, _ = plants[:, PLACE].T
        nudge = 1e-6 * self.body.leg
        plants[:, PLACE[2]] = height(x, y)
        normal = np.stack(
            [
                (height(x - nudge, y) - height(x + nudge, y)) / (2.0 * nudge),
                (height(x, y - nudge) - height(x, y + nudge)) / (2.0 * nudge),
                np.ones_like(x),
            ],
            axis=1,
        )
        plants[:, NORMAL] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
        amble_core.journey_stand(self.core, np.ascontiguousarray(plants))
        if lifted:
            probes = amble_core.journey_probes(self.core)
            amble_core.journey_heights(self.core, np.ascontiguousarray(height(*probes)))
        return self

    def run(self, time: ArrayLike, travel: bool = True) -> "Run":
        moments = np.ascontiguousarray(time, dtype=np.float64)
        found = amble_core.journey_pose(self.core, travel=travel, time=moments)
        return Run(self.body, moments, *found[:4], track=found[4], track_slope=found[5])


@dataclass
class Run(Walk):
    """The core's motion along a way; track: place and facing (4, frames), and the same a second."""

    track: Array
    track_slope: Array

    def reach(self, places: dict[tuple[str, str], Array]) -> Array:
        """Distance from hip to ankle over thigh and shin, (2, frames)."""
        found = []
        for side in "LR":
            hip, knee, ankle = (self.rest_head(f"{bone}.{side}") for bone in ("thigh", "shin", "foot"))
            longest = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
            apart = np.linalg.norm(places[side, "ankle"] - places[side, "hip"], axis=1)
            found.append(apart / longest)
        return np.array(found)


def trip(figure: Figure | Body, along: Way, first: int = 0, **given: float) -> Trip:
    body = figure if isinstance(figure, Body) else figure.body()
    values = settings(**{"gravity": 9.81 * body.figure.size, **given})
    core = amble_core.journey(**body.arguments, settings=values, first=first, **along.arguments)
    return Trip(body, along, core)
