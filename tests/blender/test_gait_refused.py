"""amble.gait that fails or refuses: everything is as before; and what is made anew begins where it did."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from amble.errors import AmbleError, BadSetting
from tests.blender import control_rigs, rigs
from tests.blender.action_tools import contents, state

ERRORS = (RuntimeError, KeyboardInterrupt)
PLACES = ("amble.report.measure.measure", "amble.action.add_markers")


def switched() -> Any:
    return control_rigs.switched_biped("IK_FK", "fk")


def shown(armature: Any) -> dict[str, Any]:
    """What must be as before: the state, the action's curves and markers, what is played, properties."""
    data = armature.animation_data
    action: Any
    action, slot = slots.current(data)
    return {
        **state(armature),
        "plays": None if action is None else action.name,
        "slot": None if slot is None else slot.identifier,
        "curves": contents(armature),
        "markers": None if action is None else [(m.name, m.frame) for m in action.pose_markers],
        "range": None if action is None else (action.use_cyclic, tuple(action.frame_range)),
        "nla": None
        if data is None
        else [strip.action.name for track in data.nla_tracks for strip in track.strips],
        "properties": {
            (bone.name, key): value
            for bone in armature.pose.bones
            for key, value in bone.items()
            if isinstance(value, (int, float))
        },
    }


