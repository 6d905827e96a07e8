"""Parts of a mirror image, cycles, libraries, properties, shape keys, slots: what goes along, what stays."""

import math
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import add_markers, slots
from amble.action.read import read
from amble.errors import BadSetting
from amble.mirror.library import may_mirror, mirror_all, set_may_mirror
from tests.blender import rigs
from tests.blender.action_tools import make_rig
from tests.blender.mirror_tools import (
    TIMES,
    assert_reflects,
    biped,
    curve_bytes,
    errors,
    images,
    key,
    new_action,
    poses,
    random_action,
    random_rolls,
    sides,
)
from tests.rig import tables

LEFT_ARM = ("clavicle.L", "upper_arm.L", "forearm.L", "hand.L")


def by_bone(action: Any, rig: Any) -> dict[str, dict[Any, bytes]]:
    found: dict[str, dict[Any, bytes]] = {}
    for (path, axis), content in curve_bytes(action, rig).items():
        found.setdefault(path.split('"')[1], {})[path, axis] = content
    return found


def test_case_110_the_left_arm_laid_over_the_right_one():
    rig = biped(random_rolls(3))
    source = random_action(rig)
    before = poses(rig, TIMES)
    result = amble.mirror(rig, bones=LEFT_ARM, sides="left to right")
    after = poses(rig, TIMES)
    old, new = by_bone(source, rig), by_bone(result.action, rig)
    right = {name.replace(".L", ".R") for name in LEFT_ARM}
    for bone in old:
        assert (old[bone] == new[bone]) == (bone not in right), bone
    names, _, rest = sides(rig)
    # Seen from the chest, the right arm is the image of the left one.
    chest = names.index("chest")
    local = np.linalg.inv(before[:, chest] @ np.linalg.inv(rest[chest]))[:, None]
    rows = [names.index(name) for name in sorted(right)]
    place, angle = errors((local @ after)[:, rows], images(rig, local @ before)[:, rows])
    assert place < 1e-5
    assert angle < 0.01


def test_the_upper_body_alone_and_bones_that_are_not_there():
    rig = biped()
    source = random_action(rig)
    upper = {b.name for b in rig.pose.bones if "spine" in [p.name for p in (b, *b.parent_recursive)]}
    result = amble.mirror(rig, source, part="upper")
    old, new = by_bone(source, rig), by_bone(result.action, rig)
    assert {bone for bone in old if old[bone] != new[bone]} == upper
    result = amble.mirror(rig, source, part="lower")
    new = by_bone(result.action, rig)
    assert {bone for bone in old if old[bone] != new[bone]} == set(old) - upper
    with pytest.raises(BadSetting, match='bones names "arm", which the armature has not'):
        amble.mirror(rig, source, bones=("arm",))


def test_frames_alone_keep_every_key_outside():
    rig = biped()
    source = random_action(rig)
    result = amble.mirror(rig, source, frames=(4, 10))
    mirror = amble.mirror(rig, source).action
    whole, part, image = (read(rig, action) for action in (source, result.action, mirror))
    names = whole.bones
    at = [1.0, 20.0]
    assert np.array_equal(part.channels(names, at), whole.channels(names, at))
    at = [4.5, 9.0]
    assert np.array_equal(part.channels(names, at), image.channels(names, at))


def symmetric_walk() -> Any:
    """A biped whose right leg does half a cycle later what the left one does, on the spot and forward."""
    rig = biped()
    home = new_action(rig)
    frames = np.arange(1.0, 26.0)
    phase = (frames - 1.0) / 24.0 * 2.0 * math.pi
    for side, late in (("L", 0.0), ("R", math.pi)):
        swing = 0.25 * np.sin(phase + late) + 0.08 * np.cos(2.0 * (phase + late))
        for axis, values in ((0, np.cos(swing)), (1, np.sin(swing))):
            key(home, f'pose.bones["thigh.{side}"].rotation_quaternion', axis, frames, values)
    key(home, 'pose.bones["pelvis"].location', 0, frames, 0.03 * np.sin(phase))
    key(
        home, 'pose.bones["root"].location', 2, frames, (frames - 1.0) / 24.0 * 1.2 + 0.02 * np.sin(2 * phase)
    )
    return rig


def test_a_symmetric_walk_shifted_by_half_a_cycle_maps_to_itself():
    rig = symmetric_walk()
    source = rig.animation_data.action
    times = np.arange(1.0, 25.25, 0.5)
    before = poses(rig, times)
    result = amble.mirror(rig, shift=True)
    place, angle = errors(poses(rig, times), before)
    assert place < 1e-5
    assert angle < 0.01
    assert read(rig, result.action).key_frames().tolist() == read(rig, source).key_frames().tolist()


