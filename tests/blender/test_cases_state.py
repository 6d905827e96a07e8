"""Data-blocks and state as they come in practice: what a walk changes in a file, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from amble.errors import AmbleError
from amble.report.sampling import sample
from amble.shown import shown
from tests.blender import control_rigs, rigs
from tests.blender.action_tools import contents, numbers, state
from tests.blender.control_rigs import editing
from tests.blender.paths import path, whole

with_slots = pytest.mark.skipif(not slots.HAS_SLOTS, reason="actions have no slots before Blender 4.4")


def pose_curves(action: Any, slot: Any = None) -> dict[tuple[str, int], bytes]:
    """Keys and handles of every curve of an action, or of one of its slots."""
    if not slots.HAS_SLOTS:
        found = list(action.fcurves)
    else:
        wanted = list(action.slots) if slot is None else [slot]
        bags = [action.layers[0].strips[0].channelbag(one) for one in wanted if action.layers]
        found = [curve for bag in bags if bag is not None for curve in bag.fcurves]
    return {(curve.data_path, curve.array_index): numbers(curve).tobytes() for curve in found}


def stance(armature: Any, action: Any = None) -> Any:
    """A small action of the armature's own, or keys in one that it plays already."""
    if action is not None:
        armature.animation_data_create().action = action
    bone = armature.pose.bones["chest"]
    bone.rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    bone.keyframe_insert("rotation_quaternion", frame=1)
    bone.keyframe_insert("location", frame=20)
    return armature.animation_data.action


# ---- case 74: library overrides ----


def test_an_override_walks_without_a_write_to_the_library(tmp_path: Path) -> None:
    plain = rigs.biped()
    result = amble.gait(plain, speed=1.3)
    wanted = path(plain, whole(result))

    rigs.clear()
    armature = rigs.biped()
    group = bpy.data.collections.new("rig")
    bpy.context.scene.collection.children.link(group)
    bpy.context.scene.collection.objects.unlink(armature)
    group.objects.link(armature)
    library = tmp_path / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    saved = library.read_bytes()

    rigs.clear()
    libraries: Any = bpy.data.libraries
    with libraries.load(str(library), link=True) as (_, into):
        into.collections = ["rig"]
    into.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o.override_library)
    assert armature.data.library is not None or armature.data.override_library is not None
    result = amble.gait(armature, speed=1.3)
    assert result.report is not None
    assert result.report.ok, result.report.table()
    assert armature.mode == "OBJECT"
    assert np.abs(path(armature, whole(result)) - wanted).max() < 1e-6

    scene = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o.override_library)
    assert armature.animation_data.action.name == "Walk"
    assert np.abs(path(armature, np.arange(1, len(wanted) + 1)) - wanted).max() < 1e-6
    assert library.read_bytes() == saved


# ---- case 75: one action, two objects ----


def test_of_two_objects_with_one_action_and_one_armature_only_the_given_one_changes() -> None:
    first = rigs.biped()
    shared = stance(first)
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    bpy.context.view_layer.update()
    assert second.data == first.data
    assert second.animation_data.action == shared
    before = pose_curves(shared)
    frames = np.arange(1, 25)
    stood = path(first, frames)
    result = amble.gait(second, speed=1.3)
    assert second.animation_data.action == result.action != shared
    assert first.animation_data.action == shared
    assert pose_curves(shared) == before
    assert np.array_equal(path(first, frames), stood)
    alone = path(second, whole(result))
    rigs.clear()
    plain = rigs.biped()
    result = amble.gait(plain, speed=1.3)
    assert np.abs(path(plain, whole(result)) - alone).max() < 1e-6


# ---- case 76: slots ----


def is_new_and_plays(armature: Any, result: Any) -> None:
    """The action has one slot, named for the object and assigned, and moves it."""
    assert [(s.identifier, s.target_id_type) for s in result.action.slots] == [
        ("OB" + armature.name, "OBJECT")
    ]
    assert armature.animation_data.action == result.action
    assert armature.animation_data.action_slot == result.action.slots[0]
    first, last = path(armature, result.frames, ["pelvis"])[:, 0, 0]
    assert first[1] - last[1] > 1.0


@pytest.fixture
def two_slots() -> tuple[Any, Any, Any]:
    """An action with a slot each for another armature and for the one that is given; (action, other, own)."""
    other = rigs.build({"chest": ((0, 0, 0), (0, 0, 1), None)}, "other")
    action = stance(other)
    armature = rigs.biped()
    armature.animation_data_create().action = action
    armature.animation_data.action_slot = action.slots.new("OBJECT", armature.name)
    stance(armature)
    assert len(action.slots) == 2
    return action, other, armature


