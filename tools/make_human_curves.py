"""Writes csrc/gait_human.h, the harmonics of the measured curves that the gaits are built from.

    python tools/make_human_curves.py && make format

Source of the figures, with credits: addon/data/walk_adult.json and run_adult.json. A curve of 51 points over
one stride becomes a Fourier series of a few harmonics: smooth to every derivative, closed over the stride,
and cheap to evaluate at any phase.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
GAITS = ("walk", "run")
HARMONICS = 8

# Name in C, block of the file, curve, harmonics kept (of 1..8), in degrees (False) or as a shape of peak to
# peak 1 and mean 0 (True).
CURVES = (
    ("THIGH_PITCH", "legs", "thigh_pitch", "all", False),
    ("KNEE_FLEXION", "legs", "knee_flexion", "all", False),
    ("FOOT_PITCH", "legs", "foot_pitch", "all", False),
    ("PELVIS_LIST", "pelvis", "pelvic_obliquity", "odd", False),
    ("PELVIS_TURN", "pelvis", "pelvic_rotation", "odd", False),
    ("PELVIS_SIDE", "body", "pelvis_z", "odd", True),
    ("PELVIS_FORE", "body", "pelvis_x", "two", True),
    ("THORAX_TURN", "body", "thorax_rot", "odd", False),
    ("SHOULDER", "body", "shoulder", "low", True),
    ("ELBOW", "body", "elbow", "low", True),
)
# Left and right are half a stride apart, so what both legs carry has even harmonics only, and what one side
# does the mirror image of the other odd ones only; the rest is noise of the measurement. Arms are kept to two
# harmonics.
KEPT = {"all": range(HARMONICS + 1), "odd": range(1, HARMONICS + 1, 2), "two": (2,), "low": (0, 1, 2)}


def harmonics(points: np.ndarray, kept: str, shape: bool) -> np.ndarray:
    """(9,) complex: value(u) = real(sum_n c[n] exp(2 pi i n u)) from 51 points, the last as the first."""
    spectrum = np.fft.rfft(points[:50])[: HARMONICS + 1] / 50
    spectrum[1:] *= 2
    spectrum[[n for n in range(HARMONICS + 1) if n not in KEPT[kept]]] = 0
    if shape:
        spectrum[0] = 0
        u = np.arange(400) / 400
        values = np.real(np.exp(2j * np.pi * np.outer(u, np.arange(HARMONICS + 1))) @ spectrum)
        spectrum /= np.ptp(values)
        if kept == "low":  # 0 .. 1, so that a range can be laid over it
            spectrum[0] = -values.min() / np.ptp(values)
    return spectrum


def measured(data: dict[str, Any], gait: str, block: str, curve: str) -> tuple[list[float], np.ndarray]:
    """Speeds, and a curve of 51 points at each of them. What stands there once is for every speed."""
    if block == "legs" or curve in data[gait][next(iter(data[gait]))]["curves"]:
        classes = list(data[gait].values())
        return [c["vn"] for c in classes], np.array([c["curves"][curve]["mean"] for c in classes])
    if "curves" in data["body"]:
        return [0.0], np.array([data["body"]["curves"][curve]])
    classes = list(data["body"].values())
    return [c["vn"] for c in classes], np.array([c["curves"][curve] for c in classes])


def table(data: dict[str, Any], gait: str) -> list[str]:
    """The lines of one gait's table."""
    speeds = [c["vn"] for c in data[gait].values()]
    lines = [
        f"static const human_curves human_{gait} = {{",
        f"    .speeds = {len(speeds)},",
        "    .speed = {" + ", ".join(map(repr, speeds)) + "},",
        "    .series = {",
    ]
    for name, block, curve, kept, shape in CURVES:
        lines.append(f"    {{ /* {name} */")
        at, points = measured(data, gait, block, curve)
        for vn in speeds:
            here = np.array([np.interp(vn, at, column) for column in points.T])
            c = harmonics(here, kept, shape)
            rows = ["{" + ", ".join(f"{x + 0.0:.5f}" for x in part) + "}" for part in (c.real, -c.imag)]
            lines.append("     {" + ",\n      ".join(rows) + "},")
        lines.append("    },")
    return [*lines, "    },", "};"]


def main() -> None:
    """Writes the header beside the other sources of the core."""
    files = {
        gait: json.loads((ROOT / f"addon/data/{gait}_adult.json").read_text(encoding="utf-8"))
        for gait in GAITS
    }
    lines = [
        "/* Measured walking and running of adults as Fourier series. Made by tools/make_human_curves.py",
        " * from addon/data/walk_adult.json and run_adult.json, which hold sources, licences and credits:",
        " * leg curves of the walk Fukuchi, Fukuchi, Duarte 2018, of the run Fukuchi, Duarte, Ferber and",
        " * Fukuchi, Fukuchi, Duarte 2017 (CC BY 4.0), body curves measured from clips of mocap.cs.cmu.edu.",
        " * Do not edit.",
        " *",
        " * value(u) = sum over n of cosine[n] cos(2 pi n u) + sine[n] sin(2 pi n u); u = 0 at heel strike",
        " * of the curve's own side. Degrees; SHOULDER and ELBOW as 0 .. 1 of their range, PELVIS_SIDE and",
        " * PELVIS_FORE as a shape with peak to peak 1. */",
        "#ifndef AMBLE_GAIT_HUMAN_H",
        "#define AMBLE_GAIT_HUMAN_H",
        "",
        f"enum {{ HUMAN_SPEEDS = {max(len(files[g][g]) for g in GAITS)}, HUMAN_HARMONICS = {HARMONICS} }};",
        "",
        "typedef enum human_curve {",
        *[f"    HUMAN_{name}," for name, *_ in CURVES],
        "    HUMAN_CURVES",
        "} human_curve;",
        "",
        "typedef struct human_curves {",
        "    int speeds;",
        "    double speed[HUMAN_SPEEDS]; /* v / sqrt(g L), rising */",
        "    /* [curve][speed][0: cosine, 1: sine][harmonic] */",
        "    double series[HUMAN_CURVES][HUMAN_SPEEDS][2][HUMAN_HARMONICS + 1];",
        "} human_curves;",
    ]
    for gait in GAITS:
        lines += ["", *table(files[gait], gait)]
    lines += ["", "#endif", ""]
    (ROOT / "csrc/gait_human.h").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