def test_a_cycle_whose_middle_has_no_key_gets_one_and_keeps_its_shape():
    rig = biped()
    home = new_action(rig)
    for axis in range(4):
        path = 'pose.bones["thigh.L"].rotation_quaternion'
        key(home, path, axis, [1, 6, 19, 25], [1.0 * (axis == 0), 0.5, 0.3, 1.0 * (axis == 0)])
    plain = amble.mirror(rig, home.action).action
    shifted = amble.mirror(rig, home.action, shift=True).action
    times = np.arange(1.0, 13.25, 0.25)
    for late, early in ((times + 12.0, times), (times, times + 12.0)):
        a = read(rig, plain).channels(("thigh.R",), late)
        b = read(rig, shifted).channels(("thigh.R",), early)
        assert np.abs(a - b).max() < 1e-5


def test_case_109_frames_keys_and_markers_stay_and_sides_of_markers_change():
    rig = biped()
    action = random_action(rig)
    add_markers(action, [("left down", 1), ("right up", 9), ("jump", 3)])
    result = amble.mirror(rig)
    assert sorted((m.name, m.frame) for m in result.action.pose_markers) == [
        ("jump", 3),
        ("left up", 9),
        ("right down", 1),
    ]
    assert sorted(m.name for m in action.pose_markers) == ["jump", "left down", "right up"]


def test_case_107_what_has_no_partner_is_listed_and_kept_out():
    rig = biped()
    rig.pose.bones["hand.L"]["grip"] = 0.5
    for side in "LR":
        rig.pose.bones[f"foot.{side}"]["roll"] = 0.0
    rig.pose.bones["shin.L"].constraints.new("IK").name = "IK"
    home = new_action(rig)
    key(home, 'pose.bones["hand.L"]["grip"]', 0, [1, 9], [0, 1])
    key(home, 'pose.bones["foot.L"]["roll"]', 0, [1, 9], [0, 1])
    key(home, 'pose.bones["shin.L"].constraints["IK"].influence', 0, [1, 9], [0, 1])
    key(home, 'pose.bones["foot.L"].rotation_quaternion', 1, [1, 9], [0, 0.4])
    result = amble.mirror(rig)
    paths = {path for path, _ in curve_bytes(result.action, rig)}
    assert paths == {'pose.bones["foot.R"]["roll"]', 'pose.bones["foot.R"].rotation_quaternion'}
    assert any('["grip"]' in note for note in result.notes)
    assert any("influence" in note for note in result.notes)


def test_properties_swap_negate_and_stay_by_rule_and_by_guess():
    rig = biped()
    root = rig.pose.bones["root"]
    for name, low in (("fist.L", 0.0), ("fist.R", 0.0), ("lean", -1.0), ("mood", -1.0), ("side_step", 0.0)):
        root[name] = 0.0
        root.id_properties_ui(name).update(min=low, max=1.0)
    home = new_action(rig)
    for name in ("fist.L", "lean", "mood", "side_step"):
        key(home, f'pose.bones["root"]["{name}"]', 0, [1, 9], [0.25, 0.5])
    source = home.action

    def values(**rules: Any) -> dict[str, float]:
        clip = read(rig, amble.mirror(rig, source, **rules).action)
        return {
            c.path.split('"')[-2]: float(clip.sample([9.0], [k])[0, 0])
            for k, c in enumerate(clip.channels_of)
        }

    assert values() == {"fist.R": 0.5, "lean": -0.5, "mood": 0.5, "side_step": 0.5}
    found = values(rules={"mood": "negate", "lean": "copy", "fist.L": "leave"})
    assert found == {"fist.L": 0.5, "lean": 0.5, "mood": -0.5, "side_step": 0.5}
    with pytest.raises(BadSetting, match="The rule of lean must be one of"):
        amble.mirror(rig, source, rules={"lean": "turn"})


def test_case_101_whole_numbers_stay_stepped():
    rig = biped()
    for side in "LR":
        rig.pose.bones[f"hand.{side}"]["count"] = 0
    home = new_action(rig)
    key(home, 'pose.bones["hand.L"]["count"]', 0, [1, 5, 9], [0, 3, 1], "CONSTANT")
    amble.mirror(rig)
    clip = read(rig)
    assert clip.kinds.tolist() == [0, 0, 0]
    assert clip.points.tolist() == [[1, 0], [5, 3], [9, 1]]


