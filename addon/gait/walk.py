"""What every way of planning a gait ends in: a walk as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..action.reduce import Reduction
from ..errors import MissingRole
from ..report.contacts import Contact
from ..report.tracks import Route
from ..rig import Roles
from ..rig.parts import Part
from .body import Body
from .journey import Journey
from .steps import Step
from .timing import Timing
from .trail import Trail

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Walk:
    """The core's result.

    bones: names of those moved; motion, slopes: float32 (bones, 10, frames), the latter a frame; channels:
    bool (bones, 3), location, rotation, scale to be keyed; timing: its frames; contacts: every stance;
    figures: of the plan, by name; carrier: the bone that carries the body forward, if one does; speed: m/s;
    feet: each of the roles' legs' foot bone (feet_of); steps: every stance there and right beside it, by leg
    in rising order (empty where they were not asked for); gait: "walk" or "run"; moves: of a gait on orbits,
    the way from rest and the velocity a second, float64 (6, frames), armature space; route: what a report
    on that asks, where it is not straight on over level ground; gone: metres since the first frame,
    (frames,), where the speed changes; notes: one sentence each; journey: along a way that is not straight
    and level; loop: whether it closes; samples: frames of the motion where these are not those of the
    timing; reduction: what fewer keys must keep to.
    """

    bones: tuple[str, ...]
    motion: npt.NDArray[np.float32]
    slopes: npt.NDArray[np.float32]
    channels: npt.NDArray[np.bool_]
    timing: Timing
    contacts: tuple[Contact, ...]
    figures: dict[str, float]
    carrier: str | None
    speed: float
    feet: tuple[str, ...]
    steps: tuple[Step, ...]
    gait: str
    moves: Floats | None = None
    route: Route | None = None
    notes: tuple[str, ...] = ()
    journey: Journey | Trail | None = None
    loop: bool = True
    gone: Floats | None = None
    samples: Floats | None = None
    reduction: Reduction | None = None

    @property
    def frames(self) -> Floats:
        """(frames,), those of the motion: with a reduction only some of them get keys."""
        return self.timing.frames if self.samples is None else self.samples


def travels(roles: Roles, root_motion: str) -> bool:
    """Whether a bone carries the body forward. Raises MissingRole without the root bone asked for."""
    if root_motion == "bone" and roles.root is None:
        raise MissingRole("The rig has no root bone to carry the motion: use auto, object or none.")
    return root_motion in ("auto", "bone")


def keyed_rows(
    body: Body,
    moved: npt.NDArray[np.int32],
    motion: npt.NDArray[np.float32],
    slopes: npt.NDArray[np.float32],
) -> tuple[tuple[str, ...], npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Of the core's result for a body what is keyed: bones, motion, slopes and channels as in Walk."""
    rows = [row for row, index in enumerate(moved) if int(index) in body.keyed]
    keyed = [body.keyed[int(moved[row])] for row in rows]
    channels = np.array(
        [(one.location, one.rotation, False) for one in keyed] + [(False, True, False)] * len(body.held),
        dtype=bool,
    )
    motion, slopes = motion[rows], slopes[rows]
    # What is not keyed is left to what carries the bone: no keys, or keys at rest.
    moves, turns, _ = channels[: len(rows)].T
    motion[~moves, :3] = slopes[~moves, :3] = motion[~turns, 4:7] = slopes[~turns, 3:7] = 0.0
    motion[~turns, 3] = 1.0
    held = len(body.held)
    bones = (*(one.bone for one in keyed), *body.held)
    return bones, with_rest(motion, held, 1.0), with_rest(slopes, held, 0.0), channels


def with_rest(block: npt.NDArray[np.float32], bones: int, one: float) -> npt.NDArray[np.float32]:
    """The block with as many bones more at rest; one: the rotation's w and the scale, 0 for slopes."""
    rest = np.zeros((bones, *block.shape[1:]), dtype=np.float32)
    rest[:, [3, 7, 8, 9]] = one
    return np.concatenate([block, rest])


def feet_of(parts: Sequence[Part], roles: Roles) -> tuple[str, ...]:
    """The foot bone of each of the roles' legs; of a leg in one piece that one."""
    bones = {part.key: part.bone for part in parts}
    return tuple(bones.get(f"foot.{leg.side}", bones[f"thigh.{leg.side}"]) for leg in roles.legs)
