"""The call: from an armature object and an action to the mirrored action."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .. import core, options
from ..action import slots
from ..action.channels import driven_channels, rotation_path
from ..action.copied import copy_action
from ..action.names import NAME_BYTES, cut, next_free
from ..action.read import Clip, clip_of, read
from ..errors import ActionExists, AmbleError, BadSetting, NotAnArmature
from ..reading import check_usable
from ..rig import Roles, Skeleton, Skin, read_skeleton, read_skin, recognise
from ..rig.flip import flip_side
from ..rig.partners import Partners, find_partners
from ..rig.stored import corrections_of
from . import curves as curve_work
from .body import body_parts, tracks, world_radius
from .decide import Moving, Verdict
from .decide import reach as reach_of
from .decide import verdict as decide
from .maps import bone_maps, object_map
from .obstacles import Obstacle, as_obstacles
from .partial import chosen_bones, lay_over
from .plane import Floats, Plane, level, upright
from .properties import check_rules, mirror_markers, mirror_properties
from .settings import MirrorSettings
from .shapes import mirror_shapes
from .shift import shift_half
from .sums import DEFAULTS

SUFFIX = "_mirrored"
# What a radian weighs as much as, where locations are drawn anew, of the body's size.
SHARE = 0.1


@dataclass(frozen=True, slots=True)
class MirrorResult:
    """What a call made.

    action: the mirrored one, or the source where that fits better; mirrored: which of the two it is; notes:
    one sentence each, on what is not as it was; exact: curves that have the keys, handles and frames of those
    they come from; drawn: those that had to be drawn anew, and why; error: the largest of these between keys,
    radians or armature units; keys: in the transform curves; pairs: (left and right) bone names; frames:
    first and last; verdict: on the obstacles, None without any; shapes: actions of shape keys;
    subject: what was read of the rig.
    """

    action: Any
    mirrored: bool
    notes: tuple[str, ...]
    exact: int
    drawn: tuple[str, ...]
    error: float
    keys: int
    pairs: tuple[tuple[str, str], ...]
    frames: tuple[float, float]
    verdict: Verdict | None
    shapes: tuple[Any, ...]
    subject: Subject

    @property
    def roles(self) -> Roles:
        """The roles of the rig's bones."""
        return self.subject.roles


@dataclass(frozen=True)
class Subject:
    """What is read of a rig once for any number of its actions; what takes long, when it is asked for."""

    target: Any
    skeleton: Skeleton
    partners: Partners

    @cached_property
    def skin(self) -> Skin | None:
        """The rig's skin."""
        return read_skin(self.target, self.skeleton.names)

    @cached_property
    def roles(self) -> Roles:
        """What its bones are."""
        return recognise(self.skeleton, self.skin, corrections_of(self.target))

    @cached_property
    def up(self) -> Floats:
        """Upward, unit, within the body's plane."""
        up = np.array(self.roles.up)
        up = up - (up @ self.partners.normal) * self.partners.normal
        return np.asarray(up / np.linalg.norm(up))

    @cached_property
    def facing(self) -> Floats:
        """Forward, unit, within the body's plane and square to up."""
        facing = np.cross(self.partners.normal, self.up)
        return np.asarray(facing if float(facing @ np.array(self.roles.facing)) >= 0.0 else -facing)

    @property
    def left(self) -> Floats:
        """The character's own left, unit."""
        return np.asarray(np.cross(self.up, self.facing))

    @property
    def carrier(self) -> str | None:
        """The bone that carries the body: root, else pelvis."""
        return self.roles.root or self.roles.pelvis


