"""The curves of a copied action made those of its mirror image, key by key wherever that is exact."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from .. import core
from ..action import rotation as rotations
from ..action.channels import ROTATION_PATHS, bone_path
from ..action.copied import copy_curve
from ..action.read import Clip
from ..action.slots import CurveHome
from .fit import Fitted, Floats, fit
from .maps import Map
from .sums import DEFAULTS, Group, Sum, choose_first_terms, flat_rows, groups_of

# Keys of a number above this ease in ways of their own: the sum of two such is no such.
_PLAIN = 2
# A quaternion whose numbers are all smaller than this is no rotation.
_NOTHING = 1e-9
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
    clip: Clip,
    maps: dict[str, Map],
    *,
    general: Any,
    forbidden: Any,
    tolerance: float,
    sizes: float,
) -> Report:
    """Replace the transform curves of all mapped bones by their mirror image, in place.

    home: of the copied action; clip: its curves, muted ones too, whose keys are read as far as they change.
    general: called with a bone's name and frames for the mirrored channels of a bone without constants,
    float32 (10, f). forbidden: called with bone and property for flags of the components that get no curve.
    tolerance: radians, for what has to be drawn anew; sizes: armature units that weigh as much as a radian.
    """
    report = Report()
    active = [not curve.mute for curve in clip.curves]
    groups = groups_of(clip, maps, clip.modes, active)
    changed = _changed(clip, groups)
    part = clip.part(changed)
    odd = [row for row in _with_zeros(part, changed, groups) if row not in changed]
    if odd:
        changed = sorted({*changed, *odd})
        part = clip.part(changed)
    place = {row: at for at, row in enumerate(changed)}
    flat = dict(zip(changed, flat_rows(part), strict=True))
    choose_first_terms(groups, [flat.get(row, False) for row in range(len(clip.curves))])
    part, zeros = _without_zeros(part, place, groups)
    sums = [(group, one) for group in groups for one in group.sums or () if not one.same]
    kept, blocks = _combined(part, place, groups, sums)
    work = _Work(home, clip, part, place, report, forbidden)
    at = 0
    for group, one in kept:
        count = int(part.starts[place[one.terms[0][0]] + 1] - part.starts[place[one.terms[0][0]]])
        work.put(group, one, tuple(block[at : at + count] for block in blocks[:3]))
        at += count
    for group in groups:
        for one in group.sums or ():
            if one.same:
                work.put(group, one, None)
        for axis, value in group.constants:
            work.constant(group, axis, value)
    for group in groups:
        if group.sums is None:
            _draw(work, group, maps[group.bone], general, tolerance, sizes)
    work.move_muted(maps, active)
    work.finish(maps)
    report.lost += [f'"{bone}" has a quaternion of length 0, which was read as rest.' for bone in zeros]
    return report


def _changed(clip: Clip, groups: Sequence[Group]) -> list[int]:
    """Rows whose keys have to be looked at: all but those that only change their names."""
    found: set[int] = set()
    for group in groups:
        rows = [row for row in group.rows if row >= 0]
        single = group.sums is not None and all(len(one.terms) == 1 for one in group.sums)
        if single and not any(clip.modified(row) for row in rows):
            same = {one.terms[0][0] for one in group.sums or () if one.same}
            # The w of quaternions tells whether there are any of length 0.
            own = group.rows[0] if group.path == "rotation_quaternion" else -1
            rows = [row for row in rows if row not in same or row == own]
        found.update(rows)
    return sorted(found)


def _with_zeros(part: Clip, rows: Sequence[int], groups: Sequence[Group]) -> list[int]:
    """Rows of quaternions of which some key's w is 0: they may be of length 0."""
    place = {row: at for at, row in enumerate(rows)}
    found = []
    for group in groups:
        at = place.get(group.rows[0], -1) if group.path == "rotation_quaternion" else -1
        if at >= 0 and (np.abs(part.points[part.starts[at] : part.starts[at + 1], 1]) < _NOTHING).any():
            found += [row for row in group.rows if row >= 0]
    return found


