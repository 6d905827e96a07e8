"""Idle in real Blender: pins, the held pose, conditions, loops, and the cases from practice."""

from itertools import pairwise

import amble
import bpy
import numpy as np
import pytest
from tests.blender import idles, rigs

FEET = ("foot.L", "foot.R", "toe.L", "toe.R")


def held_and_first(rig, result):
    """Matrices (bones, 4, 4) of the pose before, and what the first frame of the action shows."""
    return idles.tracks(rig, result, [bone.name for bone in rig.pose.bones], step=1.0)


def test_I6_feet_stay_and_the_rest_of_a_crouch_moves_over_them():
    rig = idles.crouched()
    result = amble.idle(rig, cycles=2)
    assert [pin.name for pin in result.pins] == ["foot.L", "foot.R"]
    assert idles.drift(idles.tracks(rig, result, FEET)) < 1e-4 * 0.9 / 0.852
    assert idles.turned(idles.tracks(rig, result, FEET)) < 0.02
    assert idles.drift(idles.tracks(rig, result, ["pelvis"])) > 0.008
    assert 0.005 < idles.drift(idles.tracks(rig, result, ["upper_arm.L"])) < 0.06
    assert not any(pin.miss_mm for pin in result.pins)


def test_I7_the_first_frame_is_the_held_pose_to_float_precision():
    rig = idles.crouched()
    before = idles.channels_shown(rig)
    result = amble.idle(rig, cycles=1)
    bpy.context.scene.frame_set(int(result.frames[0]))
    assert idles.channels_shown(rig) == before
    for (path, index), curve in idles.curves_of(rig).items():
        value = rig.path_resolve(path)[index]
        assert curve.evaluate(result.frames[0]) == value


def test_no_joint_jumps_and_the_loop_closes_in_value_and_slope():
    """Case 46 too: slopes at the seam as the ones beside it."""
    rig = idles.crouched()
    result = amble.idle(rig, cycles=3)
    bones = [bone.name for bone in rig.pose.bones]
    whole = idles.tracks(rig, result, bones, step=1.0)
    for now, after in pairwise(whole):
        assert idles.turned(np.stack([now, after])) < 3.0
    first, last = result.frames
    for curve in idles.curves_of(rig).values():
        keys = curve.keyframe_points
        if len(keys) == 1:
            continue
        assert keys[0].co[1] == keys[-1].co[1]
        out = (keys[0].handle_right[1] - keys[0].co[1]) / (keys[0].handle_right[0] - keys[0].co[0])
        into = (keys[-1].co[1] - keys[-1].handle_left[1]) / (keys[-1].co[0] - keys[-1].handle_left[0])
        assert out == pytest.approx(into, abs=1e-6)
        values = np.array([curve.evaluate(f) for f in np.arange(first, last + 1)])
        twice = np.concatenate([values[:-1], values])
        second = np.abs(np.diff(twice, 2))
        seam = second[len(values) - 3 : len(values)]
        assert seam.max() <= 1.5 * second.max()
    assert bpy.data.actions["Idle"].use_cyclic


def test_only_what_has_a_reason_to_move_has_curves():
    """Case 52: bones that have no part in it have none, or curves that are constant to the bit."""
    rig = idles.crouched()
    amble.idle(rig, cycles=1)
    moving = {
        path.split('"')[1]
        for (path, _), curve in idles.curves_of(rig).items()
        if len(curve.keyframe_points) > 1
    }
    assert not moving & {"root", "toe.L", "toe.R"}
    assert {"pelvis", "spine", "chest", "neck", "head", "clavicle.L", "thigh.L", "shin.R", "foot.L"} <= moving
    for (path, _), curve in idles.curves_of(rig).items():
        assert not path.endswith("scale")
        assert path.split('"')[1] == "pelvis" or not path.endswith("location")
        values = {point.co[1] for point in curve.keyframe_points}
        assert len(curve.keyframe_points) == 1 or len(values) > 1 or "rotation" in path


