"""From values and slopes to Bezier keys. No Blender in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class KeyRows:
    """Keys and handles of n curves, one after the other.

    starts: (n + 1,), curve k has the keys starts[k] to starts[k + 1]; points, left, right: (keys, 2), frame
    and value of the keys and of the handles before and after them.
    """

    starts: NDArray[np.intp]
    points: Float32
    left: Float32
    right: Float32

    @staticmethod
    def of(
        frames: NDArray[np.float64],
        values: Float32,
        slopes: Float32,
        before: NDArray[np.floating[Any]],
        after: NDArray[np.floating[Any]],
        counts: NDArray[np.intp],
        leaving: Float32 | None = None,
    ) -> KeyRows:
        """Keys with aligned handles.

        frames, values, slopes, before, after: (keys,) of all curves; slopes a frame, lengths of the handles
        in frames; counts: (n,), keys of each curve; leaving: (keys,), slopes after the keys, where those are
        others than before them.
        """
        time = frames.astype(np.float32)
        handles = []
        for reach, slope in ((-before, slopes), (after, slopes if leaving is None else leaving)):
            handle = np.empty((len(time), 2), np.float32)
            handle[:, 0] = time + reach
            # Frame numbers are float32, so a handle lands up to half a unit off its place. Its height follows
            # the place where it did land: the slope stays exact and the error is of second order, also at
            # frame 100,000.
            handle[:, 1] = values + slope * (handle[:, 0].astype(np.float64) - time)
            handles.append(handle)
        starts = np.concatenate(([0], np.cumsum(counts)))
        return KeyRows(starts, np.stack((time, values), axis=1), *handles)

    def followed_by(self, other: KeyRows) -> KeyRows:
        """These curves, then the other ones."""
        return KeyRows(
            np.concatenate((self.starts, self.starts[-1] + other.starts[1:])),
            np.concatenate((self.points, other.points)),
            np.concatenate((self.left, other.left)),
            np.concatenate((self.right, other.right)),
        )


def check_frames(frames: Any) -> NDArray[np.float64]:
    """Return `frames` (f,) as float64, f >= 1.

    ValueError when it is not one finite, strictly rising row; rising also as float32, which is what a key
    stores.
    """
    times = np.ascontiguousarray(frames, dtype=np.float64)
    if times.ndim != 1 or times.size == 0:
        raise ValueError(f"frames: one row with at least one frame is needed, not shape {times.shape}")
    if not np.isfinite(times).all():
        raise ValueError("frames: every frame must be a finite number")
    if (np.diff(times.astype(np.float32)) <= 0).any():
        raise ValueError("frames: every frame must lie after the one before it")
    return times


def bezier_keys(
    frames: NDArray[np.float64], values: Float32, slopes: Float32, leaving: Float32 | None = None
) -> KeyRows:
    """A key on every frame that draws exactly the cubic Hermite curve.

    frames: (f,) rising; values, slopes: (n, f), slopes per frame; leaving: those after the keys, where they
    have corners.

    A Bezier whose handles lie a third of the interval from their keys has time linear in its parameter and is
    the cubic Hermite of the two slopes. The outermost handles, which nothing reads, mirror their inner
    neighbours.
    """
    n, f = values.shape
    step = np.diff(frames) if f > 1 else np.ones(1)
    before = np.concatenate((step[:1], step)) if f > 1 else step
    after = np.concatenate((step, step[-1:])) if f > 1 else step
    time, before, after = (
        np.broadcast_to(row, (n, f)).ravel() for row in (frames, before / 3.0, after / 3.0)
    )
    after_keys = None if leaving is None else leaving.ravel()
    return KeyRows.of(time, values.ravel(), slopes.ravel(), before, after, np.full(n, f), after_keys)
