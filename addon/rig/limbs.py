"""Limbs: paired branches of the body, their chains, which of them are legs, arms, wings.

A leg is a long paired branch that comes down to the ground the rest pose stands on. Names count where the
geometry leaves a choice: between arms and fore legs, wings and arms, skirts and legs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from . import tree
from .body import SAME_PLACE, Body
from .pairs import Mirror

LEG_HINTS = frozenset({"thigh", "shin", "foot", "toe", "leg"})
ARM_HINTS = frozenset({"upperarm", "forearm", "hand", "arm"})
WING_HINTS = frozenset({"wing", "feather"})
NO_LIMB = frozenset({"extra", "face", "control", "tail"})


@dataclass(slots=True)
class Branch:
    """A paired branch: chains of bone indices on both sides (first and second of the pair, same length).

    Set by hand (sides: of each chain), it may be one chain alone, or two of unequal length.
    """

    chains: tuple[list[int], ...]
    reach: float
    hints: Counter[str] = field(default_factory=Counter)
    low: float = 0.0  # lowest height that it reaches
    top: float = 0.0  # height of its first joint
    breaks: bool = False
    stem: int = 0  # bones at the start that carry several limbs
    sides: tuple[str, ...] = ()

    def count(self, of: frozenset[str]) -> int:
        """Hints of these parts in both chains together."""
        return sum(n for part, n in self.hints.items() if part in of)


def find_branches(body: Body, mirror: Mirror) -> list[Branch]:
    """Every paired branch worth calling a limb, in canonical order, feet that hang elsewhere joined on."""
    reach = tree.reaches(body)
    roots: list[tuple[int, int]] = []
    for bone in tree.by_depth(body):
        other = int(mirror.partner[bone])
        if other < 0 or other < bone or not body.kept[other]:
            continue
        if _within_pair(body, mirror, bone, other):
            continue
        roots.append((bone, other))
    branches: list[Branch] = []
    for first, second in roots:
        _grow(body, mirror, reach, [first], [second], branches)
    _join_feet(body, branches)
    return branches


def _grow(
    body: Body, mirror: Mirror, reach: list[float], first: list[int], second: list[int], out: list[Branch]
) -> None:
    """Add the limb that starts with these bones, or each of those that they carry (an anchor of legs)."""
    carried = [
        (c, int(mirror.partner[c]))
        for c in body.children[first[-1]]
        if not tree.is_beside(body, c) and int(mirror.partner[c]) in body.children[second[-1]]
    ]
    whole = reach[first[0]]
    long = [
        (c, d)
        for c, d in carried
        if reach[c] > 0.5 * whole and not body.hints[c] & {"twist", "finger", "toe"}
    ]
    if len(long) >= 2 and len(first) < 4:
        for c, d in long:
            _grow(body, mirror, reach, [*first, c], [*second, d], out)
        return
    chain = _chain(body, reach, first)
    twin = _mirrored_chain(body, mirror, reach, chain, second)
    length = min(len(chain), len(twin))
    chain, twin = chain[:length], twin[:length]
    votes = Counter(part for bone in chain + twin for part in body.hints[bone])
    branch = Branch((chain, twin), min(reach[first[0]], reach[second[0]]), votes)
    branch.stem = len(first) - 1
    out.append(branch)


def _within_pair(body: Body, mirror: Mirror, first: int, second: int) -> bool:
    """Whether a pair hangs on bones of another pair, each on its own side."""
    up = set(body.ancestors(first))
    for bone in up:
        other = int(mirror.partner[bone])
        if other >= 0 and other in set(body.ancestors(second)):
            return True
    return False


def _chain(body: Body, reach: list[float], start: list[int]) -> list[int]:
    chain = list(start)
    while True:
        nxt = _next(body, reach, chain)
        if nxt < 0:
            return chain
        chain.append(nxt)


def _mirrored_chain(
    body: Body, mirror: Mirror, reach: list[float], chain: list[int], start: list[int]
) -> list[int]:
    """The partner's chain: partners where they hang one on the other, else the same walk on its own."""
    twin = list(start)
    for bone in chain[len(start) :]:
        other = int(mirror.partner[bone])
        if other >= 0 and twin[-1] in body.ancestors(other):
            twin.append(other)
            continue
        nxt = _next(body, reach, twin)
        if nxt < 0:
            break
        twin.append(nxt)
    return twin


