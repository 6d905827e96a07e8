"""The kinds of file that a rig is saved as: one function and one row of FORMATS for each."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import bpy
import numpy as np

from .action.slots import find_curves
from .errors import AmbleError, BadFile
from .files import last_line, need_addon
from .picture.figures import bound_meshes
from .picture.skinned import skinned_body
from .report.sampling import OBJECT_CHANNELS, sample, scene_fps


class Moving(Protocol):
    """What a rig is saved with. `api.Result` is one."""

    @property
    def action(self) -> bpy.types.Action:
        """The action that the rig plays."""

    @property
    def roles(self) -> Any:
        """The roles of its bones."""


def save_blend(path: Path, _armature_object: bpy.types.Object, _result: Moving | None) -> None:
    """Save the session as a .blend file; the session itself keeps its name."""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, check_existing=False)
    except RuntimeError as error:
        raise BadFile(f"The .blend file cannot be written: {last_line(error, 'writer')}") from error


def save_glb(path: Path, armature_object: bpy.types.Object, result: Moving | None) -> None:
    """Write an armature, its visible meshes and the action it plays as a .glb file that starts at 0 s.

    Raises AmbleError where the exporter leaves out the motion.
    """
    assert result is not None  # its row of FORMATS says so
    wanted = {
        "export_format": "GLB",
        "use_selection": True,
        "export_animation_mode": "ACTIVE_ACTIONS",
        "export_nla_strips_merged_animation_name": result.action.name,
        "export_frame_range": False,
        "export_anim_slide_to_zero": True,
        # Custom properties: speed and distance of a cycle, contacts.
        "export_extras": True,
    }
    with _clothed(armature_object, result):
        _export(bpy.ops.export_scene.gltf, path, ".glb", wanted)
    if not glb_json(path).get("animations"):
        raise AmbleError(
            f'The glTF exporter left the motion out: the action "{result.action.name}" moves no bone.'
        )


def save_fbx(path: Path, armature_object: bpy.types.Object, result: Moving | None) -> None:
    """Write an armature, its visible meshes and what it plays as an .fbx file, a key on every frame."""
    assert result is not None
    need_addon("io_scene_fbx")
    wanted = {
        "use_selection": True,
        "object_types": {"ARMATURE", "MESH"},
        "bake_anim": True,
        "bake_anim_use_all_actions": False,
        "bake_anim_use_nla_strips": False,
        "bake_anim_simplify_factor": 0.0,  # every key as it is
        "add_leaf_bones": False,
        "use_custom_props": True,
    }
    with _clothed(armature_object, result), _range_of(result):
        _export(bpy.ops.export_scene.fbx, path, ".fbx", wanted)


def save_bvh(path: Path, armature_object: bpy.types.Object, result: Moving | None) -> None:
    """Write an armature's bones and motion as a .bvh file, Z up.

    Raises AmbleError where the object itself moves, which the exporter leaves out.
    """
    assert result is not None
    if any(curve.data_path in OBJECT_CHANNELS for curve in find_curves(armature_object) or ()):
        raise AmbleError(
            f'A .bvh file holds bones alone, and "{armature_object.name}" moves as an object: '
            "have a bone carry the motion, or save another kind of file."
        )
    need_addon("io_anim_bvh")
    first, last = _frames_of(result)
    with _only(armature_object):
        _export(
            bpy.ops.export_anim.bvh,
            path,
            ".bvh",
            {"frame_start": first, "frame_end": last, "root_transform_only": False},
        )


def save_usd(path: Path, armature_object: bpy.types.Object, result: Moving | None) -> None:
    """Write an armature, its visible meshes and what it plays as a USD file."""
    assert result is not None
    wanted = {"selected_objects_only": True, "export_animation": True, "export_armatures": True}
    with _clothed(armature_object, result), _range_of(result):
        _export(bpy.ops.wm.usd_export, path, path.suffix, wanted)


def save_npz(path: Path, armature_object: bpy.types.Object, result: Moving | None) -> None:
    """Write the motion as plain arrays, for programs:

    bones (b,) names; parents (b,) numbers of bones, -1 for none; rest (b, 4, 4) in armature space;
    world (f, b, 4, 4) of every frame; object (4, 4); frames (f,); fps ().
    """
    np.savez(path, **_arrays(armature_object, result))


def save_json_motion(path: Path, armature_object: bpy.types.Object, result: Moving | None) -> None:
    """The same as JSON, matrices as rows of 16 numbers."""
    arrays = _arrays(armature_object, result)
    plain = {
        name: value.reshape(*value.shape[:-2], 16).tolist() if value.shape[-2:] == (4, 4) else value.tolist()
        for name, value in arrays.items()
    }
    path.write_text(json.dumps(plain, ensure_ascii=False) + "\n", encoding="utf-8")


def _arrays(armature_object: Any, result: Moving | None) -> dict[str, Any]:
    assert result is not None
    first, last = _frames_of(result)
    bones = list(armature_object.data.bones)
    names = [bone.name for bone in bones]
    frames = np.arange(first, last + 1)
    return {
        "bones": np.array(names),
        "parents": np.array([names.index(bone.parent.name) if bone.parent else -1 for bone in bones]),
        "rest": np.array([bone.matrix_local for bone in bones], dtype=np.float64),
        "world": sample(armature_object, frames, names),
        "object": np.array(armature_object.matrix_world, dtype=np.float64),
        "frames": frames,
        "fps": np.array(scene_fps()),
    }


def _export(operator: Any, path: Path, kind: str, wanted: dict[str, Any]) -> None:
    """Run an exporter with those of the settings that it knows in this Blender. Raises BadFile."""
    known = operator.get_rna_type().properties.keys()
    try:
        operator(
            filepath=str(path.resolve()),
            **{"check_existing": False} if "check_existing" in known else {},
            **{key: value for key, value in wanted.items() if key in known},
        )
    except RuntimeError as error:
        raise BadFile(f"The {kind} file cannot be written: {last_line(error, 'exporter')}") from error


@contextmanager
def _clothed(armature_object: bpy.types.Object, result: Moving) -> Iterator[None]:
    """Select an armature and its visible meshes alone. A rig without a mesh gets the plain figure of the
    pictures as its skin for that long, so that any viewer shows the motion."""
    meshes = bound_meshes(armature_object)
    with (
        skinned_body(armature_object, result.roles, wanted=not meshes) as made,
        _only(armature_object, *meshes, *made),
    ):
        yield


def _frames_of(result: Moving) -> tuple[int, int]:
    """The first and last whole frame of the action."""
    found: Any = result.action.frame_range
    first, last = found
    return int(np.floor(first + 1e-4)), int(np.ceil(last - 1e-4))


@contextmanager
def _range_of(result: Moving) -> Iterator[None]:
    """Have the scene play the frames of the action: exporters write what it plays."""
    scene: Any = bpy.context.scene
    kept = scene.frame_start, scene.frame_end
    scene.frame_start, scene.frame_end = _frames_of(result)
    try:
        yield
    finally:
        scene.frame_start, scene.frame_end = kept


@contextmanager
def _only(*things: bpy.types.Object) -> Iterator[None]:
    """Select these objects alone, shown where they are hidden, for the length of the `with` block."""
    layer: Any = bpy.context.view_layer
    layer.update()  # it still has what was made and removed again, on which exporters of Blender 4.2 crash
    selected = [thing for thing in layer.objects if thing is not None and thing.select_get()]
    active = layer.objects.active
    hidden = [(thing, thing.hide_get(), thing.hide_viewport, thing.hide_select) for thing in things]
    try:
        for thing in selected:
            thing.select_set(False)
        for thing in things:
            thing.hide_set(False)
            thing.hide_viewport = thing.hide_select = False
            thing.select_set(True)
        layer.objects.active = things[0]
        yield
    finally:
        for thing, _hide, _viewport, _select in hidden:
            thing.select_set(False)
        for thing in selected:
            thing.select_set(True)
        layer.objects.active = active
        for thing, hide, viewport, select in hidden:
            thing.hide_set(hide)
            thing.hide_viewport, thing.hide_select = viewport, select


def glb_json(path: Path) -> dict[str, Any]:
    """The JSON part of a .glb file."""
    with path.open("rb") as file:
        _magic, _version, _length, size, _kind = struct.unpack("<IIIII", file.read(20))
        return json.loads(file.read(size))


# ---- whether a file is whole: Blender calls a file saved though the disk was full ----


def is_whole(path: Path) -> bool:
    """Whether a file ends as its kind does; True for kinds whose end tells nothing."""
    ends = {suffix: kind.is_whole for suffix, kind in FORMATS.items()} | {".png": _is_whole_png}
    check = ends.get(path.suffix.lower())
    return check is None or check(path)


def _start_and_end(path: Path) -> tuple[bytes, bytes, int]:
    """The first 12 and the last 32 bytes of a file, and its size."""
    with path.open("rb") as file:
        start = file.read(12)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 32))
        return start, file.read(), size


def _is_whole_png(path: Path) -> bool:
    return _start_and_end(path)[1][-8:-4] == b"IEND"


def _is_whole_glb(path: Path) -> bool:
    start, _, size = _start_and_end(path)
    return len(start) == 12 and struct.unpack("<I", start[8:])[0] == size


def _is_whole_blend(path: Path) -> bool:
    start, end, size = _start_and_end(path)
    if start.startswith(b"BLENDER"):
        return end.rstrip(b"\0").endswith(b"ENDB")  # a block without content
    # Packed: a table of the frames' sizes ends it, whose last nine bytes are their number, flags, a mark.
    if len(end) < 32 or end[-4:] != b"\xb1\xea\x92\x8f":
        return False
    (frames,) = struct.unpack("<I", end[-9:-5])
    table = 8 * frames + 9
    if table + 8 > size:
        return False
    with path.open("rb") as file:
        file.seek(size - table)
        packed = sum(struct.unpack(f"<{2 * frames}I", file.read(8 * frames))[::2])
    return packed + 8 + table == size


def _is_whole_fbx(path: Path) -> bool:
    # A binary FBX ends with 120 zero bytes and a mark of 16.
    end = _start_and_end(path)[1]
    return end[:16] == bytes(16) and end[-16:-12] == b"\xf8\x5a\x8c\x6a"


def _is_whole_zip(path: Path) -> bool:
    return b"PK\5\6" in _start_and_end(path)[1]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file that a rig is saved as.

    holds: what goes into it, in words; save: writes it, from its path, the armature object and what that
    plays, None for nothing; still: whether it is of use with nothing played; is_whole: whether a file that
    was written has its end, None where that cannot be told.
    """

    holds: str
    save: Callable[[Path, bpy.types.Object, Moving | None], None]
    still: bool = False
    is_whole: Callable[[Path], bool] | None = None


