"""What carries a control when it is not moved itself: read off how it moved along with nudges of others."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .bench import Floats
from .response import SAME_PLACE, SAME_TURN, Answer


class Carried(NamedTuple):
    """What carries a control: the last fields of `controls.Control`."""

    anchor: str | None = None
    hinge: bool = False
    second: str | None = None
    share: float = 0.0


def find_carrier(
    answers: Sequence[Answer],
    row: int,
    head: Floats,
    rows: Mapping[str, int],
    *,
    leg: float,
    location: bool,
) -> tuple[Carried, bool]:
    """What a thing (row) goes along with whatever is nudged (answers), and whether it is just that.

    head: (3,), place of the thing's head; rows: by part, in order of preference, the thing that shows its
    motion; leg: length; location: whether the thing's place matters.
    """
    point = np.append(head, 1.0)
    places = (np.array([a.motion for a in answers]) @ point)[..., :3] - head
    turned = np.array([a.vectors for a in answers])
    told = np.array([places / (SAME_PLACE * leg), turned / SAME_TURN])  # (2, answers, things, 3)
    own = told[:, :, row]
    moves: dict[str | None, Floats] = {
        None: np.zeros_like(own),
        **{k: told[:, :, r] for k, r in rows.items()},
    }

    def misses(key: str | None) -> tuple[int, int]:
        """In how many answers it turns, and goes, elsewhere than a part."""
        place, turn = (np.linalg.norm(moves[key] - own, axis=2) >= 1.0).sum(axis=1)
        return int(turn), int(place)

    counts = {key: misses(key) for key in moves}
    if counts[None] == (0, 0):
        return Carried(), True
    for part in rows:
        turn, place = counts[part]
        if turn == 0 and (place == 0 or not location):
            return Carried(part), True
    if counts[None][0] == 0:
        for part in rows:
            if counts[part][1] == 0:
                return Carried(part, hinge=True), True
        if not location:
            return Carried(), True
    mixed = _mixed(own, moves)
    if mixed is not None:
        return mixed, True
    return Carried(min(counts, key=lambda k: counts[k][0] + (counts[k][1] if location else 0))), False


def _mixed(own: Floats, moves: Mapping[str | None, Floats]) -> Carried | None:
    """The two parts (None: what stands still) that carry a thing in shares, whichever bone is nudged: their
    shares of its motion are found from all answers at once."""
    best: tuple[float, Carried] | None = None
    for first, second in itertools.combinations(moves, 2):
        # Places are mixed in proportion to the last digit, turns nearly so.
        way, gone = (moves[second] - moves[first])[0], (own - moves[first])[0]
        square = float((way * way).sum())
        share = float((gone * way).sum()) / square if square > 1.0 else 0.0
        off = float(np.abs((1.0 - share) * moves[first] + share * moves[second] - own).max())
        if 0.0 < share < 1.0 and off < 1.0 and (best is None or off < best[0]):
            best = (off, Carried(first, False, second, share))
    return best[1] if best is not None else None