def _without_zeros(part: Clip, place: dict[int, int], groups: Sequence[Group]) -> tuple[Clip, list[str]]:
    """The clip with quaternion keys of length 0, which turn nothing any way, made rest; whose they were.

    Only where all four curves are looked at: their w, which changes then, stays where the others do not.
    """
    points, zeros = part.points, []
    for group in groups:
        rows = [place.get(row, -1) for row in group.rows]
        if group.path != "rotation_quaternion" or len(rows) != 4 or min(rows) < 0:
            continue
        runs = [slice(int(part.starts[row]), int(part.starts[row + 1])) for row in rows]
        if len({run.stop - run.start for run in runs}) > 1:
            continue
        none = np.flatnonzero(np.max([np.abs(points[run, 1]) for run in runs], axis=0) < _NOTHING)
        if len(none):
            if points is part.points:
                points = points.copy()
            points[runs[0].start + none, 1] = 1.0
            zeros.append(group.source)
            for one in group.sums or ():
                one.changed = True
    return (part.with_keys(points, part.left, part.right) if zeros else part), zeros


def _combined(
    part: Clip, place: dict[int, int], groups: Sequence[Group], sums: list[tuple[Group, Sum]]
) -> tuple[list[tuple[Group, Sum]], Any]:
    """The sums that are exact, and the keys and handles of all of them one after the other. Groups of which a
    sum is not lose their sums."""
    terms = np.full((len(sums), 4), -1, np.int32)
    factors = np.zeros((len(sums), 4))
    added = np.array([one.added for _, one in sums], np.float64)
    beyond = [tuple(row) for row in part.beyond.tolist()]
    for k, (group, one) in enumerate(sums):
        rows = [place[row] for row, _ in one.terms]
        terms[k, : len(rows)] = rows
        factors[k, : len(rows)] = [factor for _, factor in one.terms]
        if any(part.modified(row) for row in rows):
            group.why = "a modifier of its curve has no mirror image"
        elif len(rows) > 1 and any(row in part.by_blender for row in rows):
            group.why = "its keys ease in ways that cannot be added"
        elif len(rows) > 1 and len({beyond[row] for row in rows}) > 1:
            group.why = "its curves go on differently beyond their keys"
    kinds = np.minimum(part.kinds, _PLAIN)
    arguments = part.starts, part.points, part.left, part.right, kinds, part.beyond
    combine = core.load().combine_curves
    blocks = combine(*arguments, terms, factors, added)
    for (group, _), good in zip(sums, blocks[3].tolist(), strict=True):
        if not good and not group.why:
            group.why = "keys of its components lie on different frames"
    keep = [k for k, (group, _) in enumerate(sums) if not group.why]
    for group in groups:
        if group.why:
            group.sums = None
    if len(keep) < len(sums):
        blocks = combine(*arguments, terms[keep], factors[keep], added[keep])
    return [sums[k] for k in keep], blocks


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
        part: Clip,
        place: dict[int, int],
        report: Report,
        forbidden: Any,
    ) -> None:
        self.home, self.clip, self.report, self._forbidden = home, clip, report, forbidden
        self.part, self.place = part, place
        self._spent: set[int] = set()
        self._puts: list[_Put] = []
        self._drawn: list[_Drawn] = []
        self._constants: list[tuple[Group, int, float]] = []

    def refuses(self, group: Group, axis: int, moves: Callable[[], bool]) -> bool:
        """Whether a component may have no curve; told where a motion is lost by that."""
        flags = self._forbidden(group.bone, group.path)
        if not flags or not flags[axis]:
            return False
        if moves():
            note = f"{group.bone}: {group.kind}, which is locked, driven or not read there"
            if note not in self.report.lost:
                self.report.lost.append(note)
        return True

    def put(self, group: Group, one: Sum, block: tuple[np.ndarray, ...] | None) -> None:
        """One sum; block: its keys and handles (keys, 2), None where they are those of its only term."""
        row = one.terms[0][0]
        self._spent.update(row for row, _ in one.terms)
        curve = self.clip.curves[row]
        if self.refuses(group, one.axis, lambda: _moves(curve)):
            return
        self._puts.append(_Put(group, one.axis, row, block, len(one.terms) > 1))
        self.report.exact += 1
        self.report.keys += len(curve.keyframe_points) if block is None else len(block[0])

    def constant(self, group: Group, axis: int, value: float) -> None:
        """A component that stands still where the source has no curve at all."""
        if not self.refuses(group, axis, lambda: False):
            self._constants.append((group, axis, value))
            self.report.keys += 1

    def draw(self, group: Group, fitted: Fitted) -> None:
        """Curves drawn anew; their source's are spent."""
        rows = [row for row in group.rows if row >= 0]
        self._spent.update(rows)
        for axis, values in enumerate(fitted.values):
            if not self.refuses(group, axis, lambda values=values: float(np.ptp(values)) > 1e-6):  # type: ignore[misc]
                self._drawn.append(_Drawn(group, axis, rows[0] if rows else -1, fitted, axis))
                self.report.keys += len(fitted.frames)
        name = f'"{group.bone}"' if group.bone else "the object"
        self.report.drawn.append(f"{group.kind} of {name}: {group.why}")
        self.report.error = max(self.report.error, fitted.error)

    def move_muted(self, maps: dict[str, Map], active: Sequence[bool]) -> None:
        """Muted curves go along to the partner and stay muted, unless another curve comes to be there."""
        taken = {(group.bone, group.path, axis) for group, axis, _ in self._constants}
        taken |= {(put.group.bone, put.group.path, put.axis) for put in self._puts}
        taken |= {(drawn.group.bone, drawn.group.path, drawn.axis) for drawn in self._drawn}
        for row, channel in enumerate(self.clip.channels_of):
            if active[row] or not channel.bone or channel.path not in DEFAULTS:
                continue
            other = maps[channel.bone].source if channel.bone in maps else channel.bone
            if (other, channel.path, channel.axis) in taken:
                self._spent.add(row)
            elif other != channel.bone:
                _rename(self.clip.curves[row], path_of(other, channel.path), channel.axis)

    def finish(self, maps: dict[str, Map]) -> None:
        """Change the action: first what is there gets out of the way, then what is new comes."""
        first = self.clip.span[0]
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
            curve.keyframe_points[0].co = first, value
            curve.update()
        if len(self.home.bag.fcurves):
            self.home.bag.fcurves[0].update()


