"""`amble mirror` as people call it."""

import json
from pathlib import Path
from typing import Any

import bpy
import pytest
from amble.cli import main
from tests.blender.mirror_tools import biped, random_action
from tests.blender.test_mirror_obstacles import aside, wall


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A rig that steps to the left, a wall there, and a second action."""
    rig = biped()
    wave = random_action(rig)
    wave.name, wave.use_fake_user = "Wave", True
    aside(rig)
    wall(1.2)
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def actions(path: Path) -> list[str]:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return sorted(action.name for action in bpy.data.actions)


def test_an_action_is_mirrored_and_saved(scene: Path, tmp_path: Path, capfd: Any):
    out, report = tmp_path / "out.blend", tmp_path / "out.json"
    code = main(["mirror", str(scene), "--action", "Wave", "--output", str(out), "--report", str(report)])
    assert code == 0
    assert 'Mirror image "Wave_mirrored" of "Wave"' in capfd.readouterr().out
    assert json.loads(report.read_text())["actions"][0]["mirrored"] is True
    assert actions(out) == ["Step_L", "Wave", "Wave_mirrored"]


def test_a_wall_decides(scene: Path, tmp_path: Path, capfd: Any):
    out = tmp_path / "out.blend"
    base = ["mirror", str(scene), "--thickness", "0.05", "--obstacle", "wall"]
    assert main([*base, "--output", str(out)]) == 0
    assert "The mirror image fits, the motion itself does not" in capfd.readouterr().out
    assert actions(out) == ["Step_L", "Step_R", "Wave"]
    assert main([*base, "--tolerance", "0.6", "--strict"]) == 1
    assert "Neither fits" in capfd.readouterr().out
    assert main([*base, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["actions"][0]
    assert found["verdict"]["outcome"] == "mirrored"
    assert found["verdict"]["original"]["part"] == "hand.L"


def test_a_whole_library(scene: Path, tmp_path: Path, capfd: Any):
    out = tmp_path / "out.blend"
    assert main(["mirror", str(scene), "--all", "--output", str(out)]) == 0
    assert actions(out) == ["Step_L", "Step_R", "Wave", "Wave_mirrored"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--action", "Jump"], 'There is no action "Jump"; there are "Step_L", "Wave".'),
        (["--obstacle", "House"], '--obstacle names "House", which is no object or collection in the file'),
        (["--all", "--name", "x"], "--all goes without --action"),
        (["--rule", "lean"], "--rule lean must be NAME=RULE"),
        (["--rule", "lean=turn"], "The rule of lean must be one of swap, negate, copy, leave"),
        (["--plane", "given"], "A given plane needs a normal"),
        (["--bones", "arm"], 'bones names "arm", which the armature has not'),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(scene: Path, capfd: Any, options: list[str], message: str):
    assert main(["mirror", str(scene), *options]) == 2
    error = capfd.readouterr().err.strip().splitlines()[-1]
    assert message in error
