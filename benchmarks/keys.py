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
import time
from collections.abc import Callable
from typing import Any

import amble
import bpy
from amble.action import slots
from amble.leave import leave
from benchmarks.end_to_end import Clock, Floor, watched
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
        floor = Floor(armature, armature.animation_data.action)
        least = milliseconds(lambda floor=floor: bpy.data.actions.remove(floor()), options.rounds)  # type: ignore[misc]
        clock = Clock()
        with watched(clock, {}):
            walk()
        number = sum(len(curve.keyframe_points) for curve in slots.find_curves(armature))
        print(
            f"{keys:<12} {number:>7} {least:>8.2f} {first:>8.2f} {again:>8.2f} {again / least:>8.2f}"
            f" {clock.spent['core']:>7.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    leave(main())
