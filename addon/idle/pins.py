"""Pins (I6): limbs whose ends stay where they are, as the core's arrays; named, or found by contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..errors import BadSetting, MissingRole
from ..rig import Limb, Roles, Skeleton, Sole, foot_bones
from ..rig.parts import Part, arm_pieces, leg_pieces
from ..rig.sides import SIDES

Floats = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]

PELVIS = "pelvis"
# Of the leg: what is no higher than this over the ground stands on it. Knees have flesh under the bone.
FOOT_NEAR, KNEE_NEAR = 0.04, 0.1
# Of a chain's length, at most: where it slows down before full reach.
SOFT = 0.01


@dataclass(frozen=True, slots=True)
class Pin:
    """One limb that is held.

    name: "foot.L", "hand.R", "knee.L"; with a pair's name in front where there are several pairs of legs,
    "fore foot.L"; chain: bones that turn, root first; end: bone held; point: what of it, in its own axes;
    turned: whether its orientation is held; on: bone that the place is fixed to, "" for the world.
    """

    name: str
    chain: tuple[str, ...]
    end: str
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turned: bool = True
    on: str = ""


def all_pins(skeleton: Skeleton, roles: Roles, parts: Sequence[Part] | None = None) -> dict[str, Pin]:
    """Every limb's pins by name. parts: of a rig that is moved by controls: a two-legged one's limbs are made
    of these."""
    found: dict[str, Pin] = {}
    several = len(roles.legs) > 2
    if parts is not None and not several:
        return _pins_of_parts(parts)
    for leg in roles.legs:
        before = f"{leg.pair} " if several else ""
        if parts is not None:  # the rig itself bends the leg: what stands is at its end
            chain, end = (leg.bones[0], *_bending(skeleton, leg.bones[1:-1], leg.bones[-1])), leg.bones[-1]
        else:
            chain, end = _leg_chain(skeleton, leg)
        if chain:
            found[f"{before}foot.{leg.side}"] = Pin(f"{before}foot.{leg.side}", chain, end)
        if len(chain) > 1:
            found[f"{before}knee.{leg.side}"] = Pin(f"{before}knee.{leg.side}", chain[:-1], chain[-1])
    for arm in roles.arms:
        name = f"hand.{arm.side}"
        pieces = arm_pieces(skeleton, arm)
        if "hand" in pieces:
            found[name] = Pin(name, (pieces["upper"][0], pieces["fore"][0]), pieces["hand"][0])
        elif "fore" in pieces:
            last = pieces["fore"][-1]
            k = skeleton.index(last)
            length = float(np.linalg.norm(skeleton.tails[k] - skeleton.heads[k]))
            chain = (pieces["upper"][0], pieces["fore"][0])
            found[name] = Pin(name, chain, last, (0.0, length, 0.0), turned=False)
    return {name: pin for name, pin in found.items() if _in_line(skeleton, pin)}


def _leg_chain(skeleton: Skeleton, leg: Limb) -> tuple[tuple[str, ...], str]:
    """The bones that bend a leg, and its foot. Halves of a cut segment do not bend."""
    foot = foot_bones(skeleton, leg)[0]
    above = leg.bones[: leg.bones.index(foot)] if foot in leg.bones else leg.bones
    if len(above) <= 3:
        try:
            pieces = leg_pieces(skeleton, leg)
        except MissingRole:
            return tuple(above), foot
        if len(pieces["thigh"]) + len(pieces.get("shin", ())) > 2:  # a leg of one bone has no shin
            return (pieces["thigh"][0], *_bending(skeleton, above[1:], foot)), foot
    return (above[0], *_bending(skeleton, above[1:], foot)) if above else (), foot


def _bending(skeleton: Skeleton, bones: Sequence[str], end: str) -> tuple[str, ...]:
    """Those of the bones after a limb's first that do not lie in line with the one before, 1 degree."""
    found: list[str] = []
    for k, bone in enumerate(bones):
        own = skeleton.index(bone)
        above = int(skeleton.parents[own])
        below = skeleton.index(bones[k + 1] if k + 1 < len(bones) else end)
        a = skeleton.heads[own] - skeleton.heads[above]
        b = skeleton.heads[below] - skeleton.heads[own]
        straight = float(a @ b) >= 0.99985 * float(np.linalg.norm(a) * np.linalg.norm(b))
        if not straight or (k + 1 == len(bones) and not found):
            found.append(bone)
    return tuple(found)


