"""Orbits as the rows of numbers that the core takes, for a body of a given size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..rig.sides import SIDES
from .orbit_body import Frame
from .orbits import CHARACTER, CURVES, GOINGS, PACES, PLANES, Orbits, Part, Sizes

Floats = npt.NDArray[np.float64]

# A leg is drawn out to this share of its length at the ends of its foot's orbit.
REACH = 0.995


def core_rows(
    native: Any, orbits: Orbits, frame: Frame, root: float, arm_swing: float
) -> tuple[Floats, Floats, Floats]:
    """The core's orbits, corners and settings, in armature units and radians. root: of gravity times leg."""
    unit = orbits.unit * frame.leg
    fields = {name: k for k, (name, _, _) in enumerate(native.ORBIT_FIELDS)}
    rows = np.zeros((len(orbits.parts), len(fields)))
    corners: list[tuple[float, float]] = []
    for row, part in zip(rows, orbits.parts, strict=True):
        values = _row(part, orbits, frame, unit)
        if part.name.startswith("hand."):
            values |= {key: values[key] * arm_swing for key in values if key.startswith("echo")}
        for name, value in values.items():
            row[fields[name]] = value
        corners += part.corners if part.curve == "polygon" else ()
    given = {
        "slow": orbits.slow * root,
        "fast": orbits.fast * root,
        "rate": 0.0,
        "leader": orbits.names[orbits.leader],
        "axes": orbits.axes,
        "threshold": orbits.threshold * root,
        "growth": orbits.growth,
        "growth_time": orbits.growth_time,
        "reverse": float(orbits.reverse),
        "ease": orbits.ease,
        "step": math.radians(orbits.step),
        "down": orbits.down * unit,
    }
    riding = np.array([given[name] for name, _, _ in native.RIDE_SETTINGS], dtype=np.float64)
    return rows, np.array(corners, dtype=np.float64).reshape(-1, 2), riding


def _row(part: Part, orbits: Orbits, frame: Frame, unit: float) -> dict[str, float]:
    """One part's fields by name."""
    place = frame.places.get(part.name)
    if place is None:  # a hand without an arm
        place = frame.places["waist"]
    carrier = np.zeros(3) if part.on == CHARACTER else frame.places.get(part.on, frame.places["waist"])
    ahead, upward = _plane(part)
    vectors = {
        "centre": place - carrier + unit * np.array(part.centre),
        "ahead": ahead,
        "upward": upward,
        "echo": np.array(part.echo),
    }
    values = {
        "curve": CURVES.index(part.curve),
        "pace": PACES.index(part.pace),
        "on": -1.0 if part.on == CHARACTER else orbits.names[part.on],
        "top": float(part.top),
        "source": orbits.names.get(part.source, -1) if part.curve == "echo" else -1.0,
        "corners": len(part.corners) if part.curve == "polygon" else 0.0,
        "lands": float(part.lands),
        "auxiliary": unit * part.auxiliary,
        "rate": 1.0 / part.period,
        "phase": math.radians(part.phase),
        "spin": math.tau * part.turns,
        "clearance": max(float(place[2]), 0.0) if part.lands else 0.0,
        "toe_out": toe_out(orbits, frame, part.name[-1]) if part.name.startswith("ankle.") else 0.0,
    }
    for name, vector in vectors.items():
        for axis, value in zip(("forward", "left", "up"), vector, strict=True):
            values[f"{name}_{axis}"] = float(value)
    heights = _drops(orbits, frame, unit) if part.height is None else _scaled(part.height, unit)
    sizes = {
        "length": _scaled(part.length, unit),
        "height": heights,
        "tilt": _scaled(part.tilt, math.pi / 180),
    }
    for name, size in sizes.items():
        for going in GOINGS:
            for speed, value in zip(("slow", "fast"), getattr(size, going), strict=True):
                values[f"{going}_{speed}_{name}"] = value
    return values


def _scaled(sizes: Sizes, factor: float) -> Sizes:
    def span(pair: tuple[float, float]) -> tuple[float, float]:
        return (pair[0] * factor, pair[1] * factor)

    return Sizes(span(sizes.forward), span(sizes.backward), span(sizes.sideways))


def _plane(part: Part) -> tuple[Floats, Floats]:
    """Unit vectors at right angles. Raises BadSetting."""
    pair = PLANES[part.plane] if isinstance(part.plane, str) else part.plane
    ahead, upward = (np.array(axis, dtype=np.float64) for axis in pair)
    if np.linalg.norm(np.cross(ahead, upward)) <= 1e-6 * np.linalg.norm(ahead) * np.linalg.norm(upward):
        raise BadSetting(f'plane of the orbit of "{part.name}" must be two different directions.')
    ahead = ahead / np.linalg.norm(ahead)
    upward = upward - (upward @ ahead) * ahead
    return ahead, upward / np.linalg.norm(upward)


def toe_out(orbits: Orbits, frame: Frame, side: str) -> float:
    """Direction of a foot from the facing, radians to the left."""
    given = orbits.parts[orbits.names[f"ankle.{side}"]].toe_out
    if given is None:
        return float(frame.toes[SIDES.index(side)])
    return math.radians(given) * (1.0 if side == "L" else -1.0)


def _drops(orbits: Orbits, frame: Frame, unit: float) -> Sizes:
    """How deep the waist must come for the legs to reach both ends of the ankles' orbits on the ground."""
    ankles = [(side, orbits.parts[orbits.names[f"ankle.{side}"]]) for side in SIDES]

    def drop(length: float, row: int, side: str) -> float:
        off = frame.places[f"ankle.{side}"] - frame.hips[row]
        aside = (0.5 * unit * length + abs(off[0])) ** 2 + off[1] ** 2
        reach = (REACH * frame.legs[row].sum()) ** 2
        return max(-float(off[2]) - math.sqrt(max(reach - aside, 0.0)), 0.0)

    def span(going: str) -> tuple[float, float]:
        slow, fast = (
            max(drop(getattr(part.length, going)[k], row, side) for row, (side, part) in enumerate(ankles))
            for k in range(2)
        )
        return slow, fast

    return Sizes(span("forward"), span("backward"), span("sideways"))
