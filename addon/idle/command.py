"""`amble idle`."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ..command import Command, Job, Made, add_results, add_rig, make_and_save, rig_of, summary_of, told_of
from ..options import add_options, given


def _idle_options(parser: argparse.ArgumentParser) -> None:
    from .settings import IdleSettings

    add_rig(parser)
    add_results(parser, name="Idle")
    add_options(parser.add_argument_group("settings"), IdleSettings)


def _idle(job: Job) -> int:
    """Generate and save."""
    from .settings import IdleSettings

    arguments = job.arguments
    settings = given(IdleSettings, arguments)

    def make() -> Made:
        rig = rig_of(job, settings.get("fps"))
        from .. import api

        job.say(f'letting "{rig.name}" idle')
        result = api.idle(rig, name=arguments.name or "Idle", overwrite=arguments.overwrite, **settings)
        summary = summary_of(
            arguments,
            rig,
            settings,
            **told_of(result),
            cycles=result.cycles,
            rate=result.rate,
            pins=[dataclasses.asdict(pin) for pin in result.pins],
        )
        return Made(rig, result, result.notes, summary, _table(result))

    return make_and_save(job, make)


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
