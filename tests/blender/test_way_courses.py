"""The bars of planted feet on every course of way_figures: paths, speeds, directions and ground."""

from __future__ import annotations

import math
from typing import Any

import pytest
from amble.report import bars
from tests.blender.way_figures import COURSES

RIGS = ("rigify:human", "glb/m2m_rig-human.glb", "glb/kaykit_Med_MovementBasic.glb")
# What is known to miss, with its figures.
MISSES: dict[tuple[str, str], str] = {
    (
        "glb/kaykit_Med_MovementBasic.glb",
        "stairs",
    ): "a foot goes 338 mm under a tread, and its leg is drawn out",
}


def cases() -> list[Any]:
    """Rigs and courses; known misses are expected to fail."""
    return [
        pytest.param(
            rig,
            course,
            marks=[pytest.mark.xfail(strict=True, reason=MISSES[rig, course])]
            if (rig, course) in MISSES
            else [],
            id=f"{rig.split('/')[-1]} {course}",
        )
        for rig in RIGS
        for course in COURSES
    ]


@pytest.mark.parametrize(("rig", "course"), cases())
def test_feet_hold_and_legs_reach_wherever_the_body_goes(rig, course):
    report = COURSES[course].make(rig).report
    assert report.slide_mm <= bars.SLIDE_MM
    assert report.penetration_mm <= bars.PENETRATION_MM
    assert report.over_reach <= bars.OVER_REACH
    if not math.isnan(report.seam_position):  # a loop
        assert report.seam_position <= bars.SEAM_POSITION
        assert report.seam_slope <= bars.SEAM_SLOPE
        assert abs(report.speed_error) <= bars.SPEED_ERROR
