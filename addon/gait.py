"""Gait: settings, the body as arrays for the core, and the timing of a walk.

`plan` is everything up to the core's result and needs no scene; what is written, and where, is api.py's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import core
from .errors import BadSetting, MissingRole, NoLegsFound
from .report.contacts import Contact
from .rig import Limb, Roles, Skeleton, Sole, foot_bones

# A whole number of strides is fitted into the frames asked for as long as that changes the stride by no more
# than this; beyond it the walk keeps its natural stride and ends where a stride ends.
FIT = 0.08
GRAVITY = 9.81
# A heel strike this far (in frames) from a whole frame gets a key of its own.
STRIKE_KEY = 0.02

Floats = npt.NDArray[np.float64]


def _setting(initial: Any, text: str, /, **more: Any) -> Any:
    return field(default=initial, metadata={"help": text, **more})


@dataclass(frozen=True, slots=True)
class GaitSettings:
    """What can be asked of a walk. Every field's metadata is the one place for its help, unit and range."""

    speed: float = _setting(1.4, "ground speed", unit="m/s", above=0.0)
    frames: tuple[int, int] | None = _setting(
        None,
        "first and last frame; a loop that fits no whole number of strides ends where a stride ends",
        default="one stride from frame 1",
    )
    gait: Literal["walk"] = _setting("walk", "footfall pattern")
    fps: float | None = _setting(
        None, "frames a second", unit="1/s", above=0.0, max=1000.0, default="the scene's"
    )
    root_motion: Literal["none", "auto", "bone", "object"] = _setting(
        "auto",
        "what carries the body forward: none walks in place; auto takes the root bone, else the pelvis; bone "
        "the root bone; object the armature object",
    )
    loop: bool = _setting(True, "close the last pose on the first")
    cycle: float | None = _setting(
        None, "time of one stride", unit="s", above=0.0, default="from speed and leg length"
    )
    duty: float | None = _setting(
        None, "share of the stride that a foot is on the ground", min=0.52, max=0.8, default="from speed"
    )
    step_width: float | None = _setting(
        None,
        "distance between the lines that the feet walk on",
        unit="m",
        min=0.0,
        default="from speed and hips",
    )
    arm_swing: float = _setting(1.0, "factor on the swing of the arms", min=0.0, max=3.0)
    pelvis_sway: float = _setting(1.0, "factor on the sideways motion of the pelvis", min=0.0, max=3.0)
    pelvis_turn: float = _setting(1.0, "factor on turn and list of the pelvis", min=0.0, max=3.0)
    lean: float = _setting(2.0, "forward lean of the trunk", unit="degrees", min=-45.0, max=45.0)


@dataclass(frozen=True, slots=True)
class Timing:
    """Frames of a motion.

    start, end: first and last key; strides: how many lie between; fps: frames a second; cycle: seconds a
    stride; note: one sentence where it is not what was asked for.
    """

    start: float
    end: float
    strides: float
    fps: float
    cycle: float
    note: str = ""

    @property
    def frames(self) -> Floats:
        """Key frames: every whole one from start, the end, and each heel strike that falls between two.

        A foot that strikes begins to fall at once; a curve that has no key there rounds that off, and the
        heel slides by a millimetre.
        """
        whole = np.arange(self.start, self.end + 0.5)
        strikes = self.start + 0.5 * self.cycle_frames * np.arange(np.ceil(2.0 * self.strides + 1e-6))
        between = (np.abs(strikes - np.round(strikes)) > STRIKE_KEY) & (strikes < self.end)
        return np.sort(np.concatenate([whole, strikes[between]]))

    @property
    def cycle_frames(self) -> float:
        """Frames a stride."""
        return self.cycle * self.fps


@dataclass(frozen=True, slots=True)
class Walk:
    """The core's result.

    bones: names of those moved; motion, slopes: float32 (bones, 10, frames), the latter a frame; channels:
    bool (bones, 3), location, rotation, scale to be keyed; timing: its frames; contacts: every stance;
    figures: of the plan, by name; carrier: the bone that carries the body forward, if one does.
    """

    bones: tuple[str, ...]
    motion: npt.NDArray[np.float32]
    slopes: npt.NDArray[np.float32]
    channels: npt.NDArray[np.bool_]
    timing: Timing
    contacts: tuple[Contact, ...]
    figures: dict[str, float]
    carrier: str | None


