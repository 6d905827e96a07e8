"""A motion array into an action: every key, handle and setting in bulk."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ActionExists, AmbleError, NotAnArmature, check_there
from . import rotation, slots
from .channels import CHANNELS, ROTATION_PATHS, KeyPlan, bone_path, plan_keys, plan_location, rotation_path
from .hermite import Float32, KeyRows, bezier_keys, check_frames
from .names import check_name, cut, next_free
from .reduce import Reduction, reduced_keys, reduced_location
from .settings import keyframe_setting

# Group that Blender itself puts an object's own location, rotation and scale in.
_OBJECT_GROUP = "Object Transforms"


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The action written, the number of curves in it, and what was asked for but left out, in words."""

    action: bpy.types.Action
    curves: int
    skipped: tuple[str, ...]


class Row(NamedTuple):
    """One F-curve: data path seen from the object, index, group, and color mode."""

    path: str
    axis: int
    group: str
    color: str = "AUTO_RGB"


def write(
    armature_object: bpy.types.Object,
    name: str,
    bones: Sequence[str],
    motion: ArrayLike,
    slopes: ArrayLike,
    frames: ArrayLike,
    channels: ArrayLike,
    *,
    overwrite: bool = False,
    cyclic: bool = False,
    object_location: ArrayLike | None = None,
    object_location_slopes: ArrayLike | None = None,
    assign: bool = True,
    reduction: Reduction | None = None,
    finish: Callable[[bpy.types.Action], None] | None = None,
) -> WriteResult:
    """Write a motion as a new action of an armature object, and let the object play it.

    name: of the action; where it is taken the next free number is added ("Walk.001"). With `overwrite` an
        action of that name is replaced instead, in its own data-block; curves in slots of other objects stay.
    bones: names of b pose bones, each once.
    motion: (b, 10, f) channels of the pose bones: 3 location in armature units, 4 quaternion w x y z of any
        length but zero, 3 scale. Rotations are written in each bone's own rotation mode.
    slopes: (b, 10, f) their change per frame; between keys the curves are the Hermite cubics of the two.
    frames: (f,) rising, may be fractional.
    channels: (b, 3) true where location, rotation, scale get curves.
    cyclic: marks the action as a loop from its first to its last frame, whose keys should be equal.
    object_location, object_location_slopes: (3, f) the object's own location, both or none.
    reduction: without, every frame gets a key; with, only as many as it needs.
    assign: with False the object goes on with what it plays now.
    finish: called last, with the action written and playing; what it raises takes everything back.

    Locked and driven channels and the location of connected bones get no curve; see `WriteResult.skipped`.
    Nothing else in the file changes, except that a former action that nothing else uses gets a fake user, so
    that it is not lost on saving. On an exception everything is as before.

    Errors: NotAnArmature; AmbleError for a bone that is not there, a linked object, or an NLA strip in tweak
    mode; BadSetting for an empty name; ActionExists when `overwrite` would change the motion of something
    else; ValueError, naming the argument, for arrays that do not fit or are not finite.
    """
    check_target(armature_object)
    times = check_frames(frames)
    wanted, values, rates = check_arrays(bones, motion, slopes, channels, times.size)
    plan = plan_keys(armature_object, bones, wanted)
    to_own_modes(plan, values, rates, times, cyclic)

    table = rows_of(plan, bones)
    if reduction is None:
        curves = bezier_keys(times, values[plan.keyed], rates[plan.keyed])
    else:
        curves = reduced_keys(times, values, rates, plan.keyed, plan.modes, reduction)
    skipped = plan.skipped
    if object_location is not None or object_location_slopes is not None:
        place = _row_block("object_location", object_location, (3, times.size))
        place_rates = _row_block("object_location_slopes", object_location_slopes, (3, times.size))
        free, more = plan_location(armature_object)
        table += [Row("location", axis, _OBJECT_GROUP, "AUTO_RGB") for axis in range(3) if free[axis]]
        if reduction is None:
            curves = curves.followed_by(bezier_keys(times, place[free], place_rates[free]))
        elif any(free):
            curves = curves.followed_by(reduced_location(times, place[free], place_rates[free], reduction))
        skipped += more
    action = _write(
        armature_object,
        name,
        # Handles of reduced keys stay in one line when one of them is dragged.
        _Keys(table, curves, None, "FREE" if reduction is None else "ALIGNED"),
        overwrite=overwrite,
        cyclic=(float(times[0]), float(times[-1])) if cyclic else None,
        assign=assign,
        finish=finish,
    )
    return WriteResult(action, len(table), skipped)


