"""Journeys: the clock of the way against its twin, and what is promised of feet, knees and pelvis, seen in
the poses that the channels give. Lengths are shares of the leg's, speeds dimensionless, times seconds."""

import itertools
import time
from collections.abc import Callable
from typing import Any

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.bodies import Array, Figure
from tests.core.drawn import examples, people
from tests.core.trips import COLUMN, NEVER, NORMAL, PLACE, Run, Trip, Way, ramp, trip, way
from tests.reference import journey as twin

BODY = Figure().body()
DOWN = ("heel", "ball", "tip")


def steady(value: float) -> Callable[[Array], Array]:
    return lambda t: np.full_like(t, value)


START_STOP = ramp((0.0, 0.0), (1.5, 0.42), (3.0, 0.42), (4.5, 0.0))
PAUSE = ramp((0.0, 0.4), (1.0, 0.0), (2.0, 0.0), (3.0, 0.4))
WAYS = {
    "ahead": way(BODY, steady(0.4)),
    "slow": way(BODY, steady(0.1)),
    "circle": way(BODY, steady(0.4), steady(0.4)),
    "back": way(BODY, steady(0.3), aside=np.pi),
    "strafe": way(BODY, steady(0.3), aside=np.pi / 2.0),
    "diagonal": way(BODY, steady(0.3), steady(0.2), aside=-np.pi / 4.0),
    "on the spot": way(BODY, steady(0.0), steady(1.0)),
    "start and stop": way(BODY, START_STOP),
    "pause": way(BODY, PAUSE),
    "two walks": way(BODY, ramp((0, 0), (1, 0.3), (2, 0), (3, 0), (4, 0.4), (5, 0))),
    "one short step": way(BODY, ramp((0.0, 0.0), (0.6, 0.2), (1.2, 0.0))),
}
NAMES = st.sampled_from(sorted(WAYS))


@st.composite
def ways(draw: st.DrawFn) -> Way:
    """Ways of any kind: speeds and turns that change over seconds."""
    numbers = st.lists(st.floats(0.0, 0.6), min_size=6, max_size=6)
    speeds = [0.0 if speed < 0.15 else speed for speed in draw(numbers)]
    turns = draw(st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6))
    moments = np.linspace(-2.0, 6.0, 6)
    aside = draw(st.sampled_from([0.0, 0.0, np.pi / 4.0, -np.pi / 2.0, np.pi]))
    return way(BODY, ramp(*zip(moments, speeds, strict=True)), ramp(*zip(moments, turns, strict=True)), aside)


def inner(along: Way, frames: int = 500) -> Array:
    """Times within a way."""
    return np.linspace(along.start + 1.0, along.end - 1.0, frames)


def planted(trip: Trip, run: Run) -> list[tuple[Array, str, Array]]:
    """Every claim: the footfall, the point of the sole, and its places (frames, 3), in leg lengths."""
    places, found = run.places(), []
    for row in trip.plants:
        for name in DOWN:
            first, last = row[COLUMN[f"{name}_on"]], row[COLUMN[f"{name}_off"]]
            path = places["LR"[int(row[0])], name][(run.time >= first) & (run.time <= last)]
            if len(path) > 1:
                found.append((row, name, path / trip.body.leg))
    return found


def knee_angle(places: dict[tuple[str, str], Array], side: str) -> Array:
    thigh = places[side, "knee"] - places[side, "hip"]
    shin = places[side, "ankle"] - places[side, "knee"]
    cosine = np.sum(thigh * shin, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shin, axis=1)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


# ---- the clock of the way ----


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", WAYS)
def test_G3_feet_come_down_when_the_twin_s_phase_is_whole(name, first):
    along = WAYS[name]
    made = trip(BODY, along, first)
    leg = made.run([0.0]).figures["leg_length"]
    clock = twin.Clock(twin.Body(leg, 9.81, "walk", first), along)
    strikes = made.column("strike")
    inside = (strikes > along.start) & (strikes < along.end)
    assert inside.sum() >= 3
    phase = clock.at(strikes[inside]) - 0.5 * made.column("leg")[inside]
    np.testing.assert_allclose(phase, np.round(phase), atol=2e-6)


