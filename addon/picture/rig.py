"""A picture of what was recognised: the rest pose from two or three sides, roles in colours, a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..errors import BadFile
from ..rig import read_skeleton
from ..rig.sides import WORDS
from ..rig.table import broken
from .body import Floats, frame_of, hull
from .coloured import CONTACT, Entry, Part, entries_of, limb_ink, parts_of
from .figures import bound_meshes
from .inks import FAINT, GROUND, INKS, TEXT, Colour
from .marks import bar
from .stage import ELEVATION, Stage

SIZE = 1.9  # metres of stage space that the longest extent of a rig is drawn at
GAP = 0.3  # between views
NEARER = 12.0  # metres that bones are moved towards the viewer, in front of the meshes
LETTERS = 0.0165  # size of text over the width of the views
LINE = 1.75  # height of a line over the size of its text
MOST_LETTERS, MOST_LINES = 54, 3  # of a role's bones in the legend
MISSING = (0.75, 0.05, 0.05)
FRONT, SIDE, ABOVE = "from the front", "from its right", "from above"

Mesh = tuple[Floats, list[list[int]]]  # points (n, 3) in armature space, faces


@dataclass(slots=True)
class View:
    """A side to look from: turn (3, 3) and shift (3,) take armature space into stage space; low, high: of
    what it shows, on the picture plane."""

    title: str
    turn: Floats
    shift: Floats
    low: Floats
    high: Floats

    def flat(self, points: Floats) -> Floats:
        """Points of armature space (n, 3) on the picture plane (n, 2)."""
        return Stage.project(points @ self.turn.T + self.shift)

    def move(self, x: float, y: float) -> None:
        """Move it on the picture plane: to the right and up."""
        self.shift = self.shift + np.array([x, y * math.sin(ELEVATION), y * math.cos(ELEVATION)])
        self.low, self.high = self.low + [x, y], self.high + [x, y]


def rig_picture(
    armature_object: bpy.types.Object, path: str | Path, *, roles: Any, title: str = "", width: int = 1400
) -> None:
    """Draw a rig's rest pose with its roles coloured, as a PNG file.

    armature_object  in the current scene; its visible meshes are shown pale behind the bones
    roles            as `rig.roles` gives them
    title            a line above
    width            pixels

    The scene is left as it was found. Raises BadFile where the file cannot be written.
    """
    path = Path(path).absolute()  # Blender takes a bare name for one beside the .blend file
    skeleton = read_skeleton(armature_object)
    meshes = [found for source in bound_meshes(armature_object) if (found := _rest_mesh(source, skeleton))]
    parts = parts_of(skeleton, roles, bold=not meshes)
    ends = np.array([point for part in parts for point in (part.start, part.end)])
    views = _arranged(_views(roles, np.concatenate([ends, *(points for points, _ in meshes)])))
    right = max(float(view.high[0]) for view in views)
    size = LETTERS * right
    low = min(float(view.low[1]) for view in views)
    with Stage() as stage:
        for view in views:
            _draw(stage, parts, meshes, view)
            _draw_labels(stage, roles, view, size, low)
        top = max(float(view.high[1]) for view in views) + (2.0 * size if len(views) > 2 else 0.0)
        legend = entries_of(roles)
        lines = sum(1.0 + 0.7 * (len(shortened(entry.bones)) - 1) for entry in legend)
        top = max(top, low + LINE * size * (lines + 1))
        right = _draw_legend(stage, legend, right + GAP, top, size)
        if title:
            top += 2.4 * size
            stage.add_text(title, (0.0, top), 1.35 * size, TEXT, "LEFT")
        _render(stage, path, (-2 * size, low - 6.5 * size), (right + size, top + 2.5 * size), width)


def _render(
    stage: Stage, path: Path, low: tuple[float, float], high: tuple[float, float], width: int
) -> None:
    temporary = path.with_name(f".{path.stem}.part.png")
    try:
        stage.render(temporary, low, high, width, GROUND)
        temporary.replace(path)
    except (OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise BadFile(f"The picture {path} cannot be drawn or written: {reason}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _views(roles: Any, points: Floats) -> list[View]:
    """From the front and from the right side; bodies on four legs and more from above as well."""
    forward, left, up = frame_of(roles)
    scale = SIZE / max(max(float(np.ptp(points @ axis)) for axis in (forward, left, up)), 1e-9)
    # The camera looks down a little; what is seen from above is turned to meet it.
    sine, cosine = math.sin(ELEVATION), math.cos(ELEVATION)
    turns = {
        FRONT: (left, -forward, up),
        SIDE: (forward, left, up),
        ABOVE: (forward, sine * left - cosine * up, sine * up + cosine * left),
    }
    found = []
    for title, axes in turns.items():
        if title == ABOVE and len(roles.legs) <= 2:
            continue
        turn = np.stack(axes) * scale
        turned = points @ turn.T
        # On the floor, its left edge at 0.
        shift = np.array([-turned[:, 0].min(), -turned[:, 1].mean(), 0.01 - turned[:, 2].min()])
        flat = Stage.project(turned + shift)
        found.append(View(title, turn, shift, flat.min(axis=0), flat.max(axis=0)))
    return found


def _arranged(views: list[View]) -> list[View]:
    """The side beside the front, both on the floor; what is seen from above over the side, bone over bone."""
    front, side = views[:2]
    width = SIZE / 3  # titles need some room even under a narrow figure
    front.move(max(0.0, (width - float(front.high[0])) / 2), 0.0)
    room = max(0.0, (width - float(side.high[0])) / 2)
    side.move(max(float(front.high[0]), width) + GAP + room, 0.0)
    for above in views[2:]:
        above.move(float(side.low[0]), float(side.high[1] - above.low[1]) + GAP)
    return views


def _rest_mesh(source: Any, skeleton: Any) -> Mesh | None:
    """A bound mesh at rest, or None where it has no surface."""
    mesh = source.data
    if not mesh.polygons:
        return None
    points = np.empty(len(mesh.vertices) * 3)
    mesh.vertices.foreach_get("co", points)
    matrix = np.linalg.inv(skeleton.world) @ np.array(source.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], [list(p.vertices) for p in mesh.polygons]


def _draw(stage: Stage, parts: Sequence[Part], meshes: Sequence[Mesh], view: View) -> None:
    """Meshes pale on the floor, bones before them, towards the viewer, as if the skin were glass."""
    shadow = view.title != ABOVE
    for points, faces in meshes:
        mesh = stage.keep_mesh(bpy.data.meshes.new("amble"))
        mesh.from_pydata((points @ view.turn.T + view.shift).tolist(), [], faces)
        stage.add_mesh(mesh, np.tile(INKS[0], (len(points), 1))).visible_shadow = shadow
    nearer = Vector((0.0, -math.cos(ELEVATION), math.sin(ELEVATION))) * (NEARER if meshes else 0.0)
    for part in parts:
        start, end = view.turn @ part.start + view.shift, view.turn @ part.end + view.shift
        points, normals, triangles = hull([(start, part.thick[0] * SIZE), (end, part.thick[1] * SIZE)])
        made = stage.add_surface(points, normals, triangles, np.tile(part.ink, (len(points), 1)))
        made.visible_shadow = shadow and not meshes
        made.matrix_world = Matrix.Translation(nearer)


def _draw_labels(stage: Stage, roles: Any, view: View, size: float, low: float) -> None:
    """What the legs are called, beside their feet, and which way the body faces; low: of all views."""
    many = len(roles.legs) > 2
    middle = (float(view.low[0]) + float(view.high[0])) / 2
    below = (float(view.low[1]) if view.title == ABOVE else low) - 1.5 * size
    above = float(view.high[1]) + 0.5 * size
    places: dict[tuple[str, bool], list[tuple[float, Colour]]] = {}
    for leg in roles.legs:
        name = WORDS[leg.side] if view.title == FRONT else leg.pair if many else ""
        if name:
            x = float(view.flat(np.array([leg.contact_point]))[0, 0])
            over = view.title == ABOVE and leg.side == "L"
            places.setdefault((name, over), []).append((x, limb_ink(roles, leg, "leg")))
    for (name, over), found in places.items():
        x = float(np.mean([x for x, _ in found]))
        ink = TEXT if view.title == SIDE else _dark(found[-1][1])
        stage.add_text(name, (x, above if over else below), size, ink)
    if view.title != ABOVE:
        stage.add_text(view.title, (middle, below - 3.6 * size), size, FAINT)
    else:
        stage.add_text(view.title, (float(view.low[0]) - size, (below + above) / 2), size, FAINT, "RIGHT")
    if view.title == SIDE:
        _draw_arrow(stage, middle, below - 1.6 * size, size)


def _draw_arrow(stage: Stage, x: float, y: float, size: float) -> None:
    """Forward is to the right."""
    stage.add_text("forward", (x - 0.3 * size, y), size, TEXT, "RIGHT")
    y += 0.3 * size
    a, b, c = x + 0.3 * size, x + 3.2 * size, x + 4.2 * size
    thin, thick = 0.09 * size, 0.38 * size
    outline = [
        (a, y - thin), (b, y - thin), (b, y - thick), (c, y), (b, y + thick), (b, y + thin), (a, y + thin)
    ]  # fmt: skip
    stage.add_overlay(np.array(outline), TEXT)


def _dark(ink: Colour) -> Colour:
    red, green, blue = (0.55 * part for part in ink)
    return red, green, blue


def _draw_legend(stage: Stage, entries: Sequence[Entry], left: float, top: float, size: float) -> float:
    """Chips, roles, bones and how sure, downwards from `top`; returns the right edge."""
    names = left + 1.4 * size
    longest = max((len(entry.name) for entry in entries), default=0)
    bones = names + 0.55 * size * max(longest, 8) + size
    y = top - size
    shown = 0
    for entry in entries:
        ink = entry.ink or MISSING
        stage.add_overlay(bar(left, left + 0.8 * size, y, y + 0.7 * size), ink)
        stage.add_text(entry.name, (names, y), size, TEXT if entry.ink else MISSING, "LEFT")
        lines = shortened(entry.bones)
        lines[-1] += "" if entry.sure is None else f"   {100 * entry.sure:.0f} %"
        for line in lines:
            stage.add_text(line, (bones, y), 0.85 * size, FAINT, "LEFT")
            y -= (LINE if line is lines[-1] else 0.7 * LINE) * size
            shown = max(shown, len(line))
    stage.add_overlay(_dot(left + 0.4 * size, y + 0.35 * size, 0.4 * size), CONTACT)
    stage.add_text("touches the ground", (names, y), size, TEXT, "LEFT")
    return bones + 0.46 * size * max(shown, 20)


def _dot(x: float, y: float, radius: float) -> Floats:
    turn = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    return np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], axis=1)


def shortened(bones: Sequence[str]) -> list[str]:
    """Bones in at most MOST_LINES lines; where they are too many the last one ends them."""
    lines = broken(bones, MOST_LETTERS)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"  … {bones[-1]}"]
    return lines
