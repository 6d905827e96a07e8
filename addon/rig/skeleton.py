"""An armature read once into flat arrays; everything after it works on the arrays alone.

All coordinates are those of the armature (rest pose), in armature units. The object's world matrix is kept
beside them and never mixed in, so that recognition does not depend on where the object stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import NotAnArmature, TooFewBones, check_there

FLAG_CONNECTED = 1
FLAG_NO_INHERIT_ROTATION = 2
FLAG_NO_LOCAL_LOCATION = 4
INHERIT_SCALE_SHIFT = 4

# Order of Blender's inherit_scale enum; the value stands in bits 4..6 of the flags.
INHERIT_SCALE = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


@dataclass(frozen=True, slots=True)
class Link:
    """One constraint of a bone that looks at another bone of the same armature (bone indices; -1 = none)."""

    bone: int
    kind: str
    target: int
    pole: int = -1
    count: int = 0


def _no_flags() -> npt.NDArray[np.bool_]:
    return np.zeros(0, dtype=bool)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The rest pose of an armature.

    names: bone names; parents: int32 (bones,), parents before children, -1 where there is none; rest:
    float64 (bones, 4, 4), each bone's matrix_local; tails: float64 (bones, 3); flags: uint32 (bones,), bits
    as the FLAG_ constants; rotation_modes: of the pose bones; world: float64 (4, 4), the object's
    matrix_world; deform: bool (bones,), use_deform of each bone, or empty where unknown; links: constraints
    between bones.
    """

    names: tuple[str, ...]
    parents: npt.NDArray[np.int32]
    rest: npt.NDArray[np.float64]
    tails: npt.NDArray[np.float64]
    flags: npt.NDArray[np.uint32]
    rotation_modes: tuple[str, ...]
    world: npt.NDArray[np.float64]
    deform: npt.NDArray[np.bool_] = field(default_factory=_no_flags)
    links: tuple[Link, ...] = ()
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {name: place for place, name in enumerate(self.names)})

    @property
    def heads(self) -> npt.NDArray[np.float64]:
        """Rest heads, float64 (bones, 3), armature units."""
        return self.rest[:, :3, 3]

    @property
    def arrays(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
        """Parents, rest and flags as the core takes them."""
        return self.parents, np.ascontiguousarray(self.rest), self.flags

    def index(self, name: str) -> int:
        """Index of the bone of that name. Raises KeyError where there is none."""
        try:
            return self._places[name]
        except KeyError:
            raise KeyError(f'there is no bone "{name}" in this skeleton') from None

    def line(self, bone: str) -> list[str]:
        """The bone and its ancestors, nearest first."""
        found = []
        index = self.index(bone)
        while index >= 0:
            found.append(self.names[index])
            index = int(self.parents[index])
        return found


def read_skeleton(armature_object: Any) -> Skeleton:
    """Read the rest pose of an armature object (edit mode is neither needed nor left).

    An armature that is as it was gives the same skeleton again; nobody may change its arrays. Raises
    NotAnArmature when the object is something else, TooFewBones when it has no bones.
    """
    check_there(armature_object)
    if armature_object is None or getattr(armature_object, "type", None) != "ARMATURE":
        what = getattr(armature_object, "name", None)
        raise NotAnArmature(
            f'"{what}" is no armature: choose an armature object.'
            if what
            else "No armature object was given."
        )
    bones = armature_object.data.bones
    count = len(bones)
    if count == 0:
        raise TooFewBones(
            f'The armature "{armature_object.name}" has no bones: add bones or choose another one.'
        )

    raw = _read_raw(armature_object, count)
    skeleton = _known.get(raw)
    if skeleton is None:
        skeleton = _skeleton_of(raw)
        while len(_known) >= _KEPT:
            del _known[next(iter(_known))]
        _known[raw] = skeleton
    return skeleton


class _Raw(NamedTuple):
    """All that a skeleton is made of, read in bulk: plain values, so that two can be compared at once."""

    names: tuple[str, ...]
    parents: tuple[str | None, ...]
    rest: bytes
    tails: bytes
    deform: bytes
    flags: tuple[bytes, ...]
    scales: bytes
    posed: tuple[str, ...]
    modes: bytes
    links: tuple[Link, ...]
    world: bytes


# The skeletons read last. An armature that has not changed gives the same object, by which what was worked
# out for it is found again.
_KEPT = 16
_known: dict[_Raw, Skeleton] = {}


def _read_raw(armature_object: Any, count: int) -> _Raw:
    bones = armature_object.data.bones

    def block(name: str, kind: Any, width: int = 1) -> bytes:
        values = np.empty(count * width, dtype=kind)
        bones.foreach_get(name, values)
        return values.tobytes()

    names = tuple(bones.keys())
    pose = armature_object.pose
    posed: tuple[str, ...] = ()
    modes = b""
    links: tuple[Link, ...] = ()
    if pose is not None and len(pose.bones) == count:
        posed = tuple(pose.bones.keys())
        numbers = np.empty(count, dtype=np.int32)
        pose.bones.foreach_get("rotation_mode", numbers)
        modes = numbers.tobytes()
        links = _read_links(armature_object, names)
    return _Raw(
        names,
        tuple([None if (parent := bone.parent) is None else parent.name for bone in bones]),
        block("matrix_local", np.float32, 16),
        block("tail_local", np.float32, 3),
        block("use_deform", bool),
        tuple(block(name, bool) for name in ("use_connect", "use_inherit_rotation", "use_local_location")),
        block("inherit_scale", np.int32),
        posed,
        modes,
        links,
        np.array(armature_object.matrix_world, dtype=np.float64).tobytes(),
    )


def _skeleton_of(raw: _Raw) -> Skeleton:
    import bpy

    names, count = raw.names, len(raw.names)
    place = {name: i for i, name in enumerate(names)}
    parents = np.array([-1 if name is None else place[name] for name in raw.parents], dtype=np.int32)
    modes = ("QUATERNION",) * count
    if raw.posed:
        words = enum_words(bpy.types.PoseBone, "rotation_mode")
        numbers = np.frombuffer(raw.modes, dtype=np.int32).tolist()
        found = {name: words[number] for name, number in zip(raw.posed, numbers, strict=True)}
        modes = tuple(found[name] for name in names)
    skeleton = Skeleton(
        names,
        parents,
        matrices_of(np.frombuffer(raw.rest, dtype=np.float32)),
        np.frombuffer(raw.tails, dtype=np.float32).reshape(count, 3).astype(np.float64),
        _flags_of(raw),
        modes,
        np.frombuffer(raw.world, dtype=np.float64).reshape(4, 4),
        np.frombuffer(raw.deform, dtype=bool),
        raw.links,
    )
    order = _parents_first(parents)
    if not np.array_equal(order, np.arange(count)):
        skeleton = reorder(skeleton, order)
    for array in (skeleton.parents, skeleton.rest, skeleton.tails, skeleton.flags):
        array.flags.writeable = False
    return skeleton


def matrices_of(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Matrices (n, 4, 4), rows first, of what foreach_get gives for bones: column by column, and with
    rounding in the bottom row of poses, which is 0, 0, 0, 1 again."""
    found = values.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    found[:, 3] = 0.0, 0.0, 0.0, 1.0
    return found


def enum_words(kind: Any, name: str) -> dict[int, str]:
    """The words of a property of a kind of Blender's things by the numbers that are stored for them."""
    return {item.value: item.identifier for item in kind.bl_rna.properties[name].enum_items}


def reorder(skeleton: Skeleton, order: npt.NDArray[np.intp]) -> Skeleton:
    """The same skeleton with bone `order[k]` at place k (order: a permutation with parents first)."""
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = -1
    return Skeleton(
        names=tuple(skeleton.names[i] for i in order),
        parents=place[skeleton.parents[order]],
        rest=skeleton.rest[order],
        tails=skeleton.tails[order],
        flags=skeleton.flags[order],
        rotation_modes=tuple(skeleton.rotation_modes[i] for i in order),
        world=skeleton.world,
        deform=skeleton.deform[order] if len(skeleton.deform) else skeleton.deform,
        links=tuple(
            Link(int(place[link.bone]), link.kind, int(place[link.target]), int(place[link.pole]), link.count)
            for link in skeleton.links
        ),
    )


def _parents_first(parents: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """An order with parents before children, unchanged where it is one already."""
    depth = depths(parents)
    if np.all(parents < np.arange(len(parents))):
        return np.arange(len(parents))
    return np.argsort(depth, kind="stable")


def depths(parents: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Number of ancestors of each bone, int32 (bones,), whatever the order of the bones."""
    depth = np.zeros(len(parents), dtype=np.int32)
    climb = parents.copy()
    while np.any(climb >= 0):
        inside = climb >= 0
        depth[inside] += 1
        climb[inside] = parents[climb[inside]]
    return depth


def _flags_of(raw: _Raw) -> npt.NDArray[np.uint32]:
    import bpy

    connected, turned, local = (np.frombuffer(block, dtype=bool) for block in raw.flags)
    flags = np.where(connected, FLAG_CONNECTED, 0).astype(np.uint32)
    flags |= np.where(turned, 0, FLAG_NO_INHERIT_ROTATION).astype(np.uint32)
    flags |= np.where(local, 0, FLAG_NO_LOCAL_LOCATION).astype(np.uint32)
    words = enum_words(bpy.types.Bone, "inherit_scale")
    numbers = np.frombuffer(raw.scales, dtype=np.int32).tolist()
    scale = np.array([INHERIT_SCALE.index(words[number]) for number in numbers], dtype=np.uint32)
    return flags | (scale << np.uint32(INHERIT_SCALE_SHIFT))


def _read_links(armature_object: Any, names: Sequence[str]) -> tuple[Link, ...]:
    """Constraints that tie a bone to another one of the same armature, muted ones left out."""
    links: list[Link] = []
    constrained = [(bone, held) for bone in armature_object.pose.bones if (held := bone.constraints)]
    if not constrained:
        return ()
    place = {name: i for i, name in enumerate(names)}
    for bone, constraints in constrained:
        for constraint in constraints:
            if constraint.mute:
                continue
            kind = constraint.type
            here = place[bone.name]
            if kind == "ARMATURE":
                links.extend(
                    Link(here, kind, place[target.subtarget])
                    for target in constraint.targets
                    if target.target == armature_object and target.subtarget in place
                )
                continue
            if getattr(constraint, "target", None) != armature_object:
                continue
            target = place.get(constraint.subtarget, -1)
            if kind == "IK":
                pole = -1
                if constraint.pole_target == armature_object:
                    pole = place.get(constraint.pole_subtarget, -1)
                links.append(Link(here, kind, target, pole, constraint.chain_count))
            elif target >= 0:
                links.append(Link(here, kind, target))
    return tuple(links)
