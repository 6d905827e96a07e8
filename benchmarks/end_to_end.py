"""What each call costs from call to written action, against Blender's own floor, and where the time goes.

    python -m benchmarks.end_to_end [RIG] [--frames 48,250] [--calls gait,idle,blend,mirror] [--report]

In a Python with bpy; RIG as tests.blender.rigs.load takes it. The floor is what Blender itself needs to take
in the same keys, from arrays at hand: a new action, `foreach_set` of places, handles and their types for
every curve, and `update`, in the same run. Calls and floors take turns; each makes a new action, which is
removed again outside the time, with the scene evaluated before, as a window has it. Times are of the process,
as other programs do not count; medians.

"first" is the first call in a rig, modules loaded with it; "core" the part of the core; "flip"
Action.flip_with_pose on the same keys. The stages are of a run of their own, each without those in it.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import amble
import amble_core
import bpy
import numpy as np
from amble.action import slots
from amble.action.write import Row, write_rows
from amble.leave import leave
from tests.blender import rigs

FPS = 48.0

# Stages by name: functions of the package, as "module:name" where they are looked up by the calls.
STAGES = {
    "settings": ("options:changed",),
    "rig": (
        "reading:read",
        "reading:standing",
        "rig.search:find_controls",
        "rig.controls:is_plain",
        "rig.parts:body_parts",
        "mirror.subject:read_subject",
        "blend.make:body_of",
        "rig.frame:frame_of",
    ),
    "clips": ("action.read:read", "blend.make:sources_of", "mirror.make:_fill"),
    "plan": (
        "gait.plan_straight:plan_straight",
        "gait.plan_way:plan_way",
        "blend.make:plan",
        "idle.plan:plan",
    ),
    "report": ("report.measure:measure", "blend.report:measure"),
    "write": ("action.write:_fill",),
    "arrays": ("action.write:write", "action.write:write_rows"),
    "action": ("action.write:_write_new", "action.write:_write_over"),
    "notes": ("rig.influences:influences",),
}


class Clock:
    """Time spent in named stages, each without those within it."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._open: list[float] = []

    def timed(self, stage: str, function: Any) -> Any:
        """The function, counted."""

        def run(*args: Any, **kwargs: Any) -> Any:
            self._open.append(0.0)
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                took = time.process_time() - start
                inner = self._open.pop()
                self.spent[stage] = self.spent.get(stage, 0.0) + 1e3 * (took - inner)
                if self._open:
                    self._open[-1] += took

        return run


class _Core:
    """The core, with every call of it counted."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        found = getattr(amble_core, name)
        return self._clock.timed("core", found) if callable(found) else found


@contextmanager
def watched(clock: Clock, stages: dict[str, tuple[str, ...]]) -> Iterator[None]:
    """Count the stages and the core within the block, wherever the package's modules have them by name."""
    put_back: list[tuple[Any, str, Any]] = []
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] == "amble"]
    for stage, places in stages.items():
        for place in places:
            module_name, name = place.split(":")
            try:
                function = getattr(importlib.import_module(f"amble.{module_name}"), name)
            except (ImportError, AttributeError):
                continue
            counted = clock.timed(stage, function)
            for module in modules:
                for other, value in list(vars(module).items()):
                    if value is function:
                        put_back.append((module, other, value))
                        setattr(module, other, counted)
    core: Any = _Core(clock)
    for module in modules:
        for other, value in list(vars(module).items()):
            if value is amble_core:
                put_back.append((module, other, value))
                setattr(module, other, core)
    sys.modules["amble_core"] = core
    try:
        yield
    finally:
        sys.modules["amble_core"] = amble_core
        for module, name, value in reversed(put_back):
            setattr(module, name, value)


class Floor:
    """Blender's part alone: the keys of an action once more."""

    def __init__(self, armature: Any, action: Any) -> None:
        self.armature = armature
        self.curves = []
        self.keys = 0
        for curve in slots.curves_for(action, armature):
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
            group = curve.group.name if curve.group is not None else ""
            self.keys += len(points)
            self.curves.append((curve.data_path, curve.array_index, group, len(points), blocks))

    def __call__(self) -> Any:
        """Once; returns the action."""
        action = bpy.data.actions.new("Floor")
        home = slots.open_home(action, self.armature)
        curve = None
        for path, index, group, count, blocks in self.curves:
            curve = home.new_curve(path, index, group)
            curve.keyframe_points.add(count)
            for name, block in blocks.items():
                curve.keyframe_points.foreach_set(name, block)
        if curve is not None:
            curve.update()
        return action


