"""What a walk tells beside its keys: contacts, plants and way as curves, numbers on the action, loops that go
on."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from amble.errors import BadSetting
from amble.report.sampling import sample
from amble.rig.skeleton import read_skeleton
from amble.rig.skin import read_skin
from amble.rig.sole import foot_points, sole
from tests.blender import rigs
from tests.blender.action_tools import contents, numbers

SPEED = 1.4


def walk(armature: Any, **settings: Any) -> Any:
    return amble.gait(armature, speed=SPEED, events=True, report=False, **settings)


def read(armature: Any, frames: Any) -> list[dict[str, Any]]:
    """The object's custom properties at each frame, as Blender evaluates them."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        seen = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append({k: v if isinstance(v, float) else tuple(v) for k, v in seen.items()})
    return found


def quarters(result: Any) -> np.ndarray:
    start, end = result.frames
    return np.arange(start, end + 0.01, 0.25)


def heel_places(armature: Any, foot: str, heel: np.ndarray, frames: Any) -> np.ndarray:
    """World places of a point given at rest, (frames, 3)."""
    own = np.linalg.inv(np.array(armature.data.bones[foot].matrix_local)) @ np.append(heel, 1.0)
    return (sample(armature, frames, [foot])[:, 0] @ own)[:, :3]


def test_nothing_is_made_unless_asked_for() -> None:
    armature = rigs.biped()
    amble.gait(armature, speed=SPEED, report=False)
    assert not list(armature.keys())
    assert not any(path.startswith("[") for path, _ in contents(armature))


def test_contacts_are_one_from_touch_down_to_toe_off_and_zero_else() -> None:
    armature = rigs.biped()
    result = walk(armature)
    start, end = result.frames
    length = end - start
    frames = quarters(result)
    seen = read(armature, frames)
    for leg, foot in enumerate(("foot.L", "foot.R")):
        spans = [(c.heel_on, c.toe_off) for c in result.contacts if c.leg == leg]
        assert len(spans) == 1
        # A loop: the stance before the first frame, and the one that the end begins.
        spans += [(spans[0][0] + turn, spans[0][1] + turn) for turn in (-length, length)]
        near = np.min([np.abs(frames - edge) for span in spans for edge in span], axis=0) < 1e-3
        down = np.array([any(on <= frame < off for on, off in spans) for frame in frames])
        got = np.array([values[f"contact_{foot}"] for values in seen])
        assert set(got) == {0.0, 1.0}
        assert (got == down)[~near].all()
        assert got[0] == got[-1]


@pytest.mark.parametrize("motion", ["auto", "object"])
def test_the_plant_is_where_the_heel_stands_and_is_known_from_toe_off_on(motion: str) -> None:
    armature = rigs.biped(0.5)
    armature.location, armature.scale = (3.0, -2.0, 0.0), (2.0, 2.0, 2.0)
    armature.rotation_euler.z = 0.7
    bpy.context.view_layer.update()
    at_first = np.array(armature.matrix_world)
    result = walk(armature, root_motion=motion, frames=(5, 5 + 60), loop=False)
    skeleton = read_skeleton(armature)
    skin = read_skin(armature, skeleton.names)
    for leg, foot in enumerate(("foot.L", "foot.R")):
        role = result.roles.legs[leg]
        heel = sole(skeleton, result.roles, role, foot_points(skeleton, role, skin)).heel
        contacts = [c for c in result.contacts if c.leg == leg]
        for before, after in pairwise(contacts):
            # Half a frame after toe-off, at heel strike and in the middle of the heel's stance.
            times = [before.toe_off + 0.5, after.heel_on + 0.01, 0.5 * (after.heel_on + after.heel_off)]
            if times[-1] > result.frames[1]:
                continue
            told = [np.array(values[f"plant_{foot}"]) for values in read(armature, times)]
            assert (told[0] == told[1]).all()
            assert (told[0] == told[2]).all()
            world = (at_first @ np.append(told[0], 1.0))[:3]
            stood = heel_places(armature, foot, heel, times[1:])
            assert np.abs(stood - world).max() < 1e-3


def test_in_place_every_plant_of_a_foot_is_where_it_comes_down() -> None:
    armature = rigs.biped()
    result = walk(armature, root_motion="none")
    skeleton = read_skeleton(armature)
    places = {values["plant_foot.L"] for values in read(armature, quarters(result))}
    assert len(places) == 1
    role = result.roles.legs[0]
    heel = sole(skeleton, result.roles, role, None).heel
    strike = next(c.heel_on for c in result.contacts if c.leg == 0)
    assert np.abs(heel_places(armature, "foot.L", heel, [strike])[0] - places.pop()).max() < 1e-3


def test_the_way_is_speed_times_time() -> None:
    armature = rigs.biped()
    result = walk(armature, fps=30.0, frames=(11, 41), loop=False)
    way = [values["distance"] for values in read(armature, (11, 20.5, 41))]
    assert way == pytest.approx([0.0, SPEED * 9.5 / 30.0, SPEED], abs=1e-5)
    assert result.action["speed"] == pytest.approx(SPEED)


def test_speed_and_way_of_a_cycle_stand_on_the_action() -> None:
    armature = rigs.biped()
    result = amble.gait(armature, speed=SPEED, cycle=1.25, fps=24.0, frames=(1, 61))
    assert result.action["speed"] == pytest.approx(1.4)
    assert result.action["frames_per_cycle"] == pytest.approx(30.0)  # two in 60 frames
    assert result.action["distance_per_cycle"] == pytest.approx(1.75)
    assert result.report.stride_m == pytest.approx(1.75, rel=1e-3)


