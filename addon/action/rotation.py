"""Quaternion motion into the angles a bone is really keyed in, with the exact slope of every angle.

Whole motions at a time, frames on the last axis, float64 inside. No Blender in here. The relations are
derived where they are used; the angle conventions are Blender's: an Euler order "XYZ" turns about X first,
and the three angles are stored by axis, whatever the order.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Given = NDArray[np.floating[Any]]  # of any precision; what is computed from it is float64
Same = TypeVar("Same", NDArray[np.float32], NDArray[np.float64])

# Sine of the angle between an Euler rotation and gimbal lock (or half-angle of an axis-angle rotation) under
# which the outer angles (or the axis) drown in the rounding of float32 input and are taken from the
# neighbouring frames.
_LOST = 1e-5
# Outer angles that turn by more than this between two keys, faster than four times the rotation itself, are
# too close to the singular place for a cubic to follow: see _held_back.
_FAST = 1.0
_NEAR = 0.25


def continuous(quaternion: Same, rate: Same) -> tuple[Same, Same]:
    """Both arrays (n, 4, f), signs changed so that each quaternion lies on the side of the one before it.

    q and -q are one rotation, but a curve drawn from one to the other passes through nonsense.
    """
    towards = np.einsum("ncf,ncf->nf", quaternion[..., 1:], quaternion[..., :-1])
    if (towards >= 0.0).all():
        return quaternion, rate
    sign = np.ones((quaternion.shape[0], 1, quaternion.shape[2]), quaternion.dtype)
    sign[:, 0, 1:] = np.cumprod(np.where(towards < 0.0, -1.0, 1.0), axis=-1)
    return quaternion * sign, rate * sign


def euler(
    quaternion: Given, rate: Given, frames: Array, order: str, *, cyclic: bool = False
) -> tuple[Array, Array]:
    """Continuous Euler angles and their slopes.

    quaternion, rate: (n, 4, f), w x y z and its change per frame; any length but zero, which does not matter.
    frames: (f,) rising. order: "XYZ", "XZY", "YXZ", "YZX", "ZXY" or "ZYX". cyclic: whether the first frame
    follows the last one, which is equal to it.

    Returns angles and rates (n, 3, f), radians and radians per frame, stored x y z. The first frame's middle
    angle lies within a quarter turn, its other two within a half turn; from there on every frame takes the
    values nearest to the frame before. In gimbal lock the first angle comes from the neighbouring frames.
    """
    turn, spin = _matrix(quaternion), _spin(quaternion, rate)
    i, j, k = ("XYZ".index(axis) for axis in order)
    # +1 where i, j, k is right-handed: then axis i x axis j = e axis k.
    e = 1.0 if (j - i) % 3 == 1 else -1.0

    # R = Rk(c) Rj(b) Ri(a). Its column i is (cos b cos c, e cos b sin c, -e sin b) on axes i, j, k, its row k
    # is (-e sin b, e cos b sin a, cos b cos a): every angle is one arc tangent.
    cosine = np.hypot(turn[:, i, i], turn[:, j, i])
    a = np.arctan2(e * turn[:, k, j], turn[:, k, k])
    b = np.arctan2(-e * turn[:, k, i], cosine)
    c = np.arctan2(e * turn[:, j, i], turn[:, i, i])
    angles = np.stack((a, b, c), axis=1)
    lost = cosine < _LOST
    angles = _unwind(_carry(angles, lost))

    if lost.any():
        # With a taken from the neighbours, R Ri(-a) = Rk(c) Rj(b) still gives the other two exactly.
        near_a, near_b, near_c = _bridge(angles, lost, frames).swapaxes(0, 1)
        sine, cosine_a = np.sin(near_a), np.cos(near_a)
        b = np.arctan2(-e * turn[:, k, i], turn[:, k, k] * cosine_a + e * turn[:, k, j] * sine)
        column_i = turn[:, i, j] * cosine_a - e * turn[:, i, k] * sine
        column_j = turn[:, j, j] * cosine_a - e * turn[:, j, k] * sine
        c = np.arctan2(-e * column_i, column_j)
        found = np.stack((near_a, near_b + _wrap(b - near_b), near_c + _wrap(c - near_c)), axis=1)
        angles = np.where(lost[:, None], found, angles)

    # The angular velocity is c' k + Rk(c) (b' j + Rj(b) a' i) with Rj(b) i = cos b i - e sin b k. Turned back
    # by c: a' cos b along i, b' along j, c' - e a' sin b along k.
    a, b, c = angles.swapaxes(0, 1)
    cosine_c, sine_c = np.cos(c), np.sin(c) * e
    along_i = spin[:, i] * cosine_c + spin[:, j] * sine_c
    along_j = spin[:, j] * cosine_c - spin[:, i] * sine_c
    cosine = np.cos(b)
    rate_a = along_i / np.where(np.abs(cosine) < _LOST, _LOST, cosine)
    rate_a = _held_back(rate_a[:, None], a[:, None], np.abs(cosine), lost, frames, cyclic)[:, 0]
    rate_c = spin[:, k] + e * rate_a * np.sin(b)

    out, out_rate = np.empty_like(angles), np.empty_like(angles)
    for axis, angle, slope in ((i, a, rate_a), (j, b, along_j), (k, c, rate_c)):
        out[:, axis], out_rate[:, axis] = angle, slope
    return _steady(quaternion, rate, out, out_rate)


def axis_angle(quaternion: Given, rate: Given, frames: Array, *, cyclic: bool = False) -> tuple[Array, Array]:
    """Continuous angle and axis and their slopes.

    quaternion, rate: (n, 4, f) as in `euler`. frames: (f,). cyclic: as in `euler`.

    Returns (n, 4, f) twice: angle in radians, axis x y z. A swing through rest keeps its axis and changes the
    angle's sign. At rest the axis comes from the neighbouring frames; a bone that never leaves rest has Y.
    """
    unit, unit_rate = _unit(quaternion, rate)
    w, v = unit[:, 0], unit[:, 1:]
    w_rate, v_rate = unit_rate[:, 0], unit_rate[:, 1:]
    length = np.sqrt(np.einsum("ncf,ncf->nf", v, v))
    lost = length < _LOST
    axis = _carry(v / np.maximum(length, _LOST)[:, None], lost)
    axis[lost.all(axis=1)] = np.array((0.0, 1.0, 0.0))[:, None]
    axis, _ = continuous(axis, axis)
    if lost.any():
        axis = np.where(lost[:, None], _bridge(axis, lost, frames), axis)
        axis = axis / np.sqrt(np.einsum("ncf,ncf->nf", axis, axis))[:, None]

    # q = (cos t/2, sin t/2 n). With r = v . n = sin t/2, signed:
    # t' = 2 (r' w - r w') and n' = (v' - n r') / r.
    r = np.einsum("ncf,ncf->nf", v, axis)
    r_rate = np.einsum("ncf,ncf->nf", v_rate, axis)
    angle = np.unwrap(2.0 * np.arctan2(r, w), axis=-1)
    angle_rate = 2.0 * (r_rate * w - r * w_rate)
    axis_rate = (v_rate - axis * r_rate[:, None]) / np.where(np.abs(r) < _LOST, _LOST, r)[:, None]
    axis_rate = _held_back(axis_rate, axis, np.abs(r), lost, frames, cyclic)
    out = np.concatenate((angle[:, None], axis), axis=1)
    out_rate = np.concatenate((angle_rate[:, None], axis_rate), axis=1)
    return _steady(quaternion, rate, out, out_rate)


def without_axes(
    quaternion: Given, rate: Given, frames: Array, locked: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """The motion (n, 4, f) with its XYZ Euler angles about the locked axes (n, 3) held at zero.

    What Blender does itself when a bone in quaternion mode that has single axes locked is turned by hand.
    """
    angles, rates = euler(quaternion, rate, frames, "XYZ")
    free = ~locked[:, :, None]
    angles, rates = angles * free, rates * free
    half = angles / 2.0
    (cx, cy, cz), (sx, sy, sz) = np.cos(half).swapaxes(0, 1), np.sin(half).swapaxes(0, 1)
    out: Array = np.stack(
        (
            cx * cy * cz + sx * sy * sz,
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
        ),
        axis=1,
    )
    # Angular velocity as in `euler`, then q' = (0, velocity) q / 2.
    b, c = angles[:, 1], angles[:, 2]
    x_rate, y_rate, z_rate = rates.swapaxes(0, 1)
    x = x_rate * np.cos(b) * np.cos(c) - y_rate * np.sin(c)
    y = x_rate * np.cos(b) * np.sin(c) + y_rate * np.cos(c)
    z = z_rate - x_rate * np.sin(b)
    qw, qx, qy, qz = out.swapaxes(0, 1)
    out_rate = 0.5 * np.stack(
        (
            -x * qx - y * qy - z * qz,
            x * qw + y * qz - z * qy,
            y * qw + z * qx - x * qz,
            z * qw + x * qy - y * qx,
        ),
        axis=1,
    )
    out, out_rate = continuous(out, out_rate)
    return _steady(quaternion, rate, out, out_rate)


def _steady(quaternion: Given, rate: Given, out: Array, out_rate: Array) -> tuple[Array, Array]:
    """The result, with bones that do not turn constant to the bit.

    NumPy's vectorised loops may round the last frames of a row otherwise than the first ones.
    """
    still = (quaternion == quaternion[..., :1]).all(axis=(1, 2)) & ~rate.any(axis=(1, 2))
    out[still] = out[still][..., :1]
    out_rate[still] = 0.0
    return out, out_rate


def _unit(quaternion: Given, rate: Given) -> tuple[Array, Array]:
    """Unit quaternions, and the rates of those: the part along the quaternion only changes its length."""
    q, dq = quaternion.astype(np.float64), rate.astype(np.float64)
    size = np.sqrt(np.einsum("ncf,ncf->nf", q, q))[:, None]
    q = q / size
    return q, (dq - q * np.einsum("ncf,ncf->nf", q, dq)[:, None]) / size


def _matrix(quaternion: Given) -> Array:
    """Rotation matrices (n, 3, 3, f) of quaternions (n, 4, f) of any length but zero."""
    q = quaternion.astype(np.float64)
    w, x, y, z = (q / np.sqrt(np.einsum("ncf,ncf->nf", q, q))[:, None]).swapaxes(0, 1)
    out = np.empty((q.shape[0], 3, 3, q.shape[2]))
    out[:, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[:, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[:, 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    out[:, 0, 1], out[:, 1, 0] = 2.0 * (x * y - w * z), 2.0 * (x * y + w * z)
    out[:, 0, 2], out[:, 2, 0] = 2.0 * (x * z + w * y), 2.0 * (x * z - w * y)
    out[:, 1, 2], out[:, 2, 1] = 2.0 * (y * z - w * x), 2.0 * (y * z + w * x)
    return out


def _spin(quaternion: Given, rate: Given) -> Array:
    """Angular velocity (n, 3, f) in the parent's axes, radians per frame: vector part of 2 q' q* / |q|^2."""
    q, dq = quaternion.astype(np.float64), rate.astype(np.float64)
    w, v = q[:, :1], q[:, 1:]
    dw, dv = dq[:, :1], dq[:, 1:]
    cross = np.stack([v[:, a] * dv[:, b] - v[:, b] * dv[:, a] for a, b in ((1, 2), (2, 0), (0, 1))], axis=1)
    return 2.0 * (dv * w - v * dw + cross) / np.einsum("ncf,ncf->nf", q, q)[:, None]


def _wrap(angle: Array) -> Array:
    """The same angle within half a turn of zero."""
    return angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))


def _carry(rows: Array, lost: NDArray[np.bool_]) -> Array:
    """Rows (n, c, f) with the lost frames (n, f) filled from the last good one, or the first that follows.

    A row that has no good frame becomes zero in its first channel; the others keep what they are at the first
    frame.
    """
    if not lost.any():
        return rows
    count = rows.shape[-1]
    index = np.where(lost, -1, np.arange(count))
    index = np.maximum.accumulate(index, axis=-1)
    first = np.argmin(lost, axis=-1)[:, None]
    filled = np.take_along_axis(rows, np.where(index < 0, first, index)[:, None], axis=-1)
    filled[lost.all(axis=-1), 0] = 0.0
    return filled


def _bridge(rows: Array, lost: NDArray[np.bool_], frames: Array) -> Array:
    """Rows (n, c, f) with the lost frames on a straight line between their good neighbours."""
    count = rows.shape[-1]
    order = np.arange(count)
    before = np.maximum.accumulate(np.where(lost, -1, order), axis=-1)
    after = np.flip(np.minimum.accumulate(np.flip(np.where(lost, count, order), axis=-1), axis=-1), axis=-1)
    # Beyond the outermost good frame both ends are that frame; in a row without one, the frame itself.
    low = np.where(before >= 0, before, np.where(after < count, after, order))
    high = np.where(after < count, after, low)
    span = frames[high] - frames[low]
    share = np.where(span > 0.0, (frames - frames[low]) / np.where(span > 0.0, span, 1.0), 0.0)
    start, end = (np.take_along_axis(rows, at[:, None], axis=-1) for at in (low, high))
    return start + (end - start) * share[:, None]


def _unwind(angles: Array) -> Array:
    """Euler angles (n, 3, f) in the order of turning, each frame in the nearest of its equal forms.

    Beside whole turns of any angle, (a, b, c) and (a + pi, pi - b, c + pi) are one rotation. Which form a
    frame needs depends on the frame before only by "the same" or "the other", so a running sum of changes
    settles all of them.
    """
    step = angles[..., 1:] - angles[..., :-1]
    same = np.abs(_wrap(step)).sum(axis=1)
    step[:, ::2] += np.pi
    step[:, 1] = np.pi - angles[:, 1, 1:] - angles[:, 1, :-1]
    other = np.abs(_wrap(step)).sum(axis=1)
    swap = np.zeros((angles.shape[0], angles.shape[2]), dtype=bool)
    swap[:, 1:] = np.cumsum(other < same, axis=-1) % 2 == 1
    out = angles.copy()
    out[:, ::2] += np.pi * swap[:, None]
    out[:, 1] = np.where(swap, np.pi - out[:, 1], out[:, 1])
    return np.unwrap(out, axis=-1)


def _held_back(
    rate: Array, value: Array, distance: Array, lost: NDArray[np.bool_], frames: Array, cyclic: bool
) -> Array:
    """Slopes (n, c, f) of `value`, made finite and fit for keys beside a singular place.

    Passing gimbal lock at a small distance, the outer angles make half a turn within a moment; their true
    slope there would fling a cubic far beyond the values at both keys. Where that is so (`distance` (n, f),
    the sine of the angle to the singular place, is small and the slope is over a radian per key), the slope
    is limited to three times the smaller of the two adjoining secants, within which a cubic stays between its
    keys; lost frames get the secants' harmonic mean. Everywhere else the exact slope is returned untouched.
    In a loop the first and the last secant adjoin, so that both ends are held back alike.
    """
    if frames.size < 2:
        return np.where(lost[:, None], 0.0, rate)
    step = np.diff(frames)
    ends = (step[-1:], step[:1]) if cyclic else (step[:1], step[-1:])
    gap = np.minimum(np.concatenate((ends[0], step)), np.concatenate((step, ends[1])))
    steep = (distance < _NEAR)[:, None] & (np.abs(rate) * gap > _FAST)
    if not (steep.any() or lost.any()):
        return rate
    secant = np.diff(value, axis=-1) / step
    ends = (secant[..., :1], secant[..., -1:])
    if cyclic:
        # An axis may come back turned round.
        turned = np.where((value[..., :1] * value[..., -1:]).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        ends = (ends[1], ends[0]) if value.shape[1] == 1 else (turned * ends[1], turned * ends[0])
    before = np.concatenate((ends[0], secant), axis=-1)
    after = np.concatenate((secant, ends[1]), axis=-1)
    along = before * after > 0.0
    bound = np.where(along, 3.0 * np.minimum(np.abs(before), np.abs(after)), 0.0)
    held = np.where(np.sign(rate) == np.sign(before), np.sign(rate) * np.minimum(np.abs(rate), bound), 0.0)
    mean = np.where(along, 2.0 * before * after / np.where(along, before + after, 1.0), 0.0)
    return np.where(lost[:, None], mean, np.where(steep, held, rate))
