"""Inside Blender: play scenarios one after the other, and say of each whether it held.

blender --addons bl_ext.user_default.amble --python tests/window/run.py -- FOLDER [SCENARIO ...]
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import bpy  # noqa: E402
from tests.window.scenarios import SCENARIOS  # noqa: E402
from tests.window.screen import Screen, Steps  # noqa: E402


def main() -> None:
    """Read what stands after "--", play, and end Blender."""
    folder, *names = sys.argv[sys.argv.index("--") + 1 :]
    bpy.context.preferences.view.show_splash = False
    steps = every(Screen(Path(folder)), names)

    def tick() -> float:
        try:
            return next(steps)
        except BaseException:
            sys.stdout.flush()
            os._exit(0)

    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


def every(screen: Screen, names: list[str]) -> Steps:
    """All scenarios of these names, or all; a line "ok NAME" or "failed NAME: why" of each."""
    for scenario in SCENARIOS:
        name = scenario.__name__
        if names and name not in names:
            continue
        try:
            yield from scenario(screen)
        except BaseException as error:
            traceback.print_exc()
            yield from screen.picture(f"failed_{name}")
            why = " ".join(f"{type(error).__name__} {error}".split())
            print(f"failed {name}: {why}", flush=True)
        else:
            print(f"ok {name}", flush=True)


main()
