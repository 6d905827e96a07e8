"""Arrays into Blender actions: F-curves in bulk, slots where the Blender has them, markers.

`write` is the way in; everything else serves it.
"""

from .markers import add_markers
from .write import WriteResult, write

__all__ = ["WriteResult", "add_markers", "write"]
