"""A gait straight on at one speed over level ground: from settings and a rig to the walk as arrays.

Everything up to the core's result, which needs no scene; what is written, and where, is make.py's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import BadSetting
from ..options import LAST_FRAME
from ..reading import METRES, Size
from ..report.contacts import Contact
from ..rig import Limb, Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.parts import body_parts, two_legs
from .body import body_of
from .reduce import frames_of, reduction_for
from .settings import GAITS, USUAL_SPEED, GaitSettings, with_cycle
from .steps import Step, heels, strikes
from .timing import MOST_KEYS, Timing, fit_frames, keys_a_frame
from .values import figures_of, in_words, place_of, values_of
from .walk import Walk, feet_of, keyed_rows, travels

Floats = npt.NDArray[np.float64]


def plan_straight(
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
    body = body_of(skeleton, roles, soles, parts, controls)
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
    timing = replace(timing, keys=keys_a_frame(skeleton, body, timing, gait))
    values[place_of(native, "cycle")] = timing.cycle
    frames = frames_of(settings, timing.frames)
    time = (frames - timing.start) / rate
    # The feet's places come out of the same call as the keys, in which the stride is planned only once.
    strides = strikes(timing.strides, body.arguments["leg_phase"]) if settings.events else np.zeros((2, 0))
    moved, motion, slopes, summary = run(
        values, np.concatenate([time, strides.ravel() * timing.cycle]), fitted
    )
    figures = figures_of(native, summary)
    places = np.zeros((2, 0, 3))
    if strides.size:
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
