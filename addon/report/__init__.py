"""Measuring a motion on the armature as Blender evaluates it, and judging it against measured human walking.

`measure` needs Blender; everything else here is NumPy alone and is imported without it.
"""

from .contacts import Contact
from .report import Report
from .score import Score

__all__ = ["Contact", "Report", "Score"]