@examples(10)
@given(along=ways())
def test_G3_of_any_way(along):
    made = trip(BODY, along)
    clock = twin.Clock(twin.Body(made.run([0.0]).figures["leg_length"], 9.81), along)
    strikes = made.column("strike")
    inside = (strikes > along.start) & (strikes < along.end)
    phase = clock.at(strikes[inside]) - 0.5 * made.column("leg")[inside]
    np.testing.assert_allclose(phase, np.round(phase), atol=2e-5)


def test_walks_become_runs_by_the_twin_s_clock():
    along = way(BODY, ramp((0.0, 0.5), (3.0, 1.0)))
    made = trip(BODY, along, gait=2)
    clock = twin.Clock(twin.Body(made.run([0.0]).figures["leg_length"], 9.81, "auto"), along)
    strikes = made.column("strike")
    inside = (strikes > along.start) & (strikes < along.end)
    phase = clock.at(strikes[inside]) - 0.5 * made.column("leg")[inside]
    np.testing.assert_allclose(phase, np.round(phase), atol=2e-5)


def test_case_71_at_0_2_m_s_a_step_is_at_least_a_fifth_of_the_leg_and_cadence_falls_with_speed():
    cadence, length = [], []
    for speed in (0.2, 0.4, 0.8, 1.4):
        made = trip(BODY, way(BODY, steady(speed / BODY.speed(1.0))))
        strikes = np.sort(made.of(0)[1:-1, COLUMN["strike"]])
        stride = float(np.median(np.diff(strikes)))
        cadence.append(120.0 / stride)
        length.append(0.5 * speed * stride / BODY.leg)
    assert length[0] >= 0.2
    assert cadence == sorted(cadence)
    assert np.diff(np.log(length)).max() < np.log(2.0)


def test_a_cycle_that_is_set_holds_at_the_speed_that_it_is_set_for():
    made = trip(BODY, WAYS["ahead"], speed=BODY.speed(0.4), cycle=0.9)
    np.testing.assert_allclose(np.diff(made.of(1)[2:-2, COLUMN["strike"]]), 0.9, rtol=1e-9)


def test_pace_is_a_factor_on_the_rate_of_strides():
    usual, quick = (trip(BODY, way(BODY, steady(0.4), pace=pace)) for pace in (1.0, 1.3))
    strides = [np.diff(made.of(0)[2:-2, COLUMN["strike"]])[0] for made in (usual, quick)]
    assert strides[0] / strides[1] == pytest.approx(1.3, rel=1e-9)


# ---- the way of the body ----


@pytest.mark.parametrize("name", WAYS)
def test_the_track_is_the_spline_through_the_samples(name):
    along = WAYS[name]
    times = inner(along, 101)
    run = trip(BODY, along).run(times)
    for row, values in enumerate((*along.place, along.facing)):
        value, slope = twin.Spline(values, along.step)(times - along.start)
        track = (0, 1, 3)[row]
        np.testing.assert_allclose(run.track[track], value, atol=1e-9)
        np.testing.assert_allclose(run.track_slope[track], slope, atol=1e-6)
    assert not run.track[2].any()


