"""The differences of any body, by role: breath, weight shift, sway, small motions of head, tail and fingers.

Every layer is one cycle of differences over its own time from 0 to 1, as the kernel's sets are: of each bone
a rotation vector in its own axes, and of the pelvis a way in armature space. Turns are told in the body's
axes at rest and go with the bone, so that a body that bends over breathes along its own back.

The sizes are made by eye, at the size of a slow, deep breath that is just seen: they have no source.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..rig import Roles, Skeleton
from ..rig.parts import arm_pieces
from .conditions import Condition

Floats = npt.NDArray[np.float64]

BREATH_SAMPLES = 49
WAVE_SAMPLES = 25
# Degrees at the height of a breath; shares of a breath by which parts are late.
SPINE, NECK_SHARE, SHOULDERS, UPPER_ARM, FOREARM, PELVIS = 2.6, 0.45, 3.0, 0.6, 0.7, 0.3
LATE = {
    "pelvis": 0.0,
    "spine": 0.01,
    "chest": 0.03,
    "shoulder": 0.05,
    "neck": 0.06,
    "head": 0.07,
    "arm": 0.08,
}
# Share of what chest and shoulders turn that the arms do not go along with: they hang.
HANG = 0.85
RISE = 0.0025  # of the leg: how far a breath lifts the pelvis
# A four-legged body's breath is in its belly and ribs, which have no bones: its back moves less.
FOUR_LEGS = 0.35
# Seconds of a usual cycle, degrees, shares of the leg.
SHIFT_SECONDS, SHIFT_WAY, SHIFT_ROLL, SHIFT_YAW = 9.0, 0.014, 0.9, 0.6
SWAY_SECONDS, SWAY_WAY, SWAY_PITCH, TAIL_YAW = 5.3, 0.006, 0.25, 2.5
LOOK_SECONDS, LOOK_YAW, LOOK_PITCH = (7.3, 5.9), 1.6, 0.7
FINGER_SECONDS, CURL, WRIST = (4.1, 5.3, 6.7), 1.6, 0.7
TREMBLE_SECONDS, TREMBLE = 0.13, 0.35
# Slow waves differ from one another by this share, whatever the breath does.
LOOSE = 0.5


@dataclass(frozen=True, slots=True)
class Layer:
    """One cycle of differences.

    times: (n,) from 0; turns: by bone (3, n), radians in its own axes; move: (3, n) way of the pelvis in
    armature space, armature units, or None; seconds: of a usual cycle; factor: number of a condition that it
    is multiplied by; only: name of the condition that it belongs to, "" for any; variation: share by which
    cycles differ, None for the condition's; smooth, after: as the kernel's sets have them (2: it does not
    repeat).
    """

    name: str
    times: Floats
    turns: dict[str, Floats]
    move: Floats | None
    seconds: float
    factor: str
    only: str = ""
    variation: float | None = None
    smooth: bool = True
    after: int = 0


@dataclass(slots=True)
class Parts:
    """The bones that a built-in idle moves. spine: upwards, what carries a leg left out; missing: words."""

    pelvis: str | None
    spine: list[str]
    neck: list[str]
    head: str | None
    tail: list[str]
    girdles: list[str] = field(default_factory=list)
    upper: list[str] = field(default_factory=list)
    fore: list[str] = field(default_factory=list)
    hands: list[str] = field(default_factory=list)
    fingers: list[list[str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def parts_of(skeleton: Skeleton, roles: Roles) -> Parts:
    """The bones that there are of a body; those that there are not, in words."""
    carrying = {bone for leg in roles.legs for bone in skeleton.line(leg.bones[0])}
    found = Parts(
        pelvis=roles.pelvis,
        spine=[bone for bone in roles.spine if bone not in carrying or len(roles.legs) > 2],
        neck=list(roles.neck),
        head=roles.head,
        tail=list(roles.tail),
    )
    found.spine = [bone for bone in found.spine if bone != roles.pelvis]
    for arm in roles.arms:
        pieces = arm_pieces(skeleton, arm)
        found.girdles += arm.girdle[-1:]
        found.upper += pieces.get("upper", arm.bones)[:1]
        found.fore += pieces.get("fore", ())[:1]
        for hand in pieces.get("hand", ())[:1]:
            found.hands.append(hand)
            found.fingers += _fingers(skeleton, hand)
    for name, there in (
        ("pelvis", found.pelvis),
        ("spine", found.spine),
        ("neck", found.neck),
        ("head", found.head),
    ):
        if not there:
            found.missing.append(name)
    return found


def _fingers(skeleton: Skeleton, hand: str) -> list[list[str]]:
    """Chains of bones that hang from a hand, each from its root."""
    children: dict[int, list[int]] = {}
    for bone, parent in enumerate(skeleton.parents):
        children.setdefault(int(parent), []).append(bone)
    chains = []
    for first in children.get(skeleton.index(hand), []):
        chain = [first]
        while len(children.get(chain[-1], [])) == 1:
            chain.append(children[chain[-1]][0])
        if not children.get(chain[-1]):
            chains.append([skeleton.names[bone] for bone in chain])
    return [chain for chain in chains if len(chain) > 1]


def _size(v: Floats) -> float:
    """Length of a vector; of one alone some ten times as fast as NumPy's norm."""
    return math.sqrt(float(v @ v))


