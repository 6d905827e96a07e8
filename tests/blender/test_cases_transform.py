"""Cases from practice about the scale and transform of rigs, for the walk.

The numbers in the tests' docstrings count the cases.
"""

from __future__ import annotations

from typing import Any

import amble
import bpy
import numpy as np
import pytest
from mathutils import Matrix
from tests.blender import rigs
from tests.blender.control_rigs import editing, keyed

TENTH = 1e-4  # metres
NAMES = tuple(
    f"{name}.{side}" for name in ("thigh", "shin", "foot", "toe", "upper_arm", "hand") for side in "LR"
) + ("root", "pelvis", "head")


def path(armature: Any, frames: Any, names: tuple[str, ...] = NAMES) -> np.ndarray:
    """World places of bones' heads, (frames, bones, 3)."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
        found.append([armature.matrix_world @ armature.pose.bones[name].head for name in names])
    return np.array(found)


def good(result: Any) -> Any:
    """The result, after a look at its report."""
    report = result.report
    assert report.slide_mm <= 1.0, report.table()
    assert report.penetration_mm <= 1.0, report.table()
    assert report.over_reach <= 0.999, report.table()
    return result


@pytest.mark.parametrize("size", [100.0, 0.01])
def test_bones_of_another_size_under_a_scaled_object_walk_alike(size: float) -> None:
    """1: centimetre bones under an object of scale 0.01, and the reverse."""
    plain = rigs.biped()
    good(amble.gait(plain, speed=1.4))
    frames = np.arange(1, 26)
    there = path(plain, frames)
    move = track(plain, frames)
    armature = rigs.biped(size)
    armature.scale = (1.0 / size,) * 3
    bpy.context.view_layer.update()
    good(amble.gait(armature, speed=1.4))
    assert np.abs(path(armature, frames) - there).max() < TENTH
    assert np.abs(track(armature, frames) / size - move).max() < 1e-4
    assert tuple(armature.scale) == pytest.approx((1.0 / size,) * 3)


def track(armature: Any, frames: Any) -> np.ndarray:
    """The pelvis's own location at frames."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        found.append(tuple(armature.pose.bones["pelvis"].location))
    return np.array(found)


def test_bones_that_are_y_up_under_a_turned_object_walk_alike() -> None:
    """2."""
    plain = rigs.biped()
    good(amble.gait(plain, speed=1.4))
    frames = np.arange(1, 26)
    there = path(plain, frames)
    armature = rigs.biped()
    armature.data.transform(Matrix.Rotation(np.radians(-90.0), 4, "X"))
    armature.rotation_euler = (np.radians(90.0), 0.0, 0.0)
    bpy.context.view_layer.update()
    good(amble.gait(armature, speed=1.4))
    assert np.abs(path(armature, frames) - there).max() < TENTH


def test_a_real_y_up_rig_stands_on_the_ground() -> None:
    """2: KayKit comes that way."""
    armature = rigs.load("glb/kaykit_Med_MovementBasic.glb")
    good(amble.gait(armature))
    heights = path(armature, np.arange(1, 20), ("foot.l", "foot.r"))[..., 2]
    rest = (armature.matrix_world @ armature.data.bones["foot.l"].head_local).z
    assert heights.min() == pytest.approx(rest, abs=0.01)


def test_a_rig_under_a_turned_and_scaled_parent_walks_along_its_own_forward() -> None:
    """4: empty at (5, 3, 1), turned 37 degrees, scale 2."""
    plain = rigs.biped()
    base = good(amble.gait(plain, speed=1.4, cycle=1.0, fps=60.0, root_motion="auto"))
    there = path(plain, np.arange(1, 62, 5), ("foot.L", "foot.R", "pelvis"))
    empty: Any = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location, empty.rotation_euler, empty.scale = (5, 3, 1), (0, 0, np.radians(37.0)), (2, 2, 2)
    armature = rigs.biped()
    armature.parent = empty
    bpy.context.view_layer.update()
    # Twice the length at the same dimensionless speed: the root of two in speed and time.
    root = np.sqrt(2.0)
    result = good(amble.gait(armature, speed=1.4 * root, cycle=root, fps=60.0 / root))
    assert result.report.stride_m == pytest.approx(2.0 * base.report.stride_m, rel=1e-3)
    got = path(armature, np.arange(1, 62, 5), ("foot.L", "foot.R", "pelvis"))
    matrix = np.array(empty.matrix_world)
    assert np.abs(got - (there @ matrix[:3, :3].T + matrix[:3, 3])).max() < 2 * TENTH
    ahead = matrix[:3, :3] @ (0, -1, 0)
    way = got[-1, 2] - got[0, 2]
    assert way @ ahead / np.linalg.norm(way) / np.linalg.norm(ahead) > 0.9999


