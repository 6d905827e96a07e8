"""Gaits along paths, at any speed and facing, over ground: seen on the evaluated armature in Blender."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from amble.errors import AmbleError
from amble.gait.way import Path
from numpy.typing import NDArray
from tests.blender import rigs, way_figures
from tests.blender.action_tools import contents, curves, state
from tests.blender.paths import path as places_of

Array = NDArray[np.float64]


def curve(points: Any, closed: bool = False, name: str = "path") -> Any:
    """A curve object through points, of straight pieces."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points, strict=True):
        point.co = (*place, 0.0, 1.0)
    spline.use_cyclic_u = closed
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def plane(slope: float, across: bool = False, name: str = "ground") -> Any:
    """A plane that rises the way a biped walks (-Y), or to its left (+X), by so many degrees."""
    rise = math.tan(math.radians(slope))
    corners = [(-20, -20), (20, -20), (20, 20), (-20, 20)]
    rows = [(x, y, rise * (x if across else -y)) for x, y in corners]
    data = bpy.data.meshes.new(name)
    data.from_pydata(rows, [], [(0, 1, 2, 3)])
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def quarters(result: Any) -> Array:
    """Frames and quarter frames of a result."""
    first, last = result.frames
    return np.arange(first, last + 0.125, 0.25)


def body(armature: Any, frames: Any, bone: str = "root") -> Array:
    """World place of a bone's head, (frames, 3)."""
    return places_of(armature, frames, [bone])[:, 0, 0]


def stances(armature: Any, result: Any) -> list[tuple[str, Array]]:
    """Side, and world head and tail of the foot (frames, 2, 3) while the sole is flat, of each stance."""
    found = []
    for contact in result.contacts:
        side = result.roles.legs[contact.leg].side
        first = max(contact.flat, result.frames[0]) + 1e-3
        last = min(contact.heel_off, result.frames[1]) - 1e-3
        if last - first > 0.5:
            frames = np.arange(first, last, 0.25)
            found.append((side, places_of(armature, frames, [f"foot.{side}"])[:, 0]))
    return found


def heading(rows: Array) -> Array:
    """Degrees of (…, 3) from -Y towards +X, the way that a biped faces and its left."""
    return np.degrees(np.unwrap(np.arctan2(rows[..., 0], -rows[..., 1]), axis=0))


# ---- the cases ----


@pytest.mark.parametrize(("slope", "across"), [(15.0, False), (-15.0, False), (10.0, True)])
def test_case_69_soles_lie_on_planes(slope, across):
    armature = rigs.biped()
    ground = plane(slope, across)
    result = amble.gait(armature, speed=1.4, frames=(1, 60), ground=ground)
    rise = math.tan(math.radians(slope))
    normal = np.array([-rise if across else 0.0, 0.0 if across else rise, 1.0]) / math.hypot(1.0, rise)
    found = stances(armature, result)
    assert len(found) >= 3
    rest = armature.data.bones["foot.L"]
    for side, rows in found:
        # The foot's bone at rest goes from 0.08 over the ground to 0.02 over it.
        over = rows @ normal
        assert np.abs(over - [0.08, 0.02]).max() < 3e-3, side
        tilt = np.degrees(np.arcsin((over[:, 0] - over[:, 1]) / rest.length))
        flat = math.degrees(math.asin(0.06 / rest.length))
        assert np.abs(tilt - flat).max() < 2.0
    assert result.report.penetration_mm < 3.0
    assert result.report.slide_mm < 1.0
    assert result.report.over_reach <= 1.0


def circle_and_bend() -> Array:
    """Once round a circle of 3 m radius, then an S of two half circles of 1 m."""
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    ring = np.stack([3.0 - 3.0 * np.cos(angle), -3.0 * np.sin(angle)], axis=1)
    turn = np.linspace(0.0, np.pi, 60)[1:]
    first = np.stack([1.0 - np.cos(turn), -np.sin(turn)], axis=1)
    second = np.stack([3.0 - np.cos(turn), np.sin(turn)], axis=1)
    return np.concatenate([ring, first, second])


