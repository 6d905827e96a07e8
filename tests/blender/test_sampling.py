"""Reading the evaluated armature: at any time, whatever moves it, and with the scene left as it was found."""

import math

import bpy
import numpy as np
import pytest
from amble.errors import BadSetting, MissingRole, NoLegsFound
from amble.report import Contact
from amble.report.measure import quarter_frames, sample
from tests.blender import rigs
from tests.blender.hand_made import (
    Roles,
    look,
    move,
    roles,
    standing,
    straighten,
    walking_on_ice,
)


def test_the_scene_is_left_as_it_was_found_with_what_was_not_keyed():
    rig = rigs.biped()
    other = rigs.biped()
    move(rig, {1: (0, 0, 0), 25: (0, 0, 1.0)})
    other.location = (0, 0, 0)
    other.keyframe_insert("location", frame=1)
    other.location = (5, 0, 0)
    other.keyframe_insert("location", frame=25)
    scene = bpy.context.scene
    scene.frame_set(7, subframe=0.25)
    rig.pose.bones["root"].location = (0.3, 0.2, 0.1)  # over the animation, not keyed
    rig.pose.bones["spine"].rotation_quaternion = (0.8, 0.6, 0, 0)  # not animated at all
    other.location = (1, 2, 3)
    bpy.context.view_layer.update()
    rig.select_set(True)
    other.select_set(False)
    rig.data.bones.active = rig.data.bones["shin.L"]
    action = rig.animation_data.action

    def state():
        evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return {
            "frame": (scene.frame_current, scene.frame_subframe),
            "root": tuple(rig.pose.bones["root"].location),
            "spine": tuple(rig.pose.bones["spine"].rotation_quaternion),
            "other": tuple(other.location),
            "pose": np.array([bone.matrix for bone in evaluated.pose.bones]).tolist(),
            "selected": [thing.name for thing in bpy.context.selected_objects],
            "active": bpy.context.view_layer.objects.active.name,
            "bone": rig.data.bones.active.name,
            "mode": rig.mode,
            "action": rig.animation_data.action,
            "actions": len(bpy.data.actions),
            "objects": sorted(bpy.data.objects.keys()),
            "matrix": np.array(other.matrix_world).tolist(),
        }

    before = state()
    report = look(rig, standing(), speed=1.0)
    assert report.speed_measured == pytest.approx(1.0, abs=1e-5)
    assert state() == before
    assert before["action"] == action
    with pytest.raises(MissingRole):
        sample(rig, [1, 2], ["no such bone"])
    assert state() == before


def test_sampling_reads_constraints_and_the_objects_own_motion():
    rig = rigs.biped()
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.4, 0.5, 0.6)
    copy = rig.pose.bones["hand.L"].constraints.new("COPY_LOCATION")
    copy.target = target
    rig.location = (0, 0, 0)
    rig.keyframe_insert("location", frame=1)
    rig.location = (0, 0, 2)
    rig.keyframe_insert("location", frame=11)
    straighten(rig)
    found = sample(rig, [1.0, 3.5, 11.0], ["hand.L", "root"])
    assert found.shape == (3, 2, 4, 4)
    assert found[:, 0, :3, 3] == pytest.approx(np.tile([0.4, 0.5, 0.6], (3, 1)), abs=1e-6)
    assert found[:, 1, 2, 3] == pytest.approx([0.0, 0.5, 2.0], abs=1e-6)


def test_frames_below_zero_and_between_are_read_where_they_are():
    rig = rigs.biped()
    move(rig, {-10: (0, 0, 0), 10: (0, 0, 2.0)})
    found = sample(rig, [-10.0, -2.75, -0.25, 9.5], ["root"])
    assert -found[:, 0, 1, 3] == pytest.approx([0.0, 0.725, 0.975, 1.95], abs=1e-6)


def test_quarter_frames_join_a_last_step_that_is_too_short():
    assert quarter_frames(1, 3).tolist() == [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3]
    assert quarter_frames(0, 1.3).tolist() == pytest.approx([0, 0.25, 0.5, 0.75, 1.0, 1.3])
    assert quarter_frames(0, 1.2).tolist() == pytest.approx([0, 0.25, 0.5, 0.75, 1.0, 1.2])


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"speed": -1.0}, BadSetting, "speed"),
        ({"speed": math.nan}, BadSetting, "speed"),
        ({"travel": (0, 0, 0)}, BadSetting, "travel"),
        ({"travel": (1, 0)}, BadSetting, "travel"),
        ({"frames": (5, 5)}, BadSetting, "frames"),
        ({"frames": (1, math.inf)}, BadSetting, "frames"),
        ({"roles": Roles(legs=())}, NoLegsFound, "legs"),
        ({"roles": Roles(legs=roles().legs[:1])}, BadSetting, "soles"),
    ],
)
def test_bad_settings_are_errors_that_name_themselves(settings, error, message):
    with pytest.raises(error, match=message):
        look(rigs.biped(), standing(), **settings)


def test_a_contact_of_an_unknown_leg_is_an_error():
    with pytest.raises(BadSetting, match="leg 2"):
        look(rigs.biped(), [Contact(2, 1, 1, 5, 5)])


def test_an_armature_that_is_not_in_the_scene_is_no_sample_but_measured():
    rig = walking_on_ice()
    bpy.context.scene.collection.objects.unlink(rig)
    with pytest.raises(BadSetting, match=r"biped.*not evaluated"):
        sample(rig, [1.0], ["root"])
    assert look(rig, standing(), speed=1.0).speed_measured == pytest.approx(1.0, abs=1e-5)
    assert not rig.users_collection


def test_an_armature_that_shows_no_motion_is_an_error_and_not_a_report_on_a_still_one():
    rig = walking_on_ice()

    def speed() -> float:
        return look(rig, standing(), speed=1.0).speed_measured

    rig.hide_set(True)  # hidden by the eye it moves all the same
    assert speed() == pytest.approx(1.0, abs=1e-5)
    rig.hide_set(False)
    rig.hide_viewport = True
    with pytest.raises(BadSetting, match="not evaluated"):
        sample(rig, [1.0], ["root"])
    assert speed() == pytest.approx(1.0, abs=1e-5)
    assert rig.hide_viewport
    rig.hide_viewport = False
    rig.data.pose_position = "REST"
    with pytest.raises(BadSetting, match="rest position"):
        sample(rig, [1.0], ["root"])
    assert speed() == pytest.approx(1.0, abs=1e-5)
    assert rig.data.pose_position == "REST"
    rig.data.pose_position = "POSE"
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(BadSetting, match="edit mode"):
        look(rig, standing())


def test_a_pose_that_is_not_a_number_is_an_error_with_bone_and_frame():
    rig = rigs.biped()
    rig.pose.bones["shin.L"].location = (math.nan, 0, 0)
    with pytest.raises(BadSetting, match=r"shin\.L.*frame 1"):
        look(rig, standing())
