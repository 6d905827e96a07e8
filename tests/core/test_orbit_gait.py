"""G1 to G12, G16 to G21, G23 and G24 of the orbit gait, with numbers worked out by hand from the table.

Unless a test says otherwise the travel's angle grows by 1 a length, a frame lasts a second, and there is no
ground. Places hold to float32's rounding of the orbit's size.
"""

import hashlib
from typing import Any

import amble_core
import numpy as np
import pytest
from tests.core.riders import GOINGS, Part, course, land, part, run

ROUNDING = 3e-7
FORWARD, BACKWARD, SIDEWAYS = range(3)
LONG = {"forward": (2.0, 2.5), "backward": (2.0, 2.5), "sideways": (1.2, 1.8)}
TILTS = {
    "forward": (np.radians(5.0), np.radians(20.0)),
    "backward": (np.radians(-10.0), np.radians(-10.0)),
    "sideways": (0.0, 0.0),
}
QUARTER = np.pi / 2


def assert_at(place, expected):
    np.testing.assert_allclose(place, expected, atol=ROUNDING)


# ---- G1: how the character goes against the way it faces ----


@pytest.mark.parametrize(
    ("velocity", "going"),
    [
        ((1.0, 0.0, 0.0), FORWARD),
        ((1.0, np.sqrt(3.0), 0.0), FORWARD),  # r = 0.5, which is forward
        ((0.499, np.sqrt(1.0 - 0.499**2), 0.0), SIDEWAYS),
        ((0.0, -2.0, 0.0), SIDEWAYS),
        ((-0.499, np.sqrt(1.0 - 0.499**2), 0.0), SIDEWAYS),
        ((-1.0, np.sqrt(3.0), 0.0), BACKWARD),  # r = -0.5, which is backward
        ((-0.6, 0.8, 0.0), BACKWARD),
    ],
)
def test_G1_the_class_is_that_of_the_velocity_along_the_facing(velocity, going):
    for turn in (0.0, 0.7, 3.0):  # whichever way both are turned; away from the limits themselves
        if turn and abs(abs(velocity[0] / np.linalg.norm(velocity)) - 0.5) < 1e-9:
            continue
        c, s = np.cos(turn), np.sin(turn)
        x, y, z = velocity
        turned = (c * x - s * y, s * x + c * y, z)
        assert run([part()], course(turned, (c, s, 0.0))).going[0] == going


def test_G1_facing_is_free_of_the_velocity_and_a_stop_keeps_the_class():
    velocity = [(0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (0.0, -1.0, 0.0)]
    facing = [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 5.0, 3.0)]
    going = run([part()], course(velocity, facing)).going
    assert list(going) == [FORWARD, SIDEWAYS, SIDEWAYS, BACKWARD]


# ---- G2: the waist's orbit ----


def test_G2_the_waist_rides_an_upright_line_whose_centre_moves_with_the_character():
    # 0.3 a second for 4 frames of 0.5 s; the line is 0.2 long, its centre 0.9 up; a quarter turn a frame.
    waist = part(centre=(0.0, 0.0, 0.9), length=0.0, height=0.2)
    ride = run([waist], course(np.tile((0.3, 0.4, 0.0), (4, 1)), dt=0.5), rate=QUARTER / 0.25)
    assert_at(ride.place(0)[:, :2], [(0.15 * n, 0.2 * n) for n in (1, 2, 3, 4)])
    assert_at(ride.place(0)[:, 2], [0.9, 0.8, 0.9, 1.0])


def test_G2_the_line_can_be_tilted_and_the_tilt_can_follow_the_speed():
    # 30 degrees at 10 m/s, 15 at half of that: at the top, half the length forward by the sine.
    waist = part(length=0.0, height=0.2, tilt=(0.0, np.radians(30.0)))
    for speed, tilt in ((0.0, 0.0), (5.0, 15.0), (10.0, 30.0), (20.0, 30.0)):
        ride = run([waist], course((speed, 0.0, 0.0), dt=0.0))
        assert_at(ride.place(0)[0], [0.1 * np.sin(np.radians(tilt)), 0.0, 0.1 * np.cos(np.radians(tilt))])


