"""How exact mirrored actions are, and what they cost, on every clip of every rig in the data folder.

    python -m tests.blender.mirror_figures [FILE PART ...]

For each clip: the largest distance of a bone from where the definition has it (float64: D = P R^-1, S D S
given to the partner; joints where their own skeleton has them), over the body's size, and the largest angle,
at keys and half frames, evaluated by Blender; the same with rolls drawn at random and with the middle bones
rolled; the distance after mirroring twice; microseconds a key, and Action.flip_with_pose's. A star: bones
that constraints move are left out, as their solvers have no mirror image of their own.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import amble
import amble_core
import bpy
import numpy as np
from amble.action import slots
from amble.action.read import read
from amble.leave import leave
from amble.mirror.decide import Moving, clearances
from amble.mirror.obstacles import Mesh
from amble.mirror.subject import read_subject
from amble.scene import Soup
from tests.blender import rigs
from tests.blender.mirror_tools import poses
from tests.reference.mirror import reflection

MOST = 24  # frames of a clip that are looked at
CLIPS = 3  # of a file


def play(rig: Any, action: Any) -> None:
    """Play an action from rest."""
    data = rig.animation_data or rig.animation_data_create()
    slots.assign(data, action, slots.slot_to_play(action, rig))
    for bone in rig.pose.bones:
        bone.location, bone.scale = (0, 0, 0), (1, 1, 1)
        bone.rotation_quaternion, bone.rotation_euler = (1, 0, 0, 0), (0, 0, 0)


def moments(clip: Any) -> np.ndarray:
    """Keys and the middles between them, at most MOST."""
    keys = clip.key_frames()
    every = np.unique(np.concatenate((keys, 0.5 * (keys[1:] + keys[:-1]))))
    return np.asarray(every[np.unique(np.linspace(0, len(every) - 1, MOST).astype(int))])


def wanted(subject: Any, before: np.ndarray) -> np.ndarray:
    """Poses of the mirrored body, (times, bones, 4, 4), joints where the bone's own skeleton has them."""
    skeleton, partners = subject.skeleton, subject.partners
    s = reflection(partners.normal, partners.offset)
    rest, partner = skeleton.rest, partners.partner
    deformed = s @ (before @ np.linalg.inv(rest))[:, partner] @ s
    found = deformed @ rest
    for bone, parent in enumerate(skeleton.parents.tolist()):
        other = int(partner[bone])
        above = int(skeleton.parents[other])
        if parent < 0 and above < 0:
            moved = before[:, other, :3, 3] - rest[other][:3, 3]
            found[:, bone, :3, 3] = rest[bone][:3, 3] + moved @ s[:3, :3].T
        if parent < 0 or above < 0 or int(partner[parent]) != above:
            continue
        # The head is where the parent's own rest has it, moved by as much as the partner's is.
        local = np.linalg.inv(before[:, above]) @ before[:, other]
        own = np.linalg.inv(rest[above]) @ rest[other]
        away = local[:, :3, 3] - own[:3, 3]
        axes = np.linalg.inv(rest[parent][:3, :3]) @ s[:3, :3] @ rest[above][:3, :3]
        place = (np.linalg.inv(rest[parent]) @ rest[bone])[:3, 3] + away @ axes.T
        found[:, bone, :3, 3] = (
            np.einsum("tij,tj->ti", found[:, parent, :3, :3], place) + found[:, parent, :3, 3]
        )
    return np.asarray(found)


def free_bones(rig: Any) -> list[int]:
    """Bones that neither a constraint nor a bone above with one moves."""
    bones = list(rig.pose.bones)
    solved = {b.name for b in bones if any(not c.mute for c in b.constraints)}
    for bone in bones:
        for constraint in bone.constraints:
            if constraint.type == "IK" and not constraint.mute:
                chain = [bone, *bone.parent_recursive]
                solved |= {b.name for b in chain[: constraint.chain_count or len(chain)]}
    return [i for i, b in enumerate(bones) if not solved & {p.name for p in (b, *b.parent_recursive)}]


def measure(rig: Any, action: Any) -> dict[str, float]:
    """Errors of a clip's mirror image, and of that one's."""
    subject = read_subject(rig)
    names, size = list(subject.skeleton.names), subject.partners.size
    order = {bone.name: at for at, bone in enumerate(rig.pose.bones)}
    rows = [names.index(list(order)[i]) for i in free_bones(rig)]
    play(rig, action)
    times = moments(read(rig, action))
    before = poses(rig, times, names)
    start = time.process_time()
    result = amble.mirror(rig, action)
    cost = time.process_time() - start
    after, target = poses(rig, times, names), wanted(subject, before)
    amble.mirror(rig, result.action)
    twice = poses(rig, times, names)
    place = np.linalg.norm(after[:, rows, :3, 3] - target[:, rows, :3, 3], axis=-1).max() / size
    a, b = (
        m[:, rows, :3, :3] / np.linalg.norm(m[:, rows, :3, :3], axis=-2, keepdims=True)
        for m in (after, target)
    )
    angle = np.degrees(np.linalg.norm(a - b, axis=(-2, -1)).max() / np.sqrt(2.0))
    again = np.linalg.norm(twice[:, rows, :3, 3] - before[:, rows, :3, 3], axis=-1).max() / size
    keys = len(read(rig, action).points)
    return {
        "place": float(place),
        "angle": float(angle),
        "twice": float(again),
        "drawn": float(len(result.drawn)),
        "mirror": cost / keys * 1e6,
        "flip": flip_cost(rig, action) / keys * 1e6,
        "keys": float(keys),
        "left out": float(len(rows) < len(names)),
    }