@with_slots
def test_slots_of_the_action_played_so_far_stay_as_they_are(two_slots: tuple[Any, Any, Any]) -> None:
    action, other, armature = two_slots
    before = [pose_curves(action, slot) for slot in action.slots]
    assert all(before)
    result = amble.gait(armature)
    is_new_and_plays(armature, result)
    assert [pose_curves(action, slot) for slot in action.slots] == before
    assert other.animation_data.action == action
    assert other.animation_data.action_slot == action.slots[0]


@with_slots
def test_of_an_action_to_be_replaced_only_the_object_s_own_slot_is_written(
    two_slots: tuple[Any, Any, Any],
) -> None:
    action, other, armature = two_slots
    action.name = "Walk"
    before = pose_curves(action, action.slots[0])
    own = armature.animation_data.action_slot
    result = amble.gait(armature, overwrite=True)
    assert result.action == action
    assert armature.animation_data.action_slot == own == action.slots[1]
    assert pose_curves(action, action.slots[0]) == before
    assert other.animation_data.action_slot == action.slots[0]
    assert pose_curves(action, own) == contents(armature)
    assert 'pose.bones["thigh.L"].rotation_quaternion' in {name for name, _ in contents(armature)}


@with_slots
def test_the_only_slot_of_an_action_may_be_another_object_s() -> None:
    other = rigs.build({"chest": ((0, 0, 0), (0, 0, 1), None)}, "other")
    action = stance(other)
    armature = rigs.biped()
    armature.animation_data_create().action = action
    armature.animation_data.action_slot = None
    before = pose_curves(action)
    result = amble.gait(armature)
    is_new_and_plays(armature, result)
    assert pose_curves(action) == before
    assert len(action.slots) == 1


@with_slots
def test_a_rig_that_was_never_animated_gets_an_action_with_its_slot() -> None:
    armature = rigs.biped()
    assert armature.animation_data is None
    is_new_and_plays(armature, amble.gait(armature))


# ---- case 78: no animation, or no action ----


@pytest.mark.parametrize("made", [False, True])
def test_a_rig_without_action_walks(made: bool) -> None:
    armature = rigs.biped()
    if made:
        armature.animation_data_create()
    result = amble.gait(armature)
    assert result.report is not None
    assert result.report.ok, result.report.table()
    assert armature.animation_data.action == result.action


# ---- case 79: everything else as it was ----


def snapshot(armature: Any) -> dict[str, Any]:
    """`state`, without the action, and what more there is to change."""
    found = state(armature)
    for name in ("data", "plays"):
        del found[name]
    data = armature.animation_data
    tracks = [] if data is None else data.nla_tracks
    found["actions"] = [entry for entry in found["actions"] if not entry[0].startswith("Walk")]
    found["nla"] = [
        (track.name, track.mute, track.is_solo, [(s.name, s.frame_start, s.frame_end) for s in track.strips])
        for track in tracks
    ]
    found["selected bones"] = [
        (bone.name, bone.select if hasattr(bone, "select") else bone.bone.select)
        for bone in armature.pose.bones
    ]
    active = armature.data.bones.active
    found["active bone"] = None if active is None else active.name
    found["hidden"] = [
        (bone.name, bone.hide, getattr(armature.pose.bones[bone.name], "hide", None))
        for bone in armature.data.bones
    ]
    found["properties"] = [(bone.name, dict(bone.items())) for bone in armature.pose.bones]
    found["rest shown"] = armature.data.pose_position
    found["scene"] = (bpy.context.scene.name, bpy.context.scene.tool_settings.use_keyframe_insert_auto)
    return found


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
@pytest.mark.parametrize("active", [True, False])
def test_mode_selection_frame_pose_and_strips_are_left_alone(mode: str, active: bool) -> None:
    armature = rigs.biped()
    old = stance(armature)
    old.use_fake_user = True
    track = armature.animation_data.nla_tracks.new()
    track.strips.new("stance", 40, old)
    camera = bpy.data.objects.new("camera", None)
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.frame_set(33, subframe=0.25)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    armature.pose.bones["hand.L"].location = (0.1, 0.2, 0.3)
    armature.pose.bones["hand.L"]["grip"] = 0.4
    armature.data.bones.active = armature.data.bones["shin.R"]
    select(armature, "shin.R")
    if mode == "POSE":
        bpy.ops.object.mode_set(mode="POSE")
    if not active:
        bpy.context.view_layer.objects.active = camera
    before, curves_before = snapshot(armature), pose_curves(old)
    result = amble.gait(armature)
    after = snapshot(armature)
    # The old action is played no more.
    lost = [(name, users - (name == old.name), fake) for name, users, fake in before.pop("actions")]
    assert after.pop("actions") == lost
    pose, shown = before.pop("bones"), after.pop("bones")
    walking = {curve[0].split('"')[1] for curve in contents(armature)}
    assert [row for row in pose if row[0] not in walking] == [row for row in shown if row[0] not in walking]
    assert [row[:3] for row in pose] == [row[:3] for row in shown]
    assert after == before
    assert pose_curves(old) == curves_before
    assert armature.animation_data.action == result.action


