"""The other side of every bone, and the plane between the sides: what a mirror needs to know of a rig."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..once import once
from .body import canonical_order, make_body
from .corrections import NONE, Corrections
from .given import resolve
from .pairs import OFF_PLANE, find_mirror
from .skeleton import Skeleton, reorder
from .skin import Skin

Floats = npt.NDArray[np.float64]
# Of the body's size: a plane this near to the armature's origin goes through it; a rest pose whose pairs are
# off each other's images by no more than this is symmetric.
THROUGH = 1e-5
SYMMETRIC = 2e-3


@dataclass(frozen=True, slots=True)
class Partners:
    """partner: int32 (bones,), itself for a bone in the middle or without partner; normal, offset: of the
    plane, normal . x = offset, armature units, normal of length 1; off: (bones,), how far each bone's head is
    from the image of its partner's, over the body's size; alone: names of bones beside the plane that have no
    partner; size: of the body, armature units; moved: pairs by place against the numbers in their names.
    """

    partner: npt.NDArray[np.int32]
    normal: Floats
    offset: float
    off: Floats
    alone: tuple[str, ...]
    size: float
    moved: tuple[tuple[str, str], ...]

    @property
    def symmetric(self) -> bool:
        """Whether the rest pose is its own mirror image."""
        return bool((self.off <= SYMMETRIC).all())


@once
def find_partners(skeleton: Skeleton, skin: Skin | None = None, corrections: Corrections = NONE) -> Partners:
    """Pairs and plane as recognition finds them; pairs set by hand come first."""
    order = canonical_order(skeleton)
    if skin is not None:
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        skin = Skin(skin.points, place[skin.bones])
    body = make_body(reorder(skeleton, order), skin)
    given = resolve(body, corrections)
    mirror = find_mirror(body, given.pairs, given.alone)
    own = np.arange(len(order), dtype=np.int32)
    other = np.where(mirror.partner >= 0, mirror.partner, own)
    partner = np.empty_like(other)
    partner[order] = order[other]
    offset = 0.0 if abs(mirror.offset) < THROUGH * body.size else float(mirror.offset)
    normal = np.array(mirror.normal, np.float64)
    heads = skeleton.heads
    image = heads - 2.0 * (heads @ normal - offset)[:, None] * normal
    off = np.linalg.norm(image[partner] - heads, axis=1) / body.size
    paired = partner != own
    beside = (np.abs(heads @ normal - offset) > OFF_PLANE * body.size) & ~paired
    off[~paired] = 0.0
    for array in (partner, normal, off):
        array.flags.writeable = False
    return Partners(
        partner,
        normal,
        offset,
        off,
        tuple(skeleton.names[i] for i in np.flatnonzero(beside)),
        body.size,
        tuple((body.names[i], body.names[j]) for i, j in mirror.moved_by_place),
    )
