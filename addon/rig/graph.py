"""What depends on what inside an armature: parents, constraints, drivers; and which bones are not free."""

from __future__ import annotations

import re
from typing import Any

# Constraints that leave a bone's own channels in force: they limit it, or carry it along.
CARRYING = frozenset(
    "CHILD_OF LIMIT_LOCATION LIMIT_ROTATION LIMIT_SCALE LIMIT_DISTANCE MAINTAIN_VOLUME FLOOR OBJECT_SOLVER "
    "CAMERA_SOLVER FOLLOW_TRACK COPY_SCALE ARMATURE".split()
)
# Those of them that change what a bone hangs from.
PARENTING = frozenset(("CHILD_OF", "ARMATURE"))
# Those that may have a target and act without one (an action by its own time).
UNAIMED = frozenset(("PIVOT", "ACTION"))
_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')
_TRANSFORM = re.compile(r"\.(location|rotation_\w+)$")
_MECHANISM = ("DEF-", "MCH-", "ORG-")


def bone_of(path: str) -> tuple[str, str] | None:
    """Bone and the rest of a data path that begins at a pose bone."""
    found = _BONE.match(path)
    if found is None:
        return None
    return re.sub(r"\\(.)", r"\1", found.group(1)), path[found.end() :]


def sources(armature_object: Any) -> dict[str, set[str]]:
    """For each bone the bones that it directly depends on, constraints that are off now included."""
    bones = armature_object.pose.bones
    found: dict[str, set[str]] = {bone.name: {bone.parent.name} if bone.parent else set() for bone in bones}
    for bone in bones:
        for constraint in bone.constraints:
            aims = {name for name in _targets(constraint, armature_object) if name in found}
            for moved in chain(bone, constraint):
                found[moved] |= aims - {moved}
    data = armature_object.animation_data
    for driver in data.drivers if data is not None else ():
        driven = bone_of(driver.data_path)
        if driven is None or driven[0] not in found:
            continue
        for variable in driver.driver.variables:
            for target in variable.targets:
                if target.id != armature_object:
                    continue
                read = (
                    bone_of(target.data_path) if variable.type == "SINGLE_PROP" else (target.bone_target, "")
                )
                if read is not None and read[0] in found:
                    found[driven[0]].add(read[0])
    return found


def upstream(depends: dict[str, set[str]], bones: set[str]) -> set[str]:
    """The bones and everything that they depend on."""
    found = set()
    ahead = {bone for bone in bones if bone in depends}
    while ahead:
        found |= ahead
        ahead = set().union(*(depends[bone] for bone in ahead)) - found
    return found


def chain(bone: Any, constraint: Any) -> list[str]:
    """The bones that a constraint moves: its own, and for inverse kinematics the chain above."""
    if constraint.type not in ("IK", "SPLINE_IK"):
        return [bone.name]
    moved = [bone] if getattr(constraint, "use_tail", True) else []
    link, left = bone.parent, constraint.chain_count - len(moved)
    while link is not None and (constraint.chain_count == 0 or left > 0):
        moved.append(link)
        link, left = link.parent, left - 1
    return [one.name for one in moved]


def is_active(constraint: Any) -> bool:
    """Whether a constraint, read off the evaluated object, has an effect."""
    return not constraint.mute and constraint.influence != 0.0 and works(constraint)


def works(constraint: Any) -> bool:
    """Whether a constraint would have an effect when it is switched on: it has all that it needs."""
    if not constraint.is_valid:  # what Blender itself goes by
        return False
    if constraint.type == "ARMATURE":
        return any(target.target is not None for target in constraint.targets)
    if constraint.type in UNAIMED or "target" not in constraint.bl_rna.properties:
        return True
    target = constraint.target
    if target is None:
        return False
    # Bones may have gone since Blender looked.
    own = target.original == constraint.id_data.original
    return not own or getattr(constraint, "subtarget", "") in target.pose.bones


def decided(evaluated: Any) -> dict[str, str]:
    """Bones whose place or turn a constraint decides, and which. evaluated: the evaluated object."""
    found: dict[str, str] = {}
    for bone in evaluated.pose.bones:
        for constraint in bone.constraints:
            if constraint.type not in CARRYING and is_active(constraint):
                for moved in chain(bone, constraint):
                    found.setdefault(moved, f'the constraint "{constraint.name}" of "{bone.name}"')
    return found


def driven(armature_object: Any) -> set[tuple[str, str]]:
    """(bone, channel) of every transform that a driver decides; channel as the property is called."""
    data = armature_object.animation_data
    found = set()
    for driver in data.drivers if data is not None else ():
        place = bone_of(driver.data_path)
        if place is not None and _TRANSFORM.match(place[1]):
            found.add((place[0], place[1][1:]))
    return found


def is_mechanism(name: str) -> bool:
    """Whether a name says that the bone belongs to the machinery of a control rig."""
    return name.startswith(_MECHANISM)


def _targets(constraint: Any, armature_object: Any) -> set[str]:
    if constraint.type == "ARMATURE":
        return {target.subtarget for target in constraint.targets if target.target == armature_object}
    found = set()
    if getattr(constraint, "target", None) == armature_object:
        found.add(getattr(constraint, "subtarget", ""))
    if getattr(constraint, "pole_target", None) == armature_object:
        found.add(constraint.pole_subtarget)
    return found
