"""The core's run against runners, by the marks of the report."""

import numpy as np
import pytest
from amble.report import reference, score
from tests.core.bodies import Array, Figure
from tests.core.test_gait_feet import Stride
from tests.core.test_gait_run import PEOPLES, running


def pitch(upper: Array, lower: Array) -> Array:
    line = lower - upper
    return np.degrees(np.arctan2(line[:, 0], -line[:, 2]))


def curves_of(s: Stride, side: str) -> dict[str, Array]:
    """The four curves that are scored, from heel strike to heel strike."""
    order = np.argsort(s.u[side])
    hip, knee, ankle = (s.places[side, name][order] for name in ("hip", "knee", "ankle"))
    turned = s.turn(f"foot.{side}")[order]
    sole = s.walk.body.soles[side, "ball"] - s.walk.body.soles[side, "heel"]
    along = turned @ (sole / np.linalg.norm(sole))
    thigh, shin = pitch(hip, knee), pitch(knee, ankle)
    foot = np.degrees(np.arctan2(along[:, 2], np.hypot(along[:, 0], along[:, 1])))
    found = {
        "thigh_pitch": thigh,
        "knee_flexion": thigh - shin,
        "ankle_dorsiflexion": foot - shin,
        "foot_pitch": foot,
    }
    return {name: np.append(row, row[0]) for name, row in found.items()}


@pytest.mark.parametrize("vn", [0.77, 0.85, 1.0, 1.17])
@pytest.mark.parametrize("figure", [Figure(), Figure(thigh=0.43, shin=0.42, heel=0.05, ball=0.12, tip=0.19)])
def test_the_curves_are_inside_runners_limits(figure, vn):
    s = running(figure, vn, frames=300)
    for side in "LR":
        found = score.score(curves_of(s, side), vn, "run")
        assert found.verdict == "good", found


@pytest.mark.parametrize("vn", PEOPLES)
def test_no_runners_knee_pops(vn):
    s = running(Figure(), vn, frames=400)
    knee = curves_of(s, "L")["knee_flexion"][:-1]
    step = s.figures["cycle"] / 400
    speed = (np.roll(knee, -1) - np.roll(knee, 1)) / (2.0 * step)
    bend = (np.roll(knee, -1) - 2.0 * knee + np.roll(knee, 1)) / step**2
    most = reference.knee_peaks(vn, s.figures["leg_length"], "run")
    assert np.abs(speed).max() < 1.3 * most[0]
    assert np.abs(bend).max() < 1.3 * most[1]