def flip_cost(rig: Any, action: Any) -> float:
    """Seconds that Blender's own flip takes."""
    made = action.copy()
    play(rig, made)
    start = time.process_time()
    made.flip_with_pose(rig)
    cost = time.process_time() - start
    bpy.data.actions.remove(made)
    return cost


def roll(rig: Any, which: str) -> None:
    """Turn bones about themselves, and with them what their curves mean."""
    partners = read_subject(rig).partners
    bpy.context.view_layer.objects.active = rig
    rig.hide_set(False)
    bpy.ops.object.mode_set(mode="EDIT")
    rng = np.random.default_rng(5)
    names = [bone.name for bone in rig.data.bones]
    for at, name in enumerate(names):
        if which == "all" or int(partners.partner[at]) == at:
            rig.data.edit_bones[name].roll += float(rng.uniform(-np.pi, np.pi))
    bpy.ops.object.mode_set(mode="OBJECT")


def line(label: str, found: dict[str, float]) -> str:
    star = "*" if found["left out"] else " "
    exact = f"place {found['place']:.1e}  angle {found['angle']:.5f}  twice {found['twice']:.0e}"
    cost = f"{found['mirror']:6.2f} us/key, flip {found['flip']:.2f}, {found['keys']:.0f} keys"
    return f"{label:58.58s}{star} {exact}  drawn {found['drawn']:3.0f}  {cost}"


def kernel() -> str:
    """Nanoseconds a bone and frame of the core's own mirror, in memory that fits the cache."""
    bones, frames = 66, 250
    rng = np.random.default_rng(1)
    arguments = (
        np.arange(-1, bones - 1, dtype=np.int32),
        np.tile(np.eye(4), (bones, 1, 1)),
        np.zeros(bones, np.uint32),
        np.arange(bones, dtype=np.int32),
        np.array([0.6, 0.8, 0.0, 0.0]),
        np.eye(4)[:3].copy(),
        rng.uniform(-1, 1, (bones, 10, frames)).astype(np.float32),
    )
    best = np.inf
    for _ in range(50):
        start = time.perf_counter()
        amble_core.mirror(*arguments)
        best = min(best, time.perf_counter() - start)
    return f"kernel: {best / bones / frames * 1e9:.1f} ns a bone and frame"


def clearance() -> str:
    """Milliseconds to test one clip of 20 parts and 100 frames against 100,000 triangles around it."""
    side = 224
    line = np.linspace(-2.0, 2.0, side)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = 0.1 * np.sin(9.0 * x) * np.cos(7.0 * y)
    i = np.arange(side * side, dtype=np.int32).reshape(side, side)
    a, b, c, d = (block.ravel() for block in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    triangles = np.concatenate([np.column_stack((a, b, c)), np.column_stack((a, c, d))]).astype(np.int32)
    vertices = np.column_stack((x.ravel(), y.ravel(), z.ravel()))
    start = time.perf_counter()
    mesh = Mesh(Soup(vertices, triangles, ("ground",), np.zeros(len(triangles), np.int32), ()), "ground")
    built = time.perf_counter() - start
    rng = np.random.default_rng(1)
    heads = rng.uniform((-0.4, -0.3, 0.12), (0.4, 0.3, 1.8), (20, 3))
    way = np.linspace(0.0, 1.4, 101)
    track = np.zeros((2, 3, 20, 101))
    for end in range(2):
        track[end] = (heads + end * rng.uniform(-0.15, 0.15, (20, 3))).T[:, :, None]
    track[:, 1] += way
    moving = Moving(
        track, np.arange(101.0), ("part",) * 20, np.full(20, 0.05), np.zeros(3), np.array([0.0, 0, 1]), 1.8
    )
    best = np.inf
    for _ in range(10):
        start = time.process_time()
        clearances(moving, [mesh], 0.54)
        best = min(best, time.process_time() - start)
    return (
        f"clearance: {best * 1e3:.1f} ms for 20 parts and 100 frames against {len(triangles)} triangles "
        f"({built * 1e3:.0f} ms to build)"
    )


def main(wanted_files: list[str]) -> None:
    say = sys.stdout.write
    say(kernel() + "\n" + clearance() + "\n")
    files = [p for p in sorted(rigs.DATA.glob("*/*")) if p.suffix in (".glb", ".gltf", ".blend", ".bvh")]
    for path in files:
        key = path.relative_to(rigs.DATA).as_posix()
        if wanted_files and not any(part in key for part in wanted_files):
            continue
        for which in ("as it is", "all", "middle"):
            rig = rigs.load(key)
            clips = [a for a in bpy.data.actions if set(read(rig, a).bones) & set(rig.pose.bones.keys())]
            if which != "as it is":
                roll(rig, which)
            for action in clips[: CLIPS if which == "as it is" else 1]:
                label = f"{path.name} {action.name} ({'rolls ' if which != 'as it is' else ''}{which})"
                say(line(label, measure(rig, action)) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
    leave(0)
