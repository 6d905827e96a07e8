"""The curves of a transition against their twins and against numbers from JP4257764B2's formula."""

import amble_core
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import blend as twin
from tests.reference import quat

SEEDS = st.integers(0, 2**32 - 1)
CURVES = ("linear", "ease", "inertial", "overlap")
QUATERNION, XYZ = 0, 2


def still(row, frames):
    """One bone's ten numbers, held."""
    return np.repeat(np.array(row, np.float32)[None, :, None], frames, axis=2)


def numbers(location=(0, 0, 0), turn=(1, 0, 0, 0), scale=(1, 1, 1)):
    return [*location, *turn, *scale]


def run(start, b, time, length, curve="linear", mode=QUATERNION, begin=0.0, rotations=0, a=None, onto=None):
    bones = start.shape[0]
    return amble_core.blend(
        np.full(bones, mode, np.int32),
        np.asarray(time, np.float64),
        start,
        np.repeat(b[..., :1], 3, 2) if onto is None else onto,
        b,
        np.full(bones, float(begin)),
        np.full(bones, float(length)),
        CURVES.index(curve),
        rotations=rotations,
        a=a,
    )


def random_numbers(rng, bones, frames, mode):
    found = rng.uniform(-1.0, 1.0, (bones, 10, frames)).astype(np.float32)
    found[:, 7:] = rng.uniform(0.5, 2.0, (bones, 3, frames))
    if mode == QUATERNION:
        found[:, 3:7] /= np.linalg.norm(found[:, 3:7], axis=1, keepdims=True)
    return found


def test_B1_A_is_frozen_at_the_cut_whatever_it_did_before():
    moving = still(numbers(location=(2, 0, 0)), 3)
    moving[0, 0] = (-7.0, 2.0, 11.0)  # before, at and after the cut
    b = still(numbers(location=(6, 0, 0)), 1)
    assert run(moving, b, [1.0], 4)[0, 0, 0] == 2.0 + (6.0 - 2.0) / 4


def test_B3_each_frame_adds_p_over_n_of_the_difference_to_the_running_B():
    start = still(numbers(location=(10, -4, 0), scale=(1, 2, 1)), 3)
    b = still(numbers(), 4)
    b[0, 0], b[0, 1], b[0, 8] = (0, 4, 8, 12), (0, 0, 0, 8), (2, 2, 4, 4)
    out = run(start, b, [1, 2, 3, 4], 4)
    # a + (b(p) - a) p / 4, by hand.
    np.testing.assert_allclose(out[0, 0], [7.5, 7.0, 8.5, 12.0])
    np.testing.assert_allclose(out[0, 1], [-3.0, -2.0, -1.0, 8.0])
    np.testing.assert_allclose(out[0, 8], [2.0, 2.0, 3.5, 4.0])


def test_B4_from_n_on_the_result_has_Bs_own_bits():
    rng = np.random.default_rng(4)
    for mode in range(8):
        b = random_numbers(rng, 5, 6, QUATERNION if mode < 2 else XYZ)
        start = random_numbers(rng, 5, 3, QUATERNION if mode < 2 else XYZ)
        for curve in CURVES:
            out = run(start, b, [1, 2, 3, 4, 5, 6], 4, curve, mode, a=b[..., ::-1].copy())
            assert out[..., 3:].tobytes() == b[..., 3:].tobytes(), (mode, curve)


def test_B5_in_world_space_directions_are_blended_and_children_follow():
    # Parent and child of length 1 up z. A: both at rest. B: the parent turned 90 degrees about x.
    parents = np.array([-1, 0], np.int32)
    rest = np.stack([np.eye(4), np.eye(4)])
    rest[1, 1, 3] = 1.0
    flags = np.zeros(2, np.uint32)
    modes = np.zeros(2, np.int32)
    a = np.repeat(still(numbers(), 3), 2, axis=0)
    half = np.sqrt(0.5)
    b = a[..., :1].copy()
    b[0, 3:7, 0] = (half, half, 0, 0)
    b[1, 3:7, 0] = (half, -half, 0, 0)  # the child keeps its direction in the world

    def world(x):
        return amble_core.rotations_to_world(parents, rest, flags, modes, x)

    np.testing.assert_allclose(world(b)[1, 3:7, 0], (1, 0, 0, 0), atol=1e-6)
    mixed = amble_core.blend(
        modes, np.array([1.0]), world(a), world(np.repeat(b, 3, 2)), world(b), np.zeros(2), np.full(2, 3.0), 0
    )
    out = amble_core.rotations_from_world(parents, rest, flags, modes, mixed, a[..., 1].copy())
    angle = np.pi / 6 / 2  # a third of 90 degrees
    np.testing.assert_allclose(out[0, 3:7, 0], (np.cos(angle), np.sin(angle), 0, 0), atol=1e-6)
    np.testing.assert_allclose(world(out)[1, 3:7, 0], (1, 0, 0, 0), atol=1e-6)


