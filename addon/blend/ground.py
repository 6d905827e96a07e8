"""Where B is set down: what carries a motion over the ground, and the move to where A stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..action.channels import MODES
from ..rig import Roles
from .clips import Float32, Frame
from .source import Source

Floats = npt.NDArray[np.float64]
# A and B, each with the frame at which they meet.
Meeting = tuple[tuple[Source, float], tuple[Source, float]]

# A body that goes less far than this share of its legs, and turns by less than this angle, stays in place.
TRAVELS = 0.3
TURNS = math.radians(40.0)
# Numbers of a root that differ by less than this (of the legs; radians) are one place.
SAME = 1e-5
# Seconds to either side over which a pelvis is averaged, so that sway and steps count for little.
WINDOW = 0.4
# Frames to either side over which the speed of a root is taken.
NEAR = 1.0
# Frames over which the slope of a motion that is set down elsewhere is taken.
STEP = 1.0 / 64.0


@dataclass(frozen=True, slots=True)
class Move:
    """B's move. tops: bones that are moved, those without a parent or the object alone; numbers: (18,) as the
    core takes them; carrier: name of what carries the motion, "" the object, None nothing; turn: degrees."""

    tops: npt.NDArray[np.intp]
    numbers: Floats
    carrier: str | None
    note: str = ""

    def moved(self, frame: Frame, channels: Float32, time: Floats) -> Float32:
        """Channels (bones, 10, f) of B, at times since the cut, where A stopped."""
        if self.carrier is None:
            return channels
        tops = self.tops
        out = channels.copy()
        out[tops] = core.load().move_ground(
            np.ascontiguousarray(frame.rest[tops]),
            frame.flags[tops],
            frame.modes[tops],
            np.ascontiguousarray(channels[tops]),
            time,
            self.numbers,
        )
        return out

    def rates(self, frame: Frame, channels: Float32, rates: Float32, time: Floats) -> Float32:
        """Change per frame of B's channels where it is moved, from that of the channels as they are."""
        if self.carrier is None:
            return rates
        tops = self.tops
        after = channels[tops] + rates[tops] * np.float32(STEP)
        shown = [
            core.load().move_ground(
                np.ascontiguousarray(frame.rest[tops]),
                frame.flags[tops],
                frame.modes[tops],
                np.ascontiguousarray(block),
                clock,
                self.numbers,
            )
            for block, clock in ((channels[tops], time), (after, time + STEP))
        ]
        rates[tops] = (shown[1] - shown[0]) / np.float32(STEP)
        return rates


def poses(frame: Frame, numbers: Float32) -> Float32:
    """Pose matrices (bones, 12, f), in the space that the object stands in where it is animated."""
    from ..action.read import to_quaternions

    channels = numbers.copy()
    to_quaternions(channels, [MODES[mode] for mode in frame.modes])
    found: Float32 = core.load().forward_kinematics(frame.parents, frame.rest, frame.flags, channels)
    return found


def no_move() -> Move:
    """B stays where it is."""
    return Move(np.zeros(0, np.intp), np.zeros(18), None)


def find_move(
    frame: Frame,
    roles: Roles,
    reach: float,
    a: Source,
    b: Source,
    times: tuple[float, float],
    *,
    align: str,
    up: Floats,
    fps: float,
    length: float,
    drifts: bool,
) -> Move:
    """The move that sets B down at A's last frame.

    reach: length of the legs; times: of A's last frame, and of B that is shown with it; up: axis of the
    ground, in the space of the poses; length: frames over which B gathers A's speed, where it drifts at all.
    """
    if align == "none":
        return no_move()
    pair = ((a, times[0]), (b, times[1]))
    carrier, sways = find_carrier(frame, roles, reach, pair, up)
    if carrier is None:
        return no_move()
    window = WINDOW * fps if sways else NEAR
    stands = [
        _stand(frame, source, carrier, time, window, up, not sways)
        for source, time in zip((a, b), times, strict=True)
    ]
    exact = [
        _stand(frame, source, carrier, time, 0.0, up, True)
        for source, time in zip((a, b), times, strict=True)
    ]
    (pa, ha, va, sa), (pb, hb, vb, sb) = ((s[:3], s[3], s[4:7], s[7]) for s in stands)
    pa, pb = exact[0][:3], exact[1][:3]
    tops = (
        np.array([0])
        if frame.names[carrier] == "" or _object_moves(a, b)
        else np.flatnonzero(frame.parents == 0)
    )
    angle = _wrap(ha - hb) if align in ("ground", "height") else 0.0
    turn = np.concatenate(([math.cos(angle / 2)], math.sin(angle / 2) * up))
    if angle == 0.0:
        turn = np.array([1.0, 0.0, 0.0, 0.0])
    if align == "full":
        turn = _between(frame, a, b, carrier, times)
    onto = pa if align in ("height", "full") else pa + up * float(up @ (pb - pa))
    drift, spin = np.zeros(3), 0.0
    if drifts and align != "full":
        drift = va - _turned(turn, vb)
        drift = drift - up * float(up @ drift)
        spin = sa - sb if align in ("ground", "height") else 0.0
    same = align != "full" and angle == 0.0 and np.array_equal(onto, pb)
    if same:
        onto = pb
    numbers = np.concatenate((pb, onto, turn, up, drift, [spin, length]))
    return Move(tops, np.ascontiguousarray(numbers), frame.names[carrier])


