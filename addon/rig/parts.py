"""The parts of a two-legged body that a gait moves: which role bone each is, whatever it was cut into.

A part is a rigid segment of the body. Its role bone is the first of the bones that make it; the others, its
pieces, go along with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import MissingRole, NoLegsFound
from ..once import once
from .roles import Limb, Roles
from .sides import SIDES, WORDS
from .skeleton import Skeleton
from .sole import foot_bones


@dataclass(frozen=True, slots=True)
class Part:
    """A segment. key: "root", "pelvis", "spine.0" upwards, "neck.0" upwards to the head, and with a side
    "thigh.L", "shin.L", "foot.L", "toe.L", "upper.L", "fore.L", "hand.L" (a leg in one piece is all thigh);
    bone: role bone whose head is its joint; parent: key of the part that carries it; pieces: the bones that
    make it, bone first.
    """

    key: str
    bone: str
    parent: str | None
    pieces: tuple[str, ...]


def two_legs(roles: Roles) -> tuple[Limb, Limb]:
    """Left and right leg of a biped. Raises NoLegsFound, MissingRole."""
    if not roles.legs:
        raise NoLegsFound(roles.missing.get("legs", "No legs were found. Set legs."))
    for sentences in roles.missing.values():
        raise MissingRole(sentences)
    if len(roles.legs) != 2:
        raise MissingRole(
            f"The rig has {len(roles.legs)} legs; this version walks on two. Choose two of them as legs."
        )
    sides = {leg.side: leg for leg in roles.legs}
    for side in SIDES:
        if side not in sides:
            found = ", ".join(f'"{leg.bones[0]}"' for leg in roles.legs)
            raise NoLegsFound(
                f"No {WORDS[side]} leg was found, only legs that begin with {found}. "
                "Set legs, one on each side."
            )
    if roles.pelvis is None:
        raise MissingRole("No pelvis was found: no bone carries both legs. Set pelvis.")
    return sides["L"], sides["R"]


def is_stiff(leg: Limb) -> bool:
    """Whether a leg is one bone, from the hip joint to the ground."""
    return len(leg.bones) == 1


def need_knees(roles: Roles, what: str) -> None:
    """Raises MissingRole where a leg has no knee. what: needs them, the beginning of a sentence."""
    stiff = [leg.bones[0] for leg in roles.legs if is_stiff(leg)]
    if stiff:
        raise MissingRole(
            f'{what} needs legs with knees, and "{stiff[0]}" is all of its leg: set legs, each with thigh, '
            "shin and foot, or let them walk straight on over level ground."
        )


@once
def body_parts(skeleton: Skeleton, roles: Roles) -> tuple[Part, ...]:
    """All parts, parents first. Raises NoLegsFound, MissingRole where a leg or the pelvis is missing."""
    legs = two_legs(roles)
    if is_stiff(legs[0]) != is_stiff(legs[1]):
        need_knees(roles, "A body with a knee in one leg")
    assert roles.pelvis is not None
    parts: list[Part] = []

    def add(key: str, pieces: Sequence[str], parent: str | None) -> str:
        parts.append(Part(key, pieces[0], parent, tuple(pieces)))
        return key

    root = add("root", [roles.root], None) if roles.root is not None and roles.root != roles.pelvis else None
    pelvis = chest = add("pelvis", [roles.pelvis], root)
    # What carries a leg goes with the pelvis, whatever it is called: the hips are where the pelvis has them.
    carrying = {bone for leg in legs for bone in skeleton.line(leg.bones[0])}
    for k, bone in enumerate(bone for bone in roles.spine if bone not in carrying):
        chest = add(f"spine.{k}", [bone], chest)
    above = chest
    for k, bone in enumerate((*roles.neck, *([roles.head] if roles.head else []))):
        above = add(f"neck.{k}", [bone], above)
    for leg in legs:
        carrier = pelvis
        for name, pieces in leg_pieces(skeleton, leg).items():
            carrier = add(f"{name}.{leg.side}", pieces, carrier)
    for arm in roles.arms:
        carrier = chest
        for name, pieces in arm_pieces(skeleton, arm).items() if arm.side in SIDES else ():
            carrier = add(f"{name}.{arm.side}", pieces, carrier)
    return tuple(parts)


@once
def leg_pieces(skeleton: Skeleton, leg: Limb) -> dict[str, tuple[str, ...]]:
    """Bones of thigh, shin, foot and, where there is one, toe; of a leg that is one bone that one alone as
    thigh. Raises MissingRole where there are more bones and no knee."""
    if is_stiff(leg):
        return {"thigh": leg.bones}
    foot = foot_bones(skeleton, leg)[0]
    place = leg.bones.index(foot)
    above = leg.bones[:place]
    if len(above) < 2:
        what = f"has only {above[0]} above the foot" if above else "is a single segment without a foot"
        raise MissingRole(
            f"The {WORDS[leg.side]} leg ({', '.join(leg.bones)}) {what}: a walk needs thigh, shin and foot. "
            "Set the role of the leg to bones that make those."
        )
    toe = leg.bones.index(leg.toe) if leg.toe in leg.bones else len(leg.bones)
    if toe <= place:
        raise MissingRole(
            f'The {WORDS[leg.side]} leg ({", ".join(leg.bones)}) has no foot before its toe "{leg.toe}": '
            'set toe to a bone after the foot, or to "" for a foot in one piece.'
        )
    knee = _middle_joint(skeleton, [*above, foot])
    pieces = {"thigh": above[:knee], "shin": above[knee:], "foot": leg.bones[place:toe]}
    if leg.toe is not None:
        pieces["toe"] = leg.bones[toe:] or (leg.toe,)
    return pieces


@once
def arm_pieces(skeleton: Skeleton, arm: Limb) -> dict[str, tuple[str, ...]]:
    """Bones of upper arm, forearm and hand; nothing for an arm without an elbow."""
    if len(arm.bones) < 2:
        return {}
    if len(arm.bones) == 2:
        return {"upper": arm.bones[:1], "fore": arm.bones[1:]}
    elbow = _middle_joint(skeleton, arm.bones)
    return {"upper": arm.bones[:elbow], "fore": arm.bones[elbow:-1], "hand": arm.bones[-1:]}


def _middle_joint(skeleton: Skeleton, bones: Sequence[str]) -> int:
    """Which of the bones after the first begins at the joint nearest to half way along to the last one's
    head."""
    heads = skeleton.heads[[skeleton.index(bone) for bone in bones]]
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(heads, axis=0), axis=1))])
    return 1 + int(np.argmin(np.abs(way[1:-1] - 0.5 * way[-1])))
