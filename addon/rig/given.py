"""Roles set by hand, on one skeleton: its bones found, and checked against what they say of each other."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from . import naming
from .body import Body
from .corrections import BY_HAND, CHAINS, SINGLE, Corrections, GivenLimb, limb_words
from .limbs import Branch, chain_points
from .pairs import Mirror
from .trunk import Trunk

Vector = npt.NDArray[np.float64]
MOST_NAMED = 8  # bones that one message lists
ALONG = 0.996  # cosine of 5 degrees: facing and up that are nearer than that to one line


@dataclass(slots=True)
class Given:
    """Bone indices of what was set by hand. pairs: index pairs; alone: bones that have no partner; limbs: by
    the first bone of their chain; limb_bones: all of theirs; said: the roles that were set."""

    corrections: Corrections
    said: frozenset[str]
    pairs: list[tuple[int, int]] = field(default_factory=list)
    alone: list[int] = field(default_factory=list)
    single: dict[str, int] = field(default_factory=dict)
    chains: dict[str, list[int]] = field(default_factory=dict)
    limbs: dict[int, GivenLimb] = field(default_factory=dict)
    limb_bones: set[int] = field(default_factory=set)

    @property
    def up(self) -> Vector | None:
        """Unit vector, or None where it is to be found."""
        return None if self.corrections.up is None else np.array(self.corrections.up)

    def facing(self, up: Vector) -> Vector | None:
        """Unit vector across `up`, None where it is to be found. Raises BadSetting where it runs along up."""
        if self.corrections.facing is None:
            return None
        facing = np.array(self.corrections.facing)
        if abs(float(facing @ up)) > ALONG:
            raise BadSetting(
                f"facing runs along up, which is {axis_words(up)}: correct facing, or set up as well."
            )
        facing = facing - (facing @ up) * up
        return np.asarray(facing / np.linalg.norm(facing))


def resolve(body: Body, corrections: Corrections) -> Given:
    """Find the bones that corrections name. Raises BadSetting naming those that the skeleton has not, or that
    stand in the wrong order.
    """
    place = {name: i for i, name in enumerate(body.names)}
    missing = [(where, bone) for where, bone in corrections.bones() if bone not in place]
    if missing:
        raise BadSetting(_not_there(missing, body.names))
    given = Given(corrections, frozenset(corrections.said()))
    for first, second in corrections.pairs or ():
        if second:
            given.pairs.append((place[first], place[second]))
        else:
            given.alone.append(place[first])
    for role in SINGLE:
        if role in given.said:
            given.single[role] = place.get(getattr(corrections, role), -1)
    for role in CHAINS:
        if role in given.said:
            given.chains[role] = [place[bone] for bone in getattr(corrections, role)]
    for what in ("legs", "arms"):
        for number, limb in enumerate(getattr(corrections, what) or (), 1):
            chain = [place[bone] for bone in limb.bones]
            _check_order(body, limb_words(what, number, limb.side), chain)
            given.limbs[chain[0]] = limb
            given.limb_bones.update(chain)
    return given


def _not_there(missing: list[tuple[str, str]], names: tuple[str, ...]) -> str:
    bones = list(dict.fromkeys(bone for _, bone in missing))
    places = list(dict.fromkeys(where for where, _ in missing))
    shown = naming.spoken(bones[:MOST_NAMED]) + (
        f" and {len(bones) - MOST_NAMED} more" if len(bones) > MOST_NAMED else ""
    )
    close = difflib.get_close_matches(bones[0], names, 1, 0.6)
    hint = f' (is "{close[0]}" meant?)' if close and len(bones) == 1 else ""
    what, name, it = ("no bone", "name", "it") if len(bones) == 1 else ("none of the bones", "names", "them")
    return (
        f"The rig has {what} {shown}{hint}, named for {', '.join(places[:MOST_NAMED])}: "
        f"correct the {name} or take {it} out of the roles set by hand."
    )


def _check_order(body: Body, where: str, chain: list[int]) -> None:
    """From the trunk outwards: no bone of a limb hangs under one that comes after it."""
    parents = body.skeleton.parents
    for k, bone in enumerate(chain):
        up = int(parents[bone])
        while up >= 0:
            if up in chain[k + 1 :]:
                raise BadSetting(
                    f'{where}: "{body.names[bone]}" hangs under "{body.names[up]}", which comes after it: '
                    "list the bones from the trunk outwards."
                )
            up = int(parents[up])


def limb_branches(body: Body, mirror: Mirror, given: Given, what: str) -> list[Branch] | None:
    """The legs or arms set by hand as branches, left and right together; None where none were set."""
    limbs: tuple[GivenLimb, ...] | None = getattr(given.corrections, what)
    if limbs is None:
        return None
    place = {name: i for i, name in enumerate(body.names)}
    chains = [([place[bone] for bone in limb.bones], limb.side) for limb in limbs]
    left, right = ([c for c, s in chains if s == side] for side in "LR")
    branches = [_branch(body, [(c, "C")]) for c, s in chains if s == "C"]
    rest = []
    for chain in left:
        other = next((c for c in right if int(mirror.partner[chain[0]]) == c[0]), None)
        if other is None:
            rest.append(chain)
            continue
        right.remove(other)
        branches.append(_branch(body, [(chain, "L"), (other, "R")]))
    # Those that do not mirror each other belong together in the order in which they stand.
    for k in range(max(len(rest), len(right))):
        sided = [(c[k], side) for c, side in ((rest, "L"), (right, "R")) if k < len(c)]
        branches.append(_branch(body, sided))
    return branches


def _branch(body: Body, sided: list[tuple[list[int], str]]) -> Branch:
    chains = tuple(chain for chain, _ in sided)
    reach = min(
        max(float(np.linalg.norm(np.diff(chain_points(body, c), axis=0), axis=1).sum()), 1e-9) for c in chains
    )
    hints = Counter(part for chain in chains for bone in chain for part in body.hints[bone])
    return Branch(chains, reach, hints, sides=tuple(side for _, side in sided))


def check_sides(body: Body, branches: list[Branch], what: str, facing: Vector, left: Vector) -> None:
    """Raise BadSetting where a limb set as left lies on the right of its partner."""
    for branch in branches:
        if set(branch.sides) != {"L", "R"}:
            continue
        chains = dict(zip(branch.sides, branch.chains, strict=True))
        across = float((body.heads[chains["L"]].mean(axis=0) - body.heads[chains["R"]].mean(axis=0)) @ left)
        if across < -1e-3 * body.size:
            first, second = body.names[chains["L"][0]], body.names[chains["R"][0]]
            raise BadSetting(
                f'{what}: "{first}" is set as left and "{second}" as right, but to a body that faces '
                f"{axis_words(facing)} they lie the other way round: exchange the sides, or set facing."
            )


def put(trunk: Trunk, given: Given) -> None:
    """Lay what was set over what was found: a bone set by hand for one role is found for no other."""
    taken = {b for b in given.single.values() if b >= 0}
    taken.update(b for chain in given.chains.values() for b in chain)
    taken.update(given.limb_bones)
    if "pelvis" not in given.single and trunk.pelvis in given.chains.get("spine", ()):
        # One bone may be both: it stays the pelvis, and the spine goes on above it.
        given.chains["spine"].remove(trunk.pelvis)
        taken.discard(trunk.pelvis)
    for role in SINGLE:
        if role in given.single:
            setattr(trunk, role, given.single[role])
        elif getattr(trunk, role) in taken:
            setattr(trunk, role, -1)
    for role in CHAINS:
        if role in given.chains:
            setattr(trunk, role, given.chains[role])
        else:
            setattr(trunk, role, [b for b in getattr(trunk, role) if b not in taken])
    for role in (*given.single, *given.chains):
        trunk.why[role], trunk.sure[role] = BY_HAND, 1.0


def axis_words(direction: npt.ArrayLike) -> str:
    """ "-y", or three numbers where it is no axis."""
    direction = np.asarray(direction, dtype=np.float64)
    k = int(np.argmax(np.abs(direction)))
    if abs(float(direction[k])) > 1.0 - 1e-6:
        return ("-" if direction[k] < 0 else "+") + "xyz"[k]
    return "(" + ", ".join(f"{part:.2f}" for part in direction) + ")"