def make_clip(rig: Any, name: str, frames: int, seed: int) -> Any:
    """A key on every frame of every bone's rotation, and of the location of the bones without parents."""
    draw = np.random.default_rng(seed)
    times = np.arange(1.0, frames + 1.0)
    rows, values = [], []

    def waves(count: int, size: float) -> Any:
        pace, start = draw.uniform(0.05, 0.2, (count, 1)), draw.uniform(0.0, 6.0, (count, 1))
        return size * np.sin(pace * times + start)

    for bone in rig.pose.bones:
        path = f'pose.bones["{bone.name}"].'
        if bone.rotation_mode == "QUATERNION":
            turn = waves(4, 0.1)
            turn[0] = 1.0
            turn /= np.linalg.norm(turn, axis=0)
            rows += [Row(path + "rotation_quaternion", axis, bone.name, "AUTO_YRGB") for axis in range(4)]
        else:
            turn = waves(3, 0.1)
            rows += [Row(path + "rotation_euler", axis, bone.name) for axis in range(3)]
        values.append(turn)
        if bone.parent is None:
            rows += [Row(path + "location", axis, bone.name) for axis in range(3)]
            values.append(waves(3, 0.02))
    block = np.concatenate(values)
    return write_rows(rig, name, rows, block, np.gradient(block, axis=1), times, assign=False)


def in_turn(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Times of each call in ms, taken in turn; what a call returns is an action, and is removed."""
    layer: Any = bpy.context.view_layer
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            layer.update()
            start = time.process_time()
            made = call()
            found[name].append(1e3 * (time.process_time() - start))
            if made is not None:
                bpy.data.actions.remove(made)
    return found


def calls_of(rig: Any, frames: int, report: bool) -> dict[str, Callable[[], Any]]:
    """Each call that is measured, by name; it returns the action that it made."""
    a, b = (make_clip(rig, name, frames, seed) for name, seed in (("A", 1), ("B", 2)))
    half = frames // 2
    cycle: dict[str, Any] = {"cycle": frames / FPS} if frames <= 60 else {}

    def gait() -> Any:
        return amble.gait(rig, speed=1.4, frames=(1, frames), fps=FPS, report=report, **cycle).action

    def idle() -> Any:
        return amble.idle(rig, frames=(1, frames)).action

    def blend() -> Any:
        return amble.blend(rig, a, b, at=half, entry=half, frames=12, curve="inertial", report=report).action

    def mirror() -> Any:
        return amble.mirror(rig, a, name="Mirrored").action

    return {"gait": gait, "idle": idle, "blend": blend, "mirror": mirror}


def flip_of(rig: Any) -> Callable[[], Any]:
    """Blender's own mirror image of the clip that `mirror` mirrors."""

    def flip() -> Any:
        made = bpy.data.actions["A"].copy()
        made.flip_with_pose(rig)
        return made

    return flip


def _print(name: str, frames: int, bones: int, keys: int, times: dict[str, float], core: float) -> None:
    took, floor = times[name], times["floor"]
    line = f"{name:<8} {frames:>6} {keys:>6} {floor:>7.2f} {times['first']:>7.1f} {took:>7.2f}"
    line += f" {took / floor:>8.2f} {core:>6.2f}  ms, {bones} bones"
    if "flip" in times:
        line += f"; flip {times['flip']:.2f} ms, {took / times['flip']:.2f} times it"
    print(line)


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rig", nargs="?", default="glb/m2m_rig-human.glb")
    parser.add_argument("--frames", default="48,250")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", default="gait,idle,blend,mirror")
    parser.add_argument("--report", action="store_true", help="with a report, where the call makes one")
    options = parser.parse_args()
    print("call     frames   keys   floor   first    call  x floor   core")
    for frames in map(int, options.frames.split(",")):
        for name in options.calls.split(","):
            rigs.clear()
            rig = rigs.load(options.rig)
            call = calls_of(rig, frames, options.report)[name]
            first = in_turn({name: call}, 1)[name][0]
            made = call()
            floor = Floor(rig, made)
            bpy.data.actions.remove(made)
            both: dict[str, Callable[[], Any]] = {name: call, "floor": floor}
            if name == "mirror":
                both["flip"] = flip_of(rig)
            times = {key: statistics.median(found) for key, found in in_turn(both, options.rounds).items()}
            clock = Clock()
            with watched(clock, STAGES):
                whole = sum(in_turn({name: clock.timed("other", call)}, options.rounds)[name])
            core = clock.spent.get("core", 0.0) / options.rounds
            _print(name, frames, len(rig.data.bones), floor.keys, {"first": first, **times}, core)
            stages = sorted(clock.spent.items(), key=lambda item: -item[1])
            text = ", ".join(f"{stage} {spent / options.rounds:.2f}" for stage, spent in stages)
            print(f"         {text} of {whole / options.rounds:.2f} ms", flush=True)
    return 0


if __name__ == "__main__":
    leave(main())