def write_rows(
    armature_object: bpy.types.Object,
    name: str,
    rows: Sequence[Row],
    values: ArrayLike,
    slopes: ArrayLike,
    frames: ArrayLike,
    *,
    leaving: ArrayLike | None = None,
    stepped: NDArray[np.bool_] | None = None,
    overwrite: bool = False,
    assign: bool = True,
    finish: Callable[[bpy.types.Action], None] | None = None,
) -> bpy.types.Action:
    """Write curves of any channels of an armature object as a new action, just as they are given.

    rows: k curves, each channel once; values, slopes: (k, f), per frame; leaving: (k, f),
    slopes after the keys, where they have corners; stepped: (k, f) true where a key
    holds its value until the next. All else, and errors, as in `write`; nothing is left out.
    """
    check_target(armature_object)
    times = check_frames(frames)
    shape = (len(rows), times.size)
    keys, key_rates = _row_block("values", values, shape), _row_block("slopes", slopes, shape)
    after = None if leaving is None else _row_block("leaving", leaving, shape)
    return _write(
        armature_object,
        name,
        _Keys(rows, bezier_keys(times, keys, key_rates, after), stepped),
        overwrite=overwrite,
        cyclic=None,
        assign=assign,
        finish=finish,
    )


@dataclass(frozen=True, slots=True)
class _Keys:
    """What is written: rows (k), their curves, by row where a key holds its value (stepped; None: nowhere),
    and the type of the handles."""

    rows: Sequence[Row]
    curves: KeyRows
    stepped: NDArray[np.bool_] | None
    handles: str = "FREE"


def _write(
    target: bpy.types.Object,
    name: str,
    keys: _Keys,
    *,
    overwrite: bool,
    cyclic: tuple[float, float] | None,
    assign: bool,
    finish: Callable[[bpy.types.Action], None] | None,
) -> bpy.types.Action:
    """cyclic: first and last frame of a loop."""

    def fill(home: slots.CurveHome) -> None:
        _fill(home, keys)
        if cyclic and slots.only_home(home):
            home.action.use_frame_range = home.action.use_cyclic = True
            home.action.frame_start, home.action.frame_end = cyclic

    check_name(name)
    existing = _existing(target, name) if overwrite else None
    if existing is None:
        return _write_new(target, name, fill, assign, finish)
    return _write_over(target, existing, fill, assign, finish)


def add_still(
    target: bpy.types.Object,
    action: bpy.types.Action,
    bones: Sequence[str],
    pose: ArrayLike,
    channels: ArrayLike,
    frame: float,
) -> None:
    """Give the object's curves in `action` one key, at `frame`, for each channel of a pose that stays.

    pose: (b, 10) channels of the bones, as in `write`; channels: (b, 3) true where location, rotation, scale
    get curves. Curves that are there already, locked and driven channels are left alone.
    """
    time = np.array([frame], dtype=np.float64)
    block = np.asarray(pose, dtype=np.float32)[:, :, None]
    wanted, values, rates = check_arrays(bones, block, np.zeros_like(block), channels, 1)
    plan = plan_keys(target, bones, wanted)
    to_own_modes(plan, values, rates, time, False)
    home = slots.open_home(action, target)
    there = {(curve.data_path, curve.array_index) for curve in home.bag.fcurves}
    table = rows_of(plan, bones)
    new = [row for row, (path, axis, *_) in enumerate(table) if (path, axis) not in there]
    keys = values[plan.keyed][new]
    _fill(home, _Keys([table[row] for row in new], bezier_keys(time, keys, np.zeros_like(keys)), None))


def check_target(target: Any) -> None:
    """Raise what `write` says for an object whose action cannot be changed."""
    check_there(target)
    if not isinstance(target, bpy.types.Object) or target.type != "ARMATURE":
        raise NotAnArmature(f'"{getattr(target, "name", target)}" is no armature object; choose one.')
    if target.library is not None:
        raise AmbleError(
            f'The armature "{target.name}" is linked from another file; make a library override of it.'
        )
    data = target.animation_data
    if data is not None and data.use_tweak_mode:
        raise AmbleError(
            f'An NLA strip of "{target.name}" is being tweaked; leave tweak mode (Tab in the NLA) first.'
        )
    with_pose(target)


