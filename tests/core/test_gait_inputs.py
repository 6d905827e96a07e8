"""Hard inputs of the gait: what it must take, and what it must refuse by the name of the argument."""

from typing import Any

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.bodies import OPTIONS, Figure, Walk, settings
from tests.core.drawn import examples, figures

USUAL = Figure().body()


def call(**changes: Any) -> Any:
    """A walk of a usual body, with arguments changed."""
    arguments = {
        **USUAL.arguments,
        "settings": settings(),
        "travel": False,
        "time": np.linspace(0.0, 1.0, 5),
        **changes,
    }
    return amble_core.gait(**arguments)


def changed(name: str, places: Any, value: Any) -> np.ndarray:
    """An argument of the usual body with some of its elements changed."""
    array = np.array(settings() if name == "settings" else USUAL.arguments[name])
    array[places] = value
    return array


def assert_sound(walk: Walk) -> None:
    """Finite, and turns of unit length."""
    for array in (walk.motion, walk.slope, walk.summary):
        assert np.isfinite(array).all()
    np.testing.assert_allclose(np.linalg.norm(walk.motion[:, 3:7].astype(np.float64), axis=1), 1.0, atol=1e-6)


# ---- what it must take ----


def test_no_frames_give_empty_motion_and_the_times_of_the_summary():
    bones, motion, slope, summary = call(time=np.zeros(0))
    whole = call()
    assert motion.shape == slope.shape == (len(bones), 10, 0)
    assert np.array_equal(bones, whole[0])
    times = [
        amble_core.GAIT_SUMMARY.index(name)
        for name in ("gait", "vn", "cycle", "stride", "duty", "leg_length")
    ]
    assert np.array_equal(summary[times], whole[3][times])


def test_after_a_hundred_thousand_seconds_the_walk_is_the_same():
    # The time itself is known to 1.5e-11 s there; slopes are differences over 1e-5 strides.
    cycle = USUAL.run(np.zeros(0)).figures["cycle"]
    shares = np.linspace(0.03, 0.93, 9)
    first = USUAL.run(shares * cycle)
    for strides in (-100_000, 100_000):
        late = USUAL.run((shares + strides) * cycle)
        np.testing.assert_allclose(late.motion, first.motion, rtol=0, atol=1e-6)
        np.testing.assert_allclose(late.slope, first.slope, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("time", [1e9, -1e9, 1e15, -1e15])
def test_times_beyond_all_precision_still_give_a_pose(time):
    assert_sound(USUAL.run([time], True))


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3, 1e6])
def test_legs_of_a_micron_and_of_a_thousand_kilometres_walk_alike(size):
    small, large = Figure(size=1.0).body(), Figure(size=size).body()
    time = np.linspace(0.03, 0.93, 9)
    plain = small.run(time, speed=small.speed(0.42))
    walk = large.run(time, speed=size * small.speed(0.42))
    np.testing.assert_allclose(walk.motion[:, 3:], plain.motion[:, 3:], rtol=0, atol=1e-6)
    np.testing.assert_allclose(walk.motion[:, :3] / size, plain.motion[:, :3], rtol=0, atol=1e-6)


@pytest.mark.parametrize("knee", [0.0, 1e-7, -1e-7, -5.0, -20.0, 60.0])
@pytest.mark.parametrize("vn", [0.2, 0.42])
def test_knees_straight_or_bent_backwards_or_deeply_at_rest_bend_forward_in_the_walk(knee, vn):
    body = Figure(knee=knee, toe_out=0.0).body()
    walk = body.run(np.linspace(0.0, 1.0, 40), speed=body.speed(vn))
    assert_sound(walk)
    places = walk.places()
    for side in "LR":
        hip, joint, ankle = (places[side, name] for name in ("hip", "knee", "ankle"))
        line = (ankle - hip) / np.linalg.norm(ankle - hip, axis=1)[:, None]
        out = joint - hip - line * np.sum((joint - hip) * line, axis=1)[:, None]
        assert (out[:, 0] > 0.0).all()


def test_knees_that_clearly_point_back_at_rest_do_so_in_the_walk():
    body = Figure(knee=-35.0, toe_out=0.0).body()
    walk = body.run(np.linspace(0.0, 1.0, 40), speed=body.speed(0.42))
    assert_sound(walk)
    places = walk.places()
    for side in "LR":
        hip, joint, ankle = (places[side, name] for name in ("hip", "knee", "ankle"))
        line = (ankle - hip) / np.linalg.norm(ankle - hip, axis=1)[:, None]
        out = joint - hip - line * np.sum((joint - hip) * line, axis=1)[:, None]
        assert (out[:, 0] < 0.0).all()


