"""What the body touches in the held pose: things of the scene, what it carries, or itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import AmbleError
from ..rig import Roles, Skeleton, Sole, read_skin
from ..scene.read import belongs_to, read_soup
from .pins import FOOT_NEAR, KNEE_NEAR, Pin, carried, reach

Floats = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]

# Of the arm's length: a hand's bones that are no further from a surface touch it; there is flesh between.
NEAR = 0.045
# Of the leg: hip joints are this far over a seat at most; the cosine of the steepest way down to it.
HIP_NEAR, STEEP = 0.16, 0.7


@dataclass(frozen=True, slots=True)
class Probe:
    """What may touch something: pin, None for the pelvis; points: (3, n), armature space; limit: how near
    they are at most; down: what is touched lies under it."""

    pin: Pin | None
    points: Floats
    limit: float
    down: bool = False


def supported(
    armature_object: Any,
    skeleton: Skeleton,
    roles: Roles,
    limbs: Mapping[str, Pin],
    soles: Sequence[Sole],
    standing: Sequence[Pin],
    pose: Float32,
    up: Floats,
) -> tuple[list[Pin], bool, list[str]]:
    """Feet and knees on things of the scene, of legs that do not stand on the ground; whether the pelvis sits
    on one; sentences on what they touch.

    standing: the pins of legs that do; pose: (bones, 12), of the held pose; up: unit vector, armature space.
    """
    legs = {pin.chain[0] for pin in standing}
    probes = []
    several = len(roles.legs) > 2
    for leg, sole in zip(roles.legs, soles, strict=True):
        before = f"{leg.pair} " if several else ""
        foot, knee = (limbs.get(f"{before}{part}.{leg.side}") for part in ("foot", "knee"))
        if foot is None or foot.chain[0] in legs:
            continue
        toe = leg.toe if leg.toe is not None and leg.toe in skeleton.names else foot.end
        places = [(foot.end, sole.heel), (foot.end, sole.ball), (toe, sole.tip)]
        points = np.array([carried(skeleton, pose, bone, point) for bone, point in places]).T
        probes.append(Probe(foot, points, FOOT_NEAR * leg.length))
        if knee is not None and not several:
            probes.insert(
                -1, Probe(knee, _heads(skeleton, pose, [knee.end]), KNEE_NEAR * leg.length, down=True)
            )
    if roles.pelvis is not None and roles.legs:
        hips = _heads(skeleton, pose, [leg.bones[0] for leg in roles.legs[-2:]])
        probes.append(Probe(None, hips, HIP_NEAR * roles.legs[-1].length, down=True))
    meshes = _meshes_near(armature_object, skeleton, probes)
    found: list[Pin] = []
    notes: list[str] = []
    sits = False
    for probe in probes if meshes else ():
        if probe.pin is not None and probe.pin.chain[0] in {pin.chain[0] for pin in found}:
            continue
        name = _nearest_mesh(armature_object, skeleton, meshes, probe, up)
        if name:
            found += [probe.pin] if probe.pin is not None else []
            sits = sits or probe.pin is None
            what = probe.pin.name if probe.pin is not None else "The pelvis"
            notes.append(f'{what} touches "{name}" and is held there.')
    return found, sits, notes


def touching(
    armature_object: Any, skeleton: Skeleton, limbs: Mapping[str, Pin], pose: Float32
) -> tuple[list[Pin], list[str]]:
    """Pins of hands that touch something, and sentences on what they touch.

    pose: (bones, 12), of the held pose. What belongs to the character itself, or hangs from one of its
    bones as a weapon does, carries its hand along; a hand on the other arm is held there, the right one on
    the left.
    """
    hands = [pin for name, pin in limbs.items() if name.startswith("hand")]
    if not hands:
        return [], []
    probes = [Probe(pin, _points(skeleton, pin, pose), NEAR * reach(skeleton, pin, pose)[1]) for pin in hands]
    meshes = _meshes_near(armature_object, skeleton, probes)
    things = _things_carried(armature_object, skeleton, pose)
    body = _skin(armature_object, skeleton, pose)
    found: list[Pin] = []
    notes: list[str] = []
    for pin, probe in zip(hands, probes, strict=True):
        name = _nearest_mesh(armature_object, skeleton, meshes, probe, None)
        if name:
            found.append(pin)
            notes.append(f'{pin.name} touches "{name}" and is held there.')
            continue
        own = set(_below(skeleton, pin.chain[0]))
        taken = {other.chain[0] for other in found if other.on}
        name, bone = next(
            (
                (thing.name, skeleton.names[thing.bone])
                for thing in things
                if thing.bone not in own and thing.touches(probe)
            ),
            ("", ""),
        )
        bone = bone or _nearest_bone(skeleton, pin, body, probe.points, probe.limit)
        if bone and not taken & set(skeleton.line(bone)):
            found.append(replace(pin, on=bone))
            notes.append(f'{pin.name} touches "{name or bone}" and is held on it.')
    return found, notes


@dataclass(frozen=True, slots=True)
class Carried:
    """An object that hangs from a bone: its name, the bone, and its triangles in the held pose."""

    name: str
    bone: int
    mesh: Any

    def touches(self, probe: Probe) -> bool:
        """Whether one of the probe's points comes near enough."""
        distance, _, triangle = core.load().mesh_nearest(
            self.mesh, np.ascontiguousarray(probe.points), limit=probe.limit
        )
        return bool(((triangle >= 0) & (np.abs(distance) <= probe.limit)).any())


