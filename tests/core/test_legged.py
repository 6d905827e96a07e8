"""Gaits on any number of legs: footfalls against their twin, feet that stand, a trunk thrown by its legs,
legs that reach, and what must be refused (requirements G10, G12, G17)."""

from __future__ import annotations

import itertools
from typing import Any

import amble_core
import numpy as np
import pytest
from tests.core.animals import HIP, Animal, G, Row, gaits, posed, settings, steady
from tests.reference import legged as twin

COLUMN = {name: k for k, name in enumerate(amble_core.FOOTFALL)}
FOUR = gaits(4)
# By hand from the reference of gaits: LH, LF, RH, RF.
PHASES = {
    "walk": (0.0, 0.25, 0.5, 0.75),
    "amble": (0.0, 0.2, 0.5, 0.7),
    "trot": (0.0, 0.5, 0.5, 0.0),
    "pace": (0.0, 0.0, 0.5, 0.5),
    "canter": (0.3, 0.58, 0.0, 0.3),
    "gallop": (0.0, 0.5, 0.1, 0.6),
    "rotary gallop": (0.0, 0.6, 0.1, 0.5),
    "bound": (0.0, 0.5, 0.0, 0.5),
    "pronk": (0.0, 0.0, 0.0, 0.0),
}
DUTIES = {
    "walk": (0.60, 0.75),
    "amble": (0.45, 0.60),
    "trot": (0.33, 0.5),
    "pace": (0.3, 0.5),
    "canter": (0.35, 0.50),
    "gallop": (0.18, 0.34),
    "rotary gallop": (0.18, 0.34),
    "bound": (0.2, 0.5),
    "pronk": (0.2, 0.35),
}
FEET_DOWN = {(6, "tripod"): 3, (6, "ripple"): 4, (6, "wave"): 5, (8, "wave"): 6, (4, "walk"): 2}


def laid(animal: Animal, preset: Row, froude: float, **given: float) -> tuple[dict[str, Any], Any, float]:
    """Arguments, footfalls, and strides a second of a gait at a Froude number."""
    speed = float(np.sqrt(froude * G * HIP))
    duty = preset.duty(froude)
    rate = speed / (HIP * preset.stride(froude))
    way = steady(preset.phases, duty, speed, rate)
    arguments = {**animal.arguments, "settings": settings(**given), **way}
    return arguments, amble_core.legged_plan(**arguments), rate


@pytest.mark.parametrize("name", PHASES)
def test_G17_presets_of_four_legs_are_those_of_the_reference(name: str) -> None:
    row = FOUR[name]
    assert np.allclose(row.phases, PHASES[name], atol=0.02)
    low, high = DUTIES[name]
    duty = row.duty(row.usual)
    assert low - 0.03 <= duty <= high + 0.03


def test_duty_of_the_trot_is_that_of_horses() -> None:
    assert np.allclose(
        [FOUR["trot"].duty(froude) for froude in (0.5, 0.75, 1.0)], [0.47, 0.44, 0.39], atol=0.03
    )


