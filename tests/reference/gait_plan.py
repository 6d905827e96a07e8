"""Twins of csrc/gait_plan.c, gait_fit.c and gait_swing.c: where the feet stand, the pelvis, the swing.

One moment at a time in float64, in body axes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tests.reference.gait_curves import (
    DEGREES,
    HUMAN,
    TUNING,
    Array,
    Curve,
    bump,
    eased,
    fade,
    first_bump,
    late_bump,
    smooth_step,
)
from tests.reference.gait_curves import human as measured
from tests.reference.gait_stance import (
    Foot,
    Leg,
    Plan,
    distance_of,
    early_pitch,
    hip,
    late_pitch,
    measured_leg,
    pitched,
    rolled,
    stance,
    toe_pitch,
    waves,
)

FIT_SAMPLES = 32  # of each leg's stance


# ---- where the feet stand, and the pelvis over them ----


@dataclass
class Row:
    """One moment of one leg's stance, with the feet's `ahead` and the pelvis's height still 0."""

    term: Array
    ankle: Array
    hip: Array
    wanted: float  # distance from hip to ankle
    most: float
    measured_x: float
    weight: float


def heel_lever(leg: Leg) -> float:
    """The heel's lever about the ankle along the leg at heel strike, 0.4 its sine to the vertical."""
    return (0.4 * leg.height - 0.92 * leg.heel[0]) / leg.length


def fit_row(plan: Plan, leg: Leg, u: float) -> Row:
    phase = u + leg.phase
    x, _, knee = measured_leg(plan, leg, u)
    strike = 1.0 / (1.0 + (u / plan.tuning["strike_width"]) ** 2)
    load = 1.0 / (1.0 + ((u - 0.1) / 0.06) ** 2)
    kept = plan.tuning["knee_least"] + (plan.tuning["knee_strike"] - plan.tuning["knee_least"]) * strike
    kept += plan.tuning["knee_load"] * load
    kept += plan.tuning["short_heel"] * plan.figures["vn"] * max(0.096 - heel_lever(leg), 0.0) * strike
    fast = smooth_step((plan.figures["vn"] - 0.56) / 0.2)
    most = plan.tuning["reach"] + (plan.tuning["fast_reach"] - plan.tuning["reach"]) * fast
    reach = 1.0 / (1.0 + (u / plan.tuning["strike_reach"]) ** 2)
    return Row(
        term=waves(phase - plan.legs[0].phase),
        ankle=stance(plan, leg, u).ankle,
        hip=hip(plan, leg, phase),
        wanted=distance_of(leg, max(knee, 0.0) + DEGREES * kept + plan.crouch),
        most=most * (leg.thigh + leg.shin),
        measured_x=x,
        weight=np.sin(np.pi * u / plan.duty)
        + plan.tuning["end_weight"]
        + plan.tuning["strike_weight"] * reach,
    )


def pelvis_over(row: Row, ahead: float, distance: float, floor: float) -> float:
    """Height of the pelvis that leaves that distance from hip to ankle."""
    x, y = ahead + row.ankle[0] - row.hip[0], row.ankle[1] - row.hip[1]
    return row.ankle[2] - row.hip[2] + np.sqrt(max(distance**2 - x**2 - y**2, floor))


def thrown_heights(plan: Plan) -> Array:
    """Waves of the pelvis's height, as `waves` counts them, of a body that flies between its steps.

    Its weight is carried by a force that goes over each stance as sin(pi s) + skew sin(2 pi s) - peak
    sin(3 pi s): what the height is accelerated by is that less the weight, here wave by wave over a fine grid
    of half a stride.
    """
    kind = KINDS[plan.gait]
    if not kind.flies:
        return np.zeros(9)
    grid = (np.arange(20000) + 0.5) / 20000.0 * 0.5
    s = grid / plan.duty
    force = np.sin(np.pi * s) + kind.skew * np.sin(2.0 * np.pi * s) - kind.peak * np.sin(3.0 * np.pi * s)
    force[s > 1.0] = 0.0
    force /= force.mean()  # weights; the mean of the whole is the body's own
    gravity = plan.figures["stride"] ** 2 / plan.figures["vn"] ** 2 / plan.figures["leg_length"]  # cycle = 1
    out = [0.0]
    for turns in (2, 4, 6, 8):
        angle = 2.0 * np.pi * turns
        both = np.array([np.cos(angle * grid), np.sin(angle * grid)])
        out += (-gravity * 2.0 * np.mean(force * both, axis=1) / angle**2).tolist()
    return np.array(out)


