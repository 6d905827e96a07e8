"""Cases from practice, by number: conventions of rigs, signs, turns, still parts and limps, mirrored."""

import math
import re
from collections.abc import Sequence
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from amble.action.read import read
from amble.mirror.subject import read_subject
from amble.rig import read_skeleton
from amble.rig.partners import find_partners
from tests.blender import mirror_figures, rigs
from tests.blender.mirror_tools import (
    TIMES,
    assert_reflects,
    biped,
    curve_bytes,
    key,
    new_action,
    poses,
    random_action,
)
from tests.rig import tables

SAME = 1e-4  # metres


def places(rig: Any, times: Any, names: Sequence[str] | None = None) -> np.ndarray:
    """Heads and tails of bones in the world, (times, bones, 2, 3)."""
    bones = rig.data.bones.values() if names is None else [rig.data.bones[name] for name in names]
    matrices = poses(rig, times, [bone.name for bone in bones], world=True)
    lengths = np.array([bone.length for bone in bones])[:, None]
    heads = matrices[..., :3, 3]
    return np.stack((heads, heads + lengths * matrices[..., :3, 1]), axis=2)


def clip_called(name: str) -> Any:
    """The clip of a file, whose importers put an object's name before or behind it."""
    found = [a for a in bpy.data.actions if re.search(rf"(^|\|){name}(_|$)", a.name)]
    return min(found, key=lambda action: len(action.name))


