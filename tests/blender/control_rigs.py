"""Bipeds moved by controls, built by hand: targets and poles of inverse kinematics, switches, followers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from amble.action import slots
from tests.blender import rigs
from tests.rig import tables
from tests.rig.tables import Bones

SIDES = (("L", 1.0), ("R", -1.0))


def build(extra: Bones | None = None, *, without: tuple[str, ...] = (), **parents: str | None) -> Any:
    """The plain biped with more bones, which bend no skin; parents: bones given another parent
    (`foot__L="root"` for foot.L).
    """
    bones = {name: place for name, place in tables.biped().items() if not name.startswith(without or ("?",))}
    for name, parent in parents.items():
        bone = name.replace("__", ".")
        bones[bone] = (*bones[bone][:2], parent)
    armature = rigs.build({**bones, **(extra or {})}, "biped")
    for name in extra or ():
        armature.data.bones[name].use_deform = False
    return armature


@contextmanager
def editing(armature: Any) -> Iterator[Any]:
    """The armature's edit bones."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        yield armature.data.edit_bones
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def constrain(armature: Any, bone: str, kind: str, target: str = "", **settings: Any) -> Any:
    """A constraint of a bone, aimed at another one of the armature."""
    constraint = armature.pose.bones[bone].constraints.new(kind)
    if target:
        constraint.target, constraint.subtarget = armature, target
    for name, value in settings.items():
        setattr(constraint, name, value)
    return constraint


def follow(armature: Any, bone: str, targets: dict[str, float]) -> None:
    """An armature constraint of a bone, as rigs use it to change what a control hangs from."""
    constraint = armature.pose.bones[bone].constraints.new("ARMATURE")
    for name, weight in targets.items():
        target = constraint.targets.new()
        target.target, target.subtarget, target.weight = armature, name, weight


def feet_controls(parent: str | None = "root", pole: str | None = "root") -> Bones:
    """Targets at the ankles and, with a pole's parent, poles before the knees."""
    found: Bones = {}
    for side, sign in SIDES:
        x = 0.10 * sign
        found[f"ankle_ctl.{side}"] = ((x, 0.02, 0.08), (x, -0.12, 0.02), parent)
        if pole is not None:
            found[f"knee_ctl.{side}"] = ((x, -0.62, 0.50), (x, -0.72, 0.50), pole)
    return found


def ik_biped(*, pole: bool = True, turn: bool = True, parent: str | None = "root") -> Any:
    """Shins with inverse kinematics to targets at the ankles; turn: the feet copy the targets' rotation."""
    armature = build(feet_controls(parent, "root" if pole else None))
    bind_feet(armature, pole=pole, turn=turn)
    return armature


def bind_feet(
    armature: Any, layer: str = "", *, target: str = "ankle_ctl", pole: bool = True, turn: bool = True
) -> None:
    """Bind legs to the controls of `feet_controls`; layer: before the names of their bones."""
    for side, _ in SIDES:
        leg = constrain(armature, f"{layer}shin.{side}", "IK", f"{target}.{side}", chain_count=2)
        if pole:
            aim_pole(armature, leg, f"{layer}thigh.{side}", f"knee_ctl.{side}")
        if turn:
            constrain(armature, f"{layer}foot.{side}", "COPY_ROTATION", f"{target}.{side}")
    bpy.context.view_layer.update()


def reverse_foot() -> Any:
    """A control on the ground under each foot, with pivots at heel, tip and ball between it and the ankle."""
    extra: Bones = {}
    for side, sign in SIDES:
        x = 0.10 * sign
        extra |= {
            f"foot_ctl.{side}": ((x, 0.06, 0.0), (x, -0.20, 0.0), "root"),
            f"heel_ctl.{side}": ((x, 0.06, 0.0), (x, 0.16, 0.0), f"foot_ctl.{side}"),
            f"tip_ctl.{side}": ((x, -0.20, 0.0), (x, -0.30, 0.0), f"heel_ctl.{side}"),
            f"ball_ctl.{side}": ((x, -0.12, 0.02), (x, 0.02, 0.08), f"tip_ctl.{side}"),
            f"toe_ctl.{side}": ((x, -0.12, 0.02), (x, -0.20, 0.02), f"tip_ctl.{side}"),
            f"knee_ctl.{side}": ((x, -0.62, 0.50), (x, -0.72, 0.50), "root"),
            f"ankle_mch.{side}": ((x, 0.02, 0.08), (x, -0.12, 0.02), f"ball_ctl.{side}"),
        }
    armature = build(extra)
    bind_feet(armature, target="ankle_mch")
    for side, _ in SIDES:
        constrain(armature, f"toe.{side}", "COPY_ROTATION", f"toe_ctl.{side}")
    return armature


def switched_biped(name: str, at_one: str) -> Any:
    """Legs that copy one of two layers, "fk_" and "ik_", as a property of the pelvis says, which is 0;
    at_one: the layer that it means at 1.
    """
    extra = feet_controls()
    for bone, (head, tail, parent) in tables.biped().items():
        if bone.split(".")[0] in ("thigh", "shin", "foot"):
            for layer in ("fk_", "ik_"):
                extra[layer + bone] = (head, tail, "pelvis" if parent == "pelvis" else f"{layer}{parent}")
    armature = build(extra)
    bind_feet(armature, "ik_")
    armature.pose.bones["pelvis"][name] = 0.0
    for side, _ in SIDES:
        for bone in ("thigh", "shin", "foot"):
            constrain(armature, f"{bone}.{side}", "COPY_TRANSFORMS", f"fk_{bone}.{side}")
            over = constrain(armature, f"{bone}.{side}", "COPY_TRANSFORMS", f"ik_{bone}.{side}")
            drive(over, "influence", armature, f'pose.bones["pelvis"]["{name}"]', at_one == "ik")
    bpy.context.view_layer.update()
    return armature


def drive(owner: Any, channel: str, source: Any, path: str, upward: bool = True) -> None:
    """Drive a channel by a property of `source`, from 0 to 1, or from 1 to 0."""
    curve = owner.driver_add(channel)
    variable = curve.driver.variables.new()
    variable.targets[0].id = source
    variable.targets[0].data_path = path
    curve.driver.type = "SUM"
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    generator = curve.modifiers.new("GENERATOR")
    generator.coefficients = (0.0, 1.0) if upward else (1.0, -1.0)


def aim_pole(armature: Any, constraint: Any, upper: str, pole: str) -> None:
    """A pole, with the angle that leaves the leg in its rest pose."""
    constraint.pole_target, constraint.pole_subtarget = armature, pole
    rest = armature.data.bones[upper].matrix_local
    best = None
    for step in range(-180, 180, 5):
        constraint.pole_angle = step * 0.017453292519943295
        bpy.context.view_layer.update()
        off = (armature.pose.bones[upper].matrix.to_quaternion() @ rest.to_quaternion().inverted()).angle
        off = min(off, 6.283185307179586 - off)
        if best is None or off < best[0]:
            best = (off, constraint.pole_angle)
    assert best is not None
    constraint.pole_angle = best[1]


def keyed(armature: Any) -> dict[str, set[str]]:
    """By bone the names of its properties that the object's action has curves of; "" the object's own."""
    found: dict[str, set[str]] = {}
    for curve in slots.find_curves(armature) or ():
        path = curve.data_path
        bone = path.split('"')[1] if path.startswith("pose.bones") else ""
        found.setdefault(bone, set()).add(path.split('"')[-2] if path.endswith("]") else path.split(".")[-1])
    return found
