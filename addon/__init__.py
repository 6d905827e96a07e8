"""Amble: walks with planted feet for armatures, as ordinary Blender actions.

import amble                                   # beside the bpy module
from bl_ext.user_default import amble          # inside Blender
walk = amble.gait(rig, speed=1.4)
"""

from __future__ import annotations

import sys

from .quiet import turned_away

if "bpy" not in sys.modules:
    with turned_away():  # Blender comments on the machine while it loads, on standard output
        import bpy  # noqa: F401

from . import rig
from .api import (
    BlendResult,
    BlendSettings,
    Course,
    GaitSettings,
    IdleResult,
    IdleSettings,
    MirrorResult,
    MirrorSettings,
    Path,
    Result,
    SequenceResult,
    Steer,
    TransitionTable,
    again,
    blend,
    close_loop,
    gait,
    idle,
    load_orbits,
    load_sequence,
    load_table,
    mirror,
    mirror_all,
    sequence,
    set_may_mirror,
    transition_table,
    would_fit,
)
from .errors import AmbleError

__all__ = [
    "AmbleError",
    "BlendResult",
    "BlendSettings",
    "Course",
    "GaitSettings",
    "IdleResult",
    "IdleSettings",
    "MirrorResult",
    "MirrorSettings",
    "Path",
    "Result",
    "SequenceResult",
    "Steer",
    "TransitionTable",
    "again",
    "blend",
    "close_loop",
    "gait",
    "idle",
    "load_orbits",
    "load_sequence",
    "load_table",
    "mirror",
    "mirror_all",
    "register",
    "rig",
    "sequence",
    "set_may_mirror",
    "transition_table",
    "unregister",
    "would_fit",
]

_commands: list[object] = []


def register() -> None:
    """Called by Blender when the extension is switched on."""
    import bpy

    from . import cli, core

    core.load()
    # The stubs say that nothing comes back; it is the handle that unregistering needs.
    _commands.append(bpy.utils.register_cli_command("amble", cli.main))  # type: ignore[func-returns-value]


def unregister() -> None:
    """Called by Blender when the extension is switched off."""
    import bpy

    while _commands:
        bpy.utils.unregister_cli_command(_commands.pop())
