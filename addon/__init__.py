"""Amble: walks with planted feet for armatures, as ordinary Blender actions.

import amble                                   # beside the bpy module
from bl_ext.user_default import amble          # inside Blender
walk = amble.gait(rig, speed=1.4)
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if "bpy" not in sys.modules:
    from .quiet import turned_away

    with turned_away():  # Blender comments on the machine while it loads, on standard output
        import bpy  # noqa: F401

if TYPE_CHECKING:
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
        load_style,
        load_table,
        mirror,
        mirror_all,
        save_style,
        sequence,
        set_may_mirror,
        style_names,
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
    "load_style",
    "load_table",
    "mirror",
    "mirror_all",
    "register",
    "rig",
    "save_style",
    "sequence",
    "set_may_mirror",
    "style_names",
    "transition_table",
    "unregister",
    "would_fit",
]


class _Package(ModuleType):
    """This package, whose calls are loaded when the first of them is used: Blender starts with it.

    Some calls have the names of the packages that hold them; those are not to take their places.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in __all__ and name != "rig"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name == "rig":
        return importlib.import_module(".rig", __name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(".errors" if name == "AmbleError" else ".api", __name__)
    found = globals()[name] = getattr(home, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_commands: list[object] = []


def register() -> None:
    """Called by Blender when the extension is switched on."""
    import bpy

    from . import window

    # The stubs say that nothing comes back; it is the handle that unregistering needs.
    _commands.append(bpy.utils.register_cli_command("amble", _main))  # type: ignore[func-returns-value]
    window.register()


def unregister() -> None:
    """Called by Blender when the extension is switched off."""
    import bpy

    from . import window

    window.unregister()
    while _commands:
        bpy.utils.unregister_cli_command(_commands.pop())


def _main(argv: list[str]) -> int:
    """The command line inside Blender."""
    from . import cli

    return cli.main(argv)
