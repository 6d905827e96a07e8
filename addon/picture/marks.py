"""What is drawn around the figures: lane, prints on the ground, and a strip of contact times under them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rig.sides import leg_words
from .body import SIDES, Floats
from .inks import FAINT, INKS, LANE_INK, Colour
from .stage import Stage

HEEL, SOLE, TOES = "heel", "sole", "toes"
LANE = (-0.62, 0.2)  # from the viewer's edge to the far one, metres of stage space
# Prints lie nearer to the viewer than the feet that made them, which would hide them.
PRINT_NEARER = 0.32
PRINT_WIDTH = 0.16


@dataclass(frozen=True, slots=True)
class Touch:
    """One contact of a foot within a cycle; times as fractions of the cycle from its start, may exceed 1."""

    leg: int
    heel_on: float
    flat: float
    heel_off: float
    toe_off: float

    def part(self, time: float) -> str | None:
        """Which part of the foot is on the ground at a time (fraction of the cycle, taken modulo 1)."""
        since = (time - self.heel_on) % 1.0
        if since > self.toe_off - self.heel_on:
            return None
        if since < self.flat - self.heel_on:
            return HEEL
        return SOLE if since <= self.heel_off - self.heel_on else TOES


def cycle_of(contacts: Sequence[Any], first_leg: int, frames: tuple[float, float]) -> tuple[float, float]:
    """(start, length) in frames of the cycle to draw: from a heel strike of the leg given to its next.

    Where the contacts hold one strike of that leg only, the whole range of frames is one cycle.
    """
    strikes = sorted(contact.heel_on for contact in contacts if contact.leg == first_leg)
    length = strikes[1] - strikes[0] if len(strikes) > 1 else frames[1] - frames[0]
    start = strikes[0] if strikes else frames[0]
    # A loop lists stances by the round in which they count: the strike may lie before its first frame.
    rounds = math.ceil((frames[0] - start) / length - 1e-6) if length > 0 else 0
    return start + max(rounds, 0) * length, length


def touches_of(contacts: Sequence[Any], start: float, length: float) -> list[Touch]:
    """The contacts of one cycle, each leg's repeats in further cycles left out."""
    touches: list[Touch] = []
    for contact in sorted(contacts, key=lambda contact: contact.heel_on):
        times = [
            (getattr(contact, name) - start) / length for name in ("heel_on", "flat", "heel_off", "toe_off")
        ]
        whole = np.floor(times[0] + 1e-6)
        touch = Touch(contact.leg, *(float(time - whole) for time in times))
        if all(
            other.leg != touch.leg or abs((other.heel_on - touch.heel_on + 0.5) % 1.0 - 0.5) > 0.02
            for other in touches
        ):
            touches.append(touch)
    return touches


def touches_within(contacts: Sequence[Any], frames: tuple[float, float], length: float) -> list[Touch]:
    """The contacts of a motion that is no loop, cut at its first and last frame; `length`: frames that the
    strip is long."""
    # What stands at the last frame stands there still: a hair longer.
    first, last = frames[0], frames[1] + 1e-3
    touches = []
    for contact in contacts:
        times = [getattr(contact, name) for name in ("heel_on", "flat", "heel_off", "toe_off")]
        cut = [(min(max(time, first), last) - first) / length for time in times]
        if cut[3] > cut[0]:
            touches.append(Touch(contact.leg, *cut))
    return touches


def print_outline(heel: Floats, ball: Floats, tip: Floats, part: str, wide: float) -> Floats:
    """Outline (n, 2) on the ground of the loaded part of a foot, from its points (2,);
    `wide`: metres at the ball."""
    long = max(float(np.linalg.norm(tip - heel)), 1e-9)
    along = (tip - heel) / long
    wide = min(wide, long)
    discs = {
        HEEL: [(heel + along * 0.34 * wide, 0.38 * wide), (heel + along * 0.30 * long, 0.36 * wide)],
        SOLE: [
            (heel + along * 0.34 * wide, 0.38 * wide),
            (heel + along * 0.40 * long, 0.36 * wide),
            (ball, 0.50 * wide),
            (tip - along * 0.34 * wide, 0.36 * wide),
        ],
        TOES: [(ball, 0.50 * wide), (tip - along * 0.34 * wide, 0.36 * wide)],
    }[part]
    return _around(discs, along)


