"""amble.gait in a real Blender: what it writes, what it leaves alone, what it says."""

from __future__ import annotations

import tracemalloc
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.errors import BadSetting, MissingRole, NoLegsFound, NotAnArmature, TooFewBones
from amble.gait.timing import Timing
from tests.blender import rigs
from tests.blender.action_tools import contents
from tests.rig import tables


def feet(armature: Any, frames: Any, names: tuple[str, ...] = ("foot.L", "foot.R")) -> np.ndarray:
    """World places of bones' tails, (frames, bones, 3)."""
    scene = bpy.context.scene
    out = []
    for frame in frames:
        scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        out.append([armature.matrix_world @ armature.pose.bones[name].tail for name in names])
    return np.array(out)


def test_a_walk_is_one_action_that_the_object_plays_and_nothing_else() -> None:
    armature = rigs.biped()
    walk = amble.gait(armature, speed=1.4)
    assert walk.action.name == "Walk"
    assert armature.animation_data.action is walk.action
    assert len(bpy.data.actions) == 1
    assert walk.report is not None
    assert walk.report.ok, walk.report.table()
    start, end = walk.frames
    assert tuple(walk.action.frame_range) == (start, end)
    assert walk.action.use_cyclic
    named = {path.split('"')[1] for path, _ in contents(armature)}
    assert named == {
        *(
            f"{bone}.{side}"
            for bone in ("thigh", "shin", "foot", "toe", "upper_arm", "forearm")
            for side in "LR"
        ),
        *("root", "pelvis", "spine", "chest", "neck", "head"),
    }


def test_the_scene_is_left_as_it_was() -> None:
    armature = rigs.biped()
    scene = bpy.context.scene
    scene.frame_set(37)
    scene.render.fps = 30
    armature.pose.bones["hand.L"].location = (0.1, 0.2, 0.3)
    before = (scene.frame_current, scene.frame_start, scene.frame_end, scene.render.fps, armature.mode)
    selected = [o.name for o in bpy.context.selected_objects]
    amble.gait(armature, speed=1.0)
    assert before == (
        scene.frame_current,
        scene.frame_start,
        scene.frame_end,
        scene.render.fps,
        armature.mode,
    )
    assert selected == [o.name for o in bpy.context.selected_objects]
    assert tuple(armature.pose.bones["hand.L"].location) == pytest.approx((0.1, 0.2, 0.3))
    assert {bone.rotation_mode for bone in armature.pose.bones} == {"QUATERNION"}


def test_an_action_is_replaced_only_when_asked_and_then_with_the_same_bytes() -> None:
    armature = rigs.biped()
    first = amble.gait(armature, speed=1.4)
    written = contents(armature)
    second = amble.gait(armature, speed=1.4)
    assert first.action is not second.action
    assert second.action.name == "Walk.001"
    assert contents(armature) == written
    third = amble.gait(armature, speed=1.4, overwrite=True)
    assert third.action.name == "Walk"
    assert contents(armature) == written


def test_a_second_walk_does_not_depend_on_the_pose_or_frame_shown() -> None:
    armature = rigs.biped()
    amble.gait(armature, speed=1.4, report=False)
    first = contents(armature)
    path = feet(armature, np.arange(1, 26, 2))
    armature.animation_data.action = None
    for bone in armature.pose.bones:
        bone.rotation_quaternion = (0.7, 0.1, 0.5, 0.2)
    bpy.context.scene.frame_set(61)
    amble.gait(armature, speed=1.4, report=False)
    second = contents(armature)
    assert {curve: second[curve] for curve in first} == first
    assert {path for path, _ in second.keys() - first.keys()} == {'pose.bones["root"].rotation_quaternion'}
    for bone in armature.pose.bones:
        bone.location = (0.3, -0.2, 0.1)
        bone.scale = (1.1, 0.9, 1.0)
    amble.gait(armature, speed=1.4, report=False)
    assert np.abs(feet(armature, np.arange(1, 26, 2)) - path).max() < 1e-6


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
def test_the_same_second_is_the_same_pose_at_any_frame_rate(fps: float) -> None:
    armature = rigs.biped()
    cycle = 1.0
    amble.gait(armature, speed=1.3, cycle=cycle, fps=fps, root_motion="none")
    seconds = np.arange(9) / 8 * cycle
    got = feet(armature, 1 + seconds * fps)
    reference = rigs.biped()
    amble.gait(reference, speed=1.3, cycle=cycle, fps=240.0, root_motion="none")
    assert np.abs(got - feet(reference, 1 + seconds * 240.0)).max() < 1e-4 + 1e-3 * (fps < 60)