def test_the_gaze_stays_level_while_the_chest_breathes():
    """Feature 18."""
    rig = idles.crouched()
    quiet = amble.idle(rig, cycles=1, condition="asleep", variation=0.0)  # a breath alone
    head = idles.tracks(rig, quiet, ["head"], step=1.0)
    chest = idles.tracks(rig, quiet, ["chest"], step=1.0)
    assert idles.turned(chest) > 1.5
    assert idles.turned(head) < 0.3 * idles.turned(chest)


def test_small_bodies_breathe_quicker_and_large_ones_slower():
    """Feature 18: as the mass to the power of -1/4; people's own sizes breathe alike."""
    rates, legs = {}, {}
    for size in (0.1, 1.0, 10.0):
        rigs.clear()
        rig = rigs.biped(size)
        rates[size] = amble.idle(rig, cycles=1).rate
        legs[size] = amble.rig.roles(rig).leg_length
    assert rates[1.0] == 14.0
    assert rates[0.1] == pytest.approx(14.0 * (0.7 / legs[0.1]) ** 0.75, rel=0.01)
    assert rates[10.0] == pytest.approx(14.0 * (1.2 / legs[10.0]) ** 0.75, rel=0.01)


def chest_range(condition):
    rigs.clear()
    rig = idles.crouched()
    result = amble.idle(rig, cycles=2, variation=0.0, condition=condition)
    heads = idles.tracks(rig, result, ["chest", "upper_arm.L"], step=1.0)
    axes = heads[:, 0, :3, 1]
    swing = np.degrees(np.arccos(np.clip(axes @ axes[0], -1, 1))).max()
    return result, swing, idles.drift(heads[:, 1:])


def test_conditions_differ_in_rate_and_size():
    """I5: hurt is faster and larger, cold smaller, hot larger, and so are the others told apart."""
    found = {name: chest_range(name) for name in ("rest", "hurt", "cold", "hot", "sprint", "asleep")}
    rate = {name: result.rate for name, (result, _, _) in found.items()}
    swing = {name: size for name, (_, size, _) in found.items()}
    assert rate["hurt"] == 28.0
    assert rate["rest"] == 14.0
    assert rate["sprint"] == 44.0
    assert swing["hurt"] > swing["rest"] > swing["cold"]
    assert swing["hot"] > swing["rest"]
    assert swing["sprint"] > 1.7 * swing["rest"]
    for _, size, shoulders in found.values():
        assert size > 0.8
        assert 0.003 < shoulders < 0.08


def test_the_condition_changes_within_a_take_without_a_jump():
    rig = idles.crouched()
    result = amble.idle(rig, frames=(1, 241), condition="rest,sprint@100,rest@200", loop=False)
    heads = idles.tracks(rig, result, ["upper_arm.L"], step=1.0)[:, 0, :3, 3]
    speed = np.linalg.norm(np.diff(heads, axis=0), axis=1)
    assert speed[110:180].max() > 2.0 * speed[:70].max()
    assert np.abs(np.diff(speed)).max() < 0.25 * speed.max()
    with pytest.raises(amble.AmbleError, match="loop must end in the condition"):
        amble.idle(rig, condition="rest,sprint@100", frames=(1, 200))
    with pytest.raises(amble.AmbleError, match="There is no condition 'bored'"):
        amble.idle(rig, condition="bored")