def fit_heights(plan: Plan, rows: list[Row], ahead: float) -> tuple[Array, float]:
    """Heights for feet that stand so far ahead, and how far off they leave the knees."""
    floor = 0.01 * plan.figures["leg_length"] ** 2
    terms = np.array([row.term for row in rows])
    wanted = np.array([pelvis_over(row, ahead, row.wanted, floor) for row in rows])
    most = np.array([pelvis_over(row, ahead, row.most, floor) for row in rows])
    weight = np.array([row.weight for row in rows])
    aside = np.array([ahead + row.ankle[0] - row.hip[0] - row.measured_x for row in rows])
    steps = [i for i in range(len(rows) - 1) if (i + 1) % FIT_SAMPLES]  # to the next sample of the same leg
    step_weight = plan.tuning["step_weight"] * FIT_SAMPLES
    wave = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4])  # the higher, the dearer
    thrown = thrown_heights(plan)
    heights = np.zeros(terms.shape[1])
    for _ in range(15):
        cost = np.sqrt(plan.tuning["wave_cost"]) * np.linalg.norm(weight) * wave**2
        system = [weight[:, None] * terms, step_weight * np.diff(terms, axis=0)[steps], np.diag(cost)]
        target = [weight * np.minimum(wanted, most), step_weight * np.diff(wanted)[steps], cost * thrown]
        heights, *_ = np.linalg.lstsq(np.concatenate(system), np.concatenate(target), rcond=None)
        above = (terms @ heights - most) / (0.002 * np.sqrt(100.0 * floor))
        if not (above > 0.0).any():
            break
        weight = weight * (1.0 + 0.6 * np.clip(above, 0.0, 1.0))
    return heights, float(np.sqrt(np.mean((terms @ heights - wanted) ** 2)) + 0.15 * abs(np.mean(aside)))


