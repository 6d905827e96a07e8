"""The report on a motion: numbers measured on the evaluated armature, and what they are held to.

A figure is a field of Report. Its Figure says all about it but how it is measured, which `evaluate` does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from . import bars
from .figure import CYCLIC, GROUND, PEOPLE, RUN, WALK, WAY, Check, Figure, figures
from .score import Score

TICK, CROSS, INFO = "✓", "✗", "·"


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured; NaN where there was nothing to measure it on (a non-cyclic motion has no seam ...).

    Millimetres are scaled to a leg of 0.9 m. The table shows the figures in the order of the fields.
    score: of the mean of both legs, None where there is nothing to compare with (no biped that walks or runs,
    no whole cycle); samples: how many frames and fractions of frames were measured; problems: one sentence
    each; checks: the lines of the table; places: problem -> the frame where it is worst, where there is one.
    """

    slide_mm: Annotated[
        float,
        Figure(
            "largest distance between two places of a point within one stance in which it is claimed to be "
            "fixed, in the ground's frame",
            "Foot slide",
            "{:.2f} mm",
            bars.SLIDE_MM,
            "A planted foot slides {value}, more than {limit}.",
        ),
    ]
    slide_at_frames_mm: Annotated[float, Figure("slide_mm on whole frames alone")]
    penetration_mm: Annotated[
        float,
        Figure(
            "deepest point of a sole under the ground",
            "Foot under ground",
            "{:.2f} mm",
            bars.PENETRATION_MM,
            "A foot goes {value} under the ground, more than {limit}.",
        ),
    ]
    float_mm: Annotated[
        float,
        Figure(
            "highest claimed-fixed point over its standing height",
            "Planted foot in the air",
            "{:.2f} mm",
            bars.FLOAT_MM,
            "A foot that is claimed to stand is {value} over the ground, more than {limit}.",
        ),
    ]
    skid_mm: Annotated[
        float,
        Figure(
            "how far a point goes along the ground while it is low by its height alone, claimed or not",
            "Low foot moves",
            "{:.1f} mm",
            bars.SKID_MM,
            "A foot goes {value} along the ground while it is down by height, more than {limit}.",
        ),
    ]
    over_reach: Annotated[
        float,
        Figure(
            "largest hip-ankle distance over thigh + shin; without a knee its largest change, of the leg",
            "Leg reach",
            "{:.4f}",
            bars.OVER_REACH,
            "A leg reaches {value} of its length, over {limit}.",
        ),
    ]
    seam_position: Annotated[
        float,
        Figure(
            "from the first pose to the last, share of leg length",
            "Seam, position",
            "{:.1e} leg",
            bars.SEAM_POSITION,
            "The last pose is {value} from the first, more than {limit}.",
            needed=None,
        ),
    ]
    seam_angle_deg: Annotated[
        float,
        Figure(
            "from the first pose to the last, degrees",
            "Seam, angle",
            "{:.4f}°",
            bars.SEAM_ANGLE_DEG,
            "The last pose is turned {value} against the first, more than {limit}.",
            needed=None,
        ),
    ]
    seam_slope: Annotated[
        float,
        Figure(
            "jump of a bone's speed at the seam, share of the fastest bone's speed",
            "Seam, slope",
            "{:.2%}",
            bars.SEAM_SLOPE,
            "The speed of a bone jumps by {value} where the cycle closes, more than {limit}.",
            needed=None,
        ),
    ]
    speed_asked: Annotated[float, Figure("m/s")]
    speed_measured: Annotated[float, Figure("m/s")]
    speed_error: Annotated[
        float,
        Figure(
            "relative",
            "Speed off",
            "{:.3%}",
            bars.SPEED_ERROR,
            "The speed is {speed_measured:.4f} m/s for {speed_asked:.4f}, off by {value}.",
            "{speed_measured:.3f} of {speed_asked:.3f} m/s",
        ),
    ]
    knee_speed_peak_deg_s: Annotated[
        float, Figure("degrees/s, by central differences on quarter frames, not smoothed")
    ]
    knee_acceleration_peak_deg_s2: Annotated[float, Figure("degrees/s^2, in the same way")]
    knee_speed_ratio: Annotated[
        float,
        Figure(
            "of the peak to that of the reference curves at the same speed",
            "Knee speed",
            "{:.2f}",
            bars.KNEE_RATIO,
            "The knee turns {value} times as fast as people's, more than {limit}.",
            "of people's, {knee_speed_peak_deg_s:.0f} °/s",
            needed=(PEOPLE,),
            wider=((WAY, bars.KNEE_RATIO_ON_WAYS), (GROUND, bars.KNEE_RATIO_ON_GROUND)),
        ),
    ]
    knee_acceleration_ratio: Annotated[
        float,
        Figure(
            "of the peak to that of the reference curves at the same speed",
            "Knee acceleration",
            "{:.2f}",
            bars.KNEE_RATIO,
            "The knee is accelerated {value} times as much as people's, more than {limit}: it pops.",
            "of people's, {knee_acceleration_peak_deg_s2:.0f} °/s²",
            needed=(PEOPLE,),
            wider=(
                (RUN, bars.RUN_KNEE_ACCELERATION),
                (WAY, bars.KNEE_RATIO_ON_WAYS),
                (GROUND, bars.KNEE_RATIO_ON_GROUND),
            ),
        ),
    ]
    stride_m: Annotated[float, Figure("by height alone, metres")]
    stride_deviation: Annotated[
        float,
        Figure(
            "relative, from measured people",
            "Stride",
            "{:+.1%}",
            bars.DEVIATION,
            "The stride differs {value} from people's, more than {limit}.",
            "of people's, {stride_m:.3f} m",
            needed=(PEOPLE, CYCLIC),
        ),
    ]
    cadence_steps_min: Annotated[float, Figure("by height alone, steps/min of all legs")]
    cadence_deviation: Annotated[
        float,
        Figure(
            "relative, from measured people",
            "Cadence",
            "{:+.1%}",
            bars.DEVIATION,
            "The cadence differs {value} from people's, more than {limit}.",
            "of people's, {cadence_steps_min:.1f} steps/min",
            needed=(PEOPLE, CYCLIC),
        ),
    ]
    duty_factor: Annotated[float, Figure("by height alone, share of the cycle that a foot stands")]
    duty_deviation: Annotated[
        float,
        Figure(
            "relative, from measured people",
            "Stance share",
            "{:+.1%}",
            bars.DEVIATION,
            "The share of stance differs {value} from people's, more than {limit}.",
            "of people's, {duty_factor:.3f} of the cycle",
            needed=(PEOPLE, CYCLIC),
        ),
    ]
    duty_claimed: Annotated[float, Figure("share of the cycle that a foot is claimed to stand")]
    toe_clearance_mm: Annotated[
        float,
        Figure(
            "lowest tip in the middle half of the swing",
            "Toe clearance",
            "{:.0f} mm",
            against="usual 11 to 19 mm",
            among=(PEOPLE, WALK),
            needed=None,
        ),
    ]
    pelvis_vertical_pp: Annotated[
        float,
        Figure(
            "path of the middle of the hips, peak to peak, share of leg length",
            "Hips up and down",
            "{:.1f} %",
            against="usual {usual} of leg",
            usual="pelvis_vertical_over_leg",
            scale=100.0,
            without=(WAY, GROUND),
        ),
    ]
    pelvis_lateral_pp: Annotated[
        float,
        Figure(
            "path of the middle of the hips, peak to peak, share of leg length",
            "Hips side to side",
            "{:.1f} %",
            against="usual {usual} of leg",
            usual="pelvis_lateral_over_leg",
            scale=100.0,
            without=(WAY, GROUND),
        ),
    ]
    leg_length_m: Annotated[float, Figure("hip joint to ground, metres")]
    samples: int
    score: Score | None
    problems: tuple[str, ...]
    checks: tuple[Check, ...]
    places: Mapping[str, float] = field(default_factory=dict)

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


FIGURES = figures(Report)
Report.__doc__ = f"{Report.__doc__}\n" + "\n".join(f"    {f.name}: {f.about}" for f in FIGURES)
