"""The middle of the body: what carries it, spine, neck, head, tail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from . import naming, tree
from .body import Body
from .pairs import Mirror
from .words import STRONG_TRUNK

MIDDLE = 0.04  # of the size: a bone without partner this near to the plane lies in the middle
NOT_TRUNK = frozenset({"control", "extra", "face", "feather"})
_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(slots=True)
class Trunk:
    """Bone indices; -1 and empty lists where there is none. spine, neck: upwards; tail: from the body to
    its tip.
    """

    pelvis: int = -1
    root: int = -1
    spine: list[int] = field(default_factory=list)
    neck: list[int] = field(default_factory=list)
    head: int = -1
    tail: list[int] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)
    sure: dict[str, float] = field(default_factory=dict)


def find_trunk(
    body: Body,
    mirror: Mirror,
    up: npt.NDArray[np.float64],
    forward: npt.NDArray[np.float64],
    legs: list[list[int]],
    fores: list[list[int]],
    many: bool,
    given: Mapping[str, int] = _NOTHING,
) -> Trunk:
    """legs: chains, girdles included, of the hindmost legs; fores: of arms, wings and all other legs.

    many: whether the body stands on six legs or more, and so has neither chest nor neck; given: head and
    pelvis where they were set by hand, -1 where there is none, for what follows from them.
    """
    trunk = Trunk()
    middle = [b for b in range(len(body.names)) if body.kept[b] and _in_middle(body, mirror, b)]
    inside = set(middle)
    chest = _carrier(body, inside, fores)
    hips = _carrier(body, inside, legs)
    if "head" in given:
        top = given["head"]
    else:
        top = _head(body, inside, middle, chest, hips, up, forward, trunk)
    path = _path(body, top) if top >= 0 and body.kept[top] else (_path(body, chest) if chest >= 0 else [])
    path = [b for b in path if b in inside or b == top]
    _find_tail(body, inside, path, hips, forward, many, trunk)
    if "pelvis" in given:
        trunk.pelvis = given["pelvis"]
    else:
        _find_pelvis(body, up, legs, fores, path, trunk)
    _find_root(body, trunk)
    if trunk.pelvis in path:
        path = path[path.index(trunk.pelvis) + 1 :]
    elif body.layered and path:
        pass
    else:
        path = [b for b in path if trunk.pelvis not in _below(body, b)]
    path = _with_siblings(body, inside, path, trunk)
    _cut(body, path, chest, top, many, trunk)
    if trunk.head < 0 and top >= 0 and "head" in body.hints[top]:
        trunk.head = top
    if not trunk.neck:
        used = {*trunk.spine, *trunk.tail, trunk.pelvis, trunk.root, trunk.head}
        trunk.neck = [b for b in middle if body.hints[b] == {"neck"} and b not in used]
    return trunk


def _in_middle(body: Body, mirror: Mirror, bone: int) -> bool:
    if not mirror.found:
        return True
    return mirror.partner[bone] < 0 and abs(float(mirror.lateral(body.heads[bone]))) < MIDDLE * body.size


def _below(body: Body, bone: int) -> set[int]:
    return set(body.descendants(bone))


def _path(body: Body, bone: int) -> list[int]:
    """From the root of the kept tree down to a bone, both included."""
    return [*reversed(body.ancestors(bone)), bone]


def _carrier(body: Body, inside: set[int], chains: list[list[int]]) -> int:
    """The deepest middle bone that carries one of the limbs."""
    best, depth = -1, -1
    for chain in chains:
        for bone in body.ancestors(chain[0]):
            if bone in inside:
                d = len(body.ancestors(bone))
                if d > depth or (d == depth and body.names[bone] < body.names[best]):
                    best, depth = bone, d
                break
    return best


def _head(
    body: Body,
    inside: set[int],
    middle: list[int],
    chest: int,
    hips: int,
    up: npt.NDArray[np.float64],
    forward: npt.NDArray[np.float64],
    trunk: Trunk,
) -> int:
    """The head's bone: by name on the middle line, else the end of the line that goes on past the chest."""
    reach = tree.reaches(body)
    named = [
        b
        for b in middle
        if "head" in body.hints[b]
        and not body.hints[b] & (NOT_TRUNK | {"end", "tail"})
        and (body.solid[b] or not body.solid_known or body.children[b])
        and (
            chest < 0
            or chest in body.ancestors(b)
            or (b not in _below(body, chest) and not _is_loose(body, b))
        )
    ]
    if named:
        trunk.why["head"] = "named so, on the middle line"
        trunk.sure["head"] = 0.95
        # A look-at target may be called head as well; the head is what the neck carries.
        carried = [b for b in named if chest >= 0 and chest in body.ancestors(b)]
        return min(carried or named, key=lambda b: (len(body.ancestors(b)), body.names[b]))
    start = chest if chest >= 0 else hips
    if start < 0:
        return -1
    bone = start
    found: list[int] = []
    while True:
        on = [
            c
            for c in body.children[bone]
            if c in inside
            and not body.hints[c] & (NOT_TRUNK | {"tail", "end"})
            and not tree.is_beside(body, c)
            and float((body.heads[c] - body.heads[start]) @ (up + forward)) > -0.1 * body.size
            and (tree.along(body, bone, c) > 0.5 or body.lengths[bone] < 0.02 * body.size)
            and not (found and _is_marker(body, c, len(found)))
        ]
        if not on or (found and _carries_face(body, bone)):
            break
        bone = min(on, key=lambda c: (-round(reach[c] / body.size, 4), body.names[c]))
        if _hangs(body, bone, up):
            break
        found.append(bone)
    if found:
        trunk.why["head"] = "the end of the middle line past the fore limbs"
        trunk.sure["head"] = 0.6
        return found[-1]
    return -1


