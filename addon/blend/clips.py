"""An action as arrays in the numbers that its bones are keyed in, the object itself as the first bone.

The object's own place is a bone above all others: what is done to a root bone is done to an object that
carries the motion in the same way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from ..action.channels import MODES, ROTATION_PATHS, rotation_path
from ..action.read import Channel, Clip, read
from ..rig import Skeleton
from ..rig.skeleton import FLAG_NO_LOCAL_LOCATION

Float32 = npt.NDArray[np.float32]
Times = npt.NDArray[np.float64]

_REST = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1], np.float32)
# A quaternion shorter than this has no direction.
_SHORT = 1e-6


@dataclass(frozen=True, slots=True)
class Frame:
    """The skeleton under its object, in arrays: n bones, the object being the first.

    names: "" for the object; modes: of rotation, int32 as the core has them; rest: (n, 4, 4); rests: numbers
    at rest, (n, 10), of the object those that it has; lengths: of
    bones, (n,).
    """

    names: tuple[str, ...]
    parents: npt.NDArray[np.int32]
    rest: npt.NDArray[np.float64]
    flags: npt.NDArray[np.uint32]
    modes: npt.NDArray[np.int32]
    rests: Float32
    lengths: npt.NDArray[np.float64]

    @property
    def place(self) -> dict[str, int]:
        """Index by name."""
        return {name: at for at, name in enumerate(self.names)}


def frame_of(target: bpy.types.Object, skeleton: Skeleton, *, with_object: bool) -> Frame:
    """The skeleton with the object above it. Without `with_object` that is left where nothing moves it, and
    all poses are in the armature's space; else they are in that of the object's parent."""
    parents = np.concatenate(([-1], skeleton.parents + 1)).astype(np.int32)
    flags = skeleton.flags.copy()
    flags[skeleton.parents < 0] &= np.uint32(FLAG_NO_LOCAL_LOCATION)  # a root has nothing to inherit
    modes = [MODES.index(mode) for mode in (target.rotation_mode, *skeleton.rotation_modes)]
    rests = np.repeat(_REST[None], len(modes), 0)
    for at, mode in enumerate(modes):
        if mode < 2:
            rests[at, 3 if mode == 0 else 5] = 1.0  # w, or the axis that Blender starts with
    if with_object:
        rests[0, :3], rests[0, 7:] = np.array(target.location), np.array(target.scale)
        turn = np.array(getattr(target, rotation_path(target.rotation_mode)))
        rests[0, 3:7] = 0.0
        rests[0, 7 - len(turn) : 7] = turn
    return Frame(
        ("", *skeleton.names),
        parents,
        np.concatenate((np.eye(4)[None], skeleton.rest)),
        np.concatenate(([0], flags)).astype(np.uint32),
        np.array(modes, np.int32),
        rests,
        np.concatenate(([0.0], np.linalg.norm(skeleton.tails - skeleton.heads, axis=1))),
    )


@dataclass(frozen=True, slots=True)
class Motion:
    """A clip on a frame, as what it moves.

    moving: its curves that move bones; flat: where they go in (n * 10,); keyed: (n, 10); rest: numbers of
    what has no curve, (n, 10); others: numbers in clip of all other curves; notes: on what was read otherwise
    than it stands there.
    """

    clip: Clip
    moving: Clip
    flat: npt.NDArray[np.intp]
    keyed: npt.NDArray[np.bool_]
    rest: Float32
    others: tuple[int, ...]
    first: float
    last: float
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of the action."""
        return self.clip.action.name

    @property
    def steady(self) -> bool:
        """Whether every curve holds its value beyond its keys."""
        return not self.moving.beyond.any() and not self.moving.by_blender

    def on(self, frame: Frame) -> Motion:
        """The clip on a frame of the same bones with other rests."""
        return dataclasses.replace(self, rest=frame.rests)

    def numbers(self, times: npt.ArrayLike) -> Float32:
        """Numbers of every bone at frames (f,): (n, 10, f)."""
        at = np.atleast_1d(np.asarray(times, np.float64))
        found = np.repeat(self.rest.reshape(-1, 1), at.size, 1)
        if self.flat.size:
            found[self.flat] = self.moving.sample(at)
        return found.reshape(*self.rest.shape, at.size)

    def rates(self, times: npt.ArrayLike, *, leaving: bool) -> Float32:
        """Their change per frame, after each frame or before it, (n, 10, f)."""
        at = np.atleast_1d(np.asarray(times, np.float64))
        found = np.zeros((self.rest.size, at.size), np.float32)
        if self.flat.size:
            found[self.flat] = self.moving.slopes(at, leaving=leaving)
        return found.reshape(*self.rest.shape, at.size)

    def values(self, rows: Sequence[int], times: npt.ArrayLike) -> Float32:
        """Values of curves by number, (rows, f)."""
        return self.clip.sample(times, list(rows))


