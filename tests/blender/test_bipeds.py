"""Every biped of the truth file walks with default settings, without a word said about it: feet hold, stay on
the ground, legs reach, the cycle closes.
"""

from __future__ import annotations

from typing import Any

import amble
import pytest
from tests.blender import rigs


def bipeds() -> list[Any]:
    found = []
    for key, entry in rigs.truth().items():
        if entry["kind"] != "biped":
            continue
        marks = [pytest.mark.slow] if key.endswith(":generated") else []
        found.append(pytest.param(key, marks=marks, id=key))
    return found


@pytest.mark.parametrize("key", bipeds())
def test_every_biped_walks_without_set_up(key: str) -> None:
    report = amble.gait(rigs.load(key)).report
    assert report.slide_mm <= 1.0
    assert report.penetration_mm <= 1.0
    assert report.over_reach <= 0.999
    assert report.seam_position <= 1e-5
    assert report.seam_angle_deg <= 0.01
    assert report.seam_slope <= 0.01
