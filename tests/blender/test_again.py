"""amble.again: an action made anew from what it was made with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import amble
import bpy
import pytest
from amble.action.memory import recall, restore
from amble.errors import BadSetting
from amble.gait.settings import GaitSettings
from tests.blender import rigs
from tests.blender.action_tools import contents


def test_all_settings_and_the_version_are_kept_as_they_were_asked_for() -> None:
    armature = rigs.biped()
    asked = GaitSettings(frames=(3, 60), arm_swing=0.5, root_motion="none", lean=4.0)
    kept = recall(amble.gait(armature, asked, report=False).action)
    assert kept.feature == "gait"
    assert kept.version == "0.1.0"
    assert set(kept.settings) == set(GaitSettings.__dataclass_fields__)
    assert restore(kept, GaitSettings, {}) == (asked, [])


def test_again_is_the_same_to_the_bit_and_one_change_is_one_change() -> None:
    armature = rigs.biped()
    first = amble.gait(armature, speed=1.4, arm_swing=0.4, lean=6.0, report=False)
    written = contents(armature)
    same = amble.again(armature, first.action, report=False)
    assert same.action.name == "Walk.001"
    assert contents(armature) == written
    slower = amble.again(armature, speed=1.2)
    assert slower.action.name == "Walk.002"
    assert slower.report.speed_measured == pytest.approx(1.2, rel=1e-3)
    direct = amble.gait(armature, speed=1.2, arm_swing=0.4, lean=6.0, report=False)
    assert recall(direct.action).settings == recall(slower.action).settings


def test_the_action_is_replaced_on_demand_with_whoever_plays_it() -> None:
    armature = rigs.biped()
    first = amble.gait(armature, speed=1.4, events=True, report=False)
    name, count = first.action.name, len(bpy.data.actions)
    armature.animation_data.action = None
    result = amble.again(armature, first.action, speed=1.1, events=False, overwrite=True, report=False)
    assert result.action.name == name
    assert len(bpy.data.actions) == count
    assert result.action["speed"] == pytest.approx(1.1)
    assert not any(path.startswith("[") for path, _ in contents(armature))
    assert [marker.name for marker in result.action.pose_markers].count("left down") <= 2


def test_a_change_of_pace_takes_the_place_of_the_one_kept() -> None:
    armature = rigs.biped()
    amble.gait(armature, speed=1.2, cycle=1.25, report=False)
    result = amble.again(armature, cadence=120.0)
    assert result.report.cadence_steps_min == pytest.approx(120.0, rel=1e-3)
    kept = recall(result.action).settings
    assert (kept["cycle"], kept["cadence"]) == (None, 120.0)


def test_it_is_made_again_after_saving_and_on_another_rig(tmp_path: Path) -> None:
    armature = rigs.biped()
    amble.gait(armature, speed=1.3, lean=5.0, report=False)
    written = contents(armature)
    path = str(tmp_path / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    armature = bpy.data.objects["biped"]
    result = amble.again(armature, overwrite=True, report=False)
    assert contents(armature) == written
    rigs_other: Any = armature.copy()
    rigs_other.data = armature.data.copy()
    rigs_other.animation_data_clear()
    bpy.context.scene.collection.objects.link(rigs_other)
    other = amble.again(rigs_other, result.action, report=False)
    assert other.action is not result.action
    assert contents(rigs_other) == written


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "does not say what it was made with"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"feature": 1, "version": "", "settings": {}}', "cannot be read"),
        ('{"feature": "flight", "version": "9", "settings": {}}', "made by flight of Amble 9"),
        (
            '{"feature": "gait", "version": "9", "settings": {"planet": {"object": "gone"}}}',
            "no such setting",
        ),
    ],
)
def test_what_cannot_be_made_again_is_told(text: str | None, words: str) -> None:
    armature = rigs.biped()
    action: Any = bpy.data.actions.new("Mine")
    armature.animation_data_create().action = action
    if text is not None:
        action["amble"] = text
    if "no such setting" in words:
        assert any(words in note for note in amble.again(armature, report=False).notes)
        return
    with pytest.raises(BadSetting, match=words):
        amble.again(armature)
    assert [found.name for found in bpy.data.actions] == ["Mine"]


def test_without_an_action_and_with_unknown_changes_it_is_refused() -> None:
    armature = rigs.biped()
    with pytest.raises(BadSetting, match="plays no action"):
        amble.again(armature)
    with pytest.raises(BadSetting, match="must be an action"):
        amble.again(armature, "Walk")
    result = amble.gait(armature, report=False)
    with pytest.raises(BadSetting, match="There is no setting sped"):
        amble.again(armature, sped=2.0)
    assert armature.animation_data.action is result.action


def test_objects_are_kept_by_name_and_what_is_no_text_must_be_given_again() -> None:
    from dataclasses import dataclass

    from amble.action.memory import remember

    @dataclass
    class Made:
        ground: Any
        steer: Any = None

    armature = rigs.biped()
    action: Any = bpy.data.actions.new("Made")
    remember(action, "gait", "1", Made((armature,)))
    assert restore(recall(action), Made, {})[0] == Made((armature,))
    remember(action, "gait", "1", Made((armature,), print))
    with pytest.raises(BadSetting, match='steer of "Made" could not be kept'):
        restore(recall(action), Made, {})
    assert restore(recall(action), Made, {"steer": None})[0] == Made((armature,))
    armature.name = "Other"
    with pytest.raises(BadSetting, match='the object "biped" as ground, which is gone'):
        restore(recall(action), Made, {"steer": None})
    assert json.loads(action["amble"])["settings"]["steer"] == {"not kept": "builtin_function_or_method"}
