"""Where the feet of a walk come down, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .body import Body

Floats = npt.NDArray[np.float64]

# A foot that is on the ground at the first frame came down within the stride before.
BEFORE = 1


@dataclass(frozen=True, slots=True)
class Step:
    """A stance. leg: index into the roles' legs; on, off: frames of first and last touch; place: (3,), where
    the heel stands, in the armature object's space as it is at the first frame; in place, as it is when the
    foot comes down.
    """

    leg: int
    on: float
    off: float
    place: Floats


def strikes(strides: float, phases: Floats) -> Floats:
    """Heel strikes of each leg in strides from the first frame, (legs, n): those in the motion, and at least
    one before and one after it.
    """
    return phases[:, None] + np.arange(-BEFORE, np.ceil(strides) + 2.0)


def last_bones(legs: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Of legs as the core is told them, (n, 4), each one's foot, or the thigh that is all of the leg."""
    return np.where(legs[:, 2] < 0, legs[:, 0], legs[:, 2])


def heels(
    native: Any, body: Body, moved: npt.NDArray[np.int32], motion: npt.NDArray[np.float32], count: int
) -> Floats:
    """Where each foot's heel comes down, (2, count, 3), armature units, from what the core gives for the body
    at `count` strikes of the left foot and then as many of the right.
    """
    given = body.arguments
    skeleton = (given["parents"], given["rest"], given["flags"])
    channels = np.zeros((len(given["parents"]), *motion.shape[1:]), dtype=np.float32)
    channels[:, [3, 7, 8, 9]] = 1.0
    channels[moved] = motion
    pose = native.forward_kinematics(*skeleton, channels)
    found = []
    for row, (foot, sole) in enumerate(zip(last_bones(given["legs"]), given["soles"], strict=True)):
        # The heel in the foot's own axes, then carried by its pose.
        own = np.linalg.solve(given["rest"][foot], np.append(sole[0], 1.0))
        rows = pose[foot, :, row * count : (row + 1) * count].reshape(3, 4, -1).astype(np.float64)
        found.append(np.einsum("rcf,c->fr", rows, own))
    return np.array(found)
