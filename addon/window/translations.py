"""The panel in other languages: a table of texts each in the folder languages, given to Blender.

What a table does not hold, and what is said of a motion in sentences, is shown in English.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy

from .fields import CONTEXT

# Blender's name of each language by that of its table.
LANGUAGES = {"de": "de_DE", "fr": "fr_FR", "ja": "ja_JP", "zh": "zh_HANS"}
FOLDER = Path(__file__).parent / "languages"
# Tooltips, labels of operators, and all else.
_CONTEXTS = ("*", "Operator", CONTEXT)


def table(language: str) -> dict[str, str]:
    """English text -> text of a language."""
    found: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


def add_translations() -> None:
    """Give the tables to Blender."""
    # The stubs do not know that a key is a context and a text.
    translations: Any = bpy.app.translations
    translations.register(
        __name__,
        {
            blenders: {(context, text): said for text, said in table(ours).items() for context in _CONTEXTS}
            for ours, blenders in LANGUAGES.items()
        },
    )


def remove_translations() -> None:
    """Take them back."""
    bpy.app.translations.unregister(__name__)


def translated(text: str) -> str:
    """A text in the language of the interface."""
    translations: Any = bpy.app.translations
    return str(translations.pgettext_iface(text, CONTEXT))