def test_G2_a_centre_given_for_the_top_is_where_the_highest_point_lies():
    # The highest point of a 2 by 1 ellipse tilted by t is sqrt((sin t)^2 + (cos t / 2)^2) over its centre.
    tilt = np.radians(20.0)
    over = np.sqrt(np.sin(tilt) ** 2 + (0.5 * np.cos(tilt)) ** 2)
    round_ = course(np.tile((1.0, 0.0, 0.0), (3600, 1)), dt=2.0 * np.pi / 3600)
    places = run([part(centre=(0.0, 0.0, 3.0), tilt=tilt, top=1.0)], round_).place(0)
    assert abs(places[:, 2].max() - 3.0) < 1e-6
    assert abs(places[:, 2].min() - (3.0 - 2.0 * over)) < 1e-6


# ---- G3: the waist's phase ----


def test_G3_the_phase_grows_by_k_times_speed_times_dt_and_is_remembered():
    # k = 0.5: 0.5 * |(3, 4)| * 0.2 = 0.5 in the first frame, then 0.5 * 1 * 0.4 = 0.2.
    ride = run([part()], course([(3.0, 4.0, 0.0), (1.0, 0.0, 0.0)], dt=[0.2, 0.4]), rate=0.5)
    np.testing.assert_allclose(ride.phase[0], [0.5, 0.7], rtol=1e-15)
    on = run([part()], course((1.0, 0.0, 0.0), dt=0.4), state=ride.state, rate=0.5)
    np.testing.assert_allclose(on.phase[0], [0.9], rtol=1e-15)


def test_G3_on_a_line_the_place_is_the_foot_of_the_perpendicular_from_the_auxiliary_ellipse():
    # Half axes 0.2 level (auxiliary) and 0.1 upright. The ray at 45 degrees meets that ellipse at
    # r = 0.2 * 0.1 / sqrt((0.1^2 + 0.2^2) / 2) = 0.12649, whose upright part is r / sqrt(2) = 0.08944.
    line = part(length=0.0, height=0.2, auxiliary=0.4, phase=np.pi / 4)
    assert_at(run([line], course((0.0, 0.0, 0.0))).place(0)[0], [0.0, 0.0, 0.2 / np.sqrt(5.0)])


# ---- G4, G5, G8, G10: waist and ankles together ----


def walker(**ankle: Any) -> list[Part]:
    """Waist and ankles of the source's human, standing 1 high, the waist sinking by 0.1."""
    waist = part(centre=(0.0, 0.0, 1.0), top=1.0, length=0.0, height=0.1, phase=np.pi)
    common = {"on": 0.0, "rate": 0.5, "length": 0.8, "height": 0.2, **ankle}
    left = part(centre=(0.0, 0.1, -0.8), phase=QUARTER, **common)
    right = part(centre=(0.0, -0.1, -0.8), phase=3.0 * QUARTER, **common)
    return [waist, left, right]


def test_G4_the_waist_rises_twice_in_an_ankles_round_highest_over_a_straight_leg():
    steps = 32
    going = course(np.tile((1.0, 0.0, 0.0), (steps, 1)), dt=4.0 * np.pi / steps)
    ride = run(walker(), going)
    np.testing.assert_allclose(np.diff(ride.phase[0]), 2.0 * np.diff(ride.phase[1]), rtol=1e-12)
    height = ride.place(0)[:, 2]
    level = ride.place(1)[:, 0] - ride.place(0)[:, 0]
    highest = np.isclose(height, 1.0, atol=1e-6)
    lowest = np.isclose(height, 0.9, atol=1e-6)
    assert highest.sum() == 2
    assert lowest.sum() == 2
    assert_at(level[highest], 0.0)  # the legs are under the waist, one of them straight
    assert_at(np.abs(level[lowest]), 0.4)  # the legs are spread, to the ends of the orbit's long axis