def _in_line(skeleton: Skeleton, pin: Pin) -> bool:
    """Whether the chain carries the end."""
    line = skeleton.line(pin.end)
    places = [line.index(bone) if bone in line else -1 for bone in pin.chain]
    return all(p >= 0 for p in places) and places == sorted(places, reverse=True)


def _pins_of_parts(parts: Sequence[Part]) -> dict[str, Pin]:
    bone = {part.key: part.bone for part in parts}
    found: dict[str, Pin] = {}
    for side in SIDES:
        for name, limb in (("foot", ("thigh", "shin", "foot")), ("hand", ("upper", "fore", "hand"))):
            upper, lower, end = (bone.get(f"{part}.{side}") for part in limb)
            if upper and lower and end:
                found[f"{name}.{side}"] = Pin(f"{name}.{side}", (upper, lower), end)
                if name == "foot":
                    found[f"knee.{side}"] = Pin(f"knee.{side}", (upper,), lower)
    return found


def named_pins(
    skeleton: Skeleton, roles: Roles, everything: Mapping[str, Pin], names: Sequence[str]
) -> tuple[list[Pin], bool]:
    """Those of all pins that names stand for, and whether the pelvis is one of them. Raises BadSetting."""
    by_bone: dict[str, str] = {}
    for pin in everything.values():
        if not pin.name.split(".")[0].endswith("knee"):
            for bone in _limb_bones(roles, pin):
                by_bone.setdefault(bone, pin.name)
    found: list[Pin] = []
    pelvis = False
    for text in names:
        name, _, on = text.partition("@")
        if name == PELVIS or (name == roles.pelvis and name not in by_bone):
            pelvis = True
            continue
        key = name if name in everything else by_bone.get(name)
        if key is None:
            raise BadSetting(
                f'There is no limb "{name}" to pin; there are '
                f"{', '.join([*everything, PELVIS])}, and their bones."
            )
        pin = everything[key]
        if on:
            on = everything[on].end if on in everything else on
            if on not in skeleton.names:
                raise BadSetting(f'"{name}" cannot be pinned on "{on}": there is no such bone.')
            if set(skeleton.line(on)) & {pin.chain[0]}:
                raise BadSetting(f'"{name}" cannot be pinned on "{on}", which it carries itself.')
            pin = Pin(pin.name, pin.chain, pin.end, pin.point, pin.turned, on)
        if pin not in found:
            found.append(pin)
    return found, pelvis


def _limb_bones(roles: Roles, pin: Pin) -> list[str]:
    """The bones below the chain's first that a limb may be named by."""
    for limb in (*roles.legs, *roles.arms):
        if pin.chain[0] in limb.bones:
            first = limb.bones.index(pin.end) if pin.end in limb.bones else len(limb.bones)
            toe = [limb.toe] if limb.toe else []
            return [*limb.bones[first:], *toe, pin.end]
    return [pin.end]


def standing_pins(
    skeleton: Skeleton,
    roles: Roles,
    everything: Mapping[str, Pin],
    soles: Sequence[Sole],
    pose: Float32,
    up: Floats,
    ground: float,
) -> list[Pin]:
    """Feet and knees that are on the ground.

    pose: (bones, 12), matrices in armature space; up: unit vector there; ground: its height along up.
    """
    several = len(roles.legs) > 2
    found = []
    for leg, sole in zip(roles.legs, soles, strict=True):
        before = f"{leg.pair} " if several else ""
        foot, knee = (everything.get(f"{before}{part}.{leg.side}") for part in ("foot", "knee"))
        if foot is None:
            continue
        toe = leg.toe if leg.toe is not None and leg.toe in skeleton.names else foot.end
        points = [(foot.end, sole.heel), (foot.end, sole.ball), (toe, sole.tip)]
        heights = [float(carried(skeleton, pose, bone, point) @ up) - ground for bone, point in points]
        size = max(leg.length, 1e-9)
        if knee is not None and not several:
            joint = pose[skeleton.index(knee.end)].reshape(3, 4)[:, 3].astype(np.float64)
            if float(joint @ up) - ground < KNEE_NEAR * size:
                found.append(knee)
                continue
        if min(heights) < FOOT_NEAR * size:
            found.append(foot)
    return found


def carried(skeleton: Skeleton, pose: Float32, bone: str, point: Floats) -> Floats:
    """Where a rest point that hangs on a bone comes to lie."""
    k = skeleton.index(bone)
    rest = skeleton.rest[k]
    now = pose[k].reshape(3, 4).astype(np.float64)
    return np.asarray(now[:, :3] @ (rest[:3, :3].T @ (point - rest[:3, 3])) + now[:, 3])


