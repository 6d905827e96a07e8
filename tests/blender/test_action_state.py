"""Names and slots of written actions, what a call leaves as it was, and what it refuses."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from amble.action import add_markers, slots, write
from amble.action.names import cut, next_free
from amble.errors import ActionExists, AmbleError, BadSetting, NotAnArmature
from tests.blender.action_tools import (
    ALL,
    contents,
    curves,
    make_rig,
    random_motion,
    rest,
    state,
)

# ---- names and slots ---------------------------------------------------------------------------------------


def test_a_taken_name_gets_the_next_free_number() -> None:
    rig = make_rig(("a",))
    names = [write(rig, "Walk", ["a"], *rest(1, 2), [1, 2], [ALL]).action.name for _ in range(3)]
    assert names == ["Walk", "Walk.001", "Walk.002"]
    assert write(rig, "Walk.001", ["a"], *rest(1, 2), [1, 2], [ALL]).action.name == "Walk.003"
    assert all(action.use_fake_user for action in bpy.data.actions)


def test_long_names_are_cut_between_characters_with_and_without_number() -> None:
    rig = make_rig(("a",))
    long = "歩" * 40
    first = write(rig, long, ["a"], *rest(1, 2), [1, 2], [ALL]).action
    second = write(rig, long, ["a"], *rest(1, 2), [1, 2], [ALL]).action
    assert first.name == "歩" * 21  # 63 bytes
    assert second.name == "歩" * 19 + ".001"  # 57 + 4; one more would be 64
    over = write(rig, long, ["a"], *rest(1, 2), [1, 2], [ALL], overwrite=True).action
    assert over == first


def test_cutting_never_splits_a_character() -> None:
    assert cut("a" * 62 + "é") == "a" * 62
    assert cut("a" * 61 + "é") == "a" * 61 + "é"
    assert next_free("Walk.999", {"Walk.999"}) == "Walk.1000"
    assert next_free("a" * 70, {"a" * 63}) == "a" * 59 + ".001"


def test_overwrite_replaces_curves_and_markers_in_the_same_data_block() -> None:
    rig = make_rig()
    first = write(rig, "Walk", ["a", "b"], *random_motion(2, 5), np.arange(5), [ALL] * 2, cyclic=True).action
    add_markers(first, [("old", 2)])
    motion, slopes = random_motion(1, 3, seed=2)
    second = write(
        rig, "Walk", ["b"], motion, slopes, np.arange(3), [(True, False, False)], overwrite=True
    ).action
    assert second == first
    assert [action.name for action in bpy.data.actions] == ["Walk"]
    assert {key[0] for key in curves(rig)} == {'pose.bones["b"].location'}
    assert len(first.pose_markers) == 0
    assert first.use_cyclic is False
    assert rig.animation_data.action == first


def test_overwrite_never_changes_the_motion_of_another_object() -> None:
    rig, other = make_rig(name="Rig"), make_rig(name="Other")
    shared = write(other, "Shared", ["a", "b"], *random_motion(2, 4), np.arange(4), [ALL] * 2).action
    before = contents(other)
    motion, slopes = random_motion(2, 4, seed=3)

    if not slots.HAS_SLOTS:
        with pytest.raises(ActionExists, match='"Shared" also moves "Other"'):
            write(rig, "Shared", ["a", "b"], motion, slopes, np.arange(4), [ALL] * 2, overwrite=True)
        assert [action.name for action in bpy.data.actions] == ["Shared"]
        assert rig.animation_data is None
    else:
        result = write(rig, "Shared", ["a", "b"], motion, slopes, np.arange(4), [ALL] * 2, overwrite=True)
        assert result.action == shared
        assert [slot.identifier for slot in shared.slots] == ["OBOther", "OBRig"]
        assert rig.animation_data.action_slot.identifier == "OBRig"
        # Once more: now only its own slot's curves are replaced.
        motion[:] += 0.1
        write(rig, "Shared", ["a", "b"], motion, slopes, np.arange(4), [ALL] * 2, overwrite=True)
        assert len(shared.slots) == 2
        assert curves(rig)['pose.bones["a"].location', 0].evaluate(0) == pytest.approx(motion[0, 0, 0])
    assert contents(other) == before


def test_an_action_that_both_objects_share_is_left_alone() -> None:
    rig, other = make_rig(name="Rig"), make_rig(name="Other")
    shared = write(other, "Shared", ["a", "b"], *random_motion(2, 4), np.arange(4), [ALL] * 2).action
    rig.animation_data_create().action = shared
    if slots.HAS_SLOTS:
        rig.animation_data.action_slot = shared.slots[0]
    before = contents(other)
    with pytest.raises(ActionExists, match="Other"):
        write(rig, "Shared", ["a", "b"], *rest(2, 4), np.arange(4), [ALL] * 2, overwrite=True)
    new = write(rig, "Shared", ["a", "b"], *rest(2, 4), np.arange(4), [ALL] * 2).action
    assert new.name == "Shared.001"
    assert (rig.animation_data.action, other.animation_data.action) == (new, shared)
    assert contents(other) == before


def test_a_new_action_has_one_slot_named_for_the_object_and_plays() -> None:
    rig = make_rig(("a",), name="Läufer")
    motion, slopes = rest(1, 2)
    motion[0, 0] = (1.0, 3.0)
    action = write(rig, "Go", ["a"], motion, slopes, [1, 3], [ALL]).action
    if slots.HAS_SLOTS:
        assert [(slot.identifier, slot.target_id_type) for slot in action.slots] == [("OBLäufer", "OBJECT")]
        assert rig.animation_data.action_slot == action.slots[0]
        assert len(action.layers) == len(action.layers[0].strips) == 1
    else:
        assert action.id_root == "OBJECT"
    bpy.context.scene.frame_set(2)
    assert rig.pose.bones["a"].location[0] == pytest.approx(2.0)


# ---- what stays as it was ----------------------------------------------------------------------------------


def test_the_former_action_keeps_its_curves_and_is_not_lost() -> None:
    rig = make_rig(("a",))
    former = write(rig, "Mine", ["a"], *random_motion(1, 6), np.arange(6), [ALL]).action
    former.use_fake_user = False
    before = contents(rig)
    write(rig, "New", ["a"], *rest(1, 2), [1, 2], [ALL])
    assert former.use_fake_user
    slots.assign(rig.animation_data, former, former.slots[0] if slots.HAS_SLOTS else None)
    assert contents(rig) == before


def test_the_scene_stays_as_it_was() -> None:
    rig, other = make_rig(name="Rig"), make_rig(name="Other")
    other.hide_set(True)
    rig.pose.bones["a"].location = (1.0, 2.0, 3.0)
    rig.pose.bones["b"].rotation_mode = "XZY"
    rig.data.pose_position = "REST"
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(17, subframe=0.25)
    before = state(rig)
    write(rig, "Walk", ["a", "b"], *random_motion(2, 5), np.arange(5), [ALL] * 2, assign=False)
    after = state(rig)
    assert after.pop("actions") == [("Walk", 1, True)]
    del before["actions"]
    assert after == before
    assert rig.animation_data is None
    assert rig.data.pose_position == "REST"


def test_a_failure_while_writing_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = make_rig()
    before = state(rig)
    fail_at(monkeypatch, 7)
    with pytest.raises(RuntimeError, match="planted"):
        write(rig, "Walk", ["a", "b"], *random_motion(2, 5), np.arange(5), [ALL] * 2)
    assert state(rig) == before
    assert len(bpy.data.actions) == 0


def test_a_failure_while_overwriting_brings_the_old_action_back(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = make_rig()
    write(rig, "Walk", ["a", "b"], *random_motion(2, 5), np.arange(5), [ALL] * 2, cyclic=True)
    add_markers(rig.animation_data.action, [("heel", 3)])
    before = contents(rig)
    fail_at(monkeypatch, 3)
    with pytest.raises(RuntimeError, match="planted"):
        write(rig, "Walk", ["a", "b"], *rest(2, 2), [1, 2], [ALL] * 2, overwrite=True)
    assert contents(rig) == before
    action = rig.animation_data.action
    assert [a.name for a in bpy.data.actions] == [action.name] == ["Walk"]
    assert action.use_cyclic
    assert [marker.name for marker in action.pose_markers] == ["heel"]
    assert action.use_fake_user


def test_a_failure_while_assigning_brings_the_former_action_back(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = make_rig()
    former = write(rig, "Mine", ["a"], *random_motion(1, 6), np.arange(6), [ALL]).action
    former.use_fake_user = False
    before, curves_before = state(rig), contents(rig)
    true_assign = slots.assign

    def broken(data: Any, action: Any, slot: Any) -> None:
        true_assign(data, action, slot)
        if action is not former:
            raise RuntimeError("planted")

    monkeypatch.setattr(slots, "assign", broken)
    with pytest.raises(RuntimeError, match="planted"):
        write(rig, "New", ["a"], *rest(1, 2), [1, 2], [ALL])
    assert state(rig) == before
    assert contents(rig) == curves_before


def fail_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the curve of that number fail to be made."""
    true_new, count = slots.CurveHome.new_curve, [0]

    def broken(self: slots.CurveHome, path: str, index: int, group: Any) -> Any:
        count[0] += 1
        if count[0] == number:
            raise RuntimeError("planted")
        return true_new(self, path, index, group)

    monkeypatch.setattr(slots.CurveHome, "new_curve", broken)