@pytest.mark.parametrize("motion", ["auto", "none", "object"])
def test_a_repeated_loop_plays_on_before_and_after_its_frames(motion: str) -> None:
    armature = rigs.biped()
    result = walk(armature, root_motion=motion, repeat=True)
    start, end = result.frames
    length = end - start
    way = np.array([0.0, -SPEED * length / 24.0, 0.0]) * (motion != "none")
    frames = np.arange(start, end, 1.25)
    names = ["pelvis", "foot.L", "hand.R"]
    within = sample(armature, frames, names)
    events = read(armature, frames)
    for rounds in (-2, -1, 1, 3):
        there = sample(armature, frames + rounds * length, names)
        assert np.abs(there[..., :3, :3] - within[..., :3, :3]).max() < 1e-4
        assert np.abs(there[..., :3, 3] - within[..., :3, 3] - rounds * way).max() < 1e-4
        for then, first in zip(read(armature, frames + rounds * length), events, strict=True):
            assert then["distance"] - first["distance"] == pytest.approx(-rounds * way[1], abs=1e-4) or (
                motion == "none"
            )
            assert np.array(then["plant_foot.R"]) - first["plant_foot.R"] == pytest.approx(
                rounds * way, abs=1e-4
            )
    modes = {m.mode_after for c in slots.find_curves(armature) for m in c.modifiers}
    assert modes <= {"REPEAT", "REPEAT_OFFSET"}


def test_modifiers_change_nothing_within_the_frames() -> None:
    armature = rigs.biped()
    plain = amble.gait(armature, speed=SPEED)
    names = [bone.name for bone in armature.pose.bones]
    without = sample(armature, quarters(plain), names)
    again = amble.gait(armature, speed=SPEED, repeat=True)
    assert np.abs(sample(armature, quarters(again), names) - without).max() < 1e-6
    assert again.report.slide_mm == pytest.approx(plain.report.slide_mm, abs=1e-3)
    assert again.report.seam_slope == pytest.approx(plain.report.seam_slope, abs=1e-4)


def test_no_loop_no_modifiers() -> None:
    armature = rigs.biped()
    walk(armature, repeat=True, loop=False, frames=(1, 40))
    assert not any(len(curve.modifiers) for curve in slots.find_curves(armature))


def test_everything_plays_after_saving_without_amble(tmp_path: Path) -> None:
    armature = rigs.biped()
    result = walk(armature, repeat=True)
    frames = [*quarters(result), result.frames[1] + 7.5]
    before = read(armature, frames)
    settings = result.action["amble"]
    path = str(tmp_path / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    armature = bpy.data.objects["biped"]
    for after, told in zip(read(armature, frames), before, strict=True):
        assert after.keys() == told.keys()
        for name, value in told.items():
            assert after[name] == pytest.approx(value, abs=1e-6)
    assert not armature.animation_data.drivers
    action: Any = armature.animation_data.action
    assert action["amble"] == settings


def test_gltf_gets_the_same_bones_and_the_numbers(tmp_path: Path) -> None:
    def export(name: str, **settings: Any) -> Any:
        rigs.clear()
        amble.gait(rigs.biped(), speed=SPEED, report=False, **settings)
        path = tmp_path / f"{name}.gltf"
        bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLTF_SEPARATE", export_extras=True)
        return json.loads(path.read_text(encoding="utf-8"))

    plain, told = export("plain"), export("told", events=True, repeat=True)
    assert len(told["animations"]) == len(plain["animations"]) == 1
    channels = [
        [(c["target"]["node"], c["target"]["path"]) for c in found["animations"][0]["channels"]]
        for found in (plain, told)
    ]
    assert channels[0] == channels[1]
    assert told["animations"][0]["extras"]["speed"] == pytest.approx(SPEED)
    assert told["animations"][0]["extras"]["distance_per_cycle"] > 1.0


def test_a_property_of_the_users_own_is_not_taken() -> None:
    armature = rigs.biped()
    armature["distance"] = "far"
    with pytest.raises(BadSetting, match='"biped" has a custom property "distance" that is not a number'):
        walk(armature)
    assert list(armature.keys()) == ["distance"]
    assert not bpy.data.actions
    armature["distance"] = 2.5
    walk(armature)
    assert read(armature, [1])[0]["distance"] == 0.0


def test_what_fails_leaves_no_property(monkeypatch: pytest.MonkeyPatch) -> None:
    armature = rigs.biped()

    def broken(*_: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("amble.action.remember", broken)
    with pytest.raises(RuntimeError, match="broken"):
        walk(armature)
    assert not list(armature.keys())
    assert not bpy.data.actions


def test_event_keys_are_steps_and_lines() -> None:
    armature = rigs.biped()
    walk(armature)
    curves = {(c.data_path, c.array_index): c for c in slots.find_curves(armature)}
    modes = {
        path: {key.interpolation for key in curve.keyframe_points}
        for (path, _), curve in curves.items()
        if path.startswith("[")
    }
    assert modes == {
        '["contact_foot.L"]': {"CONSTANT"},
        '["contact_foot.R"]': {"CONSTANT"},
        '["plant_foot.L"]': {"CONSTANT"},
        '["plant_foot.R"]': {"CONSTANT"},
        '["distance"]': {"LINEAR"},
    }
    keys = numbers(curves['["contact_foot.L"]', 0])[:, :2]
    assert (np.diff(keys[:, 0]) > 0).all()


def test_a_library_override_is_told_that_properties_are_not_saved(tmp_path: Path) -> None:
    rigs.biped()
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    rigs.clear()
    libraries: Any = bpy.data.libraries
    with libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["biped"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    own = wanted.objects[0].override_create(remap_local_usages=True)
    result = walk(own)
    assert any("library override" in note for note in result.notes)
    assert read(own, [1])[0]["contact_foot.L"] == 1.0
