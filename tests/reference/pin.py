"""Twin of csrc/pin.c: a limb brought to a place with 4 by 4 matrices and bisection, one frame at a time."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tests.reference import quat
from tests.reference.pose import forward_kinematics

Array = NDArray[np.float64]


def about(axis: Array, angle: float) -> Array:
    """Rotation matrix by Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)


def bent(segments: list[Array], axes: list[Array], angles: list[float]) -> Array:
    """The end seen from the root, each joint turned and all after it along."""
    end = segments[-1]
    for segment, axis, angle in zip(segments[-2::-1], axes[::-1], angles[::-1], strict=True):
        end = segment + about(axis, angle) @ end
    return end


def angles_for(segments: list[Array], axes: list[Array], length: float) -> list[float]:
    """Turns of the inner joints, tan of every half bend times one factor, that give a length.

    For joints whose bends are no less than a few degrees; length within reach.
    """
    bends = [
        np.sqrt(np.tan(0.5 * np.arccos(np.clip(unit(a) @ unit(b), -1, 1))) ** 2 + 1e-4)
        for a, b in pairwise(segments)
    ]

    def at(log: float) -> list[float]:
        return [2 * (np.arctan(bend * np.exp(log)) - np.arctan(bend)) for bend in bends]

    low, high = -20.0, 3.0  # open, folded
    for _ in range(200):
        middle = 0.5 * (low + high)
        if np.linalg.norm(bent(segments, axes, at(middle))) > length:
            low = middle
        else:
            high = middle
    return at(low)


def facing(direction: Array, hinge: Array) -> Array:
    across = unit(np.cross(hinge, direction))
    return np.stack([direction, across, np.cross(direction, across)], axis=1)


def hold(
    parents: NDArray[np.int32],
    rest: Array,
    channels: NDArray[np.float32],
    chain: list[int],
    end: int,
    place: Array,
) -> Array:
    """Channels (bones, 10) after the end's head and orientation are put at `place` (7,)."""
    flags = np.zeros(len(parents), dtype=np.uint32)
    pose = forward_kinematics(parents, rest, flags, channels[..., None])[..., 0].reshape(-1, 3, 4)
    joints = [pose[bone, :, 3] for bone in chain] + [pose[end, :, 3]]
    segments = [b - a for a, b in pairwise(joints)]
    axes = [unit(np.cross(a, b)) for a, b in pairwise(segments)]
    way = place[:3] - joints[0]
    turns = [
        about(a, t) for a, t in zip(axes, angles_for(segments, axes, float(np.linalg.norm(way))), strict=True)
    ]
    whole = segments[-1]
    for segment, turn in zip(segments[-2::-1], turns[::-1], strict=True):
        whole = segment + turn @ whole
    hinge = unit(np.sum([a if a @ axes[0] >= 0 else -a for a in axes], axis=0))
    swing = facing(unit(way), hinge) @ facing(unit(whole), hinge).T
    result = channels.astype(np.float64)
    for bone, turn in zip(chain, [swing, *turns], strict=True):
        own = quat.to_matrix(quat.normalise(channels[bone, 3:7].astype(np.float64)[:, None])).reshape(3, 3)
        result[bone, 3:7] = quaternion(own @ pose[bone, :, :3].T @ turn @ pose[bone, :, :3])
    carried = forward_kinematics(parents, rest, flags, result.astype(np.float32)[..., None])[..., 0]
    above = carried[parents[end]].reshape(3, 4)[:, :3] @ rest[parents[end], :3, :3].T @ rest[end, :3, :3]
    wanted = quat.to_matrix(place[3:, None]).reshape(3, 3)
    result[end, 3:7] = quaternion(above.T @ wanted)
    return result


def quaternion(matrix: Array) -> Array:
    """Of a rotation matrix: the eigenvector of its largest eigenvalue (Bar-Itzhack)."""
    m = matrix
    k = np.array(
        [
            [np.trace(m), m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [0, m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [0, 0, m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1]],
            [0, 0, 0, m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    _, vectors = np.linalg.eigh(k.T)
    return np.asarray(vectors[:, -1])
