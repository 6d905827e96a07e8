"""What the gait promises of a run: feet that are planted, flight between them, arms as people's.

Lengths are shares of the leg's.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.bodies import OPTIONS, Array, Figure
from tests.core.drawn import examples, figures, people
from tests.core.test_gait_feet import PLACES, Stride, spread, stride

RUNS = st.floats(0.51, 1.79)
PEOPLES = (0.55, 0.85, 1.0, 1.17, 1.5)


def running(figure: Figure, vn: float, frames: int = 240, **given: Any) -> Stride:
    return stride(figure, vn, frames, gait=1.0, **given)


def pelvis_height(s: Stride) -> Array:
    head = s.poses[s.walk.body.bones["pelvis"]] @ np.append(s.walk.rest_head("pelvis"), 1.0)
    return head[:, 2] / s.figures["leg_length"]


# ---- feet ----


@examples(12)
@given(figure=figures(), vn=RUNS)
def test_heel_sole_and_toe_tip_of_a_runner_stay_where_they_are_put_in_turn(figure, vn):
    s = running(figure, vn, frames=600)
    for side in "LR":
        heel, ball, tip = (s.planted[side, name] for name in ("heel", "ball", "tip"))
        assert spread(heel[s.between(side, 0.0, "heel_off")]) < 2.0 * PLACES
        flat = s.between(side, "flat", "heel_off")  # for short feet at high speed a mere moment
        assert flat.sum() < 6 or spread(ball[flat]) < 2.0 * PLACES
        assert spread(tip[s.between(side, "flat", "duty")]) < 2.0 * PLACES


@examples(12)
@given(figure=people(), vn=RUNS)
def test_nothing_of_a_runners_foot_is_ever_under_the_ground(figure, vn):
    s = running(figure, vn)
    for name in ("heel", "ball", "tip"):
        for side in "LR":
            assert s.places[side, name][:, 2].min() > -2e-5, (side, name)


@examples(12)
@given(figure=people(), vn=RUNS)
def test_a_runners_feet_clear_the_ground_and_no_leg_is_drawn_out(figure, vn):
    s = running(figure, vn)
    swing = 1.0 - s.figures["duty"]
    for side in "LR":
        middle = s.between(side, s.figures["duty"] + 0.3 * swing, s.figures["duty"] + 0.75 * swing)
        assert s.places[side, "tip"][middle][:, 2].min() > 0.01
        assert s.places[side, "heel"][middle][:, 2].min() > 0.01
        hip, knee, ankle = (s.places[side, name] for name in ("hip", "knee", "ankle"))
        length = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
        assert (np.linalg.norm(ankle - hip, axis=1) / length).max() <= 0.9995


# ---- flight ----


@examples(8)
@given(figure=people(), vn=RUNS)
def test_both_feet_are_off_the_ground_twice_a_stride(figure, vn):
    s = running(figure, vn, frames=400)
    duty = s.figures["duty"]
    assert 0.22 <= duty < 0.48
    # A toe that leaves the ground is seen to a little later, and the heel comes down to it with no speed.
    lowest = np.min(
        [[s.places[side, n][:, 2] for n in ("heel", "ball", "tip")] for side in "LR"], axis=(0, 1)
    )
    assert 0.5 * (1.0 - 2.0 * duty) < np.mean(lowest > 5e-4) <= 1.0 - 2.0 * duty


@pytest.mark.parametrize("vn", PEOPLES)
def test_in_flight_the_body_falls_freely_and_the_leg_springs_between(vn):
    s = running(Figure(), vn, frames=400)
    height, cycle, duty = pelvis_height(s), s.figures["cycle"], s.figures["duty"]
    step = cycle / 400
    fall = (np.roll(height, -1) - 2.0 * height + np.roll(height, 1)) / step**2
    fall *= s.figures["leg_length"] / 9.81  # of gravity
    half = s.u["L"] % 0.5
    # At its ends, where the knees of lab runners would have the force set in less sharply, by a third less.
    assert fall[half > duty].mean() == pytest.approx(-1.0, abs=0.15)
    assert np.abs(fall[half > duty] + 1.0).max() < 0.33
    assert fall[(half > 0.3 * duty) & (half < 0.6 * duty)].min() > 0.5
    assert abs(fall.mean()) < 1e-3


@pytest.mark.parametrize("vn", PEOPLES)
def test_the_pelvis_is_lowest_early_in_stance_and_highest_in_flight_by_peoples_figures(vn):
    s = running(Figure(), vn, frames=400)
    height = pelvis_height(s)
    assert 0.06 < np.ptp(height) < 0.125
    assert 0.12 < s.u["L"][height.argmin()] % 0.5 < 0.22
    assert 0.36 < s.u["L"][height.argmax()] % 0.5 < 0.46


# ---- people ----


@pytest.mark.parametrize("vn", PEOPLES)
def test_a_runners_elbows_are_bent_between_70_and_120_degrees_and_the_trunk_leans_forward(vn):
    s = running(Figure(rolls=3), vn)
    body = s.walk.body
    for side in (0, 1):
        upper, fore = body.arguments["arms"][side]
        heads = [body.axes @ body.arguments["rest"][bone, :3, 3] for bone in (upper, fore)]
        hand = body.axes @ body.arguments["hands"][side]
        arm = s.poses[upper][:, :3, :3] @ (heads[1] - heads[0])
        forearm = s.poses[fore][:, :3, :3] @ (hand - heads[1])
        cosine = np.sum(arm * forearm, axis=1)
        cosine /= np.linalg.norm(arm, axis=1) * np.linalg.norm(forearm, axis=1)
        elbow = np.degrees(np.arccos(cosine))
        assert 70.0 < elbow.min() < 90.0
        assert 105.0 < elbow.max() < 120.0
        swing = np.degrees(np.arctan2(arm[:, 0], -arm[:, 2]))
        assert np.ptp(swing) == pytest.approx(48.0, abs=2.0)
    chest = s.turn("spine.2").mean(axis=0)
    lean = np.degrees(np.arctan2(chest[0, 2], chest[2, 2]))
    assert lean == pytest.approx(np.degrees(OPTIONS["lean"][0]) + 3.5, abs=0.3)


# ---- which gait ----


@pytest.mark.parametrize(("vn", "gait"), [(0.3, 0.0), (0.7, 0.0), (0.715, 1.0), (1.6, 1.0)])
def test_either_runs_above_a_froude_number_of_a_half(vn, gait):
    body = Figure().body()
    either = body.run(np.linspace(0.0, 1.0, 5), speed=body.speed(vn), gait=2.0)
    named = body.run(np.linspace(0.0, 1.0, 5), speed=body.speed(vn), gait=gait)
    assert either.figures["gait"] == gait
    assert either.motion.tobytes() == named.motion.tobytes()


@pytest.mark.parametrize("vn", [0.3, 0.499, 1.81])
def test_a_speed_that_is_no_run_is_refused_with_the_range(vn):
    body = Figure().body()
    with pytest.raises(ValueError, match=r"^speed is .* a run has 0.5 to 1.8$"):
        body.run([0.0], speed=body.speed(vn), gait=1.0)


@pytest.mark.parametrize("duty", [0.2, 0.481, 0.6])
def test_a_duty_factor_that_is_no_runs_is_refused(duty):
    body = Figure().body()
    with pytest.raises(ValueError, match=r"^duty is .*: a run of this speed has 0.22 to "):
        body.run([0.0], speed=body.speed(0.85), gait=1.0, duty=duty)


@pytest.mark.parametrize("duty", [0.3, 0.35, 0.42])
def test_an_asked_duty_factor_of_a_run_moves_toe_off_and_leaves_the_feet_planted(duty):
    s = running(Figure(), 0.85, duty=duty)
    assert s.figures["duty"] == duty
    assert spread(s.planted["L", "tip"][s.between("L", "flat", "duty")]) < PLACES
    assert min(s.places["L", n][:, 2].min() for n in ("heel", "ball", "tip")) > -2e-5


@pytest.mark.parametrize("gait", [0.5, 1.5])
def test_a_gait_that_there_is_none_of_is_refused(gait):
    body = Figure().body()
    with pytest.raises(ValueError, match=r"^gait is .*: there are 0 \(walk\), 1 \(run\) and 2"):
        body.run([0.0], gait=gait)
