"""An object's action into arrays, without playing it: its keys in bulk, its values at any frames.

    clip = read(rig)                                  # what the object plays, or read(rig, action)
    clip.span                                         # (first, last) frame
    frames = clip.key_frames()                        # every frame that has a key, or any frames of yours
    motion = clip.channels(["pelvis", "thigh.L"], frames)      # float32 (bones, 10, frames)

Nothing is evaluated by the scene, so that nothing in it moves: not the frame, not the pose. Muted curves
count as not there, as in Blender; NLA tracks, drivers and constraints play no part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import core
from ..errors import AmbleError
from . import slots
from .channels import CHANNELS, ROTATION_PATHS, rotation_path

Float32 = NDArray[np.float32]

_BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$', re.DOTALL)
# First row of a channel array that a property fills; Euler angles take the last three of their four rows.
_FIRST_ROW = {
    "location": 0,
    "rotation_quaternion": 3,
    "rotation_axis_angle": 3,
    "rotation_euler": 4,
    "scale": 7,
}
_REPEATS = {"NONE": 0, "REPEAT": 1, "REPEAT_OFFSET": 2, "MIRROR": 3}
# Frames over which the slope of what only Blender evaluates is taken.
_STEP = 1.0 / 64.0
_MOST_KIND = 2  # keys of a higher number ease in ways that the core leaves to Blender
_REST = np.array([0, 0, 0, 1, 0, 0, 0, 1, 1, 1], np.float32)


class Channel(NamedTuple):
    """What a curve moves. bone: its name, "" for the object itself and all else; path: the property seen from
    the bone (seen from the object where there is no bone); axis: which of its numbers."""

    bone: str
    path: str
    axis: int


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of n curves, one curve after the other.

    starts: int64 (n + 1,), curve k has the keys starts[k] to starts[k + 1] - 1 of points, left, right:
    float32 (keys, 2), frame and value of keys and handles; kinds: int32 (keys,), interpolation as Blender
    numbers it (0 constant, 1 linear, 2 Bezier). by_blender: numbers of the curves that Blender evaluates, for
    their modifiers (other than one plain Cycles) or the easing of their keys.
    """

    starts: NDArray[np.int64]
    points: Float32
    left: Float32
    right: Float32
    kinds: NDArray[np.int32]
    by_blender: frozenset[int]


