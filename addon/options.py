"""Settings dataclasses as command-line options: each setting is described once, in its field.

A field's metadata, all of it optional:
    help      one sentence, no unit, no default
    unit      "m/s", "frames", "degrees" ...
    min, max  smallest and largest value allowed; above: the value must be greater than this
    choices   the values allowed (a Literal type says the same)
    default   in words, where the default is None ("the scene's")
    metavar   what stands for the value in the help ("NAME", "PATH")
    names     what kind of data-block a text names: "object", "armature", "action", or "things", objects and
              collections
    option    another name than the field's, or None to keep the field off the command line

Types: bool, int, float, str, Literal, `X | None`, tuple[X, X] (written A:B), tuple[X, ...] (written A,B,C).
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import numbers
import types
import typing
from collections.abc import Callable, Container, Iterable, Mapping, Set
from typing import Any, TypeVar

from .errors import BadSetting
from .once import once

Settings = TypeVar("Settings")
# What argparse puts where an option was not given; a default of its own would hide that.
_ABSENT: Any = argparse.SUPPRESS
_WORDS = {int: "whole number", float: "number"}
_METAVARS = {int: "N", float: "X", str: "TEXT"}
# What Python may give for a value of a type; a float that is whole is a whole number too.
_GIVEN: dict[type, type] = {int: numbers.Real, float: numbers.Real}
# Blender's own limit of a frame's number, either way.
LAST_FRAME = 1048574
_COUNTS = {2: "two", 3: "three", 4: "four"}


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """One setting as the command line sees it. `many`: 0 for a value, 2 for A:B, -1 for A,B,C; `optional`:
    may be None."""

    name: str
    flag: str
    kind: type
    many: int
    choices: tuple[Any, ...]
    default: Any
    optional: bool
    metadata: typing.Mapping[str, Any]

    def parse(self, text: str) -> Any:
        """The value that a text means. Raises argparse.ArgumentTypeError, in words, where it means none."""
        if not self.many:
            return self._one(text)
        parts = text.split(":" if self.many > 0 else ",")
        if self.many > 0 and len(parts) != self.many:
            raise argparse.ArgumentTypeError(f"write it as {self.metavar()}, not {text!r}")
        return tuple(self._one(part.strip()) for part in parts)

    def _one(self, text: str) -> Any:
        try:
            value = self.kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no {_WORDS.get(self.kind, 'value')}") from None
        complaint = self.complaint(value)
        if complaint:
            raise argparse.ArgumentTypeError(complaint)
        return value

    def complaint(self, value: Any) -> str:
        """What is wrong with one value, in words; empty where nothing is."""
        unit = f" {self.metadata['unit']}" if self.metadata.get("unit") else ""
        if self.choices:
            fits = isinstance(value, self.kind) and value in self.choices
            return "" if fits else f"must be {self._allowed()}, not {value}"
        # True counts as 1 in Python, and is no number here.
        if not isinstance(value, _GIVEN.get(self.kind, self.kind)) or (
            isinstance(value, bool) and self.kind is not bool
        ):
            return f"must be {self._allowed()}, not {value!r}"
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            return ""
        if not math.isfinite(value):
            return f"must be a finite number, not {value}"
        if self.kind is int and not float(value).is_integer():
            return f"must be {self._allowed()}, not {_plain(value)}"
        low, above, high = (self.metadata.get(key) for key in ("min", "above", "max"))
        if above is not None and value <= above:
            return f"must be more than {_plain(above)}{unit}, not {_plain(value)}"
        if low is not None and value < low:
            return f"must be at least {_plain(low)}{unit}, not {_plain(value)}"
        if high is not None and value > high:
            return f"must be at most {_plain(high)}{unit}, not {_plain(value)}"
        return ""

    def complaint_of_all(self, value: Any) -> str:
        """What is wrong with a whole setting as Python gives it, in words; empty where nothing is."""
        if value is None and self.optional:
            return ""
        if not self.many:
            return self.complaint(value)
        parts = _several(value)
        if parts is None or (self.many > 0 and len(parts) != self.many):
            count = f"{_COUNTS.get(self.many, self.many)} values" if self.many > 0 else "a tuple"
            return f"must be {count}, each {self._allowed()}, not {value!r}"
        return next(filter(None, map(self.complaint, parts)), "")

    def _allowed(self) -> str:
        """What one value must be, in words."""
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        if self.kind is bool:
            return "True or False"
        unit = f" in {self.metadata['unit']}" if self.metadata.get("unit") else ""
        bounds = f" {self._bounds()}" if self._bounds() else ""
        return f"a {_WORDS.get(self.kind, 'text')}{unit}{bounds}"

    def _bounds(self) -> str:
        low, above, high = (self.metadata.get(key) for key in ("min", "above", "max"))
        found = [f"over {_plain(above)}"] if above is not None else []
        found += [f"from {_plain(low)}"] if above is None and low is not None else []
        return " ".join(found + ([f"up to {_plain(high)}"] if high is not None else []))

    def metavar(self) -> str:
        """What stands for the value in the help."""
        if "metavar" in self.metadata:
            return str(self.metadata["metavar"])
        if self.choices and not self.many:
            return "{" + ",".join(map(str, self.choices)) + "}"
        if self.many > 0:
            return ":".join(("A", "B", "C", "D")[: self.many])
        return "A,B,..." if self.many else _METAVARS.get(self.kind, "VALUE")

    def help(self) -> str:
        """Help sentence, unit, range and default."""
        unit = self.metadata.get("unit", "")
        notes = [f"in {unit}"] if unit else []
        notes += [self._bounds()] if self._bounds() else []
        notes.append(f"default: {self._default_text(unit)}")
        text = f"{self.metadata.get('help', '')} ({'; '.join(notes)})".strip()
        return text.replace("%", "%%")  # argparse formats help texts

    def _default_text(self, unit: str) -> str:
        if "default" in self.metadata:
            return str(self.metadata["default"])
        if self.default is dataclasses.MISSING:
            return "none, it must be given"
        if self.default is None or self.default == () or self.default == "":
            return "none"
        if self.kind is bool:
            return "yes" if self.default else "no"
        if self.many:
            return (":" if self.many > 0 else ",").join(_plain(value) for value in self.default)
        return _plain(self.default) + (f" {unit}" if unit else "")


def setting(initial: Any, text: str, /, **more: Any) -> Any:
    """A field of a settings dataclass: its value where none is given, its help, more metadata."""
    return dataclasses.field(default=initial, metadata={"help": text, **more})


@once
def options(settings: type) -> tuple[Option, ...]:
    """The options of a settings dataclass, in the order of its fields."""
    found = []
    hints = typing.get_type_hints(settings)
    for field in dataclasses.fields(settings):
        name = field.metadata.get("option", field.name)
        if name is None:
            continue
        kind, many, choices = _kind_of(hints[field.name])
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        choices = tuple(field.metadata.get("choices", choices))
        optional = type(None) in typing.get_args(hints[field.name])
        flag = "--" + name.replace("_", "-")
        found.append(Option(field.name, flag, kind, many, choices, default, optional, field.metadata))
    return tuple(found)


def add_options(parser: Any, settings: type) -> None:
    """Add every setting of a dataclass to an argparse parser or group."""
    for option in options(settings):
        required = option.default is dataclasses.MISSING
        common = {"dest": option.name, "default": _ABSENT, "help": option.help(), "required": required}
        if option.kind is bool and not option.many:
            parser.add_argument(option.flag, action=argparse.BooleanOptionalAction, **common)
        else:
            parse: Callable[[str], Any] = option.parse
            parser.add_argument(option.flag, type=parse, metavar=option.metavar(), **common)


def given(settings: type, arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that stand on the command line, by field name; the others keep their defaults."""
    found = vars(arguments)
    return {option.name: found[option.name] for option in options(settings) if option.name in found}


