"""Roles as text: an aligned table for people, plain values for programs."""

from __future__ import annotations

import dataclasses
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import Any

from . import naming, sides
from .given import axis_words
from .roles import Limb, Roles
from .skeleton import Skeleton

WIDTH = 116  # columns of the whole table
BONES = 46  # of its bones
ARROW = " › "
NONE = "–"


def limb_name(limb: Limb, what: str, legs: int) -> str:
    """ "left fore leg"; legs: how many the body has."""
    pair = f"{limb.pair} " if what == "leg" and legs > 2 and limb.pair else ""
    if pair.strip().isdigit():
        return f"{sides.WORDS[limb.side]} leg {limb.pair}"
    return f"{sides.WORDS[limb.side]} {pair}{what}"


def unpaired(skeleton: Skeleton, roles: Roles) -> list[str]:
    """Bones whose names say left or right and that have no partner."""
    paired = {bone for pair in roles.pairs for bone in pair}
    return sorted(name for name in skeleton.names if name not in paired and naming.side(name))


def as_dict(skeleton: Skeleton, roles: Roles) -> dict[str, Any]:
    """All that is known as plain values: the fields of Roles, and the bones that have no partner."""
    return {**_plain(dataclasses.asdict(roles)), "unpaired": unpaired(skeleton, roles)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def headline(name: str, skeleton: Skeleton, roles: Roles) -> str:
    """The rig in one line: '"rig": biped, 66 bones, faces -y, legs 0.87 long'."""
    kind = {"none": "no legs", "six": "six legs", "eight": "eight legs", "other": "other"}.get(
        roles.kind, roles.kind
    )
    legs = f", legs {roles.leg_length:.3g} long" if roles.legs else ""
    return f'"{name}": {kind}, {len(skeleton.names)} bones, faces {axis_words(roles.facing)}{legs}'


def table(skeleton: Skeleton, roles: Roles) -> str:
    """Role, how sure, bones and why, aligned; below it what is missing, and warnings."""
    rows = [("role", "sure", "bones", "why")]

    def add(role: str, bones: Sequence[str], *more: str) -> None:
        sure = roles.sure.get(role)
        found = [*broken(bones), *more] if bones else [NONE]
        rows.append(
            (
                role,
                _percent(sure) if bones else "",
                "\n".join(found),
                roles.why.get(role, "") if bones else "",
            )
        )

    add("facing", [axis_words(roles.facing)])
    add("up", [axis_words(roles.up)], f"ground at {roles.ground:.4g}")
    add("root", [roles.root] if roles.root else [])
    add("pelvis", [roles.pelvis] if roles.pelvis else [])
    add("spine", roles.spine)
    add("neck", roles.neck)
    add("head", [roles.head] if roles.head else [])
    add("tail", roles.tail)
    for what, limbs in (("leg", roles.legs), ("arm", roles.arms), ("wing", roles.wings)):
        rows += [_limb_row(limb, what, len(roles.legs)) for limb in limbs]
        if not limbs and what != "wing":
            rows.append((f"{what}s", "", NONE, ""))
    alone = unpaired(skeleton, roles)
    pairs = f"{len(roles.pairs)} left and right"
    if alone:
        pairs += f"\nwithout partner: {_few(alone)}"
    rows.append(("pairs", _percent(roles.sure.get("pairs")), pairs, roles.why.get("pairs", "")))
    text = _aligned(rows)
    for title, sentences in (("Missing", [*roles.missing.values()]), ("Warnings", roles.warnings)):
        if sentences:
            text += f"\n\n{title}:\n" + "\n".join(
                textwrap.fill(s, WIDTH, initial_indent="  ", subsequent_indent="    ") for s in sentences
            )
    return text


def _limb_row(limb: Limb, what: str, legs: int) -> tuple[str, str, str, str]:
    lines = broken(limb.bones)
    if limb.girdle:
        lines.append(f"hangs on: {ARROW.join(limb.girdle)}")
    if limb.contact:
        end = {"mesh": "skin below", "head": "head of", "tail": "tail of"}[limb.contact_end]
        lines.append(f"on the ground: {end} {limb.contact}")
    if limb.toe:
        lines.append(f"rolls off over: {limb.toe}")
    return limb_name(limb, what, legs), _percent(limb.sure), "\n".join(lines), limb.why


def broken(bones: Sequence[str], width: int = BONES) -> list[str]:
    """Bones one after the other, in lines of at most `width` columns broken between names."""
    lines = [""]
    for k, bone in enumerate(bones):
        piece = (ARROW if k else "") + bone
        if lines[-1] and _columns(lines[-1] + piece) > width:
            lines.append("  " + piece.lstrip())
        else:
            lines[-1] += piece
    return lines


def _few(names: Sequence[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _percent(sure: float | None) -> str:
    return "" if sure is None else f"{100 * sure:3.0f} %"


def _columns(text: str) -> int:
    """Columns that a terminal gives a text: two for each letter of Chinese, Japanese, Korean."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _aligned(rows: Sequence[tuple[str, str, str, str]]) -> str:
    cells = [[cell.split("\n") for cell in row] for row in rows]
    widths = [max(_columns(line) for row in cells for line in row[k]) for k in range(3)]
    widths[2] = max(widths[2], 20)
    rest = max(WIDTH - sum(widths) - 6, 30)
    lines = []
    for row in cells:
        columns = [*row[:3], textwrap.wrap(row[3][0], rest) or [""]]
        for k in range(max(len(column) for column in columns)):
            line = ""
            for column, width in zip(columns, [*widths, 0], strict=True):
                cell = column[k] if k < len(column) else ""
                line += cell + " " * (width - _columns(cell) + 2 if width else 0)
            lines.append(line.rstrip())
    rule = "─" * min(WIDTH, max(_columns(line) for line in lines))
    return "\n".join([lines[0], rule, *lines[1:]])
