"""Forward kinematics against its twin, and its own laws."""

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.core import skeletons
from tests.reference import pose as reference

SEEDS = st.integers(0, 2**32 - 1)


def assert_close(actual: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Each bone and frame within `tolerance` of its own largest entry (and of 1)."""
    size = np.maximum(np.abs(expected).max(axis=1, keepdims=True, initial=0.0), 1.0)
    np.testing.assert_array_less(np.abs(actual - expected) / size, tolerance)


@given(seed=SEEDS, bones=st.integers(1, 12), frames=st.integers(1, 9))
def test_plain_bones_match_the_twin_to_2e_6(seed, bones, frames):
    rng = np.random.default_rng(seed)
    parents, rest = skeletons.skeleton(rng, bones)
    flags = rng.choice(np.array([0, 1, 4, 5], dtype=np.uint32), bones)
    channels = skeletons.channels(rng, bones, frames)
    pose = amble_core.forward_kinematics(parents, rest, flags, channels)
    assert pose.dtype == np.float32
    assert pose.shape == (bones, 12, frames)
    assert_close(pose, reference.forward_kinematics(parents, rest, flags, channels), 2e-6)


@given(seed=SEEDS, bones=st.integers(1, 8), frames=st.integers(1, 5))
def test_all_flags_match_the_twin_to_1e_5(seed, bones, frames):
    rng = np.random.default_rng(seed)
    parents, rest = skeletons.skeleton(rng, bones, depth=4)
    flags = rng.choice(skeletons.all_flags(), bones)
    channels = skeletons.channels(rng, bones, frames)
    pose = amble_core.forward_kinematics(parents, rest, flags, channels)
    assert_close(pose, reference.forward_kinematics(parents, rest, flags, channels), 1e-5)


@pytest.mark.parametrize("flag", skeletons.all_flags().tolist())
def test_each_flag_combination_matches_the_twin(flag):
    rng = np.random.default_rng(flag)
    parents, rest = skeletons.skeleton(rng, 3)
    parents[:] = [-1, 0, 1]
    channels = skeletons.channels(rng, 3, 16)
    flags = np.array([0, 0, flag], dtype=np.uint32)
    pose = amble_core.forward_kinematics(parents, rest, flags, channels)
    assert_close(pose, reference.forward_kinematics(parents, rest, flags, channels), 5e-6)


@given(
    channels=hnp.arrays(
        np.float32, (2, 10, 3), elements=st.floats(-1e3, 1e3, width=32, allow_subnormal=True)
    ),
    flags=hnp.arrays(np.uint32, 2, elements=st.sampled_from(skeletons.all_flags().tolist())),
)
def test_any_channels_zero_scale_and_zero_quaternions_included_give_finite_poses(channels, flags):
    parents = np.array([-1, 0], dtype=np.int32)
    rest = np.tile(np.eye(4), (2, 1, 1))
    assert np.isfinite(amble_core.forward_kinematics(parents, rest, flags, channels)).all()


@pytest.mark.parametrize("length", [1e-30, 1e-10, 0.5, 3.0, 1e14])
def test_quaternions_of_any_length_are_normalised(length):
    parents = np.array([-1], dtype=np.int32)
    rest = np.eye(4)[None]
    channels = np.zeros((1, 10, 1), dtype=np.float32)
    channels[0, 7:] = 1.0
    channels[0, 3:7, 0] = np.array([0.6, 0.0, 0.8, 0.0]) * length
    pose = amble_core.forward_kinematics(parents, rest, np.zeros(1, dtype=np.uint32), channels)
    expected = np.array([[-0.28, 0, 0.96, 0], [0, 1, 0, 0], [-0.96, 0, -0.28, 0]]).reshape(1, 12, 1)
    np.testing.assert_allclose(pose, expected, atol=3e-7)


@pytest.mark.parametrize("flag", [0, 0x40])
def test_a_quaternion_of_0_is_half_a_turn_about_x_as_in_blender(flag):
    parents = np.array([-1, 0], dtype=np.int32)
    channels = np.zeros((2, 10, 5), dtype=np.float32)
    channels[:, 7:] = 1.0
    channels[0, 3] = 1.0
    flags = np.array([0, flag], dtype=np.uint32)
    pose = amble_core.forward_kinematics(parents, np.tile(np.eye(4), (2, 1, 1)), flags, channels)
    expected = np.array([1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0], dtype=np.float32)
    assert np.array_equal(pose[1], np.repeat(expected[:, None], 5, axis=1))


def test_rest_channels_give_the_rest_pose():
    rng = np.random.default_rng(1)
    parents, rest = skeletons.skeleton(rng, 20)
    channels = np.zeros((20, 10, 6), dtype=np.float32)
    channels[:, [3, 7, 8, 9]] = 1.0
    for flag in skeletons.all_flags():
        flags = np.full(20, flag, dtype=np.uint32)
        pose = amble_core.forward_kinematics(parents, rest, flags, channels)
        np.testing.assert_allclose(
            pose, np.repeat(rest[:, :3].reshape(20, 12, 1), 6, axis=2), atol=3e-6, err_msg=str(flag)
        )


def test_a_connected_bone_ignores_its_location():
    rng = np.random.default_rng(2)
    parents, rest = skeletons.skeleton(rng, 2)
    parents[:] = [-1, 0]
    flags = np.array([0, 1], dtype=np.uint32)
    channels = skeletons.channels(rng, 2, 5)
    still = channels.copy()
    still[1, :3] = 0.0
    moved = amble_core.forward_kinematics(parents, rest, flags, channels)
    assert np.array_equal(moved, amble_core.forward_kinematics(parents, rest, flags, still))


@pytest.mark.parametrize(("bones", "frames"), [(0, 0), (0, 5), (3, 0)])
def test_no_bones_or_no_frames_give_an_empty_result(bones, frames):
    parents, rest = skeletons.skeleton(np.random.default_rng(3), bones)
    channels = np.zeros((bones, 10, frames), dtype=np.float32)
    pose = amble_core.forward_kinematics(parents, rest, np.zeros(bones, dtype=np.uint32), channels)
    assert pose.shape == (bones, 12, frames)


def test_out_is_written_and_returned():
    rng = np.random.default_rng(4)
    parents, rest = skeletons.skeleton(rng, 3)
    channels, flags = skeletons.channels(rng, 3, 7), np.zeros(3, dtype=np.uint32)
    out = np.full((3, 12, 7), np.nan, dtype=np.float32)
    assert amble_core.forward_kinematics(parents, rest, flags, channels, out=out) is out
    assert np.array_equal(out, amble_core.forward_kinematics(parents, rest, flags, channels))


PARENT_ERRORS = {
    "a cycle of two": ([1, 0], r"parents\[0\] is 1: a parent must come before its children"),
    "its own parent": ([-1, 1], r"parents\[1\] is 1: a parent must come before its children"),
    "child before parent": ([1, -1], r"parents\[0\] is 1: a parent must come before"),
    "too large": ([-1, 2], r"parents\[1\] is 2: it must be -1 or the index of one of 2 bones"),
    "below -1": ([-1, -2], r"parents\[1\] is -2: it must be -1 or"),
    "largest integer": ([-1, 2**31 - 1], r"parents\[1\] is 2147483647"),
    "smallest integer": ([-(2**31), -1], r"parents\[0\] is -2147483648"),
}


@pytest.mark.parametrize(("parents", "message"), PARENT_ERRORS.values(), ids=PARENT_ERRORS)
def test_impossible_parents_are_an_error_naming_the_bone(parents, message):
    rest = np.tile(np.eye(4), (2, 1, 1))
    channels = np.zeros((2, 10, 1), dtype=np.float32)
    with pytest.raises(ValueError, match=message):
        amble_core.forward_kinematics(
            np.array(parents, dtype=np.int32), rest, np.zeros(2, dtype=np.uint32), channels
        )


def flat_rest() -> np.ndarray:
    """A rest matrix whose axes lie in one plane."""
    rest = np.eye(4)
    rest[:3, 2] = rest[:3, 0]
    return rest


REST_ERRORS = {
    "axes in one plane": (flat_rest(), r"rest\[1\] cannot be inverted"),
    "zero": (np.diag([0.0, 0.0, 0.0, 1.0]), r"rest\[1\] cannot be inverted"),
    "NaN": (np.eye(4) * np.nan, r"rest\[1\] holds NaN"),
    "infinite": (np.diag([1.0, np.inf, 1.0, 1.0]), r"rest\[1\] holds NaN, infinity"),
    "bottom row": (np.diag([1.0, 1.0, 1.0, 2.0]), r"rest\[1\] must have 0, 0, 0, 1 as its bottom row"),
    "transposed": (np.eye(4) + np.eye(4)[[3]].T @ np.eye(4)[[0]], r"rest\[1\] must have 0, 0, 0, 1"),
}


@pytest.mark.parametrize(("bad", "message"), REST_ERRORS.values(), ids=REST_ERRORS)
def test_impossible_rest_matrices_are_an_error_naming_the_bone(bad, message):
    rest = np.stack([np.eye(4), bad])
    channels = np.zeros((2, 10, 1), dtype=np.float32)
    with pytest.raises(ValueError, match=message):
        amble_core.forward_kinematics(
            np.array([-1, 0], dtype=np.int32), rest, np.zeros(2, dtype=np.uint32), channels
        )


@pytest.mark.parametrize("flag", [8, 0x60, 0x70, 0x80, 0xFFFFFFFF])
def test_unknown_flags_are_an_error_naming_the_bone(flag):
    channels = np.zeros((1, 10, 1), dtype=np.float32)
    with pytest.raises(
        ValueError, match=rf"flags\[0\] is {flag}, which holds a bit or an inherit-scale mode"
    ):
        amble_core.forward_kinematics(
            np.array([-1], dtype=np.int32), np.eye(4)[None], np.array([flag], dtype=np.uint32), channels
        )