def _next(body: Body, reach: list[float], chain: list[int]) -> int:
    """The child that continues a limb, or -1 at its end (hands end where fingers begin, feet where toes fan
    out).
    """
    bone = chain[-1]
    children = [c for c in body.children[bone] if not tree.is_beside(body, c)]
    if not children:
        # A helper that bears the rest of the limb is a link of it, whatever it is called.
        children = [c for c in body.children[bone] if body.children[c] and reach[c] > 0.3 * reach[chain[0]]]
    if len(children) > 1:
        straight = [c for c in children if "twist" not in body.hints[c]]
        children = straight or children
    if not children:
        return -1
    armlike = any(body.hints[b] & ARM_HINTS for b in chain)
    leglike = any(body.hints[b] & LEG_HINTS for b in chain)
    fingers = [c for c in children if "finger" in body.hints[c] and not body.hints[c] & LEG_HINTS]
    hands = [c for c in children if "hand" in body.hints[c] and "finger" not in body.hints[c]]
    if (
        (armlike or not leglike)
        and fingers
        and len(chain) > 1
        and not (hands and "hand" not in body.hints[bone])
    ):
        return -1
    if hands and fingers:
        children = hands
    long = [c for c in children if reach[c] > 0.25 * max(reach[k] for k in children)]
    if len(long) >= 3 and armlike and not leglike:
        return -1
    if len(long) >= 2 and any("toe" in body.hints[b] for b in chain):
        return -1
    # A hand ends an arm, unless it is followed by toes: then it is the forefoot of an animal.
    toes = any(body.hints[c] & {"hand", "end", "toe", "foot"} for c in children)
    if armlike and not leglike and "hand" in body.hints[bone] and not toes:
        return -1
    return _best(body, reach, bone, children)


def _best(body: Body, reach: list[float], bone: int, children: list[int]) -> int:
    # A bone with a modelled tail goes on where it ends; what starts half-way along it is beside the chain.
    ahead = [
        c
        for c in children
        if tree.along(body, bone, c) > 0.6
        or reach[c] > 1.5 * body.lengths[bone]
        or body.lengths[bone] < 0.02 * body.size
    ]
    if not ahead:
        return -1
    toes = [c for c in ahead if reach[c] > 0.3 * max(reach[k] for k in ahead)]
    if len(toes) >= 3 and all(body.hints[c] & {"toe", "foot", "finger"} for c in toes):
        return _middle(body, toes)

    def worth(child: int) -> tuple[float, str]:
        gap = float(np.linalg.norm(body.heads[child] - body.heads[bone]))
        value = gap + reach[child]
        if tree.joined(body, bone, child):
            value *= 1.4
        if body.hints[child] & LEG_HINTS:
            value *= 1.2
        return -round(value / body.size, 4), body.names[child]

    return min(ahead, key=worth)


def _middle(body: Body, row: list[int]) -> int:
    """The bone in the middle of a row of toes."""
    heads = body.heads[row]
    spread = heads - heads.mean(axis=0)
    _, _, axes = np.linalg.svd(spread)
    places = spread @ axes[0]
    return row[int(np.argmin(np.abs(places - np.median(places)).round(9)))]


def _join_feet(body: Body, branches: list[Branch]) -> None:
    """Put feet that hang on the root or on nothing behind the shin that they belong to, by IK or by place."""
    targets = {
        link.bone: link.target for link in body.skeleton.links if link.kind == "IK" and link.target >= 0
    }
    used: set[int] = set()
    for branch in branches:
        if branch.reach < 0.04 * body.size or len(branch.chains[0]) < 2:
            continue
        has_foot = any(body.hints[b] & {"foot", "toe"} for b in branch.chains[0])
        for other in branches:
            if other is branch or id(other) in used or other.reach > 0.6 * branch.reach:
                continue
            match = _same_foot(body, branch, other, targets, has_foot)
            if match is None:
                continue
            first, second = other.chains if match else (other.chains[1], other.chains[0])
            branch.chains = (branch.chains[0] + first, branch.chains[1] + second)
            branch.hints = branch.hints + other.hints
            gap = body.heads[first[0]] - body.heads[branch.chains[0][-len(first) - 1]]
            branch.reach += other.reach + float(np.linalg.norm(gap))
            branch.breaks = True
            used.add(id(other))
            break
    branches[:] = [b for b in branches if id(b) not in used]


def _same_foot(
    body: Body, branch: Branch, other: Branch, targets: dict[int, int], has_foot: bool
) -> bool | None:
    """True where `other`'s first chain continues `branch`'s first, False where its second does, None where
    neither.
    """
    foot = other.chains[0][0]
    if not body.solid[foot] or ("control" in body.hints[foot] and not body.solid_known):
        return None
    for swap, chain in ((True, other.chains[0]), (False, other.chains[1])):
        if any(targets.get(bone) == chain[0] for bone in branch.chains[0]):
            return swap if not has_foot or body.solid_known else None
    if has_foot or not (body.hints[foot] & {"foot", "toe"} or body.solid_known):
        return None
    for swap, chain in ((True, other.chains[0]), (False, other.chains[1])):
        if _ends_at(body, branch.chains[0][-1], body.heads[chain[0]], branch.reach):
            return swap
    return None


