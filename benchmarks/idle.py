"""Idle's times: the core's kernel over a crowd, its pins, and `amble.idle` end to end against a floor.

    python benchmarks/idle.py            the core alone
    python -m benchmarks.idle --blender  with bpy: end to end on one rig

The floor of a call is what Blender itself needs to take in the same keys: foreach_set of keys and handles,
and one update. Times are of the thread itself (kernel) and of the wall (end to end), the best of several.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import amble_core
import numpy as np

CHARACTERS, BONES, FRAMES, SAMPLES = 1000, 60, 96, 73


def best(run: Callable[[], object], clock: Callable[[], float], times: int = 5) -> float:
    """Milliseconds of the fastest of several runs."""
    found = []
    for _ in range(times):
        start = clock()
        run()
        found.append(clock() - start)
    return 1000.0 * min(found)


def crowd(between: int) -> dict[str, Any]:
    """Arguments of the kernel for a crowd that breathes, each at its own phase and pace."""
    rng = np.random.default_rng(1)
    times = np.linspace(0.0, 1.0, SAMPLES)
    held = rng.normal(size=(CHARACTERS, BONES, 4)).astype(np.float32)
    held /= np.linalg.norm(held, axis=2, keepdims=True)
    phases, gains = amble_core.idle_clocks(
        np.arange(FRAMES) / FRAMES,
        np.full(CHARACTERS, 3.0),
        rng.uniform(size=CHARACTERS),
        np.full(CHARACTERS, 0.1),
        np.arange(CHARACTERS, dtype=np.uint32),
    )
    turns = 0.1 * rng.normal(size=(BONES, 3, 1)) * np.sin(2 * np.pi * times)
    return {
        "samples": np.array([SAMPLES], dtype=np.int32),
        "times": times,
        "turns": turns.astype(np.float32),
        "moves": np.zeros((1, 3, SAMPLES), dtype=np.float32),
        "between": np.full(1, between, dtype=np.int32),
        "after": np.zeros(1, dtype=np.int32),
        "held_turns": held,
        "held_moves": np.zeros((CHARACTERS, 1, 3), dtype=np.float32),
        "coefficients": np.ones((CHARACTERS, BONES + 1), dtype=np.float32),
        "set_times": np.ascontiguousarray(phases[:, None]),
        "origins": np.ascontiguousarray(phases[:, :1]),
        "weights": np.ascontiguousarray(gains[:, None]),
        "out": np.zeros((CHARACTERS, BONES, 4, FRAMES), dtype=np.float32),
    }


def legs() -> dict[str, Any]:
    """Arguments of pin_hold for one character of 60 bones, two legs pinned, its pelvis swaying."""
    parents = np.array([-1, 0, 1, 2, 3, 1, 5, 6, *([1] * (BONES - 8))], dtype=np.int32)
    rest = np.tile(np.eye(4), (BONES, 1, 1))
    places: list[tuple[float, float, float]] = [(0, 0, 0), (0, 0, 0.95)]
    for side in (0.1, -0.1):
        places += [(side, 0, 0.93), (side, -0.02, 0.5), (side, 0.02, 0.08)]
    rest[: len(places), :3, 3] = places
    channels = np.zeros((BONES, 10, FRAMES), dtype=np.float32)
    channels[:, [3, 7, 8, 9]] = 1.0
    flags = np.zeros(BONES, dtype=np.uint32)
    still = amble_core.pin_places(
        parents,
        rest,
        flags,
        channels[..., :1].copy(),
        ends=np.array([4, 7], np.int32),
        points=np.zeros((2, 3)),
    )
    channels[1, 2] = -0.02 * (1 - np.cos(np.linspace(0, 2 * np.pi, FRAMES)))
    return {
        "parents": parents,
        "rest": rest,
        "flags": flags,
        "channels": channels,
        "chains": np.array([[2, 3], [5, 6]], dtype=np.int32),
        "ends": np.array([4, 7], dtype=np.int32),
        "points": np.zeros((2, 3)),
        "turned": np.ones(2, dtype=np.int32),
        "hinges": np.zeros((2, 2, 3)),
        "bound": np.zeros((2, 2), dtype=np.int32),
        "soft": np.zeros(2),
        "places": still,
    }


def core() -> None:
    """The kernel and the pins, one thread."""
    for between, name in ((0, "straight"), (1, "smooth")):
        arguments = crowd(between)
        took = best(lambda a=arguments: amble_core.idle(**a), time.thread_time)  # type: ignore[misc]
        print(f"kernel: {CHARACTERS} characters x {BONES} bones x {FRAMES} frames, {name}: {took:.1f} ms")
    arguments = legs()
    took = best(lambda: amble_core.pin_hold(**arguments), time.thread_time)
    print(
        f"pins: 1 character, 2 legs, {FRAMES} frames: {took:.3f} ms"
        f" ({1e6 * took / 2 / FRAMES:.0f} ns a leg and frame);"
        f" {CHARACTERS} such characters: {took * CHARACTERS:.0f} ms"
    )


def floor(rig: Any, action: Any) -> float:
    """Milliseconds that Blender needs to take in the keys of an action anew."""
    import bpy
    from amble.action import slots

    curves = [
        (
            c.data_path,
            c.array_index,
            len(c.keyframe_points),
            *(_block(c, name) for name in ("co", "handle_left", "handle_right")),
        )
        for c in slots.find_curves(rig)
    ]

    def write() -> None:
        new = bpy.data.actions.new("floor")
        home = slots.open_home(new, rig)
        curve = None
        for path, index, count, co, left, right in curves:
            curve = home.new_curve(path, index, "g")
            curve.keyframe_points.add(count)
            curve.keyframe_points.foreach_set("co", co)
            curve.keyframe_points.foreach_set("handle_left", left)
            curve.keyframe_points.foreach_set("handle_right", right)
        if curve is not None:
            curve.update()
        bpy.data.actions.remove(new)

    del action
    return best(write, time.perf_counter)


def _block(curve: Any, name: str) -> Any:
    values = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get(name, values)
    return values


def blender() -> None:
    """`amble.idle` on rigs, end to end, against the floor of its keys."""
    import amble
    from tests.blender import idles, rigs

    for key in ("biped", "glb/m2m_rig-human.glb", "glb/m2m_rig-fox.glb"):
        rigs.clear()
        rig = rigs.biped() if key == "biped" else rigs.load(key)
        for frames in ((1, 97), (1, 961)):
            took = best(lambda r=rig, f=frames: amble.idle(r, frames=f), time.perf_counter)  # type: ignore[misc]
            keys = sum(len(c.keyframe_points) for c in idles.curves_of(rig).values())
            least = floor(rig, rig.animation_data.action)
            print(
                f"end to end: {key}, frames {frames[0]} to {frames[1]}: {took:.1f} ms,"
                f" {keys} keys alone {least:.1f} ms: {took / least:.2f} times"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--blender", action="store_true", help="end to end too; needs bpy and the package amble"
    )
    core()
    if parser.parse_args().blender:
        blender()