@pytest.mark.parametrize("mode", range(2, 8))
def test_B6_angles_are_blended_axis_by_axis(mode):
    start = still(numbers(turn=(0, 0.2, -0.4, 1.0)), 3)
    b = still(numbers(turn=(0, 1.0, 0.4, -1.0)), 1)
    out = run(start, b, [1.0], 4, mode=mode, rotations=1)
    np.testing.assert_allclose(out[0, 4:7, 0], (0.4, -0.2, 0.5), atol=1e-6)
    slerped = run(start, b, [1.0], 4, mode=mode)
    order = twin.ORDERS[mode - 2]
    want = quat.slerp(
        twin.from_euler(order, start[0, 4:7, 1].astype(float))[:, None],
        twin.from_euler(order, b[0, 4:7, 0].astype(float))[:, None],
        np.array([0.25]),
    )
    got = twin.from_euler(order, slerped[0, 4:7, 0].astype(float))[:, None]
    assert quat.angle_between(quat.normalise(want), got)[0] < 1e-6
    assert np.abs(slerped[0, 4:7, 0] - out[0, 4:7, 0]).max() > 0.01


@given(seed=SEEDS, curve=st.sampled_from(("linear", "ease", "overlap")), begin=st.sampled_from([0.0, 1.5]))
@settings(max_examples=40)
def test_quaternions_go_the_short_way_by_the_curves_weight(seed, curve, begin):
    rng = np.random.default_rng(seed)
    start, b = random_numbers(rng, 3, 3, QUATERNION), random_numbers(rng, 3, 7, QUATERNION)
    a = random_numbers(rng, 3, 7, QUATERNION)
    time = np.arange(1.0, 8.0)
    out = run(start, b, time, 6, curve, begin=begin, a=a)
    for f, t in enumerate(time):
        w = twin.weight(curve, t, begin, 6.0)
        source = a[..., f] if curve == "overlap" else start[..., 1]
        want = quat.slerp(source[:, 3:7].T.astype(float), b[:, 3:7, f].T.astype(float), np.full(3, w))
        assert (
            quat.angle_between(quat.normalise(want), quat.normalise(out[:, 3:7, f].T.astype(float))).max()
            < 2e-5
        )
        place = source[:, :3] + (b[:, :3, f] - source[:, :3]) * w
        np.testing.assert_allclose(out[:, :3, f], place, atol=1e-6)


@given(seed=SEEDS)
@settings(max_examples=40)
def test_inertial_offsets_follow_the_quintic_of_place_and_speed(seed):
    rng = np.random.default_rng(seed)
    start, onto, b = (random_numbers(rng, 2, n, QUATERNION) for n in (3, 3, 5))
    time = np.array([0.0, 0.5, 2.0, 3.0, 5.0])
    out = run(start, b, time, 5, "inertial", onto=onto)
    offset = (start.astype(float) - onto)[:, :3]
    for f, t in enumerate(time):
        for bone in range(2):
            for axis in range(3):
                before, now, after = offset[bone, axis]
                want = b[bone, axis, f] + twin.quintic(now, (after - before) / 2, 5.0, t)
                assert out[bone, axis, f] == pytest.approx(want, abs=2e-6)


def test_inertial_carries_a_turns_speed():
    # A turns about z by 0.1 radians a frame and is at 0.3; B stands at 0.
    def about_z(angles):
        return np.stack([np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)])

    start, b = still(numbers(), 3), still(numbers(), 3)
    start[0, 3:7] = about_z(np.array([0.2, 0.3, 0.4]))
    time = np.array([0.0, 1.0, 2.0])
    out = run(start, b, time, 8, "inertial")
    angles = 2 * np.arctan2(out[0, 6], out[0, 3])
    want = [twin.quintic(0.3, 0.1, 8.0, t) for t in time]
    np.testing.assert_allclose(angles, want, atol=1e-6)


