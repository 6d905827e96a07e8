"""From points over time to the report. NumPy alone; nothing here knows what the generator planned but the
claims.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from . import bars, curves, reference
from .contacts import (
    POINTS_OF_FOOT,
    Clock,
    Contact,
    Ground,
    Mask,
    Stance,
    claimed,
    floor_level,
    runs,
    spread,
    stances,
)
from .figure import Motion
from .lines import judge, likeness_problems
from .reference import Floats
from .report import FIGURES, Report
from .score import CURVES, Score, score
from .tracks import LegTrack, SeamError, Tracks, seam_error

# By height alone a foot is on the ground below `NEAR`; it touches down or lifts off at `TOUCH` (metres, 0.9 m
# leg).
NEAR_M = 0.002
TOUCH_M = 0.0005
# Claimed and seen stance may differ by this share of the cycle. A heel rises so slowly that by height it
# stays longer.
STANCE_SHARE = 0.04
# Seconds at either end of a motion that is no cycle in which stances are not compared.
EDGE_S = 0.15
POINT_SHARE = 0.10


@dataclass(frozen=True, slots=True)
class Planted:
    """What the claims come to: slides and float in metres of the world, sentences about claims that do not
    hold, and the frames where figures are worst, by name.
    """

    slide: float
    slide_at_frames: float
    lifted: float
    skid: float
    duty: float
    complaints: tuple[str, ...]
    worst: dict[str, float]


def evaluate(
    tracks: Tracks,
    contacts: Sequence[Contact],
    *,
    speed: float,
    in_place: bool,
    gait: str = "walk",
    biped: bool = True,
) -> Report:
    """Measure and judge. speed: asked for, m/s; in_place: the body stays and the ground runs under it;
    gait, biped: measured people are compared with only for "walk" or "run" of a biped."""
    clock, scale = tracks.clock, bars.REFERENCE_LEG_M / tracks.leg_length
    route = tracks.route
    known = biped and gait in reference.GAITS
    human = known and speed > 0.0 and route is None
    far = float(curves.along(tracks.body[-1:] - tracks.body[:1], tracks.travel)[0])
    advance = tracks.travel * (far if clock.cyclic and not in_place and route is None else 0.0)
    ground = Ground(tracks.travel, speed if in_place else 0.0, advance)

    seen = [
        stances(_lowest(leg, tracks), clock, near=NEAR_M / scale, touch=TOUCH_M / scale)
        for leg in tracks.legs
    ]
    planted = _planted(tracks, contacts, ground, seen, scale)
    stride = _stride(seen, clock)
    measured = _speed(tracks, contacts, ground, stride) if route is None else tracks.route_speed
    seam = SeamError(math.nan, math.nan, math.nan)
    if tracks.seam is not None:
        seam = seam_error(tracks.seam, advance, tracks.leg_length)
    knees = [curves.knee_flexion(leg.hip, leg.knee, leg.ankle, leg.thigh, tracks.left) for leg in tracks.legs]
    knee_speed, knee_acceleration, fastest_at, hardest_at = _peaks(knees, clock)
    found = _score(tracks, knees, seen, speed, gait) if human else None
    vn = reference.froude_speed(speed, tracks.leg_length)
    stride_s = math.nan if stride is None else stride / clock.fps
    stride_m = stride_s * measured
    cadence = len(tracks.legs) * 60.0 / stride_s
    duty = _duty(seen, stride)
    speed_peak = acceleration_peak = math.nan
    if known and (human or route is not None):
        # Slower than people were measured there is nothing to compare with but their slowest.
        fastest = vn if route is None else reference.froude_speed(route.fastest, tracks.leg_length)
        least = vn if route is None else max(fastest, reference.slowest(gait))
        speed_peak, acceleration_peak = reference.knee_peaks(least, tracks.leg_length, gait)
    middle = np.mean([leg.hip for leg in tracks.legs], axis=0)
    sideways = np.cross(tracks.up, tracks.travel)
    numbers = {
        "slide_mm": 1e3 * scale * planted.slide,
        "slide_at_frames_mm": 1e3 * scale * planted.slide_at_frames,
        "penetration_mm": 1e3 * scale * max(0.0, -_lowest_of_all(tracks)),
        "float_mm": 1e3 * scale * planted.lifted,
        "skid_mm": 1e3 * scale * planted.skid,
        "over_reach": max(_reach(leg) for leg in tracks.legs),
        "seam_position": seam.position,
        "seam_angle_deg": seam.angle_deg,
        "seam_slope": seam.slope,
        "speed_asked": speed,
        "speed_measured": measured,
        "speed_error": (measured - speed) / speed if speed > 0.0 else measured,
        "knee_speed_peak_deg_s": knee_speed,
        "knee_acceleration_peak_deg_s2": knee_acceleration,
        "knee_speed_ratio": knee_speed / speed_peak,
        "knee_acceleration_ratio": knee_acceleration / acceleration_peak,
        "stride_m": stride_m,
        "stride_deviation": _off(stride_m, reference.stride_length(vn, tracks.leg_length, gait))
        if human
        else math.nan,
        "cadence_steps_min": cadence,
        "cadence_deviation": _off(cadence, reference.cadence(vn, tracks.leg_length, gait))
        if human
        else math.nan,
        "duty_factor": duty,
        "duty_deviation": _off(duty, reference.linear("duty_factor", vn, gait)) if human else math.nan,
        "duty_claimed": planted.duty,
        "toe_clearance_mm": 1e3 * scale * _clearance(tracks, seen),
        "pelvis_vertical_pp": float(np.ptp(curves.along(middle, tracks.up)) / tracks.leg_length),
        "pelvis_lateral_pp": float(np.ptp(curves.along(middle, sideways)) / tracks.leg_length),
        "leg_length_m": tracks.leg_length,
    }
    rough = route is not None and route.surface is not None
    motion = Motion(vn if human else None, clock.cyclic, gait, route is not None, rough)
    checks, problems = judge(numbers, motion, found, agree=not planted.complaints)
    return Report(
        **numbers,
        samples=len(clock.frames),
        score=found,
        problems=(*problems, *planted.complaints, *likeness_problems(found)),
        checks=checks,
        places=_places(
            numbers,
            motion,
            {
                **planted.worst,
                **_worst_of_legs(tracks),
                "knee_speed_ratio": fastest_at,
                "knee_acceleration_ratio": hardest_at,
            },
        ),
    )


def _places(numbers: Mapping[str, float], motion: Motion, worst: Mapping[str, float]) -> dict[str, float]:
    """The frame of each problem that has one."""
    found = [(figure.judge(numbers, motion)[1], figure.name) for figure in FIGURES]
    return {problem: worst[name] for problem, name in found if problem and name in worst}


def _worst_of_legs(tracks: Tracks) -> dict[str, float]:
    """Frames where a sole is deepest and a leg is drawn out most."""
    lows = np.min([_lowest(leg, tracks) for leg in tracks.legs], axis=0)
    drawn = np.max([_drawn(leg) for leg in tracks.legs], axis=0)
    frames = tracks.clock.frames
    return {
        "penetration_mm": float(frames[int(np.argmin(lows))]),
        "over_reach": float(frames[int(np.argmax(drawn))]),
    }


def _off(value: float, usual: float) -> float:
    return value / usual - 1.0


def _reach(leg: LegTrack) -> float:
    """How far a leg is drawn out, of its length; without a knee, by how much that differs from rest."""
    return float(_drawn(leg).max())


def _drawn(leg: LegTrack) -> Floats:
    """The same over time, (n,)."""
    reach = np.linalg.norm(leg.ankle - leg.hip, axis=1) / sum(leg.segments)
    return np.asarray(np.abs(reach - 1.0) if leg.stiff else reach, dtype=np.float64)


def _lowest(leg: LegTrack, tracks: Tracks) -> Floats:
    """Height of the lowest point of the sole over time, (n,)."""
    return np.asarray(np.min(tracks.height(leg.sole), axis=0), dtype=np.float64)


def _lowest_of_all(tracks: Tracks) -> float:
    return min(float(_lowest(leg, tracks).min()) for leg in tracks.legs)


def _planted(
    tracks: Tracks, contacts: Sequence[Contact], ground: Ground, seen: list[list[Stance]], scale: float
) -> Planted:
    """Slides within the claims, and the claims against what is seen by height."""
    clock = tracks.clock
    slide = at_frames = lifted = skid = 0.0
    worst: dict[str, float] = {}
    complaints: list[str] = []
    shares = []
    for number, leg in enumerate(tracks.legs):
        claims = [contact for contact in contacts if contact.leg == number]
        spans: dict[str, list[tuple[float, float]]] = {name: [] for name in POINTS_OF_FOOT}
        for contact in claims:
            for name, (first, last) in contact.spans().items():
                spans[name].append((first, last))
                index, times = clock.inside(first, last)
                if not len(index):
                    if clock.cyclic or (first < clock.frames[-1] and last > clock.start):
                        complaints.append(
                            f"The claim on the {name} of {leg.name} from frame {first:.2f} on is empty."
                        )
                    continue
                whole = np.abs(times - np.round(times)) < 1e-6
                for point in leg.planted[name]:
                    places = ground.place(point.positions, clock, index, times)
                    slid, over = spread(places), tracks.height(places) - point.rest_height
                    if slid > slide:
                        away = np.linalg.norm(places - places.mean(axis=0), axis=1)
                        worst["slide_mm"] = float(clock.frames[index[int(np.argmax(away))]])
                    if float(np.max(over)) > lifted:
                        worst["float_mm"] = float(clock.frames[index[int(np.argmax(over))]])
                    slide = max(slide, slid)
                    at_frames = max(at_frames, spread(places[whole]))
                    lifted = max(lifted, float(np.max(over)))
        skidded, begins = _skid(leg, tracks, ground, scale)
        if skidded > skid:
            skid, worst["skid_mm"] = skidded, begins
        whole_stance = claimed(clock, [(c.heel_on, c.toe_off) for c in claims])
        shares.append(float(np.mean(whole_stance)))
        complaints += _disagreements(leg, tracks, spans, whole_stance, seen[number], len(claims), scale)
    duty = float(np.mean(shares)) if shares else math.nan
    return Planted(slide, at_frames, lifted, skid, duty, tuple(complaints), worst)


def _low(positions: Floats, rest_height: float, leg: LegTrack, tracks: Tracks, scale: float) -> Mask:
    """Which samples have the point as low as when the foot stands, bool (count,)."""
    above = tracks.height(positions) - rest_height - floor_level(_lowest(leg, tracks))
    return np.asarray(above[: tracks.clock.count] < NEAR_M / scale)


def _skid(leg: LegTrack, tracks: Tracks, ground: Ground, scale: float) -> tuple[float, float]:
    """How far along the ground a point of the foot goes while it is low, whatever is claimed (metres), and
    the frame where that begins.
    """
    clock = tracks.clock
    level = np.eye(3) - np.outer(tracks.up, tracks.up)
    far, begins = 0.0, clock.start
    for name in ("heel", "ball"):
        for point in leg.planted[name]:
            low = _low(point.positions, point.rest_height, leg, tracks, scale)
            for first, last in runs(low, cyclic=clock.cyclic):
                around = np.arange(first, last + 1)
                times = clock.frames[around % clock.count] + (around // clock.count) * clock.period
                places = ground.place(point.positions, clock, around % clock.count, times)
                gone = spread(places @ level)
                if gone > far:
                    far, begins = gone, float(clock.frames[first % clock.count])
    return far, begins


def _disagreements(
    leg: LegTrack,
    tracks: Tracks,
    spans: dict[str, list[tuple[float, float]]],
    whole_stance: Mask,
    seen: list[Stance],
    claims: int,
    scale: float,
) -> list[str]:
    """Where claims and heights tell different stories."""
    clock = tracks.clock
    if not claims:
        return [f"No contact is claimed for {leg.name}."]
    found = []
    share = sum(stance.off - stance.on for stance in seen) / clock.period
    stands = float(np.mean(whole_stance))
    if not clock.cyclic:
        # What lies right at the ends is of stances that are cut: a foot that is about to come down seems to.
        inside = _inside(clock)
        down = claimed(clock, [(stance.on, stance.off) for stance in seen])
        share, stands = float(np.mean(down[inside])), float(np.mean(whole_stance[inside]))
    if abs(share - stands) > STANCE_SHARE:
        found.append(
            f"{leg.name} is claimed to stand {stands:.0%} of the time, but by height it is {share:.0%}."
        )
    if clock.cyclic and claims != len(seen):
        found.append(f"{claims} stances are claimed for {leg.name}, but by height there are {len(seen)}.")
    for name in ("heel", "ball"):
        point = leg.planted[name][0]
        inside = np.ones(clock.count, dtype=bool) if clock.cyclic else _inside(clock)
        low = float(np.mean(_low(point.positions, point.rest_height, leg, tracks, scale)[inside]))
        fixed = float(np.mean(claimed(clock, spans[name])[inside]))
        if low - fixed > POINT_SHARE:
            found.append(
                f"The {name} of {leg.name} is claimed fixed {fixed:.0%} of the time, but is down {low:.0%}."
            )
    return found


def _inside(clock: Clock) -> Mask:
    """Samples that are not at the ends of a motion, bool (count,)."""
    edge = min(EDGE_S * clock.fps, 0.25 * clock.period)
    frames = clock.frames[: clock.count]
    return np.asarray((frames > clock.start + edge) & (frames < clock.frames[-1] - edge))


def _stride(seen: list[list[Stance]], clock: Clock) -> float | None:
    """Frames from a touch-down to the next of the same foot, by height; None where no foot shows two."""
    if clock.cyclic:
        counts = [len(steps) for steps in seen]
        return clock.period / float(np.mean(counts)) if any(counts) else None
    gaps: list[float] = []
    for steps in seen:
        ons = [s.on for s in steps if s.on > clock.start]
        offs = [s.off for s in steps if s.off < clock.frames[-1]]
        gaps += [*np.diff(ons).tolist(), *np.diff(offs).tolist()]
    return float(np.mean(gaps)) if gaps else None


def _duty(seen: list[list[Stance]], stride: float | None) -> float:
    if stride is None:
        return math.nan
    lengths = [s.off - s.on for steps in seen for s in steps if not s.cut]
    return float(np.mean(lengths)) / stride if lengths else math.nan


def _speed(tracks: Tracks, contacts: Sequence[Contact], ground: Ground, stride: float | None) -> float:
    """Of the body over whole strides; in place, of the standing feet backward (least squares over all
    stances).
    """
    clock = tracks.clock
    if ground.treadmill == 0.0:
        return curves.mean_speed(curves.along(tracks.body, tracks.travel), clock, stride)
    top = bottom = 0.0
    for contact in contacts:
        leg = tracks.legs[contact.leg]
        for name, (first, last) in contact.spans().items():
            index, times = clock.inside(first, last)
            if len(index) < 2:
                continue
            t = (times - times.mean()) / clock.fps
            for point in leg.planted[name]:
                x = curves.along(point.positions[index], tracks.travel)
                top -= float(np.sum(t * (x - x.mean())))
                bottom += float(np.sum(t * t))
    return top / bottom if bottom > 0.0 else math.nan


def _peaks(knees: list[Floats], clock: Clock) -> tuple[float, float, float, float]:
    """Largest speed and acceleration of a knee, and the frames of both."""
    rates = np.abs([curves.rates(knee, clock) for knee in knees]).max(axis=0)
    first = 0 if clock.cyclic else 1  # the ends have no rates
    at = [float(clock.frames[first + int(k)]) for k in np.argmax(rates, axis=1)]
    return float(rates[0].max()), float(rates[1].max()), at[0], at[1]


def _score(
    tracks: Tracks, knees: list[Floats], seen: list[list[Stance]], speed: float, gait: str
) -> Score | None:
    """Score the mean of all whole cycles of all legs."""
    clock = tracks.clock
    rows: dict[str, list[Floats]] = {name: [] for name in CURVES}
    for leg, knee, steps in zip(tracks.legs, knees, seen, strict=True):
        strikes = [s.on for s in steps if clock.cyclic or s.on > clock.start]
        if clock.cyclic and strikes:
            strikes.append(strikes[0] + clock.period)
        thigh = curves.sagittal_pitch(leg.hip, leg.knee, tracks.travel, tracks.up)
        shank = curves.sagittal_pitch(leg.knee, leg.ankle, tracks.travel, tracks.up)
        foot = curves.foot_pitch(leg.foot, tracks.up)
        whole = dict(zip(CURVES, (thigh, knee, foot - shank, foot), strict=True))
        for first, last in pairwise(strikes):
            for name in CURVES:
                rows[name].append(curves.cycle(whole[name], clock, first, last))
    if not rows[CURVES[0]]:
        return None
    mean = {name: np.mean(rows[name], axis=0) for name in CURVES}
    return score(mean, reference.froude_speed(speed, tracks.leg_length), gait)


def _clearance(tracks: Tracks, seen: list[list[Stance]]) -> float:
    """Lowest tip of the toe in the middle half of all swings (metres); NaN without a whole swing."""
    clock = tracks.clock
    lows = []
    for leg, steps in zip(tracks.legs, seen, strict=True):
        nexts = [
            *steps[1:],
            *([Stance(steps[0].on + clock.period, 0.0, False)] if clock.cyclic and steps else []),
        ]
        height = tracks.height(leg.tip)
        for stance, following in zip(steps, nexts, strict=False):
            swing = following.on - stance.off
            index, _ = clock.inside(stance.off + 0.25 * swing, stance.off + 0.75 * swing)
            if len(index):
                lows.append(float(height[index].min()))
    return min(lows) if lows else math.nan
