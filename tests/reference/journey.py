"""Twins of csrc/journey_way.c and of the ground under the body in journey_height.c.

The way as a natural cubic spline whose equations are solved as one dense system; the phase as a sum over a
grid eight times as fine as the way's samples; the B-spline by de Boor's recursion. All in float64.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.reference.gait_curves import TUNING, Array, smooth_step
from tests.reference.gait_plan import KINDS

STILL, STILL_SECONDS = 0.02, 0.25
STAND_IN, STAND_OUT = 0.1, 0.45
TURN_ARM, SIDE, BACK = 0.7, 0.5, 0.85
RUN_FROM, OVER = np.sqrt(0.5), 0.08
QUICKER, QUICKER_OVER = 1.3, 0.7
FINE = 8


class Spline:
    """The natural cubic spline through values at 0, step, 2 step ..; straight on beyond them."""

    def __init__(self, values: Array, step: float) -> None:
        n = len(values)
        system, right = np.eye(n), np.zeros(n)
        for i in range(1, n - 1):
            system[i, i - 1 : i + 2] = 1.0, 4.0, 1.0
            right[i] = 6.0 * (values[i - 1] - 2.0 * values[i] + values[i + 1]) / step**2
        self.values, self.step, self.bend = values, step, np.linalg.solve(system, right)

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Value and slope at places x."""
        h = self.step
        inside = np.clip(x, 0.0, h * (len(self.values) - 1))
        i = np.minimum((inside / h).astype(int), len(self.values) - 2)
        t = inside - i * h
        a, b, m, k = self.values[i], self.values[i + 1], self.bend[i], self.bend[i + 1]
        first = (b - a) / h - h * (2.0 * m + k) / 6.0
        slope = first + m * t + (k - m) * t**2 / (2.0 * h)
        value = a + first * t + m * t**2 / 2.0 + (k - m) * t**3 / (6.0 * h)
        return value + slope * (x - inside), slope


@dataclass
class Body:
    """leg: its length; gravity; kind: "walk", "run" or "auto"; first: leg of the first step from a stand."""

    leg: float
    gravity: float
    kind: str = "walk"
    first: int = 0

    @property
    def unit(self) -> float:
        return float(np.sqrt(self.leg * self.gravity))

    def stride(self, vn: float) -> float:
        """Of the steady gait at a dimensionless speed."""
        of = {gait: TUNING[gait]["stride_share"] * KINDS[gait].stride(vn) * self.leg for gait in KINDS}
        if self.kind != "auto":
            return float(of[self.kind])
        share = smooth_step((vn - RUN_FROM) / OVER + 0.5)
        return float((1.0 - share) * of["walk"] + share * of["run"])