def test_case_70_along_a_circle_and_an_s_and_a_stop_at_its_end():
    armature = rigs.biped()
    line = circle_and_bend()
    result = amble.gait(armature, speed=1.2, path=curve(line), report=False)
    found = stances(armature, result)
    assert len(found) >= 30
    for side, rows in found:
        assert np.ptp(rows, axis=0).max() < 1e-3, side
        assert np.ptp(heading(rows[:, 1] - rows[:, 0])) < 0.5, side
    frames = np.arange(*result.frames, 2.0)
    root = body(armature, frames)
    apart = np.linalg.norm(root[:, None, :2] - line[None], axis=2).min(axis=1)
    assert apart.max() < 0.15  # corners are rounded over a third of the leg
    # It faces where it goes, and stands at the end with both feet side by side.
    inside = slice(12, -12)
    gone = heading(np.gradient(root, axis=0))[inside]
    hips = places_of(armature, frames, ["thigh.L", "thigh.R"])[:, :, 0]
    left = hips[:, 0] - hips[:, 1]
    facing = heading(np.cross(left, [0.0, 0.0, 1.0]))[inside]
    off = (facing - gone + 180.0) % 360.0 - 180.0
    assert np.abs(off).mean() < 8.0
    end = places_of(armature, [result.frames[1]], ["foot.L", "foot.R"])[0, :, 0]
    middle = 0.5 * (end[0] + end[1])
    assert np.linalg.norm(middle[:2] - line[-1]) < 0.1


def test_case_71_step_length_grows_less_than_speed_and_cadence_with_it():
    speeds = np.array([0.2, 0.4, 0.8, 1.4])
    cadence = []
    for speed in speeds.tolist():
        report = amble.gait(rigs.biped(), speeds=(speed, speed), frames=(1, 241)).report
        assert report.slide_mm < 1.0
        cadence.append(report.cadence_steps_min)
        rigs.clear()
    steps = speeds * 60.0 / np.array(cadence)
    assert steps[0] >= 0.2 * 0.852
    assert (np.diff(cadence) > 0.0).all()
    assert (steps[1:] / steps[:-1] < speeds[1:] / speeds[:-1]).all()


def test_case_71_a_start_from_a_stand():
    armature = rigs.biped()
    result = amble.gait(armature, speeds=(0.0, 1.4, 1.4), frames=(1, 97))
    report = result.report
    assert report.slide_mm < 1.0
    assert report.penetration_mm < 3.0
    feet = places_of(armature, [1.0], ["foot.L", "foot.R"])[0, :, 0]
    assert feet[0, 1] == pytest.approx(feet[1, 1], abs=1e-3)
    y = body(armature, [1.0, 97.0])[:, 1]
    assert y[0] - y[1] == pytest.approx(1.4 * 2.0 * 1.5, rel=5e-3)  # 2 s up at 0.7 on average, 2 s at 1.4
    assert {contact.leg for contact in result.contacts} == {0, 1}


def test_the_foot_that_is_asked_for_goes_first():
    for name, other in (("left", "foot.R"), ("right", "foot.L")):
        armature = rigs.biped()
        amble.gait(armature, speeds=(0.0, 1.4), frames=(1, 49), first_foot=name, report=False)
        ours = "foot.L" if name == "left" else "foot.R"
        frames = np.arange(1.0, 49.0)
        moved = {
            bone: np.linalg.norm(np.diff(body(armature, frames, bone), axis=0), axis=1) > 5e-3
            for bone in (ours, other)
        }
        assert np.argmax(moved[ours]) < np.argmax(moved[other])