def _is_marker(body: Body, bone: int, before: int) -> bool:
    """A last bone that only marks where its parent ends: no skin, or a tail that the importer made up."""
    if body.children[bone]:
        return False
    if body.solid_known:
        return not bool(body.solid[bone])
    return not body.tails_real and before >= 2


def _hangs(body: Body, bone: int, up: npt.NDArray[np.float64]) -> bool:
    return float((body.ends[bone] - body.heads[bone]) @ up) < -0.85 * float(body.lengths[bone])


def _is_loose(body: Body, bone: int) -> bool:
    return not body.children[bone] and body.parents[bone] < 0


def _carries_face(body: Body, bone: int) -> bool:
    """Whether a bone carries the bones of a face (by name) or a bunch of small ones."""
    children = body.children[bone]
    if any("face" in body.hints[c] for c in children):
        return True
    return len(children) >= 4


def _find_tail(
    body: Body,
    inside: set[int],
    path: list[int],
    hips: int,
    forward: npt.NDArray[np.float64],
    many: bool,
    trunk: Trunk,
) -> None:
    """The chain behind the legs; on many-legged animals (many) the rear body, even a single bone."""
    taken = set(path)
    chains: list[tuple[float, list[int], str]] = []
    roots = [
        b
        for b in sorted(inside)
        if b not in taken
        and (
            body.parents[b] < 0
            or body.parents[b] not in inside
            or body.parents[b] in taken
            or ("tail" in body.hints[b] and "tail" not in body.hints[body.parents[b]])
        )
        and not body.hints[b] & (NOT_TRUNK | {"head", "neck", "root"})
        and (many or "trunk" not in body.hints[b])
    ]
    base = body.heads[hips] if hips >= 0 else None
    for root in roots:
        chain = [root]
        while True:
            on = [c for c in body.children[chain[-1]] if c in inside and c not in taken]
            if not on:
                break
            chain.append(min(on, key=lambda c: (-len(body.descendants(c)), body.names[c])))
        named = sum("tail" in body.hints[b] for b in chain)
        if named * 2 >= len(chain):
            first = next(i for i, b in enumerate(chain) if "tail" in body.hints[b])
            last = max(i for i, b in enumerate(chain) if "tail" in body.hints[b] or "end" in body.hints[b])
            chain = chain[first : last + 1]
        if base is None:
            behind = 0.0
        else:
            first, last = body.heads[chain[0]] - base, body.ends[chain[-1]] - base
            loose = body.parents[root] < 0
            if loose and len(chain) > 1 and float(np.linalg.norm(last)) < float(np.linalg.norm(first)):
                chain.reverse()
                behind = -float(first @ forward)
            else:
                behind = -float(last @ forward)
        if named * 2 >= len(chain):
            chains.append((10.0 + len(chain), chain, "named so"))
        elif (
            (len(chain) >= 2 or many)
            and behind > 0.12 * body.size
            and not any(body.hints[b] & {"pelvis"} for b in chain[1:])
        ):
            length = float(np.linalg.norm(body.ends[chain[-1]] - body.heads[chain[0]]))
            if length > 0.1 * body.size or behind > 0.2 * body.size:
                chains.append(
                    (length / body.size, chain, "a chain in the middle that goes off behind the legs")
                )
    if chains:
        _, trunk.tail, trunk.why["tail"] = max(chains, key=lambda c: (c[0], body.names[c[1][0]]))
        trunk.sure["tail"] = 0.9 if trunk.why["tail"] == "named so" else 0.6