def plan(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    settings: GaitSettings,
    *,
    fps: float,
    scale: float = 1.0,
) -> Walk:
    """A walk of this skeleton.

    soles: one for each of roles.legs; fps: where the settings leave it open; scale: metres an armature unit.
    Raises NoLegsFound, MissingRole, BadSetting.
    """
    native = core.load()
    legs = _two_legs(roles)
    arguments = _body(skeleton, roles, soles, legs)
    rate = settings.fps or fps
    carrier = _carrier(roles, settings.root_motion)
    arguments["root"] = skeleton.index(carrier) if carrier is not None and carrier == roles.root else -1
    travel = carrier is not None

    def run(values: Floats, time: Floats) -> Any:
        try:
            return native.gait(**arguments, settings=values, travel=travel, time=time)
        except ValueError as reason:
            raise BadSetting(_in_words(str(reason), settings, legs)) from reason

    values = _values(native, settings, scale)
    natural = _figures(native, run(values, np.zeros(0))[3])
    timing = _timing(settings, natural["cycle"], rate)
    values[_place(native, "cycle")] = timing.cycle
    time = (timing.frames - timing.start) / rate
    bones, motion, slopes, summary = run(values, time)
    names = tuple(skeleton.names[b] for b in bones)
    figures = _figures(native, summary)
    return Walk(
        bones=names,
        motion=motion,
        slopes=slopes / np.float32(rate),
        channels=_channels(names, roles.pelvis, carrier),
        timing=timing,
        contacts=_contacts(legs, roles, figures, timing, settings.loop),
        figures=figures,
        carrier=carrier,
    )


# ---- the body as arrays ----


def _two_legs(roles: Roles) -> tuple[Limb, Limb]:
    """Left and right leg of a biped."""
    if not roles.legs:
        raise NoLegsFound(roles.missing.get("legs", "No legs were found. Set legs."))
    for sentences in roles.missing.values():
        raise MissingRole(sentences)
    if len(roles.legs) != 2:
        raise MissingRole(
            f"The rig has {len(roles.legs)} legs; this version walks on two. Choose two of them as legs."
        )
    sides = {leg.side: leg for leg in roles.legs}
    for side, word in (("L", "left"), ("R", "right")):
        if side not in sides:
            found = ", ".join(f'"{leg.bones[0]}"' for leg in roles.legs)
            raise NoLegsFound(
                f"No {word} leg was found, only legs that begin with {found}. Set legs, one on each side."
            )
    return sides["L"], sides["R"]


def _joints(skeleton: Skeleton, leg: Limb) -> tuple[str, str, str, str | None]:
    """Thigh, shin, foot and toe of a leg."""
    foot = foot_bones(skeleton, leg)[0]
    above = leg.bones[: leg.bones.index(foot)]
    if len(above) != 2:
        raise MissingRole(
            f"The {_word(leg)} leg ({', '.join(leg.bones)}) has {len(above)} bones from the hip to the foot, "
            "this version walks on two, thigh and shin. Set the role of the leg to those and the foot."
        )
    return above[0], above[1], foot, leg.toe


def _word(leg: Limb) -> str:
    return {"L": "left", "R": "right", "C": "middle"}[leg.side]


def _body(skeleton: Skeleton, roles: Roles, soles: Sequence[Sole], legs: tuple[Limb, Limb]) -> dict[str, Any]:
    """The core's description of the body; see amble_core.gait."""

    def index(name: str | None) -> int:
        return -1 if name is None else skeleton.index(name)

    by_side = {leg.side: sole for leg, sole in zip(roles.legs, soles, strict=True)}
    arms = {arm.side: arm for arm in roles.arms if len(arm.bones) >= 2}
    arm_bones = np.full((2, 2), -1, dtype=np.int32)
    hands = np.zeros((2, 3))
    for row, side in enumerate("LR"):
        arm = arms.get(side)
        if arm is not None:
            arm_bones[row] = [index(bone) for bone in arm.bones[:2]]
            fore = index(arm.bones[1])
            hands[row] = skeleton.heads[index(arm.bones[2])] if len(arm.bones) > 2 else skeleton.tails[fore]
    neck = [*roles.neck, *([roles.head] if roles.head else [])]
    return {
        "parents": np.ascontiguousarray(skeleton.parents),
        "rest": np.ascontiguousarray(skeleton.rest),
        "flags": np.ascontiguousarray(skeleton.flags),
        "pelvis": index(roles.pelvis),
        "spine": np.array([index(b) for b in roles.spine], dtype=np.int32),
        "neck": np.array([index(b) for b in neck], dtype=np.int32),
        "legs": np.array([[index(bone) for bone in _joints(skeleton, leg)] for leg in legs], dtype=np.int32),
        "soles": np.array([[by_side[s].heel, by_side[s].pivot, by_side[s].tip] for s in "LR"]),
        "leg_phase": np.array([0.0, 0.5]),
        "arms": arm_bones,
        "hands": hands,
        "followers": np.empty((0, 2), dtype=np.int32),
        "forward": np.array(roles.facing, dtype=np.float64),
        "up": np.array(roles.up, dtype=np.float64),
        "ground": float(roles.ground),
    }


