"""The native core, checked to be the one that this Python part was written for."""

from __future__ import annotations

import sys
from types import ModuleType

from .errors import CoreMismatch

# Goes up with every change of a function of the core that this package calls; the same as in csrc/amble.h.
API = 1


def load() -> ModuleType:
    """The module amble_core. Raises CoreMismatch, with what to do, where it is missing or another one."""
    try:
        import amble_core
    except ImportError as reason:
        raise CoreMismatch(
            f"Amble's native core does not load in Python {sys.version_info.major}.{sys.version_info.minor} "
            f"({reason}); install the Amble file made for this system and Blender."
        ) from reason
    found = getattr(amble_core, "api", None)
    if found != API:
        raise CoreMismatch(
            f"Amble's native core has interface {found}, this version needs {API}; "
            "remove Amble, restart Blender and install it again."
        )
    return amble_core
