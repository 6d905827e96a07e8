"""A picture of a walk: the poses of one cycle side by side, the prints, and when each foot is down."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ..errors import BadFile
from .body import Body, Foot, body, bone_sides, foot_of, frame_of
from .marks import Touch, bar, cycle_of, pieces, print_outline, touches_of
from .playing import playing
from .stage import ELEVATION, Stage, colour

NEUTRAL, RIGHT_INK, LEFT_INK = colour("#E3DED6"), colour("#EE6A3B"), colour("#2F7DC1")
GROUND, LANE, TEXT, FAINT = colour("#F3F1EC"), colour("#DBD6CB"), colour("#3A3A3C"), colour("#8B8984")
LANE_HALF = 0.3  # metres of stage space
SIDE_WORDS = {"L": "left", "R": "right"}
LEG = 0.9  # every figure is scaled to legs of this many metres, so that light and lettering fit all rigs


def walk_picture(
    armature_object: bpy.types.Object,
    action: bpy.types.Action | None,
    frames: tuple[float, float],
    path: str | Path,
    *,
    roles: Any,
    skeleton: Any,
    contacts: Sequence[Any] = (),
    soles: Sequence[Any] | None = None,
    ground: float | None = None,
    title: str = "",
    poses: int = 8,
    width: int = 1600,
) -> None:
    """Draw one cycle of an action as a PNG file.

    armature_object  in the current scene; its visible meshes are shown, else a plain figure on its bones
    action           None: the action that is assigned
    frames           first and last frame of the motion; one cycle where `contacts` hold one strike a leg
    roles, skeleton  as `rig` recognised them
    contacts         objects with leg (index into roles.legs), heel_on, flat, heel_off, toe_off in frames
    soles            one a leg: heel, ball, tip, ankle as points (3,) in rest armature space
    ground           height of the ground along the rig's up, world units; None: where the rest pose stands
    poses            figures side by side, evenly spread over the cycle, from a right heel strike on
    width            pixels

    The scene is left as it was found. Raises BadFile where the file cannot be written.
    """
    path = Path(path)
    first_leg = next((k for k, limb in enumerate(roles.legs) if limb.side == "R"), 0)
    start, length = cycle_of(contacts, first_leg, frames)
    touches = touches_of(contacts, start, length)
    phases = np.arange(poses) / poses
    last = max(frames)
    times = [time if time <= last else time - length for time in start + phases * length]
    feet = [foot_of(limb, skeleton, roles, soles[k] if soles else None) for k, limb in enumerate(roles.legs)]

    with Stage() as stage:
        figures = _Figures(stage, armature_object, roles, skeleton, soles, ground)
        with playing(armature_object, action) as at:
            for time in times:
                figures.take(at(time), feet)
        low, high = figures.place()
        _draw_prints(stage, figures, roles, touches, phases)
        size = 0.0115 * (high[0] - low[0])
        _draw_ground(stage, low[0], high[0])
        front = -LANE_HALF * math.sin(ELEVATION)
        low_y = _draw_strip(stage, roles, touches, poses, figures.step, min(low[1], front), size)
        top = high[1] + 0.14
        if title:
            stage.add_text(title, (low[0], top + 0.4 * size), 1.35 * size, TEXT, "LEFT")
            top += 2.6 * size
        margin = 0.03 * (high[0] - low[0])
        temporary = path.with_name(f".{path.stem}.part.png")
        try:
            stage.render(temporary, (low[0] - margin, low_y - 0.6 * margin), (high[0] + margin, top), width, GROUND)
            os.replace(temporary, path)
        except OSError as error:
            raise BadFile(f"Cannot write the picture {path}: {error.strerror}.") from error
        finally:
            temporary.unlink(missing_ok=True)


class _Figures:
    """Takes a figure at each pose and sets them up side by side."""

    def __init__(self, stage: Stage, armature_object: bpy.types.Object, roles: Any, skeleton: Any, soles: Any, ground: float | None) -> None:
        self.stage, self.armature, self.skeleton = stage, armature_object, skeleton
        self.sides = bone_sides(skeleton, roles)
        self.meshes = bound_meshes(armature_object)
        self.body: Body | None = None if self.meshes else body(skeleton, roles, soles)
        self.inverse_rest = np.linalg.inv(skeleton.rest)
        self.mover = skeleton.index(roles.legs[0].bones[0]) if not roles.pelvis else skeleton.index(roles.pelvis)
        self.step = 0.0
        self.shown: list[list[tuple[bpy.types.Object, np.ndarray]]] = []
        self.soles: list[np.ndarray] = []  # (legs, 3 points, 3) per pose
        world = np.array(armature_object.matrix_world)
        forward, left, up = (world[:3, :3] @ axis for axis in frame_of(roles))
        self.scale = LEG / (float(roles.leg_length) * float(np.linalg.norm(up)))
        axes = np.stack([forward, left, up])
        self.turn = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        stand = world @ np.array([*(np.asarray(roles.up) * roles.ground), 1.0])
        self.ground = float(self.turn[2] @ stand[:3]) if ground is None else ground

    def take(self, depsgraph: bpy.types.Depsgraph, feet: Sequence[Foot]) -> None:
        """Add the figure as it is evaluated now."""
        evaluated = self.armature.evaluated_get(depsgraph)
        pose = np.empty((len(self.skeleton.names), 4, 4))
        for k, name in enumerate(self.skeleton.names):
            pose[k] = evaluated.pose.bones[name].matrix
        world = np.array(evaluated.matrix_world)
        to_world = world @ pose @ self.inverse_rest
        to_stage = np.eye(4)
        to_stage[:3, :3] = self.turn * self.scale
        hip = self.turn @ (world @ pose[self.mover][:, 3])[:3]
        to_stage[:3, 3] = -self.scale * np.array([hip[0], hip[1], self.ground])

        shown = []
        if self.body is not None:
            moves = to_stage @ to_world[self.body.bones]
            points = np.einsum("nij,nj->ni", moves[:, :3, :3], self.body.points) + moves[:, :3, 3]
            normals = np.einsum("nij,nj->ni", moves[:, :3, :3], self.body.normals)
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            made = self.stage.add_surface(points, normals, self.body.faces, _inks(self.body.sides))
            shown.append((made, points))
        for source in self.meshes:
            seen = source.evaluated_get(depsgraph)
            mesh = self.stage.keep_mesh(bpy.data.meshes.new_from_object(seen, preserve_all_data_layers=True, depsgraph=depsgraph))
            if not mesh.polygons:
                continue
            matrix = to_stage @ np.array(seen.matrix_world)
            points = np.empty(len(mesh.vertices) * 3)
            mesh.vertices.foreach_get("co", points)
            points = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
            made = self.stage.add_mesh(mesh, self._mesh_inks(source, mesh), Matrix(matrix.tolist()))
            shown.append((made, points))
        self.shown.append(shown)

        places = np.empty((len(feet), 3, 3))
        for k, foot in enumerate(feet):
            for j, (point, bone) in enumerate(((foot.heel, foot.foot_bone), (foot.ball, foot.foot_bone), (foot.tip, foot.toe_bone))):
                places[k, j] = (to_stage @ to_world[bone] @ np.array([*point, 1.0]))[:3]
        self.soles.append(places)

    def place(self) -> tuple[np.ndarray, np.ndarray]:
        """Move the figures apart; returns the lowest and highest picture-plane point (2,) of them all."""
        spans = []
        for shown in self.shown:
            flat = Stage.project(np.concatenate([points for _made, points in shown]))
            spans.append((flat.min(axis=0), flat.max(axis=0)))
        gaps = [spans[k][1][0] - spans[k + 1][0][0] for k in range(len(spans) - 1)]
        tall = max(float(high[1] - low[1]) for low, high in spans)
        self.step = max(max(gaps, default=0.0) + 0.04, 0.5 * tall)  # never wider than a strip of film
        for k, shown in enumerate(self.shown):
            for made, _points in shown:
                made.matrix_world = Matrix.Translation((k * self.step, 0, 0)) @ made.matrix_world
            self.soles[k] = self.soles[k] + [k * self.step, 0.0, 0.0]
        low = np.min([low + [k * self.step, 0] for k, (low, _high) in enumerate(spans)], axis=0)
        high = np.max([high + [k * self.step, 0] for k, (_low, high) in enumerate(spans)], axis=0)
        half = self.step / 2
        return np.minimum(low, [-half, 0]), np.maximum(high, [(len(spans) - 0.5) * self.step, 0])

    def _mesh_inks(self, source: bpy.types.Object, mesh: bpy.types.Mesh) -> np.ndarray:
        """Linear colours (vertices, 3): a vertex takes its side's colour by the weight it has there."""
        names = {name: k for k, name in enumerate(self.skeleton.names)}
        if source.parent_type == "BONE" and source.parent_bone in names:
            return _inks(np.full(len(mesh.vertices), self.sides[names[source.parent_bone]]))
        of_group = [self.sides[names[group.name]] if group.name in names else 0 for group in source.vertex_groups]
        weights = np.zeros((len(mesh.vertices), 3))
        for vertex in mesh.vertices:
            for entry in vertex.groups:
                if entry.group < len(of_group):
                    weights[vertex.index, of_group[entry.group]] += entry.weight
        total = weights.sum(axis=1, keepdims=True)
        weights[total[:, 0] <= 0] = (1.0, 0.0, 0.0)
        weights = weights**3  # a firm edge between the colours, no long fades
        weights /= weights.sum(axis=1, keepdims=True)
        return weights @ np.array([NEUTRAL, LEFT_INK, RIGHT_INK])


