"""Which part of the skin hangs on which bone: mesh vertices of an armature in flat arrays.

The mesh is read as evidence only (what touches the ground, which bones move anything), so large meshes are
thinned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# Reading weights is a Python call per vertex; this many are enough to tell every bone that moves skin.
MOST_VERTICES = 6000


@dataclass(frozen=True, slots=True)
class Skin:
    """points: float64 (n, 3), rest vertices in armature space; bones: int32 (n,), bone with the largest
    weight.
    """

    points: npt.NDArray[np.float64]
    bones: npt.NDArray[np.int32]

    def moved(self, count: int) -> npt.NDArray[np.bool_]:
        """bool (count,): the bones that hold any vertex."""
        seen = np.zeros(count, dtype=bool)
        seen[self.bones] = True
        return seen


# The skins read last. One that has not changed is the same object again, by which what was worked out for it
# is found.
_KEPT = 4
_known: dict[tuple[bytes, bytes], Skin] = {}


def read_skin(armature_object: Any, names: tuple[str, ...], most: int = MOST_VERTICES) -> Skin | None:
    """The skin of all meshes that this armature deforms or carries, or None where there is none.

    Nobody may change its arrays.
    """
    import bpy

    place = {name: i for i, name in enumerate(names)}
    meshes: list[tuple[Any, str]] = [
        (o, d) for o in bpy.data.objects if o.type == "MESH" and (d := _held(o, armature_object))
    ]
    total = sum(len(o.data.vertices) for o, _ in meshes)
    if total == 0:
        return None
    step = max(1, -(-total // most))
    points, owners = [], []
    inverse = np.array(armature_object.matrix_world.inverted_safe(), dtype=np.float64)
    for mesh_object, bone in meshes:
        matrix = inverse @ np.array(mesh_object.matrix_world, dtype=np.float64)
        count = len(mesh_object.data.vertices)
        raw = np.empty(count * 3, dtype=np.float32)
        mesh_object.data.vertices.foreach_get("co", raw)
        local = raw.reshape(count, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        if bone in place:
            points.append(local[::step])
            owners.append(np.full(len(points[-1]), place[bone], dtype=np.int32))
            continue
        owner = _heaviest(mesh_object, place, step)
        held = owner >= 0
        points.append(local[::step][held])
        owners.append(owner[held])
    if not points or not sum(len(p) for p in points):
        return None
    skin = Skin(np.concatenate(points), np.concatenate(owners))
    key = skin.points.tobytes(), skin.bones.tobytes()
    known = _known.pop(key, skin)
    _known[key] = known
    while len(_known) > _KEPT:
        del _known[next(iter(_known))]
    return known


def _held(mesh_object: Any, armature_object: Any) -> str:
    """Bone that carries the whole mesh, "*" where it is skinned by vertex groups, "" where it is not held."""
    for modifier in mesh_object.modifiers:
        if modifier.type == "ARMATURE" and modifier.object == armature_object:
            return "*"
    if mesh_object.parent == armature_object:
        if mesh_object.parent_type == "BONE":
            return str(mesh_object.parent_bone)
        if mesh_object.parent_type == "ARMATURE":
            return "*"
    return ""


def _heaviest(mesh_object: Any, place: dict[str, int], step: int) -> npt.NDArray[np.int32]:
    groups = [place.get(group.name, -1) for group in mesh_object.vertex_groups]
    vertices = mesh_object.data.vertices
    owners = np.full(len(range(0, len(vertices), step)), -1, dtype=np.int32)
    for row, i in enumerate(range(0, len(vertices), step)):
        best = 0.0
        for element in vertices[i].groups:
            weight = element.weight
            if weight > best and groups[element.group] >= 0:
                best = weight
                owners[row] = groups[element.group]
    return owners
