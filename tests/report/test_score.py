"""The scorer against the table of scored walks in the reference collection, every row that its curves can
rebuild.

The collection keeps curves to a tenth of a degree and made its table from unrounded ones; so rms may differ
by 0.05 degrees, z, r and mean z by 0.02.
"""

import json
import math

import numpy as np
import pytest
from amble.errors import BadSetting
from amble.report.reference import curve, data
from amble.report.score import CURVES, FEATURES, score

THIGH, KNEE, ANKLE, FOOT = CURVES
PHASE = np.linspace(0.0, 2.0 * np.pi, 51)
SHORT = dict(zip(CURVES, ("thigh", "knee", "ankle", "foot"), strict=True))
VERDICTS = {"good": "good", "bad": "bad", "mocap-skeleton grade": "mocap"}


def mean_at(vn):
    return {name: curve(name, vn) for name in CURVES}


def legs(thigh, knee, ankle):
    """Four curves; the foot's pitch follows from the three joints above it."""
    thigh, knee, ankle = (np.asarray(row, dtype=float) + np.zeros(51) for row in (thigh, knee, ankle))
    return {THIGH: thigh, KNEE: knee, ANKLE: ankle, FOOT: thigh - knee + ankle}


def harmonics(row, count):
    spectrum = np.fft.rfft(row[:-1])
    spectrum[count + 1 :] = 0.0
    kept = np.fft.irfft(spectrum, 50)
    return np.append(kept, kept[0])


def late(row, points):
    rolled = np.roll(row[:-1], points)
    return np.append(rolled, rolled[0])


def sine_hips():
    thigh = curve(THIGH, 0.42)
    return 0.5 * (thigh.max() + thigh.min()) + 0.5 * np.ptp(thigh) * np.cos(PHASE)


def rebuilt(name, collection):
    """The curves of a row of the table."""
    mean = mean_at(0.42)
    if name.startswith("Winter"):
        winter = {k: np.array(v["mean"]) for k, v in collection["walk_winter_natural"]["curves"].items()}
        return legs(winter["hip"], winter["knee_flexion"], winter["ankle_dorsiflexion"])
    if name.startswith("Schwartz"):
        block = collection["walk_children_schwartz"]["free" if "free" in name else "very_slow"]["curves"]
        child = {k: np.array(v["mean"]) for k, v in block.items()}
        thigh = child["hip_flexion"] - child["pelvic_tilt"]
        return legs(thigh, child["knee_flexion"], child["ankle_dorsiflexion"])
    if "straight legs" in name:
        return legs(sine_hips(), 0.0, 0.0)
    if "best-fit sine" in name:
        return {k: harmonics(v, 1) for k, v in mean.items()}
    if name.startswith("two harmonics"):
        return {k: harmonics(v, 2) for k, v in mean.items()}
    if name.startswith("three harmonics"):
        return {k: harmonics(v, 3) for k, v in mean.items()}
    if "half amplitude" in name:
        return {k: v.mean() + 0.5 * (v - v.mean()) for k, v in mean.items()}
    if "10 % late" in name:
        knee = late(mean[KNEE], 5)
        return mean | {KNEE: knee, FOOT: mean[FOOT] - (knee - mean[KNEE])}
    if "crouch" in name:
        return mean | {THIGH: mean[THIGH] + 12.0, KNEE: mean[KNEE] + 25.0, ANKLE: mean[ANKLE] + 13.0}
    raise KeyError(name)


ROWS = (
    "Winter natural cadence",
    "Schwartz 2008 free",
    "Schwartz 2008 very slow",
    "BAD straight legs",
    "BAD best-fit sine",
    "two harmonics",
    "three harmonics",
    "BAD half amplitude",
    "BAD knee 10 % late",
    "BAD knees never straight",
)