def test_G5_the_long_axis_points_where_the_body_faces_and_the_foot_goes_forward_over_the_top():
    facing = np.array([0.0, 1.0, 0.0])
    ankle = part(length=0.8, height=0.2)
    ride = run([ankle], course(np.tile((0.0, 0.0, 0.0), (1, 1)), facing))
    assert_at(ride.place(0)[0], [0.0, 0.0, 0.1])  # theta = 0 is on the short axis, above
    for phase, place in ((QUARTER, 0.4 * facing), (np.pi, (0.0, 0.0, -0.1)), (3 * QUARTER, -0.4 * facing)):
        turned = run([part(length=0.8, height=0.2, phase=phase)], course((0.0, 0.0, 0.0), facing))
        assert_at(turned.place(0)[0], place)
    # Over the top it goes the way of the facing, along the bottom against it (spinning on the spot).
    top = run([part(length=0.8, height=0.2, spin=1.0)], course((0.0, 0.0, 0.0), facing, dt=0.0))
    bottom = run(
        [part(length=0.8, height=0.2, phase=np.pi, spin=1.0)], course((0.0, 0.0, 0.0), facing, dt=0.0)
    )
    assert top.tracks[0, 4, 0] > 0.0
    assert bottom.tracks[0, 4, 0] < 0.0


def test_G5_the_centre_moves_with_the_character():
    ride = run(
        [part(centre=(0.1, 0.2, 0.3), length=0.0, height=0.0)], course(np.tile((2.0, 1.0, 0.5), (3, 1)))
    )
    assert_at(ride.place(0), [(2.1, 1.2, 0.8), (4.1, 2.2, 1.3), (6.1, 3.2, 1.8)])


# ---- G6, G7: sizes by way of going and speed ----


