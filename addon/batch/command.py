"""`amble batch`."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import signal
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..command import BELOW_BAR, DONE, INTERNAL, INTERRUPTED, USAGE, Command, Job, UsageError, add_quiet

if TYPE_CHECKING:
    from .job import BatchJob
    from .run import Outcome, Records

WIDTH = 30  # of the bar, in letters


def _batch_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="JOB", nargs="?", help="job file, .toml (addon/batch/job.py shows all it can say)")
    add("--processes", metavar="N", type=_count, help="how many work at once (default: the job file's)")
    add("--scheduler", metavar="ADDRESS", help="Dask scheduler to work on, tcp://... (default: this machine)")
    add("--again", action="store_true", help="do everything (default: leave out what is done already)")
    add("--check", action="store_true", help="only check the job file and count what it asks for")
    add("--list", action="store_true", help="only print one command line for each unit, for other farms")
    add("--json", action="store_true", help="print the results as JSON (default: in a sentence)")
    add("--serve", action="store_true", help=argparse.SUPPRESS)
    add_quiet(add)


def _count(text: str) -> int:
    from .job import MOST_PROCESSES

    if not text.isdecimal() or not 1 <= int(text) <= MOST_PROCESSES:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_PROCESSES}, not {text}")
    return int(text)


def _batch(job: Job) -> int:
    arguments = job.arguments
    if arguments.serve:
        from .serve import serve

        serve(job.terminal)
        return DONE
    if arguments.file is None:
        raise UsageError("the job file is missing: give a .toml file")
    from .job import read_job
    from .run import Records, command_line

    work = read_job(arguments.file)
    processes = arguments.processes or work.processes
    if arguments.check:
        job.show(f"{len(work.units)} units, {processes} processes")
        return DONE
    records = Records(work)
    if arguments.list:
        for unit in work.units:
            job.show(shlex.join(["amble", *command_line(unit, records)]))
        return DONE
    return _do(job, work, records, processes)


def _do(job: Job, work: BatchJob, records: Records, processes: int) -> int:
    """Do what is not done, write the results: the exit code."""
    from .results import save_results, sentence
    from .run import outcomes, prepare

    arguments = job.arguments
    prepare(work)
    known = {} if arguments.again else {unit: records.known(unit) for unit in work.units}
    found = {unit: outcome for unit, outcome in known.items() if outcome is not None}
    todo = [unit for unit in work.units if unit not in found]
    if arguments.scheduler:
        from .cluster import outcomes_of_cluster

        stream = outcomes_of_cluster(arguments.scheduler, work, records, todo)
    else:
        stream = outcomes(work, records, todo, processes)
    interrupted = False
    try:
        with _terminated_as_interrupted():
            for outcome in _told(job, stream, len(todo)):
                found[outcome.unit] = outcome
    except KeyboardInterrupt:
        interrupted = True
    finally:
        ordered = [found[unit] for unit in work.units if unit in found]
        files = save_results(work.results, ordered)
    if interrupted:
        job.say(
            f"interrupted with {len(ordered)} of {len(work.units)} done; the same command goes on from there"
        )
        return INTERRUPTED
    if arguments.json:
        job.show(files[0].read_text(encoding="utf-8").rstrip())
    elif not arguments.quiet:
        job.show("\n".join([sentence(ordered), *(f"  {path}" for path in files)]))
    codes = {outcome.code for outcome in ordered}
    if codes - {DONE, BELOW_BAR, USAGE}:
        return INTERNAL
    return USAGE if USAGE in codes else BELOW_BAR if BELOW_BAR in codes else DONE


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM, as of `timeout`, end the block like Ctrl-C does: no process is left at work."""
    if threading.current_thread() is not threading.main_thread():
        yield  # nobody else is told of signals
        return
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


def _told(job: Job, stream: Iterator[Outcome], number: int) -> Iterator[Outcome]:
    """The same outcomes, each told on standard error: a bar that moves on a terminal, else a line each."""
    from .results import word_of

    begun, bar = time.monotonic(), job.terminal.err.isatty()
    for done, outcome in enumerate(stream, 1):
        left = (time.monotonic() - begun) / done * (number - done)
        word = word_of(outcome) + (f": {outcome.message}" if outcome.message else "")
        if not bar or not outcome.done:
            job.clear()
            job.say(f"{done}/{number}  {outcome.unit.name}: {word}, {_time(left)} left")
        if bar:
            filled = WIDTH * done // number
            job.bar(f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{number}, {_time(left)} left")
        yield outcome
    job.clear()


def _time(seconds: float) -> str:
    """A time in words that fit its size."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


COMMAND = Command(
    name="batch",
    summary="do many tasks on many rigs, in many processes, from a job file",
    examples="""examples:
  python -m amble batch job.toml
  python -m amble batch job.toml --check                     only whether the file is right
  python -m amble batch job.toml --processes 2 --again       everything once more
  python -m amble batch job.toml --scheduler tcp://host:8786
  python -m amble batch job.toml --list                      a command line for each unit

job.toml:
  rigs = ["characters/*.glb"]
  output = "out/{rig}-{task}.glb"
  [[task]]
  name = "walk"
  command = "gait"
  speed = 1.4""",
    options=_batch_options,
    run=_batch,
)
