"""What panels, scripts and the command line call.

Each function takes objects, needs no context, and leaves the scene as it found it, but for the action that it
was asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import action as actions
from . import gait as gaits
from . import options
from .errors import BadSetting
from .gait import GaitSettings, Timing
from .report.contacts import Contact
from .report.sampling import scene_fps, unit_size
from .rig import Roles, foot_points, read_skeleton, read_skin, recognise, sole
from .rig.controls import find_controls, is_plain
from .rig.parts import body_parts
from .rig.stored import corrections_of

if TYPE_CHECKING:
    from .report import Report


@dataclass(frozen=True, slots=True)
class Result:
    """What a call made.

    action: the new action; report: measured on it (None where it was not asked for); roles: what was
    recognised; contacts: every stance; notes: one sentence each, on what is not as asked for; frames: the
    first and last; figures: of the plan, by name.
    """

    action: Any
    report: Report | None
    roles: Roles
    contacts: tuple[Contact, ...]
    notes: tuple[str, ...]
    frames: tuple[float, float]
    figures: dict[str, float]


def gait(
    armature_object: Any,
    settings: GaitSettings | None = None,
    *,
    name: str = "Walk",
    overwrite: bool = False,
    report: bool = True,
    **changes: Any,
) -> Result:
    """Make an action that walks the armature, and let the object play it.

    settings, changes: fields of GaitSettings, the latter by keyword: gait(rig, speed=1.2, frames=(1, 48)).
    name: of the action; a number is added where it is taken, or with `overwrite` the old one is replaced.
    report: measure the result on the evaluated armature (Result.report).

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    known = {field.name for field in dataclasses.fields(GaitSettings)}
    for key in changes:
        if key not in known:
            raise BadSetting(f"There is no setting {key}; there are {', '.join(sorted(known))}.")
    settings = dataclasses.replace(settings or GaitSettings(), **changes)
    options.check(settings)
    skeleton = read_skeleton(armature_object)
    skin = read_skin(armature_object, skeleton.names)
    roles = recognise(skeleton, skin, corrections_of(armature_object))
    soles = [sole(skeleton, roles, leg, foot_points(skeleton, leg, skin)) for leg in roles.legs]
    scale = unit_size(skeleton.world)
    # A foot in one piece rolls off over its tip: nothing bends before it.
    soles = [
        s if leg.toe else dataclasses.replace(s, pivot=s.tip)
        for s, leg in zip(soles, roles.legs, strict=True)
    ]
    if settings.speed is None:
        settings = dataclasses.replace(settings, speed=gaits.usual_speed(skeleton, roles, scale))
    speed = settings.speed or gaits.USUAL_SPEED
    parts = body_parts(skeleton, roles)
    controls = None
    if not is_plain(armature_object, skeleton, parts):
        travels = gaits.travels(roles, settings.root_motion)
        mode = None if settings.limbs == "as set" else settings.limbs
        controls = find_controls(armature_object, roles, parts, travels=travels, mode=mode)
    walk = gaits.plan(skeleton, roles, soles, settings, fps=scene_fps(), scale=scale, controls=controls)

    travel = skeleton.world[:3, :3] @ np.array(roles.facing)
    travel /= np.linalg.norm(travel)
    place = slopes = None
    if settings.root_motion == "object":
        place, slopes = _object_track(armature_object, travel * speed / walk.timing.fps, walk.timing)
    written = actions.write(
        armature_object,
        name,
        walk.bones,
        walk.motion,
        walk.slopes,
        walk.timing.frames,
        walk.channels,
        overwrite=overwrite,
        cyclic=settings.loop,
        object_location=place,
        object_location_slopes=slopes,
    )
    if controls is not None and controls.switched:
        actions.add_constants(armature_object, written.action, controls.switched, walk.timing.start)
    actions.add_markers(written.action, _markers(roles, walk.contacts, walk.timing))
    notes = [*([walk.timing.note] if walk.timing.note else []), *roles.warnings]
    notes += [*(controls.notes if controls is not None else ()), *written.skipped]
    if settings.root_motion == "auto" and walk.carrier != roles.root:
        notes.append(f'The rig has no root bone that is free: "{walk.carrier}" carries the motion forward.')
    frames = (walk.timing.start, walk.timing.end)
    measured = None
    if report:
        from .report.measure import measure

        measured = measure(
            armature_object,
            roles,
            soles,
            walk.contacts,
            frames,
            speed=speed,
            travel=travel,
            in_place=settings.root_motion == "none",
            cyclic=settings.loop,
            fps=walk.timing.fps,
            gait=settings.gait,
        )
    return Result(written.action, measured, roles, walk.contacts, tuple(notes), frames, walk.figures)


def _object_track(armature_object: Any, step: Any, timing: Timing) -> tuple[Any, Any]:
    """The object's own location and its slope, (3, frames) each, for a world step a frame."""
    parent = np.array(armature_object.matrix_world @ armature_object.matrix_basis.inverted())[:3, :3]
    own = np.linalg.solve(parent, step)
    start = np.array(armature_object.location)
    gone = timing.frames - timing.start
    return start[:, None] + own[:, None] * gone, np.repeat(own[:, None], len(gone), axis=1)


def _markers(roles: Roles, contacts: Sequence[Contact], timing: Timing) -> list[tuple[str, float]]:
    """Foot down and foot up, by side, within the motion."""
    names = {"L": "left", "R": "right", "C": "foot"}
    found = []
    for contact in contacts:
        side = names[roles.legs[contact.leg].side]
        for word, frame in (("down", contact.heel_on), ("up", contact.toe_off)):
            if timing.start <= frame <= timing.end:
                found.append((f"{side} {word}", frame))
    return found