@pytest.mark.parametrize("motion", ["auto", "bone", "object"])
def test_the_body_travels_at_the_speed_asked_for(motion: str) -> None:
    armature = rigs.biped()
    walk = amble.gait(armature, speed=1.4, root_motion=motion)
    start, end = walk.frames
    track = feet(armature, [start, end])
    way = 1.4 * (end - start) / 24.0
    assert np.abs(track[1] - track[0] - (0, -way, 0)).max() < 1e-4
    carrier = armature if motion == "object" else armature.pose.bones["root"]
    moved = carrier.location.copy()
    assert moved.length == pytest.approx(way, abs=1e-4)


def test_in_place_the_root_is_not_touched() -> None:
    armature = rigs.biped()
    walk = amble.gait(armature, speed=1.4, root_motion="none")
    assert not any('"root"' in path for path, _ in contents(armature))
    start, end = walk.frames
    track = feet(armature, [start, end])
    assert np.abs(track[1] - track[0]).max() < 1e-5


def test_the_root_bone_only_travels() -> None:
    armature = rigs.biped()
    amble.gait(armature, speed=1.4)
    root = [key for key in contents(armature) if '"root"' in key[0]]
    assert {path.split(".")[-1] for path, _ in root} == {"location"}


def test_frames_that_hold_whole_strides_are_kept_and_others_end_with_a_stride() -> None:
    armature = rigs.biped()
    walk = amble.gait(armature, speed=1.4, frames=(1, 51), root_motion="none")
    assert walk.frames == (1.0, 51.0)
    assert walk.notes == ()
    assert walk.report is not None
    assert walk.report.seam_position < 1e-5
    short = amble.gait(armature, speed=0.6, frames=(1, 48), root_motion="none")
    assert short.frames[0] == 1.0
    assert short.frames[1] != 48.0
    assert "whole number of strides" in short.notes[0]
    assert f"{short.frames[1]:g}" in short.notes[0]
    assert short.report is not None
    assert abs(short.report.stride_deviation) < 0.1
    open_end = amble.gait(armature, speed=0.6, frames=(1, 48), loop=False)
    assert open_end.frames == (1.0, 48.0)
    assert not open_end.action.use_cyclic


@pytest.mark.parametrize("fps", [24, 30])
@pytest.mark.parametrize("key", ["rigify:human", "glb/m2m_rig-human.glb", "json/mpfb_rig.mixamo.json"])
def test_a_loop_that_fits_badly_is_as_good_as_any(key: str, fps: int) -> None:
    armature = rigs.load(key)
    bpy.context.scene.render.fps = fps
    walk = amble.gait(armature, speed=1.4, frames=(1, 48))
    assert walk.report is not None
    assert walk.report.ok, walk.report.table()
    assert walk.frames[1] <= 48.0


@pytest.mark.parametrize(("cycle", "keys"), [(1.06, 1), (1.0, 1), (0.21, 5), (0.0317, 32)])
def test_a_heel_strike_between_two_keys_gets_one_of_its_own(cycle: float, keys: int) -> None:
    timing = Timing(1.0, 301.0, 300.0 / 24.0 / cycle, 24.0, cycle, keys=keys)
    whole = 1.0 + np.arange(300 * keys + 1) / keys
    strikes = 1.0 + 12.0 * cycle * np.arange(np.ceil(600.0 / 24.0 / cycle + 1e-6))
    near = np.abs(strikes[:, None] - whole).min(axis=1)
    between = strikes[(near > 0.02) & (strikes < 301.0)]
    assert timing.frames == pytest.approx(np.sort(np.concatenate([whole, between])), abs=1e-9)