@pytest.mark.parametrize("shape", [{"thigh": 0.7, "shin": 0.2}, {"thigh": 0.2, "shin": 0.7}])
def test_legs_with_one_bone_much_longer_than_the_other_walk(shape):
    body = Figure(**shape).body()
    walk = body.run(np.linspace(0.0, 1.0, 40), speed=body.speed(0.3))
    assert_sound(walk)
    assert walk.figures["reach"] < 1.0


@examples(25)
@given(figure=figures(asymmetry=0.3), vn=st.floats(0.055, 0.99), values=st.data())
def test_whatever_the_body_and_the_settings_nothing_is_NaN(figure, vn, values):
    body = figure.body()
    ranges = {
        name: (low, high) for name, (_, low, high) in OPTIONS.items() if name not in ("speed", "gravity")
    }
    ranges["cycle"], ranges["step_width"] = (0.01, 10.0), (-1.0, 2.0 * body.leg)
    drawn = {name: values.draw(st.floats(low, high), label=name) for name, (low, high) in ranges.items()}
    try:
        walk = body.run(np.linspace(-1.0, 1.0, 9), True, speed=body.speed(vn), **drawn)
    except ValueError as refusal:
        assert str(refusal).startswith(("speed", "legs", *OPTIONS))  # noqa: PT017 - either is right
    else:
        assert_sound(walk)


# ---- what it must refuse ----

BONES = len(USUAL.arguments["parents"])
FAR = [BONES, 10**6, -2, -(2**31), 2**31 - 1]


@pytest.mark.parametrize("bone", FAR)
@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("spine", 0),
        ("neck", -1),
        *(("legs", (s, k)) for s in (0, 1) for k in range(4)),
        ("arms", (0, 0)),
        ("arms", (1, 1)),
    ],
)
def test_a_role_of_a_bone_that_is_not_there_is_refused_by_name(name, places, bone):
    if (name, bone) == ("arms", -2) or (name == "arms" and bone < -1 and places == (0, 0)):
        bone = BONES
    with pytest.raises(ValueError, match=f"^{name} names bone"):
        call(**{name: changed(name, places, bone)})


@pytest.mark.parametrize("bone", [*FAR, 2**40, -(2**40), 2**70])
@pytest.mark.parametrize("name", ["pelvis", "root"])
def test_a_pelvis_or_root_that_is_not_there_is_refused_by_name(name, bone):
    with pytest.raises((ValueError, TypeError), match=f"^{name} "):
        call(**{name: bone})


@pytest.mark.parametrize(
    ("name", "places"), [("pelvis", ()), ("legs", (0, 0)), ("legs", (1, 2)), ("spine", 0)]
)
def test_a_role_that_must_be_filled_is_refused_without_a_bone(name, places):
    with pytest.raises(ValueError, match=f"^{name} names bone -1"):
        call(**{name: -1 if name == "pelvis" else changed(name, places, -1)})


@pytest.mark.parametrize("value", [None, "pelvis", 1.5, np.zeros(2)], ids=repr)
@pytest.mark.parametrize("name", ["pelvis", "root"])
def test_a_pelvis_or_root_that_is_no_index_is_a_TypeError(name, value):
    with pytest.raises(TypeError, match=f"^{name} must be a whole number"):
        call(**{name: value})


bone = USUAL.bones


@pytest.mark.parametrize(
    ("name", "places", "value"),
    [
        ("parents", 5, 10**6),
        ("parents", 5, 20),
        ("parents", 5, 5),
        ("parents", 1, -5),
        ("flags", 3, 8),
        ("rest", (3, 3), 7.0),
    ],
    ids=["parent far", "parent after child", "own parent", "parent -5", "unknown flag", "bottom row"],
)
def test_a_skeleton_that_forward_kinematics_refuses_is_refused(name, places, value):
    bad = changed(name, places, value)
    channels = np.zeros((BONES, 10, 1), dtype=np.float32)
    skeleton = {key: USUAL.arguments[key] for key in ("parents", "rest", "flags")}
    with pytest.raises(ValueError, match=f"^{name}"):
        amble_core.forward_kinematics(**{**skeleton, name: bad}, channels=channels)
    with pytest.raises(ValueError, match=f"^{name}"):
        call(**{name: bad})