def _around(discs: Sequence[tuple[Floats, float]], along: Floats) -> Floats:
    """One outline around discs that follow each other along a direction."""
    across = np.array([-along[1], along[0]])
    turn = np.linspace(0.0, np.pi / 2, 9)

    def quarter(disc: tuple[Floats, float], direction: float) -> Floats:
        centre, radius = disc
        return centre + radius * (np.sin(turn)[:, None] * along * direction + np.cos(turn)[:, None] * across)

    front, back = quarter(discs[-1], 1.0), quarter(discs[0], -1.0)[::-1]
    sides = np.array([centre + across * radius for centre, radius in discs[1:-1]]).reshape(-1, 2)
    one = np.concatenate([back, sides, front])
    centre = discs[0][0]
    other = one - 2.0 * ((one - centre) @ across)[:, None] * across
    return np.concatenate([one, other[::-1]])


def bar(x0: float, x1: float, y0: float, y1: float) -> Floats:
    """A rectangle, outline (4, 2)."""
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def pieces(start: float, end: float, low: float, high: float) -> list[tuple[float, float]]:
    """The parts of the span start..end, repeated every 1.0, that lie in low..high."""
    found = []
    for shift in np.arange(np.floor(low - end), np.ceil(high - start) + 1):
        a, b = max(start + shift, low), min(end + shift, high)
        if b - a > 1e-6:
            found.append((float(a), float(b)))
    return found


def _ink(side: str) -> Colour:
    return INKS[SIDES[side]] if side in SIDES else FAINT


def draw_ground(stage: Stage, low: float, high: float) -> None:
    """The lane that the figures walk on."""
    stage.add_ink(bar(low, high, *LANE), LANE_INK, 0.002)


def draw_prints(
    stage: Stage, soles: Sequence[Floats], roles: Any, touches: Sequence[Touch], phases: Floats
) -> None:
    """Under each figure the part of each foot that is on the ground."""
    for k, phase in enumerate(phases):
        for touch in touches:
            part = touch.part(float(phase) + 1e-6)
            if part is None:
                continue
            heel, ball, tip = soles[k][touch.leg][:, :2] - [0.0, PRINT_NEARER]
            low = float(soles[k][touch.leg][:, 2].min())
            stage.add_ink(
                print_outline(heel, ball, tip, part, PRINT_WIDTH),
                _ink(roles.legs[touch.leg].side),
                max(low, 0.0) + 0.004,
                lit=False,
            )


def draw_strip(
    stage: Stage,
    roles: Any,
    touches: Sequence[Touch],
    names: Sequence[str],
    step: float,
    top: float,
    size: float,
    *,
    events: bool,
) -> float:
    """When each foot is down, a row a leg, downwards from `top`; returns the lowest picture-plane y used.

    The rows run with the figures: the time of a pose lies straight under it. Full colour: the whole sole is
    down; paler: only the heel, or only the ball. names: one under each pose; events: name
    strikes and lift-offs.
    """
    poses = len(names)
    y = top - 1.2 * size
    for k, text in enumerate(names):
        stage.add_text(text, (k * step, y), size, FAINT)
    first, last = -0.5 / poses, 1.0 - 0.5 / poses

    def x(time: float) -> float:
        return time * poses * step

    legs = sorted({touch.leg for touch in touches}, key=lambda leg: (roles.legs[leg].side != "R", leg))
    for leg in legs:
        limb = roles.legs[leg]
        strong = np.array(_ink(limb.side))
        y -= 2.1 * size
        text_y = y
        y -= 0.95 * size
        stage.add_overlay(bar(x(first), x(last), y, y + 0.6 * size), LANE_INK)
        name = leg_words(limb.side, limb.pair, len(roles.legs))
        if not events:
            stage.add_text(name, (x(first), text_y), 0.9 * size, tuple(strong * 0.8), "LEFT")
        for touch in (touch for touch in touches if touch.leg == leg):
            spans = (
                (touch.heel_on, touch.flat, 0.5),
                (touch.flat, touch.heel_off, 1.0),
                (touch.heel_off, touch.toe_off, 0.5),
            )
            for begin, end, share in spans:
                ink = tuple(strong * share + np.array(LANE_INK) * (1 - share))
                for a, b in pieces(begin, end, first, last):
                    stage.add_overlay(bar(x(a), x(b), y, y + 0.6 * size), ink, 0.002)
            on, off = ("heel strike", "toe off") if len(roles.legs) <= 2 else ("down", "up")
            marks = ((touch.heel_on, f"{name} {on}"), (touch.toe_off, f"{name} {off}"))
            for time, text in marks if events else ():
                for a, _b in pieces(time, time + 1e-3, first, last - 1e-3):
                    align = "LEFT" if a < last - 0.1 else "RIGHT"
                    stage.add_overlay(
                        bar(x(a) - 0.05 * size, x(a) + 0.05 * size, y, text_y + 0.55 * size),
                        tuple(strong),
                        0.003,
                    )
                    gap = 0.35 * size if align == "LEFT" else -0.35 * size
                    stage.add_text(text, (x(a) + gap, text_y), 0.9 * size, tuple(strong * 0.8), align)
    return y
