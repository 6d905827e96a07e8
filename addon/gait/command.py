"""`amble gait`."""

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
    add_quiet,
    add_rig,
    keeps_scene,
    named,
    rig_of,
    source_of,
    summary_of,
)
from ..options import add_options, given


def _gait_options(parser: argparse.ArgumentParser) -> None:
    from .. import outputs as out
    from .settings import GaitSettings

    kinds = out.either([f"{suffix} ({kind.holds})" for suffix, kind in out.FORMATS.items()])
    add_rig(parser)
    add = parser.add_argument_group("results").add_argument
    add("--name", metavar="TEXT", help="name of the action (default: Walk or Run)")
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
    add("--picture", metavar="PATH", help="draw one cycle as a .png picture (default: not drawn)")
    add("--json", action="store_true", help="print the report as JSON (default: as a table)")
    add("--strict", action="store_true", help="exit with 1 where the report finds a fault (default: with 0)")
    add(
        "--orbits",
        metavar="PATH",
        help="for --contact orbit, a .toml file of parts on orbits (default: those of a human)",
    )
    add_quiet(add)
    add_options(parser.add_argument_group("settings"), GaitSettings)


def _gait(job: Job) -> int:
    """Generate, measure, draw, save. Nothing is put in place before everything has gone well."""
    arguments = job.arguments
    from .. import outputs as out

    scenes = [Path(name) for name in arguments.output]
    for path in scenes:
        out.check_format(path)
    report = named(arguments, "report", ".json")
    picture = named(arguments, "picture", ".png")
    from .orbits import load_orbits
    from .settings import GaitSettings

    settings = given(GaitSettings, arguments)
    orbits = named(arguments, "orbits", ".toml")
    if orbits is not None:
        settings["orbits"] = load_orbits(orbits)

    targets = [*scenes, *(path for path in (picture, report) if path is not None)]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        rig = rig_of(job, settings.get("fps"))
        from .. import api, files

        job.say(f'generating the motion of "{rig.name}" and measuring it')
        result = api.gait(rig, name=arguments.name, overwrite=arguments.overwrite, **settings)
        for note in result.notes:
            job.say(f"note: {note}")
        if not keeps_scene(arguments):
            files.set_range(*result.frames)
        measured = result.report
        assert measured is not None  # it was asked for
        summary = summary_of(arguments, rig, result, settings)
        if picture is not None:
            from ..picture import walk_picture

            job.say(f"drawing {picture}")
            with outputs.writing(picture) as temporary:
                walk_picture(
                    rig,
                    result.action,
                    result.frames,
                    temporary,
                    roles=result.roles,
                    contacts=result.contacts,
                    title=_title(result.gait, measured),
                )
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
        job.show("\n".join([measured.table(), *(f"  {path}" for path in targets)]))
    if not scenes:
        names = out.either([f"out{suffix}" for suffix in out.suffixes()])
        job.say(f"the action was not saved: give --output {names} to keep it")
    return BELOW_BAR if arguments.strict and not measured.ok else DONE


def _title(gait: str, report: Any) -> str:
    found = (
        f"{report.speed_measured:.2f} m/s",
        f"stride {report.stride_m:.2f} m",
        f"{report.cadence_steps_min:.0f} steps/min",
    )
    # Not a number where there was nothing to measure it on.
    return "   ·   ".join([gait.capitalize(), *(part for part in found if "nan" not in part)])


COMMAND = Command(
    name="gait",
    summary="generate a walk or a run with planted feet",
    examples="""examples:
  python -m amble gait rigify:human --speed 1.4 --output walk.blend --picture walk.png
  python -m amble gait rig.glb --speed 0.8 --frames 1:48 --output walk.glb --report walk.json
  python -m amble gait rig.glb --gait run --speed 3.5 --output run.glb
  blender -b rig.blend -c amble gait --speed 1.4 --output out.blend""",
    options=_gait_options,
    run=_gait,
)
