"""Motion arrays written into actions: values, rotation modes, names, slots, and what stays as it was."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from amble.action import add_markers, slots, write
from amble.action.names import cut, next_free
from amble.errors import ActionExists, AmbleError, BadSetting, NotAnArmature
from mathutils import Matrix, Quaternion

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
ALL = (True, True, True)
# Keeps the axis of a rotation well defined.
LEAN = dict.fromkeys(MODES, 0.0) | {"AXIS_ANGLE": 1.3}


def make_rig(names: tuple[str, ...] = ("a", "b"), name: str = "Rig") -> Any:
    """Bones side by side, of unequal rest directions, in a scene."""
    rig: Any = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for at, bone in enumerate(names):
        edit = rig.data.edit_bones.new(bone)
        edit.head, edit.tail, edit.roll = (at, 0, 0), (at + 0.3 * at, 0.4, 1), 0.5 * at
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def rest(bones: int, frames: int) -> tuple[np.ndarray, np.ndarray]:
    motion = np.zeros((bones, 10, frames))
    motion[:, 3] = motion[:, 7:] = 1.0
    return motion, np.zeros_like(motion)


def random_motion(bones: int, frames: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    motion, slopes = rest(bones, frames)
    motion += draw.uniform(-0.4, 0.4, motion.shape)
    return motion, slopes + draw.uniform(-0.4, 0.4, motion.shape)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion product of (4, ...) arrays."""
    return np.array(
        (
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        )
    )


Angle = Callable[[np.ndarray], np.ndarray]


