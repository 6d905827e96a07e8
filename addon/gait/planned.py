"""What planned steps along a way have in common, whoever takes them: two legs (Journey) or any (Trail)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..report.tracks import Route
from ..scene import Ground
from .timing import Timing
from .way import Stage, Way

Floats = npt.NDArray[np.float64]

# How far above a place ground is still under the foot, of leg length.
STEP_UP = 0.45


class Planned(ABC):
    """Steps along a way, on a stage."""

    stage: Stage
    way: Way

    @abstractmethod
    def track(self, times: Floats) -> Floats:
        """Place and heading (4, n) of what goes along the way, at times in s."""

    def route(self, timing: Timing, ground: Ground | None, mean: float) -> Route:
        """For the report on the motion."""
        up = STEP_UP * self.stage.leg * self.stage.unit

        def surface(points: Floats) -> tuple[Floats, Floats]:
            assert ground is not None
            found = ground.heights(points, up=up)
            return np.where(found.found, found.height, points[2] - up), found.normal[2]

        fastest = self.way.fastest(0.0, (timing.end - timing.start) / timing.fps) * self.stage.unit
        return Route(
            fastest,
            mean,
            self.way.steady,
            None if ground is None else surface,
            self.carried(timing.start, timing.fps),
        )

    def carried(self, start: float, rate: float) -> Callable[[Floats], Floats]:
        """A function of frames: matrices (n, 4, 4) that carry what is at the way's beginning along it, in the
        world."""

        def matrices(frames: Floats) -> Floats:
            track = self.track((np.asarray(frames, dtype=np.float64) - start) / rate)
            own = np.tile(np.eye(4), (track.shape[1], 1, 1))
            cosine, sine = np.cos(track[3]), np.sin(track[3])
            own[:, 0, 0], own[:, 0, 1], own[:, 1, 0], own[:, 1, 1] = cosine, -sine, sine, cosine
            own[:, :3, 3] = track[:3].T
            return np.asarray(self.stage.matrix @ own @ np.linalg.inv(self.stage.matrix))

        return matrices
