"""Arrays into Blender actions and back: F-curves in bulk, slots where the Blender has them, markers.

`write` makes actions and `read` takes them apart; everything else serves these two.
"""

from .markers import add_markers
from .properties import add_constants
from .read import Clip, read
from .where import first_location
from .write import WriteResult, write

__all__ = ["Clip", "WriteResult", "add_constants", "add_markers", "first_location", "read", "write"]
