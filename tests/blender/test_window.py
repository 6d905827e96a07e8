"""The operators and panels of the window, in a Blender without one."""

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.options import check
from amble.window import presets, seen, translations
from amble.window.features import FEATURES, GAIT
from amble.window.groups import group_of
from amble.window.roles import selected_bones
from amble.window.told import kept
from tests.blender import rigs

utils: Any = bpy.utils


@pytest.fixture(autouse=True)
def registered():
    amble.register()
    yield
    amble.unregister()


@pytest.fixture
def rig():
    made = rigs.biped()
    made.select_set(True)
    return made


def ours():
    """Everything of ours that Blender knows."""
    return [
        *(name for name in dir(bpy.types) if "amble" in name.lower()),
        *(name for name in dir(bpy.ops.amble)),
        *(name for name in dir(bpy.types.Scene) if "amble" in name),
        *(
            (menu, entry.__module__)
            for menu in ("VIEW3D_MT_object_animation", "VIEW3D_MT_pose", "DOPESHEET_MT_key")
            for entry in getattr(getattr(bpy.types, menu).draw, "_draw_funcs", ())
            if "amble" in entry.__module__
        ),
        *(
            entry
            for name in dir(bpy.app.handlers)
            if isinstance(found := getattr(bpy.app.handlers, name), list)
            for entry in found
            if "amble" in getattr(entry, "__module__", "")
        ),
    ]


def test_switched_on_and_off_ten_times_nothing_is_left():
    before = ours()
    assert len(before) > 30
    for _ in range(10):
        amble.unregister()
        assert ours() == []
        amble.register()
    assert ours() == before


