"""Orbits against their twins, and the requirements of the patent's description."""

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.reference import orbit as reference

PHASES = hnp.arrays(np.float64, st.integers(0, 9), elements=st.floats(-50.0, 50.0))
SIZES = st.floats(0.01, 100.0)
TILTS = st.floats(-7.0, 7.0)
SQUARE = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])


@given(phase=PHASES, forward=SIZES, upward=SIZES, tilt=TILTS)
def test_ellipse_by_angle_matches_the_twin(phase, forward, upward, tilt):
    position, _ = amble_core.orbit_ellipse(phase, forward, upward, tilt=tilt)
    expected = reference.tilted(reference.ellipse_by_angle(phase, forward, upward), tilt)
    assert position.dtype == np.float32
    np.testing.assert_allclose(position, expected, atol=1.2e-7 * max(forward, upward))


@pytest.mark.parametrize(
    ("forward", "upward"), [(1.0, 1.0), (2.0, 0.5), (0.3, 4.0), (1.0, 0.01), (1.0, 1e-4), (1.0, 1e-6)]
)
def test_ellipse_at_constant_speed_matches_a_curve_of_many_corners(forward, upward):
    phase = np.linspace(-7.0, 7.0, 501)
    position, _ = amble_core.orbit_ellipse(phase, forward, upward, even=True)
    expected = reference.ellipse_by_length(phase, forward, upward)
    np.testing.assert_allclose(position, expected, atol=4e-7 * max(forward, upward))


@pytest.mark.parametrize("even", [False, True])
def test_forward_over_the_top_and_back_along_the_bottom(even):
    quarters = np.arange(5) * np.pi / 2
    position, slope = amble_core.orbit_ellipse(quarters, 2.0, 0.5, even=even)
    np.testing.assert_allclose(position[0], [0, 2, 0, -2, 0], atol=1e-6)
    np.testing.assert_allclose(position[1], [0.5, 0, -0.5, 0, 0.5], atol=1e-6)
    assert slope[0, 0] > 0  # at the top, forward
    assert slope[1, 1] < 0  # at the front, down
    assert slope[0, 2] < 0  # at the bottom, back
    assert slope[1, 3] > 0  # at the back, up


@given(phase=PHASES, forward=SIZES, upward=SIZES)
def test_the_phase_is_the_true_angle_at_the_centre(phase, forward, upward):
    position, _ = amble_core.orbit_ellipse(phase, forward, upward)
    angle = np.arctan2(position[0].astype(float), position[1].astype(float))
    np.testing.assert_allclose(np.sin(angle - phase), 0.0, atol=3e-7)
    assert (np.cos(angle - phase) > 0).all()


@given(phase=PHASES, half=SIZES, auxiliary=SIZES)
def test_a_line_takes_the_foot_of_the_perpendicular_from_the_auxiliary_ellipse(phase, half, auxiliary):
    level, _ = amble_core.orbit_ellipse(phase, half, 0.0, auxiliary=auxiliary)
    expected = reference.ellipse_by_angle(phase, half, auxiliary)[0]
    np.testing.assert_allclose(level[0], expected, atol=1.2e-7 * half)
    assert not level[1].any()
    upright, _ = amble_core.orbit_ellipse(phase, 0.0, half, auxiliary=auxiliary)
    expected = reference.ellipse_by_angle(phase, auxiliary, half)[1]
    np.testing.assert_allclose(upright[1], expected, atol=1.2e-7 * half)
    assert not upright[0].any()


def test_a_line_without_an_auxiliary_ellipse_swings_as_the_sine():
    phase = np.linspace(0, 2 * np.pi, 33)
    level, slope = amble_core.orbit_ellipse(phase, 3.0, 0.0)
    np.testing.assert_allclose(level[0], 3 * np.sin(phase), atol=4e-7)
    np.testing.assert_allclose(slope[0], 3 * np.cos(phase), atol=4e-7)