def with_pose(target: Any) -> None:
    """Give a new armature object the pose that it gets with its first evaluation otherwise.

    Setting its data does it, which needs no scene. Without a pose, assigning an action crashes Blender 5.0.
    """
    if target.pose is None:
        target.data = target.data


def check_arrays(
    bones: Sequence[str], motion: ArrayLike, slopes: ArrayLike, channels: ArrayLike, count: int
) -> tuple[NDArray[np.bool_], Float32, Float32]:
    """The channels asked for, and copies of motion and slopes. Raises ValueError where they do not fit."""
    if len(set(bones)) != len(bones):
        twice = next(bone for at, bone in enumerate(bones) if bone in bones[:at])
        raise ValueError(f'bones: "{twice}" is there twice')
    shape = (len(bones), CHANNELS, count)
    wanted = np.asarray(channels, dtype=bool)
    if wanted.shape != (len(bones), 3):
        raise ValueError(f"channels: the shape must be {(len(bones), 3)}, not {wanted.shape}")
    return wanted, _row_block("motion", motion, shape), _row_block("slopes", slopes, shape)


def _row_block(what: str, given: Any, shape: tuple[int, ...]) -> Float32:
    """A float32 copy of the array given."""
    if given is None:
        raise ValueError(f"{what}: values and slopes are needed both")
    block = np.array(given, dtype=np.float32, order="C")
    if block.shape != shape:
        raise ValueError(f"{what}: the shape must be {shape}, not {block.shape}")
    if not np.isfinite(block).all():
        raise ValueError(f"{what}: every number must be finite")
    return block


def to_own_modes(
    plan: KeyPlan, values: Float32, rates: Float32, times: NDArray[np.float64], cyclic: bool
) -> None:
    """Replace the rotation rows 3..6 by those of each bone's mode, in place, all bones of a mode at once."""
    turned = plan.keyed[:, 3:7].any(axis=1)
    if not turned.any():
        return
    quaternion, rate = values[:, 3:7], rates[:, 3:7]
    zero = turned & (np.einsum("ncf,ncf->nf", quaternion, quaternion) < 1e-12).any(axis=1)
    if zero.any():
        raise ValueError(
            f"motion: the quaternion of bone number {int(np.argmax(zero))} is zero at some frame"
        )
    values[turned, 3:7], rates[turned, 3:7] = rotation.continuous(quaternion[turned], rate[turned])

    held = plan.held.any(axis=1)
    if held.any():
        values[held, 3:7], rates[held, 3:7] = rotation.without_axes(
            quaternion[held], rate[held], times, plan.held[held]
        )
    modes = np.array(plan.modes)
    for mode in sorted(set(plan.modes) - {"QUATERNION"}):
        these = turned & (modes == mode)
        if not these.any():
            continue
        if mode == "AXIS_ANGLE":
            values[these, 3:7], rates[these, 3:7] = rotation.axis_angle(
                quaternion[these], rate[these], times, cyclic=cyclic
            )
        else:
            values[these, 4:7], rates[these, 4:7] = rotation.euler(
                quaternion[these], rate[these], times, mode, cyclic=cyclic
            )


def rows_of(plan: KeyPlan, bones: Sequence[str]) -> list[Row]:
    """One entry for every keyed row, in the order in which a boolean index takes them."""
    return list(_rows_of(tuple(bones), plan.modes, plan.keyed.tobytes()))


@lru_cache(maxsize=16)
def _rows_of(bones: tuple[str, ...], modes: tuple[str, ...], keyed: bytes) -> tuple[Row, ...]:
    table: list[Row] = []
    paths: list[tuple[str, str, str]] = []
    colors: list[str] = []
    for bone, mode in zip(bones, modes, strict=True):
        start = bone_path(bone)
        paths.append((f"{start}.location", f"{start}.{rotation_path(mode)}", f"{start}.scale"))
        colors.append("AUTO_YRGB" if mode in ROTATION_PATHS else "AUTO_RGB")
    rows = np.frombuffer(keyed, dtype=bool).reshape(-1, CHANNELS)
    for row, channel in np.argwhere(rows).tolist():
        location, turn, scale = paths[row]
        if channel < 3:
            table.append(Row(location, channel, bones[row], "AUTO_RGB"))
        elif channel < 7:
            first = 3 if modes[row] in ROTATION_PATHS else 4
            table.append(Row(turn, channel - first, bones[row], colors[row]))
        else:
            table.append(Row(scale, channel - 7, bones[row], "AUTO_RGB"))
    return tuple(table)


