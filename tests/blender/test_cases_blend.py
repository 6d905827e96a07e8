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


@pytest.fixture
def walk(biped) -> Any:
    return amble.gait(biped, speed=1.4, frames=(1, 60), name="Walk", report=False).action


def moving_root(rig: Any, name: str, speed: float, frames: int, hips: float = 0.0) -> Any:
    """An action whose root goes along -Y (root bone's own -Z, as it stands upright along +Z)."""
    rest = np.array(rig.data.bones["root"].matrix_local)[:3, :3]
    way = rest.T @ np.array([0.0, -1.0, 0.0])
    curves: dict[tuple[str, int], Any] = {
        (path("root", "location"), k): {1: 0.0, 1 + frames: way[k] * speed * frames / 24.0} for k in range(3)
    }
    curves[path("pelvis", "location"), 1] = {1: hips, 1 + frames: hips}
    return make_action(rig, name, curves)


def test_case_97_the_roots_speed_rises_steadily_from_a_walk_into_a_run(biped):
    bpy.context.scene.render.fps = 24
    walk, run = moving_root(biped, "W", 1.4, 48), moving_root(biped, "R", 4.0, 48)
    amble.blend(biped, walk, run, at=30, frames=12, curve="inertial")
    places = heads(biped, range(20, 60), ["root"])[:, 0]
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) * 24
    assert np.diff(speed).max() <= 1.5 * (4 - 1.4) / 12 + 1e-3
    assert speed.min() >= 1.4 * 0.95
    assert (np.diff(speed) > -1e-3).all()
    assert speed[-1] == pytest.approx(4.0, abs=1e-3)


def test_case_98_a_broken_off_transition_goes_on_without_a_snap(biped, walk):
    pose_action(biped, "Stand", {"upper_arm.L": (0, 10, 0)}, frames=(1, 60))
    result = amble.sequence(
        biped,
        [
            "Walk",
            {"action": "Stand", "frames": 20, "after": 8},
            {"action": "Walk", "frames": 12, "entry": 29},
        ],
        curve="inertial",
        name="Show",
    )
    play(biped, walk)
    own = max(_largest_turn(biped, bone, range(1, 60)) for bone in ("thigh.L", "shin.R", "upper_arm.L"))
    play(biped, result.action)
    last = int(result.frames[1])
    found = max(_largest_turn(biped, bone, range(1, last)) for bone in ("thigh.L", "shin.R", "upper_arm.L"))
    assert found <= 1.2 * own
    # At the end the pose is the walk's own, from where it has been set down.
    play(biped, walk)
    want = matrices(biped, "shin.L", [60])[0]
    root = matrices(biped, "root", [60])[0]
    play(biped, result.action)
    got, got_root = matrices(biped, "shin.L", [last])[0], matrices(biped, "root", [last])[0]
    np.testing.assert_allclose(np.linalg.inv(got_root) @ got, np.linalg.inv(root) @ want, atol=1e-4)


def _largest_turn(rig: Any, bone: str, frames: Any) -> float:
    turns = [tools.basis_quaternion(rig, bone, frame) for frame in frames]
    return max(tools.angle_between(p, q) for p, q in itertools.pairwise(turns))


def test_case_99_alignment_sets_B_down_where_A_stopped(biped, walk):
    biped.pose.bones["root"].rotation_mode = "XYZ"
    root = biped.data.bones["root"]
    rest = np.array(root.matrix_local)[:3, :3]
    turn, way = path("root", "rotation_euler"), path("root", "location")
    axis = int(np.argmax(np.abs(rest[2])))  # the bone's own axis that points up
    sign = float(np.sign(rest[2, axis]))

    def standing(
        name: str, place: tuple[float, float, float], degrees: float, gone: tuple[float, float, float]
    ) -> Any:
        start, end = rest.T @ np.array(place), rest.T @ (np.array(place) + np.array(gone))
        curves: dict[tuple[str, int], Any] = {(way, k): {1: start[k], 31: end[k]} for k in range(3)}
        angle = math.radians(degrees) * sign
        curves[turn, axis] = {1: angle, 31: angle}
        return make_action(biped, name, curves)

    a = standing("A", (0, 0, 0), 90, (2, 0, 0))  # turned left by 90 degrees it walks along +X
    heading = math.radians(35)
    b = standing("B", (7, 3, 0), 35, (2 * math.sin(heading), -2 * math.cos(heading), 0))
    for align, jump, direction in (("ground", 0.2, 0.0), ("place", 0.2, -55.0), ("none", 5.0, -55.0)):
        amble.blend(
            biped,
            a,
            b,
            frames=10,
            curve="linear" if align == "none" else "inertial",
            align=align,
            name="R",
            overwrite=True,
        )
        places = heads(biped, [30, 31, 32, 50, 60], ["root"])[:, 0]
        assert abs(places[:, 2]).max() < 1e-4
        if align != "none":
            assert np.linalg.norm(places[2] - places[1]) < jump
        gone = places[4] - places[3]
        assert math.degrees(math.atan2(gone[1], gone[0])) == pytest.approx(direction, abs=1.0)
        if align == "none":
            np.testing.assert_allclose(places[4], heads_of(biped, b, [60 - 31]), atol=1e-3)


