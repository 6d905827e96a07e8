"""A job's units on a Dask cluster. Workers need this package with Blender, and the job's folder."""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import AmbleError, BadSetting
from .child import Answer, Child
from .job import BatchJob, Unit
from .run import Outcome, Records, command_line, said_by

RETRIES = 3  # of a unit whose worker is lost
ROOM_S = 30  # for a scheduler to answer


def outcomes_of_cluster(
    address: str, job: BatchJob, records: Records, units: Sequence[Unit]
) -> Iterator[Outcome]:
    """As `run.outcomes`, on the workers of a scheduler. A unit whose worker is lost is done by another."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise BadSetting("--scheduler needs the package distributed: pip install distributed.") from error
    try:
        client = Client(address, timeout=ROOM_S)
    except (OSError, ValueError, TimeoutError) as error:
        raise AmbleError(f"There is no scheduler at {address}: {error}.") from error
    with client:
        bounds = str(job.folder), job.memory_mb, job.minutes
        futures = {
            client.submit(
                run_on_worker, command_line(unit, records), *bounds, key=f"amble-{i}", retries=RETRIES
            ): unit
            for i, unit in enumerate(units)
        }
        for future in as_completed(futures):
            unit = futures[future]
            if future.status == "finished":
                answer: Answer = future.result()
                yield records.keep(unit, answer.code, said_by(answer.said), answer.seconds)
            else:
                yield records.keep(unit, 3, f"The cluster gave up on it: {future.exception()}", 0.0)


_children: dict[tuple[Any, ...], list[Child]] = {}


def run_on_worker(words: list[str], folder: str, memory_mb: float, minutes: float) -> Answer:
    """What a worker does: the command line in a process of its own, which it keeps for the next one."""
    free = _children.setdefault((folder, memory_mb, minutes), [])
    # A worker may have several threads; each takes a process that is free.
    child = free.pop() if free else Child(Path(folder), memory_mb, minutes)
    try:
        return child.run(words)
    finally:
        free.append(child)


@atexit.register
def _close() -> None:
    for children in _children.values():
        for child in children:
            child.close()
