"""What each measured number is held to, as lines of the report's table and as sentences of what is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

from . import reference
from . import report as bounds
from .report import Check
from .score import FEATURES, Score


@dataclass(frozen=True, slots=True)
class Held:
    """A number held to a limit: at most `limit` (by magnitude); `problem` is said, with value and limit,
    where it is not. A NaN could not be measured: that is a problem too, unless the number is not needed."""

    name: str
    value: float
    limit: float
    form: str
    problem: str
    against: str = ""
    needed: bool = True


def judge(table: list[Held | Check]) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """Lines of the table and sentences of what is wrong, in the order given."""
    checks: list[Check] = []
    problems: list[str] = []
    for line in table:
        if isinstance(line, Check):
            checks.append(line)
            continue
        if math.isnan(line.value):
            if line.needed:
                checks.append(Check(line.name, "-", "could not be measured", False))
                problems.append(f"{line.name} could not be measured: no whole stride was seen.")
            continue
        ok = abs(line.value) <= line.limit
        limit = line.form.format(line.limit)
        checks.append(Check(line.name, line.form.format(line.value), line.against or f"at most {limit}", ok))
        if not ok:
            problems.append(line.problem.format(value=line.form.format(line.value), limit=limit))
    return tuple(checks), tuple(problems)


def score_check(score: Score) -> Check:
    """The line about how human the curves are; only a bad one counts against the motion."""
    asked = len(FEATURES) - len(score.dropped)
    value = f"{score.verdict}, z {score.mean_z:.2f}"
    good = {"good": True, "bad": False}.get(score.verdict)
    return Check("Likeness to people", value, f"{len(score.passed)} of {asked} features", good)


def likeness_problems(found: Score | None) -> tuple[str, ...]:
    """A sentence where the curves are bad."""
    if found is None or found.verdict != "bad":
        return ()
    missing = ", ".join(found.failed) or "none"
    return (f"The curves are not those of a person's walk (features missing: {missing}).",)


def lines(
    numbers: dict[str, float], found: Score | None, vn: float | None, *, agree: bool, cyclic: bool
) -> list[Held | Check]:
    """The table, line by line.

    numbers: the measured fields of Report by name; vn: None where the motion is not compared with people;
    agree: whether claims and heights tell the same of the contacts.
    """
    n = numbers
    people = vn is not None

    def about(name: str) -> str:
        return f"usual {100.0 * reference.linear(name, vn):.1f} % of leg" if vn is not None else ""

    table: list[Held | Check] = [
        Held(
            "Foot slide",
            n["slide_mm"],
            bounds.SLIDE_MM,
            "{:.2f} mm",
            "A planted foot slides {value}, more than {limit}.",
        ),
        Held(
            "Foot under ground",
            n["penetration_mm"],
            bounds.PENETRATION_MM,
            "{:.2f} mm",
            "A foot goes {value} under the ground, more than {limit}.",
        ),
        Held(
            "Planted foot in the air",
            n["float_mm"],
            bounds.FLOAT_MM,
            "{:.2f} mm",
            "A foot that is claimed to stand is {value} over the ground, more than {limit}.",
        ),
        Held(
            "Low foot moves",
            n["skid_mm"],
            bounds.SKID_MM,
            "{:.1f} mm",
            "A foot goes {value} along the ground while it is down by height, more than {limit}.",
        ),
        Check("Contacts as seen", "yes" if agree else "no", "by height alone", agree),
        Held(
            "Leg reach",
            n["over_reach"],
            bounds.OVER_REACH,
            "{:.4f}",
            "A leg reaches {value} of its length, over {limit}.",
        ),
        Held(
            "Seam, position",
            n["seam_position"],
            bounds.SEAM_POSITION,
            "{:.1e} leg",
            "The last pose is {value} from the first, more than {limit}.",
            needed=False,
        ),
        Held(
            "Seam, angle",
            n["seam_angle_deg"],
            bounds.SEAM_ANGLE_DEG,
            "{:.4f}°",
            "The last pose is turned {value} against the first, more than {limit}.",
            needed=False,
        ),
        Held(
            "Seam, slope",
            n["seam_slope"],
            bounds.SEAM_SLOPE,
            "{:.2%}",
            "The speed of a bone jumps by {value} where the cycle closes, more than {limit}.",
            needed=False,
        ),
        Held(
            "Speed off",
            n["speed_error"],
            bounds.SPEED_ERROR,
            "{:.3%}",
            f"The speed is {n['speed_measured']:.4f} m/s for {n['speed_asked']:.4f}, off by {{value}}.",
            f"{n['speed_measured']:.3f} of {n['speed_asked']:.3f} m/s",
        ),
        Held(
            "Knee speed",
            n["knee_speed_ratio"],
            bounds.KNEE_RATIO,
            "{:.2f}",
            "The knee turns {value} times as fast as people's, more than {limit}.",
            f"of people's, {n['knee_speed_peak_deg_s']:.0f} °/s",
            needed=people,
        ),
        Held(
            "Knee acceleration",
            n["knee_acceleration_ratio"],
            bounds.KNEE_RATIO,
            "{:.2f}",
            "The knee is accelerated {value} times as much as people's, more than {limit}: it pops.",
            f"of people's, {n['knee_acceleration_peak_deg_s2']:.0f} °/s²",
            needed=people,
        ),
        Held(
            "Stride",
            n["stride_deviation"],
            bounds.DEVIATION,
            "{:+.1%}",
            "The stride differs {value} from people's, more than {limit}.",
            f"of people's, {n['stride_m']:.3f} m",
            needed=people and cyclic,
        ),
        Held(
            "Cadence",
            n["cadence_deviation"],
            bounds.DEVIATION,
            "{:+.1%}",
            "The cadence differs {value} from people's, more than {limit}.",
            f"of people's, {n['cadence_steps_min']:.1f} steps/min",
            needed=people and cyclic,
        ),
        Held(
            "Stance share",
            n["duty_deviation"],
            bounds.DEVIATION,
            "{:+.1%}",
            "The share of stance differs {value} from people's, more than {limit}.",
            f"of people's, {n['duty_factor']:.3f} of the cycle",
            needed=people and cyclic,
        ),
    ]
    if not math.isnan(n["toe_clearance_mm"]):
        table.append(
            Check(
                "Toe clearance",
                f"{n['toe_clearance_mm']:.0f} mm",
                "usual 11 to 19 mm" if people else "",
                None,
            )
        )
    vertical, lateral = (f"{100.0 * n[key]:.1f} %" for key in ("pelvis_vertical_pp", "pelvis_lateral_pp"))
    table += [
        Check("Hips up and down", vertical, about("pelvis_vertical_over_leg"), None),
        Check("Hips side to side", lateral, about("pelvis_lateral_over_leg"), None),
    ]
    if found is not None:
        table.append(score_check(found))
    return table
