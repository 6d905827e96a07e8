"""Two-bone inverse kinematics against its twin, and what it promises at its limits."""

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.reference import ik as reference
from tests.reference import quat

SEEDS = st.integers(0, 2**32 - 1)
LENGTHS = st.floats(0.05, 20.0)


def axis_of(rotation: np.ndarray, axis: int) -> np.ndarray:
    """Axis 0, 1 or 2 turned by float32 quaternions (4, n), as (3, n)."""
    unit = np.zeros((3, rotation.shape[1]))
    unit[axis] = 1.0
    return quat.rotate(rotation.astype(np.float64), unit)


def random_problem(seed: int, frames: int, size: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Root, target and pole, targets from near to out of reach of a chain `size` long."""
    rng = np.random.default_rng(seed)
    root = rng.uniform(-1.0, 1.0, (3, frames)) * size
    line = rng.normal(size=(3, frames))
    line *= rng.uniform(0.05, 1.3, frames) * size / np.linalg.norm(line, axis=0)
    pole = rng.normal(size=(3, frames))
    return root.astype(np.float32), (root + line).astype(np.float32), pole.astype(np.float32)


@given(
    seed=SEEDS, frames=st.integers(1, 9), upper=LENGTHS, ratio=st.floats(0.2, 5.0), limit=st.floats(0.9, 1.0)
)
def test_matches_the_twin(seed, frames, upper, ratio, limit):
    lower = upper * ratio
    size = upper + lower
    root, target, pole = random_problem(seed, frames, size)
    joint, _, lower_turn, miss = amble_core.two_bone_ik(root, target, pole, upper, lower, limit=limit)
    end = joint + axis_of(lower_turn, 1) * lower
    for i in range(frames):
        start, goal, side = (array[:, i].astype(np.float64) for array in (root, target, pole))
        expected_joint, expected_end, expected_miss = reference.two_bone(
            start, goal, side, upper, lower, limit
        )
        # How far the joint moves for a rounding of the distance grows without bound at full reach, as a
        # square root does: allow for a few roundings of the largest coordinate there.
        rounding = 4e-7 * size
        slack = np.sqrt(2 * rounding * size)
        bend = np.linalg.norm(np.cross(expected_joint - start, expected_end - start))
        allowed = min(slack, rounding * size**2 / max(bend, 1e-30)) + 3 * rounding
        assert np.linalg.norm(joint[:, i] - expected_joint) < allowed
        assert np.linalg.norm(end[:, i] - expected_end) < 4 * rounding
        assert abs(miss[i] - expected_miss) < 2 * rounding


@given(seed=SEEDS, upper=LENGTHS, lower=LENGTHS)
def test_bones_keep_their_lengths_and_directions(seed, upper, lower):
    root, target, pole = random_problem(seed, 16, upper + lower)
    joint, upper_turn, lower_turn, _ = amble_core.two_bone_ik(root, target, pole, upper, lower)
    size = upper + lower
    np.testing.assert_allclose(root + axis_of(upper_turn, 1) * upper, joint, atol=2e-6 * size)
    for turn in (upper_turn, lower_turn):
        np.testing.assert_allclose(np.linalg.norm(turn, axis=0), 1.0, atol=3e-7)
    # One hinge for both bones, square to the pole; the pole's side is +Z's.
    np.testing.assert_allclose(axis_of(upper_turn, 0), axis_of(lower_turn, 0), atol=2e-6)
    unit_pole = pole / np.linalg.norm(pole, axis=0)
    off = np.abs(np.sum(axis_of(upper_turn, 0) * unit_pole, axis=0))
    line = (target - root) / np.linalg.norm(target - root, axis=0)
    sine = np.linalg.norm(np.cross(line, unit_pole, axis=0), axis=0)
    assert np.all(off < 3e-6 / np.maximum(sine, 1e-4) + 1e-6)


@pytest.mark.parametrize("beyond", [0.0, 1e-7, 1e-3, 1.0, 1e6])
def test_a_target_out_of_reach_gives_a_straight_leg_and_how_far_it_misses(beyond):
    root = np.zeros((3, 1), dtype=np.float32)
    target = np.array([[0.0], [0.0], [-(1.0 + beyond)]], dtype=np.float32)
    pole = np.array([[0.0], [-1.0], [0.0]], dtype=np.float32)
    joint, upper_turn, lower_turn, miss = amble_core.two_bone_ik(root, target, pole, 0.5, 0.5)
    np.testing.assert_allclose(joint[:, 0], [0, 0, -0.5], atol=1e-7)
    assert np.array_equal(upper_turn, lower_turn)
    np.testing.assert_allclose(axis_of(upper_turn, 2)[:, 0], [0, -1, 0], atol=1e-6)
    np.testing.assert_allclose(miss, beyond, rtol=1e-6, atol=1.2e-7)


def test_near_full_reach_the_knee_opens_as_the_square_root_without_a_jump():
    reach = np.linspace(0.99, 1.001, 2201).astype(np.float32)
    target = np.stack([reach * 0, reach * 0, -reach])
    pole = np.repeat(np.array([[0], [-1], [0]], dtype=np.float32), len(reach), axis=1)
    joint, *_ = amble_core.two_bone_ik(np.zeros_like(target), target, pole, 0.5, 0.5)
    expected = 0.5 * np.sqrt(np.maximum(1.0 - reach.astype(np.float64) ** 2, 0.0))
    np.testing.assert_allclose(-joint[1], expected, atol=2e-6)


def test_limit_keeps_the_leg_bent_and_counts_from_there():
    target = np.array([[0.0], [0.0], [-5.0]], dtype=np.float32)
    pole = np.array([[0.0], [-1.0], [0.0]], dtype=np.float32)
    joint, _, lower_turn, miss = amble_core.two_bone_ik(
        np.zeros((3, 1), dtype=np.float32), target, pole, 0.5, 0.5, limit=0.99
    )
    end = joint + axis_of(lower_turn, 1) * 0.5
    np.testing.assert_allclose(end[:, 0], [0, 0, -0.99], atol=3e-7)
    np.testing.assert_allclose(miss, 4.01, rtol=1e-6)


def test_a_target_too_near_folds_the_leg_and_misses_by_a_negative_amount():
    target = np.array([[0.0], [0.0], [-0.1]], dtype=np.float32)
    pole = np.array([[0.0], [-1.0], [0.0]], dtype=np.float32)
    root = np.zeros((3, 1), dtype=np.float32)
    for upper, lower, knee in ((0.7, 0.4, -0.7), (0.4, 0.7, 0.4)):
        joint, _, lower_turn, miss = amble_core.two_bone_ik(root, target, pole, upper, lower)
        np.testing.assert_allclose(joint[:, 0], [0, 0, knee], atol=1e-6)
        np.testing.assert_allclose((joint + axis_of(lower_turn, 1) * lower)[:, 0], [0, 0, -0.3], atol=1e-6)
        np.testing.assert_allclose(miss, -0.2, rtol=1e-6)


def test_a_target_at_the_root_puts_the_joint_on_the_poles_side():
    pole = np.array([[0.0], [-3.0], [0.0]], dtype=np.float32)
    zero = np.zeros((3, 1), dtype=np.float32)
    joint, _, lower_turn, miss = amble_core.two_bone_ik(zero, zero, pole, 0.5, 0.5)
    np.testing.assert_allclose(joint[:, 0], [0, -0.5, 0], atol=1e-7)
    np.testing.assert_allclose((joint + axis_of(lower_turn, 1) * 0.5)[:, 0], 0, atol=1e-7)
    assert miss[0] == 0.0


def test_a_pole_along_the_leg_is_replaced_by_a_fixed_perpendicular():
    target = np.array([[0.3, 0.3], [0.0, 0.0], [-0.5, -0.5]], dtype=np.float32)
    pole = np.concatenate([target[:, :1], -target[:, :1]], axis=1)
    joint, *_ = amble_core.two_bone_ik(np.zeros_like(target), target, pole, 0.5, 0.5)
    assert np.array_equal(joint[:, 0], joint[:, 1])
    np.testing.assert_allclose(np.linalg.norm(joint, axis=0), 0.5, rtol=1e-6)


COORDINATES = st.floats(-(2.0**49), 2.0**49, width=32, allow_subnormal=True)


@given(
    points=hnp.arrays(np.float32, (9, 5), elements=COORDINATES),
    exponent=st.floats(-11.9, 11.9),
    ratio_exponent=st.floats(-2.999, 2.999),
    part=st.floats(0.0, 1.0),
)
def test_no_input_within_range_gives_NaN_or_loses_unit_length(points, exponent, ratio_exponent, part):
    upper = 10.0**exponent
    lower = upper * 10.0**ratio_exponent
    tightest = abs(upper - lower) / (upper + lower)
    limit = min(max(1e-6, tightest * (1 + 1e-12)) * (1 - part) + part, 1.0)
    root, target, pole = points[:3].copy(), points[3:6].copy(), points[6:].copy()
    pole[0] = np.where(np.abs(pole).max(axis=0) == 0, np.float32(1e-45), pole[0])
    results = amble_core.two_bone_ik(root, target, pole, upper, lower, limit=limit)
    assert all(np.isfinite(result).all() for result in results)
    for turn in results[1:3]:
        np.testing.assert_allclose(np.linalg.norm(turn.astype(np.float64), axis=0), 1.0, atol=3e-7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"upper": 0.0}, "upper must be a number from 1e-15 to 1e"),
        ({"upper": -1.0}, "upper must be a number"),
        ({"lower": float("nan")}, "lower must be a number from .* not nan"),
        ({"lower": float("inf")}, "lower must be a number"),
        ({"upper": 1e4}, "lower must be within a factor of 1000 of upper"),
        ({"limit": 0.0}, "limit must be a number from 1e-06 to 1"),
        ({"limit": 1.5}, "limit must be a number from 1e-06 to 1"),
        ({"upper": 3.0, "limit": 0.4}, "limit must be at least 0.5"),
        ({"pole": np.zeros((3, 2), dtype=np.float32)}, "pole has length 0 within frames 0 to 1"),
    ],
)
def test_values_out_of_range_are_an_error_naming_the_argument(change, message):
    ones = np.ones((3, 2), dtype=np.float32)
    arguments = {"root": ones, "target": ones * 2, "pole": ones, "upper": 1.0, "lower": 1.0, **change}
    with pytest.raises(ValueError, match=message):
        amble_core.two_bone_ik(**arguments)


def test_no_frames_give_empty_results():
    empty = np.zeros((3, 0), dtype=np.float32)
    shapes = [result.shape for result in amble_core.two_bone_ik(empty, empty, empty, 1, 1)]
    assert shapes == [(3, 0), (4, 0), (4, 0), (0,)]
