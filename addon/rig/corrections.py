"""Roles set by hand: what may be said, how it is checked, how it stands in a TOML file.

Everything is optional; what is said takes the place of what recognition finds for that role, and the rest is
recognised as ever:

    facing = "-y"                 # an axis of the armature, or three numbers
    up = "z"
    ground = 0.0                  # height along up that the rest pose stands on, armature units
    root = "root"                 # "" says that there is none; so does [] for the lists
    pelvis = "Body"
    spine = ["Hips", "Abdomen"]   # upwards, without the pelvis
    neck = ["Neck"]
    head = "Head"
    tail = []
    pairs = [["Ear.L", "Ear.R"], ["Hat.L", ""]]    # "": the bone has no partner

    [[legs]]                      # all legs there are
    side = "L"                    # the character's own left; "C" for a leg in the middle
    bones = ["Thigh.L", "Shin.L", "Foot.L"]        # from the hip joint to the last one on the ground
    contact = "Foot.L"            # optional, and so are the next two
    contact_end = "tail"          # which end of it touches: "head" or "tail"
    toe = ""                      # bone that stays flat while the foot rolls off over its head

    [[arms]]
    side = "L"
    bones = ["UpperArm.L", "LowerArm.L", "Hand.L"]

Nothing here knows a rig; whether its bones are there is `given`'s business.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..errors import BadFile, BadSetting
from ..toml import parse_toml, read_text
from . import sides

BY_HAND = "set by hand"
SINGLE = ("pelvis", "root", "head")
CHAINS = ("spine", "neck", "tail")
ENDS = ("head", "tail")

MOST_TEXT = 60  # characters of a bad value that a message shows

Direction = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class GivenLimb:
    """A leg or an arm set by hand, fields as in Limb; None: to be found."""

    side: str
    bones: tuple[str, ...]
    contact: str | None = None
    contact_end: str | None = None
    toe: str | None = None


@dataclass(frozen=True, slots=True)
class Corrections:
    """Roles set by hand. None: not said; "" and (): said that there is none."""

    legs: tuple[GivenLimb, ...] | None = None
    arms: tuple[GivenLimb, ...] | None = None
    pelvis: str | None = None
    root: str | None = None
    head: str | None = None
    spine: tuple[str, ...] | None = None
    neck: tuple[str, ...] | None = None
    tail: tuple[str, ...] | None = None
    facing: Direction | None = None
    up: Direction | None = None
    ground: float | None = None
    pairs: tuple[tuple[str, str], ...] | None = None

    def said(self) -> tuple[str, ...]:
        """The roles that are set, in the order of the fields."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) is not None)

    def bones(self) -> list[tuple[str, str]]:
        """(where it stands, bone) of every bone that is named, in words for messages."""
        found = []
        for what in ("legs", "arms"):
            for number, limb in enumerate(getattr(self, what) or (), 1):
                found += [(limb_words(what, number, limb.side), bone) for bone in limb.bones]
        found += [(role, bone) for role in SINGLE if (bone := getattr(self, role))]
        for role in CHAINS:
            found += [(role, bone) for bone in getattr(self, role) or ()]
        return found + [("pairs", bone) for pair in self.pairs or () for bone in pair if bone]

    def plain(self) -> dict[str, Any]:
        """As plain values, the way `read` takes them."""
        found: dict[str, Any] = {}
        for role in self.said():
            value = getattr(self, role)
            if role in ("legs", "arms"):
                value = [
                    {
                        f.name: list(entry) if isinstance(entry, tuple) else entry
                        for f in fields(limb)
                        if (entry := getattr(limb, f.name)) is not None
                    }
                    for limb in value
                ]
            elif role == "pairs":
                value = [list(pair) for pair in value]
            elif isinstance(value, tuple):
                value = list(value)
            found[role] = value
        return found


def limb_words(what: str, number: int, side: str) -> str:
    """ "leg 2 (right)" for a message."""
    return f"{what[:-1]} {number} ({sides.WORDS[side]})"


NONE = Corrections()


def read(content: Mapping[str, Any]) -> Corrections:
    """Corrections from plain values, as a TOML or JSON file or a script holds them.

    Raises BadSetting, which names the key or the bone and what to put there.
    """
    if not isinstance(content, Mapping):
        raise BadSetting(f"Roles are given as a table of role and bones, not as {_shown(content)}.")
    known = [f.name for f in fields(Corrections)]
    for key in content:
        if key not in known:
            raise BadSetting(f"There is no role {_shown(key)}: use {', '.join(known)}.")
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key in ("legs", "arms"):
            values[key] = _limbs(key, value)
        elif key in SINGLE:
            values[key] = _name(key, value, none=True)
        elif key in CHAINS:
            values[key] = _names(key, value)
        elif key in ("facing", "up"):
            values[key] = _direction(key, value)
        elif key == "ground":
            values[key] = _number(key, value)
        else:
            values[key] = _pairs(value)
    found = Corrections(**values)
    _check_bones_once(found)
    _check_sides(found)
    return found