@pytest.mark.parametrize("speed", [0.5, 0.6])
@pytest.mark.parametrize("key", ["rigify:human", "glb/m2m_rig-human.glb"])
def test_feet_climb_stairs_from_tread_to_tread_and_touch_no_edge(key, speed):
    """Treads of 0.28 and risers of 0.17 of a person's; the foot of m2m is longer than a tread."""
    armature = rigs.load(key)
    factor = way_figures.size_of(armature)
    ground = way_figures.stairs(armature)
    result = amble.gait(
        armature, speeds=(speed * factor, speed * factor), frames=(1, 150), loop=False, ground=[ground]
    )
    report = result.report
    assert report.slide_mm < 1.0
    assert report.penetration_mm < 1.0
    assert report.float_mm < 3.0
    assert report.over_reach <= 0.999
    assert abs(report.speed_error) < 1e-3
    if key == "rigify:human":
        assert report.knee_acceleration_ratio < 2.2


# ---- speeds, turns, directions ----


def test_speeds_carry_the_body_as_far_as_they_say():
    armature = rigs.biped()
    amble.gait(armature, speeds=(0.0, 2.0, 1.0), frames=(1, 73), report=False)
    y = body(armature, [1.0, 37.0, 73.0])[:, 1]
    np.testing.assert_allclose(-np.diff(y), [1.0 * 1.5, 1.5 * 1.5], rtol=5e-3)


@pytest.mark.parametrize("rate", [45.0, 90.0])
def test_G20_a_turn_goes_round_at_its_rate(rate):
    armature = rigs.biped()
    result = amble.gait(armature, speed=1.2, turn=rate, frames=(1, 97), loop=False)
    frames = np.array([1.0, 25.0, 49.0, 73.0, 97.0])
    root = body(armature, frames)
    radius = 1.2 / math.radians(rate)
    angle = np.radians(rate * (frames - 1.0) / 24.0)
    want = radius * np.stack([1.0 - np.cos(angle), -np.sin(angle)], axis=1)
    np.testing.assert_allclose(root[:, :2], want, atol=5e-3)
    assert result.report.slide_mm < 1.0


@pytest.mark.parametrize("degrees", [45.0, 90.0, -90.0, 180.0])
def test_direction_is_where_it_goes_against_where_it_faces(degrees):
    armature = rigs.biped()
    result = amble.gait(armature, speed=0.7, direction=degrees, frames=(1, 73), loop=False)
    root = body(armature, [1.0, 73.0])
    gone = root[1] - root[0]
    assert heading(gone[None])[0] == pytest.approx(degrees, abs=0.1)
    assert np.linalg.norm(gone) == pytest.approx(0.7 * 3.0, rel=5e-3)
    for _, rows in stances(armature, result):
        toes = heading(rows[:, 1] - rows[:, 0])
        assert np.abs(toes).max() < 5.0
    assert result.report.slide_mm < 1.0


def test_turning_on_the_spot_over_half_a_turn_has_no_jumps():
    armature = rigs.biped()
    amble.gait(armature, speeds=(0.0, 0.0), turn=60.0, frames=(1, 241), loop=False, report=False)
    for (path, _), curve in curves(armature).items():
        values = np.array([key.co.y for key in curve.keyframe_points])
        assert "rotation" not in path or np.abs(np.diff(values)).max(initial=0.0) < 0.5, path
    hips = places_of(armature, np.arange(1.0, 242.0, 6.0), ["thigh.L", "thigh.R"])[:, :, 0]
    turned = heading(hips[:, 0] - hips[:, 1])
    assert turned[-1] - turned[0] == pytest.approx(600.0, abs=8.0)


# ---- paths ----


def test_a_closed_curve_is_gone_round_once_at_the_full_speed():
    armature = rigs.biped()
    angle = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    ring = curve(np.stack([3.0 * np.cos(angle), 3.0 * np.sin(angle)], axis=1), closed=True)
    result = amble.gait(armature, speed=1.2, path=ring, report=False)
    seconds = (result.frames[1] - result.frames[0]) / 24.0
    assert seconds == pytest.approx(2.0 * np.pi * 3.0 / 1.2, rel=0.02)
    root = body(armature, np.linspace(*result.frames, 40))
    np.testing.assert_allclose(np.linalg.norm(root[:, :2], axis=1), 3.0, atol=0.06)
    assert np.linalg.norm(root[-1, :2] - root[0, :2]) < 0.1


