"""What was not found and should be: which candidates were looked at, why they are none, what to set."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import naming, sides
from .body import Body
from .limbs import ARM_HINTS, LEG_HINTS, NO_LIMB, WING_HINTS, Branch
from .pairs import Mirror
from .trunk import Trunk

MOST_SHOWN = 4  # candidates that a message lists
SHORT = 0.12  # of the size: shorter branches are no limbs
HOW = "in set_roles or a --roles file"


def find_missing(
    body: Body,
    mirror: Mirror,
    branches: list[Branch],
    legs: list[Branch],
    chains: list[tuple[str, list[int]]],
    trunk: Trunk,
    up: npt.NDArray[np.float64],
) -> dict[str, str]:
    """Role -> sentences, for the roles that no walk can do without. chains: side and bones of each leg."""
    found: dict[str, str] = {}
    if not legs:
        found["legs"] = (
            f"No legs were found. Looked at {_leg_candidates(body, mirror, branches, up)}. "
            f"Set legs, each with side and bones, {HOW}."
        )
    # A pair of legs without knees walks all the same; one such leg beside others does not.
    stiff = [(side, chain[0]) for side, chain in chains if len(chain) < 2]
    if stiff and not len(stiff) == len(chains) == 2:
        under = sorted({body.names[c] for _, b in stiff for c in body.children[b]})
        looked = f"looked at {naming.spoken(under[:MOST_SHOWN])}" if under else "no bone hangs under it"
        found["shin"] = (
            f'No shin was found: "{body.names[stiff[0][1]]}" is all of the {sides.WORDS[stiff[0][0]]} leg, '
            f"{looked}. Set legs, each with thigh, shin and foot, {HOW}: without knees only a pair walks."
        )
    if trunk.pelvis < 0:
        found["pelvis"] = (
            f"No pelvis was found. {_pelvis_candidates(body, legs)} "
            f"Set pelvis to the bone that carries the body {HOW}."
        )
    return found


def _leg_candidates(body: Body, mirror: Mirror, branches: list[Branch], up: npt.NDArray[np.float64]) -> str:
    floor = float((body.heads[body.kept] @ up).min())
    shown = [
        f"{_span(body, branch.chains[0])} with its partner ({_why_no_leg(body, branch, floor)})"
        for branch in sorted(branches, key=lambda b: (-b.reach, body.names[b.chains[0][0]]))
    ]
    lone = [
        b
        for b in range(len(body.names))
        if body.kept[b]
        and mirror.partner[b] < 0
        and body.hints[b] & LEG_HINTS
        and not (body.parents[b] >= 0 and body.hints[body.parents[b]] & LEG_HINTS)
    ]
    shown += [f"{_span(body, _line(body, b))} (no bone mirrors it)" for b in lone]
    if not shown:
        tops = [b for b in range(len(body.names)) if body.kept[b] and body.parents[b] < 0]
        shown = [f"{_span(body, _line(body, b))} (no other chain mirrors it)" for b in tops]
    more = len(shown) - MOST_SHOWN
    return ", ".join(shown[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _why_no_leg(body: Body, branch: Branch, floor: float) -> str:
    said = sorted(part for part in branch.hints if part in NO_LIMB | WING_HINTS | ARM_HINTS)
    if branch.count(NO_LIMB) > branch.count(LEG_HINTS | ARM_HINTS | WING_HINTS) or branch.count(WING_HINTS):
        return "named " + "/".join(said)
    if branch.reach < SHORT * body.size:
        return f"{100 * branch.reach / body.size:.0f} % of the body's size, too short"
    high = (branch.low - floor) / branch.reach
    if high > SHORT:
        return f"ends {100 * high:.0f} % of its length above the ground"
    return "named " + "/".join(said) if said else "moves no skin, or lies on another limb"


def _pelvis_candidates(body: Body, legs: list[Branch]) -> str:
    parents = sorted(
        {body.names[p] for b in legs for c in b.chains if (p := int(body.skeleton.parents[c[0]])) >= 0}
    )
    if not parents:
        return "The legs hang on no bone." if legs else "Without legs there is nothing to carry."
    return f"The legs hang on {naming.spoken(parents[:MOST_SHOWN])}, which have no bone in common above them."


def _span(body: Body, chain: list[int]) -> str:
    first, last = body.names[chain[0]], body.names[chain[-1]]
    return f'"{first}"' if len(chain) == 1 else f'"{first}" to "{last}"'


def _line(body: Body, bone: int) -> list[int]:
    """A bone and the largest branch below it, down to its end."""
    line = [bone]
    while body.children[line[-1]]:
        line.append(min(body.children[line[-1]], key=lambda c: (-len(body.descendants(c)), body.names[c])))
    return line
