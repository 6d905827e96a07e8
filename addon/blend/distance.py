"""How far two poses are apart, and the frames that it takes to get from one to the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import core
from .clips import Float32, Frame
from .ground import poses
from .source import Source

# Seconds between which a transition of automatic length lies.
SHORTEST, LONGEST = 0.1, 1.5
# What any body does with ease, in lengths of its legs: acceleration and jerk that bound a transition of
# motions that move less than that themselves, such as held poses.
EASY, EASY_JERK = 8.0, 160.0
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


def joints(frame: Frame, numbers: Float32) -> Float32:
    """Heads of all bones, then their tails, (2 * bones, 3, f)."""
    pose = poses(frame, numbers)
    heads, along = pose[:, 3::4], pose[:, 1::4]
    tails = heads + along * frame.lengths[:, None, None].astype(np.float32)
    return np.concatenate((heads, tails))


def peaks(points: Float32) -> Peaks:
    """Peaks of points (joints, 3, f), one frame apart."""
    speed, jump, jerk = core.load().track_peaks(np.ascontiguousarray(points))
    return Peaks(float(speed), float(jump), float(jerk))


def own_peaks(frame: Frame, source: Source, zero: float) -> Peaks:
    """Peaks of a source over its own frames, those that are a whole number from `zero`."""
    low = math.ceil(source.first - zero - 1e-6)
    count = max(math.floor(source.last - zero + 1e-6) - low + 1, 1)
    if count <= LOOKED_AT:
        return peaks(joints(frame, source.numbers(zero + low + np.arange(count))))
    size = LOOKED_AT // 4
    runs = [zero + low + k * ((count - size) // 3) + np.arange(size) for k in range(4)]
    found = [peaks(joints(frame, source.numbers(run))) for run in runs]
    return Peaks(max(p.speed for p in found), max(p.jump for p in found), max(p.jerk for p in found))


def at_least_easy(own: Peaks, reach: float, fps: float) -> Peaks:
    """Bounds for a transition between motions with these peaks of their own."""
    return Peaks(own.speed, max(own.jump, EASY * reach / fps**2), max(own.jerk, EASY_JERK * reach / fps**3))


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
    a, b = joints(frame, start), joints(frame, onto)
    apart = a.astype(np.float64) - b
    sizes = np.linalg.norm(apart[..., 1], axis=1)
    speeds = np.linalg.norm(0.5 * (apart[..., 2] - apart[..., 0]), axis=1)
    native = core.load()
    exact = native.blend_length(sizes, speeds, bounds.jump, bounds.jerk)
    worst = sorted({int(np.argmax(sizes)), int(np.argmax(speeds)), int(np.argmax(sizes + 4.0 * speeds))})
    alone = [
        native.blend_length(sizes[k : k + 1], speeds[k : k + 1], bounds.jump, bounds.jerk) for k in worst
    ]
    joint = worst[int(np.argmax(alone))]
    low, high = SHORTEST * fps, LONGEST * fps
    frames = int(np.ceil(min(max(exact, low), high)))
    return Need(frames, frame.names[joint % len(frame.names)], float(sizes[joint]), float(speeds[joint]), "")
