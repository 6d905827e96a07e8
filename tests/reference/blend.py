"""The curves of a transition, slow and obvious, in float64."""

from __future__ import annotations

import math

import numpy as np
from tests.reference import quat

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def weight(curve: str, time: float, begin: float, length: float) -> float:
    """Weight of B."""
    if time >= begin + length:
        return 1.0
    u = max(time - begin, 0.0) / length
    return {
        "linear": u,
        "ease": 3 * u**2 - 2 * u**3,
        "overlap": 6 * u**5 - 15 * u**4 + 10 * u**3,
    }[curve]


def quintic(place: float, speed: float, length: float, time: float) -> float:
    """The polynomial of fifth degree with this place, speed and no acceleration at 0, all three 0 at
    length, from its six conditions."""
    if time >= length:
        return 0.0
    rows, right = [], [place, speed, 0.0, 0.0, 0.0, 0.0]
    for t in (0.0, length):
        rows.append([t**k for k in range(6)])
        rows.append([k * t ** (k - 1) if k else 0.0 for k in range(6)])
        rows.append([k * (k - 1) * t ** (k - 2) if k > 1 else 0.0 for k in range(6)])
    c = np.linalg.solve(np.array(rows), np.array(right))
    return float(sum(c[k] * time**k for k in range(6)))


def from_euler(order: str, angles: np.ndarray) -> np.ndarray:
    """Quaternion of angles about x, y, z turned in this order."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for letter in order:
        axis = "XYZ".index(letter)
        turn = np.zeros(4)
        turn[0], turn[1 + axis] = math.cos(angles[axis] / 2), math.sin(angles[axis] / 2)
        q = quat.multiply(turn[:, None], q[:, None])[:, 0]
    return q
