"""What an action was made with, so that a button makes it again.

Settings are kept by every action; what was given beside them by those that a button made.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .features import FEATURES, Feature

PROPERTY = "amble_made"


@dataclass(frozen=True, slots=True)
class Made:
    """feature: its name; settings: of its dataclass; more: what was given beside them, by name."""

    feature: str
    settings: Any
    more: dict[str, Any]


def remember(result: Any, feature: Feature, settings: Any, more: dict[str, Any]) -> None:
    """Keep on the action of a result what it was made with."""
    action = result.action
    if action.library is not None or action.name in (more.get("a"), more.get("b"), more.get("action")):
        return
    values = {field.name: getattr(settings, field.name) for field in feature.own_fields()}
    given = {name: value for name, value in more.items() if name not in ("name", "overwrite")}
    kept = {"feature": feature.name, "settings": values, "more": given}
    action[PROPERTY] = json.dumps(kept, ensure_ascii=False)


def remembered(action: Any, wanted: Feature | None = None) -> Made:
    """What an action was made with. Raises AmbleError, with what to do, where that is not known, or where it
    was not made by the feature wanted."""
    from ..action.memory import Memory, recall, restore

    kept = _kept(action)
    more = kept.get("more", {})
    try:
        memory = recall(action)
    except Exception:
        if not kept:
            raise
        memory = Memory(action.name, kept["feature"], "", kept["settings"])
    feature = FEATURES.get(memory.feature)
    if feature is None:
        from ..errors import BadSetting

        raise BadSetting(f'"{action.name}" was made by {memory.feature}, which has no button here.')
    if wanted is not None and feature is not wanted:
        from ..errors import BadSetting

        raise BadSetting(
            f'"{action.name}" was made by {feature.name} and not by {wanted.name}: make it again with '
            f"amble.{feature.name}."
        )
    settings: Any = restore(memory, feature.settings, {})[0]
    return Made(feature.name, settings, {name: _tuples(value) for name, value in more.items()})


def feature_of(action: Any) -> str | None:
    """The feature that made an action and can make it again; None where there is none."""
    if action is None:
        return None
    name = _kept(action).get("feature") or _plain(action.get("amble")).get("feature")
    # Of a blend only a button keeps which actions it was made of.
    known = name in FEATURES and (name in ("gait", "idle") or bool(_kept(action)))
    return str(name) if known else None


def _kept(action: Any) -> dict[str, Any]:
    return _plain(action.get(PROPERTY))


def _plain(text: Any) -> dict[str, Any]:
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
