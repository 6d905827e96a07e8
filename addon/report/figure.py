"""A measured number of the report and how it is told: its name, how it is written, what it is held to."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import reference

PEOPLE, CYCLIC, WALK, RUN, WAY, GROUND = "people", "cyclic", "walk", "run", "way", "ground"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report: what, measured value, what it is held to or compared with; ok None = for
    information.
    """

    name: str
    value: str
    against: str
    ok: bool | None


@dataclass(frozen=True, slots=True)
class Motion:
    """What a number's line depends on beside the numbers. vn: dimensionless speed of the people that the
    motion is compared with, None where it is not; cyclic: whether it closes on itself; gait: "walk", "run" or
    another; way: it does not go straight on at one speed; ground: it goes over ground that is not level."""

    vn: float | None
    cyclic: bool
    gait: str = "walk"
    way: bool = False
    ground: bool = False

    def has(self, facts: tuple[str, ...]) -> bool:
        """Whether all of these hold."""
        known = {
            PEOPLE: self.vn is not None,
            CYCLIC: self.cyclic,
            WALK: self.gait == "walk",
            RUN: self.gait == "run",
            WAY: self.way,
            GROUND: self.ground,
        }
        return all(known[fact] for fact in facts)


@dataclass(frozen=True, slots=True)
class Figure:
    """How a number is told. Texts may name {value}, {limit} and {usual}, as they are written, and every other
    number of the report.

    about: what the number is, with its unit; label: its name in the table, "" keeps it out; form: how it is
    written, after multiplication by `scale`; bar: it may be this large by magnitude, None: for information
    alone; problem: said where it is larger; against: what the table sets beside it, in place of the bar; for
    information alone only where all the facts of `among` hold; usual: the formula of `reference.linear`
    behind {usual}; needed: where all of these facts hold, a number that could not be measured (NaN) is a
    problem; elsewhere its line is left out; None: it is never needed; wider: facts under
    which another bar holds, the last one of them that is true; without: where any of these facts holds the
    number means nothing and its line is left out; name: of the field, filled in by `figures`.
    """

    about: str
    label: str = ""
    form: str = "{}"
    bar: float | None = None
    problem: str = ""
    against: str = ""
    among: tuple[str, ...] = (PEOPLE,)
    usual: str = ""
    scale: float = 1.0
    needed: tuple[str, ...] | None = ()
    wider: tuple[tuple[str, float], ...] = ()
    without: tuple[str, ...] = ()
    name: str = ""

    def judge(self, numbers: Mapping[str, float], motion: Motion) -> tuple[Check | None, str]:
        """The line of the table, None for no line, and a sentence where something is wrong, else ""."""
        value = float(numbers[self.name])  # NumPy's own would make the verdict one that JSON does not know
        if not self.label or any(motion.has((fact,)) for fact in self.without):
            return None, ""
        if math.isnan(value):
            if self.needed is None or not motion.has(self.needed):
                return None, ""
            return (
                Check(self.label, "-", "could not be measured", False),
                f"{self.label} could not be measured: no whole stride was seen.",
            )
        told = {**numbers, "value": self._written(value)}
        if self.bar is None:
            if motion.vn is not None and self.usual:
                told["usual"] = self._written(reference.linear(self.usual, motion.vn, motion.gait))
            against = self.against.format(**told) if motion.has(self.among) else ""
            return Check(self.label, self._written(value), against, None), ""
        bar = [self.bar, *(bar for fact, bar in self.wider if motion.has((fact,)))][-1]
        told["limit"] = self._written(bar)
        ok = abs(value) <= bar
        against = (self.against or "at most {limit}").format(**told)
        return Check(self.label, self._written(value), against, ok), "" if ok else self.problem.format(**told)

    def _written(self, value: float) -> str:
        return self.form.format(self.scale * value)


def figures(report: Any) -> tuple[Figure, ...]:
    """The figures of a dataclass, in the order of its fields: the ones with Annotated[float, Figure(...)]."""
    hints = typing.get_type_hints(report, include_extras=True).items()
    return tuple(
        dataclasses.replace(extra, name=name)
        for name, hint in hints
        for extra in getattr(hint, "__metadata__", ())
        if isinstance(extra, Figure)
    )
