"""The planes of a mirror image: the body's own, and the one that is asked for, as the core takes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
# Cosine between a normal and the vertical over which there is no level direction left in it.
STEEP = 0.999


@dataclass(frozen=True, slots=True)
class Plane:
    """normal . x = offset, in armature units; normal of length 1."""

    normal: Floats
    offset: float

    @property
    def matrix(self) -> Floats:
        """The reflection about it, (4, 4)."""
        found = np.eye(4)
        found[:3, :3] -= 2.0 * np.outer(self.normal, self.normal)
        found[:3, 3] = 2.0 * self.offset * self.normal
        return found

    @property
    def row(self) -> Floats:
        """(4,), as the core takes it."""
        return np.append(self.normal, self.offset)

    def turn_to(self, other: Plane) -> Floats:
        """The rigid motion (3, 4) that, after the reflection about this plane, makes it that about the other.

        Where both hold a common line it is a turn about that line, by twice the angle between them.
        """
        if np.array_equal(self.row, other.row):
            return np.eye(4)[:3].copy()
        return np.ascontiguousarray((other.matrix @ self.matrix)[:3])

    def carried(self, matrix: Floats) -> Plane:
        """The plane moved by a rigid or evenly scaled motion (4, 4)."""
        normal = matrix[:3, :3] @ self.normal
        normal = normal / np.linalg.norm(normal)
        point = matrix[:3, :3] @ (self.offset * self.normal) + matrix[:3, 3]
        return Plane(normal, float(normal @ point))


def level(normal: Floats, up: Floats) -> Floats | None:
    """The part of a direction that is square to `up`, of length 1; None where nothing is left of it."""
    size = float(np.linalg.norm(normal))
    if not np.isfinite(size) or size == 0.0 or abs(float(normal @ up)) > STEEP * size:
        return None
    flat = normal / size - (normal @ up) / size * up
    return np.asarray(flat / np.linalg.norm(flat))


def upright(matrix: Floats, facing: Floats, up: Floats) -> Floats:
    """The part of a rigid motion (4, 4) that keeps `up`: its turn about it, and its move; (4, 4)."""
    heading = matrix[:3, :3] @ facing
    ahead = level(heading, up)
    if ahead is None:
        ahead = facing
    left, was = np.cross(up, ahead), np.cross(up, facing)
    found = np.eye(4)
    found[:3, :3] = np.outer(ahead, facing) + np.outer(left, was) + np.outer(up, up)
    found[:3, 3] = matrix[:3, 3]
    return found
