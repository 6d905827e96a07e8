"""Triangle meshes, every question put to every triangle: slow twins of the core's mesh_*."""

import numpy as np


def corners(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(m, 3, 3): the three corners of each triangle."""
    return vertices[triangles]


def ray(tri: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Distance along a ray to each triangle, inf where it is not met (Cramer's rule, edges included)."""
    direction = direction / np.linalg.norm(direction)
    a, b, c = tri[:, 0], tri[:, 1], tri[:, 2]
    # origin + t direction = a + u (b - a) + v (c - a)
    system = np.stack([np.broadcast_to(-direction, a.shape), b - a, c - a], axis=2)
    found = np.full(len(tri), np.inf)
    met = np.abs(np.linalg.det(system)) > 1e-14 * np.maximum(1.0, np.abs(system).max(axis=(1, 2))) ** 3
    t, u, v = np.linalg.solve(system[met], (origin - a)[met, :, None])[..., 0].T
    found[met] = np.where((t >= 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0), t, np.inf)
    return found


def follow(tri: np.ndarray, places: np.ndarray, start: float, up: float, down: float) -> list[float]:
    """Heights along a track, each place by a ray from `up` over the last height; nan where nothing is."""
    found = []
    for x, y in places.T:
        distance = ray(tri, np.array([x, y, start + up]), np.array([0.0, 0.0, -1.0])).min(initial=np.inf)
        found.append(start + up - distance if distance <= up + down else np.nan)
        start = found[-1] if np.isfinite(found[-1]) else start
    return found


def point_triangle(points: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """Distances of points (k, 3) from one triangle (3, 3), which may have no area."""
    a, b, c = triangle
    distance = np.full(len(points), np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        way = q - p
        t = np.clip((points - p) @ way / max(way @ way, 1e-300), 0.0, 1.0)
        distance = np.minimum(distance, np.linalg.norm(points - p - t[:, None] * way, axis=1))
    normal = np.cross(b - a, c - a)
    if normal @ normal == 0.0:
        return distance
    inside = np.ones(len(points), dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.cross(q - p, points - p) @ normal >= 0.0
    return np.where(inside, np.abs((points - a) @ normal) / np.linalg.norm(normal), distance)


def point_mesh(points: np.ndarray, tri: np.ndarray) -> np.ndarray:
    """Distances of points (k, 3) from the nearest of all triangles."""
    far = np.full(len(points), np.inf)
    return np.min([far, *(point_triangle(points, one) for one in tri)], axis=0)


def swept(start: np.ndarray, end: np.ndarray, u: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Places u of a moving axis at times t: (k, 3). start, end: (2, 3), its two ends."""
    ends = start[None] * (1.0 - t)[:, None, None] + end[None] * t[:, None, None]
    return ends[:, 0] * (1.0 - u)[:, None] + ends[:, 1] * u[:, None]


def axis_mesh(tri: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Distance of a moving axis from the mesh: its places and times sampled, then closer and closer about the
    nearest of the samples."""
    line = np.linspace(0.0, 1.0, 21)
    u, t = (grid.ravel() for grid in np.meshgrid(line, line))
    distance = point_mesh(swept(start, end, u, t), tri)
    best = np.inf
    for i in np.argsort(distance)[:4]:
        low_u, low_t, width = u[i], t[i], 0.05
        least = np.inf
        for _ in range(14):
            around = np.linspace(-width, width, 7)
            du, dt = (grid.ravel() for grid in np.meshgrid(around, around))
            us, ts = np.clip(low_u + du, 0.0, 1.0), np.clip(low_t + dt, 0.0, 1.0)
            near = point_mesh(swept(start, end, us, ts), tri)
            k = int(near.argmin())
            low_u, low_t, width = us[k], ts[k], width / 3.0
            least = min(least, float(near[k]))
        best = min(best, least)
    return best
