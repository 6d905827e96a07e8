"""Walks out through controls: what is keyed on rigs of every make, and that feet stay where they are put."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.errors import AmbleError, MissingRole
from amble.rig import read_skeleton
from amble.rig.bench import Bench
from amble.rig.parts import body_parts
from amble.rig.response import Trial
from amble.rig.search import find_controls
from tests.blender import control_rigs, rigs
from tests.blender.control_rigs import SIDES, constrain, keyed
from tests.rig import tables

MOVES, TURNS = {"location"}, {"rotation_quaternion"}
MILLIMETRE = 1e-3


def assert_walks(armature: Any, **settings: Any) -> Any:
    """A walk whose feet keep their places, by the report and by the bones themselves."""
    result = amble.gait(armature, **settings)
    report = result.report
    table = report.table()
    assert report.slide_mm <= 1.0, table
    assert report.penetration_mm <= 1.0, table
    assert report.over_reach <= 0.999, table
    assert report.seam_position < 1e-4, table
    assert report.seam_angle_deg < 0.01, table
    assert abs(report.speed_error) < 1e-3, table
    assert farthest_slide(armature, result) * 0.9 / report.leg_length_m < 1.5 * MILLIMETRE
    return result


def farthest_slide(armature: Any, result: Any) -> float:
    """How far any foot bone's head goes while its sole is claimed flat on the ground, metres.

    Not the report's way: no sole, no heel, only the bone as Blender evaluates it.
    """
    far = 0.0
    for contact in result.contacts:
        leg = result.roles.legs[contact.leg]
        bone = leg.bones[leg.bones.index(leg.toe) - 1] if leg.toe in leg.bones else leg.contact
        first, last = contact.flat + 0.02, contact.heel_off - 0.02
        last = min(last, result.frames[1])
        if last <= first:
            continue
        places = []
        for frame in np.linspace(first, last, 5):
            bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
            shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
            places.append(np.array(shown.matrix_world @ shown.pose.bones[bone].head))
        far = max(far, float(np.ptp(places, axis=0).max()))
    return far


# ---- targets and poles ----


def test_targets_and_poles_are_keyed_and_not_what_they_move() -> None:
    armature = control_rigs.ik_biped()
    assert_walks(armature)
    found = keyed(armature)
    for side, _ in SIDES:
        assert found[f"ankle_ctl.{side}"] == MOVES | TURNS
        assert found[f"knee_ctl.{side}"] == MOVES
        assert found[f"toe.{side}"] == TURNS
        assert not {f"{bone}.{side}" for bone in ("thigh", "shin", "foot")} & found.keys()


def test_a_target_without_a_pole() -> None:
    armature = control_rigs.ik_biped(pole=False)
    assert_walks(armature)
    assert {"ankle_ctl.L", "ankle_ctl.R"} <= keyed(armature).keys()


def test_a_foot_that_its_target_does_not_turn_is_turned_itself() -> None:
    armature = control_rigs.ik_biped(turn=False)
    assert_walks(armature)
    found = keyed(armature)
    for side, _ in SIDES:
        assert found[f"ankle_ctl.{side}"] == MOVES
        assert found[f"foot.{side}"] == TURNS


@pytest.mark.parametrize("parent", [None, "root", "pelvis", "chest"])
def test_feet_stay_whatever_their_targets_hang_from(parent: str | None) -> None:
    assert_walks(control_rigs.ik_biped(parent=parent))


def test_feet_stay_when_targets_hang_from_the_pelvis_by_constraint() -> None:
    armature = control_rigs.ik_biped(parent=None)
    for side, _ in SIDES:
        child = constrain(armature, f"ankle_ctl.{side}", "CHILD_OF", "pelvis")
        child.inverse_matrix = armature.pose.bones["pelvis"].matrix.inverted()
    assert_walks(armature)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_what_the_targets_parent_follows_is_seen(share: float) -> None:
    """The bone that targets hang from follows root, pelvis, or both in part; their places are told in that
    bone's axes."""
    armature = control_rigs.build(
        {"holder": ((0, 0.3, 0), (0.3, 0.5, 0), None), **control_rigs.feet_controls("holder", "root")}
    )
    control_rigs.bind_feet(armature)
    control_rigs.follow(armature, "holder", {"root": 1.0 - share, "pelvis": share})
    for side, _ in SIDES:
        armature.data.bones[f"ankle_ctl.{side}"].use_local_location = False
    result = assert_walks(armature)
    assert not any("partly" in note for note in result.notes)
    assert "holder" not in keyed(armature)


