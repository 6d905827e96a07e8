"""The body as orbits see it: rest places of the parts that ride them, and bones of further parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..rig import Skeleton
from ..rig.controls import Controls
from ..rig.parts import Part as BodyPart
from ..rig.sides import SIDES
from ..rig.skeleton import FLAG_CONNECTED, FLAG_NO_INHERIT_ROTATION, FLAG_NO_LOCAL_LOCATION
from .body import Body, Keyed
from .orbits import BODY_PARTS, MOVES, Orbits

Floats = npt.NDArray[np.float64]

# Share of an arm's length that a hanging hand is under the shoulder, and how far beside it.
HANG, ASIDE = 0.97, 0.12
# Two bones whose ends lie this near together, of their length, are one.
TWIN = 1e-4


@dataclass(frozen=True, slots=True)
class Frame:
    """The body's axes, rows forward, left, up in armature space, its origin there, and in them places: of
    parts at rest; hips: (2, 3); legs: (2, 2), thigh and shin; leg: hip joint to ground, mean of both; toes:
    (2,), radians to the left that each foot points at rest."""

    axes: Floats
    origin: Floats
    places: dict[str, Floats]
    hips: Floats
    legs: Floats
    leg: float
    toes: Floats

    def into(self, points: npt.ArrayLike) -> Floats:
        """Points of armature space (..., 3) in the body's axes."""
        return np.asarray((np.asarray(points, dtype=np.float64) - self.origin) @ self.axes.T)


def measure_frame(body: Body) -> Frame:
    """The rest pose as orbits see it: hands hang beside the body, whatever the rest pose does with them."""
    given = body.arguments
    heads = given["rest"][:, :3, 3]
    forward, up = given["forward"], given["up"]
    axes = np.array([forward, np.cross(up, forward), up])
    thighs, shins, feet = given["legs"][:, 0], given["legs"][:, 1], given["legs"][:, 2]
    middle = axes @ heads[thighs].mean(axis=0)
    origin = np.array([axes[0] @ heads[given["pelvis"]], middle[1], given["ground"]]) @ axes
    frame = Frame(axes, origin, {}, np.zeros((2, 3)), np.zeros((2, 2)), 0.0, np.zeros(2))
    at = frame.into(heads)
    legs = np.stack(
        [
            np.linalg.norm(at[shins] - at[thighs], axis=1),
            np.linalg.norm(at[feet] - at[shins], axis=1),
        ],
        axis=1,
    )
    places = {"waist": at[given["pelvis"]]}
    wrists = frame.into(given["hands"])
    for row, side in enumerate(SIDES):
        places[f"ankle.{side}"] = at[feet[row]]
        upper, fore = given["arms"][row]
        if upper >= 0:
            arm = np.linalg.norm(at[fore] - at[upper]) + np.linalg.norm(wrists[row] - at[fore])
            out = 1.0 if side == "L" else -1.0
            places[f"hand.{side}"] = at[upper] + arm * np.array([0.0, ASIDE * out, -HANG])
    leg = float(np.mean(legs.sum(axis=1) + at[feet, 2]))
    balls = frame.into(given["soles"][:, 1]) - at[feet]
    toes = np.arctan2(balls[:, 1], balls[:, 0])
    return Frame(axes, origin, places, at[thighs], legs, leg, toes)


