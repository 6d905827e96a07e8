"""Blinks and breath on the shape keys of the character's meshes that are named for them.

Names are those of common face rigs: eyeBlinkLeft, Blink_R, Fcl_EYE_Close, まばたき; breath, inhale,
chest_out. Eyes close as fast as people's do, and open at about half that speed; blinks come at uneven times,
about as many a minute as the condition says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ..action import slots
from ..action.hermite import bezier_keys
from ..action.names import next_free
from ..action.settings import keyframe_setting
from ..kept import actions_kept_on_error
from ..rig.flip import flip_side
from ..scene.read import belongs_to
from .built_in import Layer, breath_curve
from .conditions import Condition, Stretch
from .plan import PASSAGE, Clocks, Timing, smooth

Floats = npt.NDArray[np.float64]

BLINK = re.compile(r"blink|まばたき|(eye|lid)s?[._ -]*clos|clos\w*[._ -]*(eye|lid)", re.IGNORECASE)
BREATH = re.compile(r"breath|inhale|呼吸|(chest|belly)[._ -]*(expand|out)", re.IGNORECASE)
# Of a key's range, how far a breath of depth 1 goes.
DEEP = 0.5
# Seconds: eyes closing, closed, opening; and between the beginnings of two blinks, at least.
CLOSING, CLOSED, OPENING, APART = 0.08, 0.04, 0.16, 0.7
# How far blinks come before or after even times, at most, of the time between two.
UNEVEN = 0.4
# Custom property of the actions made here: the values held, by block.
MARK = "amble_idle_shapes"
_KIND = (("interpolation", "BEZIER"), ("handle_left_type", "FREE"), ("handle_right_type", "FREE"))


@dataclass(frozen=True, slots=True)
class Curve:
    """frames, values, slopes: (n,) of one key block."""

    block: str
    frames: Floats
    values: Floats
    slopes: Floats


def shape_keys_of(character: Any) -> list[Any]:
    """The shape keys of the character's meshes that can breathe or blink, each once."""
    meshes: list[Any] = [thing for thing in bpy.data.objects if thing.type == "MESH"]
    bodies = [mesh for mesh in meshes if mesh.data.shape_keys is not None and belongs_to(mesh, character)]
    every = dict.fromkeys(mesh.data.shape_keys for mesh in bodies)
    return [keys for keys in every if keys.library is None and (blinking(keys) or breathing(keys))]


def blinking(keys: Any) -> list[str]:
    """The key blocks that close both eyes: a left and a right one, or one for both."""
    names = [block.name for block in _free(keys) if BLINK.search(block.name)]
    sided = [name for name in names if flip_side(name) != name and flip_side(name) in names]
    return sided or [name for name in names if flip_side(name) == name][:1]


def breathing(keys: Any) -> list[str]:
    """The key blocks that fill the chest or the belly."""
    return [block.name for block in _free(keys) if BREATH.search(block.name)]


def _free(keys: Any) -> list[Any]:
    """Blocks that are neither the basis, nor muted, nor driven."""
    data = keys.animation_data
    driven = {driver.data_path for driver in data.drivers} if data is not None else set()
    return [
        block
        for block in keys.key_blocks
        if block != keys.reference_key and not block.mute and _path(block.name) not in driven
    ]


def _path(block: str) -> str:
    return f'key_blocks["{bpy.utils.escape_identifier(block)}"].value'


# ---- when and how much ----


def fullness(layers: Sequence[Layer], clocks: Clocks, conditions: Sequence[Condition]) -> Floats:
    """How much fuller of air the body is than at the first frame, at the clocks' frames; a breath of depth 1
    goes from 0 to 1."""
    named = {condition.name: condition for condition in conditions}
    found = np.zeros(clocks.times.shape[1])
    for k, layer in enumerate(layers):
        if layer.only in named:
            condition = named[layer.only]
            more = breath_curve(clocks.times[k], condition) - breath_curve(
                clocks.origins[k : k + 1], condition
            )
            found += clocks.weights[k] * more
    return found


def blink_frames(found: Sequence[Stretch], timing: Timing, seed: int) -> Floats:
    """The frames that blinks begin at, rising: whole, and so that the last one ends in time."""
    frames = timing.frames
    half = 0.5 * PASSAGE * timing.fps
    rate = np.full(len(frames), found[0].condition.blink)
    for before, after in pairwise(found):
        assert after.start is not None
        step = smooth((frames - after.start + half) / (2.0 * half))
        rate += step * (after.condition.blink - before.condition.blink)
    gone = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) / (60.0 * timing.fps)
    most = int(timing.seconds / APART) - 1
    count = max(0, min(round(float(gone[-1])), most))
    if count == 0:
        return np.empty(0)
    rng = np.random.default_rng((seed, 1))
    even = np.arange(count) + 0.5 + rng.uniform(-UNEVEN, UNEVEN, count)
    starts = np.round(np.interp(even / count * gone[-1], gone, frames))
    whole = sum(_lengths(timing.fps))
    starts = np.clip(starts, timing.first, timing.last - whole)
    return np.asarray(starts[np.diff(starts, prepend=-np.inf) > max(whole, 0.5 * APART * timing.fps)])