@pytest.mark.parametrize("influence", [0.5, 0.8])
def test_feet_stay_when_targets_hang_from_the_pelvis_in_part(influence: float) -> None:
    """Partly from the pelvis, partly from nothing, which stays behind as the body travels."""
    armature = control_rigs.ik_biped(parent=None)
    for side, _ in SIDES:
        child = constrain(armature, f"ankle_ctl.{side}", "CHILD_OF", "pelvis", influence=influence)
        child.inverse_matrix = armature.pose.bones["pelvis"].matrix.inverted()
    plain = rigs.biped()
    path = track(plain, amble.gait(plain, report=False), "toe.L")
    assert np.abs(track(armature, assert_walks(armature), "toe.L") - path).max() < 0.2 * MILLIMETRE


def test_a_pole_between_foot_and_pelvis_holds_the_knee() -> None:
    extra = control_rigs.feet_controls()
    armature = control_rigs.build(
        {name: (*place[:2], None if "knee" in name else place[2]) for name, place in extra.items()}
    )
    control_rigs.bind_feet(armature)
    for side, _ in SIDES:
        control_rigs.follow(armature, f"knee_ctl.{side}", {f"ankle_ctl.{side}": 0.5, "pelvis": 0.5})
    plain = control_rigs.ik_biped()
    path = track(plain, amble.gait(plain, report=False), "shin.L")
    assert np.abs(track(armature, assert_walks(armature), "shin.L") - path).max() < 0.1 * MILLIMETRE


def test_without_a_pole_a_foot_on_the_shin_is_held_by_the_turns_that_its_leg_begins_from() -> None:
    armature = control_rigs.ik_biped(pole=False, turn=False)
    result = assert_walks(armature)
    found = keyed(armature)
    for side, _ in SIDES:
        assert found[f"ankle_ctl.{side}"] == MOVES
        for bone in ("thigh", "shin", "foot"):
            assert found[f"{bone}.{side}"] == TURNS
    assert any("has no pole" in note and '"thigh.L", "shin.L" are keyed too' in note for note in result.notes)


def test_of_a_foot_with_pivots_the_topmost_control_is_keyed() -> None:
    """Heel, tip and ball pivots under one control, which carries them all."""
    armature = control_rigs.reverse_foot()
    assert_walks(armature)
    found = keyed(armature)
    for side, _ in SIDES:
        assert found[f"foot_ctl.{side}"] == MOVES | TURNS
        assert found[f"toe_ctl.{side}"] == TURNS
        pivots = {f"{pivot}_ctl.{side}" for pivot in ("heel", "tip", "ball")}
        assert not (pivots | {f"ankle_mch.{side}", f"foot.{side}", f"toe.{side}"}) & found.keys()


def test_hands_at_targets_swing_with_the_body() -> None:
    armature = control_rigs.build(
        {
            f"{name}.{side}": ((sign * head[0], *head[1:]), (sign * tail[0], *tail[1:]), parent)
            for side, sign in SIDES
            for name, head, tail, parent in (
                ("hand_ctl", (0.60, -0.01, 1.08), (0.68, -0.03, 1.01), "root"),
                ("elbow_ctl", (0.40, 0.70, 1.25), (0.40, 0.80, 1.25), "chest"),
            )
        }
    )
    for side, _ in SIDES:
        arm = constrain(armature, f"forearm.{side}", "IK", f"hand_ctl.{side}", chain_count=2)
        control_rigs.aim_pole(armature, arm, f"upper_arm.{side}", f"elbow_ctl.{side}")
        constrain(armature, f"hand.{side}", "COPY_ROTATION", f"hand_ctl.{side}")
    plain = rigs.biped()
    swing = track(plain, amble.gait(plain, report=False), "hand.L")
    found = track(armature, assert_walks(armature), "hand.L")
    assert keyed(armature)["hand_ctl.L"] == MOVES | TURNS
    assert "upper_arm.L" not in keyed(armature)
    assert np.abs(found - swing).max() < 5 * MILLIMETRE


