"""The call: from an armature object and an action to the mirrored action."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .. import core, options
from ..action import slots
from ..action.channels import driven_channels
from ..action.copied import copy_action
from ..action.memory import PROPERTY
from ..action.names import action_of
from ..action.read import Clip, clip_of, read
from ..errors import BadSetting
from ..kept import actions_kept_on_error, pose_kept_on_error
from ..reading import check_playing
from ..rig import Roles
from . import curves as curve_work
from .asked import object_turn, plane_of
from .decide import Verdict
from .decide import verdict as decide
from .maps import bone_maps, object_map
from .moving import motions
from .obstacles import Obstacle, as_obstacles
from .partial import chosen_bones, lay_over
from .plane import Floats, Plane
from .play import SUFFIX, bare_channels, free_name, mirrored_name, play, replace
from .properties import check_rules, mirror_markers, mirror_properties
from .settings import MirrorSettings
from .shapes import mirror_shapes
from .shift import shift_half
from .subject import Subject, read_subject
from .sums import DEFAULTS

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
    pairs: tuple[tuple[str, str], ...] = field(repr=False)
    frames: tuple[float, float]
    verdict: Verdict | None
    shapes: tuple[Any, ...]
    subject: Subject = field(repr=False)

    @property
    def roles(self) -> Roles:
        """The roles of the rig's bones."""
        return self.subject.roles


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

    action: or its name, by default the one that the object plays. settings, changes: fields of
    MirrorSettings, the latter by keyword. name: of the new action; by default the other side's ("Attack_L"
    gives "Attack_R"), else with "_mirrored" behind it; a number is added where it is taken, or with
    `overwrite` the old one is replaced, whichever way the name came about.
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
    if subject is not None and not isinstance(subject, Subject):
        raise BadSetting(f"subject is {subject!r}: give the subject of an earlier result, or leave it out.")
    check_playing(armature_object)
    source = read(armature_object, None if action is None else action_of(action, "action"), lazily=True)
    _ = source.span  # an action without keys is an error before anything is made
    if overwrite and name is None:
        name = mirrored_name(source.action.name)
    if subject is None or subject.target != armature_object:
        subject = read_subject(armature_object)
    around = as_obstacles(obstacles, armature_object, region)
    free = free_name(source.action, name, overwrite, armature_object)
    verdict = None
    shapes: tuple[Any, ...] = ()
    with pose_kept_on_error(armature_object), actions_kept_on_error(armature_object):
        made, home = copy_action(source.action, armature_object, free)
        report, notes = _fill(subject, source, made, home, wanted, rules or {})
        made, home = _partly(subject, source, made, home, wanted)
        if PROPERTY in made:
            del made[PROPERTY]  # made again from the source's settings it would be no mirror image
        chosen = made
        if around:
            verdict = judge(subject, source, read(armature_object, made), around, wanted)
            notes.append(verdict.words())
        if verdict is not None and wanted.mirror == "auto" and verdict.better == "original":
            chosen = source.action
            bpy.data.actions.remove(made)
        if assign:
            play(armature_object, chosen, bare_channels(source, chosen, armature_object))
        if chosen != source.action:
            shapes = mirror_shapes(armature_object, SUFFIX, assign=assign)
    # Last, as what is replaced cannot be brought back.
    if chosen != source.action and overwrite and name is not None:
        replace(name, made, armature_object)
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
    check_playing(armature_object)
    source = read(armature_object, None if action is None else action_of(action, "action"))
    _ = source.span
    subject = read_subject(armature_object)
    around = as_obstacles(obstacles, armature_object, region)
    with actions_kept_on_error(armature_object):
        made, home = copy_action(source.action, armature_object, source.action.name)
        _fill(subject, source, made, home, wanted, {})
        first, second = motions(subject, source, read(armature_object, made), wanted)
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
    first, second = motions(subject, source, mirrored, settings)
    return decide(first, second, around, settings.tolerance, settings.test)


def settings_of(settings: MirrorSettings | None, changes: Mapping[str, Any]) -> MirrorSettings:
    """The settings with changes, checked. Raises BadSetting."""
    found = options.changed(MirrorSettings, settings, changes)
    if found.plane == "given" and found.normal is None:
        raise BadSetting("A given plane needs a normal: set the direction that it is square to.")
    if found.plane != "given" and found.normal is not None:
        raise BadSetting("A normal is set, which only a given plane has: set plane to given.")
    if found.frames is not None and found.frames[1] < found.frames[0]:
        first, last = found.frames
        raise BadSetting(f"frames is {first:g}:{last:g}: the last frame must not come before the first.")
    return found


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
    maps[""] = object_map(own, object_turn(subject, source, own))

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


def _drawn_notes(report: curve_work.Report) -> list[str]:
    return [f"Drawn anew, with more keys where it needs them: {what}." for what in report.drawn]


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


def _listed(names: tuple[str, ...], most: int = 6) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
