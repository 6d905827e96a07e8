"""Names of data-blocks: what fits, and the next free one."""

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any

import bpy

from ..errors import BadSetting, is_gone

# Blender 4.x keeps 63 bytes of a data-block's name, 5.0 and newer 255. The lesser is used everywhere, so that
# a script finds the same name in every version and a file survives being opened in an older one.
NAME_BYTES = 63

_NUMBERED = re.compile(r"^(.*)\.(\d{3,})$", re.DOTALL)


def cut(name: str, size: int = NAME_BYTES) -> str:
    """The longest start of `name` that fits `size` bytes of UTF-8 and ends on a whole character."""
    return name.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


def next_free(name: str, taken: Container[str]) -> str:
    """`name` cut to what Blender keeps; where that is taken, with the next free number: "Walk.001"."""
    name = cut(name)
    if name not in taken:
        return name
    match = _NUMBERED.match(name)
    stem, number = (match[1], int(match[2])) if match else (name, 0)
    while True:
        number += 1
        suffix = f".{number:03d}"
        numbered = cut(stem, NAME_BYTES - len(suffix)) + suffix
        if numbered not in taken:
            return numbered


def check_name(name: Any) -> None:
    """Raises BadSetting for what cannot be an action's name."""
    if not isinstance(name, str):
        raise BadSetting(f"name must be a text, not {name!r}.")
    if not name.strip():
        raise BadSetting("The name of the action is empty; give it one.")


def action_of(given: Any, what: str) -> bpy.types.Action:
    """An action, or the one of that name. Raises BadSetting where there is none."""
    if isinstance(given, bpy.types.Action):
        if is_gone(given):
            raise BadSetting(
                f"The action for {what} is gone: it was removed from the file; name another one."
            )
        return given
    if isinstance(given, str):
        found = bpy.data.actions.get(given)
        if found is not None:
            return found
        raise BadSetting(f'There is no action "{given}" for {what}: name one that the file holds.')
    raise BadSetting(f"{what} must be an action or the name of one, not {given!r}.")


def list_of(given: Any, what: str) -> list[Any]:
    """What is given as several things, in a list. Raises BadSetting for one thing, or none."""
    if isinstance(given, (str, bytes, Mapping, bpy.types.ID)) or not isinstance(given, Iterable):
        raise BadSetting(f"{what} must be a list, not {given!r}.")
    return list(given)