def test_a_curve_of_beziers_moved_and_scaled_is_followed_where_it_lies():
    armature = rigs.biped()
    bpy.ops.curve.primitive_bezier_curve_add(location=(3.0, 1.0, 0.0), rotation=(0.0, 0.0, 0.7))
    thing = bpy.context.object
    thing.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    result = amble.gait(armature, speed=1.0, path=thing.name, report=False)
    ends = [thing.matrix_world @ thing.data.splines[0].bezier_points[k].co for k in (0, -1)]
    root = body(armature, result.frames)
    for place, end in zip(root, ends, strict=True):
        assert np.linalg.norm(place[:2] - np.array(end)[:2]) < 0.12


def moving_empty() -> Any:
    thing = bpy.data.objects.new("guide", None)
    bpy.context.scene.collection.objects.link(thing)
    for frame, place in ((1, (0.0, 0.0, 0.0)), (25, (0.0, -1.0, 0.0)), (73, (0.0, -3.4, 0.0))):
        thing.location = place
        thing.keyframe_insert("location", frame=frame)
    return thing


def test_an_animated_object_is_followed_frame_by_frame():
    armature = rigs.biped()
    guide = moving_empty()
    frames = np.array([1.0, 20.0, 40.0, 60.0, 73.0])
    wanted = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        wanted.append(
            np.array(guide.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, 3]
        )
    bpy.context.scene.frame_set(1)
    result = amble.gait(armature, path=guide, frames=(1, 73))
    np.testing.assert_allclose(body(armature, frames)[:, :2], np.array(wanted)[:, :2], atol=0.03)
    assert result.report.slide_mm < 1.0


def test_G23_arrays_and_functions_of_a_script_are_one_call():
    def way(seconds: Array) -> tuple[Array, Array]:
        angle = 0.5 * seconds
        return np.stack([2.0 * np.sin(angle), 2.0 * np.cos(angle) - 2.0], axis=1), -90.0 + np.degrees(
            angle
        ) * 0.0

    found = []
    for given in (Path(way), Path(*way(np.linspace(0.0, 3.0, 200)))):
        armature = rigs.biped()
        amble.gait(armature, path=given, frames=(1, 73), report=False)
        found.append(body(armature, [1.0, 30.0, 73.0]))
        seconds = np.array([0.0, 29.0 / 24.0, 3.0])
        np.testing.assert_allclose(found[-1][:, :2], way(seconds)[0], atol=0.02)
        rigs.clear()
    np.testing.assert_allclose(found[0], found[1], atol=5e-3)


@pytest.mark.parametrize("key", ["rigify:human", "glb/m2m_rig-human.glb"])
def test_the_readme_s_path_meets_every_bar(key):
    path = Path([(0, 0), (0.2, -1.5), (1, -3)])
    assert amble.gait(rigs.load(key), path=path, frames=(1, 72)).report.problems == ()


@pytest.mark.parametrize("points", [[(0, 0), (0.2, -1.5), (1, -3)], [(0, 0), (0, -2), (1.4, -3.4)]])
def test_a_path_of_few_places_is_walked_at_its_speed_from_end_to_end_round_its_bends(points):
    armature = rigs.load("rigify:human")
    result = amble.gait(armature, path=Path(points), frames=(1, 81))
    report = result.report
    assert report.slide_mm < 1.0
    assert abs(report.speed_error) < 1e-3
    assert report.knee_acceleration_ratio < 1.5
    # In the middle of a walk at both ends, not from and to a stand: half of the pieces' even speed is there.
    around = body(armature, [1.0, 3.0, 79.0, 81.0], "spine")[:, :2]
    least = 0.5 * np.linalg.norm(np.diff(points, axis=0), axis=1) / 40.0 * 2.0
    assert np.linalg.norm(around[1] - around[0]) > least[0]
    assert np.linalg.norm(around[3] - around[2]) > least[-1]
    np.testing.assert_allclose(result.frames, (1, 81))


