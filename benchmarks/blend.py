"""What a transition costs, end to end, against what Blender needs to take in the same keys and against its
own bake of an NLA blend; and the table of a library of clips.

    python benchmarks/blend.py [--bones 60] [--frames 250] [--clips 50]

Each time is processor time, the best of several runs. Floor: the curves made anew with foreach_set and one
update.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import amble
import bpy
import numpy as np
from amble.action import slots
from amble.action.write import Row, write_rows
from amble.leave import leave

REPEATS = 7

Point = tuple[float, float, float]


def best(call: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Shortest of some runs, seconds of the processor."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def make_rig(bones: int) -> Any:
    """A tree of bones: two legs of four, the rest in chains."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rig: Any = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    scene: Any = bpy.context.scene
    scene.collection.objects.link(rig)
    layer: Any = bpy.context.view_layer
    layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    table: dict[str, tuple[Point, Point, str | None]] = {
        "root": ((0, 0, 0), (0, 0, 0.1), None),
        "pelvis": ((0, 0, 0.95), (0, 0, 1.05), "root"),
        "spine": ((0, 0, 1.05), (0, 0, 1.4), "pelvis"),
        "head": ((0, 0, 1.4), (0, 0, 1.6), "spine"),
    }
    for side, x in (("L", 0.1), ("R", -0.1)):
        table[f"thigh.{side}"] = ((x, 0, 0.93), (x, -0.02, 0.5), "pelvis")
        table[f"shin.{side}"] = ((x, -0.02, 0.5), (x, 0.02, 0.08), f"thigh.{side}")
        table[f"foot.{side}"] = ((x, 0.02, 0.08), (x, -0.12, 0.02), f"shin.{side}")
        table[f"toe.{side}"] = ((x, -0.12, 0.02), (x, -0.2, 0.02), f"foot.{side}")
    while len(table) < bones:
        k = len(table)
        table[f"extra{k}"] = ((0.01 * k, 0.1, 1.4), (0.01 * k, 0.1, 1.6), "head" if k % 5 else "spine")
    for name, (head, tail, parent) in list(table.items())[:bones]:
        edit = rig.data.edit_bones.new(name)
        edit.head, edit.tail = head, tail
        edit.parent = rig.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def make_clip(rig: Any, name: str, frames: int, seed: int) -> Any:
    """A key on every frame of every bone's rotation and of the pelvis's location."""
    draw = np.random.default_rng(seed)
    times = np.arange(1.0, frames + 1.0)
    rows, values = [], []
    for bone in rig.pose.bones:
        q = np.stack(
            [0.1 * np.sin(0.1 * draw.uniform(0.5, 2.0) * times + draw.uniform(0, 6)) for _ in range(4)]
        )
        q[0] = 1.0
        q /= np.linalg.norm(q, axis=0)
        for k in range(4):
            rows.append(Row(f'pose.bones["{bone.name}"].rotation_quaternion', k, bone.name))
            values.append(q[k])
    for k in range(3):
        rows.append(Row('pose.bones["pelvis"].location', k, "pelvis"))
        values.append(0.02 * np.sin(0.2 * times + k))
    block = np.array(values)
    return write_rows(rig, name, rows, block, np.gradient(block, axis=1), times, assign=False)


def floor(rig: Any, action: Any) -> float:
    """Time to make the action's curves anew from arrays that are at hand."""
    bag = slots.curves_for(action, rig)
    kept = []
    for curve in bag:
        count = len(curve.keyframe_points)
        blocks = {}
        for what, width, kind in (
            ("co", 2, np.float32),
            ("handle_left", 2, np.float32),
            ("handle_right", 2, np.float32),
            ("handle_left_type", 1, np.uint8),
            ("handle_right_type", 1, np.uint8),
        ):
            blocks[what] = np.empty(count * width, kind)
            curve.keyframe_points.foreach_get(what, blocks[what])
        kept.append((curve.data_path, curve.array_index, curve.group.name, blocks))

    def make() -> None:
        made = bpy.data.actions.new("floor")
        home = slots.open_home(made, rig)
        for path, index, group, blocks in kept:
            curve = home.new_curve(path, index, group)
            curve.keyframe_points.add(len(blocks["co"]) // 2)
            for what, values in blocks.items():
                curve.keyframe_points.foreach_set(what, values)
        curve.update()
        bpy.data.actions.remove(made)

    return best(make)


def bake(rig: Any, a: Any, b: Any, at: float, n: int, frames: int) -> float:
    """Time of Blender's own bake of the same pair as NLA strips."""
    data = rig.animation_data
    data.action = None
    below = data.nla_tracks.new().strips.new("a", 1, a)
    below.action_frame_end, below.frame_end, below.extrapolation = at, at, "HOLD_FORWARD"
    above = data.nla_tracks.new().strips.new("b", int(at), b)
    above.use_auto_blend, above.blend_in, above.extrapolation = False, n, "NOTHING"
    layer: Any = bpy.context.view_layer
    layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    start = time.process_time()
    bpy.ops.nla.bake(
        frame_start=1,
        frame_end=frames,
        only_selected=False,
        visual_keying=False,
        use_current_action=False,
        bake_types={"POSE"},
    )
    took = time.process_time() - start
    bpy.ops.object.mode_set(mode="OBJECT")
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    return took


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bones", type=int, default=60)
    parser.add_argument("--frames", type=int, default=250)
    parser.add_argument("--clips", type=int, default=50)
    options = parser.parse_args()
    rig = make_rig(options.bones)
    half = options.frames // 2
    a, b = (make_clip(rig, name, options.frames, seed) for name, seed in (("A", 1), ("B", 2)))
    print(f"{options.bones} bones, {options.frames} frames a clip, cut at {half}")
    for curve in ("linear", "inertial"):
        for report in (False, True):

            def call(curve: str = curve, report: bool = report) -> None:
                result = amble.blend(rig, a, b, at=half, entry=half, frames=24, curve=curve, report=report)
                bpy.data.actions.remove(result.action)

            took = best(call)
            made = amble.blend(rig, a, b, at=half, entry=half, frames=24, curve=curve, report=False)
            least = floor(rig, made.action)
            print(
                f"  {curve:<9} report {'yes' if report else 'no ':<3} {1e3 * took:7.1f} ms end to end, floor"
                f" {1e3 * least:6.1f} ms: {took / least:.2f}"
            )
            bpy.data.actions.remove(made.action)
    amble.blend(rig, a, b, at=half, entry=half, frames=24)
    baked = statistics.median([bake(rig, a, b, half, 24, options.frames) for _ in range(2)])
    print(f"  nla.bake {1e3 * baked:.0f} ms")
    clips = [make_clip(rig, f"clip{k}", options.frames, k) for k in range(options.clips)]
    took = best(lambda: amble.transition_table(rig, clips), 2)
    print(f"  table of {options.clips} clips: {took:.2f} s")
    return 0


if __name__ == "__main__":
    leave(main())
