"""The operators and panels of the window, in a Blender without one."""

import dataclasses
import subprocess
import sys

import amble
import bpy
import pytest
from amble.window.features import FEATURES, GAIT
from amble.window.groups import group_of
from amble.window.told import kept
from tests.blender import rigs


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
    assert len(ours()) > 10
    for _ in range(10):
        amble.unregister()
        assert ours() == []
        amble.register()
    there = ours()
    assert len(there) == len(set(there))


def test_switching_on_imports_nothing_that_makes_motion_and_takes_no_tenth_of_a_second():
    code = """
import sys, time, bpy
start = time.process_time()
import amble
amble.register()
took = time.process_time() - start
ours = [name for name in sys.modules if name.startswith("amble")]
heavy = [name for name in ours if name.endswith((".make", ".api", ".cli"))]
print(took, *heavy)
amble.unregister()
sys.stdout.flush()
import os
os._exit(0)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    took, *heavy = run.stdout.splitlines()[-1].split()
    assert heavy == []
    assert float(took) < 0.1


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
