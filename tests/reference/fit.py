"""Key reduction, slow and obvious: what a set of Bezier keys draws, how far that is from a motion, and the
fewest keys of plain cubic Hermite pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from tests.reference import quat

LONGEST, PATIENCE = 32, 4
AXES = np.eye(3)


def bezier(frames: np.ndarray, values: np.ndarray, handles: np.ndarray, at: float) -> float:
    """Value at a frame of the cubic from key to key. handles: (2, 2), frame and value of the two between."""
    x = np.array([frames[0], handles[0, 0], handles[1, 0], frames[1]])
    y = np.array([values[0], handles[0, 1], handles[1, 1], values[1]])
    low, high = 0.0, 1.0
    for _ in range(60):
        t = 0.5 * (low + high)
        weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])
        low, high = (t, high) if weights @ x < at else (low, t)
    return float(weights @ y)


def drawn(time: np.ndarray, value: np.ndarray, keep, slope, before, after) -> np.ndarray:
    """What the keys of one row draw at every sample."""
    keys = np.nonzero(keep)[0]
    found = value.astype(np.float64).copy()
    for a, b in pairwise(keys):
        handles = np.array(
            [
                [time[a] + after[a], value[a] + slope[a] * after[a]],
                [time[b] - before[b], value[b] - slope[b] * before[b]],
            ]
        )
        for k in range(a + 1, b):
            found[k] = bezier(time[[a, b]], value[[a, b]], handles, time[k])
    return found


def hermite(time: np.ndarray, value: np.ndarray, slope: np.ndarray, a: int, b: int) -> np.ndarray:
    """The cubic between two samples, at those between them. value, slope: (rows, samples)."""
    span = time[b] - time[a]
    u = (time[a + 1 : b] - time[a]) / span
    return (
        value[:, a, None] * (1 + 2 * u) * (1 - u) ** 2
        + value[:, b, None] * u * u * (3 - 2 * u)
        + span * (slope[:, a, None] * u * (1 - u) ** 2 - slope[:, b, None] * u * u * (1 - u))
    )


def rotation(mode: int, rows: np.ndarray) -> np.ndarray:
    """Rotation matrix of a bone's four rows."""
    if mode == 0:
        return quat.to_matrix(quat.normalise(rows[:, None]))[:, 0].reshape(3, 3)
    if mode == 1:
        length = np.linalg.norm(rows[1:])
        return about(rows[1:] / length, rows[0]) if length > 0.0 else np.eye(3)
    found = np.eye(3)
    for letter in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")[mode - 2]:
        axis = "XYZ".index(letter)
        found = about(AXES[axis], rows[1 + axis]) @ found
    return found


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def angle_of(turn: np.ndarray) -> float:
    """Radians by which a rotation matrix turns, exact for small ones."""
    return float(2.0 * np.arcsin(min(np.linalg.norm(turn - np.eye(3)) / np.sqrt(8.0), 1.0)))


def chain_points(
    rest: np.ndarray, turns: list[np.ndarray], carriers: list[int], places: np.ndarray
) -> np.ndarray:
    """Where points are, (p, 3), that bones of a chain carry: each bone's own turn on top of its rest against
    the one before."""
    pose, poses = np.eye(4), []
    for bone, turn in enumerate(turns):
        own = np.eye(4)
        own[:3, :3] = turn
        relative = rest[bone] if bone == 0 else np.linalg.inv(rest[bone - 1]) @ rest[bone]
        pose = pose @ relative @ own
        poses.append(pose)
    return np.array(
        [
            (poses[bone] @ np.linalg.inv(rest[bone]) @ np.append(place, 1.0))[:3]
            for bone, place in zip(carriers, places, strict=True)
        ]
    )


def fewest(candidates: np.ndarray, error: Callable[[int, int], float]) -> int:
    """Keys of the shortest way over pieces whose error(start, end) is at most 1, or that are shortest."""
    best = [1] + [10**9] * (len(candidates) - 1)
    if error(int(candidates[0]), int(candidates[-1])) <= 1.0:
        return 2
    for to in range(1, len(candidates)):
        beyond = 0
        for start in range(to - 1, max(-1, to - LONGEST - 1), -1):
            good = error(int(candidates[start]), int(candidates[to])) <= 1.0
            beyond = 0 if good else beyond + 1
            if good or start == to - 1:
                best[to] = min(best[to], best[start] + 1)
            if beyond == PATIENCE:
                break
    return best[-1]