def _find_pelvis(
    body: Body,
    up: npt.NDArray[np.float64],
    legs: list[list[int]],
    fores: list[list[int]],
    path: list[int],
    trunk: Trunk,
) -> None:
    """The bone that carries everything: the nearest common ancestor of limbs, head and tail."""
    tops = [chain[0] for chain in (*legs, *fores)]
    if path:
        tops.append(path[-1])
    if trunk.tail and not body.layered:
        tops.append(trunk.tail[0])
    if not tops:
        return
    if body.layered:
        _find_mover(body, up, path or tops, tops, trunk)
        return
    parents = body.skeleton.parents
    lines = []
    for bone in tops:
        line = [bone]
        while parents[line[-1]] >= 0:
            line.append(int(parents[line[-1]]))
        lines.append(list(reversed(line)))
    common = -1
    for level in zip(*lines, strict=False):
        if any(b != level[0] for b in level):
            break
        common = level[0]
    if common in tops and common not in path and body.skeleton.parents[common] >= 0:
        common = int(body.skeleton.parents[common])
    if common >= 0 and body.hints[common] & {"spine", "trunk"} and "pelvis" not in body.hints[common]:
        # Legs that hang on the spine: what is called pelvis right above it carries them all the same.
        above = int(body.skeleton.parents[common])
        if above >= 0 and "pelvis" in body.hints[above]:
            common = above
    trunk.pelvis = common if common >= 0 else (path[0] if path else -1)
    trunk.why["pelvis"] = (
        "all limbs and the head hang on it"
        if common >= 0
        else "the first bone of the spine; limbs hang on others"
    )
    trunk.sure["pelvis"] = 0.9 if common >= 0 else 0.4


def _find_root(body: Body, trunk: Trunk) -> None:
    """The top of what the pelvis hangs on; in a control rig of what it follows by constraints too."""
    if trunk.pelvis < 0:
        return
    parents = body.skeleton.parents
    if body.layered:
        needs, bound = _needs(body)
        below = _closure(needs, trunk.pelvis) - {trunk.pelvis}
        tops = [b for b in sorted(below) if parents[b] < 0 and b not in bound]
        if tops:
            trunk.root = tops[0]
            trunk.why["root"] = "the control that the whole rig hangs on"
            trunk.sure["root"] = 0.95
        return
    top = trunk.pelvis
    while parents[top] >= 0:
        top = int(parents[top])
    if top != trunk.pelvis:
        trunk.root = top
        trunk.why["root"] = "the top of the hierarchy above the pelvis"
        trunk.sure["root"] = 0.9