def test_a_line_at_constant_speed_goes_to_and_fro():
    phase = np.arange(9) * np.pi / 4
    level, slope = amble_core.orbit_ellipse(phase, 2.0, 0.0, even=True)
    np.testing.assert_allclose(level[0], [0, 1, 2, 1, 0, -1, -2, -1, 0], atol=1e-6)
    np.testing.assert_allclose(np.abs(slope[0]), 4 / np.pi, rtol=1e-6)
    upright, _ = amble_core.orbit_ellipse(phase, 0.0, 2.0, even=True)
    np.testing.assert_allclose(upright[1], [2, 1, 0, -1, -2, -1, 0, 1, 2], atol=1e-6)


def test_both_half_axes_0_are_a_point():
    position, slope = amble_core.orbit_ellipse(np.arange(3.0), 0.0, 0.0, tilt=1.0)
    assert not position.any()
    assert not slope.any()


def test_a_positive_tilt_puts_the_front_end_down():
    position, _ = amble_core.orbit_ellipse(np.array([np.pi / 2]), 2.0, 0.5, tilt=np.radians(20))
    np.testing.assert_allclose(
        position[:, 0], [2 * np.cos(np.radians(20)), -2 * np.sin(np.radians(20))], rtol=1e-6
    )


def test_constant_speed_is_constant():
    _, slope = amble_core.orbit_ellipse(np.linspace(0, 7, 200), 2.0, 0.3, tilt=0.4, even=True)
    speed = np.hypot(*slope.astype(float))
    np.testing.assert_allclose(speed, speed[0], rtol=1e-6)


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize(("forward", "upward"), [(1.0, 1.0), (2.0, 0.5), (0.3, 1.0), (2.0, 0.0), (0.0, 2.0)])
def test_slope_is_the_derivative_of_the_position(forward, upward, even):
    # Away from the ends of a line at constant speed, where it has none.
    phase = np.linspace(0.05, 6.2, 60)
    step = 1e-3
    _, slope = amble_core.orbit_ellipse(phase, forward, upward, tilt=0.3, even=even)
    after, _ = amble_core.orbit_ellipse(phase + step, forward, upward, tilt=0.3, even=even)
    before, _ = amble_core.orbit_ellipse(phase - step, forward, upward, tilt=0.3, even=even)
    difference = (after.astype(float) - before) / (2 * step)
    np.testing.assert_allclose(slope, difference, atol=5e-4)


@given(
    phase=PHASES,
    radii=hnp.arrays(np.float64, st.integers(3, 9), elements=st.floats(0.2, 5.0)),
    start=st.floats(-4.0, 4.0),
    tilt=TILTS,
)
def test_polygon_by_angle_matches_the_twin(phase, radii, start, tilt):
    corners = start + np.arange(len(radii)) * 2 * np.pi / len(radii)
    vertices = np.stack([radii * np.sin(corners), radii * np.cos(corners)], axis=1)
    position, slope = amble_core.orbit_polygon(phase, vertices, tilt=tilt)
    expected = reference.tilted(reference.polygon_by_angle(phase, vertices), tilt)
    np.testing.assert_allclose(position, expected, atol=2e-6)
    assert np.isfinite(slope).all()


@given(
    phase=PHASES,
    vertices=hnp.arrays(np.float64, st.tuples(st.integers(2, 8), st.just(2)), elements=st.floats(-5.0, 5.0)),
)
def test_polygon_at_constant_speed_matches_the_twin(phase, vertices):
    total = np.hypot(*(np.roll(vertices, -1, axis=0) - vertices).T).sum()
    if total < 1e-6:
        return
    position, slope = amble_core.orbit_polygon(phase, vertices, even=True)
    np.testing.assert_allclose(position, reference.curve_by_length(phase, vertices.T), atol=2e-6)
    np.testing.assert_allclose(np.hypot(*slope.astype(float)), total / (2 * np.pi), rtol=1e-5)


