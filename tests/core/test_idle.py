"""The idle kernel: each requirement of the specification (I1 to I10) by hand-made figures, then the twin."""

import amble_core
import numpy as np
import pytest
from tests.core import skeletons
from tests.core.test_pin import LEFT, LEG, Limb, lunged
from tests.reference import idle as twin
from tests.reference import quat

LINEAR, SMOOTH = 0, 1
AGAIN, BACK, STAY = twin.AGAIN, twin.BACK, twin.STAY
ONE = np.ones((1, 1, 1), dtype=np.float32)


def about_x(degrees):
    """Quaternions (4, n) of turns about x."""
    half = np.radians(np.asarray(degrees, dtype=float)) / 2
    return np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half])


def degrees_about_x(q):
    """Angles (n,) of turns about x, in double from whatever quaternions (4, n)."""
    assert np.abs(q[2:]).max() == 0
    return np.degrees(2 * np.arctan2(q[1].astype(float), q[0].astype(float)))


def run(sets, held, frames, *, factors=None, times=None, weights=None, origins=None, moves=None, places=None):
    """One character, or several: sets are (times, turns (bones, 3, n), between, after)."""
    held = np.ascontiguousarray(held, dtype=np.float32)
    held = held[None] if held.ndim == 2 else held
    count, bones = held.shape[:2]
    moves = [np.zeros((0, 3, len(t)), dtype=np.float32) for t, *_ in sets] if moves is None else moves
    moving = moves[0].shape[0]
    places = np.zeros((count, moving, 3), dtype=np.float32) if places is None else places
    frames = np.asarray(frames, dtype=float)
    if times is None:
        times = np.tile(frames, (count, len(sets), 1))
    times = np.ascontiguousarray(times, dtype=float)
    if weights is None:
        weights = np.ones(times.shape)
    if origins is None:
        origins = np.zeros(times.shape[:2])
    if factors is None:
        factors = np.ones((count, bones + moving))
    return amble_core.idle(
        np.array([len(t) for t, *_ in sets], dtype=np.int32),
        np.concatenate([t for t, *_ in sets]).astype(float),
        np.ascontiguousarray(np.concatenate([s[1] for s in sets], axis=2), dtype=np.float32),
        np.ascontiguousarray(np.concatenate(moves, axis=2), dtype=np.float32),
        between=np.array([s[2] for s in sets], dtype=np.int32),
        after=np.array([s[3] for s in sets], dtype=np.int32),
        held_turns=held,
        held_moves=places,
        coefficients=np.asarray(factors, dtype=np.float32),
        set_times=times,
        origins=np.ascontiguousarray(origins, dtype=float),
        weights=np.ascontiguousarray(weights, dtype=np.float32),
    )


def joint(degrees):
    """Changes (1, 3, n) of one joint about x."""
    turns = np.zeros((1, 3, len(degrees)), dtype=np.float32)
    turns[0, 0] = np.radians(degrees)
    return turns


def angles(sets, held, frames, **more: object):
    """Degrees of one joint, held at `held` degrees."""
    turns, _ = run(sets, about_x([held]).T, frames, **more)
    return degrees_about_x(turns[0, 0])


def test_I1_each_row_of_the_table_is_a_joint_of_its_own():
    """Joint, base angle, difference data and pin flag: here three joints, of which the second is pinned."""
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 25, 3: -10})
    base = np.degrees(
        amble_core.joint_angles(*limb.skeleton, amble_core.forward_kinematics(*limb.skeleton, held)[..., 0])
    )
    axes = limb.rest[:, :3, 1]
    for bone, turn in ((2, 25), (3, -10)):
        spun = quat.rotate(about_x([turn]), axes[bone][:, None])[:, 0]
        assert base[bone] == pytest.approx(np.degrees(np.arccos(spun @ axes[bone - 1])), abs=1e-4)
    rows = np.zeros((3, 3, 2), dtype=np.float32)
    rows[0, 0, 1], rows[1, 1, 1], rows[2, 2, 1] = np.radians([3.0, 5.0, 7.0])
    turns, _ = run([(np.array([0.0, 1.0]), rows, LINEAR, STAY)], held[1:4, 3:7, 0], [0, 1])
    for row, size in enumerate((3.0, 5.0, 7.0)):
        found = np.degrees(
            quat.angle_between(turns[0, row, :, :1].astype(float), turns[0, row, :, 1:].astype(float))
        )
        assert found[0] == pytest.approx(size, abs=1e-5)
    posed = np.repeat(held, 2, axis=2)
    posed[1:4, 3:7] = turns[0]
    pinned, miss = limb.hold(posed, limb.places(held, 3))
    assert miss.max() < 1e-6
    assert np.abs(limb.places(pinned, 3)[0, :3, 1] - limb.places(held, 3)[0, :3, 0]).max() < 1e-6


