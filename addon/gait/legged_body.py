"""Bodies on any number of legs as the core's arrays: which bone is what, and how far it goes along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import MissingRole, NoLegsFound
from ..rig import Limb, Roles, Skeleton, Sole
from ..rig.controls import Controls
from ..rig.parts import Part
from ..rig.sides import SIDES
from ..rig.sole import one_segment
from ..rig.stance import Turns, quaternion_of
from .body import Body, Keyed, bones_of, tree_of

Floats = npt.NDArray[np.float64]

# Strides by which each bone of a tail follows the one before.
TAIL_LAG = 0.07
# Share of the fore leg's angle by which its shoulder blade swings; of the leg, the shortest that does.
SHOULDER, BLADE = 0.4, 0.08
# Turns nearer to none than this are none.
SAME_TURN = 1e-4


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg. name: for keys and orders; girdle: 0 the hindmost."""

    limb: Limb
    name: str
    girdle: int


def legs_of(roles: Roles) -> tuple[Leg, ...]:
    """All legs in the order of data/gaits.toml. Raises NoLegsFound, MissingRole."""
    if not roles.legs:
        raise NoLegsFound(roles.missing.get("legs", "No legs were found. Set legs."))
    for sentences in roles.missing.values():
        raise MissingRole(sentences)
    if roles.pelvis is None:
        raise MissingRole("No pelvis was found: no bone carries the legs. Set pelvis.")
    pairs = list(dict.fromkeys(leg.pair for leg in roles.legs))[::-1]  # hindmost first
    found = [Leg(leg, f"{leg.pair}.{leg.side}", pairs.index(leg.pair)) for leg in roles.legs]

    def order(leg: Leg) -> tuple[int, int]:
        side = SIDES.index(leg.limb.side) if leg.limb.side in SIDES else 0
        return (side, leg.girdle if len(found) <= 4 else -leg.girdle)

    return tuple(sorted(found, key=order))


def legged_parts(skeleton: Skeleton, roles: Roles, legs: Sequence[Leg]) -> tuple[Part, ...]:
    """All parts, in the order of the bones. Keys: root, pelvis, trunk.0 .., neck.0 .., tail.0 .., and of
    each leg shoulder.LEG, leg.LEG.0 ..; each part hangs from the nearest one above it."""
    keys: dict[str, str] = {}

    def add(key: str, bone: str | None) -> None:
        if bone is not None:
            keys.setdefault(bone, key)

    pieces: dict[str, list[str]] = {}
    for leg in legs:
        for k, segment in enumerate(segments_of(skeleton, leg.limb)):
            add(f"leg.{leg.name}.{k}", segment[0])
            pieces[segment[0]] = segment
    add("pelvis", roles.pelvis)
    add("root", roles.root)
    for leg in legs:
        if leg.limb.girdle and _is_blade(skeleton, roles, leg, len(legs)):
            add(f"shoulder.{leg.name}", leg.limb.girdle[-1])
    for k, bone in enumerate(roles.spine):
        add(f"trunk.{k}", bone)
    for k, bone in enumerate((*roles.neck, *([roles.head] if roles.head else []))):
        add(f"neck.{k}", bone)
    for k, bone in enumerate(roles.tail):
        add(f"tail.{k}", bone)
    parts = []
    known = set(keys.values())
    last = max((key for key in known if key.startswith("trunk.")), key=_number, default="pelvis")
    for index in sorted(skeleton.index(bone) for bone in keys):
        bone = skeleton.names[index]
        above = next((keys[name] for name in skeleton.line(bone)[1:] if name in keys), None)
        if above in (None, "root") and keys[bone] not in ("pelvis", "root"):
            above = _usual_parent(keys[bone], known, last, legs)
        parts.append(Part(keys[bone], bone, above, tuple(pieces.get(bone, [bone]))))
    return tuple(_parents_first(parts))


def _number(key: str) -> int:
    return int(key.rpartition(".")[2])