def track(armature: Any, result: Any, bone: str) -> np.ndarray:
    """World places of a bone's head at every whole frame of the walk."""
    places = []
    for frame in np.arange(result.frames[0], result.frames[1] + 1):
        bpy.context.scene.frame_set(int(frame))
        places.append(armature.matrix_world @ armature.pose.bones[bone].head)
    return np.array(places)


# ---- switches ----


@pytest.mark.parametrize(
    ("name", "at_one"), [("IK_FK", "fk"), ("IK_FK", "ik"), ("leg_ik", "ik"), ("FkIk", "ik")]
)
def test_a_switch_is_honoured_as_set_and_set_as_asked_whatever_its_name_says(name: str, at_one: str) -> None:
    armature = control_rigs.switched_biped(name, at_one)
    controls = {"ik": {"ankle_ctl.L", "knee_ctl.L"}, "fk": {"fk_thigh.L", "fk_shin.L", "fk_foot.L"}}
    at_zero = {"ik": "fk", "fk": "ik"}[at_one]
    assert_walks(armature)
    assert keyed(armature).keys() & (controls["ik"] | controls["fk"]) == controls[at_zero]
    assert name not in keyed(armature)["pelvis"]
    for mode in ("ik", "fk"):
        assert_walks(armature, limbs=mode)
        found = keyed(armature)
        assert found.keys() & (controls["ik"] | controls["fk"]) == controls[mode]
        assert name in found["pelvis"]
        assert armature.pose.bones["pelvis"][name] == (1.0 if mode == at_one else 0.0)


def test_a_switch_half_way_is_an_error_that_says_so_and_leaves_everything_as_it_was() -> None:
    armature = control_rigs.switched_biped("IK_FK", "fk")
    armature.pose.bones["pelvis"]["IK_FK"] = 0.5
    armature.pose.bones["hand.L"].location = (0.1, 0.2, 0.3)
    with pytest.raises(MissingRole, match=r"left leg .*thigh\.L.* limbs to ik or fk"):
        amble.gait(armature)
    assert not bpy.data.actions
    assert tuple(armature.pose.bones["hand.L"].location) == pytest.approx((0.1, 0.2, 0.3))
    assert armature.pose.bones["pelvis"]["IK_FK"] == 0.5


def test_the_influence_of_inverse_kinematics_is_the_switch_where_there_is_no_other() -> None:
    armature = control_rigs.ik_biped(pole=False, turn=False)
    assert_walks(armature, limbs="fk")
    found = keyed(armature)
    assert found["shin.L"] == TURNS | {"influence"}
    assert found["thigh.L"] == TURNS
    assert "ankle_ctl.L" not in found


def test_a_limb_that_has_no_switch_is_told() -> None:
    result = assert_walks(control_rigs.ik_biped(), limbs="ik")
    assert any("left arm has no switch to inverse kinematics" in note for note in result.notes)


# ---- what carries the body ----


def test_a_connected_pelvis_is_carried_by_the_root() -> None:
    armature = rigs.biped()
    with control_rigs.editing(armature) as bones:
        bones["root"].tail = bones["pelvis"].head
        bones["pelvis"].use_connect = True
    result = assert_walks(armature)
    assert keyed(armature)["root"] == MOVES | TURNS
    assert "pelvis" not in keyed(armature)
    assert any('"pelvis" is connected' in note and '"root" carries the body' in note for note in result.notes)


def test_a_body_that_nothing_may_move_is_told() -> None:
    plain = {k: (h, t, None if p == "root" else p) for k, (h, t, p) in tables.biped().items() if k != "root"}
    armature = rigs.build(plain)
    armature.pose.bones["pelvis"].lock_location = (True, True, True)
    result = amble.gait(armature)
    assert any("pelvis: location, which is locked" in note for note in result.notes)
    assert any("no bone moves the body" in note for note in result.notes)


