"""One transition in arrays: two sources in, one motion out. No scene, no writing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import core
from ..action.read import Channel
from .clips import Float32, Frame
from .feet import Footing, Held, hold
from .ground import Move
from .legs import Legs
from .settings import CURVES, ROTATIONS, BlendSettings
from .source import Joined, Source, Times

# Frames nearer to each other than this are one frame.
SAME_FRAME = 1e-3
# Keys between frames that are kept, at most, as a share of the frames.
CORNERS = 0.25
# Frames before the cut and after the transition that its seams are measured on.
EDGE = 3


@dataclass(frozen=True, slots=True)
class Cut:
    """A transition in time. at: last frame of A; entry: first frame of B; lead: frames after `at` at which
    entry is shown; frames: n; switch: frame at which what cannot be blended changes over."""

    at: float
    entry: float
    lead: float
    frames: int

    @property
    def end(self) -> float:
        """Frame from which on B is alone."""
        return self.at + self.frames

    def b_time(self, times: npt.ArrayLike) -> Times:
        """B's own frames at frames of the result."""
        found: Times = self.entry + (np.asarray(times, np.float64) - self.at) - self.lead
        return found

    def shown_at(self, times: npt.ArrayLike) -> Times:
        """Frames of the result at B's own frames."""
        found: Times = np.asarray(times, np.float64) - self.entry + self.at + self.lead
        return found

    @property
    def switch(self) -> float:
        """Frame at which stepped values change: the middle of the transition, on a frame."""
        return self.at + max(math.ceil(self.frames / 2), 1)


def lead_of(curve: str) -> float:
    """Frames after A's last at which B's entry is shown. The specification draws B's first frame at p = 1; a
    curve that carries A's speed on takes the two for the same moment."""
    return 0.0 if CURVES[curve].moving else 1.0


def grid(a: Source, b: Source, cut: Cut, whole: bool) -> Times:
    """Frames of the result: all a whole number from the cut, but for A's first and B's last, and for keys of
    their own between frames where these are few: the corners of a walk, and not a clip of another rate."""
    end = max(cut.at + cut.lead + b.last - cut.entry, cut.end, cut.at + cut.lead)
    start = a.first if whole else cut.at
    before = math.floor(cut.at - start + SAME_FRAME)
    after = math.floor(end - cut.at + SAME_FRAME)
    times = cut.at + np.arange(-before, after + 1, dtype=np.float64)
    if times[0] - start > SAME_FRAME:
        times = np.insert(times, 0, start)
    if end - times[-1] > SAME_FRAME:
        times = np.append(times, end)
    extra = np.concatenate(
        (
            [key for key in a.keys_beside(cut.at) if start < key < cut.at],
            [
                key
                for key in cut.shown_at(b.keys_beside(cut.entry - cut.lead))
                if max(cut.end, cut.at + cut.lead) < key < end
            ],
        )
    )
    apart = np.abs(extra[:, None] - times[None]).min(axis=1, initial=np.inf) > SAME_FRAME
    if 0 < apart.sum() <= CORNERS * times.size:
        times = np.unique(np.concatenate((times, extra[apart])))
    return times


def edges(source: Source, at: float) -> Float32:
    """Numbers (bones, 10, 3) one frame before, at, and one frame after: where the source has none, those to
    which it goes on straight."""
    found = source.numbers([at - 1.0, at, at + 1.0])
    lacks_before = at - 1.0 < source.first - SAME_FRAME
    lacks_after = at + 1.0 > source.last + SAME_FRAME
    if at > source.last + SAME_FRAME or (lacks_before and lacks_after):
        found[..., 0] = found[..., 2] = found[..., 1]
    elif lacks_before:
        found[..., 0] = 2.0 * found[..., 1] - found[..., 2]
    elif lacks_after:
        found[..., 2] = 2.0 * found[..., 1] - found[..., 0]
    return found


@dataclass(frozen=True, slots=True)
class Stance:
    """Feet and how they stand, for a transition that holds them. a, b: counted from A's last frame and from
    what B shows there; reach: length of the legs; up: axis of the ground; closing: units a frame at which a
    foot goes to where it lands."""

    legs: Legs
    a: Footing
    b: Footing
    reach: float
    up: npt.NDArray[np.float64]
    closing: float


