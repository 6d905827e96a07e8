"""Where a character goes, frame by frame: places, facings and velocities, each free of the others.

Arrays, or a function that steers: both give the same motion, to the bit, since steering only notes down what
it is told (G23 of the source, JP5486213B2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Course:
    """One column for each frame, from the first on: metres and metres a second of the world.

    velocity: float64 (3, frames). facing: (3, frames), any length, its level part counts; None: the way of
    the velocity, and while that is 0 the last one. position: (3, frames); None: from `start` on by velocity
    times the time of a frame (S20). start: (3,), None: where the rig stands.
    """

    velocity: Floats
    facing: Floats | None = None
    position: Floats | None = None
    start: Sequence[float] | Floats | None = None

    @property
    def frames(self) -> int:
        """How many."""
        return int(self.velocity.shape[1])


@dataclass(frozen=True, slots=True)
class Steer:
    """What a function that steers is told. frame: counted from 0; time: seconds; position: (3,), metres of
    the world, at the end of the frame before; facing: (3,), there.
    """

    frame: int
    time: float
    position: Floats
    facing: Floats


def steered(
    steer: Callable[[Steer], tuple[Sequence[float], Sequence[float] | None]],
    frames: int,
    fps: float,
    *,
    start: Floats,
    facing: Floats,
) -> Course:
    """The course that a function gives: called once a frame, in order, it returns (velocity, facing), both
    (3,), facing None: as before. The first frame does not move. Raises BadSetting.
    """
    position, faced = np.array(start, dtype=np.float64), np.array(facing, dtype=np.float64)
    velocities, facings = np.zeros((3, frames)), np.zeros((3, frames))
    for frame in range(frames):
        try:
            velocity, turned = steer(Steer(frame, frame / fps, position.copy(), faced.copy()))
            velocities[:, frame] = velocity
            faced = faced if turned is None else np.array(turned, dtype=np.float64)
            facings[:, frame] = faced
        except (TypeError, ValueError) as reason:
            raise BadSetting(
                f"What steers must return a velocity and a facing, three numbers each; in frame {frame} it "
                f"does not ({reason})."
            ) from reason
        if frame:
            position = position + velocities[:, frame] * (1.0 / fps)
    return Course(velocities, facings, None, start)


def checked(course: Any) -> Course:
    """The course as float64 arrays of one length. Raises BadSetting."""
    if not isinstance(course, Course):
        raise BadSetting(f"course must be a Course or a function that steers, not {course!r}.")
    rows: dict[str, Floats | None] = {}
    for name in ("velocity", "facing", "position"):
        value = getattr(course, name)
        if value is None and name != "velocity":
            rows[name] = None
            continue
        try:
            array = np.ascontiguousarray(value, dtype=np.float64)
        except (TypeError, ValueError) as reason:
            raise BadSetting(f"{name} of the course is no array of numbers: {reason}.") from reason
        if array.ndim != 2 or len(array) != 3 or array.shape[1] < 2 or not np.isfinite(array).all():
            raise BadSetting(
                f"{name} of the course must be finite numbers of shape (3, frames), at least 2 frames; it "
                f"has shape {array.shape}."
            )
        rows[name] = array
    velocity = rows["velocity"]
    assert velocity is not None
    for name, row in rows.items():
        if row is not None and row.shape != velocity.shape:
            raise BadSetting(f"{name} of the course has {row.shape[1]} frames, velocity {velocity.shape[1]}.")
    return Course(velocity, rows["facing"], rows["position"], course.start)