def test_the_body_goes_straight_on_beyond_the_way():
    along = WAYS["circle"]
    run = trip(BODY, along).run(along.end + np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(
        run.track[:, 2] - run.track[:, 1], run.track[:, 1] - run.track[:, 0], atol=1e-9
    )


def test_the_ground_under_the_body_is_the_spline_through_the_footfalls():
    along = WAYS["ahead"]
    made = trip(BODY, along).stand_on(lambda x, y: 0.1 * np.sin(3.0 * x) + 0.05 * y)
    clock = twin.Clock(twin.Body(made.run([0.0]).figures["leg_length"], 9.81), along)
    strike, leg = made.column("strike"), made.column("leg")
    inside = (strike > along.start) & (strike < along.end)
    steps = np.round(2.0 * clock.at(strike[inside])).astype(int)
    assert np.array_equal(steps % 2, leg[inside].astype(int))
    heights = dict(zip(steps.tolist(), made.plants[inside, PLACE[2]].tolist(), strict=True))
    times = np.linspace(along.start + 3.0, along.end - 3.0, 23)
    want = [twin.base(heights, phase) for phase in clock.at(times)]
    np.testing.assert_allclose(made.run(times).track[2], want, atol=1e-9)


# ---- planted feet ----


@pytest.mark.parametrize("name", WAYS)
def test_what_is_claimed_to_be_on_the_ground_stays_where_it_is(name):
    # A heel is claimed until it is 5e-4 of the leg up, ball and tip until they are 5e-5.
    along = WAYS[name]
    made = trip(BODY, along)
    found = planted(made, made.run(inner(along)))
    assert len(found) >= 6
    for row, point, path in found:
        assert np.ptp(path, axis=0).max() < 6e-4, (row, point)
        assert np.abs(path[:, 2]).max() < 6e-4, (row, point)


@examples(10)
@given(figure=people(), name=NAMES)
def test_and_so_of_any_body(figure, name):
    body = figure.body()
    samples = WAYS[name]
    scale = np.sqrt(body.leg / figure.size / BODY.leg)  # of times: as gravity, so leg
    along = Way(
        samples.start * scale,
        samples.step * scale,
        samples.place * body.leg / BODY.leg,
        samples.facing,
        samples.pace,
    )
    made = trip(body, along)
    run = made.run(inner(along, 300))
    for row, point, path in planted(made, run):
        assert np.ptp(path, axis=0).max() < 1e-3, (row, point)
    assert run.reach(run.places()).max() <= 0.999


@pytest.mark.parametrize("name", WAYS)
def test_no_leg_is_drawn_out_and_no_knee_speed_jumps(name):
    along = WAYS[name]
    times = np.arange(along.start + 1.0, along.end - 1.0, 1.0 / 240.0)
    run = trip(BODY, along).run(times)
    places = run.places()
    assert run.reach(places).max() <= 0.999
    for side in "LR":
        speed = np.diff(knee_angle(places, side)) * 240.0
        assert np.abs(speed).max() < 10.0  # radians a second; people's 7 at 1.6 m/s
        assert np.abs(np.diff(speed)).max() * 240.0 < 300.0  # and 95 in a walk at 0.4


@pytest.mark.parametrize("name", WAYS)
def test_swinging_feet_stay_over_the_ground(name):
    along = WAYS[name]
    places = trip(BODY, along).run(inner(along)).places()
    assert min(places[side, point][:, 2].min() for side in "LR" for point in DOWN) > -2e-4 * BODY.leg


@examples(12)
@given(along=ways())
def test_of_any_way_legs_are_long_enough_and_all_is_finite(along):
    run = trip(BODY, along).run(inner(along, 300))
    for array in (run.motion, run.slope, run.track, run.track_slope):
        assert np.isfinite(array).all()
    places = run.places()
    assert run.reach(places).max() <= 0.999
    assert min(places[side, point][:, 2].min() for side in "LR" for point in DOWN) > -1e-3 * BODY.leg
    turns = np.linalg.norm(run.motion[:, 3:7].astype(np.float64), axis=1)
    np.testing.assert_allclose(turns, 1.0, atol=1e-6)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["start and stop", "two walks", "one short step"])
def test_a_walk_between_two_stands_begins_and_ends_with_the_feet_side_by_side(name, first):
    along = WAYS[name]
    made = trip(BODY, along, first)
    plants = made.plants
    before, after = plants[plants[:, COLUMN["strike"]] == -NEVER], plants[plants[:, COLUMN["off"]] == NEVER]
    for stand, moment in ((before, along.start), (after, along.end)):
        assert sorted(stand[:, 0]) == [0.0, 1.0]
        assert stand[0, PLACE[0]] == pytest.approx(stand[1, PLACE[0]], abs=1e-9)
        run = made.run([moment])
        middle = 0.5 * (stand[0, PLACE] + stand[1, PLACE])
        assert middle[1] == pytest.approx(run.track[1, 0], abs=1e-6 * BODY.leg)
        ankles = 0.5 * (run.places()["L", "ankle"][0] + run.places()["R", "ankle"][0])
        np.testing.assert_allclose(ankles[:2], middle[:2], atol=1e-6 * BODY.leg)
    # The foot that is asked for goes first.
    assert before[np.argmin(before[:, COLUMN["off"]]), 0] == first
    steps = [(plants[plants[:, 0] == leg][:, COLUMN["strike"]] > -NEVER).sum() for leg in (0, 1)]
    if name != "one short step":
        assert abs(int(steps[0]) - int(steps[1])) <= 1
    assert min(steps) >= 1