def _limbs(key: str, value: Any) -> tuple[GivenLimb, ...]:
    if not isinstance(value, (list, tuple)):
        raise BadSetting(f"{key} must be a list of tables, [[{key}]] in TOML, not {_shown(value)}.")
    known = [f.name for f in fields(GivenLimb)][: None if key == "legs" else 2]
    found = []
    for number, entry in enumerate(value, 1):
        where = f"{key[:-1]} {number}"
        if not isinstance(entry, Mapping):
            raise BadSetting(f"{where} must be a table with side and bones, not {_shown(entry)}.")
        for name in entry:
            if name not in known:
                raise BadSetting(f"{where} has no key {_shown(name)}: use {', '.join(known)}.")
        for name in ("side", "bones"):
            if name not in entry:
                raise BadSetting(f"{where} has no {name}: give its side and its bones.")
        side = entry["side"]
        if not isinstance(side, str) or side not in sides.WORDS:
            raise BadSetting(f'{where}: side must be "L", "R" or "C", not {_shown(side)}.')
        bones = _names(f"{where}: bones", entry["bones"])
        if not bones:
            raise BadSetting(f"{where} has no bones: name them from the joint at the trunk to the end.")
        limb = GivenLimb(
            side=side,
            bones=bones,
            contact=_name(f"{where}: contact", entry["contact"]) if "contact" in entry else None,
            contact_end=entry.get("contact_end"),
            toe=_name(f"{where}: toe", entry["toe"], none=True) if "toe" in entry else None,
        )
        _check_foot(where, limb)
        found.append(limb)
    return tuple(found)


def _check_foot(where: str, limb: GivenLimb) -> None:
    for role, bone in (("contact", limb.contact), ("toe", limb.toe)):
        if bone and bone not in limb.bones:
            raise BadSetting(f'{where}: the {role} "{bone}" is none of its bones: add it to them.')
    if limb.contact_end is None:
        return
    if limb.contact_end not in ENDS or not isinstance(limb.contact_end, str):
        raise BadSetting(f'{where}: contact_end must be "head" or "tail", not {_shown(limb.contact_end)}.')
    if limb.contact is None:
        raise BadSetting(f"{where}: contact_end says nothing without contact: give both.")
    if limb.contact_end == "tail" and limb.contact != limb.bones[-1]:
        raise BadSetting(
            f"{where}: only the last bone touches the ground with its tail: give the bone after "
            f'"{limb.contact}" as contact, with contact_end = "head".'
        )


def _name(where: str, value: Any, none: bool = False) -> str:
    if isinstance(value, str) and (value or none):
        return value
    more = ' ("" where there is none)' if none else ""
    raise BadSetting(f"{where} must be the name of a bone{more}, not {_shown(value)}.")


