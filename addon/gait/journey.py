"""A gait along a way, over any ground: from a way and a ground to a walk as arrays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..report.contacts import Contact
from ..rig import Limb, Roles
from ..scene import Flat, Footing, Ground
from .body import Body
from .planned import STEP_UP, Planned
from .steps import Step
from .way import Stage, Way

Floats = npt.NDArray[np.float64]

# How far a foot that has no ground under it is moved, and how uneven the ground under it may be, of leg
# length.
STRAY, UNEVEN = 0.3, 0.03
# Of the foot's length behind and before the ankle (the other way round downhill): what has to be on solid
# ground, the rest may stick out, and what must be free of what is higher. As much as there is room for.
FIRM = ((1.0, 1.5), (0.6, 1.4), (0.4, 1.2), (0.2, 1.03))
# The core's time of a strike that was before everything.
NEVER = -1e9
# Half of the width of a foot, of leg length.
HALF_WIDTH = 0.035
# Probes that move by less, of leg length, see the same ground.
MOVED = 0.01


def stage_of(body: Body, world: Floats, leg: float, gravity: float) -> Stage:
    """The body's own space as the core has it: origin on the ground under the pelvis, between the hips."""
    given = body.arguments
    forward, up, rest = given["forward"], given["up"], given["rest"]
    left = np.cross(up, forward)
    hips = rest[given["legs"][:, 0], :3, 3].mean(axis=0)
    origin = forward * (forward @ rest[given["pelvis"], :3, 3]) + left * (left @ hips) + up * given["ground"]
    own = np.eye(4)
    own[:3, 0], own[:3, 1], own[:3, 2], own[:3, 3] = forward, left, up, origin
    return Stage(np.asarray(world @ own), leg, gravity)


