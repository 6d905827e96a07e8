"""`amble idle`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..command import DONE, Command, Job, add_quiet, add_rig, keeps_scene, named, rig_of, source_of
from ..options import add_options, given


def _idle_options(parser: argparse.ArgumentParser) -> None:
    from .. import outputs as out
    from .settings import IdleSettings

    kinds = out.either([f"{suffix} ({kind.holds})" for suffix, kind in out.FORMATS.items()])
    add_rig(parser)
    add = parser.add_argument_group("results").add_argument
    add("--name", metavar="TEXT", default="Idle", help="name of the action (default: Idle)")
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
    add("--report", metavar="PATH", help="save what was made as .json (default: not saved)")
    add("--json", action="store_true", help="print what was made as JSON (default: as a table)")
    add_quiet(add)
    add_options(parser.add_argument_group("settings"), IdleSettings)


def _idle(job: Job) -> int:
    """Generate and save. Nothing is put in place before everything has gone well."""
    arguments = job.arguments
    from .. import outputs as out

    scenes = [Path(name) for name in arguments.output]
    for path in scenes:
        out.check_format(path)
    report = named(arguments, "report", ".json")
    from .settings import IdleSettings

    settings = given(IdleSettings, arguments)
    targets = [*scenes, *([report] if report is not None else [])]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        rig = rig_of(job, settings.get("fps"))
        from .. import api, files

        job.say(f'letting "{rig.name}" idle')
        result = api.idle(rig, name=arguments.name, overwrite=arguments.overwrite, **settings)
        for note in result.notes:
            job.say(f"note: {note}")
        if not keeps_scene(arguments):
            files.set_range(*result.frames)
        summary = _summary(arguments, rig, result, settings)
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
        job.show("\n".join([*_table(result), *(f"  {path}" for path in targets)]))
    if not scenes:
        names = out.either([f"out{suffix}" for suffix in out.suffixes()])
        job.say(f"the action was not saved: give --output {names} to keep it")
    return DONE


def _table(result: Any) -> list[str]:
    held = ", ".join(f"{pin.name} ({pin.bone})" for pin in result.pins) or "nothing"
    worst = max((pin.miss_mm for pin in result.pins), default=0.0)
    return [
        f'Idle "{result.action.name}"',
        f"  frames           {result.frames[0]:g} to {result.frames[1]:g}",
        f"  breaths          {result.cycles:g}, {result.rate:.1f} a minute",
        f"  held             {held}",
        f"  out of place     {worst:.3f} mm at most",
    ]


def _summary(
    arguments: argparse.Namespace, rig: Any, result: Any, settings: dict[str, Any]
) -> dict[str, Any]:
    return {
        "command": arguments.command.name,
        "file": arguments.file,
        "armature": rig.name,
        "action": result.action.name,
        "settings": settings,
        "frames": list(result.frames),
        "cycles": result.cycles,
        "rate": result.rate,
        "pins": [
            {"name": pin.name, "bone": pin.bone, "on": pin.on, "miss_mm": pin.miss_mm, "frame": pin.frame}
            for pin in result.pins
        ],
        "notes": list(result.notes),
    }


COMMAND = Command(
    name="idle",
    summary="let a held pose breathe, feet and hands where they are",
    examples="""examples:
  python -m amble idle rig.glb --cycles 4 --output idle.glb
  python -m amble idle rig.blend --pose-frame 12 --condition tired --pins foot.L,hand.R --output idle.blend
  blender -b rig.blend -c amble idle --frames 1:241 --condition rest,afraid@120 --no-loop""",
    options=_idle_options,
    run=_idle,
)
