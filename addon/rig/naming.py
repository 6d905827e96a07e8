"""What a bone's name says: its words, its side in every convention, the body part it hints at.

Sides stand as prefix, suffix, in the middle, as letters or words, glued on or apart; numbers, namespaces
and layer marks are no part of what is compared. Nothing here looks at geometry, and nothing here decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .sides import OPPOSITE
from .words import (
    BY_WORD,
    LEFT_WORDS,
    MODIFIERS,
    PLAIN_WORDS,
    RIGHT_WORDS,
    SIDE_LETTERS,
    SIDE_LETTERS_OTHER,
)

_SIDE_WORDS = {**dict.fromkeys(LEFT_WORDS, "L"), **dict.fromkeys(RIGHT_WORDS, "R")}
_GLUED_SIDES = sorted((w for w in _SIDE_WORDS if len(w) >= 4 or not w.isascii()), key=len, reverse=True)
# One word: capitals before a capitalised word, a capitalised or small word, digits, or other letters.
_WORD = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-zß-öø-ÿ]+|[A-Z]+|[0-9]+|[\u0400-\u04ff]+|[\u3040-\u30ffー]+|[\uac00-\ud7af]+|[^\W_]",
)
_SYMBOLS = re.compile(r"[\w\s.:|-]+")
_LETTERS = {word for word in _SIDE_WORDS if re.fullmatch(r"[\u0400-\u04ff]", word)}
_HANGUL = re.compile(r"[\uac00-\ud7af]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a side out of a name: the side, and the rest of the words with a gap where it stood."""

    side: str
    rest: tuple[str, ...]
    rank: int


@lru_cache(maxsize=8192)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, in order, with numbers; namespaces before a colon are dropped."""
    plain = unicodedata.normalize("NFKC", name)
    if ":" in plain and plain.rsplit(":", 1)[1]:
        plain = plain.rsplit(":", 1)[1]
    if "|" in plain and plain.rsplit("|", 1)[1]:
        plain = plain.rsplit("|", 1)[1]
    pieces: list[str] = []
    for match in _WORD.finditer(plain):
        pieces.extend(_cut(match.group().lower()))
    return _joined_cjk(tuple(pieces))


def _joined_cjk(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Han characters come one by one; put those together that make a known word, sides excepted."""
    if all(piece.isascii() for piece in pieces):
        return pieces
    out: list[str] = []
    i = 0
    while i < len(pieces):
        longest = 1
        for j in range(len(pieces), i + 1, -1):
            run = "".join(pieces[i:j])
            if not run.isascii() and run in BY_WORD and not any(p in _SIDE_WORDS for p in pieces[i:j]):
                longest = j - i
                break
        out.append("".join(pieces[i : i + longest]))
        i += longest
    return tuple(out)


@lru_cache(maxsize=8192)
def _cut(word: str) -> tuple[str, ...]:
    """Cut a word that is several known ones written together ("upperleg", "leftfoot")."""
    if word in BY_WORD or word in _SIDE_WORDS or word in PLAIN_WORDS:
        return (word,)
    shortest = 2 if _HANGUL.fullmatch(word) else 6
    return (_pieces(word) if len(word) >= shortest else ()) or _cut_side(word)


def _known(word: str) -> bool:
    """Whether a word may be a piece of a longer one. One letter of Hangul is a syllable, often a word."""
    shortest = 3 if word.isascii() else 1 if _HANGUL.fullmatch(word) else 2
    return len(word) >= shortest and (word in BY_WORD or word in _GLUED_SIDES or word in MODIFIERS)


def _pieces(word: str) -> tuple[str, ...]:
    """The word as known words end to end, longest first piece first; empty when it cannot be."""
    for cut in range(len(word) - 1, 0, -1):
        head, tail = word[:cut], word[cut:]
        if not _known(head):
            continue
        if _known(tail):
            return (head, tail)
        more = _pieces(tail)
        if more:
            return (head, *more)
    return ()


def _makes_sense(word: str) -> bool:
    return word in BY_WORD or bool(_pieces(word))