@pytest.mark.parametrize(
    ("name", "places", "value"),
    [
        ("legs", (0, 1), bone["spine.1"]),
        ("legs", (0, 1), bone["root"]),
        ("legs", 1, USUAL.arguments["legs"][0]),
        ("legs", (0, 3), bone["toe.R"]),
        ("legs", ..., USUAL.arguments["legs"][::-1]),
        ("arms", (0, 1), bone["upper.L"]),
        ("spine", 0, bone["thigh.L"]),
        ("spine", 1, bone["spine.0"]),
        ("neck", 0, bone["pelvis"]),
    ],
    ids=[
        "shin in the spine",
        "shin above the thigh",
        "one leg twice",
        "toe of the other foot",
        "left and right exchanged",
        "forearm is the upper arm",
        "thigh in the spine",
        "spine bone twice",
        "pelvis in the neck",
    ],
)
def test_roles_that_contradict_each_other_or_the_skeleton_are_refused_by_name(name, places, value):
    with pytest.raises(ValueError, match=f"^{name}"):
        call(**{name: changed(name, places, value)})


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("root", bone["pelvis"]),
        ("root", bone["shin.L"]),
        ("pelvis", bone["neck.1"]),
        ("pelvis", bone["foot.L"]),
    ],
    ids=["root is the pelvis", "root below the pelvis", "pelvis is the head", "pelvis is a foot"],
)
def test_a_root_or_pelvis_that_carries_nothing_is_refused_by_name(name, index):
    with pytest.raises(ValueError, match=f"^{name}"):
        call(**{name: index})


def pairs(*names: str) -> np.ndarray:
    """Followers and what they follow, by name."""
    return np.array([bone[name] for name in names], dtype=np.int32).reshape(-1, 2)


@pytest.mark.parametrize("index", FAR)
def test_a_follower_that_is_not_there_is_refused(index):
    for place in ((0, 0), (0, 1)):
        bad = pairs("toe.L", "foot.L")
        bad[place] = index
        with pytest.raises(ValueError, match=r"^followers names bone"):
            call(followers=bad)


@pytest.mark.parametrize(
    "names",
    [
        ("toe.L", "toe.R", "toe.R", "foot.R"),
        ("toe.L", "toe.L"),
        ("upper.L", "spine.0"),
    ],
    ids=["of a follower", "of itself", "with a bone on it"],
)
def test_followers_that_depend_on_each_other_or_carry_other_bones_are_refused(names):
    with pytest.raises(ValueError, match=r"^followers"):
        call(followers=pairs(*names))


@pytest.mark.parametrize("names", [("toe.L", "foot.R"), ("neck.1", "pelvis")], ids=["toe", "head"])
def test_a_follower_that_has_another_part_to_play_is_refused(names):
    with pytest.raises(ValueError, match=r"^followers"):
        call(followers=pairs(*names))


CONTROLLED = Figure(controls=True).body()


@pytest.mark.parametrize(
    ("name", "place", "other"),
    [
        *(("mixed", (0, k), None) for k in range(3)),
        *(("mixed", (0, k), "heel.L") for k in (1, 2)),
        *(("mixed", (0, k), "mix.R") for k in (1, 2)),
        ("mixed", (0, 0), "mix.R"),
        ("mixed", (0, 0), "spine.0"),
        ("followers", (0, 1), "mix.L"),
    ],
)
def test_a_bone_that_others_move_in_shares_needs_bones_of_the_body(name, place, other):
    bad = CONTROLLED.arguments[name].copy()
    bad[place] = 10**6 if other is None else CONTROLLED.bones[other]
    with pytest.raises(ValueError, match=rf"^{name}"):
        call(**{**CONTROLLED.arguments, name: bad})


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_a_share_is_from_0_to_1(share):
    with pytest.raises(ValueError, match=r"^share"):
        call(**{**CONTROLLED.arguments, "share": np.array([0.5, share])})


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.5, -1.0])
@pytest.mark.parametrize("name", ["forward", "up"])
def test_directions_that_are_not_of_unit_length_are_refused(name, factor):
    if factor == -1.0:
        pattern = r"^legs\[0\]: its "  # of unit length, but not the body's
    else:
        pattern = "^forward and up must be unit vectors at right angles"
    with pytest.raises(ValueError, match=pattern):
        call(**{name: factor * USUAL.arguments[name]})


