"""From settings and a rig to a walk as arrays, and the timing of it.

`plan` is everything up to the core's result and needs no scene; what is written, and where, is make.py's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..action.reduce import Reduction
from ..errors import BadSetting, MissingRole
from ..reading import METRES, Size
from ..report.contacts import Contact
from ..rig import Limb, Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.parts import Part, body_parts, two_legs
from ..rig.sides import SIDES, WORDS
from .body import Body, controlled_body, plain_body
from .journey import Course as Told
from .journey import Journey
from .reduce import frames_of, reduction_for
from .settings import GAITS, LAST_FRAME, USUAL_SPEED, GaitSettings, paces, with_cycle
from .steps import Step, heels, strikes

# A whole number of strides is fitted into the frames asked for as long as that changes the stride by no more
# than this; beyond it the walk keeps its natural stride and ends where a stride ends. Natural strides are
# about 6 % under people's, and the report's bar is at 10 %.
FIT = 0.03
GRAVITY = 9.81
# The shortest and longest leg that people have, metres.
USUAL_LEGS = (0.7, 1.2)
# Fewer keys than this and feet that are planted on keys leave their places between them.
KEYS_A_STRIDE = 24
# A runner's legs turn faster.
KEYS_A_RUN = 40
# More keys than this are no walk that anybody asked for, and would fill the memory.
MOST_KEYS = 1_000_000
# A heel strike this far (in frames) from a whole frame gets a key of its own.
STRIKE_KEY = 0.02

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Timing:
    """Frames of a motion.

    start, end: first and last key; strides: how many lie between; fps: frames a second; cycle: seconds a
    stride; keys: how many keys a frame gets; note: one sentence where it is not what was asked for; struck:
    frames in which feet come down or leave, where that is not every half stride.
    """

    start: float
    end: float
    strides: float
    fps: float
    cycle: float
    note: str = ""
    keys: int = 1
    struck: tuple[float, ...] | None = None

    @property
    def frames(self) -> Floats:
        """Key frames: every whole one from start, the end, and each heel strike that falls between two; with
        more than one key a frame halves, thirds ... too.

        A foot that strikes begins to fall at once; a curve that has no key there rounds that off, and the
        heel slides by a millimetre.
        """
        whole = self.start + np.arange(round((self.end - self.start) * self.keys) + 1) / self.keys
        strikes = self.start + 0.5 * self.cycle_frames * np.arange(np.ceil(2.0 * self.strides + 1e-6))
        strikes = strikes if self.struck is None else np.array(self.struck)
        nearest = np.clip(np.rint((strikes - self.start) * self.keys).astype(np.intp), 0, len(whole) - 1)
        between = np.abs(strikes - whole[nearest]) > STRIKE_KEY
        between &= (strikes > self.start) & (strikes < self.end)
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
    figures: of the plan, by name; carrier: the bone that carries the body forward, if one does; speed: m/s;
    feet: each of the roles' legs' foot bone; steps: every stance in the motion and right beside it, by leg in
    rising order (empty where they were not asked for); gait: "walk" or "run"; course: of a gait on orbits,
    the way from rest and the velocity a second, float64 (6, frames), armature space; told: what a report
    on that asks, where it is not straight on over level ground; gone: metres since the first frame,
    (frames,), where the speed changes; notes: one sentence each; journey: along a way that is not straight
    and level; loop: whether it closes; samples: frames of the motion where these are not those of the
    timing; reduction: what fewer keys must keep to.
    """

    bones: tuple[str, ...]
    motion: npt.NDArray[np.float32]
    slopes: npt.NDArray[np.float32]
    channels: npt.NDArray[np.bool_]
    timing: Timing
    contacts: tuple[Contact, ...]
    figures: dict[str, float]
    carrier: str | None
    speed: float
    feet: tuple[str, ...]
    steps: tuple[Step, ...]
    gait: str
    course: Floats | None = None
    told: Told | None = None
    notes: tuple[str, ...] = ()
    journey: Journey | None = None
    loop: bool = True
    gone: Floats | None = None
    samples: Floats | None = None
    reduction: Reduction | None = None

    @property
    def frames(self) -> Floats:
        """(frames,), those of the motion: with a reduction only some of them get keys."""
        return self.timing.frames if self.samples is None else self.samples


