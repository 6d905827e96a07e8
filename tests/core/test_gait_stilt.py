"""Walks on legs of one bone against their twin, and what must hold of them: feet fixed to the ground, rigid
legs, a pose that goes on smoothly.
"""

from dataclasses import replace
from typing import Any

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.bodies import Body, Figure, settings, straight
from tests.core.drawn import examples, figures
from tests.reference import gait as twin

MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])
# Hips wide enough to turn the whole step, a usual body, and one on points.
WIDE = Figure(thigh=0.2, shin=0.15, ankle=0.05, hips=0.9, toe_out=0.0, knee=0.0)
USUAL = Figure(toe_out=0.0, knee=4.0)
POINTS = Figure(heel=0.0, ball=0.03, tip=1e-9, toes=False, toe_out=0.0, knee=0.0)


def on_stilts(figure: Figure, nearest: float = 0.2) -> Body:
    """A figure's body whose thighs are all of its legs: shin, foot and toe hang on them and are at rest. Hips
    nearer to each other than `nearest` are put apart: they may be too near for long soles."""
    figure = replace(figure, asymmetry=0.0, hips=max(figure.hips, nearest))
    body = figure.body()
    legs = np.full((2, 4), -1, dtype=np.int32)
    legs[:, 0] = body.arguments["legs"][:, 0]
    return replace(body, arguments={**body.arguments, "legs": legs})


def speed_of(body: Body, vn: float) -> float:
    hips = body.arguments["rest"][body.arguments["legs"][:, 0], :3, 3] @ body.arguments["up"]
    leg = float(np.mean(hips)) - body.arguments["ground"]
    return vn * float(np.sqrt(9.81 * body.figure.size * leg))


def cycle_of(body: Body, vn: float, **given: float) -> float:
    return body.run(np.zeros(0), False, speed=speed_of(body, vn), **given).figures["cycle"]


def walked(figure: Figure, vn: float, shares: Any, travel: bool = True, **given: float) -> Any:
    """The walk at shares of a stride, paths of its points on the ground, and its figures."""
    body = on_stilts(straight(figure))
    cycle = cycle_of(body, vn, **given)
    walk = body.run(np.asarray(shares) * cycle, travel, speed=speed_of(body, vn), **given)
    return walk, walk.places(), walk.figures


@examples(14)
@given(
    figure=figures(),
    vn=st.floats(0.1, 0.6),
    shares=st.lists(
        st.builds(lambda k, u: 0.25 * k + u, st.integers(-3000, 3000), st.floats(0.002, 0.248)),
        min_size=1,
        max_size=3,
    ),
    travel=st.booleans(),
    factors=st.tuples(st.floats(0.0, 1.5), st.floats(0.0, 3.0)),
    lean=st.floats(-0.2, 0.4),
)
def test_the_core_agrees_with_its_twin(figure, vn, shares, travel, factors, lean):
    body = on_stilts(figure)
    turn, arms = factors
    given_settings = {"speed": speed_of(body, vn), "pelvis_turn": turn, "arm_swing": arms, "lean": lean}
    time = np.array(shares) * cycle_of(body, vn, pelvis_turn=turn)
    walk = body.run(time, travel, **given_settings)
    values = settings(gravity=9.81 * figure.size, **given_settings)
    bones, motion, slope, summary = twin.gait(**body.arguments, settings=values, travel=travel, time=time)
    leg, cycle = summary["leg_length"], summary["cycle"]
    assert np.array_equal(bones, walk.bones)
    np.testing.assert_allclose(walk.motion[:, :3], motion[:, :3], rtol=2e-7, atol=2e-7 * leg)
    np.testing.assert_allclose(walk.slope[:, :3] * cycle, slope[:, :3] * cycle, rtol=1e-5, atol=1e-5 * leg)
    sign = np.where(np.sum(walk.motion[:, 3:7] * motion[:, 3:7], axis=1) < 0.0, -1.0, 1.0)[:, None]
    np.testing.assert_allclose(walk.motion[:, 3:7] * sign, motion[:, 3:7], rtol=0, atol=5e-7)
    np.testing.assert_allclose(walk.slope[:, 3:7] * cycle * sign, slope[:, 3:7] * cycle, rtol=5e-4, atol=1e-3)
    for name, value in walk.figures.items():
        assert value == pytest.approx(summary[name], rel=1e-8, abs=1e-12), name


@pytest.mark.parametrize("figure", [USUAL, POINTS], ids=["feet", "points"])
@pytest.mark.parametrize("vn", [0.1, 0.42, 0.6])
def test_heel_and_then_tip_are_fixed_to_the_ground_and_nothing_goes_under_it(figure, vn):
    shares = np.linspace(0.0, 1.0, 400, endpoint=False)
    _, places, told = walked(figure, vn, shares)
    for side, phase in (("L", 0.0), ("R", 0.5)):
        u = (shares - phase) % 1.0
        for name, held in (
            ("heel", u <= told["heel_lift"]),
            ("tip", (u >= told["flat"]) & (u < 0.5)),
        ):
            at = places[side, name][held]
            assert np.ptp(at, axis=0).max() < 2e-6
            assert np.abs(at[:, 2]).max() < 1e-6
        low = np.minimum(places[side, "heel"][:, 2], places[side, "tip"][:, 2])
        assert low.min() > -1e-6
        assert low[u < 0.5].max() < 3e-3
        s = 2.0 * u - 1.0  # in swing the foot rises by a tenth of the hips' distance at most
        assert low[s > 0.0] == pytest.approx((0.1 * 0.2 * 16.0 * (s * (1.0 - s)) ** 2)[s > 0.0], abs=3e-3)


