"""How far a generated walk or run is from the measured one, curve by curve and feature by feature.

The method and its marks are those of the reference collection (addon/data/walk_adult.json, "scoring"): root
mean square difference, the same in standard deviations, correlation, and eleven features such as the knee's
two bumps. Real people reach the marks of "good"; recorded clips on game skeletons reach "mocap"; a sine on
every joint reaches neither. A run is held to what 46 runners, each left out in turn, are from the others: 95
in a hundred of them are inside (addon/data/run_adult.json, "scoring").
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from .reference import POINTS, Floats, curve, data

CURVES = ("thigh_pitch", "knee_flexion", "ankle_dorsiflexion", "foot_pitch")
FEATURES = (
    "knee_ic",
    "knee_loading_peak",
    "knee_double_bump",
    "knee_swing_peak",
    "ankle_early_drop",
    "ankle_rocker_peak",
    "ankle_pushoff",
    "thigh_range",
    "foot_ic",
    "foot_flat",
    "foot_toeoff",
)
SLOW_VN = 0.25
SLOW_DROPPED = frozenset({"knee_loading_peak", "knee_double_bump", "thigh_range"})

# Angles are compared as whole records of 0.1 degree; a curve that varies less than this has no shape to
# correlate.
FLAT_DEG = 1e-6

_CYCLE = np.linspace(0.0, 100.0, POINTS)


@dataclass(frozen=True, slots=True)
class CurveScore:
    """One curve against the reference: rms in degrees, z = rms in standard deviations, r = Pearson
    correlation (NaN for a constant curve), shape = rms in degrees after the mean difference is taken off."""

    rms: float
    z: float
    r: float
    shape: float


@dataclass(frozen=True, slots=True)
class Score:
    """The result of `score`. mean_z: mean z of thigh, knee and ankle; passed, failed: features, of a run
    the curves inside and outside runners' limits; verdict: "good", "mocap" or "bad", of a run "good" where
    every curve is inside, else "bad"; excellent: good, mean_z at most 1 and at most one feature missing;
    dropped: features not asked of a slow walk; gait: "walk" or "run"."""

    vn: float
    curves: dict[str, CurveScore]
    mean_z: float
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    dropped: tuple[str, ...]
    verdict: str
    excellent: bool
    gait: str = "walk"


def score(curves: Mapping[str, npt.ArrayLike], vn: float, gait: str = "walk") -> Score:
    """Score the four curves of a gait at speed vn (v / sqrt(g L), above 0).

    curves: thigh_pitch, knee_flexion, ankle_dorsiflexion and foot_pitch in degrees, each over one cycle from
    heel strike (0 %) to the next strike of the same foot (100 %), both ends included; 51 points, or any other
    number from 3, which is resampled linearly. Average both legs before. Signs: "conventions" in
    walk_adult.json. Raises BadSetting for a missing curve, a shape other than (points,), values that are not
    finite, or vn <= 0.
    """
    if not (math.isfinite(vn) and vn > 0.0):
        raise BadSetting(f"vn is {vn}: give the speed over sqrt(g times leg length), a number above 0.")
    given = {name: _curve(curves, name) for name in CURVES}
    scores = {
        name: _compare(given[name], curve(name, vn, gait=gait), curve(name, vn, "sd", gait))
        for name in CURVES
    }
    mean_z = float(np.mean([scores[name].z for name in CURVES[:3]]))
    if gait == "run":
        return _run_score(float(vn), scores, mean_z)
    slow = vn < SLOW_VN
    dropped = SLOW_DROPPED if slow else frozenset()
    found = features(given, slow=slow)
    asked = [name for name in FEATURES if name not in dropped]
    passed = tuple(name for name in asked if found[name])
    verdict = _verdict(scores, len(passed), len(asked))
    return Score(
        vn=float(vn),
        curves=scores,
        mean_z=mean_z,
        passed=passed,
        failed=tuple(name for name in asked if not found[name]),
        dropped=tuple(name for name in FEATURES if name in dropped),
        verdict=verdict,
        excellent=verdict == "good" and mean_z <= 1.0 and len(passed) >= len(asked) - 1,
    )


def _run_score(vn: float, scores: dict[str, CurveScore], mean_z: float) -> Score:
    inside = {name: inside_limits(name, found) for name, found in scores.items()}
    good = all(inside.values())
    return Score(
        vn=vn,
        curves=scores,
        mean_z=mean_z,
        passed=tuple(name for name in CURVES if inside[name]),
        failed=tuple(name for name in CURVES if not inside[name]),
        dropped=(),
        verdict="good" if good else "bad",
        excellent=good and mean_z <= 1.0,
        gait="run",
    )


def inside_limits(name: str, found: CurveScore) -> bool:
    """Whether a run's curve is as near to runners' mean as 95 in a hundred of them are, in every figure."""
    limits = data("run")["scoring"]["limits"][name]
    near = all(getattr(found, figure) <= limits[f"{figure}_p95"] for figure in ("rms", "z", "shape"))
    return near and found.r >= limits["r_p05"]


def features(curves: Mapping[str, Floats], *, slow: bool = False) -> dict[str, bool]:
    """Which of the eleven features four curves of 51 points show, by name, all of them whatever the speed.

    slow: allow the smaller swing of knee and foot seen below vn 0.25 (the caller drops three features there).
    """
    thigh, knee, ankle, foot = (np.asarray(curves[name], dtype=np.float64) for name in CURVES)
    loading, loading_at = _largest(knee, 6, 24)
    swing, swing_at = _largest(knee, 0, 100)
    rocker, rocker_at = _largest(ankle, 20, 58)
    pushoff, pushoff_at = _smallest(ankle, 50, 78)
    back, back_at = _smallest(thigh, 0, 100)
    toeoff, _ = _smallest(foot, 50, 78)
    # Points two per cent apart: their number in the first 60 %, times 2, is the share of the cycle.
    flat_share = 2.0 * np.count_nonzero(np.abs(foot[_CYCLE <= 60.0]) <= 7.0)
    return {
        "knee_ic": -8.0 <= knee[0] <= 14.0,
        "knee_loading_peak": 6.0 <= loading <= 28.0
        and 6.0 <= loading_at <= 22.0
        and loading >= knee[0] + 3.0,
        "knee_double_bump": _smallest(knee, 26, 50)[0] <= loading - 4.0,
        "knee_swing_peak": (40.0 if slow else 52.0) <= swing <= 76.0 and 68.0 <= swing_at <= 80.0,
        "ankle_early_drop": ankle[0] - _smallest(ankle, 0, 12)[0] >= 2.0,
        "ankle_rocker_peak": 5.0 <= rocker <= 24.0 and 34.0 <= rocker_at <= 54.0,
        "ankle_pushoff": -26.0 <= pushoff <= -3.0 and 58.0 <= pushoff_at <= 72.0 and pushoff <= rocker - 14.0,
        "thigh_range": 34.0 <= thigh.max() - back <= 60.0 and 44.0 <= back_at <= 60.0,
        "foot_ic": 8.0 <= foot[0] <= 36.0,
        "foot_flat": 20.0 <= flat_share <= 56.0,
        "foot_toeoff": -85.0 <= toeoff <= (-30.0 if slow else -45.0),
    }


def _curve(curves: Mapping[str, npt.ArrayLike], name: str) -> Floats:
    if name not in curves:
        raise BadSetting(f'The curve "{name}" is missing: give {", ".join(CURVES)}.')
    values = np.asarray(curves[name], dtype=np.float64)
    if values.ndim != 1 or len(values) < 3:
        raise BadSetting(f'The curve "{name}" has shape {values.shape}: give one row of at least 3 values.')
    if not np.all(np.isfinite(values)):
        raise BadSetting(f'The curve "{name}" holds a value that is not finite: give degrees.')
    if len(values) == POINTS:
        return values
    return np.interp(_CYCLE, np.linspace(0.0, 100.0, len(values)), values)


def _compare(given: Floats, mean: Floats, sd: Floats) -> CurveScore:
    off = given - mean
    r = math.nan if np.ptp(given) < FLAT_DEG else float(np.corrcoef(given, mean)[0, 1])
    return CurveScore(
        rms=float(np.sqrt(np.mean(off**2))),
        z=float(np.sqrt(np.mean((off / sd) ** 2))),
        r=r,
        shape=float(np.std(off)),
    )


def _window(low: float, high: float) -> npt.NDArray[np.intp]:
    return np.flatnonzero((low <= _CYCLE) & (high >= _CYCLE))


def _largest(values: Floats, low: float, high: float) -> tuple[float, float]:
    """Largest value between two per cents of the cycle, and its per cent."""
    inside = _window(low, high)
    at = inside[np.argmax(values[inside])]
    return float(values[at]), float(_CYCLE[at])


def _smallest(values: Floats, low: float, high: float) -> tuple[float, float]:
    value, at = _largest(-values, low, high)
    return -value, at


def _verdict(scores: Mapping[str, CurveScore], passed: int, asked: int) -> str:
    """ "good", "mocap" or "bad". Where features are dropped, the same share of the rest is asked for."""
    marks = data()["scoring"]["pass_marks"]
    enough_good, enough_mocap = (math.ceil(n * asked / len(FEATURES)) for n in (9, 7))
    # Written so that a NaN correlation fails.
    close = all(
        scores[name].rms <= marks["rms_max"][name] and scores[name].r >= marks["r_min"][name]
        for name in CURVES
    )
    if close and passed >= enough_good:
        return "good"
    if scores["foot_pitch"].rms <= 11.0 and scores["knee_flexion"].r >= 0.7 and passed >= enough_mocap:
        return "mocap"
    return "bad"
