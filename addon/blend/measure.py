"""The report on a transition, from its arrays."""

from __future__ import annotations

import math

import numpy as np

from .body import Body
from .distance import joints, peaks
from .feet import slide
from .plan import Planned
from .report import BlendReport
from .source import Source


def report_on(body: Body, planned: Planned, a: Source, b: Source) -> BlendReport:
    """Figures of a transition, from its arrays."""
    frame, cut, joined = body.frame, planned.cut, planned.joined
    metres, fps = body.metres, body.fps
    span = cut.at + np.arange(-3.0, cut.frames + 4.0)
    points = joints(frame, joined.numbers(span))
    jumps = [peaks(points[..., seam - 1 : seam + 3]).jump for seam in (3, 3 + cut.frames)]
    inner = peaks(points)
    straight = np.concatenate(
        (
            a.numbers([cut.at - 1.0, cut.at]),
            planned.move.moved(frame, b.numbers([cut.entry, cut.entry + 1.0]), np.array([0.0, 1.0])),
        ),
        axis=2,
    )
    jump_cut = peaks(joints(frame, straight)).jump
    carrier = planned.move.carrier
    root_jump = 0.0
    if carrier is not None:
        root = points[frame.place[carrier], :, 2:5].astype(np.float64)
        root_jump = float(np.linalg.norm(root[:, 2] - 2.0 * root[:, 1] + root[:, 0]))
    numbers = planned.move.numbers
    slid, slid_own = _slide(planned)
    return BlendReport(
        frames=cut.frames,
        why=planned.why,
        at=cut.at,
        entry=cut.entry,
        end=cut.end,
        distance_m=planned.distance * metres,
        jump=max(jumps) * metres * fps,
        jump_own=planned.own.jump * metres * fps,
        jump_cut=jump_cut * metres * fps,
        jerk=inner.jerk * metres * fps**3,
        jerk_own=planned.own.jerk * metres * fps**3,
        slide_mm=slid * metres * 1000.0,
        slide_own_mm=slid_own * metres * 1000.0,
        steps=int(planned.held.stepping.sum()) if planned.held is not None else 0,
        root_jump_m=root_jump * metres,
        carrier="-" if carrier is None else carrier or "object",
        turn_deg=math.degrees(2.0 * math.atan2(float(np.linalg.norm(numbers[7:10])), float(numbers[6])))
        if carrier is not None
        else 0.0,
        moved_m=float(np.linalg.norm(numbers[3:6] - numbers[:3])) * metres,
    )


def _slide(planned: Planned) -> tuple[float, float]:
    stance, held, cut = planned.pair.stance, planned.held, planned.cut
    if stance is None or held is None:
        return math.nan, math.nan
    rows = planned.joined.numbers(cut.at + np.arange(cut.frames + 1.0))
    return slide(stance.legs, held, rows, stance.up)
