"""The source's examples as scenes: a vault beside walls, a wall with pipes, a climb under an overhang.

`python -m tests.blender.mirror_scenes docs/mirror.png` draws them: above the motion as it is, red what does
not fit, below what is played instead.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
from amble.action.read import read
from amble.mirror.body import body_parts, tracks
from amble.mirror.make import MirrorResult
from amble.mirror.obstacles import Plane, Region
from amble.mirror.subject import read_subject
from tests.blender.mirror_tools import biped, key, new_action

# Bone, axis of the armature that it is turned about, degrees: the character faces -y, its left is at +x.
Turns = Sequence[tuple[str, int, float]]
FENCE = 0.85  # metres high, 1.1 m ahead
TOLERANCE = 0.02


def pose_keys(rig: Any, home: Any, poses: Sequence[tuple[float, Sequence[float], Turns]]) -> None:
    """Keys of (frame, place of the pelvis against its rest, turns of bones about the armature's axes)."""
    bones = dict.fromkeys(bone for _, _, turns in poses for bone, _, _ in turns)
    frames = [frame for frame, _, _ in poses]
    for bone in bones:
        rest = np.array(rig.data.bones[bone].matrix_local)[:3, :3]
        values = []
        for _, _, turns in poses:
            quaternion = np.array([1.0, 0, 0, 0])
            for _, axis, degrees in [turn for turn in turns if turn[0] == bone]:
                half = math.radians(degrees) / 2.0
                w, v = math.cos(half), math.sin(half) * (rest.T @ np.eye(3)[axis])
                a, b = quaternion[0], quaternion[1:]
                quaternion = np.array([w * a - v @ b, *(w * b + a * v + np.cross(v, b))])
            values.append(quaternion)
        for index in range(4):
            column = [value[index] for value in values]
            key(home, f'pose.bones["{bone}"].rotation_quaternion', index, frames, column)
    rest = np.array(rig.data.bones["pelvis"].matrix_local)[:3, :3]
    for index in range(3):
        column = [float((rest.T @ place)[index]) for _, place, _ in poses]
        key(home, 'pose.bones["pelvis"].location', index, frames, column)


def vault(rig: Any) -> Any:
    """Over a fence on the left hand, the legs thrown to the right."""
    home = new_action(rig, "Vault_R")
    arm = [("upper_arm.L", 1, -10.0), ("upper_arm.R", 1, 25.0)]
    pose_keys(
        rig,
        home,
        [
            (1, (0, 0, 0), []),
            (7, (0, -0.35, -0.12), [("thigh.L", 0, -35), ("shin.L", 0, 55), ("spine", 0, 15)]),
            (
                15,
                (0.05, -1.1, 0.25),
                [
                    ("pelvis", 1, 62),
                    ("spine", 1, -12),
                    ("thigh.R", 1, 18),
                    ("thigh.L", 1, 8),
                    ("shin.L", 0, 25),
                    *arm,
                ],
            ),
            (22, (0, -1.9, -0.1), [("pelvis", 1, 8), ("thigh.R", 0, -30), ("shin.R", 0, 50)]),
            (29, (0, -2.3, 0), []),
        ],
    )
    return home.action


def climb(rig: Any) -> Any:
    """Up onto a ledge, the right leg swung out to the side."""
    home = new_action(rig, "Climb_R")
    hands = [("upper_arm.L", 1, -120.0), ("upper_arm.R", 1, 120.0), ("forearm.L", 0, -15.0)]
    pose_keys(
        rig,
        home,
        [
            (1, (0, 0, 0), [*hands, ("thigh.L", 0, -10)]),
            (
                10,
                (0.04, -0.1, 0.55),
                [("upper_arm.L", 1, -110), ("upper_arm.R", 1, 110), ("thigh.R", 1, 85), ("shin.R", 1, -15)],
            ),
            (19, (0, -0.35, 1.0), [("thigh.L", 0, -60), ("shin.L", 0, 80), ("spine", 0, 25)]),
            (26, (0, -0.5, 1.15), []),
        ],
    )
    return home.action


def block(name: str, low: Sequence[float], high: Sequence[float]) -> Any:
    """A closed box from corner to corner, faces outward."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    corners = [(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def pipe(name: str, x: float, y: float, radius: float = 0.06) -> Any:
    """An upright pipe of eight sides."""
    ring = [
        (x + radius * math.cos(k * math.pi / 4), y + radius * math.sin(k * math.pi / 4)) for k in range(8)
    ]
    corners = [(a, b, z) for z in (0.0, 2.4) for a, b in ring]
    faces: list[tuple[int, ...]] = [(k, (k + 1) % 8, 8 + (k + 1) % 8, 8 + k) for k in range(8)]
    faces += [tuple(range(7, -1, -1)), tuple(range(8, 16))]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


@dataclass(frozen=True, slots=True)
class Example:
    """A scene: the rig, its motion, what stands around, and what came out."""

    name: str
    rig: Any
    source: Any
    result: MirrorResult
    shown: tuple[Any, ...]


EXAMPLES = (
    "wall on the left",
    "wall on the right",
    "walls on both sides",
    "wall with pipes",
    "ledge with an overhang",
)


def make(name: str) -> Example:
    """Build one of EXAMPLES in the current scene and let it be decided."""
    rig = biped()
    action = climb(rig) if name.startswith("ledge") else vault(rig)
    fence = block("fence", (-1.0, -1.15, 0.0), (1.0, -1.05, FENCE))
    shown = [fence]
    arguments: dict[str, Any] = {"obstacles": []}
    right = ("wall right", (-1.0, -2.8, 0.0), (-0.85, 0.6, 2.4))
    left = ("wall left", (0.85, -2.8, 0.0), (1.0, 0.6, 2.4))
    if name in ("wall on the left", "walls on both sides"):
        shown.append(block(*left))
    if name in ("wall on the right", "walls on both sides"):
        shown.append(block(*right))
    if name == "wall with pipes":
        shown.append(block("wall", (-1.15, -2.8, 0.0), (-1.0, 0.6, 2.4)))
        shown += [pipe(f"pipe {k}", -0.92, -0.2 - 0.6 * k) for k in range(4)]
        arguments["obstacles"] = [Plane((-0.85, 0, 0), (1, 0, 0), "plane before the pipes")]
    elif name.startswith("ledge"):
        bpy.data.objects.remove(fence)
        shown = [
            block("ledge", (-1.6, -1.8, 0.9), (1.6, -0.45, 1.1)),
            block("overhang", (-1.6, -1.8, 0.9), (-0.9, 0.35, 1.9)),
        ]
        arguments = {"region": Region.box((0.6, 0.0, 1.4), (3.0, 4.0, 6.0), name="free space")}
    if not name.startswith(("ledge", "wall with")):
        arguments["obstacles"] = shown[1:]
    bpy.context.view_layer.update()
    result = amble.mirror(rig, action, tolerance=TOLERANCE, **arguments)
    return Example(name, rig, action, result, tuple(shown))


# ---- pictures ----

INK = {
    "L": (0.95, 0.45, 0.06, 1.0),
    "R": (0.07, 0.22, 0.62, 1.0),
    "": (0.30, 0.30, 0.33, 1.0),
    "bad": (0.90, 0.02, 0.02, 1.0),
    "good": (0.02, 0.35, 0.08, 1.0),
    "text": (0.03, 0.03, 0.04, 1.0),
    "wall": (0.72, 0.58, 0.40, 1.0),
    "fence": (0.60, 0.62, 0.66, 1.0),
    "floor": (0.86, 0.87, 0.89, 1.0),
}
STEP, DROP = 3.4, 3.9  # metres between columns and between rows
# The limbs are drawn as thick as a body's, the trunk thicker.
LIMB, TRUNK = 0.055, 0.10


def material(colour: tuple[float, float, float, float]) -> Any:
    """A plain matt material."""
    made: Any = bpy.data.materials.new("ink")
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour
    made.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.8
    return made


def capsule(a: np.ndarray, b: np.ndarray, radius: float, ink: Any, away: np.ndarray) -> None:
    """A capsule between two points, moved away."""
    import bmesh

    for end in (a, b):
        mesh = bpy.data.meshes.new("ball")
        build = bmesh.new()
        bmesh.ops.create_icosphere(build, subdivisions=2, radius=radius)
        build.to_mesh(mesh)
        build.free()
        _put(mesh, end + away, None, ink)
    mesh = bpy.data.meshes.new("rod")
    build = bmesh.new()
    length = float(np.linalg.norm(b - a))
    bmesh.ops.create_cone(build, segments=12, radius1=radius, radius2=radius, depth=max(length, 1e-4))
    build.to_mesh(mesh)
    build.free()
    _put(mesh, 0.5 * (a + b) + away, b - a, ink)


def _put(mesh: Any, place: np.ndarray, along: np.ndarray | None, ink: Any) -> None:
    from mathutils import Vector

    for polygon in mesh.polygons:
        polygon.use_smooth = True
    mesh.materials.append(ink)
    thing: Any = bpy.data.objects.new(mesh.name, mesh)
    thing.location = tuple(place)
    if along is not None:
        thing.rotation_euler = Vector(tuple(along)).to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(thing)


def figure(example: Example, action: Any, fit: Any, frame: float, inks: Any, away: np.ndarray) -> None:
    """The body at a frame; parts that do not fit at any time in red."""
    subject = read_subject(example.rig)
    parts = body_parts(subject.skeleton, None, subject.partners.size, subject.roles.root)
    track = tracks(example.rig, subject.skeleton, read(example.rig, action), parts, np.array([frame]))
    for k, name in enumerate(parts.names):
        side = name[-1] if name[-2:] in (".L", ".R") else ""
        bad = fit.by_part[name] < TOLERANCE
        radius = TRUNK if not side and name != "neck" else LIMB
        capsule(track[0, :, k, 0], track[1, :, k, 0], radius, inks["bad" if bad else side], away)


def write(text: str, place: Sequence[float], size: float, ink: Any, facing: Any) -> None:
    """Letters in the middle of a place, facing the camera."""
    curve: Any = bpy.data.curves.new("text", "FONT")
    curve.body, curve.size, curve.align_x = text, size, "CENTER"
    curve.materials.append(ink)
    thing: Any = bpy.data.objects.new("text", curve)
    thing.location, thing.rotation_euler = place, facing
    thing.visible_shadow = False
    bpy.context.scene.collection.objects.link(thing)


def outcome(example: Example, row: int) -> tuple[str, bool]:
    """What stands under a figure: in the upper row whether the motion fits, in the lower what is played."""
    verdict = example.result.verdict
    assert verdict is not None
    if row == 0:
        fits = verdict.outcome in ("original", "both")
        return ("fits", True) if fits else ("hits", False)
    if verdict.outcome == "neither":
        return "neither fits", False
    return ("played mirrored", True) if example.result.mirrored else ("played as it is", True)


def draw(names: Sequence[str], path: Path) -> None:
    """Render examples side by side, the motion as it is above, what is played below."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    examples = [make(name) for name in names]
    for example in examples:
        for thing in example.shown:
            thing.hide_render = True
    inks = {name: material(colour) for name, colour in INK.items()}
    facing = _camera(len(names))
    for column, example in enumerate(examples):
        verdict = example.result.verdict
        assert verdict is not None
        sys.stdout.write(f"{example.name}: {verdict.words()}\n")
        played = verdict.mirrored if example.result.mirrored else verdict.original
        write(example.name, (-column * STEP, -0.8, 3.1), 0.30, inks["text"], facing)
        shown = ((example.source, verdict.original), (example.result.action, played))
        for row, (action, fit) in enumerate(shown):
            away = np.array([-column * STEP, 0.0, -row * DROP])
            middle = 15 if action.name.startswith("Vault") else 10
            figure(example, action, fit, middle, inks, away)
            _surroundings(example, inks, away)
            words, good = outcome(example, row)
            write(words, tuple(away + (0, 0.7, -0.35)), 0.26, inks["good" if good else "bad"], facing)
    _render(path, len(names))


def _surroundings(example: Example, inks: Any, away: np.ndarray) -> None:
    for thing in example.shown:
        copy = thing.copy()
        copy.data = thing.data.copy()
        copy.data.materials.append(inks["fence" if thing.name.startswith(("fence", "ledge")) else "wall"])
        copy.location = tuple(np.array(thing.location) + away)
        copy.hide_render = False
        bpy.context.scene.collection.objects.link(copy)
    floor = block("floor", (-1.3, -2.8, -0.04), (1.3, 0.6, 0.0))
    floor.data.materials.append(inks["floor"])
    floor.location = tuple(away)


def _size(columns: int) -> tuple[float, float]:
    """Width and height of what is seen, metres."""
    return columns * STEP + 0.2, 8.5


def _middle(columns: int) -> tuple[float, float, float]:
    return (-(columns - 1) * STEP / 2.0, -0.8, 1.35 - 0.5 * DROP)


def _camera(columns: int) -> Any:
    """Put a camera behind and above, turned so that walls show a face; its rotation."""
    from mathutils import Vector

    camera = bpy.data.cameras.new("camera")
    camera.type = "ORTHO"
    camera.ortho_scale = max(_size(columns))
    holder = bpy.data.objects.new("camera", camera)
    bpy.context.scene.collection.objects.link(holder)
    bpy.context.scene.camera = holder
    middle = Vector(_middle(columns))
    holder.location = middle + Vector((0.0, 14.0, 4.5))
    holder.rotation_euler = (middle - holder.location).to_track_quat("-Z", "Y").to_euler()
    return holder.rotation_euler.copy()


def _render(path: Path, columns: int) -> None:
    scene: Any = bpy.context.scene
    light = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    light.data.energy = 2.5
    light.rotation_euler = (0.7, 0.25, 2.7)
    scene.collection.objects.link(light)
    world: Any = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (1, 1, 1, 1)
    world.node_tree.nodes["Background"].inputs[1].default_value = 0.75
    scene.world = world
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 8, True
    scene.render.image_settings.color_mode = "RGB"
    scene.view_settings.view_transform = "Standard"
    width, height = _size(columns)
    scene.render.resolution_x, scene.render.resolution_y = int(95 * width), int(95 * height)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    draw(EXAMPLES[:3], Path(sys.argv[1]))
    draw(EXAMPLES[3:], Path(sys.argv[1]).with_name(Path(sys.argv[1]).stem + "_more.png"))
