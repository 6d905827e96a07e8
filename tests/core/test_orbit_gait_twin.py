"""The orbit gait's core against its slow, obvious twin, on parts and courses as hypothesis draws them."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.core.drawn import examples
from tests.core.riders import GOINGS, SETTINGS, Part, course, land, part, ride, run
from tests.reference.orbit_gait import Rider, landed, sole

SIZES = st.floats(0.2, 2.0)
ANGLES = st.floats(-3.0, 3.0)
SHIFTS = st.floats(-1.0, 1.0)


@st.composite
def pairs(draw: st.DrawFn, values: st.SearchStrategy[float]) -> dict[str, tuple[float, float]]:
    """Slow and fast by way of going."""
    return {going: (draw(values), draw(values)) for going in GOINGS}


@st.composite
def parts(draw: st.DrawFn, before: int) -> Part:
    """A part that may be on, or echo, those before it."""
    given: dict[str, Any] = {
        "centre": [draw(SHIFTS) for _ in range(3)],
        "length": draw(pairs(SIZES)),
        "height": draw(pairs(SIZES)),
        "tilt": draw(pairs(ANGLES)),
        "on": float(draw(st.integers(-1, before - 1))),
        "rate": draw(st.floats(0.1, 2.0)),
        "phase": draw(ANGLES),
        "spin": draw(st.sampled_from([0.0, 1.3])),
        "top": float(draw(st.booleans())),
        "pace": float(draw(st.booleans())),
    }
    kind = draw(st.sampled_from(["ellipse", "line", "polygon", "echo"]))
    if kind == "line":
        given["length"], given["pace"] = 0.0, 0.0
    if kind == "polygon":
        given["corners"] = ((-0.4, 0.5), (0.5, 0.3), (0.2, -0.5), (-0.5, -0.2))
    if kind == "echo" and before:
        given |= {"curve": 2.0, "source": float(draw(st.integers(0, before - 1)))}
        given["echo"] = [draw(SHIFTS) for _ in range(3)]
    if draw(st.booleans()):
        turn = draw(ANGLES)
        given["ahead"] = (np.cos(turn), np.sin(turn), 0.0)
    return part(**given)


@st.composite
def rides(draw: st.DrawFn) -> tuple[list[Part], dict[str, Any], dict[str, float]]:
    """Parts, a course and settings."""
    riders: list[Part] = [draw(parts(k)) for k in range(draw(st.integers(1, 5)))]
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    velocity = rng.uniform(-3.0, 3.0, (6, 3))
    velocity[rng.integers(0, 6)] = 0.0
    going = course(velocity, rng.uniform(-1.0, 1.0, (6, 3)), rng.uniform(0.01, 0.2, 6), rng.uniform(-5, 5, 3))
    settings = {
        "fast": draw(st.floats(1.0, 6.0)),
        "rate": draw(st.sampled_from([0.0, 0.7])),
        "growth": draw(st.floats(0.0, 2.0)),
        "growth_time": draw(st.sampled_from([0.0, 0.3])),
        "ease": draw(st.sampled_from([0.0, 0.2])),
        "reverse": float(draw(st.booleans())),
    }
    if riders[0].row["curve"] != 2.0 and riders[0].row["forward_slow_length"] == 0.0:
        settings["rate"] = 0.7  # a leader without a length leads nowhere
    return riders, going, settings


@examples(60)
@given(drawn=rides())
def test_rides_match_the_twin(drawn):
    riders, going, given = drawn
    found = run(riders, going, **given)
    twin = Rider([(one.row, one.corners) for one in riders], dict(zip(SETTINGS, ride(**given), strict=True)))
    for f in range(len(going["dt"])):
        position, velocity, facing = (going[k][:, f] for k in ("position", "velocity", "facing"))
        places, phases = twin.step(position, velocity, facing, going["dt"][f])
        np.testing.assert_allclose(found.phase[:, f], phases, rtol=1e-9, atol=1e-12)
        # The twin's ellipse at constant speed is a polygon of 40,000 corners.
        np.testing.assert_allclose(found.tracks[:, :3, f], places, atol=5e-6)


@examples(60)
@given(seed=st.integers(0, 10_000), toe_out=st.floats(-0.6, 0.6), step=st.floats(0.1, 5.0))
def test_landings_match_the_twin(seed, toe_out, step):
    rng = np.random.default_rng(seed)
    frames = 8
    going = course(
        rng.uniform(-1.5, 1.5, (frames, 3)), rng.uniform(-1, 1, (frames, 3)), rng.uniform(0.01, 0.2, frames)
    )
    foot = [part(lands=1.0, clearance=0.08, toe_out=toe_out)]
    tracks = rng.uniform(-0.2, 0.5, (1, 6, frames))
    height = rng.uniform(-0.1, 0.1, (1, frames))
    normal = np.array([*rng.uniform(-0.5, 0.5, 2), 1.0])
    given = {"threshold": 1.5, "down": 0.03, "step": step}
    found = land(foot, going, tracks, height, normal, **given)
    settings = dict(zip(SETTINGS, ride(**given), strict=True))
    last = np.array([0.0, 0.0, 1.0])
    for f in range(frames):
        speed = float(np.linalg.norm(going["velocity"][:, f]))
        place, down = landed(tracks[0, :3, f], speed, height[0, f], normal, 0.08, settings)
        np.testing.assert_allclose(found.tracks[0, :3, f], place, atol=1e-12)
        assert found.down[0, f] == down
        last = sole(last, down, normal, going["facing"][:, f], toe_out, step * going["dt"][f])
        np.testing.assert_allclose(found.soles[0, :3, f], last, atol=1e-7)