@given(seed=SEEDS, curve=st.sampled_from(CURVES))
@settings(max_examples=30)
def test_a_motion_blended_into_its_own_continuation_is_itself(seed, curve):
    rng = np.random.default_rng(seed)
    clip = amble_core.settle_rotations(np.zeros(3, np.int32), random_numbers(rng, 3, 9, QUATERNION))
    edge = clip[..., :3].copy()
    if curve in ("linear", "ease"):
        clip = np.repeat(clip[..., 1:2], 9, 2)  # a frozen A continues in a B that stands
        edge = clip[..., :3].copy()
    out = run(edge, clip[..., 2:].copy(), np.arange(1.0, 8.0), 5, curve, onto=edge, a=clip[..., 2:].copy())
    assert np.abs(out - clip[..., 2:]).max() < 1e-6


@given(seed=SEEDS, curve=st.sampled_from(CURVES))
@settings(max_examples=30)
def test_both_signs_of_a_quaternion_give_one_result(seed, curve):
    rng = np.random.default_rng(seed)
    start, onto, b, a = (random_numbers(rng, 4, n, QUATERNION) for n in (3, 3, 6, 6))
    modes = np.zeros(4, np.int32)
    time = np.arange(1.0, 7.0)

    def whole(start, onto, b, a):
        out = run(start, b, time, 4, curve, onto=onto, a=a)
        return amble_core.settle_rotations(modes, np.concatenate((start[..., :2], out), axis=2))

    def flipped(x):
        y = x.copy()
        y[:, 3:7] *= rng.choice([-1.0, 1.0], (4, 1, x.shape[2])).astype(np.float32)
        return y

    first = whole(start, onto, b, a)
    assert whole(flipped(start), flipped(onto), flipped(b), flipped(a)).tobytes() == first.tobytes()


def test_a_scale_of_the_other_sign_keeps_its_size_and_changes_sign_once():
    start, b = still(numbers(scale=(-1, -1, -1)), 3), still(numbers(), 12)
    for curve in CURVES:
        out = run(start, b, np.arange(1.0, 13.0), 12, curve, a=np.repeat(start[..., :1], 12, 2))
        assert np.abs(out[0, 7:]).min() >= 0.5
        assert (np.diff(np.sign(out[0, 7])) != 0).sum() == 1


def test_whole_turns_are_not_unwound():
    start = still(numbers(turn=(0, 0, 0, 4 * np.pi)), 3)
    b = still(numbers(turn=(0, 0, 0, 0)), 5)
    for rotations in (0, 1, 2):
        out = run(start, b, np.arange(1.0, 6.0), 5, mode=XYZ, rotations=rotations)
        rows = np.concatenate((start[..., :1], out), axis=2)
        settled = amble_core.settle_rotations(np.array([XYZ], np.int32), rows)
        np.testing.assert_allclose(settled[0, 6], 4 * np.pi, atol=1e-5)


def test_opposite_poses_never_turn_more_than_half_round():
    for degrees in (170.0, 180.0, 190.0):
        start, b = still(numbers(), 3), still(numbers(), 10)
        half = np.radians(degrees) / 2
        b[0, 3], b[0, 4] = np.cos(half), np.sin(half)
        out = run(start, b, np.arange(1.0, 11.0), 10)
        q = np.concatenate((start[0, 3:7, :1], out[0, 3:7]), axis=1).astype(float)
        steps = quat.angle_between(quat.normalise(q[:, :-1]), quat.normalise(q[:, 1:]))
        assert steps.sum() <= np.pi + 1e-5
        assert steps.max() <= 2 * np.radians(min(degrees, 360 - degrees)) / 10


@given(seed=SEEDS, mode=st.integers(0, 7))
@settings(max_examples=40)
def test_settling_changes_numbers_but_no_rotation(seed, mode):
    rng = np.random.default_rng(seed)
    rows = random_numbers(rng, 2, 6, mode)
    rows[:, 3:7] *= rng.uniform(0.5, 3.0, (2, 1, 1)).astype(np.float32)
    out = amble_core.settle_rotations(np.full(2, mode, np.int32), rows)
    for bone in range(2):
        for f in range(6):
            a, b = rows[bone, 3:7, f].astype(float), out[bone, 3:7, f].astype(float)
            if mode == 0:
                assert np.allclose(a, b) or np.allclose(a, -b)
            elif mode >= 2:
                order = twin.ORDERS[mode - 2]
                turned = quat.angle_between(
                    twin.from_euler(order, a[1:])[:, None], twin.from_euler(order, b[1:])[:, None]
                )
                assert turned[0] < 1e-5