def with_extras(
    skeleton: Skeleton,
    parts: Sequence[BodyPart],
    body: Body,
    orbits: Orbits,
    frame: Frame,
    controls: Controls | None,
) -> tuple[Body, list[tuple[int, int, int]]]:
    """The body with the bones of further parts on orbits, and of each its index, how it is moved, and its
    row among the orbits; their rest places are added to the frame. Raises BadSetting."""
    given, keyed = dict(body.arguments), dict(body.keyed)
    found = []
    for row, part in enumerate(orbits.parts):
        if part.name in BODY_PARTS:
            continue
        if part.bone is None:
            raise BadSetting(f'The part "{part.name}" on an orbit has no bone: name the bone that rides it.')
        if part.bone not in skeleton.names:
            raise BadSetting(f'There is no bone "{part.bone}" for the part "{part.name}" on an orbit.')
        own = skeleton.index(part.bone)
        if part.moves == "place" and skeleton.flags[own] & FLAG_CONNECTED:
            raise BadSetting(
                f'"{part.bone}" is connected to its parent and cannot be put on the orbit of "{part.name}": '
                'set moves = "aim", or disconnect it.'
            )
        index = own
        if controls is not None:
            index = _add_bone(skeleton, parts, body, given, own, controls)
        how = MOVES.index(part.moves)
        keyed[index] = Keyed(part.bone, "extra", how == 0, how == 1)
        rest = given["rest"][index]
        length = np.linalg.norm(skeleton.tails[own] - skeleton.heads[own])
        end = rest[:3, 3] + (rest[:3, 1] * length if how else 0.0)
        frame.places[part.name] = frame.into(end)
        found.append((index, how, row))
    return replace(body, arguments=given, keyed=keyed), found


def _add_bone(
    skeleton: Skeleton,
    parts: Sequence[BodyPart],
    body: Body,
    given: dict[str, Any],
    own: int,
    controls: Controls,
) -> int:
    """Hang a bone of a control rig into the body's skeleton; its index there. What carries it is the nearest
    bone above it that goes with a part."""
    goes_with = {
        twin: part.key for part in parts for piece in part.pieces for twin in _twins(skeleton, piece)
    }
    goes_with |= {one.bone: one.part for one in body.keyed.values()}
    parent, shift = -1, np.eye(4)
    above = int(skeleton.parents[own])
    real = above
    while above >= 0:
        name = skeleton.names[above]
        key = goes_with.get(name)
        if key is not None and key in body.index:
            parent = body.index[key]
            if name in controls.zero:
                shift = controls.zero[name] @ np.linalg.inv(skeleton.rest[above])
            break
        above = int(skeleton.parents[above])

    def add(matrix: Floats, carrier: int, flag: int) -> int:
        given["rest"] = np.concatenate([given["rest"], matrix[None]])
        given["parents"] = np.append(given["parents"], np.int32(carrier)).astype(np.int32)
        given["flags"] = np.append(given["flags"], np.uint32(flag)).astype(np.uint32)
        return len(given["parents"]) - 1

    flags = int(skeleton.flags[own]) & (FLAG_NO_INHERIT_ROTATION | FLAG_NO_LOCAL_LOCATION)
    if flags & FLAG_NO_LOCAL_LOCATION and real >= 0:  # its location is along its real parent's axes
        parent = add(shift @ skeleton.rest[real], parent, 0)
    return add(shift @ skeleton.rest[own], parent, flags)


def _twins(skeleton: Skeleton, bone: str) -> list[str]:
    """The bone and those that lie where it does at rest: the layers of a rig that are moved as one."""
    row = skeleton.index(bone)
    ends = np.concatenate([skeleton.heads, skeleton.tails], axis=1)
    apart = np.abs(ends - ends[row]).max(axis=1)
    near = TWIN * np.linalg.norm(skeleton.tails[row] - skeleton.heads[row])
    return [skeleton.names[k] for k in np.flatnonzero(apart <= near)]


def turning_root(body: Body) -> Body:
    """The body with a root bone that turns as well as moves."""
    keyed = {k: replace(one, rotation=one.rotation or one.part == "root") for k, one in body.keyed.items()}
    return replace(body, keyed=keyed)


def hand_tracks(orbits: Orbits, body: Body, tracks: Floats) -> Floats:
    """The tracks of both hands, (2, 6, frames), or of none."""
    rows = [orbits.names.get(f"hand.{side}", -1) for side in SIDES]
    if min(rows) < 0 or min(body.arguments["arms"][:, 0]) < 0:
        return np.zeros((0, 6, tracks.shape[2]))
    return np.ascontiguousarray(tracks[rows])
