"""Postures, rates, limbs and speeds as they come in practice, each with the figure that is right."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import amble
import amble_core
import bpy
import numpy as np
import pytest
from amble.errors import BadSetting
from mathutils import Matrix
from tests.blender import rigs
from tests.blender.control_rigs import editing
from tests.blender.paths import FEET, path, plants, whole
from tests.rig import tables
from tests.rig.tables import Bones, Point

SAME = 1e-4
FPS = 24.0
# Degrees a frame, a sixth of a walking knee's greatest: where a joint turns back, steps are small by chance.
SMALL = 2.5


def angles(armature: Any, frames: np.ndarray, upper: str, lower: str) -> np.ndarray:
    """Degrees between the directions of two bones, one for each frame."""
    places = path(armature, frames, (upper, lower))
    first, second = np.moveaxis(places[:, :, 1] - places[:, :, 0], 1, 0)
    cosine = (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def runs_on(armature: Any, result: Any, upper: str, lower: str) -> None:
    """The angle between two bones takes no step from frame to frame over 3 times the larger of those before
    and after, and its speed does not jump: seen at times half as far apart it changes by half as much.
    """
    steps = np.abs(np.diff(angles(armature, whole(result), upper, lower)))
    beside = np.maximum(steps[:-2], steps[2:])
    assert (steps[1:-1] <= np.maximum(3.0 * beside, SMALL)).all()
    changes = []
    for part in (0.125, 0.0625):
        frames = np.arange(result.frames[0], result.frames[1], part)
        speed = np.diff(angles(armature, frames, upper, lower)) / part
        changes.append(float(np.abs(np.diff(speed)).max()))
    assert changes[1] < 0.65 * changes[0]


# ---- case 5: a rest pose that lies on its back ----


def test_a_rig_that_stands_only_by_its_stance_walks_upright() -> None:
    armature = rigs.biped()
    armature.data.transform(Matrix.Rotation(math.radians(-90.0), 4, "X"))
    root = armature.pose.bones["root"]
    own = root.bone.matrix_local.to_3x3()
    up = own.inverted() @ Matrix.Rotation(math.radians(90.0), 3, "X") @ own
    root.rotation_quaternion = up.to_quaternion()
    for frame in range(1, 25):
        root.keyframe_insert("rotation_quaternion", frame=frame)
    stood = path(armature, [1], ("head", *FEET))[0, :, 0]
    assert stood[0, 2] > 1.5
    result = amble.gait(armature, speed=1.4)
    walked = path(armature, result.frames, ("head", "toe.L"))[:, :, 0]
    assert (walked[:, 0, 2] > 1.4).all()
    assert walked[1, 0, 1] - walked[0, 0, 1] < -1.3
    assert abs(walked[1, 0, 2] - walked[0, 0, 2]) < 1e-3
    assert result.report.slide_mm <= 1.0
    assert result.report.penetration_mm <= 1.0
    assert any('"root" stands it up' in note for note in result.notes)
    # Once more, from the walk's own pose: the same.
    again = amble.gait(armature, speed=1.4)
    assert np.abs(path(armature, again.frames, ("head", "toe.L"))[:, :, 0] - walked).max() < 1e-5


@pytest.mark.parametrize(("degrees", "noted"), [(90.0, True), (180.0, True), (20.0, False)])
def test_a_rig_that_does_not_stand_in_the_world_is_told_of(degrees: float, noted: bool) -> None:
    armature = rigs.biped()
    armature.rotation_euler = (math.radians(degrees), 0.0, 0.0)
    result = amble.gait(armature, report=False)
    assert any(f"has its up {degrees:.0f} degrees from" in note for note in result.notes) == noted
    assert any("has its up" in note for note in result.notes) == noted


# ---- case 8: frame rates ----


@pytest.mark.parametrize(("fps", "base", "frames"), [(24, 1.001, 24), (60, 10.0, 6)])
def test_a_cycle_of_a_second_is_a_second_at_any_base(fps: int, base: float, frames: int) -> None:
    armature = rigs.biped()
    render = bpy.context.scene.render
    render.fps, render.fps_base = fps, base
    result = amble.gait(armature, cycle=1.0, speed=1.3, root_motion="none")
    rate = fps / base
    assert result.frames == (1.0, 1.0 + frames)
    assert abs((result.frames[1] - result.frames[0]) / rate - 1.0) <= 0.5 / rate
    closed = path(armature, result.frames)
    assert np.abs(closed[1] - closed[0]).max() < 1e-5
    walked = amble.gait(armature, cycle=1.0, speed=1.3)
    way = path(armature, walked.frames, ("root",))[:, 0, 0]
    assert way[0, 1] - way[1, 1] == pytest.approx(1.3 * frames / rate, rel=1e-4)


# ---- case 27: toes turned out ----


def test_feet_turned_out_stay_where_they_are_planted_and_turned_out() -> None:
    armature = rigs.biped()
    with editing(armature) as bones:
        for side, sign in (("L", 1.0), ("R", -1.0)):
            ankle = bones[f"foot.{side}"].head.copy()
            turn = Matrix.Rotation(math.radians(20.0 * sign), 3, "Z")
            for name in (f"foot.{side}", f"toe.{side}"):
                bone = bones[name]
                bone.head, bone.tail = (ankle + turn @ (end - ankle) for end in (bone.head, bone.tail))
    result = amble.gait(armature, speed=1.4, frames=(1, 51))
    assert result.report is not None
    assert result.report.slide_mm <= 1.0, result.report.table()
    for contact in result.contacts:
        side = result.roles.legs[contact.leg].side
        frames = np.linspace(contact.flat, min(contact.heel_off, result.frames[1]), 9)[1:-1]
        if frames[0] >= frames[-1]:
            continue
        places = path(armature, frames, (f"foot.{side}", f"toe.{side}"))
        assert np.ptp(places[..., :2], axis=0).max() < SAME
        way = places[:, 1, 1] - places[:, 0, 0]
        out = np.degrees(np.arctan2(way[:, 0], -way[:, 1])) * (1.0 if side == "L" else -1.0)
        assert np.abs(out - 20.0).max() < 1.0


# ---- case 53: knees exactly straight ----


def straight(bend: float) -> Bones:
    """The biped with its knees on the line from hip to ankle, but for `bend` metres."""
    bones = tables.biped()
    for side in "LR":
        hip, ankle = bones[f"thigh.{side}"][0], bones[f"foot.{side}"][0]
        x, y, z = (0.5 * (h + a) for h, a in zip(hip, ankle, strict=True))
        bones[f"thigh.{side}"] = (hip, (x, y + bend, z), "pelvis")
        bones[f"shin.{side}"] = ((x, y + bend, z), ankle, f"thigh.{side}")
    return bones


def test_a_knee_without_bend_bends_to_where_the_toes_are() -> None:
    found = []
    bones = ("thigh.L", "thigh.R", *FEET)
    for bend in (0.0, 1e-6, -1e-6):
        rigs.clear()
        armature = rigs.build(straight(bend))
        result = amble.gait(armature, speed=1.4)
        assert result.report is not None
        assert result.report.ok, result.report.table()
        places = path(armature, whole(result), (*bones, "shin.L", "shin.R"))
        for thigh, shin, foot in ((0, 6, 2), (1, 7, 4)):
            hip, knee, ankle = places[:, thigh, 0], places[:, shin, 0], places[:, foot, 0]
            ahead = 0.5 * (hip + ankle)[:, 1] - knee[:, 1]
            assert (ahead > 0.0).all()
        found.append(places)
    assert max(np.abs(other - found[0]).max() for other in found[1:]) < 1e-3


# ---- case 54: strides that legs do not reach ----


@pytest.mark.parametrize("cycle", [1.1, 1.3, 1.5, 1.7])
def test_the_longest_strides_are_finite_and_their_knees_run_on(cycle: float) -> None:
    """The pelvis sinks, so that feet do not miss; a walk that slides or over-reaches is told."""
    armature = rigs.biped()
    result = amble.gait(armature, speed=1.4, cycle=cycle)
    report = result.report
    assert report is not None
    frames = np.arange(result.frames[0], result.frames[1], 0.25)
    assert np.isfinite(path(armature, frames)).all()
    for side in "LR":
        runs_on(armature, result, f"thigh.{side}", f"shin.{side}")
    assert report.slide_mm <= 1.0 or any("slides" in problem for problem in report.problems)
    assert report.over_reach <= 0.999 or any("reaches" in problem for problem in report.problems)
    assert report.over_reach < 1.0


def test_a_stride_out_of_reach_is_refused_with_what_can_be_reached() -> None:
    armature = rigs.biped()
    with pytest.raises(BadSetting, match=r"stride of 3\.75 leg lengths .* legs can make 0\.02 to 2\.6"):
        amble.gait(armature, speed=1.4, cycle=2.5)
    assert not bpy.data.actions


# ---- case 55: long and short legs ----


def legs_times(factor: float) -> Bones:
    """The biped with thighs and shins that much longer, its feet where they were and its body higher."""
    bones = tables.biped()
    raised = 0.0
    for side in "LR":
        hip, knee, ankle = (np.array(bones[f"{b}.{side}"][0]) for b in ("thigh", "shin", "foot"))
        new_knee = ankle + factor * (knee - ankle)
        new_hip = new_knee + factor * (hip - knee)
        raised = float(new_hip[2] - hip[2])
        bones[f"thigh.{side}"] = (point(new_hip), point(new_knee), "pelvis")
        bones[f"shin.{side}"] = (point(new_knee), point(ankle), f"thigh.{side}")
    for bone, (head, tail, parent) in list(bones.items()):
        if bone.split(".")[0] not in ("root", "thigh", "shin", "foot", "toe"):
            lift = np.array((0.0, 0.0, raised))
            bones[bone] = (point(np.array(head) + lift), point(np.array(tail) + lift), parent)
    return bones


def point(place: np.ndarray) -> Point:
    x, y, z = place.tolist()
    return x, y, z


def test_long_and_short_legs_step_alike_at_the_same_froude_number() -> None:
    steps = []
    for factor in (1.0, 0.6, 1.6):
        rigs.clear()
        armature = rigs.build(legs_times(factor))
        leg = amble.gait(armature).figures["leg_length"]
        # A high rate, so that the whole frames of a cycle do not round it.
        result = amble.gait(armature, speed=1.4 * math.sqrt(leg / 0.93), fps=240.0)
        assert result.report is not None
        assert result.report.slide_mm / 900.0 < 0.01
        first, second = (place for _, _, place in plants(armature, result)[:2])
        steps.append(abs(float(second[1] - first[1])) / leg)
    assert max(steps) / min(steps) - 1.0 < 0.02


# ---- case 57: legs of many bones, birds, spiders ----

LEGS = {
    "glb/m2m_rig-fox.glb": ("quadruped", 4, {5, 6}),
    "glb/m2m_rig-bird.glb": ("biped", 2, {6}),
    "glb/m2m_rig-spider.glb": ("eight", 8, {4}),
}


@pytest.mark.parametrize("key", LEGS)
def test_all_legs_are_found_to_their_ends(key: str) -> None:
    kind, count, lengths = LEGS[key]
    armature = rigs.load(key)
    roles = amble.rig.roles(armature)
    assert (roles.kind, len(roles.legs)) == (kind, count)
    assert {len(leg.bones) for leg in roles.legs} == lengths
    # What the chain ends with is at most a tip that no skin hangs on.
    assert all(leg.contact in leg.bones[-2:] for leg in roles.legs)
    places = {leg.contact_point for leg in roles.legs}
    up = np.array(roles.up)
    heights = [float(np.array(place) @ up) - roles.ground for place in places]
    assert max(abs(height) for height in heights) < 0.12 * roles.leg_length


def test_a_bird_walks_on_its_toes() -> None:
    armature = rigs.load("glb/m2m_rig-bird.glb")
    result = amble.gait(armature)
    report = result.report
    assert report is not None
    assert report.slide_mm <= 1.0, report.table()
    assert report.penetration_mm <= 1.0, report.table()
    leg = result.roles.legs[0]
    moved = path(armature, whole(result), leg.bones[:-1])
    away = moved - path(armature, whole(result), [result.roles.pelvis or ""])[:, :1]
    assert (np.ptp(away, axis=0).max(axis=(1, 2)) > 0.02).all()  # every bone goes its own way
    contact = next(c for c in result.contacts if c.leg == 0)
    middle = 0.5 * (contact.flat + contact.heel_off)
    ankle, toe = path(armature, [middle], (leg.bones[2], leg.contact))[0, :, 0]
    assert ankle[2] - toe[2] > 0.2 * report.leg_length_m


# ---- case 60: helpers without length ----


def with_helper(bones: Bones) -> None:
    for side, sign in (("L", 1.0), ("R", -1.0)):
        hip = bones[f"thigh.{side}"][0]
        bones[f"hip_helper.{side}"] = (hip, (hip[0] + 1e-4 * sign, hip[1], hip[2]), "pelvis")
        bones[f"thigh.{side}"] = (*bones[f"thigh.{side}"][:2], f"hip_helper.{side}")


def with_three_heads(bones: Bones) -> None:
    """Two more bones that begin where the thigh does; the thigh hangs on one of them."""
    for side, sign in (("L", 1.0), ("R", -1.0)):
        hip = bones[f"thigh.{side}"][0]
        bones[f"socket.{side}"] = (hip, (hip[0], hip[1] + 0.05, hip[2]), "pelvis")
        bones[f"marker.{side}"] = (hip, (hip[0] + 0.04 * sign, hip[1], hip[2]), f"socket.{side}")
        bones[f"thigh.{side}"] = (*bones[f"thigh.{side}"][:2], f"socket.{side}")


def with_no_length(bones: Bones) -> None:
    """Blender 4.2 removes the bone as it leaves edit mode."""
    for side in "LR":
        hip, ankle = bones[f"thigh.{side}"][0], bones[f"foot.{side}"][0]
        bones[f"nothing.{side}"] = (hip, hip, "pelvis")
        bones[f"ankle_nothing.{side}"] = (ankle, ankle, f"shin.{side}")


@pytest.fixture(scope="module")
def plain() -> np.ndarray:
    """The path of the biped's legs."""
    rigs.clear()
    return legs_of(rigs.biped())