def _fill(home: slots.CurveHome, written: _Keys) -> None:
    curves, stepped = written.curves, written.stepped
    starts = curves.starts.tolist()
    most = max(map(int.__sub__, starts[1:], starts), default=0)
    # Bytes, as Blender stores these settings: other integers are converted key by key, at twice the cost.
    beziers = np.full(most, keyframe_setting("interpolation", "BEZIER"), np.uint8)
    constant = np.uint8(keyframe_setting("interpolation", "CONSTANT"))
    kinds = np.full(most, keyframe_setting("handle_left_type", written.handles), np.uint8)
    keys, left, right = (block.ravel() for block in (curves.points, curves.left, curves.right))
    curve, is_bezier = None, False
    for row, (path, axis, group, color) in enumerate(written.rows):
        curve = home.new_curve(path, axis, group)
        curve.color_mode = color
        points = curve.keyframe_points
        count, own = starts[row + 1] - starts[row], slice(2 * starts[row], 2 * starts[row + 1])
        kind, bezier = kinds[:count], beziers[:count]
        points.add(count)
        points.foreach_set("co", keys[own])
        points.foreach_set("handle_left", left[own])
        points.foreach_set("handle_right", right[own])
        points.foreach_set("handle_left_type", kind)
        points.foreach_set("handle_right_type", kind)
        if not is_bezier:
            # New keys are, in every Blender known and whatever the preferences; the first curve shows it.
            is_bezier = row == 0 and points[0].interpolation == "BEZIER"
            if not is_bezier:
                points.foreach_set("interpolation", bezier)
        if stepped is not None and stepped[row].any():
            points.foreach_set("interpolation", np.where(stepped[row], constant, bezier))
    if curve is not None:
        # Rising keys with free handles, or with handles in one line, need no sorting and no recalculation.
        # Once is enough to tell whoever plays the action that it has changed.
        curve.update()


def _existing(target: bpy.types.Object, name: str) -> bpy.types.Action | None:
    """The action of this file that `overwrite` is about, or None when the name is free."""
    actions: Any = bpy.data.actions
    action = actions.get((name, None)) or actions.get((cut(name), None))
    if action is not None:
        others = slots.used_by_others(action, target)
        if others:
            raise ActionExists(f'The action "{action.name}" also moves "{others[0]}"; choose another name.')
    return action


def _write_new(target: bpy.types.Object, name: str, fill: Any, assign: bool, finish: Any) -> bpy.types.Action:
    actions: Any = bpy.data.actions
    taken = {action.name for action in actions if action.library is None}
    action = bpy.data.actions.new(next_free(name, taken))
    try:
        action.use_fake_user = True
        home = slots.open_home(action, target)
        fill(home)
        with _playing(target, action, home.slot) if assign else nullcontext():
            if finish is not None:
                finish(action)
    except BaseException:
        bpy.data.actions.remove(action)
        raise
    return action


def _write_over(
    target: bpy.types.Object, action: bpy.types.Action, fill: Any, assign: bool, finish: Any
) -> bpy.types.Action:
    name = action.name
    backup = action.copy()
    try:
        home = slots.open_home(action, target)
        home.clear()
        if slots.only_home(home):
            for marker in list(action.pose_markers):
                action.pose_markers.remove(marker)
            action.use_frame_range = action.use_cyclic = False
        fill(home)
        action.use_fake_user = True
        with _playing(target, action, home.slot) if assign else nullcontext():
            if finish is not None:
                finish(action)
    except BaseException:
        action.user_remap(backup)
        bpy.data.actions.remove(action)
        backup.name = name
        raise
    bpy.data.actions.remove(backup)
    return action


@contextmanager
def _playing(target: bpy.types.Object, action: bpy.types.Action, slot: Any) -> Iterator[None]:
    """Let the object play the action; as before on an exception, also on one within the block."""
    data = target.animation_data
    former, former_slot = slots.current(data)
    made = data is None
    try:
        if data is None:
            data = target.animation_data_create()
        slots.assign(data, action, slot)
        if data.action != action:
            raise AmbleError(
                f'Blender does not let "{target.name}" change its action; look at its NLA tracks.'
            )
        yield
        slots.keep(former)
    except BaseException:
        if made:
            target.animation_data_clear()
        elif data is not None:
            slots.assign(data, former, former_slot)
        raise
