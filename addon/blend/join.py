"""One transition in arrays: two sources in, one motion out. No scene, no writing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import core
from ..action.read import Channel
from .clips import Float32, Frame
from .ground import Move
from .settings import CURVES, BlendSettings
from .source import Joined, Source, Times

# Frames nearer to each other than this are one frame.
SAME_FRAME = 1e-3


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

    @property
    def switch(self) -> float:
        """Frame at which stepped values change: the middle of the transition, on a frame."""
        return self.at + max(math.ceil(self.frames / 2), 1)


def lead_of(curve: str) -> float:
    """Frames after A's last at which B's entry is shown. The specification draws B's first frame at p = 1; a
    curve that carries A's speed on takes the two for the same moment."""
    return 1.0 if curve in ("linear", "ease") else 0.0


def grid(a: Source, b: Source, cut: Cut, whole: bool) -> Times:
    """Frames of the result, all a whole number from the cut but for A's first and B's last."""
    end = max(cut.at + cut.lead + b.last - cut.entry, cut.end, cut.at + cut.lead)
    start = a.first if whole else cut.at
    before = math.floor(cut.at - start + SAME_FRAME)
    after = math.floor(end - cut.at + SAME_FRAME)
    times = cut.at + np.arange(-before, after + 1, dtype=np.float64)
    if times[0] - start > SAME_FRAME:
        times = np.insert(times, 0, start)
    if end - times[-1] > SAME_FRAME:
        times = np.append(times, end)
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


def join(
    frame: Frame,
    a: Source,
    b: Source,
    cut: Cut,
    settings: BlendSettings,
    move: Move,
    shares: npt.NDArray[np.float64],
    name: str,
) -> Joined:
    """The result's frames.

    shares: (bones,) of n after which each bone is B's.
    """
    native = core.load()
    times = grid(a, b, cut, settings.result == "whole")
    before = times <= cut.at + SAME_FRAME
    within = ~before & (times <= cut.end + SAME_FRAME)
    after = ~before & ~within
    rows = np.empty((len(frame.names), 10, times.size), np.float32)
    if before.any():
        rows[..., before] = a.numbers(times[before])
    later = ~before
    since = times[later] - cut.at
    b_rows = move.moved(frame, b.numbers(cut.b_time(times[later])), since)
    rows[..., later] = b_rows
    if within.any():
        count = int(within.sum())
        edge_time = np.array([-1.0, 0.0, 1.0])
        onto = move.moved(frame, edges(b, cut.entry - cut.lead), edge_time)
        start = edges(a, cut.at)
        running = a.numbers(times[within]) if settings.curve == "overlap" else None
        rows[..., within] = blend_rows(
            frame,
            settings,
            since[:count],
            start,
            onto,
            running,
            np.ascontiguousarray(b_rows[..., :count]),
            shares * cut.frames,
        )
    del after
    rows = native.settle_rotations(frame.modes, rows)
    extras, values, steps = _join_extras(a, b, cut, settings, times, before)
    return Joined(name, times, rows, a.keyed | b.keyed, extras, values, steps)


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
    curve = CURVES[settings.curve]
    euler = settings.rotation == "euler"
    if settings.space == "local":
        out: Float32 = native.blend(
            modes, time, start, onto, b, begin, lengths, curve, euler=euler, a=running
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
        euler=euler,
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
    for found, hold in zip(both, meeting, strict=True):
        for values in found.values():
            np.copyto(values, hold[:, None], where=np.isnan(values))
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
            CURVES[settings.curve],
            a=np.ascontiguousarray(both[0]["run"][:, within]),
        )
    early = times < cut.switch - SAME_FRAME
    for row in np.flatnonzero(steps):
        held = (
            both[0]["run"][row]
            if settings.curve == "overlap"
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
