"""Small rigs as tables of bones, and skeletons made from them without Blender."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from amble.rig.skeleton import Skeleton

Point = tuple[float, float, float]
Bones = dict[str, tuple[Point, Point, str | None]]

_BIPED: Bones = {
    "root": ((0, 0, 0), (0, 0, 0.10), None),
    "pelvis": ((0, 0, 0.95), (0, 0, 1.05), "root"),
    "spine": ((0, 0, 1.05), (0, 0, 1.25), "pelvis"),
    "chest": ((0, 0, 1.25), (0, 0, 1.45), "spine"),
    "neck": ((0, 0, 1.45), (0, -0.01, 1.55), "chest"),
    "head": ((0, -0.01, 1.55), (0, -0.01, 1.75), "neck"),
    "clavicle.L": ((0.02, 0, 1.42), (0.17, 0, 1.43), "chest"),
    "upper_arm.L": ((0.17, 0, 1.43), (0.40, 0.02, 1.25), "clavicle.L"),
    "forearm.L": ((0.40, 0.02, 1.25), (0.60, -0.01, 1.08), "upper_arm.L"),
    "hand.L": ((0.60, -0.01, 1.08), (0.68, -0.03, 1.01), "forearm.L"),
    "thigh.L": ((0.10, 0, 0.93), (0.10, -0.02, 0.50), "pelvis"),
    "shin.L": ((0.10, -0.02, 0.50), (0.10, 0.02, 0.08), "thigh.L"),
    "foot.L": ((0.10, 0.02, 0.08), (0.10, -0.12, 0.02), "shin.L"),
    "toe.L": ((0.10, -0.12, 0.02), (0.10, -0.20, 0.02), "foot.L"),
}

_QUADRUPED: Bones = {
    "root": ((0, 0, 0), (0, 0, 0.10), None),
    "pelvis": ((0, 0.45, 0.75), (0, 0.35, 0.78), "root"),
    "spine": ((0, 0.35, 0.78), (0, 0, 0.78), "pelvis"),
    "chest": ((0, 0, 0.78), (0, -0.35, 0.78), "spine"),
    "neck": ((0, -0.35, 0.78), (0, -0.55, 1), "chest"),
    "head": ((0, -0.55, 1), (0, -0.75, 0.98), "neck"),
    "tail": ((0, 0.5, 0.75), (0, 0.9, 0.6), "pelvis"),
    "thigh.L": ((0.12, 0.42, 0.72), (0.12, 0.32, 0.48), "pelvis"),
    "shin.L": ((0.12, 0.32, 0.48), (0.12, 0.50, 0.26), "thigh.L"),
    "hock.L": ((0.12, 0.50, 0.26), (0.12, 0.44, 0.06), "shin.L"),
    "paw.L": ((0.12, 0.44, 0.06), (0.12, 0.34, 0.02), "hock.L"),
    "fore_upper.L": ((0.12, -0.32, 0.70), (0.12, -0.22, 0.48), "chest"),
    "fore_lower.L": ((0.12, -0.22, 0.48), (0.12, -0.30, 0.22), "fore_upper.L"),
    "fore_pastern.L": ((0.12, -0.30, 0.22), (0.12, -0.30, 0.06), "fore_lower.L"),
    "fore_paw.L": ((0.12, -0.30, 0.06), (0.12, -0.40, 0.02), "fore_pastern.L"),
}


def mirrored(bones: Bones) -> Bones:
    """The table with a .R bone for every .L bone, x negated."""
    whole = dict(bones)
    for bone, (head, tail, parent) in bones.items():
        if bone.endswith(".L"):
            other = parent[:-1] + "R" if parent and parent.endswith(".L") else parent
            whole[bone[:-1] + "R"] = ((-head[0], *head[1:]), (-tail[0], *tail[1:]), other)
    return whole


def biped() -> Bones:
    """A plain biped that faces -Y, its left at +X."""
    return mirrored(_BIPED)


def quadruped() -> Bones:
    """A plain quadruped that faces -Y, its left at +X."""
    return mirrored(_QUADRUPED)


def renamed(bones: Bones, name: Callable[[str], str]) -> Bones:
    """The table with every bone called what `name` says."""
    return {name(b): (h, t, None if p is None else name(p)) for b, (h, t, p) in bones.items()}


def unnamed(bones: Bones, seed: int | None = None) -> tuple[Bones, dict[str, str]]:
    """The table with every bone called by a number, and the names by the new ones.

    Numbers go up in the table's order, or with a seed are drawn.
    """
    count = len(bones)
    numbers = range(count) if seed is None else np.random.default_rng(seed).permutation(count).tolist()
    names = {bone: f"Bone.{number:03d}" for bone, number in zip(bones, numbers, strict=True)}
    return renamed(bones, names.__getitem__), {new: bone for bone, new in names.items()}


def moved(bones: Bones, matrix: np.ndarray, offset: Point = (0, 0, 0)) -> Bones:
    """The table with every point multiplied by a 3x3 matrix and shifted."""

    def place(point: Point) -> Point:
        x, y, z = (matrix @ np.array(point) + np.array(offset)).tolist()
        return x, y, z

    return {b: (place(h), place(t), p) for b, (h, t, p) in bones.items()}


def skeleton(bones: Bones) -> Skeleton:
    """The table as a skeleton, parents first, bones unturned, object at the origin."""
    order: list[str] = []
    while len(order) < len(bones):
        order += [b for b in bones if b not in order and (bones[b][2] is None or bones[b][2] in order)]
    place: dict[str | None, int] = {b: i for i, b in enumerate(order)} | {None: -1}
    rest = np.tile(np.eye(4), (len(order), 1, 1))
    rest[:, :3, 3] = [bones[b][0] for b in order]
    return Skeleton(
        names=tuple(order),
        parents=np.array([place[bones[b][2]] for b in order], dtype=np.int32),
        rest=rest,
        tails=np.array([bones[b][1] for b in order], dtype=np.float64),
        flags=np.zeros(len(order), dtype=np.uint32),
        rotation_modes=("QUATERNION",) * len(order),
        world=np.eye(4),
    )
