"""The bones that make the body, as a tree to reason on: control layers set aside, helpers seen through.

A control rig holds each limb several times over (deform, mechanism, controls). The layer that moves the
skin is the one whose rest geometry is the body; the others are followed only to learn what hangs on what.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import naming
from .skeleton import Skeleton, depths
from .skin import Skin

# Bones this close together (of the size of the rig) start at the same joint.
SAME_PLACE = 2e-3
# A leaf bone exactly as long as its parent was made up by an importer of files that store joints only.
INVENTED = 2e-3
STUNTED = 0.25  # of the way to the child: bones shorter than that as a rule have no modelled tails


@dataclass(slots=True)
class Body:
    """A skeleton in canonical order (independent of the order of its bones), with what is derived from it.

    size: of the body, about its longest extent; kept: bool (bones,), bones of the layer that makes the
    body; parents, children: the tree of kept bones (a kept bone's parent is the nearest kept one that it
    hangs on); ends: where each bone ends, float64 (bones, 3); tails_real: whether tails were modelled (else
    only heads are to be trusted); solid: bones that move skin (all where that is not known); hints: body
    parts named by each bone; layered: whether the rig has control layers beside the kept one; skin_low: per
    bone its own vertices, or None.
    """

    skeleton: Skeleton
    skin: Skin | None
    size: float
    kept: npt.NDArray[np.bool_]
    parents: list[int]
    children: list[list[int]]
    ends: npt.NDArray[np.float64]
    tails_real: bool
    solid: npt.NDArray[np.bool_]
    solid_known: bool
    hints: list[frozenset[str]]
    layered: bool
    lengths: npt.NDArray[np.float64]
    heads: npt.NDArray[np.float64]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all bones."""
        return self.skeleton.names

    def called_head(self) -> list[int]:
        """Kept bones whose name is that of a head, not of a part, an end or a control of one."""
        other = {"control", "end", "extra", "face"}
        return [
            b for b, hints in enumerate(self.hints) if self.kept[b] and "head" in hints and not hints & other
        ]

    def ancestors(self, bone: int) -> list[int]:
        """Kept ancestors, nearest first."""
        found: list[int] = []
        bone = self.parents[bone]
        while bone >= 0:
            found.append(bone)
            bone = self.parents[bone]
        return found

    def descendants(self, bone: int) -> list[int]:
        """The bone and all kept bones under it."""
        found = [bone]
        for b in found:
            found.extend(self.children[b])
        return found


def canonical_order(skeleton: Skeleton) -> npt.NDArray[np.intp]:
    """Parents first, then by name: the same for every order the bones may come in."""
    depth = depths(skeleton.parents)
    return np.array(
        sorted(range(len(depth)), key=lambda i: (int(depth[i]), skeleton.names[i])), dtype=np.intp
    )


def make_body(skeleton: Skeleton, skin: Skin | None) -> Body:
    """Find the layer of bones that makes the body and its tree. The skeleton must be in canonical order."""
    heads = skeleton.heads
    count = len(skeleton.names)
    lengths = np.linalg.norm(skeleton.tails - heads, axis=1)
    solid, known = _solid(skeleton, skin)
    used = heads[solid] if solid.any() else heads
    size = _spread(used)
    if size <= 0.0:
        size = max(_spread(np.vstack((heads, skeleton.tails))), 1e-9)
    kept, layered = _kept(skeleton, solid, known, size)
    parents = _tree(skeleton, kept, size) if layered else [int(p) for p in skeleton.parents]
    children: list[list[int]] = [[] for _ in range(count)]
    for bone in range(count):
        if kept[bone] and parents[bone] >= 0:
            children[parents[bone]].append(bone)
    real = _tails_real(skeleton, lengths)
    ends = skeleton.tails.copy()
    if not real:
        for bone in range(count):
            if children[bone]:
                ends[bone] = heads[children[bone]].mean(axis=0)
    hints = [naming.parts(name) for name in skeleton.names]
    return Body(
        skeleton,
        skin,
        size,
        kept,
        parents,
        children,
        ends,
        real,
        solid,
        known,
        hints,
        layered,
        lengths,
        heads,
    )


def _spread(points: npt.NDArray[np.float64]) -> float:
    """Twice the largest distance from the middle: how large a body is, whichever way it is turned."""
    middle = points.mean(axis=0)
    return 2.0 * float(np.sqrt(np.max(np.sum((points - middle) ** 2, axis=1), initial=0.0))) / 1.2


