"""Feet in a transition: which are planted, which take a step, and the legs that bring them there.

Around the cut a foot is held where A has it planted, as A itself rolls it; later where B has it planted, as B
rolls it. Where both have it planted and the places differ, it takes a step; feet step one after another.
Everything between is what the transition itself does, led off and onto those places without a jolt.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import core
from .clips import Float32, Frame
from .distance import STEEPEST
from .ground import Floats, Move
from .legs import Foot, Legs, set_controls
from .source import Source

Flags = npt.NDArray[np.uint8]

# A point of a foot slower than this is planted (leg lengths a second), as long as it is no higher above its
# lowest than that (leg lengths).
SLOW, LOW = 0.17, 0.05
# Seconds: shorter plants are none, nor are shorter gaps within one.
SHORTEST, GAP = 0.1, 0.05
# Of the leg: places nearer than this are one place.
SAME_PLACE = 0.001
# Radians: headings nearer than this are one.
SAME_TURN = 0.02
# Of the way along the ground, and of the leg: how high a step is lifted.
LIFT, HIGHEST = 0.2, 0.12
# Seconds that a step takes at least where the frames are for us to choose.
STEP = 0.3
# Frames in which a foot that both have at one place is led from the one to the other.
REST = 3
# Of the leg: a foot farther than this from where it is held slides; and how often it is let go sooner.
REACHED, TRIES = 0.001, 4
# Share of the transition after which a foot that A has in the air comes down where B has it planted.
LANDING = 0.8


@dataclass(frozen=True, slots=True)
class Held:
    """What feet do in one transition, frames 0 .. n from the cut.

    ways: (feet, 7, n + 1), where each foot is to be; changed: (feet,) which of them are not free throughout;
    hold: (feet, n + 1), where it is held; stepping: (feet,), which take a step; lifted: (feet,), which do not
    go along the ground where they go: those, and such as A has off the ground and B on it; both: feet
    planted in A at the cut and in B.
    """

    ways: Float32
    changed: npt.NDArray[np.bool_]
    hold: Flags
    stepping: npt.NDArray[np.bool_]
    lifted: npt.NDArray[np.bool_]
    both: npt.NDArray[np.bool_]


def places(legs: Legs, numbers: Float32) -> tuple[Float32, Float32]:
    """Where feet are: (feet, 7, f) of each end's head, and (2 * feet, 3, f) of heel and toe joint."""
    frame, feet = legs.frame, legs.feet
    ends = np.array([foot.end for foot in feet], np.int32)
    points = np.concatenate(
        (np.zeros((len(feet), 3)), *[foot.points[k : k + 1] for foot in feet for k in range(2)])
    )
    found: Float32 = core.load().pin_places(
        frame.parents,
        frame.rest,
        frame.flags,
        legs.seen(numbers),
        ends=np.concatenate((ends, np.repeat(ends, 2))),
        points=points,
    )
    count = len(feet)
    return found[:count], np.ascontiguousarray(found[count:, :3])


def plants(points: Float32, levels: Floats, reach: float, up: Floats, fps: float) -> Flags:
    """Which feet are planted, (feet, f), from their heels and toe joints (2 * feet, 3, f).

    levels: (2 * feet,), heights of the ground under them; reach: length of the legs.
    """
    found: Flags = core.load().find_plants(
        points,
        up,
        levels,
        SLOW * reach / fps,
        LOW * reach,
        max(math.ceil(SHORTEST * fps - 1e-6), 1),
        max(math.ceil(GAP * fps - 1e-6), 1),
    )
    return found.reshape(-1, 2, found.shape[1]).max(axis=1)


@dataclass(frozen=True, slots=True)
class Footing:
    """Feet of one clip on its frames a whole number from `zero`: places (feet, 7, f), planted (feet, f)."""

    first: int
    places: Float32
    planted: Flags

    def at(self, start: int, count: int) -> tuple[Float32, Flags]:
        """Frames start .. start + count - 1 from zero; beyond the clip its outermost."""
        index = np.clip(np.arange(start, start + count) - self.first, 0, self.planted.shape[1] - 1)
        return np.ascontiguousarray(self.places[..., index]), np.ascontiguousarray(self.planted[:, index])


