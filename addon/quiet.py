"""Keep what Blender and its importers print away from the terminal, and with it from machine-read output."""

from __future__ import annotations

import ctypes
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

KEPT_BYTES = 4000  # of what was printed, shown when something goes wrong inside


class Terminal:
    """The two streams that the program itself prints to while Blender's own are turned away."""

    def __init__(self, out: TextIO, err: TextIO, log: TextIO | None) -> None:
        self.out, self.err, self._log = out, err, log

    def into(self, out: TextIO, err: TextIO) -> Terminal:
        """The same, but for where the program itself prints to."""
        return Terminal(out, err, self._log)

    def chatter(self) -> str:
        """The end of what Blender printed so far; empty where it went to the terminal."""
        if self._log is None:
            return ""
        _flush()
        descriptor = self._log.fileno()
        size = os.fstat(descriptor).st_size
        os.lseek(descriptor, max(0, size - KEPT_BYTES), os.SEEK_SET)
        return os.read(descriptor, KEPT_BYTES).decode(errors="replace")


@contextmanager
def turned_away(*, verbose: bool = False) -> Iterator[Terminal]:
    """Send what Python and C print for the length of the `with` block into a file that nobody sees.

    verbose: send it to standard error instead. Importers print from C as well as from Python, so the file
    descriptors themselves are redirected. Where there are none (a program without a console) nothing is.
    """
    _flush()
    try:
        real = [os.dup(1), os.dup(2)]
    except OSError:
        yield Terminal(sys.stdout, sys.stderr, None)
        return
    streams = sys.stdout, sys.stderr
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log,
        _writer(real[0]) as out,
        _writer(real[1]) as err,
        _writer(os.dup(real[1] if verbose else log.fileno())) as sink,
    ):
        try:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
            sys.stdout = sys.stderr = sink
            yield Terminal(out, err, None if verbose else log)
        finally:
            sink.flush()
            _flush()
            sys.stdout, sys.stderr = streams
            out.flush()
            err.flush()
            os.dup2(real[0], 1)
            os.dup2(real[1], 2)


class _Descriptor(io.FileIO):
    """A file descriptor to write to, whose reader may go away before the end, as in `... | head`."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes  # nobody wants to know; the work itself goes on


def _writer(descriptor: int) -> TextIO:
    raw = io.BufferedWriter(_Descriptor(descriptor, "w"))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="replace", line_buffering=True)


def _flush() -> None:
    """Empty every buffer, C's as well: text left in one would come out after the streams are swapped."""
    sys.stdout.flush()
    sys.stderr.flush()
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL("ucrtbase" if os.name == "nt" else None).fflush(None)
