"""The command line: `python -m amble ...`, and `blender -b file.blend -c amble ...` inside Blender.

Exit codes: 0 done; 1 done, but with --strict the quality bar was missed; 2 a usage or input that the user can
mend, said in one line on standard error; 3 an error inside the program, with its traceback. Results go to
standard output, progress to standard error; where their reader goes away early, the work is done none the
less. Each sub-command is one `Command` in COMMANDS.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from .errors import AmbleError, BadFile
from .options import add_options, given
from .quiet import Terminal, turned_away

FILE_HELP = (
    "rig: a .blend, .glb, .gltf, .fbx or .bvh file, or rigify:human for Rigify's human metarig, made on the "
    "spot (default: the file that is loaded, inside Blender)"
)
ROLES_HELP = (
    "TOML file with roles set by hand, in place of those kept on the rig; `rig --save-roles` writes one "
    "(default: those kept on the rig, and recognition)"
)
EPILOG = """Exit codes: 0 done, 1 below the quality bar (with --strict), 2 usage or input, 3 internal error.
`amble COMMAND --help` explains a command. Inside Blender: blender -b file.blend -c amble COMMAND ..."""

DONE, BELOW_BAR, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130


class _UsageError(Exception):
    """What argparse has to say, in one line."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that leaves printing and exiting to `main`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, add_help=False, formatter_class=_HelpFormatter, **options)
        about = "print this help and exit"
        self.add_argument(
            "-h", "--help", action=_Show, text=self.format_help, dest=argparse.SUPPRESS, help=about
        )

    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message} (see {self.prog} --help)")


class _Shown(Exception):
    """Something was asked for that is printed instead of any work."""


class _Show(argparse.Action):
    """Print a text and end: argparse's own actions print to a stream of their choice and exit."""

    def __init__(self, option_strings: list[str], text: Callable[[], str], **rest: Any) -> None:
        super().__init__(option_strings, nargs=0, **rest)
        self._text = text

    def __call__(self, *_: object) -> NoReturn:
        raise _Shown(self._text())


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=100)


class Job:
    """One run of a sub-command: its arguments, and where it prints."""

    def __init__(self, arguments: argparse.Namespace, terminal: Terminal) -> None:
        self.arguments, self._terminal, self._start = arguments, terminal, time.monotonic()

    def say(self, text: str) -> None:
        """A line of progress on standard error; not with --quiet."""
        if not self.arguments.quiet:
            print(
                f"amble: {time.monotonic() - self._start:5.1f} s  {text}", file=self._terminal.err, flush=True
            )

    def show(self, text: str) -> None:
        """A result on standard output."""
        print(text, file=self._terminal.out, flush=True)


@dataclass(frozen=True, slots=True)
class Command:
    """A sub-command. options: adds its arguments to a parser; run: returns the exit code."""

    name: str
    summary: str
    examples: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Job], int]


def main(argv: Sequence[str]) -> int:
    """Run a command line, without the program's name, and return its exit code (0 to 3; 130 interrupted)."""
    verbose = "--verbose" in argv
    with turned_away(verbose=verbose) as terminal:
        try:
            arguments = _parse(list(argv))
            command: Command = arguments.command
            return command.run(Job(arguments, terminal))
        except _Shown as shown:
            print(shown, file=terminal.out, end="")
            return DONE
        except (_UsageError, AmbleError) as error:
            print("amble: error: " + " ".join(str(error).split()), file=terminal.err)
            return USAGE
        except KeyboardInterrupt:
            print("amble: interrupted, nothing was written", file=terminal.err)
            return INTERRUPTED
        except Exception:
            traceback.print_exc(file=terminal.err)
            chatter = terminal.chatter()
            if chatter:
                print(f"Last lines that Blender printed:\n{chatter}", file=terminal.err)
            print("amble: error inside amble, please report it with the lines above", file=terminal.err)
            return INTERNAL


# gait


def _gait_options(parser: argparse.ArgumentParser) -> None:
    from . import outputs as out
    from .gait import GaitSettings

    kinds = out.either([f"{suffix} ({kind.holds})" for suffix, kind in out.FORMATS.items()])
    _add_rig(parser)
    add = parser.add_argument_group("results").add_argument
    add("--name", metavar="TEXT", default="Walk", help="name of the action (default: Walk)")
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
    _add_quiet(add)
    add_options(parser.add_argument_group("settings"), GaitSettings)


