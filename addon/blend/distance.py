"""How far two poses are apart, and the frames that it takes to get from one to the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import core
from .clips import Float32, Frame
from .ground import poses
from .source import Source

Floats = npt.NDArray[np.float64]

# Seconds between which a transition of automatic length lies: no body changes what it does in less. And those
# that one may take for bounds that are asked for.
SHORTEST, LONGEST, AS_ASKED = 0.2, 1.5, 60.0
# Lengths of the legs a second: how fast a joint closes the distance between the two motions, at most. A run
# whose own steps jolt more than that would else be taken up out of a stand in a few frames, which is a pop.
CLOSING = 3.0
# Largest speed of an offset of 1 that dies away over a time of 1 by the quintic of the inertial curve: 30 u^2
# (1 - u)^2 in the middle.
STEEPEST = 1.875
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
class Bounds:
    """What frames are chosen by, per frame: change of a joint's speed and jerk within the transition; speed
    at which a joint closes the distance between the two motions; most: frames, at most."""

    jump: float
    jerk: float
    closing: float
    most: float


@dataclass(frozen=True, slots=True)
class Need:
    """frames: that a transition needs; joint: for which; distance: of that joint, in units; by: the bound
    that decides, "speed", "acceleration" or "time"."""

    frames: int
    joint: str
    distance: float
    by: str


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


def bounds_of(own: Peaks, reach: float, fps: float) -> Bounds:
    """Bounds for a transition between motions with these peaks of their own."""
    return Bounds(
        max(own.jump, EASY * reach / fps**2),
        max(own.jerk, EASY_JERK * reach / fps**3),
        CLOSING * reach / fps,
        LONGEST * fps,
    )


def frames_for(sizes: Floats, speeds: Floats, bounds: Bounds, fps: float) -> tuple[int, int, str]:
    """Frames for joints this far apart (j,) and with these differences of speed (j,); which joint decides,
    and by which bound."""
    native = core.load()
    smooth = native.blend_length(sizes, speeds, bounds.jump, bounds.jerk)
    far = int(np.argmax(sizes))
    closed = STEEPEST * float(sizes[far]) / bounds.closing
    low, high = SHORTEST * fps, bounds.most
    worst = sorted({far, int(np.argmax(speeds)), int(np.argmax(sizes + 4.0 * speeds))})
    alone = [
        native.blend_length(sizes[k : k + 1], speeds[k : k + 1], bounds.jump, bounds.jerk) for k in worst
    ]
    joint, by = worst[int(np.argmax(alone))], "acceleration"
    if smooth <= max(closed, low):
        joint, by = far, "speed" if closed > low else "time"
    return math.ceil(min(max(smooth, closed, low), high) - 1e-6), joint, by


def need(frame: Frame, start: Float32, onto: Float32, *, bounds: Bounds, fps: float) -> Need:
    """Frames for a transition in which no joint exceeds the bounds.

    start, onto: numbers (bones, 10, 3) of the two motions where they meet, one frame apart.
    """
    apart = joints(frame, start).astype(np.float64) - joints(frame, onto)
    sizes = np.linalg.norm(apart[..., 1], axis=1)
    speeds = np.linalg.norm(0.5 * (apart[..., 2] - apart[..., 0]), axis=1)
    frames, joint, by = frames_for(sizes, speeds, bounds, fps)
    return Need(frames, frame.names[joint % len(frame.names)], float(sizes[joint]), by)