# ---- what carries the motion ----


def test_along_a_way_the_body_is_the_same_whatever_carries_it():
    seen = {}
    frames = np.array([1.0, 10.25, 30.5, 49.0])
    bones = ("foot.L", "foot.R", "head", "shin.L")
    for carrier in ("auto", "bone", "object"):
        armature = rigs.biped()
        amble.gait(armature, speeds=(1.2, 0.6), frames=(1, 49), root_motion=carrier, report=False)
        seen[carrier] = places_of(armature, frames, bones)
        rigs.clear()
    np.testing.assert_allclose(seen["auto"], seen["bone"], atol=1e-5)
    np.testing.assert_allclose(seen["auto"], seen["object"], atol=2e-4)


def test_in_place_the_body_stays_and_the_ground_goes():
    armature = rigs.biped()
    result = amble.gait(armature, speed=1.2, turn=23.0, root_motion="none")
    pelvis = body(armature, quarters(result)[::4], "pelvis")
    assert np.ptp(pelvis[:, :2], axis=0).max() < 0.12
    assert result.report.slide_mm < 1.0
    assert result.report.seam_position < 1e-3


def test_the_object_is_not_turned():
    armature = rigs.biped()
    with pytest.raises(AmbleError, match="root_motion object cannot turn the object"):
        amble.gait(armature, speed=1.2, turn=30.0, root_motion="object")


# ---- loops, events, memory ----


def test_a_steady_turn_loops_and_repeats():
    armature = rigs.biped()
    result = amble.gait(armature, speed=1.2, turn=40.0, root_motion="none", repeat=True)
    assert result.report.seam_position < 1e-3
    first, last = result.frames
    assert result.action.use_cyclic
    later = places_of(armature, [first + 5.0, first + 5.0 + (last - first)])
    np.testing.assert_allclose(later[1], later[0], atol=1e-4)


def test_speeds_that_change_make_no_loop_and_uneven_ground_says_so():
    armature = rigs.biped()
    result = amble.gait(armature, speeds=(1.0, 1.2), frames=(1, 49), report=False)
    assert not result.action.use_cyclic
    box = bpy.data.meshes.new("step")
    box.from_pydata([(-5, -5, 0.1), (5, -5, 0.1), (5, -1, 0.1), (-5, -1, 0.1)], [], [(0, 1, 2, 3)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("step", box))
    result = amble.gait(armature, speed=1.2, ground=[plane(0.0), "step"], report=False)
    assert not result.action.use_cyclic
    assert "The ground is not even: the motion is no loop." in result.notes


def test_events_of_a_way_tell_plants_where_the_feet_stand():
    armature = rigs.biped()
    result = amble.gait(
        armature, speeds=(1.2, 1.2, 0.6), turn=20.0, frames=(1, 73), events=True, loop=False, report=False
    )
    names = [marker.name for marker in result.action.pose_markers]
    assert names.count("left down") >= 2
    assert names.count("right down") >= 2
    keyed = {path for path, _ in contents(armature)}
    assert {'["contact_foot.L"]', '["contact_foot.R"]', '["distance"]'} <= keyed
    checked = 0
    for contact in result.contacts:
        side = result.roles.legs[contact.leg].side
        middle = round(0.5 * (contact.flat + contact.heel_off))
        if not result.frames[0] + 1 < middle < result.frames[1] - 1:
            continue
        foot = body(armature, [middle], f"foot.{side}")[0]
        assert armature[f"contact_foot.{side}"] == 1.0
        assert np.linalg.norm(np.array(armature[f"plant_foot.{side}"])[:2] - foot[:2]) < 0.15
        checked += 1
    assert checked >= 3
    distance = armature["distance"]
    bpy.context.scene.frame_set(73)
    assert armature["distance"] > distance


def test_a_way_is_remembered_and_made_again():
    armature = rigs.biped()
    ground = plane(5.0)
    first = amble.gait(
        armature, speeds=(0.0, 1.2), turn=10.0, frames=(1, 49), ground=[ground], loop=False, report=False
    )
    written = contents(armature)
    again = amble.again(armature, first.action, report=False)
    assert contents(armature) == written
    slower = amble.again(armature, again.action, turn=0.0, report=False)
    assert contents(armature) != written
    assert slower.action != first.action
    path = curve([(0.0, 0.0), (0.0, -4.0)])
    led = amble.gait(armature, path=path, speed=1.0, report=False)
    kept = contents(armature)
    amble.again(armature, led.action, report=False)
    assert contents(armature) == kept


# ---- what it must refuse ----


def tilted() -> Any:
    armature = rigs.biped()
    armature.rotation_euler = (0.3, 0.0, 0.0)
    bpy.context.view_layer.update()
    return armature


def empty_curve() -> str:
    data = bpy.data.curves.new("bare", "CURVE")
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("bare", data))
    return "bare"


