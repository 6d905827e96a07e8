"""Which frames a gait fills, and how many keys they get."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..rig import Skeleton
from .body import Body
from .settings import KEYS_A_STRIDE, GaitSettings

# A whole number of strides is fitted into the frames asked for as long as that changes the stride by no more
# than this; beyond it the walk keeps its natural stride and ends where a stride ends. Natural strides are
# about 6 % under people's, and the report's bar is at 10 %.
FIT = 0.03
# More keys than this are no walk that anybody asked for, and would fill the memory.
MOST_KEYS = 1_000_000
# A heel strike this far (in frames) from a whole frame gets a key of its own.
STRIKE_KEY = 0.02

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Timing:
    """Frames of a motion.

    start, end: first and last key; strides: how many lie between; fps: frames a second; cycle: seconds a
    stride; keys: how many keys a frame gets; note: one sentence where it is not what was asked for; struck:
    frames in which feet come down or leave, where that is not every half stride.
    """

    start: float
    end: float
    strides: float
    fps: float
    cycle: float
    note: str = ""
    keys: int = 1
    struck: tuple[float, ...] | None = None

    @property
    def frames(self) -> Floats:
        """Key frames: every whole one from start, the end, and each heel strike that falls between two; with
        more than one key a frame halves, thirds ... too.

        A foot that strikes begins to fall at once; a curve that has no key there rounds that off, and the
        heel slides by a millimetre.
        """
        whole = self.start + np.arange(round((self.end - self.start) * self.keys) + 1) / self.keys
        strikes = self.start + 0.5 * self.cycle_frames * np.arange(np.ceil(2.0 * self.strides + 1e-6))
        strikes = strikes if self.struck is None else np.array(self.struck)
        nearest = np.clip(np.rint((strikes - self.start) * self.keys).astype(np.intp), 0, len(whole) - 1)
        between = np.abs(strikes - whole[nearest]) > STRIKE_KEY
        between &= (strikes > self.start) & (strikes < self.end)
        return np.sort(np.concatenate([whole, strikes[between]]))

    @property
    def cycle_frames(self) -> float:
        """Frames a stride."""
        return self.cycle * self.fps


def fit_frames(settings: GaitSettings, cycle: float, fps: float) -> Timing:
    """Fits strides of about `cycle` seconds into the frames asked for."""
    natural = cycle * fps
    if settings.frames is None:
        length = max(round(natural), 2) if settings.loop else natural
        return Timing(1.0, 1.0 + float(max(round(length), 2)), 1.0, fps, max(round(natural), 2) / fps)
    start, end = settings.frames
    span = end - start
    if span < 1:
        raise BadSetting(f"frames is {start}:{end}: the last frame must come after the first.")
    check_keys(float(span), natural)
    if not settings.loop:
        return Timing(float(start), float(end), span / natural, fps, cycle)
    strides = max(round(span / natural), 1)
    fitted = span / strides / fps
    fits = abs(fitted / cycle - 1.0) <= FIT
    if fits or settings.cycle is not None:
        note = (
            ""
            if fits
            else f"{span} frames hold no whole number of strides of {cycle:.2f} s: they take {fitted:.2f} s "
            "each. Ask for other frames, or for no loop."
        )
        return Timing(float(start), float(end), float(strides), fps, fitted, note)
    strides = max(math.floor(span / natural + FIT), 1)
    length = strides * max(round(natural), 2)
    note = (
        f"{span} frames hold no whole number of strides of {natural:.1f} frames: "
        f"the loop ends at frame {start + length}."
    )
    return Timing(float(start), float(start + length), float(strides), fps, length / strides / fps, note)


def keys_a_frame(skeleton: Skeleton, body: Body, timing: Timing, gait: str = "walk") -> int:
    """How many keys a frame needs: more than one for strides of few frames, and where axes of rotation, which
    swing about when a bone passes its rest, are what is keyed. Raises BadSetting
    where all are too many."""
    keys = math.ceil(KEYS_A_STRIDE[gait] / timing.cycle_frames - 1e-6)
    modes = {skeleton.rotation_modes[skeleton.index(one.bone)] for one in body.keyed.values() if one.rotation}
    keys = 4 * keys if "AXIS_ANGLE" in modes else keys
    check_keys(timing.end - timing.start, timing.cycle_frames, keys)
    return keys


def check_keys(span: float, stride: float, keys: int = 1) -> None:
    """Raises BadSetting for more keys than there should be. span, stride: in frames; keys: a frame."""
    # No quotient: at a tiny frame rate a stride may be of no frames at all.
    if span * keys > MOST_KEYS or span * KEYS_A_STRIDE["walk"] > MOST_KEYS * stride:
        raise BadSetting(
            f"{span:.7g} frames with strides of {stride:.3g} frames need more than {MOST_KEYS:,} keys: "
            "ask for fewer frames, or for more of them a second (fps)."
        )
