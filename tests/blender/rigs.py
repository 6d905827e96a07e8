"""Loads or builds every rig the tests use, by the key that stands in the truth file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import bpy
import pytest

DATA = Path(os.environ.get("AMBLE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")

Bones = dict[str, tuple[tuple[float, float, float], tuple[float, float, float], str | None]]

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


def truth() -> dict[str, dict[str, Any]]:
    """The hand-checked rigs by file key; empty where the data folder is absent."""
    path = DATA / "rigs_truth.json"
    if not path.is_file():
        return {}
    return {rig["file"]: rig for rig in json.loads(path.read_text(encoding="utf-8"))["rigs"]}


def clear() -> None:
    """An empty file with factory settings."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def build(bones: Bones, name: str = "rig") -> Any:
    """An armature object at the origin, bones in the order of the table, nothing connected."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (head, tail, _) in bones.items():
        edit = data.edit_bones.new(bone)
        edit.head, edit.tail, edit.roll = head, tail, 0.0
    for bone, (_, _, parent) in bones.items():
        if parent is not None:
            data.edit_bones[bone].parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def mirrored(bones: Bones) -> Bones:
    """The table with a .R bone for every .L bone, x negated."""
    whole = dict(bones)
    for bone, (head, tail, parent) in bones.items():
        if bone.endswith(".L"):
            other = parent[:-1] + "R" if parent and parent.endswith(".L") else parent
            whole[bone[:-1] + "R"] = ((-head[0], *head[1:]), (-tail[0], *tail[1:]), other)
    return whole


def scaled(bones: Bones, size: float) -> Bones:
    """The table with every coordinate times size."""
    return {
        bone: (tuple(size * c for c in head), tuple(size * c for c in tail), parent)  # type: ignore[misc]
        for bone, (head, tail, parent) in bones.items()
    }


def biped(size: float = 1.0) -> Any:
    """A plain biped that faces -Y, its left at +X; leg length 0.852 x size."""
    return build(scaled(mirrored(_BIPED), size), "biped")


def quadruped(size: float = 1.0) -> Any:
    """A plain quadruped that faces -Y, its left at +X; hind leg 0.753, fore leg 0.674 x size."""
    return build(scaled(mirrored(_QUADRUPED), size), "quadruped")


def biped_table() -> Bones:
    """The bones of `biped(1)`, for tests that rename or move them before building."""
    return mirrored(_BIPED)


def quadruped_table() -> Bones:
    """The bones of `quadruped(1)`."""
    return mirrored(_QUADRUPED)


def rigify(key: str) -> Any:
    """rigify:<metarig>, or rigify:<metarig>:generated for the control rig made from it (about 5 s)."""
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    _, metarig, *generated = key.split(":")
    getattr(bpy.ops.object, f"armature_{metarig}_metarig_add")()
    rig = bpy.context.object
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
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, entry in tree.items():
        edit = data.edit_bones.new(bone)
        edit.head = entry["head"]["default_position"]
        edit.tail = entry["tail"]["default_position"]
        edit.roll = entry.get("roll", 0.0)
    for bone, entry in tree.items():
        if entry.get("parent"):
            data.edit_bones[bone].parent = data.edit_bones[entry["parent"]]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


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