def test_conditions_of_the_users_own(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("[meditating]\nrate = 4\ndepth = 1.2\nlook = 0\n", encoding="utf-8")
    result = amble.idle(idles.crouched(), condition="meditating", conditions=str(path), cycles=1)
    assert result.rate == 4.0
    for bad, message in (
        ("[a]\nrate = 0\n", "rate of \\[a\\] must be a number from 1 to 600"),
        ("[a]\nspeed = 1\n", "\\[a\\] has speed; there are rate"),
        ("[a]\ninhale = 0.9\npause = 0.3\n", "leave no time to breathe out"),
        ("a = 1\n", "a must be a table"),
        ("[a\n", "is no TOML file"),
    ):
        path.write_text(bad, encoding="utf-8")
        with pytest.raises(amble.AmbleError, match=message):
            amble.idle(idles.crouched(), conditions=str(path))


def test_seeds_differ_and_the_same_seed_does_not():
    values = []
    for seed in (1, 1, 2):
        rigs.clear()
        rig = idles.crouched()
        result = amble.idle(rig, cycles=4, seed=seed)
        values.append(idles.tracks(rig, result, ["head"], step=1.0))
    assert np.array_equal(values[0], values[1])
    assert np.abs(values[0] - values[2]).max() > 1e-3


def test_case_96_strength():
    amounts = {}
    for strength in (0.0, 0.25, 1.0, 3.0):
        rigs.clear()
        rig = idles.crouched()
        result = amble.idle(rig, cycles=1, strength=strength, variation=0.0, condition="asleep")
        matrices = idles.tracks(rig, result, ["chest"], step=1.0)
        amounts[strength] = idles.turned(matrices)
        if strength == 0.0:
            assert np.array_equal(matrices, np.repeat(matrices[:1], len(matrices), axis=0))
    assert amounts[0.0] == 0.0
    for strength in (0.25, 3.0):
        assert amounts[strength] == pytest.approx(strength * amounts[1.0], rel=0.01)
    rigs.clear()
    rig = idles.crouched()
    before = idles.channels_shown(rig)
    result = amble.idle(rig, frames=(1, 49), strength_end=0.0, loop=False)
    bpy.context.scene.frame_set(49)
    after = idles.channels_shown(rig)
    for bone, values in before.items():
        assert after[bone] == pytest.approx(values, abs=1e-6)
    heads = idles.tracks(rig, result, ["head"], step=1.0)[:, 0, :3, 3]
    assert np.linalg.norm(heads[-1] - heads[-2]) < 1e-4
    with pytest.raises(amble.AmbleError, match="A loop must end at the strength"):
        amble.idle(rig, strength_end=0.0)


def test_case_94_frame_rates_and_missing_parts():
    seconds = {}
    for fps in (24, 30, 60, 120):
        rigs.clear()
        rig = idles.crouched()
        bpy.context.scene.render.fps = fps
        result = amble.idle(rig, frames=(1, 1 + 4 * fps))
        assert result.cycles == 1.0
        frames = 1 + np.arange(0, 4.01, 0.5) * fps
        curves = idles.curves_of(rig)
        seconds[fps] = {key: [curve.evaluate(f) for f in frames] for key, curve in curves.items()}
    for fps in (30, 60, 120):
        assert seconds[fps].keys() == seconds[24].keys()
        for key, values in seconds[fps].items():
            assert values == pytest.approx(seconds[24][key], abs=1e-4)
    rigs.clear()
    rig = idles.crouched()
    first = amble.idle(rig, frames=(1, 97))
    once = {key: [p.co[1] for p in curve.keyframe_points] for key, curve in idles.curves_of(rig).items()}
    bpy.context.scene.frame_set(1)
    second = amble.idle(rig, frames=(1, 97), overwrite=True)
    again = {key: [p.co[1] for p in curve.keyframe_points] for key, curve in idles.curves_of(rig).items()}
    assert second.action == first.action
    assert again == once
    rigs.clear()
    table = {k: v for k, v in rigs.tables.biped().items() if k != "neck"}
    table = {k: (h, t, "chest" if p == "neck" else p) for k, (h, t, p) in table.items()}
    table = {k: (h, t, "spine" if p == "chest" else p) for k, (h, t, p) in table.items() if k != "chest"}
    rig = rigs.build(table)
    result = amble.idle(rig, cycles=1)
    assert any("Left out" in note and "neck" in note for note in result.notes)
    assert idles.turned(idles.tracks(rig, result, ["spine"], step=1.0)) > 1.0


def test_case_2_and_4_y_up_and_parented():
    plain = idles.crouched()
    result = amble.idle(plain, frames=(1, 73))
    wanted = idles.tracks(plain, result, ["head", "hand.L", "pelvis", "foot.L"], step=4.0)[..., :3, 3]
    rigs.clear()
    import mathutils

    rig = rigs.biped()
    bpy.ops.object.mode_set(mode="EDIT")
    turn = mathutils.Matrix.Rotation(-np.pi / 2, 4, "X")
    for bone in rig.data.edit_bones:
        bone.transform(turn)
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.rotation_euler = (np.pi / 2, 0, 0)
    bpy.context.view_layer.update()
    left = (1, 0, 0)
    for side in "LR":
        idles.turn(rig, f"thigh.{side}", left, -50)
        idles.turn(rig, f"shin.{side}", left, 80)
        idles.turn(rig, f"foot.{side}", left, -30)
    bpy.context.view_layer.update()
    drop = 0.08 - idles.world_heads(rig, ["foot.L"])[0][2]
    forward = 0.02 - idles.world_heads(rig, ["foot.L"])[0][1]
    idles.move(rig, "pelvis", np.linalg.inv(np.array(rig.matrix_world)[:3, :3]) @ (0, forward, drop))
    result = amble.idle(rig, frames=(1, 73))
    found = idles.tracks(rig, result, ["head", "hand.L", "pelvis", "foot.L"], step=4.0)[..., :3, 3]
    assert np.abs(found - wanted).max() < 1e-4
    rigs.clear()
    rig = idles.crouched()
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location, empty.rotation_euler, empty.scale = (5, 3, 1), (0, 0, np.radians(37)), (2, 2, 2)
    rig.parent = empty
    bpy.context.view_layer.update()
    result = amble.idle(rig, frames=(1, 101), pins=("foot.L", "foot.R"))
    feet = idles.tracks(rig, result, ["foot.L", "foot.R"])
    assert idles.drift(feet) < 1e-4
    assert idles.turned(feet) < 0.05


def test_named_pins_bones_and_what_is_wrong_with_them():
    rig = idles.crouched()
    result = amble.idle(rig, cycles=1, pins=("toe.L", "hand.R"))
    assert [(pin.name, pin.bone) for pin in result.pins] == [("foot.L", "foot.L"), ("hand.R", "hand.R")]
    held = idles.tracks(rig, result, ["foot.L", "hand.R"])
    assert idles.drift(held) < 1e-4
    assert idles.drift(idles.tracks(rig, result, ["foot.R", "hand.L"])) > 1e-3
    with pytest.raises(amble.AmbleError, match=r'no limb "tail" to pin; there are foot\.L'):
        amble.idle(rig, pins=("tail",))
    assert amble.idle(rig, pins=()).pins == ()


def test_two_hands_that_hold_one_thing_stay_together():
    """Feature 19."""
    rig = idles.crouched()
    for side, sign in (("L", 1), ("R", -1)):
        idles.turn(rig, f"upper_arm.{side}", (0, 0, 1), -50 * sign)
        idles.turn(rig, f"forearm.{side}", (0, 0, 1), -60 * sign)
    result = amble.idle(rig, cycles=2, pins=("foot.L", "foot.R", "hand.R@hand.L"), condition="sprint")
    hands = idles.tracks(rig, result, ["hand.L", "hand.R"])
    seen = np.linalg.inv(hands[:, 0]) @ hands[:, 1]
    assert np.abs(seen - seen[:1]).max() < 1e-4
    assert idles.drift(hands[:, :1]) > 0.005


def test_hanging_by_the_hands_is_a_pin_like_standing():
    """I10."""
    rig = rigs.biped()
    for side, sign in (("L", 1), ("R", -1)):
        idles.turn(rig, f"upper_arm.{side}", (0, 1, 0), -100 * sign)
        idles.turn(rig, f"forearm.{side}", (0, 1, 0), -25 * sign)
    result = amble.idle(rig, cycles=1, pins=("hand.L", "hand.R"))
    assert idles.drift(idles.tracks(rig, result, ["hand.L", "hand.R"])) < 1e-4
    assert idles.drift(idles.tracks(rig, result, ["foot.L"])) > 1e-4


def test_a_limb_that_cannot_reach_is_told_with_frame_and_distance():
    rig = rigs.biped()
    result = amble.idle(rig, cycles=2, strength=6.0, keep_reach=False, condition="tired")
    missed = [pin for pin in result.pins if pin.miss_mm > 0.1]
    assert missed
    frames = [pin.frame for pin in missed if pin.frame is not None]
    assert len(frames) == len(missed)
    assert result.frames[0] <= min(frames) <= max(frames) <= result.frames[1]
    assert any("off its place" in note for note in result.notes)
    kept = amble.idle(rig, cycles=2, strength=6.0, condition="tired")
    assert not any(pin.miss_mm for pin in kept.pins)
    assert any("moves less" in note for note in kept.notes)


def test_a_pose_of_an_action_and_of_an_asset():
    rig = idles.crouched()
    first = amble.idle(rig, frames=(1, 49))
    wanted = idles.tracks(rig, first, ["head", "hand.L"], step=48.0)
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    held = amble.idle(rig, pose_frame=1, name="Held", frames=(101, 149))
    found = idles.tracks(rig, held, ["head", "hand.L"], step=48.0)
    assert np.abs(found[0] - wanted[0]).max() < 1e-6
    rig.animation_data.action = None
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    again = amble.idle(rig, pose=first.action, frames=(1, 49))
    found = idles.tracks(rig, again, ["head", "hand.L"], step=48.0)
    assert np.abs(found[0] - wanted[0]).max() < 1e-6
    with pytest.raises(amble.AmbleError, match='There is no action "Nothing"'):
        amble.idle(rig, pose="Nothing")
    rig.animation_data.action = None
    with pytest.raises(amble.AmbleError, match="plays no action"):
        amble.idle(rig, pose_frame=3)


def test_four_legs():
    rig = rigs.quadruped()
    result = amble.idle(rig, cycles=2)
    assert len(result.pins) == 4
    paws = ["paw.L", "paw.R", "fore_paw.L", "fore_paw.R"]
    assert idles.drift(idles.tracks(rig, result, paws)) < 1e-4
    assert idles.drift(idles.tracks(rig, result, ["chest"])) > 0.004


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "YZX", "AXIS_ANGLE"])
def test_case_31_rotation_modes_give_the_same_paths(mode):
    rig = idles.crouched()
    result = amble.idle(rig, frames=(1, 49))
    wanted = idles.tracks(rig, result, ["head", "hand.L", "foot.R"], step=4.0)
    rigs.clear()
    rig = rigs.biped()
    for k, bone in enumerate(rig.pose.bones):
        if k % 2 and bone.name != "root":
            bone.rotation_mode = mode
    idles.crouch(rig)
    modes = [bone.rotation_mode for bone in rig.pose.bones]
    result = amble.idle(rig, frames=(1, 49))
    found = idles.tracks(rig, result, ["head", "hand.L", "foot.R"], step=4.0)
    assert np.abs(found[..., :3, 3] - wanted[..., :3, 3]).max() < 1e-4
    assert [bone.rotation_mode for bone in rig.pose.bones] == modes