def test_I2_differences_are_added_to_the_held_angle_whatever_the_base_angle_is():
    """+2, +4, +6 degrees after 1, 2, 3 frames: a joint held at 50 goes 52, 54, 56; its base is 30."""
    sets = [(np.arange(4.0), joint([0, 2, 4, 6]), LINEAR, STAY)]
    assert angles(sets, 50.0, [0, 1, 2, 3]) == pytest.approx([50, 52, 54, 56], abs=1e-5)
    assert angles(sets, 30.0, [0, 1, 2, 3]) == pytest.approx([30, 32, 34, 36], abs=1e-5)


@pytest.mark.parametrize("between", [LINEAR, SMOOTH])
def test_I2_sparse_data_is_interpolated_where_it_is_asked_for(between):
    """Every 5 frames 0, 10, 20, 30 degrees: 2 degrees a frame between them."""
    sets = [(np.array([0.0, 5, 10, 15]), joint([0, 10, 20, 30]), between, STAY)]
    inner = [5, 6, 7.25, 9, 10]
    assert angles(sets, 50.0, inner) == pytest.approx([60, 62, 64.5, 68, 70], abs=1e-5)
    if between == LINEAR:
        assert angles(sets, 50.0, [1, 4, 13]) == pytest.approx([52, 58, 76], abs=1e-5)


def test_I3_the_change_runs_to_alpha_in_gamma_frames_and_back_for_as_long_as_the_pose_is_held():
    """alpha 8 degrees, gamma 4 frames: 0 2 4 6 8 6 4 2 0 2 ..., also 10,000 frames later."""
    sets = [(np.array([0.0, 4.0]), joint([0, 8]), LINEAR, BACK)]
    wanted = [0, 2, 4, 6, 8, 6, 4, 2, 0, 2, 4, 6, 8]
    assert angles(sets, 0.0, range(13)) == pytest.approx(wanted, abs=1e-5)
    assert angles(sets, 0.0, np.arange(13.0) + 80_000) == pytest.approx(wanted, abs=1e-5)
    smooth = [(np.array([0.0, 4.0]), joint([0, 8]), SMOOTH, BACK)]
    found = angles(smooth, 0.0, np.linspace(0, 16, 1601))
    assert found.min() == pytest.approx(0, abs=1e-5)
    assert found.max() == pytest.approx(8, abs=1e-5)
    assert found[::400] == pytest.approx([0, 8, 0, 8, 0], abs=1e-5)
    slopes = np.diff(found)
    assert np.abs(np.diff(slopes)).max() < 0.02 * np.abs(slopes).max()  # no corner where it turns round


def test_I4_the_same_alpha_and_gamma_or_a_coefficient_of_held_by_base_angle():
    """Base 30, held 50: the same 8 degrees, or 8 * 50 / 30 = 13.3333, both after 4 frames."""
    sets = [(np.array([0.0, 4.0]), joint([0, 8]), LINEAR, BACK)]
    assert angles(sets, 50.0, [0, 2, 4, 8]) == pytest.approx([50, 54, 58, 50], abs=1e-5)
    factor = amble_core.idle_coefficients(np.radians([30.0]), np.radians([50.0]), least=0.1, most=4.0)
    assert factor[0] == pytest.approx(50 / 30, abs=1e-12)
    found = angles(sets, 50.0, [0, 2, 4, 8], factors=[factor])
    assert found == pytest.approx([50, 50 + 20 / 3, 50 + 40 / 3, 50], abs=1e-5)


