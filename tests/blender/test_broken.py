"""What breaks a call: failures within it, armatures that were never evaluated, arguments of other kinds."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import amble
import bpy
import pytest
from amble.action import slots
from amble.errors import ActionExists, AmbleError, BadSetting, NotAnArmature
from tests.blender import rigs
from tests.blender.action_tools import state


class Planted(BaseException):
    """No Exception, as an interruption by the user is none."""


def plant(monkeypatch: pytest.MonkeyPatch, where: str, name: str, *, after: bool) -> None:
    """Let the first call of a function of a module of ours fail, before or after its work."""
    module: Any = importlib.import_module(f"amble.{where}")
    true, calls = getattr(module, name), [0]

    def broken(*args: Any, **how: Any) -> Any:
        calls[0] += 1
        if calls[0] == 1 and not after:
            raise Planted
        result = true(*args, **how)
        if calls[0] == 1:
            raise Planted
        return result

    monkeypatch.setattr(module, name, broken)


def everything(rig: Any) -> dict[str, Any]:
    """What must be as before: the scene, every action's curves, and what the rig plays and how."""
    bpy.context.view_layer.update()
    data = rig.animation_data
    seen = state(rig)
    seen["curves"] = {
        action.name: [
            (curve.data_path, curve.array_index, len(curve.keyframe_points), curve.evaluate(7.3))
            for curve in slots.curves_for(action, rig) or ()
        ]
        for action in bpy.data.actions
    }
    seen["markers"] = [(a.name, [m.name for m in a.pose_markers]) for a in bpy.data.actions]
    seen["plays"] = data.action.name if data.action is not None else None
    seen["slot"] = slots.HAS_SLOTS and data.action_slot is not None
    seen["tracks"] = [(t.name, [s.name for s in t.strips]) for t in data.nla_tracks]
    return seen


def rig_with_actions() -> Any:
    """A biped with a walk, and an idle of its own that it plays."""
    rig = rigs.biped()
    amble.gait(rig, report=False)
    amble.idle(rig, name="Keep", frames=(1, 30))
    return rig


def mirror_over(rig: Any) -> None:
    amble.mirror(rig, "Walk", name="Keep", overwrite=True)


def mirror_part(rig: Any) -> None:
    amble.mirror(rig, "Walk", part="upper", shift=True)


def layer(rig: Any) -> None:
    amble.idle(rig, written="layer", frames=(1, 30))


def layer_on_nothing(rig: Any) -> None:
    rig.animation_data.action = None
    rig.pose.bones["chest"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    try:
        layer(rig)
    finally:
        rig.animation_data.action = bpy.data.actions["Keep"]


def blend_over(rig: Any) -> None:
    amble.blend(rig, "Walk", "Walk", name="Keep", overwrite=True)


def sequence_over(rig: Any) -> None:
    amble.sequence(rig, ["Walk", "Walk"], name="Keep", overwrite=True)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("call", "where", "name"),
    [
        (mirror_over, "mirror.make", "_fill"),
        (mirror_over, "mirror.make", "play"),
        (mirror_over, "mirror.make", "mirror_shapes"),
        (mirror_over, "action.slots", "assign"),
        (mirror_part, "mirror.make", "lay_over"),
        (mirror_part, "mirror.make", "shift_half"),
        (layer, "idle.make", "lay"),
        (layer, "idle.layer", "_strip"),
        (layer_on_nothing, "idle.make", "base_action"),
        (blend_over, "blend.make", "report_on"),
        (blend_over, "action.slots", "assign"),
        (sequence_over, "blend.sequence", "report_on"),
    ],
)
def test_an_interrupted_call_leaves_everything_as_it_was(
    monkeypatch: pytest.MonkeyPatch, call: Callable[[Any], None], where: str, name: str, *, after: bool
) -> None:
    rig = rig_with_actions()
    before = everything(rig)
    with monkeypatch.context() as patch:
        plant(patch, where, name, after=after)
        with pytest.raises(Planted):
            call(rig)
    assert everything(rig) == before


