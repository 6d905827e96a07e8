"""The curves of a copied action made those of its mirror image, key by key wherever that is exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from .. import core
from ..action import rotation as rotations
from ..action.channels import ROTATION_PATHS, bone_path
from ..action.copied import copy_curve
from ..action.read import Clip, clip_of
from ..action.slots import CurveHome
from .fit import Fitted, Floats, fit
from .maps import Map
from .sums import DEFAULTS, Group, Sum, choose_first_terms, flat_rows, groups_of

# Keys of a number above this ease in ways of their own: the sum of two such is no such.
_PLAIN = 2
# Frames between the places where a motion is followed so that angles do not lose count of whole turns.
_FOLLOW = 8


@dataclass(slots=True)
class Report:
    """exact: curves whose keys were mapped as they are; drawn: bones and properties whose curves were drawn
    anew, in words, with the reason; error: the largest between their keys, radians, units or factors; keys:
    of the whole action; lost: what could not be carried, in words."""

    exact: int = 0
    drawn: list[str] = field(default_factory=list)
    error: float = 0.0
    keys: int = 0
    lost: list[str] = field(default_factory=list)


def mirror_curves(
    home: CurveHome,
    target: bpy.types.Object,
    maps: dict[str, Map],
    *,
    general: Any,
    forbidden: dict[tuple[str, str], tuple[bool, ...]],
    tolerance: float,
    sizes: float,
) -> Report:
    """Replace the transform curves of all mapped bones by their mirror image, in place.

    home: of the copied action. general: called with a bone's name and frames for the mirrored channels of a
    bone without constants, float32 (10, f). forbidden: components, by bone and property, that get no curve.
    tolerance: radians, for what has to be drawn anew; sizes: armature units that weigh as much as a radian.
    """
    report = Report()
    clip = clip_of(home.action, home.bag.fcurves, target, muted=True)
    active = [not curve.mute for curve in clip.curves]
    groups = groups_of(clip, maps, clip.modes, active)
    choose_first_terms(groups, flat_rows(clip))
    sums = [(group, one) for group in groups for one in group.sums or ()]
    blocks = _combined(clip, groups, sums)
    work = _Work(home, clip, report, forbidden)
    at = 0
    for group in groups:
        for one in group.sums or ():
            count = int(clip.starts[one.terms[0][0] + 1] - clip.starts[one.terms[0][0]])
            work.put(group, one, tuple(block[at : at + count] for block in blocks[:3]))
            at += count
        for axis, value in group.constants:
            work.constant(group, axis, value)
    for group in groups:
        if group.sums is None:
            _draw(work, group, maps[group.bone], general, tolerance, sizes)
    _move_muted(clip, maps, active)
    work.finish(maps)
    return report


def _combined(clip: Clip, groups: Sequence[Group], sums: list[Any]) -> Any:
    """Keys and handles of all sums that are exact, those of one group after the other. Groups of which a sum
    is not lose their sums."""
    terms = np.full((len(sums), 4), -1, np.int32)
    factors = np.zeros((len(sums), 4))
    added = np.array([one.added for _, one in sums], np.float64)
    odd = [_odd(clip, row) for row in range(len(clip.channels_of))]
    beyond = [tuple(row) for row in clip.beyond.tolist()]
    for k, (group, one) in enumerate(sums):
        for t, (row, factor) in enumerate(one.terms):
            terms[k, t], factors[k, t] = row, factor
        rows = [row for row, _ in one.terms]
        if any(odd[row] == "modifiers" for row in rows) and (
            len(rows) > 1 or one.terms[0][1] != 1.0 or one.added
        ):
            group.why = "a modifier of its curve has no mirror image"
        elif len(rows) > 1 and any(odd[row] for row in rows):
            group.why = "its keys ease in ways that cannot be added"
        elif len({beyond[row] for row in rows}) > 1:
            group.why = "its curves go on differently beyond their keys"
    kinds = np.minimum(clip.kinds, _PLAIN)
    arguments = clip.starts, clip.points, clip.left, clip.right, kinds, clip.beyond
    combine = core.load().combine_curves
    fits = combine(*arguments, terms, factors, added)[3].tolist() if sums else []
    for (group, _), good in zip(sums, fits, strict=True):
        if not good and not group.why:
            group.why = "keys of its components lie on different frames"
    keep = [k for k, (group, _) in enumerate(sums) if not group.why]
    for group in groups:
        if group.why:
            group.sums = None
    return combine(*arguments, terms[keep], factors[keep], added[keep])


def _odd(clip: Clip, row: int) -> str:
    if row not in clip.by_blender:
        return ""
    return "modifiers" if any(not m.mute for m in clip.curves[row].modifiers) else "easing"


@dataclass(frozen=True, slots=True)
class _Put:
    """A curve to be: its channel, its keys and handles (keys, 2) each, None where the curve in `row` has them
    already; row: in the clip, whose curve lends its settings; summed: it is made of several."""

    group: Group
    axis: int
    row: int
    block: tuple[np.ndarray, ...] | None
    summed: bool


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A curve to be drawn anew: one line of what was fitted. row: whose settings it takes, -1 for none."""

    group: Group
    axis: int
    row: int
    fitted: Fitted
    line: int


