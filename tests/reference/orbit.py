"""Twins of csrc/orbit.c: orbits as densely sampled closed curves, looked up, in float64.

Coordinates are (forward, upward); phase 0 is the top and the sense is top, front, bottom, back.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def ellipse_by_angle(phase: Array, forward: float, upward: float) -> Array:
    """(2, n): the ellipse's point on the ray at the true angle, by the eccentric angle that lies there."""
    eccentric = np.arctan2(np.sin(phase) / forward, np.cos(phase) / upward)
    return np.stack([forward * np.sin(eccentric), upward * np.cos(eccentric)])


def curve_by_length(phase: Array, points: Array) -> Array:
    """(2, n): places along a closed polygon (2, corners) by length, a round in 2 pi from its first corner."""
    closed = np.concatenate([points, points[:, :1]], axis=1)
    steps = np.hypot(*np.diff(closed, axis=1))
    marks = np.concatenate([[0.0], np.cumsum(steps)])
    length = np.mod(phase / (2 * np.pi), 1.0) * marks[-1]
    return np.stack([np.interp(length, marks, closed[0]), np.interp(length, marks, closed[1])])


def ellipse_by_length(phase: Array, forward: float, upward: float, samples: int = 400_000) -> Array:
    """(2, n): the ellipse at constant speed, as a polygon of many corners."""
    eccentric = np.linspace(0.0, 2 * np.pi, samples, endpoint=False)
    return curve_by_length(phase, np.stack([forward * np.sin(eccentric), upward * np.cos(eccentric)]))


def polygon_by_angle(phase: Array, vertices: Array) -> Array:
    """(2, n): where the ray at each angle meets the polygon (corners, 2): every edge is tried."""
    result = np.full((2, len(phase)), np.nan)
    for i, angle in enumerate(phase):
        ray = np.array([np.sin(angle), np.cos(angle)])
        for a, b in zip(vertices, np.roll(vertices, -1, axis=0), strict=True):
            system = np.stack([ray, a - b], axis=1)
            if abs(np.linalg.det(system)) < 1e-14:
                continue
            r, k = np.linalg.solve(system, a)
            if r > 0 and -1e-9 <= k <= 1 + 1e-9:
                result[:, i] = r * ray
    return result


def tilted(points: Array, tilt: float) -> Array:
    """Turned so that a positive tilt puts the front end down."""
    c, s = np.cos(tilt), np.sin(tilt)
    return np.array([[c, s], [-s, c]]) @ points
