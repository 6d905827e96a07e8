"""Where to leave A and where to enter B: the frames whose poses, speeds and planted feet are nearest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import core
from ..rig import Roles
from .clips import Float32, Frame
from .feet import footings
from .ground import Floats, poses
from .legs import Legs
from .source import Source

# Seconds of speed that count as a way, beside the places themselves.
REACH = 0.15
# Of the leg: what a foot that is planted in one and not in the other counts as, as a distance of every joint.
PLANTED = 0.1
# What a frame of waiting counts as, of the leg: of two equal meetings the one nearer to what was asked.
WAITING = 1e-4
# Share of the whole that a bone of no role has, where a body has roles.
LEAST = 4


@dataclass(frozen=True, slots=True)
class Meeting:
    """at, entry: frames; distance: root of the mean squared distance of the joints there, units."""

    at: float
    entry: float
    distance: float


def joints_of(frame: Frame, roles: Roles) -> npt.NDArray[np.int32]:
    """Bones of `with_tails` whose places are compared: heads and tails of those with a role, of limbs every
    one; of all where few have any."""
    named = [roles.pelvis, *roles.spine[-1:], roles.head]
    named += [bone for limb in (*roles.legs, *roles.arms, *roles.wings) for bone in limb.bones]
    place = frame.place
    found = sorted({place[name] for name in named if name in place})
    if len(found) < LEAST:
        found = list(range(1, len(frame.names)))
    return np.array([*found, *(bone + len(frame.names) for bone in found)], np.int32)


def with_tails(frame: Frame, pose: Float32) -> Float32:
    """Poses (bones, 12, f), and after them the same bones set on their tails: a turn of the last bone of a
    limb shows there alone."""
    tails = pose.copy()
    tails[:, 3::4] += tails[:, 1::4] * frame.lengths[:, None, None].astype(np.float32)
    return np.concatenate((pose, tails))


def features(
    frame: Frame,
    joints: npt.NDArray[np.int32],
    stand: int,
    pose: Float32,
    up: Floats,
    fps: float,
    step: float,
) -> Float32:
    """(6 * joints, f) of poses of `with_tails` that are `step` frames apart."""
    found: Float32 = core.load().pose_features(
        pose, stand, np.ascontiguousarray(frame.rest[stand]), joints, up, REACH * fps / step
    )
    return found


def find_meeting(
    frame: Frame,
    roles: Roles,
    legs: Legs,
    a: tuple[Source, float, float],
    b: tuple[Source, float, float],
    stands: tuple[int, int],
    reach: float,
    up: Floats,
    fps: float,
) -> Meeting:
    """The nearest pair of frames of A and B.

    a, b: source, first and last frame looked at; of A the last, of B the first is the one asked for. stands:
    bones whose place and heading count for nothing, of A and of B.
    """
    joints = joints_of(frame, roles)
    times = [first + np.arange(int(last - first + 1e-6) + 1.0) for _, first, last in (a, b)]
    times[0] = a[2] - times[0][::-1] + a[1]
    rows = [
        features(frame, joints, stand, with_tails(frame, poses(frame, source.numbers(time))), up, fps, 1.0)
        for (source, _, _), time, stand in zip((a, b), times, stands, strict=True)
    ]
    weights = np.ones(6 * len(joints))
    if legs.feet:
        seen = footings(legs, ((a[0], times[0][0]), (b[0], times[1][0])), reach, up, fps)
        scale = np.float32(PLANTED * reach)
        rows = [
            np.concatenate((row, scale * footing.at(0, row.shape[1])[1].astype(np.float32)))
            for row, footing in zip(rows, seen, strict=True)
        ]
        weights = np.append(weights, np.full(len(legs.feet), len(joints) / len(legs.feet)))
    distances = core.load().pose_distances(*map(np.ascontiguousarray, rows), weights, float(len(joints)))
    waiting = WAITING * reach * (np.arange(len(times[0]))[::-1, None] + np.arange(len(times[1])))
    at, entry = np.unravel_index(int(np.argmin(distances + waiting)), distances.shape)
    return Meeting(float(times[0][at]), float(times[1][entry]), float(distances[at, entry]))
