"""Twins of csrc/quat.h: quaternions (w, x, y, z) on the first axis, elements on the last, all in float64."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def multiply(a: Array, b: Array) -> Array:
    """Product a b of (4, n) quaternions: the scalar and vector form of the definition."""
    scalar = a[0] * b[0] - np.sum(a[1:] * b[1:], axis=0)
    vector = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:], axis=0)
    return np.concatenate([scalar[None], vector])


def conjugate(q: Array) -> Array:
    """The inverse of a unit quaternion."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])[:, None]


def normalise(q: Array) -> Array:
    """Unit length; 0 becomes the identity."""
    length = np.linalg.norm(q, axis=0)
    safe = np.where(length > 0, length, 1.0)
    return np.where(length > 0, q / safe, np.array([1.0, 0.0, 0.0, 0.0])[:, None])


def rotate(q: Array, vector: Array) -> Array:
    """Vectors (3, n) turned by unit quaternions: q v q*."""
    pure = np.concatenate([np.zeros((1, vector.shape[1])), vector])
    return multiply(multiply(q, pure), conjugate(q))[1:]


def nlerp(a: Array, b: Array, t: Array) -> Array:
    """Along the straight line, the short way, normalised."""
    near = np.where(np.sum(a * b, axis=0) < 0, -b, b)
    return normalise(a + (near - a) * t)


def slerp(a: Array, b: Array, t: Array) -> Array:
    """Constant angular speed, the short way: a times the t-th power of a* b."""
    near = np.where(np.sum(a * b, axis=0) < 0, -b, b)
    step = multiply(conjugate(a), near)
    sine = np.linalg.norm(step[1:], axis=0)
    half = np.arctan2(sine, step[0]) * t
    axis = step[1:] / np.where(sine > 0, sine, 1.0)
    return multiply(a, np.concatenate([np.cos(half)[None], axis * np.sin(half)]))


def to_matrix(q: Array) -> Array:
    """Rotation matrices (9, n), row by row: where the axes are turned to."""
    count = q.shape[1]
    columns = [rotate(q, np.repeat(np.eye(3)[:, axis : axis + 1], count, axis=1)) for axis in range(3)]
    return np.stack([columns[c][r] for r in range(3) for c in range(3)])


def angle_between(a: Array, b: Array) -> Array:
    """Angle of the turn from unit quaternion a to b, radians, (n,)."""
    step = multiply(conjugate(a), b)
    return 2.0 * np.arctan2(np.linalg.norm(step[1:], axis=0), np.abs(step[0]))
