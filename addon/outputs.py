"""Results into files, all or nothing: written beside their targets first, moved into place at the end."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import BadFile
from .formats import is_whole

ROOM = 4_000_000  # bytes that must be free for a failure not to be blamed on the disk


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
        if not temporary.exists() or not is_whole(temporary):
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


def save_json(path: Path, content: dict[str, Any]) -> None:
    """Write plain values as indented JSON; numbers that are not finite must have been replaced."""
    path.write_text(
        json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
    )
