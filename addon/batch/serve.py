"""What a process that works for a batch does: reads command lines from its standard input, runs each."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

from ..quiet import Terminal

# Begins each line that is meant for the batch: Blender prints some of its own.
MARK = "amble-batch: "


def serve(terminal: Terminal) -> None:
    """Run the command lines that come in, JSON lists of words, one a line, until there are no more.

    Each is answered by one line: MARK and a JSON object with code, its exit code, and said, what it printed.
    """
    from ..cli import run

    for line in sys.stdin:
        told = io.StringIO()
        code = run(json.loads(line), terminal.into(io.StringIO(), told))
        answer: dict[str, Any] = {"code": code, "said": told.getvalue()}
        print(MARK + json.dumps(answer), file=terminal.out, flush=True)