@dataclass(frozen=True, slots=True)
class Pair:
    """What is blended. shares: (bones,) of n after which each bone is B's; stance: None leaves the feet to
    the blend."""

    frame: Frame
    a: Source
    b: Source
    settings: BlendSettings
    shares: npt.NDArray[np.float64]
    stance: Stance | None


def seams(pair: Pair, cut: Cut, move: Move) -> Float32:
    """Numbers (bones, 10, f) of the transition with EDGE frames to either side: as `join` lays them down."""
    span = cut.at + np.arange(-EDGE, cut.frames + EDGE + 1.0)
    return _laid(pair, cut, move, span)[0]


def join(pair: Pair, cut: Cut, move: Move, name: str) -> tuple[Joined, Held | None]:
    """The result, and what its feet do in the transition."""
    a, b, settings = pair.a, pair.b, pair.settings
    times = grid(a, b, cut, settings.result == "whole")
    rows, held = _laid(pair, cut, move, times)
    rows = core.load().settle_rotations(pair.frame.modes, rows)
    before = times <= cut.at + SAME_FRAME
    extras, values, steps = _join_extras(a, b, cut, settings, times, before)
    keyed = a.keyed | b.keyed
    if held is not None and pair.stance is not None:
        for foot, changed in zip(pair.stance.legs.feet, held.changed, strict=True):
            if changed:
                keyed[[*foot.chain, foot.end], 3 if foot.chain else 0 : 7] = True
    coming, leaving = _rates(pair, cut, move, times, rows)
    return Joined(name, times, rows, keyed, extras, values, steps, coming, leaving), held


def _rates(pair: Pair, cut: Cut, move: Move, times: Times, rows: Float32) -> tuple[Float32, Float32]:
    """Slopes with which the numbers come to each frame and leave it.

    A's own up to the cut and B's own from its end on; in between those of the smooth curve through the
    frames. A transition that carries A's speed has no corner at its ends; one out of a frozen A has two.
    """
    last_a = int(np.searchsorted(times, cut.at + SAME_FRAME, side="right"))  # frames of A
    first_b = int(np.searchsorted(times, cut.at - SAME_FRAME))  # frames at which B is looked at
    alone = int(np.searchsorted(times, max(cut.end, cut.at + cut.lead) - SAME_FRAME))  # of B alone, from here
    corner = cut.lead > 0.0
    coming, leaving = (np.full(rows.shape, np.nan, np.float32) for _ in range(2))
    b_leaving: Float32 = np.full(rows.shape[:2], np.nan, np.float32)
    # What the transition adds to the running B is smooth, corners that B has within it or not.
    run = slice(last_a - 1, alone + 1)
    is_run = 0 < last_a <= alone < times.size
    added = np.zeros((0, 0, 0), np.float32)
    for source, part, clock, back in (
        (pair.b, slice(first_b, None), cut.b_time(times), True),
        (pair.a, slice(last_a), times, False),
    ):
        at, since = clock[part], times[part] - cut.at
        if not at.size:
            continue
        shown = source.numbers(at)
        for out, leaves in ((coming, False), (leaving, True)):
            rates = source.rates(at, leaving=leaves)
            out[..., part] = move.rates(pair.frame, shown, rates, since) if back else rates
        if back:
            shown = move.moved(pair.frame, shown, since)
        sign = _follow(pair.frame, shown, rows[..., part], coming[..., part], leaving[..., part])
        if back:
            b_leaving = leaving[..., first_b].copy()
            if is_run:
                base = shown[..., run.start - first_b : run.stop - first_b].copy()
                base[:, 3:7] *= sign[:, None, run.start - first_b : run.stop - first_b]
                added = np.ascontiguousarray(rows[..., run] - base)
    if last_a:
        leaving[..., last_a - 1] = b_leaving if corner else coming[..., last_a - 1]
    if is_run:
        rates = core.load().slopes(times[run], added.reshape(-1, added.shape[2])).reshape(added.shape)
        coming[..., last_a : alone + (1 if corner else 0)] += rates[..., 1 : None if corner else -1]
        leaving[..., last_a - (1 if corner else 0) : alone] += rates[..., 0 if corner else 1 : -1]
    seen_at = [k for k in (last_a - 1, alone) if 0 <= k < times.size]
    return _filled(times, rows, coming, leaving, sorted({0, *seen_at, times.size - 1}))


