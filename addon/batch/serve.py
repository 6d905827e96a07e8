"""What a process that works for a batch does: reads command lines from its standard input, runs each."""

from __future__ import annotations

import io
import json
import os
import queue
import sys
import threading
from typing import Any

from ..command import INTERRUPTED
from ..quiet import Terminal

# Begins each line that is meant for the batch: Blender prints some of its own.
MARK = "amble-batch: "


def serve(terminal: Terminal) -> None:
    """Run the command lines that come in, JSON lists of words, one a line, until there are no more.

    Each is answered by one line: MARK and a JSON object with code, its exit code, and said, what it printed.
    The next one is given after the answer. Where the input ends during work, whoever gave it is gone, and
    with it the watch over memory and time: the process ends at once.
    """
    from ..cli import run

    given: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    free = threading.Event()
    free.set()
    threading.Thread(target=_listen, args=(given, free), daemon=True).start()
    while (line := given.get()) is not None:
        told = io.StringIO()
        code = run(json.loads(line), terminal.into(io.StringIO(), told))
        answer: dict[str, Any] = {"code": code, "said": told.getvalue()}
        free.set()
        print(MARK + json.dumps(answer), file=terminal.out, flush=True)


def _listen(given: queue.SimpleQueue[str | None], free: threading.Event) -> None:
    for line in sys.stdin:
        free.clear()
        given.put(line)
    if not free.is_set():
        os._exit(INTERRUPTED)
    given.put(None)
