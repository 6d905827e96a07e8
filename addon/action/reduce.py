"""Fewer keys: which frames of a motion become keys, and with which handles. The choice is the core's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import core
from .channels import CHANNELS, MODES
from .hermite import Float32, KeyRows


@dataclass(frozen=True, slots=True)
class Chain:
    """Bones of a limb, each hanging from the one before, whose rotations share their keys, judged by points
    that the last of them carries.

    bones: rows of the motion; points: (p, 3), where they are at rest, armature space; tolerance: (p, frames),
    how far each may be off, in armature units.
    """

    bones: tuple[int, ...]
    points: NDArray[np.float64]
    tolerance: Float32


@dataclass(frozen=True, slots=True)
class Reduction:
    """What reduced keys must keep to.

    key: bool (frames,), frames that may become keys, among them the first and the last; the others only say
    how the motion goes between. tolerance: (bones, 3, frames), how far location (armature units), rotation
    (radians) and scale may be off; rest: (bones, 4, 4), armature space, of unit scale; chains: of those
    bones. object_tolerance: of the object's location.
    """

    key: NDArray[np.bool_]
    tolerance: Float32
    rest: NDArray[np.float64]
    chains: tuple[Chain, ...] = ()
    object_tolerance: float = 1e-3


def reduced_keys(
    frames: NDArray[np.float64],
    values: Float32,
    slopes: Float32,
    keyed: NDArray[np.bool_],
    modes: Sequence[str],
    reduction: Reduction,
) -> KeyRows:
    """The keys of every keyed row of a motion.

    values, slopes: (bones, 10, frames), rotations as each bone's mode writes them; keyed: (bones, 10).
    """
    count = len(modes)
    # The core wants the bones of a chain side by side.
    chain = np.full(count, -1, dtype=np.int32)
    for number, one in enumerate(reduction.chains):
        chain[list(one.bones)] = number
    order = np.argsort(chain, kind="stable")
    place = np.empty(count, dtype=np.int32)
    place[order] = np.arange(count, dtype=np.int32)
    chains = reduction.chains
    points = np.concatenate([one.points for one in chains]) if chains else np.empty((0, 3))
    tolerances = [one.tolerance for one in chains]
    keep, slope, before, after = core.load().fit_keys(
        frames,
        reduction.key.astype(np.int32),
        values[order],
        slopes[order],
        keyed[order].astype(np.int32),
        np.array([MODES.index(modes[bone]) for bone in order], dtype=np.int32),
        np.ascontiguousarray(reduction.tolerance[order]),
        chain[order],
        np.ascontiguousarray(reduction.rest[order]),
        np.repeat([place[one.bones[-1]] for one in chains], [len(one.points) for one in chains]).astype(
            np.int32
        ),
        points,
        np.concatenate(tolerances) if tolerances else np.empty((0, len(frames)), dtype=np.float32),
    )
    rows = keyed.nonzero()
    found = keep[place][rows].astype(bool)
    at = found.nonzero()
    slope, before, after = (block[place][rows][found] for block in (slope, before, after))
    counts = np.count_nonzero(found, axis=1)
    return KeyRows.of(frames[at[1]], values[rows][found], slope, before, after, counts)


def reduced_location(
    frames: NDArray[np.float64], values: Float32, slopes: Float32, reduction: Reduction
) -> KeyRows:
    """The same for an object's location, (axes, frames)."""
    block = np.zeros((2, 1, CHANNELS, len(frames)), dtype=np.float32)
    axes = len(values)
    block[0, 0, :axes], block[1, 0, :axes] = values, slopes
    keyed = np.zeros((1, CHANNELS), dtype=bool)
    keyed[:, :axes] = True
    own = Reduction(
        reduction.key,
        np.full((1, 3, len(frames)), reduction.object_tolerance, dtype=np.float32),
        np.eye(4)[None],
    )
    return reduced_keys(frames, block[0], block[1], keyed, ("QUATERNION",), own)
