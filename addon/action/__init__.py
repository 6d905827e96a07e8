"""Arrays into Blender actions and back: F-curves in bulk, slots where the Blender has them, markers, events.

`write` makes actions and `read` takes them apart; everything else serves these two.
"""

from .cycles import repeat
from .events import add_events, event_properties
from .insert import insert
from .markers import add_markers
from .memory import add_numbers, remember
from .properties import add_constants
from .read import Clip, read
from .reduce import Chain, Reduction
from .where import first_location
from .write import WriteResult, add_still, write

__all__ = [
    "Chain",
    "Clip",
    "Reduction",
    "WriteResult",
    "add_constants",
    "add_events",
    "add_markers",
    "add_numbers",
    "add_still",
    "event_properties",
    "first_location",
    "insert",
    "read",
    "remember",
    "repeat",
    "write",
]
