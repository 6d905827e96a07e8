"""What is read of an armature before anything is made for it, and what cannot be used at all."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .action.write import check_target, with_pose
from .errors import AmbleError, BadSetting, check_there
from .once import once
from .rig import (
    Roles,
    Skeleton,
    Skin,
    Sole,
    foot_points,
    naming,
    read_skeleton,
    read_skin,
    sole,
)
from .rig.controls import is_plain
from .rig.corrections import Corrections
from .rig.parts import body_parts, is_stiff
from .rig.roles import recognised
from .rig.stance import Turns, posed, posed_skin, together, unsettled, upright
from .rig.stored import corrections_of

# An object whose scales differ by more than this factor shears what it shows.
UNEVEN = 1.001
# An object whose scales differ by this factor is flat.
FLAT = 1e-6
# The angle between a rig's own up and that of the world over which it does not stand.
LYING = math.radians(30.0)
# No bone is turned.
_UNTURNED: Turns = {}
# A bone turned less than this is at rest, radians.
LEAST_TURN = 1e-3


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
    _check_place(skeleton, armature_object.name)
    return _rig(armature_object, skeleton, read_skin(armature_object, skeleton.names), _UNTURNED)


def _rig(armature_object: Any, skeleton: Skeleton, skin: Skin | None, turns: Turns) -> Rig:
    corrections = corrections_of(armature_object)
    rested = armature_object.data.pose_position == "REST"
    return _rig_of(skeleton, skin, turns, corrections, armature_object.name, rested)


@once
def _rig_of(
    skeleton: Skeleton, skin: Skin | None, turns: Turns, corrections: Corrections, name: str, rested: bool
) -> Rig:
    roles = recognised(skeleton, skin, corrections)
    axes = [np.array(roles.facing), np.cross(roles.up, roles.facing), np.array(roles.up)]
    forward, left, up = (skeleton.world[:3, :3] @ axis for axis in axes)
    lengths = [float(np.linalg.norm(axis)) for axis in (forward, left, up)]
    notes = list(roles.warnings)
    if rested:
        notes.append(f'"{name}" is shown in rest position: switch it to pose position to see the walk.')
    if max(lengths) > UNEVEN * min(lengths) or abs(float(forward @ up)) > (UNEVEN - 1.0) * max(lengths) ** 2:
        notes.append(
            f'"{name}" is scaled unevenly, which shears its legs as they swing: apply the '
            "scale for feet that keep their places."
        )
    tilt = _tilt(skeleton, roles)
    if tilt > LYING:
        notes.append(
            f'"{name}" has its up {math.degrees(tilt):.0f} degrees from the world\'s and '
            "walks along its own: turn the object until its rest pose stands, apply the pose that makes it "
            "stand as rest pose, or correct up in its roles."
        )
    soles = _soles(skeleton, roles, skin)
    return Rig(skeleton, roles, soles, Size(*lengths), forward / lengths[0], tuple(notes), skin, turns)


def _soles(skeleton: Skeleton, roles: Roles, skin: Skin | None) -> tuple[Sole, ...]:
    """The sole of each leg. A foot in one piece rolls off over its tip: nothing bends before it."""
    soles = [sole(skeleton, roles, leg, foot_points(skeleton, leg, skin)) for leg in roles.legs]
    return tuple(
        s if leg.toe else dataclasses.replace(s, pivot=s.tip)
        for s, leg in zip(soles, roles.legs, strict=True)
    )


@once
def _tilt(skeleton: Skeleton, roles: Roles) -> float:
    """Radians between the body's up and the world's."""
    up = skeleton.world[:3, :3] @ np.array(roles.up)
    return math.acos(min(max(float(up[2]) / float(np.linalg.norm(up)), -1.0), 1.0))


# ---- rest poses that do not stand ----


def standing(armature_object: Any, rig: Rig) -> Rig:
    """The rig in a stance, where its rest pose does not stand and its bones are free to be turned.

    What lies is stood up as the bones above the pelvis do it in the pose that is shown; then hips, trunk and
    legs are put upright where the soles are not flat.
    """
    parts = body_parts(rig.skeleton, rig.roles)
    if not is_plain(armature_object, rig.skeleton, parts):
        return rig
    if _tilt(rig.skeleton, rig.roles) > LYING and not corrections_of(armature_object).up:
        stood = _turned(armature_object, rig, _shown_turns(armature_object, rig))
        if stood is not None and _tilt(stood.skeleton, stood.roles) < LYING:
            names = naming.spoken(stood.turns)
            note = f"The rest pose lies; in the pose that is shown {names} stands it up, and is kept so."
            rig = dataclasses.replace(stood, notes=(*stood.notes, note))
    reasons = ", ".join(unsettled(rig.roles, rig.soles))
    if not reasons or any(is_stiff(leg) for leg in rig.roles.legs):
        return rig
    stood = _turned(
        armature_object, rig, upright(rig.skeleton, rig.roles, rig.soles, body_parts(rig.skeleton, rig.roles))
    )
    if stood is None:
        return rig
    roles, soles = stood.roles, stood.soles
    if corrections_of(armature_object).ground is None:
        # What else the legs carry counts no more: the soles are what stands.
        low = min(float(point @ np.array(roles.up)) for s in soles for point in (s.heel, s.tip))
        roles = dataclasses.replace(roles, ground=low)
        soles = _soles(stood.skeleton, roles, stood.skin)
    note = (
        f"The rest pose does not seem to stand ({reasons}): the walk begins from a stance with straight legs "
        "and flat soles. Apply a pose of your own as rest pose for another one, or correct up and facing in "
        "the roles (--roles)."
    )
    return dataclasses.replace(stood, roles=roles, soles=soles, notes=(*stood.notes, note))


def _turned(armature_object: Any, rig: Rig, turns: Turns) -> Rig | None:
    """The rig with bones turned further, None where that leaves no body."""
    if not turns:
        return None
    skeleton = posed(rig.skeleton, turns)
    skin = posed_skin(rig.skin, rig.skeleton, skeleton)
    found = _rig(armature_object, skeleton, skin, together(rig.turns, turns))
    same = [leg.bones for leg in found.roles.legs] == [leg.bones for leg in rig.roles.legs]
    return found if same and found.roles.pelvis == rig.roles.pelvis else None


def _shown_turns(armature_object: Any, rig: Rig) -> Turns:
    """How the bones above the pelvis are turned in the pose that is shown."""
    assert rig.roles.pelvis is not None
    turns = {}
    for name in rig.skeleton.line(rig.roles.pelvis)[1:]:
        turn = armature_object.pose.bones[name].matrix_basis.to_quaternion().normalized()
        if turn.angle > LEAST_TURN:
            turns[name] = np.array(turn)
    return turns


def check_usable(armature_object: Any) -> None:
    """Refuse what cannot be animated before anything is tried out on it."""
    check_there(armature_object)
    if getattr(armature_object, "library", None) is not None:
        raise AmbleError(
            f'"{armature_object.name}" is linked from another file and cannot be animated here: make a '
            "library override of it."
        )
    # The bones that are read would be those of before the edit.
    if getattr(armature_object, "type", None) == "ARMATURE" and armature_object.mode == "EDIT":
        raise BadSetting(f'"{armature_object.name}" is in edit mode, where it has no pose: leave edit mode.')
    if getattr(armature_object, "type", None) == "ARMATURE":
        with_pose(armature_object)


def check_playing(armature_object: Any) -> None:
    """Refuse, beside that, what cannot play another action."""
    check_usable(armature_object)
    check_target(armature_object)


@once
def _check_place(skeleton: Skeleton, name: str) -> None:
    """Refuse an object that is nowhere in the world, flat, or nothing at all."""
    world = skeleton.world
    axes, place = world[:3, :3], world[:3, 3]
    sizes = np.linalg.svd(axes, compute_uv=False) if np.isfinite(axes).all() else np.zeros(3)
    if sizes[-1] <= FLAT * sizes[0]:
        raise AmbleError(
            f'"{name}" has no size along some axis: give it, and what it is parented to, a '
            "scale other than 0."
        )
    if not np.isfinite(place).all():
        raise AmbleError(
            f'The location of "{name}" in the world is no number: give it, and what it is parented to, one.'
        )
