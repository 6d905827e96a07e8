"""Mirrored actions, judged by evaluated poses: at keys, between them, on rigs of every build."""

import math
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action.read import read
from amble.errors import AmbleError, BadSetting, NotAnArmature
from tests.blender import rigs
from tests.blender.action_tools import make_rig, state
from tests.blender.mirror_tools import (
    TIMES,
    assert_reflects,
    biped,
    curve_bytes,
    errors,
    images,
    key,
    new_action,
    poses,
    random_action,
    random_rolls,
    sides,
)
from tests.reference.mirror import reflection


def mirrored(rig: Any, **settings: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Poses before and after, and the result."""
    before = poses(rig, TIMES)
    result = amble.mirror(rig, **settings)
    return before, poses(rig, TIMES), result


@pytest.mark.parametrize("seed", range(5))
def test_case_23_any_rolls_reflect_at_keys_and_between_and_twice_is_the_original(seed):
    rig = biped(random_rolls(seed))
    source = random_action(rig, seed)
    before, after, result = mirrored(rig)
    assert_reflects(rig, before, after)
    assert not result.drawn
    again = amble.mirror(rig)
    place, angle = errors(poses(rig, TIMES), before)
    assert place < 1e-6
    assert angle < 1e-4
    ours, theirs = read(rig, again.action), read(rig, source)
    frames = theirs.key_frames()
    assert np.array_equal(ours.key_frames(), frames)
    assert np.abs(ours.channels(theirs.bones, frames) - theirs.channels(theirs.bones, frames)).max() < 1e-5


def test_case_24_limbs_with_the_same_local_x_on_both_sides():
    limbs = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    rig = biped({f"{bone}.{side}": 35.0 for bone in limbs for side in "LR"})
    random_action(rig)
    before, after, _ = mirrored(rig)
    assert_reflects(rig, before, after)


@pytest.mark.parametrize("root", [0, 37, 90, 180, 270])
@pytest.mark.parametrize("spine", [0, 37, 90, 180, 270])
def test_case_25_rolled_bones_in_the_middle(root, spine):
    rig = biped({"root": root, "pelvis": root, "spine": spine, "chest": spine})
    random_action(rig)
    before, after, _ = mirrored(rig)
    assert_reflects(rig, before, after)


@pytest.mark.parametrize("turn", [0, 90, 180, -90])
def test_case_26_axes_along_those_of_the_armature_never_turn_over(turn):
    rig = biped({name: float(turn) for name in biped().pose.bones.keys()})  # noqa: SIM118
    random_action(rig)
    before, after, result = mirrored(rig)
    assert_reflects(rig, before, after)
    scale = read(rig, result.action).channels([b.name for b in rig.pose.bones], TIMES)[:, 7:]
    assert (scale > 0.0).all()


@pytest.mark.parametrize(("axis", "angle"), [(0, -40), (1, 40), (0, 40)], ids=["forward", "up", "back"])
def test_case_29_a_raised_arm_is_the_other_arm_raised(axis, angle):
    rig = biped()
    home = new_action(rig)
    rest = np.array(rig.data.bones["upper_arm.L"].matrix_local)[:3, :3]
    about = rest.T @ np.eye(3)[axis]
    half = math.radians(angle) / 2.0
    for index, value in enumerate((math.cos(half), *(math.sin(half) * about))):
        key(home, 'pose.bones["upper_arm.L"].rotation_quaternion', index, [1], [value])
    before = poses(rig, [1], ["hand.L"])[0, 0, :3, 3]
    assert abs(before[[1, 2]] - np.array(rig.data.bones["hand.L"].head_local)[1:]).max() > 0.05
    amble.mirror(rig)
    after = poses(rig, [1], ["hand.R", "hand.L"])[0, :, :3, 3]
    assert np.abs(after[0] - before * [-1, 1, 1]).max() < 1e-4
    assert np.abs(after[1] - np.array(rig.data.bones["hand.L"].head_local)).max() < 1e-6


@pytest.mark.parametrize("angle", [0, 90, 30])
def test_case_30_the_plane_is_the_bodys_own(angle):
    from tests.rig import tables

    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))

    def turn(p: Any) -> Any:
        return (c * p[0] - s * p[1], s * p[0] + c * p[1], p[2])

    rig = rigs.build({b: (turn(h), turn(t), p) for b, (h, t, p) in tables.biped().items()}, "turned")
    random_action(rig)
    _, partners, _ = sides(rig)
    assert abs(abs(partners.normal @ [c, s, 0]) - 1.0) < 1e-6
    before, after, _ = mirrored(rig)
    assert_reflects(rig, before, after)


MODES = ("QUATERNION", "XYZ", "ZXY", "YZX", "AXIS_ANGLE", "ZYX", "YXZ", "XZY")


@pytest.mark.parametrize("rolls", [None, 3], ids=["plain", "rolled"])
def test_case_31_every_rotation_mode(rolls):
    rig = biped(None if rolls is None else random_rolls(rolls))
    for number, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = MODES[number % len(MODES)]
    modes = [bone.rotation_mode for bone in rig.pose.bones]
    random_action(rig)
    before, after, result = mirrored(rig, precision=0.0003)
    assert_reflects(rig, before, after)
    assert [bone.rotation_mode for bone in rig.pose.bones] == modes
    assert all("rotation of" in what for what in result.drawn)
    assert result.drawn


def test_eulers_whose_axes_lie_along_each_other_keep_their_keys_and_their_turns():
    rig = biped()
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    home = new_action(rig)
    for axis in range(3):
        key(home, 'pose.bones["forearm.L"].rotation_euler', axis, [1, 7.5, 20], [0.1, 9.0, 12.0 - axis])
    before, after, result = mirrored(rig)
    assert_reflects(rig, before, after)
    assert not result.drawn
    found = read(rig)
    assert found.bones == ("forearm.R",)
    assert found.key_frames().tolist() == [1.0, 7.5, 20.0]
    assert np.allclose(np.abs(found.points[:, 1]).reshape(3, 3), [[0.1, 9, 12], [0.1, 9, 11], [0.1, 9, 10]])


def test_case_38_partners_with_different_orders():
    rig = biped()
    rig.pose.bones["forearm.L"].rotation_mode = "XYZ"
    rig.pose.bones["forearm.R"].rotation_mode = "ZYX"
    rig.rotation_mode = "ZYX"
    home = new_action(rig)
    for axis in range(3):
        key(home, 'pose.bones["forearm.L"].rotation_euler', axis, [1, 9, 20], [0.1, 0.9 + axis / 9, -1.0])
    before, after, result = mirrored(rig, precision=0.0003)
    assert_reflects(rig, before, after)
    assert [what.split(":")[0] for what in result.drawn] == ['rotation of "forearm.R"']


def test_case_35_a_quaternion_of_length_0_is_told_of_and_read_as_rest():
    rig = biped()
    home = new_action(rig)
    for axis in range(4):
        key(home, 'pose.bones["hand.L"].rotation_quaternion', axis, [1, 20], [0.0, 0.5], "CONSTANT")
    result = amble.mirror(rig)
    assert any("length 0" in note and '"hand.L"' in note for note in result.notes)
    after = poses(rig, [1.0], ["hand.R"])[0, 0]
    assert np.abs(after - np.array(rig.data.bones["hand.R"].matrix_local)).max() < 1e-6


def test_case_35_only_the_active_modes_curves_count():
    rig = biped()
    home = new_action(rig)
    for axis in range(3):
        key(home, 'pose.bones["hand.L"].rotation_euler', axis, [1, 20], [1, 2])
        key(home, 'pose.bones["hand.L"].rotation_quaternion', axis + 1, [1, 20], [0.1, 0.4])
    before, after, _ = mirrored(rig)
    assert_reflects(rig, before, after)


def test_case_40_curves_with_holes_take_blenders_defaults():
    rig = biped(random_rolls(2))
    rig.pose.bones["thigh.L"].rotation_mode = "XYZ"
    home = new_action(rig)
    key(home, 'pose.bones["root"].location', 2, [1, 20], [0.2, 0.5])
    key(home, 'pose.bones["hand.L"].rotation_quaternion', 0, [1, 20], [1.0, 0.7])
    key(home, 'pose.bones["hand.L"].rotation_quaternion', 1, [1, 20], [0.2, 0.6])
    key(home, 'pose.bones["thigh.L"].rotation_euler', 1, [1, 20], [0.2, 0.6])
    before, after, _ = mirrored(rig, precision=0.0003)
    assert_reflects(rig, before, after)


def test_components_keyed_on_different_frames_are_drawn_anew_within_the_tolerance():
    rig = biped(random_rolls(4))
    home = new_action(rig)
    for axis in range(4):
        frames = np.array([1.0, 6.0 + axis, 20.0])
        key(home, 'pose.bones["hand.L"].rotation_quaternion', axis, frames, [1.0 - 0.3 * axis, 0.3, 0.6])
    before, after, result = mirrored(rig, precision=0.0003)
    assert_reflects(rig, before, after)
    assert "different frames" in result.drawn[0]
    frames = read(rig).key_frames().tolist()
    assert {1.0, 6.0, 7.0, 8.0, 9.0, 20.0} <= set(frames)


def test_case_41_and_50_keys_between_frames_stay_there():
    rig = biped(random_rolls(6))
    action = random_action(rig, frames=(-7.25, 0.8, 15.2))
    amble.mirror(rig)
    assert np.array_equal(read(rig).key_frames(), read(rig, action).key_frames())


def test_stepped_and_linear_keys_stay_so():
    rig = biped(random_rolls(7))
    home = new_action(rig)
    for axis in range(4):
        path = 'pose.bones["upper_arm.L"].rotation_quaternion'
        curve = key(home, path, axis, [1, 4.5, 9, 20], [1 - 0.2 * axis, 0.3, 0.5, 0.9])
        for point, kind in zip(
            curve.keyframe_points, ("CONSTANT", "LINEAR", "BEZIER", "LINEAR"), strict=True
        ):
            point.interpolation = kind
    before, after, result = mirrored(rig)
    assert_reflects(rig, before, after)
    assert not result.drawn
    assert read(rig).kinds.reshape(-1, 4).tolist() == [[0, 1, 2, 1]] * 4


def test_case_51_cycles_stay_other_modifiers_are_drawn_in_and_muted_curves_are_skipped():
    rig = biped(random_rolls(8))
    home = new_action(rig)
    for axis in range(3):
        curve = key(home, 'pose.bones["root"].location', axis, [1, 5, 9], [0, 0.3 * axis, 0.5])
        modifier = curve.modifiers.new("CYCLES")
        modifier.mode_after = "REPEAT_OFFSET"
    for axis in range(1, 4):
        curve = key(home, 'pose.bones["head"].rotation_quaternion', axis, [1, 9, 25], [0.1, 0.3, 0.2])
        noise = curve.modifiers.new("NOISE")
        noise.scale, noise.strength, noise.phase = 7.0, 0.2, axis
    key(home, 'pose.bones["chest"].rotation_quaternion', 1, [1, 9], [0.5, 0.5]).mute = True
    before, after, result = mirrored(rig, precision=0.0003)
    assert_reflects(rig, before, after)
    assert any("modifier" in what for what in result.drawn)
    late = np.array([30.0, 41.5])
    root = poses(rig, late, ["root"])
    assert np.abs(root[1, 0, :3, 3] - root[0, 0, :3, 3]).max() > 0.3  # it goes on


def test_case_58_bones_that_inherit_no_rotation_or_scale():
    rig = biped(random_rolls(9))
    for name in ("head", "foot.L", "foot.R"):
        rig.data.bones[name].use_inherit_rotation = False
    for name in ("hand.L", "hand.R"):
        rig.data.bones[name].inherit_scale = "NONE"
    random_action(rig)
    before, after, _ = mirrored(rig)
    assert_reflects(rig, before, after)


def test_case_59_locations_of_connected_bones_are_ignored_and_not_written():
    rig = biped()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        rig.data.edit_bones[f"shin.{side}"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    home = new_action(rig)
    key(home, 'pose.bones["shin.L"].location', 0, [1, 20], [1, 2])
    key(home, 'pose.bones["shin.L"].rotation_quaternion', 1, [1, 20], [0.1, 0.2])
    before, after, _ = mirrored(rig)
    assert_reflects(rig, before, after)
    assert ("shin.R", "location") not in {(c.bone, c.path) for c in read(rig).channels_of}


def test_case_6_a_bone_turned_inside_out():
    rig = biped(random_rolls(1))
    home = new_action(rig)
    for axis in range(3):
        key(home, 'pose.bones["hand.L"].scale', axis, [1, 20], [-1, -1])
    amble.mirror(rig)
    found = read(rig).channels(("hand.R", "hand.L"), [1, 10.5])
    assert (found[0, 7:] == -1.0).all()
    assert (found[1, 7:] == 1.0).all()


def test_case_39_what_is_shown_does_not_count():
    results = []
    for shown in (0.0, 1.0):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        rig = biped()
        action = random_action(rig, bones=("upper_arm.L", "forearm.R"))
        for bone in rig.pose.bones:
            bone.rotation_quaternion = (1, shown, 0, shown)
        results.append(curve_bytes(amble.mirror(rig, action).action, rig))
    assert results[0] == results[1]


def test_case_43_the_whole_action_is_mirrored_whatever_the_scene_shows():
    rig = biped()
    random_action(rig, frames=(0, 14))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 50, 60
    scene.frame_set(55)
    result = amble.mirror(rig)
    assert result.frames == (0.0, 14.0)
    assert (scene.frame_start, scene.frame_end, scene.frame_current) == (50, 60, 55)


def test_case_61_locked_channels_get_no_keys_unless_asked_for():
    rig = biped()
    for side in "LR":
        rig.pose.bones[f"shin.{side}"].rotation_mode = "XYZ"
    rig.pose.bones["shin.R"].lock_rotation = (False, True, True)
    home = new_action(rig)
    for axis in range(3):
        key(home, 'pose.bones["shin.L"].rotation_euler', axis, [1, 20], [0.1, 0.5])
    source = home.action
    result = amble.mirror(rig)
    assert [c.axis for c in read(rig).channels_of] == [0]
    assert any("shin.R" in note and "locked" in note for note in result.notes)
    amble.mirror(rig, source, locked=True)
    assert sorted(c.axis for c in read(rig).channels_of) == [0, 1, 2]


def test_M6_the_characters_own_plane_in_the_first_frame_keeps_place_and_heading():
    rig = biped()
    home = new_action(rig)
    path = 'pose.bones["root"].'
    for axis, (start, end) in enumerate(((3, 4.5), (0, 0.0), (-2, -4))):
        key(home, path + "location", axis, [1, 9, 20], [start, 0.4 * start + 0.6 * end + 0.1, end])
    for axis, value in ((0, math.cos(math.pi / 6)), (2, math.sin(math.pi / 6))):
        key(home, path + "rotation_quaternion", axis, [1, 20], [value, value])
    key(home, 'pose.bones["thigh.L"].rotation_quaternion', 1, [1, 9, 20], [0.0, 0.5, 0.0])
    before = poses(rig, TIMES)
    amble.mirror(rig, plane="first")
    after = poses(rig, TIMES)
    names, partners, rest = sides(rig)
    root = names.index("root")
    assert np.abs(after[0, root] - before[0, root]).max() < 1e-5
    first = before[0, root] @ np.linalg.inv(rest[root])
    plane = first @ reflection(partners.normal, partners.offset) @ np.linalg.inv(first)
    assert_reflects(rig, before, after, 4.0, plane)


def test_M6_a_given_plane_is_the_reflection_and_a_turn_and_case_111():
    rig = biped(random_rolls(3))
    random_action(rig)
    for angle in (90.0, 45.0):
        normal = (math.cos(math.radians(angle)), math.sin(math.radians(angle)), 0.0)
        action = rig.animation_data.action
        before = poses(rig, TIMES)
        result = amble.mirror(rig, plane="given", point=(0.3, -0.2, 0.5), normal=normal)
        after = poses(rig, TIMES)
        flat = np.array(normal)
        plane = reflection(flat, float(flat @ [0.3, -0.2, 0.5]))
        assert_reflects(rig, before, after, 2.0, plane)
        assert np.linalg.det(after[..., :3, :3]).min() > 0.9
        assert result.action != action


def test_a_given_plane_in_the_world():
    rig = biped()
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 0), (0, 0, 0.7), (2, 2, 2)
    random_action(rig)
    before = poses(rig, TIMES, world=True)
    amble.mirror(rig, plane="given", point=(4, 0, 0), normal=(1, 1, 0), space="world")
    after = poses(rig, TIMES, world=True)
    flat = np.array([1.0, 1.0, 0.0]) / math.sqrt(2.0)
    heads = before[..., :3, 3][:, sides(rig)[1].partner]
    image = heads - 2.0 * (heads @ flat - flat @ [4, 0, 0])[..., None] * flat
    assert np.abs(after[..., :3, 3] - image).max() < 1e-4


def test_the_objects_own_motion_is_mirrored_about_where_it_stands_first():
    rig = biped()
    home = new_action(rig)
    for axis in range(3):
        key(home, "location", axis, [1, 9, 20], [3 - axis, 5, 6 * axis])
        key(home, "rotation_euler", axis, [1, 9, 20], [0.6 * (axis == 2), 0.9 * (axis == 2), 0.0])
    key(home, 'pose.bones["thigh.L"].rotation_quaternion', 1, [1, 9, 20], [0.0, 0.5, 0.0])
    before = poses(rig, TIMES, world=True)
    amble.mirror(rig, precision=0.0001)
    after = poses(rig, TIMES, world=True)
    names, partners, rest = sides(rig)
    root = names.index("root")
    first = before[0, root] @ np.linalg.inv(rest[root])
    plane = first @ reflection(partners.normal, partners.offset) @ np.linalg.inv(first)
    assert_reflects(rig, before, after, 6.0, plane)


def test_case_80_and_79_nothing_else_changes_and_hidden_rigs_do_as_well():
    rig = biped()
    random_action(rig)
    plain = curve_bytes(amble.mirror(rig, name="first", assign=False).action, rig)
    rig.data.pose_position = "REST"
    rig.hide_viewport = True
    rig.data.bones["hand.L"].hide = True
    before = state(rig)
    result = amble.mirror(rig, name="second", assign=False)
    after = state(rig)
    after["actions"] = [a for a in after["actions"] if a[0] != "second"]
    assert before == after
    assert curve_bytes(result.action, rig) == plain


def test_the_source_stays_as_it_is_byte_for_byte():
    rig = biped(random_rolls(1))
    action = random_action(rig)
    before = curve_bytes(action, rig)
    amble.mirror(rig)
    assert curve_bytes(action, rig) == before


def test_case_17_twice_with_and_without_overwriting():
    rig = biped()
    action = random_action(rig)
    first = amble.mirror(rig, action)
    second = amble.mirror(rig, action)
    assert (first.action.name, second.action.name) == ("clip_mirrored", "clip_mirrored.001")
    old = curve_bytes(first.action, rig)
    third = amble.mirror(rig, action, name="clip_mirrored", overwrite=True)
    assert third.action.name == "clip_mirrored"
    assert curve_bytes(third.action, rig) == old
    fourth = amble.mirror(rig, action, overwrite=True)
    assert fourth.action.name == "clip_mirrored"
    assert sorted(a.name for a in bpy.data.actions) == ["clip", "clip_mirrored", "clip_mirrored.001"]
    with pytest.raises(AmbleError, match='"clip" is what is mirrored'):
        amble.mirror(rig, action, name="clip", overwrite=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Attack_L", "Attack_R"),
        ("LeftKick", "RightKick"),
        ("kick", "kick_mirrored"),
        ("Turn right", "Turn left"),
    ],
)
def test_names_of_mirrored_actions(name, expected):
    rig = biped()
    random_action(rig).name = name
    assert amble.mirror(rig).action.name == expected


def test_case_19_long_names_stay_valid_and_apart():
    rig = biped()
    action = random_action(rig)
    action.name = "Walk_" + "歩" * 19
    first, second = amble.mirror(rig, action), amble.mirror(rig, action)
    assert first.action.name != second.action.name
    assert len(first.action.name.encode()) <= 63
    assert action.name == "Walk_" + "歩" * 19


def test_case_78_no_action_is_a_clear_error():
    rig = biped()
    with pytest.raises(AmbleError, match='"biped" plays no action; give it one, or name one'):
        amble.mirror(rig)
    assert rig.animation_data is None
    new_action(rig)
    with pytest.raises(AmbleError, match='"clip" has no keys for this object'):
        amble.mirror(rig)
    assert [a.name for a in bpy.data.actions] == ["clip"]


def test_what_is_no_armature_and_settings_that_are_none():
    with pytest.raises(NotAnArmature, match='"None" is no armature'):
        amble.mirror(None)
    rig = biped()
    random_action(rig)
    for settings, message in (
        ({"plane": "given"}, "A given plane needs a normal"),
        ({"plane": "given", "normal": (0.0, 0.0, 1.0)}, "must not be 0 or upright"),
        ({"normal": (1.0, 0.0, 0.0)}, "which only a given plane has"),
        ({"wide": True}, "There is no setting wide; there are bones, "),
        ({"precision": 0.0}, "precision must be more than 0"),
        ({"subject": 5}, "subject is 5: give the subject of an earlier result"),
    ):
        with pytest.raises(BadSetting, match=message):
            amble.mirror(rig, **settings)
    assert [a.name for a in bpy.data.actions] == ["clip"]


def test_look_pose_on_a_rest_pose_that_somebody_drew_crooked():
    from tests.rig import tables

    bones = dict(tables.biped())
    rig = rigs.build(bones, "crooked")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    edit = rig.data.edit_bones
    knee, ankle = np.array(edit["thigh.R"].tail), np.array(edit["shin.R"].tail)
    edit["thigh.R"].tail = edit["shin.R"].head = knee + [0.0, -0.2, 0.05]
    edit["shin.R"].tail = edit["foot.R"].head = ankle + [0.0, -0.1, 0.05]
    bpy.ops.object.mode_set(mode="OBJECT")
    random_action(rig, bones=("thigh.L", "thigh.R", "shin.L", "shin.R", "pelvis"))
    before = poses(rig, TIMES)
    result = amble.mirror(rig, look="pose")
    after = poses(rig, TIMES)
    names, partners, _ = sides(rig)
    legs = [names.index(f"{bone}.{side}") for bone in ("thigh", "shin") for side in "LR"]
    wanted = before[:, partners.partner][:, legs][..., :3, 1] * [-1, 1, 1]
    assert np.abs(after[:, legs][..., :3, 1] - wanted).max() < 1e-4
    assert any("not symmetric" in note for note in result.notes)


def test_case_60_bones_without_length():
    rig = make_rig(("a.L", "a.R"))
    random_action(rig)
    amble.mirror(rig)
    assert np.isfinite(poses(rig, TIMES)).all()


def test_images_of_the_tools_are_those_of_a_hand_computed_case():
    rig = biped()
    before = np.array(rig.pose.bones["hand.L"].matrix)
    names, _, _ = sides(rig)
    block = np.tile(np.eye(4), (1, len(names), 1, 1))
    for at, name in enumerate(names):
        block[0, at] = np.array(rig.pose.bones[name].matrix)
    found = images(rig, block)[0, names.index("hand.R")]
    assert np.allclose(found[:3, 3], before[:3, 3] * [-1, 1, 1], atol=1e-6)