def _wrap(angle: float) -> float:
    return angle - 2.0 * math.pi * round(angle / (2.0 * math.pi))


def _turned(turn: Floats, vector: Floats) -> Floats:
    u = turn[1:]
    t = 2.0 * np.cross(u, vector)
    found: Floats = vector + turn[0] * t + np.cross(u, t)
    return found


def _between(frame: Frame, a: Source, b: Source, carrier: int, times: tuple[float, float]) -> Floats:
    """The whole turn from B's carrier to A's."""
    native = core.load()
    quats = []
    for source, time in zip((a, b), times, strict=True):
        pose = poses(frame, source.numbers([time]))[carrier]
        axes = np.ascontiguousarray(pose.reshape(3, 4, -1)[:, :3].reshape(9, -1))
        quats.append(native.quaternion_from_matrix(axes))
    back = quats[1] * np.array([1, -1, -1, -1], np.float32)[:, None]
    found: Floats = native.quaternion_normalise(native.quaternion_multiply(quats[0], back))[:, 0].astype(
        np.float64
    )
    return found


def _object_moves(a: Source, b: Source) -> bool:
    return bool(a.keyed[0, :7].any() or b.keyed[0, :7].any())


def find_carrier(
    frame: Frame, roles: Roles, reach: float, pair: Meeting, up: Floats
) -> tuple[int | None, bool]:
    """What carries the motion, and whether it sways: the object, a root bone, else a pelvis that travels."""
    (a, _), (b, _) = pair
    place = frame.place
    if _object_moves(a, b) and _ways(frame, pair, 0, up)[0] > SAME:
        return 0, False
    root = place.get(roles.root or "", -1)
    if root < 0:
        tops = np.flatnonzero(frame.parents == 0)
        root = int(tops[0]) if len(tops) == 1 and frame.names[tops[0]] != roles.pelvis else -1
    if root > 0 and (a.keyed[root].any() or b.keyed[root].any()):
        way, turned, apart = _ways(frame, pair, root, up)
        if way > SAME * reach or turned > SAME or apart > SAME * reach:
            return root, False
    pelvis = place.get(roles.pelvis or "", -1)
    if pelvis > 0:
        way, turned, _ = _ways(frame, pair, pelvis, up)
        if way > TRAVELS * reach or turned > TURNS:
            return pelvis, True
    return None, False


def _ways(frame: Frame, pair: Meeting, bone: int, up: Floats) -> tuple[float, float, float]:
    """How far either clip carries a bone over the ground from its first frame to its last, by what angle it
    turns it, and how far apart the two begin."""
    found = []
    starts = []
    for source, zero in pair:
        times = np.unique(np.rint(np.linspace(source.first, source.last, 9) - zero)) + zero
        first = _stand_of(frame, source, bone, times, times[0], up, True)
        last = _stand_of(frame, source, bone, times, times[-1], up, True)
        way = last[:3] - first[:3]
        found.append((float(np.linalg.norm(way - up * (up @ way))), abs(last[3] - first[3])))
        starts.append(first)
    apart = starts[1][:3] - starts[0][:3]
    apart = apart - up * (up @ apart)
    turned = max(
        found[0][1],
        found[1][1],
        abs(_wrap(starts[1][3] - starts[0][3])) if bone_is_root(frame, bone) else 0.0,
    )
    return max(found[0][0], found[1][0]), turned, float(np.linalg.norm(apart))


def bone_is_root(frame: Frame, bone: int) -> bool:
    """Whether the bone has none above it but the object."""
    return int(frame.parents[bone]) <= 0


def _stand(
    frame: Frame, source: Source, bone: int, at: float, window: float, up: Floats, exact: bool
) -> Floats:
    beside = np.arange(-math.floor(window), math.floor(window) + 1.0)
    times = at + beside
    times = times[(times >= source.first - 1e-6) & (times <= source.last + 1e-6)]
    if not times.size:
        times = np.array([at])
    return _stand_of(frame, source, bone, times, at, up, exact)


def _stand_of(
    frame: Frame, source: Source, bone: int, times: Any, at: float, up: Floats, exact: bool
) -> Floats:
    line = [bone]
    while frame.parents[line[0]] >= 0:
        line.insert(0, int(frame.parents[line[0]]))
    pose = poses(_part(frame, line), source.numbers(times)[line])
    found: Floats = core.load().stand(
        np.ascontiguousarray(pose[-1]),
        np.ascontiguousarray(frame.rest[bone]),
        up,
        np.asarray(times, np.float64),
        at,
        exact=exact,
    )
    return found


def _part(frame: Frame, line: list[int]) -> Frame:
    """The frame of one bone and those above it."""
    return Frame(
        tuple(frame.names[k] for k in line),
        np.arange(-1, len(line) - 1, dtype=np.int32),
        np.ascontiguousarray(frame.rest[line]),
        frame.flags[line],
        frame.modes[line],
        frame.rests[line],
        frame.lengths[line],
    )