def test_an_object_in_no_scene_and_one_never_evaluated_are_written() -> None:
    rig = make_rig(("a",))
    stray = bpy.data.objects.new("Stray", rig.data)
    action = write(stray, "Stray", ["a"], *random_motion(1, 3), np.arange(3), [ALL]).action
    assert stray.animation_data.action == action
    assert len(curves(stray)) == 10
    assert bpy.context.scene.objects.get("Stray") is None


# ---- refusals ----------------------------------------------------------------------------------------------


def test_tweak_mode_is_refused_and_nothing_changes() -> None:
    rig = make_rig(("a",))
    action = write(rig, "Strip", ["a"], *random_motion(1, 3), np.arange(3), [ALL]).action
    data = rig.animation_data
    track = data.nla_tracks.new()
    strip = track.strips.new("Strip", 40, action)
    if slots.HAS_SLOTS:
        strip.action_slot = action.slots[0]
    data.action = None
    strip.select = track.select = True
    data.nla_tracks.active = track
    data.use_tweak_mode = True
    assert data.use_tweak_mode
    before = state(rig)
    with pytest.raises(AmbleError, match='"Rig" is being tweaked'):
        write(rig, "New", ["a"], *rest(1, 2), [1, 2], [ALL])
    assert state(rig) == before


def test_what_is_no_armature_or_has_no_such_bone_is_refused_by_name() -> None:
    rig = make_rig(("a",))
    cube = bpy.data.objects.new("Cube", None)
    with pytest.raises(NotAnArmature, match='"Cube"'):
        write(cube, "X", ["a"], *rest(1, 2), [1, 2], [ALL])
    with pytest.raises(AmbleError, match='no bone "tail"'):
        write(rig, "X", ["tail"], *rest(1, 2), [1, 2], [ALL])
    with pytest.raises(BadSetting, match="name"):
        write(rig, " ", ["a"], *rest(1, 2), [1, 2], [ALL])
    assert len(bpy.data.actions) == 0


