"""What is read of an armature before anything is made for it, and what cannot be used at all."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import AmbleError, BadSetting
from .rig import Roles, Skeleton, Skin, Sole, foot_points, read_skeleton, read_skin, recognise, sole
from .rig.controls import is_plain
from .rig.parts import body_parts
from .rig.stance import Turns, posed, posed_skin, unsettled, upright
from .rig.stored import corrections_of

# An object whose scales differ by more than this factor shears what it shows.
UNEVEN = 1.001
# An object whose scales differ by this factor is flat.
FLAT = 1e-6
# The cosine between a rig's own up and that of the world under which it is told that it does not stand.
UPRIGHT = math.cos(math.radians(30.0))


@dataclass(frozen=True, slots=True)
class Size:
    """Metres of the world that an armature unit is, along the body's own directions."""

    forward: float = 1.0
    left: float = 1.0
    up: float = 1.0


# An armature unit is a metre.
METRES = Size()


@dataclass(frozen=True, slots=True)
class Rig:
    """What is read of an armature object.

    travel: unit vector of the world; notes: on what may go wrong; skin: of the skeleton as it is given here;
    turns: of the bones of a stance, where that is what skeleton, roles, soles and skin are of, and not the
    rest pose.
    """

    skeleton: Skeleton
    roles: Roles
    soles: tuple[Sole, ...]
    size: Size
    travel: Any
    notes: tuple[str, ...]
    skin: Skin | None = None
    turns: Turns = field(default_factory=dict)


def read(armature_object: Any) -> Rig:
    """Skeleton, roles, soles and place of an armature object. Raises AmbleError for what has no size."""
    import bpy

    if bpy.context.view_layer is not None:
        bpy.context.view_layer.update()  # else the object's place may be an old one
    skeleton = read_skeleton(armature_object)
    _check_scale(armature_object, skeleton.world[:3, :3])
    skin = read_skin(armature_object, skeleton.names)
    roles = recognise(skeleton, skin, corrections_of(armature_object))
    soles = _soles(skeleton, roles, skin)
    axes = [np.array(roles.facing), np.cross(roles.up, roles.facing), np.array(roles.up)]
    forward, left, up = (skeleton.world[:3, :3] @ axis for axis in axes)
    lengths = [float(np.linalg.norm(axis)) for axis in (forward, left, up)]
    notes = list(roles.warnings)
    if armature_object.data.pose_position == "REST":
        notes.append(
            f'"{armature_object.name}" is shown in rest position: switch it to pose position to see the walk.'
        )
    if max(lengths) > UNEVEN * min(lengths) or abs(float(forward @ up)) > (UNEVEN - 1.0) * max(lengths) ** 2:
        notes.append(
            f'"{armature_object.name}" is scaled unevenly, which shears its legs as they swing: apply the '
            "scale for feet that keep their places."
        )
    if up[2] < UPRIGHT * lengths[2]:
        tilt = math.degrees(math.acos(max(float(up[2]) / lengths[2], -1.0)))
        notes.append(
            f'"{armature_object.name}" has its up {tilt:.0f} degrees from the world\'s and walks along its '
            "own: turn the object until its rest pose stands, apply the pose that makes it stand as rest "
            "pose, or correct up in its roles."
        )
    return Rig(skeleton, roles, soles, Size(*lengths), forward / lengths[0], tuple(notes), skin)


def standing(armature_object: Any, rig: Rig) -> Rig:
    """The rig put upright, where its rest pose does not stand and its bones are free to be turned."""
    if not unsettled(rig.roles, rig.soles):
        return rig
    parts = body_parts(rig.skeleton, rig.roles)
    if not is_plain(armature_object, rig.skeleton, parts):
        return rig
    turns = upright(rig.skeleton, rig.roles, rig.soles, parts)
    skeleton = posed(rig.skeleton, turns)
    skin = posed_skin(rig.skin, rig.skeleton, skeleton)
    said = corrections_of(armature_object)
    roles = recognise(skeleton, skin, said)
    soles = _soles(skeleton, roles, skin)
    if said.ground is None and soles:
        # Limbs in the air and under the feet count no more: the soles are what stands.
        low = min(float(point @ np.array(roles.up)) for s in soles for point in (s.heel, s.tip))
        roles = dataclasses.replace(roles, ground=low)
        soles = _soles(skeleton, roles, skin)
    return dataclasses.replace(rig, skeleton=skeleton, roles=roles, soles=soles, skin=skin, turns=turns)


def _soles(skeleton: Skeleton, roles: Roles, skin: Skin | None) -> tuple[Sole, ...]:
    """The sole of each leg. A foot in one piece rolls off over its tip: nothing bends before it."""
    soles = [sole(skeleton, roles, leg, foot_points(skeleton, leg, skin)) for leg in roles.legs]
    return tuple(
        s if leg.toe else dataclasses.replace(s, pivot=s.tip)
        for s, leg in zip(soles, roles.legs, strict=True)
    )


def check_usable(armature_object: Any) -> None:
    """Refuse what cannot be animated before anything is tried out on it."""
    if getattr(armature_object, "library", None) is not None:
        raise AmbleError(
            f'"{armature_object.name}" is linked from another file and cannot be animated here: make a '
            "library override of it."
        )
    # The bones that are read would be those of before the edit.
    if getattr(armature_object, "type", None) == "ARMATURE" and armature_object.mode == "EDIT":
        raise BadSetting(f'"{armature_object.name}" is in edit mode, where it has no pose: leave edit mode.')


def _check_scale(armature_object: Any, axes: Any) -> None:
    """Refuse an object that is flat, or nothing at all, in the world."""
    sizes = np.linalg.svd(axes, compute_uv=False) if np.isfinite(axes).all() else np.zeros(3)
    if sizes[-1] <= FLAT * sizes[0]:
        raise AmbleError(
            f'"{armature_object.name}" has no size along some axis: give it, and what it is parented to, a '
            "scale other than 0."
        )