def _names(where: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise BadSetting(f"{where} must be a list of bone names, not {_shown(value)}.")
    found = tuple(_name(where, bone) for bone in value)
    for bone in found:
        if found.count(bone) > 1:
            raise BadSetting(f'{where} names "{bone}" twice: name each bone once.')
    return found


def _number(where: str, value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            if math.isfinite(value):
                return float(value)
        except OverflowError:
            pass
    raise BadSetting(f"{where} must be a finite number, not {_shown(value)}.")


def _direction(where: str, value: Any) -> Direction:
    wanted = f'{where} must be an axis such as "-y" or three numbers, not {_shown(value)}.'
    if isinstance(value, str):
        match = re.fullmatch(r"([+-]?)([xyz])", value.strip().lower())
        if match is None:
            raise BadSetting(wanted)
        sign = -1.0 if match[1] == "-" else 1.0
        x, y, z = (sign * float(axis == match[2]) for axis in "xyz")
        return x + 0.0, y + 0.0, z + 0.0
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise BadSetting(wanted)
    parts = [_number(where, part) for part in value]
    length = math.hypot(*parts)
    if not 1e-6 < length < 1e100:
        raise BadSetting(f"{where} has no direction: {_shown(value)}.")
    x, y, z = (part / length for part in parts)
    return x, y, z


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, (list, tuple)):
        raise BadSetting(f"pairs must be a list of pairs of bone names, not {_shown(value)}.")
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    for pair in value:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise BadSetting(f'pairs: write each as ["left bone", "right bone"], not as {_shown(pair)}.')
        first, second = _name("pairs: the first", pair[0]), _name("pairs: the second", pair[1], none=True)
        for bone in (first, second):
            if bone in seen or (first == second):
                raise BadSetting(f'pairs: "{bone}" is named twice: a bone has one partner.')
            if bone:
                seen.add(bone)
        found.append((first, second))
    return tuple(found)


def _check_bones_once(found: Corrections) -> None:
    """A bone plays one role."""
    place: dict[str, str] = {}
    for where, bone in found.bones():
        if where == "pairs":
            continue
        if bone in place:
            raise BadSetting(
                f'"{bone}" is set twice, as {place[bone]} and as {where}: leave it in one of them.'
            )
        place[bone] = where


def _check_sides(found: Corrections) -> None:
    for what in ("legs", "arms"):
        given = [limb.side for limb in getattr(found, what) or ()]
        for side, other in sides.OPPOSITE.items():
            if given.count(side) > 1 and other not in given:
                raise BadSetting(
                    f"{what}: {given.count(side)} are on the {sides.WORDS[side]} side and none on the "
                    f"{sides.WORDS[other]}: correct a side."
                )
    side_of = {bone: limb.side for limb in (*(found.legs or ()), *(found.arms or ())) for bone in limb.bones}
    for first, second in found.pairs or ():
        if first in side_of and side_of.get(second) == side_of[first]:
            raise BadSetting(
                f'pairs: "{first}" and "{second}" belong to limbs of the same side: '
                "correct the pair or a side."
            )


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"


# ---- as text ----


def parse(text: str, source: str) -> Corrections:
    """Corrections from TOML text. source: its name in messages. Raises BadFile, which names the line."""
    content = parse_toml(text, source)
    try:
        return read(content)
    except BadSetting as error:
        raise BadFile(f"{source}{_line_of(text, str(error))}: {error}") from error


def _line_of(text: str, complaint: str) -> str:
    """ ", line 7" where what is complained of stands, as far as one line can be told."""
    lines = text.splitlines()
    limb = re.match(r"(leg|arm) (\d+)", complaint)
    first = 0
    if limb:
        heads = [i for i, line in enumerate(lines) if re.match(rf"\s*\[\[\s*{limb[1]}s\s*\]\]", line)]
        if len(heads) < int(limb[2]):
            return ""
        first = heads[int(limb[2]) - 1]
    for name in re.findall(r'"((?:[^"\\]|\\.)+)"', complaint):
        for i, line in enumerate(lines[first:], first + 1):
            if f'"{name}"' in line or re.match(rf"\s*\[*\s*{re.escape(name)}\s*[\]=.]", line):
                return f", line {i}"
    key = re.match(r"(?:(?:leg|arm) \d+: )?(\w+)", complaint)
    for i, line in enumerate(lines[first:], first + 1):
        if key and re.match(rf"\s*\[*\s*{re.escape(key[1])}\s*[\]=]", line):
            return f", line {i}"
    return f", line {first + 1}" if limb else ""


def load(path: str | Path) -> Corrections:
    """Corrections from a TOML file. Raises BadFile, which names the file and the line."""
    return parse(read_text(path), str(path))


@dataclass(slots=True)
class _Text:
    """Lines of a TOML file. hint: written as a comment, for what is known but not set."""

    lines: list[str] = field(default_factory=list)

    def key(self, name: str, value: Any, hint: bool = False) -> None:
        self.lines.append(f"{'# ' if hint else ''}{name} = {_toml(value)}")


def dump(said: Corrections, hints: Corrections = NONE, title: Sequence[str] = ()) -> str:
    """TOML text that `parse` reads as `said`; what only `hints` holds stands in it as comments."""
    text = _Text([*(f"# {' '.join(line.split())}" for line in title)])
    plain, known = said.plain(), hints.plain()
    for role in (f.name for f in fields(Corrections)):
        if role in ("legs", "arms") or (role not in plain and role not in known):
            continue
        text.key(role, plain.get(role, known.get(role)), hint=role not in plain)
    for what in ("legs", "arms"):
        if what in plain and not plain[what]:
            text.key(what, [])
    for what in ("legs", "arms"):
        for limb in plain.get(what, ()):
            text.lines += ["", f"[[{what}]]"]
            for name, value in limb.items():
                text.key(name, value)
    return "\n".join(text.lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, str):
        # A TOML basic string is a JSON string, but for one character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return repr(float(value))
