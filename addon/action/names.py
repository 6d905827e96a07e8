"""Names of data-blocks: what fits, and the next free one."""

import re
from collections.abc import Container

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