def _cut_side(word: str) -> tuple[str, ...]:
    """Cut a side written onto a word without a gap, where the rest is a word of its own ("lhand", "左足")."""
    if word in BY_WORD or word in _SIDE_WORDS or word in PLAIN_WORDS:
        return (word,)
    for side in _GLUED_SIDES:
        if len(word) <= len(side):
            continue
        before, behind = word[: -len(side)], word[len(side) :]
        # One letter of an alphabet begins many words: it is a side where the rest is a word.
        if word.startswith(side) and (side not in _LETTERS or _makes_sense(behind)):
            return (side, *_cut(behind))
        if word.endswith(side) and (side.isascii() or _makes_sense(before)):
            return (*_cut(before), side)
    if word[0] in SIDE_LETTERS and len(word) >= 4 and _makes_sense(word[1:]):
        return (word[0], *_cut(word[1:]))
    return (word,)


@lru_cache(maxsize=8192)
def readings(name: str) -> tuple[Reading, ...]:
    """Every way to read a side out of a name, most likely first (words before letters, ends before the
    middle).
    """
    pieces = words(name)
    bare = [i for i, w in enumerate(pieces) if not w.isdigit()]
    found: list[Reading] = []
    for i, word in enumerate(pieces):
        gap = (*pieces[:i], "", *pieces[i + 1 :])
        if word in SIDE_LETTERS:
            place = 1 if bare and i == bare[-1] else 2 if bare and i == bare[0] else 3
            found.append(Reading(SIDE_LETTERS[word], gap, place))
        elif word in _SIDE_WORDS:
            found.append(Reading(_SIDE_WORDS[word], gap, 0 if len(word) > 3 or not word.isascii() else 4))
        else:
            for left, right in SIDE_LETTERS_OTHER:
                if word in (left, right) and bare and i in (bare[0], bare[-1]):
                    found.append(Reading("L" if word == left else "R", gap, 5))
    return tuple(sorted(found, key=lambda r: r.rank))


def side(name: str) -> str:
    """The side that a name alone suggests: "L", "R" or "" (letters of other languages need their partner)."""
    for reading in readings(name):
        if reading.rank < 5 and any(reading.rest):
            return reading.side
    return ""


def name_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs (left, right) whose names are equal but for the side. Each bone is in one pair at most."""
    place: dict[tuple[str, tuple[str, ...], str], int] = {}
    marks = [_layer_mark(name) for name in names]
    for i, name in enumerate(names):
        for reading in readings(name):
            place.setdefault((reading.side, reading.rest, marks[i]), i)
    wanted: list[tuple[int, int, int]] = []
    for i, name in enumerate(names):
        for reading in readings(name):
            j = place.get((OPPOSITE[reading.side], reading.rest, marks[i]))
            if reading.side == "L" and j is not None and j != i:
                wanted.append((reading.rank, i, j))
    pairs: list[tuple[int, int]] = []
    used: set[int] = set()
    for _, i, j in sorted(wanted, key=lambda w: (w[0], names[w[1]], names[w[2]])):
        if i not in used and j not in used:
            used.update((i, j))
            pairs.append((i, j))
    return pairs


def _layer_mark(name: str) -> str:
    """What the words leave out: signs before the first letter ("__UpLeg_L"), symbols anywhere."""
    lead = name[: len(name) - len(name.lstrip("_-. "))]
    return lead + _SYMBOLS.sub("", name)


@lru_cache(maxsize=8192)
def parts(name: str) -> frozenset[str]:
    """Body parts that the words of a name hint at (keys of words.PARTS), possibly none, possibly several."""
    pieces = [w for w in words(name) if not w.isdigit()]
    found = {BY_WORD[w] for w in pieces if w in BY_WORD}
    for first, second in pairwise(pieces):
        joined = BY_WORD.get(first + second)
        if joined:
            found.add(joined)
    return frozenset(found)


def stem(name: str) -> tuple[str, ...]:
    """The words of a name without side and numbers, to tell how alike two names are."""
    gap = next((r.rest for r in readings(name) if any(r.rest)), words(name))
    return tuple(w for w in gap if w and not w.isdigit())


def spoken(items: Iterable[str]) -> str:
    """Names in quotes, for messages."""
    return ", ".join(f'"{item}"' for item in items)
