"""What else moves a rig: constraints that do nothing, muted kinematics, limits, layers, remapped time."""

from __future__ import annotations

from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.rig import foot_points, graph, read_skeleton, read_skin, recognise, sole
from amble.rig.influences import influences
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
    assert "thigh.L" in keyed_by(armature)


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


# ---- what decides beside the walk ----


def notes_on(armature: Any, **settings: Any) -> str:
    result = amble.gait(armature, **settings)
    assert result.report is not None
    assert not result.report.ok, result.notes
    return " ".join(result.notes)


def test_a_limit_that_holds_a_bone_back_is_named() -> None:
    armature = rigs.biped()
    limit = control_rigs.constrain(armature, "thigh.L", "LIMIT_ROTATION", use_limit_x=True)
    limit.owner_space = "LOCAL"
    assert '"Limit Rotation" of "thigh.L"' in notes_on(armature)


def test_a_limit_on_the_root_is_named() -> None:
    armature = rigs.biped()
    control_rigs.constrain(armature, "root", "LIMIT_LOCATION", use_min_y=True, use_max_y=True)
    assert '"Limit Location" of "root"' in notes_on(armature, root_motion="auto")


def test_a_constraint_of_the_object_is_named() -> None:
    armature = rigs.biped()
    anchor = bpy.data.objects.new("anchor", None)
    bpy.context.scene.collection.objects.link(anchor)
    armature.constraints.new("COPY_LOCATION").target = anchor
    assert '"Copy Location"' in notes_on(armature, root_motion="object")


def test_a_bone_that_stays_scaled_is_named() -> None:
    armature = rigs.biped()
    bone = armature.pose.bones["thigh.L"]
    bone.scale, bone.lock_scale = (2.0, 2.0, 2.0), (True, True, True)
    assert 'scaled and not set back by the walk ("thigh.L")' in notes_on(armature)


def push_down(armature: Any, name: str) -> Any:
    """An action of one bone, turned, as a track."""
    bone = armature.pose.bones["thigh.L"]
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    bone.keyframe_insert("rotation_quaternion", frame=1)
    data = armature.animation_data
    track = data.nla_tracks.new()
    track.name = name
    track.strips.new("strip", 1, data.action)
    data.action = None
    return track


def test_a_soloed_track_is_named() -> None:
    armature = rigs.biped()
    push_down(armature, "dance").is_solo = True
    assert 'NLA track "dance" is soloed' in notes_on(armature)


def test_tracks_that_a_walk_is_added_to_are_named() -> None:
    armature = rigs.biped()
    push_down(armature, "dance")
    armature.animation_data.action_blend_type = "ADD"
    said = notes_on(armature)
    assert '("dance")' in said
    assert '"ADD"' in said


def test_remapped_time_is_said() -> None:
    armature = rigs.biped()
    bpy.context.scene.render.frame_map_new = 200
    assert any("0.5 times as fast" in note for note in amble.gait(armature).notes)


# ---- rest poses ----


def test_a_rest_pose_that_does_not_stand_is_put_upright_and_that_is_said() -> None:
    """Mannequiny's rest flies: legs drawn up, hips askew."""
    armature = rigs.load("glb/gdquest_mannequiny-0.3.0.glb")
    rest = {bone.name: bone.matrix_local.copy() for bone in armature.data.bones}
    result = amble.gait(armature)
    said = [note for note in result.notes if "does not seem to stand" in note]
    assert len(said) == 1
    assert "--roles" in said[0]
    assert {bone.name: bone.matrix_local.copy() for bone in armature.data.bones} == rest
    # In mid-stance the sole lies flat and the leg is nearly straight under hips that are level on the whole.
    tilts = []
    for frame in np.linspace(*result.frames, 9):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        bones = armature.pose.bones
        tilts.append(float((bones["thigh.l"].head - bones["thigh.r"].head).normalized().z))
    assert abs(np.mean(tilts[:-1])) < 0.01
    for contact in result.contacts:
        side = result.roles.legs[contact.leg].side.lower()
        frame = 0.5 * (contact.flat + contact.heel_off)
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        bones = armature.pose.bones
        hip, knee, ankle = (np.array(bones[f"{name}.{side}"].head) for name in ("thigh", "calf", "foot"))
        bent = np.linalg.norm(ankle - hip) / (np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
        assert bent > 0.98
        assert abs(ankle[1] - hip[1]) < 0.25 * np.linalg.norm(ankle - hip)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(key, marks=pytest.mark.slow) if key.endswith(":generated") else key
        for key, truth in rigs.truth().items()
        if truth["kind"] == "biped" and truth["ground_world"] is not None
    ],
)
def test_rest_poses_that_stand_are_let_be(key: str) -> None:
    armature = rigs.load(key)
    skeleton = read_skeleton(armature)
    skin = read_skin(armature, skeleton.names)
    found = recognise(skeleton, skin)
    soles = [sole(skeleton, found, leg, foot_points(skeleton, leg, skin)) for leg in found.legs]
    assert not influences(armature, (), found, soles, ok=True)


def test_nothing_is_said_of_a_rig_that_only_the_walk_moves() -> None:
    assert not amble.gait(rigs.biped(), report=False).notes
