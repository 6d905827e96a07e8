"""What else moves a rig: constraints that do nothing, muted kinematics, limits, layers, remapped time."""

from __future__ import annotations

from typing import Any

import amble
import bpy
import pytest
from amble.rig import graph
from tests.blender import control_rigs, rigs
from tests.blender.control_rigs import keyed

KINDS = bpy.types.Constraint.bl_rna.properties["type"].enum_items.keys()
# What acts on its own, as it is when it is new.
ALONE = {"PIVOT", "LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "MAINTAIN_VOLUME"}
ALONE |= {"CAMERA_SOLVER", "FOLLOW_TRACK", "OBJECT_SOLVER"}


@pytest.fixture(autouse=True)
def empty_blender() -> None:
    rigs.clear()


def evaluated(armature: Any) -> Any:
    return armature.evaluated_get(bpy.context.evaluated_depsgraph_get())


# ---- constraints that do nothing ----


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ALONE])
def test_a_constraint_that_lacks_what_it_needs_changes_nothing(kind: str) -> None:
    armature = rigs.biped()
    plain = keyed_by(armature)
    armature.pose.bones["thigh.L"].constraints.new(kind)
    bpy.context.view_layer.update()
    assert not graph.is_active(evaluated(armature).pose.bones["thigh.L"].constraints[0])
    assert keyed_by(armature) == plain


def keyed_by(armature: Any) -> dict[str, set[str]]:
    result = amble.gait(armature, overwrite=True)
    assert result.report is not None
    assert result.report.ok, result.report.table()
    return keyed(armature)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind in ALONE])
def test_a_constraint_that_needs_nothing_acts(kind: str) -> None:
    armature = rigs.biped()
    armature.pose.bones["thigh.L"].constraints.new(kind)
    bpy.context.view_layer.update()
    assert graph.is_active(evaluated(armature).pose.bones["thigh.L"].constraints[0])


@pytest.mark.parametrize("kind", ["COPY_ROTATION", "COPY_TRANSFORMS", "IK", "DAMPED_TRACK"])
def test_a_constraint_aimed_at_a_bone_that_is_not_there_does_nothing(kind: str) -> None:
    armature = rigs.biped()
    control_rigs.constrain(armature, "thigh.L", kind, "nobody")
    keyed_by(armature)


@pytest.mark.parametrize("change", [{"mute": True}, {"influence": 0.0}])
def test_a_constraint_that_is_off_leaves_its_bone_to_be_keyed(change: dict[str, Any]) -> None:
    armature = rigs.biped()
    control_rigs.constrain(armature, "thigh.L", "COPY_ROTATION", "head", **change)
    keyed_by(armature)
    assert "thigh.L" in keyed(armature)


# ---- inverse kinematics that is not to be switched ----


def test_muted_inverse_kinematics_is_left_as_it_is_and_said() -> None:
    armature = control_rigs.ik_biped()
    shins = [armature.pose.bones[f"shin.{side}"] for side in "LR"]
    for shin in shins:
        shin.constraints[0].mute = True
    result = amble.gait(armature, limbs="ik")
    assert all(shin.constraints[0].influence == 1.0 for shin in shins)
    assert not {"influence"} & keyed(armature)["shin.L"]
    said = [note for note in result.notes if "is muted" in note]
    assert len(said) == 2
    assert '"shin.L"' in said[0]


def test_a_driven_influence_gets_no_curve() -> None:
    armature = control_rigs.ik_biped()
    armature["reach"] = 1.0
    for side in "LR":
        constraint = armature.pose.bones[f"shin.{side}"].constraints[0]
        control_rigs.drive(constraint, "influence", armature, '["reach"]')
    result = amble.gait(armature, limbs="fk")
    assert "influence" not in keyed(armature).get("shin.L", set())
    assert any("has a driver on its influence" in note for note in result.notes)
    assert result.report is not None
    assert result.report.ok, result.report.table()


def test_a_switch_that_cannot_help_stays_as_it_is() -> None:
    armature = control_rigs.switched_biped("IK_FK", "fk")
    for side in "LR":
        armature.pose.bones[f"ik_shin.{side}"].constraints[0].mute = True
    amble.gait(armature, limbs="ik")
    assert armature.pose.bones["pelvis"]["IK_FK"] == 0.0