class Clip:
    """The curves of one object in one action, muted ones and such without keys left out.

    channels_of: what each of the n curves moves. beyond: int32 (n, 5) as amble_core.sample_curves takes it.
    modes: rotation modes of the object's bones by name, and the object's own under "". curves: the F-curves
    themselves. starts, points, left, right, kinds, by_blender: as in Keys. What Blender evaluates is good for
    as long as the action is not changed, and so is a clip read `lazily` until its keys are asked for.
    """

    __slots__ = ("_keys", "_rules", "action", "beyond", "channels_of", "curves", "modes")

    def __init__(
        self,
        action: bpy.types.Action,
        channels_of: tuple[Channel, ...],
        rules: Sequence[Any],
        modes: dict[str, str],
        curves: tuple[Any, ...],
    ) -> None:
        self.action, self.channels_of, self.modes, self.curves = action, channels_of, modes, curves
        self.beyond = np.array([rule or (0,) * 5 for rule in rules], np.int32).reshape(-1, 5)
        self._rules = tuple(rules)
        self._keys: Keys | None = None

    @property
    def keys(self) -> Keys:
        """All keys, read when they are asked for first."""
        if self._keys is None:
            self._keys = _read_keys(self.curves, self._rules)
        return self._keys

    @property
    def starts(self) -> NDArray[np.int64]:
        """See Keys."""
        return self.keys.starts

    @property
    def points(self) -> Float32:
        """See Keys."""
        return self.keys.points

    @property
    def left(self) -> Float32:
        """See Keys."""
        return self.keys.left

    @property
    def right(self) -> Float32:
        """See Keys."""
        return self.keys.right

    @property
    def kinds(self) -> NDArray[np.int32]:
        """See Keys."""
        return self.keys.kinds

    @property
    def by_blender(self) -> frozenset[int]:
        """See Keys."""
        return self.keys.by_blender

    @property
    def span(self) -> tuple[float, float]:
        """First and last frame that has a key. Raises AmbleError where there is none."""
        frames = self.points[:, 0]
        if not frames.size:
            raise AmbleError(f'The action "{self.action.name}" has no keys for this object; choose another.')
        return float(frames.min()), float(frames.max())

    @property
    def bones(self) -> tuple[str, ...]:
        """Names of the bones that have curves, in the order of the curves."""
        return tuple(dict.fromkeys(channel.bone for channel in self.channels_of if channel.bone))

    def modified(self, row: int) -> bool:
        """Whether modifiers that only Blender can evaluate change a curve."""
        return self._rules[row] is None

    def key_frames(self) -> NDArray[np.float64]:
        """Every frame that some curve has a key on, rising."""
        return np.unique(self.points[:, 0]).astype(np.float64)

    def sample(self, frames: ArrayLike, rows: Sequence[int] | None = None) -> Float32:
        """Values at frames (f,) of the curves numbered in rows, or of all: float32 (rows, f).

        Equal to FCurve.evaluate to float32 rounding. Whole numbers of integer properties, which only Blender
        knows of, are not rounded here.
        """
        times = np.atleast_1d(np.asarray(frames, np.float64))
        part = self if rows is None else self.part(rows)
        values: Float32 = core.load().sample_curves(
            part.starts,
            part.points,
            part.left,
            part.right,
            np.minimum(part.kinds, _MOST_KIND),
            part.beyond,
            times,
        )
        for row in part.by_blender:
            evaluate = part.curves[row].evaluate
            values[row] = [evaluate(time) for time in times.tolist()]
        return values

    def slopes(self, frames: ArrayLike, *, leaving: bool) -> Float32:
        """Change per frame of all curves at frames (f,), float32 (curves, f): after each frame where they are
        leaving it, else before it."""
        times = np.atleast_1d(np.asarray(frames, np.float64))
        values: Float32 = core.load().slope_curves(
            self.starts,
            self.points,
            self.left,
            self.right,
            np.minimum(self.kinds, _MOST_KIND),
            self.beyond,
            times,
            leaving=leaving,
        )
        step = _STEP if leaving else -_STEP
        for row in self.by_blender:
            evaluate = self.curves[row].evaluate
            values[row] = [(evaluate(time + step) - evaluate(time)) / step for time in times.tolist()]
        return values

    def channels(self, bones: Sequence[str], frames: ArrayLike) -> Float32:
        """Channels of bones at frames (f,), float32 (bones, 10, f): 3 location, quaternion w x y z, 3 scale.

        Whatever each bone's rotation mode; curves of other modes than the bone's count as not there, as in
        Blender. What has no curve is at rest. Quaternions are as the curves draw them, of any length, and
        follow one another without changes of sign that the curves do not have.
        """
        times = np.atleast_1d(np.asarray(frames, np.float64))
        found = np.repeat(_REST[None, :, None], len(bones), 0).repeat(times.size, 2)
        modes = [self.modes.get(bone, "QUATERNION") for bone in bones]
        for at, mode in enumerate(modes):
            if mode not in ROTATION_PATHS:
                found[at, 3:7] = 0.0
            elif mode == "AXIS_ANGLE":
                found[at, 3:7] = ((0.0,), (0.0,), (1.0,), (0.0,))  # the axis that Blender starts with
        self._fill(found, {bone: at for at, bone in enumerate(bones)}, modes, times)
        return found

    def object_channels(self, target: bpy.types.Object | None, frames: ArrayLike) -> Float32:
        """Channels of the object itself, float32 (10, f); what has no curve is as the object has it now, or
        where it is None nothing: no move, no turn, scale 1."""
        times = np.atleast_1d(np.asarray(frames, np.float64))
        mode = self.modes[""]
        if target is None:
            found = _REST[None, :, None].repeat(times.size, 2)
            if mode != "QUATERNION":
                found[0, 3:7] = 0.0
            self._fill(found, {"": 0}, [mode], times)
            return found[0]
        found = np.empty((1, CHANNELS, 1), np.float32)
        found[0, :3, 0], found[0, 7:, 0] = np.array(target.location), np.array(target.scale)
        found[0, 3:7, 0] = 0.0
        turn = getattr(target, rotation_path(mode))
        found[0, 7 - len(turn) : 7, 0] = turn
        found = found.repeat(times.size, 2)
        self._fill(found, {"": 0}, [mode], times)
        return found[0]

    def keyed(self, bones: Sequence[str]) -> NDArray[np.bool_]:
        """Which of the rows of `channels` some curve moves, bool (bones, 10): all four of a rotation that is
        not in quaternions."""
        found = np.zeros((len(bones), CHANNELS), bool)
        place = {bone: at for at, bone in enumerate(bones)}
        for channel in self.channels_of:
            at = place.get(channel.bone, -1) if channel.bone else -1
            row = self.row_of(channel) if at >= 0 else -1
            if row >= 0:
                whole = 3 <= row < 7 and self.modes.get(channel.bone) != "QUATERNION"
                found[at, slice(3, 7) if whole else row] = True
        return found

    def row_of(self, channel: Channel) -> int:
        """The row of a channel array that a curve fills; -1 for none, as of a mode that is not in use."""
        bone, path, axis = channel
        first = _FIRST_ROW.get(path, -1)
        if first in (3, 4) and path != rotation_path(self.modes.get(bone, "")):
            return -1
        return first + axis if first >= 0 else -1

    def _fill(self, found: Float32, place: dict[str, int], modes: Sequence[str], times: Any) -> None:
        rows, flat = [], []
        for number, channel in enumerate(self.channels_of):
            at = place.get(channel.bone, -1)
            row = self.row_of(channel) if at >= 0 else -1
            if row >= 0:
                rows.append(number)
                flat.append(CHANNELS * at + row)
        if rows:
            found.reshape(-1, times.size)[flat] = self.sample(times, rows)
        to_quaternions(found, modes)

    def with_keys(self, points: Float32, left: Float32, right: Float32) -> Clip:
        """The same curves with other places of their keys and handles."""
        found = Clip(self.action, self.channels_of, self._rules, self.modes, self.curves)
        found._keys = replace(self.keys, points=points, left=left, right=right)
        return found

    def part(self, rows: Sequence[int]) -> Clip:
        """The curves of these numbers alone; their keys alone are read, where they have not been yet."""
        chosen = list(rows)
        if chosen == list(range(len(self.channels_of))):
            return self
        found = Clip(
            self.action,
            tuple(self.channels_of[row] for row in chosen),
            [self._rules[row] for row in chosen],
            self.modes,
            tuple(self.curves[row] for row in chosen),
        )
        if self._keys is not None:
            counts = np.diff(self.starts)[chosen]
            starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
            keys = np.repeat(self.starts[:-1][chosen] - starts[:-1], counts) + np.arange(starts[-1])
            found._keys = Keys(
                starts,
                self.points[keys],
                self.left[keys],
                self.right[keys],
                self.kinds[keys],
                frozenset(at for at, row in enumerate(chosen) if row in self.by_blender),
            )
        return found


