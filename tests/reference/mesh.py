"""Triangle meshes, every question put to every triangle: slow twins of the core's mesh_*."""

import numpy as np


def corners(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(m, 3, 3): the three corners of each triangle."""
    return vertices[triangles]


def ray(tri: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Distance along a ray to each triangle, inf where it is not met (Cramer's rule, edges included)."""
    direction = direction / np.linalg.norm(direction)
    found = np.full(len(tri), np.inf)
    for i, (a, b, c) in enumerate(tri):
        # origin + t direction = a + u (b - a) + v (c - a)
        system = np.stack([-direction, b - a, c - a], axis=1)
        if abs(np.linalg.det(system)) > 1e-14 * max(1.0, np.abs(system).max()) ** 3:
            t, u, v = np.linalg.solve(system, origin - a)
            if t >= 0.0 and u >= 0.0 and v >= 0.0 and u + v <= 1.0:
                found[i] = t
    return found


def follow(tri: np.ndarray, places: np.ndarray, start: float, up: float, down: float) -> list[float]:
    """Heights along a track, each place by a ray from `up` over the last height; nan where nothing is."""
    found = []
    for x, y in places.T:
        distance = ray(tri, np.array([x, y, start + up]), np.array([0.0, 0.0, -1.0])).min(initial=np.inf)
        found.append(start + up - distance if distance <= up + down else np.nan)
        start = found[-1] if np.isfinite(found[-1]) else start
    return found