def with_shape_keys(rig: Any) -> Any:
    """Two objects with one mesh, whose keys named for sides play an action that nothing else keeps."""
    mesh = bpy.data.meshes.new("face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    for name in ("face", "other"):
        thing = bpy.data.objects.new(name, mesh)
        bpy.context.scene.collection.objects.link(thing)
        thing.parent = rig
        if name == "face":
            for key in ("Basis", "smile.L", "smile.R"):
                thing.shape_key_add(name=key)
    keys: Any = mesh.shape_keys
    keys.key_blocks["smile.L"].value = 0.8
    keys.key_blocks["smile.L"].keyframe_insert("value", frame=3)
    return keys


def test_shape_keys_that_two_objects_share_are_mirrored_once_and_their_action_is_not_lost() -> None:
    rig = rig_with_actions()
    keys = with_shape_keys(rig)
    former = keys.animation_data.action
    result = amble.mirror(rig, "Walk")
    assert len(result.shapes) == 1
    assert keys.animation_data.action == result.shapes[0]
    data = keys.animation_data
    curves: Any = slots.curves_in(data.action, data.action_slot if slots.HAS_SLOTS else None)
    assert [curve.data_path for curve in curves] == ['key_blocks["smile.R"].value']
    assert former.use_fake_user


def test_an_interrupted_mirror_lets_shape_keys_play_what_they_played(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = rig_with_actions()
    keys = with_shape_keys(rig)
    former = keys.animation_data.action
    actions = sorted(action.name for action in bpy.data.actions)
    plant(monkeypatch, "mirror.shapes", "_mirrored", after=True)
    with pytest.raises(Planted):
        amble.mirror(rig, "Walk")
    assert keys.animation_data.action == former
    assert not slots.HAS_SLOTS or keys.animation_data.action_slot is not None
    assert not former.use_fake_user
    assert sorted(action.name for action in bpy.data.actions) == actions


def test_a_mirror_image_that_replaces_an_action_is_played_by_the_strips_that_played_that() -> None:
    rig = rig_with_actions()
    data = rig.animation_data
    kept = bpy.data.actions["Keep"]
    if slots.HAS_SLOTS:  # a slot of another number than the walk's has
        kept.slots.remove(kept.slots[0])
        for _ in range(3):
            kept.slots.new("OBJECT", "passing")
        own = kept.slots.new("OBJECT", rig.name)
        for slot in list(kept.slots):
            if slot != own:
                kept.slots.remove(slot)
    track = data.nla_tracks.new()
    strip = track.strips.new("kept", 1, kept)
    data.action = bpy.data.actions["Walk"]
    if slots.HAS_SLOTS:
        strip.action_slot = kept.slots[0]
    result = amble.mirror(rig, "Walk", name="Keep", overwrite=True, assign=False)
    assert result.action.name == "Keep"
    assert strip.action == result.action
    assert not slots.HAS_SLOTS or strip.action_slot == result.action.slots[0]


def test_a_mirror_image_of_a_walk_does_not_pass_for_the_walk() -> None:
    rig = rig_with_actions()
    result = amble.mirror(rig, "Walk")
    with pytest.raises(BadSetting, match="does not say what it was made with"):
        amble.again(rig, result.action)


# ---- armatures that were never evaluated ----


@pytest.mark.parametrize("call", [mirror_over, layer, blend_over])
def test_another_armature_that_was_never_evaluated_does_no_harm(call: Callable[[Any], None]) -> None:
    rig = rig_with_actions()
    bpy.data.objects.new("New", bpy.data.armatures.new("New"))
    call(rig)
    amble.gait(rig, overwrite=True, report=False)
    assert rig.animation_data.action.name == "Walk"


@pytest.mark.skipif(not slots.HAS_SLOTS, reason="actions have no slots before Blender 4.4")
def test_who_plays_a_slot_is_found_wherever_it_is_played() -> None:
    rig = rigs.biped()
    action = amble.gait(rig, report=False).action
    slot: Any = action.slots[0]
    assert slots.used_by_others(action, rig) == []

    def empty(name: str) -> Any:
        made = bpy.data.objects.new(name, None)
        bpy.context.scene.collection.objects.link(made)
        return made

    constraint = empty("constrained").constraints.new("ACTION")
    constraint.action, constraint.action_slot = action, slot
    track = empty("stripped").animation_data_create().nla_tracks.new()
    track.strips.new("strip", 1, action).action_slot = slot
    other = empty("other slot").animation_data_create()
    other.action = action
    other.action_slot = action.slots.new("OBJECT", "other slot")
    tweaked = empty("tweaked").animation_data_create()
    strip = tweaked.nla_tracks.new().strips.new("strip", 1, bpy.data.actions.new("else"))
    tweaked.action, tweaked.action_slot = action, slot
    strip.select = True
    tweaked.nla_tracks.active = tweaked.nla_tracks[0]
    tweaked.use_tweak_mode = True
    assert tweaked.action != action
    found = slots.used_by_others(action, rig)
    assert found == ["constrained", "stripped", "tweaked"]
    # Blender itself forgets what comes back when tweak mode is left.
    assert set(found) - {"tweaked"} == {user.name for user in slot.users() if user != rig}


# ---- arguments of other kinds ----

# What types would not let through.
FIVE: Any = 5
NONE: Any = None
TEXT: Any = "Walk"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda rig: amble.mirror(rig, "nope"), 'no action "nope"'),
        (lambda rig: amble.mirror(rig, 5), "must be an action"),
        (lambda rig: amble.mirror(rig, name=FIVE), "name must be a text, not 5"),
        (lambda rig: amble.mirror(rig, rules=FIVE), "rules must be a mapping"),
        (lambda rig: amble.mirror(rig, frames=(9, 2)), "frames is 9:2"),
        (lambda rig: amble.mirror(rig, obstacles="Wall"), "'Wall' is neither"),
        (lambda rig: amble.blend(rig, "Walk", "Walk", name=FIVE), "name must be a text, not 5"),
        (lambda rig: amble.blend(rig, "Walk", "Walk", at=1e6), r'"Walk" until frame 1e\+06 .* over 100000'),
        (lambda rig: amble.blend(rig, "Walk", "Walk", at=1e9), "at must be at most 1048574"),
        (lambda rig: amble.blend(rig, "Walk", "Walk", table={"Walk": 3}), "table must have pairs"),
        (lambda rig: amble.sequence(rig, NONE), "clips must be a list"),
        (lambda rig: amble.sequence(rig, "Walk"), "clips must be a list, not 'Walk'"),
        (lambda rig: amble.sequence(rig, [{"action": "Walk", "after": float("nan")}, "Walk"]), "after of"),
        (lambda rig: amble.transition_table(rig, FIVE), "actions must be a list"),
        (lambda rig: amble.close_loop(rig, "Walk", frames=TEXT), "not 'Walk'"),
        (lambda rig: amble.idle(rig, frames=(1, 1_000_000)), "make a shorter loop"),
    ],
)
def test_what_is_of_another_kind_is_refused_by_name(call: Callable[[Any], None], words: str) -> None:
    rig = rig_with_actions()
    before = everything(rig)
    with pytest.raises(AmbleError, match=words):
        call(rig)
    assert everything(rig) == before