def test_key_frames_take_memory_in_proportion_to_the_frames() -> None:
    timing = Timing(1.0, 100_000.0, 99_999.0 / 25.44, 24.0, 25.44 / 24.0)
    tracemalloc.start()
    try:
        frames = timing.frames
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 100_000 < len(frames) < 108_000
    assert most < 10_000_000


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"frames": (-1_000_000, 1_000_000)}, "2000000 frames .* more than 1,000,000 keys: ask for fewer"),
        ({"frames": (1, 900_000), "fps": 4.0}, "more than 1,000,000 keys"),
        ({"frames": (1, 48), "fps": 1e-5, "loop": False}, "more than 1,000,000 keys.*fps"),
        ({"frames": (1, 48), "fps": 1e-310}, "more than 1,000,000 keys"),
    ],
)
def test_more_keys_than_anybody_wants_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        amble.gait(rigs.biped(), report=False, **settings)
    assert not bpy.data.actions


@pytest.mark.parametrize("fps", [1.0, 1e-7, 1e-305, 1e-310])
def test_too_few_frames_for_a_stride_are_the_frame_rates_fault(fps: float) -> None:
    with pytest.raises(BadSetting, match=rf"At {fps:g} frames a second \(fps\) a stride takes 1.1"):
        amble.gait(rigs.biped(), fps=fps, report=False)


def test_too_few_frames_for_a_stride_of_a_tiny_rig_are_its_sizes_fault() -> None:
    armature = rigs.biped()
    armature.scale = (0.001, 0.001, 0.001)
    bpy.context.view_layer.update()
    with pytest.raises(BadSetting, match=r"the rig's size \(its legs are 0.00093 m long\)"):
        amble.gait(armature, report=False)


def test_feet_come_down_where_the_markers_say() -> None:
    armature = rigs.biped()
    walk = amble.gait(armature, speed=1.4, frames=(1, 51))
    names = {marker.name for marker in walk.action.pose_markers}
    assert names == {"left down", "left up", "right down", "right up"}


def test_toes_turned_out_stay_so_and_do_not_slide() -> None:
    """Feet turned out by 20 degrees in the rest pose keep that while they are planted."""
    armature = rigs.biped()
    turned = np.radians(20.0)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for side, sign in (("L", 1.0), ("R", -1.0)):
        ankle = np.array(armature.data.edit_bones[f"foot.{side}"].head)
        turn = np.array(
            [
                [np.cos(sign * turned), -np.sin(sign * turned), 0],
                [np.sin(sign * turned), np.cos(sign * turned), 0],
                [0, 0, 1],
            ]
        )
        for name in (f"foot.{side}", f"toe.{side}"):
            bone = armature.data.edit_bones[name]
            for end in ("head", "tail"):
                setattr(bone, end, ankle + turn @ (np.array(getattr(bone, end)) - ankle))
    bpy.ops.object.mode_set(mode="OBJECT")
    walk = amble.gait(armature, speed=1.4)
    assert walk.report is not None
    assert walk.report.slide_mm < 1.0, walk.report.table()
    stance = next(c for c in walk.contacts if walk.roles.legs[c.leg].side == "L")
    for frame in np.linspace(stance.flat, stance.heel_off, 5):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        way = armature.pose.bones["toe.L"].tail - armature.pose.bones["foot.L"].head
        assert np.degrees(np.arctan2(way.x, -way.y)) == pytest.approx(20.0, abs=1.0)


@pytest.mark.parametrize("turn", [90.0, 180.0, 30.0])
def test_it_walks_along_its_own_facing(turn: float) -> None:
    """The same biped turned in its rest pose walks the same path, turned."""
    plain = rigs.biped()
    amble.gait(plain, speed=1.3)
    path = feet(plain, np.arange(1, 26, 3))
    armature = rigs.biped()
    angle = np.radians(turn)
    armature.data.transform(rigs_turn(angle))
    amble.gait(armature, speed=1.3)
    spin = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    assert np.abs(feet(armature, np.arange(1, 26, 3)) - path @ spin.T).max() < 1e-4


