"""The call: from an armature object and the pose that it holds to the action that breathes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import action as actions
from .. import core, options
from ..action.channels import plan_keys
from ..errors import BadSetting
from ..kept import pose_kept_on_error
from ..reading import Rig, check_usable, read
from ..report.sampling import scene_fps, unit_size
from ..rig import Roles, Skeleton
from .built_in import Builder, Layer, parts_of, quicker
from .conditions import Stretch, load, names, stretches, with_rate
from .held import Held, held_pose
from .layer import base_action, check_modes, lay, relative
from .pins import Pin, named_pins, standing_pins
from .plan import Idle, Planner, Timing, check_loop, clocks_of, motion_of, ratios, timing_of, with_halves
from .settings import USUAL_CYCLES, IdleSettings
from .sources import Source, from_action, from_table, way_of_location

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
    cycles: breaths between them; rate: breaths a minute.
    """

    action: Any
    strip: Any
    roles: Roles
    pins: tuple[IdlePin, ...]
    notes: tuple[str, ...]
    frames: tuple[float, float]
    cycles: float
    rate: float


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
    timing = timing_of(settings, rate, fps, USUAL_CYCLES if source is None else 1)
    body = _Body(armature_object, rig, held)
    pins, still = body.pins(settings)
    layers = body.layers(found, still) if source is None else body.free_of([source.layer], still)
    notes = [*rig.notes, *body.notes, *(source.notes if source is not None else ())]
    if not layers:
        raise BadSetting(
            f'"{armature_object.name}" has no spine, neck, head or arms that could idle: set its roles.'
        )
    clocks = clocks_of(layers, found, settings, timing, with_halves(timing.frames))
    planner = Planner(
        skeleton,
        roles,
        held.channels,
        layers,
        clocks,
        carrier=body.carrier if not still else None,
        way_axes=body.way_axes,
        locked=body.locked,
        factors=ratios(skeleton, source.base if source is not None else body.rest, held.channels)
        if settings.coefficient == "ratio"
        else {},
    )
    made = motion_of(planner, pins, settings, timing)
    notes += _told(made, metres)
    write = _write if settings.output == "action" else _lay
    action, strip, skipped = write(armature_object, name, overwrite, settings, timing, skeleton, held, made)
    return IdleResult(
        action,
        strip,
        roles,
        _pins(pins, made, metres),
        (*notes, *skipped),
        (float(timing.first), float(timing.last)),
        timing.cycles,
        rate,
    )


def _settings(settings: Any, name: Any, changes: dict[str, Any]) -> IdleSettings:
    if settings is not None and not isinstance(settings, IdleSettings):
        raise BadSetting(f"settings must be an IdleSettings or None, not {settings!r}.")
    if not isinstance(name, str):
        raise BadSetting(f"name must be a text, not {name!r}.")
    known = {field.name for field in dataclasses.fields(IdleSettings)}
    for key in changes:
        if key not in known:
            raise BadSetting(f"There is no setting {key}; there are {', '.join(sorted(known))}.")
    # An action or an object may stand for its name, a mapping for its text.
    for key in {"pose", "source", "source_rig"} & set(changes):
        changes[key] = getattr(changes[key], "name", changes[key])
    if isinstance(changes.get("table"), Mapping):
        changes["table"] = json.dumps(changes["table"])
    made = dataclasses.replace(settings or IdleSettings(), **changes)
    options.check(made)
    return made


