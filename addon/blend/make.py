"""The call: from two actions to the one that leads out of the first into the second."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from ..action.names import action_of
from ..rig import Roles
from ..rig.roles import separate
from .body import body_of, sources_of
from .measure import report_on
from .plan import plan, settings_of
from .report import BlendReport
from .settings import BlendSettings
from .table import table_of
from .writing import markers_of, write_joined


@dataclass(frozen=True, slots=True)
class BlendResult:
    """What a call made.

    action: the new action; report: figures of it (None where not asked for); roles: what was recognised;
    notes: one sentence each on what is not as it might be expected; frames: first and last of the action.
    """

    action: Any
    report: BlendReport | None
    roles: Roles = field(repr=False)
    notes: tuple[str, ...]
    frames: tuple[float, float]


def blend(
    armature_object: Any,
    a: Any,
    b: Any,
    settings: BlendSettings | None = None,
    *,
    name: str | None = None,
    overwrite: bool = False,
    report: bool = True,
    assign: bool = True,
    table: Any = None,
    **changes: Any,
) -> BlendResult:
    """Make an action that leads out of action a into action b, and let the object play it.

    a, b: actions, or names of actions. settings, changes: fields of BlendSettings, the latter by keyword:
    blend(rig, "Walk", "Jump", at=31, frames=12, curve="inertial"); frames="auto" is the default.
    name: of the action, default "A to B"; a number is added where it is taken, or with `overwrite` the old
    one is replaced. report: measure it. assign: False lets the object go on with what it plays.
    table: a transition table (TransitionTable, {(a, b): frames}, a TOML file, or True for the one kept on the
    object) that gives the frames where they are not set; a pair that is not in it is cut straight.

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    settings = settings_of(settings, changes)
    body = body_of(armature_object)
    first, second = action_of(a, "a"), action_of(b, "b")
    pairs = table_of(table, armature_object)
    if pairs is not None and settings.frames is None and settings.seconds is None:
        settings = dataclasses.replace(settings, frames=pairs.frames(first.name, second.name))
    body, (source_a, source_b), read_notes = sources_of(body, (first, second))
    planned = plan(body, source_a, source_b, settings, name or f"{first.name} to {second.name}")
    measured = report_on(body, planned, source_a, source_b) if report else None
    action, skipped = write_joined(
        body,
        planned.joined,
        planned.joined.name,
        overwrite=overwrite,
        assign=assign,
        markers=markers_of(planned.cut, settings, first, second),
        remembered=settings,
    )
    joined = planned.joined
    notes = tuple(dict.fromkeys((*read_notes, *planned.notes, *skipped, *body.rig.notes)))
    return BlendResult(action, measured, separate(body.rig.roles), notes, (joined.first, joined.last))
