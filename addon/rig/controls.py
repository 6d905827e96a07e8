"""The bones that an animator would key to move a rig's body; plain rigs, where those are the body's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..once import once
from . import graph
from .bench import Floats
from .parts import Part
from .skeleton import FLAG_CONNECTED, Skeleton
from .switches import Mode

# Constraints that leave the bone that has them where its keys and its parent put it.
_HARMLESS = graph.CARRYING - graph.PARENTING


@dataclass(frozen=True, slots=True)
class Control:
    """A bone to be keyed.

    follows: key of the part whose whole motion from the zero pose it takes over; location, rotation: what is
    keyed; anchor: key of the part that carries it when it is not moved itself, None where nothing does;
    hinge: whether that part carries its head but does not turn it; second, share: the part that carries it as
    well, None where that is nothing, and its share, 0 where the first carries it alone.
    """

    bone: str
    follows: str
    location: bool
    rotation: bool
    anchor: str | None
    hinge: bool = False
    second: str | None = None
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Controls:
    """Everything that is keyed on a rig moved by controls.

    zero: pose of bones, (4, 4) each by name, with every control at rest: of parts, controls and the
    controls' parents; parts: those that the controls move; modes: how each limb ("leg.L", "arm.R") is moved;
    carrier: bone that carries the whole body forward; notes: sentences for the user; switched: (data path,
    value, bone) of each property that has to be keyed with them.
    """

    zero: dict[str, Floats]
    controls: tuple[Control, ...]
    parts: tuple[Part, ...]
    modes: dict[str, Mode]
    carrier: str
    notes: tuple[str, ...]
    switched: tuple[tuple[str, float, str], ...] = ()


def is_plain(armature_object: Any, skeleton: Skeleton, parts: Sequence[Part]) -> bool:
    """Whether every part is a free bone that hangs from the part before it, and so can be keyed as it is."""
    hanging = _hanging(skeleton, parts)
    pose = armature_object.pose.bones
    if hanging is None or len(skeleton.names) != len(pose):
        return False
    used, held = hanging
    if any(all(pose[bone].lock_location) for bone in held):
        return False
    for bone in pose:
        for constraint in bone.constraints:
            acts = constraint.type not in _HARMLESS and not constraint.mute and graph.works(constraint)
            if acts and not used.isdisjoint(graph.chain(bone, constraint)):
                return False
    return True


@once
def _hanging(skeleton: Skeleton, parts: Sequence[Part]) -> tuple[set[str], tuple[str, ...]] | None:
    """All bones that parts are made of or hang from, and the pelvis's where it needs a free location; None
    where a part does not hang from the part before it."""
    bone_of = {part.key: part.bone for part in parts}
    held: tuple[str, ...] = ()
    for part in parts:
        if part.key.startswith("hand"):
            continue
        line = skeleton.line(part.bone)
        if part.parent is not None and bone_of[part.parent] not in line:
            return None
        if part.key == "pelvis" and len(line) > 1:
            if skeleton.flags[skeleton.index(part.bone)] & FLAG_CONNECTED:
                return None
            held = (part.bone,)
    return {name for part in parts for piece in part.pieces for name in skeleton.line(piece)}, held
