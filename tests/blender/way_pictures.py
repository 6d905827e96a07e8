"""Pictures of the courses of way_figures: where the body is at even moments, and what it walks on.

    python -m tests.blender.way_pictures FOLDER [--course NAME ...] [--rig KEY]

One small PNG file a course. Left is blue, right orange; figures stand where they are in the world, those on
the spot side by side; level ground is seen from above at a slant, with the footprints.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from amble.leave import leave
from amble.picture.body import foot_of, frame_of
from amble.picture.figures import Figures
from amble.picture.inks import GROUND, INKS, LANE_INK, TEXT
from amble.picture.marks import SOLE, print_outline
from amble.picture.playing import playing
from amble.picture.stage import Stage
from amble.rig import foot_points, read_skeleton, read_skin, sole
from amble.scene import as_ground
from mathutils import Matrix
from numpy.typing import NDArray
from tests.blender import rigs
from tests.blender.way_figures import COURSES

Floats = NDArray[np.float64]

WIDTH = 1200
POSES = 12
SIDE = {"L": INKS[1], "R": INKS[2]}


class Placed(Figures):
    """Figures at the places that they have in the world, seen from above at a slant."""

    def __init__(self, *given: Any, slant: float, spread: float) -> None:
        super().__init__(*given, None)
        self.tilt = Matrix.Rotation(math.radians(slant), 4, "X")
        self.spread = spread
        self.places: list[Floats] = []

    def hip(self, depsgraph: Any) -> Floats:
        """Where the body is, on the stage."""
        seen = self.armature.evaluated_get(depsgraph)
        pose = np.array(seen.matrix_world @ seen.pose.bones[self.mover].matrix)
        return np.asarray(self.scale * (self.turn @ pose[:3, 3]) * [1.0, 1.0, 0.0])

    def take(self, depsgraph: Any, feet: Any) -> None:
        """Add the figure where it is."""
        super().take(depsgraph, feet)
        place = self.hip(depsgraph) + [self.spread * len(self.places), 0.0, 0.0]
        self.places.append(place)
        for made, _ in self.shown[-1]:
            made.matrix_world = self.tilt @ Matrix.Translation(place) @ made.matrix_world
        self.soles[-1] = self.soles[-1] + place

    def seen(self) -> Floats:
        """All points of the figures on the picture's plane."""
        tilt = np.array(self.tilt)[:3, :3]
        return np.concatenate(
            [
                Stage.project((points + place) @ tilt.T)
                for shown, place in zip(self.shown, self.places, strict=True)
                for _, points in shown
            ]
        )


def ground_of(stage: Stage, figures: Placed, ground: Any, low: Floats, high: Floats) -> None:
    """The ground between two corners of the stage as a sheet."""
    x = np.arange(low[0] - 0.7, high[0] + 0.7, 0.02)
    y = np.linspace(low[1] - 0.5, high[1] + 0.5, 12)
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    back = np.linalg.inv(figures.turn * figures.scale)
    world = np.column_stack([grid, np.zeros(len(grid))]) @ back.T
    found = ground.heights(np.ascontiguousarray(world.T), up=50.0, down=50.0)
    z = figures.scale * (found.height - figures.ground)
    points = np.column_stack([grid, z]) @ np.array(figures.tilt)[:3, :3].T
    normals = (figures.turn @ found.normal).T @ np.array(figures.tilt)[:3, :3].T
    rows = len(y)
    corner = (np.arange(len(x) - 1)[:, None] * rows + np.arange(rows - 1)).ravel()
    quads = np.stack([corner, corner + rows, corner + rows + 1, corner + 1], axis=1)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    stage.add_surface(points, normals, faces.astype(np.int32), np.tile(np.array(LANE_INK), (len(points), 1)))


def prints_of(stage: Stage, figures: Placed, result: Any, at: Any, feet: Any) -> None:
    """The soles that stand, in the middle of each stance."""
    for contact in result.contacts:
        middle = 0.5 * (contact.flat + contact.heel_off)
        if result.frames[0] <= middle <= result.frames[1]:
            figures.take(at(middle), feet)
            heel, ball, tip = figures.soles.pop()[contact.leg][:, :2]
            for made, _ in figures.shown.pop():
                made.hide_render = True
            figures.places.pop()
            outline = print_outline(heel, ball, tip, SOLE, 0.09)
            ink = SIDE[result.roles.legs[contact.leg].side]
            points = np.column_stack([outline, np.full(len(outline), 0.006)])
            flat = points @ np.array(figures.tilt)[:3, :3].T
            stage._polygon(flat, ink, None, solid=False)


def picture(key: str, name: str, path: Path) -> None:
    """Draws one course."""
    course = COURSES[name]
    settings = dict(course.settings)
    steady = "speeds" not in settings or len(set(settings["speeds"])) == 1
    if steady and "frames" not in settings:
        settings |= {"frames": (1, 97), "loop": False}
    result = type(course)(settings, course.ground).make(key)
    rig = bpy.context.view_layer.objects.active
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.animation_data)
    skeleton, roles = read_skeleton(rig), result.roles
    skin = read_skin(rig, skeleton.names)
    soles = [sole(skeleton, roles, limb, foot_points(skeleton, limb, skin)) for limb in roles.legs]
    feet = [foot_of(limb, skeleton, roles, soles[k]) for k, limb in enumerate(roles.legs)]
    assert frame_of(roles)
    level = course.ground is None
    spot = name == "on the spot"
    with Stage() as stage:
        slant = 12.0 if not level else 35.0
        figures = Placed(stage, rig, roles, skeleton, soles, slant=slant, spread=0.0)
        with playing(rig, result.action) as at:
            if level and not spot:
                prints_of(stage, figures, result, at, feet)
            figures.spread = 0.9 if spot else 0.0
            for time in np.linspace(*result.frames, POSES):
                figures.take(at(time), feet)
        places = np.array(figures.places)
        ground = as_ground("ground", rig) if level is False else None
        if ground is not None:
            ground_of(stage, figures, ground, places.min(axis=0), places.max(axis=0))
        points = figures.seen()
        low, high = points.min(axis=0) - 0.25, points.max(axis=0) + 0.15
        size = 0.014 * (high[0] - low[0])
        stage.add_text(name, (low[0] + size, high[1] + 0.2 * size), 1.4 * size, TEXT, "LEFT")
        path.parent.mkdir(parents=True, exist_ok=True)
        stage.render(path.absolute(), tuple(low), (high[0], high[1] + 2.2 * size), WIDTH, GROUND)


def main() -> int:
    """Draws; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--course", action="append", choices=list(COURSES), help="only these courses")
    parser.add_argument("--rig", default="rigify:human", help="as tests.blender.rigs.load takes it")
    options = parser.parse_args()
    for name in options.course or COURSES:
        rigs.clear()
        picture(options.rig, name, options.folder / f"{name.replace(' ', '_')}.png")
    return 0


if __name__ == "__main__":
    leave(main())
