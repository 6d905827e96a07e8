"""The body that a gait moves, as the core's arrays, and the way back from its result to bones.

Where the rig is plain the core works on its own skeleton. Where it is moved by controls the core is given a
skeleton made for the purpose: the parts of the body in one plain tree, and the controls as followers of them,
each hanging from what it really hangs from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..once import once
from ..rig import Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.parts import Part
from ..rig.sides import SIDES
from ..rig.skeleton import FLAG_NO_INHERIT_ROTATION, FLAG_NO_LOCAL_LOCATION

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Keyed:
    """What of a bone is keyed. part: key of the part that it is or follows."""

    bone: str
    part: str
    location: bool
    rotation: bool


@dataclass(frozen=True, slots=True)
class Body:
    """arguments: of amble_core.gait, but for the settings, root and travel; keyed: by index in the core's
    skeleton; held: bones within the legs that are kept at rest, so that the parts stay rigid; carrier: bone
    that carries the body forward; root: its index where it is the root, else -1; index: that of each part, by
    key.
    """

    arguments: dict[str, Any]
    keyed: dict[int, Keyed]
    held: tuple[str, ...]
    carrier: str
    root: int
    index: dict[str, int]


def body_of(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    parts: Sequence[Part],
    controls: Controls | None,
) -> Body:
    """The body that a gait moves: by its controls, where there are such, else bone by bone."""
    if controls is None:
        return plain_body(skeleton, roles, soles, parts)
    return controlled_body(skeleton, roles, soles, parts, controls)


def bones_of(skeleton: Skeleton) -> dict[str, Any]:
    """The core's arguments for bones that are one tree, of which none follows another."""
    return {
        "parents": np.ascontiguousarray(skeleton.parents),
        "rest": np.ascontiguousarray(skeleton.rest),
        "flags": np.ascontiguousarray(skeleton.flags),
        "followers": np.empty((0, 2), dtype=np.int32),
        "mixed": np.empty((0, 3), dtype=np.int32),
        "share": np.empty(0),
    }


@once
def plain_body(skeleton: Skeleton, roles: Roles, soles: Sequence[Sole], parts: Sequence[Part]) -> Body:
    """A body whose parts are free bones in one tree."""
    index = {part.key: skeleton.index(part.bone) for part in parts}
    arguments = {
        **bones_of(skeleton),
        **_roles(roles, index),
        "soles": _soles(roles, soles, {}),
        "hands": _hands(skeleton, parts, {}),
    }
    keyed = {
        index[p.key]: Keyed(p.bone, p.key, p.key in ("root", "pelvis"), p.key != "root")
        for p in parts
        if not p.key.startswith("hand")
    }
    root = index.get("root", -1)
    return Body(
        arguments,
        keyed,
        _held(skeleton, parts),
        skeleton.names[root] if root >= 0 else skeleton.names[index["pelvis"]],
        root,
        index,
    )


@dataclass(frozen=True, slots=True)
class Tree:
    """A rig moved by controls as the core's skeleton. arguments: those of amble_core.gait that tell it;
    keyed, index, root: as of a Body; shifts: by part, how the rig's zero pose differs from the rest pose,
    (4, 4)."""

    arguments: dict[str, Any]
    keyed: dict[int, Keyed]
    index: dict[str, int]
    root: int
    shifts: dict[str, Floats]


def controlled_body(
    skeleton: Skeleton, roles: Roles, soles: Sequence[Sole], parts: Sequence[Part], controls: Controls
) -> Body:
    """A body moved by controls."""
    tree = tree_of(skeleton, parts, controls)
    arguments = {
        **tree.arguments,
        **_roles(roles, {k: v for k, v in tree.index.items() if not k.startswith("hand")}),
        "soles": _soles(roles, soles, tree.shifts),
        "hands": _hands(skeleton, controls.parts, controls.zero),
    }
    return Body(arguments, tree.keyed, (), controls.carrier, tree.root, tree.index)