def golden_section(function: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Middle of what is left of low .. high when the valley has been narrowed down that often."""
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    for _ in range(steps):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if function(a) < function(b):
            high = b
        else:
            low = a
    return 0.5 * (low + high)


def fit_pelvis(plan: Plan) -> None:
    rows = [fit_row(plan, leg, u) for leg in plan.legs for u in np.linspace(0.0, plan.duty, FIT_SAMPLES)]
    centre = float(np.mean([row.measured_x + row.hip[0] - row.ankle[0] for row in rows]))
    size = plan.figures["leg_length"]
    floor = 0.01 * size**2

    def cost(ahead: float) -> float:
        return fit_heights(plan, rows, ahead)[1]

    ahead = golden_section(cost, centre - 0.06 * size, centre + 0.04 * size, 18)
    heights, _ = fit_heights(plan, rows, ahead)
    heights[1:] *= plan.bounce
    over = [heights @ row.term - pelvis_over(row, ahead, row.most, floor) for row in rows]
    heights[0] -= max(0.0, *over)
    plan.heights = heights
    for leg in plan.legs:
        leg.ahead = ahead


# ---- the foot in swing ----


def polar(leg: Leg, from_hip: Array) -> tuple[float, float]:
    """Flexion of the knee, and direction forward of straight down, of an ankle seen from the hip."""
    cosine = (from_hip @ from_hip - leg.thigh**2 - leg.shin**2) / (2.0 * leg.thigh * leg.shin)
    flexion = np.arccos(np.clip(cosine, -0.9999999, 0.9999999))
    return float(flexion), float(np.arctan2(from_hip[0], -from_hip[2]))


def measured_polar(plan: Plan, leg: Leg, u: float) -> tuple[float, float]:
    """The same of the measured leg, its knee kept from straightening quite."""
    x, z, knee = measured_leg(plan, leg, u)
    least = plan.tuning["knee_swing"] * DEGREES
    return least + (knee - least + np.hypot(knee - least, 4.0 * DEGREES)) / 2.0, np.arctan2(x, -z)


def stance_offset(plan: Plan, leg: Leg, u: float) -> Array:
    """What knee and direction of the stance's leg differ from the measured one's by, and the ankle's side."""
    ankle = stance(plan, leg, u if u < 0.5 * (1.0 + plan.duty) else u - 1.0).ankle
    here = polar(leg, ankle - hip(plan, leg, u + leg.phase))
    there = measured_polar(plan, leg, u)
    return np.array([here[0] - there[0], here[1] - there[1], ankle[1]])


def jets(plan: Plan, function: Curve) -> tuple[Array, Array]:
    """Value, slope and curvature by the swing's share, at toe-off and at heel strike."""
    scale = (1.0 - plan.duty) ** np.arange(3)
    ends = [plan.derivatives(function, u) for u in (plan.duty, 1.0)]
    return scale * ends[0], scale * ends[1]


def measured_pitch(plan: Plan, leg: Leg, u: float) -> float:
    late = leg.late_scale
    if plan.tuning["own_pitch"] > 0.0:
        late += (1.0 - late) * smooth_step((u - plan.duty) / plan.tuning["own_pitch"])
    scale = late + (leg.early_scale - late) * smooth_step((u - 0.75) / 0.2)
    return scale * DEGREES * plan.measured("foot_pitch", u)


def plan_pitch(plan: Plan, leg: Leg) -> None:
    def off(u: float) -> float:
        ground = late_pitch(plan, leg, u) if u < 0.5 * (1.0 + plan.duty) else early_pitch(plan, leg, u - 1.0)
        return ground - measured_pitch(plan, leg, u)

    leg.pitch = fade(*jets(plan, off), "pitch", plan.tuning)


def plan_swing(plan: Plan, leg: Leg) -> None:
    fades = []
    for part, kind in ((0, "swing"), (1, "swing"), (2, "")):

        def off(u: float, part: int = part) -> float:
            return float(stance_offset(plan, leg, u)[part])

        start, end = jets(plan, off)
        if part < 2:
            start[2] *= plan.tuning["lift_curve"]
            end[2] *= plan.tuning["land_curve"]
        fades.append(fade(start, end, kind, plan.tuning))
    leg.knee, leg.direction, leg.sideways = fades


def free_toe(leg: Leg, pitch: float, s: float) -> float:
    """Pitch of the toe without the ground: its bend goes, and it is raised."""
    if not leg.toe:
        return pitch
    bend = (
        (toe_pitch(leg, pitch) - pitch) * (1.0 - smooth_step(s / leg.tuning["toe_back"]))
        if pitch < 0.0
        else 0.0
    )
    return pitch + bend + leg.tuning["toe_up"] * DEGREES * bump(s)


def swing_toe(plan: Plan, leg: Leg, ankle: Array, pitch: float, s: float) -> float:
    """Pitch of the toe whose tip the ground, or a place a little over it, holds up."""
    toe = leg.tip - leg.ball
    length = np.linalg.norm(toe)
    rest = np.arcsin(toe[2] / length)
    kept_over = leg.tuning["toe_over"] * plan.figures["leg_length"] * smooth_step(s / leg.tuning["toe_clear"])
    ground = (kept_over - (ankle + pitched(leg, pitch, leg.ball))[2]) / length
    over = np.sin(max(free_toe(leg, pitch, s) + rest, -1.48)) - ground
    return (
        np.arcsin(np.clip(ground + eased(over, leg.tuning["toe_leave"] * (1.0 - s) ** 2), -1.0, 1.0)) - rest
    )


def foot(plan: Plan, leg: Leg, phase: float) -> Foot:
    u = phase - leg.phase
    u -= np.floor(u)
    if u < plan.duty:
        return stance(plan, leg, u)
    s = (u - plan.duty) / (1.0 - plan.duty)
    knee, direction = measured_polar(plan, leg, u)
    knee += leg.knee(s) + leg.early_bend * first_bump(s) + leg.late_bend * first_bump(1.0 - s)
    distance, direction = distance_of(leg, knee), direction + leg.direction(s)
    from_hip, side = hip(plan, leg, phase), leg.sideways(s)
    level = np.sqrt(max(distance**2 - (side - from_hip[1]) ** 2, 0.0))
    lift = leg.early_lift * late_bump(1.0 - s) + leg.lift * bump(s) + leg.late_lift * late_bump(s)
    ankle = np.array(
        [from_hip[0] + level * np.sin(direction), side, from_hip[2] - level * np.cos(direction) + lift]
    )
    pitch = measured_pitch(plan, leg, u) + leg.pitch(s) + leg.up_turn * bump(s)
    return Foot(ankle, pitch, swing_toe(plan, leg, ankle, pitch, s) if leg.toe else pitch)


def places(leg: Leg, at: Foot) -> tuple[Array, Array, Array]:
    """Heel, ball and toe tip of a foot."""
    ball = at.ankle + pitched(leg, at.pitch, leg.ball)
    return at.ankle + pitched(leg, at.pitch, leg.heel), ball, ball + pitched(leg, at.toe, leg.tip - leg.ball)


def plan_clearance(plan: Plan, leg: Leg) -> None:
    """Turns the foot up, then lifts it, by what toe, then ball and heel lack of their clearance."""
    clearance = plan.tuning["clearance"] * plan.figures["leg_length"]

    def swung(s: float) -> Foot:
        return foot(plan, leg, plan.duty + s * (1.0 - plan.duty) + leg.phase)

    def front(s: float) -> float:
        at = swung(s)
        _, ball, tip = places(leg, Foot(at.ankle, at.pitch, free_toe(leg, at.pitch, s)))
        return float(min(tip[2], ball[2] - (leg.height + leg.ball[2])))

    def toe_lack(s: float) -> float:
        return clearance * smooth_step(2.0 * s) - front(s)

    def ball_lack(s: float) -> float:
        at = swung(s)
        under = np.array([0.0, 0.0, -(leg.height + leg.ball[2])])
        sole = min(pitched(leg, pitch, under)[2] for pitch in (at.pitch, at.toe))
        return float(0.5 * clearance * smooth_step(2.5 * s) - places(leg, at)[1][2] - sole)

    def heel_lack(s: float) -> float:
        wanted = clearance * min((1.0 - s) / plan.tuning["landing"], 1.0) ** 2
        lack = wanted - places(leg, swung(s))[0][2]
        return float(max(lack, 0.1 * wanted - front(s)) if KINDS[plan.gait].flies else lack)

    early, middle, late = (np.linspace(*ends, 24) for ends in ((0.03, 0.33), (0.3, 0.75), (0.55, 0.95)))
    length = leg.ball[0] / (0.15 * leg.length)
    most = plan.tuning["raise"] * DEGREES * (1.0 + 7.0 * smooth_step((length - 1.2) / 0.3))
    need = []
    for up in (0.0, most):
        leg.up_turn = up
        need.append(max(toe_lack(s) for s in middle))
    if need[0] <= 0.0:
        leg.up_turn = 0.0
    elif need[1] < need[0]:
        leg.up_turn *= min(need[0] / (need[0] - need[1]), 1.0)
    leg.lift = max(0.0, *(toe_lack(s) / bump(s) for s in middle))
    leg.early_lift = max(0.0, *(ball_lack(s) / late_bump(1.0 - s) for s in early))
    leg.late_lift = max(0.0, *(heel_lack(s) / late_bump(s) for s in late))


def plan_bend(plan: Plan, leg: Leg) -> None:
    """Bends the knee more where the leg would have over 0.999 of its length near the ends of the swing."""

    def lack(s: float) -> float:
        phase = plan.duty + s * (1.0 - plan.duty) + leg.phase
        return 5.3 * DEGREES - polar(leg, foot(plan, leg, phase).ankle - hip(plan, leg, phase))[0]

    ends = np.linspace(0.03, 0.25, 24)
    early = max(0.0, *(lack(s) / first_bump(s) for s in ends))
    late = max(0.0, *(lack(1.0 - s) / first_bump(s) for s in ends))
    leg.early_bend, leg.late_bend = early, late


# ---- the whole ----


@dataclass
class Kind:
    """What people do in a gait, as functions of the dimensionless speed; angles in degrees."""

    slowest: float  # speed of its slowest curves
    stride: Curve  # of leg length
    duty: Curve
    heel_off: tuple[list[float], list[float]]
    longest_flat: float
    width: Curve  # of leg length
    hips: float
    sway: Curve
    fore: Curve
    middle: float  # of the upper arm's swing
    swing: Curve
    elbow: Callable[[float], tuple[float, float]]
    thorax: float = 1.0
    lean: float = 0.0
    flies: bool = False
    skew: float = 0.0
    peak: float = 0.0


KINDS = {
    "walk": Kind(
        slowest=0.3,
        stride=lambda vn: 2.52 * vn**0.51,
        duty=lambda vn: 0.663 - 0.142 * vn,
        heel_off=([0.2, 0.3, 0.42, 0.56, 0.7], [0.40, 0.38, 0.33, 0.27, 0.24]),
        longest_flat=0.2,
        width=lambda vn: np.clip(0.14 - 0.2 * (vn - 0.332), 0.085, 0.145),
        hips=0.55,
        sway=lambda vn: np.clip(0.130 - 0.149 * vn, 0.02, 0.1),
        fore=lambda vn: np.clip(0.044 - 0.023 * vn, 0.0, 0.044),
        middle=-3.0,
        swing=lambda vn: np.clip(-8.0 + 98.0 * vn, 4.0, 70.0),
        elbow=lambda vn: (np.clip(32.0 - 38.0 * vn, 8.0, 30.0), np.clip(14.0 + 80.0 * vn, 24.0, 80.0)),
    ),
    "run": Kind(
        slowest=0.55,
        stride=lambda vn: 2.43 * vn**0.79,
        duty=lambda vn: np.clip(0.499 - 0.114 * vn, 0.28, 0.45),
        heel_off=([0.55, 0.85, 1.17, 1.7, 2.0], [0.145, 0.115, 0.085, 0.055, 0.055]),
        longest_flat=0.12,
        width=lambda _: 0.06,
        hips=0.3,
        sway=lambda _: 0.02,
        fore=lambda _: 0.03,
        middle=-26.0,
        swing=lambda _: 48.0,
        elbow=lambda _: (84.0, 115.0),
        thorax=2.0,
        lean=3.5,
        flies=True,
        skew=0.15,
        peak=0.04,
    ),
}


def body_curves(gait: str, vn: float, size: float, settings: dict[str, float]) -> dict[str, Curve]:
    """Curves of the phase in their final units: degrees for the legs, else radians and lengths."""
    kind = KINDS[gait]
    turns = settings["pelvis_turn"] * min(vn / kind.slowest, 1.0) * DEGREES
    arms = settings["arm_swing"]
    swing = arms * kind.swing(vn) * DEGREES
    straight, bent = kind.elbow(vn)
    side = size * settings["pelvis_sway"] * kind.sway(vn)
    fore = size * TUNING[gait]["fore"] * kind.fore(vn)

    def human(name: str, *factors: float) -> Curve:
        return measured(gait, name, vn, *factors)

    # Slower than anybody was measured the legs swing less, in proportion to the stride.
    short = min(vn / 0.18, 1.0) ** 0.51 if gait == "walk" else 1.0
    speeds, measures = HUMAN[gait]
    mean = float(np.interp(vn, speeds, measures["THIGH_PITCH"][:, 0, 0]))
    return {
        "thigh_pitch": human("THIGH_PITCH", short, (1.0 - short) * mean),
        "knee_flexion": human("KNEE_FLEXION", short),
        "foot_pitch": human("FOOT_PITCH", short),
        "list": human("PELVIS_LIST", turns),
        "turn": human("PELVIS_TURN", turns),
        "thorax": human("THORAX_TURN", kind.thorax * turns),
        "side": human("PELVIS_SIDE", side),
        "fore": human("PELVIS_FORE", fore),
        "shoulder": human("SHOULDER", swing, kind.middle * DEGREES - 0.5 * swing + settings["arm_raise"]),
        "elbow": human(
            "ELBOW", arms * (bent - straight) * DEGREES, straight * DEGREES + settings["elbow_bend"]
        ),
    }


def flat_share(gait: str, legs: list[Leg]) -> float:
    """Share of a stride until the sole lies flat: the longer the heel's lever, the later."""
    levers = np.mean([heel_lever(leg) for leg in legs])
    return float(np.clip(TUNING[gait]["flat"] * levers, 0.05, KINDS[gait].longest_flat))


def plan_contacts(plan: Plan) -> None:
    """When the first heel and ball are seen to leave the ground, of 400 moments from heel-off to toe-off."""
    figures = plan.figures
    seen = 5e-4 * figures["leg_length"]
    heel_seen, ball_seen = [plan.duty], [plan.duty]
    for leg in plan.legs:
        for u in figures["heel_off"] + (plan.duty - figures["heel_off"]) * np.arange(1, 401) / 400.0:
            pitch = late_pitch(plan, leg, u)
            heel, ball, _ = places(leg, Foot(rolled(leg, pitch), pitch, 0.0))
            if heel[2] - leg.heel[2] > seen:
                heel_seen.append(u)
            if leg.toe and ball[2] - leg.ball[2] > 0.1 * seen:
                ball_seen.append(u)
    figures["heel_lift"], figures["ball_off"] = min(heel_seen), min(ball_seen)


def make_plan(
    legs: list[Leg],
    rest_fore: float,
    settings: dict[str, float],
    derivatives: Callable[[Curve, float], Array],
) -> Plan:
    """The plan of legs whose rest geometry is known."""
    size = float(np.mean([leg.length for leg in legs]))
    speed = settings["speed"]
    vn = speed / np.sqrt(settings["gravity"] * size)
    gait = ("walk", "run", "run" if vn > np.sqrt(0.5) else "walk")[int(settings["gait"])]
    kind, tuning = KINDS[gait], TUNING[gait]
    stride = settings["step_length"] * tuning["stride_share"] * kind.stride(vn) * size
    cycle = settings["cycle"] or stride / speed
    width = settings["step_width"]
    if width < 0.0:
        width = max(size * kind.width(vn), kind.hips * sum(abs(leg.hip[1]) for leg in legs))
    people_duty = tuning["duty_share"] * kind.duty(vn)
    duty = settings["duty"] or people_duty
    later = (duty - people_duty) / np.sin(np.pi * duty) ** 2
    flat = flat_share(gait, legs)
    heel_off = max(float(np.interp(vn, *kind.heel_off)), flat)
    plan = Plan(
        figures={
            "cycle": cycle,
            "stride": cycle * speed,
            "duty": duty,
            "step_width": width,
            "leg_length": size,
            "vn": vn,
            "flat": flat,
            "heel_off": heel_off + later * np.sin(np.pi * heel_off) ** 2,
            "gait": float(("walk", "run").index(gait)),
        },
        legs=legs,
        rest_fore=rest_fore,
        gait=gait,
        curves=body_curves(gait, vn, size, settings),
        lean=settings["lean"] + kind.lean * DEGREES,
        crouch=settings["crouch"],
        bounce=settings["bounce"],
        hunch=settings["hunch"],
        nod=settings["nod"],
        later=later,
        derivatives=derivatives,
    )
    for side, leg in zip((0.5, -0.5), legs, strict=True):
        leg.gait = gait
        short = 1.0 - 0.156 * leg.length / leg.ball[0]  # by how much a foot is longer than people's
        leg.late_scale = float(np.clip(1.0 - 1.1 * short, 0.68, tuning["late_most"]))
        behind = max(-leg.heel[0], 1e-9 * leg.length)
        leg.early_scale = float(np.clip(0.070 * leg.length / behind, 0.6, tuning["early_most"]))
        leg.early_scale = min(leg.early_scale, 1.3 * 0.156 * leg.length / leg.ball[0])
        leg.strike_pitch = tuning["strike"] * leg.early_scale * DEGREES * plan.curves["foot_pitch"](0.0)
        leg.side = side * width
        plan_pitch(plan, leg)
    plan_contacts(plan)
    fit_pelvis(plan)
    for leg in legs:
        plan_swing(plan, leg)
        plan_clearance(plan, leg)
        plan_bend(plan, leg)
    plan.figures["pelvis_height"] = float(plan.heights[0])
    plan.figures["reach"] = largest_reach(plan)
    return plan


def largest_reach(plan: Plan) -> float:
    """Largest hip-ankle distance as a share of thigh and shin."""
    shares = [
        np.linalg.norm(foot(plan, leg, phase).ankle - hip(plan, leg, phase)) / (leg.thigh + leg.shin)
        for phase in np.arange(64) / 64.0
        for leg in plan.legs
    ]
    return float(max(shares))