def _carrier(roles: Roles, root_motion: str) -> str | None:
    """The bone that carries the body forward, or None."""
    if root_motion == "bone" and roles.root is None:
        raise MissingRole("The rig has no root bone to carry the motion: use auto, object or none.")
    if root_motion in ("auto", "bone"):
        return roles.root if roles.root is not None else roles.pelvis
    return None


def _channels(names: Sequence[str], pelvis: str | None, carrier: str | None) -> npt.NDArray[np.bool_]:
    """Which of location, rotation, scale each bone needs: the root only travels."""
    moves = [name in (pelvis, carrier) for name in names]
    turns = [name != carrier or name == pelvis for name in names]
    return np.column_stack([moves, turns, np.zeros(len(names), dtype=bool)])


# ---- settings and timing ----


def _place(native: Any, name: str) -> int:
    return [setting[0] for setting in native.GAIT_SETTINGS].index(name)


def _values(native: Any, settings: GaitSettings, scale: float) -> Floats:
    """The core's settings: lengths in armature units, angles in radians."""
    values = np.array([initial for _, initial, _, _ in native.GAIT_SETTINGS])
    given = {
        "speed": settings.speed / scale,
        "gravity": GRAVITY / scale,
        "cycle": settings.cycle,
        "duty": settings.duty,
        "step_width": None if settings.step_width is None else settings.step_width / scale,
        "arm_swing": settings.arm_swing,
        "pelvis_sway": settings.pelvis_sway,
        "pelvis_turn": settings.pelvis_turn,
        "lean": math.radians(settings.lean),
    }
    for name, value in given.items():
        if value is not None:
            values[_place(native, name)] = value
    return values


def _figures(native: Any, summary: Floats) -> dict[str, float]:
    return dict(zip(native.GAIT_SUMMARY, summary.tolist(), strict=True))


def _timing(settings: GaitSettings, cycle: float, fps: float) -> Timing:
    """Fits strides of about `cycle` seconds into the frames asked for."""
    natural = cycle * fps
    if settings.frames is None:
        length = max(round(natural), 2) if settings.loop else natural
        return Timing(1.0, 1.0 + float(max(round(length), 2)), 1.0, fps, max(round(natural), 2) / fps)
    start, end = settings.frames
    span = end - start
    if span < 1:
        raise BadSetting(f"frames is {start}:{end}: the last frame must come after the first.")
    if not settings.loop:
        return Timing(float(start), float(end), span / natural, fps, cycle)
    strides = max(round(span / natural), 1)
    if abs(span / (strides * natural) - 1.0) <= FIT or settings.cycle is not None:
        return Timing(float(start), float(end), float(strides), fps, span / strides / fps)
    strides = max(math.floor(span / natural + FIT), 1)
    length = strides * max(round(natural), 2)
    note = (
        f"{span} frames hold no whole number of strides of {natural:.1f} frames: "
        f"the loop ends at frame {start + length}."
    )
    return Timing(float(start), float(start + length), float(strides), fps, length / strides / fps, note)


def _in_words(reason: str, settings: GaitSettings, legs: Sequence[Limb]) -> str:
    """The core's complaint in the user's terms."""
    if reason.startswith("speed"):
        found = reason.split("which is ")[-1]
        return (
            f"speed {settings.speed:g} m/s is no walking speed for legs this long ({found}): "
            "ask for another speed."
        )
    for row, leg in enumerate(legs):
        if reason.startswith(f"legs[{row}]"):
            return (
                f"The {_word(leg)} leg ({', '.join(leg.bones)}){reason[len('legs[0]') :]}. Correct its role."
            )
    return f"{reason[0].upper()}{reason[1:]}."


# ---- contacts ----


def _contacts(
    legs: Sequence[Limb],
    roles: Roles,
    figures: dict[str, float],
    timing: Timing,
    loop: bool,
) -> tuple[Contact, ...]:
    """Every stance in the frames of the motion; in a loop those that begin in it."""
    length = timing.cycle_frames
    found = []
    for phase, leg in zip((0.0, 0.5), legs, strict=True):
        number = roles.legs.index(leg)
        last = math.ceil(timing.strides - phase - 1e-9)
        for k in range(0 if loop else -1, last):
            strike = timing.start + (k + phase) * length

            def at(share: float, strike: float = strike) -> float:
                return strike + share * length

            found.append(
                Contact(
                    leg=number,
                    heel_on=strike,
                    flat=at(figures["flat"]),
                    heel_off=at(figures["heel_lift"]),
                    toe_off=at(figures["duty"]),
                    ball_off=at(figures["ball_off"]) if leg.toe else None,
                )
            )
    return tuple(sorted(found, key=lambda c: c.heel_on))
