"""The figures of animals' gaits, measured on evaluated armatures.

    python -m tests.blender.animal_figures [RIG ...] [--gait NAME ...] [--course NAME ...]

One line a motion: rig, gait or course, and the report's figures; how far its footfalls, seen by height alone,
are from the gait's phases and duty factor, in strides; a cross where a bar is missed. The exit code is 1 when
any is. Millimetres are for a leg of 0.9 m.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any

import amble
import numpy as np
from amble.errors import AmbleError
from amble.gait.legged_body import legs_of
from amble.gait.paws import on_paws
from amble.gait.presets import Preset, presets
from amble.leave import leave
from amble.reading import read
from amble.report.contacts import Clock, stances
from amble.report.measure import quarter_frames, sample
from numpy.typing import NDArray
from tests.blender import rigs

Floats = NDArray[np.float64]

RIGS = (
    "glb/m2m_anim-fox.glb",
    "glb/m2m_anim-horse.glb",
    "glb/m2m_anim-spider.glb",
    "glb/m2m_rig-bird.glb",
    "glb/khronos_Fox.glb",
    "blend/quaternius_Cow.blend",
    "blend/quaternius_Cat.blend",
    "blend/quaternius_Horse.blend",
    "blend/quaternius_Spider.blend",
    "rigify:horse:generated",
    "rigify:cat:generated",
    "rigify:wolf:generated",
    "rigify:bird:generated",
)
# Bars of the footfalls, strides.
PHASE, DUTY = 0.02, 0.03
SLOPE = 10.0


def courses(roles: Any, rig: Any) -> dict[str, dict[str, Any]]:
    """Settings of each course for a rig."""
    legs, leg = len(roles.legs), roles.leg_length * rig.scale[0]
    ahead = np.array(rig.matrix_world)[:3, :3] @ np.array(roles.facing)
    unit = math.sqrt(9.81 * leg)
    length = 1 + 2 * int(60 * math.sqrt(leg))
    # Animals on four legs gallop, spiders never leave the ground.
    top = {4: 2.3, 2: 1.2}.get(legs, 0.5)
    usual = 0.35 if legs <= 4 else 0.25
    rise = math.tan(math.radians(SLOPE))
    return {
        "turn": {"turn": 30.0, "speed": usual * unit, "frames": (1, length), "loop": False},
        "slope": {
            "ground": lambda x, y: rise * (ahead[0] * x + ahead[1] * y) / float(np.hypot(*ahead[:2])),
            "speed": usual * unit,
            "frames": (1, length),
            "loop": False,
        },
        "ramp": {
            "speeds": tuple(share * top * unit for share in (0.15, 0.25, 0.5, 0.75, 1.0, 1.0, 0.5, 0.2)),
            "frames": (1, 1 + 2 * length),
        },
        "start and stop": {
            "speeds": tuple(share * usual * unit for share in (0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0)),
            "frames": (1, 1 + 2 * length),
        },
    }


@dataclass(frozen=True, slots=True)
class Footfalls:
    """Of a motion, in strides: phase: how far the furthest footfall is from the gait's; duty: the furthest
    stance; even: how far left and right differ in a symmetric gait; down: the fewest feet on the ground."""

    phase: float
    duty: float
    even: float
    down: int


def footfalls(rig: Any, result: Any, preset: Preset) -> Footfalls:
    """Of one cycle in a loop, by the height of the feet alone."""
    stand = on_paws(read(rig))
    legs = legs_of(stand.roles)
    start, end = result.frames
    times = quarter_frames(start, end)
    times = np.linspace(start, end, 8 * (len(times) - 1) + 1)
    clock = Clock(times, 24.0, True)
    matrices = sample(rig, times, [leg.limb.contact for leg in legs])
    up = np.array(rig.matrix_world)[:3, :3] @ np.array(stand.roles.up)
    size = float(np.linalg.norm(up))
    leg_length = stand.roles.leg_length * size
    period = (end - start) / round((end - start) / (result.figures["cycle"] * _fps()))
    strikes, duties = [], []
    down = np.zeros(len(times) - 1, dtype=int)
    for k, leg in enumerate(legs):
        sole = stand.soles[stand.roles.legs.index(leg.limb)]
        rest = stand.skeleton.rest[stand.skeleton.index(leg.limb.contact)]
        lows = []
        for point in (sole.heel, sole.tip):
            own = np.linalg.solve(rest, np.append(point, 1.0))
            lows.append((matrices[:, k] @ own)[:, :3] @ (up / size))
        lowest = np.min(lows, axis=0)
        seen = stances(lowest, clock, near=0.0022 * leg_length, touch=0.0006 * leg_length)
        strikes.append(seen[0].on)
        duties.append(float(np.mean([s.off - s.on for s in seen])) / period)
        above = lowest - np.percentile(lowest, 15.0)
        down += (above[:-1] < 0.0022 * leg_length).astype(int)
    phases = (np.array(strikes) - strikes[0]) / period
    wanted = np.array(preset.phases) - preset.phases[0]
    apart = phases - wanted
    asked = result.figures["duty"]
    even = abs(duties[0] - duties[len(legs) // 2]) if len(legs) > 1 else 0.0
    return Footfalls(
        float(np.abs(apart - np.round(apart)).max()),
        float(np.abs(np.array(duties) - asked).max()),
        even,
        int(down.min()),
    )


def _fps() -> float:
    import bpy

    render = bpy.context.scene.render
    return float(render.fps / render.fps_base)


def line(what: str, result: Any, feet: Footfalls | None, good: bool) -> str:
    """The figures in one line."""
    report = result.report
    seen = f" phase {feet.phase:.3f} duty {feet.duty:.3f} down {feet.down}" if feet is not None else ""
    return (
        f"{what:<44} slide {report.slide_mm:5.2f} sunk {report.penetration_mm:5.2f}"
        f" reach {report.over_reach:.4f} seam {report.seam_position:.0e} {report.seam_angle_deg:.4f}"
        f" speed {100 * report.speed_error:+.3f}% froude {result.figures['froude']:.2f}"
        f" stride/leg {result.figures['stride'] / result.figures['leg_length']:.2f}"
        f" trunk {report.pelvis_vertical_pp:.3f}{seen}"
        f" {'ok' if good else 'X ' + '; '.join(report.problems)[:200]}"
    )


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rig", nargs="*", default=RIGS, help="rigs as tests.blender.rigs.load takes them")
    parser.add_argument("--gait", nargs="*", default=None, help="gaits; without, all of them")
    parser.add_argument("--course", nargs="*", default=None, help="courses; without, all of them")
    options = parser.parse_args()
    made = missed = 0
    for key in options.rig:
        armature = rigs.load(key)
        roles = amble.rig.roles(armature)
        for preset in presets(len(roles.legs)):
            if options.gait is not None and preset.name not in options.gait:
                continue
            armature = rigs.load(key)
            made += 1
            try:
                result = amble.gait(armature, gait=preset.name)
                feet = footfalls(armature, result, preset)
                good = result.report.ok and feet.phase <= PHASE and feet.duty <= DUTY
                print(line(f"{key.split('/')[-1]} {preset.name}", result, feet, good), flush=True)
            except AmbleError as reason:
                good = False
                print(f"{key.split('/')[-1]} {preset.name} X {reason}", flush=True)
            missed += not good
        for name, settings in courses(roles, armature).items():
            if options.course is not None and name not in options.course:
                continue
            armature = rigs.load(key)
            made += 1
            try:
                result = amble.gait(armature, **settings)
                good = result.report.ok
                print(line(f"{key.split('/')[-1]} {name}", result, None, good), flush=True)
            except AmbleError as reason:
                good = False
                print(f"{key.split('/')[-1]} {name} X {reason}", flush=True)
            missed += not good
    print(f"{made} motions, {missed} with a bar missed")
    return 1 if missed else 0


if __name__ == "__main__":
    leave(main())
