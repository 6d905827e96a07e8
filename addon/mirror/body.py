"""The parts of a body as capsules that its bones carry, and where an action takes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..action import slots
from ..action.read import Clip
from ..report.sampling import sample
from ..rig import Skeleton
from ..rig.skin import Skin
from ..shown import shown

Floats = npt.NDArray[np.float64]
# Of a bone's length, where there is no mesh to tell; and at most this much of the body's size.
THICK = 0.12
THICKEST = 0.04
# Share of a part's vertices that lie within its radius: single ones stick out of every mesh.
WITHIN = 0.98
FEWEST = 4  # vertices that make a part


@dataclass(frozen=True, slots=True)
class Parts:
    """names: of the bones; bone: int32 (p,), their indices; axis: float64 (p, 2, 3), ends of each capsule's
    axis in the bone's own space; radius: float64 (p,), armature units.
    """

    names: tuple[str, ...]
    bone: npt.NDArray[np.int32]
    axis: Floats
    radius: Floats


def body_parts(skeleton: Skeleton, skin: Skin | None, size: float, root: str | None) -> Parts:
    """Capsules of the bones that hold vertices of the mesh; without one, of all but the root, as thick as
    bones of their length are."""
    lengths = np.linalg.norm(skeleton.tails - skeleton.heads, axis=1)
    inverse = np.linalg.inv(skeleton.rest)
    found: list[tuple[int, Floats, float]] = []
    if skin is not None:
        for bone in np.unique(skin.bones).tolist():
            points = skin.points[skin.bones == bone] @ inverse[bone, :3, :3].T + inverse[bone, :3, 3]
            if len(points) >= FEWEST:
                found.append((bone, *_capsule(points)))
    if not found:
        deform = (
            skeleton.deform if len(skeleton.deform) and skeleton.deform.any() else np.ones(len(lengths), bool)
        )
        for bone in np.flatnonzero(deform & (lengths > 1e-4 * size)).tolist():
            if skeleton.names[bone] != root:
                axis = np.array([[0.0, 0.0, 0.0], [0.0, lengths[bone], 0.0]])
                found.append((bone, axis, min(THICK * lengths[bone], THICKEST * size)))
    return Parts(
        tuple(skeleton.names[bone] for bone, _, _ in found),
        np.array([bone for bone, _, _ in found], np.int32),
        np.array([axis for _, axis, _ in found]).reshape(-1, 2, 3),
        np.array([radius for _, _, radius in found], np.float64),
    )


def _capsule(points: Floats) -> tuple[Floats, float]:
    """Axis and radius of a capsule about points (n, 3): along their longest extent, through their middle."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    _, _, rows = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    along = rows[0]
    places = (points - middle) @ along
    off = np.linalg.norm(points - middle - places[:, None] * along, axis=1)
    radius = float(np.quantile(off, WITHIN))
    low, high = float(places.min()) + radius, float(places.max()) - radius
    if low > high:
        low = high = 0.5 * (low + high)
    return middle + np.array([[low], [high]]) * along, radius


def tracks(target: Any, skeleton: Skeleton, clip: Clip, parts: Parts, frames: Floats) -> Floats:
    """Both ends of every part at frames (f,), in the world: float64 (2, 3, parts, f).

    From the curves alone, where no constraint moves a part; else from the evaluated armature, which plays the
    clip's action for that and then is as before.
    """
    native = core.load()
    if _is_free(target, skeleton, parts):
        channels = clip.channels(skeleton.names, frames)
        pose = native.forward_kinematics(
            np.ascontiguousarray(skeleton.parents),
            np.ascontiguousarray(skeleton.rest),
            np.ascontiguousarray(skeleton.flags),
            channels,
        )
        return np.asarray(native.part_tracks(pose, parts.bone, parts.axis, _worlds(target, clip, frames)))
    with shown(target), _playing(target, clip):
        seen = sample(target, frames, parts.names)  # (f, p, 4, 4), world
    pose = np.ascontiguousarray(seen[:, :, :3].reshape(len(frames), len(parts.names), 12).transpose(1, 2, 0))
    world = np.repeat(np.eye(4)[:3].reshape(12, 1), len(frames), axis=1)
    bones = np.arange(len(parts.names), dtype=np.int32)
    return np.asarray(native.part_tracks(pose.astype(np.float32), bones, parts.axis, world))


def world_radius(target: Any, parts: Parts) -> Floats:
    """Radii in the world: by the largest of the object's scales, so that no part is thinner than it is."""
    scale = np.linalg.svd(np.array(target.matrix_world, dtype=np.float64)[:3, :3], compute_uv=False)
    return parts.radius * float(scale[0])


def _is_free(target: Any, skeleton: Skeleton, parts: Parts) -> bool:
    """Whether no constraint and no driver moves a part or what it hangs on."""
    line: set[int] = set()
    for bone in parts.bone.tolist():
        while bone >= 0 and bone not in line:
            line.add(bone)
            bone = int(skeleton.parents[bone])
    data = target.animation_data
    driven = data is not None and any(d.data_path.startswith("pose.bones") for d in data.drivers)
    bones = target.pose.bones
    return not driven and not any(not one.mute for i in line for one in bones[skeleton.names[i]].constraints)


def _worlds(target: Any, clip: Clip, frames: Floats) -> Floats:
    """Armature space to the world at frames (f,): upper three rows (12, f)."""
    own = np.array(target.matrix_world, dtype=np.float64)
    if not any(
        not c.bone and c.path.split("_")[0] in ("location", "rotation", "scale") for c in clip.channels_of
    ):
        return np.repeat(own[:3].reshape(12, 1), len(frames), axis=1)
    parent = np.array(target.matrix_world @ target.matrix_basis.inverted_safe(), dtype=np.float64)
    basis = core.load().forward_kinematics(
        np.array([-1], np.int32),
        np.eye(4)[None],
        np.zeros(1, np.uint32),
        clip.object_channels(target, frames)[None],
    )[0]
    matrices = np.tile(np.eye(4), (len(frames), 1, 1))
    matrices[:, :3] = basis.T.reshape(-1, 3, 4)
    return np.ascontiguousarray((parent @ matrices)[:, :3].reshape(-1, 12).T)


@contextmanager
def _playing(target: Any, clip: Clip) -> Iterator[None]:
    """Let the object play the clip's action, and what it played before afterwards."""
    data = target.animation_data_create() if target.animation_data is None else target.animation_data
    former, former_slot = slots.current(data)
    try:
        slots.assign(data, clip.action, slots.slot_to_play(clip.action, target))
        yield
    finally:
        slots.assign(data, former, former_slot)
