"""What is drawn around the figures: prints on the ground, and a strip of contact times under them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

HEEL, SOLE, TOES = "heel", "sole", "toes"


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
    return (strikes[0] if strikes else frames[0]), length


def touches_of(contacts: Sequence[Any], start: float, length: float) -> list[Touch]:
    """The contacts of one cycle, each leg's repeats in further cycles left out."""
    touches: list[Touch] = []
    for contact in sorted(contacts, key=lambda contact: contact.heel_on):
        times = [(getattr(contact, name) - start) / length for name in ("heel_on", "flat", "heel_off", "toe_off")]
        whole = np.floor(times[0] + 1e-6)
        touch = Touch(contact.leg, *(float(time - whole) for time in times))
        if all(other.leg != touch.leg or abs((other.heel_on - touch.heel_on + 0.5) % 1.0 - 0.5) > 0.02 for other in touches):
            touches.append(touch)
    return touches


def print_outline(heel: np.ndarray, ball: np.ndarray, tip: np.ndarray, part: str, wide: float) -> np.ndarray:
    """Outline (n, 2) on the ground of the loaded part of a foot, from its points (2,); `wide` metres at the ball."""
    middle = heel + (ball - heel) * 0.45
    along = (tip - heel) / max(float(np.linalg.norm(tip - heel)), 1e-9)
    heel_disc = (heel + along * 0.4 * wide, 0.40 * wide)
    waist = (middle, 0.36 * wide)
    ball_disc = (ball, 0.52 * wide)
    tip_disc = (tip - along * 0.34 * wide, 0.36 * wide)
    discs = {HEEL: [heel_disc, (heel + along * 0.8 * wide, 0.38 * wide)], SOLE: [heel_disc, waist, ball_disc, tip_disc], TOES: [ball_disc, tip_disc]}[part]
    return _around(discs, along)


def _around(discs: Sequence[tuple[np.ndarray, float]], along: np.ndarray) -> np.ndarray:
    """One outline around discs that follow each other along a direction."""
    across = np.array([-along[1], along[0]])
    turn = np.linspace(0.0, np.pi / 2, 9)

    def quarter(disc: tuple[np.ndarray, float], direction: float) -> np.ndarray:
        centre, radius = disc
        return centre + radius * (np.sin(turn)[:, None] * along * direction + np.cos(turn)[:, None] * across)

    front, back = quarter(discs[-1], 1.0), quarter(discs[0], -1.0)[::-1]
    sides = np.array([centre + across * radius for centre, radius in discs[1:-1]]).reshape(-1, 2)
    one = np.concatenate([back, sides, front])
    centre = discs[0][0]
    other = one - 2.0 * ((one - centre) @ across)[:, None] * across
    return np.concatenate([one, other[::-1]])


def bar(x0: float, x1: float, y0: float, y1: float) -> np.ndarray:
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