class _Body:
    """What the idle needs to know of the armature in its held pose."""

    def __init__(self, armature_object: Any, rig: Rig, held: Held) -> None:
        self.object, self.rig, self.held = armature_object, rig, held
        self.skeleton, self.roles = rig.skeleton, rig.roles
        self.notes: list[str] = []
        native = core.load()
        arrays = self.skeleton.arrays
        channels = np.ascontiguousarray(held.channels[:, :, None])
        self.pose: Float32 = native.forward_kinematics(*arrays, channels)[..., 0]
        self.rest = np.zeros_like(held.channels)
        self.rest[:, [3, 7, 8, 9]] = 1.0
        self.locked = self._locks()
        self.carrier = self._carrier()
        self.way_axes = self._way_axes()

    # ---- what may move ----

    def _locks(self) -> dict[str, tuple[bool, ...]]:
        """By bone, axes that it may not turn about; those of bones without any are left out."""
        found = {}
        for name in self.skeleton.names:
            bone = self.object.pose.bones[name]
            locks = tuple(bone.lock_rotation)
            if any(locks) and (
                bone.rotation_mode not in ("QUATERNION", "AXIS_ANGLE") or not bone.lock_rotations_4d
            ):
                found[name] = locks
        return found

    def _free(self, bones: Sequence[str]) -> set[str]:
        """Those of the bones whose rotation may be keyed at all."""
        wanted = np.tile(np.array([False, True, False]), (len(bones), 1))
        plan = plan_keys(self.object, bones, wanted)
        self.notes += [f"Left still: {text}." for text in plan.skipped]
        return {bone for bone, row in zip(bones, plan.keyed[:, 3:7], strict=True) if row.any()}

    def _carrier(self) -> str | None:
        """The bone whose location moves the body: the pelvis, where it is free."""
        name = self.roles.pelvis
        if name is None:
            return None
        plan = plan_keys(self.object, [name], np.array([[True, False, False]]))
        if plan.keyed[0, :3].all():
            return name
        self.notes.append(
            f'"{name}" cannot be moved ({"; ".join(plan.skipped) or "locked"}): the body only turns.'
        )
        return None

    def _way_axes(self) -> Floats:
        """(3, 3): a way in armature space as the carrier's location channel."""
        if self.carrier is None:
            return np.eye(3)
        return np.asarray(
            np.linalg.inv(way_of_location(self.skeleton, self.held.channels, self.carrier)), np.float64
        )

    # ---- directions ----

    def _up(self) -> Floats:
        """Against gravity, in armature space."""
        up = np.linalg.solve(self.skeleton.world[:3, :3], np.array([0.0, 0.0, 1.0]))
        return np.asarray(up / np.linalg.norm(up))

    def _ways(self) -> tuple[Floats, Floats, Floats]:
        """Left, forward and up of the held pose: level, as the pelvis faces."""
        up = self._up()
        forward = np.array(self.roles.facing)
        if self.roles.pelvis is not None:
            k = self.skeleton.index(self.roles.pelvis)
            turn = self.pose[k].reshape(3, 4)[:, :3].astype(np.float64) @ np.linalg.inv(
                self.skeleton.rest[k, :3, :3]
            )
            forward = turn @ forward
        forward = forward - (forward @ up) * up
        if np.linalg.norm(forward) < 0.3:  # it lies: any level direction will do
            forward = np.cross(
                up, np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
            )
        forward = forward / np.linalg.norm(forward)
        return np.cross(up, forward), forward, up

    # ---- parts of the plan ----

    def pins(self, settings: IdleSettings) -> tuple[list[Pin], bool]:
        """The limbs that are held, and whether the pelvis is."""
        if settings.pins is not None:
            wanted = [pin for pin in settings.pins if pin not in ("", "-")]
            return named_pins(self.skeleton, self.roles, wanted)
        up = self._up()
        own_up = np.array(self.roles.up)
        low = self.roles.ground
        if float(up @ own_up) < 0.9:
            low = float((self.pose[:, [3, 7, 11]].astype(np.float64) @ up).min())
        found = standing_pins(self.skeleton, self.roles, self.rig.soles, self.pose, up, low)
        if not found and self.roles.legs:
            self.notes.append("No foot is on the ground, so that none is held; name those that are (pins).")
        return found, False

    def layers(self, found: Sequence[Stretch], still: bool) -> list[Layer]:
        """The differences, on bones that may be keyed."""
        parts = parts_of(self.skeleton, self.roles)
        if parts.missing:
            self.notes.append(f"Left out, as the rig has none: {', '.join(parts.missing)}.")
        leg = self.roles.leg_length or self._height() * 0.5
        builder = Builder(self.skeleton, self.roles, parts, self.pose, leg, self._ways())
        return self.free_of(builder.layers(names(found)), still)

    def free_of(self, layers: Sequence[Layer], still: bool) -> list[Layer]:
        """The layers on bones that may be keyed; still: without the pelvis, which is held."""
        bones = sorted({bone for layer in layers for bone in layer.turns}, key=self.skeleton.index)
        free = self._free(bones)
        if still and self.roles.pelvis is not None:
            free.discard(self.roles.pelvis)
        layers = [
            dataclasses.replace(layer, turns={b: v for b, v in layer.turns.items() if b in free})
            for layer in layers
        ]
        return [layer for layer in layers if layer.turns or layer.move is not None]

    def _height(self) -> float:
        return float(np.ptp(self.skeleton.heads @ np.array(self.roles.up))) or 1.0


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
    motion, slopes = relative(skeleton, held, made)
    base = None
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
        finish=lambda action: actions.remember(action, "idle", core.load().__version__, settings),
    )
    strip = lay(armature_object, base, written.action, timing)
    return written.action, strip, tuple(f"Left still: {text}." for text in written.skipped)


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
