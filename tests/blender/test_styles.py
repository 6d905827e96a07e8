"""Styles of gaits: files, mixtures, and what they make of a walk."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import amble
import pytest
from amble.errors import BadFile, BadSetting
from amble.gait.settings import GaitSettings
from amble.gait.styles import mixed, styled
from tests.blender import rigs
from tests.blender.style_figures import DEGREES, SHARE, apart, holds, timing_apart, turned


@pytest.fixture(scope="module")
def made() -> dict[str, tuple[Any, Any]]:
    """Result and evaluated rotations of each style on Rigify's human."""
    rigs.clear()
    armature = rigs.load("rigify:human")
    found = {}
    for name in amble.style_names():
        result = amble.gait(armature, style=name)
        assert result.action.name == name.capitalize()
        found[name] = result, turned(armature, result)
    return found


def test_every_style_holds_its_feet(made: dict[str, tuple[Any, Any]]) -> None:
    for name, (result, _) in made.items():
        assert holds(result.report), f"{name}\n{result.report.table()}"


def test_every_pair_of_styles_differs_visibly(made: dict[str, tuple[Any, Any]]) -> None:
    for (a, (one, poses)), (b, (other, others)) in combinations(made.items(), 2):
        degrees, joint = apart(poses, others)
        assert degrees >= DEGREES or timing_apart(one, other) >= SHARE, (a, b, degrees, joint)


def test_a_casual_walk_passes_every_bar(made: dict[str, tuple[Any, Any]]) -> None:
    report = made["casual"][0].report
    assert report.ok, report.table()


@pytest.mark.xfail(strict=True, reason="feet of tired, sneak, boxer, injured, elderly swing low: 28 to 55 mm")
def test_no_style_lets_a_foot_skid(made: dict[str, tuple[Any, Any]]) -> None:
    assert all(result.report.skid_mm <= 25.0 for result, _ in made.values())


def test_a_style_acts_along_ways_and_its_feet_hold() -> None:
    armature = rigs.biped()
    usual = amble.gait(armature, turn=20.0, frames=(1, 72), speed=0.9)
    bent = turned(armature, usual)
    sneak = amble.gait(armature, turn=20.0, frames=(1, 72), speed=0.9, style="sneak")
    assert sneak.report is not None
    assert sneak.report.slide_mm <= 1.0
    assert sneak.report.penetration_mm <= 1.0
    assert sneak.report.over_reach <= 0.999
    assert apart(bent, turned(armature, sneak))[0] > 20.0


def test_what_the_call_sets_goes_before_the_style() -> None:
    settings, pace = styled(GaitSettings(style="tired", nod=3.0))
    assert (settings.nod, settings.hunch) == (3.0, mixed("tired")["hunch"])
    assert pace == pytest.approx(0.85 / 1.4)
    # A value that is the default counts too where it is given by name.
    settings, pace = styled(GaitSettings(style="tired", lean=2.0, speed=1.0), {"lean", "speed"})
    assert (settings.lean, settings.speed, pace) == (2.0, 1.0, 1.0)
    # Two settings of a stride's time would contradict each other.
    assert styled(GaitSettings(style="elderly", cadence=100.0))[0].step_length == 1.0


def test_mixtures_are_weighted_means_in_which_what_is_not_set_is_usual() -> None:
    tired, heavy = mixed("tired"), mixed("heavy")
    both = mixed("tired:1+heavy:3")
    assert both["lean"] == pytest.approx(0.25 * tired["lean"] + 0.75 * heavy["lean"])
    assert both["nod"] == pytest.approx(0.25 * tired["nod"])  # heavy sets none: level
    assert both["duty"] == heavy["duty"]  # has no usual value
    assert both["speed"] == pytest.approx(0.25 * tired["speed"] + 0.75 * heavy["speed"])
    assert mixed("tired:2+heavy:0")["lean"] == tired["lean"]


@pytest.mark.parametrize("text", ["tired:-1+heavy", "tired:x+heavy", "+", "tired:0+heavy:0", " ", "no such"])
def test_a_mixture_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadSetting, match="style"):
        mixed(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("crouch = 90", "crouch must be at most 45 degrees"),
        ('crouch = "low"', "crouch must be a number"),
        ("frames = [1, 20]", "frames is nothing that a style sets"),
        ("[more]\nx = 1", "more is nothing that a style sets"),
        ("crouch = ", "is no TOML file"),
    ],
)
def test_a_file_that_is_no_style_is_refused_with_its_line(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f"# a style\n{line}\n", encoding="utf-8")
    with pytest.raises(BadFile, match=said) as error:
        amble.load_style(path)
    assert "line 2" in str(error.value) or line.startswith("[")


def test_a_style_is_saved_and_read_again(tmp_path: Path) -> None:
    path = amble.save_style(tmp_path / "mine.toml", style="tired", bounce=1.6)
    found = amble.load_style(path)
    assert found == {**mixed("tired"), "bounce": 1.6}
    armature = rigs.biped()
    one = amble.gait(armature, style=str(path), report=False)
    assert one.action.name == "Mine"
    assert one.figures["vn"] == amble.gait(armature, style="tired", report=False).figures["vn"]
    with pytest.raises(BadFile, match=r"must end in \.toml"):
        amble.save_style(tmp_path / "mine.txt")
