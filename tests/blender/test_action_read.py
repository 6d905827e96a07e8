"""Actions read without playing them: every value equal to what Blender itself evaluates."""

from typing import Any

import bpy
import numpy as np
import pytest
from amble.action import slots
from amble.action.read import Channel, read
from amble.errors import AmbleError
from tests.blender import rigs
from tests.blender.action_tools import make_rig

MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")


def home_of(rig: Any, name: str = "clip") -> Any:
    rig.animation_data_create()
    action = bpy.data.actions.new(name)
    home = slots.open_home(action, rig)
    slots.assign(rig.animation_data, action, home.slot)
    return home


def curve_of(home: Any, path: str, index: int, times: Any, values: Any) -> Any:
    curve = home.new_curve(path, index, "")
    curve.keyframe_points.add(len(times))
    curve.keyframe_points.foreach_set("co", np.column_stack((times, values)).astype(np.float32).ravel())
    curve.update()
    return curve


def drawn(home: Any, rng: np.random.Generator, path: str, index: int, count: int = 9) -> Any:
    """A curve with keys at odd frames, free handles that may cross, and kinds of every plain sort."""
    times = np.cumsum(rng.uniform(0.3, 4.0, count)) - 7.25
    curve = curve_of(home, path, index, times, rng.uniform(-2.0, 2.0, count))
    for key in curve.keyframe_points:
        key.interpolation = rng.choice(["CONSTANT", "LINEAR", "BEZIER", "BEZIER", "BEZIER"])
        key.handle_left_type = key.handle_right_type = "FREE"
        key.handle_left = key.co[0] - rng.uniform(0.0, 3.0), key.co[1] + rng.uniform(-2.0, 2.0)
        key.handle_right = key.co[0] + rng.uniform(0.0, 3.0), key.co[1] + rng.uniform(-2.0, 2.0)
    return curve


def evaluated(clip: Any, times: np.ndarray) -> np.ndarray:
    return np.array([[curve.evaluate(float(time)) for time in times] for curve in clip.curves])


def assert_as_blender(rig: Any, times: np.ndarray, tolerance: float = 2e-6) -> None:
    clip = read(rig)
    found = clip.sample(times)
    wanted = evaluated(clip, times)
    # Blender rounds handles and the Bezier's parameter to float32 on the way, steep as the curve may be.
    steep = np.abs(np.diff(np.stack((clip.left[:, 1], clip.right[:, 1])), axis=0)).max()
    far = np.abs(found - wanted) > tolerance * np.maximum(1.0 + steep, np.abs(wanted))
    assert not far.any(), [
        (clip.channels_of[k], times[f], found[k, f], wanted[k, f]) for k, f in np.argwhere(far)[:5]
    ]


TIMES = np.concatenate((np.arange(-40.0, 60.0, 0.37), np.arange(-40, 60)))


@pytest.mark.parametrize("extrapolation", ["CONSTANT", "LINEAR"])
def test_every_plain_curve_is_evaluated_as_blender_does(extrapolation):
    rng = np.random.default_rng(3)
    home = home_of(make_rig())
    rig = bpy.data.objects["Rig"]
    for number in range(40):
        drawn(home, rng, "location", number, 2 + number % 9).extrapolation = extrapolation
    clip = read(rig)
    assert not clip.by_blender
    keys = clip.points[:, 0].astype(np.float64)
    assert_as_blender(rig, np.concatenate((TIMES, keys, keys + 5e-5, keys - 5e-5, keys + 2e-4, keys - 2e-4)))


@pytest.mark.parametrize("before", ["NONE", "REPEAT", "REPEAT_OFFSET", "MIRROR"])
@pytest.mark.parametrize("after", ["NONE", "REPEAT", "REPEAT_OFFSET", "MIRROR"])
@pytest.mark.parametrize("cycles", [0, 1, 2])
def test_cycles_modifiers_are_evaluated_as_blender_does(before, after, cycles):
    rng = np.random.default_rng(5)
    home = home_of(make_rig())
    rig = bpy.data.objects["Rig"]
    for number in range(5):
        curve = curve_of(home, "location", number, np.arange(0, 25, 4), rng.uniform(-1, 1, 7))
        modifier = curve.modifiers.new("CYCLES")
        modifier.mode_before, modifier.mode_after = before, after
        modifier.cycles_before = modifier.cycles_after = cycles
    assert not read(rig).by_blender
    assert_as_blender(rig, np.arange(-100.0, 130.0, 0.25), 2e-5)  # Blender's own time there is float32


def test_what_only_blender_can_evaluate_is_left_to_it():
    rng = np.random.default_rng(7)
    home = home_of(make_rig())
    rig = bpy.data.objects["Rig"]
    for number, kind in enumerate(("NOISE", "GENERATOR", "LIMITS", "STEPPED")):
        curve = drawn(home, rng, "location", number)
        curve.modifiers.new(kind)
    drawn(home, rng, "scale", 0).keyframe_points[3].interpolation = "BOUNCE"
    drawn(home, rng, "scale", 1)
    assert read(rig).by_blender == frozenset(range(5))
    assert_as_blender(rig, TIMES)