def _usual_parent(key: str, known: set[str], last: str, legs: Sequence[Leg]) -> str:
    """What carries a part where the bones' own parents, as in rigs of several layers, do not tell."""
    kind, _, rest = key.partition(".")
    if kind in ("trunk", "neck", "tail") and int(rest) > 0:
        return f"{kind}.{int(rest) - 1}"
    if kind == "leg" and not key.endswith(".0"):
        return f"{key.rpartition('.')[0]}.{_number(key) - 1}"
    name = rest.rpartition(".")[0] if kind == "leg" else rest
    if kind == "leg" and f"shoulder.{name}" in known:
        return f"shoulder.{name}"
    fore = any(leg.name == name and leg.girdle == max(one.girdle for one in legs) for leg in legs)
    if kind == "neck" or (fore and kind in ("leg", "shoulder") and len(legs) > 2):
        return last
    return "pelvis"


def _parents_first(parts: Sequence[Part]) -> list[Part]:
    """The parts in an order in which each comes after the one that carries it."""
    found: list[Part] = []
    left = list(parts)
    while left:
        there = {part.key for part in found}
        ready = [part for part in left if part.parent is None or part.parent in there]
        found += ready or left
        left = [part for part in left if part not in found]
    return found


def segments_of(skeleton: Skeleton, limb: Limb) -> list[list[str]]:
    """A leg's bones, those together that make one segment that was cut; the foot alone."""
    found: list[list[str]] = []
    for bone in limb.bones[:-1]:
        if found and one_segment(skeleton, found[-1][-1], bone):
            found[-1].append(bone)
        else:
            found.append([bone])
    return [*found, [limb.bones[-1]]]


def _is_blade(skeleton: Skeleton, roles: Roles, leg: Leg, legs: int) -> bool:
    """Whether the last bone of a fore leg's girdle is a shoulder blade that swings with the leg."""
    head = skeleton.heads[skeleton.index(leg.limb.girdle[-1])]
    joint = skeleton.heads[skeleton.index(leg.limb.bones[0])]
    high = float((head - joint) @ np.array(roles.up))
    return legs == 4 and leg.girdle == 1 and high > BLADE * leg.limb.length


def legged_body(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    legs: Sequence[Leg],
    parts: Sequence[Part],
    controls: Controls | None = None,
) -> Body:
    """A body whose parts are free bones in one tree, or that is moved by controls."""
    if controls is not None:
        tree = tree_of(skeleton, parts, controls)
        active = [part for part in controls.parts if part.key in tree.index]
        made = told(skeleton, roles, soles, legs, active, tree.index, tree.shifts)
        arguments = {**tree.arguments, **made}
        return Body(arguments, tree.keyed, (), controls.carrier, tree.root, tree.index)
    index = {part.key: skeleton.index(part.bone) for part in parts}
    arguments = {**bones_of(skeleton), **told(skeleton, roles, soles, legs, parts, index)}
    keyed = {
        index[part.key]: Keyed(part.bone, part.key, part.key in ("root", "pelvis"), part.key != "root")
        for part in parts
    }
    root = index.get("root", -1)
    carrier = skeleton.names[root] if root >= 0 else skeleton.names[index["pelvis"]]
    return Body(arguments, keyed, _between(skeleton, parts), carrier, root, index)


def _between(skeleton: Skeleton, parts: Sequence[Part]) -> tuple[str, ...]:
    """Bones between parts, which hold these together and stay at rest: girdles, halves of a cut bone."""
    own = {part.bone for part in parts}
    found: dict[str, None] = {}
    for part in parts:
        line = skeleton.line(part.bone)[1:] if part.parent is not None else []
        for bone in line:
            if bone in own:
                break
            found[bone] = None
    return tuple(found)


