"""From settings, a body and a held pose to motion: the core's calls, and nothing of the scene."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import BadSetting
from ..options import LAST_FRAME
from ..rig import Roles, Skeleton
from .built_in import Layer
from .conditions import Stretch
from .pins import Pin, arrays_of, places_on, reach
from .settings import IdleSettings

Floats = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]

# Seconds that one condition takes to pass into the next.
PASSAGE = 2.0
# Frames that are looked at, at most, for how far pinned limbs are asked to reach.
LOOKED_AT = 240
# Of what a held limb could still stretch, the body's motion takes this much at most.
STRETCH = 0.6
# Joints count as no straighter than this (degrees) when they are compared, and ratios as no larger.
LEAST_ANGLE, MOST_RATIO = 10.0, 3.0
# Out of place by more than this share of a limb's length is told.
TOLD = 1e-4

# Longest idle: some 80 kB of working memory a frame.
MOST_FRAMES = 100_000


@dataclass(frozen=True, slots=True)
class Timing:
    """first, last: frames; fps; cycles: breaths between them."""

    first: int
    last: int
    fps: float
    cycles: float

    @property
    def frames(self) -> Floats:
        """Every whole frame."""
        return np.arange(self.first, self.last + 1, dtype=np.float64)

    @property
    def seconds(self) -> float:
        """From the first frame to the last."""
        return (self.last - self.first) / self.fps


@dataclass(frozen=True, slots=True)
class Miss:
    """A pinned limb that could not follow: how far it is off its place at most, armature units, and when."""

    pin: str
    distance: float
    frame: float


@dataclass(frozen=True, slots=True)
class Idle:
    """bones: names of those that move; motion, slopes: float32 (bones, 10, frames), the latter a frame;
    channels: bool (bones, 3), location, rotation, scale; misses: of pins; notes: sentences; kept: factor on
    what moves each pinned limb's root, by its name, where it is under 1."""

    bones: tuple[str, ...]
    motion: Float32
    slopes: Float32
    channels: npt.NDArray[np.bool_]
    misses: tuple[Miss, ...]
    notes: tuple[str, ...]
    kept: dict[str, float]


def timing_of(settings: IdleSettings, rate: float, fps: float, usual: int, start: int = 1) -> Timing:
    """When an idle with so many breaths a minute begins and ends; usual: how many breaths where nothing says;
    start: first frame where nothing says. Raises BadSetting for no frames at all."""
    if settings.frames is None:
        cycles = float(settings.cycles or usual)
        first, last = start, start + max(1, round(cycles * 60.0 / rate * fps))
    else:
        first, last = settings.frames
        if last <= first:
            raise BadSetting(f"frames must end after they begin, not {first}:{last}.")
        cycles = (last - first) / fps * rate / 60.0
        if settings.cycles is not None:
            cycles = float(settings.cycles)
        elif settings.loop:
            cycles = float(max(1, round(cycles)))
    if last > LAST_FRAME:
        raise BadSetting(f"The idle would end at frame {last}: frames end at {LAST_FRAME}.")
    if last - first > MOST_FRAMES:
        raise BadSetting(
            f"The idle would take {last - first} frames, over {MOST_FRAMES}: make a shorter loop of it."
        )
    return Timing(first, last, fps, cycles)


def check_loop(settings: IdleSettings, found: Sequence[Stretch]) -> None:
    """Raises BadSetting for a loop that ends otherwise than it begins."""
    if not settings.loop:
        return
    if found[0].condition != found[-1].condition:
        raise BadSetting(
            f'A loop must end in the condition that it begins in, "{found[0].condition.name}": add it at the '
            "end, or set loop to False."
        )
    if settings.strength_end is not None and settings.strength_end != settings.strength:
        raise BadSetting("A loop must end at the strength that it begins with: set loop to False.")


# ---- clocks and weights ----


