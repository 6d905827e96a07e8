"""`amble gait`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..command import (
    Command,
    Job,
    Made,
    add_results,
    add_rig,
    make_and_save,
    named,
    rig_of,
    summary_of,
    told_of,
)
from ..options import add_options, given


def _gait_options(parser: argparse.ArgumentParser) -> None:
    from .settings import GaitSettings

    add_rig(parser)
    add = add_results(parser, name="Walk or Run", told="measured", strict="the report finds a fault")
    add(
        "--picture",
        metavar="PATH",
        help="draw one cycle, or all of what is no loop, as a .png picture (default: not drawn)",
    )
    add(
        "--orbits",
        metavar="PATH",
        help="for --contact orbit, a .toml file of parts on orbits (default: those of a human)",
    )
    add_options(parser.add_argument_group("settings"), GaitSettings)


def _gait(job: Job) -> int:
    """Generate, measure, draw, save."""
    from .orbits import load_orbits
    from .settings import GaitSettings

    arguments = job.arguments
    settings = given(GaitSettings, arguments)
    orbits = named(arguments, "orbits", ".toml")
    if orbits is not None:
        settings["orbits"] = load_orbits(orbits)

    def make() -> Made:
        rig = rig_of(job, settings.get("fps"))
        from .. import api

        job.say(f'generating the motion of "{rig.name}" and measuring it')
        result = api.gait(rig, name=arguments.name, overwrite=arguments.overwrite, **settings)
        measured = result.report
        assert measured is not None  # it was asked for

        def draw(path: Path) -> None:
            from ..picture import walk_picture

            walk_picture(
                rig,
                result.action,
                result.frames,
                path,
                roles=result.roles,
                contacts=result.contacts,
                loop=result.loop,
                title=_title(result.gait, measured),
            )

        summary = summary_of(arguments, rig, settings, **told_of(result), report=measured.as_dict())
        return Made(rig, result, result.notes, summary, [measured.table()], measured.ok, draw)

    return make_and_save(job, make)


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