def test_I4_the_coefficient_is_bounded_and_continuous_near_zero_and_across_signs():
    """least 5 degrees, most 4. Ratios of angles over 5 are exact; 1 where both are equal, also at 0."""

    def factor(base, held):
        return amble_core.idle_coefficients(
            np.radians(np.atleast_1d(np.asarray(base, dtype=float))),
            np.radians(np.atleast_1d(np.asarray(held, dtype=float))),
            least=np.radians(5.0),
            most=4.0,
        )

    assert factor([30, 30, 60, 10], [50, 15, 15, 30]) == pytest.approx([5 / 3, 0.5, 0.25, 3.0], abs=1e-12)
    assert factor([0, 3, -3, 1e-12], [0, 3, 3, -2]) == pytest.approx([1, 1, 1, 1], abs=1e-12)
    assert factor([0, 1, -1], [90, 90, 90]) == pytest.approx([4, 4, 4], abs=1e-12)
    assert factor([90, 90], [0, -0.1]) == pytest.approx([5 / 90, 5 / 90], abs=1e-12)
    assert factor([-30, 30], [50, -50]) == pytest.approx([5 / 3, 5 / 3], abs=1e-12)
    sweep = np.linspace(-90, 90, 18001)
    for other in (0.0, 2.0, 30.0, 120.0):
        a, b = factor(sweep, np.full_like(sweep, other)), factor(np.full_like(sweep, other), sweep)
        for values in (a, b):
            assert ((values > 0) & (values <= 4)).all()
            assert np.abs(np.diff(values)).max() < 0.011  # 0.01 degrees of at least 5, times 4
        half = sweep >= 0
        assert (np.diff(b[half]) >= 0).all()
        assert (np.diff(a[half]) <= 0).all()


def test_I5_the_set_is_chosen_by_the_condition_and_can_change_without_a_jump():
    """Low health: half the half-period, twice the change. Weights go from one set to the other."""
    rest = (np.array([0.0, 8.0]), joint([0, 4]), SMOOTH, BACK)
    hurt = (np.array([0.0, 4.0]), joint([0, 8]), SMOOTH, BACK)
    frames = np.arange(0, 64.25, 0.25)
    share = np.clip((frames - 20) / 24, 0, 1)
    share = share**2 * (3 - 2 * share)
    found = angles([rest, hurt], 10.0, frames, weights=np.stack([1 - share, share])[None])
    alone = [angles([one], 10.0, frames) for one in (rest, hurt)]
    before, after = frames <= 20, frames >= 44
    assert found[before] == pytest.approx(alone[0][before], abs=1e-5)
    assert found[after] == pytest.approx(alone[1][after], abs=1e-5)
    assert alone[0].max() - 10 == pytest.approx(4, abs=1e-4)
    assert alone[1].max() - 10 == pytest.approx(8, abs=1e-4)
    steepest = max(np.abs(np.diff(one)).max() for one in alone)
    assert np.abs(np.diff(found)).max() < 1.1 * steepest


def test_I6_inverse_kinematics_overrides_the_differences_of_a_pinned_limb():
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 45, 3: -15})
    frames = np.arange(25.0)
    rows = np.zeros((3, 3, 2), dtype=np.float32)
    rows[:, 0, 1] = np.radians([4.0, -6.0, 5.0])
    local = np.stack([limb.rest[bone, :3, :3].T @ LEFT for bone in (0, 2, 3)])
    rows[:, :, 1] = local * rows[:, :1, 1]
    turns, _ = run([(np.array([0.0, 12.0]), rows, SMOOTH, BACK)], held[[0, 2, 3], 3:7, 0], frames)
    posed = np.repeat(held, 25, axis=2)
    posed[[0, 2, 3], 3:7] = turns[0]
    loose = limb.places(posed, 3)
    places = limb.places(held, 3)
    assert np.abs(loose[0, :3] - places[0, :3]).max() > 0.02
    pinned, miss = limb.hold(posed, places)
    now = limb.places(pinned, 3)
    assert miss.max() < 1e-6
    assert np.abs(now[0, :3] - places[0, :3]).max() < 1e-6
    assert np.array_equal(pinned[0], posed[0])


