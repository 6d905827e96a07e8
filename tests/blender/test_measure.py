"""The report on hand-made motions whose slide, depth, speed and knee speed are known exactly."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from amble.action import slots
from amble.report import Contact
from amble.report.reference import GAITS, curve, froude_speed, knee_peaks
from mathutils import Vector
from tests.blender import rigs
from tests.blender.hand_made import (
    LEG,
    SCALE,
    Leg,
    key,
    look,
    move,
    roles,
    standing,
    walking_on_ice,
)
from tests.rig import tables


def test_a_rig_that_stands_still_has_no_fault_of_the_feet():
    report = look(rigs.biped(), standing())
    assert report.slide_mm == pytest.approx(0.0, abs=1e-4)
    assert report.penetration_mm == pytest.approx(0.0, abs=1e-4)
    assert report.float_mm == pytest.approx(0.0, abs=1e-4)
    assert report.speed_measured == pytest.approx(0.0, abs=1e-6)
    assert report.problems == ()
    assert report.ok
    # Thigh from (0, .93) to (-.02, .50), shin on to (.02, .08): the ankle is nearly under the hip.
    reach = math.hypot(0.02, 0.85) / (math.hypot(0.02, 0.43) + math.hypot(0.04, 0.42))
    assert report.over_reach == pytest.approx(reach, abs=1e-6)


def test_a_planted_foot_that_goes_5_mm_forward_slides_5_mm():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 25: (0, 0, 0.005)})
    report = look(rig, standing())
    assert report.slide_mm == pytest.approx(5.0 * SCALE, abs=1e-3)
    assert any("slides 4.83 mm" in problem for problem in report.problems)


def test_a_slide_there_and_back_is_as_long_as_its_widest_and_sideways_counts():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 10: (0.004, 0, 0), 20: (-0.003, 0, 0), 25: (0, 0, 0)})
    assert look(rig, standing()).slide_mm == pytest.approx(7.0 * SCALE, abs=1e-3)


def test_a_jump_between_two_frames_is_seen_at_quarter_frames_alone():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 12: (0, 0, 0), 12.25: (0, 0, 0.003), 12.5: (0, 0, 0), 25: (0, 0, 0)})
    report = look(rig, standing())
    assert report.slide_at_frames_mm == pytest.approx(0.0, abs=1e-3)
    assert report.slide_mm == pytest.approx(3.0 * SCALE, abs=1e-3)


def test_movement_outside_the_claims_is_no_slide():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 13: (0, 0, 0), 25: (0, 0.3, 0.5)})
    report = look(rig, [Contact(leg, 1, 1, 13, 13) for leg in (0, 1)])
    assert report.slide_mm == pytest.approx(0.0, abs=1e-4)


def test_heel_and_ball_are_held_to_their_own_claims():
    rig = rigs.biped()
    key(rig, "foot.L", "rotation_euler", {1: (0, 0, 0), 13: (0, 0, 0), 25: (0.3, 0, 0)})
    heel_to_joint = math.hypot(0.02 - 0.07, 0.08)  # the foot turns about its head, the ankle
    right = Contact(1, 1, 1, 25, 25)
    report = look(rig, [Contact(0, 1, 1, 13, 13), right])
    assert report.slide_mm == pytest.approx(0.0, abs=1e-4)
    report = look(rig, [Contact(0, 1, 1, 25, 13), right])
    assert report.slide_mm == pytest.approx(2e3 * SCALE * heel_to_joint * math.sin(0.15), abs=1e-2)
    ball_to_joint = math.hypot(0.02 + 0.12, 0.08)
    report = look(rig, [Contact(0, 1, 1, 13, 25), right])
    assert report.slide_mm == pytest.approx(2e3 * SCALE * ball_to_joint * math.sin(0.15), abs=1e-2)


def test_a_toe_that_tilts_about_its_joint_slides_unless_the_ball_is_claimed_to_have_left():
    rig = rigs.biped()
    key(rig, "toe.L", "rotation_euler", {1: (0, 0, 0), 13: (0, 0, 0), 25: (0.2, 0, 0)})
    right = Contact(1, 1, 1, 25, 25)
    report = look(rig, [Contact(0, 1, 1, 25, 25), right])
    assert report.slide_mm == pytest.approx(2e3 * SCALE * 0.02 * math.sin(0.1), abs=1e-3)
    report = look(rig, [Contact(0, 1, 1, 25, 25, ball_off=13), right])
    # Now the tip is held to the ground until the end, 8 cm before and 2 cm under the joint.
    assert report.slide_mm == pytest.approx(2e3 * SCALE * math.hypot(0.08, 0.02) * math.sin(0.1), abs=1e-3)


def test_without_a_toe_bone_the_sole_under_the_pivot_is_held():
    rig = rigs.biped()
    toeless = replace(
        roles(), legs=tuple(replace(leg, contact=leg.bones[2], toe=None) for leg in roles().legs)
    )
    key(rig, "foot.L", "rotation_euler", {1: (0, 0, 0), 13: (0, 0, 0), 25: (0.2, 0, 0)})
    contacts = [Contact(0, 1, 1, 13, 25), Contact(1, 1, 1, 25, 25)]
    report = look(rig, contacts, roles=toeless)
    assert report.slide_mm == pytest.approx(2e3 * SCALE * math.hypot(0.14, 0.08) * math.sin(0.1), abs=1e-3)


def test_a_foot_3_mm_under_the_ground_for_a_quarter_frame_is_found():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 12.5: (0, 0, 0), 12.75: (0, -0.003, 0), 13: (0, 0, 0), 25: (0, 0, 0)})
    assert look(rig, standing()).penetration_mm == pytest.approx(3.0 * SCALE, abs=1e-3)


def test_penetration_is_of_heel_ball_and_tip_and_of_the_ground_given():
    rig = rigs.biped()
    key(rig, "toe.R", "rotation_euler", {1: (-0.1, 0, 0)})
    deep = look(rig, standing()).penetration_mm
    key(rig, "toe.R", "rotation_euler", {1: (0.1, 0, 0)})
    other = look(rig, standing()).penetration_mm
    # One of the two senses takes the tip down: 8 cm before the joint and 2 cm under it.
    down = 0.08 * math.sin(0.1) - 0.02 * (1.0 - math.cos(0.1))
    assert sorted([deep, other]) == pytest.approx([0.0, 1e3 * SCALE * down], abs=1e-3)
    key(rig, "toe.R", "rotation_euler", {1: (0, 0, 0)})
    assert look(rig, standing(), ground=0.01).penetration_mm == pytest.approx(10.0 * SCALE, abs=1e-3)


def test_a_claim_on_a_foot_in_the_air_is_found_out():
    rig = rigs.biped()
    move(rig, {1: (0, 0.1, 0)})
    report = look(rig, standing())
    assert report.slide_mm == pytest.approx(0.0, abs=1e-4)
    assert report.float_mm == pytest.approx(100.0 * SCALE, abs=1e-3)
    assert not report.ok
    assert any("over the ground" in problem for problem in report.problems)


def test_over_reach_is_hip_to_ankle_over_thigh_and_shin():
    rig = rigs.biped()
    straight = rigs.biped()
    key(straight, "foot.L", "location", {1: (0, 0, 0)})
    bones = math.hypot(0.02, 0.43) + math.hypot(0.04, 0.42)
    # Pull the foot (it is not connected) straight down by 5 cm along the world.
    foot = rig.pose.bones["foot.L"]
    axes = np.array(rig.data.bones["foot.L"].matrix_local)[:3, :3]
    key(rig, "foot.L", "location", {1: tuple(axes.T @ np.array([0.0, 0.0, -0.05]))})
    assert foot.location.length == pytest.approx(0.05)
    report = look(rig, standing())
    assert report.over_reach == pytest.approx(math.hypot(0.02, 0.90) / bones, abs=1e-6)
    assert any("reaches" in problem for problem in report.problems)


def test_speed_of_the_body_is_measured_from_its_path():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 25: (0, 0, 1.237)})
    report = look(rig, standing(), speed=1.2)
    assert report.speed_measured == pytest.approx(1.237, abs=1e-5)
    assert report.speed_error == pytest.approx(1.237 / 1.2 - 1.0, abs=1e-5)
    assert any("1.2370 m/s for 1.2000" in problem for problem in report.problems)


def test_in_place_feet_that_run_backward_at_the_asked_speed_do_not_slide():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 13: (0, 0, -0.55), 25: (0, 0.3, 0)})
    contacts = [Contact(leg, 1, 1, 13, 13) for leg in (0, 1)]
    report = look(rig, contacts, speed=1.1, in_place=True)
    assert report.slide_mm == pytest.approx(0.0, abs=1e-3)
    assert report.speed_measured == pytest.approx(1.1, abs=1e-5)
    report = look(rig, contacts, speed=1.0, in_place=True)
    assert report.speed_measured == pytest.approx(1.1, abs=1e-5)
    assert report.slide_mm == pytest.approx(50.0 * SCALE, abs=1e-2)  # half a second at 0.1 m/s


def test_stances_by_height_give_stride_cadence_and_duty():
    rig = rigs.biped()
    # Two hops a cycle of 24 frames: down for 7, up for 5; the feet leave and land at full speed.
    down = (0.0, 0.0, 0.0)
    up: dict[int, tuple] = {}
    for hop in (0, 12):
        up |= {1 + hop: down, 8 + hop: down, 9 + hop: (0, 0.1, 0), 12 + hop: (0, 0.1, 0)}
    move(rig, up | {25: down})
    contacts = [Contact(leg, 1 + h, 1 + h, 8 + h, 8 + h) for leg in (0, 1) for h in (0, 12)]
    report = look(rig, contacts, speed=1.0, in_place=True, cyclic=True)
    assert report.cadence_steps_min == pytest.approx(2 * 60.0 * 24.0 / 12.0)
    assert report.duty_factor == pytest.approx(7.0 / 12.0, abs=2e-3)
    # Quarter frames 0 to 28 of every 48 lie inside the claims.
    assert report.duty_claimed == pytest.approx(29.0 / 48.0)
    assert not any("claimed" in problem for problem in report.problems)


def test_a_claim_too_short_to_show_a_slide_is_found_out_by_height():
    report = look(walking_on_ice(), [Contact(leg, 5, 5, 5.02, 5.02) for leg in (0, 1)], speed=1.0)
    assert report.slide_mm == pytest.approx(0.0, abs=1e-4)
    assert report.skid_mm == pytest.approx(1000.0 * SCALE, abs=0.01)
    text = " ".join(report.problems)
    assert 'leg L ("foot.L") is claimed to stand 1% of the time, but by height it is 100%' in text
    assert "The heel of leg R" in text
    assert "The ball of leg R" in text
    assert "along the ground while it is down by height" in text


def test_an_empty_claim_is_a_problem():
    report = look(walking_on_ice(), [Contact(leg, 5.01, 5.01, 5.02, 5.02) for leg in (0, 1)], speed=1.0)
    assert any("The claim on the heel of leg L" in p and "empty" in p for p in report.problems)
    assert any("The claim on the ball of leg L" in p and "empty" in p for p in report.problems)


def test_no_claim_at_all_is_a_problem():
    report = look(walking_on_ice(), [], speed=1.0)
    assert 'No contact is claimed for leg L ("foot.L").' in report.problems
    assert 'No contact is claimed for leg R ("foot.R").' in report.problems


def test_claims_cut_to_pieces_are_found_out_by_their_number():
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 13: (0, 0, 0), 14: (0, 0.1, 0), 24: (0, 0.1, 0), 25: (0, 0, 0)})
    pieces = [Contact(leg, a, a, a + 2.75, a + 2.75) for leg in (0, 1) for a in (1, 4, 7, 10)]
    report = look(rig, pieces, cyclic=True)
    assert any("4 stances are claimed for leg L" in p and "there are 1" in p for p in report.problems)


def test_a_claim_past_the_end_of_a_cycle_is_taken_at_its_start_carried_on_by_the_travel():
    rig = rigs.biped()
    # Steady travel but for a stop of the whole body from frame 22 over the seam to frame 4: feet stand there.
    move(
        rig,
        {1: (0, 0, 0), 4: (0, 0, 0), 5: (0, 0.1, 0.1), 21: (0, 0.1, 1.1), 22: (0, 0, 1.2), 25: (0, 0, 1.2)},
    )
    contacts = [Contact(leg, 22, 22, 28, 28) for leg in (0, 1)]
    report = look(rig, contacts, cyclic=True, speed=1.2)
    assert report.slide_mm == pytest.approx(0.0, abs=1e-3)
    assert report.speed_measured == pytest.approx(1.2, abs=1e-5)
    assert report.seam_position == pytest.approx(0.0, abs=1e-6)
    assert not any("claim" in problem for problem in report.problems)


def test_knee_speed_and_acceleration_of_a_steady_bend_are_exact():
    rig = rigs.biped()
    key(rig, "shin.L", "rotation_euler", {1: (0, 0, 0), 7: (0, 0, 0), 17: (-math.pi / 4, 0, 0)})
    report = look(rig, standing(), frames=(1, 17))
    speed = 45.0 / (10.0 / 24.0)
    assert report.knee_speed_peak_deg_s == pytest.approx(speed, rel=1e-4)
    # From 0 to full speed within one quarter frame.
    assert report.knee_acceleration_peak_deg_s2 == pytest.approx(speed * 4.0 * 24.0, rel=1e-4)


@pytest.mark.parametrize("out_deg", [0.0, 35.0])
def test_knee_speed_is_the_same_for_a_leg_turned_outward_in_its_own_plane(out_deg):
    rig = rigs.biped()
    key(rig, "thigh.L", "rotation_euler", {1: (0, math.radians(out_deg), 0)})
    key(rig, "shin.L", "rotation_euler", {1: (0, 0, 0), 17: (-1.0, 0, 0)})
    report = look(rig, standing(), frames=(1, 17))
    assert report.knee_speed_peak_deg_s == pytest.approx(math.degrees(1.0) / (16.0 / 24.0), rel=1e-4)
    assert report.knee_acceleration_peak_deg_s2 < 20.0


def test_the_seam_of_a_last_pose_turned_by_a_fiftieth_of_a_degree():
    rig = rigs.biped()
    key(rig, "shin.L", "rotation_euler", {1: (0, 0, 0), 25: (math.radians(0.02), 0, 0)})
    report = look(rig, standing(), cyclic=True)
    assert report.seam_angle_deg == pytest.approx(0.02, abs=1e-4)
    # Foot and toe hang on the shin: their heads move, the toe's, sqrt(.1^2+.48^2) from the knee, the most.
    assert report.seam_position == pytest.approx(math.radians(0.02) * math.hypot(0.10, 0.48) / LEG, rel=0.01)
    assert any("turned 0.0200°" in problem for problem in report.problems)


def test_the_seam_of_a_closed_pose_with_a_broken_slope():
    rig = rigs.biped()
    # Up and down in straight lines: closed, but it leaves with the speed it comes back with, the other way
    # round.
    key(rig, "spine", "rotation_euler", {1: (0, 0, 0), 13: (0.3, 0, 0), 25: (0, 0, 0)})
    report = look(rig, standing(), cyclic=True)
    assert report.seam_angle_deg == pytest.approx(0.0, abs=1e-4)
    assert report.seam_slope == pytest.approx(2.0, rel=1e-3)
    assert any("where the cycle closes" in problem for problem in report.problems)


def test_the_seam_of_a_smooth_cycle_has_no_jump_of_slope():
    rig = rigs.biped()
    frames = np.arange(1.0, 26.0)
    phase = 2.0 * np.pi * (frames - 1.0) / 24.0
    values = {f: (0.3 * math.sin(p), 0.1 * math.cos(2 * p), 0) for f, p in zip(frames, phase, strict=True)}
    key(rig, "spine", "rotation_euler", values, "BEZIER")
    slopes = 2.0 * np.pi / 24.0 * np.array([0.3 * np.cos(phase), -0.2 * np.sin(2 * phase), 0.0 * phase])
    for fcurve, row in zip(slots.find_curves(rig), slopes, strict=True):
        for point, slope in zip(fcurve.keyframe_points, row, strict=True):
            point.handle_left_type = point.handle_right_type = "FREE"
            point.handle_left = point.co - Vector((1.0, slope)) / 3.0
            point.handle_right = point.co + Vector((1.0, slope)) / 3.0
        fcurve.update()
    report = look(rig, standing(), cyclic=True)
    assert report.seam_slope < 1e-3
    assert report.seam_angle_deg < 1e-4


def test_a_bone_that_is_no_part_of_the_body_may_stay_behind():
    rig = rigs.biped()
    key(rig, "pelvis", "location", {1: (0, 0, 0), 25: (0, 0, 1.0)})
    report = look(rig, standing(), cyclic=True, speed=1.0)
    assert report.seam_position < 1e-6


def test_a_rig_in_hundredths_measures_as_the_plain_one():
    reports = []
    for size in (1.0, 100.0):
        rig = rigs.biped(size)
        rig.scale = (1.0 / size,) * 3
        move(rig, {1: (0, 0, 0), 25: (0, -0.002 * size, 0.005 * size)})
        reports.append(look(rig, standing(), size=size, speed=0.005))
    plain, small = (report.as_dict() for report in reports)
    for name, value in plain.items():
        if isinstance(value, float):
            # Twice differentiated, single precision leaves hundredths of a degree/s^2.
            assert small[name] == pytest.approx(
                value, rel=1e-3, abs=0.1 if "acceleration" in name else 1e-3
            ), name


def test_a_rig_turned_and_lifted_in_the_world_measures_along_its_own_travel():
    rig = rigs.biped()
    rig.location = (3.0, -2.0, 1.5)
    rig.rotation_euler = (0.0, 0.0, math.radians(90.0))
    move(rig, {1: (0, 0, 0), 25: (0, -0.002, 1.0)})
    report = look(rig, standing(), travel=(2.0, 0.0, 0.0), speed=1.0)
    assert report.speed_measured == pytest.approx(1.0, abs=1e-5)
    assert report.penetration_mm == pytest.approx(2.0 * SCALE, abs=1e-3)
    # A range no longer than the move; the hips go with it.
    assert report.pelvis_vertical_pp == pytest.approx(0.002 / LEG, abs=1e-6)
    assert report.pelvis_lateral_pp == pytest.approx(0.0, abs=1e-6)


def turned_to(rig, bone, pitch):
    """Local rotation that pitches a bone about the left-right axis, positive = lower end or toes forward
    and up.
    """
    axis = np.array(rig.data.bones[bone].matrix_local)[:3, :3].T @ np.array([-1.0, 0.0, 0.0])
    half = 0.5 * pitch
    return (math.cos(half), *(math.sin(half) * axis))


def test_angles_of_a_leg_in_a_known_pose_are_scored_with_their_signs():
    rig = rigs.biped()
    thigh, knee, foot = 25.0, 40.0, 12.0  # degrees: knee forward, bent, toes up
    lean = {
        "thigh": math.radians(thigh) - math.atan2(0.02, 0.43),
        "shin": math.radians(thigh - knee) - math.atan2(-0.04, 0.42),
        "foot": math.radians(foot),
    }
    for side in "LR":
        parent = 0.0
        for part, whole in lean.items():
            pitch = turned_to(rig, f"{part}.{side}", whole - parent)
            key(rig, f"{part}.{side}", "rotation_quaternion", {1: pitch, 25: pitch})
            parent = whole
    # The pose is held and hops, so that there are stances; the heel is lowest.
    drop = math.hypot(0.02, 0.43) * math.cos(math.radians(thigh))
    drop += math.hypot(0.04, 0.42) * math.cos(math.radians(thigh - knee))
    drop += 0.08 * math.cos(math.radians(foot)) - -0.05 * math.sin(math.radians(foot))
    down, up = (0, drop - 0.93, 0), (0, drop - 0.83, 0)
    move(rig, {1: down, 15: down, 16: up, 24: up, 25: down})
    speed = 0.42 * math.sqrt(9.81 * LEG)
    contacts = [Contact(leg, 1, 1, 15, 15) for leg in (0, 1)]
    report = look(rig, contacts, speed=speed, in_place=True, cyclic=True)
    assert report.penetration_mm == pytest.approx(0.0, abs=1e-2)
    assert report.score.vn == pytest.approx(0.42, rel=1e-5)  # rest lengths are float32 in Blender
    held = {"thigh_pitch": thigh, "knee_flexion": knee, "ankle_dorsiflexion": 27.0, "foot_pitch": foot}
    for name, angle in held.items():
        want = math.sqrt(np.mean((angle - curve(name, 0.42)) ** 2))
        assert report.score.curves[name].rms == pytest.approx(want, abs=1e-3), name
    assert report.score.verdict == "bad"


def test_a_quadruped_is_not_compared_with_people():
    report = look(rigs.biped(), standing(), speed=1.0, roles=replace(roles(), kind="quadruped"))
    assert report.score is None
    assert math.isnan(report.knee_speed_ratio)
    assert math.isnan(report.stride_deviation)


def test_a_run_is_compared_with_runners_and_a_walk_with_walkers():
    rig = rigs.biped()
    key(rig, "shin.L", "rotation_euler", {1: (0, 0, 0), 13: (0.5, 0, 0), 25: (0, 0, 0)})
    speed = 2.5
    ratios = {gait: look(rig, standing(), speed=speed, gait=gait).knee_speed_ratio for gait in GAITS}
    vn = froude_speed(speed, LEG)
    peaks = {gait: knee_peaks(vn, LEG, gait)[0] for gait in GAITS}
    assert peaks["run"] > 1.2 * peaks["walk"]
    assert ratios["walk"] / ratios["run"] == pytest.approx(peaks["run"] / peaks["walk"], rel=1e-5)


def test_the_report_as_json_and_as_a_table():
    report = look(walking_on_ice(), standing(), speed=1.0)
    plain = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert plain["ok"] is False
    assert plain["seam_position"] is None
    assert plain["slide_mm"] == pytest.approx(1000.0 * SCALE, abs=0.01)
    lines = report.table().splitlines()
    assert lines[0].startswith("✗ Foot slide")
    assert "at most 1.00 mm" in lines[0]
    assert lines[1].startswith("✓ Foot under ground")
    assert lines[-len(report.problems) :] == [f"✗ {problem}" for problem in report.problems]


def test_bones_cut_in_two_and_ends_behind_the_toe_measure_as_the_plain_leg():
    table: dict[str, Any] = dict(tables.biped())
    for side in "LR":
        for part in ("thigh", "shin", "foot"):
            head, tail, parent = table[f"{part}.{side}"]
            middle = tuple(0.5 * (a + b) for a, b in zip(head, tail, strict=True))
            table[f"{part}.{side}"] = (head, middle, parent)
            table[f"{part}.{side}.001"] = (middle, tail, f"{part}.{side}")
        for child, parent in (("shin", "thigh"), ("foot", "shin"), ("toe", "foot")):
            table[f"{child}.{side}"] = (*table[f"{child}.{side}"][:2], f"{parent}.{side}.001")
        head, tail, _ = table[f"toe.{side}"]
        table[f"leaf.{side}"] = (tail, (tail[0], tail[1] - 0.05, tail[2]), f"toe.{side}")
    chain = (
        "thigh.{}",
        "thigh.{}.001",
        "shin.{}",
        "shin.{}.001",
        "foot.{}",
        "foot.{}.001",
        "toe.{}",
        "leaf.{}",
    )
    split = tuple(Leg(s, tuple(name.format(s) for name in chain), f"leaf.{s}", f"toe.{s}") for s in "LR")
    reports = []
    for build, legs in ((rigs.biped, roles().legs), (lambda: rigs.build(table), split)):
        rig = build()
        move(rig, {1: (0, 0, 0), 25: (0, -0.001, 0.003)})
        key(rig, "shin.L", "rotation_euler", {1: (0, 0, 0), 25: (-0.5, 0, 0)})
        key(rig, "toe.R", "rotation_euler", {1: (0, 0, 0), 25: (0.1, 0, 0)})
        reports.append(look(rig, standing(), roles=replace(roles(), legs=legs)))
    for name in ("slide_mm", "penetration_mm", "over_reach", "knee_speed_peak_deg_s", "float_mm"):
        assert getattr(reports[1], name) == pytest.approx(getattr(reports[0], name), rel=1e-4, abs=1e-4), name
    assert reports[0].knee_speed_peak_deg_s == pytest.approx(math.degrees(0.5), rel=1e-4)