@pytest.mark.skipif(not slots.HAS_SLOTS, reason="actions have slots from Blender 4.4 on")
def test_case_76_only_the_objects_own_slot_is_mirrored_and_no_other_comes_along():
    first, second = biped(), make_rig(("hand.L", "hand.R"), "other")
    action = random_action(first)
    second.animation_data_create()
    other = slots.open_home(action, second)
    key(other, 'pose.bones["hand.L"].rotation_quaternion', 1, [1, 9], [0, 0.5])
    slots.assign(second.animation_data, action, other.slot)
    mine, theirs = curve_bytes(action, first), curve_bytes(action, second)
    result = amble.mirror(first)
    assert len(result.action.slots) == 1
    assert first.animation_data.action_slot == result.action.slots[0]
    assert result.action.slots[0].name_display == first.name
    assert (curve_bytes(action, first), curve_bytes(action, second)) == (mine, theirs)
    assert second.animation_data.action == action
    before = poses(second, TIMES)
    amble.mirror(second)
    assert_reflects(second, before, poses(second, TIMES))


def test_case_75_others_that_play_the_action_go_on_with_it():
    first = biped()
    action = random_action(first)
    second: Any = bpy.data.objects.new("second", first.data)
    bpy.context.scene.collection.objects.link(second)
    bpy.context.view_layer.update()
    second.animation_data_create()
    slots.assign(second.animation_data, action, slots.slot_to_play(action, first))
    before = curve_bytes(action, first)
    amble.mirror(first)
    assert second.animation_data.action == action
    assert curve_bytes(action, first) == before


def test_case_77_strips_and_tweak_mode():
    rig = biped()
    action = random_action(rig)
    track = rig.animation_data.nla_tracks.new()
    strip = track.strips.new("strip", 40, action)
    if slots.HAS_SLOTS:
        strip.action_slot = slots.slot_to_play(action, rig)
    rig.animation_data.action = None
    result = amble.mirror(rig, action)
    assert result.frames == (1.0, 20.0)
    rig.animation_data.action = None
    track.select = strip.select = True
    bpy.context.view_layer.objects.active = rig
    rig.animation_data.use_tweak_mode = True
    if rig.animation_data.use_tweak_mode:
        with pytest.raises(amble.AmbleError, match="leave tweak mode"):
            amble.mirror(rig, action)


