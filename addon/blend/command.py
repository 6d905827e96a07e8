"""`amble blend`, `amble sequence` and `amble transitions`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..command import (
    DONE,
    Command,
    Job,
    Made,
    UsageError,
    add_quiet,
    add_results,
    add_rig,
    make_and_save,
    named,
    rig_of,
    source_of,
    summary_of,
    told_of,
)
from ..options import add_options, given

if TYPE_CHECKING:
    from .table import Transition


def _results(parser: argparse.ArgumentParser, name: str) -> None:
    add = add_results(parser, name=name, told="measured", strict="a seam jolts")
    add("--table", metavar="PATH", help="transition table (.toml) that gives the frames (default: none)")


def _blend_options(parser: argparse.ArgumentParser) -> None:
    from .settings import BlendSettings

    add_rig(parser)
    parser.add_argument("--a", metavar="NAME", required=True, help="action that is left")
    parser.add_argument("--b", metavar="NAME", required=True, help="action that is entered")
    _results(parser, '"A to B"')
    add_options(parser.add_argument_group("settings"), BlendSettings)


def _sequence_options(parser: argparse.ArgumentParser) -> None:
    from .settings import BlendSettings

    add_rig(parser)
    parser.add_argument("--clips", metavar="A,B,...", help="names of the actions, in order")
    parser.add_argument("--playlist", metavar="PATH", help=".toml file with [[clip]] entries and settings")
    _results(parser, "Sequence")
    add_options(parser.add_argument_group("settings"), BlendSettings)


def _transitions_options(parser: argparse.ArgumentParser) -> None:
    add_rig(parser)
    parser.add_argument("--clips", metavar="A,B,...", help="names of the actions (default: all)")
    add = parser.add_argument_group("results").add_argument
    add("--save", metavar="PATH", help="save the table as .toml, for --table (default: not saved)")
    add("--picture", metavar="PATH", help="draw the table as .png (default: not drawn)")
    add("--json", action="store_true", help="print the table as JSON (default: as a table)")
    add_quiet(add)


def _blend(job: Job) -> int:
    from .settings import BlendSettings

    arguments = job.arguments
    settings = given(BlendSettings, arguments)

    def make() -> Made:
        rig = rig_of(job, None)
        from .. import api

        job.say(f'blending "{arguments.a}" into "{arguments.b}"')
        result = api.blend(
            rig,
            arguments.a,
            arguments.b,
            name=arguments.name,
            overwrite=arguments.overwrite,
            table=arguments.table,
            **settings,
        )
        report = result.report
        assert report is not None  # it was asked for
        summary = summary_of(arguments, rig, settings, **told_of(result), report=report.as_dict())
        return _made(rig, result, [report], summary)

    return make_and_save(job, make)


def _sequence(job: Job) -> int:
    from .settings import BlendSettings

    arguments = job.arguments
    settings = given(BlendSettings, arguments)
    if (arguments.clips is None) == (arguments.playlist is None):
        raise UsageError("give the clips with --clips, or a file with --playlist, and not both")

    def make() -> Made:
        rig = rig_of(job, None)
        from .. import api
        from .sequence import load_sequence

        clips: list[Any]
        if arguments.playlist is not None:
            clips, common = load_sequence(arguments.playlist)
        else:
            clips, common = _names(arguments.clips), {}
        job.say(f"blending {len(clips)} clips")
        result = api.sequence(
            rig,
            clips,
            name=arguments.name or "Sequence",
            overwrite=arguments.overwrite,
            table=arguments.table,
            **{**common, **settings},
        )
        reports = [one.as_dict() for one in result.reports]
        summary = summary_of(
            arguments, rig, settings, **told_of(result), starts=list(result.starts), reports=reports
        )
        return _made(rig, result, result.reports, summary)

    return make_and_save(job, make)


def _made(rig: Any, result: Any, reports: Sequence[Any], summary: dict[str, Any]) -> Made:
    head = f"{result.action.name}: frames {result.frames[0]:g} to {result.frames[1]:g}"
    lines = [head, *(one.table() for one in reports)]
    return Made(rig, result, result.notes, summary, lines, all(one.smooth for one in reports))


def _names(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")]


def _transitions(job: Job) -> int:
    arguments = job.arguments
    from .. import outputs as out

    saved, picture = named(arguments, "save", ".toml"), named(arguments, "picture", ".png")
    targets = [path for path in (saved, picture) if path is not None]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        rig = rig_of(job, None)
        from .. import api

        clips = None if arguments.clips is None else _names(arguments.clips)
        table = api.transition_table(rig, clips)
        job.say(f"compared {len(table.names)} clips")
        if saved is not None:
            with outputs.writing(saved) as temporary:
                table.save(temporary)
        if picture is not None:
            from ..picture import transition_picture

            job.say(f"drawing {picture}")
            with outputs.writing(picture) as temporary:
                transition_picture(table, temporary, title=f"Transitions of {rig.name}")
        outputs.commit()
    rows = list(table.transitions.values())
    if arguments.json:
        shown = [{"a": one.a, "b": one.b, "frames": one.frames, "cost": one.cost} for one in rows]
        job.show_json(shown)
    elif not arguments.quiet:
        job.show("\n".join((HEADING, *(_line(one) for one in rows))))
    return DONE


# Of the table on the terminal: n; distance of A's last pose from B's first; the frames of A and of B that are
# nearest, and their distance, which is where `find` would meet.
HEADING = f"{'frames':>6}  {'cost m':>8}  {'leave A':>8}  {'enter B':>8}  {'there m':>8}  A > B"


def _line(one: Transition) -> str:
    numbers = f"{one.frames:6d}  {one.cost:8.3f}  {one.at:8g}  {one.entry:8g}  {one.nearest:8.3f}"
    return f"{numbers}  {one.a} > {one.b}"


BLEND = Command(
    name="blend",
    summary="lead out of one action into another",
    examples="""examples:
  python -m amble blend rig.blend --a Walk --b Jump --at 31 --curve inertial --output out.blend
  python -m amble blend rig.glb --a Walk --b Run --find 10 --curve inertial --report blend.json""",
    options=_blend_options,
    run=_blend,
)
SEQUENCE = Command(
    name="sequence",
    summary="blend a list of actions into one",
    examples="""examples:
  python -m amble sequence rig.blend --clips Walk,Idle,Run --curve inertial --output out.blend
  python -m amble sequence rig.glb --playlist show.toml --output show.glb

show.toml:
  curve = "inertial"
  [[clip]]
  action = "Walk"
  leave = 40
  [[clip]]
  action = "Idle"
  frames = 20
  after = 8
  [[clip]]
  action = "Walk\"""",
    options=_sequence_options,
    run=_sequence,
)
TRANSITIONS = Command(
    name="transitions",
    summary="work out the frames from every clip into every other",
    examples="""examples:
  python -m amble transitions rig.glb --save table.toml --picture table.png""",
    options=_transitions_options,
    run=_transitions,
)
