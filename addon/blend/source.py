"""What can be blended: a clip, or what came out of a transition, at any frame."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..action.read import Channel
from .clips import Float32, Motion

Times = npt.NDArray[np.float64]


class Source(Protocol):
    """A motion in time."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def first(self) -> float:
        """First frame."""

    @property
    def last(self) -> float:
        """Last frame."""

    @property
    def keyed(self) -> npt.NDArray[np.bool_]:
        """(bones, 10), which numbers it moves."""

    @property
    def extras(self) -> tuple[Channel, ...]:
        """What it moves beside bones."""

    def numbers(self, times: npt.ArrayLike) -> Float32:
        """(bones, 10, f) at frames; what is not keyed is at rest."""

    def rates(self, times: npt.ArrayLike, *, leaving: bool) -> Float32:
        """Change per frame of the numbers, as they leave each frame or as they come to it."""

    def keys_beside(self, zero: float) -> Times:
        """Frames that have a key and are no whole number from `zero`."""

    def values(self, channels: Sequence[Channel], times: npt.ArrayLike) -> Float32:
        """(channels, f) of extras at frames."""

    def stepped(self, channels: Sequence[Channel]) -> npt.NDArray[np.bool_]:
        """Which of the extras hold each key until the next."""


@dataclass(frozen=True, slots=True)
class ClipSource:
    """A clip as a source. hold: numbers of the object where the clip has none of its own, (10,); zero: a
    frame from which most are a whole number away, and numbers on all of those that the clip has, from frame
    `low` beside it on."""

    motion: Motion
    first: float
    last: float
    hold: Float32 | None = None
    zero: float | None = None
    low: int = 0
    dense: Float32 | None = None

    def on_frames_of(self, zero: float) -> ClipSource:
        """The same, evaluated once on all its frames that are a whole number from `zero`."""
        low = math.ceil(self.first - zero - 1e-6) - 1
        high = math.floor(self.last - zero + 1e-6) + 1
        dense = self.motion.numbers(zero + np.arange(low, high + 1))
        return dataclasses.replace(self, zero=zero, low=low, dense=dense)

    @property
    def name(self) -> str:
        """Of the action."""
        return self.motion.name

    @property
    def keyed(self) -> npt.NDArray[np.bool_]:
        """See Source."""
        return self.motion.keyed

    @property
    def extras(self) -> tuple[Channel, ...]:
        """See Source."""
        return tuple(self.motion.clip.channels_of[row] for row in self.motion.others)

    def numbers(self, times: npt.ArrayLike) -> Float32:
        """See Source."""
        found = self._numbers(np.atleast_1d(np.asarray(times, np.float64)))
        if self.hold is not None:
            found[0] = np.where(self.motion.keyed[0, :, None], found[0], self.hold[:, None])
        return found

    def rates(self, times: npt.ArrayLike, *, leaving: bool) -> Float32:
        """See Source."""
        return self.motion.rates(times, leaving=leaving)

    def keys_beside(self, zero: float) -> Times:
        """See Source."""
        return _beside(self.motion.moving.points[:, 0], zero)

    def _numbers(self, times: Times) -> Float32:
        if self.dense is None or self.zero is None:
            return self.motion.numbers(times)
        away = times - self.zero
        index = np.rint(away).astype(np.intp)
        if np.abs(away - index).max(initial=0.0) > 1e-6:
            return self.motion.numbers(times)
        index -= self.low
        if index.min(initial=0) >= 0 and index.max(initial=0) < self.dense.shape[2]:
            if index.size and (np.diff(index) == 1).all():
                return np.ascontiguousarray(self.dense[..., index[0] : index[-1] + 1])
            return np.take(self.dense, index, axis=2)
        if self.motion.steady:
            return np.take(self.dense, np.clip(index, 0, self.dense.shape[2] - 1), axis=2)
        return self.motion.numbers(times)

    def values(self, channels: Sequence[Channel], times: npt.ArrayLike) -> Float32:
        """See Source."""
        rows = {self.motion.clip.channels_of[row]: row for row in self.motion.others}
        return self.motion.values([rows[channel] for channel in channels], times)

    def stepped(self, channels: Sequence[Channel]) -> npt.NDArray[np.bool_]:
        """See Source."""
        clip = self.motion.clip
        rows = {clip.channels_of[row]: row for row in self.motion.others}
        found = []
        for channel in channels:
            run = slice(clip.starts[rows[channel]], clip.starts[rows[channel] + 1])
            found.append(bool((clip.kinds[run] == 0).all()))
        return np.array(found, bool)


@dataclass(frozen=True, slots=True)
class Joined:
    """A motion laid down frame by frame: what a transition makes, and what the next one can start from.

    times: (f,), rising; rows: (bones, 10, f); extra_rows: (extras, f); extra_steps: (extras,); coming,
    leaving: (bones, 10, f), slopes with which the numbers come to each frame and leave it. Between its frames
    it is read along the straight line, which nobody sees: a transition asks for the frames that are there.
    """

    name: str
    times: Times
    rows: Float32
    keyed: npt.NDArray[np.bool_]
    extras: tuple[Channel, ...]
    extra_rows: Float32
    extra_steps: npt.NDArray[np.bool_]
    coming: Float32
    leaving: Float32

    @property
    def first(self) -> float:
        """First frame."""
        return float(self.times[0])

    @property
    def last(self) -> float:
        """Last frame."""
        return float(self.times[-1])

    def numbers(self, times: npt.ArrayLike) -> Float32:
        """See Source."""
        return self._at(self.rows, times)

    def values(self, channels: Sequence[Channel], times: npt.ArrayLike) -> Float32:
        """See Source."""
        place = {channel: row for row, channel in enumerate(self.extras)}
        return self._at(self.extra_rows[[place[channel] for channel in channels]], times)

    def stepped(self, channels: Sequence[Channel]) -> npt.NDArray[np.bool_]:
        """See Source."""
        place = {channel: row for row, channel in enumerate(self.extras)}
        return self.extra_steps[[place[channel] for channel in channels]]

    def rates(self, times: npt.ArrayLike, *, leaving: bool) -> Float32:
        """See Source."""
        return self._at(self.leaving if leaving else self.coming, times)

    def keys_beside(self, zero: float) -> Times:
        """See Source."""
        return _beside(self.times, zero)

    def _at(self, rows: Float32, times: npt.ArrayLike) -> Float32:
        at = np.clip(np.atleast_1d(np.asarray(times, np.float64)), self.first, self.last)
        after = np.clip(np.searchsorted(self.times, at - 1e-6), 0, self.times.size - 1)
        found: Float32 = np.ascontiguousarray(rows[..., after])
        off = self.times[after] - at > 1e-6
        if off.any():
            before = np.maximum(after - 1, 0)[off]
            share = (at[off] - self.times[before]) / (self.times[after[off]] - self.times[before])
            found[..., off] = rows[..., before] * (1.0 - share) + rows[..., after[off]] * share
        return found


def _beside(frames: npt.NDArray[np.floating[Any]], zero: float) -> Times:
    away = frames - zero
    found: Times = np.unique(frames[np.abs(away - np.rint(away)) > 1e-3]).astype(np.float64)
    return found