def test_channels_are_the_evaluated_pose_in_every_rotation_mode():
    rig = make_rig(MODES)
    rng = np.random.default_rng(11)
    home = home_of(rig)
    for mode in MODES:
        rig.pose.bones[mode].rotation_mode = mode
        path = f'pose.bones["{mode}"].'
        for index in range(3):
            drawn(home, rng, path + "location", index)
            drawn(home, rng, path + "scale", index)
            drawn(home, rng, path + "rotation_euler", index)
        for index in range(4):
            drawn(home, rng, path + "rotation_quaternion", index)
            drawn(home, rng, path + "rotation_axis_angle", index)
    times = np.arange(-8.0, 30.0, 1.25)
    found = read(rig).channels(MODES, times)
    scene = bpy.context.scene
    for at, time in enumerate(times):
        scene.frame_set(int(np.floor(time)), subframe=float(time % 1))
        seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for row, mode in enumerate(MODES):
            place, turn, _ = seen.pose.bones[mode].matrix_basis.decompose()
            assert np.allclose(found[row, :3, at], place, atol=1e-5)
            own = found[row, 3:7, at] / np.linalg.norm(found[row, 3:7, at])
            if (found[row, 7:, at] > 0.05).all():  # else decompose turns the axes about
                assert abs(own @ np.array(turn)) > 1.0 - 1e-6, (mode, time)


def test_what_has_no_curve_is_at_rest_and_other_modes_do_not_count():
    rig = make_rig(("a", "b", "c"))
    rig.pose.bones["b"].rotation_mode = "ZXY"
    rig.pose.bones["c"].rotation_mode = "AXIS_ANGLE"
    rig.pose.bones["a"].location = 5, 5, 5
    home = home_of(rig)
    curve_of(home, 'pose.bones["a"].location', 2, [1, 9], [0, 8])
    curve_of(home, 'pose.bones["a"].rotation_quaternion', 1, [1, 9], [0, 8])
    curve_of(home, 'pose.bones["a"].rotation_euler', 0, [1, 9], [3, 3])
    curve_of(home, 'pose.bones["b"].rotation_quaternion', 0, [1, 9], [3, 3])
    curve_of(home, 'pose.bones["c"].rotation_axis_angle', 0, [1, 9], [np.pi, np.pi])
    curve_of(home, 'pose.bones["a"].scale', 0, [1, 9], [7, 7]).mute = True
    clip = read(rig)
    found = clip.channels(("a", "b", "c", "not there"), [5.0])[..., 0]
    assert np.allclose(found[0], [0, 0, 4, 1, 4, 0, 0, 1, 1, 1])
    assert np.allclose(found[1], [0, 0, 0, 1, 0, 0, 0, 1, 1, 1])
    assert np.allclose(found[2], [0, 0, 0, 0, 0, 1, 0, 1, 1, 1], atol=1e-7)  # about y, as Blender begins
    assert np.allclose(found[3], [0, 0, 0, 1, 0, 0, 0, 1, 1, 1])
    keyed = clip.keyed(("a", "b", "c"))
    assert keyed[0].tolist() == [False, False, True, False, True, False, False, False, False, False]
    assert not keyed[1].any()
    assert keyed[2].tolist() == [False] * 3 + [True] * 4 + [False] * 3
    assert clip.span == (1.0, 9.0)
    assert clip.bones == ("a", "b", "c")


def test_the_objects_own_channels_begin_with_what_it_has():
    rig = make_rig()
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0, 0, np.pi), (2, 2, 2)
    curve_of(home_of(rig), "location", 0, [1, 3], [10, 20])
    found = read(rig).object_channels(rig, [2.0])[:, 0]
    assert np.allclose(found, [15, 2, 3, 0, 0, 0, 1, 2, 2, 2], atol=1e-6)


def test_names_that_need_escapes_are_found():
    name = 'a"b\\c"]["d'
    rig = make_rig((name, "b"))
    path = f'pose.bones["{bpy.utils.escape_identifier(name)}"].location'
    curve_of(home_of(rig), path, 0, [1, 3], [2, 2])
    assert read(rig).channels_of == (Channel(name, "location", 0),)


@pytest.mark.skipif(not slots.HAS_SLOTS, reason="actions have slots from Blender 4.4 on")
def test_only_the_objects_own_slot_is_read():
    first, second = make_rig(name="First"), make_rig(name="Second")
    home = home_of(first)
    curve_of(home, "location", 0, [1, 3], [10, 20])
    second.animation_data_create()
    other = slots.open_home(home.action, second)
    curve_of(other, "location", 1, [5, 9], [1, 2])
    slots.assign(second.animation_data, home.action, other.slot)
    assert read(first).span == (1.0, 3.0)
    assert read(second).span == (5.0, 9.0)
    third = make_rig(name="Third")
    assert read(third, home.action).span == (1.0, 3.0)


def test_no_action_is_a_clear_error():
    rig = make_rig()
    with pytest.raises(AmbleError, match='"Rig" plays no action'):
        read(rig)
    rig.animation_data_create()
    with pytest.raises(AmbleError, match='"Rig" plays no action'):
        read(rig)
    home_of(rig)
    with pytest.raises(AmbleError, match='"clip" has no keys'):
        _ = read(rig).span


@pytest.mark.parametrize(
    "key",
    [
        "glb/kaykit_Med_General.glb",
        "bvh/animateddrawings_cmu1_jumping_jacks.bvh",
        "blend/quaternius_Cat.blend",
    ],
)
def test_real_clips_are_read_as_blender_evaluates_them(key):
    rig = rigs.load(key)
    for action in list(bpy.data.actions)[:3]:
        clip = read(rig, action)
        first, last = clip.span
        times = np.linspace(first - 2.0, last + 2.0, 40)
        wanted = evaluated(clip, times)
        assert np.abs(clip.sample(times) - wanted).max() <= 2e-6 * max(1.0, np.abs(wanted).max())
