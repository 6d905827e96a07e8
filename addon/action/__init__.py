"""Arrays into Blender actions: F-curves in bulk, slots where the Blender has them, markers.

`write` is the way in; everything else serves it.
"""

from .markers import add_markers
from .properties import add_constants
from .where import first_location
from .write import WriteResult, write

__all__ = ["WriteResult", "add_constants", "add_markers", "first_location", "write"]
