"""What panels, scripts and the command line call, and what they call it with.

Each function takes objects, needs no context, and leaves the scene as it found it, but for the action that it
was asked for.
"""

from .again import again
from .blend.loops import close_loop
from .blend.make import BlendResult, blend
from .blend.sequence import SequenceResult, load_sequence, sequence
from .blend.settings import BlendSettings
from .blend.table import TransitionTable, load_table, transition_table
from .gait.course import Course, Steer
from .gait.make import Result, gait
from .gait.orbits import load_orbits
from .gait.settings import GaitSettings
from .gait.styles import load_style, save_style, style_names
from .gait.way import Path
from .idle.make import IdleResult, idle
from .idle.settings import IdleSettings
from .mirror.library import mirror_all, set_may_mirror
from .mirror.make import MirrorResult, mirror, would_fit
from .mirror.settings import MirrorSettings

__all__ = [
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
    "save_style",
    "sequence",
    "set_may_mirror",
    "style_names",
    "transition_table",
    "would_fit",
]
