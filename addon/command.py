"""What the sub-commands of the command line share. Each is one `Command`, in the package that it calls."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import BadFile
from .quiet import Terminal

FILE_HELP = (
    "rig: a .blend, .glb, .gltf, .fbx or .bvh file, or rigify:human for Rigify's human metarig, made on the "
    "spot (default: the file that is loaded, inside Blender)"
)
ROLES_HELP = (
    "TOML file with roles set by hand, in place of those kept on the rig; `rig --save-roles` writes one "
    "(default: those kept on the rig, and recognition)"
)
DONE, BELOW_BAR, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130


class UsageError(Exception):
    """What argparse has to say, in one line."""


class Job:
    """One run of a sub-command: its arguments, and where it prints."""

    def __init__(self, arguments: argparse.Namespace, terminal: Terminal) -> None:
        self.arguments, self.terminal, self._start = arguments, terminal, time.monotonic()

    def say(self, text: str) -> None:
        """A line of progress on standard error; not with --quiet."""
        if not self.arguments.quiet:
            print(
                f"amble: {time.monotonic() - self._start:5.1f} s  {text}", file=self.terminal.err, flush=True
            )

    def bar(self, text: str) -> None:
        """A line on a terminal that the next one takes the place of; not with --quiet."""
        if not self.arguments.quiet:
            print(f"\r\x1b[K{text}", end="", file=self.terminal.err, flush=True)

    def clear(self) -> None:
        """Take a bar away."""
        if self.terminal.err.isatty():
            self.bar("")

    def show(self, text: str) -> None:
        """A result on standard output."""
        print(text, file=self.terminal.out, flush=True)

    def show_json(self, content: Any) -> None:
        """The same of plain values, as JSON."""
        self.show(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


@dataclass(frozen=True, slots=True)
class Made:
    """What a sub-command made, and tells of it.

    rig, result: what is saved, as formats.save_rig takes it; result.frames: what the scene shows; notes: one
    sentence each; summary: plain values, for --report and --json; lines: the table; sound: False makes the
    exit code 1 with --strict; draw: draws --picture into a file.
    """

    rig: Any
    result: Any
    notes: Sequence[str]
    summary: dict[str, Any]
    lines: Sequence[str]
    sound: bool = True
    draw: Callable[[Path], None] | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A sub-command. options: adds its arguments to a parser; run: returns the exit code."""

    name: str
    summary: str
    examples: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Job], int]


def named(arguments: argparse.Namespace, option: str, suffix: str) -> Path | None:
    """The path that an option gives, None where it is not given. Raises BadFile for another suffix."""
    given_path = getattr(arguments, option)
    path = Path(given_path) if given_path is not None else None
    if path is not None and path.suffix.lower() != suffix:
        raise BadFile(f"--{option.replace('_', '-')} {path} must end in {suffix}.")
    return path


def source_of(arguments: argparse.Namespace) -> Path | None:
    """The file that the rig is read from; None for one made on the spot."""
    import bpy

    from .files import RIGIFY

    source = bpy.data.filepath if arguments.file is None else arguments.file
    return Path(source) if source and not source.startswith(RIGIFY) else None


def keeps_scene(arguments: argparse.Namespace) -> bool:
    """Whether the scene is the user's own, and no empty one that the rig was put into."""
    source = source_of(arguments)
    return source is not None and source.suffix.lower() == ".blend"


def rig_of(job: Job, fps: float | None) -> Any:
    """The armature object that FILE names, or the loaded file's, with the roles of --roles kept on it."""
    from .rig import load_roles
    from .rig.by_hand import replace_roles

    roles = load_roles(job.arguments.roles) if job.arguments.roles else None
    armature = _open_rig(job, fps)
    if roles is not None:
        replace_roles(armature, roles)
    return armature


