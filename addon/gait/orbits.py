"""Orbits as data: which body parts ride which closed curves, and how (G16 to G19, G24 of the source,
JP5486213B2).

Lengths are in units of `unit` leg lengths, angles in degrees, so that one list serves rigs of any size. The
default list is the source's human: a waist on an upright line, ankles on ellipses that hang from it, hands
that echo the feet. A TOML file (or the same as a dict) adds to it or replaces parts of it by name:

    step = 200.0                 # any field of Orbits but parts; human = false begins without the human's

    [[part]]
    name = "lantern"
    bone = "Lantern"             # its head is put on the orbit; with moves = "aim" it turns towards it
    on = "hand.R"                # what the orbit is placed relative to; "character" where it is left out
    curve = "ellipse"            # or "polygon", with corners = [[0.0, 0.5], ...], or "echo"
    length = 0.2                 # whole axes: one number, or [slow, fast], or by way of going:
    height = {forward = [0.1, 0.3], backward = 0.1, sideways = 0.1}
    period = 2.0                 # in rounds of the waist; ankles have 2
    phase = 90.0                 # 0 is the top, 90 in front
    turns = 0.5                  # rounds a second of its own, also at rest
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BadSetting
from ..toml import load_toml

CHARACTER = "character"
NEEDED = ("waist", "ankle.L", "ankle.R")
BODY_PARTS = (*NEEDED, "hand.L", "hand.R")
GOINGS = ("forward", "backward", "sideways")
CURVES = ("ellipse", "polygon", "echo")
PACES = ("angle", "even")
MOVES = ("place", "aim")
# Axes of an orbit's plane, in the character's: what lies in front on it, and what is up on it.
PLANES = {
    "side": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "front": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "floor": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
}

Vector = tuple[float, float, float]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sizes:
    """A figure of an orbit at low and at high speed, by way of going."""

    forward: Span
    backward: Span
    sideways: Span

    @staticmethod
    def of(value: Any, name: str) -> Sizes:
        """One number, a pair (slow, fast), or either by way of going. Raises BadSetting."""
        if isinstance(value, Sizes):
            return value
        if isinstance(value, Mapping):
            strange = set(value) - set(GOINGS)
            if strange or "forward" not in value:
                raise BadSetting(f"{name} must have forward, and may have backward and sideways: {value!r}.")
            spans = [_span(value.get(going, value["forward"]), name) for going in GOINGS]
        else:
            spans = [_span(value, name)] * len(GOINGS)
        return Sizes(*spans)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the body, or a thing that goes with it, on an orbit.

    name: "waist", "ankle.L", "ankle.R", "hand.L" and "hand.R" are the body's own; any other needs a bone.
    on: what its orbit is placed relative to: an earlier part, or "character", which goes with position and
    facing alone. centre: of the orbit (with `top`: of its highest point), forward, left and up of where the
    part is at rest. height None: of the waist, as much as the legs need to reach the ends of the ankles'
    orbits. echo: shares, forward, left and up, of the way that `source` is from its orbit's centre.
    lands: the ground holds it up. toe_out: degrees outward, None: as at rest.
    """

    name: str
    bone: str | None = None
    moves: str = "place"
    on: str = CHARACTER
    curve: str = "ellipse"
    centre: Vector = (0.0, 0.0, 0.0)
    top: bool = False
    plane: str | tuple[Vector, Vector] = "side"
    length: Sizes = Sizes((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    height: Sizes | None = Sizes((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    tilt: Sizes = Sizes((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    auxiliary: float = 0.0
    corners: tuple[tuple[float, float], ...] = ()
    pace: str = "angle"
    period: float = 2.0
    phase: float = 0.0
    turns: float = 0.0
    source: str = ""
    echo: Vector = (0.0, 0.0, 0.0)
    lands: bool = False
    toe_out: float | None = None


@dataclass(frozen=True, slots=True)
class Orbits:
    """How all parts ride.

    unit: of lengths, in leg lengths (hip joint to ground). slow, fast: speeds at which orbits have their slow
    and fast sizes, and threshold: under which feet are let down, all as v / sqrt(g leg). axes: how many
    lengths of its orbit the body goes on by while the leader goes round once: 2 is a foot that goes back, in
    half a round, by as much as the body goes on. growth: of the phase's steps for a direction reversed within
    growth_time seconds. reverse: phases run back with the body. ease: seconds over which sizes follow a
    change of going. step: degrees a second at which a raised foot turns level. down: height of an ankle over
    its place on the ground under which its heel counts as down, in units.
    """

    parts: tuple[Part, ...]
    unit: float = 0.35
    slow: float = 0.0
    fast: float = 1.2
    leader: str = "ankle.L"
    axes: float = 2.0
    threshold: float = 0.15
    growth: float = 1.0
    growth_time: float = 0.2
    reverse: bool = False
    ease: float = 0.0
    step: float = 300.0
    down: float = 0.05
    names: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check what the core does not: names, and what goes together. Raises BadSetting."""
        names: dict[str, int] = {}
        for row, part in enumerate(self.parts):
            if part.name in names or part.name == CHARACTER:
                raise BadSetting(f'There are two parts called "{part.name}" on orbits: name one differently.')
            for word, other in (("on", part.on), ("source", part.source)):
                if (
                    other not in names
                    and not (word == "on" and other == CHARACTER)
                    and (word == "on" or part.curve == "echo")
                ):
                    raise BadSetting(
                        f'{word} of the orbit of "{part.name}" is "{other}": name a part that comes before it'
                        f"{', or ' + CHARACTER if word == 'on' else ''}."
                    )
            names[part.name] = row
        for name in NEEDED:
            if name not in names:
                raise BadSetting(f'There is no orbit for the "{name}": give one, or leave human as it is.')
            if name.startswith("ankle") and not self.parts[names[name]].lands:
                raise BadSetting(f'"{name}" must land: the ground holds feet up.')
        if self.leader not in names:
            raise BadSetting(f'leader is "{self.leader}", which is no part on an orbit.')
        object.__setattr__(self, "names", names)


def _span(value: Any, name: str) -> Span:
    values = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value, value]
    if len(values) != 2:
        raise BadSetting(f"{name} must be a number, or one for slow and one for fast: {value!r}.")
    return (_number(values[0], name), _number(values[1], name))


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadSetting(f"{name} must be a number, not {value!r}.")
    return float(value)


def _numbers(count: int) -> Callable[[Any, str], tuple[float, ...]]:
    def read(value: Any, name: str) -> tuple[float, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != count:
            raise BadSetting(f"{name} must be {count} numbers, not {value!r}.")
        return tuple(_number(one, name) for one in value)

    return read


def _one_of(choices: Sequence[str]) -> Callable[[Any, str], str]:
    def read(value: Any, name: str) -> str:
        if value not in choices:
            raise BadSetting(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
        return str(value)

    return read


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value:
        raise BadSetting(f"{name} must be a name, not {value!r}.")
    return value


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise BadSetting(f"{name} must be true or false, not {value!r}.")
    return value


def _plane(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return _one_of(tuple(PLANES))(value, name)
    if not isinstance(value, Sequence) or len(value) != 2:
        raise BadSetting(f"{name} must be one of {', '.join(PLANES)}, or two directions, not {value!r}.")
    return tuple(_numbers(3)(one, name) for one in value)


def _corners(value: Any, name: str) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise BadSetting(f"{name} must be pairs of numbers, not {value!r}.")
    return tuple(_numbers(2)(one, name) for one in value)


def _optional(read: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    return lambda value, name: None if value is None else read(value, name)


# How each field of a part, and of all of them, is read from a dict.
_PART: dict[str, Callable[[Any, str], Any]] = {
    "name": _text,
    "bone": _optional(_text),
    "moves": _one_of(MOVES),
    "on": _text,
    "curve": _one_of(CURVES),
    "centre": _numbers(3),
    "top": _flag,
    "plane": _plane,
    "length": Sizes.of,
    "height": _optional(Sizes.of),
    "tilt": Sizes.of,
    "auxiliary": _number,
    "corners": _corners,
    "pace": _one_of(PACES),
    "period": _number,
    "phase": _number,
    "turns": _number,
    "source": _text,
    "echo": _numbers(3),
    "lands": _flag,
    "toe_out": _optional(_number),
}
_NUMBERS = ("unit", "slow", "fast", "axes", "threshold", "growth", "growth_time", "ease", "step", "down")
_ALL: dict[str, Callable[[Any, str], Any]] = {
    "leader": _text,
    "reverse": _flag,
    **dict.fromkeys(_NUMBERS, _number),
}


def part(name: str, **given: Any) -> Part:
    """A part from plain values, as a TOML file has them. Raises BadSetting."""
    return _part({"name": name, **given}, None)


def _part(given: Mapping[str, Any], base: Part | None) -> Part:
    name = given.get("name")
    where = f'of the orbit of "{name}"'
    for key in given:
        if key not in _PART:
            raise BadSetting(f"There is no {key} {where}; there are {', '.join(_PART)}.")
    values = {key: _PART[key](value, f"{key} {where}") for key, value in given.items()}
    if "name" not in values:
        raise BadSetting("A part on an orbit has no name: give it one.")
    found = dataclasses.replace(base, **values) if base is not None else Part(**values)
    if found.period == 0.0:
        raise BadSetting(f"period {where} must not be 0.")
    return found


def orbits_of(given: Orbits | Mapping[str, Any] | None) -> Orbits:
    """Orbits from a dict as a TOML file has it; None gives the human's. Raises BadSetting."""
    if isinstance(given, Orbits):
        return given
    if given is None:
        return HUMAN
    if not isinstance(given, Mapping):
        raise BadSetting(f"orbits must be a table of settings and parts, not {given!r}.")
    for key in given:
        if key not in ("human", "part", *_ALL):
            raise BadSetting(f"There is no {key} of orbits; there are human, part, {', '.join(_ALL)}.")
    human = _flag(given.get("human", True), "human of orbits")
    parts = {one.name: one for one in (HUMAN.parts if human else ())}
    rows = given.get("part", [])
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise BadSetting("part of orbits must be a list of tables: write each as [[part]].")
    for row in rows:
        one = _part(row, parts.get(str(row.get("name"))))
        parts[one.name] = one
    values = {key: _ALL[key](given[key], f"{key} of orbits") for key in _ALL if key in given}
    return Orbits(parts=tuple(parts.values()), **values)


def load_orbits(path: Path | str) -> dict[str, Any]:
    """The content of a TOML file of orbits, checked. Raises BadFile, BadSetting."""
    content = load_toml(path)
    orbits_of(content)
    return content


def _ankle(side: str, phase: float) -> Part:
    return Part(
        f"ankle.{side}",
        on="waist",
        centre=(0.0, 0.0, 0.3),
        length=Sizes((2.0, 2.5), (2.0, 2.5), (1.2, 1.8)),
        height=Sizes((0.6, 0.6), (0.6, 0.6), (0.6, 0.6)),
        tilt=Sizes((5.0, 20.0), (-10.0, -10.0), (0.0, 0.0)),
        phase=phase,
        lands=True,
    )


def _hand(side: str, foot: str) -> Part:
    return Part(f"hand.{side}", on="waist", curve="echo", source=f"ankle.{foot}", echo=(0.4, 0.0, 0.2))


# The source's human (figures 5 to 8). The left foot is in front at the start, the waist then at its lowest;
# its period is 1, an ankle's 2 (G4), and the ankles are half a round apart (G10).
HUMAN = Orbits(
    (
        Part("waist", top=True, height=None, period=1.0, phase=180.0),
        _ankle("L", 90.0),
        _ankle("R", 270.0),
        _hand("L", "R"),
        _hand("R", "L"),
    )
)