def legs_of(armature: Any) -> np.ndarray:
    result = amble.gait(armature, speed=1.4)
    assert result.report is not None
    assert result.report.ok, result.report.table()
    return path(armature, whole(result), ("thigh.L", "shin.L", "thigh.R", "shin.R", *FEET))


@pytest.mark.parametrize("change", [with_helper, with_three_heads, with_no_length])
def test_helpers_at_the_hip_change_nothing(change: Callable[[Bones], None], plain: np.ndarray) -> None:
    bones = tables.biped()
    change(bones)
    found = legs_of(rigs.build(bones))
    assert np.isfinite(found).all()
    assert np.abs(found - plain).max() < SAME


def test_a_thigh_may_hang_on_a_bone_without_length(plain: np.ndarray) -> None:
    """Blender 5 keeps such a bone a thousandth of a millimetre long."""
    bones = tables.biped()
    for side in "LR":
        hip = bones[f"thigh.{side}"][0]
        bones[f"nothing.{side}"] = (hip, (hip[0], hip[1], hip[2] + 2e-6), "pelvis")
        bones[f"thigh.{side}"] = (*bones[f"thigh.{side}"][:2], f"nothing.{side}")
    armature = rigs.build(bones)
    assert "nothing.L" in armature.data.bones
    assert np.abs(legs_of(armature) - plain).max() < SAME


