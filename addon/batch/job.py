"""A job file: which rigs, which tasks, where the results go. Checked as a whole before anything is done.

rigs = ["characters/*.glb", "heroes/**/*.blend", "rigify:human"]    # globs, from the job file's folder
output = "out/{rig}-{task}.glb"      # or a list; {rig}, {folder}: of the file, {task}: below

results = "results"                  # folder of what is told of them (default: JOB.results)
pictures = true                      # draw each result that can be drawn (default: false)
processes = 4                        # (default: one for each processor)
memory_mb = 4000                     # a process that needs more is ended (default: 4000)
minutes = 10                         # likewise of one that takes longer (default: 10)

[[task]]                             # each is done on each rig
name = "walk"
command = "gait"                     # a sub-command of the command line; what follows are its options
speed = 1.4
frames = [1, 48]

[[task]]
name = "breathe"
command = "idle"
condition = "tired"
rigs = ["heroes/*.blend"]            # only these
output = ["out/{rig}.blend", "out/{rig}-breath.glb"]
"""

from __future__ import annotations

import argparse
import glob
import os
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BadFile
from ..toml import line_of, parse_toml, read_text

RIGIFY = "rigify:"
FIELDS = ("rig", "folder", "task")
# Options of sub-commands that a batch sets by itself.
OWN = ("report", "picture", "json", "quiet", "verbose", "help", "file")
MOST_PROCESSES = 1024


@dataclass(frozen=True, slots=True)
class Unit:
    """One task on one rig.

    rig: its file as an absolute path, or rigify:...; words: the options, as on the command line, without
    outputs; outputs: absolute paths; picture: whether one is wanted.
    """

    rig: str
    task: str
    command: str
    words: tuple[str, ...]
    outputs: tuple[Path, ...]
    picture: bool

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.task} of {self.rig if self.rig.startswith(RIGIFY) else Path(self.rig).name}"


@dataclass(frozen=True, slots=True)
class BatchJob:
    """A whole job file, checked. memory_mb and minutes: bounds of a process and of one unit."""

    path: Path
    units: tuple[Unit, ...]
    results: Path
    processes: int
    memory_mb: float
    minutes: float

    @property
    def folder(self) -> Path:
        """The folder that everything in the file is relative to."""
        return self.path.parent