def _things_carried(armature_object: Any, skeleton: Skeleton, pose: Float32) -> list[Carried]:
    """Mesh objects that hang from bones, where those are in the held pose."""
    import bpy

    found = []
    things: list[Any] = [thing for thing in bpy.data.objects if thing.type == "MESH"]
    for thing in things:
        bone = thing.parent_bone if thing.parent == armature_object and thing.parent_type == "BONE" else ""
        if bone not in skeleton.names or not thing.visible_get():
            continue
        mesh = thing.data
        mesh.calc_loop_triangles()
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        if not len(triangles):
            continue
        row = skeleton.index(bone)
        # As it hangs from the bone in the pose that is shown.
        shown = armature_object.matrix_world @ armature_object.pose.bones[bone].matrix
        hangs = np.array(shown.inverted_safe() @ thing.matrix_world)
        now = pose[row].reshape(3, 4).astype(np.float64) @ hangs
        places = points.reshape(-1, 3).astype(np.float64) @ now[:, :3].T + now[:, 3]
        found.append(
            Carried(
                thing.name,
                row,
                core.load().mesh_build(np.ascontiguousarray(places), triangles.reshape(-1, 3)),
            )
        )
    return found


def _heads(skeleton: Skeleton, pose: Float32, bones: Sequence[str]) -> Floats:
    """Heads (3, n) of bones."""
    rows = [skeleton.index(bone) for bone in bones]
    return np.ascontiguousarray(pose[rows].reshape(-1, 3, 4)[:, :, 3].T, dtype=np.float64)


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


def _meshes_near(armature_object: Any, skeleton: Skeleton, probes: Sequence[Probe]) -> list[Any]:
    """Mesh objects, shown and not the character's own, whose box comes near a probe."""
    import bpy

    world = skeleton.world
    size = float(np.linalg.norm(world[:3, :3], axis=0).max())
    boxes = []
    for probe in probes:
        points = world[:3, :3] @ probe.points + world[:3, 3:]
        far = probe.limit * size
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
    armature_object: Any, skeleton: Skeleton, meshes: Sequence[Any], probe: Probe, up: Floats | None
) -> str:
    """Name of the object that some of the probe's points come near enough to; "" for none. up: against
    gravity, in armature space, for what must lie under the probe."""
    if not meshes:
        return ""
    try:
        soup = read_soup(list(meshes), armature_object)
    except AmbleError:  # nothing with faces among them
        return ""
    native = core.load()
    world = skeleton.world
    size = float(np.cbrt(abs(np.linalg.det(world[:3, :3]))))
    places = np.ascontiguousarray(world[:3, :3] @ probe.points + world[:3, 3:])
    mesh = native.mesh_build(soup.vertices, soup.triangles)
    distance, nearest, triangle = native.mesh_nearest(mesh, places, limit=probe.limit * size)
    near = (triangle >= 0) & (np.abs(distance) <= probe.limit * size)
    if probe.down and up is not None:
        above = (world[:3, :3] @ up) / np.linalg.norm(world[:3, :3] @ up) @ (places - nearest)
        near &= (above > STEEP * np.abs(distance)) | (distance < 0.0)
    hit = np.flatnonzero(near)
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