def to_quaternions(channels: Float32, modes: Sequence[str]) -> None:
    """Rotation rows 3..6 of (bones, 10, f) from each bone's mode (angles in the last three rows; angle and
    axis) to quaternions, in place."""
    native = core.load()
    kinds = np.array(modes)
    for mode in sorted(set(modes) - {"QUATERNION"}):
        these = np.flatnonzero(kinds == mode)
        block = channels[these, 3:7].transpose(1, 0, 2)
        shape = block.shape
        flat = np.ascontiguousarray(block.reshape(4, -1))
        if mode == "AXIS_ANGLE":
            turned = native.quaternion_from_axis_angle(flat)
        else:
            order = np.array(["XYZ".index(axis) for axis in mode], np.int32)
            turned = native.quaternion_from_euler(np.ascontiguousarray(flat[1:]), order)
        channels[these, 3:7] = turned.reshape(shape).transpose(1, 0, 2)


def read(target: bpy.types.Object, action: bpy.types.Action | None = None, *, lazily: bool = False) -> Clip:
    """Read the curves that `action` holds for an object; by default of the action that it plays.

    Of an action that it does not play: those of its own slot, else of the first, as Blender would choose.
    lazily: keys when they are asked for.
    Raises AmbleError where there is no action, or one that holds nothing for objects.
    """
    data = target.animation_data
    if action is None:
        action = data.action if data is not None else None
        if action is None:
            raise AmbleError(f'"{target.name}" plays no action; give it one, or name one.')
    return clip_of(action, slots.curves_for(action, target), target, lazily=lazily)