def select(armature: Any, *bones: str) -> None:
    """Select these pose bones alone, in every Blender."""
    for bone in armature.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name in bones


@pytest.mark.parametrize("report", [True, False])
def test_an_armature_in_edit_mode_is_refused_and_stays_there(report: bool) -> None:
    """Its bones are those of before the edit, which may be others by now."""
    armature = rigs.biped()
    with editing(armature) as bones:
        before = state(armature)
        with pytest.raises(AmbleError, match="edit mode"):
            amble.gait(armature, report=report)
        assert state(armature) == before
        assert len(bones) == len(armature.data.bones)


# ---- case 80: what is hidden ----


def rest_shown(armature: Any) -> Any:
    armature.data.pose_position = "REST"
    return lambda: armature.data.pose_position


def object_hidden(armature: Any) -> Any:
    armature.hide_set(True)
    return lambda: armature.hide_get()


def object_off(armature: Any) -> Any:
    armature.hide_viewport = True
    return lambda: armature.hide_viewport


def collection_excluded(armature: Any) -> Any:
    apart = put_apart(armature)
    layer = bpy.context.view_layer.layer_collection.children[apart.name]
    layer.exclude = True
    return lambda: (layer.exclude, [c.name for c in armature.users_collection])


def collection_off(armature: Any) -> Any:
    apart = put_apart(armature)
    apart.hide_viewport = True
    return lambda: (apart.hide_viewport, [c.name for c in armature.users_collection])


def put_apart(armature: Any) -> Any:
    """Into a collection of its own."""
    apart = bpy.data.collections.new("apart")
    bpy.context.scene.collection.children.link(apart)
    apart.objects.link(armature)
    bpy.context.scene.collection.objects.unlink(armature)
    return apart


def in_no_collection(armature: Any) -> Any:
    bpy.context.scene.collection.objects.unlink(armature)
    return lambda: list(armature.users_collection)


def bones_hidden(armature: Any) -> Any:
    for bone in armature.data.bones:
        bone.hide = True
    for pose in armature.pose.bones:
        if hasattr(pose, "hide"):
            pose.hide = True
    return lambda: [(b.hide, getattr(p, "hide", None)) for b, p in both(armature)]


def both(armature: Any) -> Any:
    return zip(armature.data.bones, armature.pose.bones, strict=True)


def collections_hidden(armature: Any) -> Any:
    group = armature.data.collections.new("limbs")
    for bone in armature.data.bones:
        group.assign(bone)
    group.is_visible = False
    return lambda: group.is_visible


def nothing_selected(armature: Any) -> Any:
    armature.select_set(False)
    bpy.context.view_layer.objects.active = None
    return lambda: (armature.select_get(), bpy.context.view_layer.objects.active)


HIDING = (
    rest_shown,
    object_hidden,
    object_off,
    collection_excluded,
    collection_off,
    in_no_collection,
    bones_hidden,
    collections_hidden,
    nothing_selected,
)


def unhide(armature: Any) -> None:
    """Make it seen in the scene."""
    armature.data.pose_position = "POSE"
    armature.hide_viewport = False
    if armature.name not in bpy.context.scene.collection.objects:
        bpy.context.scene.collection.objects.link(armature)
    armature.hide_set(False)


@pytest.fixture(scope="module")
def visible() -> tuple[Any, np.ndarray]:
    """(curves, path of the feet) of the biped with nothing hidden."""
    rigs.clear()
    armature = rigs.biped()
    result = amble.gait(armature)
    return contents(armature), path(armature, whole(result))


@pytest.mark.parametrize("hide", HIDING)
def test_what_is_hidden_walks_as_what_is_seen(hide: Callable[[Any], Any], visible: Any) -> None:
    armature = rigs.biped()
    look = hide(armature)
    before = look()
    result = amble.gait(armature, report=False)
    assert look() == before
    assert contents(armature) == visible[0]
    unhide(armature)
    assert np.array_equal(path(armature, whole(result)), visible[1])


LEFT_OUT = (object_off, collection_excluded, collection_off, in_no_collection)