def _open_rig(job: Job, fps: float | None) -> Any:
    from . import files

    source = job.arguments.file
    if source is not None:
        job.say(f"reading {source}")
        return files.open_rig(source, job.arguments.armature, fps)
    import bpy

    if not bpy.data.filepath:
        raise UsageError("no FILE is given and no file is loaded: give a rig, for example rigify:human")
    if fps is not None:
        files.set_fps(fps)
    return files.choose_armature(job.arguments.armature, bpy.data.filepath)


def summary_of(
    arguments: argparse.Namespace, rig: Any, settings: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """What --report and --json hold: plain values."""
    return {
        "command": arguments.command.name,
        "file": arguments.file,
        "armature": rig.name,
        "settings": settings,
        **more,
    }


def told_of(result: Any) -> dict[str, Any]:
    """What a summary holds of an action that was made."""
    return {
        "action": result.action.name,
        "frames": list(result.frames),
        "notes": list(result.notes),
    }


def make_and_save(job: Job, make: Callable[[], Made]) -> int:
    """Make, draw, save and tell, as `add_results` has it: the exit code. Nothing is put in place before
    everything has gone well."""
    from . import formats
    from . import outputs as out

    arguments = job.arguments
    scenes = [Path(name) for name in arguments.output]
    for path in scenes:
        formats.check_format(path)
    report = named(arguments, "report", ".json")
    picture = named(arguments, "picture", ".png") if "picture" in arguments else None
    targets = [*scenes, *(path for path in (picture, report) if path is not None)]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        made = make()
        for note in made.notes:
            job.say(f"note: {note}")
        if not keeps_scene(arguments):
            from . import files

            files.set_range(*made.result.frames)
        if picture is not None:
            assert made.draw is not None  # who takes --picture draws it
            job.say(f"drawing {picture}")
            with outputs.writing(picture) as temporary:
                made.draw(temporary)
        for path in scenes:
            job.say(f"writing {path}")
            with outputs.writing(path) as temporary:
                formats.save_rig(temporary, made.rig, made.result)
        if report is not None:
            with outputs.writing(report) as temporary:
                out.save_json(temporary, made.summary)
        outputs.commit()
    if arguments.json:
        job.show_json(made.summary)
    elif not arguments.quiet:
        job.show("\n".join([*made.lines, *(f"  {path}" for path in targets)]))
    if not scenes:
        names = formats.either([f"out{suffix}" for suffix in formats.suffixes()])
        job.say(f"the action was not saved: give --output {names} to keep it")
    return DONE if made.sound or not arguments.strict else BELOW_BAR


def add_rig(parser: argparse.ArgumentParser) -> None:
    """What every sub-command takes: a rig, and the roles of its bones."""
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help=FILE_HELP)
    add("--armature", metavar="NAME", help="armature object, where there are several (default: the only one)")
    add("--roles", metavar="PATH", help=ROLES_HELP)


def add_results(
    parser: argparse.ArgumentParser, *, name: str, told: str = "made", strict: str | None = None
) -> Callable[..., Any]:
    """What every sub-command that makes an action takes, for `make_and_save`; more can be added to the group.

    name: the usual name of the action, in words; told: "made" or "measured", of what --report holds; strict:
    when --strict exits with 1, None where that is never.
    """
    from . import formats

    kinds = formats.either([f"{suffix} ({kind.holds})" for suffix, kind in formats.FORMATS.items()])
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
    add("--report", metavar="PATH", help=f"save what was {told} as .json (default: not saved)")
    add("--json", action="store_true", help=f"print what was {told} as JSON (default: as a table)")
    if strict is not None:
        add("--strict", action="store_true", help=f"exit with 1 where {strict} (default: with 0)")
    add_quiet(add)
    return add


def add_quiet(add: Callable[..., Any]) -> None:
    """What every sub-command takes: how much it prints."""
    add("--quiet", action="store_true", help="print no progress and no table (default: both)")
    add("--verbose", action="store_true", help="show what Blender prints as well (default: hidden)")