def _gait(job: Job) -> int:
    """Generate, measure, draw, save. Nothing is put in place before everything has gone well."""
    arguments = job.arguments
    from . import outputs as out

    scenes = [Path(name) for name in arguments.output]
    for path in scenes:
        out.check_format(path)
    report = _named(arguments, "report", ".json")
    picture = _named(arguments, "picture", ".png")
    from .gait import GaitSettings

    settings = given(GaitSettings, arguments)

    targets = [*scenes, *(path for path in (picture, report) if path is not None)]
    with out.Outputs(targets, _source(arguments)) as outputs:
        rig = _rig(job, settings.get("fps"))
        from . import api, files

        job.say(f'generating a {settings.get("gait", "walk")} on "{rig.name}" and measuring it')
        result = api.gait(rig, name=arguments.name, overwrite=arguments.overwrite, **settings)
        for note in result.notes:
            job.say(f"note: {note}")
        if not _keeps_scene(arguments):
            files.set_range(*result.frames)
        measured = result.report
        assert measured is not None  # it was asked for
        summary = _summary(arguments, rig, result, settings)
        if picture is not None:
            from .picture import walk_picture

            job.say(f"drawing {picture}")
            with outputs.writing(picture) as temporary:
                walk_picture(
                    rig,
                    result.action,
                    result.frames,
                    temporary,
                    roles=result.roles,
                    contacts=result.contacts,
                    title=_title(settings.get("gait", "walk"), measured),
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


# rig


def _rig_options(parser: argparse.ArgumentParser) -> None:
    from . import outputs as out

    kinds = out.either(out.suffixes(still=True))
    _add_rig(parser)
    add = parser.add_argument_group("results").add_argument
    add(
        "--save-roles", metavar="PATH", help="save the roles as a .toml file for --roles (default: not saved)"
    )
    add(
        "--output",
        metavar="PATH",
        help=f"save the file as {kinds}, with the roles of --roles kept on the rig (default: not saved)",
    )
    add(
        "--picture", metavar="PATH", help="draw the rig with its roles coloured, as .png (default: not drawn)"
    )
    add("--json", action="store_true", help="print the roles as JSON (default: as a table)")
    add("--strict", action="store_true", help="exit with 1 where a role is missing (default: with 0)")
    _add_quiet(add)


def _show_rig(job: Job) -> int:
    """Recognise, show, draw, save."""
    arguments = job.arguments
    from . import outputs as out

    picture = _named(arguments, "picture", ".png")
    saved = _named(arguments, "save_roles", ".toml")
    scene = Path(arguments.output) if arguments.output is not None else None
    if scene is not None:
        out.check_format(scene, still=True)
    targets = [path for path in (saved, picture, scene) if path is not None]
    with out.Outputs(targets, _source(arguments)) as outputs:
        armature = _rig(job, None)
        from .rig import read_skeleton, roles
        from .rig.table import as_dict, headline, table

        skeleton, found = read_skeleton(armature), roles(armature)
        head = headline(armature.name, skeleton, found)
        if saved is not None:
            from .rig import save_roles

            with outputs.writing(saved) as temporary:
                save_roles(armature, temporary)
        if picture is not None:
            from .picture import rig_picture

            job.say(f"drawing {picture}")
            with outputs.writing(picture) as temporary:
                rig_picture(armature, temporary, roles=found, title=head)
        if scene is not None:
            job.say(f"writing {scene}")
            with outputs.writing(scene) as temporary:
                out.save_rig(temporary, armature)
        outputs.commit()
    if arguments.json:
        shown = {"file": arguments.file, "armature": armature.name, **as_dict(skeleton, found)}
        job.show(json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False))
    elif not arguments.quiet:
        job.show(f"{head}\n\n{table(skeleton, found)}")
    return BELOW_BAR if arguments.strict and found.missing else DONE


# what sub-commands share


def _named(arguments: argparse.Namespace, option: str, suffix: str) -> Path | None:
    """The path that an option gives, None where it is not given. Raises BadFile for another suffix."""
    given_path = getattr(arguments, option)
    path = Path(given_path) if given_path is not None else None
    if path is not None and path.suffix.lower() != suffix:
        raise BadFile(f"--{option.replace('_', '-')} {path} must end in {suffix}.")
    return path


