"""Rigs out of files: open what the command line names and find the armature in it."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from .errors import BadFile, NotAnArmature

RIGIFY = "rigify:"
SUFFIXES = (".blend", ".glb", ".gltf", ".fbx", ".bvh")
# A .blend file may be stored plain or packed, with gzip up to 2.9 and with Zstandard since.
BLEND_STARTS = (b"BLENDER", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


def open_rig(source: str, armature: str | None = None, fps: float | None = None) -> bpy.types.Object:
    """Open a file in this Blender session, in place of what is open, and return its armature object.

    source    path of a .blend, .glb, .gltf, .fbx or .bvh file, or "rigify:human" (or another of Rigify's
              metarigs) for one made on the spot
    armature  name of the object; needed where a file holds several
    fps       frames a second to open the file at, so that clips in it keep their speed; None: the file's

    Raises BadFile where the file cannot be read as what it is, NotAnArmature where it holds no armature, none
    of that name, or several and none is named.
    """
    if not source.strip():
        raise BadFile(f"The name of the file is empty: give a rig, for example {RIGIFY}human.")
    if source.startswith(RIGIFY):
        _empty_session(fps)
        _add_metarig(source.removeprefix(RIGIFY))
    else:
        path = Path(source)
        _check_readable(path)
        if path.suffix.lower() == ".blend":
            _run(
                path,
                lambda: bpy.ops.wm.open_mainfile(
                    filepath=str(path.resolve()), load_ui=False, use_scripts=False
                ),
            )
            settle_context()
            if fps is not None:
                set_fps(fps)
        else:
            _empty_session(fps)
            _import(path)
    return choose_armature(armature, source)


def choose_armature(name: str | None, where: str) -> bpy.types.Object:
    """The armature object of that name in the current scene, or the only one where `name` is None.

    where: what the user calls the scene's origin, for the message. Raises NotAnArmature.
    """
    scene: Any = bpy.context.scene
    things = list(scene.objects)
    armatures = sorted((thing for thing in things if thing.type == "ARMATURE"), key=lambda thing: thing.name)
    names = ", ".join(f'"{thing.name}"' for thing in armatures)
    if name is None:
        if not armatures:
            raise NotAnArmature(f"There is no armature in {where}: give a file with a rig.")
        if len(armatures) > 1:
            raise NotAnArmature(
                f"There are several armatures in {where}, name one of them with --armature: {names}."
            )
        return armatures[0]
    named = next((thing for thing in things if thing.name == name), None)
    if named is not None and named.type == "ARMATURE":
        return named
    kind = (
        f'"{name}" in {where} is no armature but a {named.type.lower()}'
        if named
        else f'There is no armature "{name}" in {where}'
    )
    raise NotAnArmature(f"{kind}; its armatures: {names or 'none'}.")


def settle_context(*_: object) -> None:
    """After a file was opened: have `bpy.context` belong to a scene that is there.

    In Blender 4.2 reading `layer_collection`, as Rigify does, makes it belong to the scene of that moment;
    once that is gone, whoever sets a property of `bpy.context.window` crashes, as glTF's add-on does.
    """
    _read = bpy.context.layer_collection


def set_fps(fps: float) -> None:
    """Set the scene's frame rate; Blender keeps it as a whole number over a base (23.976 = 24 / 1.001)."""
    scene: Any = bpy.context.scene
    render = scene.render
    render.fps = max(1, math.ceil(fps - 1e-9))
    render.fps_base = render.fps / fps


def set_range(first: float, last: float) -> None:
    """Have the scene play these frames, as far as Blender lets it: it plays none before 0."""
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end = max(0, math.floor(first + 1e-6)), max(0, math.ceil(last - 1e-6))


