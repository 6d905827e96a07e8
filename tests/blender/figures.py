"""The figures of walk and run, measured on evaluated armatures.

    python -m tests.blender.figures [RIG ...] [--json FILE]

One line a motion: rig, gait, speed, frames a second, in place or with root motion, and the report's figures;
a cross where a bar is missed. The exit code is 1 when any is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import amble
from amble.leave import leave
from tests.blender import rigs

# Human rigs of the four naming families, as the bars are stated for them.
RIGS = (
    "rigify:human",
    "glb/m2m_rig-human.glb",
    "json/mpfb_rig.mixamo.json",
    "glb/kaykit_Med_MovementBasic.glb",
)
# The fastest walk is named one: with short legs it is faster than people walk.
SPEEDS = {"walk": (0.6, 1.0, 1.4, 1.8), "run": (2.5, 3.5)}
RATES = (24.0, 30.0)
MOTIONS = ("none", "auto")


@dataclass(frozen=True, slots=True)
class Walk:
    """One walk or run to be measured."""

    rig: str
    speed: float
    fps: float
    root_motion: str
    gait: str

    def make(self) -> Any:
        """The result, on a rig loaded anew into an empty file."""
        rigs.clear()
        armature = rigs.load(self.rig)
        return amble.gait(
            armature, speed=self.speed, fps=self.fps, root_motion=self.root_motion, gait=self.gait
        )


def walks(names: tuple[str, ...] = RIGS) -> Iterator[Walk]:
    """Every combination that bars are stated for."""
    for name in names:
        for gait, speeds in SPEEDS.items():
            for speed in speeds:
                for fps in RATES:
                    for motion in MOTIONS:
                        yield Walk(name, speed, fps, motion, gait)


def line(walk: Walk, report: Any) -> str:
    """The figures in one line."""
    score = report.score
    likeness = "not scored"
    if score:
        asked = len(score.passed) + len(score.failed)
        likeness = f"{score.verdict:>6} z {score.mean_z:.2f} {len(score.passed):2d}/{asked}"
    return (
        f"{walk.rig.split('/')[-1]:<30} {walk.gait:<4} {walk.speed:.1f} m/s {walk.fps:.0f}"
        f" {walk.root_motion:<5}"
        f" slide {report.slide_mm:5.2f} sunk {report.penetration_mm:5.2f} reach {report.over_reach:.4f}"
        f" seam {report.seam_position:.1e} {report.seam_angle_deg:.4f} {100 * report.seam_slope:5.2f}%"
        f" speed {100 * report.speed_error:+.3f}%"
        f" knee {report.knee_speed_ratio:.2f} {report.knee_acceleration_ratio:.2f}"
        f" stride {100 * report.stride_deviation:+5.1f}% cadence {100 * report.cadence_deviation:+5.1f}%"
        f" duty {100 * report.duty_deviation:+5.1f}% toe {report.toe_clearance_mm:3.0f} {likeness}"
        f" {'ok' if report.ok else 'X ' + '; '.join(report.problems)}"
    )


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rig", nargs="*", default=RIGS, help="rigs as tests.blender.rigs.load takes them")
    parser.add_argument("--json", type=Path, help="file for all figures")
    options = parser.parse_args()
    found = []
    for walk in walks(tuple(options.rig)):
        report = walk.make().report
        print(line(walk, report), flush=True)
        how = {"rig": walk.rig, "gait": walk.gait, "fps": walk.fps, "root_motion": walk.root_motion}
        found.append({**how, **report.as_dict()})
    missed = sum(not figures["ok"] for figures in found)
    print(f"{len(found)} walks and runs, {missed} with a bar missed")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    leave(main())
