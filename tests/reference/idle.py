"""Twin of csrc/idle.c and idle_clock.c: one character, one bone, one frame at a time, in float64."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tests.reference import quat

Array = NDArray[np.float64]
AGAIN, BACK, STAY = range(3)


def extended(times: Array, values: Array, after: int) -> tuple[Array, Array]:
    """The samples (n,), (n, rows) with one more round on either side, as the set goes on there."""
    length = times[-1]
    if after == AGAIN:
        return (
            np.concatenate([times[:-1] - length, times, times[1:] + length]),
            np.concatenate([values[:-1], values, values[1:]]),
        )
    mirrored = values if after == BACK else None
    before = -times[:0:-1]
    beyond = 2 * length - times[-2::-1]
    left = values[:0:-1] if mirrored is not None else np.repeat(values[:1], len(before), axis=0)
    right = values[-2::-1] if mirrored is not None else np.repeat(values[-1:], len(beyond), axis=0)
    return np.concatenate([before, times, beyond]), np.concatenate([left, values, right])


def sample(times: Array, values: Array, time: float, *, smooth: bool, after: int) -> Array:
    """Values (rows,) of a set (samples (n,), (n, rows)) at a time."""
    length = times[-1]
    if after == AGAIN:
        time = time % length
    elif after == BACK:
        time = time % (2 * length)
        time = min(time, 2 * length - time)
    else:
        time = min(max(time, 0.0), length)
    t, v = extended(times, values, after)
    k = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, len(t) - 2))
    if k + 1 >= len(t) - 1 or t[k] >= length:
        k = int(np.searchsorted(t, length)) - 1  # the end belongs to the last interval
    h = t[k + 1] - t[k]
    x = (time - t[k]) / h
    if not smooth:
        return np.asarray(v[k] + x * (v[k + 1] - v[k]))
    m0 = (v[k + 1] - v[k - 1]) / (t[k + 1] - t[k - 1])
    m1 = (v[k + 2] - v[k]) / (t[k + 2] - t[k])
    return np.asarray(
        (2 * x**3 - 3 * x**2 + 1) * v[k]
        + (x**3 - 2 * x**2 + x) * h * m0
        + (3 * x**2 - 2 * x**3) * v[k + 1]
        + (x**3 - x**2) * h * m1
    )


def turn(vector: Array) -> Array:
    """The quaternion of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle else vector
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def idle(
    changes: Callable[[int, float], Array],
    held: Array,
    factors: Array,
    when: Array,
    origins: Array,
    weights: Array,
) -> Array:
    """Rotations (bones, 4, frames) of one character.

    changes(set, time): (bones, 3); held: (bones, 4); factors: (bones,); when, weights: (sets, frames);
    origins: (sets,).
    """
    out = np.zeros((*held.shape, when.shape[1]))
    for frame in range(when.shape[1]):
        total = np.zeros((len(held), 3))
        for one in range(len(when)):
            total += weights[one, frame] * (changes(one, when[one, frame]) - changes(one, origins[one]))
        for bone in range(len(held)):
            step = turn(factors[bone] * total[bone])
            out[bone, :, frame] = quat.multiply(held[bone][:, None], step[:, None])[:, 0]
    return out