def test_in_a_pause_both_feet_stand_still_side_by_side():
    along = WAYS["pause"]
    made = trip(BODY, along)
    pause = [
        leg[(leg[:, COLUMN["strike"]] < 1.5) & (leg[:, COLUMN["off"]] > 1.5)] for leg in map(made.of, (0, 1))
    ]
    assert [len(rows) for rows in pause] == [1, 1]
    assert pause[0][0, PLACE[0]] == pytest.approx(pause[1][0, PLACE[0]], abs=1e-9)
    stood = made.run([1.3, 1.7])
    for key, path in stood.places().items():
        if key[1] not in ("hip", "knee"):
            assert np.abs(path[1] - path[0]).max() < 1e-6 * BODY.leg, key
    assert stood.places()["L", "knee"][0, 0] == pytest.approx(stood.places()["R", "knee"][0, 0], abs=0.01)


def test_in_a_pause_nothing_moves():
    stood = trip(BODY, WAYS["pause"]).run([1.3, 1.7])
    assert np.abs(stood.motion[..., 1] - stood.motion[..., 0]).max() < 2e-3


def test_a_body_that_never_moves_stands():
    along = way(BODY, steady(0.0))
    made = trip(BODY, along)
    assert made.plants.shape == (2, len(amble_core.JOURNEY_PLANT))
    run = made.run([along.start, 0.0, along.end])
    assert np.ptp(run.motion, axis=2).max() == 0.0
    assert not run.slope.any()


# ---- directions ----


@pytest.mark.parametrize("vn", [0.2, 0.3, 0.4, 0.6])
def test_steady_and_straight_is_the_gait_of_that_speed(vn):
    # Ahead and up; the swinging foot's way from side to side differs by up to 0.9 % of the leg, it is lifted
    # by up to 0.5 % more over level ground, and the knee goes with it.
    times = np.linspace(0.0, 2.0, 200)
    run = trip(BODY, way(BODY, steady(vn))).run(times, travel=False)
    plain = BODY.run(times, speed=BODY.speed(vn))
    assert run.figures["cycle"] == pytest.approx(plain.figures["cycle"], rel=1e-9)
    places, want = run.places(), plain.places()
    for key in want:
        apart = np.abs(places[key] - want[key]).max(axis=0) / BODY.leg
        bound = {"hip": [1e-6] * 3, "knee": [5e-3, 9e-3, 5e-3]}.get(key[1], [1e-5, 9e-3, 5e-3])
        assert (apart < bound).all(), (key, apart)


def test_half_a_stride_later_the_body_is_its_mirror_image():
    made = trip(BODY, WAYS["ahead"])
    times = np.linspace(-1.0, 1.0, 50)
    cycle = made.run([0.0]).figures["cycle"]
    now, later = (made.run(times + shift, travel=False).places() for shift in (0.0, 0.5 * cycle))
    for name in ("hip", "knee", "ankle", *DOWN):
        mirrored = later["R", name] * [1.0, -1.0, 1.0]
        np.testing.assert_allclose(now["L", name], mirrored, atol=1e-6)


def test_a_turn_to_the_right_is_the_mirror_image_of_one_to_the_left():
    left, right = (
        trip(BODY, way(BODY, steady(0.4), steady(turn)), first=1 - side)
        for side, turn in ((0, 0.5), (1, -0.5))
    )
    cycle = left.run([0.0]).figures["cycle"]
    times = np.linspace(0.0, 1.0, 40)
    seen, other = (
        left.run(times, travel=False).places(),
        right.run(times + 0.5 * cycle, travel=False).places(),
    )
    step = np.median(np.diff(left.of(0)[2:-2, COLUMN["strike"]]))
    other = right.run(times + 0.5 * step, travel=False).places()
    for name in ("hip", "knee", "ankle", *DOWN):
        np.testing.assert_allclose(seen["L", name], other["R", name] * [1.0, -1.0, 1.0], atol=1e-5)


