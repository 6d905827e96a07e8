"""Twin of csrc/gait_stance.c: a leg and its plan, the foot on the ground, the pelvis, the measured leg.

One moment at a time in float64. Body axes: forward, left, up; vectors (3,), rotations (3, 3).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial import Polynomial
from tests.reference.gait_curves import DEGREES, TUNING, Array, Curve, central, eased, smooth_step

UP = np.array([0.0, 0.0, 1.0])


def turn(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit axis: Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


@dataclass
class Leg:
    """One leg at rest (hip from the pelvis's head; heel, ball, tip from the ankle), and its foot's course."""

    hip: Array
    heel: Array
    ball: Array
    tip: Array
    thigh: float
    shin: float
    height: float
    phase: float
    toe: bool
    gait: str = "walk"
    ahead: float = 0.0
    side: float = 0.0
    early_scale: float = 1.0
    late_scale: float = 1.0
    strike_pitch: float = 0.0
    pitch: Polynomial = field(default_factory=lambda: Polynomial([0.0]))
    knee: Polynomial = field(default_factory=lambda: Polynomial([0.0]))
    direction: Polynomial = field(default_factory=lambda: Polynomial([0.0]))
    sideways: Polynomial = field(default_factory=lambda: Polynomial([0.0]))
    up_turn: float = 0.0
    lift: float = 0.0
    early_bend: float = 0.0
    late_bend: float = 0.0
    early_lift: float = 0.0
    late_lift: float = 0.0

    @property
    def axis(self) -> Array:
        """What the foot's pitch turns about: level, square to the foot, to its left."""
        return unit(np.array([-self.ball[1], self.ball[0], 0.0]))

    @property
    def tuning(self) -> dict[str, float]:
        return TUNING[self.gait]

    @property
    def length(self) -> float:
        return self.thigh + self.shin + self.height


@dataclass
class Plan:
    """A stride: figures as GAIT_SUMMARY names them, the two legs, the body's curves, the pelvis's heights."""

    figures: dict[str, float]
    legs: list[Leg]
    rest_fore: float
    gait: str = "walk"
    curves: dict[str, Curve] = field(default_factory=dict)
    heights: Array = field(default_factory=lambda: np.zeros(9))
    lean: float = 0.0
    crouch: float = 0.0
    bounce: float = 1.0
    hunch: float = 0.0
    nod: float = 0.0
    later: float = 0.0
    derivatives: Callable[[Curve, float], Array] = central

    @property
    def tuning(self) -> dict[str, float]:
        return TUNING[self.gait]

    @property
    def duty(self) -> float:
        return self.figures["duty"]

    def measured(self, curve: str, u: float) -> float:
        """Degrees of a leg's curve, its toe-off moved from people's to the stride's."""
        return self.curves[curve](u - self.later * np.sin(np.pi * u) ** 2)


@dataclass
class Foot:
    """Place of the ankle, pitch of foot and toe (toes up positive)."""

    ankle: Array
    pitch: float
    toe: float


# ---- the foot on the ground ----


def pitched(leg: Leg, angle: float, v: Array) -> Array:
    """v turned about the foot's axis, toes up for a positive angle."""
    return turn(leg.axis, -angle) @ v


def early_pitch(plan: Plan, leg: Leg, u: float) -> float:
    s = max(1.0 - u / plan.figures["flat"], 0.0)
    return leg.strike_pitch * s**3 * (1.0 + plan.tuning["early_hold"] * (1.0 - s))


def late_pitch(plan: Plan, leg: Leg, u: float) -> float:
    onset = smooth_step((u - plan.figures["heel_off"]) / plan.tuning["onset"])
    measured = plan.measured("foot_pitch", u)
    return leg.late_scale * DEGREES * (measured - np.hypot(measured, 1.0)) / 2.0 * onset


def toe_pitch(leg: Leg, pitch: float) -> float:
    beyond = -pitch - leg.tuning["toe_bend"] * DEGREES
    return -eased(beyond, leg.tuning["toe_ease"] * DEGREES) if leg.toe else 0.0


def rolled(leg: Leg, pitch: float) -> Array:
    """What the ankle moves by when the flat foot is pitched over heel, ball and toe tip."""
    if pitch > 0.0:
        return leg.heel - pitched(leg, pitch, leg.heel)
    toe = toe_pitch(leg, pitch)
    ball = leg.tip - pitched(leg, toe, leg.tip - leg.ball)
    return ball - pitched(leg, pitch, leg.ball)


def stance(plan: Plan, leg: Leg, u: float) -> Foot:
    pitch = early_pitch(plan, leg, u) if u < plan.figures["flat"] else late_pitch(plan, leg, u)
    flat = np.array([leg.ahead - plan.figures["stride"] * u, leg.side, leg.height])
    return Foot(flat + rolled(leg, pitch), pitch, pitch if pitch > 0.0 else toe_pitch(leg, pitch))


# ---- the pelvis and the measured leg ----


def waves(phase: float) -> Array:
    """1, then cosine and sine of 2, 4, 6, 8 turns a stride."""
    out = [1.0]
    for turns in (2, 4, 6, 8):
        out += [np.cos(2.0 * np.pi * turns * phase), np.sin(2.0 * np.pi * turns * phase)]
    return np.array(out)


def pelvis(plan: Plan, phase: float) -> tuple[Array, Array]:
    """Place of its head, and turn from rest."""
    u = phase - plan.legs[0].phase
    c = plan.curves
    place = np.array([plan.rest_fore + c["fore"](u), c["side"](u), float(plan.heights @ waves(u % 1.0))])
    yaw, lean = turn(UP, -c["turn"](u)), turn(np.array([0.0, 1.0, 0.0]), 0.3 * plan.lean)
    return place, yaw @ lean @ turn(np.array([1.0, 0.0, 0.0]), c["list"](u))


def hip(plan: Plan, leg: Leg, phase: float) -> Array:
    place, turned = pelvis(plan, phase)
    return place + turned @ leg.hip


def distance_of(leg: Leg, flexion: float) -> float:
    """From hip to ankle, for a flexion of the knee."""
    return float(np.hypot(leg.thigh + leg.shin * np.cos(flexion), leg.shin * np.sin(flexion)))


def measured_leg(plan: Plan, leg: Leg, u: float) -> tuple[float, float, float]:
    """Ankle forward of and above the hip for measured angles, and the knee's flexion."""
    thigh, knee = DEGREES * plan.measured("thigh_pitch", u), DEGREES * plan.measured("knee_flexion", u)
    x = leg.thigh * np.sin(thigh) + leg.shin * np.sin(thigh - knee)
    z = -leg.thigh * np.cos(thigh) - leg.shin * np.cos(thigh - knee)
    return x, z, knee