def bad_arrays() -> dict[str, dict[str, Any]]:
    motion, slopes = rest(2, 3)
    broken, zero = motion.copy(), motion.copy()
    broken[0, 0, 0], zero[1, 3, 1] = np.nan, 0.0
    return {
        "motion: the shape": {"motion": motion[:1]},
        "slopes: the shape": {"slopes": slopes[:, :9]},
        "motion: every number": {"motion": broken},
        "slopes: every number": {"slopes": np.full_like(slopes, np.inf)},
        "motion: the quaternion of bone number 1": {"motion": zero},
        "channels": {"channels": [ALL]},
        "frames: every frame must lie after": {"frames": [1, 2, 2]},
        "frames: every frame must be a finite": {"frames": [1, 2, math.inf]},
        "frames: one row": {"frames": []},
        "bones": {"bones": ["a", "a"]},
        "object_location_slopes: values and slopes": {"object_location": np.zeros((3, 3))},
        "object_location: the shape": {
            "object_location": np.zeros((2, 3)),
            "object_location_slopes": np.zeros((3, 3)),
        },
    }


@pytest.mark.parametrize("message", bad_arrays())
def test_arrays_that_do_not_fit_are_refused_by_name(message: str) -> None:
    rig = make_rig()
    motion, slopes = rest(2, 3)
    given: dict[str, Any] = {
        "bones": ["a", "b"],
        "motion": motion,
        "slopes": slopes,
        "frames": [1, 2, 3],
        "channels": [ALL] * 2,
    }
    with pytest.raises(ValueError, match=message):
        write(rig, "X", **(given | bad_arrays()[message]))
    assert len(bpy.data.actions) == 0
    assert rig.animation_data is None


def test_a_linked_armature_is_refused_and_its_override_written_and_kept(tmp_path: Path) -> None:
    make_rig(("a",), name="Hero")
    source = tmp_path / "hero.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(source), link=True) as (_, into):
        into.objects = ["Hero"]
    linked: Any = bpy.data.objects["Hero"]
    bpy.context.scene.collection.objects.link(linked)
    with pytest.raises(AmbleError, match=r"linked.*override"):
        write(linked, "Walk", ["a"], *rest(1, 2), [1, 2], [ALL])
    assert len(bpy.data.actions) == 0

    own = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    motion, slopes = random_motion(1, 4)
    write(own, "Walk", ["a"], motion, slopes, np.arange(4), [ALL])
    before = contents(own)
    shot = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    objects: Any = bpy.data.objects
    own = next(ob for ob in objects if ob.library is None and ob.type == "ARMATURE")
    assert own.animation_data.action.name == "Walk"
    assert contents(own) == before
    bpy.context.scene.frame_set(2)
    assert np.allclose(own.pose.bones["a"].location, motion[0, :3, 2], atol=1e-6)