# ---- case 67: no joint pops ----


def test_no_bone_turns_by_more_than_15_degrees_a_frame_and_joints_run_on() -> None:
    armature = rigs.biped()
    result = amble.gait(armature, speed=1.4, fps=FPS)
    for upper, lower in (("thigh", "shin"), ("upper_arm", "forearm")):
        for side in "LR":
            names = (f"{upper}.{side}", f"{lower}.{side}")
            runs_on(armature, result, *names)
            assert np.abs(np.diff(angles(armature, whole(result), *names))).max() < 15.0


def sweep(count: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """A foot's way from 0.5 m ahead over the hip to 0.5 m behind, and a pole that turns along."""
    turn = np.radians(np.linspace(0.0, 180.0, count + 1))
    zero = np.zeros_like(turn)
    target = 0.5 * np.stack([zero, -np.cos(turn), np.sin(turn)])
    return target, np.stack([zero, np.sin(turn), np.cos(turn)])


def test_a_foot_swept_over_the_hip_bends_its_knee_evenly() -> None:
    target, pole = (array.astype(np.float32) for array in sweep())
    root = np.zeros_like(target)
    joint, upper, lower, miss = amble_core.two_bone_ik(root, target, pole, 0.43046, 0.42190)
    assert np.isfinite(joint).all()
    assert np.abs(miss).max() < 1e-6
    for turns in (upper, lower):
        cosine = np.abs((turns[:, 1:] * turns[:, :-1]).sum(axis=0))
        assert np.degrees(2.0 * np.arccos(np.clip(cosine, -1.0, 1.0))).max() < 15.0
    again = amble_core.two_bone_ik(root, target, pole, 0.43046, 0.42190)
    assert all(np.array_equal(a, b) for a, b in zip((joint, upper, lower, miss), again, strict=True))


def test_a_hand_that_circles_the_shoulder_turns_the_elbow_evenly() -> None:
    """Once round in 48 frames, tilted, nearer in front than behind; the pole is to the side and behind."""
    turn = np.radians(np.linspace(0.0, 360.0, 49))
    radius = 0.40 - 0.08 * np.cos(turn)
    target = radius * np.stack([0.2 * np.sin(turn), -np.cos(turn), np.sin(turn)])
    pole = np.repeat(np.array([[0.9], [0.3], [-0.3]]), len(turn), axis=1)
    target, pole = target.astype(np.float32), pole.astype(np.float32)
    joint, upper, lower, miss = amble_core.two_bone_ik(np.zeros_like(target), target, pole, 0.293, 0.265)
    assert np.abs(miss).max() < 1e-6
    for turns in (upper, lower):
        cosine = np.abs((turns[:, 1:] * turns[:, :-1]).sum(axis=0))
        assert np.degrees(2.0 * np.arccos(np.clip(cosine, -1.0, 1.0))).max() < 15.0
    # The elbow's speed runs on: from frame to frame it changes by a share of itself, also where it closes.
    way = np.diff(joint, axis=1)
    speed = np.linalg.norm(np.concatenate([way, way[:, :1]], axis=1), axis=0)
    assert np.abs(np.diff(speed)).max() < 0.25 * speed.max()
    assert np.abs(joint[:, 0] - joint[:, -1]).max() < 1e-6


def test_a_thigh_that_points_where_the_knee_does_has_one_solution() -> None:
    """Target and pole in one direction: the same in every frame and for any number of frames."""
    target, _ = (array.astype(np.float32) for array in sweep(2))
    one = np.repeat(target[:, :1], 5, axis=1)
    root = np.zeros_like(one)
    joint, upper, lower, _ = amble_core.two_bone_ik(root, one, one, 0.43046, 0.42190)
    for found in (joint, upper, lower):
        assert np.isfinite(found).all()
        assert np.ptp(found, axis=1).max() == 0.0
    first, single = (np.ascontiguousarray(array[:, :1]) for array in (root, one))
    alone = amble_core.two_bone_ik(first, single, single, 0.43046, 0.42190)
    assert np.array_equal(alone[0], joint[:, :1])


# ---- case 71: slow walks ----


def test_steps_grow_less_than_speed_and_cadence_falls_with_it() -> None:
    speeds = (0.2, 0.4, 0.8, 1.4)
    steps, cadences, leg = [], [], 0.0
    for speed in speeds:
        rigs.clear()
        armature = rigs.biped()
        result = amble.gait(armature, speed=speed)
        report = result.report
        assert report is not None
        assert report.slide_mm <= 1.0, report.table()
        leg = report.leg_length_m
        first, second = (place for _, _, place in plants(armature, result)[:2])
        steps.append(abs(float(second[1] - first[1])))
        cadences.append(report.cadence_steps_min)
    assert steps[0] >= 0.2 * leg
    for slow, fast in ((0, 1), (1, 2), (2, 3)):
        assert 1.0 < steps[fast] / steps[slow] < speeds[fast] / speeds[slow]
        assert cadences[slow] < cadences[fast]


# ---- case 72: stride, step and cadence ----


def walk(armature: Any, settings: dict[str, Any]) -> Any:
    return amble.gait(armature, **settings)


def between_plants(armature: Any, result: Any) -> tuple[float, float]:
    """Metres from a plant to the next of the other foot, and to the next of the same."""
    found = plants(armature, result)
    assert [side for side, _, _ in found[:3]] in (["L", "R", "L"], ["R", "L", "R"])
    first, second, third = (float(place[1]) for _, _, place in found[:3])
    return first - second, first - third


@pytest.mark.parametrize(
    ("speed", "cycle", "stride"),
    [(1.4, 1.6 / 1.4, 1.6), (1.2, 120.0 / 100.0, 1.44)],
    ids=["stride", "cadence"],
)
def test_a_cycle_gives_the_stride_asked_for(speed: float, cycle: float, stride: float) -> None:
    armature = rigs.biped()
    result = amble.gait(armature, speed=speed, cycle=cycle, frames=(1, 301), fps=96.0, loop=False)
    step, whole_stride = between_plants(armature, result)
    assert whole_stride == pytest.approx(stride, abs=1e-3)
    assert step == pytest.approx(0.5 * stride, abs=1e-3)


@pytest.mark.parametrize(
    ("asked", "stride"),
    [({"stride": 1.6}, 1.6), ({"step": 0.8}, 1.6), ({"cadence": 100.0, "speed": 1.2}, 1.44)],
)
def test_stride_step_and_cadence_can_be_asked_for(asked: dict[str, float], stride: float) -> None:
    armature = rigs.biped()
    result = walk(armature, {"speed": 1.4, "frames": (1, 301), "fps": 96.0, "loop": False} | asked)
    step, whole_stride = between_plants(armature, result)
    assert whole_stride == pytest.approx(stride, abs=1e-3)
    assert step == pytest.approx(0.5 * stride, abs=1e-3)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"stride": 1.6, "cycle": 1.0}, "cycle and stride are set"),
        ({"step": 0.8, "cadence": 100.0}, "step and cadence are set"),
        ({"stride": 9.0}, r"stride 9 m makes a stride of .* legs can make"),
        ({"cadence": 5.0}, r"cadence 5 1/min makes a stride of .* legs can make"),
        ({"step": 0.0}, "step must be more than 0 m"),
    ],
)
def test_a_pace_that_cannot_be_is_refused_by_its_name(asked: dict[str, float], told: str) -> None:
    armature = rigs.biped()
    with pytest.raises(BadSetting, match=told):
        walk(armature, asked)
    assert not bpy.data.actions