class Clock:
    """Phase of the stride by time, along a way of samples as amble_core.journey takes it."""

    def __init__(self, body: Body, way: Any) -> None:
        self.body, self.start, self.step = body, way.start, way.step
        self.lines = [Spline(row, way.step) for row in (*way.place, way.facing)]
        count = len(way.facing)
        self.fine = np.arange((count - 1) * FINE + 1) * way.step / FINE
        (_, vx), (_, vy), (facing, turning) = (line(self.fine) for line in self.lines)
        speed = np.hypot(vx, vy)
        arm = TURN_ARM * body.leg * turning
        self.effort = np.sqrt(speed**2 + arm**2) / body.unit
        ahead = (vx * np.cos(facing) + vy * np.sin(facing)) / np.maximum(speed, 1e-300)
        stretches = self.stretches(count)
        pace = self.quickened(way.pace, stretches)
        pace = np.interp(self.fine, self.fine[::FINE], pace)
        self.rate = np.array(
            [self.natural(*row) for row in zip(self.effort, speed, ahead, pace, strict=True)]
        )
        self.phase = self.phases(stretches)

    def natural(self, effort: float, speed: float, ahead: float, pace: float) -> float:
        """Strides a second: short ones sideways and back; those of turning are as those ahead."""
        if effort <= 0.0:
            return 0.0
        travel = (speed / (effort * self.body.unit)) ** 2
        along = ahead / BACK if ahead < 0.0 else ahead
        shorter = np.sqrt(travel * (along**2 + (1.0 - ahead**2) / SIDE**2) + 1.0 - travel)
        vn = effort if effort >= 0.2 else 0.1 + 2.5 * effort**2
        return float(pace * effort * self.body.unit * shorter / self.body.stride(vn))

    def stretches(self, count: int) -> list[tuple[int, int, bool]]:
        """First and last sample of each stretch, and whether the body stands there."""
        still = self.effort[::FINE] < STILL
        edges = [0, *(np.flatnonzero(np.diff(still)) + 1).tolist(), count]
        found: list[tuple[int, int, bool]] = []
        for first, after in itertools.pairwise(edges):
            last = after - 1
            long = last - first >= np.ceil(STILL_SECONDS / self.step)
            stands = bool(still[first]) and (first == 0 or after == count or bool(long))
            if found and found[-1][2] == stands:
                found[-1] = (found[-1][0], last, stands)
            else:
                found.append((first, last, stands))
        return found

    def quickened(self, pace: Array, stretches: list[tuple[int, int, bool]]) -> Array:
        """Shorter strides next to stands."""
        pace = pace.copy()
        over = QUICKER_OVER * self.body.leg
        for n, (first, last, stands) in enumerate(stretches):
            for samples in (range(first, last + 1), range(last, first - 1, -1)):
                beside = n > 0 if samples.step > 0 else n + 1 < len(stretches)
                gone = 0.0
                for i in samples if beside and not stands else ():
                    if gone >= over:
                        break
                    gone += self.effort[i * FINE] * self.body.unit * self.step
                    pace[i] *= 1.0 + QUICKER * (1.0 - smooth_step(gone / over))
        return pace

    def phases(self, stretches: list[tuple[int, int, bool]]) -> Array:
        """Phase on the fine grid: the integral of the rate, made to fit whole steps between stands."""
        areas = 0.5 * (self.rate[1:] + self.rate[:-1]) * self.step / FINE
        whole = np.concatenate([[0.0], np.cumsum(areas)])
        out = np.zeros_like(whole)
        phase = STAND_OUT - 0.5 * self.body.first if stretches[0][2] else 0.0
        self.stands: list[tuple[float, float]] = []
        for n, (first, last, stands) in enumerate(stretches):
            inner = 0 < n < len(stretches) - 1
            if stands:
                after = phase + (STAND_OUT - STAND_IN if inner else 0.0)
                here = slice(first * FINE, last * FINE + 1)
                s = np.linspace(0.0, 1.0, (last - first) * FINE + 1)
                out[here] = phase + (after - phase) * s * s * (3.0 - 2.0 * s)
                self.stands.append((phase if n else -np.inf, after if n + 1 < len(stretches) else np.inf))
                phase = after
                continue
            first, last = max(first - 1, 0), min(last + 1, len(whole) // FINE)
            here = slice(first * FINE, last * FINE + 1)
            gone = whole[here] - whole[first * FINE]
            if n + 1 == len(stretches):
                out[here] = phase + gone
                if n == 0:
                    out -= np.interp(-self.start, self.fine, out)
            elif n == 0:
                steps = np.floor(2.0 * (gone[-1] - STAND_IN) + 0.5)
                out[here] = gone + 0.5 * steps + STAND_IN - gone[-1]
            else:
                steps = max(np.floor(2.0 * (gone[-1] - 0.5 - STAND_IN + STAND_OUT) + 0.5), 2.0)
                out[here] = phase + gone * (0.5 * steps + 0.5 + STAND_IN - STAND_OUT) / gone[-1]
            phase = out[last * FINE]
        return out

    def at(self, time: Array) -> Array:
        """Phase at times within the way."""
        return np.interp(time - self.start, self.fine, self.phase)


def de_boor(x: float, knots: Array) -> float:
    """The B-spline over these knots at x: of degree len(knots) - 2."""
    if len(knots) == 2:
        return float(knots[0] <= x < knots[1])
    up = (x - knots[0]) / (knots[-2] - knots[0]) * de_boor(x, knots[:-1])
    return float(up + (knots[-1] - x) / (knots[-1] - knots[1]) * de_boor(x, knots[1:]))


def base(heights: dict[int, float], phase: float) -> float:
    """Height of the ground under the body: heights by step, half a stride apart and smoothed with their
    neighbours, through a uniform cubic B-spline whose knots lie 0.3 of a stride after each foot's strike."""
    total = 0.0
    for step in range(int(np.floor(2.0 * phase)) - 3, int(np.floor(2.0 * phase)) + 3):
        middle = 0.5 * step + 0.3
        smoothed = (heights[step - 1] + 2.0 * heights[step] + heights[step + 1]) / 4.0
        total += smoothed * de_boor(phase, middle + 0.5 * np.arange(-2.0, 3.0))
    return total
