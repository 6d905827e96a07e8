"""What the gait promises of feet, knees, pelvis and the rest, seen in the poses that its channels give.

Poses come from the channels by forward kinematics in float64. Lengths are shares of the leg's; float32's
rounding of the channels of pelvis, thigh, shin and foot leaves 1e-7 of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.bodies import Array, Figure, Walk
from tests.core.drawn import examples, figures, people

WALKS = st.floats(0.15, 0.6)
PHASE = {"L": 0.0, "R": 0.5}
PLACES = 1e-6


@dataclass
class Stride:
    """One stride in place. u: by side, shares of a stride since that foot's heel strike. places: by side and
    name, in leg lengths, body axes. planted: the same seen from ground that does not move."""

    walk: Walk
    poses: Array
    u: dict[str, Array]
    places: dict[tuple[str, str], Array]
    planted: dict[tuple[str, str], Array]

    @property
    def figures(self) -> dict[str, float]:
        return self.walk.figures

    def between(self, side: str, start: str | float, end: str | float) -> NDArray[np.bool_]:
        """Which frames lie between two moments of that foot."""
        low, high = (self.figures[moment] if isinstance(moment, str) else moment for moment in (start, end))
        return (self.u[side] >= low) & (self.u[side] <= high)

    def turn(self, bone: str) -> Array:
        """From rest, in body axes (frames, 3, 3)."""
        return self.poses[self.walk.body.bones[bone], :, :3, :3]


def stride(figure: Figure, vn: float, frames: int = 240, **given: Any) -> Stride:
    body = figure.body()
    speed = body.speed(vn)
    cycle = body.run(np.zeros(0), speed=speed, **given).figures["cycle"]
    shares = (np.arange(frames) + 0.25) / frames
    walk = body.run(shares * cycle, speed=speed, **given)
    poses = walk.poses()
    leg = walk.figures["leg_length"]
    places = {key: path / leg for key, path in walk.places(poses).items()}
    u = {side: (shares - phase) % 1.0 for side, phase in PHASE.items()}
    planted = {}
    for (side, name), path in places.items():
        planted[side, name] = path + np.outer(u[side] * walk.figures["stride"] / leg, [1.0, 0.0, 0.0])
    return Stride(walk, poses, u, places, planted)


def spread(path: Array) -> float:
    """How far apart the places of a path lie, over all axes."""
    assert len(path) > 5
    return float(np.ptp(path, axis=0).max())


# ---- planted feet ----


@examples(12)
@given(figure=figures(), vn=st.floats(0.1, 0.9))
def test_G14_heel_sole_and_toe_tip_stay_where_they_are_put_in_turn(figure, vn):
    s = stride(figure, vn)
    for side in "LR":
        heel, ball, tip = (s.planted[side, name] for name in ("heel", "ball", "tip"))
        assert spread(heel[s.between(side, 0.0, "heel_off")]) < PLACES
        assert spread(ball[s.between(side, "flat", "heel_off")]) < PLACES
        assert spread(tip[s.between(side, "flat", "duty")]) < PLACES


@examples(12)
@given(figure=people(), vn=st.floats(0.1, 0.9))
def test_heel_lift_and_ball_off_are_when_that_can_be_seen(figure, vn):
    # A two-thousandth of the leg for the heel, a twenty-thousandth for the ball, to a thousandth of a stride;
    # both are the left foot's, and a right leg of another length is a little before or after it.
    s = stride(figure, vn)
    assert s.figures["flat"] < s.figures["heel_off"] < s.figures["heel_lift"] < s.figures["ball_off"]
    assert s.figures["ball_off"] < s.figures["duty"]
    for side, more in (("L", 1.5), ("R", 2.5)):
        heel, ball = s.planted[side, "heel"], s.planted[side, "ball"]
        assert spread(heel[s.between(side, 0.0, "heel_lift")]) < more * 5e-4
        assert spread(ball[s.between(side, "flat", "ball_off")]) < more * 5e-5
        # And a hundredth of a stride later it can.
        later = s.between(side, s.figures["heel_lift"] + 0.01, "duty")
        assert heel[later][:, 2].min() > 4e-4


@examples(12)
@given(figure=people(), vn=st.floats(0.1, 0.9))
def test_nothing_of_a_foot_is_ever_under_the_ground(figure, vn):
    s = stride(figure, vn)
    for name in ("heel", "ball", "tip"):
        for side in "LR":
            assert s.places[side, name][:, 2].min() > -2e-5, (side, name)


def test_nothing_of_a_long_foot_is_ever_under_the_ground():
    figure = Figure(thigh=0.42, shin=0.4, ankle=0.056, heel=0.096, tip=0.297, toes=False)
    s = stride(figure, 0.15)
    assert min(s.places[side, "ball"][:, 2].min() for side in "LR") > -2e-5


@examples(12)
@given(figure=people(), vn=WALKS)
def test_in_swing_the_foot_clears_the_ground(figure, vn):
    s = stride(figure, vn)
    swing = 1.0 - s.figures["duty"]
    for side in "LR":
        middle = s.between(side, s.figures["duty"] + 0.5 * swing, s.figures["duty"] + 0.7 * swing)
        assert s.places[side, "tip"][middle][:, 2].min() > 0.01
        assert s.places[side, "heel"][middle][:, 2].min() > 0.01


@examples(12)
@given(figure=people(), vn=WALKS)
def test_no_leg_is_drawn_out(figure, vn):
    s = stride(figure, vn)
    for side in "LR":
        hip, knee, ankle = (s.places[side, name] for name in ("hip", "knee", "ankle"))
        length = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
        reach = np.linalg.norm(ankle - hip, axis=1) / length
        assert reach.max() <= 0.9995
        assert reach.max() <= s.figures["reach"] + 2e-3  # which is taken at 64 moments
        np.testing.assert_allclose(length, length[0], rtol=1e-6)


# ---- the rest of the requirements ----


@examples(8)
@given(figure=people(), vn=WALKS)
def test_G2_G3_the_pelvis_runs_through_a_closed_curve_as_far_as_the_body_has_come(figure, vn):
    body = figure.body()
    speed = body.speed(vn)
    cycle = body.run(np.zeros(0), speed=speed).figures["cycle"]
    time = (np.arange(12) / 12.0 + np.array([[0.0], [1.0], [7.0]])) * cycle
    poses = body.run(time.ravel(), speed=speed).poses()[body.bones["pelvis"]].reshape(3, 12, 4, 4)
    np.testing.assert_allclose(poses[1:], np.stack([poses[0]] * 2), rtol=0, atol=3e-6 * figure.size)


def turns(values: Array) -> int:
    """How often a closed curve turns from rising to falling or back, by more than a fiftieth of its range."""
    least = 0.02 * np.ptp(values)
    start = int(values.argmax())
    count, extreme, falling = 0, values[start], True
    for value in np.append(np.roll(values, -start), values[start]):
        if falling == bool(value <= extreme):
            extreme = value
        elif abs(value - extreme) > least:
            count, extreme, falling = count + 1, value, not falling
    return count + 1  # the one at the top, where it began


@pytest.mark.parametrize("vn", [0.25, 0.3, 0.42, 0.56])
@pytest.mark.parametrize("figure", [Figure(), Figure(thigh=0.42, shin=0.47, hips=0.25, ball=0.17, tip=0.24)])
def test_G4_the_pelvis_rises_twice_a_stride_over_a_straight_leg_and_is_lowest_where_the_legs_are_spread(
    figure, vn
):
    s = stride(figure, vn)
    head = s.poses[s.walk.body.bones["pelvis"]] @ np.append(s.walk.rest_head("pelvis"), 1.0)
    height = head[:, 2]
    assert turns(height) == 4
    top, low = int(height.argmax()), int(height.argmin())
    spread_legs = np.abs(s.places["L", "ankle"][:, 0] - s.places["R", "ankle"][:, 0])
    assert spread_legs[low] > 0.8 * spread_legs.max()
    assert spread_legs[top] < 0.5 * spread_legs.max()
    under = [abs(s.places[side, "ankle"][top, 0] - s.places[side, "hip"][top, 0]) for side in "LR"]
    assert min(under) < 0.16


@examples(8)
@given(figure=people(), vn=WALKS)
def test_G5_the_ankle_goes_forward_over_the_top_and_back_along_the_bottom(figure, vn):
    s = stride(figure, vn)
    for side in "LR":
        path = s.places[side, "ankle"] - s.places[side, "hip"]
        x, z = path[:, 0], s.places[side, "ankle"][:, 2]
        speed = np.diff(np.append(x, x[0]))
        swing = s.between(side, s.figures["duty"] + 0.1, 0.9)
        stance = s.between(side, 0.1, s.figures["duty"] - 0.1)
        assert (speed[swing] > 0.0).all()
        assert (speed[stance] < 0.0).all()
        # The area that the loop encloses: forward over the top is clockwise seen from the left.
        area = 0.5 * np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z)
        assert area < 0.0


@examples(8)
@given(figure=people(), vn=WALKS)
def test_G10_the_feet_are_half_a_stride_apart(figure, vn):
    s = stride(figure, vn, frames=200)
    lift = {side: s.planted[side, "tip"][:, 2] for side in "LR"}
    left = lift["L"] > 1e-3
    right = np.roll(lift["R"] > 1e-3, 100)
    assert np.sum(left != right) <= 6  # legs of unlike length lift by unlike amounts
    assert left.any()
    assert not (left & np.roll(right, 100)).any()  # never both in the air


@examples(8)
@given(figure=figures(), vn=WALKS)
def test_G13_the_knee_bends_forward_to_the_side_that_the_foot_points_to(figure, vn):
    s = stride(figure, vn)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        hip, knee, ankle = (s.places[side, name] for name in ("hip", "knee", "ankle"))
        line = (ankle - hip) / np.linalg.norm(ankle - hip, axis=1)[:, None]
        out = knee - hip - line * np.sum((knee - hip) * line, axis=1)[:, None]
        heading = np.radians(sign * figure.toe_out / 2.0)  # half way between the body's facing and the foot's
        pole = np.array([np.cos(heading), np.sin(heading), 0.0])
        side_of_pole = np.cross(pole, line)
        assert (out @ pole > 0.0).all()
        assert np.abs(np.sum(out * side_of_pole, axis=1)).max() < 1e-6


@examples(8)
@given(figure=people(), vn=WALKS)
def test_G14_the_sole_lies_along_the_ground_while_the_heel_is_down_and_turns_toes_down_after(figure, vn):
    s = stride(figure, vn)
    for side in "LR":
        flat = s.between(side, "flat", "heel_off")
        assert np.abs(s.turn(f"foot.{side}")[flat] - np.eye(3)).max() < 2e-6
        heel, ball = s.places[side, "heel"], s.places[side, "ball"]
        first = s.between(side, 0.0, 0.02)
        assert (ball[first][:, 2] > heel[first][:, 2]).all()  # heel first
        last = s.between(side, s.figures["duty"] - 0.05, "duty")
        assert (heel[last][:, 2] > ball[last][:, 2] + 0.01).all()


@examples(8)
@given(figure=people(), vn=WALKS)
def test_a_toe_bone_stays_flat_while_the_foot_rolls_off_over_its_head(figure, vn):
    s = stride(figure, vn)
    for side in "LR":
        rolling = s.between(side, "flat", min(s.figures["heel_lift"], s.figures["ball_off"]))
        assert np.abs(s.turn(f"toe.{side}")[rolling] - np.eye(3)).max() < 2e-3


def hand_ahead(s: Stride, side: str) -> Array:
    """How far the upper arm swings forward, as the sine of its angle."""
    f = s.walk.body
    bones = f.arguments["arms"][0 if side == "L" else 1]
    heads = f.arguments["rest"][bones, :3, 3]
    rest = f.axes @ (heads[1] - heads[0])
    turned = s.turn(f"upper.{side}") @ (rest / np.linalg.norm(rest))
    return turned[:, 0]


@pytest.mark.parametrize("vn", [0.2, 0.42, 0.56])
def test_G15_each_arm_swings_with_the_other_sides_leg(vn):
    s = stride(Figure(rolls=4), vn)
    for side, other in ("LR", "RL"):
        hand = hand_ahead(s, side)
        foot = s.places[other, "ankle"][:, 0] - s.places[other, "hip"][:, 0]
        assert np.corrcoef(hand, foot)[0, 1] > 0.8
        own = s.places[side, "ankle"][:, 0] - s.places[side, "hip"][:, 0]
        assert np.corrcoef(hand, own)[0, 1] < -0.8


@examples(6)
@given(figure=figures(), vn=WALKS, lean=st.floats(-0.3, 0.5))
def test_G15_the_head_stays_level_and_looks_ahead(figure, vn, lean):
    s = stride(figure, vn, frames=24, lean=lean)
    if figure.neck:
        assert np.abs(s.turn(f"neck.{figure.neck - 1}") - np.eye(3)).max() < 2e-6


def test_settings_do_what_their_names_say():
    figure = Figure()
    usual = stride(figure, 0.42)
    leg = usual.figures["leg_length"]

    def sway(s: Stride) -> float:
        head = s.poses[s.walk.body.bones["pelvis"]] @ np.append(s.walk.rest_head("pelvis"), 1.0)
        return float(np.ptp(head[:, 1]))

    def turning(s: Stride) -> float:
        return float(np.ptp(s.turn("pelvis")[:, 1, 0]))

    assert sway(stride(figure, 0.42, pelvis_sway=2.0)) == pytest.approx(2.0 * sway(usual), rel=1e-4)
    assert sway(stride(figure, 0.42, pelvis_sway=0.0)) < 1e-6
    assert turning(stride(figure, 0.42, pelvis_turn=0.0)) < 1e-6
    assert turning(stride(figure, 0.42, pelvis_turn=2.0)) == pytest.approx(2.0 * turning(usual), rel=0.02)
    still = stride(figure, 0.42, arm_swing=0.0)
    assert np.ptp(hand_ahead(still, "L")) < 1e-6
    wide = stride(figure, 0.42, step_width=0.2 * leg)
    flat = wide.between("L", "flat", "heel_off")
    np.testing.assert_allclose(wide.places["L", "ankle"][flat][:, 1], 0.1, atol=1e-6)
    leaning = stride(figure, 0.42, lean=0.3)
    chest = leaning.turn("spine.2").mean(axis=0)
    assert np.arctan2(chest[0, 2], chest[2, 2]) == pytest.approx(0.3, abs=0.02)
    assert stride(figure, 0.42, duty=0.65).figures["duty"] == 0.65
    assert stride(figure, 0.42, cycle=1.1).figures["cycle"] == 1.1