def _source(arguments: argparse.Namespace) -> Path | None:
    """The file that the rig is read from; None for one made on the spot."""
    import bpy

    from .files import RIGIFY

    source = bpy.data.filepath if arguments.file is None else arguments.file
    return Path(source) if source and not source.startswith(RIGIFY) else None


def _keeps_scene(arguments: argparse.Namespace) -> bool:
    """Whether the scene is the user's own, and no empty one that the rig was put into."""
    source = _source(arguments)
    return source is not None and source.suffix.lower() == ".blend"


def _rig(job: Job, fps: float | None) -> Any:
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
        raise _UsageError("no FILE is given and no file is loaded: give a rig, for example rigify:human")
    if fps is not None:
        files.set_fps(fps)
    return files.choose_armature(job.arguments.armature, bpy.data.filepath)


def _summary(
    arguments: argparse.Namespace, rig: Any, result: Any, settings: dict[str, Any]
) -> dict[str, Any]:
    """What --report and --json hold: plain values."""
    return {
        "command": arguments.command.name,
        "file": arguments.file,
        "armature": rig.name,
        "action": result.action.name,
        "settings": settings,
        "frames": list(result.frames),
        "notes": list(result.notes),
        "report": result.report.as_dict(),
    }


def _add_rig(parser: argparse.ArgumentParser) -> None:
    """What every sub-command takes: a rig, and the roles of its bones."""
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help=FILE_HELP)
    add("--armature", metavar="NAME", help="armature object, where there are several (default: the only one)")
    add("--roles", metavar="PATH", help=ROLES_HELP)


def _add_quiet(add: Callable[..., Any]) -> None:
    add("--quiet", action="store_true", help="print no progress and no table (default: both)")
    add("--verbose", action="store_true", help="show what Blender prints as well (default: hidden)")


COMMANDS = (
    Command(
        name="gait",
        summary="generate a walk with planted feet",
        examples="""examples:
  python -m amble gait rigify:human --speed 1.4 --output walk.blend --picture walk.png
  python -m amble gait rig.glb --speed 0.8 --frames 1:48 --output walk.glb --report walk.json
  blender -b rig.blend -c amble gait --speed 1.4 --output out.blend""",
        options=_gait_options,
        run=_gait,
    ),
    Command(
        name="rig",
        summary="show which bones were recognised as what, and set what is wrong",
        examples="""examples:
  python -m amble rig character.glb
  python -m amble rig character.glb --picture roles.png --save-roles roles.toml
  python -m amble rig character.glb --roles roles.toml          after correcting roles.toml in an editor
  blender -b rig.blend -c amble rig --roles roles.toml --output rig.blend""",
        options=_rig_options,
        run=_show_rig,
    ),
)


def _parse(argv: list[str]) -> argparse.Namespace:
    """The arguments of a command line. Raises _UsageError, or _Shown where it asked for help."""
    # Only the sub-command at hand is imported: help and errors of one need nothing of the others.
    wanted = next((word for word in argv if not word.startswith("-")), "")
    about = "Motion for any armature, as ordinary Blender actions."
    parser = _Parser(prog="amble", description=about, epilog=EPILOG)
    parser.add_argument(
        "--version", action=_Show, text=_version, dest=argparse.SUPPRESS, help="print the version and exit"
    )
    parsers = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        about = command.summary.capitalize() + "."
        sub = parsers.add_parser(
            command.name, help=command.summary, description=about, epilog=command.examples
        )
        sub.set_defaults(command=command)
        if command.name == wanted:
            command.options(sub)
    arguments = parser.parse_args(_joined(argv))
    if not hasattr(arguments, "command"):
        raise _UsageError(
            "a command is missing: give one of " + ", ".join(command.name for command in COMMANDS)
        )
    return arguments


def _joined(argv: list[str]) -> list[str]:
    """`--frames -5:20` as `--frames=-5:20`: argparse takes what begins with a minus for an option."""
    found: list[str] = []
    for word in argv:
        if re.match(r"-[\d.]", word) and found and re.fullmatch(r"--[\w-]+", found[-1]):
            found[-1] += "=" + word
        else:
            found.append(word)
    return found


def _version() -> str:
    import amble_core

    return f"amble {amble_core.__version__}\n"
