"""Cases from practice about transitions, by their numbers, on evaluated armatures."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from tests.blender import action_tools as tools
from tests.blender import rigs
from tests.blender.test_blend import make_action, path


def evaluated(rig: Any, frame: float) -> Any:
    whole = math.floor(frame)
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get())


def matrices(rig: Any, bone: str, frames: Any) -> np.ndarray:
    """World matrices (frames, 4, 4) of a bone."""
    found = []
    for frame in frames:
        seen = evaluated(rig, float(frame))
        found.append(np.array(seen.matrix_world) @ np.array(seen.pose.bones[bone].matrix))
    return np.array(found)


def heads(rig: Any, frames: Any, bones: Any = None) -> np.ndarray:
    """World heads (frames, bones, 3)."""
    names = bones or [bone.name for bone in rig.pose.bones]
    found = []
    for frame in frames:
        seen = evaluated(rig, float(frame))
        world = np.array(seen.matrix_world)
        found.append([world[:3, :3] @ np.array(seen.pose.bones[n].head) + world[:3, 3] for n in names])
    return np.array(found)


def pose_action(
    rig: Any, name: str, turns: Mapping[str, Sequence[float]], frames=(1, 30), places=None
) -> Any:
    """A held pose: Euler angles in degrees (as quaternions) and locations by bone."""
    from mathutils import Euler

    curves: dict[tuple[str, int], Any] = {}
    for bone, angles in turns.items():
        q = Euler([math.radians(a) for a in angles]).to_quaternion()
        for k in range(4):
            curves[path(bone, "rotation_quaternion"), k] = dict.fromkeys(frames, q[k])
    for bone, place in (places or {}).items():
        for k in range(3):
            curves[path(bone, "location"), k] = dict.fromkeys(frames, place[k])
    return make_action(rig, name, curves)


def play(rig: Any, action: Any) -> None:
    slots.assign(rig.animation_data, action, slots.slot_to_play(action, rig))


@pytest.fixture
def biped() -> Any:
    return rigs.biped()


def test_case_3_an_offset_in_a_scaled_rig_goes_to_zero_without_overshoot():
    rig = rigs.biped(100)
    rig.scale = (0.01, 0.01, 0.01)
    where = path("upper_arm.L", "location")
    a = make_action(rig, "A", {(where, k): {1: v, 30: v} for k, v in enumerate((12, 0, 0))})
    b = pose_action(rig, "B", {"head": (0, 0, 10)})
    for curve in ("linear", "ease", "inertial", "overlap"):
        amble.blend(rig, a, b, at=30, frames=10, curve=curve, name="R", overwrite=True)
        x = [tools.curves(rig)[where, 0].evaluate(30 + p) for p in np.arange(0, 12, 0.25)]
        assert x[0] == 12.0
        assert max(np.diff(x)) <= 1e-5
        assert min(x) >= -1e-4
        assert x[40:] == pytest.approx([0.0] * len(x[40:]), abs=1e-5)


def test_case_6_a_mirrored_scale_never_fades_through_zero(biped):
    where = path("hand.L", "scale")
    a = make_action(biped, "A", {(where, k): {1: -1, 9: -1} for k in range(3)})
    b = pose_action(biped, "B", {"head": (0, 0, 10)})
    amble.blend(biped, a, b, frames=12)
    values = np.array([[tools.curves(biped)[where, k].evaluate(f) for f in range(1, 40)] for k in range(3)])
    assert np.isfinite(values).all()
    assert np.abs(values).min() >= 0.5


def test_case_32_euler_curves_keep_their_ways_short(biped):
    biped.pose.bones["upper_arm.L"].rotation_mode = "XYZ"
    where = path("upper_arm.L", "rotation_euler")
    a_end, b_way = (80, 85, 10), (-95, 95, 170)
    a = make_action(biped, "A", {(where, k): {1: math.radians(v)} for k, v in enumerate(a_end)})
    b = make_action(
        biped, "B", {(where, k): {1: math.radians(v), 40: math.radians(v)} for k, v in enumerate(b_way)}
    )
    for rotation in ("quaternion", "euler"):
        amble.blend(biped, a, b, frames=15, rotation=rotation, name="R", overwrite=True)
        angles = np.array(
            [[tools.curves(biped)[where, k].evaluate(f) for f in range(1, 30)] for k in range(3)]
        )
        assert np.abs(np.diff(angles)).max() < math.radians(90)
        turns = [tools.basis_quaternion(biped, "upper_arm.L", f) for f in range(1, 30)]
        whole = tools.angle_between(turns[0], turns[-1])
        if rotation == "quaternion":
            steps = [tools.angle_between(p, q) for p, q in itertools.pairwise(turns)]
            assert max(steps) <= 2 * whole / 15 + 1e-4


def negated(rig: Any, action: Any, name: str) -> Any:
    """The action with every second quaternion key of opposite sign."""
    copy = action.copy()
    copy.name = name
    for curve in slots.curves_for(copy, rig):
        if curve.data_path.endswith("rotation_quaternion"):
            for point in list(curve.keyframe_points)[::2]:
                point.co[1] *= -1
                point.handle_left[1] *= -1
                point.handle_right[1] *= -1
            curve.update()
    return copy


def test_case_33_signs_of_quaternion_keys_do_not_matter(biped):
    walk = amble.gait(biped, speed=1.4, frames=(1, 48), root_motion="none", name="Walk").action
    b = pose_action(biped, "B", {"thigh.L": (10, 0, 0), "upper_arm.L": (60, 0, 0)})
    flips = negated(biped, walk, "Flips")
    found = []
    for first, second in ((walk, b), (flips, b), (b, walk), (b, flips)):
        amble.blend(biped, first, second, at=None, curve="inertial", frames=12, name="R", overwrite=True)
        found.append({key: tools.numbers(curve)[:, :2] for key, curve in tools.curves(biped).items()})
    for plain, flipped in ((0, 1), (2, 3)):
        for key, values in found[plain].items():
            np.testing.assert_allclose(found[flipped][key], values, atol=1e-5)


@pytest.mark.parametrize("curve", ["linear", "ease", "inertial", "overlap"])
@pytest.mark.parametrize("space", ["local", "world"])
def test_case_34a_a_pose_blended_into_itself_stays(biped, curve, space):
    turns = {"upper_arm.L": (40, 10, 20), "thigh.L": (-20, 0, 5), "spine": (5, 5, 5)}
    a = pose_action(biped, "A", turns)
    b = pose_action(biped, "B", turns)
    for frames in (1, 7, 100):
        for rotation in ("quaternion", "euler"):
            amble.blend(
                biped,
                a,
                b,
                frames=frames,
                rotation=rotation,
                curve=curve,
                space=space,
                name="R",
                overwrite=True,
            )
            for curves in tools.curves(biped).values():
                values = tools.numbers(curves)[:, 1]
                assert np.ptp(values) < 1e-6


@pytest.mark.parametrize("space", ["local", "world"])
def test_case_34b_a_walk_cut_and_blended_into_its_own_continuation_is_that_walk(biped, space):
    walk = amble.gait(biped, speed=1.4, frames=(1, 48), name="Walk").action
    play(biped, walk)
    frames = np.arange(1, 48, 0.5)
    before = np.array([matrices(biped, bone, frames) for bone in ("foot.L", "hand.R", "head")])
    result = amble.blend(biped, walk, walk, at=9, entry=9, frames=12, curve="inertial", space=space)
    assert result.report.root_jump_m < 1e-4
    after = np.array([matrices(biped, bone, frames) for bone in ("foot.L", "hand.R", "head")])
    np.testing.assert_allclose(after, before, atol=1e-4 if space == "local" else 2e-4)


def test_case_36_a_root_that_went_round_is_not_unwound(biped):
    biped.pose.bones["root"].rotation_mode = "XYZ"
    where = path("root", "rotation_euler")
    b = make_action(biped, "B", {(where, 2): {1: 0, 30: 0}, (path("head", "location"), 0): {1: 0, 30: 0}})
    for turns in (1, 2):
        a = make_action(biped, f"A{turns}", {(where, 2): {1: 0, 25: 2 * math.pi * turns}})
        for rotation in ("quaternion", "euler"):
            amble.blend(biped, a, b, frames=12, rotation=rotation, name="R", overwrite=True)
            angles = np.array([tools.curves(biped)[where, 2].evaluate(f) for f in np.arange(25, 50, 0.25)])
            assert np.ptp(angles) < math.radians(1)


def test_case_37_slerp_keeps_the_arm_in_the_plane_of_the_two_poses(biped):
    a = pose_action(biped, "A", {"upper_arm.L": (0, 0, -90)})
    b = pose_action(biped, "B", {"upper_arm.L": (90, 0, 0)})
    amble.blend(biped, a, b, frames=30)
    turns = [tools.basis_quaternion(biped, "upper_arm.L", f) for f in range(30, 61)]
    away = [tools.angle_between(turns[0], q) for q in turns]
    assert (np.diff(away) > 0).all()
    whole = tools.angle_between(turns[0], turns[-1])
    for p, angle in enumerate(away):
        assert angle == pytest.approx(whole * p / 30, abs=math.radians(1))


def test_case_39_what_is_shown_does_not_matter(biped):
    a = pose_action(biped, "A", {"upper_arm.L": (0, 0, -90), "upper_arm.R": (0, 30, 0)})
    b = pose_action(biped, "B", {"thigh.L": (-40, 0, 0), "thigh.R": (20, 0, 0)})
    third = pose_action(biped, "C", {"head": (40, 40, 0), "thigh.L": (70, 0, 0)})
    found = []
    for shown in ("rest", "wild", "third"):
        if shown == "wild":
            for bone in biped.pose.bones:
                bone.rotation_quaternion = (0.5, 0.5, -0.5, 0.5)
                bone.location = (1, 2, 3)
        if shown == "third":
            biped.animation_data_create()
            play(biped, third)
            bpy.context.scene.frame_set(5)
        amble.blend(biped, a, b, frames=10, curve="inertial", name="R", overwrite=True)
        found.append(tools.contents(biped))
    assert found[0] == found[1] == found[2]


def test_case_44_the_cut_reads_what_blender_shows_there(biped):
    where = path("head", "location")
    a = bpy.data.actions.new("A")
    a.use_fake_user = True
    curve = slots.open_home(a, biped).new_curve(where, 0, "x")
    curve.keyframe_points.add(2)
    for point, at, value, left, right in zip(
        curve.keyframe_points, (10, 40), (0, 1), (3, 30), (20, 52), strict=True
    ):
        point.co, point.handle_left_type, point.handle_right_type = (at, value), "FREE", "FREE"
        point.handle_left, point.handle_right = (left, value - 0.4), (right, value + 0.7)
    curve.update()
    shown = [curve.evaluate(f) for f in range(10, 25)]
    b = make_action(biped, "B", {(where, 0): {1: 3, 20: 3}})
    amble.blend(biped, a, b, at=24, frames=6)
    made = tools.curves(biped)[where, 0]
    np.testing.assert_allclose([made.evaluate(f) for f in range(10, 25)], shown, atol=1e-4)
    assert tools.numbers(made)[0, 0] == 10.0


def test_case_51_cycles_modifiers_are_read_as_blender_shows_them(biped):
    walk = amble.gait(biped, speed=1.4, frames=(1, 25), repeat=True, name="Walk").action
    play(biped, walk)
    want = heads(biped, [75, 74, 73])
    stand = pose_action(biped, "B", {"head": (0, 0, 1)})
    amble.blend(biped, walk, stand, at=75, frames=10, curve="inertial")
    np.testing.assert_allclose(heads(biped, [75, 74, 73]), want, atol=2e-4)


def test_case_62_driven_channels_stay_driven_and_are_told(biped):
    biped.pose.bones["shin.L"].rotation_mode = "XYZ"
    driver = biped.driver_add(path("shin.L", "rotation_euler"), 0)
    driver.driver.expression = "0.3"
    where = path("shin.L", "rotation_euler")
    a = make_action(biped, "A", {(where, 0): {1: 0, 9: 1}, (where, 1): {1: 0, 9: 1}})
    b = make_action(biped, "B", {(where, 0): {1: 0, 9: 1}, (where, 1): {1: 0, 9: 1}})
    result = amble.blend(biped, a, b, frames=4)
    assert (where, 0) not in tools.curves(biped)
    assert (where, 1) in tools.curves(biped)
    assert any("shin.L" in note and "driven" in note for note in result.notes)


def test_case_77_tweak_mode_is_refused_and_strips_do_not_matter(biped):
    a = pose_action(biped, "A", {"head": (0, 0, 10)}, frames=(1, 20))
    b = pose_action(biped, "B", {"head": (0, 0, -10)}, frames=(1, 20))
    data = biped.animation_data or biped.animation_data_create()
    strip = data.nla_tracks.new().strips.new("s", 40, a)
    more = data.nla_tracks.new().strips.new("t", 1, b)
    more.blend_type = "ADD"
    result = amble.blend(biped, a, b, frames=4)
    assert result.frames == (1.0, 40.0)
    assert strip.frame_start == 40
    data.action = None
    data.use_tweak_mode = True
    if data.use_tweak_mode:
        with pytest.raises(amble.AmbleError, match="tweak"):
            amble.blend(biped, a, b, frames=4)


def test_case_78_no_action_is_a_sentence(biped):
    with pytest.raises(amble.AmbleError, match="no action"):
        amble.blend(biped, "Walk", "Run")


def test_case_80_hidden_rigs_in_rest_position_blend_alike(biped):
    a = pose_action(biped, "A", {"upper_arm.L": (0, 0, -90)})
    b = pose_action(biped, "B", {"thigh.L": (-40, 0, 0)})
    amble.blend(biped, a, b, frames=8, curve="inertial", name="R", overwrite=True)
    want = tools.contents(biped)
    biped.data.pose_position = "REST"
    biped.hide_viewport = True
    amble.blend(biped, a, b, frames=8, curve="inertial", name="R", overwrite=True)
    assert tools.contents(biped) == want
    assert biped.data.pose_position == "REST"
    assert biped.hide_viewport
