"""Motion arrays written into actions: the values between keys, and what is keyed at all."""

import bpy
import numpy as np
import pytest
from amble.action import add_markers, write
from tests.blender.action_tools import (
    ALL,
    MODES,
    angle_between,
    basis_quaternion,
    contents,
    curves,
    hermite,
    make_rig,
    random_motion,
    rest,
    with_rotation,
)

# ---- values ------------------------------------------------------------------------------------------------


def test_between_keys_every_channel_is_the_hermite_cubic_within_1e_6() -> None:
    rig = make_rig(("a", "b", "c"))
    frames = np.array([-3.0, -2.0, -0.75, 0.5, 4.0, 5.0, 11.25, 12.0])
    motion, slopes = random_motion(3, frames.size)
    write(rig, "Test", ["c", "a", "b"], motion, slopes, frames, [ALL] * 3)

    written = curves(rig)
    assert len(written) == 30
    at = np.linspace(-3.0, 12.0, 301)
    for row, bone in enumerate(("c", "a", "b")):
        for channel in range(10):
            path = "location" if channel < 3 else "rotation_quaternion" if channel < 7 else "scale"
            index = channel - (0 if channel < 3 else 3 if channel < 7 else 7)
            curve = written[f'pose.bones["{bone}"].{path}', index]
            got = np.array([curve.evaluate(t) for t in at])
            want = hermite(frames, motion[row, channel], slopes[row, channel], at)
            assert np.abs(got - want).max() < 1e-6


def test_a_hundred_thousand_frames_from_zero_the_slope_stays_exact() -> None:
    rig = make_rig(("a",))
    frames = 100_000.0 + np.arange(12)
    motion, slopes = rest(1, 12)
    motion[0, 0], slopes[0, 0] = 0.3 * np.sin(0.5 * frames), 0.15 * np.cos(0.5 * frames)
    write(rig, "Far", ["a"], motion, slopes, frames, [(True, False, False)])
    curve = curves(rig)['pose.bones["a"].location', 0]
    # A float32 frame number has steps of 1/128 here, so a handle stands up to 1/256 off its third. The curve
    # then errs by at most 2 * 4/9 of that times the greatest difference between the slopes of an interval,
    # 0.075 here.
    at = frames[0] + np.arange(0, 11 * 128) / 128.0
    got = np.array([curve.evaluate(t) for t in at])
    want = hermite(frames, motion[0, 0], slopes[0, 0], at)
    assert np.abs(got - want).max() < 8.0 / 9.0 / 256.0 * 0.075


def test_a_channel_that_never_changes_is_constant_to_the_bit_in_every_rotation_mode() -> None:
    rig = make_rig(MODES)
    for bone in rig.pose.bones:
        bone.rotation_mode = bone.name
    q = np.array((0.83, -0.31, 0.44, 0.17))
    motion, slopes = with_rotation(
        np.repeat((q / np.linalg.norm(q))[:, None], 49, axis=1), np.zeros((4, 49)), 8
    )
    motion[:, :3] = 1.0 / 3.0
    write(rig, "Still", MODES, motion, slopes, np.arange(49.0), [ALL] * 8)
    for curve in curves(rig).values():
        assert len({curve.evaluate(t) for t in np.linspace(-1.0, 50.0, 409)}) == 1


def test_one_frame_gives_one_key() -> None:
    rig = make_rig(("a",))
    motion, slopes = random_motion(1, 1)
    rig.pose.bones["a"].rotation_mode = "ZXY"
    write(rig, "Pose", ["a"], motion, slopes, [7.5], [ALL])
    for curve in curves(rig).values():
        assert [point.co[0] for point in curve.keyframe_points] == [7.5]
    assert angle_between(basis_quaternion(rig, "a", 7.0), motion[0, 3:7, 0]) < 1e-6


@pytest.mark.parametrize("setting", ["CONSTANT", "LINEAR", "BEZIER", "SINE"])
def test_preferences_for_new_keys_do_not_matter(setting: str) -> None:
    rig = make_rig()
    motion, slopes = random_motion(2, 9)
    write(rig, "Plain", ["a", "b"], motion, slopes, np.arange(9), [ALL] * 2)
    plain = contents(rig)
    edit = bpy.context.preferences.edit
    edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = setting, "VECTOR"
    write(rig, "Again", ["a", "b"], motion, slopes, np.arange(9), [ALL] * 2)
    assert contents(rig) == plain
    points = curves(rig)['pose.bones["a"].location', 0].keyframe_points
    assert {(p.interpolation, p.handle_left_type, p.handle_right_type) for p in points} == {
        ("BEZIER", "FREE", "FREE")
    }


# ---- what is keyed -----------------------------------------------------------------------------------------


def test_only_bones_and_channels_of_the_mask_get_curves_grouped_by_bone() -> None:
    rig = make_rig(("a", "b", "c", "d"))
    rig.pose.bones["b"].rotation_mode = "YXZ"
    motion, slopes = random_motion(3, 4)
    mask = [(True, False, False), (False, True, False), (False, False, True)]
    result = write(rig, "Mask", ["a", "b", "c"], motion, slopes, np.arange(4), mask)
    found = curves(rig)
    assert set(found) == {
        (f'pose.bones["{bone}"].{path}', index)
        for bone, path in (("a", "location"), ("b", "rotation_euler"), ("c", "scale"))
        for index in range(3)
    }
    assert {key[0].split('"')[1]: curve.group.name for key, curve in found.items()} == {b: b for b in "abc"}
    assert result.curves == 9
    assert result.skipped == ()


