"""Making an action again from what it was made with, with something changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .action.memory import recall
from .errors import BadSetting, check_there
from .gait.make import Result, gait_again
from .idle.make import idle_again

# By the name that an action keeps, who makes it again: (object, kept settings, changes, **how) -> result.
_MAKERS: dict[str, Callable[..., Any]] = {"gait": gait_again, "idle": idle_again}


def again(
    armature_object: Any,
    action: Any = None,
    *,
    name: str | None = None,
    overwrite: bool = False,
    report: bool = True,
    **changes: Any,
) -> Result:
    """Make an action again as it was made, but for the settings given: again(rig, walk.action, speed=1.2).

    action: one that Amble made, default the one that the object plays. Settings are read from the action, not
    from what became of it; keys moved by hand since are lost with `overwrite`, and kept in the old action
    without.
    name: of the new action, default the old one's, with a number added; with `overwrite` the old one is
    replaced, and whatever plays it plays the new motion.
    report, changes, and what is raised: as in the call that made it.
    """
    check_there(armature_object)
    if action is None:
        data = getattr(armature_object, "animation_data", None)
        action = data.action if data is not None else None
        if action is None:
            name_of = getattr(armature_object, "name", armature_object)
            raise BadSetting(f'"{name_of}" plays no action: name the one that is to be made again.')
    memory = recall(action)
    maker = _MAKERS.get(memory.feature)
    if maker is None:
        raise BadSetting(
            f'"{action.name}" was made by {memory.feature} of Amble {memory.version}, which this version '
            f"cannot make again: it can do {', '.join(sorted(_MAKERS))}."
        )
    result: Result = maker(
        armature_object,
        memory,
        changes,
        name=action.name if name is None else name,
        overwrite=overwrite,
        report=report,
    )
    return result
