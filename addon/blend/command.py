"""`amble blend`, `amble sequence` and `amble transitions`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..command import (
    BELOW_BAR,
    DONE,
    Command,
    Job,
    UsageError,
    add_quiet,
    add_rig,
    keeps_scene,
    named,
    rig_of,
    source_of,
    summary_of,
)
from ..options import add_options, given


def _results(parser: argparse.ArgumentParser, name: str) -> Any:
    from .. import outputs as out

    kinds = out.either([f"{suffix} ({kind.holds})" for suffix, kind in out.FORMATS.items()])
    add = parser.add_argument_group("results").add_argument
    add("--name", metavar="TEXT", help=f"name of the action (default: {name})")
    add(
        "--overwrite",
        action="store_true",
        help="replace an action of that name (default: number the new one)",
    )
    add(
        "--output",
        metavar="PATH",
        action="append",
        default=[],
        help=f"save the rig with its action: {kinds}; may be given more than once (default: not saved)",
    )
    add("--report", metavar="PATH", help="save what was measured as .json (default: not saved)")
    add("--json", action="store_true", help="print the report as JSON (default: as a table)")
    add("--strict", action="store_true", help="exit with 1 where a seam jolts (default: with 0)")
    add("--table", metavar="PATH", help="transition table (.toml) that gives the frames (default: none)")
    add_quiet(add)
    return add


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

    def make(rig: Any) -> Any:
        from .. import api

        job.say(f'blending "{arguments.a}" into "{arguments.b}"')
        return api.blend(
            rig,
            arguments.a,
            arguments.b,
            name=arguments.name,
            overwrite=arguments.overwrite,
            table=arguments.table,
            **settings,
        )

    return _run(job, make, settings, lambda result: [result.report])


def _sequence(job: Job) -> int:
    from .settings import BlendSettings

    arguments = job.arguments
    settings = given(BlendSettings, arguments)
    if (arguments.clips is None) == (arguments.playlist is None):
        raise UsageError("give the clips with --clips, or a file with --playlist, and not both")

    def make(rig: Any) -> Any:
        from .. import api
        from .sequence import load_sequence

        if arguments.playlist is not None:
            clips, common = load_sequence(arguments.playlist)
        else:
            clips, common = [one.strip() for one in arguments.clips.split(",")], {}
        job.say(f"blending {len(clips)} clips")
        return api.sequence(
            rig,
            clips,
            name=arguments.name or "Sequence",
            overwrite=arguments.overwrite,
            table=arguments.table,
            **{**common, **settings},
        )

    return _run(job, make, settings, lambda result: list(result.reports))


def _run(job: Job, make: Any, settings: dict[str, Any], reports_of: Any) -> int:
    """Make, measure, save. Nothing is put in place before everything has gone well."""
    arguments = job.arguments
    from .. import outputs as out

    scenes = [Path(name) for name in arguments.output]
    for path in scenes:
        out.check_format(path)
    report = named(arguments, "report", ".json")
    targets = [*scenes, *([report] if report is not None else [])]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        rig = rig_of(job, None)
        from .. import files

        result = make(rig)
        for note in result.notes:
            job.say(f"note: {note}")
        if not keeps_scene(arguments):
            files.set_range(*result.frames)
        reports = reports_of(result)
        summary = _summary(arguments, rig, result, settings, reports)
        for path in scenes:
            job.say(f"writing {path}")
            with outputs.writing(path) as temporary:
                out.save_rig(temporary, rig, result)
        if report is not None:
            with outputs.writing(report) as temporary:
                out.save_json(temporary, summary)
        outputs.commit()
    if arguments.json:
        job.show(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False))
    elif not arguments.quiet:
        head = f"{result.action.name}: frames {result.frames[0]:g} to {result.frames[1]:g}"
        job.show("\n".join([head, *(one.table() for one in reports), *(f"  {path}" for path in targets)]))
    if not scenes:
        names = out.either([f"out{suffix}" for suffix in out.suffixes()])
        job.say(f"the action was not saved: give --output {names} to keep it")
    return BELOW_BAR if arguments.strict and not all(one.smooth for one in reports) else DONE


def _summary(
    arguments: argparse.Namespace, rig: Any, result: Any, settings: dict[str, Any], reports: list[Any]
) -> dict[str, Any]:
    if len(reports) == 1 and hasattr(result, "report"):
        return summary_of(arguments, rig, result, settings)
    return {
        "command": arguments.command.name,
        "file": arguments.file,
        "armature": rig.name,
        "action": result.action.name,
        "settings": settings,
        "frames": list(result.frames),
        "starts": list(result.starts),
        "notes": list(result.notes),
        "reports": [one.as_dict() for one in reports],
    }


def _transitions(job: Job) -> int:
    arguments = job.arguments
    from .. import outputs as out

    saved, picture = named(arguments, "save", ".toml"), named(arguments, "picture", ".png")
    targets = [path for path in (saved, picture) if path is not None]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        rig = rig_of(job, None)
        from .. import api

        clips = None if arguments.clips is None else [one.strip() for one in arguments.clips.split(",")]
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
        job.show(json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False))
    elif not arguments.quiet:
        job.show("\n".join(f"{one.frames:4d} frames  {one.cost:7.3f} m  {one.a} > {one.b}" for one in rows))
    return DONE


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