def bound_meshes(armature_object: bpy.types.Object) -> list[bpy.types.Object]:
    """The visible meshes that an armature moves, by modifier or by parent."""

    def bound(thing: bpy.types.Object) -> bool:
        if thing.type != "MESH" or thing.hide_render or not thing.visible_get():
            return False
        if any(m.type == "ARMATURE" and m.object == armature_object and m.show_viewport for m in thing.modifiers):
            return True
        return thing.parent == armature_object and thing.parent_type in {"BONE", "ARMATURE"}

    return [thing for thing in bpy.context.scene.objects if bound(thing)]


def _inks(sides: np.ndarray) -> np.ndarray:
    return np.array([NEUTRAL, LEFT_INK, RIGHT_INK])[sides]


def _ink(side: str) -> tuple[float, float, float]:
    return {"L": LEFT_INK, "R": RIGHT_INK}.get(side, FAINT)


def _draw_ground(stage: Stage, low: float, high: float) -> None:
    """The lane that the figures walk on."""
    stage.add_ink(bar(low, high, -LANE_HALF, LANE_HALF), LANE, 0.002)


def _draw_prints(stage: Stage, figures: _Figures, roles: Any, touches: Sequence[Touch], phases: np.ndarray) -> None:
    """Under each figure the part of each foot that is on the ground."""
    for k, phase in enumerate(phases):
        for touch in touches:
            part = touch.part(float(phase) + 1e-6)
            if part is None:
                continue
            heel, ball, tip = figures.soles[k][touch.leg][:, :2]
            stage.add_ink(print_outline(heel, ball, tip, part, 0.2), _ink(roles.legs[touch.leg].side), 0.004, lit=False)