def test_a_body_with_wide_hips_keeps_its_legs_upright_and_whole_soles_on_the_ground():
    shares = np.linspace(0.0, 1.0, 200, endpoint=False)
    _, places, told = walked(WIDE, 0.3, shares)
    assert (told["flat"], told["heel_lift"], told["ball_off"]) == (0.0, 0.5, 0.5)
    for side, phase in (("L", 0.0), ("R", 0.5)):
        for name in ("heel", "tip", "hip"):
            held = (shares - phase) % 1.0 < 0.5
            assert np.ptp(places[side, name][held], axis=0).max() < 1e-6
        ahead = places[side, "hip"] - places[side, "heel"]
        np.testing.assert_allclose(ahead, np.tile(ahead[:1], (len(ahead), 1)), atol=1e-6)
    # By hand: the pelvis turns by the sine of half a step over the hips either way.
    hips = places["L", "hip"] - places["R", "hip"]
    assert np.abs(hips[:, 0]).max() == pytest.approx(0.5 * told["stride"], rel=1e-6)
    assert np.linalg.norm(hips, axis=1) == pytest.approx(0.9, rel=1e-6)


@examples(8)
@given(figure=figures(), vn=st.floats(0.1, 0.6))
def test_half_a_stride_later_a_symmetric_body_is_its_mirror_image(figure, vn):
    shares = np.linspace(0.0, 0.97, 12)
    _, now, _ = walked(figure, vn, shares, False)
    _, later, _ = walked(figure, vn, shares + 0.5, False)
    size = figure.size
    for name in ("hip", "heel", "tip"):
        np.testing.assert_allclose(later["R", name], now["L", name] @ MIRROR[:3, :3], atol=4e-6 * size)


@pytest.mark.parametrize("figure", [USUAL, WIDE, POINTS], ids=["feet", "wide", "points"])
def test_motion_is_the_integral_of_its_slopes_over_every_change_of_feet(figure):
    shares = np.linspace(-0.1, 1.1, 6001)
    walk, _, _ = walked(figure, 0.42, shares)
    step = np.diff(walk.time)
    gone = 0.5 * (walk.slope[..., 1:] + walk.slope[..., :-1]) * step
    np.testing.assert_allclose(np.diff(walk.motion, axis=-1), gone, atol=3e-6)


@pytest.mark.parametrize("figure", [USUAL, WIDE], ids=["feet", "wide"])
def test_frame_n_alone_is_frame_n_of_the_whole(figure):
    body = on_stilts(figure)
    time = np.linspace(-1.0, 3.0, 9)
    whole = body.run(time, True, speed=speed_of(body, 0.4))
    for k in (0, 4, 8):
        alone = body.run(time[k : k + 1], True, speed=speed_of(body, 0.4))
        assert alone.motion[..., 0].tobytes() == whole.motion[..., k].tobytes()
        assert alone.slope[..., 0].tobytes() == whole.slope[..., k].tobytes()


@pytest.mark.parametrize(
    ("given_settings", "words"),
    [
        ({"gait": 1.0}, "^gait is 1: legs without shins walk"),
        ({"gait": 0.5}, "^gait is 0.5"),
        ({"duty": 0.6}, "^duty is 0.6: legs without shins take turns"),
        ({"step_width": 0.1}, "^step_width is 0.1: legs without shins stand under their hips"),
        ({"cycle": 2.2, "pelvis_turn": 0.0}, "^cycle is 2.2, a stride of"),
    ],
)
def test_what_such_legs_cannot_do_is_refused(given_settings, words):
    body = on_stilts(USUAL)
    with pytest.raises(ValueError, match=words):
        body.run([0.0], speed=speed_of(body, 0.42), **given_settings)


def test_hips_too_near_for_such_steps_are_refused():
    body = on_stilts(replace(USUAL, hips=0.05), nearest=0.0)
    with pytest.raises(ValueError, match=r"^legs: the hips are 0.05 apart, too near for such steps"):
        body.run([0.0], speed=speed_of(body, 0.42))


def changed(name: str, value: Any) -> None:
    body = on_stilts(USUAL)
    amble_core.gait(**{**body.arguments, name: value}, settings=settings(), travel=False, time=np.zeros(1))


def test_legs_that_are_unlike_or_stand_beside_their_soles_are_refused():
    body = on_stilts(USUAL)
    legs = body.arguments["legs"].copy()
    legs[1] = Figure(toe_out=0.0, knee=4.0).body().arguments["legs"][1]
    with pytest.raises(ValueError, match=r"^legs: one of them has a shin"):
        changed("legs", legs)
    soles = body.arguments["soles"].copy()
    soles[0, 2] += 0.05 * body.arguments["forward"]
    with pytest.raises(ValueError, match=r"^legs: without shins they must be alike"):
        changed("soles", soles)
    with pytest.raises(ValueError, match=r"^legs\[0\]: its hip joint does not lie over its sole"):
        changed("soles", body.arguments["soles"] + body.arguments["forward"])
    with pytest.raises(ValueError, match=r"^leg_phase: legs without shins come down half a stride apart"):
        changed("leg_phase", np.array([0.0, 0.4]))
    with pytest.raises(ValueError, match=r"^legs\[0\]: its hip joint lies"):
        changed("ground", body.arguments["ground"] + 5.0)
