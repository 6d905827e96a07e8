"""What every curve of the mirrored action is made of: sums of the source's curves, or a motion drawn anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..action.channels import ROTATION_PATHS, rotation_path
from ..action.read import Clip
from .maps import Map

DEFAULTS = {
    "location": (0.0, 0.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
}
# Factors nearer to 0 than this are rounding.
NOTHING = 1e-7


@dataclass(slots=True)
class Sum:
    """One component of a property: terms of (row in the clip, factor), the first lends its keys; added;
    changed: its terms are not as the curves have them."""

    axis: int
    terms: list[tuple[int, float]]
    added: float
    changed: bool = False

    @property
    def same(self) -> bool:
        """Whether it is its only term, unchanged."""
        return len(self.terms) == 1 and self.terms[0][1] == 1.0 and self.added == 0.0 and not self.changed


@dataclass(slots=True)
class Group:
    """A property of a bone ("" is the object) that gets curves. kind: location, rotation or scale; rows: of
    the source's curves by component, -1 where there is none; sums: None where no sum is exact; why: in words.
    """

    bone: str
    source: str
    kind: str
    path: str
    rows: list[int]
    sums: list[Sum] | None
    why: str = ""
    constants: list[tuple[int, float]] = field(default_factory=list)


def groups_of(clip: Clip, maps: dict[str, Map], modes: dict[str, str], active: Sequence[bool]) -> list[Group]:
    """The groups of all mapped bones. active: by row, whether a curve counts (is not muted)."""
    rows: dict[tuple[str, str], list[int]] = {}
    for row, channel in enumerate(clip.channels_of):
        size = len(DEFAULTS.get(channel.path, ()))
        if active[row] and channel.axis < size:
            rows.setdefault((channel.bone, channel.path), [-1] * size)[channel.axis] = row
    found = []
    for bone, one in maps.items():
        for kind in ("location", "rotation", "scale"):
            source_path = kind if kind != "rotation" else rotation_path(modes.get(one.source, "QUATERNION"))
            path = kind if kind != "rotation" else rotation_path(modes.get(bone, "QUATERNION"))
            own = rows.get((one.source, source_path), [-1] * len(DEFAULTS[source_path]))
            group = Group(bone, one.source, kind, path, own, None)
            if max(own) >= 0 or one.moves_rest(kind):
                _set_up(group, one, modes, source_path)
                found.append(group)
    return found


def _set_up(group: Group, one: Map, modes: dict[str, str], source_path: str) -> None:
    if one.general:
        group.why = "it hangs on another bone than its partner does"
        return
    defaults = DEFAULTS[source_path]
    if group.kind == "location":
        _sum(group, one.location, [row[3] for row in one.location], defaults)
    elif group.kind == "scale":
        _sum(group, one.scale, (0.0,) * 3, defaults)
    elif source_path != group.path:
        group.why = "its rotation mode is not its partner's"
    elif group.path == "rotation_quaternion":
        _sum(group, one.rotation, (0.0,) * 4, defaults)
    elif not one.keeps_rest:
        group.why = "it is turned about the reference line"
    elif group.path == "rotation_axis_angle":
        _sum(group, one.rotation, (0.0,) * 4, defaults)
    else:
        _euler(group, one, modes, defaults)


def _euler(group: Group, one: Map, modes: dict[str, str], defaults: Sequence[float]) -> None:
    """Angles change places as their axes do, where these lie along each other and turn in the same order."""
    turn = [row[1:] for row in one.rotation[1:]]
    onto = {}
    for axis in range(3):
        whole = [k for k in range(3) if abs(turn[k][axis]) == 1.0]
        if len(whole) != 1:
            group.why = "its axes do not lie along its partner's mirrored ones"
            return
        onto["XYZ"[axis]] = "XYZ"[whole[0]]
    if "".join(onto[axis] for axis in modes[group.source]) != modes[group.bone]:
        group.why = "its rotation order is not its partner's mirrored one"
        return
    _sum(group, turn, (0.0,) * 3, defaults)


def _sum(group: Group, matrix: Any, added: Sequence[float], defaults: Sequence[float]) -> None:
    group.sums = []
    for axis, line in enumerate(matrix):
        terms, rest = [], added[axis]
        for column, default in enumerate(defaults):
            factor = line[column]
            if abs(factor) <= NOTHING:
                continue
            if group.rows[column] >= 0:
                terms.append((group.rows[column], factor))
            else:
                rest += factor * default
        if terms:
            group.sums.append(Sum(axis, terms, rest))
        elif abs(rest - DEFAULTS[group.path][axis]) > 1e-6:
            group.constants.append((axis, rest))


def choose_first_terms(groups: Sequence[Group], flat: Sequence[bool]) -> None:
    """Put the term first whose curve each sum is to become: one for each, the weightiest that moves."""
    for group in groups:
        used: set[int] = set()
        for one in sorted(group.sums or (), key=lambda s: -max(abs(f) for _, f in s.terms)):
            best = max(one.terms, key=lambda t: (t[0] not in used, not flat[t[0]], abs(t[1])))
            if flat[best[0]] and not all(flat[row] for row, _ in one.terms):
                best = max(one.terms, key=lambda t: (not flat[t[0]], abs(t[1])))
            used.add(best[0])
            one.terms.remove(best)
            one.terms.insert(0, best)


def flat_rows(clip: Clip) -> list[bool]:
    """Which curves hold one value, keys and handles."""
    if not len(clip.channels_of):
        return []
    found = np.ones(len(clip.channels_of), bool)
    some = np.diff(clip.starts) > 0
    begins = clip.starts[:-1][some]
    first = clip.points[begins, 1]
    for block in (clip.points, clip.left, clip.right):
        values = block[:, 1]
        low, high = np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)
        found[some] &= (low == first) & (high == first)
    return found.tolist()


def modes_with_four(mode: str) -> bool:
    """Whether a rotation of that mode has four numbers."""
    return mode in ROTATION_PATHS