# ---- the core's arrays ----


def arrays_of(
    skeleton: Skeleton, roles: Roles, pins: Sequence[Pin], pose: Float32, locked: dict[str, tuple[bool, ...]]
) -> dict[str, Any]:
    """Arguments of pin_hold but for the pose and the places. locked: axes that a bone may not turn about."""
    most = max(len(pin.chain) for pin in pins)
    chains = np.full((len(pins), most), -1, dtype=np.int32)
    hinges = np.zeros((len(pins), most, 3))
    bound = np.zeros((len(pins), most), dtype=np.int32)
    soft = np.zeros(len(pins))
    for row, pin in enumerate(pins):
        for k, bone in enumerate(pin.chain):
            chains[row, k] = skeleton.index(bone)
            hinges[row, k] = _hinge(skeleton, roles, pin, bone)
            axes = locked.get(bone, (False,) * 3)
            if k > 0 and sum(axes) == 2:
                free = np.array([0.0 if axis else 1.0 for axis in axes])
                hinges[row, k] = free if hinges[row, k] @ free >= 0 else -free
                bound[row, k] = 1
        given, full = reach(skeleton, pin, pose)
        slack = 1.0 - given / max(full, 1e-12)
        soft[row] = min(SOFT, max(0.25 * slack, 0.0))
    return {
        "chains": chains,
        "ends": np.array([skeleton.index(pin.end) for pin in pins], dtype=np.int32),
        "points": np.array([pin.point for pin in pins], dtype=np.float64),
        "turned": np.array([pin.turned for pin in pins], dtype=np.int32),
        "hinges": hinges,
        "bound": bound,
        "soft": soft,
    }


def reach(skeleton: Skeleton, pin: Pin, pose: Float32) -> tuple[float, float]:
    """How far the end is from the root in a pose (bones, 12), and how far it could be."""
    heads = [pose[skeleton.index(bone)].reshape(3, 4)[:, 3].astype(np.float64) for bone in pin.chain]
    end = pose[skeleton.index(pin.end)].reshape(3, 4).astype(np.float64)
    heads.append(end[:, :3] @ np.array(pin.point) + end[:, 3])
    lengths = [float(np.linalg.norm(b - a)) for a, b in pairwise(heads)]
    return float(np.linalg.norm(heads[-1] - heads[0])), sum(lengths)


def _hinge(skeleton: Skeleton, roles: Roles, pin: Pin, bone: str) -> Floats:
    """The axis in the bone's own axes that bends a limb further: knees backward, elbows forward."""
    k = skeleton.index(bone)
    way = skeleton.tails[k] - skeleton.heads[k]
    forward = np.array(roles.facing)
    side = -forward if pin.name.split(".")[0].endswith(("foot", "knee")) else forward
    axis = np.cross(way, side)
    size = float(np.linalg.norm(axis))
    return np.asarray(skeleton.rest[k, :3, :3].T @ axis / size if size > 1e-9 else np.zeros(3))


def places_on(
    skeleton: Skeleton, pins: Sequence[Pin], held: Float32, posed: Float32, still: Float32
) -> Float32:
    """Places (pins, 7, frames) of pins on other bones, as those move.

    held: channels (bones, 10, 1); posed: (bones, 10, frames); still: places (pins, 7, 1) in the held pose.
    """
    native = core.load()
    skeleton_arrays = skeleton.arrays
    ends = np.array([skeleton.index(pin.on) for pin in pins], dtype=np.int32)
    none = np.zeros((len(pins), 3))
    pose = native.forward_kinematics(*skeleton_arrays, held).reshape(-1, 3, 4).astype(np.float64)
    carrier = native.pin_places(*skeleton_arrays, held, ends=ends, points=none)
    points = np.empty((len(pins), 3))
    for row, end in enumerate(ends):
        points[row] = np.linalg.solve(pose[end, :, :3], still[row, :3, 0] - pose[end, :, 3])
    found = native.pin_places(*skeleton_arrays, posed, ends=ends, points=points)
    frames = posed.shape[2]
    for row in range(len(pins)):
        back = carrier[row, 3:].copy()
        back[1:] *= -1.0
        own = native.quaternion_multiply(np.ascontiguousarray(back), np.ascontiguousarray(still[row, 3:]))
        turned = np.ascontiguousarray(found[row, 3:])
        found[row, 3:] = native.quaternion_multiply(turned, np.repeat(own, frames, axis=1))
    return np.ascontiguousarray(found)