class _Work:
    """Collects the curves of the mirrored action, then puts them into what is there as far as that goes."""

    def __init__(
        self,
        home: CurveHome,
        clip: Clip,
        report: Report,
        forbidden: dict[tuple[str, str], tuple[bool, ...]],
    ) -> None:
        self.home, self.clip, self.report, self._forbidden = home, clip, report, forbidden
        self._spent: set[int] = set()
        self._puts: list[_Put] = []
        self._drawn: list[_Drawn] = []
        self._constants: list[tuple[Group, int, float]] = []

    def refuses(self, group: Group, axis: int, moving: bool) -> bool:
        """Whether a component may have no curve; told where a motion is lost by that."""
        flags = self._forbidden.get((group.bone, group.path))
        if flags is None or not flags[axis]:
            return False
        if moving:
            note = f"{group.bone}: {group.kind}, which is locked, driven or not read there"
            if note not in self.report.lost:
                self.report.lost.append(note)
        return True

    def put(self, group: Group, one: Sum, block: tuple[np.ndarray, ...]) -> None:
        """One sum; block: its keys and handles (keys, 2)."""
        row, factor = one.terms[0]
        summed = len(one.terms) > 1
        self._spent.update(row for row, _ in one.terms)
        values = block[0][:, 1]
        if self.refuses(group, one.axis, bool(len(values)) and float(np.ptp(values)) > 0.0):
            return
        same = not summed and factor == 1.0 and one.added == 0.0
        self._puts.append(_Put(group, one.axis, row, None if same else block, summed))
        self.report.exact += 1
        self.report.keys += len(values)

    def constant(self, group: Group, axis: int, value: float) -> None:
        """A component that stands still where the source has no curve at all."""
        if not self.refuses(group, axis, False):
            self._constants.append((group, axis, value))
            self.report.keys += 1

    def draw(self, group: Group, fitted: Fitted) -> None:
        """Curves drawn anew; their source's are spent."""
        rows = [row for row in group.rows if row >= 0]
        self._spent.update(rows)
        for axis, values in enumerate(fitted.values):
            if not self.refuses(group, axis, float(np.ptp(values)) > 1e-6):
                self._drawn.append(_Drawn(group, axis, rows[0] if rows else -1, fitted, axis))
                self.report.keys += len(fitted.frames)
        name = f'"{group.bone}"' if group.bone else "the object"
        self.report.drawn.append(f"{group.kind} of {name}: {group.why}")
        self.report.error = max(self.report.error, fitted.error)

    def finish(self, maps: dict[str, Map]) -> None:
        """Change the action: first what is there gets out of the way, then what is new comes."""
        used: set[int] = set()
        copies = []
        for put in self._puts:
            if put.row in used:
                copies.append(put)
                continue
            used.add(put.row)
            curve = self.clip.curves[put.row]
            _rename(curve, path_of(put.group.bone, put.group.path), put.axis)
            _set_keys(curve, put)
        models = [_Model.of(self.clip, drawn.row) for drawn in self._drawn]
        for row in sorted(self._spent - used, reverse=True):
            self.home.bag.fcurves.remove(self.clip.curves[row])
        _rename_groups(self.home, maps)
        for put in copies:
            model = self.clip.curves[put.row]
            _set_keys(copy_curve(self.home, model, *_place(put.group, put.axis)), put)
        for drawn, model in zip(self._drawn, models, strict=True):
            curve = self.home.new_curve(*_place(drawn.group, drawn.axis))
            _write(curve, drawn.fitted, drawn.line)
            model.give(curve)
        for group, axis, value in self._constants:
            curve = self.home.new_curve(*_place(group, axis))
            curve.keyframe_points.add(1)
            first = float(self.clip.points[:, 0].min()) if len(self.clip.points) else 1.0
            curve.keyframe_points[0].co = first, value
            curve.update()
        if len(self.home.bag.fcurves):
            self.home.bag.fcurves[0].update()