@pytest.mark.parametrize(
    ("velocity", "long"),
    [
        # Slow at 0 m/s, fast at 4: the long axis at 0, 1, 2, 4 and 8 m/s.
        ((0.0, 0.0, 0.0), 2.0),
        ((1.0, 0.0, 0.0), 2.125),
        ((2.0, 0.0, 0.0), 2.25),
        ((4.0, 0.0, 0.0), 2.5),
        ((8.0, 0.0, 0.0), 2.5),
        ((-2.0, 0.0, 0.0), 2.25),
        ((0.0, 1.0, 0.0), 1.35),
        ((0.0, -2.0, 0.0), 1.5),
        ((0.0, 4.0, 0.0), 1.8),
    ],
)
def test_G6_the_long_axis_goes_with_class_and_speed(velocity, long):
    ankle = part(length=LONG, height=0.6, phase=QUARTER)
    ride = run([ankle], course(velocity, dt=0.0), fast=4.0)
    assert_at(ride.place(0)[0], [long / 2.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("velocity", "tilt"),
    [
        ((1e-9, 0.0, 0.0), 5.0),
        ((1.0, 0.0, 0.0), 8.75),
        ((2.0, 0.0, 0.0), 12.5),
        ((4.0, 0.0, 0.0), 20.0),
        ((9.0, 0.0, 0.0), 20.0),
        ((-1.0, 0.0, 0.0), -10.0),
        ((-4.0, 0.0, 0.0), -10.0),
        ((0.0, 3.0, 0.0), 0.0),
    ],
)
def test_G7_the_long_axis_is_tilted_front_end_down(velocity, tilt):
    ankle = part(length=2.0, height=0.6, tilt=TILTS, phase=QUARTER)
    place = run([ankle], course(velocity, dt=0.0), fast=4.0).place(0)[0]
    assert_at(place, [np.cos(np.radians(tilt)), 0.0, -np.sin(np.radians(tilt))])


def test_G6_sizes_can_be_eased_from_one_class_to_the_next():
    # One second of ease, frames of one second: half of what is missing in each frame.
    velocity = [(4.0, 0.0, 0.0), (0.0, 4.0, 0.0), (0.0, 4.0, 0.0)]
    ankle = part(length=LONG, height=0.0, phase=QUARTER, rate=0.0)
    ride = run([ankle], course(velocity), fast=4.0, ease=1.0)
    over = ride.place(0)[:, 0] - np.array([4.0, 4.0, 4.0])
    assert_at(over, [1.25, (1.25 + 0.9) / 2.0, (1.25 + 3.0 * 0.9) / 4.0])


# ---- G8: sinking ----


def test_G8_the_ankles_orbit_sinks_by_as_much_as_the_waist_is_below_its_top():
    # The waist at 0, 60, 90 and 180 degrees of a line 0.1 long is 0, 0.025, 0.05 and 0.1 below its top.
    for angle, drop in ((0.0, 0.0), (np.pi / 3, 0.025), (QUARTER, 0.05), (np.pi, 0.1)):
        waist = part(centre=(0.0, 0.0, 1.0), top=1.0, length=0.0, height=0.1, phase=angle)
        ankle = part(on=0.0, centre=(0.0, 0.1, -0.8), length=0.0, height=0.0)
        ride = run([waist, ankle], course((0.0, 0.0, 0.0)))
        assert_at(ride.place(0)[0], [0.0, 0.0, 1.0 - drop])
        assert_at(ride.place(1)[0], [0.0, 0.1, 0.2 - drop])


# ---- G9: the sense of the phase, and its growth ----


def test_G9_the_phase_grows_when_the_character_goes_backward():
    ride = run([part(rate=0.5)], course(np.tile((-2.0, 0.0, 0.0), (3, 1))))
    np.testing.assert_allclose(ride.phase[0], [1.0, 2.0, 3.0])


def test_G9_reversing_instead_is_an_option():
    velocity = [(2.0, 0.0, 0.0), (-2.0, 0.0, 0.0), (-0.6, 0.8, 0.0), (0.6, 0.8, 0.0)]
    ride = run([part(rate=0.5)], course(velocity), reverse=1.0)
    np.testing.assert_allclose(ride.phase[0], [1.0, 0.0, -0.5, 0.0])


@pytest.mark.parametrize(
    ("velocity", "change"),
    [
        ((1.0, 0.0, 0.0), 0.0),
        ((0.5, np.sqrt(0.75), 0.0), 0.5),  # by 60 degrees: a chord of 1 over 2
        ((0.0, 1.0, 0.0), np.sqrt(0.5)),  # by 90
        ((-1.0, 0.0, 0.0), 1.0),  # reversed
    ],
)
def test_G9_increments_grow_by_the_degree_of_an_abrupt_change_of_direction(velocity, change):
    ride = run([part()], course([(1.0, 0.0, 0.0), velocity, velocity]), growth=2.0)
    np.testing.assert_allclose(ride.phase[0], np.cumsum([1.0, 1.0 + 2.0 * change, 1.0]), rtol=1e-12)


def test_G9_the_growth_can_be_spread_over_a_time():
    # 0.2 s, frames of 0.2 s: in each frame the direction that is remembered comes half way. Reversed, it is
    # 1, 1/2, 1/4 of the way off.
    velocity = [(1.0, 0.0, 0.0)] + [(-1.0, 0.0, 0.0)] * 3
    ride = run([part()], course(velocity, dt=0.2), growth=1.0, growth_time=0.2)
    np.testing.assert_allclose(np.diff(ride.phase[0]), [0.4, 0.3, 0.25], rtol=1e-12)


def test_G9_a_body_that_turns_with_its_way_has_not_changed_direction():
    angle = np.linspace(0.0, 3.0, 7)
    way = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    ride = run([part()], course(way, way), growth=5.0)
    np.testing.assert_allclose(np.diff(ride.phase[0]), 1.0, rtol=1e-12)


# ---- G10: offsets ----


def test_G10_ankles_are_half_a_round_apart_and_any_other_offset_can_be_set():
    going = course(np.tile((0.3, 0.0, 0.0), (20, 1)))
    ride = run(walker(), going)
    np.testing.assert_allclose(ride.phase[2] - ride.phase[1], np.pi, rtol=1e-12)
    assert_at(ride.place(1)[:, 0] - ride.place(0)[:, 0], ride.place(0)[:, 0] - ride.place(2)[:, 0])
    hop = run([part(), part()], going)
    assert_at(hop.place(0), hop.place(1))  # 0: both feet jump together


# ---- G11, G12: the ground ----


def standing(z: float, speed: float = 5.0, height: float = 0.0, **given: Any) -> float:
    """Height of a foot that is z up, its clearance 0.1, over ground of a height, at a speed."""
    foot = [part(lands=1.0, clearance=0.1)]
    tracks = np.array([0.2, 0.3, z, 0.0, 0.0, 0.0]).reshape(1, 6, 1)
    landing = land(foot, course((speed, 0.0, 0.0)), tracks, height, **given)
    assert_at(landing.tracks[0, :2, 0], [0.2, 0.3])  # it goes straight up
    return float(landing.tracks[0, 2, 0])


def test_G11_an_ankle_inside_the_terrain_is_put_on_its_surface():
    assert standing(0.35, height=0.4) == pytest.approx(0.5)
    assert standing(-2.0, height=0.4) == pytest.approx(0.5)
    assert standing(0.6, height=0.4) == pytest.approx(0.6)
    assert standing(0.35, height=0.4, speed=0.0, threshold=1.0) == pytest.approx(0.5)


def test_G11_on_a_slope_the_ankle_is_a_clearance_away_along_the_normal():
    # 60 degrees, normal (0.8660, 0, 0.5): the ankle's height straight over the ground is 0.1 / 0.5.
    foot = [part(lands=1.0, clearance=0.1)]
    tracks = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]).reshape(1, 6, 1)
    landing = land(foot, course((1.0, 0.0, 0.0)), tracks, 0.0, (np.sqrt(0.75), 0.0, 0.5))
    assert_at(landing.tracks[0, 2, 0], 0.2)
    assert_at(landing.tracks[0, 5, 0], -np.sqrt(3.0))  # and it follows the slope down