def test_a_stride_on_an_armature_of_another_size_is_in_metres_of_the_world() -> None:
    armature = rigs.biped()
    armature.scale = (0.01, 0.01, 0.01)
    armature.data.transform(Matrix.Scale(100.0, 4))
    result = walk(armature, {"speed": 1.4, "stride": 1.6, "frames": (1, 301), "fps": 96.0, "loop": False})
    assert between_plants(armature, result)[1] == pytest.approx(1.6, abs=1e-3)


@pytest.mark.parametrize(("frames", "noted"), [((1, 48), True), ((1, 56), False)])
def test_a_loop_that_cannot_hold_the_stride_asked_for_says_so(frames: tuple[int, int], noted: bool) -> None:
    result = walk(rigs.biped(), {"speed": 1.4, "stride": 1.6, "frames": frames})
    assert any("no whole number of strides of 1.14 s" in note for note in result.notes) == noted


# ---- case 82: 706 bones ----


@pytest.mark.slow
def test_600_frames_on_a_rig_of_706_bones_take_this_long(capsys: pytest.CaptureFixture[str]) -> None:
    """A figure, not a bar: machines differ."""
    armature = rigs.load("rigify:human:generated")
    start = time.perf_counter()
    result = amble.gait(armature, speed=1.4, frames=(1, 600), report=False)
    walked = time.perf_counter() - start
    start = time.perf_counter()
    amble.gait(armature, speed=1.4, frames=(1, 600))
    reported = time.perf_counter() - start
    assert result.frames[1] > 550.0
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(armature.data.bones)} bones, {result.frames[1]:.0f} frames: {walked:.2f} s, "
            f"with the report {reported:.2f} s\n"
        )
