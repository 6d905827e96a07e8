"""What panels, scripts and the command line call.

Each function takes objects, needs no context, and leaves the scene as it found it, but for the action that it
was asked for.
"""

from .again import again
from .blend.make import BlendResult, blend
from .gait.make import Result, gait
from .idle.make import IdleResult, idle
from .mirror.make import MirrorResult, mirror

__all__ = [
    "BlendResult",
    "IdleResult",
    "MirrorResult",
    "Result",
    "again",
    "blend",
    "gait",
    "idle",
    "mirror",
]
