"""`amble mirror`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ..command import (
    Command,
    Job,
    Made,
    UsageError,
    add_results,
    add_rig,
    make_and_save,
    rig_of,
    summary_of,
    told_of,
)
from ..errors import BadSetting
from ..options import add_options, given


def _mirror_options(parser: argparse.ArgumentParser) -> None:
    from .settings import MirrorSettings

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
    add_results(parser, name="that of the other side", strict="neither fits")
    add_options(parser.add_argument_group("settings"), MirrorSettings)


def _mirror(job: Job) -> int:
    """Mirror and save."""
    from .settings import MirrorSettings

    arguments = job.arguments
    if arguments.all and (arguments.name or arguments.action or arguments.obstacle or arguments.region):
        raise UsageError("--all goes without --action, --name, --obstacle and --region")
    settings = given(MirrorSettings, arguments)
    rules = _rules(arguments.rule)

    def make() -> Made:
        rig = rig_of(job, None)
        results = _results(job, rig, settings, rules)
        summary = summary_of(
            arguments, rig, settings, actions=[_summary(name, result) for name, result in results]
        )
        lines = [line for name, result in results for line in _table(name, result)]
        sound = all(one.verdict is None or one.verdict.outcome != "neither" for _, one in results)
        notes = results[0][1].notes if not arguments.all else ()
        return Made(rig, results[-1][1], notes, summary, lines, sound)

    return make_and_save(job, make)


def _results(job: Job, rig: Any, settings: dict[str, Any], rules: dict[str, str]) -> list[tuple[str, Any]]:
    """(name of the source, result) of each action that was mirrored."""
    arguments = job.arguments
    from .. import api
    from ..scene import named_thing
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
    made = api.mirror(
        rig,
        source,
        name=arguments.name,
        overwrite=arguments.overwrite,
        rules=rules,
        obstacles=[named_thing(name, "--obstacle") for name in arguments.obstacle],
        region=named_thing(arguments.region, "--region") if arguments.region else None,
        **settings,
    )
    return [(source.name, made)]


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


def _summary(name: str, result: Any) -> dict[str, Any]:
    return {
        "source": name,
        **told_of(result),
        "mirrored": result.mirrored,
        "exact": result.exact,
        "drawn": list(result.drawn),
        "error": result.error,
        "pairs": [list(pair) for pair in result.pairs],
        "verdict": result.verdict.as_dict() if result.verdict is not None else None,
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