def _place(group: Group, axis: int) -> tuple[str, int, str]:
    """Path, index and group of a component's curve."""
    return path_of(group.bone, group.path), axis, group.bone or "Object Transforms"


def _free() -> int:
    handle: Any = bpy.types.Keyframe.bl_rna.properties["handle_left_type"]
    return int(handle.enum_items["FREE"].value)


def _set_keys(curve: Any, put: _Put) -> None:
    if put.block is None:
        return
    keys = curve.keyframe_points
    for name, pairs in zip(("co", "handle_left", "handle_right"), put.block, strict=True):
        keys.foreach_set(name, pairs.ravel())
    if put.summed:
        # Automatic handles would be worked out anew from this curve alone, and no longer be the sum.
        types = np.full(len(keys), _free(), np.uint8)
        keys.foreach_set("handle_left_type", types)
        keys.foreach_set("handle_right_type", types)


def _rename_groups(home: CurveHome, maps: dict[str, Map]) -> None:
    """Groups that bear a bone's name get its partner's."""
    names = {one.source: bone for bone, one in maps.items() if bone and one.source != bone}
    groups = [group for group in home.bag.groups if group.name in names]
    wanted = [names[group.name] for group in groups]
    for number, group in enumerate(groups):
        group.name = f"\x7f{number}"
    for group, name in zip(groups, wanted, strict=True):
        group.name = name


def path_of(bone: str, path: str) -> str:
    """The data path of a bone's property, of the object's own for no bone."""
    return f"{bone_path(bone)}.{path}" if bone else path


def _rename(curve: Any, path: str, axis: int) -> None:
    if curve.data_path != path:
        curve.data_path = path
    if curve.array_index != axis:
        curve.array_index = axis


@dataclass(frozen=True, slots=True)
class _Model:
    """Settings that a curve drawn anew takes over; of modifiers only Cycles, others are in its keys."""

    settings: tuple[tuple[str, Any], ...] = ()
    cycles: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, clip: Clip, row: int) -> _Model:
        if row < 0:
            return cls()
        curve = clip.curves[row]
        settings = tuple((name, getattr(curve, name)) for name in ("color_mode", "extrapolation"))
        active = [one for one in curve.modifiers if one.type == "CYCLES" and not one.mute]
        if row in clip.by_blender or not active:
            return cls(settings)
        names = ("mode_before", "mode_after", "cycles_before", "cycles_after")
        return cls(settings, tuple((name, getattr(active[0], name)) for name in names))

    def give(self, curve: Any) -> None:
        for name, value in self.settings:
            setattr(curve, name, value)
        if self.cycles:
            made = curve.modifiers.new("CYCLES")
            for name, value in self.cycles:
                setattr(made, name, value)


def _write(curve: Any, fitted: Fitted, line: int) -> None:
    count = len(fitted.frames)
    gap = np.diff(fitted.frames)
    before = np.concatenate((gap[:1], gap)) if count > 1 else np.ones(1)
    after = np.concatenate((gap, gap[-1:])) if count > 1 else np.ones(1)
    frames, values = fitted.frames, fitted.values[line]
    keys = curve.keyframe_points
    keys.add(count)
    keys.foreach_set("co", np.column_stack((frames, values)).astype(np.float32).ravel())
    for name, sign, reach, slope in (
        ("handle_left", -1.0, before, fitted.before[line]),
        ("handle_right", 1.0, after, fitted.after[line]),
    ):
        at = (frames + sign * reach / 3.0).astype(np.float32).astype(np.float64)
        pair = np.column_stack((at, values + slope * (at - frames))).astype(np.float32)
        keys.foreach_set(name, pair.ravel())
    types = np.full(count, _free(), np.uint8)
    keys.foreach_set("handle_left_type", types)
    keys.foreach_set("handle_right_type", types)
    keys.foreach_set("interpolation", np.where(fitted.steps, 0, 2).astype(np.uint8))


