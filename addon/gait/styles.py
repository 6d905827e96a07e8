"""Styles: manners of a gait as TOML files of settings.

A file holds settings of a gait by their names in `GaitSettings`, each a line `name = value`; what it does not
set is as usual. A speed is that of legs of people's length, and is scaled for others as the usual speed is.
Those of addon/data/styles are known by name, any other by its path. A style gives what the call leaves at its
default: what is set in the call goes before it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ..errors import BadFile, BadSetting
from ..options import Option, options
from ..toml import line_of, parse_toml, read_text
from .settings import PACES, USUAL_SPEED, GaitSettings

FOLDER = Path(__file__).parents[1] / "data" / "styles"
# What a style may say: how to go; where, when and how it is keyed is the call's.
MANNER = (
    *("gait", "speed", "duty", "step_length", "arm_swing", "pelvis_sway", "pelvis_turn", "lean", "crouch"),
    *("bounce", "hunch", "nod", "arm_raise", "elbow_bend"),
)


def style_names() -> list[str]:
    """The styles that come with Amble."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_style(name: str | Path) -> dict[str, Any]:
    """The settings of one style: a name of `style_names`, or the path of a .toml file. Raises BadFile,
    BadSetting for a name that there is not."""
    path = Path(name)
    if path.suffix.lower() != ".toml":
        if str(name) not in style_names():
            raise BadSetting(
                f"There is no style {name}; there are {', '.join(style_names())}, and any .toml file by its "
                "path."
            )
        path = FOLDER / f"{name}.toml"
    text = read_text(path)
    found = parse_toml(text, str(path))
    known = _options()
    for key, value in found.items():
        line = line_of(text, key)
        where = f"{path}, line {line}" if line else str(path)
        if key not in known:
            raise BadFile(f"{where}: {key} is nothing that a style sets; it can set {', '.join(MANNER)}.")
        complaint = known[key].complaint_of_all(value)
        if complaint:
            raise BadFile(f"{where}: {key} {complaint}.")
    return found


def save_style(path: str | Path, settings: GaitSettings | None = None, **changes: Any) -> Path:
    """Save the manner of settings as a style: what of it is not as usual. settings may name a style, which is
    then the ground that the others change. Returns the path. Raises BadFile, BadSetting."""
    from .. import options as checks

    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise BadFile(f"{path} must end in .toml.")
    asked = checks.changed(GaitSettings, settings, changes)
    found, _ = styled(asked, changes)
    pace = _pace(asked, changes)
    usual = GaitSettings()
    lines = []
    for name in MANNER:
        value = getattr(found, name)
        if name == "speed" and value is None and pace != 1.0:
            value = round(pace * USUAL_SPEED[found.gait], 9)
        if value != getattr(usual, name):
            lines.append(f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {float(value)!r}")
    try:
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}.") from error
    return path


def styled(settings: GaitSettings, given: Collection[str] = ()) -> tuple[GaitSettings, float]:
    """The settings with what their style gives, and the factor that it gives on the usual speed.

    given: names of settings that the call sets, beside those that are not at their defaults.
    """
    if settings.style is None:
        return settings, 1.0
    usual = GaitSettings()
    ours = {name for name in MANNER if name in given or getattr(settings, name) != getattr(usual, name)}
    style = mixed(settings.style)
    changes = {name: value for name, value in style.items() if name not in ours and name != "speed"}
    if any(getattr(settings, name) is not None for name in PACES):
        changes.pop("step_length", None)
    return dataclasses.replace(settings, style=None, **changes), _pace(settings, given, style)


def mixed(text: str) -> dict[str, Any]:
    """The settings of a style, or of a mixture "NAME:WEIGHT+NAME:WEIGHT".

    Numbers are weighted means, in which a style that does not set one counts as usual; what has no usual
    number is the mean of those that set it, and a word that of the heaviest. Raises BadSetting, BadFile.
    """
    parts = _weights(text)
    styles = [(load_style(name), weight) for name, weight in parts]
    if len(styles) == 1:
        return styles[0][0]
    usual = GaitSettings()
    heaviest = max(styles, key=lambda one: one[1])[0]
    found: dict[str, Any] = {}
    for name in MANNER:
        if not any(name in style for style, _ in styles):
            continue
        initial = getattr(usual, name)
        if isinstance(initial, str):
            found[name] = heaviest.get(name, initial)
            continue
        if name == "speed":
            values = [
                (style.get(name, USUAL_SPEED[style.get("gait", usual.gait)]), share)
                for style, share in styles
            ]
        else:
            values = [(style.get(name, initial), share) for style, share in styles]
        values = [(value, share) for value, share in values if value is not None and share > 0.0]
        total = sum(share for _, share in values)
        if total > 0.0:
            found[name] = sum(value * share for value, share in values) / total
    return found


def name_of(gait: str, style: str | None) -> str:
    """The name of an action: the gait's, or that of its one style."""
    named = gait if style is None or "+" in style else Path(style.partition(":")[0]).stem
    return (named or gait).capitalize()


def _weights(text: str) -> list[tuple[str, float]]:
    """Names and weights of a mixture, the latter above or at 0 and not all 0."""
    if not text.strip():
        raise BadSetting("style is empty: name a style, or leave it out.")
    # A path may hold a plus or a colon: a text that is a file's name is no mixture.
    if "+" not in text and ":" not in text:
        return [(text.strip(), 1.0)]
    if text.lower().endswith(".toml") and Path(text).is_file():
        return [(text, 1.0)]
    found = []
    for part in text.split("+"):
        name, colon, number = part.rpartition(":")
        if not colon or number.lower().endswith(".toml"):
            name, number = part, "1"
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not (name.strip() and 0.0 <= weight < float("inf")):
            raise BadSetting(f"style {text}: write a mixture as NAME:WEIGHT+NAME:WEIGHT, weights from 0.")
        found.append((name.strip(), weight))
    if not any(weight > 0.0 for _, weight in found):
        raise BadSetting(f"style {text}: one of the weights must be more than 0.")
    return found


def _pace(
    settings: GaitSettings, given: Collection[str] = (), style: Mapping[str, Any] | None = None
) -> float:
    """By how much a style goes faster than usual; 1 where the call says how fast."""
    if settings.style is None or settings.speed is not None or "speed" in given:
        return 1.0
    style = mixed(settings.style) if style is None else style
    gait = settings.gait if settings.gait != GaitSettings().gait else style.get("gait", settings.gait)
    usual = USUAL_SPEED.get(gait, USUAL_SPEED["auto"])
    return float(style.get("speed", usual)) / usual


def _options() -> dict[str, Option]:
    return {option.name: option for option in options(GaitSettings) if option.name in MANNER}