def raising(error: type[BaseException], monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    def stop(*_: Any, **__: Any) -> None:
        bpy.context.view_layer.update()  # what plays by now is shown
        raise error("stop")

    monkeypatch.setattr(place, stop)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("build", [rigs.biped, switched])
def test_a_second_walk_that_fails_leaves_the_first(
    build: Callable[[], Any],
    overwrite: bool,
    error: type[BaseException],
    place: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    armature = build()
    amble.gait(armature, root_motion="object", report=False)
    armature.animation_data.nla_tracks.new().strips.new("kept", 100, armature.animation_data.action)
    bpy.context.scene.frame_set(9)
    armature.pose.bones["hand.L"].location = (0.1, 0.2, 0.3)
    armature.pose.bones["thigh.L"].location = (0.3, 0.2, 0.3)
    before = shown(armature)
    raising(error, monkeypatch, place)
    limbs: dict[str, Any] = {"limbs": "ik"} if build is switched else {}
    with pytest.raises(error, match="stop"):
        amble.gait(armature, overwrite=overwrite, lean=20.0, root_motion="object", **limbs)
    assert shown(armature) == before
    bpy.context.view_layer.update()
    assert shown(armature) == before
    monkeypatch.undo()
    assert amble.gait(armature, overwrite=True, lean=20.0, **limbs).action.name == "Walk"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("build", [rigs.biped, switched])
def test_a_first_walk_that_fails_leaves_nothing(
    build: Callable[[], Any],
    overwrite: bool,
    error: type[BaseException],
    place: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    armature = build()
    armature.pose.bones["thigh.L"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    before = shown(armature)
    raising(error, monkeypatch, place)
    with pytest.raises(error, match="stop"):
        amble.gait(armature, overwrite=overwrite)
    assert shown(armature) == before
    bpy.context.view_layer.update()
    assert shown(armature) == before
    assert not bpy.data.actions


@pytest.mark.parametrize("place", PLACES)
def test_a_walk_that_fails_gives_the_former_action_back(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another action plays than the one that is overwritten; and it has no other user."""
    armature = rigs.biped()
    amble.gait(armature, report=False)
    amble.gait(armature, name="Other", speed=1.0, report=False).action.use_fake_user = False
    bpy.context.view_layer.update()
    before = shown(armature)
    raising(KeyboardInterrupt, monkeypatch, place)
    for overwrite in (False, True):
        with pytest.raises(KeyboardInterrupt):
            amble.gait(armature, overwrite=overwrite, lean=20.0)
        assert shown(armature) == before


@pytest.mark.parametrize("overwrite", [False, True])
def test_an_object_that_carries_the_walk_does_not_drift(overwrite: bool) -> None:
    armature = rigs.biped()
    armature.location = (0.5, 2.0, 0.0)
    amble.gait(armature, root_motion="object", report=False)
    for _ in range(3):
        bpy.context.scene.frame_set(26)
        assert armature.location.y < 1.0
        amble.gait(armature, root_motion="object", report=False, overwrite=overwrite)
        bpy.context.scene.frame_set(1)
        assert tuple(armature.location) == pytest.approx((0.5, 2.0, 0.0), abs=1e-6)
    armature.animation_data.action = None
    armature.location = (3.0, 0.0, 0.0)
    amble.gait(armature, root_motion="object", report=False, overwrite=overwrite, frames=(101, 126))
    bpy.context.scene.frame_set(101)
    assert tuple(armature.location) == pytest.approx((3.0, 0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize("root_motion", ["auto", "object"])
@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 1), (1, 1, 0), (0, 1, 1), (math.nan, 1, 1)])
@pytest.mark.parametrize("on", ["object", "parent"])
def test_an_object_without_size_is_refused(on: str, scale: Any, root_motion: str) -> None:
    armature = rigs.biped()
    scaled = armature
    if on == "parent":
        scaled = bpy.data.objects.new("Parent", None)
        bpy.context.scene.collection.objects.link(scaled)
        armature.parent = scaled
    scaled.scale = scale
    with pytest.raises(AmbleError, match="scale other than 0"):
        amble.gait(armature, root_motion=root_motion)
    assert armature.animation_data is None
    assert not bpy.data.actions


BAD: tuple[tuple[str, Any, str], ...] = (
    ("root_motion", None, "one of none, auto, bone, object"),
    ("root_motion", 1, "one of none, auto, bone, object"),
    ("root_motion", [], "one of none, auto, bone, object"),
    ("gait", None, "one of walk"),
    ("limbs", None, "one of as set, ik, fk"),
    ("loop", None, "True or False"),
    ("loop", "no", "True or False"),
    ("lean", None, "a number in degrees from -45 up to 45"),
    ("arm_swing", None, "a number from 0 up to 3"),
    ("arm_swing", True, "a number from 0 up to 3"),
    ("speed", "fast", "a number in m/s over 0"),
    ("speed", (1.0, 2.0), "a number in m/s over 0"),
    ("speed", 1j, "a number in m/s over 0"),
    ("fps", "24", "a number in 1/s over 0 up to 1000"),
    ("frames", 5, "two values, each a whole number"),
    ("frames", "ab", "two values, each a whole number"),
    ("frames", {1, 25}, "two values, each a whole number"),
    ("frames", (1,), "two values, each a whole number"),
    ("frames", (1, 2, 3), "two values, each a whole number"),
    ("frames", (), "two values, each a whole number"),
    ("frames", ("a", "b"), "a whole number"),
    ("frames", (None, 5), "a whole number"),
    ("frames", (1, 5.5), "a whole number"),
    ("frames", (1, math.nan), "a finite number"),
    ("frames", (2**31 - 50, 2**31 - 1), "at most 1048574"),
    ("frames", (-(2**31), 5), "at least -1048574"),
    ("settings", {}, "a GaitSettings or None"),
    ("settings", "x", "a GaitSettings or None"),
    ("settings", 0, "a GaitSettings or None"),
    ("name", 5, "a text"),
)


@pytest.mark.parametrize(("setting", "value", "allowed"), BAD)
def test_a_value_of_the_wrong_kind_is_refused_by_name(setting: str, value: Any, allowed: str) -> None:
    armature = rigs.biped()
    with pytest.raises(BadSetting, match=f"^{setting} must be .*{allowed}") as told:
        amble.gait(armature, **{setting: value})
    assert str(told.value).endswith(".")
    assert not bpy.data.actions


def test_a_walk_that_would_run_over_the_last_frame_is_refused() -> None:
    with pytest.raises(BadSetting, match="frames end at 1048574"):
        amble.gait(rigs.biped(), frames=(1048570, 1048574))


@pytest.mark.parametrize("frames", [[1, 26], (1.0, 26.0), np.array([1, 26]), (np.int64(1), np.float32(26))])
def test_numbers_of_other_types_are_taken(frames: Any) -> None:
    armature = rigs.biped()
    speed: Any = np.float32(1.4)
    assert amble.gait(armature, frames=frames, speed=speed, report=False).frames == (1.0, 26.0)
    assert amble.gait(armature, frames=frames, speed=1, report=False).frames[0] == 1.0