@pytest.mark.parametrize("fps", [24, 30, 60])
def test_a_second_is_a_second_at_any_frame_rate(fps: int) -> None:
    """7."""
    scene = bpy.context.scene
    scene.render.fps = fps
    armature = rigs.biped()
    result = amble.gait(armature, speed=1.3, cycle=1.0, root_motion="none")
    assert result.frames == (1.0, 1.0 + fps)
    assert scene.render.fps == fps
    seconds = np.arange(7) / 6
    got = path(armature, 1 + seconds * fps, ("foot.L", "foot.R"))
    other = rigs.biped()
    amble.gait(other, speed=1.3, cycle=1.0, fps=120.0, root_motion="none")
    assert np.abs(got - path(other, 1 + seconds * 120, ("foot.L", "foot.R"))).max() < TENTH


@pytest.mark.parametrize(("size", "turn"), [(40.0, 90.0), (0.05, 180.0), (1.0, 30.0)])
def test_giants_and_dwarfs_that_face_elsewhere_walk_along_their_own_facing(size: float, turn: float) -> None:
    """9: default settings but for a common cycle, so that frames are the same share of a stride."""
    speed, root = 1.4, np.sqrt(size)
    plain = rigs.biped()
    good(amble.gait(plain, speed=speed, cycle=1.0))
    frames = np.arange(1, 26, 3)
    there = path(plain, frames)
    armature = rigs.biped(size)
    spin = Matrix.Rotation(np.radians(turn), 4, "Z")
    armature.data.transform(spin)
    result = good(amble.gait(armature, speed=speed * root, cycle=root, fps=24.0 / root))
    assert np.abs(path(armature, frames) - size * there @ np.array(spin)[:3, :3].T).max() < TENTH * size
    contact = next(c for c in result.contacts if result.roles.legs[c.leg].side == "L")
    bpy.context.scene.frame_set(int(contact.flat) + 1)
    toe = armature.pose.bones["toe.L"]
    way, ahead = np.array(toe.tail - toe.head)[:2], (np.array(spin) @ (0, -1, 0, 0))[:2]
    assert way @ ahead / np.linalg.norm(way) > np.cos(np.radians(2.0))


def test_default_settings_suit_legs_of_any_length() -> None:
    """9: no speed given."""
    for size in (40.0, 0.05):
        result = good(amble.gait(rigs.biped(size)))
        leg = result.report.leg_length_m
        assert leg == pytest.approx(0.934 * size, rel=0.01)
        assert result.report.speed_asked == pytest.approx(1.4 * np.sqrt(leg / (1.2 if size > 1 else 0.7)))


@pytest.mark.parametrize(
    ("tail", "roll"), [((0, 0.1, 0), 0.0), ((0, 0, 0.1), 90.0), ((-0.1, 0, 0), 0.0)], ids=["+Y", "roll", "-X"]
)
def test_a_root_that_lies_anyhow_travels_straight_and_does_not_turn(tail: Any, roll: float) -> None:
    """10."""
    armature = rigs.biped()
    with editing(armature) as bones:
        bones["root"].tail, bones["root"].roll = tail, np.radians(roll)
    result = good(amble.gait(armature, speed=1.4))
    assert keyed(armature)["root"] == {"location"}
    root = armature.pose.bones["root"]
    assert root.matrix_basis.to_quaternion().angle < 1e-6
    frames = np.arange(result.frames[0], result.frames[1] + 1)
    there = path(armature, frames, ("root",))[:, 0]
    seconds = (frames - frames[0]) / 24.0
    assert np.abs(there[:, 1] + 1.4 * seconds).max() < 1e-3
    assert np.abs(there[:, [0, 2]]).max() < TENTH
