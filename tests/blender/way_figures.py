"""The figures of gaits along ways and over ground, measured on evaluated armatures.

    python -m tests.blender.way_figures [RIG ...] [--course NAME ...] [--json FILE]

One line a motion: rig, course, and the report's figures; a cross where a bar is missed. The exit code is 1
when any is.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
from amble.leave import leave
from tests.blender import rigs

RIGS = (
    "rigify:human",
    "rigify:human:generated",
    "glb/m2m_rig-human.glb",
    "glb/kaykit_Med_MovementBasic.glb",
)

# Tread and riser of a stair, metres.
TREAD, RISER = 0.28, 0.17


def plane(degrees: float, across: bool = False) -> Callable[[Any], Any]:
    """Maker of a plane that rises in the direction that a rig walks, or to its left."""
    return lambda rig: _grid(rig, lambda x, y: math.tan(math.radians(degrees)) * (y if across else x), 2)


def stairs(rig: Any) -> Any:
    """A flight of stairs going up from one metre ahead: each tread and each riser a face."""
    edges = 1.0 + TREAD * np.repeat(np.arange(13), 2)[:-1]
    heights = RISER * np.repeat(np.arange(14), 2)[1:-2]
    x = np.concatenate([[-25.0], edges[: len(heights) - 1], [25.0]])
    z = np.concatenate([[0.0], heights[: len(x) - 2], [heights[len(x) - 3]]])
    rows = np.stack([np.repeat(x, 2), np.tile([-5.0, 5.0], len(x)), np.repeat(z, 2)], axis=1)
    faces = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(len(x) - 1)]
    return _mesh(rig, rows, faces)


def rough(rig: Any) -> Any:
    """Ground of waves that differ by 0.15 m, about a metre long."""

    def height(x: Any, y: Any) -> Any:
        waves = np.sin(5.1 * x + 0.7 * y) + np.sin(3.3 * x - 4.1 * y + 1.0) + np.sin(2.2 * y + 1.3 * x + 2.0)
        return 0.15 / 5.2 * (waves - math.sin(0.0) - math.sin(1.0) - math.sin(2.0))

    return _grid(rig, height, 480)


def _grid(rig: Any, height: Callable[[Any, Any], Any], count: int) -> Any:
    side = np.linspace(-25.0, 25.0, count)
    x, y = (part.ravel() for part in np.meshgrid(side, side, indexing="ij"))
    rows = np.stack([x, y, height(x, y)], axis=1)
    faces = [
        (i * count + k, (i + 1) * count + k, (i + 1) * count + k + 1, i * count + k + 1)
        for i in range(count - 1)
        for k in range(count - 1)
    ]
    return _mesh(rig, rows, faces)


def _mesh(rig: Any, rows: Any, faces: Any) -> Any:
    """A mesh object of rows in the rig's own axes: ahead, to its left, up, in metres from where it stands."""
    roles = amble.rig.roles(rig)
    world = np.array(rig.matrix_world)
    ahead = world[:3, :3] @ np.array(roles.facing)
    ahead /= np.linalg.norm(ahead)
    left = np.cross([0.0, 0.0, 1.0], ahead)
    foot = world[:3, 3] + world[:3, :3] @ (np.array(roles.up) * roles.ground)
    size = leg_of(rig) / 0.9
    places = foot + size * (rows[:, :1] * ahead + rows[:, 1:2] * left + rows[:, 2:] * [0.0, 0.0, 1.0])
    data = bpy.data.meshes.new("ground")
    data.from_pydata(places.tolist(), [], faces)
    thing = bpy.data.objects.new("ground", data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def size_of(rig: Any) -> float:
    """Factor on speeds for a rig of another size than a person: the root of its leg's length over 0.9 m."""
    return math.sqrt(leg_of(rig) / 0.9)


def leg_of(rig: Any) -> float:
    """Metres from the hip joint straight down to the ground, at rest."""
    world = np.array(rig.matrix_world)
    roles = amble.rig.roles(rig)
    hip = np.array(rig.data.bones[roles.legs[0].bones[0]].head_local)
    scale = float(np.linalg.norm(world[:3, :3] @ np.array(roles.up)))
    return scale * (float(hip @ np.array(roles.up)) - roles.ground)


@dataclass(frozen=True, slots=True)
class Course:
    """Settings of a gait for a person's legs, and the maker of what it walks on."""

    settings: dict[str, Any]
    ground: Callable[[Any], Any] | None = None

    def make(self, key: str) -> Any:
        """The result, on a rig loaded anew into an empty file."""
        rigs.clear()
        rig = rigs.load(key)
        factor = size_of(rig)
        settings = dict(self.settings)
        for name in ("speed", "speeds"):
            if name in settings:
                value = settings[name]
                settings[name] = tuple(v * factor for v in value) if name == "speeds" else value * factor
        if "turn" in settings:
            settings["turn"] = settings["turn"] / factor
        ground = None if self.ground is None else [self.ground(rig)]
        return amble.gait(rig, ground=ground, **settings)


COURSES = {
    "flat": Course({"speed": 1.2, "speeds": (1.2, 1.2)}),
    "up 10": Course({"speed": 1.0}, plane(10.0)),
    "up 20": Course({"speed": 0.8}, plane(20.0)),
    "down 10": Course({"speed": 1.0}, plane(-10.0)),
    "down 20": Course({"speed": 0.8}, plane(-20.0)),
    "across 10": Course({"speed": 1.0}, plane(10.0, across=True)),
    "across 20": Course({"speed": 1.0}, plane(20.0, across=True)),
    "stairs": Course({"speeds": (0.5, 0.5), "frames": (1, 200), "loop": False}, stairs),
    "rough": Course({"speeds": (1.0, 1.0), "frames": (1, 120), "loop": False}, rough),
    "circle": Course({"speed": 1.2, "turn": math.degrees(1.2 / 3.0)}),
    "start run stop": Course({"speeds": (0.0, 2.5, 2.5, 0.0), "frames": (1, 192), "gait": "auto"}),
    "strafe 45": Course({"speed": 0.9, "direction": 45.0}),
    "strafe 90": Course({"speed": 0.7, "direction": 90.0}),
    "back": Course({"speed": 0.9, "direction": 180.0}),
    "on the spot": Course({"speeds": (0.0, 0.0), "turn": 60.0}),
}


def line(key: str, name: str, report: Any, notes: Any) -> str:
    """The figures in one line."""
    return (
        f"{key.split('/')[-1][:24]:<24} {name:<15} slide {report.slide_mm:5.2f}"
        f" sunk {report.penetration_mm:5.2f} reach {report.over_reach:.4f}"
        f" seam {report.seam_position:.1e} {100 * report.seam_slope:5.2f}%"
        f" speed {100 * report.speed_error:+.3f}% knee {report.knee_speed_ratio:.2f}"
        f" {report.knee_acceleration_ratio:.2f} {'ok' if report.ok else 'X ' + '; '.join(report.problems)}"
        f" {'; '.join(note for note in notes if 'footfall' in note)}"
    )


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rig", nargs="*", default=RIGS, help="rigs as tests.blender.rigs.load takes them")
    parser.add_argument("--course", action="append", choices=list(COURSES), help="only these courses")
    parser.add_argument("--json", type=Path, help="file for all figures")
    options = parser.parse_args()
    found = []
    for key in options.rig:
        for name in options.course or COURSES:
            result = COURSES[name].make(key)
            print(line(key, name, result.report, result.notes), flush=True)
            found.append({"rig": key, "course": name, **result.report.as_dict()})
    missed = sum(not figures["ok"] for figures in found)
    print(f"{len(found)} motions, {missed} with a bar missed")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    leave(main())