def mirror(
    armature_object: Any,
    action: Any = None,
    settings: MirrorSettings | None = None,
    *,
    name: str | None = None,
    overwrite: bool = False,
    assign: bool = True,
    rules: Mapping[str, str] | None = None,
    obstacles: Any = None,
    region: Any = None,
    subject: Subject | None = None,
    **changes: Any,
) -> MirrorResult:
    """Make the mirror image of an action, as a new action, and let the object play it.

    action: by default the one that the object plays. settings, changes: fields of MirrorSettings, the latter
    by keyword. name: of the new action; by default the other side's ("Attack_L" gives "Attack_R"), else with
    "_mirrored" behind it; a number is added where it is taken, or with `overwrite` the old one is replaced.
    assign: with False the object goes on with what it plays. rules: what happens to custom properties, by
    name: "swap", "negate", "copy" or "leave".
    obstacles: objects and collections, or Plane, Box ... of `mirror.obstacles`; region: objects, or a Region,
    that the character must not leave. With either, and mirror="auto", nothing is made where the motion fits
    as it is or better than its mirror image, and the object plays it; see MirrorResult.verdict.
    subject: of an earlier call for the same, unchanged rig (MirrorResult.subject), to be quicker.

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    wanted = settings_of(settings, changes)
    check_rules(rules or {})
    check_target(armature_object)
    source = read(armature_object, action, lazily=True)
    _ = source.span  # an action without keys is an error before anything is made
    if subject is None or subject.target != armature_object:
        subject = read_subject(armature_object)
    around = as_obstacles(obstacles, armature_object, region)
    free = _name(source.action, name, overwrite, armature_object)
    made, home = copy_action(source.action, armature_object, free)
    verdict = None
    chosen = made
    shapes: tuple[Any, ...] = ()
    try:
        report, notes = _fill(subject, source, made, home, wanted, rules or {})
        made, home = _partly(subject, source, made, home, wanted)
        chosen = made
        if around:
            verdict = judge(subject, source, read(armature_object, made), around, wanted)
            notes.append(verdict.words())
        if verdict is not None and wanted.mirror == "auto" and verdict.better == "original":
            chosen = source.action
            bpy.data.actions.remove(made)
        elif overwrite and name is not None:
            _replace(name, made)
        if assign:
            _play(armature_object, chosen, _bare(source, chosen, armature_object))
        if chosen is made:
            shapes = mirror_shapes(armature_object, SUFFIX, assign=assign)
    except BaseException:
        for one in {made, chosen} - {source.action}:
            if one in set(bpy.data.actions):
                bpy.data.actions.remove(one)
        raise
    names = subject.skeleton.names
    pairs = tuple((names[i], names[j]) for i, j in enumerate(subject.partners.partner.tolist()) if i < j)
    return MirrorResult(
        chosen,
        chosen != source.action,
        tuple(notes),
        report.exact,
        tuple(report.drawn),
        report.error,
        report.keys,
        pairs,
        source.span,
        verdict,
        shapes,
        subject,
    )


def would_fit(
    armature_object: Any,
    action: Any = None,
    settings: MirrorSettings | None = None,
    *,
    obstacles: Any = None,
    region: Any = None,
    placements: npt.ArrayLike | None = None,
    **changes: Any,
) -> tuple[Verdict, ...]:
    """Whether an action fits among obstacles, and whether its mirror image does; nothing is left behind.

    placements: (n, 4, 4), matrices of the world that the armature object would have, one verdict for each; by
    default the one that it has. The rest as `mirror` takes it.
    """
    wanted = settings_of(settings, changes)
    check_target(armature_object)
    source = read(armature_object, action)
    _ = source.span
    subject = read_subject(armature_object)
    around = as_obstacles(obstacles, armature_object, region)
    made, home = copy_action(source.action, armature_object, source.action.name)
    try:
        _fill(subject, source, made, home, wanted, {})
        first, second = _motions(subject, source, read(armature_object, made), wanted)
    finally:
        bpy.data.actions.remove(made)
    if placements is None:
        return (decide(first, second, around, wanted.tolerance, wanted.test),)
    away = np.linalg.inv(subject.skeleton.world)
    places = np.asarray(placements, np.float64).reshape(-1, 4, 4)
    return tuple(
        decide(first.moved(place @ away), second.moved(place @ away), around, wanted.tolerance, wanted.test)
        for place in places
    )


def judge(
    subject: Subject, source: Clip, mirrored: Clip, around: Sequence[Obstacle], settings: MirrorSettings
) -> Verdict:
    """Decide for two clips where the rig stands."""
    first, second = _motions(subject, source, mirrored, settings)
    return decide(first, second, around, settings.tolerance, settings.test)


def _motions(
    subject: Subject, source: Clip, mirrored: Clip, settings: MirrorSettings
) -> tuple[Moving, Moving]:
    """Both motions in the world, every whole frame and both ends."""
    target, skeleton = subject.target, subject.skeleton
    parts = body_parts(skeleton, subject.skin, subject.partners.size, subject.roles.root)
    radius = world_radius(target, parts)
    if settings.thickness is not None:
        radius = np.full(len(radius), settings.thickness)
    first, last = source.span
    frames = np.unique([first, *np.arange(math.ceil(first), math.floor(last) + 1.0), last])
    up = skeleton.world[:3, :3] @ subject.up
    size = subject.partners.size * float(np.linalg.norm(up))
    up = up / np.linalg.norm(up)
    found = []
    for clip in (source, mirrored):
        track = tracks(target, skeleton, clip, parts, frames)
        line = _line(subject, track, settings)
        found.append(Moving(track, frames, parts.names, radius, line, up, size))
    return found[0], found[1]


def _line(subject: Subject, track: Floats, settings: MirrorSettings) -> Floats:
    """A point on the reference line, in the world (M2)."""
    world = subject.skeleton.world
    if settings.plane == "reach" and settings.point is not None:
        point = np.array(settings.point)
        return point if settings.space == "world" else world[:3, :3] @ point + world[:3, 3]
    if settings.line == "middle" and track.size:
        return np.asarray(0.5 * (track.min(axis=(0, 2, 3)) + track.max(axis=(0, 2, 3))))
    waist = subject.roles.pelvis
    head = subject.skeleton.heads[subject.skeleton.index(waist)] if waist is not None else np.zeros(3)
    return np.asarray(world[:3, :3] @ head + world[:3, 3])


def settings_of(settings: MirrorSettings | None, changes: Mapping[str, Any]) -> MirrorSettings:
    """The settings with changes, checked. Raises BadSetting."""
    if settings is not None and not isinstance(settings, MirrorSettings):
        raise BadSetting(f"settings must be a MirrorSettings or None, not {settings!r}.")
    known = {one.name for one in dataclasses.fields(MirrorSettings)}
    for key in changes:
        if key not in known:
            raise BadSetting(f"There is no setting {key}; there are {', '.join(sorted(known))}.")
    found = dataclasses.replace(settings or MirrorSettings(), **changes)
    options.check(found)
    if found.plane == "given" and found.normal is None:
        raise BadSetting("A given plane needs a normal: set the direction that it is square to.")
    if found.plane != "given" and found.normal is not None:
        raise BadSetting("A normal is set, which only a given plane has: set plane to given.")
    return found


def check_target(armature_object: Any) -> None:
    """Refuse what cannot play a new action. Raises AmbleError."""
    if not isinstance(armature_object, bpy.types.Object) or armature_object.type != "ARMATURE":
        raise NotAnArmature(
            f'"{getattr(armature_object, "name", armature_object)}" is no armature; choose one.'
        )
    check_usable(armature_object)
    data = armature_object.animation_data
    if data is not None and data.use_tweak_mode:
        raise AmbleError(
            f'An NLA strip of "{armature_object.name}" is being tweaked; leave tweak mode (Tab in the NLA) '
            "first."
        )
    if armature_object.pose is None:
        armature_object.data = armature_object.data  # gives a new object its pose


def read_subject(armature_object: Any) -> Subject:
    """Skeleton, pairs and plane of a rig."""
    skeleton = read_skeleton(armature_object)
    return Subject(armature_object, skeleton, find_partners(skeleton, None, corrections_of(armature_object)))


def _partly(
    subject: Subject, source: Clip, made: Any, home: slots.CurveHome, settings: MirrorSettings
) -> tuple[Any, slots.CurveHome]:
    """The mirrored action, or a copy of the source with the part of it that is asked for; shifted if so."""
    bones = None
    if settings.bones or settings.sides != "both" or settings.part != "whole":
        bones = chosen_bones(subject.skeleton, subject.partners, subject.left, subject.roles.spine, settings)
    if bones is not None or settings.frames is not None:
        name = made.name
        whole = made
        whole.name = name[:50] + "~"
        made, into = copy_action(source.action, subject.target, name)
        lay_over(into, home, bones, settings.frames)
        bpy.data.actions.remove(whole)
        home = into
    if settings.shift:
        shift_half(home, *source.span)
    return made, home


def _fill(
    subject: Subject,
    source: Clip,
    made: Any,
    home: slots.CurveHome,
    settings: MirrorSettings,
    rules: Mapping[str, str],
) -> tuple[curve_work.Report, list[str]]:
    """Turn the copy of an action into its mirror image."""
    skeleton, partners, target = subject.skeleton, subject.partners, subject.target
    own = Plane(partners.normal, partners.offset)
    turn = own.turn_to(plane_of(subject, source, settings))
    whole_pose = settings.look == "pose"
    maps = bone_maps(skeleton, partners, turn, whole_pose=whole_pose)
    maps[""] = object_map(own, _object_turn(subject, source, own))

    def general(bone: str, frames: Floats) -> Any:
        channels = source.channels(skeleton.names, frames)
        found = core.load().mirror(
            np.ascontiguousarray(skeleton.parents),
            np.ascontiguousarray(skeleton.rest),
            np.ascontiguousarray(skeleton.flags),
            partners.partner,
            own.row,
            turn,
            channels,
            whole_pose=whole_pose,
        )
        return found[skeleton.index(bone)]

    whole = clip_of(made, home.bag.fcurves, target, muted=True, lazily=True, modes=source.modes)
    report = curve_work.mirror_curves(
        home,
        whole,
        maps,
        general=general,
        forbidden=_Forbidden(target, anything=settings.locked),
        tolerance=math.radians(settings.precision),
        sizes=SHARE * partners.size,
    )
    lost = mirror_properties(home, target, maps, rules)
    mirror_markers(made)
    return report, [*_notes(subject, settings), *report.lost, *lost, *_drawn_notes(report)]


def plane_of(subject: Subject, source: Clip, settings: MirrorSettings) -> Plane:
    """The plane that is asked for, in armature space. Raises BadSetting where it is none that is upright."""
    own = Plane(subject.partners.normal, subject.partners.offset)
    if settings.plane == "reach":
        return _reach_plane(subject, source, settings)
    if settings.plane == "first":
        return own.carried(_first_place(subject, source))
    if settings.plane == "given":
        normal, point = (
            np.array(settings.normal, np.float64),
            np.array(settings.point or (0, 0, 0), np.float64),
        )
        if settings.space == "world":
            world = subject.skeleton.world
            inverse = np.linalg.inv(world)
            # A plane's normal goes over by the transposed inverse of what points go over by.
            normal, point = world[:3, :3].T @ normal, inverse[:3, :3] @ point + inverse[:3, 3]
        flat = level(normal, subject.up)
        if flat is None:
            raise BadSetting("The normal of the plane must not be 0 or upright: give a level direction.")
        return Plane(flat, float(flat @ point))
    return own


def _reach_plane(subject: Subject, source: Clip, settings: MirrorSettings) -> Plane:
    """Through the reference line, across the direction of the largest reach (M6)."""
    moving, _ = _motions(subject, source, source, settings)
    found = reach_of(moving, ())
    world = subject.skeleton.world
    inverse = np.linalg.inv(world)
    flat = level(world[:3, :3].T @ np.array(found.direction), subject.up)
    if flat is None:
        raise AmbleError(
            "No part of the body leaves the reference line, so that no plane lies across its reach."
        )
    return Plane(flat, float(flat @ (inverse[:3, :3] @ np.array(found.line) + inverse[:3, 3])))


def _first_place(subject: Subject, source: Clip) -> Floats:
    """Where the character stands and faces in the first frame, against its rest; (4, 4), upright."""
    if subject.carrier is None:
        return np.eye(4)
    skeleton = subject.skeleton
    channels = source.channels(skeleton.names, [source.span[0]])
    pose = core.load().forward_kinematics(
        np.ascontiguousarray(skeleton.parents),
        np.ascontiguousarray(skeleton.rest),
        np.ascontiguousarray(skeleton.flags),
        channels,
    )
    index = skeleton.index(subject.carrier)
    posed, rest = np.eye(4), skeleton.rest[index]
    posed[:3] = pose[index, :, 0].reshape(3, 4)
    found = upright(posed @ np.linalg.inv(rest), subject.facing, subject.up)
    found[:3, 3] = posed[:3, 3] - found[:3, :3] @ rest[:3, 3]
    return found


def _object_turn(subject: Subject, source: Clip, own: Plane) -> Floats:
    """What follows the reflection of the object's own motion, so that it is about the character's plane where
    the object stands in the first frame."""
    if not any(not channel.bone and channel.path in DEFAULTS for channel in source.channels_of):
        return np.eye(4)[:3].copy()
    channels = source.object_channels(subject.target, [source.span[0]])
    found = core.load().forward_kinematics(
        np.array([-1], np.int32), np.eye(4)[None], np.zeros(1, np.uint32), channels[None]
    )
    place = np.eye(4)
    place[:3] = found[0, :, 0].reshape(3, 4)
    through = Plane(own.normal, 0.0)
    scale = np.linalg.norm(place[:3, :3], axis=0)
    place[:3, :3] /= np.where(scale > 0.0, scale, 1.0)
    return through.turn_to(through.carried(place))


class _Forbidden:
    """Components that get no curve, by bone and property: locked, driven, or not read by Blender.

    anything: locked ones get theirs all the same.
    """

    def __init__(self, target: Any, *, anything: bool) -> None:
        self._target, self._anything, self._driven = target, anything, driven_channels(target)
        self._found: dict[tuple[str, str], list[bool]] = {}

    def __call__(self, name: str, path: str) -> list[bool]:
        if (name, path) not in self._found:
            self._found[name, path] = self._flags(name, path)
        return self._found[name, path]

    def _flags(self, name: str, path: str) -> list[bool]:
        bone = self._target.pose.bones[name] if name else self._target
        size = len(DEFAULTS[path])
        if path == "location":
            connected = bool(name) and bone.parent is not None and bone.bone.use_connect
            if connected:
                return [True] * 3
            locks = list(bone.lock_location)
        elif path == "scale":
            locks = list(bone.lock_scale)
        else:
            locks = list(bone.lock_rotation) if size == 3 else [all(bone.lock_rotation)] * 4
        if self._anything:
            locks = [False] * size
        if self._driven:
            start = curve_work.path_of(name, path)
            locks = [lock or (start, axis) in self._driven for axis, lock in enumerate(locks)]
        return locks if any(locks) else []


def _notes(subject: Subject, settings: MirrorSettings) -> list[str]:
    partners, names = subject.partners, subject.skeleton.names
    notes = []
    if partners.alone:
        notes.append(
            f"{_listed(partners.alone)} stand beside the middle without a partner and are mirrored in their "
            "own place."
        )
    if partners.moved:
        notes.append(
            f"Paired by place and not by the numbers in their names: {_listed(sum(partners.moved, ()))}."
        )
    for thing in bpy.data.objects:
        if thing.parent == subject.target and thing.parent_type == "BONE" and thing.type != "MESH":
            bone = thing.parent_bone
            if bone in names and partners.partner[names.index(bone)] != names.index(bone):
                notes.append(f'"{thing.name}" hangs on "{bone}" and stays there.')
    if not partners.symmetric:
        worst = int(np.argmax(partners.off))
        share = f"{100 * partners.off[worst]:.2g} %"
        what = (
            "each side keeps its own shape; set look to pose to mirror directions as they are seen"
            if settings.look == "deformation"
            else "directions are mirrored as they are seen"
        )
        notes.append(
            f'The rest pose is not symmetric, "{names[worst]}" is off by {share} of the body: {what}.'
        )
    return notes


def _drawn_notes(report: curve_work.Report) -> list[str]:
    return [f"Drawn anew, with more keys where it needs them: {what}." for what in report.drawn]


def _listed(names: tuple[str, ...], most: int = 6) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# ---- names, and letting the object play ----


def mirrored_name(name: str) -> str:
    """The name of an action's mirror image: that of the other side, else with a suffix."""
    flipped = flip_side(name)
    return flipped if flipped != name else cut(name, NAME_BYTES - len(SUFFIX)) + SUFFIX