def plan(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    settings: GaitSettings,
    *,
    fps: float,
    size: Size = METRES,
    controls: Controls | None = None,
) -> Walk:
    """A walk of this skeleton.

    soles: one for each of roles.legs; settings: with a speed; fps: where the settings leave it open; size: of
    an armature unit; controls: of a rig whose parts are not to be keyed themselves. Raises
    NoLegsFound, MissingRole, BadSetting.
    """
    native = core.load()
    legs = two_legs(roles)
    parts = body_parts(skeleton, roles)
    body = (
        plain_body(skeleton, roles, soles, parts)
        if controls is None
        else controlled_body(skeleton, roles, soles, parts, controls)
    )
    asked, settings = settings, with_cycle(settings)
    rate = settings.fps or fps
    travel = travels(roles, settings.root_motion)

    def run(values: Floats, time: Floats, fitted: str = "") -> Any:
        try:
            return native.gait(
                **body.arguments, root=body.root if travel else -1, settings=values, travel=travel, time=time
            )
        except ValueError as reason:
            if fitted and "cycle" in str(reason):
                raise BadSetting(fitted) from reason
            raise BadSetting(in_words(str(reason), asked, legs)) from reason

    values = values_of(native, settings, size)
    natural = figures_of(native, run(values, np.zeros(0))[3])
    timing = fit_frames(settings, natural["cycle"], rate)
    if timing.end > LAST_FRAME:
        raise BadSetting(f"The walk would end at frame {timing.end:.0f}: frames end at {LAST_FRAME}.")
    fitted = _fitted(timing, natural["cycle"], natural["leg_length"] * size.up)
    if timing.cycle > MOST_KEYS * natural["cycle"]:
        raise BadSetting(fitted)
    gait = next(name for name, number in GAITS.items() if number == natural["gait"])
    wanted = KEYS_A_RUN if gait == "run" else KEYS_A_STRIDE
    timing = replace(timing, keys=keys_a_frame(skeleton, body, timing, wanted))
    values[place_of(native, "cycle")] = timing.cycle
    frames = frames_of(settings, timing.frames)
    time = (frames - timing.start) / rate
    # The feet's places come out of the same call as the keys, in which the stride is planned only once.
    strides = strikes(timing.strides, body.arguments["leg_phase"]) if settings.events else np.zeros((2, 0))
    moved, motion, slopes, summary = run(
        values, np.concatenate([time, strides.ravel() * timing.cycle]), fitted
    )
    figures = figures_of(native, summary)
    places = heels(native, body, moved, motion[..., len(time) :], strides.shape[1])
    if settings.root_motion == "object":  # the body stays where it is in its own space, and that moves on
        ahead = values[place_of(native, "speed")] * timing.cycle * strides
        places = places + ahead.reshape(2, -1, 1) * np.array(roles.facing)
    motion, slopes = motion[..., : len(time)], slopes[..., : len(time)]
    bones, motion, slopes, channels = keyed_rows(body, moved, motion, slopes / np.float32(rate))
    contacts = _contacts(legs, roles, figures, timing, settings.loop)
    return Walk(
        bones=bones,
        motion=motion,
        slopes=slopes,
        channels=channels,
        timing=timing,
        contacts=contacts,
        figures=figures,
        carrier=body.carrier if travel else None,
        speed=settings.speed or USUAL_SPEED[settings.gait],
        feet=feet_of(parts, roles),
        steps=_steps(legs, roles, strides, places, figures["duty"], timing),
        gait=gait,
        samples=frames,
        reduction=reduction_for(
            settings,
            skeleton,
            roles,
            body,
            moved,
            frames,
            contacts,
            timing.cycle_frames,
            figures["leg_length"],
            settings.loop,
        ),
    )


