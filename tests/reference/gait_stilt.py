"""Twin of csrc/gait_stilt.c: hips and legs of a body on legs of one bone, one moment at a time in float64.

Body axes: forward, left, up; vectors (3,), rotations (3, 3).
"""

from dataclasses import dataclass

import numpy as np
from tests.reference.gait_curves import TUNING, Array, Curve, smooth_step
from tests.reference.gait_plan import KINDS, body_curves
from tests.reference.gait_stance import turn, unit

FORWARD, LEFT = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def found(rising: Curve, value: float) -> float:
    """Where a function takes a value, between -1.5 and 1.5, by halves."""
    low, high = -1.5, 1.5
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rising(middle) < value else (low, middle)
    return middle


@dataclass
class Stilts:
    """A stride. figures: as GAIT_SUMMARY names them; hips: (2, 3), from the pelvis's head; middle: of the
    hips at rest, (3,); soles: (2, 2, 3), heel and tip from the hip joints; share: of the step that the hips'
    turn makes; level: no further than this ahead of its foot a hip has it level."""

    figures: dict[str, float]
    hips: Array
    middle: Array
    soles: Array
    phases: list[float]
    curves: dict[str, Curve]
    lean: float
    hunch: float
    nod: float
    share: float = 0.0
    level: float = 0.0
    lift: float = 0.0
    width: float = 0.0
    rate: float = 0.0  # a stride, at which the hips come apart as a foot comes down

    def foot(self, side: int, phase: float) -> float:
        """Place of a foot along the way, seen from the body: what it steps on goes back by a stride a
        stride."""
        u = (phase - self.phases[side]) % 1.0
        return self.figures["stride"] * (0.25 - u + smooth_step(2.0 * u - 1.0))

    def tipped(self, side: int, ahead: float, aside: float) -> tuple[float, Array]:
        """Height of a hip that is so far ahead of its foot and so far to the left of it, and the leg's turn:
        the leg is turned about the end of its sole that is down until the hip is there."""
        pivot = self.soles[side, 0 if ahead < 0.0 else 1]
        pitch = turn(LEFT, found(lambda angle: (turn(LEFT, angle) @ -pivot + pivot)[0], ahead))
        height = (pitch @ -pivot)[2]
        roll = turn(FORWARD, -found(lambda angle: (turn(FORWARD, -angle) @ pitch @ -pivot + pivot)[1], aside))
        leaning = (roll @ pitch @ -pivot)[2]
        # The corner where the sole's other end takes over is rounded off.
        x = abs(ahead)
        round_off = 0.0
        if x < self.level:
            s = x / self.level
            round_off = self.level * (0.375 + 0.75 * s**2 - 0.125 * s**4) - x
        sole = self.soles[side, 1, 0] - self.soles[side, 0, 0]
        return leaning + float(np.sqrt(height**2 + sole * round_off)) - height, roll @ pitch

    def leaning(self, side: int, phase: float) -> float:
        """How far a hip is to the left of its foot: without speed it would jump as feet change."""
        u = phase - self.phases[side]
        return (-0.5 if side else 0.5) * self.rate * float(np.sin(4.0 * np.pi * u)) / (4.0 * np.pi)

    def legs(self, phase: float) -> tuple[Array, list[Array]]:
        """Both hips (2, 3), but for their places sideways, and the legs' turns."""
        places, turns = np.zeros((2, 3)), []
        for side in (0, 1):
            foot = self.foot(side, phase)
            height, turned = self.tipped(side, -(1.0 - self.share) * foot, self.leaning(side, phase))
            s = 2.0 * ((phase - self.phases[side]) % 1.0) - 1.0
            lifted = 16.0 * s**2 * (1.0 - s) ** 2 if s > 0.0 else 0.0
            places[side] = self.share * foot, 0.0, height + self.lift * lifted
            turns.append(turned)
        return places, turns

    def apart(self, places: Array) -> float:
        """How far apart sideways the hips are, which keep their distance."""
        distance = np.linalg.norm(self.hips[0] - self.hips[1])
        return float(np.sqrt(distance**2 - np.sum((places[0] - places[1]) ** 2)))

    def at(self, phase: float) -> tuple[Array, Array, list[Array]]:
        """The pelvis's place and turn, the legs' turns."""
        places, turns = self.legs(phase)
        width = self.apart(places)
        left_stands = (phase - self.phases[0]) % 1.0 < 0.5
        places[0, 1] = 0.5 * self.width if left_stands else -0.5 * self.width + width
        places[1, 1] = 0.5 * self.width - width if left_stands else -0.5 * self.width
        places[:, 1] += self.leaning(0 if left_stands else 1, phase)
        before, now = unit(self.hips[0] - self.hips[1]), unit(places[0] - places[1])
        axis = np.cross(before, now)
        sine = float(np.linalg.norm(axis))
        turned = turn(axis / sine, float(np.arctan2(sine, before @ now))) if sine > 0.0 else np.eye(3)
        middle = places.mean(axis=0) + np.array([self.middle[0], 0.0, 0.0])
        return middle - turned @ self.hips.mean(axis=0), turned, turns


def make_stilts(
    joints: Array, pelvis: Array, soles: Array, phases: Array, settings: dict[str, float]
) -> Stilts:
    """The plan of a stride. joints: (2, 3), hip joints at rest; soles: (2, 3, 3), heel, ball, tip."""
    size = float(joints[:, 2].mean())
    speed, kind = settings["speed"], KINDS["walk"]
    vn = speed / np.sqrt(settings["gravity"] * size)
    natural = settings["step_length"] * TUNING["walk"]["stride_share"] * kind.stride(vn) * size
    cycle = settings["cycle"] or natural / speed
    stride = cycle * speed
    ends = soles[:, [0, 2]] - joints[:, None]
    ends[..., 2] = -joints[:, None, 2]
    plan = Stilts(
        figures={"cycle": cycle, "stride": stride, "duty": 0.5, "leg_length": size, "vn": vn, "gait": 0.0},
        hips=joints - pelvis,
        middle=joints.mean(axis=0),
        soles=ends,
        phases=[float(phase) for phase in phases],
        curves=body_curves("walk", vn, size, settings),
        lean=settings["lean"],
        hunch=settings["hunch"],
        nod=settings["nod"],
    )
    hips = float(np.linalg.norm(joints[0] - joints[1]))
    plan.share = min(2.0 * hips * min(0.31 * settings["pelvis_turn"], 0.5) / stride, 1.0)
    furthest = 0.25 * (1.0 - plan.share) * stride
    plan.level, plan.lift = 0.1 * furthest, min(0.08 * size, 0.1 * hips)
    plan.width = plan.apart(plan.legs(plan.phases[0])[0])
    after, before = (plan.apart(plan.legs(plan.phases[0] + step)[0]) for step in (1e-4, -1e-4))
    plan.rate = (after - before) / 2e-4
    moment = 0.25 * plan.level / furthest if furthest > 0.0 else 0.25
    heights = [plan.at(phase)[0][2] for phase in np.arange(64) / 64.0]
    plan.figures |= {
        "step_width": plan.width,
        "pelvis_height": float(np.mean(heights)),
        "flat": 0.25 + moment if furthest > 0.0 else 0.0,
        "heel_off": 0.25 - moment if furthest > 0.0 else 0.5,
        "heel_lift": 0.25 - moment if furthest > 0.0 else 0.5,
        "ball_off": 0.5,
        "reach": 1.0,
    }
    return plan