def test_I7_frame_0_is_the_held_pose_to_the_bit():
    rng = np.random.default_rng(7)
    held = skeletons.unit_quaternions(rng, 9).T.reshape(1, 9, 4)
    places = rng.normal(size=(1, 2, 3)).astype(np.float32)
    sets = []
    moves = []
    for samples in (2, 7):
        sets.append(
            (np.arange(float(samples)), rng.normal(size=(9, 3, samples)).astype(np.float32), SMOOTH, AGAIN)
        )
        moves.append(rng.normal(size=(2, 3, samples)).astype(np.float32))
    frames = np.arange(9.0)
    times = np.stack([frames + 0.37, 2.5 * frames + 4.1])[None]
    weights = rng.uniform(0.5, 2, size=(1, 2, 9))
    turns, moved = run(
        sets, held, frames, times=times, origins=times[..., 0], weights=weights, moves=moves, places=places,
        factors=rng.uniform(0.5, 2, (1, 11)),
    )  # fmt: skip
    assert np.array_equal(turns[..., 0], held)
    assert np.array_equal(moved[..., 0], places)
    assert np.abs(turns[..., 1] - held).max() > 0.01


def test_I8_many_characters_at_once_each_with_its_own_pose_set_and_phase():
    rng = np.random.default_rng(8)
    count, bones, frames = 13, 5, 11
    sets = [
        (np.linspace(0, 1, 6), 0.5 * rng.normal(size=(bones, 3, 6)).astype(np.float32), SMOOTH, AGAIN),
        (np.array([0, 0.3, 1.0]), 0.5 * rng.normal(size=(bones, 3, 3)).astype(np.float32), LINEAR, BACK),
    ]
    held = skeletons.unit_quaternions(rng, count * bones).T.reshape(count, bones, 4)
    times = np.cumsum(rng.uniform(0, 0.3, (count, 2, frames)), axis=2)
    weights = rng.uniform(0, 1.5, (count, 2, frames))
    weights[: count // 2, 0] = 0.0
    factors = rng.uniform(0.5, 2, (count, bones))
    turns, _ = run(
        sets, held, range(frames), times=times, weights=weights, factors=factors, origins=times[..., 0]
    )

    def changes(one, time):
        samples, rows, between, after = sets[one]
        flat = rows.reshape(-1, rows.shape[2]).T.astype(float)
        return twin.sample(samples, flat, time, smooth=between == SMOOTH, after=after).reshape(-1, 3)

    for who in range(count):
        wanted = twin.idle(
            changes, held[who].astype(float), factors[who], times[who], times[who, :, 0], weights[who]
        )
        assert np.abs(turns[who] - wanted).max() < 2e-6
        alone, _ = run(
            sets, held[who], range(frames), times=times[who : who + 1], weights=weights[who : who + 1],
            factors=factors[who : who + 1], origins=times[who : who + 1, :, 0],
        )  # fmt: skip
        assert np.array_equal(alone[0], turns[who])


def test_I9_it_goes_on_from_the_held_pose_and_is_left_at_any_frame_without_a_jump():
    """The weight goes to 0 within 12 frames, from any frame: the held pose, and no jump."""
    sets = [(np.array([0.0, 18.0]), joint([0, 6]), SMOOTH, BACK)]
    frames = np.arange(0, 60.0)
    idle = angles(sets, 40.0, frames)
    for leave in (0, 7, 18, 25, 40):
        share = np.clip((frames - leave) / 12, 0, 1)
        weights = (1 - share**2 * (3 - 2 * share))[None, None]
        found = angles(sets, 40.0, frames, weights=weights)
        assert found[: leave + 1] == pytest.approx(idle[: leave + 1], abs=1e-5)
        assert found[leave + 12 :] == pytest.approx(40.0, abs=1e-5)
        assert np.abs(np.diff(found)).max() < np.abs(np.diff(idle)).max() + 6 * 1.5 / 12


def test_I10_changes_are_taken_away_and_pins_come_and_go():
    """Subtracted, 50 goes 48, 46, 44. A pin holds while it is set, and frees the limb where it is not."""
    sets = [(np.arange(4.0), joint([0, 2, 4, 6]), LINEAR, STAY)]
    found = angles(sets, 50.0, [0, 1, 2, 3], weights=-np.ones((1, 1, 4)))
    assert found == pytest.approx([50, 48, 46, 44], abs=1e-5)
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 45, 3: -15})
    posed = limb.moved(
        np.repeat(held, 8, axis=2), 0, 0.02 * np.stack([np.arange(8.0), 0 * np.arange(8), 0 * np.arange(8)])
    )
    here = limb.places(held, 3)
    free = limb.places(posed, 3)
    places = np.repeat(here, 8, axis=2)
    places[..., 4:] = free[..., 4:]  # in the air the foot is where the pose has it
    pinned, miss = limb.hold(posed, places)
    assert miss.max() < 1e-6
    assert np.array_equal(pinned[..., 4:], posed[..., 4:])
    assert np.abs(limb.places(pinned, 3)[0, :3, :4] - here[0, :3]).max() < 1e-6
    hand = Limb([(0, 0, 1.4), (0.2, 0, 1.4), (0.2, -0.05, 1.7), (0.2, 0, 2.0), (0.2, 0, 2.1)])
    hanging = hand.moved(hand.still(8), 0, np.outer([0, 0, 0.01], np.arange(8.0)))
    hung, miss = hand.hold(hanging, hand.places(hand.still(), 3))
    assert miss.max() < 1e-6
    assert np.abs(hand.places(hung, 3) - hand.places(hand.still(), 3)).max() < 1e-5


