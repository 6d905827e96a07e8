"""A process of its own that does one unit after the other. Whatever becomes of it, the batch goes on."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..command import INTERNAL, INTERRUPTED, USAGE
from .serve import MARK

LOOK_S = 0.2  # how often a process at work is looked at


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command line came to: its exit code, what it printed on standard error, how long it took."""

    code: int
    said: str
    seconds: float


class Child:
    """One such process, started when it is first needed and again after it has died.

    folder: what it works in; memory_mb, minutes: it is ended where it needs more. For one thread at a time.
    """

    def __init__(self, folder: Path, memory_mb: float, minutes: float) -> None:
        self._folder, self._memory, self._limit = folder, memory_mb, 60.0 * minutes
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._temporary = ""
        self._stop = threading.Event()

    def run(self, words: Sequence[str]) -> Answer:
        """Run a command line in the process."""
        begun = time.monotonic()
        code, said = self._run(words)
        return Answer(code, said, time.monotonic() - begun)

    def stop(self) -> None:
        """Have `run` give up; may be called by another thread."""
        self._stop.set()

    def close(self) -> None:
        """End the process, at once where it is at work."""
        self._end(kill=self._stop.is_set())

    def _run(self, words: Sequence[str]) -> tuple[int, str]:
        if self._process is None or self._process.poll() is not None:
            self._end(kill=True)
            self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with suppress(OSError):  # it has died; that shows below
            process.stdin.write(json.dumps(list(words)) + "\n")
            process.stdin.flush()
        begun = time.monotonic()
        while True:
            try:
                line = self._lines.get(timeout=LOOK_S)
            except queue.Empty:
                complaint = self._complaint(time.monotonic() - begun)
                if complaint is not None:
                    self._end(kill=True)
                    return complaint
                continue
            if line is None:
                code = self._end(kill=True)
                return INTERNAL, f"The process ended (exit code {code}) before the work was done."
            if line.startswith(MARK):
                answer = json.loads(line.removeprefix(MARK))
                if _memory_mb(process.pid) > self._memory:
                    self._end(kill=False)  # the next one begins afresh
                return int(answer["code"]), str(answer["said"])

    def _complaint(self, seconds: float) -> tuple[int, str] | None:
        """Why the process must not go on, if so."""
        assert self._process is not None
        if self._stop.is_set():
            return INTERRUPTED, "interrupted"
        if seconds > self._limit:
            return USAGE, f"It took longer than minutes = {self._limit / 60:g} allows, and was ended."
        if _memory_mb(self._process.pid) > self._memory:
            return USAGE, f"It needed more memory than memory_mb = {self._memory:g} allows, and was ended."
        return None

    def _start(self) -> None:
        self._temporary = tempfile.mkdtemp(prefix="amble-batch-")
        self._lines = queue.Queue()
        # A session of its own: Ctrl-C is for the batch, which lets nobody be cut off in the middle of a file.
        self._process = subprocess.Popen(
            [*program(), "batch", "--serve"],
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self._temporary, "TEMP": self._temporary},
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        reader = threading.Thread(target=_read, args=(self._process, self._lines), daemon=True)
        reader.start()

    def _end(self, *, kill: bool) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        assert process.stdin is not None
        if kill:
            process.kill()
        with suppress(OSError):
            process.stdin.close()
        code = process.wait()
        shutil.rmtree(self._temporary, ignore_errors=True)
        return code


def program() -> list[str]:
    """The words that start this program once more: Blender with the extension, or Python with the module."""
    import bpy

    if bpy.app.binary_path:
        return [bpy.app.binary_path, "-b", "-c", "amble"]
    return [sys.executable, "-m", "amble"]


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


def _memory_mb(pid: int) -> float:
    """What a process has in memory; 0 where the system has no /proc to tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