def keys_a_frame(skeleton: Skeleton, body: Body, timing: Timing, wanted: int = KEYS_A_STRIDE) -> int:
    """How many keys a frame needs: more than one for strides of few frames, and where axes of rotation, which
    swing about when a bone passes its rest, are what is keyed. wanted: a stride, at least. Raises BadSetting
    where all are too many."""
    keys = math.ceil(wanted / timing.cycle_frames - 1e-6)
    modes = {skeleton.rotation_modes[skeleton.index(one.bone)] for one in body.keyed.values() if one.rotation}
    keys = 4 * keys if "AXIS_ANGLE" in modes else keys
    check_keys(timing.end - timing.start, timing.cycle_frames, keys)
    return keys


def check_keys(span: float, stride: float, keys: int = 1) -> None:
    """Raises BadSetting for more keys than there should be. span, stride: in frames; keys: a frame."""
    # No quotient: at a tiny frame rate a stride may be of no frames at all.
    if span * keys > MOST_KEYS or span * KEYS_A_STRIDE > MOST_KEYS * stride:
        raise BadSetting(
            f"{span:.7g} frames with strides of {stride:.3g} frames need more than {MOST_KEYS:,} keys: "
            "ask for fewer frames, or for more of them a second (fps)."
        )


def travels(roles: Roles, root_motion: str) -> bool:
    """Whether a bone carries the body forward. Raises MissingRole without the root bone asked for."""
    if root_motion == "bone" and roles.root is None:
        raise MissingRole("The rig has no root bone to carry the motion: use auto, object or none.")
    return root_motion in ("auto", "bone")


def usual_speed(skeleton: Skeleton, roles: Roles, size: Size, gait: str = "walk") -> float:
    """Metres a second at which such legs walk or run at ease: as people at the same dimensionless speed."""
    parts = {part.key: skeleton.heads[skeleton.index(part.bone)] for part in body_parts(skeleton, roles)}
    lengths = []
    for side in SIDES:
        hip, knee, ankle = (parts[f"{name}.{side}"] for name in ("thigh", "shin", "foot"))
        height = float(ankle @ np.array(roles.up)) - roles.ground
        lengths.append(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee) + max(height, 0.0))
    leg = size.up * float(np.mean(lengths))
    return USUAL_SPEED[gait] * math.sqrt(leg / min(max(leg, USUAL_LEGS[0]), USUAL_LEGS[1]))


def keyed_rows(
    body: Body,
    moved: npt.NDArray[np.int32],
    motion: npt.NDArray[np.float32],
    slopes: npt.NDArray[np.float32],
) -> tuple[tuple[str, ...], npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Of the core's result for a body what is keyed: bones, motion, slopes and channels as in Walk."""
    rows = [row for row, index in enumerate(moved) if int(index) in body.keyed]
    keyed = [body.keyed[int(moved[row])] for row in rows]
    channels = np.array(
        [(one.location, one.rotation, False) for one in keyed] + [(False, True, False)] * len(body.held),
        dtype=bool,
    )
    motion, slopes = motion[rows], slopes[rows]
    # What is not keyed is left to what carries the bone: no keys, or keys at rest.
    moves, turns, _ = channels[: len(rows)].T
    motion[~moves, :3] = slopes[~moves, :3] = motion[~turns, 4:7] = slopes[~turns, 3:7] = 0.0
    motion[~turns, 3] = 1.0
    held = len(body.held)
    bones = (*(one.bone for one in keyed), *body.held)
    return bones, with_rest(motion, held, 1.0), with_rest(slopes, held, 0.0), channels


def with_rest(block: npt.NDArray[np.float32], bones: int, one: float) -> npt.NDArray[np.float32]:
    """The block with as many bones more at rest; one: the rotation's w and the scale, 0 for slopes."""
    rest = np.zeros((bones, *block.shape[1:]), dtype=np.float32)
    rest[:, [3, 7, 8, 9]] = one
    return np.concatenate([block, rest])


# ---- timing ----


def place_of(native: Any, name: str) -> int:
    """Where a setting stands among the core's."""
    return [setting[0] for setting in native.GAIT_SETTINGS].index(name)


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
    }
    for name, value in given.items():
        if value is not None:
            values[place_of(native, name)] = value
    return values