# ---- the rig is only tried out ----


def look(armature: Any) -> dict[str, Any]:
    """All that is set on the pose by hand."""
    channels = ("location", "rotation_quaternion", "rotation_euler", "scale")
    return {
        f"{bone.name}.{channel}": tuple(getattr(bone, channel))
        for bone in armature.pose.bones
        for channel in channels
    } | {"position": armature.data.pose_position, "mode": armature.mode}


def pose(armature: Any) -> dict[str, Any]:
    """Pose by hand; how it looks then."""
    armature.pose.bones["hand.L"].location = (0.1, 0.2, 0.3)
    armature.pose.bones["clavicle.R"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    return look(armature)


def test_the_pose_is_left_as_it_was() -> None:
    armature = control_rigs.ik_biped()
    before = pose(armature)
    amble.gait(armature, report=False)
    armature.animation_data.action = None
    assert look(armature) == before


def test_the_pose_is_left_as_it_was_by_an_error() -> None:
    armature = control_rigs.ik_biped()
    for side, _ in SIDES:
        armature.pose.bones[f"ankle_ctl.{side}"].lock_location = (True, True, True)
        armature.pose.bones[f"ankle_ctl.{side}"].lock_rotation = (True, True, True)
    before = pose(armature)
    with pytest.raises(AmbleError):
        amble.gait(armature)
    assert look(armature) == before


def test_the_walk_does_not_depend_on_the_pose_that_is_shown() -> None:
    armature = control_rigs.ik_biped()
    path = track(armature, amble.gait(armature, report=False), "foot.L")
    armature.animation_data.action = None
    for side, _ in SIDES:
        armature.pose.bones[f"ankle_ctl.{side}"].location = (0.3, 0.2, 0.4)
    armature.pose.bones["pelvis"].location = (0.0, -0.5, 0.0)
    again = track(armature, amble.gait(armature, report=False), "foot.L")
    assert np.abs(again - path).max() < 1e-5


def test_controls_that_share_nothing_are_tried_at_once_and_answer_as_alone(monkeypatch: Any) -> None:
    armature = control_rigs.reverse_foot()
    roles = amble.rig.roles(armature)
    parts = body_parts(read_skeleton(armature), roles)
    tried: list[tuple[str, ...]] = []
    alone: list[float] = []
    nudged = Bench.nudged
    answers = Trial._try

    def counted(bench: Bench, nudges: Any) -> Any:
        tried.append(tuple(nudges))
        return nudged(bench, nudges)

    def compared(trial: Trial, nudges: Any) -> Any:
        monkeypatch.setattr(Bench, "nudged", counted)
        together = answers(trial, nudges)
        monkeypatch.setattr(Bench, "nudged", nudged)
        for control, nudge in nudges.items():
            single = answers(trial, {control: nudge})[control]
            alone.append(float(np.abs(single.motion - together[control].motion).max()))
        return together

    monkeypatch.setattr(Trial, "_try", compared)
    find_controls(armature, roles, parts, travels=True)
    assert len(alone) == sum(map(len, tried))
    assert len(tried) < 0.8 * len(alone)
    assert any({"foot_ctl.L", "foot_ctl.R"} <= set(names) for names in tried)
    assert max(alone) < 1e-6


def test_targets_that_are_other_objects_are_seen_through() -> None:
    """Legs whose inverse kinematics aims at empties that hang on bones, one on each side."""
    armature = control_rigs.build(control_rigs.feet_controls())
    for side, _ in SIDES:
        empty: Any = bpy.data.objects.new(f"aim.{side}", None)
        bpy.context.scene.collection.objects.link(empty)
        hung = empty.constraints.new("COPY_TRANSFORMS")
        hung.target, hung.subtarget = armature, f"ankle_ctl.{side}"
        leg = armature.pose.bones[f"shin.{side}"].constraints.new("IK")
        leg.target, leg.chain_count = empty, 2
        control_rigs.aim_pole(armature, leg, f"thigh.{side}", f"knee_ctl.{side}")
        constrain(armature, f"foot.{side}", "COPY_ROTATION", f"ankle_ctl.{side}")
    bpy.context.view_layer.update()
    assert_walks(armature)
    assert keyed(armature)["ankle_ctl.L"] == MOVES | TURNS


# ---- rigs of others ----


def test_feet_that_hang_on_the_root_are_keyed_with_their_poles() -> None:
    """Male_Casual: the foot is the target of its leg and no child of the shin."""
    armature = rigs.load("blend/quaternius_Male_Casual.blend")
    assert_walks(armature)
    found = keyed(armature)
    for side, _ in SIDES:
        assert found[f"Foot.{side}"] == MOVES | TURNS
        assert found[f"PoleTarget.{side}"] == MOVES
        assert not {f"UpperLeg.{side}", f"LowerLeg.{side}"} & found.keys()
    assert found["Body"] == MOVES | TURNS
    assert found["Bone"] == MOVES


@pytest.mark.parametrize("limbs", ["ik", "fk"])
def test_the_influence_is_keyed_on_a_rig_that_has_no_switch(limbs: str) -> None:
    armature = rigs.load("blend/quaternius_Male_Casual.blend")
    assert_walks(armature, limbs=limbs)
    assert "influence" in keyed(armature)["LowerLeg.L"]
    assert armature.pose.bones["LowerLeg.L"].constraints["IK"].influence == float(limbs == "ik")


@pytest.mark.parametrize(
    "key", ["json/mpfb_rig.default.json", "json/mpfb_rig.default_no_toes.json", "bvh/makehuman_tpose.bvh"]
)
def test_thighs_and_shins_of_two_bones_each_stay_straight(key: str) -> None:
    armature = rigs.load(key)
    result = assert_walks(armature)
    for upper, lower in (("upperleg01.L", "upperleg02.L"), ("lowerleg01.R", "lowerleg02.R")):
        rest = armature.data.bones[upper].matrix_local.inverted() @ armature.data.bones[lower].matrix_local
        for frame in np.linspace(result.frames[0], result.frames[1], 7):
            bpy.context.scene.frame_set(int(frame))
            shown = armature.pose.bones
            now = shown[upper].matrix.inverted() @ shown[lower].matrix
            off = np.abs(np.array(rest.inverted() @ now) - np.eye(4)).max()
            assert off < 1e-4


GENERATED = ("rigify:human:generated", "rigify:basic_human:generated")
BODY = {"root", "torso", "chest", "neck", "head"}


@pytest.mark.slow
@pytest.mark.parametrize("key", GENERATED)
@pytest.mark.parametrize("limbs", ["as set", "ik", "fk"])
def test_generated_rigify_humans_walk_through_their_controls(key: str, limbs: str) -> None:
    armature = rigs.load(key)
    assert_walks(armature, limbs=limbs)
    found = keyed(armature)
    legs = {"fk": ("thigh_fk", "shin_fk", "foot_fk", "toe_fk")}.get(limbs, ("foot_ik", "toe_ik"))
    arms = {"fk": ("upper_arm_fk", "forearm_fk")}.get(limbs, ("hand_ik",))
    wanted = BODY | {f"{name}.{side}" for name in (*legs, *arms) for side in "LR"}
    if limbs != "as set":
        wanted |= {f"{name}_parent.{side}" for name in ("thigh", "upper_arm") for side in "LR"}
        assert found["thigh_parent.L"] == {"IK_FK"}
    assert found.keys() == wanted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bone", "name", "value"),
    [
        ("thigh_parent", "IK_parent", 2),
        ("thigh_parent", "IK_parent", 0),
        ("thigh_parent", "FK_limb_follow", 1.0),
        ("thigh_parent", "pole_vector", True),
        ("upper_arm_parent", "IK_parent", 4),
        ("torso", "neck_follow", 1.0),
        ("torso", "head_follow", 1.0),
    ],
)
def test_generated_rigify_humans_walk_whatever_their_settings(bone: str, name: str, value: Any) -> None:
    armature = rigs.load("rigify:human:generated")
    sides = ("",) if bone == "torso" else (".L", ".R")
    for side in sides:
        armature.pose.bones[bone + side][name] = value
    limbs = "fk" if name.startswith("FK") else "ik"
    assert_walks(armature, limbs=limbs)
    if name == "pole_vector":
        assert keyed(armature)["thigh_ik_target.L"] == MOVES