def about(axis: int, angle: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q, dq = np.zeros((4, angle.size)), np.zeros((4, angle.size))
    q[0], q[axis + 1] = np.cos(angle / 2), np.sin(angle / 2)
    dq[0], dq[axis + 1] = -np.sin(angle / 2) * rate / 2, np.cos(angle / 2) * rate / 2
    return q, dq


def turning(frames: np.ndarray, *turns: tuple[int, Angle, Angle]) -> tuple[np.ndarray, np.ndarray]:
    """Quaternions (4, f) of turns about axes, the first given turned first, and their exact slopes."""
    q, dq = about(0, np.zeros(frames.size), np.zeros(frames.size))
    for axis, angle, rate in turns:
        p, dp = about(axis, angle(frames), rate(frames))
        q, dq = product(p, q), product(dp, q) + product(p, dq)
    return q, dq


def swing(frames: np.ndarray, lean: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A smooth motion about all axes, away from gimbal lock; `lean` about X comes first."""

    def sine(size: float, speed: float, phase: float) -> tuple[Angle, Angle]:
        return (
            lambda t: size * np.sin(speed * t + phase),
            lambda t: size * speed * np.cos(speed * t + phase),
        )

    return turning(
        frames,
        (0, lambda t: np.full(t.size, lean), np.zeros_like),
        (0, *sine(0.7, 0.26, 0.3)),
        (1, *sine(0.5, 0.21, 1.1)),
        (2, *sine(0.6, 0.17, 2.0)),
    )


def with_rotation(q: np.ndarray, dq: np.ndarray, bones: int = 1) -> tuple[np.ndarray, np.ndarray]:
    motion, slopes = rest(bones, q.shape[1])
    motion[:, 3:7], slopes[:, 3:7] = q, dq
    return motion, slopes


def curves(rig: Any) -> dict[tuple[str, int], Any]:
    found = slots.find_curves(rig)
    return {} if found is None else {(curve.data_path, curve.array_index): curve for curve in found}


def numbers(curve: Any) -> np.ndarray:
    """Keys, handles and settings of a curve, one row a key."""
    points = curve.keyframe_points
    columns = []
    for name, width, kind in (
        ("co", 2, np.float32),
        ("handle_left", 2, np.float32),
        ("handle_right", 2, np.float32),
        ("interpolation", 1, np.int32),
        ("handle_left_type", 1, np.int32),
        ("handle_right_type", 1, np.int32),
        ("easing", 1, np.int32),
        ("type", 1, np.int32),
    ):
        block = np.zeros(len(points) * width, kind)
        points.foreach_get(name, block)
        columns.append(block.reshape(-1, width).astype(np.float64))
    return np.concatenate(columns, axis=1)


def contents(rig: Any) -> dict[tuple[str, int], bytes]:
    return {key: numbers(curve).tobytes() for key, curve in curves(rig).items()}


def hermite(frames: np.ndarray, values: np.ndarray, slopes: np.ndarray, at: np.ndarray) -> np.ndarray:
    k = np.clip(np.searchsorted(frames, at, side="right") - 1, 0, frames.size - 2)
    h = frames[k + 1] - frames[k]
    u = (at - frames[k]) / h
    return (
        values[k] * (1 + 2 * u) * (1 - u) ** 2
        + values[k + 1] * u * u * (3 - 2 * u)
        + h * (slopes[k] * u * (1 - u) ** 2 - slopes[k + 1] * u * u * (1 - u))
    )


def basis_quaternion(rig: Any, bone: str, frame: float) -> np.ndarray:
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(seen.pose.bones[bone].matrix_basis.to_quaternion())


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """Radians; exact for small angles too."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    b = b * np.sign(a @ b)
    return 4.0 * math.asin(min(1.0, float(np.linalg.norm(a - b)) / 2.0))


def state(rig: Any) -> dict[str, Any]:
    """What a call must leave as it was."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    return {
        "frame": (scene.frame_current, scene.frame_subframe, scene.frame_start, scene.frame_end),
        "objects": [(ob.name, ob.mode, ob.select_get(), ob.hide_get()) for ob in scene.objects],
        "active": layer.objects.active,
        "bones": [
            (b.name, b.rotation_mode, tuple(b.lock_location), b.matrix_basis.copy()) for b in rig.pose.bones
        ],
        "place": rig.matrix_basis.copy(),
        "actions": sorted((action.name, action.users, action.use_fake_user) for action in bpy.data.actions),
        "data": rig.animation_data is None,
        "plays": None if rig.animation_data is None else rig.animation_data.action,
    }


# ---- values ------------------------------------------------------------------------------------------------


def test_between_keys_every_channel_is_the_hermite_cubic_within_1e_6() -> None:
    rig = make_rig(("a", "b", "c"))
    frames = np.array([-3.0, -2.0, -0.75, 0.5, 4.0, 5.0, 11.25, 12.0])
    motion, slopes = random_motion(3, frames.size)
    write(rig, "Test", ["c", "a", "b"], motion, slopes, frames, [ALL] * 3)

    written = curves(rig)
    assert len(written) == 30
    at = np.linspace(-3.0, 12.0, 301)
    for row, bone in enumerate(("c", "a", "b")):
        for channel in range(10):
            path = "location" if channel < 3 else "rotation_quaternion" if channel < 7 else "scale"
            index = channel - (0 if channel < 3 else 3 if channel < 7 else 7)
            curve = written[f'pose.bones["{bone}"].{path}', index]
            got = np.array([curve.evaluate(t) for t in at])
            want = hermite(frames, motion[row, channel], slopes[row, channel], at)
            assert np.abs(got - want).max() < 1e-6


def test_a_hundred_thousand_frames_from_zero_the_slope_stays_exact() -> None:
    rig = make_rig(("a",))
    frames = 100_000.0 + np.arange(12)
    motion, slopes = rest(1, 12)
    motion[0, 0], slopes[0, 0] = 0.3 * np.sin(0.5 * frames), 0.15 * np.cos(0.5 * frames)
    write(rig, "Far", ["a"], motion, slopes, frames, [(True, False, False)])
    curve = curves(rig)['pose.bones["a"].location', 0]
    # A float32 frame number has steps of 1/128 here, so a handle stands up to 1/256 off its third. The curve
    # then errs by at most 2 * 4/9 of that times the greatest difference between the slopes of an interval,
    # 0.075 here.
    at = frames[0] + np.arange(0, 11 * 128) / 128.0
    got = np.array([curve.evaluate(t) for t in at])
    want = hermite(frames, motion[0, 0], slopes[0, 0], at)
    assert np.abs(got - want).max() < 8.0 / 9.0 / 256.0 * 0.075


def test_a_channel_that_never_changes_is_constant_to_the_bit_in_every_rotation_mode() -> None:
    rig = make_rig(MODES)
    for bone in rig.pose.bones:
        bone.rotation_mode = bone.name
    q = np.array((0.83, -0.31, 0.44, 0.17))
    motion, slopes = with_rotation(
        np.repeat((q / np.linalg.norm(q))[:, None], 49, axis=1), np.zeros((4, 49)), 8
    )
    motion[:, :3] = 1.0 / 3.0
    write(rig, "Still", MODES, motion, slopes, np.arange(49.0), [ALL] * 8)
    for curve in curves(rig).values():
        assert len({curve.evaluate(t) for t in np.linspace(-1.0, 50.0, 409)}) == 1


def test_one_frame_gives_one_key() -> None:
    rig = make_rig(("a",))
    motion, slopes = random_motion(1, 1)
    rig.pose.bones["a"].rotation_mode = "ZXY"
    write(rig, "Pose", ["a"], motion, slopes, [7.5], [ALL])
    for curve in curves(rig).values():
        assert [point.co[0] for point in curve.keyframe_points] == [7.5]
    assert angle_between(basis_quaternion(rig, "a", 7.0), motion[0, 3:7, 0]) < 1e-6


@pytest.mark.parametrize("setting", ["CONSTANT", "LINEAR", "BEZIER", "SINE"])
def test_preferences_for_new_keys_do_not_matter(setting: str) -> None:
    rig = make_rig()
    motion, slopes = random_motion(2, 9)
    write(rig, "Plain", ["a", "b"], motion, slopes, np.arange(9), [ALL] * 2)
    plain = contents(rig)
    edit = bpy.context.preferences.edit
    edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = setting, "VECTOR"
    write(rig, "Again", ["a", "b"], motion, slopes, np.arange(9), [ALL] * 2)
    assert contents(rig) == plain
    points = curves(rig)['pose.bones["a"].location', 0].keyframe_points
    assert {(p.interpolation, p.handle_left_type, p.handle_right_type) for p in points} == {
        ("BEZIER", "FREE", "FREE")
    }


# ---- rotation modes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_rotation_mode_shows_the_same_pose_at_keys_and_between(mode: str) -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = mode
    frames = np.arange(1.0, 26.0)
    motion, slopes = with_rotation(*swing(frames, LEAN[mode]))
    write(rig, "Swing", ["a"], motion, slopes, frames, [(False, True, False)])
    assert rig.pose.bones["a"].rotation_mode == mode
    path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        mode, "rotation_euler"
    )
    assert {key[0] for key in curves(rig)} == {f'pose.bones["a"].{path}'}

    # A cubic Hermite over an interval h errs by at most h^4 / 384 times the largest fourth derivative. Each
    # Euler angle's error turns the bone by as much, a quaternion's error by twice its length, an axis' error
    # by at most twice its length. The fourth derivatives are measured on the written curves' source, finely
    # sampled.
    fine = np.arange(1.0, 25.0, 1.0 / 32.0)
    bound = fourth_derivative_bound(mode, fine) / 384.0 + 2e-6
    assert bound < 3e-4  # 0.02 degrees: a bound that says something
    for at in np.arange(1.0, 25.01, 0.125):
        want = swing(np.array([at]), LEAN[mode])[0][:, 0]
        off = angle_between(basis_quaternion(rig, "a", at), want)
        assert off < (1e-6 if at == int(at) else bound)


def fourth_derivative_bound(mode: str, times: np.ndarray) -> float:
    """Upper bound of the turn that a unit of the Hermite error term makes, from fine samples."""
    q = swing(times, LEAN[mode])[0]
    if mode == "QUATERNION":
        rows, weight = q, 2.0
    elif mode == "AXIS_ANGLE":
        n = q[1:] / np.linalg.norm(q[1:], axis=0)
        rows = np.concatenate(((2 * np.arctan2(np.linalg.norm(q[1:], axis=0), q[0]))[None], n))
        weight = math.sqrt(2.0) * 2.0
    else:
        eulers: list[Any] = []
        for sample in q.T:
            turn: Any = Quaternion(sample)
            eulers.append(turn.to_euler(mode, *eulers[-1:]))
        rows, weight = np.array(eulers).T, math.sqrt(3.0)
    # Every eighth sample, a quarter frame apart: fine enough for the motion, coarse enough for float32 noise.
    step = 8
    coarse = rows[:, ::step]
    fourth = np.diff(coarse, 4, axis=1) / (step / 32.0) ** 4
    return float(weight * np.linalg.norm(fourth, axis=0).max())


@pytest.mark.parametrize("mode", MODES)
def test_slopes_at_keys_are_the_exact_derivatives(mode: str) -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = mode
    frames = np.arange(1.0, 13.0)
    q, dq = swing(frames, LEAN[mode])
    motion, slopes = with_rotation(1.7 * q, 1.7 * dq + 0.3 * q)  # neither length nor its change may matter
    write(rig, "Swing", ["a"], motion, slopes, frames, [(False, True, False)])
    table = {key[1]: numbers(curve) for key, curve in curves(rig).items()}

    step = 1e-3
    for k, frame in enumerate(frames):
        if mode == "QUATERNION":
            want = slopes[0, 3:7, k]
        else:
            # Fourth-order difference of the same quantity worked out in float64.
            around = swing(frame + step * np.array((-2, -1, 1, 2)), LEAN[mode])[0]
            sides = [own_numbers(mode, sample) for sample in around.T]
            want = (sides[0] - 8 * sides[1] + 8 * sides[2] - sides[3]) / (12 * step)
        for index, slope in enumerate(want):
            row = table[index][k]
            key, right = row[0:2], row[4:6]
            assert (right[1] - key[1]) / (right[0] - key[0]) == pytest.approx(slope, abs=2e-6)


def own_numbers(mode: str, q: np.ndarray) -> np.ndarray:
    """Channels of a rotation mode in float64, for rotations that are neither at rest nor near gimbal lock."""
    w, x, y, z = q
    if mode == "AXIS_ANGLE":
        size = math.sqrt(x * x + y * y + z * z)
        return np.array((2 * math.atan2(size, w), x / size, y / size, z / size))
    m = np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )
    i, j, k = ("XYZ".index(axis) for axis in mode)
    e = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    out = np.zeros(3)
    out[i] = math.atan2(e * m[k, j], m[k, k])
    out[j] = math.asin(-e * m[k, i])
    out[k] = math.atan2(e * m[j, i], m[i, i])
    return out


@pytest.mark.parametrize("mode", MODES)
def test_quaternion_signs_of_the_input_do_not_matter(mode: str) -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = mode
    frames = np.arange(1.0, 14.0)
    motion, slopes = with_rotation(*swing(frames, LEAN[mode]))
    write(rig, "Even", ["a"], motion, slopes, frames, [ALL])
    even = contents(rig)
    sign = np.where(np.arange(13) % 3 == 1, -1.0, 1.0)
    motion[:, 3:7] *= sign
    slopes[:, 3:7] *= sign
    write(rig, "Flipped", ["a"], motion, slopes, frames, [ALL])
    assert contents(rig) == even


@pytest.mark.parametrize("order", MODES[2:])
def test_two_whole_turns_stay_two_whole_turns_in_euler_angles(order: str) -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = order
    frames = np.arange(0.0, 25.0)
    last = "XYZ".index(order[2])
    speed = 4.0 * math.pi / 24.0
    q, dq = turning(frames, (last, lambda t: speed * t, lambda t: np.full(t.size, speed)))
    motion, slopes = with_rotation(q, dq)
    write(rig, "Spin", ["a"], motion, slopes, frames, [ALL])
    found = curves(rig)
    curve = found['pose.bones["a"].rotation_euler', last]
    for t in np.linspace(0.0, 24.0, 97):
        assert curve.evaluate(t) == pytest.approx(speed * t, abs=2e-6)
    for other in {0, 1, 2} - {last}:
        flat = found['pose.bones["a"].rotation_euler', other]
        assert max(abs(flat.evaluate(t)) for t in np.linspace(0.0, 24.0, 97)) < 1e-6


# How near to the lock the middle angle comes, in radians; 0 passes right through it on a key.
@pytest.mark.parametrize("miss", [0.0, 1e-7, 1e-4, 1e-2, 0.1])
@pytest.mark.parametrize("order", MODES[2:])
def test_gimbal_lock_is_passed_with_finite_curves_and_no_detour(order: str, miss: float) -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = order
    frames = np.arange(-6.0, 7.0)
    middle, last = ("XYZ".index(axis) for axis in order[1:])
    speed = 0.12

    def pose(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        def at_speed(t: np.ndarray) -> np.ndarray:
            return math.pi / 2 + speed * t

        def constant(size: float) -> Angle:
            return lambda t: np.full(t.size, size)

        # Carried sideways past the lock by a turn about the first axis that the middle angle cannot take up.
        return turning(
            times,
            (last, constant(miss), np.zeros_like),
            (middle, at_speed, constant(speed)),
            (last, lambda t: 0.03 * t, constant(0.03)),
        )

    motion, slopes = with_rotation(*pose(frames))
    write(rig, "Lock", ["a"], motion, slopes, frames, [(False, True, False)])

    for curve in curves(rig).values():
        table = numbers(curve)
        assert np.isfinite(table).all()
        # No detour: a key is at most half a turn from the last one. Slopes that are not held back are under a
        # radian a frame, so two of them carry the cubic at most 2 * 4 / 27 beyond the keys.
        assert np.abs(np.diff(table[:, 1])).max() < math.pi + 1e-3
        for k in range(12):
            low, high = sorted(table[k : k + 2, 1])
            inner = [curve.evaluate(t) for t in np.linspace(frames[k], frames[k + 1], 9)]
            assert min(inner) > low - 0.3
            assert max(inner) < high + 0.3
    for at in np.arange(-6.0, 6.01, 0.25):
        off = angle_between(basis_quaternion(rig, "a", at), pose(np.array([at]))[0][:, 0])
        # At keys exact but for angles that the lock hides, under 1e-5 rad. Between two keys Euler angles
        # cannot follow a path past the lock; they stay within the turn from one key to the next.
        assert off < (2e-5 if at == int(at) else math.hypot(speed, 0.03))


def test_resting_in_gimbal_lock_is_written_as_one_steady_pose() -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = "XYZ"
    q = np.repeat(np.array((math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))[:, None], 5, axis=1)
    motion, slopes = with_rotation(q, np.zeros_like(q))
    write(rig, "Locked", ["a"], motion, slopes, np.arange(5.0), [ALL])
    keys = [numbers(curve)[:, 1] for key, curve in sorted(curves(rig).items()) if key[0].endswith("euler")]
    assert np.allclose(keys, np.array((0.0, math.pi / 2, 0.0))[:, None], atol=1e-3)
    assert all(np.ptp(row) == 0.0 for row in keys)
    assert angle_between(basis_quaternion(rig, "a", 2.0), q[:, 0]) < 1e-6


def test_a_swing_through_rest_keeps_its_axis_in_axis_angle_mode() -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = "AXIS_ANGLE"
    frames = np.arange(0.0, 25.0)
    q, dq = turning(
        frames,
        (
            0,
            lambda t: 0.5 * np.cos(math.pi * t / 12),
            lambda t: -0.5 * math.pi / 12 * np.sin(math.pi * t / 12),
        ),
    )
    q[1:], dq[1:] = q[1] * np.array((0.6, 0.0, 0.8))[:, None], dq[1] * np.array((0.6, 0.0, 0.8))[:, None]
    motion, slopes = with_rotation(q, dq)
    write(rig, "Swing", ["a"], motion, slopes, frames, [ALL])
    rows = {key[1]: numbers(curve) for key, curve in curves(rig).items() if key[0].endswith("axis_angle")}
    sign = 1.0 if rows[1][0, 1] > 0 else -1.0
    assert np.allclose(sign * rows[0][:, 1], 0.5 * np.cos(math.pi * frames / 12), atol=1e-6)
    for index, want in ((1, 0.6), (2, 0.0), (3, 0.8)):
        assert np.allclose(sign * rows[index][:, 1], want, atol=1e-5)
    # It stands still on the axis, so its own turn is all there is between keys: pi/12 per frame, to the
    # fourth.
    bound = 0.5 * (math.pi / 12) ** 4 / 384 + 1e-5
    for at in np.arange(0.0, 24.0, 0.25):
        want = 0.5 * math.cos(math.pi * at / 12) / 2
        turn = np.array((math.cos(want), 0.6 * math.sin(want), 0.0, 0.8 * math.sin(want)))
        assert angle_between(basis_quaternion(rig, "a", at), turn) < bound


def test_a_bone_at_rest_has_angle_zero_about_y_in_axis_angle_mode() -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = "AXIS_ANGLE"
    write(rig, "Rest", ["a"], *rest(1, 4), np.arange(4), [(False, True, False)])
    found = {key[1]: numbers(curve)[:, 1].tolist() for key, curve in curves(rig).items()}
    assert found == {0: [0.0] * 4, 1: [0.0] * 4, 2: [1.0] * 4, 3: [0.0] * 4}


# ---- what is keyed -----------------------------------------------------------------------------------------


def test_only_bones_and_channels_of_the_mask_get_curves_grouped_by_bone() -> None:
    rig = make_rig(("a", "b", "c", "d"))
    rig.pose.bones["b"].rotation_mode = "YXZ"
    motion, slopes = random_motion(3, 4)
    mask = [(True, False, False), (False, True, False), (False, False, True)]
    result = write(rig, "Mask", ["a", "b", "c"], motion, slopes, np.arange(4), mask)
    found = curves(rig)
    assert set(found) == {
        (f'pose.bones["{bone}"].{path}', index)
        for bone, path in (("a", "location"), ("b", "rotation_euler"), ("c", "scale"))
        for index in range(3)
    }
    assert {key[0].split('"')[1]: curve.group.name for key, curve in found.items()} == {b: b for b in "abc"}
    assert result.curves == 9
    assert result.skipped == ()


def test_locked_channels_get_no_curve_and_are_told() -> None:
    rig = make_rig(("place", "euler", "four", "all", "size"))
    bones = rig.pose.bones
    bones["place"].lock_location = (False, True, False)
    bones["euler"].rotation_mode = "ZYX"
    bones["euler"].lock_rotation = (False, True, True)
    bones["four"].lock_rotations_4d = bones["four"].lock_rotation_w = True
    bones["all"].lock_rotation = (True, True, True)
    bones["size"].lock_scale = (True, True, True)
    motion, slopes = random_motion(5, 3)
    mask = [(True, False, False), (False, True, False), (False, True, False), (False, True, False), ALL]
    names = ["place", "euler", "four", "all", "size"]
    result = write(rig, "Locks", names, motion, slopes, np.arange(3), mask)
    by_bone: dict[str, set[tuple[str, int]]] = {}
    for path, index in curves(rig):
        by_bone.setdefault(path.split('"')[1], set()).add((path.rsplit(".", 1)[1], index))
    assert by_bone == {
        "place": {("location", 0), ("location", 2)},
        "euler": {("rotation_euler", 0)},
        "four": {("rotation_quaternion", 1), ("rotation_quaternion", 2), ("rotation_quaternion", 3)},
        "size": {("location", i) for i in range(3)} | {("rotation_quaternion", i) for i in range(4)},
    }
    assert result.skipped == (
        "place: location Y, which is locked",
        "euler: rotation Y, Z, which is locked",
        "four: rotation W, which is locked",
        "all: rotation, which is locked",
        "size: scale, which is locked",
    )


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
def test_a_hinge_in_a_mode_of_four_numbers_turns_about_its_free_axis_only(mode: str) -> None:
    rig = make_rig(("knee",))
    knee = rig.pose.bones["knee"]
    knee.rotation_mode = mode
    knee.lock_rotation = (False, True, True)
    knee.lock_rotations_4d = False
    frames = np.arange(1.0, 26.0)
    motion, slopes = with_rotation(*swing(frames))
    result = write(rig, "Hinge", ["knee"], motion, slopes, frames, [(False, True, False)])
    assert result.skipped == ("knee: rotation about Y, Z, which is locked",)
    for k in (0, 7, 24):
        got = basis_quaternion(rig, "knee", frames[k])
        # Turned about X first in the order XYZ: the angle about X of the whole rotation.
        free = Quaternion(motion[0, 3:7, k].tolist()).to_euler("XYZ").x
        assert angle_between(got, np.array((math.cos(free / 2), math.sin(free / 2), 0.0, 0.0))) < 1e-6
    for at in np.arange(1.0, 25.0, 0.25):
        assert np.abs(basis_quaternion(rig, "knee", at)[2:]).max() < 1e-6


def test_a_hinge_whose_quaternion_numbers_are_locked_keeps_the_twist_about_its_free_axis() -> None:
    rig = make_rig(("knee",))
    knee = rig.pose.bones["knee"]
    assert knee.lock_rotations_4d  # as Blender makes bones
    knee.lock_rotation = (False, True, True)
    frames = np.arange(1.0, 26.0)
    motion, slopes = with_rotation(*swing(frames))
    result = write(rig, "Hinge", ["knee"], motion, slopes, frames, [(False, True, False)])
    assert result.skipped == ("knee: rotation Y, Z, which is locked",)
    assert {key[1] for key in curves(rig)} == {0, 1}
    for k in (0, 7, 24):
        twist = np.array((motion[0, 3, k], motion[0, 4, k], 0.0, 0.0))
        assert angle_between(basis_quaternion(rig, "knee", frames[k]), twist) < 1e-6


def test_driven_channels_get_no_curve_and_are_told() -> None:
    rig = make_rig(('say "hi"\\', "b"))
    first = rig.pose.bones[0]
    first.driver_add("location", 1).driver.expression = "0.25"
    for axis in range(4):
        rig.pose.bones["b"].driver_add("rotation_quaternion", axis).driver.expression = "0.5"
    rig.driver_add("location", 2).driver.expression = "1.5"
    motion, slopes = random_motion(2, 3)
    place = np.ones((3, 3))
    result = write(
        rig,
        "Driven",
        [first.name, "b"],
        motion,
        slopes,
        np.arange(3),
        [(True, False, False), (False, True, False)],
        object_location=place,
        object_location_slopes=np.zeros((3, 3)),
    )
    escaped = bpy.utils.escape_identifier(first.name)
    assert set(curves(rig)) == {
        (f'pose.bones["{escaped}"].location', 0),
        (f'pose.bones["{escaped}"].location', 2),
        ("location", 0),
        ("location", 1),
    }
    assert result.skipped == (
        'say "hi"\\: location Y, which is driven',
        "b: rotation, which is driven",
        "object Rig: location Z, which is driven",
    )


def test_connected_bones_get_no_location() -> None:
    rig = make_rig(("a", "b"))
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["b"].parent = rig.data.edit_bones["a"]
    rig.data.edit_bones["b"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    result = write(rig, "Chain", ["a", "b"], *random_motion(2, 3), np.arange(3), [(True, False, False)] * 2)
    assert {key[0] for key in curves(rig)} == {'pose.bones["a"].location'}
    assert result.skipped == ("b: location, as the bone is connected to its parent",)


def test_object_location_follows_its_own_hermite_cubic() -> None:
    rig = make_rig(("a",))
    frames = np.array([0.0, 1.5, 4.0])
    draw = np.random.default_rng(4)
    place, rate = draw.uniform(-0.4, 0.4, (3, 3)), draw.uniform(-0.4, 0.4, (3, 3))
    write(rig, "Walk", ["a"], *rest(1, 3), frames, [ALL], object_location=place, object_location_slopes=rate)
    found = curves(rig)
    for axis in range(3):
        curve = found["location", axis]
        assert curve.group.name == "Object Transforms"
        for t in np.linspace(0.0, 4.0, 33):
            want = hermite(frames, place[axis], rate[axis], np.array([t]))[0]
            assert curve.evaluate(t) == pytest.approx(want, abs=1e-6)


def test_cyclic_marks_the_action_as_a_loop_over_its_frames() -> None:
    rig = make_rig()
    frames = np.linspace(1.5, 25.476, 24)
    once = write(rig, "Once", ["a", "b"], *rest(2, 24), frames, [ALL] * 2).action
    loop = write(rig, "Loop", ["a", "b"], *rest(2, 24), frames, [ALL] * 2, cyclic=True).action
    assert (once.use_frame_range, once.use_cyclic) == (False, False)
    assert (loop.use_frame_range, loop.use_cyclic) == (True, True)
    assert once.frame_range[0:2] == pytest.approx((1.5, 25.476), abs=1e-5)
    assert (loop.frame_start, loop.frame_end) == pytest.approx((1.5, 25.476), abs=1e-5)


def test_markers_sit_on_the_nearest_frame_once() -> None:
    action = bpy.data.actions.new("Marks")
    assert add_markers(action, [("heel L", 1.2), ("toe L", 14.5), ("heel R", -0.5), ("heel L", 1.4)]) == 3
    assert add_markers(action, [("heel L", 1), ("heel L", 25.0)]) == 1
    assert [(marker.name, marker.frame) for marker in action.pose_markers] == [
        ("heel L", 1),
        ("toe L", 15),
        ("heel R", 0),
        ("heel L", 25),
    ]


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


def test_world_poses_of_mixed_modes_equal_those_of_quaternions_down_a_chain() -> None:
    names = tuple("abcdefgh")
    worlds = []
    for mixed in (False, True):
        rig = make_rig(names, name=f"Rig {mixed}")
        bpy.ops.object.mode_set(mode="EDIT")
        for parent, child in itertools.pairwise(names):
            rig.data.edit_bones[child].parent = rig.data.edit_bones[parent]
        bpy.ops.object.mode_set(mode="OBJECT")
        for bone, mode in zip(rig.pose.bones, MODES, strict=True):
            bone.rotation_mode = mode if mixed else "QUATERNION"
        frames = np.arange(1.0, 25.0)
        motion, slopes = with_rotation(*swing(frames, 0.4), bones=8)
        write(rig, f"Chain {mixed}", names, motion, slopes, frames, [(False, True, False)] * 8)
        seen: list[Matrix] = []
        for frame in range(1, 25):
            bpy.context.scene.frame_set(frame)
            rig_now = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            seen += [bone.matrix.copy() for bone in rig_now.pose.bones]
        worlds.append(np.array(seen))
    # A chain of 8 bones within 10 m: 0.1 mm as asked, and the float32 of poses allows a tenth of that.
    assert np.abs(worlds[0] - worlds[1]).max() < 2e-5
