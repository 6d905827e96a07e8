"""Measuring a motion on the armature as Blender evaluates it.

The armature is read at every quarter frame, and nothing of what the generator planned is believed but the
claims of contact, which are what is put to the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting, MissingRole, NoLegsFound
from ..shown import shown
from .contacts import Clock, Contact
from .evaluate import evaluate
from .reference import Floats
from .report import Report
from .sampling import densest_keys, sample, scene_fps, unit_size
from .tracks import (
    SEAM_SAMPLES,
    SEAM_STANCE,
    SEAM_STEP,
    LegTrack,
    PlantedPoint,
    Route,
    Seam,
    Tracks,
    rotation_part,
)

__all__ = ["Contact", "Report", "measure", "quarter_frames", "sample"]

SAMPLES_A_FRAME = 4
# Every sample is an evaluation of the whole scene: of more of them nobody would wait for the end.
MOST_SAMPLES = 1600
# Frames at either end of a motion over which a body that stands there is looked at.
REST_FRAMES = 1.0
# Of its mean speed, how fast a body is there that stands or has hardly begun to move.
STANDS = 0.2


class LegLike(Protocol):
    """What is needed to know of a leg (amble.rig.Limb)."""

    @property
    def side(self) -> str:
        """L, R or C."""
        ...

    @property
    def bones(self) -> tuple[str, ...]:
        """Hip joint bone first, last bone on the ground."""
        ...

    @property
    def contact(self) -> str:
        """The bone that touches the ground."""
        ...

    @property
    def toe(self) -> str | None:
        """The bone that stays flat while the foot rolls off over its head."""
        ...


class RolesLike(Protocol):
    """What is needed to know of a rig (amble.rig.Roles)."""

    @property
    def kind(self) -> str:
        """biped, quadruped ..."""
        ...

    @property
    def legs(self) -> Sequence[LegLike]:
        """In the order that contacts and soles refer to."""
        ...

    @property
    def pelvis(self) -> str | None:
        """The bone that carries the hips."""
        ...

    @property
    def facing(self) -> Sequence[float]:
        """Unit vector, armature space."""
        ...

    @property
    def up(self) -> Sequence[float]:
        """Unit vector, armature space."""
        ...

    @property
    def leg_length(self) -> float:
        """Hip joint to ground, armature units."""
        ...

    @property
    def ground(self) -> float:
        """Coordinate along up, armature units, of the ground that the rest pose stands on."""
        ...


class SoleLike(Protocol):
    """Points of a foot in the rest pose, armature space (amble.rig.Sole)."""

    @property
    def heel(self) -> Floats:
        """On the sole."""
        ...

    @property
    def ball(self) -> Floats:
        """On the sole."""
        ...

    @property
    def tip(self) -> Floats:
        """On the sole."""
        ...

    @property
    def ankle(self) -> Floats:
        """The joint."""
        ...

    @property
    def pivot(self) -> Floats:
        """The point that the foot rolls off over."""
        ...


def quarter_frames(start: float, end: float) -> Floats:
    """Frames from start to end by quarters, both inside; a last step shorter than an eighth is joined to
    the one before. Of a motion so long that these are more than MOST_SAMPLES, whole frames.
    """
    each = SAMPLES_A_FRAME if (end - start) * SAMPLES_A_FRAME <= MOST_SAMPLES else 1
    grid = start + np.arange(np.floor((end - start) * each + 1e-9) + 1) / each
    if end - grid[-1] > 0.5 / each:
        return np.append(grid, end)
    grid[-1] = end
    return grid


def measure(
    armature_object: Any,
    roles: RolesLike,
    soles: Sequence[SoleLike],
    contacts: Sequence[Contact],
    frames: tuple[float, float],
    *,
    speed: float,
    travel: npt.ArrayLike,
    in_place: bool,
    cyclic: bool,
    ground: float | None = None,
    fps: float | None = None,
    gait: str = "walk",
    standing: Mapping[str, Floats] | None = None,
    route: Route | None = None,
    people: bool = True,
) -> Report:
    """Measure the motion that the armature now carries, at whole and quarter frames from frames[0] to
    frames[1].

    soles: one for each of roles.legs; contacts: the stances claimed, in frames; speed: asked for, m/s of the
    world, 0 or more; travel: (3,), direction of it in the world, any length above 0; in_place: the body stays
    and the ground is thought to run backward under it; cyclic: the pose at frames[1] is that at frames[0],
    carried on by the travel; ground: height of the ground along the rig's up in the world, metres (None: that
    of the rest pose); fps: None = the scene's; gait: measured people are compared with only for "walk" or
    "run" of a biped, and not at all where `people` is false; standing: by bone its matrix (4, 4) in
    armature space, where roles and soles are those of another pose than the rest pose, which it then stands
    for; route: where the motion goes, if not
    straight on at one speed over level ground: then travel is of no account.

    Points of the sole are fixed in the rest pose and carried by the foot bone (heel, ball) or the toe bone
    (tip, and the ball once more); with a toe bone the ball that a claim fixes is both its joint with the foot
    and the sole under it, without one the sole under the pivot. What is hidden is measured like what is seen;
    the scene is left as it was found. Raises
    BadSetting for a value out of its range, NoLegsFound where roles has no legs.
    """
    start, end = float(frames[0]), float(frames[1])
    direction = np.asarray(travel, dtype=np.float64)
    _check(roles, soles, contacts, start, end, speed, direction)
    direction = direction / np.linalg.norm(direction)
    # Along a way a cycle does not carry on in a straight line: its stances are looked at where they are.
    clock = Clock(quarter_frames(start, end), scene_fps() if fps is None else fps, cyclic and route is None)

    legs = [_LegBones(leg) for leg in roles.legs]
    names = list(dict.fromkeys([name for leg in legs for name in leg.needed]))
    if roles.pelvis is not None and roles.pelvis not in names:
        names.append(roles.pelvis)
    with shown(armature_object):
        matrices = sample(armature_object, clock.frames, names)
    moved = in_place
    if route is not None and in_place:
        matrices = route.carried(clock.frames)[:, None] @ matrices
        in_place = False
    at = {name: matrices[:, k] for k, name in enumerate(names)}
    own = armature_object.data.bones
    rest = {
        name: np.array(own[name].matrix_local if standing is None else standing[name], dtype=np.float64)
        for name in names
    }

    world = np.array(armature_object.matrix_world, dtype=np.float64)
    size = unit_size(world)
    up_rest, facing = (np.asarray(axis, dtype=np.float64) for axis in (roles.up, roles.facing))
    up = world[:3, :3] @ up_rest
    up /= np.linalg.norm(up)
    level = (
        float(up @ (world[:3, :3] @ (up_rest * roles.ground) + world[:3, 3]))
        if ground is None
        else float(ground)
    )
    reader = _Reader(at, rest, up_rest, facing, float(roles.ground), size)
    tracks = tuple(
        reader.leg(bones, sole, leg.side) for bones, sole, leg in zip(legs, soles, roles.legs, strict=True)
    )
    body = (
        np.mean([leg.hip for leg in tracks], axis=0) if roles.pelvis is None else at[roles.pelvis][:, :3, 3]
    )
    stance = float(np.median([contact.toe_off - contact.heel_on for contact in contacts] or [SEAM_STANCE]))
    step = min(SEAM_STEP * min(1.0, stance / SEAM_STANCE), densest_keys(armature_object) / SEAM_SAMPLES)
    seam = _seam(armature_object, roles, legs, start, end, step, None if moved else route) if cyclic else None
    route_speed = np.nan
    if route is not None:
        carried = route.carried(clock.frames)
        own = np.linalg.solve(carried, np.concatenate([body, np.ones((len(body), 1))], 1)[..., None])
        # The way of the body's place, as seen from there as well.
        way = np.diff(carried[:, :3] @ np.append(body[0], 1.0), axis=0)
        ahead = np.linalg.solve(carried[:-1, :3, :3], way[..., None])[..., 0].sum(axis=0) * [1.0, 1.0, 0.0]
        route_speed = _route_speed(own[:, :3, 0], ahead, route, contacts, clock, cyclic)
    return evaluate(
        Tracks(
            clock=clock,
            up=up,
            travel=direction,
            left=np.cross(up_rest, facing),
            ground=level,
            leg_length=_leg_length(tracks, soles, up_rest, float(roles.ground), size),
            body=body,
            legs=tracks,
            seam=seam,
            route=route,
            route_speed=route_speed,
        ),
        contacts,
        speed=float(speed),
        in_place=in_place,
        gait=gait,
        biped=people and roles.kind == "biped",
    )


def _route_speed(
    body: Floats,
    ahead: Floats,
    route: Route,
    contacts: Sequence[Contact],
    clock: Clock,
    cyclic: bool,
) -> float:
    """The mean speed along a route of a body, (n, 3) as it is seen from there, where it should stay; ahead:
    (3,), the way that it goes, seen from there.

    By how far it has gone astray in its last stride against its first; not a number for one stride or two
    that are no cycle.
    """
    strikes = [[c.heel_on for c in contacts if c.leg == leg] for leg in {c.leg for c in contacts}]
    strides = np.concatenate([np.diff(sorted(frames)) for frames in strikes] or [np.zeros(0)])
    stride = float(np.median(strides)) if len(strides) else np.inf
    times = clock.frames
    seconds = (times[-1] - times[0]) / clock.fps
    if route.steady and times[-1] - times[0] < 2.5 * stride:
        drift = body[-1] - body[0]  # of a cycle, which is one stride or two
        return route.mean + float(np.hypot(drift[0], drift[1])) / seconds if cyclic else np.nan
    # Over whole strides a body sways about one place; one that stands at both ends is there where it began.
    first = last = stride
    if not route.steady:
        first, last = (_stride_at(route, strikes, times, late=late) for late in (False, True))
    early, late = times <= times[0] + first, times >= times[-1] - last
    around = 0.5 * (first + last)
    drift = body[late].mean(axis=0) - body[early].mean(axis=0)
    seconds = (times[-1] - times[0] - around) / clock.fps
    far = float(np.linalg.norm(ahead))
    astray = abs(float(drift @ ahead)) / far if far > 0.0 else float(np.hypot(drift[0], drift[1]))
    return route.mean + astray / seconds


def _stride_at(route: Route, strikes: list[list[float]], times: Floats, *, late: bool) -> float:
    """Frames of the stride at one end of a motion; REST_FRAMES where the body stands there."""
    ends = np.array([times[-1] - REST_FRAMES, times[-1]] if late else [times[0], times[0] + REST_FRAMES])
    places = route.carried(ends)[:, :3, 3]
    gone = float(np.linalg.norm(places[1] - places[0]))
    gaps = [np.diff(sorted(own))[-1 if late else 0] for own in strikes if len(own) > 1]
    whole = float(np.linalg.norm(np.ptp(route.carried(times)[:, :3, 3], axis=0)))
    if not gaps or gone < STANDS * whole * REST_FRAMES / (times[-1] - times[0]):
        return REST_FRAMES
    return float(np.median(gaps))


def _leg_length(
    legs: Sequence[LegTrack], soles: Sequence[SoleLike], up: Floats, ground: float, size: float
) -> float:
    """Hip joint to floor of a standing leg, metres, mean of the legs: thigh, shin and the ankle's height over
    the sole, as the reference counts it. (Roles measure along the bones, the length of the foot included.)
    """
    lengths = [
        sum(leg.segments) + size * max(float(np.asarray(sole.ankle) @ up) - ground, 0.0)
        for leg, sole in zip(legs, soles, strict=True)
    ]
    return float(np.mean(lengths))


def _check(
    roles: RolesLike,
    soles: Sequence[SoleLike],
    contacts: Sequence[Contact],
    start: float,
    end: float,
    speed: float,
    travel: Floats,
) -> None:
    if not roles.legs:
        raise NoLegsFound("There are no legs to measure: set the roles of the legs.")
    if len(soles) != len(roles.legs):
        raise BadSetting(f"There are {len(soles)} soles for {len(roles.legs)} legs: give one for each leg.")
    if not (np.isfinite(start) and np.isfinite(end) and end - start >= 1.0):
        raise BadSetting(f"frames is {start:g} to {end:g}: give a range of at least one frame.")
    if not (np.isfinite(speed) and speed >= 0.0):
        raise BadSetting(f"speed is {speed}: give metres a second, 0 or more.")
    if travel.shape != (3,) or not np.all(np.isfinite(travel)) or not np.any(travel):
        raise BadSetting("travel is no direction: give three numbers, not all 0.")
    for contact in contacts:
        if not 0 <= contact.leg < len(roles.legs):
            raise BadSetting(f"A contact names leg {contact.leg}: there are legs 0 to {len(roles.legs) - 1}.")


class _LegBones:
    """Which bone of a leg does what. foot carries the sole up to the toe; what comes after it is of no
    account.
    """

    def __init__(self, leg: LegLike) -> None:
        bones = list(leg.bones)
        if leg.toe in bones:
            chain = bones[: bones.index(leg.toe)]
        elif leg.contact in bones:
            chain = bones[: bones.index(leg.contact) + 1]
        else:
            chain = bones
        if not chain:
            raise MissingRole(
                f'The leg that ends in "{bones[-1]}" has no bone above its toe: set its hip joint bone.'
            )
        self.chain = chain
        self.hip = chain[0]
        self.foot = chain[-1]
        self.toe = leg.toe
        self.needed = [*chain, *([leg.toe] if leg.toe else [])]


class _Reader:
    """Turns sampled bone matrices into the tracks of a leg."""

    def __init__(
        self,
        at: dict[str, Floats],
        rest: dict[str, Floats],
        up: Floats,
        facing: Floats,
        ground: float,
        size: float,
    ) -> None:
        self.at, self.rest, self.up, self.facing, self.ground, self.size = at, rest, up, facing, ground, size

    def carried(self, bone: str, point: npt.ArrayLike) -> Floats:
        """World positions (n, 3) of a point of the rest pose (armature space) carried by the bone."""
        local = np.linalg.inv(self.rest[bone]) @ np.append(np.asarray(point, dtype=np.float64), 1.0)
        return np.asarray((self.at[bone] @ local)[:, :3], dtype=np.float64)

    def turned(self, bone: str) -> Floats:
        """Rotation (n, 3, 3) of the bone from the rest pose (armature space) to the world."""
        return rotation_part(self.at[bone] @ np.linalg.inv(self.rest[bone]))

    def directed(self, bone: str, direction: Floats) -> Floats:
        """Unit vectors (n, 3) of the world, of a direction of the rest pose carried by the bone: of an object
        that is mirrored too."""
        found = (self.at[bone] @ np.linalg.inv(self.rest[bone]))[:, :3, :3] @ direction
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float64)

    def held(self, bone: str, point: npt.ArrayLike) -> PlantedPoint:
        """A point that claims speak of, with its height in the rest pose."""
        height = float(np.asarray(point, dtype=np.float64) @ self.up) - self.ground
        return PlantedPoint(self.carried(bone, point), height * self.size)

    def leg(self, bones: _LegBones, sole: SoleLike, name: str) -> LegTrack:
        """The tracks of one leg."""
        toe = bones.toe or bones.foot
        pivot = np.asarray(sole.pivot, dtype=np.float64)
        ball: tuple[PlantedPoint, ...]
        if bones.toe:
            ball = (self.held(bones.foot, pivot), self.held(bones.toe, sole.ball))
        else:
            ball = (self.held(bones.foot, pivot - (pivot @ self.up - self.ground) * self.up),)
        hip_rest, ankle_rest = self.rest[bones.hip][:3, 3], np.asarray(sole.ankle, dtype=np.float64)
        hip, ankle = self.at[bones.hip][:, :3, 3], self.carried(bones.foot, ankle_rest)
        knee, knee_rest = 0.5 * (hip + ankle), 0.5 * (hip_rest + ankle_rest)
        inner = self._inner(bones.chain, ankle_rest)
        if inner:
            joint = self._knee(hip_rest, ankle_rest, inner)
            knee, knee_rest = self.at[joint][:, :3, 3], self.rest[joint][:3, 3]
        joints = [hip_rest, *(self.rest[name][:3, 3] for name in inner or ()), ankle_rest]
        segments = np.linalg.norm(
            np.diff(joints if inner else [hip_rest, knee_rest, ankle_rest], axis=0), axis=1
        )
        forward = np.asarray(sole.ball, dtype=np.float64) - np.asarray(sole.heel, dtype=np.float64)
        forward -= (forward @ self.up) * self.up
        if forward @ self.facing <= 1e-6:
            forward = self.facing
        tip = self.held(toe, sole.tip)
        under = [(bones.foot, sole.heel), (bones.foot, sole.ball), (toe, sole.ball), (toe, sole.tip)]
        return LegTrack(
            name=f'leg {name} ("{bones.foot}")',
            hip=hip,
            knee=knee,
            ankle=ankle,
            thigh=self.turned(bones.hip),
            segments=tuple(float(length) * self.size for length in segments),
            foot=self.directed(bones.foot, forward),
            planted={"heel": (self.held(bones.foot, sole.heel),), "ball": ball, "tip": (tip,)},
            sole=np.stack([self.carried(bone, point) for bone, point in under]),
            tip=tip.positions,
            stiff=len(bones.chain) == 1,
        )

    def _inner(self, chain: list[str], ankle: Floats) -> list[str]:
        """Bones whose heads lie between hip joint and ankle: a foot of several bones begins at the ankle."""
        heads = np.array([self.rest[name][:3, 3] for name in chain])
        return chain[1 : int(np.argmin(np.linalg.norm(heads - ankle, axis=1)))]

    def _knee(self, hip: Floats, ankle: Floats, inner: list[str]) -> str:
        """The bone whose head is the knee: of the joints between hip and ankle the one nearest to half way
        along.
        """
        heads = np.array([hip, *(self.rest[name][:3, 3] for name in inner), ankle])
        reach = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(heads, axis=0), axis=1))])
        return inner[int(np.argmin(np.abs(reach[1:-1] - 0.5 * reach[-1])))]


def _seam(
    armature_object: Any,
    roles: RolesLike,
    legs: list[_LegBones],
    start: float,
    end: float,
    step: float,
    route: Route | None,
) -> Seam:
    """The bones of the body (everything that hangs on the pelvis, and the legs) just after the start and
    before the end.

    Bones that are no part of the body, such as a root that stays behind, need not come along.
    """
    names = [name for leg in legs for name in leg.needed]
    if roles.pelvis is not None:
        top = armature_object.data.bones[roles.pelvis]
        below = list(top.children_recursive)
        # Of a control rig only what moves skin is seen: limbs that are switched off turn as they like.
        names += [top.name, *(bone.name for bone in below if bone.use_deform)]
    away = step * np.arange(SEAM_SAMPLES)
    frames = np.concatenate([start + away, end - away[::-1]])
    matrices = sample(armature_object, frames, list(dict.fromkeys(names)))
    if route is not None:  # the body comes back to the same pose as it is seen from its route
        matrices = np.linalg.inv(route.carried(frames))[:, None] @ matrices
    return Seam(heads=matrices[:, :, :3, 3], turns=rotation_part(matrices), step=step)