def test_case_61_and_62_locks_and_drivers_are_respected():
    rig = rigs.biped()
    for side in "LR":
        rig.pose.bones[f"shin.{side}"].lock_rotation = (False, True, True)
        rig.pose.bones[f"shin.{side}"].rotation_mode = "XYZ"
    idles.crouch(rig)
    rig.pose.bones["pelvis"].lock_location = (True, True, True)
    rig.pose.bones["head"].rotation_mode = "XYZ"
    driver = rig.pose.bones["head"].driver_add("rotation_euler", 0)
    driver.driver.expression = "0.1"
    bpy.context.view_layer.update()
    result = amble.idle(rig, cycles=1)
    curves = idles.curves_of(rig)
    assert not any(path.endswith("location") for path, _ in curves if "pelvis" in path)
    assert ('pose.bones["head"].rotation_euler', 0) not in curves
    assert ('pose.bones["shin.L"].rotation_euler', 1) not in curves
    assert any("pelvis" in note for note in result.notes)
    assert any("head" in note for note in result.notes)
    assert idles.drift(idles.tracks(rig, result, ["foot.L", "foot.R"])) < 1e-4
    assert rig.animation_data.drivers.find('pose.bones["head"].rotation_euler', index=0) is not None


def test_cases_78_79_80_the_state_is_as_it_was():
    rig = idles.crouched()
    assert rig.animation_data is None
    other = rigs.build({"bone": ((0, 0, 0), (0, 0, 1), None)}, "other")
    bpy.context.view_layer.objects.active = other
    rig.hide_viewport = True
    rig.data.pose_position = "REST"
    bpy.context.scene.frame_set(7)
    selection = [o.name for o in bpy.context.selected_objects]
    result = amble.idle(rig, cycles=1)
    assert bpy.context.view_layer.objects.active == other
    assert [o.name for o in bpy.context.selected_objects] == selection
    assert bpy.context.scene.frame_current == 7
    assert rig.hide_viewport
    assert rig.data.pose_position == "REST"
    assert rig.mode == "OBJECT"
    assert rig.animation_data.action == result.action
    rig.hide_viewport, rig.data.pose_position = False, "POSE"
    assert idles.drift(idles.tracks(rig, result, FEET)) < 1e-4
    before = idles.channels_shown(rig)
    with pytest.raises(amble.AmbleError):
        amble.idle(rig, condition="nothing")
    assert idles.channels_shown(rig) == before
    assert len(bpy.data.actions) == 1


