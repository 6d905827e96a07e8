"""The same rig stored in other ways walks the same path: rolls, scale, place, axes, rotation modes, order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from mathutils import Matrix
from tests.blender import rigs
from tests.blender.action_tools import MODES
from tests.blender.control_rigs import editing
from tests.blender.paths import feet_of, path, whole

KEYS = ("biped", "rigify:human", "glb/m2m_rig-human.glb")
# Of the same legs 0.9 m long.
TOLERANCE = 1e-4 / 0.9

every_rig = pytest.mark.parametrize("key", KEYS)
with_skin = pytest.mark.parametrize("key", ["skinned", *KEYS])


def load(key: str) -> Any:
    if key == "biped":
        return rigs.biped()
    if key == "skinned":
        return skinned()
    armature = rigs.load(key)
    armature.animation_data_clear()
    return armature


def skinned() -> Any:
    """The plain biped with boxes for feet and toes, longer than the bones, as its skin."""
    armature = rigs.biped()
    points, owners = [], []
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for bone, ys in (("foot", (0.08, -0.12)), ("toe", (-0.12, -0.22))):
            box = [(sign * x, y, z) for x in (0.06, 0.14) for y in ys for z in (0.0, 0.05)]
            points += box
            owners += [f"{bone}.{side}"] * len(box)
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(points, [], [])
    skin = bpy.data.objects.new("skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for name in dict.fromkeys(owners):
        group = skin.vertex_groups.new(name=name)
        group.add([i for i, owner in enumerate(owners) if owner == name], 1.0, "REPLACE")
    skin.parent = armature
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    return armature


def transform(armature: Any, matrix: Matrix) -> None:
    """Move the armature's data, and that of the skin which hangs on it."""
    armature.data.transform(matrix)
    for child in armature.children:
        if child.type == "MESH":
            child.data.transform(matrix)


def walk(armature: Any) -> tuple[np.ndarray, float]:
    """World path of the feet at whole frames, and the leg's length in the world."""
    result = amble.gait(armature, speed=1.3, frames=(1, 51), report=False)
    leg = result.roles.leg_length * armature.matrix_world.to_scale().z
    return path(armature, whole(result), feet_of(result, armature)), leg


@pytest.fixture(scope="module")
def plain() -> Callable[[str], tuple[np.ndarray, float]]:
    """The path of a rig as it is; each is walked once."""
    known: dict[str, tuple[np.ndarray, float]] = {}

    def of(key: str) -> tuple[np.ndarray, float]:
        if key not in known:
            rigs.clear()
            known[key] = walk(load(key))
        return known[key]

    return of


def assert_same(found: np.ndarray, wanted: tuple[np.ndarray, float], turn: Matrix | None = None) -> None:
    """The path is the wanted one, moved by `turn`."""
    places, leg = wanted
    if turn is not None:
        matrix = np.array(turn)
        places = places @ matrix[:3, :3].T + matrix[:3, 3]
    assert found.shape == places.shape
    assert np.abs(found - places).max() < TOLERANCE * leg


@every_rig
@pytest.mark.parametrize("seed", range(5))
def test_rolls_of_bones_do_not_matter(key: str, seed: int, plain) -> None:
    wanted = plain(key)
    rigs.clear()
    armature = load(key)
    draw = np.random.default_rng(seed)
    with editing(armature) as bones:
        for bone in bones:
            bone.roll = draw.uniform(-math.pi, math.pi)
    assert_same(walk(armature)[0], wanted)


@with_skin
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_data_that_is_scaled_under_an_object_scaled_back(key: str, scale: float, plain) -> None:
    wanted = plain(key)
    rigs.clear()
    armature = load(key)
    transform(armature, Matrix.Scale(1.0 / scale, 4))
    armature.matrix_basis = armature.matrix_basis @ Matrix.Scale(scale, 4)
    assert_same(walk(armature)[0], wanted)


PLACES = (
    Matrix.Translation((3.0, -2.0, 0.7)) @ Matrix.Rotation(math.radians(35.0), 4, "Z"),
    Matrix.Rotation(math.radians(40.0), 4, "X") @ Matrix.Rotation(math.radians(-110.0), 4, "Y"),
)


@with_skin
@pytest.mark.parametrize("place", PLACES, ids=("on the ground", "tumbled"))
def test_an_object_that_is_turned_and_moved(key: str, place: Matrix, plain) -> None:
    wanted = plain(key)
    rigs.clear()
    armature = load(key)
    armature.matrix_basis = place @ armature.matrix_basis
    assert_same(walk(armature)[0], wanted, place)


@with_skin
@pytest.mark.parametrize("place", PLACES, ids=("on the ground", "tumbled"))
def test_an_object_that_hangs_on_another(key: str, place: Matrix, plain) -> None:
    """The parent is scaled too, and the object has a parent inverse."""
    wanted = plain(key)
    rigs.clear()
    armature = load(key)
    parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.matrix_world = place @ Matrix.Scale(2.0, 4)
    armature.parent = parent
    armature.matrix_parent_inverse = Matrix.Scale(0.5, 4)
    assert_same(walk(armature)[0], wanted, place)


@with_skin
def test_bones_with_y_up_under_an_object_turned_back(key: str, plain) -> None:
    wanted = plain(key)
    rigs.clear()
    armature = load(key)
    quarter = Matrix.Rotation(math.radians(-90.0), 4, "X")
    transform(armature, quarter)
    armature.matrix_basis = armature.matrix_basis @ quarter.inverted()
    assert_same(walk(armature)[0], wanted)


@every_rig
@pytest.mark.parametrize("mode", MODES)
def test_rotation_modes_do_not_matter(key: str, mode: str, plain) -> None:
    wanted = plain(key)
    rigs.clear()
    armature = load(key)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    assert_same(walk(armature)[0], wanted)
    assert {bone.rotation_mode for bone in armature.pose.bones} == {mode}


@every_rig
def test_the_order_of_bones_does_not_matter(key: str, plain) -> None:
    """Children are made before their parents, in a random order."""
    wanted = plain(key)
    rigs.clear()
    armature = load(key)
    reorder(armature, seed=1)
    assert_same(walk(armature)[0], wanted)


def reorder(armature: Any, seed: int) -> None:
    """Make every bone anew, as it was, in a random order."""
    with editing(armature) as bones:
        kept = {
            bone.name: (
                bone.matrix.copy(),
                bone.length,
                bone.parent.name if bone.parent else None,
                bone.use_connect,
                bone.use_deform,
            )
            for bone in bones
        }
        for name in kept:
            bones.remove(bones[name])
        for name in np.random.default_rng(seed).permutation(list(kept)).tolist():
            bone = bones.new(name)
            bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, kept[name][1], 0.0)
            bone.matrix, bone.use_deform = kept[name][0], kept[name][4]
        for name, (_, _, parent, connected, _) in kept.items():
            if parent is not None:
                bones[name].parent = bones[parent]
                bones[name].use_connect = connected
    assert {bone.name for bone in armature.data.bones} == set(kept)