def test_shape_keys_with_side_names_go_along():
    rig = biped()
    random_action(rig)
    mesh = bpy.data.meshes.new("face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = bpy.data.objects.new("face", mesh)
    bpy.context.scene.collection.objects.link(face)
    face.parent = rig
    for name in ("Basis", "smile_L", "smile_R", "blink"):
        face.shape_key_add(name=name)
    for name, value in (("smile_L", 0.7), ("blink", 0.3)):
        block = mesh.shape_keys.key_blocks[name]
        block.value = value
        block.keyframe_insert("value", frame=1)
    mesh.shape_keys.animation_data.action.name = "Face"
    result = amble.mirror(rig)
    (action,) = result.shapes
    slot = slots.curves_in(action, action.slots[0] if slots.HAS_SLOTS else None)
    assert {c.data_path for c in slot} == {'key_blocks["smile_R"].value', 'key_blocks["blink"].value'}
    assert mesh.shape_keys.animation_data.action == action
    assert action.name == "Face_mirrored"


def test_whole_libraries_with_marks_and_names():
    rig = biped()
    for name in ("Attack_L", "Kick_R", "Kick_L", "Idle", "Sign"):
        random_action(rig).name = name
    empty = bpy.data.actions.new("Nothing")
    set_may_mirror(bpy.data.actions["Sign"], False)
    assert not may_mirror(bpy.data.actions["Sign"])
    found = {entry.name: entry for entry in mirror_all(rig)}
    assert {name for name, entry in found.items() if entry.result is not None} == {"Attack_L", "Idle"}
    assert found["Attack_L"].result.action.name == "Attack_R"
    assert found["Kick_L"].why == '"Kick_R" is there already'
    assert "marked" in found["Sign"].why
    assert found[empty.name].why
    set_may_mirror(bpy.data.actions["Sign"], None)
    assert may_mirror(bpy.data.actions["Sign"])


def test_case_13_names_the_other_way_round_are_taken_by_place():
    bones = tables.biped()
    other = {".L": ".R", ".R": ".L"}

    def name(bone: str | None) -> str | None:
        return bone if bone is None or bone[-2:] not in other else bone[:-2] + other[bone[-2:]]

    rig = rigs.build({str(name(b)): (h, t, name(p)) for b, (h, t, p) in bones.items()}, "swapped")
    random_action(rig)
    before = poses(rig, TIMES)
    amble.mirror(rig)
    assert_reflects(rig, before, poses(rig, TIMES))


def test_case_16_numbers_that_are_shifted_pair_by_place():
    bones = dict(tables.biped())
    for k in range(1, 5):
        bones[f"left{k}"] = ((0.65 + k / 50, -0.05, 1.0), (0.68 + k / 50, -0.09, 0.97), "hand.L")
        bones[f"right{k - 1}"] = ((-0.65 - k / 50, -0.05, 1.0), (-0.68 - k / 50, -0.09, 0.97), "hand.R")
    rig = rigs.build(bones, "fingers")
    random_action(rig)
    before = poses(rig, TIMES)
    result = amble.mirror(rig)
    assert_reflects(rig, before, poses(rig, TIMES))
    assert ("left1", "right0") in result.pairs or ("right0", "left1") in result.pairs
    assert any("by place" in note for note in result.notes)


def test_bones_beside_the_middle_without_partner_are_told_of():
    bones = dict(tables.biped())
    bones["sword"] = ((0.15, 0.05, 0.95), (0.15, 0.4, 0.6), "pelvis")
    rig = rigs.build(bones, "armed")
    random_action(rig)
    result = amble.mirror(rig)
    assert any('"sword"' in note and "without a partner" in note for note in result.notes)
    assert np.isfinite(poses(rig, TIMES)).all()


def test_case_12_names_that_need_escapes():
    odd = {"hand": 'a"b', "foot": "a\\b", "forearm": "🌍"}
    bones = {}
    for bone, (head, tail, parent) in tables.biped().items():
        stem, _, side = bone.partition(".")
        up, _, up_side = (parent or "").partition(".")
        bones[f"{odd.get(stem, stem)}.{side}" if side else bone] = (
            head,
            tail,
            (f"{odd.get(up, up)}.{up_side}" if up_side else parent),
        )
    rig = rigs.build(bones, "odd")
    random_action(rig)
    before = poses(rig, TIMES)
    amble.mirror(rig)
    assert_reflects(rig, before, poses(rig, TIMES))


def test_case_74_library_overrides(tmp_path):
    rig = biped()
    collection = bpy.data.collections.new("character")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(rig)
    collection.objects.link(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(tmp_path / "rig.blend"), link=True) as (_, wanted):
        wanted.collections = ["character"]
    linked = wanted.collections[0]
    bpy.context.scene.collection.children.link(linked)
    override = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    rig = next(o for o in override.all_objects if o.type == "ARMATURE")
    random_action(rig)
    before = poses(rig, TIMES)
    amble.mirror(rig)
    assert_reflects(rig, before, poses(rig, TIMES))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    objects: Any = bpy.data.objects
    again = next(o for o in objects if o.type == "ARMATURE" and o.library is None)
    assert again.animation_data.action.name == "clip_mirrored"


def test_case_112_an_animated_prop_bone_and_what_hangs_on_it():
    rig = rigs.load("glb/kaykit_Med_General.glb")
    actions: Any = bpy.data.actions
    action = next(one for one in actions if "Throw" in one.name)
    slots.assign(rig.animation_data, action, slots.slot_to_play(action, rig))
    prop = bpy.data.objects.new("prop", None)
    bpy.context.scene.collection.objects.link(prop)
    prop.parent, prop.parent_type, prop.parent_bone = rig, "BONE", "handslot.r"
    times = np.linspace(1.0, 20.0, 9)
    before = poses(rig, times)
    result = amble.mirror(rig)
    after = poses(rig, times)
    assert_reflects(rig, before, after, sides(rig)[1].size)
    assert (prop.parent, prop.parent_bone) == (rig, "handslot.r")
    assert any('"prop"' in note and '"handslot.r"' in note for note in result.notes)


def test_a_muted_curve_gives_way_to_one_that_comes_to_be_in_its_place():
    rig = rigs.load("blend/quaternius_Male_Casual.blend")
    rig.animation_data.action = bpy.data.actions["Man_Punch"]
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = rig.animation_data.action.slots[0]
    muted = [(curve.data_path, curve.array_index) for curve in slots.find_curves(rig) if curve.mute]
    assert muted == [('pose.bones["LowerArm.L"].rotation_quaternion', 3)]
    made = amble.mirror(rig).action
    places = [(curve.data_path, curve.array_index) for curve in slots.find_curves(rig)]
    assert rig.animation_data.action == made
    assert len(places) == len(set(places)) > 100


def test_a_library_with_muted_curves_is_mirrored_whole():
    rig = rigs.load("blend/quaternius_Male_Casual.blend")
    assert len(amble.mirror_all(rig)) >= 10
