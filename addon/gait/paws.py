"""Animals' legs: their roles and soles as legged gaits have them, each leg standing on its last bones.

A foot here is the bone that touches the ground, with what hangs on it; it lies still while the leg stands.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from ..reading import Rig
from ..rig import Limb, Roles, Skeleton, Skin, Sole
from .settings import GAITS

Floats = npt.NDArray[np.float64]

# Of the leg: a foot's length behind and before its joint where neither skin nor bones tell.
BEHIND, AHEAD = 0.02, 0.06
# Of the leg: as long as a foot may be either way, as far as skin of the sole may be from the ground.
LONGEST, NEAR = 0.25, 0.06


def is_legged(roles: Roles, gait: str) -> bool:
    """Whether a gait is none of people: not on two legs, of a bird, or one that people do not walk in."""
    return bool(roles.legs) and (len(roles.legs) != 2 or bool(roles.wings) or gait not in GAITS)


def on_paws(rig: Rig) -> Rig:
    """The rig with each leg down to the bone that touches the ground, and its sole under that."""
    legs = tuple(_to_contact(leg) for leg in rig.roles.legs)
    roles = dataclasses.replace(rig.roles, legs=legs)
    soles = tuple(_sole(rig.skeleton, roles, leg, rig.skin) for leg in legs)
    return dataclasses.replace(rig, roles=roles, soles=soles)


def _to_contact(leg: Limb) -> Limb:
    place = max(leg.bones.index(leg.contact), 1)
    return dataclasses.replace(
        leg, bones=leg.bones[: place + 1], contact=leg.bones[place], contact_end="head", toe=None
    )


def _sole(skeleton: Skeleton, roles: Roles, leg: Limb, skin: Skin | None) -> Sole:
    up, facing = np.array(roles.up), np.array(roles.facing)
    foot = skeleton.index(leg.contact)
    joint, tail = skeleton.heads[foot], skeleton.tails[foot]
    hip = skeleton.heads[skeleton.index(leg.bones[0])]
    out = joint - hip - ((joint - hip) @ up) * up
    spread = float(np.linalg.norm(out)) > float((hip - joint) @ up)
    base = joint + (roles.ground - float(joint @ up)) * up
    behind, ahead = -BEHIND * leg.length, AHEAD * leg.length
    if spread:  # a spike that stands out from the body
        behind = ahead = 0.0
    else:
        points = _skin_of(skeleton, foot, skin)
        if points is not None:
            low = points[(points - base) @ up < NEAR * leg.length]
            along = (low - base) @ facing
            if len(low):
                behind, ahead = float(np.quantile(along, 0.02)), float(np.quantile(along, 0.98))
        else:
            ahead = max(float((tail - base) @ facing), ahead)
    most = LONGEST * leg.length
    behind, ahead = max(min(behind, 0.0), -most), min(max(ahead, 0.0), most)
    tip = base + ahead * facing
    return Sole(heel=base + behind * facing, ball=tip, tip=tip, ankle=joint.copy(), pivot=tip)


def _skin_of(skeleton: Skeleton, foot: int, skin: Skin | None) -> Floats | None:
    """Vertices (n, 3) of the foot's bone and those below it."""
    if skin is None:
        return None
    below = {foot}
    for bone, parent in enumerate(skeleton.parents):
        if int(parent) in below:
            below.add(bone)
    points = skin.points[np.isin(skin.bones, sorted(below))]
    return points if len(points) else None