# ---- flags and states of rigs ----


@pytest.mark.parametrize("mode", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE"])
@pytest.mark.parametrize("make", [rigs.biped, control_rigs.ik_biped])
def test_feet_stay_in_every_rotation_mode(make: Callable[[], Any], mode: str) -> None:
    armature = make()
    path = track(armature, amble.gait(armature, report=False), "toe.L")
    armature = make()
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    assert np.abs(track(armature, assert_walks(armature), "toe.L") - path).max() < 0.1 * MILLIMETRE


def test_of_two_objects_with_one_armature_only_the_one_asked_for_walks() -> None:
    first = control_rigs.ik_biped()
    second: Any = bpy.data.objects.new("second", first.data)
    bpy.context.scene.collection.objects.link(second)
    second.location = (3.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert_walks(second)
    assert first.animation_data is None
    assert second.animation_data.action is not None


def test_hidden_bones_and_a_hidden_object_walk() -> None:
    armature = control_rigs.ik_biped()
    for bone in armature.data.bones:
        bone.hide = True
    armature.hide_set(True)
    assert_walks(armature)
    assert armature.hide_get()
    assert all(bone.hide for bone in armature.data.bones)


@pytest.mark.parametrize("make", [rigs.biped, control_rigs.ik_biped])
def test_a_rig_in_rest_position_walks_and_stays_shown_so(make: Callable[[], Any]) -> None:
    armature = make()
    armature.data.pose_position = "REST"
    result = walk_measured_at_rest(armature)
    assert armature.data.pose_position == "REST"
    assert any("shown in rest position" in note for note in result.notes)


def walk_measured_at_rest(armature: Any) -> Any:
    result = amble.gait(armature)
    assert result.report is not None
    assert result.report.slide_mm <= 1.0, result.report.table()
    return result


@pytest.mark.parametrize("make", [rigs.biped, control_rigs.ik_biped])
def test_a_rig_that_is_switched_off_is_measured_and_stays_off(make: Callable[[], Any]) -> None:
    armature = make()
    armature.hide_viewport = True
    walk_measured_at_rest(armature)
    assert armature.hide_viewport


def test_a_plain_rig_that_is_switched_off_gets_its_walk_without_a_report() -> None:
    armature = rigs.biped()
    armature.hide_viewport = True
    result = amble.gait(armature, report=False)
    assert result.report is None
    assert result.action is armature.animation_data.action


def test_a_library_override_walks_and_a_linked_rig_is_refused(tmp_path: Any) -> None:
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {control_rigs.ik_biped()})
    rigs.clear()
    load: Any = bpy.data.libraries.load
    with load(path, link=True) as (found, wanted):
        wanted.objects = found.objects
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    with pytest.raises(AmbleError, match="library override"):
        amble.gait(linked)
    own = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    assert_walks(own)
    assert own.library is None
    assert own.mode == "OBJECT"


def test_a_mirrored_object_walks_and_uneven_scale_is_told() -> None:
    plain = amble.gait(rigs.biped()).report
    armature = rigs.biped()
    armature.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    mirrored = assert_walks(armature).report
    assert mirrored.score.mean_z == pytest.approx(plain.score.mean_z, abs=1e-3)
    assert mirrored.score.passed == plain.score.passed
    armature = control_rigs.ik_biped(turn=False)
    armature.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    assert not any("mirrored" in note for note in assert_walks(armature).notes)
    armature = control_rigs.ik_biped()
    armature.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    assert any("mirrored by its scale" in note and '"foot.L"' in note for note in amble.gait(armature).notes)
    armature = rigs.biped()
    armature.scale = (1.5, 1.0, 1.0)
    bpy.context.view_layer.update()
    result = amble.gait(armature)
    assert result.report is not None
    assert result.report.slide_mm <= 1.0
    assert any("scaled unevenly" in note for note in result.notes)
