"""What stands in the way: meshes, planes and boxes in their place, uneven ground, regions not to be left.

Vectors of many points are (3, n), in the world, in Blender's units.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import BadSetting
from ..scene import Ground, Soup, read_soup

Floats = npt.NDArray[np.float64]
# Strips that stand for the surface that a turning axis sweeps may be off it by this, of the limit of what is
# looked at.
SWEEP = 2e-3


class Obstacle(ABC):
    """Something that a body must stay off. name: what messages call it."""

    name: str
    beyond = "inside"  # where a part is that is too far

    @abstractmethod
    def clearance(self, start: Floats, end: Floats, radius: Floats, limit: float) -> Floats:
        """How far capsules stay off it while they move, (n,), below 0 by how deep they are in.

        start, end: (2, 3, n), both ends of each axis at the beginning and at the end; radius: (n,); limit:
        what is farther off than this is told as this.
        """

    @abstractmethod
    def along(self, origin: Floats, direction: Floats) -> Floats:
        """Distance from points (3, n) to it in one direction (3,) of length 1, (n,); infinite where it is not
        met (M4)."""


class Plane(Obstacle):
    """A plane in place of an obstacle, as of a wall of pipes (M4): the body stays on its normal's side."""

    beyond = "behind"

    def __init__(self, point: Sequence[float], normal: Sequence[float], name: str = "plane") -> None:
        self.name = name
        self.rows = np.array([_plane_row(np.asarray(point, float), np.asarray(normal, float))])

    def clearance(self, start: Floats, end: Floats, radius: Floats, limit: float) -> Floats:
        """See Obstacle."""
        found = core.load().plane_clearance(start, end, radius, self.rows, inside=True)
        return np.asarray(np.minimum(found, limit))

    def along(self, origin: Floats, direction: Floats) -> Floats:
        """See Obstacle."""
        return _to_planes(self.rows, origin, direction).min(axis=0)


class Box(Obstacle):
    """A box that stands for an obstacle: its middle, its full sizes, and how it is turned (3, 3)."""

    def __init__(
        self,
        middle: Sequence[float],
        size: Sequence[float],
        turn: npt.ArrayLike | None = None,
        name: str = "box",
    ) -> None:
        self.name = name
        self.rows = _box_rows(middle, size, turn)

    def clearance(self, start: Floats, end: Floats, radius: Floats, limit: float) -> Floats:
        """See Obstacle."""
        return np.asarray(np.minimum(core.load().plane_clearance(start, end, radius, self.rows), limit))

    def along(self, origin: Floats, direction: Floats) -> Floats:
        """See Obstacle."""
        # In at the last of the faces that are met from outside, unless another is left before.
        speed = self.rows[:, :3] @ direction
        far = self.rows[:, 3:] - self.rows[:, :3] @ origin
        with np.errstate(divide="ignore", invalid="ignore"):
            times = far / speed[:, None]
        outside = (far < 0.0) & (speed >= 0.0)[:, None]
        enter = np.where((speed < 0.0)[:, None], times, -np.inf).max(axis=0)
        leave = np.where((speed > 0.0)[:, None], times, np.inf).min(axis=0)
        met = (enter <= leave) & (leave >= 0.0) & ~outside.any(axis=0)
        return np.where(met, np.maximum(enter, 0.0), np.inf)


class Region(Obstacle):
    """Where the body may move, as on a ledge with an overhang: it stays within (JP4136341B2, fig. 7).

    planes: (m, 4), unit normals that point inward and distances: inside is normal . x > distance.
    """

    beyond = "outside"

    def __init__(self, planes: npt.ArrayLike, name: str = "region") -> None:
        self.name = name
        self.rows = np.ascontiguousarray(planes, dtype=np.float64).reshape(-1, 4)

    @classmethod
    def box(
        cls,
        middle: Sequence[float],
        size: Sequence[float],
        turn: npt.ArrayLike | None = None,
        name: str = "region",
    ) -> Region:
        """The inside of a box, as `Box`."""
        return cls(-_box_rows(middle, size, turn), name)

    def clearance(self, start: Floats, end: Floats, radius: Floats, limit: float) -> Floats:
        """See Obstacle."""
        found = core.load().plane_clearance(start, end, radius, self.rows, inside=True)
        return np.asarray(np.minimum(found, limit))

    def along(self, origin: Floats, direction: Floats) -> Floats:
        """See Obstacle."""
        return _to_planes(self.rows, origin, direction).min(axis=0)