@pytest.mark.parametrize(("legs", "name"), [(legs, name) for legs in (2, 4, 6, 8) for name in gaits(legs)])
def test_feet_come_down_and_leave_when_the_gait_says(legs: int, name: str) -> None:
    row = gaits(legs)[name]
    animal = Animal(legs // 2)
    arguments, falls, rate = laid(animal, row, row.usual)
    duty = arguments["duty"][0, 0]
    down = np.zeros(4000, dtype=int)
    shares = (np.arange(4000) + 0.5) / 4000
    for leg in range(legs):
        own = falls[falls[:, COLUMN["leg"]] == leg]
        strike, off = own[:, COLUMN["strike"]] * rate, own[:, COLUMN["off"]] * rate
        apart = strike - row.phases[leg]
        assert np.abs(apart - np.round(apart)).max() < 1e-6
        assert np.abs(off - strike - duty).max() < 1e-6
        down += np.mod(shares - row.phases[leg], 1.0) < duty
    assert down.min() >= FEET_DOWN.get((legs, name), 0)


def test_footfalls_of_a_changing_gait_are_those_of_the_twin() -> None:
    animal = Animal(2)
    arguments, _, _ = laid(animal, FOUR["walk"], 0.18)
    count = len(arguments["rate"])
    times = arguments["start"] + arguments["step"] * np.arange(count)
    ease = 0.5 + 0.5 * np.tanh((times - 3.0) / 1.0)
    rows = np.array([[0.0, 0.25, 0.5, 0.75], [-0.125, 0.375, 0.375, 0.875]])
    arguments["rate"] = 0.9 + 0.6 * ease
    arguments["offset"] = np.ascontiguousarray(rows[0][:, None] + (rows[1] - rows[0])[:, None] * ease)
    arguments["duty"] = np.tile(0.66 - 0.2 * ease, (4, 1))
    falls = amble_core.legged_plan(**arguments)
    fine = np.linspace(times[0], times[-1], 20 * count)
    phase = np.concatenate([[0.0], np.cumsum(0.5 * (arguments["rate"][1:] + arguments["rate"][:-1]) * 0.01)])
    phase = np.interp(fine, times, phase - np.interp(0.0, times, phase))
    for leg in range(4):
        offset = np.interp(fine, times, arguments["offset"][leg])
        duty = np.interp(fine, times, arguments["duty"][leg])
        own = falls[falls[:, COLUMN["leg"]] == leg]
        strikes = twin.crossings(fine, phase, offset, 0.0 * duty)
        offs = twin.crossings(fine, phase, offset, duty)
        assert np.abs(strikes[: len(own)] - own[:, COLUMN["strike"]]).max() < 1e-4
        assert np.abs(offs[-len(own) :] - own[:, COLUMN["off"]]).max() < 1e-4


@pytest.mark.parametrize("name", PHASES)
def test_a_foot_that_stands_keeps_its_place(name: str) -> None:
    animal = Animal(2)
    arguments, falls, _ = laid(animal, FOUR[name], FOUR[name].usual)
    times = np.linspace(0.0, 2.0, 241)
    pose, (_, _, _, lack) = posed(animal, arguments, falls, times)
    assert lack.max() < 1e-9
    for leg, tip in enumerate(animal.tips):
        foot = animal.names.index(f"leg{leg}.3")
        local = np.array(tip) - animal.heads[foot]
        places = np.einsum("ijf,j->fi", pose[foot, :, :3], local) + pose[foot, :, 3].T
        seen = 0
        for row in falls[falls[:, COLUMN["leg"]] == leg]:
            inside = (times >= row[COLUMN["strike"]]) & (times <= row[COLUMN["off"]])
            seen += int(inside.sum())
            # The body's origin lies under the pelvis, 0.6 behind the armature's.
            stand = row[[COLUMN["x"], COLUMN["y"], COLUMN["z"]]] + [-0.6, 0.0, 0.0]
            assert np.abs(places[inside] - stand).max(initial=0.0) < 2e-6 * max(1.0, np.abs(places).max())
        assert seen > 20
        assert places[:, 2].min() > -1e-5


@pytest.mark.parametrize("name", ["walk", "trot", "pace", "bound", "pronk"])
def test_symmetric_gaits_are_equal_left_and_right(name: str) -> None:
    animal = Animal(2)
    row = FOUR[name]
    arguments, falls, rate = laid(animal, row, row.usual)
    later = (row.phases[2] - row.phases[0]) / rate
    times = np.linspace(0.0, 1.0 / rate, 33)
    left, _ = posed(animal, arguments, falls, times, travel=False)
    right, _ = posed(animal, arguments, falls, times + later, travel=False)
    for pair in (0, 1):
        for k in range(4):
            a = left[animal.names.index(f"leg{pair}.{k}"), :, 3]
            b = right[animal.names.index(f"leg{pair + 2}.{k}"), :, 3]
            assert np.abs(a - b * [[1.0], [-1.0], [1.0]]).max() < 2e-5


@pytest.mark.parametrize(("name", "froude"), [("walk", 0.3), ("trot", 0.7), ("pronk", 0.7)])
def test_the_trunk_is_thrown_by_its_legs(name: str, froude: float) -> None:
    animal = Animal(2)
    row = FOUR[name]
    arguments, falls, rate = laid(animal, row, froude, turn=0.0, sway=0.0)
    times = np.linspace(0.0, 1.0 / rate, 65)[:-1]
    pose, _ = posed(animal, arguments, falls, times, travel=False)
    hips = [pose[animal.names.index(f"leg{leg}.0"), 2, 3] for leg in (0, 2)]
    height = np.mean(hips, axis=0)
    phases = np.array(row.phases)
    duty = float(arguments["duty"][0, 0])
    expected = twin.rise(phases[[0, 2]], duty, times * rate, G / rate**2)
    most = 0.16 * HIP
    expected = most * expected / np.sqrt(most**2 + expected**2)
    # Hips lie below the axis that the trunk pitches about, which moves them by little.
    assert np.ptp(expected) > 0.01
    assert np.abs((height - height.mean()) - (expected - expected.mean())).max() < 0.004


def test_a_body_in_the_air_falls_freely() -> None:
    row = FOUR["pronk"]
    duty, rate = 0.34, 1.6
    phase = np.linspace(duty + 0.12, 0.88, 40)
    height = twin.rise(np.array(row.phases), duty, phase, G / rate**2)
    falling = np.gradient(np.gradient(height, phase / rate), phase / rate)[3:-3]
    assert np.abs(falling / -G - 1.0).max() < 0.35
    assert abs(falling.mean() / -G - 1.0) < 0.1


def test_legs_reach_at_most_as_far_as_they_may() -> None:
    animal = Animal(2)
    for name in ("walk", "gallop", "bound"):
        arguments, falls, rate = laid(animal, FOUR[name], FOUR[name].usual, reach=0.97)
        pose, _ = posed(animal, arguments, falls, np.linspace(0.0, 1.0 / rate, 200))
        for leg in range(4):
            bones = [animal.names.index(f"leg{leg}.{k}") for k in range(4)]
            whole = sum(
                float(np.linalg.norm(animal.heads[b] - animal.heads[a])) for a, b in itertools.pairwise(bones)
            )
            apart = np.linalg.norm(pose[bones[3], :, 3] - pose[bones[0], :, 3], axis=0)
            assert apart.max() <= 0.975 * whole


def test_joints_keep_the_side_that_they_bend_to() -> None:
    animal = Animal(2)
    arguments, falls, rate = laid(animal, FOUR["gallop"], 5.0)
    pose, _ = posed(animal, arguments, falls, np.linspace(0.0, 1.0 / rate, 100), travel=False)
    for leg in range(4):
        joints = np.array([pose[animal.names.index(f"leg{leg}.{k}"), :, 3] for k in range(4)])
        ways = np.diff(joints, axis=0)
        for k, sense in ((1, 1.0), (2, -1.0)):  # the knee's axis points left, the hock's right
            across = ways[k - 1][2] * ways[k][0] - ways[k - 1][0] * ways[k][2]
            assert (sense * across > 0.0).all()


def test_G12_a_body_that_stands_has_all_feet_on_the_ground() -> None:
    animal = Animal(2)
    arguments, _, _ = laid(animal, FOUR["walk"], 0.18)
    count = len(arguments["rate"])
    times = arguments["start"] + arguments["step"] * np.arange(count)
    speed = 1.3 * np.clip(times - 2.0, 0.0, 1.0) * np.clip(8.0 - times, 0.0, 1.0)
    arguments["place"][0] = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]))]) * 0.01
    arguments["rate"] = speed / 1.3
    falls = amble_core.legged_plan(**arguments)
    moments = np.array([0.0, 1.0, 9.5, 11.0])
    pose, (_, _, _, lack) = posed(animal, arguments, falls, moments)
    assert lack.max() < 1e-9
    for leg, tip in enumerate(animal.tips):
        foot = animal.names.index(f"leg{leg}.3")
        local = np.array(tip) - animal.heads[foot]
        heights = np.einsum("jf,j->f", pose[foot, 2, :3], local) + pose[foot, 2, 3]
        assert np.abs(heights).max() < 1e-5