def heads_of(rig: Any, action: Any, frames: Any) -> np.ndarray:
    """Of the root while another action plays."""
    now = rig.animation_data.action
    play(rig, action)
    found = heads(rig, frames, ["root"])[0, 0]
    play(rig, now)
    return found


def test_case_99_a_recorded_walk_after_itself_goes_on_along_its_heading():
    rig = rigs.load("bvh/cmu-cgspeed_12_01_walk.bvh")
    action = rig.animation_data.action
    result = amble.blend(rig, action, action, at=450, entry=60, curve="inertial", frames=24)
    assert result.report.carrier == "Hips"
    hips = heads(rig, [250, 450, 480, 800], ["Hips"])[:, 0]
    before, after = hips[1] - hips[0], hips[3] - hips[2]
    turn = math.degrees(math.atan2(before[0] * after[1] - before[1] * after[0], before[:2] @ after[:2]))
    assert abs(turn) < 6.0
    steps = np.linalg.norm(np.diff(heads(rig, range(440, 490), ["Hips"])[:, 0], axis=0), axis=1)
    assert steps.max() < 1.5 * steps[:8].max()


def test_case_100_a_root_that_stands_still_stays_after_the_transition(biped):
    rest = np.array(biped.data.bones["root"].matrix_local)[:3, :3]
    way = rest.T @ np.array([0.0, -1.2, 0.0])
    b = make_action(
        biped, "B", {(path("root", "location"), k): {1: 0, 13: way[k], 56: way[k]} for k in range(3)}
    )
    a = pose_action(biped, "A", {"head": (0, 0, 5)}, places={"root": (0.4, 0.0, 0.3)})
    result = amble.blend(biped, a, b, frames=10, curve="inertial")
    end = int(result.frames[1])
    places = heads(biped, range(30 + 13, end + 1), ["root"])[:, 0]
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).sum() < 1e-4


def stand(rig: Any, name: str, width: float, turn: float, frames=(1, 60)) -> Any:
    """A stand with the feet so far apart and the pelvis turned, legs straight down."""
    hips = 0.1
    lean = math.degrees(math.asin((width / 2 - hips) / 0.85))
    from mathutils import Matrix

    turns = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for bone, degrees in ((f"thigh.{side}", sign * lean), (f"foot.{side}", -sign * lean)):
            rest = rig.data.bones[bone].matrix_local.to_3x3()
            about_y = Matrix.Rotation(-math.radians(degrees), 3, "Y")
            turns[bone] = [math.degrees(x) for x in (rest.inverted() @ about_y @ rest).to_euler()]
    rest = rig.data.bones["pelvis"].matrix_local.to_3x3()
    about_z = Matrix.Rotation(math.radians(turn), 3, "Z")
    turns["pelvis"] = [math.degrees(x) for x in (rest.inverted() @ about_z @ rest).to_euler()]
    return pose_action(rig, name, turns, frames)


def test_case_102_feet_that_must_move_step_and_planted_ones_stay(biped):
    a, b = stand(biped, "A", 0.5, 0.0), stand(biped, "B", 0.2, 20.0)
    result = amble.blend(biped, a, b, frames=24, curve="inertial")
    assert result.report.steps == 2
    assert result.report.slide_mm <= 1.0
    frames = np.arange(60, 85)
    for foot in ("foot.L", "foot.R"):
        track = heads(biped, frames, [foot])[:, 0]
        speed = np.linalg.norm(np.diff(track[:, :2], axis=0), axis=1)
        height = track[:, 2] - track[0, 2]
        moving = speed > 1e-3
        assert moving.any()
        # It moves in one go, and off the ground.
        run = np.flatnonzero(moving)
        assert run[-1] - run[0] + 1 == run.size
        assert height[run[0] : run[-1] + 2].max() > 0.01
    other = stand(biped, "C", 0.5, 0.0)
    result = amble.blend(biped, a, other, frames=24, curve="inertial")
    assert result.report.steps == 0
    assert np.ptp(heads(biped, frames, ["foot.L"])[:, 0], axis=0).max() < 1e-3


def test_case_103_entered_at_the_matching_phase(biped, walk):
    bpy.context.scene.render.fps = 24
    run = amble.gait(biped, speed=2.0, cycle=0.8, frames=(1, 60), name="Quick", report=False).action
    play(biped, walk)
    for at in (20, 24, 28, 33):
        result = amble.blend(
            biped, walk, run, at=at, find=0, frames=18, curve="inertial", name="R", overwrite=True
        )
        assert result.report.jump <= 1.1 * result.report.jump_own
    found = amble.blend(
        biped, walk, run, at=40, find=20, frames=18, curve="inertial", name="R", overwrite=True
    )
    assert any("nearest" in note for note in found.notes)
    assert (
        found.report.distance_m
        < amble.blend(biped, walk, run, at=40, frames=18, name="R", overwrite=True).report.distance_m
    )


