"""The figures of a picture: an armature's meshes, or a plain body, at each pose, set up side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .body import Body, Floats, Foot, Sides, body, bone_sides, frame_of
from .inks import INKS
from .stage import Stage

LEG = 0.9  # every figure is scaled to legs of this many metres, so that light and lettering fit all rigs
GAP = 0.04  # metres between figures
LEVEL = (
    0.15  # metres that the lowest foot may be off the ground, in the flight of a run, and it is still level
)


class Figures:
    """Takes a figure at each pose and sets them up side by side."""

    def __init__(
        self,
        stage: Stage,
        armature_object: bpy.types.Object,
        roles: Any,
        skeleton: Any,
        soles: Any,
        ground: float | None,
    ) -> None:
        self.stage, self.armature, self.skeleton = stage, armature_object, skeleton
        self.sides = bone_sides(skeleton, roles)
        self.meshes = bound_meshes(armature_object)
        self.body: Body | None = None if self.meshes else body(skeleton, roles, soles)
        self.inverse_rest = np.linalg.inv(skeleton.rest)
        self.mover = (
            skeleton.index(roles.legs[0].bones[0]) if not roles.pelvis else skeleton.index(roles.pelvis)
        )
        self.step = 0.0
        self.shown: list[list[tuple[bpy.types.Object, Floats]]] = []
        self.soles: list[Floats] = []  # (legs, 3 points, 3) per pose
        world = np.array(armature_object.matrix_world)
        forward, left, up = (world[:3, :3] @ axis for axis in frame_of(roles))
        self.scale = LEG / (float(roles.leg_length) * float(np.linalg.norm(up)))
        axes = np.stack([forward, left, up])
        self.turn = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        stand = world @ np.array([*(np.asarray(roles.up) * roles.ground), 1.0])
        self.ground = float(self.turn[2] @ stand[:3]) if ground is None else ground

    def attitude(self, depsgraph: bpy.types.Depsgraph) -> Floats:
        """How the hips are turned now, (3, 3), in the axes of the stage."""
        evaluated: Any = self.armature.evaluated_get(depsgraph)
        pose = np.array(evaluated.pose.bones[self.skeleton.names[self.mover]].matrix)
        return np.asarray(self.turn @ (np.array(evaluated.matrix_world) @ pose)[:3, :3])

    def take(self, depsgraph: bpy.types.Depsgraph, feet: Sequence[Foot], turn: float = 0.0) -> None:
        """Add the figure as it is evaluated now, turned about the vertical by radians to its left."""
        evaluated: Any = self.armature.evaluated_get(depsgraph)
        pose = np.empty((len(self.skeleton.names), 4, 4))
        for k, name in enumerate(self.skeleton.names):
            pose[k] = evaluated.pose.bones[name].matrix
        world = np.array(evaluated.matrix_world)
        to_world = world @ pose @ self.inverse_rest
        cos, sin = math.cos(turn), math.sin(turn)
        axes = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]) @ self.turn
        to_stage = np.eye(4)
        to_stage[:3, :3] = axes * self.scale
        hip = axes @ (world @ pose[self.mover][:, 3])[:3]
        to_stage[:3, 3] = -self.scale * np.array([hip[0], hip[1], self.ground])

        shown = []
        if self.body is not None:
            moves = to_stage @ to_world[self.body.bones]
            points = np.einsum("nij,nj->ni", moves[:, :3, :3], self.body.points) + moves[:, :3, 3]
            normals = np.einsum("nij,nj->ni", moves[:, :3, :3], self.body.normals)
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            made = self.stage.add_surface(points, normals, self.body.faces, inks_of(self.body.sides))
            shown.append((made, points))
        for source in self.meshes:
            seen = source.evaluated_get(depsgraph)
            mesh = self.stage.keep_mesh(
                bpy.data.meshes.new_from_object(seen, preserve_all_data_layers=True, depsgraph=depsgraph)
            )
            if not mesh.polygons:
                continue
            matrix = to_stage @ np.array(seen.matrix_world)
            points = np.empty(len(mesh.vertices) * 3)
            mesh.vertices.foreach_get("co", points)
            points = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
            made = self.stage.add_mesh(mesh, self._meshinks_of(source, mesh), Matrix(matrix.tolist()))
            shown.append((made, points))
        self.shown.append(shown)

        places = np.empty((len(feet), 3, 3))
        for k, foot in enumerate(feet):
            for j, (point, bone) in enumerate(
                ((foot.heel, foot.foot_bone), (foot.ball, foot.foot_bone), (foot.tip, foot.toe_bone))
            ):
                places[k, j] = (to_stage @ to_world[bone] @ np.array([*point, 1.0]))[:3]
        self.soles.append(places)

    @property
    def level(self) -> bool:
        """Whether all feet stand on one level, that of the rest pose."""
        lowest = np.array([places[:, :, 2].min() for places in self.soles])
        return bool((np.abs(lowest) < LEVEL).all())

    def place(self) -> tuple[Floats, Floats]:
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

    def _meshinks_of(self, source: bpy.types.Object, mesh: bpy.types.Mesh) -> Floats:
        """Linear colours (vertices, 3): a vertex takes its side's colour by the weight it has there."""
        names = {name: k for k, name in enumerate(self.skeleton.names)}
        if source.parent_type == "BONE" and source.parent_bone in names:
            return inks_of(np.full(len(mesh.vertices), self.sides[names[source.parent_bone]]))
        of_group = [
            self.sides[names[group.name]] if group.name in names else 0 for group in source.vertex_groups
        ]
        weights = np.zeros((len(mesh.vertices), 3))
        for vertex in mesh.vertices:
            for entry in vertex.groups:
                if entry.group < len(of_group):
                    weights[vertex.index, of_group[entry.group]] += entry.weight
        total = weights.sum(axis=1, keepdims=True)
        weights[total[:, 0] <= 0] = (1.0, 0.0, 0.0)
        weights = weights**3  # a firm edge between the colours, no long fades
        weights /= weights.sum(axis=1, keepdims=True)
        return weights @ np.array(INKS)


def bound_meshes(armature_object: bpy.types.Object) -> list[bpy.types.Object]:
    """The visible meshes that an armature moves, by modifier or by parent."""

    def bound(thing: Any) -> bool:
        if thing.type != "MESH" or thing.hide_render or not thing.visible_get():
            return False
        if any(
            m.type == "ARMATURE" and m.object == armature_object and m.show_viewport for m in thing.modifiers
        ):
            return True
        return thing.parent == armature_object and thing.parent_type in {"BONE", "ARMATURE"}

    scene: Any = bpy.context.scene
    return [thing for thing in scene.objects if bound(thing)]


def turn_between(first: Floats, last: Floats) -> float:
    """Radians about the vertical, to the left, from one attitude to the other."""
    turned = last @ np.linalg.inv(first)
    return math.atan2(turned[1, 0] - turned[0, 1], turned[0, 0] + turned[1, 1])


def inks_of(sides: Sides) -> Floats:
    """Linear colours (n, 3) of sides (n,)."""
    return np.array(INKS)[sides]
