"""Settings dataclasses as properties of Blender: each setting is described once, in its field.

A setting that may be None and is a number has a second property, `use_NAME`, that switches it on; a yes or no
that may be None is a choice of three; a text that may be None is None where it is empty. Objects, collections
and actions are pointers in groups of properties and names in operators, which cannot hold pointers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ..errors import BadSetting
from ..options import Option, options

# Units that Blender shows by itself: its name of the kind, and what one is in Blender's own numbers.
_UNITS = {
    "m": ("LENGTH", 1.0),
    "mm": ("LENGTH", 1e-3),
    "m/s": ("VELOCITY", 1.0),
    "m/s²": ("ACCELERATION", 1.0),
    "degrees": ("ROTATION", math.pi / 180.0),
    "s": ("TIME_ABSOLUTE", 1.0),
}
# What follows the label where Blender has no unit for it.
_SIGNS = {"degrees/s": "°/s", "1/min": "1/min", "1/s": "fps"}
# Blender keeps numbers in single precision; so many digits of them are meant.
_DIGITS = 7  # one less after a change of unit
# A number that must be greater than a bound is so by this, of Blender's numbers.
_OVER = 1e-4
_LIMIT = {int: 2**31 - 1, float: 3.4e38}
_SMALL = {"a", "of", "on", "the", "to", "and", "in"}
_INITIALS = {"ik", "fk", "fps"}
# Kinds of data-blocks that a text names: pointers to show for them, by the ending of the property's name.
_POINTERS = {
    "object": (("", "Object"),),
    "armature": (("", "Object"),),
    "action": (("", "Action"),),
    "things": (("_object", "Object"), ("_collection", "Collection")),
}
props: Any = bpy.props
# Texts of ours that are not to be taken for Blender's.
CONTEXT = "Amble"
AUTO, YES, NO = "AUTO", "YES", "NO"


@dataclass(frozen=True, slots=True)
class Field:
    """A setting as it stands in Blender's window. label: in title case; typical: what it is when it is
    switched on, where that is not its default; suggest: texts to choose from."""

    option: Option
    label: str
    typical: Any = None
    suggest: Callable[[], Iterable[str]] | None = None

    @property
    def name(self) -> str:
        """Of the setting and of its property."""
        return self.option.name

    @property
    def names(self) -> str:
        """Which kind of data-block the text names, "" for none."""
        return str(self.option.metadata.get("names", ""))

    @property
    def switch(self) -> str:
        """The property that switches the setting on; "" where it needs none."""
        plain = self.option.kind in (int, float) and (self.option.many >= 0) and not self.option.choices
        return f"use_{self.name}" if self.option.optional and plain else ""

    @property
    def pointers(self) -> tuple[tuple[str, str], ...]:
        """(property, type) of the pointers that a group has in place of a text."""
        return tuple((self.name + ending, kind) for ending, kind in _POINTERS.get(self.names, ()))

    # ---- declaring ----

    def properties(self, *, pointers: bool) -> Iterator[tuple[str, Any]]:
        """(name, Blender's property) of all that the setting needs. pointers: in a group, not an operator."""
        if pointers and self.pointers:
            for name, kind in self.pointers:
                yield name, self._pointer(name, kind)
            return
        yield self.name, self._property()
        if self.switch:
            text = f"Set {self.label}; else it is: {self.option.metadata.get('default', 'none')}"
            yield self.switch, props.BoolProperty(name=f"Use {self.label}", description=text)

    def tooltip(self) -> str:
        """The help with unit and default, as a sentence without a full stop, which Blender adds."""
        text = self.option.help().replace("%%", "%").rstrip(".")
        return text[:1].upper() + text[1:]

    def _property(self) -> Any:
        option, common = self.option, self._said()
        if option.choices and not option.many:
            items = [(_identifier(value), title(str(value)), "") for value in option.choices]
            return props.EnumProperty(items=items, default=_identifier(self._initial()), **common)
        if option.kind is bool and option.optional:
            items = [(AUTO, "Automatic", ""), (YES, "Yes", ""), (NO, "No", "")]
            return props.EnumProperty(items=items, default=AUTO, **common)
        if option.kind is bool:
            return props.BoolProperty(default=bool(option.default), **common)
        if option.kind in (int, float) and option.many >= 0:
            return self._number(common)
        subtype: Any = "FILE_PATH" if option.metadata.get("metavar") == "PATH" else "NONE"
        default = option.default if isinstance(option.default, str) else ""
        more: dict[str, Any] = {}
        if self.suggest is not None:
            suggest = self.suggest
            more["search"] = lambda _holder, _context, text: [one for one in suggest() if text in one]
            more["search_options"] = {"SUGGESTION"}
        return props.StringProperty(default=default, subtype=subtype, **more, **common)

    def _said(self) -> dict[str, Any]:
        """What is read of a property, in the tables' own context: Blender has longer words for some."""
        return {"name": self.label, "description": self.tooltip(), "translation_context": CONTEXT}

    def _number(self, common: dict[str, Any]) -> Any:
        option, metadata = self.option, self.option.metadata
        unit, scale = _UNITS.get(str(metadata.get("unit", "")), ("NONE", 1.0))
        low = metadata["above"] * scale + _OVER if "above" in metadata else metadata.get("min")
        bounds: dict[str, Any] = {"min": -_LIMIT[option.kind], "max": _LIMIT[option.kind]}
        if low is not None:
            bounds["min"] = low if "above" in metadata else low * scale
        if metadata.get("max") is not None:
            bounds["max"] = metadata["max"] * scale
        if option.kind is int:
            bounds = {key: int(value) for key, value in bounds.items()}
        start = _scaled(self._initial(), scale if option.kind is float else 1)
        if self.switch:
            common["update"] = _switches_on(self.switch)
        if option.many:
            kind: Any = props.IntVectorProperty if option.kind is int else props.FloatVectorProperty
            return kind(size=option.many, default=start, **bounds, **common)
        if option.kind is int:
            return props.IntProperty(default=start, **bounds, **common)
        share = unit == "NONE" and "unit" not in metadata and "min" in metadata and metadata.get("max") == 1.0
        return props.FloatProperty(
            default=start, unit=unit, subtype="FACTOR" if share else "NONE",
            step=10 if scale == 1.0 else 100, precision=2,
            **bounds, **common,
        )  # fmt: skip

    def _initial(self) -> Any:
        """What the property is before anybody sets it."""
        if self.option.default is not None:
            return self.option.default
        if self.typical is not None:
            return self.typical
        one = self.option.kind(max(self.option.metadata.get("min", 0), 0))
        return (one,) * self.option.many if self.option.many else one

    def _pointer(self, name: str, kind: str) -> Any:
        ending = name.removeprefix(self.name).removeprefix("_").title()
        label = f"{self.label} {ending}" if ending else self.label
        poll = {"armature": _is_armature, "things": _has_faces}.get(self.names)
        more: dict[str, Any] = {"poll": poll} if poll is not None and kind == "Object" else {}
        return props.PointerProperty(type=getattr(bpy.types, kind), **{**self._said(), "name": label}, **more)

    # ---- reading and writing ----

    def read(self, holder: Any) -> Any:
        """The value in a group or an operator. Raises BadSetting for a text without a meaning."""
        option = self.option
        if self.pointers and hasattr(holder, self.pointers[0][0]) and not _is_text(holder, self.name):
            found = [thing for name, _ in self.pointers if (thing := getattr(holder, name)) is not None]
            named = tuple(thing.name for thing in found)
            return named if option.many else (named[0] if named else option.default)
        if self.switch and not _is_on(holder, self.name, self.switch):
            return None
        value = getattr(holder, self.name)
        if option.choices and not option.many:
            return next(choice for choice in option.choices if _identifier(choice) == value)
        if option.kind is bool and option.optional:
            return {AUTO: None, YES: True, NO: False}[value]
        if option.kind in (bool, int) and option.many >= 0:
            return tuple(value) if option.many else value
        if option.kind is float and option.many >= 0:
            return self._from_blender(value)
        return self._text(str(value))

    def write(self, holder: Any, value: Any) -> None:
        """Set the properties to a value of the setting."""
        option = self.option
        if self.pointers and hasattr(holder, self.pointers[0][0]) and not _is_text(holder, self.name):
            self._point(holder, value)
            return
        if self.switch:
            if value is not None:
                setattr(holder, self.name, self._to_blender(value))
            setattr(holder, self.switch, value is not None)
        elif option.choices and not option.many:
            setattr(holder, self.name, _identifier(value))
        elif option.kind is bool and option.optional:
            setattr(holder, self.name, AUTO if value is None else YES if value else NO)
        elif option.kind in (bool, int, float) and option.many >= 0:
            setattr(holder, self.name, self._to_blender(value))
        elif option.many and value is not None:
            setattr(holder, self.name, ", ".join(map(_plain, value)))
        else:
            setattr(holder, self.name, "" if value is None else value)

    def _text(self, text: str) -> Any:
        text = text.strip()
        if not text:
            return None if self.option.optional else self.option.default if not self.option.many else ()
        if not self.option.many:
            return text
        try:
            return self.option.parse(text)
        except Exception as error:
            raise BadSetting(f"{self.label} {error}.") from None

    def _scale(self) -> float:
        return _UNITS.get(str(self.option.metadata.get("unit", "")), ("", 1.0))[1]

    def _from_blender(self, value: Any) -> Any:
        scale = self._scale()
        if self.option.many:
            return tuple(_round(part, scale) for part in value)
        return _round(value, scale)

    def _to_blender(self, value: Any) -> Any:
        return _scaled(value, self._scale() if self.option.kind is float else 1)

    def _point(self, holder: Any, value: Any) -> None:
        names = value if self.option.many else (value,)
        for name, kind in self.pointers:
            pool: Any = {"Object": bpy.data.objects, "Action": bpy.data.actions}.get(
                kind, bpy.data.collections
            )
            found = [thing for one in names or () if one and (thing := pool.get(one)) is not None]
            setattr(holder, name, found[0] if found else None)


def fields_of(
    settings: type,
    labels: Mapping[str, str],
    typical: Mapping[str, Any],
    suggest: Mapping[str, Callable[[], Iterable[str]]],
) -> tuple[Field, ...]:
    """The fields of a settings dataclass, in its order. labels and the others: by name, where they differ."""
    return tuple(
        Field(
            option,
            labels.get(option.name) or _label(option),
            typical.get(option.name),
            suggest.get(option.name),
        )
        for option in options(settings)
    )


def properties_of(fields: Iterable[Field], *, pointers: bool) -> dict[str, Any]:
    """Blender's properties of fields, as a class's annotations."""
    return {name: prop for field in fields for name, prop in field.properties(pointers=pointers)}


def title(text: str) -> str:
    """In title case, as Blender writes labels: "every frame" is "Every Frame"."""
    words = text.replace("_", " ").split()
    return " ".join(
        word.upper()
        if word in _INITIALS
        else word
        if place and word in _SMALL
        else word[:1].upper() + word[1:]
        for place, word in enumerate(words)
    )


def _label(option: Option) -> str:
    sign = _SIGNS.get(str(option.metadata.get("unit", "")))
    return title(option.name) + (f" ({sign})" if sign and option.name != "fps" else "")


def _identifier(value: Any) -> str:
    return str(value).upper().replace(" ", "_")


def _switches_on(name: str) -> Any:
    """An update function that switches a setting on when its value is changed."""

    def update(holder: Any, _context: Any) -> None:
        if not getattr(holder, name):
            setattr(holder, name, True)

    return update


def _is_on(holder: Any, name: str, switch: str) -> bool:
    """Whether a setting is switched on: a script that calls an operator gives its value alone."""
    on = bool(getattr(holder, switch))
    if on or not isinstance(holder, (bpy.types.Operator, bpy.types.OperatorProperties)):
        return on
    asked: Any = getattr(holder, "properties", holder)
    return bool(asked.is_property_set(name) and not asked.is_property_set(switch))


def _is_text(holder: Any, name: str) -> bool:
    return isinstance(getattr(holder, name, None), str)


def _is_armature(_holder: Any, thing: Any) -> bool:
    return bool(thing.type == "ARMATURE")


def _has_faces(_holder: Any, thing: Any) -> bool:
    return thing.type in {"MESH", "CURVE", "SURFACE", "META", "FONT"}


def _scaled(value: Any, scale: float) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(part * scale for part in value)
    return value * scale


def _round(value: float, scale: float) -> float:
    digits = _DIGITS if scale == 1.0 else _DIGITS - 1
    return float(f"{value / scale:.{digits}g}")


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
