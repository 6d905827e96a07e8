"""Many clips into one action: a playlist."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..action.names import action_of, list_of
from ..errors import BadFile, BadSetting
from ..options import LAST_FRAME
from ..rig import Roles
from ..rig.roles import separate
from ..toml import load_toml
from .body import body_of, sources_of
from .join import Cut
from .measure import report_on
from .plan import Planned, plan, settings_of
from .report import BlendReport
from .settings import BlendSettings
from .source import Source
from .table import table_of
from .writing import write_joined


@dataclass(frozen=True, slots=True)
class SequenceResult:
    """What a playlist made.

    action: the new action; reports: of each transition; starts: frame of the result at which each clip's
    entry is shown; roles, notes, frames: as of one transition.
    """

    action: Any
    reports: tuple[BlendReport, ...]
    starts: tuple[float, ...]
    roles: Roles = field(repr=False)
    notes: tuple[str, ...]
    frames: tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Entry:
    """action; leave: own frame of the clip at which it is left, or None for its last; after: frames after its
    entry instead; settings of the transition into it."""

    action: Any
    leave: float | None
    after: float | None
    changes: Mapping[str, Any]


def sequence(
    armature_object: Any,
    clips: Sequence[Any],
    settings: BlendSettings | None = None,
    *,
    name: str = "Sequence",
    overwrite: bool = False,
    report: bool = True,
    assign: bool = True,
    table: Any = None,
    **changes: Any,
) -> SequenceResult:
    """Make one action out of many clips, each blended into the next.

    clips: actions, names, or dicts with "action" and settings of the transition into that clip; "leave", the
    clip's own frame at which it is left, or "after", frames after the cut into it, breaks it off, in the
    middle of its transition too. settings, changes: fields of BlendSettings for all of them.
    table: a transition table (see `blend`). name, overwrite, report, assign: as in `blend`.

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    common = settings_of(settings, changes)
    entries = [_entry(one) for one in list_of(clips, "clips")]
    if not entries:
        raise BadSetting("There is no clip in the sequence: give at least one.")
    body = body_of(armature_object)
    body, sources, notes = sources_of(body, [entry.action for entry in entries])
    pairs = table_of(table, armature_object)
    now: Source = sources[0]
    starts = [sources[0].first]
    # Frame of the result at which the clip's own frame `base` is shown.
    shown, base = sources[0].first, sources[0].first
    done: list[tuple[Planned, Source, Source]] = []
    markers: list[tuple[str, float]] = [(m.name, float(m.frame)) for m in entries[0].action.pose_markers]
    for before, entry, source in zip(entries, entries[1:], sources[1:], strict=False):
        own = dict(entry.changes)
        if pairs is not None and not {"frames", "seconds"} & set(own):
            own["frames"] = pairs.frames(before.action.name, entry.action.name)
        at = now.last
        if before.after is not None:
            at = shown + before.after
        elif before.leave is not None:
            at = shown + before.leave - base
        each = dataclasses.replace(settings_of(common, own), at=at, result="whole")
        planned = plan(body, now, source, each, name)
        done.append((planned, now, source))
        cut = planned.cut
        markers = [one for one in markers if one[1] <= cut.at] + _markers(entry.action, cut)
        now, shown, base = planned.joined, cut.at + cut.lead, cut.entry
        starts.append(shown)
    if not done:
        raise BadSetting("There is only one clip in the sequence: give at least two.")
    joined = done[-1][0].joined
    reports = tuple(report_on(body, planned, a, b) for planned, a, b in done) if report else ()
    action, skipped = write_joined(
        body, joined, name, overwrite=overwrite, assign=assign, markers=markers, remembered=common
    )
    all_notes = (
        *notes,
        *(note for planned, _, _ in done for note in planned.notes),
        *skipped,
        *body.rig.notes,
    )
    return SequenceResult(
        action,
        reports,
        tuple(starts),
        separate(body.rig.roles),
        tuple(dict.fromkeys(all_notes)),
        (joined.first, joined.last),
    )


def _markers(action: Any, cut: Cut) -> list[tuple[str, float]]:
    moved = [(m.name, m.frame - cut.entry + cut.at + cut.lead) for m in action.pose_markers]
    return [one for one in moved if one[1] > cut.at]


def _entry(given: Any) -> _Entry:
    if not isinstance(given, Mapping):
        return _Entry(action_of(given, "the sequence"), None, None, {})
    rest = dict(given)
    if "action" not in rest:
        raise BadSetting("A clip of the sequence does not say which it is: give its action.")
    action = action_of(rest.pop("action"), "the sequence")
    leave, after = rest.pop("leave", None), rest.pop("after", None)
    for what, value in (("leave", leave), ("after", after)):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is not None and not (number and abs(value) <= LAST_FRAME):
            raise BadSetting(f'{what} of "{action.name}" must be a frame, not {value!r}.')
    if "at" in rest:
        raise BadSetting('A clip of a sequence has no at: say with "leave" when the one before it is left.')
    return _Entry(action, leave, after, rest)


def load_sequence(path: str | Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Clips and common settings of a TOML file: settings on top, then [[clip]] entries. Raises BadFile."""
    content = load_toml(path)
    clips = content.pop("clip", None)
    if not isinstance(clips, list) or not all(isinstance(one, dict) for one in clips):
        raise BadFile(f"{path} holds no [[clip]]: give one for each clip, with its action.")
    return clips, content
