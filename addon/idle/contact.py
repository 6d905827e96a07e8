"""What hands touch in the held pose: things of the scene, or the character's own body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import AmbleError
from ..rig import Skeleton, read_skin
from ..scene.read import belongs_to, read_soup
from .pins import Pin, reach

Floats = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]

# Of the arm's length: a hand's bones that are no further from a surface touch it; there is flesh between.
NEAR = 0.045


def touching(
    armature_object: Any, skeleton: Skeleton, limbs: Mapping[str, Pin], pose: Float32
) -> tuple[list[Pin], list[str]]:
    """Pins of hands that touch something, and sentences on what they touch.

    pose: (bones, 12), of the held pose. What belongs to the character itself carries its hand along; a hand
    on the other arm is held there, the right one on the left.
    """
    hands = [pin for name, pin in limbs.items() if name.startswith("hand")]
    if not hands:
        return [], []
    meshes = _meshes_near(armature_object, skeleton, hands, pose)
    body = _skin(armature_object, skeleton, pose)
    found: list[Pin] = []
    notes: list[str] = []
    for pin in hands:
        points = _points(skeleton, pin, pose)
        limit = NEAR * reach(skeleton, pin, pose)[1]
        name = _nearest_mesh(armature_object, skeleton, meshes, points, limit)
        if name:
            found.append(pin)
            notes.append(f'{pin.name} touches "{name}" and is held there.')
            continue
        bone = _nearest_bone(skeleton, pin, body, points, limit)
        taken = {other.chain[0] for other in found if other.on}
        if bone and not taken & set(skeleton.line(bone)):
            found.append(replace(pin, on=bone))
            notes.append(f'{pin.name} touches "{bone}" and is held on it.')
    return found, notes


def _below(skeleton: Skeleton, bone: str) -> list[int]:
    """The bone and all that hang from it."""
    found = {skeleton.index(bone)}
    for k, parent in enumerate(skeleton.parents):
        if int(parent) in found:
            found.add(k)
    return sorted(found)


def _points(skeleton: Skeleton, pin: Pin, pose: Float32) -> Floats:
    """Heads and tails (3, n) of the hand's bones, armature space."""
    rows = _below(skeleton, pin.end)
    matrices = pose[rows].reshape(-1, 3, 4).astype(np.float64)
    lengths = np.linalg.norm(skeleton.tails[rows] - skeleton.heads[rows], axis=1)
    tails = matrices[:, :, 3] + matrices[:, :, 1] * lengths[:, None]
    first = tails[:1] if pin.end == pin.chain[-1] else matrices[:1, :, 3]
    return np.concatenate([first, matrices[1:, :, 3], tails]).T


def _meshes_near(armature_object: Any, skeleton: Skeleton, hands: Sequence[Pin], pose: Float32) -> list[Any]:
    """Mesh objects, shown and not the character's own, whose box comes near a hand."""
    import bpy

    world = skeleton.world
    boxes = []
    for pin in hands:
        points = world[:3, :3] @ _points(skeleton, pin, pose) + world[:3, 3:]
        far = NEAR * reach(skeleton, pin, pose)[1] * float(np.linalg.norm(world[:3, :3], axis=0).max())
        boxes.append((points.min(axis=1) - far, points.max(axis=1) + far))
    found = []
    for thing in bpy.context.view_layer.objects if bpy.context.view_layer is not None else ():
        if thing.type != "MESH" or not thing.visible_get() or belongs_to(thing, armature_object):
            continue
        box = np.array([tuple(corner) for corner in thing.bound_box])
        matrix = np.array(thing.matrix_world)
        corners = box @ matrix[:3, :3].T + matrix[:3, 3]
        low, high = corners.min(axis=0), corners.max(axis=0)
        if any((low <= top).all() and (high >= bottom).all() for bottom, top in boxes):
            found.append(thing)
    return found


def _nearest_mesh(
    armature_object: Any, skeleton: Skeleton, meshes: Sequence[Any], points: Floats, limit: float
) -> str:
    """Name of the object that some of the points come within the limit of; "" for none."""
    if not meshes:
        return ""
    try:
        soup = read_soup(list(meshes), armature_object)
    except AmbleError:  # nothing with faces among them
        return ""
    native = core.load()
    world = skeleton.world
    size = float(np.cbrt(abs(np.linalg.det(world[:3, :3]))))
    places = np.ascontiguousarray(world[:3, :3] @ points + world[:3, 3:])
    mesh = native.mesh_build(soup.vertices, soup.triangles)
    distance, _, triangle = native.mesh_nearest(mesh, places, limit=limit * size)
    hit = np.flatnonzero((triangle >= 0) & (np.abs(distance) <= limit * size))
    return soup.names[int(soup.owner[triangle[hit[0]]])] if len(hit) else ""


def _skin(
    armature_object: Any, skeleton: Skeleton, pose: Float32
) -> tuple[Floats, npt.NDArray[np.int32]] | None:
    """Skin in the held pose, (n, 3), each vertex carried by its main bone, and that bone (n,)."""
    skin = read_skin(armature_object, skeleton.names)
    if skin is None:
        return None
    used = np.unique(skin.bones)
    moved = np.empty_like(skin.points)
    for bone in used:
        own = skin.bones == bone
        local = np.linalg.inv(skeleton.rest[bone])
        matrix = pose[bone].reshape(3, 4).astype(np.float64) @ local
        moved[own] = skin.points[own] @ matrix[:, :3].T + matrix[:, 3]
    return moved, skin.bones


def _nearest_bone(
    skeleton: Skeleton,
    pin: Pin,
    body: tuple[Floats, npt.NDArray[np.int32]] | None,
    points: Floats,
    limit: float,
) -> str:
    """Name of the bone whose skin some of the points come within the limit of; "" for none. The arm itself,
    and the shoulder that it hangs from, do not count."""
    if body is None:
        return ""
    vertices, bones = body
    above = skeleton.line(pin.chain[0])[1:3]
    own = {*_below(skeleton, pin.chain[0]), *(skeleton.index(bone) for bone in above)}
    others = ~np.isin(bones, sorted(own))
    if not others.any():
        return ""
    way = np.linalg.norm(vertices[others][:, None] - points.T[None], axis=2).min(axis=1)
    k = int(np.argmin(way))
    return skeleton.names[int(bones[others][k])] if way[k] <= limit else ""