def test_slopes_are_exact_for_cubics_and_follow_uneven_frames():
    time = np.concatenate(([0.3], np.arange(1.0, 9.0), [8.7]))
    values = np.stack([time**3 - 2 * time, 3 * time**2, np.full_like(time, 5.0)]).astype(np.float32)
    out = amble_core.slopes(time, values)
    np.testing.assert_allclose(out[0, 3:-3], 3 * time[3:-3] ** 2 - 2, rtol=1e-4)
    np.testing.assert_allclose(out[1], 6 * time, atol=2e-4)  # parabolas at the uneven ends too
    assert (out[2] == 0.0).all()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"time": [-1.0]}, "time"),
        ({"length": -1.0}, "length"),
        ({"begin": np.nan}, "begin"),
        ({"mode": 9}, "modes"),
        ({"curve": "overlap"}, "a is missing"),
    ],
)
def test_what_cannot_be_is_an_error_that_names_the_argument(change, name):
    arguments = {"start": still(numbers(), 3), "b": still(numbers(), 1), "time": [1.0], "length": 4.0}
    with pytest.raises(ValueError, match=name):
        run(**{**arguments, **change})


def test_stand_is_the_line_through_a_swaying_walk():
    time = np.arange(-12.0, 13.0)
    pose = np.zeros((12, time.size), np.float32)
    angle = 0.3 + 0.01 * time + 0.05 * np.sin(2 * np.pi * time / 12)
    pose[0], pose[1], pose[4], pose[5], pose[10] = (
        np.cos(angle),
        -np.sin(angle),
        np.sin(angle),
        np.cos(angle),
        1,
    )
    pose[3], pose[7] = 0.05 * time, 2.0
    up = np.array([0.0, 0.0, 1.0])
    found = amble_core.stand(pose, np.eye(4), up, time, 0.0)
    np.testing.assert_allclose(found[:3], (0, 2, 0), atol=1e-6)
    assert found[3] == pytest.approx(0.3, abs=1e-6)
    np.testing.assert_allclose(found[4:7], (0.05, 0, 0), atol=1e-6)
    assert found[7] == pytest.approx(0.01, abs=0.006)  # the sway's sine is not square to a line
    exact = amble_core.stand(pose, np.eye(4), up, time, 3.0, exact=True)
    assert exact[3] == pytest.approx(0.3 + 0.03 + 0.05, abs=1e-6)


def test_a_move_turns_places_and_gathers_speed():
    rest = np.eye(4)[None]
    move = np.concatenate(
        ([1, 0, 0], [5, 5, 0], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], [0, 0, 1], [0.2, 0, 0], [0.0, 10.0])
    ).astype(np.float64)
    rows = still(numbers(location=(2, 0, 3)), 3)
    out = amble_core.move_ground(
        rest, np.zeros(1, np.uint32), np.zeros(1, np.int32), rows, np.array([0.0, 10.0, 20.0]), move
    )
    # (2, 0, 3) is 1 beside the pivot, turned by 90 degrees: (5, 6, 3). The way gone while the speed of 0.2
    # fades out over 10 frames is half of 2, and stays.
    np.testing.assert_allclose(out[0, :3, 0], (5, 6, 3), atol=1e-6)
    np.testing.assert_allclose(out[0, :3, 1], (6, 6, 3), atol=1e-6)
    np.testing.assert_allclose(out[0, :3, 2], (6, 6, 3), atol=1e-6)
    np.testing.assert_allclose(np.abs(out[0, 3:7, 0]), (np.sqrt(0.5), 0, 0, np.sqrt(0.5)), atol=1e-6)


def test_distances_are_root_mean_squares_and_weights_count():
    a, b = np.array([[0.0, 1.0], [0.0, 0.0]], np.float32), np.array([[3.0], [4.0]], np.float32)
    out = amble_core.pose_distances(a, b, np.array([1.0, 1.0]), 1.0)
    np.testing.assert_allclose(out, [[5.0], [np.sqrt(4 + 16)]], rtol=1e-6)
    out = amble_core.pose_distances(a, b, np.array([1.0, 0.0]), 4.0)
    np.testing.assert_allclose(out, [[1.5], [1.0]], rtol=1e-6)