@pytest.mark.parametrize(
    "bad", [{"strength": -1}, {"frames": (5, 5)}, {"cycles": 0}, {"pins": 3}, {"phase": 2}]
)
def test_settings_out_of_range_are_refused(bad):
    rig = idles.crouched()
    with pytest.raises(amble.AmbleError, match=next(iter(bad))):
        amble.idle(rig, **bad)
    assert not bpy.data.actions


def test_a_snake_has_no_legs_and_still_breathes():
    rig = rigs.load("glb/m2m_rig-snake.glb")
    result = amble.idle(rig, cycles=1)
    assert result.pins == ()
    assert len(idles.curves_of(rig)) > 0


def test_an_idle_is_made_again_from_what_its_action_keeps():
    rig = idles.crouched()
    first = amble.idle(rig, cycles=2, condition="tired", seed=4)
    bpy.context.scene.frame_set(1)
    again = amble.again(rig, seed=5)
    assert again.frames == first.frames
    assert again.action != first.action
    assert amble.again(rig, first.action, overwrite=True, strength=0.5).action == first.action


def test_the_command_line(tmp_path, capfd):
    import json

    from amble import cli

    report, scene = tmp_path / "idle.json", tmp_path / "idle.glb"
    code = cli.main(
        ["idle", "rigify:human", "--cycles", "1", "--condition", "hot", "--pins", "foot.L,foot.R"]
        + ["--output", str(scene), "--report", str(report)]
    )
    assert code == 0
    told = json.loads(report.read_text(encoding="utf-8"))
    assert [pin["name"] for pin in told["pins"]] == ["foot.L", "foot.R"]
    assert told["rate"] == 20.0
    assert scene.stat().st_size > 1000
    assert "out of place     0.000 mm" in capfd.readouterr().out
    assert cli.main(["idle", "rigify:human", "--condition", "bored"]) == 2


def test_a_leg_of_one_bone_has_nothing_that_bends_and_the_rest_breathes():
    rig = rigs.load("glb/raylib_greenman.glb")
    result = amble.idle(rig)
    assert any("No foot" in note for note in result.notes)
    assert not [pin for pin in result.pins if pin.name.startswith("foot")]
    assert idles.curves_of(rig)


def test_an_idle_in_place_of_a_walk_does_not_leave_the_body_where_the_walk_had_it():
    rig = rigs.biped()
    amble.gait(rig, frames=(1, 30))
    bpy.context.scene.frame_set(1)
    place = rig.pose.bones["root"].matrix.copy()
    amble.idle(rig, frames=(1, 30))
    rig.pose.bones["root"].location = (0, 0, 5)  # as another action would leave it
    bpy.context.scene.frame_set(2)
    assert rig.pose.bones["root"].matrix == place
