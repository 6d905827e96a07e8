"""From values and slopes to the Bezier keys that draw exactly the cubic Hermite curve. No Blender in here."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]


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
    frames: NDArray[np.float64], values: Float32, slopes: Float32
) -> tuple[Float32, Float32, Float32]:
    """Keys and handles of n curves over f frames.

    frames: (f,) rising; values, slopes: (n, f), slopes per frame.
    Returns keys, left handles, right handles, each (n, f, 2) of (frame, value), C-contiguous.

    A Bezier whose handles lie a third of the interval from their keys has time linear in its parameter and is
    the cubic Hermite of the two slopes. The outermost handles, which nothing reads, mirror their inner
    neighbours.
    """
    n, f = values.shape
    step = np.diff(frames) if f > 1 else np.ones(1)
    before = np.concatenate((step[:1], step)) if f > 1 else step
    after = np.concatenate((step, step[-1:])) if f > 1 else step

    time = frames.astype(np.float32)
    keys = np.empty((n, f, 2), np.float32)
    keys[..., 0] = time
    keys[..., 1] = values
    handles = []
    for reach in (-before / 3.0, after / 3.0):
        handle = np.empty((n, f, 2), np.float32)
        at = (time + reach).astype(np.float32)
        handle[..., 0] = at
        # Frame numbers are float32, so a handle lands up to half a unit off its third. Its height follows the
        # place where it did land: the slope stays exact and the error is of second order, also at frame
        # 100,000.
        handle[..., 1] = values + slopes * (at.astype(np.float64) - time)
        handles.append(handle)
    return keys, handles[0], handles[1]
