"""What the bones of an armature are: legs, arms, spine, head, sides, facing.

Names give hints, rest geometry decides. The result does not depend on the order of the bones, on where the
object stands, or on its scale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import naming, stored
from .body import Body, canonical_order, make_body
from .corrections import BY_HAND, NONE, Corrections, read
from .frame import find_forward, find_up
from .given import Given, check_sides, limb_branches, put, resolve
from .legs import Contact, find_contact, find_toe, leg_length, split_girdle
from .limbs import Branch, find_branches, measure_heights, sort_limbs
from .missing import find_missing
from .pairs import Mirror, find_mirror
from .skeleton import Skeleton, read_skeleton, reorder
from .skin import Skin, read_skin
from .trunk import find_trunk

Vector = npt.NDArray[np.float64]

_KINDS = {0: "none", 1: "biped", 2: "quadruped", 3: "six", 4: "eight"}


@dataclass(frozen=True, slots=True)
class Limb:
    """A leg, an arm or a wing.

    side: "L" or "R", the character's own; pair: "hind" or "fore" (two and four legs), "1".. from front to
    back (six and more), "" for arms; bones: from the hip or shoulder joint to the last bone on the ground
    or the hand; contact: bone that touches the ground ("" for arms) at its contact_end ("head", "tail", or
    "mesh" where only skin touches); toe: bone that stays flat while the foot rolls off over its head;
    girdle: bones between trunk and joint, from the trunk on; why: what spoke for it; sure: 0 to 1.
    """

    side: str
    pair: str
    bones: tuple[str, ...]
    contact: str = ""
    contact_end: str = ""
    toe: str | None = None
    girdle: tuple[str, ...] = ()
    why: str = ""
    sure: float = 0.0
    length: float = 0.0
    contact_point: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Roles:
    """What was recognised, in armature space and armature units.

    kind: "biped", "quadruped", "six", "eight", "other" or "none"; pelvis: bone that an animator moves for
    the body's weight and that carries hips and spine; root: the bone above it that stands on the ground,
    None where there is none; spine: upwards, without the pelvis; pairs: (left, right) bone names; facing,
    up: unit vectors; leg_length: mean of the hindmost legs, hip joint to ground along the chain; ground:
    coordinate along up that the rest pose stands on; why, sure: for each entry; warnings: sentences for the
    user; missing: for each role that a body needs and that was not found, a sentence with what was looked at
    and what to set.
    """

    kind: str
    legs: tuple[Limb, ...]
    arms: tuple[Limb, ...]
    root: str | None
    pelvis: str | None
    spine: tuple[str, ...]
    neck: tuple[str, ...]
    head: str | None
    tail: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    facing: tuple[float, float, float]
    up: tuple[float, float, float]
    leg_length: float
    ground: float
    why: dict[str, str] = field(default_factory=dict)
    sure: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    wings: tuple[Limb, ...] = ()
    missing: dict[str, str] = field(default_factory=dict)


def roles(armature_object: Any, corrections: Mapping[str, Any] | None = None) -> Roles:
    """Recognise an armature object; what was set by hand is taken as it is.

    corrections: roles set by hand, as `corrections` describes them, in place of those stored on the object
    by `set_roles`; {} for none at all. Raises NotAnArmature or TooFewBones, BadSetting where corrections do
    not fit the rig; finds what it can in everything else.
    """
    skeleton = read_skeleton(armature_object)
    said = stored.corrections_of(armature_object) if corrections is None else read(corrections)
    return recognise(skeleton, read_skin(armature_object, skeleton.names), said)


# The rigs recognised last, by all that recognition looks at: what is asked of one rig again and again, with
# other settings or by a panel that is drawn, is answered at once.
_KEPT = 16
_known: dict[bytes, Roles] = {}


def recognise(skeleton: Skeleton, skin: Skin | None = None, corrections: Corrections = NONE) -> Roles:
    """Recognise a skeleton; skin (its rest vertices by bone) tells what touches the ground and which bones
    count. What corrections say takes the place of what would be found; BadSetting where they do not fit.
    """
    return separate(recognised(skeleton, skin, corrections))


def recognised(skeleton: Skeleton, skin: Skin | None, corrections: Corrections) -> Roles:
    """As `recognise`, but for what looks alike the same object, whose tables nobody may change."""
    key = _fingerprint(skeleton, skin, corrections)
    found = _known.pop(key, None)
    if found is None:
        found = _recognise(skeleton, skin, corrections)
    _known[key] = found
    while len(_known) > _KEPT:
        del _known[next(iter(_known))]
    return found


def separate(found: Roles) -> Roles:
    """The same roles with tables that whoever gets them may change."""
    return replace(found, why=dict(found.why), sure=dict(found.sure), missing=dict(found.missing))


def _fingerprint(skeleton: Skeleton, skin: Skin | None, corrections: Corrections) -> bytes:
    digest = hashlib.blake2b(repr((skeleton.names, skeleton.rotation_modes, skeleton.links)).encode())
    arrays = [
        skeleton.parents,
        skeleton.rest,
        skeleton.tails,
        skeleton.flags,
        skeleton.world,
        skeleton.deform,
    ]
    for array in [*arrays, *((skin.points, skin.bones) if skin is not None else ())]:
        digest.update(repr(array.shape).encode() + array.tobytes())
    digest.update(json.dumps(corrections.plain(), sort_keys=True).encode())
    return digest.digest()


def _recognise(skeleton: Skeleton, skin: Skin | None, corrections: Corrections) -> Roles:
    order = canonical_order(skeleton)
    if skin is not None:
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        skin = Skin(skin.points, place[skin.bones])
    body = make_body(reorder(skeleton, order), skin)
    given = resolve(body, corrections)
    mirror = find_mirror(body, given.pairs, given.alone)
    branches = find_branches(body, mirror)
    up, why_up, sure_up = find_up(body, mirror, branches)
    if given.up is not None:
        up, why_up, sure_up = given.up, BY_HAND, 1.0
    own_legs, own_arms = (limb_branches(body, mirror, given, what) for what in ("legs", "arms"))
    measure_heights(body, [*branches, *(own_legs or ()), *(own_arms or ())], up)
    legs, arms, wings = sort_limbs(body, branches, up, own_legs, own_arms)
    standing = not _upside_down(body, legs, up) or bool({"up", "facing"} <= given.said)
    forward, why_facing, sure_facing, lies = find_forward(body, mirror, up, legs, standing)
    facing = given.facing(up)
    if facing is not None:
        forward, why_facing, sure_facing, lies = facing, BY_HAND, 1.0, False
    left = np.cross(up, forward)
    if standing:
        check_sides(body, legs, "legs", forward, left)
        check_sides(body, arms, "arms", forward, left)
    why = {"up": why_up, "facing": why_facing, **dict.fromkeys(given.said & {"ground", "pairs"}, BY_HAND)}
    sure = {"up": sure_up, "facing": sure_facing, **dict.fromkeys(given.said & {"ground", "pairs"}, 1.0)}
    warnings = []
    if lies:
        warnings.append(
            "The names call left what lies on the right: sides are taken from where the bones lie."
        )
    if mirror.moved_by_place:
        shown = naming.spoken(body.names[i] for pair in mirror.moved_by_place[:4] for i in pair)
        warnings.append(f"Bones are paired by place and not by their names' numbers: {shown}.")

    legs = sorted(legs, key=lambda b: (-_forward_place(body, b, forward), body.names[b.chains[0][0]]))
    built = [_legs_of(body, mirror, b, up, left, standing, given) for b in legs]
    names_of_pairs = _pair_names(len(built))
    leg_limbs = tuple(
        _leg_limb(body, parts, label, side)
        for label, pair in zip(names_of_pairs, built, strict=True)
        for side, parts in pair
    )
    hind = built[-1] if built else []
    hind_chains = [[*parts.girdle, *parts.chain] for _, parts in hind]
    others = [c for b in (*legs[:-1], *arms, *wings) for c in b.chains]
    trunk = find_trunk(body, mirror, up, forward, hind_chains, others, len(legs) > 2, given.single)
    put(trunk, given)
    why.update(trunk.why)
    sure.update(trunk.sure)
    length = float(np.mean([parts.length for _, parts in hind])) if hind else 0.0
    ground = corrections.ground
    if ground is None:
        ground = _ground(body, up, [parts for pair in built for _, parts in pair], length)
    if not standing:
        warnings.append(
            "The rest pose is no standing pose (the head lies below the hips): up and facing are uncertain."
        )
        sure["up"] = sure["facing"] = 0.2
    name = body.names

    def named(bone: int) -> str | None:
        return name[bone] if bone >= 0 else None

    return Roles(
        kind=_KINDS.get(len(built), "other") if all(len(pair) == 2 for pair in built) else "other",
        legs=leg_limbs,
        arms=_arm_limbs(body, mirror, arms, up, left, standing, "arm"),
        root=named(trunk.root),
        pelvis=named(trunk.pelvis),
        spine=tuple(name[b] for b in trunk.spine),
        neck=tuple(name[b] for b in trunk.neck),
        head=named(trunk.head),
        tail=tuple(name[b] for b in trunk.tail),
        pairs=_pairs(body, mirror, left),
        facing=_vector(forward),
        up=_vector(up),
        leg_length=length,
        ground=ground,
        why=why,
        sure=sure,
        warnings=tuple(warnings),
        wings=_arm_limbs(body, mirror, wings, up, left, standing, "wing"),
        missing=find_missing(
            body, mirror, branches, legs, [(s, parts.chain) for pair in built for s, parts in pair], trunk, up
        ),
    )


@dataclass(slots=True)
class _Leg:
    girdle: list[int]
    chain: list[int]
    contact: Contact
    toe: int
    length: float
    why: str
    sure: float


def _forward_place(body: Body, branch: Branch, forward: Vector) -> float:
    """How far forward a pair of legs stands: the middle between root and end, both sides."""
    ends = [body.heads[c[-1]] + body.heads[c[0]] for c in branch.chains]
    return round(float(np.mean(ends, axis=0) @ forward) / body.size, 5)


def _sides(body: Body, branch: Branch, left: Vector, standing: bool) -> list[tuple[str, list[int]]]:
    """The chains, left first; left by where they lie, by name only where the rest pose says nothing."""
    if branch.sides:
        return list(zip(branch.sides, branch.chains, strict=True))
    first, second = branch.chains
    said = (naming.side(body.names[first[-1]]), naming.side(body.names[second[-1]]))
    if not standing and set(said) == {"L", "R"}:
        return [("L", first), ("R", second)] if said[0] == "L" else [("L", second), ("R", first)]
    across = body.heads[first].mean(axis=0) - body.heads[second].mean(axis=0)
    ordered = (first, second) if float(across @ left) >= 0 else (second, first)
    return [("L", ordered[0]), ("R", ordered[1])]


def _legs_of(
    body: Body, mirror: Mirror, branch: Branch, up: Vector, left: Vector, standing: bool, given: Given
) -> list[tuple[str, _Leg]]:
    sides = _sides(body, branch, left, standing)
    found = []
    said = sorted(part for part in branch.hints if part in ("thigh", "shin", "foot", "toe", "leg"))
    for side, girdle, chain in _without_girdle(body, mirror, branch, sides, up, arm=False):
        own = given.limbs.get(chain[0]) if branch.sides else None
        place = chain.index(body.names.index(own.contact)) if own is not None and own.contact else -1
        end = own.contact_end if own is not None else None
        contact = find_contact(body, chain, up, _low_skin(body, chain, up), place, end)
        toe = find_toe(body, chain, contact)
        if own is not None and own.toe is not None:
            toe = body.names.index(own.toe) if own.toe else -1
        reasons = ["paired", "reaches the ground"]
        if said:
            reasons.append("named " + "/".join(said))
        if branch.breaks:
            reasons.append("the foot hangs elsewhere and is joined by IK or place")
        reasons.append(contact.why)
        found.append(
            (
                side,
                _Leg(
                    girdle,
                    chain,
                    contact,
                    toe,
                    leg_length(body, chain, contact),
                    BY_HAND if branch.sides else ", ".join(reasons),
                    1.0 if branch.sides else 0.95 if said else 0.75,
                ),
            )
        )
    return found


def _without_girdle(
    body: Body,
    mirror: Mirror,
    branch: Branch,
    sides: list[tuple[str, list[int]]],
    up: Vector,
    arm: bool,
) -> list[tuple[str, list[int], list[int]]]:
    """(side, girdle, chain from the joint on). A limb set by hand is all chain; its girdle leads to it."""
    if branch.sides:
        found = []
        for side, chain in sides:
            girdle: list[int] = []
            for bone in body.ancestors(chain[0]):
                if mirror.partner[bone] < 0:
                    break
                girdle.insert(0, bone)
            found.append((side, girdle, chain))
        return found
    count = min(split_girdle(body, mirror, chain, up, arm=arm) for _, chain in sides)
    count = max(count, branch.stem)
    return [(side, chain[:count], chain[count:]) for side, chain in sides]


def _low_skin(body: Body, chain: list[int], up: Vector) -> float | None:
    """Height of the lowest skin on a leg or anything that hangs on it."""
    if body.skin is None or not body.solid_known:
        return None
    own = np.isin(body.skin.bones, [*chain, *body.descendants(chain[0])])
    return float((body.skin.points[own] @ up).min()) if own.any() else None


def _leg_limb(body: Body, leg: _Leg, label: str, side: str) -> Limb:
    name = body.names
    return Limb(
        side=side,
        pair=label,
        bones=tuple(name[b] for b in leg.chain),
        contact=name[leg.chain[leg.contact.place]],
        contact_end=leg.contact.end,
        toe=name[leg.toe] if leg.toe >= 0 else None,
        girdle=tuple(name[b] for b in leg.girdle),
        why=leg.why,
        sure=leg.sure,
        length=leg.length,
        contact_point=_vector(leg.contact.point),
    )


def _arm_limbs(
    body: Body, mirror: Mirror, branches: list[Branch], up: Vector, left: Vector, standing: bool, what: str
) -> tuple[Limb, ...]:
    found = []
    for branch in branches:
        sides = _sides(body, branch, left, standing)
        hints = branch.hints
        said = sorted(
            part for part in hints if part in ("upperarm", "forearm", "hand", "arm", "wing", "clavicle")
        )
        why = f"a paired {what} off the ground" + (", named " + "/".join(said) if said else "")
        for side, girdle, chain in _without_girdle(body, mirror, branch, sides, up, arm=True):
            found.append(
                Limb(
                    side=side,
                    pair="",
                    bones=tuple(body.names[b] for b in chain),
                    girdle=tuple(body.names[b] for b in girdle),
                    why=BY_HAND if branch.sides else why,
                    sure=1.0 if branch.sides else 0.95 if said else 0.7,
                    length=float(np.linalg.norm(np.diff(body.heads[chain], axis=0), axis=1).sum()),
                )
            )
    return tuple(found)


def _pair_names(count: int) -> tuple[str, ...]:
    if count <= 1:
        return ("hind",) * count
    if count == 2:
        return ("fore", "hind")
    return tuple(str(i + 1) for i in range(count))


def _upside_down(body: Body, legs: list[Branch], up: Vector) -> bool:
    """Whether what is called head lies far below the hips, as where a file lays all limbs along one axis."""
    heads = body.called_head()
    if not legs or not heads:
        return False
    hips = np.mean([body.heads[chain[0]] @ up for branch in legs for chain in branch.chains])
    return float(np.median(body.heads[heads] @ up) - hips) < -0.2 * body.size


def _ground(body: Body, up: Vector, legs: list[_Leg], length: float) -> float:
    """Height that the rest pose stands on: lowest skin, else the lowest point of the legs, or the origin
    just below.
    """
    if legs and body.skin is not None and body.solid_known:
        low = float((body.skin.points @ up).min())
        if min(float(leg.contact.point @ up) for leg in legs) - low < 0.15 * length:
            return low
    if not legs:
        return float((body.heads[body.kept] @ up).min())
    low = np.inf
    for leg in legs:
        low = min(low, float(leg.contact.point @ up))
        for bone in body.descendants(leg.chain[0]):
            low = min(low, float(body.heads[bone] @ up))
            if body.tails_real:
                low = min(low, float(body.skeleton.tails[bone] @ up))
    # Feet without skin end at the bones; a model that stands on its origin has its soles there.
    return 0.0 if 0.0 <= low <= 0.07 * length else low


def _pairs(body: Body, mirror: Mirror, left: Vector) -> tuple[tuple[str, str], ...]:
    found = []
    for i, j in enumerate(mirror.partner):
        if i < int(j):
            across = body.heads[i] - body.heads[int(j)]
            if float(np.linalg.norm(across)) < 0.004 * body.size:
                across = across + body.ends[i] - body.ends[int(j)]
            value = float(across @ left)
            first = value > 0 if abs(value) > 1e-6 * body.size else naming.side(body.names[i]) != "R"
            found.append(
                (body.names[i], body.names[int(j)]) if first else (body.names[int(j)], body.names[i])
            )
    return tuple(sorted(found))


def _vector(value: Vector) -> tuple[float, float, float]:
    rounded = np.where(np.abs(value) < 1e-12, 0.0, value)
    return float(rounded[0]), float(rounded[1]), float(rounded[2])
