"""The way out of a process that has loaded Blender as a module."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End the process at once with this exit code. Everything must have been written by now.

    Torn down together with Python, Blender 4.2 crashes and 4.5 hangs.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    blender = sys.modules.get("bpy")
    if blender is not None:
        # Blender removes its own temporary folder only when it is torn down. One that is in use is not empty.
        with suppress(OSError):
            Path(blender.app.tempdir).rmdir()
    os._exit(code)
