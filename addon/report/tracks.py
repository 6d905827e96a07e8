"""What is read off the evaluated armature: points over time, in metres of the world. NumPy alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .contacts import Clock
from .reference import Floats

# The seam is looked at in sixteenths of a frame: eight samples on either side lie between two keys on whole
# or half frames, where a curve is smooth; closer, where keys are denser, or where a stance is so short (in
# frames) that the motion itself is. The slope at the very end is that of a fitted polynomial: Blender's
# solver of inverse kinematics stops short of its goal by a little, which differences of neighbours would blow
# up.
SEAM_STEP = 0.0625
SEAM_SAMPLES = 8
SEAM_STANCE = 14.0
SEAM_DEGREE = 3


@dataclass(frozen=True, slots=True)
class PlantedPoint:
    """A point that a claim holds to the ground. positions: float64 (n, 3); rest_height: metres over the
    ground in the rest pose (0 on the sole; the joint of the toe lies higher)."""

    positions: Floats
    rest_height: float


@dataclass(frozen=True, slots=True)
class LegTrack:
    """One leg over n samples.

    name: for messages; hip, knee, ankle: (n, 3); thigh: (n, 3, 3), rotation of the thigh bone from rest to
    world; segments: rest lengths from joint to joint, hip to ankle, metres; foot: (n, 3), direction of the
    foot, level when it is flat; planted: by heel, ball, tip the points a claim holds; sole: (s, n, 3), all
    points of the sole; tip: (n, 3); stiff: it has no joint between hip and ankle, and `knee` is half way.
    """

    name: str
    hip: Floats
    knee: Floats
    ankle: Floats
    thigh: Floats
    segments: tuple[float, ...]
    foot: Floats
    planted: dict[str, tuple[PlantedPoint, ...]]
    sole: Floats
    tip: Floats
    stiff: bool = False


@dataclass(frozen=True, slots=True)
class Seam:
    """The bones of the body on both sides of a cycle's seam: 8 samples from the start on and 8 up to the end,
    `step` frames apart.

    heads: float64 (16, bones, 3), metres; turns: float64 (16, bones, 3, 3), rotations.
    """

    heads: Floats
    turns: Floats
    step: float


@dataclass(frozen=True, slots=True)
class Tracks:
    """A whole motion. up, travel: unit vectors of the world; left: the body's left, in the frame that the
    legs' thigh rotations start from; ground: height of the ground along up, metres; leg_length: metres;
    body: (n, 3), the pelvis; seam: None where the motion is no cycle; route: None where it goes straight on
    at one speed over level ground."""

    clock: Clock
    up: Floats
    travel: Floats
    left: Floats
    ground: float
    leg_length: float
    body: Floats
    legs: tuple[LegTrack, ...]
    seam: Seam | None
    route: Route | None = None
    route_speed: float = np.nan

    def height(self, points: Floats) -> Floats:
        """How high points (..., 3) are over the ground under them, square to it where it slopes."""
        if self.route is None or self.route.surface is None:
            return np.asarray(points @ self.up - self.ground, dtype=np.float64)
        flat = np.ascontiguousarray(points.reshape(-1, 3).T)
        height, upright = self.route.surface(flat)
        return np.asarray(((flat[2] - height) * upright).reshape(points.shape[:-1]))


@dataclass(frozen=True, slots=True)
class Route:
    """Where a motion goes that does not go straight on over level ground, as a report is told.

    fastest, mean: metres a second, its greatest and its mean speed; steady: the same speed and turn
    throughout; surface: a function of points (3, n) to the heights of the ground under them, (n,), and how
    upright it is there, the cosine of its slope; None: level ground; carried: a function of frames to
    matrices (n, 4, 4) that carry what is at the route's beginning along it, in the world.
    """

    fastest: float
    mean: float
    steady: bool
    surface: Callable[[Floats], tuple[Floats, Floats]] | None
    carried: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class SeamError:
    """How far a cycle is from closing: position as a share of leg length, angle in degrees, slope as the
    largest jump of a bone's speed at the seam as a share of the fastest bone's speed there (turning and
    moving apart, the larger counts)."""

    position: float
    angle_deg: float
    slope: float


# A body at rest has no speed to compare a jump with: it is then measured against these, radians and leg
# lengths a frame.
STILL_TURN = 0.01
STILL_MOVE = 0.001


def seam_error(seam: Seam, advance: Floats, leg_length: float) -> SeamError:
    """Compare the last pose with the first one carried on by `advance` (3,), metres."""
    start, end = seam.heads[:SEAM_SAMPLES], seam.heads[SEAM_SAMPLES:]
    apart = np.linalg.norm(end[-1] - start[0] - advance, axis=-1) / leg_length
    turned = turn_between(seam.turns[0], seam.turns[-1])
    # Rotations as vectors against the pose at their own end of the cycle: small, so that they add up.
    first, last = seam.turns[0], seam.turns[-1]
    turns_on = turn_between(first[None], seam.turns[:SEAM_SAMPLES])
    turns_off = turn_between(last[None], seam.turns[SEAM_SAMPLES:])
    return SeamError(
        position=float(apart.max()),
        angle_deg=float(np.degrees(np.linalg.norm(turned, axis=-1).max())),
        slope=max(
            _jump(turns_on, turns_off, STILL_TURN, seam.step),
            _jump(start / leg_length, end / leg_length, STILL_MOVE, seam.step),
        ),
    )


def _jump(on: Floats, off: Floats, still: float, step: float) -> float:
    """Largest difference of the slopes at the seam (8, bones, 3 each) over the largest slope."""
    times = step * np.arange(SEAM_SAMPLES)
    weights = np.linalg.pinv(np.vander(times, SEAM_DEGREE + 1, increasing=True))[1]
    after = np.einsum("s,sbk->bk", weights, on)
    before = -np.einsum("s,sbk->bk", weights, off[::-1])
    fastest = max(np.linalg.norm(after, axis=-1).max(), np.linalg.norm(before, axis=-1).max(), still)
    return float(np.linalg.norm(after - before, axis=-1).max() / fastest)


def turn_between(first: Floats, second: Floats) -> Floats:
    """Rotation vector (..., 3), radians, of first^-1 second for rotation matrices (..., 3, 3)."""
    between = np.swapaxes(first, -1, -2) @ second
    skew = 0.5 * (between - np.swapaxes(between, -1, -2))
    axis = np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)
    sine = np.linalg.norm(axis, axis=-1, keepdims=True)
    cosine = 0.5 * (np.trace(between, axis1=-2, axis2=-1)[..., None] - 1.0)
    angle = np.arctan2(sine, cosine)
    # For small turns angle / sine is 1; at half a turn the axis is lost, the angle is kept along x.
    scale = np.where(sine > 1e-9, angle / np.where(sine > 1e-9, sine, 1.0), 1.0)
    lost = (sine <= 1e-9) & (cosine < 0.0)
    return np.where(lost, angle * np.array([1.0, 0.0, 0.0]), axis * scale)


def rotation_part(matrices: Floats) -> Floats:
    """Rotations (..., 3, 3) of matrices (..., 4, 4) or (..., 3, 3): columns made unit; a mirroring is
    taken out.
    """
    turn = np.array(matrices[..., :3, :3], dtype=np.float64)
    turn /= np.linalg.norm(turn, axis=-2, keepdims=True)
    turn[np.linalg.det(turn) < 0.0] *= -1.0
    return turn