def told(
    skeleton: Skeleton,
    roles: Roles,
    soles: Sequence[Sole],
    legs: Sequence[Leg],
    parts: Sequence[Part],
    index: dict[str, int],
    shifts: Mapping[str, Floats] = MappingProxyType({}),
) -> dict[str, Any]:
    """What the core is told of parts and legs. index: of each part's bone in its skeleton; shifts: as of a
    Tree."""
    from .. import core

    kinds = core.load().LEGGED_KINDS
    number = {leg.name: row for row, leg in enumerate(legs)}
    weights = _weights(skeleton, roles, legs, parts)
    rows = []
    for part in parts:
        kind, _, rest = part.key.partition(".")
        name = rest.rpartition(".")[0] if kind == "leg" else rest
        rows.append((index[part.key], kinds.index(kind), number.get(name, 0)))
    by_limb = {id(leg): sole for leg, sole in zip(roles.legs, soles, strict=True)}
    feet = []
    for leg in legs:
        last = max((part.key for part in parts if part.key.startswith(f"leg.{leg.name}.")), key=_number)
        shift, sole = shifts.get(last, np.eye(4)), by_limb[id(leg.limb)]
        feet.append([(shift @ np.append(point, 1.0))[:3] for point in (sole.heel, sole.tip)])
    return {
        "parts": np.array(rows, dtype=np.int32),
        "weight": np.array([weights[part.key] for part in parts]),
        "girdles": np.array([leg.girdle for leg in legs], dtype=np.int32),
        "soles": np.array(feet),
        "forward": np.array(roles.facing, dtype=np.float64),
        "up": np.array(roles.up, dtype=np.float64),
        "ground": float(roles.ground),
    }


def _weights(
    skeleton: Skeleton, roles: Roles, legs: Sequence[Leg], parts: Sequence[Part]
) -> dict[str, float]:
    """How far each part goes along, by key; see amble_legged_kind of the core."""
    facing = np.array(roles.facing)
    hips = np.array([skeleton.heads[skeleton.index(leg.limb.bones[0])] @ facing for leg in legs])
    girdles = np.array([leg.girdle for leg in legs])
    hind, fore = hips[girdles == 0].mean(), hips[girdles == girdles.max()].mean()
    necks = sum(part.key.startswith("neck.") for part in parts)
    found = {}
    for part in parts:
        kind, _, rest = part.key.partition(".")
        weight = 0.0
        if kind == "trunk":
            end = float(skeleton.tails[skeleton.index(part.bone)] @ facing)
            weight = float(np.clip((end - hind) / (fore - hind), 0.0, 1.0)) if fore > hind else 0.0
        elif kind == "neck":
            weight = (int(rest) + 1.0) / necks
        elif kind == "tail":
            weight = TAIL_LAG * (int(rest) + 1.0)
        elif kind == "shoulder":
            weight = SHOULDER
        found[part.key] = weight
    return found


def space_of(body: Body, legs: Sequence[Leg]) -> Floats:
    """The body's own axes as the core has them, forward, left, up, in the armature's space, (4, 4)."""
    given = body.arguments
    forward, up = given["forward"], given["up"]
    left = np.cross(up, forward)
    hips = given["rest"][[body.index[f"leg.{leg.name}.0"] for leg in legs], :3, 3].mean(axis=0)
    pelvis = given["rest"][body.index["pelvis"], :3, 3]
    own = np.eye(4)
    own[:3, 0], own[:3, 1], own[:3, 2] = forward, left, up
    own[:3, 3] = forward * (forward @ pelvis) + left * (left @ hips) + up * given["ground"]
    return own


def seed_turns(skeleton: Skeleton, controls: Controls) -> Turns:
    """By bone of a leg that is keyed under inverse kinematics, its turn from rest at which the solver begins
    from the zero pose as it is evaluated, which the keys are made from."""
    found = {}
    parts = {part.key: part for part in controls.parts}
    for control in controls.controls:
        own = skeleton.index(control.bone)
        parent = int(skeleton.parents[own])
        name = skeleton.names[parent]
        part = parts.get(control.follows)
        seeds = part is not None and part.key.startswith("leg.") and part.bone == control.bone
        if not seeds or parent < 0 or name not in controls.zero:
            continue
        rest = np.linalg.solve(skeleton.rest[parent], skeleton.rest[own])
        zero = np.linalg.solve(controls.zero[name], controls.zero[control.bone])
        turn = np.linalg.solve(rest, zero)[:3, :3]
        turn = turn / np.linalg.norm(turn, axis=0)
        if np.abs(turn - np.eye(3)).max() > SAME_TURN:
            found[control.bone] = quaternion_of(turn)
    return found