def smooth(x: Floats) -> Floats:
    """From 0 to 1 between 0 and 1, level at both ends."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


@dataclass(frozen=True, slots=True)
class Clocks:
    """times, weights: (layers, frames) as the kernel takes them; origins: (layers,)."""

    times: Floats
    weights: Float32
    origins: Floats


def clocks_of(
    layers: Sequence[Layer],
    found: Sequence[Stretch],
    settings: IdleSettings,
    timing: Timing,
    frames: Floats,
    ease: float = 0.0,
) -> Clocks:
    """Where each layer is at each frame, and how strong. ease: seconds in which all fades at the end."""
    native = core.load()
    span = timing.last - timing.first
    rng = np.random.default_rng(settings.seed)
    starts = rng.random(len(layers))
    seeds = rng.integers(0, 2**32, len(layers), dtype=np.uint32)
    cycles, sizes, variation = np.empty(len(layers)), np.ones(len(layers)), np.empty(len(layers))
    main = found[0].condition
    for k, layer in enumerate(layers):
        natural = timing.seconds / layer.seconds
        if layer.only == main.name:
            natural = timing.cycles
        cycles[k] = max(1.0, round(natural)) if settings.loop else max(natural, 1e-6)
        if not layer.only:
            # A wave that has to go round in less time than it takes is smaller as well.
            sizes[k] = min(1.0, natural / cycles[k])
        own = [stretch.condition for stretch in found if stretch.condition.name == layer.only] or [main]
        variation[k] = own[0].variation if layer.variation is None else layer.variation
        if layer.only or layer.after == 2:
            starts[k] = settings.phase if layer.only else 0.0
    if settings.variation is not None:
        variation = np.where([layer.variation is None for layer in layers], settings.variation, variation)
    time = (frames - timing.first) / span
    phases, gains = native.idle_clocks(time, cycles, starts, variation, seeds)
    factors = np.array([_factors(layer, found, timing, frames) for layer in layers])
    end = settings.strength if settings.strength_end is None else settings.strength_end
    strength = settings.strength + (end - settings.strength) * smooth(time)
    if ease > 0.0:
        fade = min(ease * timing.fps, 0.5 * span)
        strength = strength * (1.0 - smooth((frames - timing.last + fade) / fade))
    weights = factors * gains * sizes[:, None] * strength
    # One cycle of a set that goes to and fro is there and back.
    lengths = np.array([layer.times[-1] * (2.0 if layer.after == 1 else 1.0) for layer in layers])[:, None]
    return Clocks(
        np.ascontiguousarray(phases * lengths),
        np.ascontiguousarray(weights, dtype=np.float32),
        np.ascontiguousarray(starts * lengths[:, 0]),
    )


def _factors(layer: Layer, found: Sequence[Stretch], timing: Timing, frames: Floats) -> Floats:
    """What the conditions make of a layer, frame by frame."""
    half = 0.5 * PASSAGE * timing.fps
    steps = [
        np.ones_like(frames) if s.start is None else smooth((frames - s.start + half) / (2.0 * half))
        for s in found
    ]
    steps.append(np.zeros_like(frames))
    total = np.zeros_like(frames)
    for k, stretch in enumerate(found):
        if layer.only in ("", stretch.condition.name):
            share = steps[k] - steps[k + 1]
            total += share * (getattr(stretch.condition, layer.factor) if layer.factor else 1.0)
    return total


# ---- motion ----


class Planner:
    """One idle of one character.

    held: float32 (bones, 10); way_axes: (3, 3), a way in armature space as the pelvis's location channel;
    free: by bone, which of its axes it may turn about; carrier: bone whose location moves the body, or None.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        roles: Roles,
        held: Float32,
        layers: Sequence[Layer],
        clocks: Clocks,
        *,
        carrier: str | None,
        way_axes: Floats,
        locked: dict[str, tuple[bool, ...]],
        factors: dict[str, float],
    ) -> None:
        self.native = core.load()
        self.skeleton, self.roles, self.held, self.clocks = skeleton, roles, held, clocks
        self.layers, self.locked, self.factors = layers, locked, factors
        self.bones = sorted({bone for layer in layers for bone in layer.turns}, key=skeleton.index)
        self.rows = [skeleton.index(bone) for bone in self.bones]
        self.carrier = None if carrier is None else skeleton.index(carrier)
        self.way_axes = way_axes
        self.arrays = skeleton.arrays
        self.packed = self._packed()
        self.still: Float32 = self.pose(np.ascontiguousarray(held[:, :, None]))[..., 0]

    def _packed(self) -> tuple[Any, ...]:
        """The layers as the kernel's arrays: samples, times, turns, moves, between, after."""
        moving = int(self.carrier is not None)
        samples = np.array([len(layer.times) for layer in self.layers], dtype=np.int32)
        total = int(samples.sum())
        turns = np.zeros((len(self.bones), 3, total), dtype=np.float32)
        moves = np.zeros((moving, 3, total), dtype=np.float32)
        place = {bone: row for row, bone in enumerate(self.bones)}
        first = 0
        for layer, count in zip(self.layers, samples.tolist(), strict=True):
            for bone, vectors in layer.turns.items():
                locks = self.locked.get(bone)
                free = vectors if locks is None else np.where(np.array(locks)[:, None], 0.0, vectors)
                turns[place[bone], :, first : first + count] = free
            if moving and layer.move is not None:
                moves[0, :, first : first + count] = self.way_axes @ layer.move
            first += count
        return (
            samples,
            np.concatenate([layer.times for layer in self.layers]),
            turns,
            moves,
            np.array([layer.smooth for layer in self.layers], dtype=np.int32),
            np.array([layer.after for layer in self.layers], dtype=np.int32),
        )

    def posed(self, kept: dict[int, float], every: int = 1) -> Float32:
        """Channels (bones, 10, frames) before anything is pinned, of all the clocks' frames or some. kept:
        factor on each bone's change."""
        factors = [
            kept.get(row, 1.0) * self.factors.get(b, 1.0)
            for row, b in zip(self.rows, self.bones, strict=True)
        ]
        factors += [kept.get(self.carrier, 1.0)] if self.carrier is not None else []
        carried = [self.carrier] if self.carrier is not None else []
        turned, moved = self.native.idle(
            *self.packed[:4],
            between=self.packed[4],
            after=self.packed[5],
            held_turns=np.ascontiguousarray(self.held[self.rows, 3:7])[None],
            held_moves=np.ascontiguousarray(self.held[carried, :3])[None],
            coefficients=np.array([factors], dtype=np.float32),
            set_times=np.ascontiguousarray(self.clocks.times[None, :, ::every]),
            origins=self.clocks.origins[None],
            weights=np.ascontiguousarray(self.clocks.weights[None, :, ::every]),
        )
        frames = turned.shape[3]
        found = np.repeat(self.held[:, :, None], frames, axis=2)
        found[self.rows, 3:7] = turned[0]
        found[carried, :3] = moved[0]
        return np.ascontiguousarray(found)

    def pose(self, channels: Float32) -> Float32:
        """Matrices (bones, 12, frames)."""
        found: Float32 = self.native.forward_kinematics(*self.arrays, channels)
        return found

    def within_reach(self, pins: Sequence[Pin]) -> tuple[Float32, dict[str, float]]:
        """The posed channels with the body's motion so small that pinned limbs can follow; by pin, what share
        of it is left where that is not all."""
        still = self.still
        kept: dict[int, float] = {}
        told: dict[str, float] = {}
        every = -(-self.clocks.times.shape[1] // LOOKED_AT)
        for _ in range(3):
            some = self.posed(kept, every)
            pose = self.pose(some)
            again = False
            for pin in pins:
                share = self._share(pin, pose, still)
                if share < 0.999:
                    again = True
                    told[pin.name] = told.get(pin.name, 1.0) * share
                    line = self.skeleton.line(pin.chain[0])[1:]
                    for bone in line:
                        row = self.skeleton.index(bone)
                        kept[row] = min(kept.get(row, 1.0), told[pin.name])
            if not again:
                return some if every == 1 else self.posed(kept), told
        return self.posed(kept), told

    def _share(self, pin: Pin, pose: Float32, still: Float32) -> float:
        """How much of the body's motion a pinned limb can follow."""
        given, full = reach(self.skeleton, pin, still)
        allowed = given + STRETCH * max(full - given, 0.0)
        root = pose[self.skeleton.index(pin.chain[0])].reshape(3, 4, -1)[:, 3].astype(np.float64)
        end = still[self.skeleton.index(pin.end)].reshape(3, 4).astype(np.float64)
        place = end[:, :3] @ np.array(pin.point) + end[:, 3]
        way = np.linalg.norm(root - place[:, None], axis=0)
        if len(pin.chain) == 1:  # it can neither stretch nor fold
            most = float(np.abs(way - given).max())
            return min(1.0, 2e-5 * full / most) if most > 2e-5 * full else 1.0
        most = float(way.max()) - given
        limit = allowed - given
        return 1.0 if most <= limit else max(0.0, limit / most)

    def pinned(self, posed: Float32, pins: Sequence[Pin]) -> tuple[Float32, Float32]:
        """The channels with the pins held, and how far each is off, (pins, frames)."""
        held = np.ascontiguousarray(self.held[:, :, None])
        still = self.still
        misses: list[Float32] = []
        for group in ([pin for pin in pins if not pin.on], [pin for pin in pins if pin.on]):
            if not group:
                continue
            arguments = arrays_of(self.skeleton, self.roles, group, still, self.locked)
            places = self.native.pin_places(
                *self.arrays, held, ends=arguments["ends"], points=arguments["points"]
            )
            if group[0].on:
                places = places_on(self.skeleton, group, held, posed, places)
            posed, miss = self.native.pin_hold(*self.arrays, posed, **arguments, places=places)
            misses.append(miss)
        frames = posed.shape[2]
        return posed, np.concatenate(misses) if misses else np.zeros((0, frames), dtype=np.float32)


def with_halves(frames: Floats) -> Floats:
    """The frames, then those half way between them, and before the first and after the last, for slopes."""
    return np.concatenate([frames, frames - 0.5, frames[-1:] + 0.5])


def motion_of(
    planner: Planner,
    pins: Sequence[Pin],
    settings: IdleSettings,
    timing: Timing,
    follow: Callable[[Float32, int], Idle] | None = None,
) -> Idle:
    """The idle whose clocks run on `with_halves` of the timing's frames. follow: makes channels of the bones
    that are keyed from those of the body that moves, where the two differ."""
    ordered = [pin for pin in pins if not pin.on] + [pin for pin in pins if pin.on]
    # What is held on a limb that is held itself hardly moves either.
    limbs = {bone for pin in ordered if not pin.on for bone in (*pin.chain, pin.end)}
    free = [pin for pin in ordered if not pin.on or pin.on in limbs]
    posed, kept = planner.within_reach(free) if settings.keep_reach and free else (planner.posed({}), {})
    posed, miss = planner.pinned(posed, ordered)
    frames = timing.frames
    count = len(frames)
    made = _keyed(planner, posed, count) if follow is None else follow(posed, count)
    if settings.loop:
        made.motion[..., -1], made.slopes[..., -1] = made.motion[..., 0], made.slopes[..., 0]
    misses = []
    for row, pin in enumerate(ordered):
        worst = int(np.argmax(miss[row, :count]))
        if miss[row, worst] > TOLD * reach(planner.skeleton, pin, planner.still)[1]:
            misses.append(Miss(pin.name, float(miss[row, worst]), float(frames[worst])))
    return replace(made, misses=tuple(misses), kept=kept)


def _keyed(planner: Planner, posed: Float32, count: int) -> Idle:
    """What moves of the channels of frames and halves."""
    motion, halves = posed[..., :count], posed[..., count:]
    slopes = halves[..., 1:] - halves[..., :-1]
    moved = (motion != planner.held[:, :, None]).any(axis=2) | (slopes != 0.0).any(axis=2)
    bones = np.flatnonzero(moved.any(axis=1))
    channels = np.stack(
        [moved[bones, :3].any(axis=1), moved[bones, 3:7].any(axis=1), np.zeros(len(bones), dtype=bool)],
        axis=1,
    )
    names = tuple(planner.skeleton.names[bone] for bone in bones)
    return Idle(
        names, np.ascontiguousarray(motion[bones]), np.ascontiguousarray(slopes[bones]), channels, (), (), {}
    )


def ratios(skeleton: Skeleton, base: Float32, held: Float32) -> dict[str, float]:
    """By bone, the coefficient of I4 for poses given as channels (bones, 10)."""
    native = core.load()
    arrays = skeleton.arrays
    angles = []
    for channels in (base, held):
        pose = native.forward_kinematics(*arrays, np.ascontiguousarray(channels[:, :, None]))
        angles.append(native.joint_angles(*arrays, np.ascontiguousarray(pose[..., 0])))
    found = native.idle_coefficients(angles[0], angles[1], least=math.radians(LEAST_ANGLE), most=MOST_RATIO)
    return dict(zip(skeleton.names, found.tolist(), strict=True))
