"""Twin of csrc/ik.c: two-bone inverse kinematics from the law of cosines, one frame at a time, in float64."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def two_bone(
    root: Array, target: Array, pole: Array, upper: float, lower: float, limit: float = 1.0
) -> tuple[Array, Array, float]:
    """Joint (3,), end (3,) and miss of one frame. The pole must not be parallel to the line to the target."""
    line = target - root
    distance = float(np.linalg.norm(line))
    near, far = abs(upper - lower), limit * (upper + lower)
    reach = min(max(distance, near), far)
    d = line / distance
    side = pole - d * (pole @ d)
    p = side / np.linalg.norm(side)
    if reach == 0:
        return root + p * upper, root.copy(), distance - reach
    cosine = (reach**2 + upper**2 - lower**2) / (2 * reach * upper)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    joint = root + upper * (d * np.cos(angle) + p * np.sin(angle))
    return joint, root + d * reach, distance - reach
