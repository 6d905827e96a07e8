"""The call: from an armature object and the pose that it holds to the action that breathes."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import action as actions
from .. import core, options
from ..action.memory import Memory, restore
from ..action.names import cut
from ..errors import ActionExists, BadSetting, is_gone
from ..kept import actions_kept_on_error, pose_kept_on_error
from ..reading import Rig, check_usable, read
from ..report.sampling import scene_fps, unit_size
from ..rig import Roles, Skeleton
from ..rig.roles import separate
from .body import HeldBody
from .built_in import quicker
from .conditions import Stretch, load, names, stretches, with_rate
from .held import Held, held_pose
from .layer import base_action, check_modes, lay, relative, unheard
from .pins import Pin
from .plan import Idle, Planner, Timing, check_loop, clocks_of, motion_of, ratios, timing_of, with_halves
from .settings import USUAL_CYCLES, IdleSettings
from .shapes import fullness, shapes_written
from .sources import Source, from_action, from_table

Floats = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IdlePin:
    """A limb that was held. bone: its end; on: the bone it is held to, "" for the world; miss_mm: how far it
    is off its place at most, millimetres of the world; frame: when."""

    name: str
    bone: str
    on: str
    miss_mm: float
    frame: float | None


@dataclass(frozen=True, slots=True)
class IdleResult:
    """What a call made.

    action: the new action, or that of the layer; strip: the layer's NLA strip, None for a whole action;
    roles: what was recognised; pins: limbs that were held; notes: one sentence each; frames: first and last;
    cycles: breaths between them; rate: breaths a minute; shapes: actions of shape keys.
    """

    action: Any
    strip: Any
    roles: Roles = field(repr=False)
    pins: tuple[IdlePin, ...]
    notes: tuple[str, ...]
    frames: tuple[float, float]
    cycles: float
    rate: float
    shapes: tuple[Any, ...] = ()


def idle(
    armature_object: Any,
    settings: IdleSettings | None = None,
    *,
    name: str = "Idle",
    overwrite: bool = False,
    **changes: Any,
) -> IdleResult:
    """Let an armature breathe in the pose that it holds, feet and hands where they are (JP5635161B2).

    settings, changes: fields of IdleSettings, the latter by keyword: idle(rig, cycles=3, condition="tired").
    name: of the action; a number is added where it is taken, or with `overwrite` the old one is replaced.

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    settings = _settings(settings, name, changes)
    check_usable(armature_object)
    found = tuple(
        Stretch(with_rate(s.condition, settings.rate, settings.variation), s.start)
        for s in stretches(settings.condition, load(settings.conditions))
    )
    later, start = False, 1
    if settings.written == "into":
        settings, later, start = _within(armature_object, settings)
    check_loop(settings, found)
    rig = read(armature_object)
    skeleton, roles = rig.skeleton, rig.roles
    metres = unit_size(skeleton.world)
    held = held_pose(armature_object, skeleton, settings)
    if settings.rate is None:
        pace = quicker(roles.leg_length * metres) if roles.legs else 1.0
        found = tuple(
            Stretch(dataclasses.replace(s.condition, rate=s.condition.rate * pace), s.start) for s in found
        )
    fps = settings.fps or scene_fps()
    source = _source(armature_object, rig, settings, fps, found[0].condition.name)
    rate = found[0].condition.rate
    if source is not None and settings.rate is None:
        rate = 60.0 / source.layer.seconds
    timing = timing_of(settings, rate, fps, USUAL_CYCLES if source is None else 1, start)
    body = HeldBody(armature_object, rig, held)
    pins, still = body.pins(settings)
    layers = body.layers(found, still) if source is None else body.free_of([source.layer], still)
    notes = [*rig.notes, *body.notes, *(source.notes if source is not None else ())]
    if not layers:
        raise BadSetting(
            f'"{armature_object.name}" has no spine, neck, head or arms that could idle: set its roles.'
        )
    clocks = clocks_of(
        layers, found, settings, timing, with_halves(timing.frames), settings.ease if later else 0.0
    )
    planner = Planner(
        body.moved,
        roles,
        body.still,
        layers,
        clocks,
        carrier=body.carrier if not still else None,
        way_axes=body.way_axes,
        locked=body.locked,
        factors=ratios(skeleton, source.base if source is not None else body.rest, held.channels)
        if settings.coefficient == "ratio"
        else {},
    )
    made = motion_of(planner, pins, settings, timing, body.rigged.followed if body.rigged else None)
    notes += _told(made, metres)
    write = {"action": _write, "layer": _lay, "into": _insert}[settings.written]
    with ExitStack() as undo:
        shapes: tuple[Any, ...] = ()
        if settings.shapes and settings.written != "layer" and settings.strength > 0.0:
            full = fullness(layers, clocks, names(found)) if source is None else None
            shapes, told = undo.enter_context(
                shapes_written(
                    armature_object, name, found, full, timing, seed=settings.seed, loop=settings.loop
                )
            )
            notes += told
        action, strip, skipped = write(
            armature_object, name, overwrite, settings, timing, skeleton, held, made
        )
    return IdleResult(
        action,
        strip,
        separate(roles),
        _pins(pins, made, metres),
        (*notes, *skipped),
        (float(timing.first), float(timing.last)),
        timing.cycles,
        rate,
        shapes,
    )


