"""Twin of csrc/pose.c: forward kinematics with 4 by 4 matrices, a bone and a frame at a time, in float64."""

import numpy as np
from numpy.typing import NDArray
from tests.reference import quat

Array = NDArray[np.float64]

CONNECTED, NO_ROTATION, NO_LOCAL_LOCATION = 1, 2, 4
FULL, FIX_SHEAR, ALIGNED, AVERAGE, NONE, NONE_LEGACY = range(6)


def basis(channels: Array, connected: bool) -> Array:
    """Matrix (4, 4) of one bone's channels (10,) at one frame."""
    matrix = np.eye(4)
    quaternion = channels[3:7] if channels[3:7].any() else np.array([0.0, 1.0, 0.0, 0.0])  # Blender's rule
    rotation = quat.to_matrix(quat.normalise(quaternion[:, None])).reshape(3, 3)
    matrix[:3, :3] = rotation * channels[7:10]
    if not connected:
        matrix[:3, 3] = channels[:3]
    return matrix


def lengths(matrix: Array) -> Array:
    """Lengths of the three axes (columns)."""
    return np.linalg.norm(matrix, axis=0)


def unit_axes(matrix: Array) -> Array:
    """The matrix with its columns at length 1."""
    size = lengths(matrix)
    return matrix / np.where(size > 0, size, 1.0)


def square_axes(matrix: Array, unit: bool) -> Array:
    """Shear taken out: y kept, x and z made square to it, then turned apart by equal angles."""
    x, y, z = (matrix[:, i].copy() for i in range(3))
    if y @ y > 0:
        x -= y * (x @ y) / (y @ y)
        z -= y * (z @ y) / (y @ y)
    size_x, size_z = np.linalg.norm(x), np.linalg.norm(z)
    cosine = float((x @ z) / (size_x * size_z)) if size_x > 0 and size_z > 0 else 0.0
    if 1e-4 < abs(cosine) < 1 - 1.2e-7:
        angle = np.arccos(cosine)
        apart = (np.pi / 2 - angle) / 2
        normal = np.cross(z, x) / np.linalg.norm(np.cross(z, x))
        shrink = np.sqrt(np.sin(angle))
        x = shrink * (x * np.cos(apart) + np.cross(normal, x) * np.sin(apart))
        z = shrink * (z * np.cos(apart) - np.cross(normal, z) * np.sin(apart))
    squared = np.stack([x, y, z], axis=1)
    return unit_axes(squared) if unit else squared


def lengths_keeping_volume(matrix: Array) -> Array:
    """Lengths of the axes, scaled together until their product is the matrix's volume."""
    size = lengths(matrix)
    product = np.prod(size)
    return size * np.cbrt(abs(np.linalg.det(matrix)) / product) if product != 0 else size


def inherited(parent: Array, parent_rest: Array, mode: int, no_rotation: bool) -> tuple[Array, Array]:
    """What a bone takes over of its parent's 3 by 3 matrix, and the scale put on its own axes afterwards."""
    own = np.ones(3)
    if no_rotation:
        matrix = parent_rest.copy()
        if mode == FULL:
            matrix = matrix * lengths(parent)
        elif mode == FIX_SHEAR:
            matrix = matrix * lengths_keeping_volume(parent)
        elif mode == ALIGNED:
            own = lengths_keeping_volume(parent)
    elif mode in (NONE, AVERAGE):
        matrix = square_axes(parent, unit=True)
    elif mode == ALIGNED:
        squared = square_axes(parent, unit=False)
        own, matrix = lengths(squared), unit_axes(squared)
    elif mode == NONE_LEGACY:
        matrix = unit_axes(parent)
    else:
        matrix = parent.copy()
    if mode == AVERAGE:
        matrix = matrix * np.cbrt(abs(np.linalg.det(parent)))
    return matrix, own


def child_pose(parent: Array, parent_rest: Array, rest: Array, local: Array, flags: int) -> Array:
    """Pose matrix of a bone with a parent; all are (4, 4)."""
    offset = np.linalg.inv(parent_rest) @ rest
    mode, no_rotation = (flags >> 4) & 7, bool(flags & NO_ROTATION)
    if mode == FULL and not no_rotation:
        axes, own = parent[:3, :3] @ offset[:3, :3], np.ones(3)
    else:
        taken, own = inherited(parent[:3, :3], parent_rest[:3, :3], mode, no_rotation)
        axes = taken @ offset[:3, :3]
        if mode == FIX_SHEAR:
            axes = square_axes(axes, unit=False)
    place = offset[:3, 3] + (local[:3, 3] if flags & NO_LOCAL_LOCATION else offset[:3, :3] @ local[:3, 3])
    pose = np.eye(4)
    pose[:3, :3] = (axes @ local[:3, :3]) * own
    pose[:3, 3] = parent[:3, :3] @ place + parent[:3, 3]
    return pose


def forward_kinematics(
    parents: NDArray[np.int32], rest: Array, flags: NDArray[np.uint32], channels: NDArray[np.float32]
) -> Array:
    """Pose matrices (bones, 12, frames) from channels (bones, 10, frames), as the core defines them."""
    bones, _, frames = channels.shape
    poses = np.zeros((bones, frames, 4, 4))
    for frame in range(frames):
        for bone in range(bones):
            flag = int(flags[bone])
            local = basis(channels[bone, :, frame].astype(np.float64), bool(flag & CONNECTED))
            parent = int(parents[bone])
            if parent < 0:
                poses[bone, frame] = rest[bone] @ local
                if flag & NO_LOCAL_LOCATION:
                    poses[bone, frame, :3, 3] = rest[bone, :3, 3] + local[:3, 3]
            else:
                poses[bone, frame] = child_pose(poses[parent, frame], rest[parent], rest[bone], local, flag)
    return np.ascontiguousarray(poses[:, :, :3].reshape(bones, frames, 12).transpose(0, 2, 1))
