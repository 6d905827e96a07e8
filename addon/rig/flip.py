"""Names of the other side: "Attack_L" and "Attack_R", "LeftArm" and "RightArm"."""

from __future__ import annotations

import re

_PAIRS = (
    ("left", "right"),
    ("lft", "rgt"),
    ("links", "rechts"),
    ("gauche", "droite"),
    ("izquierda", "derecha"),
    ("sinistra", "destra"),
    ("esquerda", "direita"),
    ("hidari", "migi"),
    ("左", "右"),
)
_OTHER = {word: other for pair in _PAIRS for word, other in (pair, pair[::-1])}
_OTHER |= {"l": "r", "r": "l"}
_LONG = "|".join(re.escape(word) for word in sorted(_OTHER, key=len, reverse=True) if len(word) > 1)
_CAPITAL = "|".join(word.capitalize() for word in _OTHER if word.isascii() and len(word) > 1)
# A side word ends where its letters do, or where a capital begins the next word; so does one that begins
# within a name. Single letters of the alphabet count only where they stand alone.
_WORD = re.compile(
    rf"(?<![A-Za-z])(?i:{_LONG})(?![a-z])"
    rf"|(?<=[a-z0-9])(?:{_CAPITAL})(?![a-z])"
    r"|左|右"
    r"|(?<![A-Za-z0-9])[LlRr](?![A-Za-z0-9])"
)


def flip_side(name: str) -> str:
    """The name with its side exchanged for the other, case kept; the same name where it tells no side.

    Of several sides in a name ("Left foot on the right stair") all change, as everything does in a mirror.
    """
    return _WORD.sub(lambda match: _like(match.group(), _OTHER[match.group().lower()]), name)


def _like(model: str, word: str) -> str:
    """The word in the letters of the model: capitals, a capital first, or small."""
    if model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word
