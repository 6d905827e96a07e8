"""F-curves and angles against their slow twin; tests/blender/test_action_read.py has Blender as the judge."""

import itertools
from typing import Any

import amble_core
import numpy as np
import pytest
from tests.reference import curve as twin

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]


def drawn(rng: np.random.Generator, count: int) -> dict[str, Any]:
    points = np.column_stack((np.cumsum(rng.uniform(0.3, 4.0, count)), rng.uniform(-2.0, 2.0, count)))
    return {
        "points": points.astype(np.float32),
        "left": (points - rng.uniform((0.0, -1.0), (5.0, 1.0), (count, 2))).astype(np.float32),
        "right": (points + rng.uniform((0.0, -1.0), (5.0, 1.0), (count, 2))).astype(np.float32),
        "kinds": rng.integers(0, 3, count).astype(np.int32),
    }


def joined(curves: list[dict[str, Any]], beyond: Any) -> dict[str, Any]:
    starts = np.concatenate(([0], np.cumsum([len(c["points"]) for c in curves])))
    arrays = {name: np.concatenate([c[name] for c in curves]) for name in curves[0]}
    return {"starts": starts, **arrays, "beyond": np.array(beyond, np.int32)}


def expected(curves: list[dict[str, Any]], beyond: Any, time: np.ndarray) -> np.ndarray:
    return np.array(
        [
            [
                twin.value(
                    c["points"].astype(np.float64),
                    c["left"].astype(np.float64),
                    c["right"].astype(np.float64),
                    c["kinds"],
                    rule,
                    float(np.float32(x)),
                )
                for x in time
            ]
            for c, rule in zip(curves, beyond, strict=True)
        ]
    )


def test_curves_are_those_of_the_twin():
    rng = np.random.default_rng(1)
    curves = [drawn(rng, count) for count in (1, 2, 3, 9, 9, 9, 20, 20)]
    beyond = [[k % 2, 0, 0, 0, 0] for k in range(8)]
    time = np.concatenate((rng.uniform(-5.0, 60.0, 300), curves[3]["points"][:, 0].astype(np.float64)))
    found = amble_core.sample_curves(**joined(curves, beyond), time=time)
    assert np.allclose(found, expected(curves, beyond, time), atol=5e-6)


@pytest.mark.parametrize("rounds", [0, 2])
@pytest.mark.parametrize("mode", [1, 2, 3])
def test_repeating_curves_are_those_of_the_twin(mode, rounds):
    rng = np.random.default_rng(2)
    points = np.column_stack((np.arange(0, 9, 2), rng.uniform(-1, 1, 5))).astype(np.float32)
    third = np.array([2 / 3, 0.1], np.float32)
    kinds = np.full(5, 2, np.int32)
    curves = [{"points": points, "left": points - third, "right": points + third, "kinds": kinds}]
    beyond = [[0, mode, rounds, mode, rounds]]
    time = np.setdiff1d(np.arange(-30.0, 30.0, 0.25), np.arange(-32.0, 33.0, 8.0))
    found = amble_core.sample_curves(**joined(curves, beyond), time=time)
    assert np.allclose(found, expected(curves, beyond, time), atol=2e-6)


def test_a_curve_without_keys_is_zero_and_times_may_be_in_any_order():
    none = np.zeros((0, 2), np.float32)
    beyond, kinds = np.zeros((1, 5), np.int32), np.zeros(0, np.int32)
    assert amble_core.sample_curves(
        np.array([0, 0]), none, none, none, kinds, beyond, np.array([3.0, 1.0])
    ).tolist() == [[0, 0]]
    two = np.array([[1, 10], [3, 30]], np.float32)
    linear = np.ones(2, np.int32)
    found = amble_core.sample_curves(
        np.array([0, 2]), two, two, two, linear, beyond, np.array([3.0, 2.0, 9.0, 0.0])
    )
    assert found.tolist() == [[30, 20, 30, 10]]


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("starts", np.array([0, 3]), "starts must rise from 0 to the number of keys"),
        ("starts", np.array([1, 2]), "starts must rise from 0 to the number of keys"),
        ("starts", np.array([0, -1, 2]), "starts must rise"),
        ("kinds", np.array([0, 3], np.int32), r"kinds\[1\] is 3: no kind of key"),
        (
            "points",
            np.array([[2, 0], [1, 0]], np.float32),
            r"points\[1\] lies before the key that it follows",
        ),
        ("beyond", np.array([[0, 4, 0, 0, 0]], np.int32), r"beyond\[0\] holds a rule unknown"),
        ("beyond", np.array([[0, 0, 0, 0, -1]], np.int32), r"beyond\[0\] holds a rule unknown"),
        ("time", np.array([2e7]), "time holds 2e\\+07"),
    ],
)
def test_what_is_no_curve_is_an_error(argument, value, message):
    points = np.array([[1, 0], [2, 0]], np.float32)
    sound = {
        "starts": np.array([0, 2]),
        "points": points,
        "left": points,
        "right": points,
        "kinds": np.zeros(2, np.int32),
        "beyond": np.zeros((1, 5), np.int32),
        "time": np.array([1.5]),
    }
    if argument == "starts" and len(value) == 3:
        sound["beyond"] = np.zeros((2, 5), np.int32)
    with pytest.raises(ValueError, match=message):
        amble_core.sample_curves(**{**sound, argument: value})


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_are_those_of_the_twin(order):
    angles = np.random.default_rng(4).uniform(-20.0, 20.0, (3, 50)).astype(np.float32)
    found = amble_core.quaternion_from_euler(angles, np.array(["XYZ".index(a) for a in order], np.int32))
    wanted = np.array([twin.from_euler(column, order) for column in angles.T.astype(np.float64)]).T
    assert np.abs(found - wanted).max() < 1e-7


