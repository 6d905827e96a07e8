"""Curves drawn anew where none of the same keys is exact: keys where they were, and few more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
# Values of channels (n, f) at rising frames (f,).
Motion = Callable[[Floats], Floats]

# Slopes are measured over this much of a frame, on each side of a key; a jump is looked for this near to one.
STEP = 1 / 64
JUMP = 1 / 512
# Segments are not cut shorter than this, frames.
SHORTEST = 1 / 8
_CHECKS = np.array([0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875])


@dataclass(frozen=True, slots=True)
class Fitted:
    """frames: float64 (f,); values, before, after: float64 (n, f), slopes per frame on each side of a key;
    steps: bool (f,), the curves hold their value until the next key; error: largest between the keys."""

    frames: Floats
    values: Floats
    before: Floats
    after: Floats
    steps: npt.NDArray[np.bool_]
    error: float


def fit(motion: Motion, frames: Floats, steps: npt.NDArray[np.bool_], tolerance: float) -> Fitted:
    """Keys on all of `frames` and as many between as bring cubics within the tolerance of the motion.

    frames: float64 (f,), rising; steps: (f,), the motion stands still from there until the next.
    """
    keys, held = _with_jumps(motion, frames, steps, tolerance)
    while True:
        found = _keyed(motion, keys, held, tolerance)
        cut, error = found
        if not cut.any():
            break
        middle = 0.5 * (keys[:-1] + keys[1:])[cut]
        # On a whole frame where one is near the middle: that is where people look for keys.
        whole = np.rint(middle)
        inside = (whole - keys[:-1][cut] > SHORTEST) & (keys[1:][cut] - whole > SHORTEST)
        at = np.flatnonzero(cut) + 1
        keys = np.insert(keys, at, np.where(inside, whole, middle))
        held = np.insert(held, at, False)
    values, before, after = _slopes(motion, keys)
    return Fitted(keys, values, before, after, held, error)


def _with_jumps(
    motion: Motion, frames: Floats, steps: npt.NDArray[np.bool_], tolerance: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The keys, with one more just before each that the motion jumps at."""
    if len(frames) < 2:
        return frames, np.asarray(steps, bool)
    near = frames[1:] - JUMP
    values = motion(np.sort(np.concatenate((frames, near))))
    at = np.searchsorted(np.sort(np.concatenate((frames, near))), near)
    jumps = (np.abs(values[:, at + 1] - values[:, at]) > np.maximum(tolerance, JUMP)).any(axis=0) & ~steps[
        :-1
    ]
    place = np.flatnonzero(jumps) + 1
    return np.insert(frames, place, near[jumps]), np.insert(np.asarray(steps, bool), place, True)


def _slopes(motion: Motion, keys: Floats) -> tuple[Floats, Floats, Floats]:
    """Values at the keys, and slopes from before and from after each, of second order."""
    gap = np.diff(keys)
    reach = np.minimum(STEP, 0.25 * np.concatenate((gap[:1], gap))) if len(gap) else np.full(len(keys), STEP)
    ahead = np.minimum(STEP, 0.25 * np.concatenate((gap, gap[-1:]))) if len(gap) else reach
    offsets = (-2.0 * reach, -reach, 0.0 * reach, ahead, 2.0 * ahead)
    # What Blender and the core look at are float32 frames: differences are taken between those.
    times = np.array([(keys + offset).astype(np.float32).astype(np.float64) for offset in offsets])
    unique, where = np.unique(times, return_inverse=True)
    values = motion(unique)[:, where.reshape(times.shape)]
    here = values[:, 2]
    slopes = []
    for near, far in ((1, 0), (3, 4)):
        h, k = times[near] - times[2], times[far] - times[2]
        one, two = values[:, near] - here, values[:, far] - here
        # The parabola through the three places; at both ends of the clip, where it is held, that is 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (one * k / h - two * h / k) / (k - h)
        slopes.append(np.where(np.isfinite(slope), slope, 0.0))
    return here, slopes[0], slopes[1]


def _keyed(
    motion: Motion, keys: Floats, held: npt.NDArray[np.bool_], tolerance: float
) -> tuple[npt.NDArray[np.bool_], float]:
    """Which segments have to be cut, and the largest error of the others."""
    if len(keys) < 2:
        return np.zeros(0, bool), 0.0
    values, before, after = _slopes(motion, keys)
    gap = np.diff(keys)
    times = keys[:-1, None] + gap[:, None] * _CHECKS
    true = motion(times.ravel()).reshape(len(values), *times.shape)
    u = _CHECKS
    drawn = (
        values[:, :-1, None] * (1 + 2 * u) * (1 - u) ** 2
        + values[:, 1:, None] * u * u * (3 - 2 * u)
        + gap[:, None] * (after[:, :-1, None] * u * (1 - u) ** 2 - before[:, 1:, None] * u * u * (1 - u))
    )
    error = np.abs(drawn - true).max(axis=(0, 2))
    error[held[:-1]] = 0.0
    return (error > tolerance) & (gap > 2.0 * SHORTEST), float(error.max(initial=0.0))
