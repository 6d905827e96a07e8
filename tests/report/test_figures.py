"""How the measured numbers become lines of the table and sentences."""

from __future__ import annotations

import math

import pytest
from amble.report.figure import CYCLIC, PEOPLE, Check, Figure, Motion
from amble.report.lines import judge
from amble.report.report import FIGURES

WALK = Motion(vn=0.45, cyclic=True)
BARRED = [figure for figure in FIGURES if figure.bar is not None]


def test_a_number_over_its_bar_gets_a_cross_and_its_sentence():
    slide = next(figure for figure in FIGURES if figure.name == "slide_mm")
    assert slide.judge({"slide_mm": 2.0}, WALK) == (
        Check("Foot slide", "2.00 mm", "at most 1.00 mm", False),
        "A planted foot slides 2.00 mm, more than 1.00 mm.",
    )
    assert slide.judge({"slide_mm": 1.0}, WALK) == (
        Check("Foot slide", "1.00 mm", "at most 1.00 mm", True),
        "",
    )


@pytest.mark.parametrize("figure", BARRED, ids=[figure.name for figure in BARRED])
def test_every_bar_missed_gives_a_sentence_of_its_own(figure: Figure):
    numbers = dict.fromkeys((f.name for f in FIGURES), 0.0)
    numbers[figure.name] = -100.0
    checks, problems = judge(numbers, WALK, None, agree=True)
    assert [check.name for check in checks if check.ok is False] == [figure.label]
    assert len(problems) == 1
    assert figure.form.format(-100.0 * figure.scale) in problems[0]


def test_a_number_that_is_not_measured_is_a_problem_only_where_it_is_needed():
    stride = Figure("", "Stride", bar=1.0, needed=(PEOPLE, CYCLIC), name="stride")
    missing = {"stride": math.nan}
    assert stride.judge(missing, WALK) == (
        Check("Stride", "-", "could not be measured", False),
        "Stride could not be measured: no whole stride was seen.",
    )
    assert stride.judge(missing, Motion(vn=None, cyclic=True)) == (None, "")
    assert stride.judge(missing, Motion(vn=0.45, cyclic=False)) == (None, "")


def test_people_are_named_only_where_the_motion_is_compared_with_them():
    hips = next(figure for figure in FIGURES if figure.name == "pelvis_vertical_pp")
    check, _ = hips.judge({"pelvis_vertical_pp": 0.0449}, WALK)
    assert check == Check("Hips up and down", "4.5 %", "usual 3.9 % of leg", None)
    check, _ = hips.judge({"pelvis_vertical_pp": 0.0449}, Motion(vn=None, cyclic=True))
    assert check == Check("Hips up and down", "4.5 %", "", None)
