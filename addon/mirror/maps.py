"""Constants of the mirror image of every bone, from the core, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import core
from ..rig.partners import Partners
from ..rig.skeleton import Skeleton
from .plane import Floats, Plane


@dataclass(frozen=True, slots=True)
class Map:
    """From a partner's channels to a bone's. rotation: 4 rows of 4, times the quaternion; location: 3 rows of
    4, three columns and what is added; scale: 3 rows of 3; general: there are no such constants; root: it
    hangs on no bone."""

    source: str
    rotation: list[list[float]]
    location: list[list[float]]
    scale: list[list[float]]
    general: bool
    root: bool

    @property
    def keeps_rest(self) -> bool:
        """Whether no turn is the mirror image of no turn."""
        return self.rotation[0][0] == 1.0

    def moves_rest(self, kind: str) -> bool:
        """Whether the mirror image of a bone at rest is not at rest, in its location, rotation or scale."""
        if kind == "location":
            return self.root and any(abs(row[3]) > 1e-9 for row in self.location)
        return kind == "rotation" and self.root and not self.keeps_rest


def bone_maps(skeleton: Skeleton, partners: Partners, turn: Floats, *, whole_pose: bool) -> dict[str, Map]:
    """The maps of all bones by name."""
    found = core.load().mirror_maps(
        np.ascontiguousarray(skeleton.parents),
        np.ascontiguousarray(skeleton.rest),
        np.ascontiguousarray(skeleton.flags),
        partners.partner,
        Plane(partners.normal, partners.offset).row,
        turn,
        whole_pose=whole_pose,
    )
    sources = [skeleton.names[i] for i in partners.partner.tolist()]
    return _named(skeleton.names, sources, skeleton.parents.tolist(), found)


def object_map(plane: Plane, turn: Floats) -> Map:
    """The map of the armature object's own channels, for a motion within its parent's space.

    The plane goes through the object's origin: what stands beside it is left beside it.
    """
    found = core.load().mirror_maps(
        np.array([-1], np.int32),
        np.eye(4)[None],
        np.zeros(1, np.uint32),
        np.zeros(1, np.int32),
        np.append(plane.normal, 0.0),
        turn,
    )
    return _named([""], [""], [-1], found)[""]


def _named(
    names: Sequence[str], sources: Sequence[str], parents: Sequence[int], found: tuple[np.ndarray, ...]
) -> dict[str, Map]:
    rotation, location, scale, general = (block.tolist() for block in found)
    return {
        name: Map(sources[i], rotation[i], location[i], scale[i], bool(general[i]), parents[i] < 0)
        for i, name in enumerate(names)
    }