@pytest.mark.parametrize("order", [[0, 0, 1], [0, 1, 3], [-1, 1, 2]])
def test_axes_that_are_not_three_are_an_error(order):
    with pytest.raises(ValueError, match="order must hold 0, 1 and 2 once each"):
        amble_core.quaternion_from_euler(np.zeros((3, 1), np.float32), np.array(order, np.int32))


def test_axis_and_angle():
    turn = np.array([[np.pi, 1.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [2.0, 0.0, 0.0]], np.float32)
    found = amble_core.quaternion_from_axis_angle(turn)
    wanted = [[0, 0, 0, 1], [np.cos(0.5), 0, np.sin(0.5), 0], [1, 0, 0, 0]]
    assert np.allclose(found.T, wanted, atol=1e-7)


def sum_of(curves: dict[str, Any], terms: Any, factors: Any, added: Any) -> Any:
    return amble_core.combine_curves(
        **curves,
        terms=np.array(terms, np.int32),
        factors=np.array(factors, float),
        added=np.array(added, float),
    )


def test_sums_of_curves_are_the_sums_between_their_keys_too():
    rng = np.random.default_rng(8)
    one = drawn(rng, 7)
    other = {**one, **{name: one[name].copy() for name in ("points", "left", "right")}}
    for name in ("points", "left", "right"):
        other[name][:, 1] = rng.uniform(-1, 1, 7)
    curves = joined([one, other], np.zeros((2, 5)))
    points, left, right, fits = sum_of(
        curves, [[0, 1, -1, -1], [1, -1, -1, -1]], [[2, -3, 0, 0], [-1, 0, 0, 0]], [0.5, 0]
    )
    assert fits.tolist() == [1, 1]
    made = {"starts": np.array([0, 7, 14]), "points": points, "left": left, "right": right}
    made |= {"kinds": np.tile(one["kinds"], 2), "beyond": np.zeros((2, 5), np.int32)}
    time = rng.uniform(points[0, 0], points[6, 0], 200)
    a, b = amble_core.sample_curves(**curves, time=time)
    found = amble_core.sample_curves(**made, time=time)
    assert np.allclose(found, [2 * a - 3 * b + 0.5, -b], atol=1e-5)


def test_constant_curves_fit_any_other_and_unlike_ones_do_not():
    rng = np.random.default_rng(9)
    one, other, still = drawn(rng, 5), drawn(rng, 5), drawn(rng, 3)
    for name in ("points", "left", "right"):
        still[name][:, 1] = 4.0
    later = {**one, "kinds": one["kinds"].copy()}
    later["kinds"][1] = (later["kinds"][1] + 1) % 3
    curves = joined([one, other, still, later], np.zeros((4, 5)))
    terms = [[0, 2, -1, -1], [0, 1, -1, -1], [0, 3, -1, -1], [2, 2, -1, -1]]
    points, _, _, fits = sum_of(curves, terms, np.full((4, 4), 0.5), np.zeros(4))
    assert fits.tolist() == [1, 0, 0, 1]
    assert np.allclose(points[:5, 1], 0.5 * one["points"][:, 1] + 2.0)
    assert (points[15:, 1] == 4.0).all()


@pytest.mark.parametrize("term", [[-1, 0, 0, 0], [2, -1, -1, -1], [0, -2, -1, -1]])
def test_terms_that_are_not_there_are_an_error(term):
    curves = joined([drawn(np.random.default_rng(1), 3)] * 2, np.zeros((2, 5)))
    with pytest.raises(ValueError, match=r"terms\[0\] names curve"):
        sum_of(curves, [term], np.ones((1, 4)), [0])
