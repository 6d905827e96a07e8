"""Twin of csrc/mirror.c: poses of the mirrored body from their definition, 4 by 4 matrices in float64."""

import numpy as np
from numpy.typing import NDArray
from tests.reference import pose

Array = NDArray[np.float64]


def reflection(normal: Array, offset: float) -> Array:
    """S, (4, 4): about the plane normal . x = offset."""
    unit = normal / np.linalg.norm(normal)
    matrix = np.eye(4)
    matrix[:3, :3] -= 2.0 * np.outer(unit, unit)
    matrix[:3, 3] = 2.0 * offset / np.linalg.norm(normal) * unit
    return matrix


def mirrored_poses(
    parents: NDArray[np.int32],
    rest: Array,
    flags: NDArray[np.uint32],
    partner: NDArray[np.int32],
    plane: Array,
    turn: Array,
    channels: NDArray[np.float32],
) -> Array:
    """P' = T S D S R, D the partner's pose times its inverse rest: (bones, frames, 4, 4)."""
    s = reflection(plane[:3], float(plane[3]))
    t = np.eye(4)
    t[:3] = turn
    poses = as_matrices(pose.forward_kinematics(parents, rest, flags, channels))
    deformed = poses @ np.linalg.inv(rest)[:, None]
    return np.asarray(t @ s @ deformed[partner] @ s @ rest[:, None])


def as_matrices(poses: NDArray[np.floating]) -> Array:
    """(bones, 12, frames) as (bones, frames, 4, 4)."""
    bones, _, frames = poses.shape
    found = np.tile(np.eye(4), (bones, frames, 1, 1))
    found[:, :, :3] = poses.transpose(0, 2, 1).reshape(bones, frames, 3, 4)
    return found