def _lengths(fps: float) -> tuple[int, int, int]:
    """Whole frames that eyes close, stay closed and open in."""
    closing, closed, opening = (max(1, round(seconds * fps)) for seconds in (CLOSING, CLOSED, OPENING))
    return closing, closed, opening


def _blinks(block: Any, held: float, starts: Floats, timing: Timing) -> Curve:
    """Down, a moment closed, and up again, level at every key."""
    closing, closed, opening = _lengths(timing.fps)
    steps = np.array([0, closing, closing + closed, closing + closed + opening], dtype=np.float64)
    shut = max(held, min(1.0, block.slider_max))
    frames = (starts[:, None] + steps).ravel()
    values = np.tile([held, shut, shut, held], len(starts))
    ends = np.array([timing.first, timing.last], dtype=np.float64)
    frames = np.concatenate([ends, frames])
    values = np.concatenate([[held, held], values])
    frames, places = np.unique(frames, return_index=True)
    return Curve(block.name, frames, values[places], np.zeros(len(frames)))


def _breath(block: Any, held: float, full: Floats, timing: Timing) -> Curve:
    """Every frame and, for slopes, half way between, as of `with_halves`."""
    count = len(timing.frames)
    reach = DEEP * (min(1.0, block.slider_max) - max(block.slider_min, 0.0))
    low, high = min(held, max(block.slider_min, 0.0)), max(held, min(1.0, block.slider_max))
    values = np.clip(held + reach * full, low, high)
    return Curve(block.name, timing.frames, values[:count], np.diff(values[count:]))


# ---- into actions ----


@contextmanager
def shapes_written(
    character: Any,
    name: str,
    found: Sequence[Stretch],
    full: Floats | None,
    timing: Timing,
    *,
    seed: int,
    loop: bool,
) -> Iterator[tuple[tuple[Any, ...], list[str]]]:
    """Gives an action for each of the character's shape keys that can breathe or blink, played by them, and
    sentences on those that are left alone. Where the block raises, everything is as before.

    full: of `fullness`, None for no breath. Shape keys that play something else already are left alone; what
    was made here before is made again.
    """
    made, formers, notes = [], [], []
    starts = blink_frames(found, timing, seed)
    with ExitStack() as undo:
        for keys in shape_keys_of(character):
            data = keys.animation_data
            former = data.action if data is not None else None
            if former is not None and MARK not in former:
                notes.append(f'The shape keys "{keys.name}" play "{former.name}" and are left alone.')
                continue
            held = _held(keys, former)
            curves = [
                _blinks(keys.key_blocks[block], held[block], starts, timing)
                for block in (blinking(keys) if len(starts) else ())
            ]
            if full is not None:
                curves += [
                    _breath(keys.key_blocks[block], held[block], full, timing) for block in breathing(keys)
                ]
            if curves:
                undo.enter_context(actions_kept_on_error(keys))
                made.append(_written(keys, f"{name} Shapes", held, curves, timing, loop))
                formers += [former] if former is not None else []
        yield tuple(made), notes
    for former in formers:
        if former.users == 0:
            bpy.data.actions.remove(former)
    for action in made:  # until now the former ones had the names
        taken = {other.name for other in bpy.data.actions if other != action}
        action.name = next_free(f"{name} Shapes", taken)


def _held(keys: Any, former: Any) -> dict[str, float]:
    """By block, the values that the shape keys have, or had before they played `former`."""
    before = former[MARK].to_dict() if former is not None else {}
    return {block.name: float(before.get(block.name, block.value)) for block in keys.key_blocks}


def _written(
    keys: Any, name: str, held: dict[str, float], curves: Sequence[Curve], timing: Timing, loop: bool
) -> Any:
    action = bpy.data.actions.new(name)
    action[MARK] = {curve.block: held[curve.block] for curve in curves}
    home = slots.open_home(action, keys, "KEY")
    for curve in curves:
        rows = bezier_keys(
            curve.frames, curve.values[None].astype(np.float32), curve.slopes[None].astype(np.float32)
        )
        written = home.new_curve(_path(curve.block), 0, "Shape Keys")
        points = written.keyframe_points
        points.add(len(curve.frames))
        for what, values in (("co", rows.points), ("handle_left", rows.left), ("handle_right", rows.right)):
            points.foreach_set(what, values.ravel())
        for what, word in _KIND:
            points.foreach_set(what, np.full(len(curve.frames), keyframe_setting(what, word), np.uint8))
        written.update()
    if loop:
        action.use_frame_range = action.use_cyclic = True
        action.frame_start, action.frame_end = timing.first, timing.last
    slots.assign(keys.animation_data or keys.animation_data_create(), action, home.slot)
    return action