class Mesh(Obstacle):
    """A mesh. inside: it is the surface of a region that the body stays within, instead of a thing."""

    def __init__(self, soup: Soup, name: str, *, inside: bool = False) -> None:
        self.name, self.inside = name, inside
        self.beyond = "outside" if inside else "inside"
        self._core = core.load()
        self.mesh = self._core.mesh_build(soup.vertices, soup.triangles)
        self.closed = _is_closed(soup.triangles)
        if inside and not self.closed:
            raise BadSetting(f'"{name}" is not closed and so bounds no region: close its surface.')

    def clearance(self, start: Floats, end: Floats, radius: Floats, limit: float) -> Floats:
        """See Obstacle."""
        sweep = SWEEP * limit
        found = self._core.mesh_clearance(self.mesh, start, end, radius, limit=limit, tolerance=sweep)[0]
        if not self.closed:
            return np.asarray(found)
        # An axis that goes through no face is on one side of them, that of any of its points.
        side = self._core.mesh_nearest(self.mesh, np.ascontiguousarray(start[0]))[0]
        wrong = (side < 0.0) != self.inside
        return np.where(wrong, -np.abs(side) - radius, found)

    def along(self, origin: Floats, direction: Floats) -> Floats:
        """See Obstacle."""
        way = np.repeat(np.asarray(direction, float)[:, None], origin.shape[1], axis=1)
        distance, _, triangle = self._core.mesh_rays(self.mesh, np.ascontiguousarray(origin), way)
        return np.where(triangle >= 0, distance, np.inf)


class Uneven(Obstacle):
    """Ground that is a height over every place: the body stays above."""

    def __init__(self, ground: Ground, name: str = "ground") -> None:
        self.name, self.ground = name, ground
        self.beyond = "under"

    def clearance(self, start: Floats, end: Floats, radius: Floats, limit: float) -> Floats:
        """See Obstacle. Looked at on both ends and in the middle of each axis, at begin and end."""
        places = [*start, 0.5 * (start[0] + start[1]), *end, 0.5 * (end[0] + end[1])]
        points = np.concatenate(places, axis=1)
        surface = self.ground.heights(points, up=limit, down=1e6)
        over = (points[2] - surface.height) * surface.normal[2]
        least = (
            np.where(surface.found, over, limit + radius.max(initial=0.0))
            .reshape(len(places), -1)
            .min(axis=0)
        )
        return np.asarray(np.minimum(least - radius, limit))

    def along(self, origin: Floats, direction: Floats) -> Floats:
        """See Obstacle. Ground is no wall: in a level direction it is met nowhere."""
        _ = direction
        return np.full(origin.shape[1], np.inf)


def as_obstacles(things: Any, character: Any = None, region: Any = None) -> list[Obstacle]:
    """Obstacles of whatever they are given as: objects and collections, as they stand, or obstacles.

    region: objects, or a Region, that the character must stay within. Raises AmbleError naming what has no
    faces or is no obstacle.
    """
    found: list[Obstacle] = []
    for thing in _listed(things):
        if isinstance(thing, Obstacle):
            found.append(thing)
        elif isinstance(thing, Ground):
            found.append(Uneven(thing))
        else:
            found += _meshes(thing, character, inside=False)
    for thing in _listed(region):
        found += [thing] if isinstance(thing, Obstacle) else _meshes(thing, None, inside=True)
    return found


def _listed(things: Any) -> list[Any]:
    if things is None:
        return []
    if isinstance(things, (str, bpy.types.ID)) or not isinstance(things, Iterable):
        return [things]
    return list(things)


def _meshes(thing: Any, character: Any, *, inside: bool) -> list[Obstacle]:
    soup = read_soup(thing, character)
    found: list[Obstacle] = []
    for number, name in enumerate(soup.names):
        own = soup.triangles[soup.owner == number]
        used, triangles = np.unique(own, return_inverse=True)
        part = Soup(
            np.ascontiguousarray(soup.vertices[used]),
            np.ascontiguousarray(triangles.reshape(-1, 3).astype(np.int32)),
            (name,),
            np.zeros(len(own), np.int32),
            (),
        )
        found.append(Mesh(part, name, inside=inside))
    return found


def _plane_row(point: Floats, normal: Floats) -> Floats:
    length = float(np.linalg.norm(normal))
    if not np.isfinite(length) or length == 0.0:
        raise BadSetting("A plane needs a normal that is not 0.")
    unit = normal / length
    return np.append(unit, unit @ point)


def _box_rows(middle: Any, size: Any, turn: Any) -> Floats:
    """Outward planes of a box."""
    axes = np.eye(3) if turn is None else np.asarray(turn, float)[:3, :3]
    centre, half = np.asarray(middle, float), 0.5 * np.asarray(size, float)
    if (half <= 0.0).any() or not np.isfinite(half).all():
        raise BadSetting(f"A box needs sizes over 0, not {tuple(size)}.")
    rows = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal = sign * axes[:, axis] / np.linalg.norm(axes[:, axis])
            rows.append(_plane_row(centre + half[axis] * normal, normal))
    return np.array(rows)


def _to_planes(rows: Floats, origin: Floats, direction: Floats) -> Floats:
    """Distances (m, n) along a direction to planes that are met from their outer side; 0 from behind."""
    speed = -(rows[:, :3] @ direction)
    far = rows[:, :3] @ origin - rows[:, 3:]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = far / speed[:, None]
    found = np.where((speed > 0.0)[:, None], times, np.inf)
    return np.where(far <= 0.0, 0.0, found)


def _is_closed(triangles: npt.NDArray[np.int32]) -> bool:
    """Whether each edge is walked once in each direction."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(
        np.int64
    )
    size = int(edges.max(initial=0)) + 1
    there = np.sort(edges[:, 0] * size + edges[:, 1])
    back = np.sort(edges[:, 1] * size + edges[:, 0])
    return bool(len(there) and np.array_equal(there, back) and (np.diff(there) > 0).all())