def test_G12_below_a_speed_threshold_the_height_over_ground_is_scaled_by_the_speed():
    # 0.4 over its place on the ground (0.3 + 0.1); the threshold is 2 m/s.
    for speed, height in ((0.0, 0.4), (0.5, 0.5), (1.0, 0.6), (1.5, 0.7), (2.0, 0.8), (3.0, 0.8)):
        assert standing(0.8, speed, 0.3, threshold=2.0) == pytest.approx(height)


# ---- G16, G18: any part on any closed curve ----


def test_G16_a_part_rides_any_curve_placed_relative_to_the_character():
    # A lantern on a level circle of radius 0.2, half a metre to the left and 1.2 up, round once in 4 frames.
    lantern = part(
        centre=(0.0, 0.5, 1.2),
        ahead=(1.0, 0.0, 0.0),
        upward=(0.0, 1.0, 0.0),
        length=0.4,
        height=0.4,
        spin=QUARTER,
    )
    ride = run([lantern], course(np.zeros((4, 3)), (0.0, 1.0, 0.0)))
    # Facing y, its forward is y and its left is -x.
    assert_at(ride.place(0), [(-0.5, 0.2, 1.2), (-0.3, 0.0, 1.2), (-0.5, -0.2, 1.2), (-0.7, 0.0, 1.2)])


@pytest.mark.parametrize(
    ("corners", "phase", "place"),
    [
        # A rectangle 2 by 1: front at 90 degrees; the ray at atan 2 meets the front upper corner.
        (((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)), QUARTER, (1.0, 0.0)),
        (((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)), np.arctan2(2.0, 1.0), (1.0, 0.5)),
        # A triangle with its apex up: below, the middle of its base.
        (((0.0, 0.5), (0.5, -0.5), (-0.5, -0.5)), np.pi, (0.0, -0.5)),
        # A free list of points.
        (((0.1, 0.4), (0.4, 0.1), (0.3, -0.3), (-0.4, -0.2), (-0.3, 0.3)), np.arctan2(0.8, 0.1), (0.8, 0.1)),
    ],
)
def test_G18_polygons(corners, phase, place):
    ride = run([part(corners=corners, phase=phase)], course((0.0, 0.0, 0.0)))
    assert_at(ride.place(0)[0], [place[0], 0.0, place[1]])


def test_G18_the_waist_may_ride_an_ellipse_and_an_ankle_a_line():
    round_ = course(np.tile((1.0, 0.0, 0.0), (4, 1)), dt=QUARTER)
    waist = part(centre=(0.0, 0.0, 1.0), length=0.06, height=0.1)
    ankle = part(length=0.8, height=0.0)
    ride = run([waist, ankle], round_)
    gone = round_["position"][0]
    assert_at(ride.place(0)[:, 0] - gone, [0.03, 0.0, -0.03, 0.0])
    assert_at(ride.place(0)[:, 2], [1.0, 0.95, 1.0, 1.05])
    assert_at(ride.place(1)[:, 0] - gone, [0.4, 0.0, -0.4, 0.0])
    assert_at(ride.place(1)[:, 2], 0.0)


# ---- G17: any number of legs ----