def test_walking_back_is_walking_ahead_with_time_reversed():
    # The same length of stride: people's are shorter back.
    ahead, back = trip(BODY, way(BODY, steady(0.3), pace=1.0 / 0.85)), trip(BODY, WAYS["back"])
    one, other = ahead.of(0)[3], back.of(0)[3]
    assert other[COLUMN["off"]] - other[COLUMN["strike"]] == pytest.approx(
        one[COLUMN["off"]] - one[COLUMN["strike"]]
    )
    for point in DOWN:
        assert other[COLUMN[f"{point}_off"]] - other[COLUMN["off"]] == pytest.approx(
            one[COLUMN["strike"]] - one[COLUMN[f"{point}_on"]], abs=6e-3
        )
    shares = np.linspace(0.0, one[COLUMN["off"]] - one[COLUMN["strike"]], 60)
    seen = ahead.run(one[COLUMN["strike"]] + shares, travel=False).places()
    turned = back.run(other[COLUMN["off"]] - shares, travel=False).places()
    for name in ("heel", "ball", "tip", "ankle"):
        np.testing.assert_allclose(turned["L", name][:, 2], seen["L", name][:, 2], atol=2e-3 * BODY.leg)
        np.testing.assert_allclose(np.ptp(turned["L", name][:, 0]), np.ptp(seen["L", name][:, 0]), rtol=5e-3)


@pytest.mark.parametrize("degrees", [45, -45, 90, -90, 135])
def test_feet_that_go_aside_do_not_cross(degrees):
    along = way(BODY, steady(0.25), aside=np.radians(degrees))
    run = trip(BODY, along).run(inner(along))
    places = run.places()
    assert (places["L", "ankle"] - places["R", "ankle"])[:, 1].min() > 0.05 * BODY.leg
    plants = trip(BODY, along).plants
    assert np.ptp(plants[:, COLUMN["heading"]]) == 0.0


def test_turning_on_the_spot_the_feet_go_round_the_body():
    along = WAYS["on the spot"]
    made = trip(BODY, along)
    rows = made.plants[2:-2]
    heading, facing = rows[:, COLUMN["heading"]], 0.5 * (rows[:, COLUMN["strike"]] + rows[:, COLUMN["off"]])
    np.testing.assert_allclose(heading, facing, atol=0.35)  # it turns by a radian a second
    assert np.linalg.norm(rows[:, PLACE[:2]], axis=1).max() < 0.15 * BODY.leg
    run = made.run(inner(along))
    np.testing.assert_allclose(run.track[:2], 0.0, atol=1e-12)


# ---- ground ----


@pytest.mark.parametrize(
    ("degrees", "across"), [(15, False), (-15, False), (10, True), (20, False), (-20, False)]
)
def test_case_69_soles_lie_in_the_plane(degrees, across):
    """Within 2 degrees and 3 mm of a leg of 0.98 m while the whole sole is claimed; nothing goes under it."""
    slope = np.tan(np.radians(degrees))
    along = way(BODY, steady(0.35))
    made = trip(BODY, along).stand_on(lambda x, y: slope * (y if across else x))
    normal = np.array([0.0 if across else -slope, -slope if across else 0.0, 1.0])
    normal /= np.linalg.norm(normal)
    times = inner(along, 800)
    run = made.run(times)
    places = run.places()
    over = {key: path @ normal for key, path in places.items()}
    for row in made.plants:
        side = "LR"[int(row[0])]
        flat = (times >= max(row[COLUMN[f"{point}_on"]] for point in DOWN)) & (
            times <= min(row[COLUMN[f"{point}_off"]] for point in DOWN)
        )
        for point in DOWN:
            assert np.abs(over[side, point][flat]).max(initial=0.0) < 3e-3
        sole = (places[side, "tip"] - places[side, "heel"])[flat]
        tilt = np.degrees(np.arcsin(sole @ normal / np.linalg.norm(sole, axis=1)))
        assert np.abs(tilt).max(initial=0.0) < 2.0
    assert min(over[side, point].min() for side in "LR" for point in DOWN) > -3e-3
    assert run.reach(places).max() <= 0.999


