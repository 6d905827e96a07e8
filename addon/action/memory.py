"""What an action was made with, kept on it: so that it can be made again with something changed.

The custom property `amble` of an action is a JSON text {"feature", "version", "settings"}; numbers that
others want to read (speed, way of a cycle) are custom properties of their own. Both travel with the action:
saved, appended, linked, and in the extras of glTF.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import bpy

from ..errors import BadSetting, is_gone
from ..options import check_names

PROPERTY = "amble"
# How an object of the file, and what cannot be kept as text, are kept.
_OBJECT, _LOST = "object", "not kept"

Settings = TypeVar("Settings")


@dataclass(frozen=True, slots=True)
class Memory:
    """action: its name; feature: name of the call ("gait"); version: of Amble that made it; settings: plain
    values by name."""

    action: str
    feature: str
    version: str
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Number:
    """A custom property of an action. text: its tooltip."""

    name: str
    value: float
    text: str


def remember(action: Any, feature: str, version: str, settings: Any) -> None:
    """Keep a settings dataclass on an action; objects of the file by name."""
    values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    kept = {"feature": feature, "version": version, "settings": values}
    action[PROPERTY] = json.dumps(kept, ensure_ascii=False, default=_as_text)


def _as_text(value: Any) -> Any:
    if isinstance(value, bpy.types.Object):
        return {_OBJECT: value.name}
    return {_LOST: type(value).__name__}


def add_numbers(action: Any, numbers: Iterable[Number]) -> None:
    """Set custom properties of an action."""
    for number in numbers:
        action[number.name] = float(number.value)
        action.id_properties_ui(number.name).update(description=number.text)


def recall(action: Any) -> Memory:
    """What `remember` kept. Raises BadSetting where nothing is kept, or nothing that can be read."""
    if not isinstance(action, bpy.types.Action):
        raise BadSetting(f"action must be an action, not {action!r}.")
    if is_gone(action):
        raise BadSetting("The action is gone: it was removed from the file; name one that is there.")
    text = action.get(PROPERTY)
    if text is None:
        raise BadSetting(
            f'"{action.name}" does not say what it was made with: name an action that Amble made.'
        )
    try:
        content = json.loads(text)
        feature, version, settings = (content[key] for key in ("feature", "version", "settings"))
        if not isinstance(feature, str) or not isinstance(settings, Mapping):
            raise TypeError
    except (TypeError, ValueError, KeyError, RecursionError):
        raise BadSetting(
            f'The property {PROPERTY} of "{action.name}" cannot be read: make the action anew.'
        ) from None
    return Memory(action.name, feature, str(version), dict(settings))


def restore(
    memory: Memory, kind: type[Settings], changes: Mapping[str, Any], either: Collection[str] = ()
) -> tuple[Settings, list[str]]:
    """The settings kept, with changes, and notes on those that this version does not know.

    either: settings of which only one may be set; a change to one clears those that were kept.
    Raises BadSetting for a change to what is no setting, and for a setting that could not be kept and is not
    among the changes.
    """
    fields: Any = kind
    known = {field.name for field in dataclasses.fields(fields)}
    check_names(kind, changes)
    cleared = either if any(changes.get(name) is not None for name in either) else ()
    found = {
        name: value
        for name, value in memory.settings.items()
        if name in known and name not in changes and name not in cleared
    }
    strange = sorted(set(memory.settings) - known)
    notes = [
        f'"{memory.action}" was made with {name} by Amble {memory.version}; this version has no such setting.'
        for name in strange
    ]
    values = {name: _value(memory, name, value) for name, value in found.items()}
    return kind(**values, **changes), notes


def _value(memory: Memory, name: str, value: Any) -> Any:
    """A kept value as settings have it: tuples for lists, objects for their names."""
    if isinstance(value, list):
        return tuple(_value(memory, name, part) for part in value)
    if isinstance(value, dict) and _LOST in value:
        raise BadSetting(f'{name} of "{memory.action}" could not be kept ({value[_LOST]}): give it again.')
    if isinstance(value, dict) and _OBJECT in value:
        objects: Any = bpy.data.objects
        thing = objects.get((value[_OBJECT], None)) or objects.get(value[_OBJECT])
        if thing is None:
            raise BadSetting(
                f'"{memory.action}" was made with the object "{value[_OBJECT]}" as {name}, which is gone: '
                f"give {name} again."
            )
        return thing
    return value
