"""Results into files, all or nothing: written beside their targets first, moved into place at the end."""

from __future__ import annotations

import json
import os
import stat
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import bpy

from .errors import AmbleError, BadFile
from .files import last_line
from .picture.figures import bound_meshes
from .picture.skinned import skinned_body

ROOM = 4_000_000  # bytes that must be free for a failure not to be blamed on the disk


class Moving(Protocol):
    """What a rig is saved with. `api.Result` is one."""

    @property
    def action(self) -> bpy.types.Action:
        """The action that the rig plays."""

    @property
    def roles(self) -> Any:
        """The roles of its bones."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an output goes: the file that its name leads to, and the temporary one beside that."""

    file: Path
    temporary: Path


class Outputs:
    """The files one run will write. Use as a context manager; `commit` at the end puts them all in place.

    Making it checks that every target can be written, before any work is done: raises BadFile.

    source: the file that the rig comes from. Only a .blend file may be written over it, since everything in
    it is kept there.
    """

    def __init__(self, targets: Sequence[Path], source: Path | None = None) -> None:
        self._places: dict[Path, _Place] = {}
        for target in targets:
            place = _check_writable(target)
            if place.file in (other.file for other in self._places.values()):
                raise BadFile(f"{target} is named for two outputs: give each a name of its own.")
            if source is not None and _would_lose(source, target):
                raise BadFile(f"{target} is the file that is read, and would be lost: give another name.")
            self._places[target] = place

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, *_: object) -> None:
        for place in self._places.values():
            place.temporary.unlink(missing_ok=True)

    @contextmanager
    def writing(self, target: Path) -> Iterator[Path]:
        """Where to write what `target` is to hold. Raises BadFile where there is no room for all of it."""
        temporary = self._places[target].temporary
        try:
            yield temporary
        except OSError as error:
            raise _unwritable(target, error) from error
        except Exception:
            # Blender may go on after a write that failed, stumble over what is not there, and tell of that.
            _check_room(target, temporary.parent)
            raise
        if not temporary.exists() or not _is_whole(temporary):
            _check_room(target, temporary.parent)
            raise BadFile(f"{target} cannot be written: what Blender wrote of it is cut off.")

    def commit(self) -> None:
        """Move every file written into place; targets that nothing was written for are left alone."""
        for target, place in self._places.items():
            if place.temporary.exists():
                try:
                    if place.file.exists():
                        place.temporary.chmod(stat.S_IMODE(place.file.stat().st_mode))
                    place.temporary.replace(place.file)
                except OSError as error:
                    raise _unwritable(target, error) from error


def _check_writable(target: Path) -> _Place:
    """The place of a target that can be written."""
    file = Path(os.path.realpath(target))  # a link stays one, what it leads to is replaced
    folder = file.parent
    if not folder.is_dir():
        raise BadFile(f"{target} cannot be written: there is no folder {folder}; make it first.")
    if file.is_dir():
        raise BadFile(f"{target} cannot be written: it is a folder; give a file name.")
    if os.path.lexists(file) and not file.is_file():
        raise BadFile(f"{target} cannot be written: it is no ordinary file; give another name.")
    if file.exists() and not os.access(file, os.W_OK):
        raise BadFile(f"{target} cannot be written: it is read-only.")
    # The suffix comes last: Blender's exporters add theirs where it is missing.
    temporary = folder / f".{file.stem}.{os.getpid()}.part{target.suffix}"
    try:
        temporary.open("xb").close()
        temporary.unlink()
    except OSError as error:
        raise BadFile(f"{target} cannot be written: {error.strerror} ({folder}).") from error
    return _Place(file, temporary)


def _would_lose(source: Path, target: Path) -> bool:
    """Whether writing `target` would replace `source` by something that holds less."""
    if source.suffix.lower() == target.suffix.lower() == ".blend":
        return False
    return source.exists() and target.exists() and source.samefile(target)


def _unwritable(target: Path, error: OSError) -> BadFile:
    return BadFile(f"{target} cannot be written: {error.strerror or error}.")


def _check_room(target: Path, folder: Path) -> None:
    """Raises BadFile where a folder has no room for as much as an output is likely to need."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
    except OSError as error:
        raise _unwritable(target, error) from error


def _is_whole(path: Path) -> bool:
    """Whether a file ends as its kind does; Blender calls a file saved though the disk was full."""
    kind = path.suffix.lower()
    with path.open("rb") as file:
        start = file.read(12)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 32))
        end = file.read()
        if kind == ".png":
            return end[-8:-4] == b"IEND"
        if kind == ".glb":
            return len(start) == 12 and struct.unpack("<I", start[8:])[0] == size
        if kind != ".blend":
            return True
        if start.startswith(b"BLENDER"):
            return end.rstrip(b"\0").endswith(b"ENDB")  # a block without content
        # Packed: a table of the frames' sizes ends it, whose last nine bytes are their number, flags, a mark.
        if len(end) < 32 or end[-4:] != b"\xb1\xea\x92\x8f":
            return False
        (frames,) = struct.unpack("<I", end[-9:-5])
        table = 8 * frames + 9
        if table + 8 > size:
            return False
        file.seek(size - table)
        packed = sum(struct.unpack(f"<{2 * frames}I", file.read(8 * frames))[::2])
        return packed + 8 + table == size


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
        raise BadFile(f"The .blend file cannot be written: {last_line(error, 'writer')}") from error


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
            raise BadFile(f"The .glb file cannot be written: {last_line(error, 'exporter')}") from error
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