@given(x=st.floats(0, 10), v=st.floats(0, 2), acceleration=st.floats(0.01, 5))
def test_a_length_keeps_the_acceleration_and_a_shorter_one_does_not(x, v, acceleration):
    found = amble_core.blend_length(np.array([x]), np.array([v]), acceleration, np.inf)
    if found < 1e-9:
        return
    u = np.linspace(0, 1, 2001)
    place = (1 - u) ** 3 * (1 + 3 * u + 6 * u**2)
    speed = u * (1 - u) ** 3 * (1 + 3 * u)

    def peak(length):
        h = length / 2000
        return (
            np.abs(np.diff(x * place, 2)).max() / h**2 + np.abs(np.diff(v * length * speed, 2)).max() / h**2
        )

    assert peak(found) <= acceleration * 1.01
    assert peak(0.9 * found) > acceleration * 0.98


UP = np.array([0.0, 0.0, 1.0])


def test_plants_are_slow_low_and_neither_short_nor_broken_up():
    points = np.zeros((1, 3, 24), np.float32)
    points[0, 0, 8:] = np.linspace(0, 1.6, 16)  # moves on from frame 8
    points[0, 0, 20:] = points[0, 0, 19]  # stands again, in the air
    points[0, 2, 12:] = 0.5
    points[0, 0, 3] += 0.05  # one frame of noise within the stand
    found = amble_core.find_plants(points, UP, np.zeros(1), 0.01, 0.1, 3, 3)
    assert found.tolist() == [[1] * 9 + [0] * 15]
    high = amble_core.find_plants(points, UP, np.full(1, -0.2), 0.01, 0.1, 3, 3)
    assert not high.any()  # nothing is near that ground


def foot(frames):
    way = np.zeros((7, frames), np.float32)
    way[3] = 1.0
    return way


def test_a_foot_that_is_free_or_where_it_should_be_keeps_its_bits():
    rng = np.random.default_rng(3)
    free = foot(12)
    free[:3] = rng.normal(size=(3, 12))
    for hold in (np.zeros(12, np.uint8), np.ones(12, np.uint8)):
        out = amble_core.foot_way(free, free.copy(), hold, UP, 0.2, 0.1)
        assert out.tobytes() == free.tobytes()


def test_a_step_leaves_and_lands_without_a_jolt_and_rises_on_its_way():
    frames = 25
    free, held = foot(frames), foot(frames)
    free[0] = np.linspace(0.0, 0.3, frames)  # left alone, the foot slides
    held[0, 13:] = 0.3
    hold = np.zeros(frames, np.uint8)
    hold[:6] = hold[16:] = 1
    out = amble_core.foot_way(free, held, hold, UP, 0.2, 0.1)
    np.testing.assert_allclose(out[0, :6], 0.0, atol=1e-6)
    np.testing.assert_allclose(out[0, 16:], 0.3, atol=1e-6)
    assert (np.diff(out[0]) > -1e-6).all()
    # A fifth of the way, as a bump whose middle lies between frames 10 and 11 of 5 .. 16.
    assert out[2].max() == pytest.approx(0.2 * 0.3 * 64 * (5 / 11 * 6 / 11) ** 3, rel=1e-4)
    assert (out[2, [0, 5, 16, 24]] == 0.0).all()
    # Standing still at both ends: the first and last moves are small beside the largest.
    steps = np.diff(out[0])
    assert max(steps[5], steps[15]) < 0.25 * steps.max()


def test_number_by_number_quaternions_go_along_the_chord_the_short_way_and_angles_by_themselves():
    start = still(numbers(turn=(1, 0, 0, 0)), 3)
    for sign in (1.0, -1.0):
        half = np.radians(60.0)  # half of 120 degrees about x
        b = still(numbers(turn=(sign * np.cos(half), sign * np.sin(half), 0, 0)), 3)
        out = run(start, b, [1.0, 2.0, 3.0], 4, rotations=2)[0, 3:7]
        for k, share in enumerate((0.25, 0.5, 0.75)):
            chord = np.array([1 - share + share * np.cos(half), share * np.sin(half), 0, 0])
            np.testing.assert_allclose(out[:, k], chord / np.linalg.norm(chord), atol=1e-6)
        # A quarter of the chord is 21.8 of 120 degrees, where the arc's quarter is 30.
        assert 2 * np.degrees(np.arctan2(out[1, 0], out[0, 0])) == pytest.approx(27.80, abs=0.01)
    angles = still(numbers(turn=(0, 0.2, -0.4, 1.0)), 3)
    b = still(numbers(turn=(0, 1.0, 0.4, -1.0)), 1)
    out = run(angles, b, [1.0], 4, mode=XYZ, rotations=2)
    np.testing.assert_allclose(out[0, 4:7, 0], (0.4, -0.2, 0.5), atol=1e-6)
    with pytest.raises(ValueError, match="rotations"):
        run(angles, b, [1.0], 4, rotations=3)