def test_locked_channels_get_no_curve_and_are_told() -> None:
    rig = make_rig(("place", "euler", "four", "all", "size"))
    bones = rig.pose.bones
    bones["place"].lock_location = (False, True, False)
    bones["euler"].rotation_mode = "ZYX"
    bones["euler"].lock_rotation = (False, True, True)
    bones["four"].lock_rotations_4d = bones["four"].lock_rotation_w = True
    bones["all"].lock_rotation = (True, True, True)
    bones["size"].lock_scale = (True, True, True)
    motion, slopes = random_motion(5, 3)
    mask = [(True, False, False), (False, True, False), (False, True, False), (False, True, False), ALL]
    names = ["place", "euler", "four", "all", "size"]
    result = write(rig, "Locks", names, motion, slopes, np.arange(3), mask)
    by_bone: dict[str, set[tuple[str, int]]] = {}
    for path, index in curves(rig):
        by_bone.setdefault(path.split('"')[1], set()).add((path.rsplit(".", 1)[1], index))
    assert by_bone == {
        "place": {("location", 0), ("location", 2)},
        "euler": {("rotation_euler", 0)},
        "four": {("rotation_quaternion", 1), ("rotation_quaternion", 2), ("rotation_quaternion", 3)},
        "size": {("location", i) for i in range(3)} | {("rotation_quaternion", i) for i in range(4)},
    }
    assert result.skipped == (
        "place: location Y, which is locked",
        "euler: rotation Y, Z, which is locked",
        "four: rotation W, which is locked",
        "all: rotation, which is locked",
        "size: scale, which is locked",
    )


def test_driven_channels_get_no_curve_and_are_told() -> None:
    rig = make_rig(('say "hi"\\', "b"))
    first = rig.pose.bones[0]
    first.driver_add("location", 1).driver.expression = "0.25"
    for axis in range(4):
        rig.pose.bones["b"].driver_add("rotation_quaternion", axis).driver.expression = "0.5"
    rig.driver_add("location", 2).driver.expression = "1.5"
    motion, slopes = random_motion(2, 3)
    place = np.ones((3, 3))
    result = write(
        rig,
        "Driven",
        [first.name, "b"],
        motion,
        slopes,
        np.arange(3),
        [(True, False, False), (False, True, False)],
        object_location=place,
        object_location_slopes=np.zeros((3, 3)),
    )
    escaped = bpy.utils.escape_identifier(first.name)
    assert set(curves(rig)) == {
        (f'pose.bones["{escaped}"].location', 0),
        (f'pose.bones["{escaped}"].location', 2),
        ("location", 0),
        ("location", 1),
    }
    assert result.skipped == (
        'say "hi"\\: location Y, which is driven',
        "b: rotation, which is driven",
        "object Rig: location Z, which is driven",
    )


def test_connected_bones_get_no_location() -> None:
    rig = make_rig(("a", "b"))
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["b"].parent = rig.data.edit_bones["a"]
    rig.data.edit_bones["b"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    result = write(rig, "Chain", ["a", "b"], *random_motion(2, 3), np.arange(3), [(True, False, False)] * 2)
    assert {key[0] for key in curves(rig)} == {'pose.bones["a"].location'}
    assert result.skipped == ("b: location, as the bone is connected to its parent",)


def test_object_location_follows_its_own_hermite_cubic() -> None:
    rig = make_rig(("a",))
    frames = np.array([0.0, 1.5, 4.0])
    draw = np.random.default_rng(4)
    place, rate = draw.uniform(-0.4, 0.4, (3, 3)), draw.uniform(-0.4, 0.4, (3, 3))
    write(rig, "Walk", ["a"], *rest(1, 3), frames, [ALL], object_location=place, object_location_slopes=rate)
    found = curves(rig)
    for axis in range(3):
        curve = found["location", axis]
        assert curve.group.name == "Object Transforms"
        for t in np.linspace(0.0, 4.0, 33):
            want = hermite(frames, place[axis], rate[axis], np.array([t]))[0]
            assert curve.evaluate(t) == pytest.approx(want, abs=1e-6)


def test_cyclic_marks_the_action_as_a_loop_over_its_frames() -> None:
    rig = make_rig()
    frames = np.linspace(1.5, 25.476, 24)
    once = write(rig, "Once", ["a", "b"], *rest(2, 24), frames, [ALL] * 2).action
    loop = write(rig, "Loop", ["a", "b"], *rest(2, 24), frames, [ALL] * 2, cyclic=True).action
    assert (once.use_frame_range, once.use_cyclic) == (False, False)
    assert (loop.use_frame_range, loop.use_cyclic) == (True, True)
    assert once.frame_range[0:2] == pytest.approx((1.5, 25.476), abs=1e-5)
    assert (loop.frame_start, loop.frame_end) == pytest.approx((1.5, 25.476), abs=1e-5)


def test_markers_sit_on_the_nearest_frame_once() -> None:
    action = bpy.data.actions.new("Marks")
    assert add_markers(action, [("heel L", 1.2), ("toe L", 14.5), ("heel R", -0.5), ("heel L", 1.4)]) == 3
    assert add_markers(action, [("heel L", 1), ("heel L", 25.0)]) == 1
    assert [(marker.name, marker.frame) for marker in action.pose_markers] == [
        ("heel L", 1),
        ("toe L", 15),
        ("heel R", 0),
        ("heel L", 25),
    ]
