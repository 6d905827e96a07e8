"""Animals on ways that are hardly any, and what no legs can do: they stand, or are refused by name; people
too."""

from __future__ import annotations

from typing import Any

import amble
import numpy as np
import pytest
from amble.errors import BadSetting
from amble.gait.presets import chosen
from tests.blender import rigs
from tests.blender.action_tools import curves


def empty(build: Any, size: float = 1.0) -> Any:
    rigs.clear()
    return build(size)


@pytest.mark.parametrize(("size", "speeds"), [(40.0, (0, 0.7, 0)), (500.0, (0, 1, 1, 0, 0, 2, 0))])
def test_legs_too_long_for_a_step_stand(size: float, speeds: Any) -> None:
    result = amble.gait(empty(rigs.quadruped, size), speeds=speeds, frames=(1, 100), loop=False)
    assert result.report is not None
    assert result.report.problems == ()
    assert any("feet stay where they are" in note for note in result.notes)


@pytest.mark.parametrize("build", [rigs.biped, rigs.quadruped])
def test_speeds_of_nothing_stay_on_the_spot(build: Any) -> None:
    rig = empty(build)
    result = amble.gait(rig, speeds=(0, 0), frames=(1, 49))
    assert result.report is not None
    assert result.report.problems == ()
    assert result.frames == (1.0, 49.0)
    for curve in curves(rig).values():
        values = [key.co.y for key in curve.keyframe_points]
        assert np.ptp(values) < 1e-5


@pytest.mark.parametrize("build", [rigs.biped, rigs.quadruped])
def test_turning_on_the_spot_is_no_stand(build: Any) -> None:
    result = amble.gait(empty(build), speeds=(0, 0), turn=45.0, frames=(1, 97))
    assert result.report is not None
    assert result.report.problems == ()
    assert len(result.contacts) > 4


@pytest.mark.parametrize("build", [rigs.biped, rigs.quadruped])
def test_paths_that_are_none_or_jump_are_refused(build: Any) -> None:
    rig = empty(build)
    with pytest.raises(BadSetting, match="abc"):
        amble.gait(rig, path=amble.Path("abc"))
    jump = amble.Path(np.array([[0, 0], [0, -1], [100, -1], [100, -2]]))
    with pytest.raises(BadSetting, match="more frames on a path"):
        amble.gait(rig, path=jump, frames=(1, 60))
    with pytest.raises(BadSetting, match="stays on the spot"):
        amble.gait(rig, speeds=(1e-6, 1e-6))


@pytest.mark.parametrize("speed", [1e-9, 1e-5, 0.01])
def test_speeds_below_any_step_are_refused(speed: float) -> None:
    with pytest.raises(BadSetting, match="too slow for legs this long"):
        amble.gait(empty(rigs.quadruped), speed=speed, frames=(1, 60))


@pytest.mark.parametrize(
    ("size", "asked"), [(1.0, {"speed": 20.0}), (1.0, {"cycle": 100.0}), (0.0001, {"speed": 1.0})]
)
def test_what_no_legs_reach_is_refused(size: float, asked: Any) -> None:
    with pytest.raises(BadSetting, match=r"[Ll]egs this long"):
        amble.gait(empty(rigs.quadruped, size), **asked)


def test_feet_without_ground_are_told() -> None:
    result = amble.gait(
        empty(rigs.quadruped),
        ground=lambda x, y: np.where(y < -0.6, np.nan, 0.0 * x),
        speeds=(0.8, 0.8),
        frames=(1, 49),
        loop=False,
        report=False,
    )
    assert any("no ground within reach" in note for note in result.notes)


def test_settings_of_people_are_told_to_be_without_effect() -> None:
    result = amble.gait(
        empty(rigs.quadruped), step_width=0.1, first_foot="right", lean=5.0, arm_swing=2.0, report=False
    )
    assert "Without effect on animals: step_width, first_foot, lean, arm_swing." in result.notes


def test_numbers_of_legs_without_a_gait_are_refused() -> None:
    with pytest.raises(BadSetting, match=r"no gait for 11 legs, only for .*correct the roles"):
        chosen("auto", 11, 1.0)


@pytest.mark.parametrize("speed", [0.035, 0.05])
def test_a_speed_of_hardly_any_stride_is_refused_by_name(speed: float) -> None:
    with pytest.raises(BadSetting, match="take no whole stride"):
        amble.gait(empty(rigs.biped), speeds=(speed, speed), frames=(1, 60))
