"""Roles as coloured parts: which bone is drawn how, and what the legend says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..rig.sides import WORDS
from ..rig.table import limb_name
from .body import Floats
from .inks import INKS, Colour, colour

OTHER, CONTACT = colour("#C2BDB4"), colour("#1D1D20")
INK = {
    "pelvis": colour("#3D2F86"),
    "spine": colour("#7E62C4"),
    "neck": colour("#B79BE0"),
    "head": colour("#D460A8"),
    "tail": colour("#8A5B36"),
    "root": colour("#4B4B4F"),
    "left leg": INKS[1],
    "right leg": INKS[2],
    "middle leg": colour("#6E9A2E"),
    "left arm": colour("#22A18F"),
    "right arm": colour("#DDA917"),
    "middle arm": colour("#93B85A"),
}
# Half thickness over the extent of the rig.
LIMB, TRUNK, THIN, DOT = 0.012, 0.016, 0.0028, 0.0175
BOLD = 1.35  # factor on all of these where there is no mesh to look through
TAPER = (1.15, 0.6)  # thick where a bone begins, thin where it ends: so that one sees where they join
LONGEST_END = 0.7  # of the bone before it: how far a last bone is drawn
LONGEST = 0.1  # of the extent: how far a lone bone is drawn, controls being long as may be


@dataclass(frozen=True, slots=True)
class Part:
    """A tapered piece from one point of armature space (3,) to another; thick: half thickness at both, over
    the extent of the rig."""

    start: Floats
    end: Floats
    thick: tuple[float, float]
    ink: Colour


@dataclass(frozen=True, slots=True)
class Entry:
    """A role in the legend: its bones and how sure it is, 0 to 1; no ink where the role is missing."""

    name: str
    bones: tuple[str, ...]
    sure: float | None
    ink: Colour | None


def limb_ink(roles: Any, limb: Any, what: str) -> Colour:
    """Left blue, right orange; of several pairs of legs every other one is paler, the hindmost full."""
    full = INK[f"{WORDS[limb.side]} {what}"]
    if what != "leg" or len(roles.legs) <= 2:
        return full
    labels = list(dict.fromkeys(leg.pair for leg in roles.legs))
    return paler(full, 0.45) if (len(labels) - 1 - labels.index(limb.pair)) % 2 else full


def paler(ink: Colour, share: float) -> Colour:
    """An ink mixed with white."""
    red, green, blue = (c + (1.0 - c) * share * 0.8 for c in ink)
    return red, green, blue


def parts_of(skeleton: Any, roles: Any, *, bold: bool = False) -> list[Part]:
    """Every bone with a role as a part of that role's colour, all others thin and grey."""
    factor = BOLD if bold else 1.0
    heads, tails = skeleton.heads, skeleton.tails
    index = skeleton.index
    used: set[str] = set()
    parts: list[Part] = []
    shown = _shown(skeleton)
    extent = float(np.ptp(heads[shown], axis=0).max()) if len(shown) else 1.0

    def chain(names: Sequence[str], ink: Colour, thick: float, end: Floats | None = None) -> None:
        used.update(names)
        joints = [heads[index(name)] for name in names]
        joints.append(end if end is not None else _last(joints, tails[index(names[-1])], extent))
        widths = np.linspace(1.0, 0.8, len(names)) * thick
        parts.extend(Part(a, b, tapered(w), ink) for (a, b), w in zip(pairwise(joints), widths, strict=True))

    def tapered(thick: float) -> tuple[float, float]:
        return TAPER[0] * thick * factor, TAPER[1] * thick * factor

    def lone(bone: int, thick: float, ink: Colour) -> None:
        end = _no_longer(heads[bone], tails[bone], LONGEST * extent)
        parts.append(Part(heads[bone], end, tapered(thick), ink))

    for what, limbs in (("leg", roles.legs), ("arm", (*roles.arms, *roles.wings))):
        for limb in limbs:
            ink = limb_ink(roles, limb, what)
            if limb.girdle:
                chain(limb.girdle, paler(ink, 0.6), 0.7 * LIMB, heads[index(limb.bones[0])])
            contact = np.array(limb.contact_point)
            on_end = limb.contact and limb.contact_end != "head" and limb.contact == limb.bones[-1]
            chain(limb.bones, ink, LIMB, contact if on_end else None)
            if limb.contact:
                parts.append(Part(contact, contact, (DOT * factor, DOT * factor), CONTACT))
    head = [roles.head] if roles.head else []
    for role, names, follows in (
        ("spine", roles.spine, [*roles.neck, *head]),
        ("neck", roles.neck, head),
        ("head", head, []),
        ("tail", roles.tail, []),
    ):
        if names:
            chain(names, INK[role], TRUNK, heads[index(follows[0])] if follows else None)
    for role in ("root", "pelvis"):
        name = getattr(roles, role)
        if name:
            bone = index(name)
            ball = (1.6 * TRUNK * factor,) * 2
            parts.append(Part(heads[bone], heads[bone], ball, INK[role]))
            lone(bone, TRUNK, INK[role])
            used.add(name)
    for bone in shown:
        if skeleton.names[bone] not in used:
            lone(bone, THIN, OTHER)
    return parts


def _shown(skeleton: Any) -> list[int]:
    """Bones worth drawing without a role: in a rig with controls only those that deform."""
    deform = skeleton.deform
    if not len(deform) or deform.all() or not deform.any():
        return list(range(len(skeleton.names)))
    return [int(bone) for bone in np.flatnonzero(deform)]


def _last(joints: list[Floats], tail: Floats, extent: float) -> Floats:
    """Where a chain's last bone is drawn to: some files give these any length."""
    longest = LONGEST * extent
    if len(joints) > 1:
        longest = min(longest, LONGEST_END * float(np.linalg.norm(joints[-1] - joints[-2])))
    return _no_longer(joints[-1], tail, max(longest, 0.02 * extent))


def _no_longer(head: Floats, tail: Floats, longest: float) -> Floats:
    length = float(np.linalg.norm(tail - head))
    return tail if length <= longest else head + (tail - head) * (longest / length)


def entries_of(roles: Any) -> list[Entry]:
    """The legend, from the head down."""
    found: list[Entry] = []

    def add(role: str, bones: Sequence[str]) -> None:
        if bones:
            found.append(Entry(role, tuple(bones), roles.sure.get(role), INK[role]))

    add("head", [roles.head] if roles.head else [])
    add("neck", roles.neck)
    add("spine", roles.spine)
    add("pelvis", [roles.pelvis] if roles.pelvis else [])
    add("root", [roles.root] if roles.root else [])
    add("tail", roles.tail)
    for what, limbs in (("arm", roles.arms), ("wing", roles.wings), ("leg", roles.legs)):
        for limb in limbs:
            name = limb_name(limb, what, len(roles.legs))
            ink = limb_ink(roles, limb, "leg" if what == "leg" else "arm")
            found.append(Entry(name, limb.bones, limb.sure, ink))
    found += [Entry(role, ("missing",), None, None) for role in roles.missing]
    return found
