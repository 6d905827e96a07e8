"""The bones that an animator would key to move a rig's body; plain rigs, where those are the body's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import graph
from .bench import Floats
from .parts import Part
from .skeleton import FLAG_CONNECTED, Skeleton
from .switches import Mode


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
    names = skeleton.names
    pose = armature_object.pose.bones
    bone_of = {part.key: part.bone for part in parts}
    for part in parts:
        if part.key.startswith("hand"):
            continue
        line = skeleton.line(part.bone)
        if part.parent is not None and bone_of[part.parent] not in line:
            return False
        if part.key == "pelvis":
            connected = skeleton.flags[skeleton.index(part.bone)] & FLAG_CONNECTED and len(line) > 1
            if connected or (len(line) > 1 and all(pose[part.bone].lock_location)):
                return False
    used = {name for part in parts for piece in part.pieces for name in skeleton.line(piece)}
    busy: set[str] = set()
    for bone in pose:
        for constraint in bone.constraints:
            harmless = constraint.type in graph.CARRYING - graph.PARENTING
            if not (harmless or constraint.mute) and graph.works(constraint):
                busy.update(graph.chain(bone, constraint))
    return not busy & used and len(names) == len(pose)
