"""What the reduced keys of a walk must keep to: how far each bone may be off, and planted feet much less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..action.reduce import Chain, Reduction
from ..report.bars import REFERENCE_LEG_M
from ..report.contacts import POINTS_OF_FOOT, Contact
from ..rig import Roles, Skeleton
from ..rig.sides import SIDES
from .body import Body, Keyed
from .settings import GaitSettings

Floats = npt.NDArray[np.float64]

# Between two frames that may be keys the motion is looked at this many times.
BETWEEN = 3
# Shares of the tolerance: for what stands on the ground; for what carries legs that stand; for a pelvis over
# legs that reach for their places by themselves; and for a point in the air, RISE of a stride after it left.
PLANTED = 0.1
CARRIER = 0.06
FLOATING = 0.25
AIR = 0.75
RISE = 0.15
# A leg's bones may turn off by as much, in tolerances at their far ends, as long as the foot stays.
LOOSE = 3.0
# Share of a foot's tolerance that a control of it has for its place, and again for its turn.
HALF = 0.5
# A bone without length turns nothing: it is taken for this long, of the leg.
LEAST_LEVER = 1e-3
LEG = ("thigh", "shin", "foot")


def frames_of(settings: GaitSettings, frames: Floats) -> Floats:
    """Frames at which the motion is wanted: those that are keyed, or with reduced keys samples between them
    too."""
    if settings.keys != "reduced":
        return frames
    places = np.arange((len(frames) - 1) * (BETWEEN + 1) + 1) / (BETWEEN + 1)
    return np.interp(places, np.arange(len(frames)), frames)


def reduction_for(
    settings: GaitSettings,
    skeleton: Skeleton,
    roles: Roles,
    body: Body,
    moved: npt.NDArray[np.int32],
    frames: Floats,
    contacts: Sequence[Contact],
    stride: float,
    leg: float,
    loop: bool,
    between: int = BETWEEN,
) -> Reduction | None:
    """What reduced keys of a motion on `frames` must keep to; None where every frame gets one.

    moved: indices of the bones that the core gives; stride: frames; leg: length, armature units; between:
    samples between frames that may be keys.
    """
    if settings.keys != "reduced":
        return None
    lifted = off_the_ground(roles, contacts, frames, stride, loop)
    tolerance = 1e-3 * settings.tolerance * leg / REFERENCE_LEG_M
    return walk_reduction(skeleton, body, moved, frames, lifted, tolerance, between)


def off_the_ground(
    roles: Roles, contacts: Sequence[Contact], frames: Floats, stride: float, loop: bool
) -> Floats:
    """How far each point of a foot is from standing, (2, 3, frames), left and right: 0 while it stands, 1
    from RISE of a stride after it left and until as much before it comes back. stride: frames.
    """
    period = frames[-1] - frames[0]
    rounds = (-period, 0.0, period) if loop else (0.0,)
    found = np.ones((len(SIDES), len(POINTS_OF_FOOT), len(frames)))
    for contact in contacts:
        spans = contact.spans()
        side = SIDES.index(roles.legs[contact.leg].side)
        for row, point in enumerate(POINTS_OF_FOOT):
            first, last = spans.get(point, spans["ball"])
            for shift in rounds:
                apart = np.maximum(np.maximum(first + shift - frames, frames - last - shift), 0.0)
                found[side, row] = np.minimum(found[side, row], apart / (RISE * stride))
    return found


def walk_reduction(
    skeleton: Skeleton,
    body: Body,
    moved: npt.NDArray[np.int32],
    frames: Floats,
    lifted: Floats,
    tolerance: float,
    between: int,
) -> Reduction:
    """What the keys of a walk must keep to.

    moved: indices of the bones that the core gives; lifted: (2, 3, frames), of `off_the_ground`; tolerance:
    armature units; between: samples between frames that may be keys.
    """
    keyed = [(int(index), body.keyed[int(index)]) for index in moved if int(index) in body.keyed]
    given = body.arguments
    rest, parents = given["rest"], given["parents"]
    count = len(keyed) + len(body.held)
    foot = tolerance * (PLANTED + (AIR - PLANTED) * lifted)
    levers = _levers(skeleton, body, keyed)
    found = np.empty((count, 3, len(frames)), dtype=np.float32)
    found[:, :2] = tolerance
    found[:, 2] = tolerance / float(np.max(levers))
    found[: len(keyed), 1] = tolerance / levers[:, None]
    chains = []
    carriers: set[int] = set()
    for side, name in enumerate(SIDES):
        stiff = bool(given["legs"][side, 1] < 0)
        rows = _leg_rows(keyed, name, LEG[:1] if stiff else LEG)
        if rows:
            chains.append(Chain(rows, given["soles"][side], foot[side].astype(np.float32)))
            found[list(rows), 1] *= LOOSE
            above = int(parents[keyed[rows[0]][0]])
            while above >= 0:
                carriers.add(above)
                above = int(parents[above])
        for row, (index, one) in enumerate(keyed):
            if one.part in (f"foot.{name}", f"toe.{name}") and row not in rows:
                far = max(float(np.linalg.norm(given["soles"][side][2] - rest[index][:3, 3])), levers[row])
                # A toe that only turns is judged by its tip; a control moves the whole foot.
                share = HALF * foot[side].min(axis=0) if one.location else foot[side, 2]
                found[row, 0], found[row, 1] = share, share / far
    for row, (index, one) in enumerate(keyed):
        if index in carriers or one.part == "root":
            found[row, :2] *= CARRIER
        elif one.part == "pelvis":
            found[row, :2] *= FLOATING
    key = np.zeros(len(frames), dtype=bool)
    key[:: between + 1] = True
    blocks = np.concatenate([rest[[index for index, _ in keyed]], np.tile(np.eye(4), (len(body.held), 1, 1))])
    return Reduction(key, found, blocks, tuple(chains), CARRIER * tolerance)


def _leg_rows(keyed: Sequence[tuple[int, Keyed]], side: str, parts: Sequence[str]) -> tuple[int, ...]:
    """Rows of the parts of a leg where it is turned bone by bone, else none."""
    rows = []
    for part in parts:
        own = [row for row, (_, one) in enumerate(keyed) if one.part == f"{part}.{side}"]
        if len(own) != 1 or keyed[own[0]][1].location or not keyed[own[0]][1].rotation:
            return ()
        rows += own
    return tuple(rows)


def _levers(skeleton: Skeleton, body: Body, keyed: Sequence[tuple[int, Keyed]]) -> Floats:
    """How far from its head each bone moves something when it turns: its own end, and the heads of all that
    hangs from it or from the part that it moves."""
    given = body.arguments
    heads, parents = given["rest"][:, :3, 3], given["parents"]
    moves = dict(given["followers"].tolist())
    tree: dict[int, list[int]] = {}
    for bone, parent in enumerate(parents.tolist()):
        tree.setdefault(parent, []).append(bone)
    soles = given["soles"][:, 0]
    legs = float(np.max(np.linalg.norm(soles - heads[given["legs"][:, 0]], axis=1)))
    found = []
    for index, one in keyed:
        bone = skeleton.index(one.bone)
        lever = max(float(np.linalg.norm(skeleton.tails[bone] - skeleton.heads[bone])), LEAST_LEVER * legs)
        below = [moves.get(index, index)]
        for carried in below:
            below += tree.get(carried, [])
            lever = max(lever, float(np.linalg.norm(heads[carried] - heads[index])))
        found.append(lever)
    return np.array(found)


def on_other_rest(reduction: Reduction, rest: Floats) -> Reduction:
    """The same for a motion told from another rest pose; rest: (bones, 4, 4), of its bones and of more that
    follow them and stay as they are."""
    more = len(rest) - len(reduction.rest)
    frames = reduction.tolerance.shape[-1]
    still = np.full((more, 3, frames), reduction.tolerance.min(), dtype=np.float32)
    chains = []
    for chain in reduction.chains:
        foot = chain.bones[-1]
        moved = rest[foot] @ np.linalg.inv(reduction.rest[foot])
        points = chain.points @ moved[:3, :3].T + moved[:3, 3]
        chains.append(replace(chain, points=points))
    return replace(
        reduction, tolerance=np.concatenate([reduction.tolerance, still]), rest=rest, chains=tuple(chains)
    )
