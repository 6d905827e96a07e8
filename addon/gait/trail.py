"""Planned footfalls of a gait on any number of legs, along a way and on any ground: an animal's Journey."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..report.contacts import Contact
from ..rig import Roles
from ..scene import Ground
from .body import Body
from .legged_body import Leg, space_of
from .planned import STEP_UP, Planned
from .steps import Step
from .timing import Timing
from .way import STEP, Stage, Way

Floats = npt.NDArray[np.float64]

# Of a leg: by how much it may miss its foot without a word.
MISSED = 0.01
# Footfalls that the core needs of each leg.
NEEDED = 2
# How long a leg that takes no stride of its own is in the air before and after it stands, in sqrt(leg length
# / gravity).
SWING = 1.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How the legs of a body go, sample by sample of a way. rate: strides a second; offset, duty: (legs,
    samples), strides; flex: radians; stride: hip heights; row: which of the gaits."""

    rate: Floats
    offset: Floats
    duty: Floats
    flex: Floats
    stride: Floats
    row: npt.NDArray[np.intp]


class Trail(Planned):
    """Planned footfalls along a way; what a Journey is to people's walks. falls: by the core's names
    (FOOTFALL), each an array."""

    def __init__(
        self,
        native: Any,
        body: Body,
        legs: Sequence[Leg],
        values: Floats,
        way: Way,
        manner: Manner,
        stage: Stage,
    ) -> None:
        self._native, self._legs, self.way, self.stage = native, legs, way, stage
        given = {
            "start": way.start,
            "step": way.step,
            "place": np.ascontiguousarray(way.place),
            "facing": np.ascontiguousarray(way.facing),
            "rate": np.ascontiguousarray(manner.rate),
            "offset": np.ascontiguousarray(manner.offset),
            "duty": np.ascontiguousarray(manner.duty),
            "flex": np.ascontiguousarray(manner.flex),
        }
        self._given = {**body.arguments, "settings": values, **given}
        table = native.legged_plan(**self._given)
        if min(np.bincount(table[:, 0].astype(np.intp), minlength=len(legs))) < NEEDED:
            table = self._filled_up(table)
        self._table = table
        self.found = np.ones(len(table), dtype=bool)
        self._own = np.linalg.solve(np.asarray(stage.matrix), np.eye(4))
        self._body = body

    @property
    def falls(self) -> dict[str, Floats]:
        """Columns of the footfalls."""
        return dict(zip(self._native.FOOTFALL, self._table.T, strict=True))

    def _filled_up(self, table: Floats) -> Floats:
        """The footfalls with one before and one after those of legs that hardly step or only stand."""
        names = self._native.FOOTFALL
        leg, strike, heel, off, heading = (
            names.index(name) for name in ("leg", "strike", "heel_off", "off", "heading")
        )
        place, way = [names.index("x"), names.index("y")], self.way
        # Where feet stand under the body is where they come down on the spot.
        count = len(way.times)
        on_the_spot = {
            "place": np.zeros((2, count)),
            "facing": np.zeros(count),
            "rate": np.full(count, 8.0 / (count * way.step)),
            "offset": np.zeros((len(self._legs), count)),
            "duty": np.full((len(self._legs), count), 0.5),
            "flex": np.zeros(count),
        }
        spots = self._native.legged_plan(**{**self._given, **on_the_spot})
        swing = SWING * self.stage.step / STEP
        first, last = float(way.times[0]), float(way.times[-1])
        rows: list[Floats] = []
        for index in range(len(self._legs)):
            own = table[table[:, leg] == index]
            home = spots[spots[:, leg] == index][0]

            def fall(begin: float, end: float, home: Floats = home) -> Floats:
                row, middle = home.copy(), 0.5 * (begin + end)
                turn = float(np.interp(middle, way.times, way.facing))
                cosine, sine = np.cos(turn), np.sin(turn)
                at = np.array([np.interp(middle, way.times, axis) for axis in way.place])
                row[place] = at + np.array([[cosine, -sine], [sine, cosine]]) @ home[place]
                row[[strike, heel, off, heading]] = begin, end, end, turn
                return row

            if not len(own):
                own = fall(first, last)[None]
            if len(own) < NEEDED:
                begin, end = own[0, strike] - swing, own[0, off] + swing
                before, after = min(first, begin) - swing, max(last, end) + swing
                own = np.stack([fall(before, begin), own[0], fall(end, after)])
            rows.extend(own)
        return np.array(rows)

    def stand_on(self, ground: Ground) -> None:
        """Put the feet onto the ground."""
        stage, table = self.stage, self._table
        column = {name: k for k, name in enumerate(self._native.FOOTFALL)}
        place = [column[axis] for axis in "xyz"]
        world = np.ascontiguousarray(stage.outward(table[:, place].T))
        start, up = float(stage.matrix[2, 3]), STEP_UP * stage.leg * stage.unit
        order = np.argsort(table[:, column["strike"]], kind="stable")
        later = int(np.searchsorted(table[order, column["strike"]], 0.0))
        for rows in (order[later:], order[:later][::-1]):
            if len(rows):
                found = ground.follow(np.ascontiguousarray(world[:2, rows]), start, up=up, down=2.0 * up)
                world[2, rows] = np.where(found.found, found.height, world[2, rows])
        bare = ground.heights(world, up=up, down=up)
        world[2] = np.where(bare.found, bare.height, world[2])
        self.found = bare.found
        normal = np.where(bare.found, bare.normal, [[0.0], [0.0], [1.0]])
        inward = np.linalg.solve(stage.matrix, np.concatenate([world, np.ones((1, world.shape[1]))]))[:3]
        turned = np.linalg.solve(stage.matrix[:3, :3] / stage.unit, normal)
        table[:, place] = inward.T
        table[:, [column[f"normal_{axis}"] for axis in "xyz"]] = (turned / np.linalg.norm(turned, axis=0)).T

    def notes(self, start: float, end: float) -> tuple[str, ...]:
        """As of a Journey."""
        falls = self.falls
        missing = int((~self.found & (falls["off"] > start) & (falls["strike"] < end)).sum())
        if not missing:
            return ()
        return (f"There is no ground within reach of {missing} footfalls: they hang in the air.",)

    def pose(self, times: Floats, *, travel: bool) -> Any:
        """See amble_core.legged_pose."""
        return self._native.legged_pose(
            **self._given, footfalls=self._table, travel=travel, time=np.ascontiguousarray(times)
        )

    def track(self, times: Floats) -> Floats:
        """See Planned."""
        return np.asarray(self.pose(times, travel=False)[3])

    def contacts(self, roles: Roles, timing: Timing, *, loop: bool) -> tuple[Contact, ...]:
        """Every stance that is, or is in part, in the frames of the motion; in a loop those that begin in
        it."""
        falls = self.falls
        strike, heel, off = (
            timing.start + falls[name] * timing.fps for name in ("strike", "heel_off", "off")
        )
        inside = (
            (strike > timing.start - 1e-6) & (strike < timing.end - 1e-6)
            if loop
            else (off > timing.start) & (strike < timing.end)
        )
        found = [
            Contact(
                leg=roles.legs.index(self._legs[int(falls["leg"][row])].limb),
                heel_on=float(strike[row]),
                flat=float(strike[row]),
                heel_off=float(heel[row]),
                toe_off=float(off[row]),
            )
            for row in np.flatnonzero(inside)
        ]
        return tuple(sorted(found, key=lambda contact: contact.heel_on))

    def steps(self, roles: Roles, timing: Timing, *, travel: bool) -> tuple[Step, ...]:
        """Footfalls in the motion and one beside it on each side, in the armature's space."""
        falls, rows = self.falls, []
        last = (timing.end - timing.start) / timing.fps
        for leg in range(len(self._legs)):
            own = np.flatnonzero(falls["leg"] == leg)
            first = int(np.searchsorted(falls["strike"][own], 0.0)) - 1
            end = int(np.searchsorted(falls["strike"][own], last, side="right"))
            rows += own[max(first, 0) : end + 1].tolist()
        inner = self.stage_own()
        spots = np.stack([falls[axis][rows] for axis in "xyz"])
        if not travel and len(rows):
            track = self.pose(falls["strike"][rows], travel=False)[3]
            apart = spots - track[:3]
            cosine, sine = np.cos(track[3]), np.sin(track[3])
            spots = np.stack(
                [cosine * apart[0] + sine * apart[1], cosine * apart[1] - sine * apart[0], apart[2]]
            )
        places = (inner[:3, :3] @ spots + inner[:3, 3:]).T
        made = [
            Step(
                roles.legs.index(self._legs[int(falls["leg"][row])].limb),
                timing.start + float(falls["strike"][row]) * timing.fps,
                timing.start + float(falls["off"][row]) * timing.fps,
                place,
            )
            for row, place in zip(rows, places, strict=True)
        ]
        return tuple(sorted(made, key=lambda step: (step.leg, step.on)))

    def stage_own(self) -> Floats:
        """From the body's own axes to the armature's space, (4, 4)."""
        return space_of(self._body, self._legs)