def _find_mover(
    body: Body, up: npt.NDArray[np.float64], bones: list[int], tops: list[int], trunk: Trunk
) -> None:
    """In a control rig: the free control on which all of the spine depends, through parents and constraints.

    Of several, the one nearest to the root of the rig that does not itself stand on the ground.
    """
    skeleton = body.skeleton
    needs, bound = _needs(body)
    common: set[int] | None = None
    for bone in bones:
        closure = _closure(needs, bone)
        common = closure if common is None else common & closure
    free = [
        b
        for b in sorted(common or ())
        if b not in bound
        and not body.kept[b]
        and not set(naming.words(skeleton.names[b])) & {"mch", "org", "def", "wgt", "vis"}
    ]
    if not free:
        trunk.pelvis = bones[0]
        return
    heights = body.heads @ up
    low, high = float(heights[body.kept].min()), float(np.median(heights[tops]))
    raised = [b for b in free if heights[b] - low > 0.3 * (high - low)] or free
    trunk.pelvis = min(raised, key=lambda b: (len(_closure(needs, b)), skeleton.names[b]))
    trunk.why["pelvis"] = "the control that all of the spine follows"
    trunk.sure["pelvis"] = 0.9


def _needs(body: Body) -> tuple[list[set[int]], set[int]]:
    """What each bone hangs on, by parent and by constraint, and the bones that have constraints."""
    skeleton = body.skeleton
    needs: list[set[int]] = [set() for _ in skeleton.names]
    for bone, parent in enumerate(skeleton.parents):
        if parent >= 0:
            needs[bone].add(int(parent))
    bound = set()
    for link in skeleton.links:
        bound.add(link.bone)
        if link.target >= 0:
            needs[link.bone].add(link.target)
    return needs, bound


def _closure(needs: list[set[int]], bone: int) -> set[int]:
    seen = {bone}
    todo = [bone]
    while todo:
        for other in needs[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def _with_siblings(body: Body, inside: set[int], path: list[int], trunk: Trunk) -> list[int]:
    """Put trunk bones that hang beside the path before it where they end at its start (siblings under one
    bone).
    """
    path = list(path)
    taken = {*path, *trunk.tail, trunk.pelvis, trunk.root}
    while path and body.tails_real:
        start = body.heads[path[0]]
        found = [
            b
            for b in sorted(inside)
            if b not in taken
            and not body.hints[b] & (NOT_TRUNK | {"head", "neck", "tail", "root"})
            and float(np.linalg.norm(body.skeleton.tails[b] - start)) < 0.06 * body.size
            and float(body.lengths[b]) > 0.05 * body.size
            and (body.solid[b] or not body.solid_known)
        ]
        if not found:
            break
        bone = min(
            found, key=lambda b: (float(np.linalg.norm(body.skeleton.tails[b] - start)), body.names[b])
        )
        path.insert(0, bone)
        taken.add(bone)
    return path


def _cut(body: Body, path: list[int], chest: int, top: int, many: bool, trunk: Trunk) -> None:
    """Spine up to the fore limbs, then neck and head; a neck by name begins earlier."""
    if top >= 0 and path and path[-1] == top:
        trunk.head = top
        path = path[:-1]
    trunk.spine = path
    by_name = next((i for i, b in enumerate(path) if "neck" in body.hints[b]), -1)
    if by_name >= 0:
        trunk.spine, trunk.neck = path[:by_name], path[by_name:]
        trunk.why["neck"] = "named so"
        trunk.sure["neck"] = 0.95
    elif not many and (chest in path or chest == trunk.pelvis):
        cut = path.index(chest) + 1 if chest in path else 0
        trunk.spine, trunk.neck = path[:cut], path[cut:]
        while trunk.neck and _strongly_trunk(body, trunk.neck[0]):
            trunk.spine.append(trunk.neck.pop(0))
        trunk.why["neck"] = "between the fore limbs and the head"
        trunk.sure["neck"] = 0.7
    if (
        trunk.head >= 0
        and not trunk.neck
        and _strongly_trunk(body, trunk.head)
        and "head" not in body.hints[trunk.head]
    ):
        trunk.spine.append(trunk.head)
        trunk.head = -1
    trunk.why["spine"] = "the middle line from the pelvis to the fore limbs"
    trunk.sure["spine"] = 0.85


def _strongly_trunk(body: Body, bone: int) -> bool:
    return bool(set(naming.words(body.names[bone])) & STRONG_TRUNK)
