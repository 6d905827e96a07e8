"""Gaits as data: the rows of data/gaits.toml, which says what they hold."""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadSetting

# Blender starts with the settings, which need no arrays: those are imported where there are some.
if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

DATA = Path(__file__).resolve().parents[1] / "data" / "gaits.toml"


@dataclass(frozen=True, slots=True)
class Preset:
    """A gait for one number of legs. phases: of each leg in the file's order; the rest as the file says."""

    name: str
    phases: tuple[float, ...]
    duty: tuple[tuple[float, float], ...]
    stride: tuple[float, float]
    usual: float
    auto: tuple[float, float] | None
    size: tuple[float, float]
    flex: float
    lift: float

    def duty_at(self, froude: Floats) -> Floats:
        """Stance as a share of the stride."""
        import numpy as np

        return np.interp(froude, *np.array(self.duty).T)

    def stride_at(self, froude: Floats) -> Floats:
        """Length of a stride over the hip's height."""
        import numpy as np

        factor, power = self.stride
        return np.asarray(factor * np.maximum(froude, 1e-9) ** power)


@functools.cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


@functools.cache
def names() -> tuple[str, ...]:
    """Of all gaits."""
    return tuple(_tables())


def presets(legs: int) -> tuple[Preset, ...]:
    """All gaits for so many legs, in the file's order."""
    found = []
    for name, row in _tables().items():
        phases = row["legs"].get(str(legs))
        if phases is not None:
            found.append(
                Preset(
                    name,
                    tuple(phases),
                    tuple((a, b) for a, b in row["duty"]),
                    (row["stride"][0], row["stride"][1]),
                    row["usual"],
                    tuple(row["auto"]) if "auto" in row else None,
                    tuple(row.get("size", (0.0, math.inf))),
                    math.radians(row.get("flex", 0.0)),
                    row["lift"],
                )
            )
    return tuple(found)


def chosen(gait: str, legs: int, leg: float) -> tuple[Preset, ...]:
    """The gaits that a setting means, slowest first: one by name, or those of their own accord for legs of
    this length in metres. Raises BadSetting."""
    rows = presets(legs)
    if gait == "run" and not any(row.name == gait for row in rows):
        gait = next((row.name for row in rows if row.name == "trot"), "auto")
    if gait == "auto":
        found = [row for row in rows if row.auto is not None and row.size[0] <= leg < row.size[1]]
        if found:
            return tuple(sorted(found, key=lambda row: row.auto or (0.0, 0.0)))
    found = [row for row in rows if row.name == gait]
    if not rows:
        counts = sorted({int(count) for row in _tables().values() for count in row["legs"]})
        raise BadSetting(
            f"There is no gait for {legs} legs, only for {', '.join(map(str, counts))}: correct the roles of "
            "the legs."
        )
    if not found:
        others = [*(["auto"] if gait != "auto" else []), *(row.name for row in rows)]
        raise BadSetting(f"gait {gait} is none for {legs} legs: ask for {', '.join(others)}.")
    return tuple(found)


def aligned(rows: Sequence[Preset]) -> Floats:
    """Phases of several gaits, (rows, legs), by whole turns and a common shift as near to those of the one
    before as they can be: what legs do that go over from one to the next."""
    import numpy as np

    found = [np.array(rows[0].phases)]
    for row in rows[1:]:
        shifts = np.arange(100) / 100.0
        apart = found[-1] - np.array(row.phases) - shifts[:, None]
        left = apart - np.round(apart)
        best = int(np.argmin((left**2).sum(axis=1)))
        found.append(np.array(row.phases) + shifts[best] + np.round(apart[best]))
    return np.array(found)