@pytest.mark.parametrize("legs", [4, 6, 8])
def test_G17_any_number_of_legs(legs):
    phases = 2.0 * np.pi * np.arange(legs) / legs
    feet = [
        part(centre=(0.3 * k, 0.2 * (-1) ** k, 0.0), rate=0.5, phase=phase, lands=1.0)
        for k, phase in enumerate(phases)
    ]
    going = course(np.tile((0.4, 0.0, 0.0), (9, 1)))
    ride = run(feet, going)
    alone = [run([foot], going) for foot in feet]
    for k, one in enumerate(alone):
        assert_at(ride.place(k), one.place(0))
    landing = land(feet, going, ride.tracks, 0.1)
    assert landing.tracks.shape == (legs, 6, 9)
    assert landing.tracks[:, 2].min() == pytest.approx(0.1)


# ---- G19, G20: periods and phases ----


def test_G19_each_part_has_its_own_period_and_phase():
    # While the waist goes round 6 times, parts of periods 1, 2 and 3 go round 6, 3 and 2 times.
    parts = [part(rate=1.0 / period, phase=0.1 * period) for period in (1.0, 2.0, 3.0)]
    ride = run(parts, course((12.0 * np.pi, 0.0, 0.0)))
    np.testing.assert_allclose(ride.phase[:, 0], [12 * np.pi + 0.1, 6 * np.pi + 0.2, 4 * np.pi + 0.3])


def test_G20_phase_runs_without_travel():
    # Bobbing on the spot: once in 4 frames on a line 0.2 long.
    ride = run([part(length=0.0, height=0.2, spin=QUARTER)], course(np.zeros((4, 3))))
    assert_at(ride.place(0), [(0, 0, 0.0), (0, 0, -0.1), (0, 0, 0.0), (0, 0, 0.1)])
    assert_at(ride.tracks[0, 5], np.array([-0.1, 0.0, 0.1, 0.0]) * QUARTER)


# ---- G21: place on an orbit ----


def test_G21_by_the_true_angle_at_the_centre_or_at_constant_speed():
    # A 2 by 0.5 ellipse at 45 degrees: r = 1 * 0.25 / sqrt((0.25^2 + 1) / 2) on the ray, not the eccentric
    # angle's (0.7071, 0.1768).
    angle = run([part(height=0.5, phase=np.pi / 4)], course((0.0, 0.0, 0.0))).place(0)[0]
    r = 0.25 / np.sqrt((0.0625 + 1.0) / 2.0)
    assert_at(angle, [r * np.sqrt(0.5), 0.0, r * np.sqrt(0.5)])
    # Over equal angles equal ways: chords of a fine division differ by their curvature only.
    going = course(np.tile((1.0, 0.0, 0.0), (1000, 1)), dt=2.0 * np.pi / 1000)
    even = run([part(height=0.5, pace=1.0)], going)
    way = even.place(0) - going["position"].T
    np.testing.assert_allclose(np.linalg.norm(np.diff(way, axis=0), axis=1), 4.2893 / 1000, rtol=2e-3)
    # A rectangle's corner to corner at constant speed: a quarter round of 2 by 1 is 1.5 of its 6.
    square = ((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))
    assert_at(
        run([part(corners=square, pace=1.0, phase=QUARTER)], course((0.0, 0.0, 0.0))).place(0)[0],
        [0.5, 0.0, 0.5],
    )


# ---- G23: steering ----


def wandering(frames: int = 40) -> dict[str, np.ndarray]:
    """A course that turns, stops, reverses and climbs, facing now here, now there."""
    t = np.linspace(0.0, 6.0, frames)
    velocity = np.stack([2.0 * np.cos(t), np.sin(2.0 * t), 0.2 * np.sin(t)], axis=1)
    velocity[10:14] = 0.0
    velocity[25:] *= -1.0
    facing = np.stack([np.cos(0.5 * t), np.sin(0.7 * t), 0.1 * t], axis=1)
    return course(velocity, facing, dt=1.0 / 24.0 + 0.01 * np.sin(t) ** 2)


ALL = [
    *walker(lands=1.0, clearance=0.08, tilt=TILTS),
    part(on=1.0, echo=(0.4, 0.0, 0.2), source=2.0, curve=2.0),
    part(on=3.0, corners=((0.0, 0.5), (0.5, -0.5), (-0.5, -0.5)), rate=0.3, pace=1.0),
    part(on=0.0, height=0.3, pace=1.0, spin=2.0, top=1.0),
]
SETTINGS: dict[str, Any] = {
    "rate": 0.0,
    "leader": 1.0,
    "threshold": 1.0,
    "growth": 1.0,
    "growth_time": 0.2,
    "ease": 0.3,
    "down": 0.02,
}


