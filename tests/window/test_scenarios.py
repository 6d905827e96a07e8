"""Scenarios in the windows of real Blenders: AMBLE_BLENDER names the programs, separated as in PATH.

`make test-window` takes the `blender` that is on PATH. Where there is no screen, xvfb-run makes one. The
extension's zip in dist is installed as a user would.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.data import ROOT

NAMES = (
    "big_button", "search", "redo_panel", "in_pose_mode", "slope", "several", "nothing_there", "days_later",
    "two_windows", "languages", "open_panels", "figure", "on_and_off",
)  # fmt: skip
PROGRAMS = [program for program in os.environ.get("AMBLE_BLENDER", "").split(os.pathsep) if program]
# Only Vulkan gives pictures on a virtual screen.
WINDOW = ("--gpu-backend", "vulkan", "--window-geometry", "0", "0", "1280", "800", "--enable-event-simulate")


@dataclass(frozen=True)
class Played:
    """What a Blender said of each scenario, and all that it printed."""

    said: dict[str, str]
    output: str


_played: dict[str, Played] = {}


def play(program: str) -> Played:
    """Install the extension and play all scenarios, once for each program."""
    if program in _played:
        return _played[program]
    zips = sorted((ROOT / "dist").glob("amble-*.zip"))
    if not zips:
        pytest.skip("no zip in dist; `make extension` builds it")
    folder = ROOT / "build" / "window" / Path(program).name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(folder / "user")}
    environment.setdefault("XDG_RUNTIME_DIR", str(folder))
    install = ["--command", "extension", "install-file", "-r", "user_default", "-e", str(zips[-1])]
    run(program, install, environment, 120)
    virtual = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24"]
    # Without it the program is to bring a screen of its own.
    screen = [] if os.environ.get("DISPLAY") or shutil.which("xvfb-run") is None else virtual
    script = ["--python", str(ROOT / "tests" / "window" / "run.py"), "--", str(folder)]
    addons = ["--factory-startup", "--addons", "bl_ext.user_default.amble"]
    output = run(program, [*addons, *WINDOW, *script], environment, 400, screen)
    said = {}
    for line in output.splitlines():
        verdict, _, rest = line.partition(" ")
        if verdict in ("ok", "failed"):
            name, _, why = rest.partition(": ")
            said[name] = why or verdict
    _played[program] = Played(said, output)
    return _played[program]


def run(
    program: str,
    arguments: list[str],
    environment: dict[str, str],
    limit: int,
    before: list[str] | None = None,
) -> str:
    """Run a program within so many seconds, and return what it printed."""
    command = ["timeout", "-s", "KILL", str(limit), *(before or []), program, *arguments]
    found = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return found.stdout + found.stderr


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("program", PROGRAMS or [""], ids=lambda program: Path(program).name)
def test_scenario(program: str, name: str) -> None:
    if not program:
        pytest.skip("no Blender with a window: AMBLE_BLENDER names none")
    played = play(program)
    assert played.said.get(name) == "ok", played.said.get(name, played.output[-3000:])