def footings(
    legs: Legs,
    sources: Sequence[tuple[Source, float]],
    reach: float,
    up: Floats,
    fps: float,
) -> list[Footing]:
    """Look at the feet of whole clips, each with the frame that counts as its zero. The ground is as low as
    any of them ever puts the foot: one who hangs in the air for a whole clip stands on nothing there."""
    seen = []
    for source, zero in sources:
        low = math.ceil(source.first - zero - 1e-3)
        high = max(math.floor(source.last - zero + 1e-3), low)
        numbers = source.numbers(zero + np.arange(low, high + 1))
        seen.append((low, *places(legs, numbers)))
    levels = np.min([np.einsum("c,pcf->pf", up, points).min(axis=1) for _, _, points in seen], axis=0)
    return [Footing(low, ways, plants(points, levels, reach, up, fps)) for low, ways, points in seen]


def hold(
    legs: Legs,
    a: Footing,
    b: Footing,
    b_source: Source,
    b_times: Floats,
    rows: Float32,
    move: Move,
    reach: float,
    up: Floats,
    closing: float,
) -> tuple[Float32, Held]:
    """The transition's numbers (bones, 10, n + 1), from the cut on, with its feet held.

    rows: without; a, b: footings counted from A's last frame and from what B shows there; b_times: of B at
    the frames; move: B's; closing: units a frame at which a foot goes to where it lands, at most.
    """
    frame, feet = legs.frame, legs.feet
    count = rows.shape[2]
    native = core.load()
    free, _ = places(legs, rows)
    a_ways, a_planted = a.at(0, count)
    _, b_planted = b.at(0, count)
    ended = np.full(count, float(count - 1))
    b_final = move.moved(frame, b_source.numbers(b_times), ended)
    b_ways, _ = places(legs, b_final)
    leave, land = np.full(len(feet), count), np.zeros(len(feet), int)
    for _ in range(TRIES):
        held, ways = _plan(feet, a_ways, a_planted, b_ways, b_planted, reach, leave, land, closing)
        out = np.stack(
            [
                native.foot_way(free[k], ways[k], held.hold[k], up, LIFT * held.lifted[k], HIGHEST * reach)
                for k in range(len(feet))
            ]
        )
        changed = (out != free).any(axis=(1, 2))
        held = dataclasses.replace(held, ways=out, changed=changed)
        if not changed.any():
            return rows, held
        brought, miss = _bring(
            legs, [foot for foot, moves in zip(feet, changed, strict=True) if moves], out[changed], rows
        )
        far = np.zeros((len(feet), count), bool)
        far[changed] = miss > REACHED * reach
        far &= held.hold > 0
        if not far.any():
            break
        _give_way(far, held.hold, leave, land)
    return brought, held


def _give_way(
    far: npt.NDArray[np.bool_], hold: Flags, leave: npt.NDArray[np.intp], land: npt.NDArray[np.intp]
) -> None:
    """Let feet that are held where their legs do not reach leave sooner or land later."""
    for k in np.flatnonzero(far.any(axis=1)):
        frames = np.flatnonzero(far[k])
        first = _runs(hold[k])[0]
        if first[0] == 0 and frames[0] <= first[1] and frames[0] > 0:
            leave[k] = min(leave[k], frames[0] - 1)
            frames = frames[frames > first[1]]
        if frames.size:
            land[k] = max(land[k], frames[-1] + 1)


