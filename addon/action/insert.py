"""Keys laid into an action that is there, in a range of frames; all other keys stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ActionExists
from . import slots
from .channels import plan_keys
from .hermite import Float32, bezier_keys, check_frames
from .settings import keyframe_setting
from .write import Row, check_arrays, check_target, rows_of, to_own_modes

# What a key holds beside its place and handles: name, type, what a new key has.
_MORE: tuple[tuple[str, type, str | float], ...] = (
    ("interpolation", np.uint8, "BEZIER"),
    ("easing", np.uint8, "AUTO"),
    ("handle_left_type", np.uint8, "FREE"),
    ("handle_right_type", np.uint8, "FREE"),
    ("type", np.uint8, "KEYFRAME"),
    ("amplitude", np.float32, 0.0),
    ("back", np.float32, 0.0),
    ("period", np.float32, 0.0),
)


def insert(
    target: bpy.types.Object,
    action: bpy.types.Action,
    bones: Sequence[str],
    motion: ArrayLike,
    slopes: ArrayLike,
    frames: ArrayLike,
    channels: ArrayLike,
    *,
    finish: Callable[[bpy.types.Action], None] | None = None,
) -> tuple[str, ...]:
    """Lay a motion into the object's own curves of an action: keys between its first and last frame give way
    to it, the others stay as they are; but the handles next to it are free from then on, so that they stay.
    Returns what was left out, in words.

    bones, motion, slopes, frames, channels, finish: as in `write`. A channel without a curve gets one, which
    before the first frame and after the last holds their values. On an exception everything is as before.

    Errors: as in `write`; ActionExists when the curves move something else as well.
    """
    check_target(target)
    others = slots.used_by_others(action, target)
    if others:
        raise ActionExists(
            f'The action "{action.name}" also moves "{others[0]}"; give "{target.name}" its own.'
        )
    times = check_frames(frames)
    wanted, values, rates = check_arrays(bones, motion, slopes, channels, times.size)
    plan = plan_keys(target, bones, wanted)
    to_own_modes(plan, values, rates, times, False)
    table = rows_of(plan, bones)
    keys = bezier_keys(times, values[plan.keyed], rates[plan.keyed])
    curves = [block.reshape(-1, times.size, 2) for block in (keys.points, keys.left, keys.right)]
    name = action.name
    backup = action.copy()
    try:
        home = slots.open_home(action, target)
        there = {(curve.data_path, curve.array_index): curve for curve in home.bag.fcurves}
        for row, channel in enumerate(table):
            curve = there.get((channel.path, channel.axis)) or _new(home, channel)
            _lay(curve, times, tuple(block[row] for block in curves))
        if finish is not None:
            finish(action)
    except BaseException:
        action.user_remap(backup)
        bpy.data.actions.remove(action)
        backup.name = name
        raise
    bpy.data.actions.remove(backup)
    return plan.skipped


def _new(home: slots.CurveHome, channel: Row) -> Any:
    curve = home.new_curve(channel.path, channel.axis, channel.group)
    curve.color_mode = channel.color
    return curve


def _lay(curve: Any, times: NDArray[np.float64], new: tuple[Float32, ...]) -> None:
    """Replace the keys from the first to the last of the times: keys, left and right handles (f, 2)."""
    points = curve.keyframe_points
    count = len(points)
    places = {name: np.empty(2 * count, np.float32) for name in ("co", "handle_left", "handle_right")}
    more: dict[str, NDArray[Any]] = {name: np.empty(count, kind) for name, kind, _ in _MORE}
    for name, values in (*places.items(), *more.items()):
        points.foreach_get(name, values)
    frame = places["co"].reshape(-1, 2)[:, 0]
    new = tuple(block.copy() for block in new)
    # A key that is replaced at either end keeps the handle that belongs to the motion outside.
    for at, side, name in ((0, 1, "handle_left"), (-1, 2, "handle_right")):
        for key in np.flatnonzero(np.abs(frame - times[at]) < 1e-3).tolist():
            new[side][at] = places[name].reshape(-1, 2)[key]
    before, after = frame < times[0] - 1e-3, frame > times[-1] + 1e-3
    # Automatic handles of the neighbours would follow the new keys: they are kept as they lie.
    beside = [*np.flatnonzero(before)[-1:], *np.flatnonzero(after)[:1]]
    for name in ("handle_left_type", "handle_right_type"):
        more[name][beside] = keyframe_setting(name, "FREE")
    whole = int(before.sum() + after.sum()) + times.size
    if whole > count:
        points.add(whole - count)
    while len(points) > whole:
        points.remove(points[-1], fast=True)
    for (name, values), block in zip(places.items(), new, strict=True):
        old = values.reshape(-1, 2)
        points.foreach_set(name, np.concatenate([old[before], block, old[after]]).reshape(-1))
    for name, kind, word in _MORE:
        value = keyframe_setting(name, word) if isinstance(word, str) else word
        fresh: NDArray[Any] = np.full(times.size, value, kind)
        points.foreach_set(name, np.concatenate([more[name][before], fresh, more[name][after]]))
    curve.update()
