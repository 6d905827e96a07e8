"""TOML files of a user, read in one place: whatever is wrong with one is said in the same words."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from .errors import BadFile

# No file of settings is as large; what is, is something else and is not read into memory.
MOST_BYTES = 1 << 20


def load_toml(path: str | Path) -> dict[str, Any]:
    """What a TOML file holds. Raises BadFile, which tells the line."""
    return parse_toml(read_text(path), str(path))


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """What TOML text holds; source: its name in messages. Raises BadFile, which tells the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"{source} is no TOML file: {error}.") from error
    except RecursionError:
        raise BadFile(f"{source} is nested too deeply to be read.") from None


def read_text(path: str | Path) -> str:
    """A text file in UTF-8, its lines ended by line feeds alone. Raises BadFile."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise BadFile(f"There is no file {path}: check the path.") from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a path that holds a NUL
        raise BadFile(f"{str(path)!r} is no path: {error}.") from error
    if len(raw) > MOST_BYTES:
        raise BadFile(f"{path} is too large for a file of settings: it has over {MOST_BYTES >> 20} MB.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadFile(f"{path}, line {line}: this is no UTF-8 text; save the file as UTF-8.") from error
    return text.replace("\r\n", "\n")


def line_of(text: str, key: str | None, entry: tuple[str, int] | None = None) -> int | None:
    """The line, from 1, in which a key is set, or, for a key of None, where an entry of a list begins.

    entry: (name, index) of the [[name]] that the key is looked for in; None for what stands before all
    tables. None where it cannot be told, as in tables that are written in line.
    """
    lines = text.splitlines()
    heads = [
        i for i, line in enumerate(lines, 1) if re.match(r"\s*\[.*\]\s*(#.*)?$", line) and "=" not in line
    ]
    if entry is not None:
        head = re.compile(rf"\s*\[\[\s*{re.escape(entry[0])}\s*\]\]")
        starts = [i for i in heads if head.match(lines[i - 1])]
        if entry[1] >= len(starts):
            return None
        first = starts[entry[1]]
    else:
        first = 0
    last = next((i for i in heads if i > first), len(lines) + 1)
    wanted = None if key is None else re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]")
    found = [i for i in range(first + 1, last) if wanted is not None and wanted.match(lines[i - 1])]
    return found[0] if found else first or None