def stair(x: Array, y: Array) -> Array:
    """Treads of 0.28, risers of 0.17, from 0.6 on."""
    return 0.17 * np.clip(np.floor((x - 0.6) / 0.28) + 1.0, 0.0, None) + 0.0 * y


def test_feet_are_lifted_over_what_lies_between_footfalls():
    along = way(BODY, steady(0.2), pace=1.4)
    times = inner(along, 1500)
    lifted = trip(BODY, along).stand_on(lambda x, y: 0.15 * (np.abs(x - 0.9) < 0.04) + 0.0 * y)
    flat = trip(BODY, along)
    over: dict[str, list[float]] = {}
    for name, made in (("lifted", lifted), ("flat", flat)):
        places = made.run(times).places()
        over[name] = []
        for side in "LR":
            for point in DOWN:
                x, _, z = places[side, point].T
                over[name].append(float(z[np.abs(x - 0.9) < 0.03].min(initial=1.0)))
    assert min(over["flat"]) < 0.1
    assert min(over["lifted"]) > 0.15 - 5e-3


def test_what_is_stood_on_later_makes_the_heights_forgotten():
    along = WAYS["ahead"]
    made = trip(BODY, along)
    times = inner(along, 60)
    before = made.run(times).motion.tobytes()
    heights = np.full(amble_core.journey_probes(made.core).shape[1:], 0.05)
    amble_core.journey_heights(made.core, heights)
    assert made.run(times).motion.tobytes() != before
    amble_core.journey_stand(made.core, made.plants)
    amble_core.journey_heights(made.core, np.zeros_like(heights))
    assert made.run(times).motion.tobytes() == before


def test_probes_lie_on_the_way_of_the_feet():
    made = trip(BODY, WAYS["ahead"])
    x, y = amble_core.journey_probes(made.core)
    moments = x.shape[1]
    assert x.shape == (len(made.plants) - 2, moments, 3)
    rows = itertools.chain(*(itertools.pairwise(made.of(leg)) for leg in (0, 1)))
    for swing, (start, end) in enumerate(rows):
        share = (np.arange(moments) + 1.0) / (moments + 1.0)
        times = start[COLUMN["off"]] + share * (end[COLUMN["strike"]] - start[COLUMN["off"]])
        inside = (times > made.way.start + 0.5) & (times < made.way.end - 0.5)
        if inside.all():
            places = made.run(times).places()
            for k, point in enumerate(DOWN):
                path = places["LR"[int(start[0])], point]
                np.testing.assert_allclose(np.stack([x, y])[:, swing, :, k], path[:, :2].T, atol=2e-5)


# ---- calls ----


@pytest.mark.parametrize("travel", [False, True])
def test_frames_alone_are_those_of_the_whole_however_they_are_cut(travel):
    made = trip(Figure(controls=True, rolls=3), WAYS["start and stop"])
    times = inner(made.way, 60)
    whole = made.run(times, travel)
    again = trip(Figure(controls=True, rolls=3), WAYS["start and stop"]).run(times, travel)
    assert whole.motion.tobytes() == again.motion.tobytes()
    for cut in (1, 7):
        parts = [made.run(times[i : i + cut], travel) for i in range(0, len(times), cut)]
        for name in ("motion", "slope", "track", "track_slope"):
            joined = np.concatenate([getattr(part, name) for part in parts], axis=-1)
            assert joined.tobytes() == getattr(whole, name).tobytes(), name
    backward = made.run(times[::-1], travel)
    assert np.ascontiguousarray(backward.motion[..., ::-1]).tobytes() == whole.motion.tobytes()


def test_in_place_is_the_travelling_body_seen_from_its_own_way():
    made = trip(BODY, WAYS["circle"])
    times = inner(made.way, 40)
    on_its_way, in_place = made.run(times), made.run(times, travel=False)
    cosine, sine = np.cos(on_its_way.track[3]), np.sin(on_its_way.track[3])
    for key, path in on_its_way.places().items():
        x, y, z = path.T - on_its_way.track[:3]
        own = np.stack([cosine * x + sine * y, cosine * y - sine * x, z], axis=1)
        np.testing.assert_allclose(in_place.places()[key], own, atol=5e-6)