class Journey(Planned):
    """Planned steps along a way. plants: by the core's names (JOURNEY_PLANT), each an array."""

    def __init__(
        self, native: Any, body: Body, values: Floats, way: Way, stage: Stage, *, travel: bool, first: int = 0
    ) -> None:
        self._native, self._body, self.stage, self.way = native, body, stage, way
        self._core = native.journey(
            **body.arguments,
            root=body.root if travel else -1,
            settings=values,
            first=first,
            **way.arguments,
        )
        count = len(self._native.journey_plants(self._core))
        self.solid = self.found = np.ones(count, dtype=bool)
        self.hangs = np.zeros((count, 3), dtype=bool)

    @property
    def plants(self) -> dict[str, Floats]:
        """Columns of the footfalls."""
        table = self._native.journey_plants(self._core)
        return dict(zip(self._native.JOURNEY_PLANT, table.T, strict=True))

    def cycle(self) -> float:
        """Seconds a stride, of a steady way."""
        plants = self.plants
        left = np.sort(plants["strike"][(plants["leg"] == 0) & (plants["strike"] > NEVER)])
        if len(left) < 2:
            raise BadSetting(
                "At this speed legs this long take no whole stride: ask for more, or for 0, which stands."
            )
        return float(np.median(np.diff(left)))

    def stand_on(self, ground: Ground) -> None:
        """Put the feet onto the ground, and lift them over what lies between."""
        table = self._native.journey_plants(self._core)
        column = {name: index for index, name in enumerate(self._native.JOURNEY_PLANT)}
        place = [column[axis] for axis in "xyz"]
        stage = self.stage
        metre = stage.unit
        world = stage.outward(table[:, place].T)
        world[2], climbs = self._follow(ground, table, column, world)
        heading = table[:, column["heading"]] + stage.heading
        reach = STRAY * stage.leg * metre
        # Where no whole foot finds ground, any ground under its middle does.
        up = STEP_UP * stage.leg * metre
        bare = ground.heights(world, up, up)
        spot = np.where(bare.found, np.stack([world[0], world[1], bare.height]), world)
        normal = np.where(bare.found, bare.normal, [[0.0], [0.0], [1.0]])
        solid = np.zeros(len(heading), dtype=bool)
        for sizes, up_hill in itertools.product(FIRM, (True, False)):
            rows = np.flatnonzero(~solid & (climbs == up_hill))
            if not len(rows):
                continue
            there = np.ascontiguousarray(world[:, rows])
            footing = self._footing(*sizes, up_hill=up_hill)
            found = ground.stand_near(there, heading[rows], footing, reach=reach, step=reach / 30.0)
            solid[rows] = found.solid
            spot[:, rows] = np.where(found.solid, found.place, spot[:, rows])
            normal[:, rows] = np.where(found.solid, found.normal, normal[:, rows])
        inward = np.linalg.solve(stage.matrix, np.concatenate([spot, np.ones((1, spot.shape[1]))]))[:3]
        turned = np.linalg.solve(stage.matrix[:3, :3] / metre, normal)
        table[:, place] = inward.T
        table[:, [column[f"normal_{axis}"] for axis in "xyz"]] = (turned / np.linalg.norm(turned, axis=0)).T
        self._native.journey_stand(self._core, np.ascontiguousarray(table))
        probes = self._native.journey_probes(self._core)
        while True:
            self._native.journey_heights(self._core, self._heights(ground, probes, table, column))
            before, probes = probes, self._native.journey_probes(self._core)
            if not np.abs(probes - before).max(initial=0.0) > MOVED * stage.leg:
                break
        self.solid, self.found = solid, bare.found
        self.hangs = self._hanging(ground, table, column)

    def _follow(
        self, ground: Ground, table: Floats, column: dict[str, int], world: Floats
    ) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Height of the ground at each footfall, found by going along the way, and whether that climbs."""
        middle = self._middle(table, column)
        order = np.argsort(middle, kind="stable")
        height = np.empty(len(order))
        # From where the body stands at rest, both ways.
        later = int(np.searchsorted(middle[order], 0.0))
        for rows in (order[later:], order[:later][::-1]):
            if len(rows):
                height[rows] = self._heights_along(ground, world[:2, rows])
        climbs = np.empty(len(order), dtype=bool)
        climbs[order] = np.gradient(height[order]) >= 0.0 if len(order) > 1 else True
        return height, climbs

    def _heights_along(self, ground: Ground, places: Floats) -> Floats:
        """Height of the ground at places (2, n), gone to one by one from where the body stands at rest."""
        stage = self.stage
        up = STEP_UP * stage.leg * stage.unit
        start = float(stage.matrix[2, 3])
        spots = np.concatenate([stage.matrix[:2, 3:], places], axis=1)
        fine = 24
        share = np.arange(1, fine + 1) / fine
        between = spots[:, :-1, None] + (spots[:, 1:] - spots[:, :-1])[:, :, None] * share
        found = ground.follow(
            np.ascontiguousarray(between.reshape(2, -1)), start, up=up, down=2.0 * up
        ).height
        return np.asarray(found[fine - 1 :: fine], dtype=np.float64)

    def _middle(self, table: Floats, column: dict[str, int]) -> Floats:
        strike, off = table[:, column["strike"]], table[:, column["off"]]
        ends = self.way.times[[0, -1]]
        return 0.5 * (np.clip(strike, *ends) + np.clip(off, *ends))

    def _hanging(self, ground: Ground, table: Floats, column: dict[str, int]) -> npt.NDArray[np.bool_]:
        """Which of heel, ball and tip of each footfall stick out over an edge, (n, 3)."""
        stage, given = self.stage, self._body.arguments
        axes = np.stack([given["forward"], np.cross(given["up"], given["forward"])])
        ankle = given["rest"][given["legs"][:, 2], :3, 3]
        own = (given["soles"] - ankle[:, None]) @ axes.T
        x, y = np.moveaxis(own[table[:, column["leg"]].astype(int)], -1, 0)
        cosine, sine = (f(table[:, column["heading"], None]) for f in (np.cos, np.sin))
        # On the plane of the footfall.
        dx, dy = cosine * x - sine * y, sine * x + cosine * y
        normal = [table[:, column[f"normal_{axis}"], None] for axis in "xyz"]
        rise = -(normal[0] * dx + normal[1] * dy) / normal[2]
        places = np.stack(
            [table[:, column[axis], None] + by for axis, by in zip("xyz", (dx, dy, rise), strict=True)]
        )
        world = stage.outward(places.reshape(3, -1))
        slack = UNEVEN * stage.leg * stage.unit
        found = ground.heights(np.ascontiguousarray(world), up=slack, down=slack)
        return np.asarray(~found.found.reshape(dx.shape) & self.found[:, None])

    def _footing(self, firm: float, clear: float, *, up_hill: bool) -> Footing:
        """What a foot needs.

        Up a stair its heel may stick out behind, down one its toes in front; the other end must keep off the
        next riser.
        """
        stage = self.stage
        metre = stage.unit
        soles, given = self._body.arguments["soles"], self._body.arguments
        ankle = given["rest"][given["legs"][:, 2], :3, 3]
        ahead = (soles - ankle[:, None]) @ given["forward"]
        heel, tip = float(ahead[:, 0].min()), float(ahead[:, 2].max())
        wide = HALF_WIDTH * stage.leg
        heel, tip = (firm * heel, clear * tip) if up_hill else (clear * heel, firm * tip)
        along = np.linspace(heel, tip, 5)
        patch = np.array([(a, b) for a in along for b in (-wide, wide)])
        up = STEP_UP * stage.leg * metre
        return Footing(patch.T * metre, spread=UNEVEN * stage.leg * metre, steepest=40.0, up=up, down=up)

    def _heights(self, ground: Ground, probes: Floats, table: Floats, column: dict[str, int]) -> Floats:
        """Ground at the probes, (swings, moments, 3), in the body's own space."""
        stage = self.stage
        swings = probes.shape[1]
        if not swings:
            return np.zeros(probes.shape[1:])
        legs = table[:, column["leg"]]
        z = table[:, column["z"]]
        rows = np.concatenate([np.flatnonzero(legs == leg)[:-1] for leg in (0.0, 1.0)])
        top = np.maximum(z[rows], z[rows + 1])
        level = np.broadcast_to(top[:, None, None], probes.shape[1:])
        world = stage.outward(np.concatenate([probes, level[None]]).reshape(3, -1))
        up = STEP_UP * stage.leg * stage.unit
        found = ground.heights(np.ascontiguousarray(world), up=up, down=4.0 * up)
        world[2] = np.where(found.found, found.height, world[2] - 4.0 * up)
        own = np.linalg.solve(stage.matrix, np.concatenate([world, np.ones((1, world.shape[1]))]))[2]
        return np.ascontiguousarray(own.reshape(probes.shape[1:]))

    def notes(self, start: float, end: float) -> tuple[str, ...]:
        """What is to be said of the footfalls between two times, one sentence each."""
        plants = self.plants
        seen = (plants["off"] > start) & (plants["strike"] < end)
        missing = int((~self.found & ~self.solid & seen).sum())
        edge = int((self.found & ~self.solid & seen).sum())
        notes = []
        if missing:
            notes.append(f"There is no ground within reach of {missing} footfalls: they hang in the air.")
        if edge:
            notes.append(f"{edge} footfalls have no place where the whole foot finds even ground.")
        return tuple(notes)

    def pose(self, times: Floats, *, travel: bool) -> Any:
        """See amble_core.journey_pose."""
        return self._native.journey_pose(self._core, travel=travel, time=np.ascontiguousarray(times))

    def track(self, times: Floats) -> Floats:
        """See Planned."""
        return np.asarray(self.pose(times, travel=False)[4])

    def contacts(self, legs: Sequence[Limb], roles: Roles, timing: Any) -> tuple[Contact, ...]:
        """Every stance that is, or is in part, in the frames of the motion."""
        plants = self.plants
        ends = timing.start, timing.end

        def at(name: str) -> Floats:
            frames = timing.start + plants[name] * timing.fps
            far = timing.end - timing.start + 1.0
            return np.asarray(np.clip(frames, ends[0] - far, ends[1] + far))

        strike, off = at("strike"), at("off")
        windows = {point: (at(f"{point}_on"), at(f"{point}_off")) for point in ("heel", "ball", "tip")}
        found = []
        for row in range(len(strike)):
            if off[row] <= ends[0] or strike[row] >= ends[1]:
                continue
            leg = legs[int(plants["leg"][row])]
            points = tuple(
                (point, float(on[row]), float(last[row]))
                for index, (point, (on, last)) in enumerate(windows.items())
                if on[row] <= last[row]
                and (point != "tip" or leg.toe is not None)
                and not self.hangs[row, index]
            )
            found.append(
                Contact(
                    leg=roles.legs.index(leg),
                    heel_on=float(strike[row]),
                    flat=float(windows["ball"][0][row]),
                    heel_off=float(windows["heel"][1][row]),
                    toe_off=float(off[row]),
                    ball_off=float(windows["ball"][1][row]) if leg.toe else None,
                    points=points,
                )
            )
        return tuple(sorted(found, key=lambda contact: contact.heel_on))

    def steps(self, legs: Sequence[Limb], roles: Roles, timing: Any) -> tuple[Step, ...]:
        """Footfalls in the motion and beside it, their heels in the armature's space."""
        plants, given = self.plants, self._body.arguments
        axes = np.stack([given["forward"], np.cross(given["up"], given["forward"]), given["up"]])
        own = self.stage_own()
        found = []
        ankle = given["rest"][given["legs"][:, 2], :3, 3]
        heel = (given["soles"][:, 0] - ankle) @ axes.T
        far = timing.end - timing.start + 1.0
        for row in range(len(plants["leg"])):
            side = int(plants["leg"][row])
            cosine, sine = math.cos(plants["heading"][row]), math.sin(plants["heading"][row])
            x, y = heel[side, 0], heel[side, 1]
            spot = np.array(
                [
                    plants["x"][row] + cosine * x - sine * y,
                    plants["y"][row] + sine * x + cosine * y,
                    plants["z"][row],
                    1.0,
                ]
            )
            on, off = (
                float(
                    np.clip(
                        timing.start + plants[name][row] * timing.fps, timing.start - far, timing.end + far
                    )
                )
                for name in ("strike", "off")
            )
            found.append(Step(roles.legs.index(legs[side]), on, off, (own @ spot)[:3]))
        return tuple(sorted(found, key=lambda step: (step.leg, step.on)))

    def stage_own(self) -> Floats:
        """From the body's own axes to the armature's space, (4, 4)."""
        return np.asarray(stage_of(self._body, np.eye(4), 1.0, 1.0).matrix)


def is_flat(ground: Ground | None) -> bool:
    """Whether the ground is the level one that every rig stands on."""
    return ground is None or (type(ground) is Flat)


def check_upright(stage: Stage, name: str) -> None:
    """Ways and grounds are of the world: the body must stand in it. Raises BadSetting."""
    up = stage.matrix[:3, 2] / np.linalg.norm(stage.matrix[:3, 2])
    if up[2] < math.cos(math.radians(1.0)):
        raise BadSetting(
            f'"{name}" does not stand upright in the world, so that it cannot follow a path or ground there: '
            "turn the object upright."
        )


def resampled(way: Way, factor: float) -> Way:
    """The way with strides at so many times the rate."""
    return replace(way, pace=way.pace * factor)