@pytest.fixture(scope="module")
def collection(data_dir):
    return json.loads((data_dir / "gait_reference.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("start", ROWS)
def test_row_of_the_table_has_its_rms_z_r_features_and_verdict(start, collection):
    (row,) = (r for r in collection["scoring"]["tests"] if r["name"].startswith(start))
    made = score(rebuilt(row["name"], collection), row["vn"])
    for name, short in SHORT.items():
        want = row[short]
        got = made.curves[name]
        assert got.rms == pytest.approx(want["rms"], abs=0.05), name
        assert got.shape == pytest.approx(want["shape"], abs=0.05), name
        assert got.z == pytest.approx(want["z"], abs=0.02), name
        if want["r"] is None:
            assert math.isnan(got.r), name
        else:
            assert got.r == pytest.approx(want["r"], abs=0.011), name
    assert made.mean_z == pytest.approx(row["mean_z"], abs=0.02)
    # The table lists every feature; a slow walk is not asked for all of them, nor to their full size.
    if row["vn"] >= 0.25:
        assert list(made.failed) == row["failed"]
        assert f"{len(made.passed)}/11" == row["features"]
    else:
        assert set(made.failed) <= set(row["failed"])
    assert made.verdict == VERDICTS[row["verdict"]]


def test_sine_knees_0_to_60_on_sine_hips_are_bad_by_their_foot_pitch_and_features():
    hips = 1.45 + 19.85 * np.cos(PHASE + 0.2 * np.pi)
    made = score(legs(hips, 30.0 + 30.0 * np.cos(PHASE - 2.0 * np.pi * 0.73), 0.0), 0.42)
    assert made.curves[KNEE].rms == pytest.approx(16.83, abs=0.01)
    assert made.curves[KNEE].shape == pytest.approx(13.73, abs=0.01)
    assert made.curves[KNEE].r == pytest.approx(0.78, abs=0.005)
    assert made.curves[FOOT].rms == pytest.approx(21.25, abs=0.3)
    assert set(made.passed) == {"knee_double_bump", "knee_swing_peak", "foot_flat", "foot_toeoff"}
    assert made.verdict == "bad"


@pytest.mark.parametrize("vn", [0.30, 0.36, 0.42, 0.5, 0.56, 0.7])
def test_the_reference_itself_scores_zero_and_excellent(vn):
    made = score(mean_at(vn), vn)
    assert made.mean_z == 0.0
    assert made.verdict == "good"
    assert made.excellent
    # At the slow end the knee's two bumps of the mean itself are only 3.7 degrees apart.
    assert made.failed == (("knee_double_bump",) if vn == 0.30 else ())
    assert all(c.rms == 0.0 and c.r == pytest.approx(1.0) for c in made.curves.values())


def test_a_constant_offset_is_the_rms_and_leaves_no_difference_of_shape():
    curves = mean_at(0.42)
    curves[KNEE] = curves[KNEE] + 4.0
    made = score(curves, 0.42)
    assert made.curves[KNEE].rms == pytest.approx(4.0)
    assert made.curves[KNEE].shape == pytest.approx(0.0, abs=1e-12)


def test_curves_of_another_number_of_points_are_resampled():
    often, seldom = np.linspace(0, 100, 501), np.linspace(0, 100, 51)
    fine = {k: np.interp(often, seldom, v) for k, v in mean_at(0.42).items()}
    assert all(c.rms < 1e-12 for c in score(fine, 0.42).curves.values())


def test_below_vn_025_three_features_are_not_asked_and_a_small_swing_is_allowed():
    curves = mean_at(0.2)
    curves[KNEE] = curves[KNEE] * 0.75
    assert curves[KNEE].max() < 52.0
    made = score(curves, 0.2)
    assert made.dropped == ("knee_loading_peak", "knee_double_bump", "thigh_range")
    assert "knee_swing_peak" in made.passed
    assert "knee_swing_peak" in score(curves, 0.3).failed


def test_too_few_features_are_not_good_however_close_the_curves_are():
    curves = mean_at(0.42)
    # Bent at the strike: no rise to the loading peak.
    curves[KNEE] = curves[KNEE] + np.where(np.arange(51) < 2, 14.5, 0.0)
    made = score(curves, 0.42)
    assert made.failed == ("knee_ic", "knee_loading_peak")
    assert made.verdict == "good"
    curves[ANKLE] = np.minimum(curves[ANKLE], 4.9)  # no rocker
    made = score(curves, 0.42)
    assert made.failed == ("knee_ic", "knee_loading_peak", "ankle_rocker_peak")
    assert made.verdict == "mocap"
    assert made.curves[ANKLE].rms < 6.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({KNEE: None}, "missing"),
        ({KNEE: np.zeros((2, 51))}, "shape"),
        ({KNEE: np.zeros(2)}, "shape"),
        ({KNEE: np.full(51, np.nan)}, "finite"),
        ({KNEE: np.full(51, np.inf)}, "finite"),
    ],
)
def test_a_curve_that_cannot_be_scored_is_an_error_with_its_name(change, message):
    curves = mean_at(0.42) | change
    if curves[KNEE] is None:
        del curves[KNEE]
    with pytest.raises(BadSetting, match=rf"knee_flexion.*{message}"):
        score(curves, 0.42)


