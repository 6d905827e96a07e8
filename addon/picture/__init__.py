"""Pictures of motions, drawn in a scene of their own with Cycles: no window and no mesh needed."""

from .rig import rig_picture
from .transitions import transition_picture
from .walk import walk_picture

__all__ = ["rig_picture", "transition_picture", "walk_picture"]