@pytest.mark.parametrize("after", [AGAIN, BACK, STAY])
@pytest.mark.parametrize("between", [LINEAR, SMOOTH])
def test_the_twin_agrees_on_sets_of_any_spacing(between, after):
    rng = np.random.default_rng(3)
    samples = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 2, 6))])
    rows = 0.3 * rng.normal(size=(3, 3, 7)).astype(np.float32)
    if after == AGAIN:
        rows[..., -1] = rows[..., 0]
    held = skeletons.unit_quaternions(rng, 3).T
    frames = np.linspace(-9, 25, 333)
    turns, _ = run([(samples, rows, between, after)], held, frames)
    flat = rows.reshape(9, 7).T.astype(float)

    def changes(_, time):
        return twin.sample(samples, flat, time, smooth=between == SMOOTH, after=after).reshape(3, 3)

    wanted = twin.idle(
        changes, held.astype(float), np.ones(3), frames[None], np.zeros(1), np.ones((1, len(frames)))
    )
    assert np.abs(turns[0] - wanted).max() < 1e-6


def test_turns_beyond_half_a_turn_are_right_too():
    sets = [(np.array([0.0, 1.0]), joint([0, 1000]), LINEAR, STAY)]
    turns, _ = run(sets, about_x([0]).T, np.linspace(0, 1, 101))
    wanted = about_x(np.linspace(0, 1000, 101))
    assert np.abs(turns[0, 0] - wanted).max() < 1e-6


def clocks(cycles, *, frames=97, phase=0.0, variation=0.1, seed=5):
    time = np.arange(frames) / (frames - 1)
    phases, gains = amble_core.idle_clocks(
        time,
        np.array([float(cycles)]),
        np.array([phase]),
        np.array([variation]),
        np.array([seed], dtype=np.uint32),
    )
    return phases[0], gains[0]


def test_clocks_close_and_no_two_cycles_are_alike():
    phases, gains = clocks(5, frames=1001, variation=0.15)
    assert phases[0] == 0
    assert phases[-1] == pytest.approx(5, abs=1e-12)
    assert gains[-1] == pytest.approx(gains[0], abs=1e-6)
    assert (np.diff(phases) > 0).all()
    rate = np.diff(phases) * 1000 / 5
    assert rate[0] == pytest.approx(rate[-1], abs=5e-3)
    assert rate.min() > 0.85
    assert rate.max() < 1.15
    ends = np.interp(np.arange(6), phases, np.arange(1001.0))
    lengths = np.diff(ends)
    assert (np.abs(lengths[:, None] - lengths[None])[~np.eye(5, dtype=bool)] > 1e-3).all()
    again, _ = clocks(5, frames=1001, variation=0.15)
    other, _ = clocks(5, frames=1001, variation=0.15, seed=6)
    assert np.array_equal(again, phases)
    assert np.abs(other - phases).max() > 0.01


def test_an_even_clock_is_even():
    phases, gains = clocks(3, variation=0.0, phase=0.25)
    assert np.allclose(phases, 0.25 + 3 * np.arange(97) / 96, atol=1e-12)
    assert (gains == 1).all()
    alone, _ = clocks(1, variation=0.5)
    assert np.allclose(alone, np.arange(97) / 96, atol=1e-12)