def turned_about_x(degrees: float) -> Any:
    """The biped with its edit bones turned about x."""
    import mathutils

    rig = biped()
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.transform(mathutils.Matrix.Rotation(math.radians(degrees), 4, "X"))
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def by_world_x(rig: Any, before: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """The partners' places, x of the world negated."""
    skeleton = read_skeleton(rig)
    partner = find_partners(skeleton).partner
    rows = [names.index(skeleton.names[partner[skeleton.index(name)]]) for name in names]
    return before[:, rows] * (-1.0, 1.0, 1.0)


def test_case_2_bones_along_y_under_an_object_that_stands_them_up():
    rig = turned_about_x(-90.0)
    rig.rotation_euler = (math.pi / 2, 0, 0)
    bpy.context.view_layer.update()
    random_action(rig)
    names = list(rig.data.bones.keys())
    before = places(rig, TIMES)
    amble.mirror(rig)
    assert np.abs(places(rig, TIMES) - by_world_x(rig, before, names)).max() < SAME


def test_case_2_a_file_that_comes_in_that_way():
    rig = rigs.load("glb/kaykit_Med_MovementBasic.glb")
    action = clip_called("Walking_A")
    slots.assign(rig.animation_data, action, slots.slot_to_play(action, rig))
    names = list(rig.data.bones.keys())
    first, last = read(rig, action).span
    times = np.linspace(first, last, 12)
    before = places(rig, times)
    amble.mirror(rig, action)
    # What its rest is off from symmetry comes on top.
    rest = np.array([[b.head_local, b.tail_local] for b in rig.data.bones])
    off = np.abs(rest - by_world_x(rig, rest[None], names)[0]).max()
    assert off < 1e-5
    assert np.abs(places(rig, times) - by_world_x(rig, before, names)).max() < SAME + off


@pytest.mark.parametrize("name", ["animateddrawings_fair1_zombie", "makehuman_walk1"])
def test_case_5_files_that_come_in_lying_are_mirrored_from_left_to_right(name):
    rig = rigs.load(f"bvh/{name}.bvh")
    skeleton = read_skeleton(rig)
    partners = find_partners(skeleton)
    # They lie with the head towards -y: left and right are along x.
    assert abs(partners.normal[0]) > 0.999
    first, last = read(rig).span
    times = np.linspace(first, last, 10)
    before = poses(rig, times, skeleton.names)
    amble.mirror(rig)
    after = poses(rig, times, skeleton.names)
    away = after - mirror_figures.wanted(read_subject(rig), before)
    found = np.linalg.norm(away[..., :3, 3], axis=-1).max()
    assert found < 1e-3 * partners.size


MMD = {
    "upper_arm": "arm {} shoulder 1",
    "forearm": "arm {} elbow",
    "hand": "arm {} wrist",
    "thigh": "leg {} thigh",
    "shin": "leg {} knee",
    "foot": "leg {} ankle",
    "toe": "leg {} toes",
}
LETTERS = {
    "upper_arm": "{0:.1}ShldrBend",
    "forearm": "{0:.1}ForearmBend",
    "hand": "{0:.1}Hand",
    "thigh": "{0:.1}ThighBend",
    "shin": "{0:.1}Shin",
    "foot": "{0:.1}Foot",
    "toe": "{0:.1}Toe",
}
ODD = ("lower", "left_over", "rib", "reload", "leaf")


@pytest.mark.parametrize(("case", "words"), [(14, MMD), (15, LETTERS)])
def test_case_14_and_15_conventions_of_names_are_mirrored_as_the_plain_biped_is(case, words):
    plain = biped()
    random_action(plain)
    amble.mirror(plain)
    order = list(tables.biped())
    wanted = places(plain, TIMES, order)
    rigs.clear()

    def called(bone: str) -> str:
        stem, _, side = bone.partition(".")
        return words[stem].format("left" if side == "L" else "right") if stem in words else bone

    table = tables.renamed(tables.biped(), called)
    if case == 15:
        for k, bone in enumerate(ODD):
            table[bone] = ((0.0, 0.1, 1.1 + 0.05 * k), (0.0, 0.15, 1.1 + 0.05 * k), "chest")
    rig = rigs.build(table)
    names = [called(bone) for bone in order]
    random_action(rig, bones=names)
    result = amble.mirror(rig)
    assert np.abs(places(rig, TIMES, names) - wanted).max() < SAME
    pairs = {frozenset(pair) for pair in result.pairs}
    for stem in ("clavicle", *words):
        assert {called(f"{stem}.L"), called(f"{stem}.R")} in pairs
    assert not set(ODD) & {bone for pair in result.pairs for bone in pair}


def test_case_32_euler_angles_far_apart():
    rig = biped()
    rig.pose.bones["upper_arm.L"].rotation_mode = "XYZ"
    home = new_action(rig)
    for axis, ends in enumerate(((80, -95), (85, 95), (10, 170))):
        path = 'pose.bones["upper_arm.L"].rotation_euler'
        key(home, path, axis, [1, 16], np.radians(ends))
    times = np.arange(1.0, 16.25, 0.25)
    before = poses(rig, times)
    result = amble.mirror(rig)
    assert_reflects(rig, before, poses(rig, times))
    frames = np.arange(1, 17)
    for curve in slots.curves_for(result.action, rig):
        if curve.data_path.endswith("rotation_euler"):
            values = [curve.evaluate(frame) for frame in frames]
            assert np.abs(np.diff(values)).max() < math.radians(90)


def largest_turn(rig: Any, times: Any) -> float:
    """Degrees that any bone turns by, against its parent, from one time to the next."""
    turns = poses(rig, times)[..., :3, :3]
    turns = turns / np.linalg.norm(turns, axis=-2, keepdims=True)
    order = [bone.name for bone in rig.pose.bones]
    parents = [-1 if b.parent is None else order.index(b.parent.name) for b in rig.pose.bones]
    local = turns.copy()
    rows = [row for row, parent in enumerate(parents) if parent >= 0]
    local[:, rows] = np.swapaxes(turns[:, [parents[row] for row in rows]], -1, -2) @ turns[:, rows]
    gap = np.linalg.norm(local[1:] - local[:-1], axis=(-2, -1)).max() / math.sqrt(8.0)
    return 2.0 * math.degrees(math.asin(min(1.0, gap)))


def negated(rig: Any, action: Any) -> Any:
    """The action with every second quaternion key of opposite sign."""
    copy = action.copy()
    for curve in slots.curves_for(copy, rig):
        if curve.data_path.endswith("rotation_quaternion"):
            for point in list(curve.keyframe_points)[::2]:
                for part in (point.co, point.handle_left, point.handle_right):
                    part[1] *= -1
            curve.update()
    return copy


def test_case_33_keys_of_opposite_sign_are_the_same_mirrored_poses():
    rig = biped()
    action = random_action(rig, frames=range(1, 13))
    flipped = negated(rig, action)
    times = np.arange(1.0, 13.0)
    found = []
    for one in (action, flipped):
        amble.mirror(rig, one)
        found.append(poses(rig, times))
    assert np.abs(found[1] - found[0]).max() < math.radians(0.01)


@pytest.mark.parametrize(
    ("file", "clip"),
    [("glb/kaykit_Med_MovementBasic.glb", "Walking_A"), ("glb/gdquest_mannequiny-0.3.0.glb", "run")],
)
def test_case_33_no_turn_is_larger_than_the_sources(file, clip):
    rig = rigs.load(file)
    action = clip_called(clip)
    data = rig.animation_data or rig.animation_data_create()
    slots.assign(data, action, slots.slot_to_play(action, rig))
    times = read(rig, action).key_frames()
    before = largest_turn(rig, times)
    amble.mirror(rig, action)
    assert largest_turn(rig, times) <= before + 0.01


def test_case_84_the_selected_bones_alone_whatever_is_hidden():
    rig = biped()
    source = random_action(rig)
    chosen = ("forearm.L", "hand.L", "toe.R")
    for name in ("hand.R", "spine", "toe.L"):  # in Blender 4.2 what is hidden cannot be selected
        rig.data.bones[name].hide = True
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name in chosen
    selected = tuple(b.name for b in rig.pose.bones if (b if hasattr(b, "select") else b.bone).select)
    assert set(selected) == set(chosen)
    result = amble.mirror(rig, bones=selected)
    old, new = curve_bytes(source, rig), curve_bytes(result.action, rig)
    changed = {path.split('"')[1] for path, axis in old if old[path, axis] != new[path, axis]}
    assert changed == {f"{name[:-1]}{side}" for name in chosen for side in "LR"}


def test_case_100_a_root_that_stands_still_stays():
    rig = biped()
    home = new_action(rig)
    frames = np.arange(1.0, 57.0)
    travel = 1.2 * np.minimum(frames - 1.0, 12.0) / 12.0
    aside = 0.3 * np.minimum(frames - 1.0, 12.0) / 12.0
    for axis, values in ((0, aside), (2, travel)):  # its own z is -y of the armature
        key(home, 'pose.bones["root"].location', axis, frames, values, "LINEAR")
    before = places(rig, frames, ["root"])[:, 0, 0]
    amble.mirror(rig)
    after = places(rig, frames, ["root"])[:, 0, 0]
    np.testing.assert_allclose(np.diff(after, axis=0), np.diff(before, axis=0) * (-1, 1, 1), atol=1e-6)
    assert np.linalg.norm(after[-1] - before[0] * (-1, 1, 1)) == pytest.approx(math.hypot(1.2, 0.3), abs=1e-5)
    assert np.abs(np.diff(after[12:], axis=0)).sum() < SAME


def limp(short: str) -> Any:
    """A walk whose steps with one foot are 0.3 shorter; that foot's side is the only difference."""
    rig = biped()
    home = new_action(rig)
    frames = np.arange(1.0, 26.0)
    phase = (frames - 1.0) / 24.0 * 2.0 * math.pi
    late = 0.0 if short == "L" else math.pi
    for side in "LR":
        swing = (0.7 if side == short else 1.0) * 0.25 * np.sin(phase + (0.0 if side == "L" else math.pi))
        swing = swing if short == "L" else -swing
        for axis, values in ((0, np.cos(swing)), (1, np.sin(swing))):
            key(home, f'pose.bones["thigh.{side}"].rotation_quaternion', axis, frames, values)
    key(home, 'pose.bones["pelvis"].location', 0, frames, 0.03 * np.sin(phase + late))
    key(home, 'pose.bones["root"].location', 2, frames, (frames - 1.0) / 24.0 * 1.2)
    return rig


def test_case_106_a_limp_changes_sides_and_no_time():
    wanted = places(limp("R"), np.arange(1.0, 25.25, 0.25))
    rigs.clear()
    rig = limp("L")
    source = rig.animation_data.action
    result = amble.mirror(rig)
    times = np.arange(1.0, 25.25, 0.25)
    found = places(rig, times)
    assert np.abs(found - wanted).max() < SAME
    assert read(rig, result.action).span == read(rig, source).span
    feet = places(rig, [1.0, 25.0], ["toe.L", "toe.R"])[:, :, 1]
    np.testing.assert_allclose(feet[1] - feet[0], [[0, -1.2, 0]] * 2, atol=SAME)  # it loops