@pytest.mark.parametrize("even", [False, True])
def test_slope_of_a_polygon_is_the_derivative_of_the_position(even):
    phase = np.linspace(0.1, 6.0, 40)
    phase = phase[np.abs(np.mod(phase, np.pi / 4)) > 0.01]
    step = 1e-3
    _, slope = amble_core.orbit_polygon(phase, SQUARE, even=even, tilt=0.2)
    after, _ = amble_core.orbit_polygon(phase + step, SQUARE, even=even, tilt=0.2)
    before, _ = amble_core.orbit_polygon(phase - step, SQUARE, even=even, tilt=0.2)
    np.testing.assert_allclose(slope, (after.astype(float) - before) / (2 * step), atol=5e-4)


POLYGON_ERRORS = {
    "one corner": (SQUARE[:1], True, "vertices must be at least 2, not 1"),
    "none": (SQUARE[:0], True, "vertices must be at least 2, not 0"),
    "one place": (np.ones((3, 2)), True, "vertices are all in one place"),
    "line by angle": (SQUARE[:2], False, "vertices must be at least 3"),
    "other way round": (SQUARE[::-1].copy(), False, "vertices must go round the centre in the sense"),
    "beside the centre": (SQUARE + [5.0, 0.0], False, "vertices must go round the centre in the sense"),
    "twice round": (SQUARE[[0, 1, 2, 3, 0, 1, 2, 3]], False, "vertices must go round the centre once, not 2"),
    "corner in the centre": (SQUARE * [[0.0], [1.0], [1.0], [1.0]], False, "vertices must go round"),
    "NaN": (SQUARE * np.nan, True, "vertices holds NaN or infinity at flat index 0"),
}


@pytest.mark.parametrize(("vertices", "even", "message"), POLYGON_ERRORS.values(), ids=POLYGON_ERRORS)
def test_impossible_polygons_are_an_error(vertices, even, message):
    with pytest.raises(ValueError, match=message):
        amble_core.orbit_polygon(np.zeros(1), vertices, even=even)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"forward": -1.0}, "forward must be a number from"),
        ({"upward": float("nan")}, "upward must be a number from .* not nan"),
        ({"upward": 1e-7}, "upward must be 0 or within a factor of 1e"),
        ({"upward": 0.0, "auxiliary": 1e9}, "auxiliary must be 0 or within a factor of"),
        ({"auxiliary": -1.0}, "auxiliary must be a number from"),
        ({"tilt": float("inf")}, "tilt must be a number from"),
        ({"phase": np.array([0.0, np.nan])}, "phase holds NaN or infinity at flat index 1"),
        ({"phase": np.array([0.0, 2e6])}, "phase holds 2e.* at flat index 1: the largest magnitude allowed"),
    ],
)
def test_impossible_ellipses_are_an_error_naming_the_argument(change, message):
    with pytest.raises(ValueError, match=message):
        amble_core.orbit_ellipse(**{"phase": np.zeros(2), "forward": 1.0, "upward": 1.0, **change})


@given(
    phase=hnp.arrays(np.float64, 8, elements=st.floats(-1e6, 1e6)),
    forward=st.floats(1e-15, 1e15),
    ratio=st.floats(1e-6, 1e6),
    even=st.booleans(),
    tilt=st.floats(-1e6, 1e6),
)
def test_every_ellipse_within_range_is_finite_and_inside_its_axes(phase, forward, ratio, even, tilt):
    upward = min(max(forward * ratio * 0.999999, 1e-15), 1e15)
    if not 1e-6 <= upward / forward <= 1e6:
        return
    position, slope = amble_core.orbit_ellipse(phase, forward, upward, even=even, tilt=tilt)
    assert np.isfinite(position).all()
    assert np.isfinite(slope).all()
    assert (np.hypot(*position.astype(float)) <= max(forward, upward) * (1 + 2e-7)).all()
