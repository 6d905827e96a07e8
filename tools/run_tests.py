"""Run test lanes one after the other, each in its own virtual environment, and add up what they say.

    python tools/run_tests.py core blender-5.0 blender-4.2

Each lane is one pytest process under a time limit that ends it even where Blender hangs. The last line is the
sum, `N passed, N failed, N skipped`. Exit code 1 if a lane failed, ran no test, or is an everyday lane that
could not run; a lane of the full set whose Blender cannot be had on this machine is named and left out.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "build" / "tests"
CORE = ("tests/core",)
# Everything, and so the core once more: with this Blender's NumPy and the floating-point state it sets.
BLENDER = ("tests",)


@dataclass(frozen=True, slots=True)
class Lane:
    """One pytest run: the environment it runs in, what it runs, and the build of the core it runs on."""

    environment: str
    paths: tuple[str, ...]
    limit_s: int
    core: str = ""
    optional: bool = False


LANES = {
    "core": Lane(".venv-tools", CORE, 900),
    "core-scalar": Lane(".venv-tools", CORE, 900, core="scalar"),
    "core-sanitized": Lane(".venv-tools", CORE, 1200, core="sanitized"),
    "core-coverage": Lane(".venv-tools", CORE, 900, core="coverage"),
    "blender-4.2": Lane(".venv-4.2", BLENDER, 1500),
    "blender-4.5": Lane(".venv-4.5", BLENDER, 1500, optional=True),
    "blender-5.0": Lane(".venv", BLENDER, 1500),
    "blender-5.2": Lane(".venv-5.2", BLENDER, 1500, optional=True),
}


@dataclass(slots=True)
class Sums:
    """Tests counted by outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def line(self) -> str:
        """The counts in words, as other runners close with."""
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    def add(self, other: "Sums") -> None:
        """Add another lane's counts to these."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def read_sums(report: Path) -> Sums:
    """Counts in a JUnit report; a missing or unreadable one counts as one failure, as its lane died."""
    try:
        suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return Sums(failed=1)
    keys = ("tests", "failures", "errors", "skipped")
    tests, failures, errors, skipped = (sum(int(suite.get(key, "0")) for suite in suites) for key in keys)
    return Sums(tests - failures - errors - skipped, failures + errors, skipped)


def lane_environment(lane: Lane) -> dict[str, str]:
    """Environment variables of a lane: which core is found first, and what the sanitizers need."""
    variables = dict(os.environ)
    variables["PYTHONPATH"] = str(ROOT / "build" / lane.core) if lane.core else ""
    # Reports of the lanes must not depend on plugins and options that happen to be set on this machine.
    variables.pop("PYTEST_ADDOPTS", None)
    if lane.core == "sanitized":
        compiler = os.environ.get("CC", "cc")
        library = subprocess.check_output([compiler, "-print-file-name=libasan.so"], text=True)
        # The interpreter itself is not sanitized, so the runtime has to be there before it. Python's own
        # allocator would hide overruns inside its arenas. Leaks of the interpreter at exit are not ours.
        variables["LD_PRELOAD"] = library.strip()
        variables["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=1"
        variables["UBSAN_OPTIONS"] = "print_stacktrace=1"
        variables["PYTHONMALLOC"] = "malloc"
    return variables


def run_lane(name: str, lane: Lane, *, slow: bool) -> tuple[bool, Sums]:
    """Run one lane; whether it was green, and its counts."""
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = ["timeout", "-s", "KILL", str(lane.limit_s * (4 if slow else 1))]
    command += [str(ROOT / lane.environment / "bin" / "python"), "-m", "pytest", "-q", f"--junitxml={report}"]
    command += ["-o", f"cache_dir={ROOT / 'build' / 'pytest' / name}"]
    command += [] if slow else ["-m", "not slow"]
    command += [path for path in lane.paths if (ROOT / path).is_dir()]
    environment = lane_environment(lane)
    run = subprocess.run(command, cwd=ROOT, env=environment, check=False, stdin=subprocess.DEVNULL)
    sums = read_sums(report)
    green = run.returncode == 0 and sums.failed == 0 and sums.passed > 0
    if run.returncode != 0 and sums.failed == 0:
        print(f"{name}: pytest ended with {run.returncode}", flush=True)
        sums.failed += 1
    return green, sums


def main() -> int:
    """Read the command line, run the lanes, print the sum."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("lanes", nargs="+", choices=list(LANES))
    parser.add_argument("--slow", action="store_true", help="tests marked slow too, in four times the time")
    options = parser.parse_args()

    REPORTS.mkdir(parents=True, exist_ok=True)
    total, lines, all_green = Sums(), [], True
    for name in options.lanes:
        lane = LANES[name]
        if not (ROOT / lane.environment / "bin" / "python").exists():
            lines.append(f"{name:<15} not run: no {lane.environment} on this machine")
            all_green = all_green and lane.optional
            continue
        print(f"== {name}", flush=True)
        start = time.monotonic()
        green, sums = run_lane(name, lane, slow=options.slow)
        word, seconds = "ok" if green else "FAILED", time.monotonic() - start
        lines.append(f"{name:<15} {word:<7} {seconds:5.0f} s   {sums.line()}")
        total.add(sums)
        all_green = all_green and green
    print("== lanes", *lines, total.line(), sep="\n", flush=True)
    return 0 if all_green else 1


if __name__ == "__main__":
    sys.exit(main())