def idle_again(armature_object: Any, memory: Memory, changes: Mapping[str, Any], **how: Any) -> IdleResult:
    """The idle that an action remembers, with changes; how: name, overwrite as in `idle`."""
    settings, notes = restore(memory, IdleSettings, changes, ("source", "table"))
    how.pop("report", None)  # an idle has none
    result = idle(armature_object, settings, **how)
    return dataclasses.replace(result, notes=(*notes, *result.notes))


def _settings(settings: Any, name: Any, changes: dict[str, Any]) -> IdleSettings:
    if not isinstance(name, str):
        raise BadSetting(f"name must be a text, not {name!r}.")
    # An action or an object may stand for its name, a mapping for its text.
    for key in {"pose", "source", "source_rig"} & set(changes):
        if is_gone(changes[key]):
            raise BadSetting(f"What {key} names is gone: it was removed from the file; name another one.")
        changes[key] = getattr(changes[key], "name", changes[key])
    if isinstance(changes.get("table"), Mapping):
        changes["table"] = json.dumps(changes["table"])
    return options.changed(IdleSettings, settings, changes)


def _told(made: Idle, metres: float) -> list[str]:
    """Sentences on limbs that could not follow, and on what was held back for them."""
    notes = []
    if made.kept:
        shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in made.kept.items())
        notes.append(f"The body moves less, so that pinned limbs can follow: {shares}.")
    notes += [
        f"{miss.pin} is off its place by up to {1000 * miss.distance * metres:.2f} mm, at frame "
        f"{miss.frame:g}: it cannot reach."
        for miss in made.misses
    ]
    return notes


def _pins(pins: Sequence[Pin], made: Idle, metres: float) -> tuple[IdlePin, ...]:
    misses = {miss.pin: miss for miss in made.misses}
    found = []
    for pin in pins:
        miss = misses.get(pin.name)
        off = 1000 * miss.distance * metres if miss is not None else 0.0
        found.append(IdlePin(pin.name, pin.end, pin.on, off, miss.frame if miss is not None else None))
    return tuple(found)


def _write(
    armature_object: Any,
    name: str,
    overwrite: bool,
    settings: IdleSettings,
    timing: Timing,
    skeleton: Skeleton,
    held: Held,
    made: Idle,
) -> tuple[Any, Any, tuple[str, ...]]:
    """The whole action: what moves on every frame, the rest of the held pose with one key."""
    still = _still(skeleton, held, made)

    def finish(action: Any) -> None:
        actions.add_still(armature_object, action, skeleton.names, held.channels, still, timing.first)
        actions.remember(action, "idle", core.load().__version__, settings)

    with pose_kept_on_error(armature_object, []):
        written = actions.write(
            armature_object,
            name,
            made.bones,
            made.motion,
            made.slopes,
            timing.frames,
            made.channels,
            overwrite=overwrite,
            cyclic=settings.loop,
            finish=finish,
        )
    return written.action, None, tuple(f"Left still: {text}." for text in written.skipped)