# The phase at which a body stands may be that of a touch-down, of a lift-off, or any other.
@pytest.mark.parametrize("share", [0.0, 1.0, 0.5, 1.02, -0.02])
@pytest.mark.parametrize("when", ["before it starts", "after it stopped"])
def test_no_foot_jumps_where_a_body_stands(when: str, share: float) -> None:
    animal = Animal(2)
    arguments, _, _ = laid(animal, FOUR["walk"], 0.18)
    times = arguments["start"] + arguments["step"] * np.arange(len(arguments["rate"]))
    speed = 1.3 * np.clip(times - 2.0, 0.0, 1.0) * np.clip(8.0 - times, 0.0, 1.0)
    gone = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]))]) * 0.01
    arguments["place"][0] = gone
    arguments["rate"] = speed / 1.3
    stood = 0.0 if when == "before it starts" else float(gone[-1]) / 1.3
    arguments["offset"] += stood - arguments["offset"][0, 0] - share * arguments["duty"][0, 0]
    falls = amble_core.legged_plan(**arguments)
    for leg in range(4):
        own = falls[falls[:, COLUMN["leg"]] == leg]
        swing = own[1:, COLUMN["strike"]] - own[:-1, COLUMN["off"]]
        assert swing.min() > 0.5 * np.sqrt(HIP / G) - 1e-9
    moments = np.arange(0.0, 10.0, 1.0 / 240.0)
    pose, (_, _, _, lack) = posed(animal, arguments, falls, moments)
    assert lack.max() < 1e-9
    for leg, tip in enumerate(animal.tips):
        foot = animal.names.index(f"leg{leg}.3")
        local = np.array(tip) - animal.heads[foot]
        places = np.einsum("ijf,j->fi", pose[foot, :, :3], local) + pose[foot, :, 3].T
        assert np.abs(places[(moments < 1.9) | (moments > 8.1), 2]).max() < 1e-5
        # A stride is 1.3 long: in the shortest swing, at 15/8 of its mean speed.
        most = 1.3 * 15.0 / 8.0 / (0.5 * np.sqrt(HIP / G))
        assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() * 240.0 < most