def _bring(legs: Legs, feet: Sequence[Foot], ways: Float32, rows: Float32) -> tuple[Float32, Float32]:
    """Numbers with the feet on their ways, by turning legs or by setting controls, and what they miss, (feet,
    f)."""
    frame, before = legs.frame, legs.seen(rows)
    channels = before.copy()
    miss = np.zeros((len(feet), rows.shape[2]), np.float32)
    free = [k for k, foot in enumerate(feet) if foot.chain]
    if free:
        channels, miss[free] = _turned([feet[k] for k in free], frame, channels, ways[free])
    carried = [(foot.end, way) for foot, way in zip(feet, ways, strict=True) if not foot.chain]
    set_controls(frame, carried, channels)
    apart = (channels[:, :7] != before[:, :7]).any(axis=1)
    if not apart.any():
        return rows, miss
    return np.where(apart[:, None], legs.written(channels, rows[..., 0]), rows), miss


def _turned(feet: Sequence[Foot], frame: Frame, channels: Float32, ways: Float32) -> tuple[Float32, Float32]:
    """The channels with legs turned so that feet are on their ways, and what those miss."""
    most = max(len(foot.chain) for foot in feet)
    chains = np.full((len(feet), most), -1, np.int32)
    hinges = np.zeros((len(feet), most, 3))
    for k, foot in enumerate(feet):
        chains[k, : len(foot.chain)] = foot.chain
        hinges[k, : len(foot.chain)] = foot.hinges
    found: tuple[Float32, Float32] = core.load().pin_hold(
        frame.parents,
        frame.rest,
        frame.flags,
        channels,
        chains=chains,
        ends=np.array([foot.end for foot in feet], np.int32),
        points=np.zeros((len(feet), 3)),
        turned=np.ones(len(feet), np.int32),
        hinges=hinges,
        # One knee bends about its own axis alone; more joints in a row share the bend as the pose has it.
        bound=np.array([[0, len(foot.chain) == 2, *[0] * most][:most] for foot in feet], np.int32),
        soft=np.full(len(feet), 0.02),
        places=np.ascontiguousarray(ways),
    )
    return found


def _plan(
    feet: Sequence[Foot],
    a: Float32,
    a_planted: Flags,
    b: Float32,
    b_planted: Flags,
    reach: float,
    leave: npt.NDArray[np.intp],
    land: npt.NDArray[np.intp],
    closing: float,
) -> tuple[Held, Float32]:
    """When each foot is held, and where: A's way, then B's. leave, land: (feet,), frames after which no foot
    is held on A's way and before which none is on B's. A foot that is not on the ground in both lands on B's
    way no sooner than it gets there at its ease."""
    count = a.shape[2]
    last = count - 1
    hold = np.zeros((len(feet), count), np.uint8)
    ways = b.copy()
    both = (a_planted[:, 0] > 0) & (b_planted[:, 0] > 0)
    # Frames until which each foot stands where both have it; a foot that B lifts before it could have landed
    # takes no step, and leaves with B.
    stands = [_runs(b_planted[k])[0][1] if both[k] else -1 for k in range(len(feet))]
    must = [k for k in np.flatnonzero(both).tolist() if _apart(a[k, :, 0], b[k, :, 0], reach)]
    landing_on = (a_planted[:, 0] == 0) & (b_planted[:, 0] > 0)
    down = bool(landing_on.any())
    windows = _windows(feet, must, last, down)
    windows = _windows(feet, [k for k in must if stands[k] >= windows[k][1]], last, down)
    down_at = math.ceil(LANDING * last) if not windows else min(lift for lift, _ in windows.values())
    away = np.linalg.norm(a[:, :3, 0].astype(np.float64) - b[:, :3, 0], axis=1)
    eased = np.clip(np.ceil(STEEPEST * away / closing), min(REST, last), max(math.ceil(LANDING * last), REST))
    for k in range(len(feet)):
        until, landing = -1, min(int(eased[k]), last)
        if a_planted[k, 0]:
            lift, landing = windows.get(k, (0, landing))
            if k in must and k not in windows:
                lift, landing = stands[k], stands[k] + 1
            until = min(lift, _runs(a_planted[k])[0][1], int(leave[k]))
            ways[k, :, : until + 1] = a[k, :, : until + 1]
            hold[k, : until + 1] = 1
        elif b_planted[k, 0]:
            landing = min(down_at, last)
        for begin, end in _runs(b_planted[k]):
            hold[k, max(begin, landing, int(land[k])) : end + 1] = 1
    stepping = np.isin(np.arange(len(feet)), list(windows))
    return Held(ways, np.zeros(len(feet), bool), hold, stepping, stepping | landing_on, both), ways


