"""The figures of every style on a human rig, how far they differ, and a picture of all of them.

    python -m tests.blender.style_figures [--rig KEY] [--pictures FOLDER]

One line a style: the report's figures. Then the pairs that are nearest to one another: root mean square of
the angles of the joint that differs most, over a stride at equal phase, and the larger difference in speed or
cadence. FOLDER gets one small picture a style.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
from amble.action.slots import find_curves
from amble.leave import leave
from amble.picture import walk_picture
from numpy.typing import NDArray
from tests.blender import rigs

Floats = NDArray[np.float64]
SAMPLES = 24
# A pair of styles differs visibly by so much in one joint, or by this share in one figure of timing.
DEGREES, SHARE = 5.0, 0.1


def turned(armature: Any, result: Any) -> dict[str, Floats]:
    """Evaluated rotations of the bones that have roles in space of their parents, (SAMPLES, 3, 3) each, at
    even phases."""
    first, last = result.frames
    names = [bone.name for bone in armature.pose.bones if bone.name in _moved(armature)]
    found: dict[str, list[Floats]] = {name: [] for name in names}
    scene = bpy.context.scene
    now = (scene.frame_current, scene.frame_subframe)
    for k in range(SAMPLES):
        frame = first + (last - first) * k / SAMPLES
        scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
        for name in names:
            bone = armature.pose.bones[name]
            above = bone.parent.matrix.inverted() if bone.parent else bone.matrix.Identity(4)
            found[name].append(np.array((above @ bone.matrix).to_3x3().normalized()))
    scene.frame_set(now[0], subframe=now[1])
    return {name: np.array(rows) for name, rows in found.items()}


def _moved(armature: Any) -> set[str]:
    """Names of the bones that the action that is played turns."""
    curves = find_curves(armature)
    return {curve.data_path.split('"')[1] for curve in curves if "rotation" in curve.data_path}


def apart(a: dict[str, Floats], b: dict[str, Floats]) -> tuple[float, str]:
    """Root mean square of the angle between two motions in the joint where it is largest, and that joint."""
    found = []
    for name in sorted(set(a) & set(b)):
        trace = np.einsum("fij,fij->f", a[name], b[name])
        angles = np.degrees(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)))
        found.append((float(np.sqrt(np.mean(angles**2))), name))
    return max(found)


def timing_apart(a: Any, b: Any) -> float:
    """The largest difference in speed, cadence, or duty factor, as a share."""
    pairs = [
        (a.report.speed_measured, b.report.speed_measured),
        (a.report.cadence_steps_min, b.report.cadence_steps_min),
        (a.figures["duty"], b.figures["duty"]),
    ]
    return max(abs(x - y) / min(x, y) for x, y in pairs)


def holds(report: Any) -> bool:
    """Whether feet are held: slide, depth, reach and seam. Other bars are those of people at ease, which most
    styles are not."""
    return bool(
        report.slide_mm <= 1.0
        and report.penetration_mm <= 1.0
        and report.over_reach <= 0.999
        and report.seam_angle_deg <= 0.01
    )


def main() -> int:
    """Print, draw; 1 where a style does not hold its feet or a pair is too alike."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rig", default="rigify:human")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("styles", nargs="*", default=amble.style_names())
    arguments = parser.parse_args()
    rigs.clear()
    armature = rigs.load(arguments.rig)
    made, poses, sound = {}, {}, True
    for name in arguments.styles:
        result = amble.gait(armature, style=name)
        made[name], poses[name] = result, turned(armature, result)
        report = result.report
        held = holds(report)
        sound = sound and held
        print(
            f"{name:9s} {'ok ' if held else 'BAD'} slide {report.slide_mm:5.2f} mm  "
            f"depth {report.penetration_mm:5.2f} mm  seam {report.seam_angle_deg:.3f}  "
            f"skid {report.skid_mm:4.1f} mm  "
            f"{report.speed_measured:.2f} m/s  {report.cadence_steps_min:5.1f} steps/min"
        )
        for problem in report.problems:
            print(f"          {problem}")
        if arguments.pictures:
            arguments.pictures.mkdir(parents=True, exist_ok=True)
            walk_picture(
                armature,
                result.action,
                result.frames,
                arguments.pictures / f"{name}.png",
                roles=result.roles,
                contacts=result.contacts,
                loop=True,
                title=name,
            )
    pairs = []
    for a, b in combinations(made, 2):
        angle, joint = apart(poses[a], poses[b])
        share = timing_apart(made[a], made[b])
        pairs.append((max(angle / DEGREES, share / SHARE), a, b, angle, joint, share))
    for score, a, b, angle, joint, share in sorted(pairs)[:6]:
        print(f"{a} and {b}: {angle:.1f} degrees in {joint}, {100.0 * share:.0f} % in timing")
        sound = sound and score >= 1.0
    return int(not sound)


if __name__ == "__main__":
    leave(main())
