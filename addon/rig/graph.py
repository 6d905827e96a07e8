"""What depends on what inside an armature: parents, constraints, drivers; and which bones are not free."""

from __future__ import annotations

import re
from collections.abc import Iterable
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


def sources(armature_object: Any, *, chains: bool = False) -> dict[str, set[str]]:
    """For each bone the bones that it directly depends on, constraints that are off now included; by way of
    other objects too. chains: with the bones of an inverse kinematics chain depending on each other."""
    bones = armature_object.pose.bones
    found: dict[str, set[str]] = {bone.name: {bone.parent.name} if bone.parent else set() for bone in bones}
    outside = _Outside(armature_object)
    for bone in bones:
        for constraint in bone.constraints:
            aims = {name for name in outside.targets(constraint) if name in found}
            links = chain(bone, constraint)
            for moved in links:
                found[moved] |= (aims | set(links) if chains else aims) - {moved}
    for driver in _drivers(armature_object):
        driven = bone_of(driver.data_path)
        if driven is not None and driven[0] in found:
            found[driven[0]] |= {name for name in outside.read(driver) if name in found}
    return found


def downstream(depends: dict[str, set[str]], bones: Iterable[str]) -> dict[str, set[str]]:
    """For each of the bones, itself and everything that depends on it."""
    above: dict[str, list[str]] = {bone: [] for bone in depends}
    for bone, sources_of in depends.items():
        for one in sources_of:
            above[one].append(bone)
    found = {}
    for bone in bones:
        seen, ahead = {bone}, [bone]
        while ahead:
            for other in above[ahead.pop()]:
                if other not in seen:
                    seen.add(other)
                    ahead.append(other)
        found[bone] = seen
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


def _drivers(owner: Any) -> Iterable[Any]:
    data = getattr(owner, "animation_data", None)
    return data.drivers if data is not None else ()


class _Outside:
    """Which bones of an armature constraints and drivers look at, themselves or by way of other objects."""

    def __init__(self, armature_object: Any) -> None:
        self.object = armature_object
        self._seen: dict[Any, set[str]] = {}

    def targets(self, constraint: Any) -> set[str]:
        """Bones that a constraint looks at."""
        if constraint.type == "ARMATURE":
            pairs = [(target.target, target.subtarget) for target in constraint.targets]
        else:
            pairs = [(getattr(constraint, "target", None), getattr(constraint, "subtarget", ""))]
            pairs.append(
                (getattr(constraint, "pole_target", None), getattr(constraint, "pole_subtarget", ""))
            )
        return set().union(*(self._bones(target, bone) for target, bone in pairs))

    def read(self, driver: Any) -> set[str]:
        """Bones that a driver reads."""
        found = set()
        for variable in driver.driver.variables:
            for target in variable.targets:
                bone = target.bone_target
                if variable.type == "SINGLE_PROP":
                    place = bone_of(target.data_path)
                    bone = place[0] if place is not None else ""
                found |= self._bones(target.id, bone)
        return found

    def _bones(self, target: Any, bone: str) -> set[str]:
        """Bones of the armature that a target moves with; bone: of the target."""
        if target is None:
            return set()
        if target == self.object:
            return {bone}
        if target not in self._seen:
            self._seen[target] = set()  # for those that look at each other
            self._seen[target] = self._moves_with(target)
        return self._seen[target]

    def _moves_with(self, other: Any) -> set[str]:
        found = set()
        parent = getattr(other, "parent", None)
        if parent is not None:
            found |= self._bones(parent, other.parent_bone if other.parent_type == "BONE" else "")
        for modifier in getattr(other, "modifiers", ()):
            if modifier.type == "ARMATURE" and modifier.object is not None:
                # Skin moves with any bone.
                here = modifier.object == self.object
                found |= set(self.object.pose.bones.keys()) if here else self._bones(modifier.object, "")
        held = [*getattr(other, "constraints", ())]
        if getattr(other, "pose", None) is not None:
            held += [constraint for bone in other.pose.bones for constraint in bone.constraints]
        for constraint in held:
            found |= self.targets(constraint)
        for driver in _drivers(other):
            found |= self.read(driver)
        return found