def _lay(
    armature_object: Any,
    name: str,
    overwrite: bool,
    settings: IdleSettings,
    timing: Timing,
    skeleton: Skeleton,
    held: Held,
    made: Idle,
) -> tuple[Any, Any, tuple[str, ...]]:
    """The additive layer: an action of differences on a strip of its own, and below it what is played."""
    check_modes(armature_object, made.bones)
    data = armature_object.animation_data
    played = data is not None and (data.action is not None or len(data.nla_tracks) > 0)
    if overwrite and played and data.action is not None and data.action.name == cut(name):
        raise ActionExists(
            f'"{data.action.name}" is what the layer lies on and cannot be replaced; choose another name.'
        )
    motion, slopes, influence = relative(skeleton, held, made)
    base = strip = None

    def finish(action: Any) -> None:
        nonlocal strip
        actions.remember(action, "idle", core.load().__version__, settings)
        strip = lay(armature_object, base, action, timing, influence)

    with pose_kept_on_error(armature_object, []), actions_kept_on_error(armature_object):
        if not played or (held.action is not None and held.action != data.action):
            base = base_action(armature_object, f"{name} Base", skeleton, held, timing.first)
        written = actions.write(
            armature_object,
            name,
            made.bones,
            motion,
            slopes,
            timing.frames,
            made.channels,
            overwrite=overwrite,
            cyclic=settings.loop,
            assign=False,
            finish=finish,
        )
    told = unheard(armature_object, strip)
    return written.action, strip, (*(f"Left still: {text}." for text in written.skipped), *told)


def _insert(
    armature_object: Any,
    name: str,
    overwrite: bool,
    settings: IdleSettings,
    timing: Timing,
    skeleton: Skeleton,
    held: Held,
    made: Idle,
) -> tuple[Any, Any, tuple[str, ...]]:
    """The idle as keys of the action that is played."""
    del name, overwrite, skeleton, held, settings
    action = armature_object.animation_data.action
    with pose_kept_on_error(armature_object, []):
        skipped = actions.insert(
            armature_object, action, made.bones, made.motion, made.slopes, timing.frames, made.channels
        )
    return action, None, tuple(f"Left still: {text}." for text in skipped)


def _within(armature_object: Any, settings: IdleSettings) -> tuple[IdleSettings, bool, int]:
    """The settings of an idle in the action that is played, whether that goes on after it, and the frame that
    the idle begins at."""
    if settings.pose is not None:
        raise BadSetting("An idle into an action holds the pose of that action: leave out pose.")
    first, last = actions.read(armature_object).span
    frames = settings.frames
    if frames is None:
        start = math.ceil(last - 1e-4)
        frames = (start, start)
    pose = float(frames[0]) if settings.pose_frame is None else settings.pose_frame
    changed = dataclasses.replace(settings, loop=False, pose_frame=pose)
    return changed, last > frames[1] + 1e-3 and first < frames[1], frames[0]


def _source(
    armature_object: Any, rig: Rig, settings: IdleSettings, fps: float, condition: str
) -> Source | None:
    """The differences that take the place of the built-in ones, where some are asked for."""
    if settings.source is not None and settings.table is not None:
        raise BadSetting(
            "source and table are set, and each of them is where the differences are from: set one."
        )
    if settings.source is not None:
        return from_action(rig.skeleton, rig.roles, armature_object, settings, fps, condition)
    return from_table(rig.skeleton, settings.table, condition, fps) if settings.table is not None else None


def _still(skeleton: Skeleton, held: Held, made: Idle) -> npt.NDArray[np.bool_]:
    """Channels (bones, 3) of the held pose that do not move and are not at rest, or that its action keys."""
    found = held.off_rest()
    rows = {bone: row for row, bone in enumerate(skeleton.names)}
    for bone, moves in zip(made.bones, made.channels, strict=True):
        found[rows[bone]] &= ~moves
    return found
