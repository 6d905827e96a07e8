"""Twin of csrc/curve.c: one curve, one frame at a time, in float64; the Bezier's parameter by bisection."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tests.reference import quat

Array = NDArray[np.float64]

CONSTANT, LINEAR, BEZIER = range(3)
NONE, REPEAT, OFFSET, MIRROR = range(4)


def bezier(a: Array, b: Array, c: Array, d: Array, x: float) -> float:
    """Height at time x of the Bezier a b c d; handles that reach past the other key are cut there."""
    span = d[0] - a[0]
    if abs(b[0] - a[0]) > span:
        b = a + (b - a) * span / abs(b[0] - a[0])
    if abs(c[0] - d[0]) > span:
        c = d + (c - d) * span / abs(c[0] - d[0])

    def place(t: float) -> Array:
        return (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t * t * (1 - t) * c + t**3 * d

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if place(middle)[0] > x else (middle, high)
    return float(place(low)[1])


def inside(keys: Array, left: Array, right: Array, kinds: Sequence[int], x: float) -> float:
    """The value within the keys, x between the first and the last."""
    near = np.flatnonzero(np.abs(keys[:, 0] - x) < 1e-4)
    if len(near):
        return float(keys[near[0], 1])
    k = int(np.searchsorted(keys[:, 0], x)) - 1
    a, d = keys[k], keys[k + 1]
    if kinds[k] == BEZIER:
        return bezier(a, right[k], left[k + 1], d, x)
    return float(a[1] + (d[1] - a[1]) * (x - a[0]) / (d[0] - a[0])) if kinds[k] == LINEAR else float(a[1])


def line(keys: Array, left: Array, right: Array, kinds: Sequence[int], x: float) -> float:
    """The value on the straight line through an end key along which the curve leaves it."""
    k, handles, other = (0, left, 1) if x < keys[0, 0] else (len(keys) - 1, right, len(keys) - 2)
    if kinds[k] == CONSTANT or (kinds[k] == LINEAR and len(keys) == 1):
        return float(keys[k, 1])
    away = keys[k] - (keys[other] if kinds[k] == LINEAR else handles[k])
    return float(keys[k, 1] + (x - keys[k, 0]) * away[1] / away[0]) if away[0] else float(keys[k, 1])


def value(
    keys: Array, left: Array, right: Array, kinds: Sequence[int], beyond: Sequence[int], x: float
) -> float:
    """A curve's value at frame x. keys, left, right: (n, 2); beyond: as csrc/curve.h says."""
    straight, before, before_rounds, after, after_rounds = beyond
    first, last = keys[0], keys[-1]
    length = last[0] - first[0]
    raised = 0.0
    mode, most = (before, before_rounds) if x < first[0] else (after, after_rounds)
    if not first[0] <= x <= last[0] and length > 0 and mode != NONE:
        past = x - (first[0] if x < first[0] else last[0])
        if most == 0 or abs(past) / length <= most:
            number = int(np.floor((x - first[0]) / length))  # of the round that x is in; 0 is the keys' own
            x -= number * length
            if mode == MIRROR and number % 2:
                x = first[0] + last[0] - x
            raised = number * (last[1] - first[1]) if mode == OFFSET else 0.0
    if first[0] <= x <= last[0]:
        return raised + inside(keys, left, right, kinds, x)
    return raised + (
        line(keys, left, right, kinds, x) if straight else float((first if x < first[0] else last)[1])
    )


def from_euler(angles: Array, order: str) -> Array:
    """Quaternion (4,) of three angles by axis; the first axis of the order turns first."""
    turned = np.array([[1.0], [0.0], [0.0], [0.0]])
    for axis in order:
        k = "XYZ".index(axis)
        turn = np.zeros((4, 1))
        turn[0], turn[1 + k] = np.cos(angles[k] / 2), np.sin(angles[k] / 2)
        turned = quat.multiply(turn, turned)
    return turned[:, 0]
