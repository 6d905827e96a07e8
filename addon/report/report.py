"""The report on a motion: numbers measured on the evaluated armature, and what they are held to."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from .score import Score

# What a good motion keeps to; lengths in millimetres for a leg of 0.9 m, scaled with the leg.
SLIDE_MM = 1.0
PENETRATION_MM = 1.0
# A claimed plant that hangs in the air does not touch; rest poses stand on their ground within about this.
FLOAT_MM = 3.0
# A foot that rolls stays within a few millimetres of one place while it is low; more is skating outside the
# claims.
SKID_MM = 25.0
OVER_REACH = 0.999
SEAM_POSITION = 1e-5
SEAM_ANGLE_DEG = 0.01
SEAM_SLOPE = 0.01
SPEED_ERROR = 0.001
KNEE_RATIO = 1.3
DEVIATION = 0.10
REFERENCE_LEG_M = 0.9

TICK, CROSS, INFO = "✓", "✗", "·"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report: what, measured value, what it is held to or compared with; ok None = for
    information.
    """

    name: str
    value: str
    against: str
    ok: bool | None


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured; NaN where there was nothing to measure it on (a non-cyclic motion has no seam ...).

    Millimetres are scaled to a leg of 0.9 m. slide_mm: largest distance between two places of a point within
    one stance in which it is claimed to be fixed, in the ground's frame; slide_at_frames_mm: the same on
    whole frames alone; penetration_mm: deepest point of a sole under the ground; float_mm: highest
    claimed-fixed point over its standing height; skid_mm: how far a point goes along the ground while it is
    low by its height alone, claimed or not; over_reach: largest hip-ankle distance over thigh + shin;
    seam_position: share of leg length, seam_angle_deg, seam_slope: share of the fastest bone's speed at the
    seam; speeds in m/s, speed_error relative; knee peaks by central differences on quarter frames, not
    smoothed, their ratios to the reference curves at the same speed; stride_m, cadence_steps_min, duty_factor
    by height alone, each with its relative deviation from measured people; toe_clearance_mm: lowest tip in
    the middle half of the swing; pelvis_vertical_pp, pelvis_lateral_pp: path of the middle of the hips, peak
    to peak, shares of leg length; score: of the mean of both legs, None where there is nothing to compare
    with (no walking biped, no whole cycle); problems: one sentence each; checks: the lines of the table.
    """

    slide_mm: float
    slide_at_frames_mm: float
    penetration_mm: float
    float_mm: float
    skid_mm: float
    over_reach: float
    seam_position: float
    seam_angle_deg: float
    seam_slope: float
    speed_asked: float
    speed_measured: float
    speed_error: float
    knee_speed_peak_deg_s: float
    knee_acceleration_peak_deg_s2: float
    knee_speed_ratio: float
    knee_acceleration_ratio: float
    stride_m: float
    stride_deviation: float
    cadence_steps_min: float
    cadence_deviation: float
    duty_factor: float
    duty_deviation: float
    duty_claimed: float
    toe_clearance_mm: float
    pelvis_vertical_pp: float
    pelvis_lateral_pp: float
    leg_length_m: float
    samples: int
    score: Score | None
    problems: tuple[str, ...]
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold; NaN becomes None."""
        plain: dict[str, Any] = _plain({"ok": self.ok, **asdict(self)})
        return plain

    def table(self) -> str:
        """A small aligned table, a tick or a cross where a line is held to something, then the problems."""
        rows = [
            (c.name, c.value, c.against, INFO if c.ok is None else TICK if c.ok else CROSS)
            for c in self.checks
        ]
        name, value, against = (max(len(row[k]) for row in rows) for k in range(3))
        lines = [f"{mark} {a:<{name}}  {b:>{value}}  {c:<{against}}".rstrip() for a, b, c, mark in rows]
        return "\n".join([*lines, *(f"{CROSS} {problem}" for problem in self.problems)])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
