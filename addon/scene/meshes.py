"""Ground made of the scene's meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import core
from ..errors import AmbleError, BadSetting
from .field import Flat, HeightField
from .ground import Floats, Ground, Surface, as_points, check_limits
from .read import Soup, read_soup

UP = np.array([[0.0], [0.0], [1.0]])


class MeshGround(Ground):
    """Ground of triangles, either side up. soup: where they came from; mesh: the core's."""

    def __init__(self, soup: Soup) -> None:
        self.soup = soup
        self.notes = soup.notes
        self._core = core.load()
        try:
            self.mesh = self._core.mesh_build(soup.vertices, soup.triangles)
        except ValueError as error:
            raise AmbleError(f"{' and '.join(soup.names)} cannot be used as ground: {error}.") from error

    def heights(self, points: Floats, up: float = 0.5, down: float = 1e6) -> Surface:
        """See Ground."""
        points = as_points(points, 3)
        check_limits(up=up, down=down)
        start = points + up * UP
        way = np.broadcast_to(-UP, start.shape).copy()
        distance, normal, triangle = self._core.mesh_rays(self.mesh, start, way, length=up + down)
        found = triangle >= 0
        return Surface(np.where(found, start[2] - distance, points[2]), np.where(found, normal, UP), found)

    def follow(self, places: Floats, start: float, up: float = 0.5, down: float = 1e6) -> Surface:
        """See Ground."""
        places = as_points(places, 2)
        check_limits(up=up, down=down)
        height, normal, triangle = self._core.mesh_follow(self.mesh, places, start, up, down)
        found = triangle >= 0
        return Surface(height, np.where(found, normal, UP), found)

    def room(self, points: Floats, most: float) -> Floats:
        """See Ground. The surface that a point lies on is no ceiling."""
        points = as_points(points, 3)
        # The core's own precision, of the largest coordinate, and more than the rounding of a height.
        clear = 1e-9 * max(1.0, float(np.abs(points).max(initial=0.0)))
        way = np.broadcast_to(UP, points.shape).copy()
        distance, _, _ = self._core.mesh_rays(self.mesh, points + clear * UP, way, length=float(most))
        return distance


def as_ground(ground: Any, character: Any = None) -> Ground:
    """Whatever ground is given as: a Ground; a height; a function of x and y; objects and collections.

    character: the armature that walks; it and its meshes are left out. None is level ground at 0.
    """
    if isinstance(ground, Ground):
        return ground
    if ground is None:
        return Flat()
    if isinstance(ground, bool):
        raise BadSetting(f"ground must be objects, a height or a function, not {ground}.")
    if isinstance(ground, (int, float)):
        return Flat(float(ground))
    if callable(ground):
        return HeightField(ground)
    return MeshGround(read_soup(ground, character))
