"""One leg or arm in detail: where the girdle ends, where the ground is touched, which bone is the toe."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .body import Body
from .pairs import Mirror

FLAT_SINE = 0.27  # a foot segment that falls less than this (16 degrees) lies flat on the ground
ON_GROUND = 0.06  # of the leg: joints no higher than this above the lowest may be the contact
MESH_GAP = 0.06  # of the leg: a last joint higher than this above its skin leaves the contact to the skin
BALL_GAP = 0.14  # the same where a bone lies flat there, or toes begin
IN_LINE = 0.966  # cosine of 15 degrees: the two halves of a cut thigh or upper arm
STUB = 0.15  # of the rest of the leg: a shorter first bone is no thigh
GIRDLE_WIDTH = 0.5  # a girdle bone starts nearer to the midline than this part of where it ends


@dataclass(frozen=True, slots=True)
class Contact:
    """place: index in the chain; end: "head", "tail" or "mesh"; point: float64 (3,) where the ground is
    touched.
    """

    place: int
    end: str
    point: npt.NDArray[np.float64]
    why: str


def split_girdle(body: Body, mirror: Mirror, chain: list[int], up: npt.NDArray[np.float64], arm: bool) -> int:
    """How many bones at the start of a chain lie between the trunk and the hip or shoulder joint."""
    count = 0
    while count < len(chain) - 1 and _is_girdle(body, mirror, chain[count:], up, arm):
        count += 1
    return count


def _is_girdle(body: Body, mirror: Mirror, chain: list[int], up: npt.NDArray[np.float64], arm: bool) -> bool:
    first, second = chain[0], chain[1]
    mine, next_ = body.hints[first], body.hints[second]
    step = body.heads[second] - body.heads[first]
    length = float(np.linalg.norm(step))
    steps = np.linalg.norm(np.diff(body.heads[chain[1:]], axis=0), axis=1)
    rest = float(steps.sum()) + (float(body.lengths[chain[-1]]) if body.tails_real else 0.0)
    if rest <= 0.0:
        rest = float(body.lengths[chain[-1]])
    if length < 0.01 * rest:
        return True
    upper = {"upperarm", "thigh"}
    lower = {"shin", "forearm"}
    x0 = abs(float(mirror.lateral(body.heads[first])))
    x1 = abs(float(mirror.lateral(body.heads[second])))
    sideways = x1 - x0
    if mine & upper and not mine & {"pelvis", "clavicle"}:
        # A helper that carries the name of what it leads to runs straight out of the middle.
        return bool(next_ & upper) and x0 < 0.05 * x1 and sideways > 0.8 * length and len(chain) > 2
    if mine & {"pelvis", "clavicle"}:
        # "Hip" and "shoulder" are joints where a knee or an elbow comes next, girdles where a limb does.
        return not next_ & lower or bool(next_ & upper)
    if mine & lower:
        return False
    if next_ & upper and not mine & upper:
        return True
    if len(chain) < 3:
        return False
    along = body.heads[chain[2]] - body.heads[second]
    in_line = float(step @ along) > IN_LINE * length * float(np.linalg.norm(along))
    if in_line and (arm or -float(step @ up) > 0.5 * length):
        return False
    if not arm and length < STUB * rest:
        return True
    if x0 > GIRDLE_WIDTH * x1:
        return False
    if arm:
        return len(chain) >= 4 and length < 0.72 * float(steps[0])
    return length < 0.35 * rest and sideways > 0.5 * length and -float(step @ up) < 0.75 * length


def find_contact(
    body: Body,
    chain: list[int],
    up: npt.NDArray[np.float64],
    low_skin: float | None,
    given: int = -1,
    given_end: str | None = None,
) -> Contact:
    """Where a leg's chain touches the ground. low_skin: height of the leg's lowest skin, None where it has
    none. given: place in the chain of the bone that was set to touch it; given_end: that end of it.
    """
    points = body.heads[chain]
    last_real = body.tails_real and float(body.lengths[chain[-1]]) > 1e-6 * body.size
    if last_real:
        points = np.vstack((points, body.skeleton.tails[chain[-1]]))
    heights = points @ up
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    leg = max(float(steps.sum()), 0.5 * float(np.ptp(heights)), 1e-9)
    if len(points) == 1:
        leg = float(body.lengths[chain[-1]])
    if given < 0:
        place, why = _first_on_ground(body, chain, heights, steps, leg)
    else:
        place, why = given, "the contact is set by hand"
        lower = last_real and place == len(chain) - 1 and heights[-2] - heights[-1] > ON_GROUND * leg
        if given_end == "tail" or (given_end is None and lower):
            place = len(chain)
            points = np.vstack((body.heads[chain], body.skeleton.tails[chain[-1]]))
        if given_end is not None:
            low_skin = None
    gap = heights[place] - low_skin if low_skin is not None else 0.0
    modelled = last_real and place >= len(chain) - 1
    toes = place < len(chain) and ("toe" in body.hints[chain[place]] or place < len(chain) - 1)
    if low_skin is not None and not modelled and gap > (BALL_GAP if toes else MESH_GAP) * leg:
        point = points[place] - gap * up
        return Contact(
            min(place, len(chain) - 1), "mesh", point, "the chain ends above the ground, only skin touches"
        )
    if place == len(chain):
        return Contact(len(chain) - 1, "tail", points[place], why)
    return Contact(place, "head", points[place], why)


def _first_on_ground(
    body: Body,
    chain: list[int],
    heights: npt.NDArray[np.float64],
    steps: npt.NDArray[np.float64],
    leg: float,
) -> tuple[int, str]:
    """The first joint after which the chain falls no more, and why; joints as in `find_contact`."""
    low = float(heights.min())
    place = int(np.argmin(heights))
    why = "the lowest joint of the chain"
    high = [i for i in range(len(heights)) if heights[i] - low > ON_GROUND * leg]
    for i in range(high[-1] + 1 if high else 1, len(heights)):
        if i == len(heights) - 1:
            place = i
            break
        fall = float(heights[i] - heights[i + 1])
        if fall < FLAT_SINE * float(steps[i]):
            place, why = i, "what follows lies flat on the ground"
            if _names_ball(body, chain, i):
                place, why = i + 1, "the toes begin here and lie flat"
            break
    return place, why


def _names_ball(body: Body, chain: list[int], place: int) -> bool:
    if place + 1 >= len(chain):
        return False
    here, there = body.hints[chain[place]], body.hints[chain[place + 1]]
    return "foot" in here and "toe" not in here and "toe" in there


def find_toe(body: Body, chain: list[int], contact: Contact) -> int:
    """The bone that stays flat while the foot rolls off over its head, or -1."""
    if contact.end != "head" or contact.place == 0:
        return -1
    bone, before = chain[contact.place], chain[contact.place - 1]
    if contact.place < 3 and "foot" not in body.hints[before]:
        return -1  # after thigh and shin it is the foot, in one piece, whatever it is called
    if "toe" in body.hints[bone] or "foot" in body.hints[before]:
        return bone
    if "foot" in body.hints[bone]:
        return bone if contact.place >= 4 else -1
    return bone if contact.place >= 3 else -1


def leg_length(body: Body, chain: list[int], contact: Contact) -> float:
    """From the hip joint along the chain's joints to the contact point, armature units."""
    last = contact.place + (1 if contact.end != "head" else 0)
    points = np.vstack((body.heads[chain[:last]], contact.point))
    if contact.end == "mesh":
        points = np.vstack((body.heads[chain[: contact.place + 1]], contact.point))
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