@pytest.mark.parametrize("height", [0.0, 0.05, 0.2])
def test_a_foot_that_is_off_the_ground_at_first_clears_it_on_its_way(height):
    frames = 21
    free, held = foot(frames), foot(frames)
    free[0] = np.linspace(0.0, 0.3, frames)
    free[2, :11] = height * np.linspace(1.0, 0.0, 11)
    held[0] = 0.3
    hold = np.zeros(frames, np.uint8)
    hold[10:] = 1
    out = amble_core.foot_way(free, held, hold, UP, 0.2, 0.1)
    assert out[2, 0] == np.float32(height)
    # A fifth of 0.3 above where it lands, half way; one that is higher there by itself is left alone.
    np.testing.assert_allclose(out[2, 5], max(0.06, height / 2), atol=1e-6)
    np.testing.assert_allclose(out[2, 10:], 0.0, atol=1e-6)


def test_after_the_last_hold_the_foot_comes_back_to_its_free_way():
    frames = 20
    free, held = foot(frames), foot(frames)
    held[0] = 0.1
    hold = np.zeros(frames, np.uint8)
    hold[:5] = 1
    out = amble_core.foot_way(free, held, hold, UP, 0.0, 0.0)
    np.testing.assert_allclose(out[0, :5], 0.1)
    assert (np.diff(out[0, 4:]) <= 0.0).all()
    assert (out[:, -1] == free[:, -1]).all()


def curve_set(kinds, points, left, right, beyond=(0, 0, 0, 0, 0)):
    """One curve as the core's functions take it, by name."""
    names = ("starts", "points", "left", "right", "kinds", "beyond")
    arrays = (
        np.array([0, len(points)], np.int64),
        np.array(points, np.float32),
        np.array(left, np.float32),
        np.array(right, np.float32),
        np.array(kinds, np.int32),
        np.array([beyond], np.int32),
    )
    return dict(zip(names, arrays, strict=True))


def test_slopes_of_curves_are_those_of_their_handles_at_keys_and_of_the_curve_between():
    # A Bezier with handles at thirds is the Hermite cubic of slopes 2 and -1; then a line; then a step.
    points = [(0, 0), (6, 3), (8, 7), (10, 7)]
    left = [(-2, 0), (4, 3 + 2 * 1), (8, 7), (10, 7)]
    right = [(2, 4), (8, 7), (8, 7), (12, 7)]
    curve = curve_set([2, 1, 0, 0], points, left, right)
    times = np.array([0.0, 6.0, 7.0, 8.0, 9.0, 3.0])
    leaving = amble_core.slope_curves(**curve, time=times, leaving=True)[0]
    coming = amble_core.slope_curves(**curve, time=times, leaving=False)[0]
    np.testing.assert_allclose(leaving[:5], (2.0, 2.0, 2.0, 0.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(coming[:5], (0.0, -1.0, 2.0, 2.0, 0.0), atol=1e-6)
    h = 1e-2
    around = amble_core.sample_curves(**curve, time=np.array([3.0 - h, 3.0 + h]))[0].astype(float)
    assert leaving[5] == coming[5] == pytest.approx((around[1] - around[0]) / (2 * h), abs=1e-3)


def test_a_curve_that_repeats_has_the_slope_of_its_round():
    curve = curve_set([1, 1, 1], [(0, 0), (4, 8), (6, 0)], [(0, 0)] * 3, [(0, 0)] * 3, beyond=(0, 1, 0, 1, 0))
    times = np.array([7.0, 11.0, 6.0])
    assert amble_core.slope_curves(**curve, time=times, leaving=True)[0].tolist() == [2.0, -4.0, 2.0]
    assert amble_core.slope_curves(**curve, time=times, leaving=False)[0].tolist() == [2.0, -4.0, -4.0]