def clip_of(
    action: bpy.types.Action,
    curves: Any,
    target: bpy.types.Object,
    *,
    muted: bool = False,
    lazily: bool = False,
    modes: dict[str, str] | None = None,
) -> Clip:
    """The clip of an object's F-curves, those of `slots.CurveHome` or None; with muted ones if asked for.

    modes: of an earlier clip of the same object, where there is one.
    """
    found = [curve for curve in curves or () if (muted or not _muted(curve)) and not curve.is_empty]
    clip = Clip(
        action,
        tuple([channel_of(curve.data_path, curve.array_index) for curve in found]),
        [_beyond(curve) for curve in found],
        _modes(target) if modes is None else modes,
        tuple(found),
    )
    if not lazily:
        _ = clip.keys
    return clip


def _modes(target: bpy.types.Object) -> dict[str, str]:
    pose: Any = target.pose
    modes = {bone.name: bone.rotation_mode for bone in pose.bones} if pose is not None else {}
    return {**modes, "": target.rotation_mode}


@lru_cache(maxsize=16384)
def channel_of(path: str, axis: int) -> Channel:
    """What the data path of an object's curve moves."""
    match = _BONE.match(path)
    if match is None:
        return Channel("", path, axis)
    return Channel(bpy.utils.unescape_identifier(match[1]), match[2], axis)


def _read_keys(curves: Sequence[Any], rules: Sequence[Any]) -> Keys:
    counts = [len(curve.keyframe_points) for curve in curves]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    points, left, right = (np.empty(2 * starts[-1], np.float32) for _ in range(3))
    kinds = np.empty(starts[-1], np.uint8)  # as Blender stores them: other integers are converted one by one
    for curve, begin, end in zip(curves, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        get, own = curve.keyframe_points.foreach_get, slice(2 * begin, 2 * end)
        get("co", points[own])
        get("handle_left", left[own])
        get("handle_right", right[own])
        get("interpolation", kinds[begin:end])
    points, left, right = (block.reshape(-1, 2) for block in (points, left, right))
    eases = np.flatnonzero(kinds > _MOST_KIND)
    odd = set((np.searchsorted(starts, eases, side="right") - 1).tolist())
    odd |= {row for row, rule in enumerate(rules) if rule is None}
    return Keys(starts, points, left, right, kinds.astype(np.int32), frozenset(odd))


def _muted(curve: Any) -> bool:
    group = curve.group
    return curve.mute or (group is not None and getattr(group, "mute", False))


def _beyond(curve: Any) -> tuple[int, int, int, int, int] | None:
    """How the curve goes on beyond its keys; None where that, or more, is for Blender alone to say."""
    straight = int(curve.extrapolation == "LINEAR")
    modifiers = curve.modifiers
    active = [modifier for modifier in modifiers if not modifier.mute] if modifiers else ()
    if not active:
        return None if not curve.keyframe_points else (straight, 0, 0, 0, 0)
    first: Any = active[0]
    if len(active) > 1 or first.type != "CYCLES" or first.use_restricted_range or first.use_influence:
        return None
    if modifiers[0] != first:
        return None
    return (
        straight,
        _REPEATS[first.mode_before],
        first.cycles_before,
        _REPEATS[first.mode_after],
        first.cycles_after,
    )