# ---- drawn anew ----


def _draw(work: _Work, group: Group, one: Map, general: Any, tolerance: float, sizes: float) -> None:
    """Sample the mirrored motion of a property and draw it with keys where its source has them."""
    clip = work.clip
    rows = [row for row in group.rows if row >= 0]
    if general is not None and one.general:
        frames = clip.key_frames()
        steps = np.zeros(len(frames), bool)
    else:
        keys = [np.arange(clip.starts[row], clip.starts[row + 1]) for row in rows]
        flat = np.concatenate(keys) if keys else np.zeros(0, int)
        frames, where = np.unique(clip.points[flat, 0].astype(np.float64), return_inverse=True)
        steps = np.ones(len(frames), bool)
        np.logical_and.at(steps, where, clip.kinds[flat] == 0)
    if any(_odd(clip, row) == "modifiers" for row in rows):
        # What a modifier adds has no keys of its own.
        first, last = (math.floor(frames[0]), math.ceil(frames[-1]))
        frames = np.unique(np.concatenate((frames, np.arange(first, last + 1.0))))
        steps = np.zeros(len(frames), bool)
    if not len(frames):
        frames, steps = np.array([1.0]), np.zeros(1, bool)

    def motion(times: Floats) -> Floats:
        return _mirrored(clip, group, one, general, frames, times)

    if group.kind == "location":
        tolerance *= sizes
    work.draw(group, fit(motion, frames, steps, tolerance))


def _mirrored(clip: Clip, group: Group, one: Map, general: Any, keys: Floats, times: Floats) -> Floats:
    """Components of the mirrored property at rising frames, in the bone's own rotation mode."""
    if group.kind != "rotation":
        block = general(group.bone, times) if one.general else _source(clip, group, times)
        part = block[:3] if group.kind == "location" else block[7:]
        if one.general:
            return np.asarray(part, np.float64)
        matrix = np.array(one.location if group.kind == "location" else one.scale)
        added = matrix[:, 3:] if group.kind == "location" else 0.0
        return np.asarray(matrix[:, :3] @ part + added)
    # Angles count whole turns from where they begin, and lose none where they are followed closely enough.
    follow = np.linspace(keys[:-1], keys[1:], _FOLLOW, endpoint=False).T.ravel() if len(keys) > 1 else keys
    grid = np.unique(np.concatenate((keys[:1] - 1.0, follow, keys[-1:], times)))
    if one.general:
        turned = general(group.bone, grid)[3:7].astype(np.float64)
    else:
        turned = np.array(one.rotation) @ _source(clip, group, grid)[3:7]
    turned, _ = rotations.continuous(turned[None], turned[None])
    mode = clip.modes[group.bone]
    zero = np.zeros_like(turned)
    if mode == "AXIS_ANGLE":
        turned = rotations.axis_angle(turned, zero, grid)[0]
    elif mode not in ROTATION_PATHS:
        turned = rotations.euler(turned, zero, grid, mode)[0]
    return np.asarray(turned[0][:, np.searchsorted(grid, times)])


def _source(clip: Clip, group: Group, times: Floats) -> Floats:
    """Channels (10, f) of what is mirrored: a bone or the object."""
    if not group.source:
        return clip.object_channels(None, times).astype(np.float64)
    return clip.channels([group.source], times)[0].astype(np.float64)


def _move_muted(clip: Clip, maps: dict[str, Map], active: Sequence[bool]) -> None:
    """Muted curves go along to the partner where nothing has to be worked out, and stay muted."""
    for row, channel in enumerate(clip.channels_of):
        if active[row] or not channel.bone or channel.path not in DEFAULTS:
            continue
        other = maps[channel.bone].source if channel.bone in maps else channel.bone
        if other != channel.bone:
            _rename(clip.curves[row], path_of(other, channel.path), channel.axis)
