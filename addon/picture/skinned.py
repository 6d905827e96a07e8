"""The plain figure as a real mesh that follows the armature, for files that are looked at elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ..rig import read_skeleton
from .body import body
from .inks import INKS, NAMES, use_nodes


@contextmanager
def skinned_body(
    armature_object: bpy.types.Object, roles: Any, soles: Sequence[Any] | None = None, *, wanted: bool = True
) -> Iterator[list[bpy.types.Object]]:
    """A mesh object bound to the armature for the length of the `with` block; nothing where not `wanted`."""
    if not wanted:
        yield []
        return
    scene: Any = bpy.context.scene
    skeleton = read_skeleton(armature_object)
    shape = body(skeleton, roles, soles)
    mesh = bpy.data.meshes.new(armature_object.name + " body")
    thing = bpy.data.objects.new(mesh.name, mesh)
    materials = [bpy.data.materials.new(name) for name in NAMES]
    try:
        mesh.from_pydata(shape.points.tolist(), [], shape.faces.tolist())
        for material, ink in zip(materials, INKS, strict=True):
            _paint(material, ink)
            mesh.materials.append(material)
        mesh.polygons.foreach_set("material_index", shape.sides[shape.faces[:, 0]].astype(np.int32))
        mesh.normals_split_custom_set_from_vertices(shape.normals.tolist())
        for bone in np.unique(shape.bones):
            group = thing.vertex_groups.new(name=skeleton.names[bone])
            group.add(np.flatnonzero(shape.bones == bone).tolist(), 1.0, "REPLACE")
        scene.collection.objects.link(thing)
        thing.parent = armature_object
        modifier: Any = thing.modifiers.new("Armature", "ARMATURE")
        modifier.object = armature_object
        yield [thing]
    finally:
        bpy.data.objects.remove(thing)
        layer: Any = bpy.context.view_layer
        layer.update()
        bpy.data.meshes.remove(mesh)
        for material in materials:
            bpy.data.materials.remove(material)


def _paint(material: Any, ink: tuple[float, float, float]) -> None:
    shader = next(node for node in use_nodes(material).nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*ink, 1.0)
    shader.inputs["Roughness"].default_value = 0.62