def test_slopes_are_those_of_the_channels_at_half_a_turn_as_well():
    # The root is turned by half a turn at time pi: its quaternion's sign is another before than after.
    made = trip(BODY, WAYS["on the spot"])
    times, step = np.concatenate([inner(made.way, 30), np.pi + np.array([-1e-6, 0.0, 1e-6])]), 2e-3
    before, now, after = (made.run(times + shift) for shift in (-step, 0.0, step))
    q = now.motion[:, 3:7].astype(np.float64)
    turns = []
    for other in (before, after):
        r = other.motion[:, 3:7].astype(np.float64)
        turns.append(r * np.where(np.sum(q * r, axis=1, keepdims=True) < 0.0, -1.0, 1.0))
    np.testing.assert_allclose(now.slope[:, 3:7], (turns[1] - turns[0]) / (2.0 * step), atol=0.1)
    moved = (after.motion[:, :3].astype(np.float64) - before.motion[:, :3]) / (2.0 * step)
    np.testing.assert_allclose(now.slope[:, :3], moved, atol=0.01)


def test_the_cost_grows_with_frames_and_with_strides_no_more_than_in_proportion():
    def seconds(call: Callable[[], Any]) -> float:
        best = np.inf
        for _ in range(5):
            begin = time.thread_time()  # of the processor: others may be at work
            call()
            best = min(best, time.thread_time() - begin)
        return best

    made = trip(BODY, WAYS["ahead"])
    few, many = (np.linspace(-2.0, 4.0, count) for count in (300, 3000))
    made.run(few)
    assert seconds(lambda: made.run(many)) < 20.0 * seconds(lambda: made.run(few))
    short, long = (way(BODY, steady(0.4), seconds=(0.0, length)) for length in (60.0, 600.0))
    assert seconds(lambda: trip(BODY, long)) < 20.0 * seconds(lambda: trip(BODY, short))


# ---- what it must refuse ----


def make(**changes: Any) -> Any:
    """A journey along a usual way, with changed samples."""
    samples = {**WAYS["ahead"].arguments, **changes}
    return trip(BODY, Way(**samples))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"place": np.zeros((2, 0)), "facing": np.zeros(0), "pace": np.zeros(0)},
            "^place has 0 samples, a way has 3",
        ),
        ({"place": np.zeros((2, 2)), "facing": np.zeros(2), "pace": np.ones(2)}, "^place has 2 samples"),
        ({"step": 0.0}, "^step must be a number from 0.0001 to 1"),
        ({"step": 1.5}, "^step must be"),
        ({"step": np.nan}, "^step must be"),
        ({"start": np.nan}, "^start must be"),
        ({"pace": np.full(len(WAYS["ahead"].facing), 0.05)}, "^pace must be a number from 0.1 to 10"),
        ({"facing": np.zeros(5)}, "^facing must have shape"),
        ({"pace": np.ones(5)}, "^pace must have shape"),
    ],
)
def test_bad_ways_are_refused_by_name(changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)


@pytest.mark.parametrize("name", ["place", "facing", "pace"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused_by_name(name, bad):
    array = WAYS["ahead"].arguments[name].copy()
    array.flat[7] = bad
    with pytest.raises(ValueError, match=f"^{name} holds NaN"):
        make(**{name: array})


@pytest.mark.parametrize("normal", [(0.0, 0.0, 2.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_normals_that_are_no_unit_vectors_up_are_refused_and_nothing_changes(normal):
    made = trip(BODY, WAYS["ahead"])
    before = made.plants
    plants = made.plants
    plants[3, NORMAL] = normal
    plants[0, PLACE] += 1.0
    with pytest.raises(ValueError, match=r"^plants: normal 3 is no unit vector that points up"):
        amble_core.journey_stand(made.core, plants)
    assert np.array_equal(made.plants, before)


def test_what_is_no_journey_is_a_TypeError():
    for bad in (None, 1.0, object()):
        with pytest.raises(TypeError, match=r"^journey must come from journey\(\)"):
            amble_core.journey_plants(bad)


def test_speeds_that_no_gait_has_are_refused_or_taken_as_the_fastest():
    run = trip(BODY, way(BODY, steady(5.0))).run([0.0, 0.1])
    assert np.isfinite(run.motion).all()
