"""Pictures of the courses of way_figures: where the body is at even moments, and what it walks on.

    python -m tests.blender.way_pictures FOLDER [--course NAME ...] [--rig KEY]

One small PNG file a course. Left is blue, right orange; figures stand where they are in the world, those on
the spot side by side; level ground is seen from above at a slant, with the footprints.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from amble.leave import leave
from amble.picture.body import SIDES, foot_of
from amble.picture.figures import Figures
from amble.picture.inks import GROUND, INKS, LANE_INK, TEXT
from amble.picture.marks import PRINT_WIDTH, SOLE, print_outline
from amble.picture.playing import playing
from amble.picture.stage import Stage
from amble.rig import foot_points, read_skeleton, read_skin, sole
from amble.scene import as_ground
from mathutils import Matrix
from numpy.typing import NDArray
from tests.blender import rigs
from tests.blender.way_figures import COURSES

Floats = NDArray[np.float64]

WIDTH, POSES = 700, 12
FRAMES = 97  # of courses that do not say their own


class Placed(Figures):
    """Figures at the places that they have in the world."""

    def __init__(self, stage: Stage, rig: Any, roles: Any, skeleton: Any, soles: Any, aside: float) -> None:
        super().__init__(stage, rig, roles, skeleton, soles, None)
        # What goes aside of where it faces goes to the right.
        self.turn = np.array(Matrix.Rotation(-math.radians(aside), 3, "Z")) @ self.turn
        self.spread = 0.0
        self.places: list[Floats] = []

    def take(self, depsgraph: Any, feet: Any, turn: float = 0.0) -> None:
        """Add the figure where it is, and so much further to the right than the one before."""
        super().take(depsgraph, feet, turn)
        seen = self.armature.evaluated_get(depsgraph)
        name = self.skeleton.names[self.mover]
        mover = np.array(seen.matrix_world @ seen.pose.bones[name].matrix)[:3, 3]
        place = self.scale * (self.turn @ mover) * [1.0, 1.0, 0.0]
        place[0] += self.spread * len(self.places)
        self.places.append(place)
        for made, _ in self.shown[-1]:
            made.matrix_world = Matrix.Translation(place.tolist()) @ made.matrix_world
        self.soles[-1] = self.soles[-1] + place

    def drop(self) -> Floats:
        """Take the last one away; its soles, (legs, 3 points, 3)."""
        for made, _ in self.shown.pop():
            made.hide_render = True
        self.places.pop()
        return self.soles.pop()

    def points(self) -> Floats:
        """All points of the figures, (n, 3)."""
        pairs = zip(self.shown, self.places, strict=True)
        return np.concatenate([points + place for shown, place in pairs for _, points in shown])


def draw_ground(stage: Stage, figures: Placed, ground: Any, low: Floats, high: Floats) -> Floats:
    """A sheet of ground between two corners of the stage; its points (n, 3)."""
    x = np.arange(low[0], high[0], 0.02)
    y = np.linspace(low[1] - 0.1, high[1] + 0.1, 12)
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    rotation = figures.turn
    world = np.column_stack([grid, np.zeros(len(grid))]) / figures.scale @ rotation
    found = ground.heights(np.ascontiguousarray(world.T), up=50.0, down=50.0)
    points = np.column_stack([grid, figures.scale * (found.height - figures.ground)])
    rows = len(y)
    corner = (np.arange(len(x) - 1)[:, None] * rows + np.arange(rows - 1)).ravel()
    quads = np.stack([corner, corner + rows, corner + rows + 1, corner + 1], axis=1)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32)
    normals = (rotation @ found.normal).T
    stage.add_surface(points, normals, faces, np.tile(np.array(LANE_INK), (len(points), 1)))
    return points


def draw_prints(stage: Stage, figures: Placed, result: Any, at: Any, feet: Any) -> None:
    """On level ground, the soles in the middle of each stance."""
    for contact in result.contacts:
        middle = 0.5 * (contact.flat + contact.heel_off)
        if result.frames[0] <= middle <= result.frames[1]:
            figures.take(at(middle), feet)
            heel, ball, tip = figures.drop()[contact.leg][:, :2]
            ink = INKS[SIDES[result.roles.legs[contact.leg].side]]
            stage.add_ink(print_outline(heel, ball, tip, SOLE, PRINT_WIDTH), ink, 0.004, lit=False)


def picture(key: str, name: str, path: Path) -> None:
    """Draws one course."""
    course = COURSES[name]
    settings = dict(course.settings)
    if "frames" not in settings:
        settings |= {"frames": (1, FRAMES), "loop": False}
    result = replace(course, settings=settings).make(key)
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.animation_data)
    skeleton, roles = read_skeleton(rig), result.roles
    skin = read_skin(rig, skeleton.names)
    soles = [sole(skeleton, roles, limb, foot_points(skeleton, limb, skin)) for limb in roles.legs]
    feet = [foot_of(limb, skeleton, roles, soles[k]) for k, limb in enumerate(roles.legs)]
    level, spot = course.ground is None, name == "on the spot"
    elevation = math.radians(30.0 if level else 10.0)
    with Stage(elevation) as stage:
        figures = Placed(stage, rig, roles, skeleton, soles, settings.get("direction", 0.0))
        with playing(rig, result.action) as at:
            if level and not spot:
                draw_prints(stage, figures, result, at, feet)
            figures.spread = 0.8 if spot else 0.0
            for time in np.linspace(result.frames[0], result.frames[1], POSES):
                figures.take(at(time), feet)
        points, floor = figures.points(), 0.0
        if not level:
            ground = as_ground([bpy.data.objects["ground"]], rig)
            sheet = draw_ground(stage, figures, ground, points.min(axis=0), points.max(axis=0))
            points, floor = np.concatenate([points, sheet]), float(sheet[:, 2].min()) - 0.3
        flat = Stage.project(points, elevation)
        low, high = flat.min(axis=0) - 0.1, flat.max(axis=0) + 0.1
        size = 0.014 * float(high[0] - low[0])
        stage.add_text(name, (low[0] + size, high[1] + 0.2 * size), 1.4 * size, TEXT, "LEFT")
        path.parent.mkdir(parents=True, exist_ok=True)
        top = (float(high[0]), float(high[1]) + 2.2 * size)
        # A way off into the distance makes a tall picture.
        width = round(WIDTH * min(1.0, (top[0] - float(low[0])) / (top[1] - float(low[1]))))
        stage.render(path.absolute(), (float(low[0]), float(low[1])), top, width, GROUND, floor)
    coarse(path)


def coarse(path: Path) -> None:
    """The picture with 64 shades a channel: a third of the size, and no difference to the eye."""
    image: Any = bpy.data.images.load(str(path.absolute()))
    pixels = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    shades = np.minimum(np.round(pixels * 255.0 / 4.0) * 4.0, 255.0) / 255.0
    image.pixels.foreach_set(shades.astype(np.float32))
    image.save()
    bpy.data.images.remove(image)


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