def _cross(a: Floats, b: Floats) -> Floats:
    """Product of two vectors; NumPy's own takes some forty times as long for one."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


class Builder:
    """The layers of one body.

    pose: (bones, 12), the held pose; leg: its leg's length in armature units; ways: left, forward and up of
    the held pose, in armature space.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        roles: Roles,
        parts: Parts,
        pose: npt.NDArray[np.float32],
        leg: float,
        ways: tuple[Floats, Floats, Floats],
    ) -> None:
        self.skeleton, self.roles, self.parts, self.leg = skeleton, roles, parts, leg
        matrices = pose.reshape(-1, 3, 4).astype(np.float64)
        self.heads, axes = matrices[..., 3], matrices[..., :3]
        self.turned = axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-12)
        self.way_left, self.way_forward, self.way_up = ways
        self.up, self.forward = np.array(roles.up), np.array(roles.facing)
        self.left = _cross(self.up, self.forward)
        self.four = len(roles.legs) > 2

    def layers(self, conditions: Sequence[Condition]) -> list[Layer]:
        """A breath for each condition, and everything else once."""
        breaths = [self.breath(condition) for condition in conditions]
        found = [*breaths, *self.shift(), *self.sway(), *self.look(), *self.small()]
        return [layer for layer in found if layer.turns or layer.move is not None]

    # ---- one bone's part ----

    def own(self, bone: str, axis: Floats) -> Floats:
        """A direction of armature space in the bone's own axes."""
        return np.asarray(self.skeleton.rest[self.skeleton.index(bone), :3, :3].T @ axis)

    def now(self, bone: str, axis: Floats) -> Floats:
        """A direction of armature space in the axes that the bone has in the held pose."""
        return np.asarray(self.turned[self.skeleton.index(bone)].T @ axis)

    def posed(self, bone: str, axis: Floats) -> Floats:
        """Where a direction of the rest pose that goes with the bone points to in the held pose."""
        return np.asarray(self.turned[self.skeleton.index(bone)] @ self.own(bone, axis))

    def along_now(self, bone: str) -> Floats:
        """The bone's direction in the held pose."""
        return self.posed(bone, self.along(bone))

    def along(self, bone: str) -> Floats:
        """The bone's direction at rest."""
        k = self.skeleton.index(bone)
        way = self.skeleton.tails[k] - self.skeleton.heads[k]
        return np.asarray(way / max(_size(way), 1e-12))

    def _add(self, turns: dict[str, Floats], bone: str, axis: Floats, degrees: float, curve: Floats) -> None:
        """A turn about an axis of the rest pose, which goes with the bone."""
        self._put(turns, bone, self.own(bone, axis), degrees, curve)

    def _add_now(
        self, turns: dict[str, Floats], bone: str, axis: Floats, degrees: float, curve: Floats
    ) -> None:
        """A turn about an axis of the held pose."""
        self._put(turns, bone, self.now(bone, axis), degrees, curve)

    @staticmethod
    def _put(turns: dict[str, Floats], bone: str, own: Floats, degrees: float, curve: Floats) -> None:
        size = _size(own)
        if size > 1e-6 and degrees:
            more = np.outer(own / size, math.radians(degrees) * curve)
            turns[bone] = turns[bone] + more if bone in turns else more

    def _spread(
        self, turns: dict[str, Floats], bones: Sequence[str], axis: Floats, degrees: float, curve: Floats
    ) -> None:
        """A turn shared by bones, the farther ones more."""
        shares = np.arange(1.0, len(bones) + 1.0)
        for bone, share in zip(bones, shares / max(shares.sum(), 1.0), strict=True):
            self._add(turns, bone, axis, degrees * float(share), curve)

    # ---- layers ----

    def breath(self, condition: Condition) -> Layer:
        """Chest up and back, shoulders up, neck and head against it so that the gaze stays level."""
        times = np.linspace(0.0, 1.0, BREATH_SAMPLES)
        curves = {part: breath_curve(times - late, condition) for part, late in LATE.items()}
        parts = self.parts
        turns: dict[str, Floats] = {}
        back = SPINE * (FOUR_LEGS if self.four else 1.0)
        spine = parts.spine
        shares = np.arange(1.0, len(spine) + 1.0)
        for k, (bone, share) in enumerate(zip(spine, shares / max(shares.sum(), 1.0), strict=True)):
            late = curves["spine" if k + 1 < len(spine) else "chest"]
            self._add(turns, bone, self.left, -back * float(share), late)
        if parts.pelvis is not None:
            self._add(
                turns, parts.pelvis, self.left, PELVIS * (FOUR_LEGS if self.four else 1.0), curves["pelvis"]
            )
        # What carries the head and has turned back is turned forward again above it.
        level = (back if spine else 0.0) - (
            PELVIS * (FOUR_LEGS if self.four else 1.0) if parts.pelvis else 0.0
        )
        share = NECK_SHARE if parts.neck and parts.head else 1.0
        for bone in parts.neck:
            self._add(turns, bone, self.left, level * share / len(parts.neck), curves["neck"])
        if parts.head is not None:
            self._add(
                turns, parts.head, self.left, level * (1.0 - share if parts.neck else 1.0), curves["head"]
            )
        self._arms(turns, condition.shoulders, back if spine else 0.0, curves)
        move = np.outer(self.way_up, RISE * self.leg * curves["pelvis"]) if parts.pelvis else None
        return Layer(
            f"breath {condition.name}", times, turns, move, 60.0 / condition.rate, "depth", condition.name
        )

    def _arms(
        self, turns: dict[str, Floats], shoulders: float, back: float, curves: dict[str, Floats]
    ) -> None:
        """Shoulders rise; the arms hang on as they did, a little further out, and a little more bent."""
        parts = self.parts
        chest = parts.spine[-1] if parts.spine else None
        up = self.posed(chest, self.up) if chest else self.way_up
        left = self.posed(chest, self.left) if chest else self.way_left
        raised: dict[str, Floats] = {}
        for bone in parts.girdles:
            axis = _cross(self.along_now(bone), up)
            if _size(axis) > 0.1:
                raised[bone] = axis / _size(axis)
                self._add_now(turns, bone, axis, SHOULDERS * shoulders, curves["shoulder"])
        for bone in parts.upper:
            for above in self.skeleton.line(bone)[1:3]:
                if above in raised:
                    self._add_now(
                        turns, bone, raised[above], -HANG * SHOULDERS * shoulders, curves["shoulder"]
                    )
            self._add_now(turns, bone, left, HANG * back, curves["chest"])
            middle = self.heads[self.skeleton.index(parts.pelvis or self.skeleton.names[0])]
            side = float((self.heads[self.skeleton.index(bone)] - middle) @ left)
            out = math.copysign(1.0, side) * left + 0.3 * up
            self._add_now(turns, bone, _cross(self.along_now(bone), out), UPPER_ARM, curves["arm"])
        for bone in parts.fore:
            above = self.skeleton.names[int(self.skeleton.parents[self.skeleton.index(bone)])]
            bend = _cross(self.along_now(above), self.along_now(bone))
            if _size(bend) > 0.1:
                self._add_now(turns, bone, bend, FOREARM, curves["arm"])

    def _wave(self) -> tuple[Floats, Floats]:
        times = np.linspace(0.0, 1.0, WAVE_SAMPLES)
        return times, np.sin(2.0 * np.pi * times)

    def _layer(
        self, name: str, turns: dict[str, Floats], way: Floats | None, seconds: float, factor: str
    ) -> Layer:
        times, wave = self._wave()
        move = None if way is None or self.parts.pelvis is None else np.outer(way, wave)
        return Layer(name, times, turns, move, seconds, factor, variation=LOOSE)

    def shift(self) -> list[Layer]:
        """Weight from leg to leg: the pelvis aside, its free side sinking, the trunk upright over it."""
        _, wave = self._wave()
        parts = self.parts
        turns: dict[str, Floats] = {}
        size = 0.5 if self.four else 1.0
        if parts.pelvis is not None:
            self._add(turns, parts.pelvis, self.forward, SHIFT_ROLL * size, wave)
            self._add(turns, parts.pelvis, self.up, SHIFT_YAW * size, wave)
            self._spread(turns, parts.spine, self.forward, -0.8 * SHIFT_ROLL * size, wave)
            self._spread(turns, parts.spine, self.up, -SHIFT_YAW * size, wave)
        way = SHIFT_WAY * size * self.leg * self.way_left
        return [self._layer("shift", turns, way, SHIFT_SECONDS, "shift")]

    def sway(self) -> list[Layer]:
        """To and fro over the feet, the trunk a little against it; the tail from side to side."""
        _, wave = self._wave()
        parts = self.parts
        turns: dict[str, Floats] = {}
        if parts.pelvis is not None:
            self._add(turns, parts.pelvis, self.left, SWAY_PITCH, wave)
            self._spread(turns, parts.spine, self.left, -0.7 * SWAY_PITCH, wave)
        way = SWAY_WAY * self.leg * self.way_forward
        found = [self._layer("sway", turns, way, SWAY_SECONDS, "sway")]
        tail: dict[str, Floats] = {}
        self._spread(tail, parts.tail, self.up, TAIL_YAW * max(len(parts.tail), 1), wave)
        return [*found, self._layer("tail", tail, None, SWAY_SECONDS * 1.3, "sway")]

    def look(self) -> list[Layer]:
        """The head's small turns."""
        _, wave = self._wave()
        found = []
        axes = (("turn", self.up, LOOK_YAW), ("nod", self.left, LOOK_PITCH))
        for (name, axis, degrees), seconds in zip(axes, LOOK_SECONDS, strict=True):
            turns: dict[str, Floats] = {}
            above = [*self.parts.neck[-1:], *([self.parts.head] if self.parts.head else [])]
            self._spread(turns, above, axis, degrees, wave)
            found.append(self._layer(f"look {name}", turns, None, seconds, "look"))
        return found

    def small(self) -> list[Layer]:
        """Fingers and wrists, each for itself; and a tremble, which only some conditions have."""
        _, wave = self._wave()
        found = []
        for k, seconds in enumerate(FINGER_SECONDS):
            turns: dict[str, Floats] = {}
            for chain in self.parts.fingers[k::3]:
                axis = self._knuckle(chain)
                for bone in chain:
                    self._add(turns, bone, axis, CURL, wave)
            for bone in self.parts.hands[k::3]:
                self._add(turns, bone, self.left, WRIST, wave)
            found.append(self._layer(f"fingers {k}", turns, None, seconds, "fingers"))
        turns = {}
        for bone in (*self.parts.spine[-1:], *([self.parts.head] if self.parts.head else [])):
            self._add(turns, bone, self.up, TREMBLE, wave)
        for bone in (*self.parts.upper, *self.parts.fore):
            self._add(turns, bone, _cross(self.along(bone), self.forward), TREMBLE, wave)
        return [*found, self._layer("tremble", turns, None, TREMBLE_SECONDS, "tremble")]

    def _knuckle(self, chain: Sequence[str]) -> Floats:
        """The axis that a finger curls about: square to its first two bones, else to it and the palm."""
        first, second = self.along(chain[0]), self.along(chain[1])
        axis = _cross(first, second)
        if _size(axis) < 0.02:
            axis = _cross(first, _cross(first, self.up + 0.3 * self.forward))
        return np.asarray(axis)


def breath_curve(times: Floats, condition: Condition) -> Floats:
    """How full of air the body is, 0 to 1, at any shares of a breath: in, out, a rest; level at both ends."""
    x = times - np.floor(times)
    end = condition.inhale
    out = 1.0 - end - condition.pause
    filling = 0.5 - 0.5 * np.cos(np.pi * np.minimum(x / end, 1.0))
    emptying = 0.5 + 0.5 * np.cos(np.pi * np.clip((x - end) / out, 0.0, 1.0))
    return np.asarray(np.where(x < end, filling, emptying))


def quicker(leg: float, usual: tuple[float, float] = (0.7, 1.2)) -> float:
    """Factor on the rate of breath of a body whose legs are so many metres long: breath goes with the mass to
    the power of -1/4, mass with the cube of length. 1 for grown people."""
    return (min(max(leg, usual[0]), usual[1]) / max(leg, 1e-6)) ** 0.75