def motion_of(target: bpy.types.Object, action: bpy.types.Action, frame: Frame) -> Motion:
    """Read an action. Raises AmbleError where it holds nothing for the object."""
    clip = read(target, action)
    first, last = clip.span
    clip, notes = _same_side(clip)
    place = frame.place
    rows, flat, others = [], [], []
    for number, channel in enumerate(clip.channels_of):
        at = place.get(channel.bone, -1)
        row = clip.row_of(channel) if at >= 0 else -1
        if row >= 0:
            rows.append(number)
            flat.append(10 * at + row)
        elif not _is_transform(channel):
            others.append(number)
    keyed = np.zeros(frame.rests.size, bool)
    keyed[flat] = True
    return Motion(
        clip,
        clip.part(rows),
        np.array(flat, np.intp),
        keyed.reshape(frame.rests.shape),
        frame.rests,
        tuple(others),
        first,
        last,
        tuple(notes),
    )


def _is_transform(channel: Channel) -> bool:
    """Whether it is a transform: of a bone that is not there, or in a rotation mode that is not in use."""
    return channel.path in ("location", "scale", "rotation_euler", *ROTATION_PATHS.values())


def _same_side(clip: Clip) -> tuple[Clip, list[str]]:
    """The clip with each quaternion key on the side of the one before it, and what had to be changed.

    Between q and -q, which are one rotation, a curve passes through nonsense. Only where the four curves of
    a bone have their keys on the same frames.
    """
    by_bone: dict[str, dict[int, int]] = {}
    for number, channel in enumerate(clip.channels_of):
        if channel.path == "rotation_quaternion" and clip.row_of(channel) >= 0:
            by_bone.setdefault(channel.bone, {})[channel.axis] = number
    points, left, right = clip.points, clip.left, clip.right
    flipped, zeros = 0, []
    counts = np.diff(clip.starts)
    whole = [(bone, [curves[k] for k in range(4)]) for bone, curves in by_bone.items() if len(curves) == 4]
    by_count: dict[int, list[tuple[str, list[int]]]] = {}
    for bone, four in whole:
        if len({int(counts[k]) for k in four}) == 1:
            by_count.setdefault(int(counts[four[0]]), []).append((bone, four))
    for count, group in by_count.items():
        index = clip.starts[np.array([four for _, four in group])][:, :, None] + np.arange(count)
        frames, keys = clip.points[index, 0], clip.points[index, 1]
        level = (frames == frames[:, :1]).all(axis=(1, 2))
        short = level & (np.abs(keys).max(axis=1) < _SHORT).any(axis=1)
        zeros += [bone for (bone, _), none in zip(group, short, strict=True) if none]
        along = np.einsum("bck,bck->bk", keys[..., 1:], keys[..., :-1])
        turns = level & (along < 0.0).any(axis=1)
        if not turns.any():
            continue
        if points is clip.points:
            points, left, right = points.copy(), left.copy(), right.copy()
        sign = np.ones((int(turns.sum()), 1, count), np.float32)
        sign[:, 0, 1:] = np.cumprod(np.where(along[turns] < 0.0, -1.0, 1.0), axis=1)
        for block in (points, left, right):
            block[index[turns], 1] *= sign
        flipped += int((along[turns] < 0.0).sum())
    notes = []
    if flipped:
        notes.append(
            f'"{clip.action.name}" changes the sign of its quaternions {flipped} times; they were read as '
            "the rotations that they are."
        )
    notes += [
        f'"{clip.action.name}" has a quaternion of length 0 on "{bone}", which was read as rest.'
        for bone in zeros
    ]
    return clip.with_keys(points, left, right), notes
