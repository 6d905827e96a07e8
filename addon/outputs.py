"""Results into files, all or nothing: written beside their targets first, moved into place at the end."""

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

from .errors import AmbleError, BadFile
from .picture.figures import bound_meshes
from .picture.skinned import skinned_body


class Moving(Protocol):
    """What a rig is saved with. `api.Result` is one."""

    @property
    def action(self) -> bpy.types.Action:
        """The action that the rig plays."""

    @property
    def roles(self) -> Any:
        """The roles of its bones."""


class Outputs:
    """The files one run will write. Use as a context manager; `commit` at the end puts them all in place.

    Making it checks that every target can be written, before any work is done: raises BadFile.
    """

    def __init__(self, targets: Sequence[Path]) -> None:
        self._temporary: dict[Path, Path] = {}
        for target in targets:
            if target.resolve() in (other.resolve() for other in self._temporary):
                raise BadFile(f"{target} is named for two outputs: give each a name of its own.")
            self._temporary[target] = _check_writable(target)

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, *_: object) -> None:
        for temporary in self._temporary.values():
            temporary.unlink(missing_ok=True)

    def path(self, target: Path) -> Path:
        """Where to write what `target` is to hold."""
        return self._temporary[target]

    def commit(self) -> None:
        """Move every file written into place; targets that nothing was written for are left alone."""
        for target, temporary in self._temporary.items():
            if temporary.exists():
                try:
                    temporary.replace(target)
                except OSError as error:
                    raise BadFile(f"{target} cannot be written: {error.strerror}.") from error


def _check_writable(target: Path) -> Path:
    """The temporary path beside a target that can be written."""
    folder = target.parent
    if not folder.is_dir():
        raise BadFile(f"{target} cannot be written: there is no folder {folder}; make it first.")
    if target.is_dir():
        raise BadFile(f"{target} cannot be written: it is a folder; give a file name.")
    if target.exists() and not os.access(target, os.W_OK):
        raise BadFile(f"{target} cannot be written: it is read-only.")
    # The suffix comes last: Blender's exporters add theirs where it is missing.
    temporary = folder / f".{target.stem}.{os.getpid()}.part{target.suffix}"
    try:
        temporary.open("xb").close()
        temporary.unlink()
    except OSError as error:
        raise BadFile(f"{target} cannot be written: {error.strerror} ({folder}).") from error
    return temporary


def save_json(path: Path, content: dict[str, Any]) -> None:
    """Write plain values as indented JSON; numbers that are not finite must have been replaced."""
    path.write_text(
        json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
    )


def save_blend(path: Path, _armature_object: bpy.types.Object, _result: Moving | None) -> None:
    """Save the session as a .blend file; the session itself keeps its name."""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, check_existing=False)
    except RuntimeError as error:
        raise BadFile(f"The .blend file cannot be written: {str(error).strip()}") from error


def save_glb(path: Path, armature_object: bpy.types.Object, result: Moving | None) -> None:
    """Write an armature, its visible meshes and the action it plays as a .glb file that starts at 0 s.

    A rig without a mesh gets the plain figure of the pictures as its skin, so that any viewer shows the
    motion. The session is as before afterwards. Raises AmbleError where the exporter leaves out the motion.
    """
    assert result is not None  # its row of FORMATS says so
    action = result.action
    meshes = bound_meshes(armature_object)
    with (
        skinned_body(armature_object, result.roles, wanted=not meshes) as made,
        _only(armature_object, *meshes, *made),
    ):
        wanted = {
            "export_format": "GLB",
            "use_selection": True,
            "export_animation_mode": "ACTIVE_ACTIONS",
            "export_nla_strips_merged_animation_name": action.name,
            "export_frame_range": False,
            "export_anim_slide_to_zero": True,
        }
        operator: Any = bpy.ops.export_scene.gltf
        known = operator.get_rna_type().properties.keys()
        try:
            operator(
                filepath=str(path.resolve()),
                check_existing=False,
                **{k: v for k, v in wanted.items() if k in known},
            )
        except RuntimeError as error:
            raise BadFile(
                f"The .glb file cannot be written: {str(error).strip().splitlines()[-1]}"
            ) from error
    if not glb_json(path).get("animations"):
        raise AmbleError(
            f'The glTF exporter left the motion out of the file: the action "{action.name}" moves no bone.'
        )


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file that a rig is saved as.

    holds: what goes into it, in words; save: writes it, from its path, the armature object and what that
    plays, None for nothing; still: whether it is of use with nothing played.
    """

    holds: str
    save: Callable[[Path, bpy.types.Object, Moving | None], None]
    still: bool


# The one list of what --output takes, by suffix.
FORMATS = {
    ".blend": Format("everything", save_blend, still=True),
    ".glb": Format("rig, meshes, action", save_glb, still=False),
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


def glb_json(path: Path) -> dict[str, Any]:
    """The JSON part of a .glb file."""
    with path.open("rb") as file:
        _magic, _version, _length, size, _kind = struct.unpack("<IIIII", file.read(20))
        return json.loads(file.read(size))


@contextmanager
def _only(*things: bpy.types.Object) -> Iterator[None]:
    """Select these objects alone, shown where they are hidden, for the length of the `with` block."""
    layer: Any = bpy.context.view_layer
    selected = [thing for thing in layer.objects if thing.select_get()]
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
