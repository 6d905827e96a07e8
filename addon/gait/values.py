"""Settings as the core takes them, and what the core says as its users read it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..reading import Size
from ..rig import Limb, Roles, Skeleton
from ..rig.parts import body_parts
from ..rig.sides import SIDES, WORDS
from .settings import GAITS, POSTURE, USUAL_SPEED, GaitSettings, paces

GRAVITY = 9.81
# The shortest and longest leg that people have, metres.
USUAL_LEGS = (0.7, 1.2)

Floats = npt.NDArray[np.float64]


def values_of(native: Any, settings: GaitSettings, size: Size) -> Floats:
    """The core's settings: lengths in armature units, angles in radians."""
    values = np.array([initial for _, initial, _, _ in native.GAIT_SETTINGS])
    given = {
        "speed": (settings.speed or USUAL_SPEED[settings.gait]) / size.forward,
        # Unevenly scaled legs keep the dimensionless speed that they have in the world.
        "gravity": GRAVITY * size.up / size.forward**2,
        "cycle": settings.cycle,
        "duty": settings.duty,
        "step_width": None if settings.step_width is None else settings.step_width / size.left,
        "arm_swing": settings.arm_swing,
        "pelvis_sway": settings.pelvis_sway,
        "pelvis_turn": settings.pelvis_turn,
        "lean": math.radians(settings.lean),
        "gait": float(GAITS[settings.gait]),
        "step_length": settings.step_length,
        "bounce": settings.bounce,
        **{name: math.radians(getattr(settings, name)) for name in POSTURE},
    }
    for name, value in given.items():
        if value is not None:
            values[place_of(native, name)] = value
    return values


def place_of(native: Any, name: str) -> int:
    """Where a setting stands among the core's."""
    return [setting[0] for setting in native.GAIT_SETTINGS].index(name)


def figures_of(native: Any, summary: Floats) -> dict[str, float]:
    """The core's summary by its names."""
    return dict(zip(native.GAIT_SUMMARY, summary.tolist(), strict=True))


def in_words(reason: str, settings: GaitSettings, legs: Sequence[Limb]) -> str:
    """The core's complaint in the user's terms."""
    if reason.startswith("speed"):
        found = reason.split("which is ")[-1]
        kind = "running" if "a run has" in found else "walking"
        return (
            f"speed {settings.speed:g} m/s is no {kind} speed for legs this long ({found}): "
            "ask for another speed."
        )
    if reason.startswith("cycle"):
        for name in paces(settings):
            unit = GaitSettings.__dataclass_fields__[name].metadata["unit"]
            return f"{name} {getattr(settings, name):g} {unit} makes {reason.split(', ', 1)[-1]}."
    for row, leg in enumerate(legs):
        if reason.startswith(f"legs[{row}]"):
            what = reason[len("legs[0]") :]
            return f"The {WORDS[leg.side]} leg ({', '.join(leg.bones)}){what}. Correct its role."
    return f"{reason[0].upper()}{reason[1:]}."


def usual_speed(skeleton: Skeleton, roles: Roles, size: Size, gait: str = "walk") -> float:
    """Metres a second at which such legs walk or run at ease: as people at the same dimensionless speed."""
    parts = {part.key: skeleton.heads[skeleton.index(part.bone)] for part in body_parts(skeleton, roles)}
    lengths = []
    for side in SIDES:
        joints = [parts[f"{name}.{side}"] for name in ("thigh", "shin", "foot") if f"{name}.{side}" in parts]
        height = float(joints[-1] @ np.array(roles.up)) - roles.ground
        lengths.append(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum() + max(height, 0.0))
    leg = size.up * float(np.mean(lengths))
    return USUAL_SPEED[gait] * math.sqrt(leg / min(max(leg, USUAL_LEGS[0]), USUAL_LEGS[1]))