@pytest.mark.parametrize("cut", [1, 7, 39])
def test_G23_steps_give_the_same_bits_as_the_whole_take(cut):
    going = wandering()
    whole = run(ALL, going, **SETTINGS)
    ground = 0.05 * np.sin(np.arange(2 * 40)).reshape(2, 40)
    landed = land(ALL, going, whole.tracks, ground, (0.1, -0.2, 1.0), **SETTINGS)
    state, soles = np.zeros(amble_core.ORBIT_STATE), np.zeros((2, 3))
    for begin in range(0, 40, cut):
        piece = slice(begin, min(begin + cut, 40))
        step = {name: np.ascontiguousarray(rows[..., piece]) for name, rows in going.items()}
        ride = run(ALL, step, state=state, **SETTINGS)
        landing = land(
            ALL,
            step,
            ride.tracks,
            np.ascontiguousarray(ground[:, piece]),
            (0.1, -0.2, 1.0),
            state=soles,
            **SETTINGS,
        )
        state, soles = ride.state, landing.state
        for one, all_ in (
            (ride.tracks, whole.tracks),
            (ride.phase, whole.phase),
            (ride.going, whole.going),
            (ride.turning, whole.turning),
            (landing.tracks, landed.tracks),
            (landing.soles, landed.soles),
            (landing.down, landed.down),
        ):
            assert np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(all_[..., piece]).tobytes()
    assert state.tobytes() == whole.state.tobytes()
    assert soles.tobytes() == landed.state.tobytes()


# ---- G24: parts on parts ----


def test_G24_parts_ride_relative_to_other_parts():
    # A hand 0.3 to the left of the waist, a lantern 0.5 below the hand; the character faces left and stands.
    waist = part(centre=(0.0, 0.0, 1.0), length=0.0, height=0.2)
    hand = part(on=0.0, centre=(0.0, 0.3, 0.1), length=0.2, height=0.0, phase=QUARTER)
    lantern = part(on=1.0, centre=(0.05, 0.0, -0.5), length=0.0, height=0.0)
    ride = run([waist, hand, lantern], course((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), start=(5.0, 6.0, 0.0)))
    assert_at(ride.place(0)[0], [5.0, 6.0, 1.1])
    assert_at(ride.place(1)[0], [4.7, 6.1, 1.2])
    assert_at(ride.place(2)[0], [4.7, 6.15, 0.7])


def test_G15_hands_can_echo_the_feet():
    # 0.5 forward and 0.25 up of the way that the foot is from its orbit's centre: (0.4, 0) and (0, 0.1).
    for phase, way in ((QUARTER, (0.2, 0.0)), (0.0, (0.0, 0.025)), (3 * QUARTER, (-0.2, 0.0))):
        foot = part(centre=(0.0, 0.1, 0.1), length=0.8, height=0.2, phase=phase)
        hand = part(centre=(0.0, 0.3, 1.0), curve=2.0, source=0.0, echo=(0.5, 0.0, 0.25))
        assert_at(run([foot, hand], course((0.0, 0.0, 0.0))).place(1)[0], [way[0], 0.3, 1.0 + way[1]])


# ---- the leader's way ----


def test_without_a_rate_the_leader_goes_round_while_the_body_goes_so_many_of_its_lengths():
    # An ankle of length 1.2 to 1.8 going sideways at half speed, 1.5: two of them a round.
    ankle = part(length=LONG, rate=0.5)
    ride = run([ankle], course((0.0, 2.0, 0.0), dt=1.5), rate=0.0, fast=4.0)
    np.testing.assert_allclose(ride.phase[0], [2.0 * np.pi])


def test_velocities_are_the_derivatives_of_the_places():
    going = wandering()
    for name in ("velocity", "facing"):
        going[name] = np.ascontiguousarray(np.repeat(going[name][:, 20:21], 3, axis=1))
    step = 1e-4
    going["dt"] = np.full(3, step)
    going["position"] = np.cumsum(going["velocity"] * step, axis=1)
    ride = run(ALL, going, **{**SETTINGS, "ease": 0.0})
    slope = (ride.tracks[:, :3, 2] - ride.tracks[:, :3, 0]) / (2.0 * step)
    np.testing.assert_allclose(ride.tracks[:, 3:, 1], slope, atol=2e-3)


