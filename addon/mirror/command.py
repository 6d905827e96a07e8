"""`amble mirror`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
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
    named,
    rig_of,
    source_of,
)
from ..errors import BadSetting
from ..options import add_options, given


def _mirror_options(parser: argparse.ArgumentParser) -> None:
    from .. import outputs as out
    from .settings import MirrorSettings

    kinds = out.either([f"{suffix} ({kind.holds})" for suffix, kind in out.FORMATS.items()])
    add_rig(parser)
    add = parser.add_argument_group("what is mirrored").add_argument
    add("--action", metavar="NAME", help="action of the file (default: the one that the rig plays)")
    add("--all", action="store_true", help="mirror every action of the file that may be (default: one)")
    add(
        "--rule",
        metavar="NAME=RULE",
        action="append",
        default=[],
        help="what happens to a custom property: swap, negate, copy or leave; may be given more than once "
        "(default: by name and range)",
    )
    add = parser.add_argument_group("what stands around").add_argument
    add(
        "--obstacle",
        metavar="NAME",
        action="append",
        default=[],
        help="object or collection of the file that is not to be hit; may be given more than once "
        "(default: none, and the motion is mirrored in any case)",
    )
    add("--region", metavar="NAME", help="object of the file that is not to be left (default: none)")
    add = parser.add_argument_group("results").add_argument
    add("--name", metavar="TEXT", help="name of the action (default: that of the other side)")
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
    add("--strict", action="store_true", help="exit with 1 where neither fits (default: with 0)")
    add_quiet(add)
    add_options(parser.add_argument_group("settings"), MirrorSettings)


def _mirror(job: Job) -> int:
    """Mirror and save. Nothing is put in place before everything has gone well."""
    arguments = job.arguments
    from .. import outputs as out
    from .settings import MirrorSettings

    scenes = [Path(name) for name in arguments.output]
    for path in scenes:
        out.check_format(path)
    report = named(arguments, "report", ".json")
    if arguments.all and (arguments.name or arguments.action or arguments.obstacle or arguments.region):
        raise UsageError("--all goes without --action, --name, --obstacle and --region")
    settings = given(MirrorSettings, arguments)
    rules = _rules(arguments.rule)
    targets = [*scenes, *([report] if report is not None else [])]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        rig = rig_of(job, None)
        results = _results(job, rig, settings, rules)
        summary = _summary(arguments, rig, results, settings)
        for path in scenes:
            job.say(f"writing {path}")
            with outputs.writing(path) as temporary:
                out.save_rig(temporary, rig, results[-1][1])
        if report is not None:
            with outputs.writing(report) as temporary:
                out.save_json(temporary, summary)
        outputs.commit()
    if arguments.json:
        job.show(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False))
    elif not arguments.quiet:
        lines = [line for name, result in results for line in _table(name, result)]
        job.show("\n".join([*lines, *(f"  {path}" for path in targets)]))
    if not scenes:
        names = out.either([f"out{suffix}" for suffix in out.suffixes()])
        job.say(f"the action was not saved: give --output {names} to keep it")
    neither = any(r.verdict is not None and r.verdict.outcome == "neither" for _, r in results)
    return BELOW_BAR if arguments.strict and neither else DONE


def _results(job: Job, rig: Any, settings: dict[str, Any], rules: dict[str, str]) -> list[tuple[str, Any]]:
    """(name of the source, result) of each action that was mirrored."""
    arguments = job.arguments
    from .. import api
    from .library import mirror_all

    if arguments.all:
        job.say(f'mirroring the actions of "{rig.name}"')
        entries = mirror_all(rig, settings=None, rules=rules, **settings)
        for entry in entries:
            if entry.result is None:
                job.say(f'note: "{entry.name}" is left alone: {entry.why}')
        found = [(entry.name, entry.result) for entry in entries if entry.result is not None]
        if not found:
            raise BadSetting("No action of the file is to be mirrored: every one was left alone.")
        return found
    source = _source(rig, arguments.action)
    job.say(f'mirroring "{source.name}" on "{rig.name}"')
    result = api.mirror(
        rig,
        source,
        name=arguments.name,
        overwrite=arguments.overwrite,
        rules=rules,
        obstacles=[_thing(name) for name in arguments.obstacle],
        region=_thing(arguments.region) if arguments.region else None,
        **settings,
    )
    for note in result.notes:
        job.say(f"note: {note}")
    return [(source.name, result)]


def _source(rig: Any, name: str | None) -> Any:
    import bpy

    if name is not None:
        action = bpy.data.actions.get(name)
        if action is None:
            there = ", ".join(f'"{one.name}"' for one in bpy.data.actions) or "none"
            raise BadSetting(f'There is no action "{name}"; there are {there}.')
        return action
    data = rig.animation_data
    if data is not None and data.action is not None:
        return data.action
    if len(bpy.data.actions) == 1:
        return bpy.data.actions[0]
    raise BadSetting(f'"{rig.name}" plays no action: name one of the file with --action.')


def _thing(name: str) -> Any:
    import bpy

    data: Any = bpy.data
    found = data.objects.get(name) or data.collections.get(name)
    if found is None:
        raise BadSetting(f'There is no object or collection "{name}" in the file.')
    return found


def _rules(given_rules: Sequence[str]) -> dict[str, str]:
    rules = {}
    for rule in given_rules:
        name, sign, what = rule.rpartition("=")
        if not sign or not name:
            raise UsageError(f"--rule {rule} must be NAME=RULE, for example lean=negate")
        rules[name] = what
    return rules


def _table(name: str, result: Any) -> list[str]:
    if not result.mirrored:
        lines = [f'"{name}" is left as it is']
    else:
        lines = [
            f'Mirror image "{result.action.name}" of "{name}"',
            f"  frames           {result.frames[0]:g} to {result.frames[1]:g}",
            f"  curves           {result.exact} key by key, {len(result.drawn)} properties drawn anew",
        ]
    return lines + ([f"  {result.verdict.words()}"] if result.verdict is not None else [])


def _summary(
    arguments: argparse.Namespace, rig: Any, results: Sequence[tuple[str, Any]], settings: dict[str, Any]
) -> dict[str, Any]:
    return {
        "command": arguments.command.name,
        "file": arguments.file,
        "armature": rig.name,
        "settings": settings,
        "actions": [
            {
                "source": name,
                "action": result.action.name,
                "mirrored": result.mirrored,
                "frames": list(result.frames),
                "exact": result.exact,
                "drawn": list(result.drawn),
                "error": result.error,
                "pairs": [list(pair) for pair in result.pairs],
                "notes": list(result.notes),
                "verdict": result.verdict.as_dict() if result.verdict is not None else None,
            }
            for name, result in results
        ],
    }


COMMAND = Command(
    name="mirror",
    summary="mirror a motion, by choice or because it would hit something",
    examples="""examples:
  python -m amble mirror rig.blend --action Attack_L --output out.blend
  python -m amble mirror scene.blend --action Vault --obstacle Wall --tolerance 0.05 --output out.blend
  python -m amble mirror library.blend --all --output library.blend
  blender -b scene.blend -c amble mirror --obstacle Wall --output out.blend""",
    options=_mirror_options,
    run=_mirror,
)
