"""The judgement of points over time, where every point is known: no Blender, no rounding."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from amble.report import Contact, contacts, curves, tracks
from amble.report.contacts import Clock, floor_level, runs, spread, stances
from amble.report.evaluate import evaluate
from amble.report.reference import curve, froude_speed, knee_peaks, linear, stride_time_of_curves
from amble.report.tracks import LegTrack, PlantedPoint, Tracks

UP, TRAVEL, LEFT = (np.array(axis, dtype=float) for axis in ((0, 0, 1), (0, -1, 0), (1, 0, 0)))
THIGH, SHANK, LEG = 0.43, 0.42, 0.9
VN = 0.42
SPEED = VN * math.sqrt(9.81 * LEG)
# The mean of many people is straight at the end of the swing, and a little beyond: the one thing to find
# fault with.
STRAIGHT = ("A leg reaches 1.0000 of its length, over 0.9990.",)


def clock(frames=26, fps=24.0, cyclic=True):
    return Clock(np.arange(4 * frames + 1) / 4.0 + 1.0, fps, cyclic)


def along_travel(forward, up):
    return np.multiply.outer(forward, TRAVEL) + np.multiply.outer(up, UP)


def smooth(row, phase):
    """The trigonometric polynomial through a curve of the reference, its ends averaged."""
    points = np.append(0.5 * (row[0] + row[-1]), row[1:-1])
    spectrum = np.fft.rfft(points) / len(points)
    spectrum[1:-1] *= 2.0
    order = np.arange(len(spectrum))
    return np.real(np.exp(2j * np.pi * np.multiply.outer(phase, order)) @ spectrum)


def leg_that_walks(time, lag, duty):
    """A leg with the reference's angles, and a foot that is planted flat for `duty` of the cycle and then
    swings.

    The points of the sole are not hung on the ankle: what is measured on heights, places and angles is set
    apart.
    """
    phase = (time.frames - 1.0) / time.period + lag
    thigh, knee, foot = (
        np.radians(smooth(curve(name, VN), phase)) for name in ("thigh_pitch", "knee_flexion", "foot_pitch")
    )
    stride = SPEED * time.period / time.fps
    hip = along_travel(stride * (phase - lag), 0.9 + 0.0 * phase)
    to_knee = THIGH * along_travel(np.sin(thigh), -np.cos(thigh))
    to_ankle = SHANK * along_travel(np.sin(thigh - knee), -np.cos(thigh - knee))
    swing = np.maximum((phase % 1.0 - duty) / (1.0 - duty), 0.0)
    foot_forward = stride * (np.floor(phase) - lag + swing) + 0.3
    lift = np.where(swing > 0.0, 0.005 + 0.1 * np.sin(np.pi * swing), 0.0)
    lift[phase % 1.0 < 1e-9] = 0.0
    sole = {
        name: along_travel(foot_forward + x, lift)
        for name, x in (("heel", -0.05), ("ball", 0.14), ("tip", 0.22))
    }
    turn = np.zeros((len(thigh), 3, 3))
    turn[:, 0, 0] = 1.0
    # About the left axis: a thigh that swings forward by t takes straight down to (sin t) travel - (cos t)
    # up.
    turn[:, 1, 1] = turn[:, 2, 2] = np.cos(thigh)
    turn[:, 2, 1], turn[:, 1, 2] = -np.sin(thigh), np.sin(thigh)
    return LegTrack(
        name=f"leg {lag}",
        hip=hip,
        knee=hip + to_knee,
        ankle=hip + to_knee + to_ankle,
        thigh=turn,
        segments=(THIGH, SHANK),
        foot=along_travel(np.cos(foot), np.sin(foot)),
        planted={name: (PlantedPoint(points, 0.0),) for name, points in sole.items()},
        sole=np.stack(list(sole.values())),
        tip=sole["tip"],
    )


def walk(frames=26, duty=None, fps=24.0):
    time = clock(frames, fps)
    share = linear("duty_factor", VN) if duty is None else duty
    legs = (leg_that_walks(time, 0.0, share), leg_that_walks(time, 0.5, share))
    made = Tracks(time, UP, TRAVEL, LEFT, 0.0, LEG, legs[0].hip, legs, None)
    on = [1.0, 1.0 + 0.5 * frames]
    # The claims end a little before the foot leaves: nothing is planted while it lifts.
    claims = [
        Contact(k, on[k], on[k], on[k] + share * frames - 0.01, on[k] + share * frames - 0.01) for k in (0, 1)
    ]
    return made, claims


def judged(made, claims, **settings: Any):
    return evaluate(made, claims, **{"speed": SPEED, "in_place": False, **settings})


def test_a_walk_with_the_references_curves_scores_as_the_reference():
    report = judged(*walk())
    assert report.score.verdict == "good"
    assert report.score.excellent
    # The strike lies between two samples; half a quarter frame is half a per cent of the cycle.
    assert all(c.rms < 1.2 and c.r > 0.995 for c in report.score.curves.values())
    assert report.problems == STRAIGHT


def test_stride_cadence_duty_and_speed_of_a_known_walk():
    report = judged(*walk())
    stride_s = 26.0 / 24.0
    assert report.speed_measured == pytest.approx(SPEED, rel=1e-12)
    assert report.stride_m == pytest.approx(SPEED * stride_s, rel=1e-12)
    assert report.cadence_steps_min == pytest.approx(120.0 / stride_s)
    assert report.duty_factor == pytest.approx(linear("duty_factor", VN), abs=0.01)
    assert report.slide_mm == pytest.approx(0.0, abs=1e-9)
    assert report.skid_mm == pytest.approx(0.0, abs=1e-9)
    assert report.toe_clearance_mm == pytest.approx(5.0 + 100.0 * math.sin(math.pi / 4), abs=4.0)


def test_knee_peaks_of_the_references_own_curve_are_about_the_references_peaks():
    report = judged(*walk())
    speed, acceleration = knee_peaks(VN, LEG)
    slower = stride_time_of_curves(VN, LEG) * 24.0 / 26.0
    assert report.knee_speed_ratio == report.knee_speed_peak_deg_s / speed
    assert report.knee_speed_ratio == pytest.approx(slower, rel=0.02)
    assert report.knee_acceleration_ratio == report.knee_acceleration_peak_deg_s2 / acceleration
    assert report.knee_acceleration_ratio == pytest.approx(slower**2, rel=0.12)


def test_the_same_walk_a_fifth_faster_in_time_turns_the_knee_a_fifth_faster():
    plain = judged(*walk(fps=24.0)).knee_speed_peak_deg_s
    assert judged(*walk(fps=28.8)).knee_speed_peak_deg_s == pytest.approx(1.2 * plain)


def test_a_stance_share_far_from_peoples_is_a_problem():
    report = judged(*walk(duty=0.45))
    assert report.duty_factor == pytest.approx(0.45, abs=0.01)
    assert any("share of stance" in problem for problem in report.problems)


def test_claims_that_end_long_before_the_foot_leaves_are_found_out():
    made, claims = walk()
    short = [replace(c, heel_off=c.heel_on + 9.0, toe_off=c.heel_on + 9.0) for c in claims]
    text = " ".join(judged(made, short).problems)
    assert "is claimed to stand" in text
    assert "The heel of leg 0.0 is claimed fixed" in text


def test_claims_shifted_in_time_slide():
    made, claims = walk()
    late = [replace(c, heel_off=c.heel_off + 2.0, toe_off=c.toe_off + 2.0) for c in claims]
    assert judged(made, late).slide_mm > 100.0


def test_in_place_the_same_feet_are_measured_against_the_ground_that_runs():
    made, claims = walk()
    back = np.multiply.outer(SPEED * made.clock.seconds, TRAVEL)

    def held(leg):
        points = {n: (PlantedPoint(p[0].positions - back, 0.0),) for n, p in leg.planted.items()}
        moved = {n: getattr(leg, n) - back for n in ("hip", "knee", "ankle", "tip")}
        return replace(leg, planted=points, sole=leg.sole - back, **moved)

    still = replace(made, legs=tuple(held(leg) for leg in made.legs), body=made.body - back)
    report = judged(still, claims, in_place=True)
    assert report.slide_mm == pytest.approx(0.0, abs=1e-9)
    assert report.speed_measured == pytest.approx(SPEED, rel=1e-9)
    assert report.problems == STRAIGHT


def test_a_take_that_is_no_cycle_finds_speed_and_stride_in_spite_of_a_wave_in_the_body():
    time = Clock(np.arange(4 * 40 + 1) / 4.0 + 1.0, 24.0, False)
    wave = 0.02 * np.sin(2.0 * np.pi * 2.0 * time.frames / 26.0)
    distance = 1.3 * time.seconds + wave
    assert curves.mean_speed(distance, time, 26.0) == pytest.approx(1.3, rel=1e-4)
    line = np.polyfit(time.seconds, distance, 1)[0]
    assert abs(line / 1.3 - 1.0) > 1e-3  # what a straight line would have made of it


def test_runs_join_over_the_seam_close_holes_and_drop_ripple():
    mask = np.array([1, 1, 0, 0, 0, 1, 1, 1, 0, 1], dtype=bool)
    assert runs(mask, cyclic=False) == [(0, 1), (5, 7), (9, 9)]
    assert runs(mask, cyclic=True) == [(5, 7), (9, 11)]
    assert runs(mask, cyclic=True, gap=1) == [(5, 11)]
    assert runs(mask, cyclic=False, gap=1, shortest=3) == [(5, 9)]
    assert runs(mask, cyclic=True, shortest=4) == []
    assert runs(np.ones(4, dtype=bool), cyclic=True) == [(0, 3)]
    assert runs(np.zeros(4, dtype=bool), cyclic=True) == []
    late = np.array([0, 0, 1, 1, 0, 0, 0, 0, 1, 1], dtype=bool)
    assert runs(late, cyclic=True, gap=2) == [(8, 13)]


def test_samples_inside_a_claim_wrap_and_are_counted_once():
    time = Clock(np.arange(11.0), 24.0, True)
    index, times = time.inside(8.0, 12.0)
    assert index.tolist() == [8, 9, 0, 1, 2]
    assert times.tolist() == [8.0, 9.0, 10.0, 11.0, 12.0]
    assert time.turns(times).tolist() == [0, 0, 1, 1, 1]
    index, times = time.inside(-2.0, 0.0)
    assert index.tolist() == [8, 9, 0]
    assert time.turns(times).tolist() == [-1, -1, 0]
    open_end = Clock(np.arange(11.0), 24.0, False)
    assert open_end.inside(8.0, 12.0)[0].tolist() == [8, 9, 10]


def test_touch_down_and_lift_off_are_found_between_samples():
    time = Clock(np.arange(41) / 4.0, 24.0, False)
    lowest = np.maximum(np.abs(time.frames - 5.1) - 3.0, 0.0) * 0.01  # on the ground from 2.1 to 8.1
    (stance,) = stances(lowest, time, near=0.002, touch=0.0005)
    assert (stance.on, stance.off) == pytest.approx((2.1, 8.1), abs=0.03)
    assert not stance.cut


def test_a_floor_that_is_not_the_ground_still_shows_the_stances():
    time = Clock(np.arange(41) / 4.0, 24.0, False)
    lowest = 0.07 + np.maximum(np.abs(time.frames - 5.1) - 3.0, 0.0) * 0.01
    assert floor_level(lowest) == pytest.approx(0.07)
    assert len(stances(lowest, time, near=0.002, touch=0.0005)) == 1


def test_spread_is_the_widest_pair_far_from_the_origin_too():
    points = np.array([[0, 0, 0], [3, 0, 0], [0, 4, 0], [1, 1, 1]], dtype=float) * 1e-3
    assert spread(points) == pytest.approx(5e-3, rel=1e-12)
    assert spread(points + 1e4) == pytest.approx(5e-3, rel=1e-6)
    assert spread(points[:1]) == 0.0


@pytest.mark.parametrize("form", ["cloud", "line", "circle", "still", "walk"])
def test_spread_of_many_points_is_that_of_all_their_pairs(form):
    time = np.linspace(0.0, 1.0, 1500)
    points = {
        "cloud": np.random.default_rng(1).normal(size=(1500, 3)) + 50.0,
        "line": np.multiply.outer(time, [1.0, 2.0, -3.0]),
        "circle": np.stack([np.cos(20.0 * time), np.sin(20.0 * time), 0.0 * time], axis=1),
        "still": np.full((1500, 3), 3.0),
        "walk": np.stack([5.0 * time, 0.1 * np.sin(99.0 * time), 0.05 * np.cos(198.0 * time)], axis=1),
    }[form]
    pairs = max(float(np.linalg.norm(points - point, axis=1).max()) for point in points)
    assert spread(points) == pytest.approx(pairs, rel=1e-12, abs=0.0)


def test_spread_of_very_many_points_takes_memory_in_proportion():
    time = np.linspace(0.0, 1.0, 80_000)
    assert spread(np.multiply.outer(time, [3.0, 4.0, 0.0])) == pytest.approx(5.0, rel=1e-12)
    assert spread(np.zeros((80_000, 3))) == 0.0


@pytest.mark.parametrize("cyclic", [True, False])
@pytest.mark.parametrize(
    "span", [(-3.0, 4.0), (1.0, 9.0), (8.25, 8.25), (7.9, 30.1), (-40.0, -38.0), (5.0, 4.0)]
)
def test_samples_inside_a_span_are_those_of_every_cycle_that_lie_in_it(span, cyclic):
    time = Clock(np.append(np.arange(1.0, 9.0, 0.25), 9.1), 24.0, cyclic)
    turns = range(-9, 10) if cyclic else (0,)
    every = np.concatenate([time.frames[: time.count] + turn * time.period for turn in turns])
    hit = (every > span[0] - 1e-3) & (every < span[1] + 1e-3) if span[0] <= span[1] else every < -1e9
    index, times = time.inside(*span)
    assert times == pytest.approx(every[hit], abs=1e-9)
    assert index.tolist() == (np.flatnonzero(hit) % time.count).tolist()


def test_a_curve_between_strikes_goes_on_past_the_end_of_the_cycle():
    time = Clock(np.append(np.arange(1.0, 9.0, 0.25), 9.1), 24.0, True)
    values = np.random.default_rng(2).normal(size=len(time.frames))
    for first, last in ((1.0, 9.1), (5.3, 13.4), (8.95, 12.0)):
        at = np.linspace(first, last, 51)
        usual = np.interp(at, time.frames[:-1], values[:-1], period=time.period)
        assert curves.cycle(values, time, first, last) == pytest.approx(usual, abs=1e-12)


def test_rates_of_a_wave_in_a_cycle_with_a_last_step_of_another_length():
    frames = np.append(np.arange(0.0, 24.0, 0.25), 24.1)
    time = Clock(frames, 24.0, True)
    omega = 2.0 * np.pi * 24.0 / 24.1
    first, second = curves.rates(10.0 * np.sin(omega * time.seconds), time)
    assert len(first) == len(frames) - 1
    assert first == pytest.approx(10.0 * omega * np.cos(omega * time.seconds[:-1]), abs=0.15)
    assert np.abs(second).max() == pytest.approx(10.0 * omega**2, rel=2e-3)


@pytest.mark.parametrize(("hertz", "speed", "acceleration"), [(3.0, 0.994, 0.997), (5.0, 0.982, 0.991)])
def test_quarter_frames_return_as_much_of_a_wave_as_the_docs_say(hertz, speed, acceleration):
    time = Clock(np.arange(0.0, 24.01, 0.25), 24.0, True)
    omega = 2.0 * np.pi * hertz
    first, second = curves.rates(np.cos(omega * time.seconds), time)
    assert np.abs(first).max() / omega == pytest.approx(speed, abs=6e-4)
    assert np.abs(second).max() / omega**2 == pytest.approx(acceleration, abs=6e-4)


@pytest.mark.parametrize("bend", [-20.0, -0.5, 0.0, 0.5, 40.0, 150.0])
def test_knee_flexion_is_signed_and_smooth_through_straight(bend):
    angles = np.radians(np.array([bend, 60.0]))
    hip = np.zeros((2, 3))
    knee = hip - UP
    ankle = knee + along_travel(-np.sin(angles), -np.cos(angles))
    found = curves.knee_flexion(hip, knee, ankle, np.tile(np.eye(3), (2, 1, 1)), LEFT)
    assert found == pytest.approx([bend, 60.0], abs=1e-9)


def test_turn_between_rotations_small_half_and_none():
    def about_x(angle):
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])

    for angle in (0.0, 1e-7, 1e-3, 1.0, 3.0):
        assert tracks.turn_between(about_x(0.2), about_x(0.2 + angle)) == pytest.approx(
            [angle, 0, 0], abs=1e-12
        )
    assert np.linalg.norm(tracks.turn_between(np.eye(3), about_x(math.pi))) == pytest.approx(math.pi)


def test_rotation_part_is_a_rotation_whatever_the_scale_and_mirroring():
    turn = tracks.rotation_part(np.diag([-2.0, 3.0, 0.01, 1.0])[None])
    assert np.linalg.det(turn[0]) == pytest.approx(1.0)
    assert turn[0] @ turn[0].T == pytest.approx(np.eye(3))


def test_spans_of_a_claim_with_and_without_a_toe_that_rolls():
    plain = contacts.Contact(0, 1.0, 2.0, 5.0, 8.0)
    assert plain.spans() == {"heel": (1.0, 5.0), "ball": (2.0, 8.0)}
    rolling = contacts.Contact(0, 1.0, 2.0, 5.0, 8.0, ball_off=7.0)
    assert rolling.spans() == {"heel": (1.0, 5.0), "ball": (2.0, 7.0), "tip": (2.0, 8.0)}


def test_froude_speed_of_the_walk_is_what_the_score_is_taken_at():
    assert judged(*walk()).score.vn == pytest.approx(froude_speed(SPEED, LEG))
