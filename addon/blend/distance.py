"""How far two poses are apart, and the frames that it takes to get from one to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import core
from .clips import Float32, Frame
from .ground import poses
from .source import Source

# Seconds between which a transition of automatic length lies.
SHORTEST, LONGEST = 0.1, 1.5
# Frames of a clip that are looked at for its own peaks; of longer clips as many, evenly spread in runs.
LOOKED_AT = 240


@dataclass(frozen=True, slots=True)
class Peaks:
    """Largest of any joint, per frame: speed; change of speed; jerk."""

    speed: float
    jump: float
    jerk: float


@dataclass(frozen=True, slots=True)
class Need:
    """frames: that a transition needs; joint: for which; distance: largest of any joint, in units; why: in
    words."""

    frames: int
    joint: str
    distance: float
    speed: float
    why: str


def heads(pose: Float32) -> Float32:
    """Heads of bones (bones, 3, f) of poses (bones, 12, f)."""
    return np.ascontiguousarray(pose[:, 3::4])


def peaks(points: Float32) -> Peaks:
    """Peaks of points (joints, 3, f), one frame apart."""
    speed, jump, jerk = core.load().track_peaks(np.ascontiguousarray(points))
    return Peaks(float(speed), float(jump), float(jerk))


def own_peaks(frame: Frame, source: Source) -> Peaks:
    """Peaks of a source over its own frames."""
    count = int(source.last - source.first) + 1
    if count <= LOOKED_AT:
        return peaks(heads(poses(frame, source.numbers(source.first + np.arange(count)))))
    runs = [source.first + k * (count - LOOKED_AT // 4) / 3.0 + np.arange(LOOKED_AT // 4) for k in range(4)]
    found = [peaks(heads(poses(frame, source.numbers(run)))) for run in runs]
    return Peaks(max(p.speed for p in found), max(p.jump for p in found), max(p.jerk for p in found))


def need(
    frame: Frame,
    start: Float32,
    onto: Float32,
    *,
    bounds: Peaks,
    fps: float,
) -> Need:
    """Frames for a transition in which no joint exceeds bounds.jump and bounds.jerk.

    start, onto: numbers (bones, 10, 3) of the two motions where they meet, one frame apart.
    """
    a, b = heads(poses(frame, start)), heads(poses(frame, onto))
    apart = a.astype(np.float64) - b
    sizes = np.linalg.norm(apart[..., 1], axis=1)
    speeds = np.linalg.norm(0.5 * (apart[..., 2] - apart[..., 0]), axis=1)
    native = core.load()
    lengths = [
        native.blend_length(sizes[k : k + 1], speeds[k : k + 1], bounds.jump, bounds.jerk)
        for k in _worst(sizes, speeds)
    ]
    worst = _worst(sizes, speeds)
    at = int(np.argmax(lengths)) if lengths else 0
    joint = worst[at] if worst else 0
    exact = lengths[at] if lengths else 0.0
    low, high = SHORTEST * fps, LONGEST * fps
    frames = int(np.ceil(min(max(exact, low), high)))
    return Need(frames, frame.names[joint], float(sizes[joint]), float(speeds[joint]), "")


def _worst(sizes: npt.NDArray[np.float64], speeds: npt.NDArray[np.float64]) -> list[int]:
    """Joints that may need most: the farthest and the fastest."""
    if not sizes.size:
        return []
    return sorted({int(np.argmax(sizes)), int(np.argmax(speeds)), int(np.argmax(sizes + 4.0 * speeds))})