def test_sets_that_cannot_be_are_refused():
    good = (np.array([0.0, 1.0]), joint([0, 1]), LINEAR, STAY)
    for bad, message in (
        ((np.array([0.0]), joint([0]), LINEAR, STAY), "times of set 0 must have 2 samples"),
        ((np.array([1.0, 2.0]), joint([0, 1]), LINEAR, STAY), "times of set 0 must rise from 0"),
        ((np.array([0.0, 0.0]), joint([0, 1]), LINEAR, STAY), "times of set 0 must rise from 0"),
        ((np.array([0.0, 1.0]), joint([0, 1]), 7, STAY), "rules of set 0"),
        ((np.array([0.0, 1.0]), joint([0, 1]), LINEAR, -1), "rules of set 0"),
    ):
        with pytest.raises(ValueError, match=message):
            run([bad], about_x([0]).T, [0, 1])
    with pytest.raises(ValueError, match=r"^set_times holds NaN"):
        run([good], about_x([0]).T, [0, 1], times=np.array([[[0, np.nan]]]))
    with pytest.raises(ValueError, match=r"^samples must sum"):
        amble_core.idle(
            np.array([3], dtype=np.int32), np.array([0.0, 1.0]), joint([0, 1]),
            np.zeros((0, 3, 2), dtype=np.float32), between=np.zeros(1, np.int32), after=np.zeros(1, np.int32),
            held_turns=about_x([0]).T[None].astype(np.float32), held_moves=np.zeros((1, 0, 3), np.float32),
            coefficients=np.ones((1, 1), np.float32), set_times=np.zeros((1, 1, 2)), origins=np.zeros((1, 1)),
            weights=np.ones((1, 1, 2), np.float32),
        )  # fmt: skip


def test_differences_of_a_layer_are_multiplied_turns_with_their_slopes():
    """Against a turn about one axis, whose angle and slope are known, and small ones beside large ones."""
    rng = np.random.default_rng(5)
    held = rng.normal(size=(3, 4))
    held[:2] /= np.linalg.norm(held[:2], axis=1, keepdims=True)
    axis = np.array([0.6, 0.0, -0.8])
    time = np.linspace(0, 1, 41)
    angle = np.array([[0.3], [-0.002], [0.0]]) * np.sin(2 * np.pi * time)
    slope = np.array([[0.3], [-0.002], [0.0]]) * 2 * np.pi * np.cos(2 * np.pi * time)

    def about(angle, change):
        s, c = np.sin(angle / 2), np.cos(angle / 2)
        turn = np.stack([c, *(axis[:, None, None] * s)], axis=1)
        return turn, 0.5 * change[:, None] * np.stack([-s, *(axis[:, None, None] * c)], axis=1)

    def laid(turn):
        q = np.repeat(held[:, :, None], len(time), axis=2)
        return np.stack([quat.multiply(q[k], turn[k]) for k in range(3)]).astype(np.float32)

    turn, change = about(angle, slope)
    for sign in (1, -1):  # a rotation and its negative are one
        found, changes, largest = amble_core.idle_layer(
            held.astype(np.float32), sign * laid(turn), sign * laid(change), 12.0
        )
        wanted, slopes = about(12 * angle, 12 * slope)
        np.testing.assert_allclose(found, wanted, atol=5e-6)
        np.testing.assert_allclose(changes, slopes, atol=5e-5)
        assert largest == pytest.approx(0.3, rel=1e-5)


def test_a_layer_without_differences_is_the_identity_to_the_bit():
    held = np.array([[0.5, 0.5, -0.5, 0.5], [1, 0, 0, 0]], dtype=np.float32)
    turns = np.repeat(held[:, :, None], 3, axis=2)
    found, changes, largest = amble_core.idle_layer(held, turns, np.zeros_like(turns), 64.0)
    assert (found == np.array([1, 0, 0, 0], dtype=np.float32)[:, None]).all()
    assert not changes.any()
    assert largest == 0.0


@pytest.mark.parametrize("factor", [0.0, 1e7, np.nan])
def test_a_layer_of_no_factor_is_refused(factor):
    held = np.array([[1, 0, 0, 0]], dtype=np.float32)
    turns = held[:, :, None].copy()
    with pytest.raises(ValueError, match="factor"):
        amble_core.idle_layer(held, turns, turns, factor)
