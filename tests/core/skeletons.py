"""Random skeletons and channels for the tests of the core."""

import numpy as np
from numpy.typing import NDArray
from tests.reference import quat


def unit_quaternions(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Evenly spread unit quaternions (4, count)."""
    return quat.normalise(rng.normal(size=(4, count))).astype(np.float32)


def skeleton(
    rng: np.random.Generator, bones: int, depth: int = 8
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Parents (bones,) of at most that depth, and rest matrices (bones, 4, 4) about a unit apart."""
    parents = np.full(bones, -1, dtype=np.int32)
    level = np.zeros(bones, dtype=int)
    rest = np.tile(np.eye(4), (bones, 1, 1))
    turns = quat.to_matrix(quat.normalise(rng.normal(size=(4, bones)))).T.reshape(bones, 3, 3)
    for bone in range(bones):
        rest[bone, :3, :3] = turns[bone]
        rest[bone, :3, 3] = rng.uniform(-1.0, 1.0, 3)
        allowed = np.flatnonzero(level[:bone] < depth)
        if bone and rng.random() < 0.9 and len(allowed):
            parents[bone] = rng.choice(allowed)
            level[bone] = level[parents[bone]] + 1
            rest[bone, :3, 3] += rest[parents[bone], :3, 3]
    return parents, rest


def channels(
    rng: np.random.Generator, bones: int, frames: int, scale: tuple[float, float] = (0.7, 1.4)
) -> NDArray[np.float32]:
    """Channels (bones, 10, frames): place within a unit, any rotation, each scale on its own."""
    result = np.empty((bones, 10, frames), dtype=np.float32)
    result[:, :3] = rng.uniform(-1.0, 1.0, (bones, 3, frames))
    for bone in range(bones):
        result[bone, 3:7] = unit_quaternions(rng, frames)
    result[:, 7:] = rng.uniform(*scale, (bones, 3, frames))
    return result


def all_flags() -> NDArray[np.uint32]:
    """Every combination of flags there is, 48 of them."""
    return np.array([low | mode << 4 for mode in range(6) for low in range(8)], dtype=np.uint32)