def _name(source: Any, name: str | None, overwrite: bool, target: Any) -> str:
    if name is not None and not str(name).strip():
        raise BadSetting(f"name must be a text that is not empty, not {name!r}.")
    actions: Any = bpy.data.actions
    taken = {one.name for one in actions if one.library is None}
    if overwrite and name is not None:
        existing = bpy.data.actions.get(cut(name))
        if existing is not None:
            _check_replaceable(existing, source, target)
    return next_free(name if name is not None else mirrored_name(source.name), taken)


def _check_replaceable(existing: Any, source: Any, target: Any) -> None:
    if existing == source:
        raise ActionExists(
            f'"{source.name}" is what is mirrored and cannot be replaced by it; choose another name.'
        )
    others = slots.used_by_others(existing, target)
    if others:
        raise ActionExists(f'The action "{existing.name}" also moves "{others[0]}"; choose another name.')
    if slots.HAS_SLOTS and len(existing.slots) > 1:
        raise ActionExists(f'The action "{existing.name}" also moves other things; choose another name.')


def _replace(name: str, made: Any) -> None:
    existing = bpy.data.actions.get(cut(name))
    if existing is not None and existing != made:
        existing.user_remap(made)
        bpy.data.actions.remove(existing)
        made.name = cut(name)


def _bare(source: Clip, made: Any, target: Any) -> list[tuple[str, str]]:
    """Bones and properties that the source moves and its mirror image does not."""
    before = {(c.bone, c.path) for c in source.channels_of if c.bone and c.path in DEFAULTS}
    after = {(c.bone, c.path) for c in read(target, made, lazily=True).channels_of}
    return sorted(before - after)


def _play(target: Any, made: Any, bare: list[tuple[str, str]]) -> None:
    data = target.animation_data
    former, former_slot = slots.current(data)
    created = data is None
    try:
        data = target.animation_data_create() if data is None else data
        slots.assign(data, made, slots.slot_to_play(made, target))
        if data.action != made:
            raise AmbleError(
                f'Blender does not let "{target.name}" change its action; look at its NLA tracks.'
            )
    except BaseException:
        if created:
            target.animation_data_clear()
        else:
            slots.assign(data, former, former_slot)
        raise
    if former is not None and former.library is None and former.users == 0:
        former.use_fake_user = True
    # What only the former action moved would stay where that left it.
    for name, path in bare:
        bone = target.pose.bones.get(name)
        if bone is not None and path in ("location", "scale", rotation_path(bone.rotation_mode)):
            setattr(bone, path, DEFAULTS[path])
