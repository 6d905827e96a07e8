"""Twins of csrc/gait_curve.c: measured curves, steps, bumps, and fades as numpy polynomials, in float64."""

import re
from collections.abc import Callable
from pathlib import Path

import amble_core
import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

Array = NDArray[np.float64]
Curve = Callable[[float], float]

GAITS = ("walk", "run")
# By gait, the figures that no source gives.
TUNING: dict[str, dict[str, float]] = {
    "walk": {name: value for name, value in amble_core.GAIT_TUNING if "." not in name},
    "run": {name[4:]: value for name, value in amble_core.GAIT_TUNING if name.startswith("run.")},
}
DEGREES = np.pi / 180.0

HEADER = Path(__file__).resolve().parents[2] / "csrc" / "gait_human.h"


def read_human(gait: str) -> tuple[Array, dict[str, Array]]:
    """Speeds (n,) and, by name, the Fourier series (n, 2, harmonics + 1) of the generated header."""
    text = HEADER.read_text(encoding="utf-8")
    names = re.findall(r"HUMAN_(\w+),", text[text.index("typedef enum") : text.index("} human_curve")])
    table = re.split(rf"human_curves human_{gait}\b", text)[1].split("human_curves human_")[0]
    speeds = re.search(r"\.speed = \{([^}]*)\}", table)
    assert speeds is not None
    at = np.array(speeds.group(1).split(","), dtype=np.float64)
    numbers = np.array(re.findall(r"-?\d+\.\d+", table[speeds.end() :]), dtype=np.float64)
    values = numbers.reshape(len(names), len(at), 2, -1)
    return at, dict(zip(names, values, strict=True))


HUMAN = {gait: read_human(gait) for gait in GAITS}


def human(gait: str, name: str, vn: float, factor: float = 1.0, low: float = 0.0) -> Curve:
    """low + factor * the measured curve at a speed, as a function of the phase in strides."""
    speeds, curves = HUMAN[gait]
    cosine, sine = (
        np.array([np.interp(vn, speeds, curves[name][:, part, n]) for n in range(curves[name].shape[2])])
        for part in (0, 1)
    )

    def at(phase: float) -> float:
        turns = 2.0 * np.pi * np.arange(len(cosine)) * (phase - np.floor(phase))
        return low + factor * float(cosine @ np.cos(turns) + sine @ np.sin(turns))

    return at


def smooth_step(s: float) -> float:
    """0 to 1, the quintic without slope or curvature at its ends."""
    t = min(max(s, 0.0), 1.0)
    return 6.0 * t**5 - 15.0 * t**4 + 10.0 * t**3


def bump(s: float) -> float:
    """1 in the middle of 0 .. 1, 0 at its ends and beyond, with slope and curvature."""
    return 64.0 * s**3 * (1.0 - s) ** 3 if 0.0 < s < 1.0 else 0.0


def first_bump(s: float) -> float:
    """1 at a tenth: s^3 (1 - s)^27 over its peak."""
    return s**3 * (1.0 - s) ** 27 / (0.1**3 * 0.9**27) if 0.0 < s < 1.0 else 0.0


def late_bump(s: float) -> float:
    """1 at three quarters: s^9 (1 - s)^3 over its peak."""
    return s**9 * (1.0 - s) ** 3 / (0.75**9 * 0.25**3) if 0.0 < s < 1.0 else 0.0


def eased(x: float, ease: float) -> float:
    """0 below 0, x less and less of nothing above it."""
    return x**3 / (x**2 + ease**2) if x > 0.0 else 0.0


def central(function: Curve, at: float) -> Array:
    """Value, first and second derivative from three samples, as close to each other as the core's."""
    step = 1e-4
    before, middle, after = (function(at + k * step) for k in (-1, 0, 1))
    return np.array([middle, (after - before) / (2.0 * step), (after - 2.0 * middle + before) / step**2])


def exact(function: Curve, at: float) -> Array:
    """The same from seven samples, by formulas of sixth order."""
    step = 2.5e-4
    samples = np.array([function(at + k * step) for k in range(-3, 4)])
    first = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
    second = np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]) / 180.0
    return np.array([samples[3], first @ samples / step, second @ samples / step**2])


def hermite(start: Array, end: Array) -> Polynomial:
    """The quintic with value, slope and curvature given at 0 and 1."""
    powers = [Polynomial.basis(power) for power in range(6)]
    rows = [[p.deriv(order)(place) for p in powers] for place in (0.0, 1.0) for order in range(3)]
    return Polynomial(np.linalg.solve(np.array(rows), np.concatenate([start, end])))


def fade(start: Array, end: Array, kind: str, tuning: dict[str, float]) -> Polynomial:
    """That quintic plus what leaves its ends alone and brings it as near to 0 as the stiffness lets it."""
    quintic = hermite(start, end)
    terms = int(tuning[f"{kind}_terms"]) if kind else 0
    if terms == 0:
        return quintic
    edge, stiffness = tuning[f"{kind}_edge"], tuning[f"{kind}_stiffness"]
    s = np.arange(1, 60) / 60.0
    weight = np.clip(np.minimum(s, 1.0 - s) / edge, 0.05, 1.0)
    window = 64.0 * Polynomial([0.0, 1.0]) ** 3 * Polynomial([1.0, -1.0]) ** 3
    inner = [window * Polynomial([-1.0, 2.0]) ** n for n in range(terms)]

    def rows(p: Polynomial) -> Array:
        return np.concatenate([weight * p(s), stiffness * p.deriv(2)(s)])

    factors, *_ = np.linalg.lstsq(np.stack([rows(p) for p in inner], axis=1), -rows(quintic), rcond=None)
    return sum((f * p for f, p in zip(factors, inner, strict=True)), quintic)