def _solid(skeleton: Skeleton, skin: Skin | None) -> tuple[npt.NDArray[np.bool_], bool]:
    count = len(skeleton.names)
    if skin is not None:
        moved = skin.moved(count)
        # A mesh that hangs on a few bones only (a prop, a test plane) says nothing about the rest.
        if moved.sum() >= max(3, 0.2 * min(count, 60)):
            return moved, True
    if len(skeleton.deform) and skeleton.deform.any():
        return skeleton.deform.copy(), bool(not skeleton.deform.all())
    return np.ones(count, dtype=bool), False


def _kept(
    skeleton: Skeleton, solid: npt.NDArray[np.bool_], known: bool, size: float
) -> tuple[npt.NDArray[np.bool_], bool]:
    """All bones, or the solid ones only where most of these have a twin among the others."""
    count = len(solid)
    whole = np.ones(count, dtype=bool)
    if not known or solid.all():
        return whole, False
    inner, outer = np.flatnonzero(solid), np.flatnonzero(~solid)
    near = _same_place(skeleton.heads[inner], skeleton.heads[outer], size)
    twins = int(near.any(axis=1).sum())
    # Single spare bones (IK targets at the feet) are no layer; a layer is at least as rich as the body.
    if twins > 0.6 * len(inner) and len(outer) > 0.5 * len(inner):
        return solid.copy(), True
    return whole, False


def _same_place(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], size: float
) -> npt.NDArray[np.bool_]:
    """bool (len(first), len(second)): which points coincide."""
    apart = np.zeros((len(first), len(second)))
    for axis in range(3):
        np.maximum(apart, np.abs(first[:, None, axis] - second[None, :, axis]), out=apart)
    return apart < SAME_PLACE * size


def _tree(skeleton: Skeleton, kept: npt.NDArray[np.bool_], size: float) -> list[int]:
    """Parents within the kept layer; on the way up a bone of another layer stands for its kept twin."""
    count = len(kept)
    heads, tails = skeleton.heads, skeleton.tails
    inner = np.flatnonzero(kept)
    found = [-1] * count

    outer = np.flatnonzero(~kept)
    place = {int(b): k for k, b in enumerate(outer)}
    near = _same_place(heads[outer], heads[inner], size)
    known: dict[int, int] = {}

    def twin(bone: int) -> int:
        if bone not in known:
            row = place[bone]
            options = np.flatnonzero(near[row])
            apart = np.abs(tails[inner[options]] - tails[bone]).sum(axis=1) / size
            stem = naming.stem(skeleton.names[bone])[-1:]
            known[bone] = min(
                (
                    (
                        float(far) + (0.0 if stem == naming.stem(skeleton.names[inner[k]])[-1:] else 0.02),
                        int(inner[k]),
                    )
                    for far, k in zip(apart, options, strict=True)
                ),
                default=(0.0, -1),
            )[1]
        return known[bone]

    def above(candidate: int, bone: int) -> bool:
        while candidate >= 0:
            if candidate == bone:
                return True
            candidate = found[candidate]
        return False

    for bone in inner:
        up = int(skeleton.parents[bone])
        while up >= 0:
            other = up if kept[up] else twin(up)
            if other >= 0 and other != bone and not above(other, int(bone)):
                found[int(bone)] = other
                break
            up = int(skeleton.parents[up])
    return found


def _tails_real(skeleton: Skeleton, lengths: npt.NDArray[np.float64]) -> bool:
    """False where tails are made up by importers of joint-only files: leaf bones as long as their parents, or
    bones that are all far shorter than the way to their children.
    """
    parents = skeleton.parents
    inner = np.flatnonzero(parents >= 0)
    ways = np.linalg.norm(skeleton.heads[inner] - skeleton.heads[parents[inner]], axis=1)
    far = ways > 1e-3 * max(float(ways.max(initial=0.0)), 1e-12)
    if far.sum() >= 3 and float(np.median(lengths[parents[inner][far]] / ways[far])) < STUNTED:
        return False
    leaf = np.ones(len(parents), dtype=bool)
    leaf[parents[parents >= 0]] = False
    leaf &= parents >= 0
    if leaf.sum() < 2:
        return True
    same = np.abs(lengths[leaf] - lengths[parents[leaf]]) <= INVENTED * np.maximum(lengths[leaf], 1e-12)
    return bool(same.mean() < 0.7)