def _follow(frame: Frame, raw: Float32, shown: Float32, coming: Float32, leaving: Float32) -> Float32:
    """Give rates, in place, the signs that rotations got when they were settled; none where angles took other
    forms. Returns those signs, (bones, f)."""
    along = np.einsum("bcf,bcf->bf", raw[:, 3:7], shown[:, 3:7])
    sign = np.where(along < 0.0, np.float32(-1.0), np.float32(1.0))
    angles = np.flatnonzero(frame.modes >= 2)
    sign[angles] = 1.0
    other = sign < 0.0
    if angles.size:
        turns = (shown[angles, 4:7] - raw[angles, 4:7]) / np.float32(2.0 * np.pi)
        other[angles] = (np.abs(turns - np.rint(turns)) > 1e-3).any(axis=1)
    if other.any():
        kept = sign.copy()
        kept[angles] = np.where(other[angles], np.float32(np.nan), np.float32(1.0))
        for rates in (coming, leaving):
            rates[:, 3:7] *= kept[:, None]
    return sign


def _filled(
    times: Times, rows: Float32, coming: Float32, leaving: Float32, at: Sequence[int]
) -> tuple[Float32, Float32]:
    """Rates that are not known, by the frames around within each run between seams."""
    flat = rows.reshape(-1, times.size)
    missing = np.isnan(coming) | np.isnan(leaving)
    if not missing.any():
        return coming, leaving
    for first, last in itertools.pairwise(at):
        if last > first and missing[..., first : last + 1].any():
            run = core.load().slopes(times[first : last + 1], np.ascontiguousarray(flat[:, first : last + 1]))
            run = run.reshape(*rows.shape[:2], -1)
            for out, inner, found in (
                (coming, slice(first + 1, last + 1), run[..., 1:]),
                (leaving, slice(first, last), run[..., :-1]),
            ):
                np.copyto(out[..., inner], found, where=np.isnan(out[..., inner]))
    np.copyto(coming[..., 0], leaving[..., 0], where=np.isnan(coming[..., 0]))
    np.copyto(leaving[..., -1], coming[..., -1], where=np.isnan(leaving[..., -1]))
    return np.nan_to_num(coming), np.nan_to_num(leaving)


def _laid(pair: Pair, cut: Cut, move: Move, times: Times) -> tuple[Float32, Held | None]:
    """A up to the cut, the transition, B: numbers (bones, 10, f) at frames a whole number from the cut, and
    what the feet do."""
    frame, a, b, settings = pair.frame, pair.a, pair.b, pair.settings
    before = times <= cut.at + SAME_FRAME
    within = ~before & (times <= cut.end + SAME_FRAME)
    rows = np.empty((len(frame.names), 10, times.size), np.float32)
    if before.any():
        rows[..., before] = a.numbers(times[before])
    later = ~before
    b_rows = move.moved(frame, b.numbers(cut.b_time(times[later])), times[later] - cut.at)
    rows[..., later] = b_rows
    if not within.any():
        return rows, None
    since = times[within] - cut.at
    start = edges(a, cut.at)
    onto = move.moved(frame, edges(b, cut.entry - cut.lead), np.array([-1.0, 0.0, 1.0]))
    running = a.numbers(times[within]) if CURVES[settings.curve].overlap else None
    inner = np.ascontiguousarray(b_rows[..., : since.size])
    inner = blend_rows(frame, settings, since, start, onto, running, inner, pair.shares * cut.frames)
    held = None
    if pair.stance is not None:
        stance = pair.stance
        clock = cut.at + np.arange(cut.frames + 1.0)
        whole = np.concatenate((a.numbers([cut.at]), inner), axis=2)
        whole, held = hold(
            stance.legs,
            stance.a,
            stance.b,
            b,
            cut.b_time(clock),
            whole,
            move,
            stance.reach,
            stance.up,
            stance.closing,
        )
        inner = whole[..., 1:]
    rows[..., within] = inner
    return rows, held