def tree_of(skeleton: Skeleton, parts: Sequence[Part], controls: Controls) -> Tree:
    """The parts of a body in one plain tree, and the controls as followers of them."""
    zero = controls.zero
    rest: list[Floats] = []
    parents: list[int] = []
    flags: list[int] = []

    def add(matrix: Floats, parent: int, flag: int = 0) -> int:
        rest.append(matrix)
        parents.append(parent)
        flags.append(flag)
        return len(rest) - 1

    root = next((c for c in controls.controls if c.follows == "root"), None)
    index: dict[str, int] = {}
    keyed: dict[int, Keyed] = {}
    above = {part.key: part.parent for part in parts}
    for part in controls.parts:
        carrier = part.parent
        while carrier is not None and carrier not in index:
            carrier = above[carrier]
        index[part.key] = add(zero[part.bone], -1 if carrier is None else index[carrier])
    followers: list[tuple[int, int]] = []
    mixed: list[tuple[int, int, int]] = []

    def follow(bone: int, part: str) -> None:
        followers.append((bone, index[part]))

    for control in controls.controls:
        if control is root:
            keyed[index["root"]] = Keyed(control.bone, "root", True, False)
            continue
        parent = -1 if control.anchor is None else index[control.anchor]
        own = skeleton.index(control.bone)
        real = int(skeleton.parents[own])
        axes = zero[skeleton.names[real]] if real >= 0 else zero[control.bone]
        flag = int(skeleton.flags[own]) & FLAG_NO_LOCAL_LOCATION if real >= 0 else 0
        if control.share:
            second = -1 if control.second is None else index[control.second]
            mixed.append((add(axes, -1), parent, second))
            parent = mixed[-1][0]
        elif control.hinge:
            parent = add(axes, parent, FLAG_NO_INHERIT_ROTATION)
        elif flag and control.anchor is not None:
            parent = add(axes, parent)
            follow(parent, control.anchor)
        elif flag:
            parent = add(axes, -1)
        place = add(zero[control.bone], parent, flag)
        follow(place, control.follows)
        keyed[place] = Keyed(control.bone, control.follows, control.location, control.rotation)
    arguments = {
        "parents": np.array(parents, dtype=np.int32),
        "rest": np.ascontiguousarray(_unit(np.array(rest))),
        "flags": np.array(flags, dtype=np.uint32),
        "followers": np.array(followers, dtype=np.int32).reshape(-1, 2),
        "mixed": np.array(mixed, dtype=np.int32).reshape(-1, 3),
        "share": np.array([control.share for control in controls.controls if control.share]),
    }
    shifts = _shifts(skeleton, controls.parts, zero)
    return Tree(arguments, keyed, index, index["root"] if root is not None else -1, shifts)


def _roles(roles: Roles, index: dict[str, int]) -> dict[str, Any]:
    def column(name: str) -> npt.NDArray[np.int32]:
        return np.array([i for key, i in index.items() if key.startswith(name + ".")], dtype=np.int32)

    def rows(*names: str) -> npt.NDArray[np.int32]:
        return np.array(
            [[index.get(f"{name}.{side}", -1) for name in names] for side in SIDES], dtype=np.int32
        )

    return {
        "pelvis": index["pelvis"],
        "spine": column("spine"),
        "neck": column("neck"),
        "legs": rows("thigh", "shin", "foot", "toe"),
        "leg_phase": np.array([0.0, 0.5]),
        "arms": rows("upper", "fore"),
        "forward": np.array(roles.facing, dtype=np.float64),
        "up": np.array(roles.up, dtype=np.float64),
        "ground": float(roles.ground),
    }


def _shifts(skeleton: Skeleton, parts: Sequence[Part], zero: dict[str, Floats]) -> dict[str, Floats]:
    """By part, how the rig's zero pose differs from the rest pose, (4, 4)."""
    return {
        part.key: _unit(zero[part.bone][None])[0] @ np.linalg.inv(skeleton.rest[skeleton.index(part.bone)])
        for part in parts
    }


def _soles(roles: Roles, soles: Sequence[Sole], shifts: dict[str, Floats]) -> Floats:
    """Heel, pivot and tip of each foot, (2, 3, 3)."""
    by_side = {leg.side: sole for leg, sole in zip(roles.legs, soles, strict=True)}
    rows = []
    for side in SIDES:
        sole = by_side[side]
        foot = shifts.get(f"foot.{side}", np.eye(4))
        toe = shifts.get(f"toe.{side}", foot)
        carried = [(foot, sole.heel), (foot, sole.pivot), (toe, sole.tip)]
        rows.append([(shift @ np.append(point, 1.0))[:3] for shift, point in carried])
    return np.array(rows)


def _hands(skeleton: Skeleton, parts: Sequence[Part], zero: dict[str, Floats]) -> Floats:
    """The wrists, (2, 3)."""
    found = np.zeros((2, 3))
    bones = {part.key: part for part in parts}
    for row, side in enumerate(SIDES):
        hand, fore = bones.get(f"hand.{side}"), bones.get(f"fore.{side}")
        if hand is not None:
            matrix = zero.get(hand.bone, skeleton.rest[skeleton.index(hand.bone)])
            found[row] = matrix[:3, 3]
        elif fore is not None:
            k = skeleton.index(fore.pieces[-1])
            found[row] = skeleton.tails[k]
            if fore.bone in zero:
                shift = zero[fore.bone] @ np.linalg.inv(skeleton.rest[skeleton.index(fore.bone)])
                found[row] = (shift @ np.append(skeleton.tails[k], 1.0))[:3]
    return found


def _held(skeleton: Skeleton, parts: Sequence[Part]) -> tuple[str, ...]:
    """Bones between the parts of legs and arms: halves of a cut thigh, stubs between pelvis and hip."""
    own = {part.bone for part in parts}
    found: dict[str, None] = {}
    for part in parts:
        if part.key.split(".")[0] not in ("thigh", "shin", "foot", "toe", "fore"):
            continue
        parent = int(skeleton.parents[skeleton.index(part.bone)])
        while parent >= 0 and skeleton.names[parent] not in own:
            found[skeleton.names[parent]] = None
            parent = int(skeleton.parents[parent])
    return tuple(found)


def _unit(matrices: Floats) -> Floats:
    """The matrices without scale."""
    found = matrices.copy()
    found[:, :3, :3] /= np.linalg.norm(found[:, :3, :3], axis=1, keepdims=True)
    return found
