"""How the parts of a body answer to each of its controls: measured, not guessed from names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bench import Bench, Floats

Mask = npt.NDArray[np.bool_]

TURN = 0.1  # radians that a control is turned by
MOVE = 0.02  # of the leg: how far it is moved
ASIDE = 0.4  # of the leg: how far a pole is moved
# What counts as alike: solvers of inverse kinematics stop a little short.
SAME_TURN = 0.004
SAME_PLACE = 1e-3  # of the leg
# Of the leg: a segment whose length changes more than this is torn apart. A third of the move, as legs made
# to stretch give way by a fifth of it.
STRETCH = 0.35 * MOVE


@dataclass(frozen=True, slots=True)
class Answer:
    """What one nudge of one control does to things (bones, in an order that the caller knows).

    own: (4, 4), motion of the control itself; motion: (things, 4, 4), of each; vectors: (things, 3), its turn
    as a vector; turns, places: bool (things,), whether it turns as the control does, and its head goes where
    the control would carry it; turned, moved: bool (things,), whether at all; share: (things,), how much of
    the control's turn it takes over; torn: bool (things,), whether its head changes its distance from the
    joint before it.
    """

    own: Floats
    motion: Floats
    vectors: Floats
    turns: Mask
    places: Mask
    turned: Mask
    moved: Mask
    share: Floats
    torn: Mask

    @property
    def carries(self) -> Mask:
        """Whether a thing goes along with the control, rigidly."""
        return self.turns & self.places


class Trial:
    """Nudges controls of a rig on a bench.

    things: bones to be watched; before: (things,), for each the thing whose head keeps its distance from it
    in a body that is whole, itself where there is none; leg, up, left, centre: length, directions and a point
    in armature space; reach: by control bool (things,), what it can move at all (any, where it is not told).
    """

    def __init__(
        self,
        bench: Bench,
        things: Sequence[str],
        before: npt.NDArray[np.intp],
        *,
        leg: float,
        up: Floats,
        left: Floats,
        centre: Floats,
        reach: Mapping[str, Mask],
    ) -> None:
        self.bench, self.things, self.before = bench, tuple(things), before
        self.leg, self.up, self.left, self.centre = leg, up, left, centre
        self.reach = reach
        place = {name: k for k, name in enumerate(bench.names)}
        self._rows = np.array([place[name] for name in self.things], dtype=np.intp)
        self._row = place
        self.base = bench.matrices()
        self.rest = self.base[self._rows]
        self._undone = np.linalg.inv(self.rest)
        self._lengths = self._spans(self.rest)

    def of(self, bone: str) -> Floats:
        """(4, 4), the bone in the zero pose as evaluated."""
        return self.base[self._row[bone]]

    def turn(self, controls: Iterable[str]) -> dict[str, Answer]:
        """Turn each control about its head."""
        return self._try(dict.fromkeys(controls, (None, TURN)))

    def move(self, controls: Iterable[str], *, aside: bool = False) -> dict[str, Answer]:
        """Move each control, inward, so that no limb is over-stretched; or (aside) far to the left, as it
        takes to see what a pole does.
        """
        nudges = {}
        for control in controls:
            step = ASIDE * self.leg * self.left if aside else self._inward(control)
            nudges[control] = (self._axes(control).T @ step, 0.0)
        return self._try(nudges)

    def _try(self, nudges: Mapping[str, tuple[Floats | None, float]]) -> dict[str, Answer]:
        """Each control's answer. Those that cannot move the same thing are nudged at once: what one of them
        cannot move shows what the others do, and is read as it stands at rest."""
        found = {}
        for together in self._batches(nudges):
            pose = self.bench.nudged({control: nudges[control] for control in together})
            for control in together:
                now = pose[self._rows]
                if len(together) > 1:
                    now = np.where(self.reach[control][:, None, None], now, self.rest)
                found[control] = self._answer(pose[self._row[control]] @ np.linalg.inv(self.of(control)), now)
        return {control: found[control] for control in nudges}

    def _batches(self, controls: Iterable[str]) -> list[list[str]]:
        """The controls in groups of which no two may move the same thing."""
        every = np.ones(len(self.things), dtype=bool)
        reach = {control: self.reach.get(control, every) for control in controls}
        groups: list[tuple[list[str], Mask]] = []
        for control in sorted(reach, key=lambda one: (-int(reach[one].sum()), one)):
            for names, taken in groups:
                if not (taken & reach[control]).any():
                    names.append(control)
                    taken |= reach[control]
                    break
            else:
                groups.append(([control], reach[control].copy()))
        return [names for names, _ in groups]

    def _inward(self, control: str) -> Floats:
        head = self.of(control)[:3, 3]
        way = self.centre - head
        left = float(way @ self.left)
        far = float(np.linalg.norm(way))
        way = way / far if far > 0.3 * self.leg else -self.up
        way = way + (0.7 if left >= 0.0 else -0.7) * self.left
        return np.asarray(MOVE * self.leg * way / np.linalg.norm(way), dtype=np.float64)

    def _axes(self, control: str) -> Floats:
        bone = self.bench.object.pose.bones[control]
        free = not bone.bone.use_local_location and bone.parent is not None
        axes = self.of(bone.parent.name if free else control)[:3, :3]
        return np.asarray(axes / np.linalg.norm(axes, axis=0), dtype=np.float64)

    def _spans(self, matrices: Floats) -> Floats:
        heads = matrices[:, :3, 3]
        return np.asarray(np.linalg.norm(heads - heads[self.before], axis=1))

    def _answer(self, own: Floats, now: Floats) -> Answer:
        motion = now @ self._undone
        heads = self.rest[:, :3, 3]
        carried = heads @ own[:3, :3].T + own[:3, 3]
        vectors, own_vector = _turn_vectors(motion), _turn_vectors(own[None])[0]
        near = SAME_PLACE * self.leg
        square = max(float(own_vector @ own_vector), 1e-12)
        return Answer(
            own=own,
            motion=motion,
            vectors=vectors,
            turns=np.linalg.norm(vectors - own_vector, axis=1) < SAME_TURN,
            places=np.linalg.norm(now[:, :3, 3] - carried, axis=1) < near,
            turned=np.linalg.norm(vectors, axis=1) > SAME_TURN,
            moved=np.linalg.norm(now[:, :3, 3] - heads, axis=1) > near,
            share=vectors @ own_vector / square,
            torn=np.abs(self._spans(now) - self._lengths) > STRETCH * self.leg,
        )


def _turn_vectors(motion: Floats) -> Floats:
    """Rotation vectors (n, 3) of small rigid motions (n, 4, 4), scale left out."""
    turn = motion[:, :3, :3]
    scale = np.cbrt(np.linalg.det(turn))
    skew = (turn - turn.transpose(0, 2, 1)) / (2.0 * scale[:, None, None])
    return np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