@pytest.mark.parametrize("vn", [0.0, -0.1, math.nan, math.inf])
def test_a_speed_that_is_none_is_an_error(vn):
    with pytest.raises(BadSetting, match="vn"):
        score(mean_at(0.42), vn)


def test_every_feature_of_the_data_is_scored():
    assert tuple(data()["scoring"]["features"]) == FEATURES


# ---- runs ----


def run_curves(vn: float) -> dict[str, np.ndarray]:
    return {name: curve(name, vn, gait="run") for name in CURVES}


@pytest.mark.parametrize("vn", [0.55, 0.85, 1.17, 1.7])
def test_runners_own_curves_are_excellent(vn):
    found = score(run_curves(vn), vn, "run")
    assert (found.gait, found.verdict, found.excellent) == ("run", "good", True)
    assert found.passed == CURVES
    assert found.mean_z == pytest.approx(0.0, abs=1e-9)


def test_a_run_is_held_to_every_limit_of_every_curve():
    limits = data("run")["scoring"]["limits"]
    for name in CURVES:
        for off in (0.97, 1.03):
            given = run_curves(0.85)
            # A shift is all in rms and z, none in shape and correlation.
            sd = curve(name, 0.85, "sd", "run")
            z_of_one = float(np.sqrt(np.mean(1.0 / sd**2)))
            shift = off * min(limits[name]["rms_p95"], limits[name]["z_p95"] / z_of_one)
            given[name] = given[name] + shift
            found = score(given, 0.85, "run")
            assert found.failed == (() if off < 1.0 else (name,))
            assert found.verdict == ("good" if off < 1.0 else "bad")
        given = run_curves(0.85)
        given[name] = np.roll(given[name][:-1], 5)[np.arange(51) % 50]  # a tenth of the stride late
        assert name in score(given, 0.85, "run").failed


def test_a_walk_is_no_run_and_a_run_no_walk():
    walk = {name: curve(name, 0.56) for name in CURVES}
    assert score(walk, 0.85, "run").verdict == "bad"
    assert score(run_curves(0.85), 0.56).verdict == "bad"


def test_two_single_runners_are_like_the_run_of_their_speed(data_dir):
    runs = json.loads((data_dir / "gait_reference.json").read_text(encoding="utf-8"))["run"]
    for name in ("cmu09_3p5", "hamner_3p6"):
        own = {key: np.array(curve["mean"]) for key, curve in runs[name]["curves"].items()}
        given = {
            "thigh_pitch": own["foot_pitch"] - own["ankle"] + own["knee"],
            "knee_flexion": own["knee"],
            "ankle_dorsiflexion": own["ankle"],
            "foot_pitch": own["foot_pitch"],
        }
        found = score(given, 1.17, "run")
        limits = data("run")["scoring"]["limits"]
        assert all(found.curves[key].rms <= limits[key]["rms_p95"] for key in CURVES)