@pytest.mark.parametrize("name", GOINGS)
def test_every_size_is_refused_out_of_its_range(name):
    wrong = part(length={going: ((-1.0, 1.0) if going == name else (1.0, 1.0)) for going in GOINGS})
    with pytest.raises(ValueError, match=rf"^orbits\[1\]: {name}_slow_length must be a number from 0"):
        run([part(), wrong], course((1.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"on": 1.0}, "on must be a part before this one"),
        ({"on": 0.5}, "on must be a whole number"),
        ({"curve": 2.0}, "source must be a number from 0"),
        ({"curve": 1.0}, "corners must be a number from 2"),
        ({"ahead": (1.0, 0.0, 0.5)}, "ahead and upward must be unit vectors at right angles"),
        ({"corners": ((0.5, 0.5), (0.5, 0.4), (0.4, 0.5))}, "vertices must go round the centre"),
    ],
)
def test_what_no_part_can_be_is_told_with_its_place(wrong, message):
    with pytest.raises(ValueError, match=rf"^orbits\[1\]: {message}"):
        run([part(), part(**wrong)], course((1.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dt": np.array([-0.1])}, "dt must be a number from 0"),
        ({"facing": np.array([[0.0], [0.0], [1.0]])}, "facing must have a level part; in frame 0"),
    ],
)
def test_a_course_that_cannot_be_is_refused(change, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        run([part()], {**course((1.0, 0.0, 0.0)), **change})


def test_ground_that_does_not_point_up_is_refused():
    with pytest.raises(ValueError, match=r"^normal must point up; in row 0, frame 0"):
        land([part(lands=1.0)], course((1.0, 0.0, 0.0)), np.zeros((1, 6, 1)), 0.0, (1.0, 0.0, 0.0))


# ---- the same bits ----


def exact_course(frames: int = 30) -> dict[str, np.ndarray]:
    """A course made of sums and products only, so that it is the same on every platform."""
    rng = np.random.default_rng(20240229)
    velocity, facing = rng.uniform(-2.0, 2.0, (2, frames, 3))
    return course(velocity, facing, rng.uniform(0.0, 0.1, frames), rng.uniform(-1.0, 1.0, 3))


def exact_parts() -> list[Part]:
    """Parts of every kind, whose numbers are exact."""
    ankle: dict[str, Any] = {
        "on": 0.0,
        "rate": 0.5,
        "lands": 1.0,
        "clearance": 0.08,
        "toe_out": 0.1,
        "length": LONG,
    }
    tilt = {"forward": (0.1, 0.4), "backward": (-0.2, -0.2), "sideways": (0.0, 0.0)}
    return [
        part(centre=(0.0, 0.0, 1.0), top=1.0, length=0.0, height=0.1, auxiliary=0.3, phase=3.0),
        part(centre=(0.0, 0.1, -0.8), height=0.2, phase=1.5, tilt=tilt, **ankle),
        part(centre=(0.0, -0.1, -0.8), height=0.2, phase=4.5, tilt=tilt, pace=1.0, **ankle),
        part(on=1.0, echo=(0.4, 0.1, 0.2), source=2.0, curve=2.0),
        part(on=3.0, corners=((0.0, 0.5), (0.5, -0.5), (-0.5, -0.5)), rate=0.3, pace=1.0, tilt=0.5),
        part(on=0.0, corners=((0.0, 0.5), (0.5, -0.5), (-0.5, -0.5)), spin=2.0, top=1.0),
    ]


GOLDEN = "c3e2f9bac0aea64c1f21d7c12051187c96d0985a5ff75e15a73501244551ebaf"


def test_every_build_gives_the_same_bits():
    going, parts = exact_course(), exact_parts()
    given = {**SETTINGS, "rate": 0.0}
    ridden = run(parts, going, **given)
    ground = np.random.default_rng(1).uniform(-0.1, 0.3, (2, 30))
    landed = land(parts, going, ridden.tracks, ground, (0.1, -0.2, 1.0), **given)
    digest = hashlib.sha256()
    for array in (*vars(ridden).values(), *vars(landed).values()):
        assert np.isfinite(array).all()
        digest.update(np.ascontiguousarray(array).tobytes())
    assert digest.hexdigest() == GOLDEN
