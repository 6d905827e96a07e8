"""Cases from practice about transitions of whole motions: travel, feet, phases, lengths, breaking off."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from tests.blender import action_tools as tools
from tests.blender import control_rigs, rigs
from tests.blender.blend_figures import KAY, KAY_MOVE, measure, nla
from tests.blender.test_blend import make_action, path
from tests.blender.test_cases_blend import evaluated, heads, matrices, play, pose_action


@pytest.fixture
def biped() -> Any:
    return rigs.biped()


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


def at_rest(rig: Any, name: str, controls: Sequence[str]) -> Any:
    """A held pose with these bones at rest."""
    return pose_action(
        rig, name, dict.fromkeys(controls, (0, 0, 0)), (1, 60), places=dict.fromkeys(controls, (0, 0, 0))
    )


def feet_go(rig: Any, feet: Sequence[str], frames: Any) -> tuple[np.ndarray, np.ndarray]:
    """How far feet go over the ground from frame to frame, and their heights above the lowest."""
    track = heads(rig, frames, list(feet))
    gone = np.linalg.norm(np.diff(track[..., :2], axis=0), axis=2)
    return gone, track[..., 2] - track[..., 2].min(axis=0)


@pytest.mark.parametrize("kind", ["hand-made", "rigify"])
def test_feet_of_control_rigs_are_held_and_step_by_their_controls(kind):
    if kind == "rigify":
        rig = rigs.load("rigify:human:generated")
        controls, feet = ("torso", "foot_ik.L", "foot_ik.R"), ("DEF-foot.L", "DEF-foot.R")
    else:
        rig = control_rigs.ik_biped()
        controls, feet = ("pelvis", "ankle_ctl.L", "ankle_ctl.R"), ("foot.L", "foot.R")
    walk = amble.gait(rig, speed=1.0, frames=(1, 60), name="Walk", report=False).action
    stand = at_rest(rig, "Stand", controls)
    made = amble.blend(rig, walk, stand, at=36, curve="inertial")
    assert not any("feet are not held" in note for note in made.notes)
    gone, height = feet_go(rig, feet, np.arange(36, 37 + made.report.frames))
    leg = made.roles.leg_length
    # Whichever foot goes more than two hundredths of the leg in a frame is off the ground, and while one foot
    # goes the other stands, as of the third frame: at the cut both still have A's speed.
    fast = gone > 0.02 * leg
    assert fast.any(axis=0).all()
    assert (height[1:-1][fast[1:]] > 0.008 * leg).all()
    assert not (fast[2:].all(axis=1)).any()
    assert height.max(axis=0).min() > 0.03 * leg
    assert made.report.steps == 1
    # Two stands with the feet at one place and the body at two: no foot moves.
    low = pose_action(
        rig,
        "Low",
        dict.fromkeys(controls, (0, 0, 0)),
        (1, 60),
        places={**dict.fromkeys(controls, (0, 0, 0)), controls[0]: (0.03, -0.06, 0.0)},
    )
    amble.blend(rig, stand, low, frames=20, curve="inertial", name="R", overwrite=True)
    track = heads(rig, np.arange(58, 84), list(feet))
    assert np.ptp(track, axis=0).max() < 1e-3 * leg
    assert np.ptp(heads(rig, [60, 82], [controls[0]])[:, 0], axis=0).max() > 0.05


@pytest.mark.parametrize("rotation", ["numbers", "quaternion"])
def test_linear_is_the_formula_and_number_by_number_what_nla_strips_show(biped, rotation):
    # One arm from 0 to 100 degrees about one axis in 5 frames: p fifths of the arc are 20 p degrees; p fifths
    # of the chord between the quaternions, which is what NLA takes, 2 atan(p sin 50 / (5 - p + p cos 50)).
    a = pose_action(biped, "A", {"upper_arm.L": (0, 0, 0)}, (1, 60))
    b = pose_action(biped, "B", {"upper_arm.L": (100, 0, 0)}, (1, 60))
    amble.blend(biped, a, b, at=30, frames=5, rotation=rotation)
    half = math.radians(50.0)
    frames = [float(frame) for frame in range(30, 36)]
    turns = [tools.basis_quaternion(biped, "upper_arm.L", frame) for frame in frames]
    got = np.array([tools.angle_between(turns[0], turn) for turn in turns])
    p = np.arange(6) / 5
    chord = 2 * np.arctan2(p * np.sin(half), 1 - p + p * np.cos(half))
    np.testing.assert_allclose(got, chord if rotation == "numbers" else 2 * half * p, atol=1e-5)
    # The arc leaves the frozen A faster than the chord, by 20 degrees against 18.7: that much is the
    # specification's own, and the chord is faster in the middle instead.
    nla(biped, a, b, 30.0, 31.0, 5)
    shown = [np.array(evaluated(biped, frame).pose.bones["upper_arm.L"].matrix)[:3, :3] for frame in frames]
    turned = [math.acos(min((np.trace(shown[0].T @ turn) - 1) / 2, 1.0)) for turn in shown]
    np.testing.assert_allclose(turned, chord, atol=1e-3)
    assert math.degrees(chord[1]) == pytest.approx(18.74, abs=0.05)


@pytest.mark.parametrize(
    ("file", "a", "b"),
    [(KAY, "Hit_A", "Idle_B"), (KAY, "Idle_A", "Throw"), (KAY_MOVE, "Walking_A", "Running_A")],
)
def test_linear_number_by_number_is_never_worse_than_nla(file, a, b):
    loaded: dict[str, Any] = {}
    for share in (0.35, 0.6, 0.85):
        assert not measure(file, a, b, share, "linear", loaded, rotation="numbers")["faults"]