def figures_of(native: Any, summary: Floats) -> dict[str, float]:
    """The core's summary by its names."""
    return dict(zip(native.GAIT_SUMMARY, summary.tolist(), strict=True))


def fit_frames(settings: GaitSettings, cycle: float, fps: float) -> Timing:
    """Fits strides of about `cycle` seconds into the frames asked for."""
    natural = cycle * fps
    if settings.frames is None:
        length = max(round(natural), 2) if settings.loop else natural
        return Timing(1.0, 1.0 + float(max(round(length), 2)), 1.0, fps, max(round(natural), 2) / fps)
    start, end = settings.frames
    span = end - start
    if span < 1:
        raise BadSetting(f"frames is {start}:{end}: the last frame must come after the first.")
    check_keys(float(span), natural)
    if not settings.loop:
        return Timing(float(start), float(end), span / natural, fps, cycle)
    strides = max(round(span / natural), 1)
    fitted = span / strides / fps
    fits = abs(fitted / cycle - 1.0) <= FIT
    if fits or settings.cycle is not None:
        note = (
            ""
            if fits
            else f"{span} frames hold no whole number of strides of {cycle:.2f} s: they take {fitted:.2f} s "
            "each. Ask for other frames, or for no loop."
        )
        return Timing(float(start), float(end), float(strides), fps, fitted, note)
    strides = max(math.floor(span / natural + FIT), 1)
    length = strides * max(round(natural), 2)
    note = (
        f"{span} frames hold no whole number of strides of {natural:.1f} frames: "
        f"the loop ends at frame {start + length}."
    )
    return Timing(float(start), float(start + length), float(strides), fps, length / strides / fps, note)


def _fitted(timing: Timing, cycle: float, leg: float) -> str:
    """What to say where strides of `cycle` seconds, fitted into frames, are none that legs can make; leg: its
    length, metres."""
    natural = cycle * timing.fps
    if natural < 2.0:
        return (
            f"At {timing.fps:g} frames a second (fps) a stride takes {natural:.2g} frames, and it needs at "
            f"least 2: ask for a higher fps, or correct the rig's size (its legs are {leg:.2g} m long)."
        )
    return (
        f"Strides of {natural:.4g} frames become {timing.cycle_frames:.4g} frames long to fit into the "
        "frames asked for, and legs cannot make such strides: ask for other frames."
    )


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


# ---- contacts ----


def feet_of(parts: Sequence[Part], roles: Roles) -> tuple[str, ...]:
    """The foot bone of each of the roles' legs."""
    bones = {part.key: part.bone for part in parts}
    return tuple(bones[f"foot.{leg.side}"] for leg in roles.legs)


def _steps(
    legs: Sequence[Limb], roles: Roles, strides: Floats, places: Floats, duty: float, timing: Timing
) -> tuple[Step, ...]:
    """The steps whose heels strike at `strides`, (legs, n), at `places`, (legs, n, 3)."""
    return tuple(
        Step(
            roles.legs.index(leg),
            timing.start + stride * timing.cycle_frames,
            timing.start + (stride + duty) * timing.cycle_frames,
            place,
        )
        for leg, row, spots in zip(legs, strides, places, strict=True)
        for stride, place in zip(row.tolist(), spots, strict=True)
    )


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
