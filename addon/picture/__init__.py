"""Pictures of motions, drawn in a scene of their own with Cycles: no window and no mesh needed."""

from .walk import walk_picture

__all__ = ["walk_picture"]