def _ends_at(body: Body, last: int, point: npt.NDArray[np.float64], reach: float) -> bool:
    """Whether a chain's last bone runs to a point; where its tail is made up, whether it points that way."""
    if body.tails_real:
        return float(np.linalg.norm(point - body.ends[last])) < 0.08 * reach
    way = body.skeleton.tails[last] - body.heads[last]
    way = way / max(float(np.linalg.norm(way)), 1e-12)
    step = point - body.heads[last]
    far = float(step @ way)
    aside = float(np.linalg.norm(step - far * way))
    return 0.15 * reach < far < 2.5 * reach and aside < 0.2 * far


def chain_points(body: Body, chain: list[int]) -> npt.NDArray[np.float64]:
    """Joints of a chain: the heads, and the last tail where tails are modelled; float64 (joints, 3)."""
    points = body.heads[chain]
    if body.tails_real:
        points = np.vstack((points, body.skeleton.tails[chain[-1]]))
    return points


def measure_heights(body: Body, branches: list[Branch], up: npt.NDArray[np.float64]) -> None:
    """Fill in how low each branch reaches (skin included) and how high it starts."""
    heights = None if body.skin is None else body.skin.points @ up
    for branch in branches:
        low = np.inf
        for chain in branch.chains:
            low = min(low, float((chain_points(body, chain) @ up).min()))
            if heights is not None and body.skin is not None and body.solid_known:
                own = np.isin(body.skin.bones, chain)
                if own.any():
                    low = min(low, float(heights[own].min()))
        branch.low = low
        branch.top = float(body.heads[branch.chains[0][0]] @ up)


def sort_limbs(
    body: Body,
    branches: list[Branch],
    up: npt.NDArray[np.float64],
    legs: list[Branch] | None = None,
    arms: list[Branch] | None = None,
) -> tuple[list[Branch], list[Branch], list[Branch]]:
    """(legs, arms, wings) among the branches whose heights are measured. legs, arms: where set by hand."""
    taken = {b for branch in (*(legs or ()), *(arms or ())) for chain in branch.chains for b in chain}
    free = [b for b in branches if taken.isdisjoint([*b.chains[0], *b.chains[1]])]
    able = _without_copies(body, [b for b in free if _able(body, b)])
    if legs is None:
        legs = _legs(body, able, up)
    rest = [b for b in able if b not in legs]
    wings = [b for b in rest if b.count(WING_HINTS) > b.count(ARM_HINTS)]
    wings = [b for b in wings if b.reach > 0.5 * max(w.reach for w in wings)]
    # What is called a leg and neither stands nor hangs from the hips is an arm.
    top = max((b.top for b in legs), default=np.inf)
    rest = [
        b
        for b in rest
        if b not in wings
        and (b.count(LEG_HINTS) <= b.count(ARM_HINTS) or (b.top > top and b.reach > 0.3 * legs[0].reach))
    ]
    if arms is None:
        arms = _arms(legs, rest)
        for branch in arms:
            _end_at_hand(body, branch)
    return legs, arms, wings


def _end_at_hand(body: Body, branch: Branch) -> None:
    """An arm ends with the bone that fans out into fingers, whatever it is called, unless one called a hand
    comes after it. Bones that twist or share skin are no fingers."""
    for place in range(1, len(branch.chains[0]) - 1):
        for chain in branch.chains:
            fan = [
                c
                for c in body.children[chain[place]]
                if not tree.is_beside(body, c) and "twist" not in body.hints[c]
            ]
            called = ["hand" in body.hints[b] for b in chain[place:]]
            if len(fan) >= 3 and (called[0] or not any(called)):
                branch.chains = (branch.chains[0][: place + 1], branch.chains[1][: place + 1])
                return