class _Reader:
    """The file being read: what is wrong is told with the line it stands in."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.text = read_text(path)
        self.content = parse_toml(self.text, str(path))
        self._shown = path

    def wrong(self, message: str, key: str | None = None, task: int | None = None) -> BadFile:
        """The error of a key, of the whole of the task of that number, or of the file."""
        line = line_of(self.text, key, None if task is None else ("task", task))
        return BadFile(f"{self._shown}{f', line {line}' if line else ''}: {message}")

    def number(self, key: str, usual: float, least: float, most: float) -> float:
        value = self.content.get(key, usual)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not least <= value <= most:
            raise self.wrong(f"{key} must be a number from {least:g} to {most:g}, not {value!r}.", key)
        return float(value)

    def texts(self, value: Any, key: str, task: int | None = None) -> list[str]:
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not found or not all(isinstance(one, str) and one for one in found):
            raise self.wrong(f"{key} must be a text or a list of texts, not {value!r}.", key, task)
        return found


_TOP = ("rigs", "output", "results", "pictures", "processes", "memory_mb", "minutes", "task")


def read_job(path: str | Path) -> BatchJob:
    """Read and check a job file. Raises BadFile, which names the line; nothing has been made then."""
    reader = _Reader(Path(path))
    content = reader.content
    for key in content:
        if key not in _TOP:
            raise reader.wrong(f"there is no setting {key}; there are {', '.join(_TOP)}.", key)
    tasks = content.get("task")
    if not isinstance(tasks, list) or not tasks or not all(isinstance(one, dict) for one in tasks):
        raise reader.wrong("there is no task: write each as [[task]] with name and command.")
    pictures = content.get("pictures", False)
    if not isinstance(pictures, bool):
        raise reader.wrong(f"pictures must be true or false, not {pictures!r}.", "pictures")
    processes = reader.number("processes", os.cpu_count() or 1, 1, MOST_PROCESSES)
    units = [unit for i, task in enumerate(tasks) for unit in _units(reader, i, task, pictures)]
    _refuse_doubles(reader, tasks, units)
    results = reader.texts(content.get("results", f"{reader.path.stem}.results"), "results")[0]
    return BatchJob(
        path=reader.path,
        units=tuple(units),
        results=(reader.path.parent / results).absolute(),
        processes=int(processes),
        memory_mb=reader.number("memory_mb", 4000, 100, 1e6),
        minutes=reader.number("minutes", 10, 0.01, 1e5),
    )


def _units(reader: _Reader, i: int, task: Mapping[str, Any], pictures: bool) -> Iterator[Unit]:
    """The units of the task of number i."""
    name, command = (task.get(key) for key in ("name", "command"))
    if not isinstance(name, str) or not re.fullmatch(r"[^/\\{}\0]+", name):
        raise reader.wrong("each task needs a name, without / and \\.", "name" if name else None, i)
    words, can_draw = _options(reader, i, task, command)
    key, own = ("rigs", i) if "rigs" in task else ("rigs", None)
    patterns = task.get("rigs", reader.content.get("rigs"))
    if patterns is None:
        raise reader.wrong(f'"{name}" has no rigs: give some above the tasks, or in it.', None, i)
    rigs = _rigs(reader, reader.texts(patterns, key, own), own)
    given = task.get("output", reader.content.get("output"))
    wanted = [] if given is None else reader.texts(given, "output", i if "output" in task else None)
    for pattern in wanted:
        _check_pattern(reader, pattern, i if "output" in task else None)
    for rig in rigs:
        path = Path(rig.removeprefix(RIGIFY).replace(":", "-"))
        values = {"rig": path.stem, "folder": path.parent.name, "task": name}
        outputs = tuple((reader.path.parent / pattern.format(**values)).absolute() for pattern in wanted)
        yield Unit(rig, name, str(command), words, outputs, pictures and can_draw)


def _rigs(reader: _Reader, patterns: Sequence[str], task: int | None) -> list[str]:
    """The files of patterns, each once, in the order of patterns and names."""
    found: dict[str, None] = {}
    folder = reader.path.parent
    for pattern in patterns:
        if pattern.startswith(RIGIFY):
            found[pattern] = None
            continue
        files = sorted(glob.glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207 - pathlib refuses absolute ones
        files = [name for name in files if (folder / name).is_file()]
        if not files:
            raise reader.wrong(f"there is no file {pattern} (from {folder}).", "rigs", task)
        found.update((str((folder / name).absolute()), None) for name in files)
    return list(found)


def _check_pattern(reader: _Reader, pattern: str, task: int | None) -> None:
    try:
        fields = [name for _, name, _, _ in string.Formatter().parse(pattern) if name is not None]
    except ValueError as error:
        raise reader.wrong(f"output {pattern!r} cannot be read: {error}.", "output", task) from error
    for name in fields:
        if name not in FIELDS:
            known = ", ".join(f"{{{one}}}" for one in FIELDS)
            raise reader.wrong(f"output has {{{name}}}; there are {known}.", "output", task)
    from ..formats import FORMATS, either

    if Path(pattern).suffix.lower() not in FORMATS:
        raise reader.wrong(f"output {pattern} must end in {either(list(FORMATS))}.", "output", task)


def _options(reader: _Reader, i: int, task: Mapping[str, Any], command: Any) -> tuple[tuple[str, ...], bool]:
    """The words of a task's options, accepted by its sub-command, and whether that can draw."""
    from ..cli import COMMANDS, flags_of, parse
    from ..command import UsageError

    known = {one.name: flags for one in COMMANDS if {"output", "report"} <= (flags := flags_of(one)).keys()}
    if command not in known:
        raise reader.wrong(f"command must be one of {', '.join(known)}, not {command!r}.", "command", i)
    words: list[str] = []
    for key, value in task.items():
        if key in ("name", "command", "rigs", "output"):
            continue
        flag = key.replace("_", "-")
        if flag in OWN:
            raise reader.wrong(f"{key} is set by the batch itself: leave it out.", key, i)
        if flag not in known[command]:
            names = ", ".join(sorted(name for name in known[command] if name not in OWN and name[0] != "-"))
            raise reader.wrong(f"{command} has no option {key}; it has {names}.", key, i)
        words += _words(reader, i, key, value, known[command][flag])
    try:
        arguments = parse([command, "rig.blend", *words])
    except UsageError as error:
        named = re.search(r"--([a-z][\w-]*)", str(error))
        keys = [key for key in task if named and key.replace("_", "-") == named[1].removeprefix("no-")]
        message = re.sub(r" \(see amble.*\)$", "", str(error))
        raise reader.wrong(f"{message}.", keys[0] if keys else None, i) from error
    return tuple(words), "picture" in arguments


def _words(reader: _Reader, i: int, key: str, value: Any, option: argparse.Action) -> list[str]:
    """An option as on the command line. A list is written as the option has it: repeated, A:B or A,B,C."""
    flag = "--" + key.replace("_", "-")
    is_switch = option.nargs == 0
    if isinstance(value, bool) and is_switch:
        opposite = "--no-" + flag[2:]
        return [flag] if value else [opposite] if opposite in option.option_strings else []
    parts = value if isinstance(value, list) else [value]
    good = parts and all(isinstance(one, (int, float, str)) and not isinstance(one, bool) for one in parts)
    if is_switch or not good:
        allowed = "true or false" if is_switch else "a number, a text or a list of these"
        raise reader.wrong(f"{key} must be {allowed}, not {value!r}.", key, i)
    if option.default == []:  # may be given more than once
        return [f"{flag}={one}" for one in parts]
    return [f"{flag}={(':' if ':' in str(option.metavar) else ',').join(map(str, parts))}"]


def _refuse_doubles(reader: _Reader, tasks: Sequence[Any], units: Sequence[Unit]) -> None:
    """No two units may write the same file, or have the same name; none may write over a rig."""
    names = [task["name"] for task in tasks]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise reader.wrong(f'there are two tasks "{name}": give each a name of its own.', "name", i)
    rigs = {os.path.realpath(unit.rig) for unit in units if not unit.rig.startswith(RIGIFY)}
    writers: dict[str, Unit] = {}
    for unit in units:
        for output in unit.outputs:
            file = os.path.realpath(output)
            other = writers.setdefault(file, unit)
            if other is not unit or list(map(os.path.realpath, unit.outputs)).count(file) > 1:
                message = f"{unit.name} and {other.name} would both write {output}: have {{rig}}, {{task}}"
                raise reader.wrong(f"{message} or {{folder}} in output.", "output")
            if file in rigs:
                raise reader.wrong(f"{output} is a rig of this job, and would be lost.", "output")