@pytest.mark.parametrize("size", [40.0, 0.05])
def test_a_giant_and_a_dwarf_walk_alike_at_the_same_froude_number(size: float) -> None:
    """Speeds by the root of the size are one dimensionless speed: the plain path in size, slower in time."""
    plain = rigs.biped()
    amble.gait(plain, speed=1.3, cycle=1.0, root_motion="none")
    path = feet(plain, 1 + 24 * np.arange(9) / 8)
    armature = rigs.biped(size)
    cycle = np.sqrt(size)
    fps = 24.0 / cycle
    amble.gait(armature, speed=1.3 * size / cycle, cycle=cycle, fps=fps, root_motion="none")
    assert np.abs(feet(armature, 1 + 24 * np.arange(9) / 8) - path * size).max() < 1e-4 * size


@pytest.mark.parametrize("scale", [0.01, 1.2, 100.0])
def test_the_object_scale_does_not_change_the_walk_in_the_world(scale: float) -> None:
    """Bones 1/scale as large under an object of that scale: the same world path; the scale stays."""
    plain = rigs.biped()
    amble.gait(plain, speed=1.3)
    path = feet(plain, np.arange(1, 26, 3))
    armature = rigs.biped(1.0 / scale)
    armature.scale = (scale, scale, scale)
    bpy.context.view_layer.update()
    walk = amble.gait(armature, speed=1.3)
    assert walk.report is not None
    assert walk.report.ok, walk.report.table()
    assert np.abs(feet(armature, np.arange(1, 26, 3)) - path).max() < 1e-4
    assert tuple(armature.scale) == pytest.approx((scale, scale, scale))


def rigs_turn(angle: float) -> Any:
    """A turn about the vertical as a matrix for armature data."""
    from mathutils import Matrix

    return Matrix.Rotation(angle, 4, "Z")


def test_auto_runs_from_the_speed_at_which_people_do_and_tells_so() -> None:
    for speed, gait in ((1.4, "walk"), (2.0, "walk"), (2.5, "run")):
        armature = rigs.load("rigify:human")
        made = amble.gait(armature, speed=speed)
        assert made.gait == gait
        assert made.action.name.startswith(gait.capitalize())
        assert (made.figures["duty"] < 0.5) == (gait == "run")
        assert made.report.score.gait == gait
        named = amble.gait(armature, speed=speed, gait=gait)
        assert named.figures == made.figures


def test_a_run_without_a_speed_is_a_run_at_ease() -> None:
    armature = rigs.load("rigify:human")
    assert amble.gait(armature, gait="run").report.speed_asked == pytest.approx(3.0, rel=1e-6)


def test_errors_say_what_to_do_and_change_nothing() -> None:
    cube = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    with pytest.raises(NotAnArmature, match="Cube"):
        amble.gait(cube)
    with pytest.raises(TooFewBones):
        amble.gait(rigs.build({}, "empty"))
    armature = rigs.biped()
    with pytest.raises(BadSetting, match="speed must be more than 0 m/s"):
        amble.gait(armature, speed=-1.0)
    with pytest.raises(BadSetting, match="no running speed"):
        amble.gait(armature, speed=9.0)
    with pytest.raises(BadSetting, match="no walking speed"):
        amble.gait(armature, speed=4.0, gait="walk")
    with pytest.raises(BadSetting, match="no setting sped"):
        amble.gait(armature, sped=1.0)
    with pytest.raises(BadSetting, match="last frame must come after"):
        amble.gait(armature, frames=(10, 10))
    limbs = ("thigh", "shin", "foot", "toe")
    legless = {bone: place for bone, place in tables.biped().items() if not bone.startswith(limbs)}
    with pytest.raises((NoLegsFound, MissingRole)):
        amble.gait(rigs.build(legless))
    rootless = {
        bone: (head, tail, None if parent == "root" else parent)
        for bone, (head, tail, parent) in tables.biped().items()
        if bone != "root"
    }
    with pytest.raises(MissingRole, match="no root bone"):
        amble.gait(rigs.build(rootless, "rootless"), root_motion="bone")
    assert not bpy.data.actions
    assert armature.animation_data is None or armature.animation_data.action is None


def test_it_needs_no_context_and_no_active_object() -> None:
    armature = rigs.biped()
    bpy.context.view_layer.objects.active = None
    armature.hide_viewport = False
    armature.select_set(False)
    assert amble.gait(armature, speed=1.2, report=False).action is not None
