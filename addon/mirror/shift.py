"""A cycle begun half of itself later, so that the mirror image of a walk starts on the same foot."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..action.copied import KEY_PROPERTIES
from ..action.slots import CurveHome
from ..errors import AmbleError

# Ends of a curve that differ by no more than this of its range, or of 1, close the cycle.
CLOSED = 1e-3
SAME = 1e-3  # frames


def shift_half(home: CurveHome, first: float, last: float) -> None:
    """Begin every curve of a cycle from first to last in its middle, in place.

    What closes goes round; what travels, as a root, goes on from where it began: its second half, then its
    first. Keys keep their shapes; one is added in the middle where there is none. Raises AmbleError for a
    motion of no length.
    """
    if not last > first:
        raise AmbleError("The action has keys on one frame alone and is no cycle that could be shifted.")
    for curve in home.bag.fcurves:
        if len(curve.keyframe_points):
            _shift(curve, first, last)


def _shift(curve: Any, first: float, last: float) -> None:
    half = 0.5 * (last - first)
    keys = _keys(curve)
    for time in (first, first + half, last):
        keys = _with_key(curve, keys, time)
    time = keys["co"][:, 0].astype(np.float64)
    value = keys["co"][:, 1].astype(np.float64)
    start, middle, end = (int(np.argmin(np.abs(time - at))) for at in (first, first + half, last))
    travel = value[end] - value[start]
    closes = abs(travel) <= CLOSED * max(1.0, float(np.ptp(value)))
    # Second half, then first; what was the seam is one key, with a handle of each end.
    later = _moved(keys, slice(middle, end + 1), -half, 0.0 if closes else value[start] - value[middle])
    sooner = _moved(
        keys, slice(start, middle + 1), half, 0.0 if closes else travel + value[start] - value[middle]
    )
    for name in ("handle_right", "interpolation", "easing", "handle_right_type"):
        later[name][-1] = sooner[name][0]
    joined = {name: np.concatenate((later[name], sooner[name][1:])) for name in later}
    points = curve.keyframe_points
    points.clear()
    points.add(len(joined["co"]))
    for name, _, _ in KEY_PROPERTIES:
        points.foreach_set(name, np.ascontiguousarray(joined[name]).ravel())
    curve.update()


def _keys(curve: Any) -> dict[str, Any]:
    found = {}
    count = len(curve.keyframe_points)
    for name, width, kind in KEY_PROPERTIES:
        block = np.empty(count * width, kind)
        curve.keyframe_points.foreach_get(name, block)
        found[name] = block.reshape(count, width)
    return found


def _moved(keys: dict[str, Any], part: slice, by: float, raised: float) -> dict[str, Any]:
    made = {name: block[part].copy() for name, block in keys.items()}
    for name in ("co", "handle_left", "handle_right"):
        made[name] = (made[name].astype(np.float64) + [by, raised]).astype(np.float32)
    return made


def _with_key(curve: Any, keys: dict[str, Any], time: float) -> dict[str, Any]:
    """The keys with one at a frame, the curve unchanged."""
    times = keys["co"][:, 0].astype(np.float64)
    if np.abs(times - time).min() <= SAME:
        return keys
    at = int(np.searchsorted(times, time))
    near = min(max(at - 1, 0), len(times) - 1)
    made = {name: np.insert(block, at, block[near], axis=0) for name, block in keys.items()}
    value = float(curve.evaluate(time))
    made["co"][at] = made["handle_left"][at] = made["handle_right"][at] = time, value
    if 0 < at < len(times) and int(keys["interpolation"][at - 1, 0]) == 2:
        _split(made, at, time)
    else:
        made["handle_left"][at, 0] -= 1.0 / 3.0
        made["handle_right"][at, 0] += 1.0 / 3.0
    return made


def _split(keys: dict[str, Any], at: int, time: float) -> None:
    """Set the handles about a new key so that the Bezier through it stays what it was (de Casteljau)."""
    a, b = keys["co"][at - 1].astype(np.float64), keys["handle_right"][at - 1].astype(np.float64)
    c, d = keys["handle_left"][at + 1].astype(np.float64), keys["co"][at + 1].astype(np.float64)
    span = d[0] - a[0]
    b = a + (b - a) * min(1.0, span / max(abs(b[0] - a[0]), 1e-12))
    c = d + (c - d) * min(1.0, span / max(abs(c[0] - d[0]), 1e-12))
    low, high = 0.0, 1.0
    for _ in range(60):
        t = 0.5 * (low + high)
        x = (1 - t) ** 3 * a[0] + 3 * t * (1 - t) ** 2 * b[0] + 3 * t * t * (1 - t) * c[0] + t**3 * d[0]
        low, high = (low, t) if x > time else (t, high)
    t = 0.5 * (low + high)
    ab, bc, cd = a + t * (b - a), b + t * (c - b), c + t * (d - c)
    left, right = ab + t * (bc - ab), bc + t * (cd - bc)
    keys["handle_right"][at - 1], keys["handle_left"][at] = ab, left
    keys["co"][at] = time, (left + t * (right - left))[1]
    keys["handle_right"][at], keys["handle_left"][at + 1] = right, cd
    for name in ("handle_left_type", "handle_right_type"):
        keys[name][at - 1 : at + 2] = 0  # free, as automatic ones would be worked out anew