def _apart(a: Float32, b: Float32, reach: float) -> bool:
    """Whether two places of a foot are two, or it faces another way."""
    turn = min(abs(float(np.dot(a[3:], b[3:]))), 1.0)
    return float(np.linalg.norm(a[:3] - b[:3])) > SAME_PLACE * reach or 2.0 * math.acos(turn) > SAME_TURN


def _windows(feet: Sequence[Foot], must: Sequence[int], last: int, down: bool) -> dict[int, tuple[int, int]]:
    """(lift, landing) of each foot that must step: one group after the other, and after such as come down
    first."""
    groups = sorted({feet[k].group for k in must})
    if not groups:
        return {}
    share = last / (len(groups) + down)
    found = {}
    for k in must:
        at = groups.index(feet[k].group) + down
        found[k] = (round(at * share) if at else min(1, last), min(round((at + 1) * share), last))
    return found


def groups_of(
    legs: Legs,
    a: Footing,
    b: Footing,
    move: Move,
    source: Source,
    entry: float,
    reach: float,
) -> int:
    """How many groups of feet must step where the two motions meet, one after another; what comes down out of
    the air before them is one."""
    frame, feet = legs.frame, legs.feet
    a_ways, a_planted = a.at(0, 1)
    _, b_planted = b.at(0, 1)
    rows = move.moved(frame, source.numbers([entry]), np.zeros(1))
    b_ways, _ = places(legs, rows)
    both = (a_planted[:, 0] > 0) & (b_planted[:, 0] > 0)
    must = {
        feet[k].group
        for k in np.flatnonzero(both).tolist()
        if _apart(a_ways[k, :, 0], b_ways[k, :, 0], reach)
    }
    down = ((a_planted[:, 0] == 0) & (b_planted[:, 0] > 0)).any()
    return len(must) + int(bool(must) and bool(down))


def _runs(flags: Flags) -> list[tuple[int, int]]:
    """First and last frame of each run of ones."""
    edge = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(begin), int(end) - 1) for begin, end in edge.reshape(-1, 2)]


def slide(legs: Legs, held: Held, rows: Float32, up: Floats) -> tuple[float, float]:
    """Farthest that a foot planted in both moves on the ground while it is held, and how far it would on the
    ways that the clips themselves have there; nan where there is none."""
    if not held.both.any():
        return math.nan, math.nan
    feet = legs.feet
    _, points = places(legs, rows)
    native = core.load()
    worst, own = 0.0, 0.0
    for k in np.flatnonzero(held.both).tolist():
        ways = held.ways[k]
        spots = np.stack(
            [
                ways[:3]
                + native.quaternion_rotate(np.ascontiguousarray(ways[3:]), _repeated(point, ways.shape[1]))
                for point in feet[k].points
            ]
        )
        for begin, end in _runs(held.hold[k]):
            worst = max(worst, _strays(points[2 * k : 2 * k + 2, :, begin : end + 1], up))
            own = max(own, _strays(spots[..., begin : end + 1], up))
    return worst, own


def _repeated(point: Floats, count: int) -> Float32:
    return np.repeat(point.astype(np.float32)[:, None], count, 1)


def _strays(track: Float32, up: Floats) -> float:
    """How far the point that moves least of (points, 3, f) gets from where it is first, on the ground."""
    track = track.astype(np.float64)
    track = track - up[None, :, None] * np.einsum("c,pcf->pf", up, track)[:, None]
    return float(np.linalg.norm(track - track[:, :, :1], axis=1).max(axis=1).min())
