"""The command line: `python -m amble ...`, and `blender -b file.blend -c amble ...` inside Blender.

Exit codes: 0 done; 1 done, but with --strict the quality bar was missed; 2 a usage or input that the user can
mend, said in one line on standard error; 3 an error inside the program, with its traceback. Results go to
standard output, progress to standard error; where their reader goes away early, the work is done none the
less. Each sub-command is one `Command` in COMMANDS.
"""

from __future__ import annotations

import argparse
import re
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .batch.command import COMMAND as BATCH
from .blend.command import BLEND, SEQUENCE, TRANSITIONS
from .command import DONE, INTERNAL, INTERRUPTED, USAGE, Command, Job, UsageError
from .errors import AmbleError
from .gait.command import COMMAND as GAIT
from .idle.command import COMMAND as IDLE
from .mirror.command import COMMAND as MIRROR
from .quiet import Terminal, turned_away
from .rig.command import COMMAND as RIG

EPILOG = """Exit codes: 0 done, 1 below the quality bar (with --strict), 2 usage or input, 3 internal error.
`amble COMMAND --help` explains a command. Inside Blender: blender -b file.blend -c amble COMMAND ..."""

# In the order of the help.
COMMANDS = (GAIT, IDLE, BLEND, MIRROR, SEQUENCE, TRANSITIONS, RIG, BATCH)


class _Parser(argparse.ArgumentParser):
    """An argument parser that leaves printing and exiting to `main`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, add_help=False, formatter_class=_HelpFormatter, **options)
        about = "print this help and exit"
        self.add_argument(
            "-h", "--help", action=_Show, text=self.format_help, dest=argparse.SUPPRESS, help=about
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


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


def main(argv: Sequence[str]) -> int:
    """Run a command line, without the program's name, and return its exit code (0 to 3; 130 interrupted)."""
    with turned_away(verbose="--verbose" in argv) as terminal:
        return run(argv, terminal)


def run(argv: Sequence[str], terminal: Terminal) -> int:
    """The same where Blender's own words are turned away already; it prints to `terminal`."""
    try:
        arguments = parse(list(argv))
        command: Command = arguments.command
        return command.run(Job(arguments, terminal))
    except _Shown as shown:
        print(shown, file=terminal.out, end="")
        return DONE
    except (UsageError, AmbleError) as error:
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


def flags_of(command: Command) -> dict[str, argparse.Action]:
    """What argparse knows of each option of a sub-command, by its name without the dashes."""
    parser = _Parser(prog=command.name)
    command.options(parser)
    actions: list[argparse.Action] = parser._actions  # nothing public tells them
    return {flag.removeprefix("--"): action for action in actions for flag in action.option_strings}


def parse(argv: list[str]) -> argparse.Namespace:
    """The arguments of a command line. Raises UsageError, or _Shown where it asked for help."""
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
        raise UsageError(
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