def _draw_strip(stage: Stage, roles: Any, touches: Sequence[Touch], poses: int, step: float, top: float, size: float) -> float:
    """When each foot is down, a row a leg, downwards from `top`; returns the lowest picture-plane y used.

    The rows run with the figures: the time of a pose lies straight under it. Full colour: the whole sole is
    down; paler: only the heel, or only the ball.
    """
    y = top - 1.2 * size
    for k in range(poses):
        stage.add_text(f"{100 * k / poses:.3g} %", (k * step, y), size, FAINT)
    first, last = -0.5 / poses, 1.0 - 0.5 / poses

    def x(time: float) -> float:
        return time * poses * step

    legs = sorted({touch.leg for touch in touches}, key=lambda leg: (roles.legs[leg].side != "R", leg))
    for leg in legs:
        limb = roles.legs[leg]
        strong = np.array(_ink(limb.side))
        y -= 2.1 * size
        text_y = y
        y -= 0.95 * size
        stage.add_overlay(bar(x(first), x(last), y, y + 0.6 * size), LANE)
        for touch in (touch for touch in touches if touch.leg == leg):
            spans = ((touch.heel_on, touch.flat, 0.5), (touch.flat, touch.heel_off, 1.0), (touch.heel_off, touch.toe_off, 0.5))
            for begin, end, share in spans:
                ink = tuple(strong * share + np.array(LANE) * (1 - share))
                for a, b in pieces(begin, end, first, last):
                    stage.add_overlay(bar(x(a), x(b), y, y + 0.6 * size), ink, 0.002)
            name = " ".join(word for word in (SIDE_WORDS.get(limb.side, ""), limb.pair if len(roles.legs) > 2 else "") if word)
            for time, text in ((touch.heel_on, f"{name} heel strike"), (touch.toe_off, f"{name} toe off")):
                for a, _b in pieces(time, time + 1e-3, first, last - 1e-3):
                    align = "LEFT" if a < last - 0.1 else "RIGHT"
                    stage.add_overlay(bar(x(a) - 0.05 * size, x(a) + 0.05 * size, y, text_y + 0.55 * size), tuple(strong), 0.003)
                    gap = 0.35 * size if align == "LEFT" else -0.35 * size
                    stage.add_text(text, (x(a) + gap, text_y), 0.9 * size, tuple(strong * 0.8), align)
    return y