# ---- objects that are not quite there ----


@pytest.mark.parametrize(
    "call",
    [
        amble.gait,
        amble.idle,
        lambda rig: amble.blend(rig, "Walk", "Idle"),
        amble.mirror,
        amble.again,
        lambda rig: amble.again(rig, bpy.data.actions["Walk"]),
        lambda rig: amble.sequence(rig, ["Walk", "Walk"]),
        lambda rig: amble.transition_table(rig, ["Walk"]),
        lambda rig: amble.close_loop(rig, "Walk"),
        lambda rig: amble.rig.roles(rig),
    ],
)
def test_an_armature_that_was_removed_is_no_armature(call: Callable[[Any], None]) -> None:
    rig = rig_with_actions()
    bpy.data.objects.remove(rig)
    actions = [action.name for action in bpy.data.actions]
    with pytest.raises(NotAnArmature, match="armature object is gone"):
        call(rig)
    assert [action.name for action in bpy.data.actions] == actions


@pytest.mark.parametrize(
    "call",
    [
        lambda rig, gone: amble.blend(rig, gone, "Idle"),
        lambda rig, gone: amble.mirror(rig, gone),
        lambda rig, gone: amble.again(rig, gone),
        lambda rig, gone: amble.idle(rig, pose=gone),
    ],
)
def test_an_action_that_was_removed_is_told(call: Callable[[Any, Any], None]) -> None:
    rig = rig_with_actions()
    gone = bpy.data.actions["Walk"]
    bpy.data.actions.remove(gone)
    with pytest.raises(BadSetting, match="is gone: it was removed from the file"):
        call(rig, gone)


def test_an_armature_that_was_never_evaluated_walks_idles_and_is_mirrored() -> None:
    rig = rigs.biped()
    new = bpy.data.objects.new("New", rig.data)
    assert new.pose is None
    assert amble.gait(new).report is not None
    made = [amble.mirror(new).action, amble.idle(new, frames=(1, 10)).action]
    assert new.animation_data.action == made[-1]
    assert rig.animation_data is None
    assert "New" not in bpy.context.scene.objects


def test_an_object_whose_place_is_no_number_is_refused() -> None:
    rig = rigs.biped()
    rig.location.x = float("nan")
    for root_motion in ("auto", "object"):
        with pytest.raises(AmbleError, match='location of "biped" in the world is no number'):
            amble.gait(rig, root_motion=root_motion)
    assert not bpy.data.actions


# ---- layers that are there already ----


def test_a_layer_does_not_replace_the_action_that_it_lies_on() -> None:
    rig = rig_with_actions()
    before = everything(rig)
    with pytest.raises(ActionExists, match='"Keep" is what the layer lies on'):
        amble.idle(rig, name="Keep", overwrite=True, written="layer", frames=(1, 20))
    assert everything(rig) == before


def test_a_layer_that_is_made_again_is_there_once() -> None:
    rig = rig_with_actions()
    first = amble.idle(rig, written="layer", frames=(1, 20))
    again = amble.idle(rig, name=first.action.name, written="layer", frames=(5, 44), overwrite=True)
    assert again.action == first.action
    tracks = rig.animation_data.nla_tracks
    assert [track.name for track in tracks] == ["Keep", first.action.name]
    assert again.strip == tracks[1].strips[0]
    assert (again.strip.frame_start, again.strip.frame_end) == (5.0, 44.0)
    assert not slots.HAS_SLOTS or again.strip.action_slot == again.action.slots[0]