def bare_ground() -> str:
    data = bpy.data.meshes.new("bare")
    data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("bare", data))
    return "bare"


LINE = [(0.0, 0.0), (0.0, -5.0)]
REFUSED: dict[str, tuple[Callable[[], Any], Callable[[], dict[str, Any]], str]] = {
    "no such path": (rigs.biped, lambda: {"path": "gone"}, 'path names "gone", which is no object'),
    "no such ground": (rigs.biped, lambda: {"ground": "gone"}, 'ground names "gone", which is no object'),
    "short path": (rigs.biped, lambda: {"path": curve([(0, 0), (0, -0.05)])}, "shorter than a step"),
    "curve without spline": (rigs.biped, lambda: {"path": empty_curve()}, '"bare" has no spline'),
    "object without frames": (rigs.biped, lambda: {"path": moving_empty()}, "frames must be set to follow"),
    "tilted rig on a path": (tilted, lambda: {"path": curve(LINE)}, '"biped" does not stand upright'),
    "tilted rig on ground": (tilted, lambda: {"ground": plane(5.0)}, '"biped" does not stand upright'),
    "NaN": (rigs.biped, lambda: {"path": Path(np.full((9, 2), np.nan)), "frames": (1, 48)}, "not finite"),
    "shape": (
        rigs.biped,
        lambda: {"path": Path(np.zeros(9)), "frames": (1, 48)},
        r"must have the shape \(n, 2\)",
    ),
    "nowhere": (rigs.biped, lambda: {"path": Path(np.zeros((9, 2))), "frames": (1, 48)}, "goes nowhere"),
    "function": (
        rigs.biped,
        lambda: {"path": Path(lambda _: np.zeros((3, 2))), "frames": (1, 48)},
        "function must return places of shape",
    ),
    "facing": (
        rigs.biped,
        lambda: {"path": Path(np.array(LINE), facing=np.zeros(7)), "frames": (1, 48)},
        r"facing of a path must have the shape \(2,\)",
    ),
    "ground without faces": (rigs.biped, lambda: {"ground": bare_ground()}, "bare"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_walked_is_refused_in_a_sentence_and_nothing_changes(name):
    build, settings, message = REFUSED[name]
    armature = build()
    given = settings()
    amble_before = state(armature)
    actions = len(bpy.data.actions)
    with pytest.raises(AmbleError, match=message) as caught:
        amble.gait(armature, **given)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert state(armature) == amble_before
    assert len(bpy.data.actions) == actions
    assert armature.animation_data is None or slots.current(armature.animation_data)[0] is None