def blend_rows(
    frame: Frame,
    settings: BlendSettings,
    time: Times,
    start: Float32,
    onto: Float32,
    running: Float32 | None,
    b: Float32,
    lengths: npt.NDArray[np.float64],
) -> Float32:
    """The transition's frames, in local or in world space. Where a bone's time is up, b's own numbers."""
    native = core.load()
    modes = frame.modes
    begin = np.zeros(len(modes))
    curve = CURVES[settings.curve].number
    rotations = ROTATIONS[settings.rotation]
    if settings.space == "local":
        out: Float32 = native.blend(
            modes, time, start, onto, b, begin, lengths, curve, rotations=rotations, a=running
        )
        return out

    def to_world(channels: Float32) -> Float32:
        found: Float32 = native.rotations_to_world(frame.parents, frame.rest, frame.flags, modes, channels)
        return found

    plain = np.zeros_like(modes)
    mixed = native.blend(
        plain,
        time,
        to_world(start),
        to_world(onto),
        to_world(b),
        begin,
        lengths,
        curve,
        rotations=rotations,
        a=None if running is None else to_world(running),
    )
    near = np.ascontiguousarray(start[..., 1])
    out = native.rotations_from_world(frame.parents, frame.rest, frame.flags, modes, mixed, near)
    # A bone is B's to the bit only where all above it are.
    over = time[None, :] >= lengths[:, None] - SAME_FRAME
    for bone, parent in enumerate(frame.parents):
        if parent >= 0:
            over[bone] &= over[parent]
    return np.where(over[:, None], b, out)


def _join_extras(
    a: Source, b: Source, cut: Cut, settings: BlendSettings, times: Times, before: npt.NDArray[np.bool_]
) -> tuple[tuple[Channel, ...], Float32, npt.NDArray[np.bool_]]:
    """Everything that is no transform of a bone: blended as numbers, stepped ones changed over once.

    What only one of the two has keeps, in the other, the value that it has where the two meet.
    """
    extras = tuple(dict.fromkeys((*a.extras, *b.extras)))
    if not extras:
        return (), np.zeros((0, times.size), np.float32), np.zeros(0, bool)
    edge = np.array([-1.0, 0.0, 1.0])
    later = ~before
    both = []
    steps = np.zeros(len(extras), bool)
    for source, clock in ((a, lambda t: np.asarray(t)), (b, cut.b_time)):
        has = [row for row, channel in enumerate(extras) if channel in set(source.extras)]
        there = [extras[row] for row in has]
        found = {}
        for what, when in (("run", times), ("edge", cut.at + edge)):
            values = np.full((len(extras), len(when)), np.nan, np.float32)
            if has:
                values[has] = source.values(there, clock(when))
            found[what] = values
        if has:
            steps[has] |= source.stepped(there)
        both.append(found)
    meeting = [
        np.where(np.isnan(s["edge"][:, 1]), o["edge"][:, 1], s["edge"][:, 1]) for s, o in (both, both[::-1])
    ]
    for found, meets in zip(both, meeting, strict=True):
        for values in found.values():
            np.copyto(values, meets[:, None], where=np.isnan(values))
    out = both[0]["run"].copy()
    out[:, later] = both[1]["run"][:, later]
    within = later & (times <= cut.end + SAME_FRAME)
    if within.any():
        out[:, within] = core.load().blend_values(
            times[within] - cut.at,
            both[0]["edge"],
            both[1]["edge"],
            np.ascontiguousarray(both[1]["run"][:, within]),
            float(cut.frames),
            CURVES[settings.curve].number,
            a=np.ascontiguousarray(both[0]["run"][:, within]),
        )
    early = times < cut.switch - SAME_FRAME
    for row in np.flatnonzero(steps):
        held = (
            both[0]["run"][row]
            if CURVES[settings.curve].overlap
            else np.where(before, both[0]["run"][row], both[0]["edge"][row, 1])
        )
        out[row] = np.where(early, held, both[1]["run"][row])
    return extras, out, steps


def shares_of(
    frame: Frame, settings: BlendSettings, legs: Sequence[str], arms: Sequence[str]
) -> npt.NDArray[np.float64]:
    """Share of the frames after which each bone is B's: legs and arms with all that hangs on them."""
    shares = np.full(len(frame.names), np.nan)
    place = frame.place
    for names, share in ((legs, settings.legs), (arms, settings.arms)):
        for name in names:
            if name in place:
                shares[place[name]] = share
    for bone, parent in enumerate(frame.parents):
        if np.isnan(shares[bone]):
            shares[bone] = shares[parent] if parent >= 0 else 1.0
    return shares
