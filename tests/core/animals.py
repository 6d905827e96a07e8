"""Plain bodies on any number of legs, and their gaits, for tests of the core."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import Any

import amble_core
import numpy as np
import numpy.typing as npt
from tests.data import ROOT

Floats = npt.NDArray[np.float64]

KINDS = amble_core.LEGGED_KINDS
G = 9.81
HIP = 1.0


@dataclass
class Animal:
    """A trunk on pairs of legs, each of thigh, shin, shank and foot: facing X, its left at Y.

    names: of the bones, in order; tips: (legs, 3). Legs come in the order of data/gaits.toml: by side.
    """

    pairs: int = 2
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    heads: list[Floats] = field(default_factory=list)
    parts: list[tuple[int, int, int]] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)

    def add(self, name: str, parent: int, head: Any, kind: str, which: int = 0, weight: float = 0.0) -> int:
        self.names.append(name)
        self.parents.append(parent)
        self.heads.append(np.array(head, dtype=np.float64))
        index = len(self.names) - 1
        self.parts.append((index, KINDS.index(kind), which))
        self.weight.append(weight)
        return index

    def __post_init__(self) -> None:
        root = self.add("root", -1, (0.0, 0.0, 0.0), "root")
        pelvis = self.add("pelvis", root, (-0.6, 0.0, HIP + 0.1), "pelvis")
        spine = self.add("spine", pelvis, (0.0, 0.0, HIP + 0.1), "trunk", weight=0.5)
        chest = self.add("chest", spine, (0.4, 0.0, HIP + 0.1), "trunk", weight=1.0)
        neck = self.add("neck", chest, (0.7, 0.0, HIP + 0.2), "neck", weight=0.5)
        self.add("head", neck, (0.9, 0.0, HIP + 0.5), "neck", weight=1.0)
        tail = self.add("tail", pelvis, (-0.8, 0.0, HIP + 0.1), "tail", weight=0.07)
        self.add("tip", tail, (-1.0, 0.0, HIP + 0.1), "tail", weight=0.14)
        self.tips, self.girdles = [], []
        xs = np.linspace(-0.6, 0.6, self.pairs) if self.pairs > 1 else np.zeros(1)
        number = 0
        for side in (0.15, -0.15):
            order = range(self.pairs) if self.pairs <= 2 else range(self.pairs)[::-1]
            for girdle in order:
                x = float(xs[girdle])
                carrier = pelvis if girdle < (self.pairs + 1) // 2 else chest
                last = carrier
                for k, (dx, z) in enumerate(((0.0, HIP), (0.12, 0.68), (-0.1, 0.35), (0.0, 0.05))):
                    last = self.add(f"leg{number}.{k}", last, (x + dx, side, z), "leg", number)
                self.tips.append((x + 0.08, side, 0.0))
                self.girdles.append(girdle)
                number += 1
        self.legs = number

    @property
    def arguments(self) -> dict[str, Any]:
        """Of the core's functions, but for settings and way."""
        rest = np.tile(np.eye(4), (len(self.names), 1, 1))
        rest[:, :3, 3] = self.heads
        tips = np.array(self.tips)
        return {
            "parents": np.array(self.parents, dtype=np.int32),
            "rest": rest,
            "flags": np.zeros(len(self.names), dtype=np.uint32),
            "parts": np.array(self.parts, dtype=np.int32),
            "weight": np.array(self.weight),
            "girdles": np.array(self.girdles, dtype=np.int32),
            "soles": np.stack([tips - [0.1, 0.0, 0.0], tips], axis=1),
            "followers": np.empty((0, 2), dtype=np.int32),
            "mixed": np.empty((0, 3), dtype=np.int32),
            "share": np.empty(0),
            "forward": np.array([1.0, 0.0, 0.0]),
            "up": np.array([0.0, 0.0, 1.0]),
            "ground": 0.0,
        }


def settings(**given: float) -> Floats:
    """The core's settings."""
    values = {name: initial for name, initial, _, _ in amble_core.LEGGED_SETTINGS}
    assert given.keys() <= values.keys()
    return np.array([{**values, **given}[name] for name, *_ in amble_core.LEGGED_SETTINGS])


def steady(phases: Any, duty: float, speed: float, rate: float, seconds: float = 12.0) -> dict[str, Any]:
    """A straight way at one speed."""
    step = 0.01
    times = np.arange(-3.0, seconds, step)
    return {
        "start": float(times[0]),
        "step": step,
        "place": np.stack([speed * times, np.zeros_like(times)]),
        "facing": np.zeros_like(times),
        "rate": np.full_like(times, rate),
        "offset": np.tile(np.array(phases, dtype=np.float64)[:, None], (1, len(times))),
        "duty": np.full((len(phases), len(times)), duty),
        "flex": np.zeros_like(times),
    }


def posed(animal: Animal, given: dict[str, Any], falls: Floats, times: Any, *, travel: bool = True) -> Any:
    """(bone, 3, 4, frames) poses in armature space, and what the core tells beside the motion."""
    bones, motion, slope, track, lack = amble_core.legged_pose(
        **given, footfalls=falls, travel=travel, time=np.asarray(times, dtype=np.float64)
    )
    channels = np.zeros((len(animal.names), 10, motion.shape[2]), dtype=np.float32)
    channels[:, [3, 7, 8, 9]] = 1.0
    channels[bones] = motion
    pose = amble_core.forward_kinematics(given["parents"], given["rest"], given["flags"], channels)
    return pose.reshape(len(animal.names), 3, 4, -1).astype(np.float64), (motion, slope, track, lack)


@dataclass(frozen=True)
class Row:
    """A gait of data/gaits.toml for one number of legs."""

    name: str
    phases: tuple[float, ...]
    table: dict[str, Any]

    @property
    def usual(self) -> float:
        """Froude number at ease."""
        return float(self.table["usual"])

    def duty(self, froude: float) -> float:
        """Stance as a share of the stride."""
        return float(np.interp(froude, *np.array(self.table["duty"]).T))

    def stride(self, froude: float) -> float:
        """Over hip height."""
        factor, power = self.table["stride"]
        return float(factor * froude**power)


def gaits(legs: int) -> dict[str, Row]:
    """All gaits for so many legs, by name."""
    tables = tomllib.loads((ROOT / "addon" / "data" / "gaits.toml").read_text(encoding="utf-8"))
    return {
        name: Row(name, tuple(table["legs"][str(legs)]), table)
        for name, table in tables.items()
        if str(legs) in table["legs"]
    }