def _check_readable(path: Path) -> None:
    """What can be said about a file without Blender: it is there, of a known kind, and not cut off."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise BadFile(
            f"{path} is of no kind that can be opened: give a {', '.join(SUFFIXES)} file or {RIGIFY}human."
        )
    if not path.exists():
        raise BadFile(f"There is no file {path}: check the path.")
    if path.is_dir():
        raise BadFile(f"{path} is a folder: give a file.")
    try:
        with path.open("rb") as file:
            start = file.read(32)
            size = file.seek(0, 2)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from error
    if not start:
        raise BadFile(f"{path} is empty: export or download it again.")
    if suffix == ".blend" and not start.startswith(BLEND_STARTS):
        raise BadFile(f"{path} is no .blend file: its first bytes are not Blender's.")
    if suffix == ".bvh" and not start.lstrip().upper().startswith(b"HIERARCHY"):
        raise BadFile(f"{path} is no BVH file: it does not begin with HIERARCHY.")
    if suffix == ".glb":
        _check_glb(path, start, size)
    if suffix == ".gltf":
        try:
            json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BadFile(f"{path} is no glTF file, or is cut off: {error}.") from error


def _check_glb(path: Path, start: bytes, size: int) -> None:
    if len(start) < 12 or start[:4] != b"glTF":
        raise BadFile(f"{path} is no .glb file: its first bytes are not glTF's.")
    version, length = struct.unpack("<II", start[4:12])
    if version != 2:
        raise BadFile(f"{path} is glTF version {version}; only version 2 can be read.")
    if size < length:
        raise BadFile(f"{path} is cut off: it has {size} of {length} bytes; export or download it again.")


def _empty_session(fps: float | None) -> None:
    """An empty scene. The preferences stay, and with them the add-ons, of which this may be one."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)
    settle_context()
    if fps is not None:
        set_fps(fps)


def _import(path: Path) -> None:
    suffix, name = path.suffix.lower(), str(path.resolve())
    if suffix in (".glb", ".gltf"):
        need_addon("io_scene_gltf2")
        _run(path, lambda: bpy.ops.import_scene.gltf(filepath=name))
    elif suffix == ".bvh":
        need_addon("io_anim_bvh")
        _run(path, lambda: bpy.ops.import_anim.bvh(filepath=name))
    else:
        need_addon("io_scene_fbx")
        _run(path, lambda: bpy.ops.import_scene.fbx(filepath=name))


def _run(path: Path, operator: Callable[[], Any]) -> None:
    """Run an operator that reads a file; whatever goes wrong in it is the file's fault, said in one line."""
    try:
        result = operator()
    except Exception as error:  # importers raise anything at all on a broken file
        raise BadFile(f"{path} cannot be read: {last_line(error, 'importer')}") from error
    if "FINISHED" not in result:
        raise BadFile(f"{path} cannot be read: Blender gave up on it.")


def last_line(error: Exception, part: str) -> str:
    """The line of an operator's error that says what is wrong: the last, but for the place in Blender.

    part: what the operator is, "importer", for where it stopped with a traceback.
    """
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith("Location:")]
    text = said[-1].removeprefix("Error:").strip() if said else type(error).__name__
    if "Traceback" in str(error):
        text = f"its {part} stopped ({text})"
    return text if text.endswith(".") else text + "."


def need_addon(module: str) -> None:
    """Enable one of Blender's own add-ons where the user has it switched off."""
    import addon_utils

    enable: Callable[..., Any] = addon_utils.enable  # the stubs have it return nothing
    _default, enabled = addon_utils.check(module)
    if not enabled and enable(module, default_set=True) is None:
        raise BadFile(f"Blender's add-on {module} is needed and cannot be enabled here.")


def _add_metarig(name: str) -> None:
    need_addon("rigify")  # default_set: without its preferences Rigify fails later, when it generates
    known = [
        operator.removeprefix("armature_").removesuffix("_metarig_add")
        for operator in dir(bpy.ops.object)
        if operator.startswith("armature_") and operator.endswith("_metarig_add")
    ]
    if name not in known:
        names = ", ".join(RIGIFY + other for other in sorted(known))
        raise BadFile(f"Rigify has no metarig {name!r}: give one of {names}.")
    getattr(bpy.ops.object, f"armature_{name}_metarig_add")()
