"""Rotations written in each bone's own mode: the same pose, exact slopes, gimbal lock, locked axes."""

import itertools
import math
from typing import Any

import bpy
import numpy as np
import pytest
from amble.action import write
from mathutils import Matrix, Quaternion
from tests.blender.action_tools import (
    ALL,
    LEAN,
    MODES,
    Angle,
    angle_between,
    basis_quaternion,
    contents,
    curves,
    make_rig,
    numbers,
    rest,
    swing,
    turning,
    with_rotation,
)


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


@pytest.mark.parametrize(("mode", "axis", "start"), [("AXIS_ANGLE", 2, 0.0), ("XYZ", 1, math.pi / 2)])
def test_a_loop_that_closes_beside_a_singular_place_leaves_it_as_fast_as_it_came(
    mode: str, axis: int, start: float
) -> None:
    """A swing that passes rest (with three angles: gimbal lock) by 0.03 radians where the loop closes."""
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = mode
    frames = np.arange(0.0, 25.0)
    speed = math.pi / 12
    q, dq = turning(
        frames,
        (
            axis,
            lambda t: start + 0.6 * np.sin(speed * t - 0.03),
            lambda t: 0.6 * speed * np.cos(speed * t - 0.03),
        ),
        (0, lambda t: np.full(t.size, 0.03), np.zeros_like),
    )
    q[:, -1], dq[:, -1] = q[:, 0], dq[:, 0]
    write(rig, "Loop", ["a"], *with_rotation(q, dq), frames, [ALL], cyclic=True)
    for rows in (numbers(curve) for key, curve in curves(rig).items() if "rotation" in key[0]):
        first = (rows[0, 5] - rows[0, 1]) / (rows[0, 4] - rows[0, 0])
        last = (rows[-1, 1] - rows[-1, 3]) / (rows[-1, 0] - rows[-1, 2])
        assert first == pytest.approx(last, abs=1e-4)


def test_a_bone_at_rest_has_angle_zero_about_y_in_axis_angle_mode() -> None:
    rig = make_rig(("a",))
    rig.pose.bones["a"].rotation_mode = "AXIS_ANGLE"
    write(rig, "Rest", ["a"], *rest(1, 4), np.arange(4), [(False, True, False)])
    found = {key[1]: numbers(curve)[:, 1].tolist() for key, curve in curves(rig).items()}
    assert found == {0: [0.0] * 4, 1: [0.0] * 4, 2: [1.0] * 4, 3: [0.0] * 4}


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