def test_switching_on_imports_nothing_that_makes_motion():
    code = """
import sys, bpy
import amble
amble.register()
ours = [name for name in sys.modules if name.startswith("amble")]
heavy = [name for name in ours if name.endswith((".make", ".api", ".cli"))]
print("heavy:", *heavy)
amble.unregister()
sys.stdout.flush()
import os
os._exit(0)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert run.stdout.splitlines()[-1].split() == ["heavy:"]


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES)
def test_every_setting_is_in_panel_and_operator_and_comes_back_as_it_was(feature):
    group = group_of(bpy.context.scene, feature)
    default = feature.settings()
    for field in feature.own_fields():
        assert field.read(group) == getattr(default, field.name), field.name
    named = {f.name for f in dataclasses.fields(feature.settings) if f.metadata.get("option", "") is not None}
    assert named == {field.name for field in feature.own_fields()}
    shown = [field.name for _, fields in feature.layout() for field in fields]
    assert sorted(shown) == sorted(field.name for field in feature.fields())
    known = getattr(bpy.ops.amble, feature.name).get_rna_type().properties.keys()
    assert {field.name for field in feature.fields()} <= set(known)


def test_settings_go_through_blender_s_numbers_unchanged():
    group = group_of(bpy.context.scene, GAIT)
    given = {
        "speed": 1.1,
        "frames": (-3, 57),
        "gait": "run",
        "speeds": (0.0, 1.4, 0.0),
        "turn": 33.3,
        "direction": -77.7,
        "lean": 12.3,
        "tolerance": 2.5,
        "keys": "reduced",
        "limbs": "as set",
        "duty": None,
        "loop": False,
    }
    by_name = {field.name: field for field in GAIT.fields()}
    for name, value in given.items():
        by_name[name].write(group, value)
        assert by_name[name].read(group) == value
    assert group.lean == pytest.approx(0.214675, abs=1e-6)
    group.reset()
    assert by_name["speeds"].read(group) == ()
    assert by_name["speed"].read(group) is None


def test_a_number_that_is_changed_in_the_panel_is_switched_on():
    group = group_of(bpy.context.scene, GAIT)
    assert not group.use_speed
    group.speed = 2.0
    assert group.use_speed


def test_ground_and_path_are_chosen_as_objects():
    group = group_of(bpy.context.scene, GAIT)
    floor = bpy.data.objects.new("Floor", bpy.data.meshes.new("Floor"))
    parts = bpy.data.collections.new("Parts")
    group.ground_object, group.ground_collection = floor, parts
    by_name = {field.name: field for field in GAIT.fields()}
    assert by_name["ground"].read(group) == ("Floor", "Parts")
    floor.name = "Hill"
    assert by_name["ground"].read(group) == ("Hill", "Parts")


def test_gait_from_a_script_walks_at_the_speed_given_and_keeps_its_report(rig):
    assert bpy.ops.amble.gait(speed=1.2) == {"FINISHED"}
    action = rig.animation_data.action
    assert action.name == "Walk"
    assert action["speed"] == pytest.approx(1.2, abs=1e-4)
    told = kept(action)
    assert told is not None
    assert told["ok"]
    assert told["rows"]


def test_each_of_several_selected_rigs_walks_also_by_the_mesh_it_moves(rig):
    other = rigs.biped()
    mesh = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    bpy.context.scene.collection.objects.link(mesh)
    mesh.modifiers.new("Armature", "ARMATURE").object = other
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    mesh.select_set(True)
    bpy.context.view_layer.objects.active = mesh
    assert bpy.ops.amble.gait() == {"FINISHED"}
    assert [one.animation_data.action.name for one in (other, rig)] == ["Walk", "Walk.001"]
    assert bpy.context.view_layer.objects.active == mesh
    assert sorted(one.name for one in bpy.context.selected_objects) == sorted([rig.name, mesh.name])


def test_all_four_work_one_after_the_other_in_pose_mode_and_leave_mode_and_frame(rig):
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(7)
    assert bpy.ops.amble.gait() == {"FINISHED"}
    assert bpy.ops.amble.idle() == {"FINISHED"}
    assert bpy.ops.amble.blend(a="Walk", b="Idle") == {"FINISHED"}
    assert bpy.ops.amble.mirror(action="Walk") == {"FINISHED"}
    assert rig.mode == "POSE"
    assert bpy.context.scene.frame_current == 7
    names = {action.name for action in bpy.data.actions}
    assert names == {"Walk", "Idle", "Walk to Idle", "Walk_mirrored"}
    assert all(kept(action) is not None for action in bpy.data.actions)


def test_what_goes_wrong_is_one_sentence(rig):
    with pytest.raises(RuntimeError, match=r"^Error: cycle and stride are set") as caught:
        bpy.ops.amble.gait(stride=1.0, cycle=1.0)
    assert "Traceback" not in str(caught.value)
    with pytest.raises(RuntimeError, match="plays no action to blend from: choose A"):
        bpy.ops.amble.blend(b="Walk")
    assert not bpy.data.actions


@pytest.mark.parametrize("name", FEATURES)
def test_poll_says_what_to_do(rig, name):
    operator = getattr(bpy.ops.amble, name)
    assert operator.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Change to Object Mode or Pose Mode"):
        operator()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.objects.remove(rig)
    with pytest.raises(RuntimeError, match="Select an armature"):
        operator()


def test_without_its_core_it_registers_and_says_what_to_do(rig, monkeypatch):
    amble.unregister()
    monkeypatch.setitem(sys.modules, "amble_core", None)
    amble.register()
    with pytest.raises(RuntimeError, match="install the Amble file made for this system"):
        bpy.ops.amble.gait()


def shipped():
    folder = Path(presets.HOME) / "presets" / "amble"
    return sorted(folder.glob("*/*.py"))


@pytest.mark.parametrize("path", shipped(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_preset_that_comes_along_sets_what_can_be_made(path):
    feature = FEATURES[path.parent.name]
    group = group_of(bpy.context.scene, feature)
    menu = presets.preset_panel(feature)
    assert str(path.parent) in bpy.utils.preset_paths(menu.preset_subdir)
    bpy.ops.script.execute_preset(filepath=str(path), menu_idname=menu.__name__)
    settings = feature.settings(**{field.name: field.read(group) for field in feature.own_fields()})
    check(settings)
    # What it does not name is as ever.
    said = sum(line.startswith("group.") for line in path.read_text(encoding="utf-8").splitlines()) - 1
    default = feature.settings()
    differing = [
        f.name for f in feature.own_fields() if getattr(settings, f.name) != getattr(default, f.name)
    ]
    assert len(differing) <= said


def test_a_preset_of_one_s_own_comes_back_and_goes():
    group = group_of(bpy.context.scene, GAIT)
    group.speed, group.lean, group.duty = 1.9, 0.1, 0.6
    group.use_duty = False
    bpy.ops.amble.gait_preset_add(name="Mine")
    group.reset()
    menu = presets.preset_panel(GAIT)
    path = str(utils.preset_find("Mine", menu.preset_subdir))
    bpy.ops.script.execute_preset(filepath=path, menu_idname=menu.__name__)
    by_name = {field.name: field.read(group) for field in GAIT.own_fields()}
    assert by_name["speed"] == 1.9
    assert group.lean == pytest.approx(0.1)
    assert by_name["duty"] is None
    bpy.ops.amble.gait_preset_add(name="Mine", remove_name=True)
    assert not Path(path).exists()


def test_an_action_is_made_again_as_it_was_and_with_changes(rig):
    bpy.ops.amble.gait(speed=1.2, lean=0.1, orbits="")
    walk = rig.animation_data.action
    track = rig.animation_data.nla_tracks.new()
    strip = track.strips.new("Mine", 1, bpy.data.actions.new("Mine"))
    before = walk["amble"]
    assert bpy.ops.amble.again() == {"FINISHED"}
    again = rig.animation_data.action
    assert again.name == "Walk"
    assert again["amble"] == before
    assert bpy.ops.amble.gait(again="Walk", speed=1.6) == {"FINISHED"}
    changed = rig.animation_data.action
    assert changed["speed"] == pytest.approx(1.6, abs=1e-4)
    kept_settings = json.loads(changed["amble"])["settings"]
    assert kept_settings["lean"] == json.loads(before)["settings"]["lean"]
    assert [one.name for one in bpy.data.actions if one.name.startswith("Walk")] == ["Walk"]
    assert rig.animation_data.nla_tracks[0].strips[0] == strip


@pytest.mark.parametrize("name", ["blend", "mirror"])
def test_blends_and_mirror_images_are_made_again_too(rig, name):
    bpy.ops.amble.gait()
    bpy.ops.amble.gait(speed=1.9, name="Brisk")
    more: Any = {"blend": {"a": "Walk", "b": "Brisk", "frames": 9}, "mirror": {"plane": "FIRST"}}[name]
    getattr(bpy.ops.amble, name)(**more)
    first = rig.animation_data.action.name
    count = len(bpy.data.actions)
    assert bpy.ops.amble.again() == {"FINISHED"}
    assert rig.animation_data.action.name == first
    assert len(bpy.data.actions) == count
    group = group_of(bpy.context.scene, FEATURES[name])
    assert bpy.ops.amble.load_settings() == {"FINISHED"}
    values = {field.name: field.read(group) for field in FEATURES[name].fields()}
    if name == "blend":
        assert (values["a"], values["b"], values["frames"]) == ("Walk", "Brisk", 9)
    else:
        assert (values["action"], values["plane"]) == ("Brisk", "first")


def test_an_action_of_another_feature_is_not_made_again_by_this_one(rig):
    bpy.ops.amble.gait()
    before = rig.animation_data.action["amble"]
    with pytest.raises(RuntimeError) as told:
        bpy.ops.amble.idle(again="Walk")
    said = str(told.value).strip()
    assert said == 'Error: "Walk" was made by gait and not by idle: make it again with amble.gait.'
    assert rig.animation_data.action["amble"] == before
    assert [action.name for action in bpy.data.actions] == ["Walk"]


def test_what_amble_did_not_make_is_not_made_again(rig):
    assert not bpy.ops.amble.again.poll()
    rig.animation_data_create().action = bpy.data.actions.new("Own")
    with pytest.raises(RuntimeError, match="action that Amble made"):
        bpy.ops.amble.again()


def test_roles_are_set_from_the_bones_selected_with_their_partners(rig):
    def select(*names: str):
        for bone in rig.pose.bones:
            holder = bone if hasattr(bone, "select") else bone.bone
            holder.select = bone.name in names

    select("spine")
    assert bpy.ops.amble.set_role(role="pelvis") == {"FINISHED"}
    assert amble.rig.roles(rig).pelvis == "spine"
    select("foot.L", "thigh.L", "shin.L")
    bpy.ops.amble.clear_roles()
    assert amble.rig.roles(rig).pelvis == "pelvis"
    assert bpy.ops.amble.set_role(role="legs/0") == {"FINISHED"}
    legs = amble.rig.roles(rig).legs
    assert [leg.bones for leg in legs] == [tuple(f"{b}.{s}" for b in ("thigh", "shin", "foot")) for s in "LR"]
    bpy.ops.amble.select_role(role="legs/1")
    assert selected_bones(rig) == ["thigh.R", "shin.R", "foot.R"]
    select()
    with pytest.raises(RuntimeError, match="No bones are selected"):
        bpy.ops.amble.set_role(role="head")


def test_roles_go_to_a_file_and_come_back(rig, tmp_path):
    path = tmp_path / "roles.toml"
    assert bpy.ops.amble.save_roles(filepath=str(path)) == {"FINISHED"}
    assert bpy.ops.amble.load_roles(filepath=str(path)) == {"FINISHED"}
    assert amble.rig.roles(rig).sure["pelvis"] == 1.0
    with pytest.raises(RuntimeError, match=r"none\.toml"):
        bpy.ops.amble.load_roles(filepath=str(tmp_path / "none.toml"))
    for run in (bpy.ops.amble.load_roles, bpy.ops.amble.save_roles):
        with pytest.raises(RuntimeError, match=r"^Error: No file was given: set filepath to a \S+ file\.$"):
            run()


def test_what_is_recognised_is_kept_until_the_armature_changes(rig):
    first = seen.seen(rig)
    assert seen.seen(rig) is first
    assert 0.5 < seen.sureness(amble.rig.roles(rig)) <= 1.0
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["head"].name = "Skull"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert seen.seen(rig).head == "Skull"
    assert seen.seen(rigs.build({"one": ((0, 0, 0), (0, 0, 1), None)})).missing


def test_the_frame_of_a_problem_is_gone_to():
    bpy.ops.amble.go_to_frame(frame=12.25)
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (12, 0.25)


def test_every_language_has_the_same_texts_and_all_labels_of_the_panel():
    tables = {name: translations.table(name) for name in translations.LANGUAGES}
    texts = set(tables["de"])
    assert all(set(table) == texts for table in tables.values())
    # Braces are filled in.
    for table in tables.values():
        for text, said in table.items():
            assert re.findall(r"{[^}]*}", text) == re.findall(r"{[^}]*}", said)
    labels = {feature.label for feature in FEATURES.values()} | {
        feature.button for feature in FEATURES.values()
    }
    for feature in FEATURES.values():
        labels |= {heading for heading, _ in feature.layout() if heading}
        labels.add(feature.about)
    for name in (
        "again",
        "load_settings",
        "set_role",
        "select_role",
        "clear_roles",
        "save_roles",
        "load_roles",
    ):
        kind = getattr(bpy.ops.amble, name).get_rna_type()
        labels |= {kind.name, kind.description}
    assert labels <= texts


def test_labels_of_settings_are_translated_but_for_new_ones():
    labels = [field.label for feature in FEATURES.values() for field in feature.fields()]
    texts = translations.table("de")
    known = sum(label in texts for label in labels)
    assert known >= 0.8 * len(labels)


def test_a_result_becomes_an_asset_with_tags_catalog_author_and_preview(rig, tmp_path):
    bpy.ops.amble.gait()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    rig = bpy.context.view_layer.objects.active
    (tmp_path / "blender_assets.cats.txt").write_text(
        "VERSION 1\n\n11111111-1111-1111-1111-111111111111:Old:Old"
    )
    assert bpy.ops.amble.mark_asset(catalog="Amble/Walks", author="Me") == {"FINISHED"}
    action = rig.animation_data.action
    asset = action.asset_data
    assert sorted(tag.name for tag in asset.tags) == ["Amble", "Gait"]
    assert asset.author == "Me"
    lines = (tmp_path / "blender_assets.cats.txt").read_text(encoding="utf-8").splitlines()
    assert lines[2] == "11111111-1111-1111-1111-111111111111:Old:Old"
    assert lines[3] == f"{asset.catalog_id}:Amble/Walks:Amble-Walks"
    pixels = np.array(action.preview.image_pixels_float[:]).reshape(-1, 4)
    assert 0.02 < float((pixels[:, 3] > 0.5).mean()) < 0.5
    first = asset.catalog_id
    bpy.ops.amble.mark_asset(catalog="Amble/Walks")
    assert asset.catalog_id == first
    assert asset.author == "Me"


def test_an_asset_of_a_file_that_is_not_saved_has_no_catalog_and_says_so(rig):
    bpy.ops.amble.gait()
    assert bpy.ops.amble.mark_asset() == {"FINISHED"}
    assert rig.animation_data.action.asset_data.catalog_id == "00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize("name", FEATURES)
def test_undo_redo_undo(rig, name):
    bpy.ops.amble.gait(name="One")
    bpy.ops.amble.gait(name="Two", speed=1.8)
    # The module pushes no steps by itself.
    bpy.ops.ed.undo_push(message="before")
    before = sorted(action.name for action in bpy.data.actions)
    more: Any = {"blend": {"a": "One", "b": "Two"}}.get(name, {})
    getattr(bpy.ops.amble, name)(**more)
    bpy.ops.ed.undo_push(message="after")
    after = sorted(action.name for action in bpy.data.actions)
    assert len(after) == len(before) + 1
    bpy.ops.ed.undo()
    assert sorted(action.name for action in bpy.data.actions) == before
    bpy.ops.ed.redo()
    assert sorted(action.name for action in bpy.data.actions) == after
    bpy.ops.ed.undo()
    assert sorted(action.name for action in bpy.data.actions) == before


def test_a_linked_rig_is_refused_in_a_sentence_and_its_override_walks(rig, tmp_path):
    path = str(tmp_path / "rig.blend")
    name = rig.name
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(path, link=True) as (_, wanted):
        wanted.objects = [name]
    linked: Any = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    linked.select_set(True)
    with pytest.raises(RuntimeError, match="make a library override of it"):
        bpy.ops.amble.gait()
    own = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = own
    own.select_set(True)
    assert bpy.ops.amble.gait() == {"FINISHED"}
    assert own.animation_data.action.name == "Walk"