# The one list of what --output takes, by suffix.
FORMATS = {
    ".blend": Format("everything", save_blend, still=True, is_whole=_is_whole_blend),
    ".glb": Format("rig, meshes, action", save_glb, is_whole=_is_whole_glb),
    ".fbx": Format("the same", save_fbx, is_whole=_is_whole_fbx),
    ".usdc": Format("the same", save_usd),
    ".bvh": Format("bones and motion", save_bvh),
    ".npz": Format("bones and motion as NumPy arrays", save_npz, is_whole=_is_whole_zip),
    ".json": Format("the same as JSON", save_json_motion),
}


def suffixes(*, still: bool = False) -> list[str]:
    """The suffixes that a rig can be saved under; still: of the formats that need no action."""
    return [suffix for suffix, kind in FORMATS.items() if kind.still or not still]


def check_format(path: Path, *, still: bool = False) -> None:
    """Raises BadFile where `path` has none of the `suffixes`."""
    wanted = suffixes(still=still)
    if path.suffix.lower() not in wanted:
        raise BadFile(f"--output {path} must end in {either(wanted)}.")


def save_rig(path: Path, armature_object: bpy.types.Object, result: Moving | None = None) -> None:
    """Save a rig in the format that the suffix of `path` says, with the action of `result`."""
    FORMATS[path.suffix.lower()].save(path, armature_object, result)


def either(words: Sequence[str]) -> str:
    """ "a, b or c"."""
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
