"""The measured human walk and run: curves and formulas, as functions of speed and leg length.

Data: addon/data/walk_adult.json and run_adult.json, where sources, licences and credits stand too. Speeds
enter as the dimensionless vn = v / sqrt(g L), with v in m/s and the leg length L (hip joint to floor) in
metres; vn^2 is the Froude number. gait: "walk" or "run", whose people are asked about.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

GRAVITY = 9.81
POINTS = 51
GAITS = ("walk", "run")
FOLDER = Path(__file__).resolve().parents[1] / "data"


@cache
def data(gait: str = "walk") -> dict[str, Any]:
    """The whole of walk_adult.json or run_adult.json."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{gait}_adult.json").read_text(encoding="utf-8"))
    return loaded


def credit() -> tuple[str, ...]:
    """The sentences of credit that go wherever the data goes."""
    return tuple(dict.fromkeys(sentence for gait in GAITS for sentence in data(gait)["credit"]))


def froude_speed(speed: float, leg_length: float) -> float:
    """vn, from a speed in m/s (0 or more) and a leg length in metres (above 0)."""
    return float(speed / np.sqrt(GRAVITY * leg_length))


@cache
def _table(name: str, what: str, gait: str) -> tuple[Floats, Floats]:
    classes = data(gait)[gait].values()
    speeds = np.array([c["vn"] for c in classes])
    return speeds, np.array([c["curves"][name][what] for c in classes], dtype=np.float64)


def curve(name: str, vn: float, what: str = "mean", gait: str = "walk") -> Floats:
    """A curve of adults at vn, float64 (51,), 0 to 100 % of the cycle from heel strike, degrees.

    name: thigh_pitch, knee_flexion, ankle_dorsiflexion or foot_pitch, of the walk also hip_flexion,
    pelvic_tilt, pelvic_obliquity or pelvic_rotation; what: "mean" or "sd". Linear in vn between 0.30, 0.42
    and 0.56, of the run between 0.55, 0.85, 1.17 and 1.7; held constant outside. Raises KeyError for another
    name.
    """
    speeds, rows = _table(name, what, gait)
    return _between(speeds, rows, vn)


def body_curve(name: str, vn: float) -> Floats:
    """A mean curve of the walk's pelvis, trunk or arm at vn, float64 (51,): degrees, or shares of leg length
    for the pelvis.

    name: pelvis_x (forward), pelvis_y (up), pelvis_z (towards the striking leg), shoulder, elbow, thorax_rot,
    trunk_pitch. Linear in vn between the three measured speeds, held constant outside. Raises KeyError for
    another name.
    """
    body = data()["body"]
    speeds = np.array([block["vn"] for block in body.values()])
    rows = np.array([block["curves"][name] for block in body.values()], dtype=np.float64)
    return _between(speeds, rows, vn)


def _between(speeds: Floats, rows: Floats, vn: float) -> Floats:
    place = float(np.interp(vn, speeds, np.arange(len(speeds))))
    low = min(int(place), len(speeds) - 2)
    share = place - low
    return (1.0 - share) * rows[low] + share * rows[low + 1]


def stride_length(vn: float, leg_length: float, gait: str = "walk") -> float:
    """Metres from one strike of a foot to its next, 2.52 vn^0.51 L (within 5 %), of a run 2.43 vn^0.79 L
    (within 12 %).
    """
    formula = data(gait)["scalars"]["stride_over_leg"]
    return float(formula["factor"] * vn ** formula["power"] * leg_length)


def cadence(vn: float, leg_length: float, gait: str = "walk") -> float:
    """Steps a minute of adults on level ground.

    Of a run by its stride. Of a walk the table (three speeds, legs of 0.88 m) linear in vn, scaled as a
    pendulum with 1/sqrt(L); outside it the nearest entry is carried on with vn^0.49, the power that belongs
    to the stride's vn^0.51.
    """
    if gait == "run":
        return 120.0 / stride_time_of_curves(vn, leg_length, gait)
    table = data()["scalars"]["cadence_steps_min"]
    speeds = np.array([froude_speed(v, table["leg_m"]) for v in table["speed_m_s"]])
    inside = float(np.clip(vn, speeds[0], speeds[-1]))
    power = 1.0 - data()["scalars"]["stride_over_leg"]["power"]
    steps = float(np.interp(inside, speeds, table["value"])) * (vn / inside) ** power
    return float(steps * np.sqrt(table["leg_m"] / leg_length))


def linear(name: str, vn: float, gait: str = "walk") -> float:
    """A scalar of the form constant + per_vn * vn.

    name: duty_factor, pelvis_vertical_over_leg or pelvis_lateral_over_leg, of the walk also
    shoulder_swing_deg or fore_aft_over_leg.
    """
    formula = data(gait)["scalars"][name]
    return float(formula["constant"] + formula["per_vn"] * vn)


def stride_time_of_curves(vn: float, leg_length: float, gait: str = "walk") -> float:
    """Seconds a stride takes the people of the curves: those of the walk make strides 8 % shorter than
    `stride_length`.
    """
    share = data()["scalars"]["stride_over_leg_adults"]["share_of_formula"] if gait == "walk" else 1.0
    speed = vn * np.sqrt(GRAVITY * leg_length)
    return float(share * stride_length(vn, leg_length, gait) / speed)


def slowest(gait: str) -> float:
    """The least dimensionless speed at which people were measured."""
    return float(_table("knee_flexion", "mean", gait)[0].min())


def knee_peaks(vn: float, leg_length: float, gait: str = "walk") -> tuple[float, float]:
    """Largest knee angular speed (degrees/s) and acceleration (degrees/s^2) of the reference at vn, both
    positive.

    The mean curve is taken as periodic (its two ends, which differ by rounding, are averaged) and
    differentiated as the trigonometric polynomial through its 50 points; phase becomes time by
    `stride_time_of_curves`. At 1.24 m/s and a leg of 0.88 m: 380 degrees/s and 7,650 degrees/s^2.
    """
    knee = curve("knee_flexion", vn, gait=gait)
    points = knee[:-1].copy()
    points[0] = 0.5 * (knee[0] + knee[-1])
    count = len(points)
    spectrum = np.fft.rfft(points)
    order = np.arange(len(spectrum))
    # The derivative of the highest harmonic is not defined by the samples: its first one is left out, its
    # second one is that of a cosine. Evaluated on a grid 40 times as fine.
    fine = 40 * count
    rate = spectrum * (2j * np.pi * order)
    rate[-1] = 0.0
    bend = spectrum * (2j * np.pi * order) ** 2
    bend[-1] *= 0.5
    speed = np.fft.irfft(rate, fine) * (fine / count)
    acceleration = np.fft.irfft(bend, fine) * (fine / count)
    stride = stride_time_of_curves(vn, leg_length, gait)
    return float(np.abs(speed).max() / stride), float(np.abs(acceleration).max() / stride**2)
