"""Walking along limbs: which child continues a chain, how far a branch reaches."""

from __future__ import annotations

import numpy as np

from . import naming
from .body import Body

# Hints of bones that are never a link of a limb while another child is there.
BESIDE = frozenset({"control", "extra", "face", "feather"})


def reaches(body: Body) -> list[float]:
    """Per bone the longest path from its head to the end of a leaf below it, armature units."""
    found = [0.0] * len(body.names)
    for bone in reversed(by_depth(body)):
        if not body.children[bone]:
            found[bone] = float(body.lengths[bone])
            continue
        found[bone] = max(
            float(np.linalg.norm(body.heads[c] - body.heads[bone])) + found[c] for c in body.children[bone]
        )
        if body.tails_real:
            found[bone] = max(found[bone], float(body.lengths[bone]))
    return found


def by_depth(body: Body) -> list[int]:
    """Kept bones, parents before children in the kept tree."""
    roots = [b for b in range(len(body.names)) if body.kept[b] and body.parents[b] < 0]
    out = list(roots)
    for bone in out:
        out.extend(body.children[bone])
    return out


def along(body: Body, bone: int, child: int) -> float:
    """How far along its parent (0 head, 1 tail) a child starts; 1 where tails are made up."""
    if not body.tails_real or body.lengths[bone] <= 1e-9:
        return 1.0
    axis = body.skeleton.tails[bone] - body.heads[bone]
    return float((body.heads[child] - body.heads[bone]) @ axis / (axis @ axis))


def joined(body: Body, bone: int, child: int) -> bool:
    """Whether a child starts at the (modelled) tail of its parent."""
    gap = float(np.linalg.norm(body.heads[child] - body.skeleton.tails[bone]))
    return body.tails_real and gap < 0.08 * max(float(body.lengths[bone]), 1e-9)


def is_beside(body: Body, bone: int) -> bool:
    """Whether a bone only helps a limb: twists, controls, sockets, heel markers."""
    hints = body.hints[bone]
    if hints & BESIDE:
        return True
    if body.solid_known and not body.layered and not any(body.solid[d] for d in body.descendants(bone)):
        return "end" not in hints and not (hints - {"end"})
    return _points_back(body, bone)


def _points_back(body: Body, bone: int) -> bool:
    """A heel, or a rear claw: "back" on a foot of a leg that is not called so itself."""
    said = set(naming.words(body.names[bone]))
    if "heel" in said:
        return True
    rear = said & {"back", "rear"} and body.hints[bone] & {"foot", "toe"}
    parent = body.parents[bone]
    return bool(rear) and parent >= 0 and not set(naming.words(body.names[parent])) & {"back", "rear"}