def test_directions_that_are_not_square_to_each_other_are_refused():
    with pytest.raises(ValueError, match=r"^forward and up must be unit vectors at right angles"):
        call(forward=USUAL.arguments["up"].copy())


@pytest.mark.parametrize("ground", [0.09, 0.5, -2.0])
def test_ground_that_the_ankles_are_not_just_over_is_refused(ground):
    with pytest.raises(ValueError, match=r"^legs\[0\]: its ankle lies .* over the ground"):
        call(ground=ground)


@pytest.mark.parametrize(("joint", "other"), [("shin", "thigh"), ("foot", "shin")])
def test_a_thigh_or_shin_without_length_is_refused(joint, other):
    rest = USUAL.arguments["rest"].copy()
    rest[bone[f"{joint}.R"], :3, 3] = rest[bone[f"{other}.R"], :3, 3]
    with pytest.raises(ValueError, match=r"^legs\[1\] has a thigh or shin of \(nearly\) no length"):
        call(rest=rest)


@pytest.mark.parametrize("share", [0.0, -1.0])
def test_a_foot_that_does_not_point_forward_is_refused(share):
    soles = USUAL.arguments["soles"].copy()
    soles[1, 1] = soles[1, 0] if share else USUAL.arguments["rest"][bone["foot.R"], :3, 3]
    with pytest.raises(ValueError, match=r"^legs\[1\]: its foot must point forward"):
        call(soles=soles)


OUT_OF_RANGE = [(name, high * 1.01 + 1.0) for name, (_, _, high) in OPTIONS.items()]
OUT_OF_RANGE += [(name, low - 1.0) for name, (_, low, _) in OPTIONS.items()]


@pytest.mark.parametrize(("name", "value"), OUT_OF_RANGE)
def test_a_setting_out_of_range_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be a number from "):
        call(settings=settings(**{name: value}))


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_setting_that_is_no_number_is_refused(name, value):
    with pytest.raises(ValueError, match=r"^settings holds NaN or infinity at flat index"):
        call(settings=settings(**{name: value}))


@pytest.mark.parametrize("vn", [0.0499, 1.001, 5.0])
def test_a_speed_that_is_no_walk_is_refused_with_the_range(vn):
    with pytest.raises(ValueError, match=r"^speed is .* a walk has 0.05 to 1$"):
        USUAL.run([0.0], speed=USUAL.speed(vn))


@pytest.mark.parametrize("phase", [-0.01, 1.01])
def test_a_phase_out_of_range_is_refused(phase):
    with pytest.raises(ValueError, match=r"^leg_phase must be a number from 0 to 1"):
        call(leg_phase=np.array([0.0, phase]))


@pytest.mark.parametrize("name", ["spine", "neck"])
def test_a_trunk_of_too_many_bones_is_refused(name):
    with pytest.raises(ValueError, match=r"^spine and neck may hold up to 64 bones each"):
        call(**{name: np.full(65, bone["spine.0"], dtype=np.int32)})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"duty": 0.71}, "^duty is 0.71: .* to 0.70"),
        ({"step_width": 1.0}, "^step_width is 1: legs of length 0.98"),
    ],
)
def test_settings_that_these_legs_cannot_meet_at_this_speed_are_refused(given, words):
    body = Figure().body()
    with pytest.raises(ValueError, match=words):
        body.run(np.zeros(1), speed=body.speed(0.42), **given)


@pytest.mark.parametrize("duty", [0.52, 0.56, 0.64, 0.68])
def test_an_asked_duty_factor_moves_toe_off_and_leaves_the_feet_planted(duty):
    body = Figure().body()
    speed = body.speed(0.3)
    cycle = body.run(np.zeros(0), speed=speed, duty=duty).figures["cycle"]
    walk = body.run(np.linspace(0.0, cycle, 97), speed=speed, duty=duty)
    assert_sound(walk)
    places = walk.places()
    assert min(places[side, name][:, 2].min() for side in "LR" for name in ("heel", "ball", "tip")) > -2e-5
    down = places["L", "tip"][:, 2] < 1e-4
    assert walk.figures["duty"] == duty
    assert np.mean(down[:-1] & (np.linspace(0, 1, 97)[:-1] > walk.figures["flat"])) == pytest.approx(
        duty - walk.figures["flat"], abs=0.025
    )