def _without_copies(body: Body, able: list[Branch]) -> list[Branch]:
    """One branch of each place: limbs that lie on each other are the same limb in another layer.

    The one that moves skin counts, then the one with fewer control words, then the one with shorter names.
    """

    def rank(branch: Branch) -> tuple[int, int, int, str]:
        names = [body.names[b] for b in branch.chains[0]]
        moved = sum(bool(body.solid[b]) for b in branch.chains[0])
        return -moved, branch.hints["control"], len("".join(names)), names[0]

    kept: list[Branch] = []
    for branch in sorted(able, key=rank):
        first = body.heads[branch.chains[0]]
        near = SAME_PLACE * 3 * body.size
        if not any(
            any(
                np.linalg.norm(body.heads[chain[0]] - first[0]) < near
                and np.linalg.norm(body.heads[chain[-1]] - first[-1]) < near
                for chain in other.chains
            )
            and abs(other.reach - branch.reach) < 0.05 * branch.reach
            for other in kept
        ):
            kept.append(branch)
    return [b for b in able if b in kept]


def _able(body: Body, branch: Branch) -> bool:
    no_limb = branch.count(NO_LIMB)
    limb = branch.count(LEG_HINTS | ARM_HINTS | WING_HINTS)
    controls = sum("control" in body.hints[b] for b in branch.chains[0])
    if no_limb > limb or 2 * controls > len(branch.chains[0]):
        return False
    if body.solid_known and not body.layered and not any(body.solid[b] for b in branch.chains[0]):
        return False
    if (
        limb == 0
        and branch.hints["pelvis"] + branch.hints["clavicle"] + branch.hints["twist"] > 0
        and len(branch.chains[0]) < 2
    ):
        return False
    return branch.reach > (0.04 if limb else 0.12) * body.size


def _legs(body: Body, able: list[Branch], up: npt.NDArray[np.float64]) -> list[Branch]:
    grounded = [b for b in able if b.count(WING_HINTS) == 0]
    if not grounded:
        return []
    floor = min(b.low for b in grounded)
    standing = [b for b in grounded if b.low - floor < 0.12 * b.reach]
    longest = max(b.reach for b in standing or grounded)
    legs = []
    for branch in grounded:
        near = branch.low - floor < 0.12 * min(max(branch.reach, 0.5 * longest), 2.0 * longest)
        leg, arm = branch.count(LEG_HINTS), branch.count(ARM_HINTS)
        if (near and branch.reach > 0.3 * longest and (leg or arm or branch.reach > 0.5 * longest)) or (
            leg > arm and branch.reach > 0.3 * longest and branch.low - floor < 0.35 * branch.reach
        ):
            legs.append(branch)
    named = [b for b in legs if b.count(LEG_HINTS) > b.count(ARM_HINTS)]
    armed = [b for b in legs if b.count(ARM_HINTS) > b.count(LEG_HINTS)]
    if named and armed and _upright(body, named, armed, up):
        legs = [b for b in legs if b not in armed]
    # Many legs named so are legs even where a flying body lets them hang.
    many = [b for b in grounded if b.count(LEG_HINTS) > b.count(ARM_HINTS) and b.reach > 0.3 * longest]
    if len(many) >= 3:
        return many
    # Nothing but skirts and tails reaches the ground beside named legs.
    if named:
        legs = [b for b in legs if b in named or b in armed or not _hangs_beside(b, named)]
    elif len(armed) == len(legs) == 1 and not any(b.reach > 0.3 * longest for b in able if b not in legs):
        # Nothing but a pair of arms: a body without legs.
        legs = []
    return legs


def _upright(body: Body, legs: list[Branch], arms: list[Branch], up: npt.NDArray[np.float64]) -> bool:
    """Whether the arms start well above the legs: such a body stands on its legs alone."""
    hips = np.mean([body.heads[b.chains[0][0]] + body.heads[b.chains[1][0]] for b in legs], axis=0) / 2
    shoulders = np.mean([body.heads[b.chains[0][0]] + body.heads[b.chains[1][0]] for b in arms], axis=0) / 2
    trunk = shoulders - hips
    # Upside down counts too: rests of motion files may lay all limbs along one axis.
    return abs(float(trunk @ up)) > 0.75 * float(np.linalg.norm(trunk))


def _hangs_beside(branch: Branch, named: list[Branch]) -> bool:
    return (
        branch.count(LEG_HINTS) == 0 and branch.reach < 1.2 * max(n.reach for n in named) and len(named) >= 1
    )


def _arms(legs: list[Branch], rest: list[Branch]) -> list[Branch]:
    named = [b for b in rest if b.count(ARM_HINTS | LEG_HINTS) > 0]
    if named:
        longest = max(b.reach for b in named)
        return [b for b in named if b.reach > 0.4 * longest]
    if len(legs) != 1:
        return []
    hips = legs[0].top
    unnamed = [
        b
        for b in rest
        if b.reach > 0.3 * legs[0].reach
        and b.top > hips
        and not b.hints["finger"]
        and not sum(b.hints.values())
    ]
    return sorted(unnamed, key=lambda b: -b.reach)[:1]