def test_case_104_limbs_keep_their_length_in_world_space(biped):
    a = pose_action(biped, "A", {"upper_arm.L": (0, 0, 0)})
    b = pose_action(biped, "B", {"upper_arm.L": (150, 0, 0), "root": (0, 120, 0)})
    for curve in ("linear", "inertial"):
        amble.blend(
            biped, a, b, frames=20, curve=curve, space="world", align="none", name="R", overwrite=True
        )
        for frame in range(30, 54, 3):
            seen = evaluated(biped, frame)
            for bone in seen.pose.bones:
                assert (bone.tail - bone.head).length == pytest.approx(bone.bone.length, abs=1e-5)
            for child in seen.pose.bones:
                if child.parent is not None:
                    rest = child.bone.matrix_local.translation
                    want = child.parent.matrix @ child.parent.bone.matrix_local.inverted() @ rest
                    assert (child.head - want).length < 1e-5


def test_loops_that_do_not_close_are_closed():
    rig = rigs.load("glb/m2m_anim-fox.glb")
    run: Any = next(action for action in bpy.data.actions if action.name.startswith("Run"))
    first, last = tuple(run.frame_range)
    play(rig, run)
    apart = heads(rig, [first, last])
    result = amble.close_loop(rig, run)
    assert result.frames == pytest.approx((first, last))
    closed = heads(rig, [first, last])
    assert np.linalg.norm(apart[0] - apart[1], axis=1).max() > 0.1
    assert np.linalg.norm(closed[0] - closed[1], axis=1).max() < 1e-4


def test_B2_a_pair_in_the_table_takes_its_frames_and_another_is_cut_straight(tmp_path):
    rig = rigs.biped()
    a = pose_action(rig, "A", {"head": (0, 0, 40)})
    b = pose_action(rig, "B", {"head": (0, 0, -40)})
    pose_action(rig, "C", {"head": (0, 30, 0)})
    assert amble.blend(rig, a, b, table={("A", "B"): 100}).report.frames == 100
    cut = amble.blend(rig, "A", "C", table={("A", "B"): 100})
    assert cut.report.frames == 0
    c_turn = tools.basis_quaternion(rig, "head", 31)
    assert tools.angle_between(tools.basis_quaternion(rig, "head", 30), c_turn) > 0.5
    made = amble.transition_table(rig, ["A", "B", "C"])
    made.save(tmp_path / "table.toml")
    again = amble.load_table(tmp_path / "table.toml")
    made.keep(rig)
    assert made.frames("A", "A") == 0
    assert made.frames("A", "B") > made.frames("A", "C") > 0
    assert {k: v.frames for k, v in again.transitions.items()} == {
        k: v.frames for k, v in made.transitions.items()
    }
    assert amble.blend(rig, a, b, table=True).report.frames == made.frames("A", "B")
    assert amble.blend(rig, a, b, table=tmp_path / "table.toml").report.frames == made.frames("A", "B")


def test_frames_are_chosen_so_that_no_joint_closes_in_faster_than_is_said(biped):
    bpy.context.scene.render.fps = 24
    a = pose_action(biped, "A", {"upper_arm.L": (0, 0, 0)})
    b = pose_action(biped, "B", {"upper_arm.L": (100, 0, 0)})
    # Poses that are one need 0.2 s, five frames of 24.
    assert amble.blend(biped, a, a, curve="inertial").report.frames == 5
    play(biped, a)
    apart = heads(biped, [1], ["hand.L"])[0, 0]
    play(biped, b)
    reach = 0.852
    for speed, limit in ((None, 3.0 * reach), (1.2, 1.2), (0.6, 0.6)):
        made = amble.blend(biped, a, b, curve="inertial", joint_speed=speed, name="R", overwrite=True)
        track = heads(biped, np.arange(30.0, 31.0 + made.report.frames, 0.25), ["hand.L"])[:, 0]
        fastest = np.linalg.norm(np.diff(track, axis=0), axis=1).max() * 4 * 24
        assert fastest <= limit * 1.05  # along the arc instead of across it
        assert "m/s" in made.report.why
    # Six tenths of a metre a second takes the hand twice as long as 1.2 did.
    assert np.linalg.norm(track[-1] - apart) > 0.3


def test_a_knee_stays_on_its_side_while_its_foot_lands():
    # Between the bent leg of a run and that of a stand the blended one is straight for a moment.
    rig = rigs.load("glb/gdquest_mannequiny-0.3.0.glb")
    run, stand = (next(a for a in bpy.data.actions if a.name.startswith(n)) for n in ("run", "fight_idle"))
    play(rig, run)
    knee = heads(rig, np.arange(run.frame_range[0], run.frame_range[1]), ["calf.r"])[:, 0]
    own = np.linalg.norm(np.diff(knee, 2, axis=0), axis=1).max()
    for at, frames in ((9.0, 17), (13.0, 12)):
        amble.blend(rig, run, stand, at=at, frames=frames, curve="inertial", name="R", overwrite=True)
        knee = heads(rig, np.arange(at, at + frames + 1), ["calf.r"])[:, 0]
        assert np.linalg.norm(np.diff(knee, 2, axis=0), axis=1)[2:].max() < 0.2 * own
