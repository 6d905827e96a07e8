"""Switches between inverse and forward kinematics of a limb: found through drivers and constraints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import graph
from .words import BESIDE_SWITCH

Mode = Literal["ik", "fk"]
_KEY = re.compile(r'^(.*)\["((?:[^"\\]|\\.)*)"\]$')


@dataclass(frozen=True, slots=True)
class Switch:
    """A value that decides how a limb is moved. path: seen from the object; group: bone that it belongs to;
    ik, fk: its values, by its name; is_own: whether it is an influence itself, whose meaning is sure.
    """

    path: str
    group: str
    ik: float
    fk: float
    is_own: bool = False

    def value(self, mode: Mode) -> float:
        """What to set for a mode."""
        return self.ik if mode == "ik" else self.fk

    def turned(self) -> Switch:
        """The same switch with its values the other way round."""
        return self if self.is_own else Switch(self.path, self.group, self.fk, self.ik)


def find_switches(armature_object: Any, bones: Sequence[str], trunk: Sequence[str]) -> list[Switch]:
    """The switches of the limb that the bones make: properties that drive constraints it depends on, and the
    trunk does not, else the influence of inverse kinematics itself where that is free to be set.
    """
    depends = graph.sources(armature_object)
    near = graph.upstream(depends, set(bones)) - graph.upstream(depends, set(trunk))
    found: dict[str, Switch] = {}
    data = armature_object.animation_data
    for driver in data.drivers if data is not None else ():
        place = graph.bone_of(driver.data_path)
        if place is None or place[0] not in near or ".constraints[" not in place[1]:
            continue
        for variable in driver.driver.variables:
            for target in variable.targets:
                if variable.type == "SINGLE_PROP" and target.id == armature_object:
                    _add(found, target.data_path)
    if not found:
        for bone, constraint, why in _own(armature_object, bones):
            if not why:
                path = f"{constraint.path_from_id()}.influence"
                found[path] = Switch(path, bone.name, 1.0, 0.0, is_own=True)
    return list(found.values())


def find_held(armature_object: Any, bones: Sequence[str]) -> list[str]:
    """Of the inverse kinematics that moves the bones, a sentence on each that cannot be switched by its own
    influence.
    """
    return [
        f'The inverse kinematics "{constraint.name}" of "{bone.name}" {why}, and is left as it is.'
        for bone, constraint, why in _own(armature_object, bones)
        if why
    ]


def _own(armature_object: Any, bones: Sequence[str]) -> Iterator[tuple[Any, Any, str]]:
    """(bone, constraint, why its influence is not to be set, or "") of the bones' inverse kinematics."""
    data = armature_object.animation_data
    driven = {d.data_path for d in (data.drivers if data is not None else ()) if not d.mute}
    for bone in armature_object.pose.bones:
        for constraint in bone.constraints:
            if constraint.type != "IK" or not set(graph.chain(bone, constraint)) & set(bones):
                continue
            path = constraint.path_from_id()
            why = ""
            if not graph.works(constraint):
                why = "has no target"
            elif constraint.mute and not {f"{path}.mute", f"{path}.enabled"} & driven:
                why = "is muted"
            elif f"{path}.influence" in driven:
                why = "has a driver on its influence"
            yield bone, constraint, why


def get_value(armature_object: Any, path: str) -> Any:
    """The value at a data path."""
    return armature_object.path_resolve(path)


def set_value(armature_object: Any, path: str, value: float) -> None:
    """Set the value at a data path, in the type that it has."""
    kind = type(get_value(armature_object, path))
    custom = _KEY.match(path)
    if custom:
        owner = armature_object.path_resolve(custom.group(1)) if custom.group(1) else armature_object
        owner[re.sub(r"\\(.)", r"\1", custom.group(2))] = kind(value)
    else:
        owner, name = path.rsplit(".", 1)
        setattr(armature_object.path_resolve(owner), name, kind(value))


def _add(found: dict[str, Switch], path: str) -> None:
    custom = _KEY.match(path)
    if custom is None or path in found:
        return
    name = re.sub("(ik)(fk)|(fk)(ik)", r"\1\3 \2\4", custom.group(2), flags=re.IGNORECASE)
    words = [word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    if not words or not {"ik", "fk"} & set(words) or set(words) - BESIDE_SWITCH:
        return
    both = {"ik", "fk"} <= set(words)
    first = next(word for word in words if word in ("ik", "fk"))
    # "IK_FK" goes from IK at 0 to FK at 1; "IK" alone is on at 1.
    ik = float((first == "fk") if both else (first == "ik"))
    place = graph.bone_of(path)
    found[path] = Switch(path, place[0] if place else "", ik, 1.0 - ik)