def changed(kind: type[Settings], settings: Settings | None, changes: Mapping[str, Any]) -> Settings:
    """Settings, None for the usual ones, with changes by name, checked. Raises BadSetting."""
    if settings is not None and not isinstance(settings, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise BadSetting(f"settings must be {article} {kind.__name__} or None, not {settings!r}.")
    check_names(kind, changes)
    made: Any = kind() if settings is None else settings
    found: Settings = dataclasses.replace(made, **changes)
    # The usual values are as they should be.
    check(found, None if settings is not None else changes)
    return found


def check_names(kind: type, names: Iterable[str]) -> None:
    """Raises BadSetting for a name that is no setting of a dataclass."""
    known = {field.name for field in dataclasses.fields(kind)}
    for name in names:
        if name not in known:
            raise BadSetting(f"There is no setting {name}; there are {', '.join(sorted(known))}.")


def check(settings: Any, names: Container[str] | None = None) -> None:
    """Check the values of a settings object against its fields' types, ranges and choices.

    names: of the settings that are looked at, by default all.

    For callers that build settings in Python; the command line has checked each value already. Raises
    BadSetting with the name of the setting, its unit and its range.
    """
    for option in options(type(settings)):
        if names is not None and option.name not in names:
            continue
        complaint = option.complaint_of_all(getattr(settings, option.name))
        if complaint:
            raise BadSetting(f"{option.name} {complaint}.")


def _kind_of(hint: Any) -> tuple[type, int, tuple[Any, ...]]:
    """(type of one value, how many as in `Option.many`, choices) of an annotation."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        rest = [part for part in parts if part is not type(None)]
        if len(rest) == 1:
            return _kind_of(rest[0])
    elif origin is typing.Literal:
        return type(parts[0]), 0, parts
    elif origin is tuple and parts:
        kind, many, choices = _kind_of(parts[0])
        if not many and all(part is Ellipsis or part == parts[0] for part in parts):
            return kind, (-1 if Ellipsis in parts else len(parts)), choices
    elif hint in (bool, int, float, str):
        return hint, 0, ()
    raise TypeError(f"no command-line option for a setting of type {hint}; give it metadata option=None")


def _several(value: Any) -> tuple[Any, ...] | None:
    """The parts of a tuple, list or array; None for what has none, or none in order."""
    if isinstance(value, (str, bytes, Set, Mapping)):
        return None
    try:
        return tuple(value) if len(value) >= 0 else None  # what has no length can be read only once
    except TypeError:
        return None


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