@pytest.mark.parametrize("hide", HIDING)
def test_what_is_hidden_is_measured_as_what_is_seen(hide: Callable[[Any], Any]) -> None:
    armature = rigs.biped()
    look = hide(armature)
    before = look()
    result = amble.gait(armature)
    assert look() == before
    assert result.report is not None
    assert result.report.ok, result.report.table()


@pytest.mark.parametrize("hide", LEFT_OUT)
def test_what_is_hidden_is_shown_only_for_a_while(hide: Callable[[Any], Any]) -> None:
    armature = rigs.biped()
    amble.gait(armature)
    look = hide(armature)
    before = look()
    with shown(armature):
        assert hide == collection_off or look() != before
        matrices = sample(armature, [1.0, 9.0], ["foot.L"])
    assert look() == before
    assert np.abs(matrices[0] - matrices[1]).max() > 0.1
    with pytest.raises(ZeroDivisionError), shown(armature):
        raise ZeroDivisionError
    assert look() == before
    unhide(armature)
    assert np.array_equal(sample(armature, [1.0, 9.0], ["foot.L"]), matrices)


@pytest.fixture(scope="module")
def visible_controls() -> tuple[Any, np.ndarray]:
    """(curves, path of the feet) of the biped moved by targets with nothing hidden."""
    rigs.clear()
    armature = control_rigs.ik_biped()
    result = amble.gait(armature, report=False)
    return contents(armature), path(armature, whole(result))


@pytest.mark.parametrize("hide", HIDING)
def test_a_rig_with_controls_that_is_hidden_walks_as_one_that_is_seen(
    hide: Callable[[Any], Any], visible_controls: Any
) -> None:
    armature = control_rigs.ik_biped()
    look = hide(armature)
    before = look()
    result = amble.gait(armature, report=False)
    assert look() == before
    assert contents(armature) == visible_controls[0]
    unhide(armature)
    assert np.abs(path(armature, whole(result)) - visible_controls[1]).max() < 1e-6


def test_a_file_that_shows_the_rest_position_walks_and_says_so() -> None:
    armature = rigs.load("blend/vrmaddon_rest_a_pose_t_position_rest.blend")
    assert armature.data.pose_position == "REST"
    result = amble.gait(armature)
    assert armature.data.pose_position == "REST"
    assert any("shown in rest position" in note for note in result.notes)
    hidden = contents(armature)
    armature = rigs.load("blend/vrmaddon_rest_a_pose_t_position_rest.blend")
    armature.data.pose_position = "POSE"
    result = amble.gait(armature)
    assert contents(armature) == hidden
    assert result.report is not None
    assert result.report.slide_mm <= 1.0, result.report.table()


# ---- case 81: undo ----


@pytest.fixture
def undo() -> Callable[[str], Any]:
    """Pushes an undo step."""
    bpy.context.preferences.edit.use_global_undo = True
    return lambda message: bpy.ops.ed.undo_push(message=message)


def test_undo_and_redo_bring_the_former_action_and_the_walk_back(undo: Callable[[str], Any]) -> None:
    armature = rigs.biped()
    stance(armature).name = "Stance"
    name = armature.name
    undo("stance")
    amble.gait(armature, speed=1.3)
    undo("walk")
    written = contents(bpy.data.objects[name])
    for _ in range(2):
        bpy.ops.ed.undo()
        armature = bpy.data.objects[name]
        assert armature.animation_data.action.name == "Stance"
        assert [action.name for action in bpy.data.actions if action.users] == ["Stance"]
        bpy.ops.ed.redo()
        armature = bpy.data.objects[name]
        assert armature.animation_data.action.name == "Walk"
        assert contents(armature) == written
    bpy.ops.ed.undo()
    armature = bpy.data.objects[name]
    amble.gait(armature, speed=1.3)
    assert armature.animation_data.action.name == "Walk"
    assert contents(armature) == written
    undo("walk again")
    rigs.clear()
    assert amble.gait(rigs.biped()).action.name == "Walk"


# ---- case 84: bones selected and hidden ----


def test_selected_and_hidden_bones_do_not_change_a_walk(visible: Any) -> None:
    armature = rigs.biped()
    bpy.ops.object.mode_set(mode="POSE")
    select(armature, "thigh.L", "shin.L", "hand.R")
    for bone in ("shin.R", "chest"):
        armature.data.bones[bone].hide = True
    before = snapshot(armature)["selected bones"]
    assert {name for name, selected in before if selected} == {"thigh.L", "shin.L", "hand.R"}
    amble.gait(armature)
    assert snapshot(armature)["selected bones"] == before
    assert contents(armature) == visible[0]
