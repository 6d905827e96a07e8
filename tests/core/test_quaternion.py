"""Quaternion operations against their twins."""

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.core.skeletons import unit_quaternions
from tests.reference import quat

SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.integers(0, 11)


def double(array: np.ndarray) -> np.ndarray:
    """The array in float64, for the twins."""
    return array.astype(np.float64)


@given(seed=SEEDS, count=COUNTS)
def test_multiply_rotate_and_matrix_match_the_twins(seed, count):
    rng = np.random.default_rng(seed)
    a, b = unit_quaternions(rng, count), unit_quaternions(rng, count)
    vector = rng.uniform(-5, 5, (3, count)).astype(np.float32)
    np.testing.assert_allclose(
        amble_core.quaternion_multiply(a, b), quat.multiply(double(a), double(b)), atol=3e-7
    )
    np.testing.assert_allclose(
        amble_core.quaternion_rotate(a, vector), quat.rotate(double(a), double(vector)), atol=4e-6
    )
    matrix = amble_core.quaternion_to_matrix(a)
    np.testing.assert_allclose(matrix, quat.to_matrix(double(a)), atol=1e-6)
    back = amble_core.quaternion_from_matrix(matrix)
    assert (back[0] >= 0).all()
    assert (quat.angle_between(double(back), quat.normalise(double(a))) < 2e-6).all()


@pytest.mark.parametrize("axis", [1, 2, 3])
@pytest.mark.parametrize("w", [0.0, 1e-7, 1e-4, 0.1])
def test_half_turns_survive_the_way_through_a_matrix(axis, w):
    q = np.zeros((4, 1), dtype=np.float32)
    q[axis], q[0] = np.sqrt(1 - w * w), w
    back = amble_core.quaternion_from_matrix(amble_core.quaternion_to_matrix(q))
    assert quat.angle_between(double(back), double(q))[0] < 1e-6


@given(
    hnp.arrays(np.float32, (4, 5), elements=st.floats(-(2.0**49), 2.0**49, width=32, allow_subnormal=True))
)
def test_normalise_matches_the_twin_for_any_length(q):
    np.testing.assert_allclose(amble_core.quaternion_normalise(q), quat.normalise(double(q)), atol=3e-7)


def test_normalise_of_zero_is_the_identity():
    result = amble_core.quaternion_normalise(np.zeros((4, 6), dtype=np.float32))
    assert np.array_equal(result, np.repeat(np.array([[1], [0], [0], [0]], dtype=np.float32), 6, axis=1))


@given(
    seed=SEEDS, count=COUNTS, t=st.floats(-2.0, 3.0, width=32), near=st.sampled_from([1.0, 1e-2, 1e-5, 0.0])
)
def test_interpolation_matches_the_twins(seed, count, t, near):
    rng = np.random.default_rng(seed)
    a = unit_quaternions(rng, count)
    b = quat.normalise(double(a) * (1 - near) + near * double(unit_quaternions(rng, count))).astype(
        np.float32
    )
    b *= rng.choice(np.array([-1, 1], dtype=np.float32), count)
    part = np.full(count, t, dtype=np.float32)
    a_twin, b_twin = quat.normalise(double(a)), quat.normalise(double(b))
    slerp = double(amble_core.quaternion_slerp(a, b, part))
    assert (quat.angle_between(slerp, quat.slerp(a_twin, b_twin, double(part))) < 4e-6).all()
    # The straight line passes near 0 where it is drawn out between quaternions that are far apart.
    inside = np.clip(part, 0, 1)
    nlerp = double(amble_core.quaternion_nlerp(a, b, inside))
    assert (quat.angle_between(nlerp, quat.nlerp(a_twin, b_twin, double(inside))) < 2e-6).all()


def test_interpolation_begins_and_ends_at_its_ends():
    rng = np.random.default_rng(5)
    a, b = unit_quaternions(rng, 9), unit_quaternions(rng, 9)
    for function in (amble_core.quaternion_slerp, amble_core.quaternion_nlerp):
        for part, end in ((0.0, a), (1.0, b)):
            result = function(a, b, np.full(9, part, dtype=np.float32))
            assert (quat.angle_between(double(result), quat.normalise(double(end))) < 1e-6).all()


@given(
    seed=SEEDS,
    count=COUNTS,
    apart=st.sampled_from([2.0, 1.0, 1e-3, 1e-6, 0.0]),
    sign=st.sampled_from([-1, 1]),
)
def test_between_turns_one_direction_onto_the_other_the_shortest_way(seed, count, apart, sign):
    rng = np.random.default_rng(seed)
    start = rng.normal(size=(3, count)).astype(np.float32)
    end = (sign * start * 3 + apart * rng.normal(size=(3, count))).astype(np.float32)
    turn = double(amble_core.quaternion_between(start, end))
    unit = np.stack([double(v) / np.linalg.norm(double(v), axis=0) for v in (start, end)])
    np.testing.assert_allclose(quat.rotate(turn, unit[0]), unit[1], atol=1e-6)
    angle = np.arctan2(
        np.linalg.norm(np.cross(unit[0], unit[1], axis=0), axis=0), np.sum(unit[0] * unit[1], axis=0)
    )
    identity = np.repeat(np.array([[1.0], [0.0], [0.0], [0.0]]), count, axis=1)
    np.testing.assert_allclose(quat.angle_between(identity, turn), angle, atol=1e-6)


def test_between_opposite_directions_is_half_a_turn():
    start = np.concatenate([np.eye(3), -np.eye(3)], axis=1).astype(np.float32)
    turn = double(amble_core.quaternion_between(start, -start))
    np.testing.assert_allclose(quat.rotate(turn, double(start)), -start, atol=1e-7)


@given(hnp.arrays(np.float64, 20, elements=st.floats(-1e6, 1e6)))
def test_sine_and_cosine_are_right_to_4e_16(angle):
    result = amble_core.sine_cosine(angle)
    # NumPy's own is good to 1 ulp.
    np.testing.assert_allclose(result, np.stack([np.sin(angle), np.cos(angle)]), rtol=0, atol=4.5e-16)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1.1e6])
def test_sine_and_cosine_refuse_angles_they_cannot_reduce(bad):
    with pytest.raises(ValueError, match=r"angle holds .* at flat index 2"):
        amble_core.sine_cosine(np.array([0.0, 1.0, bad]))
