"""What panels, scripts and the command line call.

Each function takes objects, needs no context, and leaves the scene as it found it, but for the action that it
was asked for.
"""

from .again import again
from .blend.loops import close_loop
from .blend.make import BlendResult, blend
from .blend.sequence import SequenceResult, sequence
from .blend.table import TransitionTable, load_table, transition_table
from .gait.make import Result, gait
from .idle.make import IdleResult, idle
from .mirror.make import MirrorResult, mirror

__all__ = [
    "BlendResult",
    "IdleResult",
    "MirrorResult",
    "Result",
    "SequenceResult",
    "TransitionTable",
    "again",
    "blend",
    "close_loop",
    "gait",
    "idle",
    "load_table",
    "mirror",
    "sequence",
    "transition_table",
]
