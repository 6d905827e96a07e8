"""TOML files of a user, read in one place: whatever is wrong with one is said in the same words."""

from __future__ import annotations

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