def test_G10_both_feet_of_a_hop_leave_together() -> None:
    row = gaits(2)["hop"]
    assert row.phases == (0.0, 0.0)
    animal = Animal(1)
    arguments, falls, rate = laid(animal, row, row.usual)
    pose, _ = posed(animal, arguments, falls, np.linspace(0.0, 1.0 / rate, 50), travel=False)
    left, right = (pose[animal.names.index(f"leg{leg}.3"), :, 3] for leg in (0, 1))
    assert np.abs(left - right * [[1.0], [-1.0], [1.0]]).max() < 1e-5
    assert left[2].max() > 0.1


def test_every_frame_is_the_same_alone() -> None:
    animal = Animal(2)
    arguments, falls, _ = laid(animal, FOUR["canter"], 1.9)
    times = np.linspace(0.0, 1.0, 9)
    _, (motion, slope, track, _) = posed(animal, arguments, falls, times)
    for k in (0, 4, 8):
        _, (one, bent, place, _) = posed(animal, arguments, falls, times[k : k + 1])
        assert np.array_equal(one[..., 0], motion[..., k])
        assert np.array_equal(bent[..., 0], slope[..., k])
        assert np.array_equal(place[:, 0], track[:, k])


def test_slopes_are_the_derivatives_of_the_motion() -> None:
    animal = Animal(2)
    arguments, falls, _ = laid(animal, FOUR["walk"], 0.18)
    step = 1e-3
    for time in (0.11, 0.47, 0.83):
        _, (motion, slope, _, _) = posed(animal, arguments, falls, [time - step, time, time + step])
        differences = (motion[..., 2].astype(np.float64) - motion[..., 0]) / (2.0 * step)
        assert np.abs(differences - slope[..., 1]).max() < 0.02 * np.abs(slope).max()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duty": 0.99}, "duty"),
        ({"rate": -1.0}, "rate"),
        ({"parts": "no pelvis"}, "pelvis"),
        ({"parts": "twice"}, "parts"),
        ({"girdles": "gap"}, "girdles"),
        ({"parts": "no legs"}, "leg 0"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    animal = Animal(2)
    arguments, _, _ = laid(animal, FOUR["walk"], 0.18)
    for name, value in change.items():
        array = arguments[name].copy()
        if value == "no pelvis":
            array = np.array([row for row in array if row[1] != 1], dtype=np.int32)
            arguments["weight"] = np.zeros(len(array))
        elif value == "no legs":
            array = np.array([row for row in array if row[1] != 6 or row[2] != 0], dtype=np.int32)
            arguments["weight"] = np.zeros(len(array))
        elif value == "twice":
            array[3] = array[2]
        elif value == "gap":
            array[:] = np.where(array == 0, 2, array)
        else:
            array[:] = value
        arguments[name] = array
    with pytest.raises(ValueError, match=message):
        amble_core.legged_plan(**arguments)
