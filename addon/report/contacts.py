"""Contact of feet with the ground: as the motion claims it, and as it is seen by height alone.

A claim says when a point of the foot is fixed to the ground; how far the point moves all the same is the
slide. A claim can be too short to show a slide, so it is never believed on its own: the same feet are looked
at by height, with no claim at hand, and the two must agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .reference import Floats

Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

POINTS_OF_FOOT = ("heel", "ball", "tip")

# Claimed times are often single precision; a sample this close to an end (in frames) counts as inside.
EDGE_FRAMES = 1e-4
# Up to this many points every pair is looked at in one go; of more, so many at a time.
BLOCK, GROUP = 512, 32


@dataclass(frozen=True, slots=True)
class Contact:
    """One stance of one leg as claimed, times in frames (fractions allowed).

    leg: index into the roles' legs. The heel is fixed to the ground in [heel_on, heel_off], the ball (the
    point the foot rolls off over) in [flat, toe_off]. Where the toe rolls off in its turn, the ball leaves at
    ball_off and the tip of the toe is fixed in [flat, toe_off]. points: where it is otherwise, as of a foot
    that lands on its toe, (point, first, last) of each that is fixed. In a cycle times may run past its end
    and are taken modulo its length.
    """

    leg: int
    heel_on: float
    flat: float
    heel_off: float
    toe_off: float
    ball_off: float | None = None
    points: tuple[tuple[str, float, float], ...] = ()

    def spans(self) -> dict[str, tuple[float, float]]:
        """(first, last) frame in which each point of the foot is claimed to be fixed."""
        if self.points:
            return {name: (first, last) for name, first, last in self.points}
        found = {"heel": (self.heel_on, self.heel_off), "ball": (self.flat, self.toe_off)}
        if self.ball_off is not None:
            found |= {"ball": (self.flat, self.ball_off), "tip": (self.flat, self.toe_off)}
        return found


@dataclass(frozen=True, slots=True)
class Clock:
    """The samples in time. frames: float64 (n,), rising, first = start, last = end; fps: frames a second;
    cyclic: the last sample is the first one of the next cycle."""

    frames: Floats
    fps: float
    cyclic: bool

    @property
    def start(self) -> float:
        """First frame."""
        return float(self.frames[0])

    @property
    def period(self) -> float:
        """Frames from first to last sample."""
        return float(self.frames[-1] - self.frames[0])

    @property
    def count(self) -> int:
        """Number of samples that are not repeated."""
        return len(self.frames) - (1 if self.cyclic else 0)

    @property
    def seconds(self) -> Floats:
        """Time of each sample since the start, seconds."""
        return (self.frames - self.frames[0]) / self.fps

    def inside(self, first: float, last: float) -> tuple[Indices, Floats]:
        """Samples with first <= time <= last: indices (k,) and their times in frames (k,), rising.

        In a cycle a sample comes back every period, so the time may lie outside the sampled range.
        """
        if not self.cyclic:
            return self._between(first, last, 0.0)
        low = math.floor((first - self.frames[-1]) / self.period)
        high = math.ceil((last - self.start) / self.period)
        found = [self._between(first, last, turn * self.period) for turn in range(low, high + 1)]
        return np.concatenate([index for index, _ in found]), np.concatenate([times for _, times in found])

    def _between(self, first: float, last: float, shift: float) -> tuple[Indices, Floats]:
        """Samples that lie between when they are `shift` frames later."""
        edges = first - EDGE_FRAMES - shift, last + EDGE_FRAMES - shift
        begin, end = np.searchsorted(self.frames[: self.count], edges)
        # One more on either side, as the difference may round otherwise than the sum.
        index = np.arange(max(int(begin) - 1, 0), min(int(end) + 1, self.count))
        times = self.frames[index] + shift
        hit = (times >= first - EDGE_FRAMES) & (times <= last + EDGE_FRAMES)
        return index[hit], times[hit]

    def turns(self, times: Floats) -> Floats:
        """How many cycles after the sampled one each time (frames) lies; 0 where nothing is cyclic."""
        if not self.cyclic:
            return np.zeros(len(times))
        return np.floor((times - self.start) / self.period + EDGE_FRAMES / self.period)


@dataclass(frozen=True, slots=True)
class Ground:
    """How positions of the armature's world become positions on the ground it walks over.

    travel: float64 (3,), unit; treadmill: metres a second the ground runs backward under a motion in place (0
    with root motion); advance: float64 (3,), metres one cycle carries the body on (0 in place).
    """

    travel: Floats
    treadmill: float
    advance: Floats

    def place(self, points: Floats, clock: Clock, index: Indices, times: Floats) -> Floats:
        """Positions on the ground, float64 (k, 3), of points float64 (n, 3) at the samples `index` and
        `times`.
        """
        carried = self.treadmill * (times - clock.start) / clock.fps
        return points[index] + carried[:, None] * self.travel + clock.turns(times)[:, None] * self.advance


def spread(points: Floats) -> float:
    """Largest distance between any two of the points float64 (k, dimensions); 0 for fewer than two."""
    if len(points) < 2:
        return 0.0
    if len(points) <= BLOCK:
        return float(_apart(points, points).max())
    # Pairs of boxes around neighbours in time: those that reach no farther than what is found are left out.
    least, points = _outer(points)
    edges = np.arange(0, len(points), GROUP)
    low, high = np.minimum.reduceat(points, edges), np.maximum.reduceat(points, edges)
    for k, edge in enumerate(edges):
        most = np.linalg.norm(np.maximum(high[k] - low[k:], high[k:] - low[k]), axis=1)
        far = edges[k:][most > least]
        if len(far):
            index = (far[:, None] + np.arange(GROUP)).ravel()
            others = points[index[index < len(points)]]
            least = max(least, float(_apart(points[edge : edge + GROUP], others).max()))
    return least


def _apart(first: Floats, second: Floats) -> Floats:
    """Distances of points (j, dimensions) from points (k, dimensions), (j, k)."""
    # Differences before squares: positions far from the origin must not eat the millimetre looked for.
    apart = first[:, None, :] - second[None, :, :]
    return np.asarray(np.sqrt(np.sum(apart**2, axis=-1)), dtype=np.float64)


def _outer(points: Floats) -> tuple[float, Floats]:
    """A distance found between two points, and the points that can belong to a pair farther apart: no pair is
    farther apart than its distances from a third point together.
    """
    far, least = points[:1], 0.0
    for _ in range(3):
        away = _apart(points, far)[:, 0]
        far, least = points[[int(np.argmax(away))]], float(away.max())
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    out = _apart(points, middle[None])[:, 0]
    return least, points[out + out.max() >= (1.0 - 1e-9) * least]


def claimed(clock: Clock, spans: Sequence[tuple[float, float]]) -> Mask:
    """Which samples lie in any of the spans, bool (count,)."""
    mask = np.zeros(len(clock.frames), dtype=bool)
    for first, last in spans:
        mask[clock.inside(first, last)[0]] = True
    return mask[: clock.count]


def runs(mask: Mask, *, cyclic: bool, gap: int = 0, shortest: int = 1) -> list[tuple[int, int]]:
    """Runs of True as (first, last) indices, both inside; in a cycle `last` may pass the end of the mask.

    gap: holes of at most this many samples are closed first; shortest: runs with fewer samples are left out.
    A cyclic mask that is True throughout is one run (0, n - 1).
    """
    n = len(mask)
    if not mask.any():
        return []
    if mask.all():
        return [(0, n - 1)]
    # In a cycle start counting right after a False, so that no run is cut.
    shift = int(np.flatnonzero(~mask)[0]) + 1 if cyclic else 0
    turned = np.roll(mask, -shift)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], turned, [False]]).astype(np.int8)))
    found = [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]
    joined = [found[0]]
    for first, last in found[1:]:
        if first - joined[-1][1] - 1 <= gap:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    if cyclic and len(joined) > 1 and joined[0][0] + n - joined[-1][1] - 1 <= gap:
        joined[0] = (joined.pop()[0] - n, joined[0][1])
    kept = [(first + shift, last + shift) for first, last in joined if last - first + 1 >= shortest]
    return sorted((first % n, first % n + last - first) for first, last in kept) if cyclic else kept


@dataclass(frozen=True, slots=True)
class Stance:
    """One stance seen by height alone: touch-down and lift-off in frames, cut = it begins or ends outside
    the range.
    """

    on: float
    off: float
    cut: bool


def floor_level(lowest: Floats) -> float:
    """Height that the foot stands on, from the height of its lowest point over time (metres).

    A foot stands for more than a third of any gait's cycle, so the height undercut for 15 % of the time is
    that of a standing foot, whether or not it is the ground's.
    """
    return float(np.percentile(lowest, 15.0))


def stances(lowest: Floats, clock: Clock, *, near: float, touch: float) -> list[Stance]:
    """Stances of one foot by the height of its lowest point, float64 (n,), metres.

    near: a foot less than this above its own floor level is on the ground; touch: where it passes this
    height, between samples, it touches down or lifts off. Holes and runs shorter than 0.06 s are ripple.
    """
    above = lowest - floor_level(lowest)
    step = clock.period / clock.fps / max(len(clock.frames) - 1, 1)
    ripple = max(int(0.06 / step), 1)
    found = runs(above[: clock.count] < near, cyclic=clock.cyclic, gap=ripple, shortest=ripple)
    return [_stance(above, clock, first, last, near, touch) for first, last in found]


def _stance(above: Floats, clock: Clock, first: int, last: int, near: float, touch: float) -> Stance:
    n = clock.count
    if last - first + 1 >= n and clock.cyclic:
        return Stance(clock.start, clock.start + clock.period, False)
    cut = not clock.cyclic and (first == 0 or last == n - 1)
    # One sample before and after, where there is one.
    around = np.arange(max(first - 1, 0) if not clock.cyclic else first - 1, last + 2)
    if not clock.cyclic:
        around = around[around < n]
    heights = above[around % n]
    times = clock.frames[around % n] + (around // n) * clock.period
    quarter = max(len(around) // 4, 2)
    on = _crossing(heights[:quarter], times[:quarter], near, touch)
    off = _crossing(heights[::-1][:quarter], times[::-1][:quarter], near, touch)
    return Stance(on, off, cut)


def _crossing(heights: Floats, times: Floats, near: float, touch: float) -> float:
    """Time at which heights that fall from the first sample on first pass `touch`, else `near`, between
    samples.
    """
    for level in (touch, near):
        under = np.flatnonzero(heights < level)
        if len(under):
            k = int(under[0])
            if k == 0:
                return float(times[0])
            share = (heights[k - 1] - level) / (heights[k - 1] - heights[k])
            return float(times[k - 1] + share * (times[k] - times[k - 1]))
    return float(times[0])
