"""Conditions (I5): how a body idles when it is at rest, tired, cold ...; read from data files.

The data file says what each number means; a file of the user's own has the same form and may leave out what
is as in "rest".
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import BadFile, BadSetting
from ..toml import load_toml

BUILT_IN = Path(__file__).parent.parent / "data" / "idle.toml"
# Smallest and largest value of each number.
RANGES = {
    "rate": (1.0, 600.0),
    "depth": (0.0, 10.0),
    "inhale": (0.05, 0.95),
    "pause": (0.0, 0.9),
    "shoulders": (0.0, 10.0),
    "shift": (0.0, 10.0),
    "sway": (0.0, 10.0),
    "look": (0.0, 10.0),
    "fingers": (0.0, 10.0),
    "blink": (0.0, 60.0),
    "tremble": (0.0, 10.0),
    "variation": (0.0, 0.5),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition; the numbers are those that addon/data/idle.toml explains."""

    name: str
    rate: float
    depth: float
    inhale: float
    pause: float
    shoulders: float
    shift: float
    sway: float
    look: float
    fingers: float
    blink: float
    tremble: float
    variation: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """A condition and the frame that it sets in at; None for the first."""

    condition: Condition
    start: float | None


def load(path: str | None = None) -> dict[str, Condition]:
    """All conditions by name, those of the file at `path` in front of the built-in ones. Raises BadFile."""
    found = _built_in()
    return {**found, **(_read(Path(path), found["rest"]) if path is not None else {})}


@cache
def _built_in() -> dict[str, Condition]:
    """Those of the package, read once."""
    return _read(BUILT_IN, None)


def stretches(text: str, known: Mapping[str, Condition]) -> tuple[Stretch, ...]:
    """The conditions that a setting asks for, "rest,afraid@60", in order. Raises BadSetting."""
    found: list[Stretch] = []
    for part in text.split(","):
        name, at, frame = part.strip().partition("@")
        if name not in known:
            raise BadSetting(f"There is no condition {name!r}; there are {', '.join(sorted(known))}.")
        start = _frame(part, frame) if at else None
        if bool(found) != bool(at):
            raise BadSetting(
                f"condition must be a name, then others with the frame that they set in at, as "
                f"rest,afraid@60, not {text!r}."
            )
        if found and start is not None and start <= (found[-1].start or -math.inf):
            raise BadSetting(f"condition must have rising frames, not {text!r}.")
        found.append(Stretch(known[name], start))
    return tuple(found)


def _frame(part: str, text: str) -> float:
    try:
        frame = float(text)
    except ValueError:
        frame = math.nan
    if not math.isfinite(frame):
        raise BadSetting(f"condition must have a frame after the @, not {part.strip()!r}.")
    return frame


def _read(path: Path, rest: Condition | None) -> dict[str, Condition]:
    found: dict[str, Condition] = {}
    for name, values in load_toml(path).items():
        found[name] = _condition(path, name, values, found.get("rest", rest))
    return found


def _condition(path: Path, name: str, values: Any, rest: Condition | None) -> Condition:
    if not isinstance(values, dict):
        raise BadFile(f"{path}: {name} must be a table of numbers, as [{name}].")
    if not name or set(name) & set(",@"):
        raise BadFile(f"{path}: the name {name!r} must hold neither a comma nor an @.")
    usual = {key: getattr(rest, key) for key in RANGES} if rest is not None else {}
    for key, value in values.items():
        if key not in RANGES:
            raise BadFile(f"{path}: [{name}] has {key}; there are {', '.join(RANGES)}.")
        low, high = RANGES[key]
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            raise BadFile(
                f"{path}: {key} of [{name}] must be a number from {low:g} to {high:g}, not {value!r}."
            )
        usual[key] = float(value)
    if usual["inhale"] + usual["pause"] > 0.98:
        raise BadFile(f"{path}: inhale and pause of [{name}] leave no time to breathe out.")
    return Condition(name, **usual)


def names(found: Sequence[Stretch]) -> tuple[Condition, ...]:
    """The different conditions among stretches, in order."""
    return tuple({stretch.condition.name: stretch.condition for stretch in found}.values())


def with_rate(condition: Condition, rate: float | None, variation: float | None) -> Condition:
    """The condition with what a setting asks for in its place."""
    return dataclasses.replace(
        condition,
        rate=condition.rate if rate is None else rate,
        variation=condition.variation if variation is None else variation,
    )
