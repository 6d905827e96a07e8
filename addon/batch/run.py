"""The units of a job, done in parallel; what was done before with the same input is not done again."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..command import BELOW_BAR, DONE, INTERRUPTED
from ..errors import BadFile
from .child import Child
from .job import RIGIFY, BatchJob, Unit


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a unit.

    code: the exit code of its command line; message: what was said of it where it went wrong; outputs: path
    to SHA-256 of each file; picture: its file's name in the results' folder; summary: as the sub-command's
    --report has it; again: whether it was done by an earlier run.
    """

    unit: Unit
    code: int
    message: str = ""
    seconds: float = 0.0
    outputs: dict[str, str] = field(default_factory=dict)
    picture: str | None = None
    summary: dict[str, Any] = field(default_factory=dict)
    again: bool = False

    @property
    def done(self) -> bool:
        """Whether its files are there."""
        return self.code in (DONE, BELOW_BAR)


class Records:
    """What is known of units that are done, in the results' folder: one file each, written last."""

    def __init__(self, job: BatchJob) -> None:
        self._job, self.folder = job, job.results / "units"
        self._hashes: dict[str, str] = {}
        self._program = _program_hash()

    def file(self, unit: Unit, suffix: str) -> Path:
        """A file of a unit; the name tells people which, and a hash keeps it apart from others."""
        rig = os.path.relpath(unit.rig, self._job.folder) if not unit.rig.startswith(RIGIFY) else unit.rig
        words = re.sub(r"[^\w.-]+", "_", f"{Path(rig).stem}-{unit.task}")[:80]
        return self.folder / f"{words}-{_hash_of([rig, unit.task])[:10]}{suffix}"

    def known(self, unit: Unit) -> Outcome | None:
        """What an earlier run made of it, if that still is what this one would make."""
        try:
            kept = json.loads(self.file(unit, ".json").read_text(encoding="utf-8"))
            same = kept["input"] == self._input_of(unit) and set(kept["outputs"]) == set(
                map(self._relative, unit.outputs)
            )
            whole = same and all(
                hash_of_file(self._job.folder / path) == sha for path, sha in kept["outputs"].items()
            )
            picture = kept["picture"]
            if not whole or (unit.picture and not (picture and (self._job.results / picture).is_file())):
                return None
            return Outcome(
                unit,
                kept["code"],
                kept["message"],
                kept["seconds"],
                kept["outputs"],
                picture,
                kept["summary"],
                again=True,
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, unit: Unit, code: int, message: str, seconds: float) -> Outcome:
        """Take down what became of a unit."""
        outcome = Outcome(unit, code, message, seconds)
        if outcome.done:
            report, picture = self.file(unit, ".report.json"), self.file(unit, ".png")
            summary = json.loads(report.read_text(encoding="utf-8"))
            report.unlink()
            hashes = {self._relative(path): hash_of_file(path) for path in unit.outputs}
            drawn = picture.relative_to(self._job.results).as_posix() if unit.picture else None
            outcome = Outcome(unit, code, message, seconds, hashes, drawn, summary)
            kept = asdict(outcome)
            del kept["unit"], kept["again"]
            write_whole(self.file(unit, ".json"), json.dumps({"input": self._input_of(unit), **kept}))
        else:
            self.file(unit, ".json").unlink(missing_ok=True)
        return outcome

    def _relative(self, path: Path) -> str:
        return Path(os.path.relpath(path, self._job.folder)).as_posix()

    def _input_of(self, unit: Unit) -> str:
        """A hash of all that the result depends on: program, options, the files they name, the rig."""
        parts = [unit.command, *unit.words]
        files = [unit.rig, *(word.partition("=")[2] for word in unit.words)]
        for name in files:
            path = self._job.folder / name
            if name and name not in self._hashes:
                self._hashes[name] = hash_of_file(path) if _is_file(path) else ""
            parts.append(self._hashes.get(name, "") or (name if name == unit.rig else ""))
        return _hash_of([self._program, *parts])


def command_line(unit: Unit, records: Records) -> list[str]:
    """A unit as words of the command line, as a process of a batch runs it."""
    words = [unit.command, unit.rig, *unit.words, "--quiet", f"--report={records.file(unit, '.report.json')}"]
    words += [f"--output={path}" for path in unit.outputs]
    return words + ([f"--picture={records.file(unit, '.png')}"] if unit.picture else [])


def prepare(job: BatchJob) -> None:
    """Make the folders that results go to, and take away what a killed run left half-written in them."""
    folders = {path.parent for unit in job.units for path in unit.outputs} | {job.results / "units"}
    for folder in sorted(folders):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadFile(f"The folder {folder} cannot be made: {error.strerror}.") from error
        for left in folder.glob(".*.part.*"):
            owner = re.search(r"\.(\d+)\.part\.", left.name)
            if owner and not _is_alive(int(owner[1])):
                with suppress(OSError):
                    left.unlink()


def outcomes(job: BatchJob, records: Records, units: Sequence[Unit], processes: int) -> Iterator[Outcome]:
    """What becomes of units, as each is finished. Ended early, by Ctrl-C, no process is left at work."""
    todo: queue.SimpleQueue[Unit] = queue.SimpleQueue()
    for unit in units:
        todo.put(unit)
    finished: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
    children = [Child(job.folder, job.memory_mb, job.minutes) for _ in range(min(processes, len(units)))]
    threads = [
        threading.Thread(target=_work, args=(child, records, todo, finished), daemon=True)
        for child in children
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in units:
            found = finished.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        while not todo.empty():
            try:
                todo.get_nowait()
            except queue.Empty:
                break
        for child in children:
            child.stop()
        for thread in threads:
            thread.join()
        for child in children:
            child.close()


def _work(
    child: Child,
    records: Records,
    todo: queue.SimpleQueue[Unit],
    finished: queue.SimpleQueue[Outcome | BaseException],
) -> None:
    while True:
        try:
            unit = todo.get_nowait()
        except queue.Empty:
            return
        try:
            answer = child.run(command_line(unit, records))
            if answer.code == INTERRUPTED:
                return
            finished.put(records.keep(unit, answer.code, said_by(answer.said), answer.seconds))
        except BaseException as error:
            finished.put(error)
            return


def said_by(text: str) -> str:
    """The one line of what a command line printed that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("amble: error: ") for line in lines if line.startswith("amble: error: ")]
    if errors:
        return errors[-1]
    # An error inside: the last line of its traceback, which is before the words that Blender printed.
    ends = [i for i, line in enumerate(lines) if line.startswith(("Last lines that", "amble: error inside"))]
    return lines[ends[0] - 1] if ends and ends[0] else lines[-1] if lines else ""


def write_whole(path: Path, text: str) -> None:
    """Write a file of text in one go: what was there before, or all of it."""
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        temporary.unlink(missing_ok=True)


def hash_of_file(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hash_of(parts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _program_hash() -> str:
    """What the results depend on besides the input: this package, its core and Blender."""
    import amble_core
    import bpy

    package = Path(__file__).parents[1]
    parts = [bpy.app.version_string, hash_of_file(Path(amble_core.__file__))]
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".json", ".toml"):
            parts += [path.relative_to(package).as_posix(), hash_of_file(path)]
    return _hash_of(parts)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no path at all
        return False


def _is_alive(pid: int) -> bool:
    if os.name == "nt":
        return False  # there, no signal can be sent to ask; and a file that is open cannot be taken away
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True
