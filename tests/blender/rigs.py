"""Loads or builds every rig the tests use, by the key that stands in the truth file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import bpy
import pytest
from tests.data import DATA
from tests.rig import tables
from tests.rig.tables import Bones


def truth() -> dict[str, dict[str, Any]]:
    """The hand-checked rigs by file key; empty where the data folder is absent."""
    path = DATA / "rigs_truth.json"
    if not path.is_file():
        return {}
    return {rig["file"]: rig for rig in json.loads(path.read_text(encoding="utf-8"))["rigs"]}


def clear() -> None:
    """An empty file with factory settings."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def build(bones: Bones, name: str = "rig", rolls: Mapping[str, float] = MappingProxyType({})) -> Any:
    """An armature object at the origin, bones as in the table, nothing connected; rolls in radians."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (head, tail, _) in bones.items():
        edit = data.edit_bones.new(bone)
        edit.head, edit.tail, edit.roll = head, tail, rolls.get(bone, 0.0)
    for bone, (_, _, parent) in bones.items():
        if parent is not None:
            data.edit_bones[bone].parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def scaled(bones: Bones, size: float) -> Bones:
    """The table with every coordinate times size."""
    return {
        bone: (tuple(size * c for c in head), tuple(size * c for c in tail), parent)  # type: ignore[misc]
        for bone, (head, tail, parent) in bones.items()
    }


def biped(size: float = 1.0) -> Any:
    """A plain biped that faces -Y, its left at +X; leg length 0.852 x size."""
    return build(scaled(tables.biped(), size), "biped")


def quadruped(size: float = 1.0) -> Any:
    """A plain quadruped that faces -Y, its left at +X; hind leg 0.753, fore leg 0.674 x size."""
    return build(scaled(tables.quadruped(), size), "quadruped")


def rigify(key: str) -> Any:
    """rigify:<metarig>, or rigify:<metarig>:generated for the control rig made from it (about 5 s)."""
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    _, metarig, *generated = key.split(":")
    getattr(bpy.ops.object, f"armature_{metarig}_metarig_add")()
    rig: Any = bpy.context.object
    if not generated:
        return rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.rigify_generate()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.objects.remove(rig)
    return next(o for o in bpy.data.objects if o.type == "ARMATURE")


def json_rig(path: Path, name: str = "mpfb") -> Any:
    """A bone tree with default positions and rolls as an armature, nothing connected."""
    tree = json.loads(path.read_text(encoding="utf-8"))
    tree = tree.get("bones", tree)
    bones: Bones = {
        bone: (
            entry["head"]["default_position"],
            entry["tail"]["default_position"],
            entry.get("parent") or None,
        )
        for bone, entry in tree.items()
    }
    return build(bones, name, {bone: entry.get("roll", 0.0) for bone, entry in tree.items()})


def load(key: str) -> Any:
    """The armature object of a rig by its key in the truth file, in an otherwise empty scene.

    Skips the test where the file is not there.
    """
    clear()
    if key.startswith("rigify:"):
        return rigify(key)
    path = DATA / key
    if not path.is_file():
        pytest.skip(f"{key} is not in the data folder (set AMBLE_DATA)")
    if path.suffix == ".json":
        return json_rig(path)
    if path.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(path))
    elif path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path))
    else:
        bpy.ops.import_scene.gltf(filepath=str(path))
    wanted = truth().get(key, {}).get("armature")
    armatures = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    return next((o for o in armatures if o.name == wanted), armatures[0])
