"""What happens during a motion, as keyed custom properties of the object: contacts, plants, the way gone.

They are ordinary F-curves in the object's own action, beside those of its bones, on custom properties of the
object. Nothing of ours is needed to play them, drivers of the file's own can read them, and exporters that
take custom properties along take these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import BadSetting
from . import slots
from .settings import keyframe_setting

GROUP = "Events"


@dataclass(frozen=True, slots=True)
class EventCurve:
    """A custom property of the object over time.

    name: of the property; text: its tooltip; frames: (k,) rising; values: (n, k) for a property of n numbers,
    n = 1 for a plain one; stepped: each value holds until the next key, else the line between keys is
    straight; low, high: of what may be set by hand, where there are bounds.
    """

    name: str
    text: str
    frames: NDArray[np.float64]
    values: NDArray[np.float64]
    stepped: bool
    low: float | None = None
    high: float | None = None

    @property
    def path(self) -> str:
        """Data path, seen from the object."""
        return f'["{bpy.utils.escape_identifier(self.name)}"]'


@contextmanager
def event_properties(target: bpy.types.Object, curves: Sequence[EventCurve]) -> Iterator[None]:
    """Make the properties that are not there yet; where the block raises, take them away again.

    A property that is there and has the right number of numbers is used as it is, with its bounds and text.
    Raises BadSetting for one that is something else.
    """
    for curve in curves:
        _check(target, curve)
    holder: Any = target
    made = [curve for curve in curves if curve.name not in holder]
    try:
        for curve in made:
            first = [float(value) for value in curve.values[:, 0]]
            holder[curve.name] = first[0] if len(first) == 1 else first
            bounds = {"min": curve.low, "max": curve.high}
            holder.id_properties_ui(curve.name).update(
                description=curve.text, **{key: value for key, value in bounds.items() if value is not None}
            )
        if made:
            target.update_tag()
        yield
    except BaseException:
        for curve in made:
            holder.pop(curve.name, None)
        raise


def _check(target: Any, curve: EventCurve) -> None:
    if curve.name not in target:
        return
    there, count = target[curve.name], len(curve.values)
    found = 1 if isinstance(there, float) else len(there) if hasattr(there, "typecode") else 0
    floats = isinstance(there, float) or getattr(there, "typecode", "") in ("f", "d")
    if not floats or found != count:
        wanted = "a number with decimals" if count == 1 else f"{count} numbers with decimals"
        raise BadSetting(
            f'"{target.name}" has a custom property "{curve.name}" that is not {wanted}: '
            "rename or remove it, or leave events off."
        )


def add_events(target: bpy.types.Object, action: bpy.types.Action, curves: Iterable[EventCurve]) -> int:
    """Key the properties in the object's part of the action, and return the number of F-curves.

    There must be no such curves in it yet.
    """
    home = slots.open_home(action, target)
    count = 0
    for curve in curves:
        points = np.empty((len(curve.frames), 2), dtype=np.float32)
        points[:, 0] = curve.frames
        kind = keyframe_setting("interpolation", "CONSTANT" if curve.stepped else "LINEAR")
        kinds = np.full(len(points), kind, np.uint8)
        for axis, row in enumerate(curve.values):
            points[:, 1] = row
            made = home.new_curve(curve.path, axis, GROUP)
            made.keyframe_points.add(len(points))
            made.keyframe_points.foreach_set("co", points.ravel())
            made.keyframe_points.foreach_set("interpolation", kinds)
            made.update()
            count += 1
    return count
