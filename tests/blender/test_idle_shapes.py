"""Blinks and breath on shape keys (feature 18): what is found, when eyes close, and what is left alone."""

import sys

import amble
import bpy
import numpy as np
import pytest
from tests.blender import idles, rigs


def face(rig, *names: str):
    """A mesh of the rig with shape keys of these names, all at 0."""
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.1)
    thing = bpy.context.object
    thing.parent = rig
    for name in ("Basis", *names):
        thing.shape_key_add(name=name).value = 0.0
    return thing.data.shape_keys


def values(keys, name, frames):
    """What a key block is at these frames, evaluated."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1))
        found.append(keys.evaluated_get(bpy.context.evaluated_depsgraph_get()).key_blocks[name].value)
    return np.array(found)


@pytest.mark.parametrize(
    ("names", "blinking"),
    [
        (("eyeBlinkLeft", "eyeBlinkRight", "eyeSquintLeft"), ("eyeBlinkLeft", "eyeBlinkRight")),
        (("Fcl_EYE_Close", "Fcl_MTH_Close", "Fcl_EYE_Joy"), ("Fcl_EYE_Close",)),
        (("まばたき", "ウィンク"), ("まばたき",)),
        (("Blink.L", "smile"), ()),  # an eye alone would be a wink
    ],
)
def test_eyes_blink_together_as_often_as_the_condition_says(names, blinking):
    rig = rigs.biped()
    keys = face(rig, *names)
    result = amble.idle(rig, frames=(1, 24 * 60 + 1))
    assert len(result.shapes) == bool(blinking)
    frames = np.arange(1, 24 * 60 + 2) if blinking else np.array([1, 100])
    for name in names:
        track = values(keys, name, frames)
        if name not in blinking:
            assert not track.any()
            continue
        shut = track > 0.99
        begins = np.flatnonzero(shut[1:] & ~shut[:-1])
        assert len(begins) == 15  # a minute, at rest
        gaps = np.diff(begins)
        assert gaps.min() > 0.3 * 24
        assert gaps.std() > 0.5 * 24  # not like a clock
        assert track[0] == track[-1] == 0.0
        # Eyes are not open for no more than a third of a second at a time.
        assert (track > 0.01).sum() <= 15 * 8


def test_breath_on_shape_keys_goes_with_the_chest_and_starts_as_held():
    rig = rigs.biped()
    keys = face(rig, "Breathe", "exhale")
    keys.key_blocks["Breathe"].value = 0.2
    result = amble.idle(rig, cycles=2, variation=0.0, condition="tired", loop=True)
    frames = np.arange(result.frames[0], result.frames[1] + 1)
    track = values(keys, "Breathe", frames)
    assert track[0] == pytest.approx(0.2, abs=1e-6)
    assert track[-1] == pytest.approx(0.2, abs=1e-6)
    assert track.max() == pytest.approx(1.0, abs=1e-6)  # 0.2 + 0.5 * depth 1.7 is over the key's range
    assert np.abs(np.diff(track)).max() < 0.05
    chest = idles.tracks(rig, result, ["chest"], step=1.0)[:, 0, :3, 1] @ np.array([0.0, 1.0, 0.0])
    early = frames < result.frames[0] + 0.3 * (result.frames[1] - result.frames[0])
    assert np.corrcoef(track[early], chest[early])[0, 1] > 0.8
    assert not values(keys, "exhale", frames[:40]).any()


def test_made_again_from_what_was_held_and_once():
    rig = rigs.biped()
    keys = face(rig, "Breathe", "Blink")
    amble.idle(rig, cycles=2)
    first = values(keys, "Breathe", [1, 20, 40])
    bpy.context.scene.frame_set(40)
    result = amble.idle(rig, cycles=2, overwrite=True)
    assert np.array_equal(values(keys, "Breathe", [1, 20, 40]), first)
    assert [action for action in bpy.data.actions if "Shapes" in action.name] == list(result.shapes)
    for _ in range(2):  # it keeps its name each time
        assert [action.name for action in result.shapes] == ["Idle Shapes"]
        result = amble.idle(rig, cycles=2, overwrite=True)


def test_actions_of_several_shape_keys_keep_their_names():
    rig = rigs.biped()
    both = [face(rig, "Breathe"), face(rig, "Blink")]
    played = []
    for _ in range(3):
        amble.idle(rig, cycles=8, overwrite=True)
        played.append([keys.animation_data.action.name for keys in both])
    assert played[0] == played[1] == played[2]
    assert set(played[0]) == {"Idle Shapes", "Idle Shapes.001"}


def test_shape_keys_with_an_action_or_driver_and_layers_leave_them_alone():
    rig = rigs.biped()
    keys = face(rig, "Breathe", "Blink")
    keys.key_blocks["Blink"].driver_add("value")
    result = amble.idle(rig, cycles=2)
    assert {curve.data_path for curve in curves_of(keys)} == {'key_blocks["Breathe"].value'}
    rigs.clear()
    rig = rigs.biped()
    keys = face(rig, "Breathe", "Blink")
    for made in (
        amble.idle(rig, cycles=2, written="layer"),
        amble.idle(rig, cycles=2, shapes=False),
        amble.idle(rig, cycles=2, strength=0.0),
    ):
        assert made.shapes == ()
        assert keys.animation_data is None or keys.animation_data.action is None
    keys.key_blocks["Blink"].keyframe_insert("value", frame=1)
    own = keys.animation_data.action
    result = amble.idle(rig, cycles=2)
    assert keys.animation_data.action == own
    assert any(own.name in note for note in result.notes)


def curves_of(keys):
    """The curves that shape keys play."""
    from amble.action import slots

    action, slot = slots.current(keys.animation_data)
    return list(slots.curves_in(action, slot))


def test_an_idle_that_fails_leaves_shape_keys_as_they_were(monkeypatch):
    rig = rigs.biped()
    keys = face(rig, "Breathe", "Blink")
    amble.idle(rig, cycles=2)
    before = keys.animation_data.action

    def fail(*args: object, **how: object):
        raise amble.AmbleError("no")

    monkeypatch.setattr(sys.modules["amble.idle.make"].actions, "write", fail)
    with pytest.raises(amble.AmbleError, match="no"):
        amble.idle(rig, cycles=3)
    assert keys.animation_data.action == before
    assert [action for action in bpy.data.actions if "Shapes" in action.name] == [before]
    rigs.clear()
    rig = rigs.biped()
    keys = face(rig, "Breathe", "Blink")
    with pytest.raises(amble.AmbleError, match="no"):
        amble.idle(rig, cycles=3)
    assert keys.animation_data is None
    assert not len(bpy.data.actions)


def test_a_crowd_does_not_blink_in_step():
    found = []
    for seed in (1, 2):
        rigs.clear()
        rig = rigs.biped()
        keys = face(rig, "Blink")
        amble.idle(rig, frames=(1, 481), seed=seed)
        found.append(values(keys, "Blink", np.arange(1, 482)))
    assert np.abs(found[0] - found[1]).max() > 0.9
