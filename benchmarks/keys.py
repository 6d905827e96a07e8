"""What keys cost: how many there are, and the time from call to written action against Blender's own floor.

    python -m benchmarks.keys [RIG] [--rounds N]

In a Python with bpy; RIG as tests.blender.rigs.load takes it. A walk of one cycle of 48 frames. The floor is
what Blender itself needs to take in the same keys: `foreach_set` of places, handles and their types for every
curve, and its update, in the same run. "first" is the first call after the rig came in, "again" any later
one; "core" is the part of the core in that. Times of the processor, as other programs do not count.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import amble
import amble_core
import bpy
import numpy as np
from amble.action import slots
from amble.leave import leave
from tests.blender import rigs

FRAMES, FPS = 48, 48.0


def milliseconds(call: Callable[[], Any], rounds: int) -> float:
    """Median of so many calls, of the processor: other programs do not count."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        found.append(1e3 * (time.process_time() - start))
    return statistics.median(found)


class Floor:
    """Blender's part alone: the keys of an action once more."""

    def __init__(self, armature: Any) -> None:
        self.curves = []
        for curve in slots.find_curves(armature):
            points = curve.keyframe_points
            blocks = {}
            for name, width, kind in (
                ("co", 2, np.float32),
                ("handle_left", 2, np.float32),
                ("handle_right", 2, np.float32),
                ("handle_left_type", 1, np.uint8),
                ("handle_right_type", 1, np.uint8),
            ):
                blocks[name] = np.empty(width * len(points), kind)
                points.foreach_get(name, blocks[name])
            self.curves.append((curve.data_path, curve.array_index, len(points), blocks))
        self.armature = armature

    def __call__(self) -> None:
        """Once."""
        action = bpy.data.actions.new("Floor")
        home = slots.open_home(action, self.armature)
        for path, index, count, blocks in self.curves:
            curve = home.new_curve(path, index, "")
            curve.keyframe_points.add(count)
            for name, block in blocks.items():
                curve.keyframe_points.foreach_set(name, block)
            curve.update()
        bpy.data.actions.remove(action)


class Counted:
    """The core, with the time spent in it."""

    def __init__(self) -> None:
        self.spent = 0.0

    def __getattr__(self, name: str) -> Any:
        found = getattr(amble_core, name)
        if not callable(found):
            return found

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return found(*args, **kwargs)
            finally:
                self.spent += 1e3 * (time.process_time() - start)

        return timed


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rig", nargs="?", default="glb/m2m_rig-human.glb")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print(f"{'keys':<12} {'number':>7} {'floor':>8} {'first':>8} {'again':>8} {'x floor':>8} {'core':>7}  ms")
    for keys in ("every frame", "reduced"):
        rigs.clear()
        armature = rigs.load(options.rig)
        settings: dict[str, Any] = {"fps": FPS, "cycle": FRAMES / FPS, "keys": keys, "report": False}

        def walk(armature: Any = armature, settings: dict[str, Any] = settings) -> Any:
            return amble.gait(armature, speed=1.4, overwrite=True, **settings)

        first = milliseconds(walk, 1)
        again = milliseconds(walk, options.rounds)
        floor = milliseconds(Floor(armature), options.rounds)
        counted = Counted()
        sys.modules["amble_core"] = counted  # type: ignore[assignment]
        walk()
        sys.modules["amble_core"] = amble_core
        number = sum(len(curve.keyframe_points) for curve in slots.find_curves(armature))
        print(
            f"{keys:<12} {number:>7} {floor:>8.2f} {first:>8.2f} {again:>8.2f} {again / floor:>8.2f}"
            f" {counted.spent:>7.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    leave(main())