def _moves(curve: Any) -> bool:
    """Whether the keys of a curve hold more than one value."""
    values = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", values)
    return bool(len(values)) and float(np.ptp(values[1::2])) > 0.0


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
        if clip.modified(row) or not active:
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
    clip, place = work.part, work.place
    rows = [place[row] for row in group.rows if row >= 0]
    if one.general:
        frames = work.clip.key_frames()
        steps = np.zeros(len(frames), bool)
    else:
        keys = [np.arange(clip.starts[row], clip.starts[row + 1]) for row in rows]
        flat = np.concatenate(keys) if keys else np.zeros(0, int)
        frames, where = np.unique(clip.points[flat, 0].astype(np.float64), return_inverse=True)
        steps = np.ones(len(frames), bool)
        np.logical_and.at(steps, where, clip.kinds[flat] == 0)
    if any(clip.modified(row) for row in rows):
        # What a modifier adds has no keys of its own.
        first, last = (math.floor(frames[0]), math.ceil(frames[-1]))
        frames = np.unique(np.concatenate((frames, np.arange(first, last + 1.0))))
        steps = np.zeros(len(frames), bool)
    if not len(frames):
        frames, steps = np.array([1.0]), np.zeros(1, bool)

    def motion(times: Floats) -> Floats:
        return _mirrored(clip, group, one, general, frames, times)

    # An angle comes of all numbers of a rotation. Quaternions that are off by e in each of the four lie 2 e
    # apart, which is half the angle between them; the three of Euler angles add up.
    if group.kind == "location":
        tolerance *= sizes
    elif group.kind == "rotation":
        tolerance *= 0.25 if group.path == "rotation_quaternion" else 1.0 / 3.0
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
