"""The figures of transitions, measured on evaluated armatures, against a plain NLA blend of the same pair.

    python -m tests.blender.blend_figures [PART OF A PAIR'S NAME ...] [--json FILE] [--curve inertial]
        [--rotation quaternion]

Twenty pairs of real clips at three cut frames each. One line a transition: the largest change of a joint's
speed at the seams and the peak jerk within the transition, over the largest within the two clips themselves
and over the NLA's; how far planted feet slide, and would by the clips themselves (millimetres for a leg of
0.9 m); a cross where a bar is missed. The exit code is 1 when any is.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import amble
import bpy
import numpy as np
from amble.leave import leave
from tests.blender import rigs

KAY = "glb/kaykit_Med_General.glb"
KAY_MOVE = "glb/kaykit_Med_MovementBasic.glb"
MANNEQUINY = "glb/gdquest_mannequiny-0.3.0.glb"
GODOT = "glb/godot_platformer_player.glb"
FOX, HORSE, SPIDER = "glb/m2m_anim-fox.glb", "glb/m2m_anim-horse.glb", "glb/m2m_anim-spider.glb"
CMU, MAKEHUMAN = "bvh/cmu-cgspeed_12_01_walk.bvh", "bvh/makehuman_walk1.bvh"
MALE, QSPIDER = "blend/quaternius_Male_Casual.blend", "blend/quaternius_Spider.blend"

# File, clip A, clip B; names may be the ends of the clips' own.
PAIRS = (
    (KAY, "Idle_A", "Throw"),
    (KAY, "Hit_A", "Idle_B"),
    (KAY, "Interact", "PickUp"),
    (KAY_MOVE, "Walking_A", "Running_A"),
    (KAY_MOVE, "Running_A", "Jump_Full_Short"),
    (MANNEQUINY, "idle", "run"),
    (MANNEQUINY, "run", "fight_idle"),
    (MANNEQUINY, "fight_idle", "fight_kick"),
    (GODOT, "walk", "run"),
    (GODOT, "idle", "jump"),
    (FOX, "Walk", "Run"),
    (FOX, "Idle", "Sit"),
    (HORSE, "Walk", "Trot"),
    (HORSE, "Trot", "Run"),
    (SPIDER, "Walk", "Attack"),
    (SPIDER, "Idle", "Jump"),
    (CMU, "walk", "walk"),
    (MAKEHUMAN, "walk1", "walk1"),
    (MALE, "Man_Walk", "Man_Run"),
    (QSPIDER, "Spider_Walk", "Spider_Attack"),
)
CUTS = (0.35, 0.6, 0.85)
JUMP_BAR, JERK_BAR, SLIDE_BAR = 1.1, 0.9, 2.0
# Rounding of what is equal.
NO_WORSE = 1.001
LEG = 0.9


class Found(NamedTuple):
    """Of any joint, per frame, in metres of the world: the largest change of speed at the seams, the largest
    jerk, the largest change of speed anywhere."""

    jump: float
    jerk: float
    within: float


def clip(name: str) -> Any:
    """The action whose name ends so."""
    actions: Any = bpy.data.actions
    exact = [action for action in actions if action.name == name]
    # Blender 4.2 adds the name of the armature to those that it reads.
    found = exact or [a for a in actions if a.name.endswith(name) or f"|{name}_Rig" in a.name]
    if not found:
        raise LookupError(f"{name} is not among {[action.name for action in actions]}")
    return found[0]


def play(rig: Any, action: Any) -> None:
    """Let the object play an action alone."""
    data = rig.animation_data or rig.animation_data_create()
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    data.action = action
    if hasattr(data, "action_slot") and action is not None and data.action_slot is None:
        data.action_slot = action.slots[0]


def heads(rig: Any, frames: np.ndarray) -> np.ndarray:
    """World places of every bone's head and tail, (points, 3, frames), as Blender evaluates them."""
    found = np.empty((2 * len(rig.pose.bones), 3, len(frames)))
    scene: Any = bpy.context.scene
    block = np.empty(3 * len(rig.pose.bones), np.float32)
    for k, frame in enumerate(frames):
        whole = math.floor(frame)
        scene.frame_set(whole, subframe=float(frame - whole))
        seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(seen.matrix_world)
        for at, what in enumerate(("head", "tail")):
            seen.pose.bones.foreach_get(what, block)
            found[at::2, :, k] = block.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return found


def largest(points: np.ndarray, order: int) -> float:
    """Largest difference of that order of any point."""
    if points.shape[2] <= order:
        return 0.0
    return float(np.linalg.norm(np.diff(points, order, axis=2), axis=1).max())


def around(points: np.ndarray, frames: np.ndarray, seam: float) -> np.ndarray:
    """The frames whose second differences touch a seam."""
    return points[:, :, (frames >= seam - 1.5) & (frames <= seam + 2.5)]


def figures(points: np.ndarray, frames: np.ndarray, at: float, end: float) -> Found:
    """Jump at the two seams and jerk from just before the first to just after the second."""
    seams = max(largest(around(points, frames, seam), 2) for seam in (at, end))
    inner = points[:, :, (frames >= at - 2.5) & (frames <= end + 2.5)]
    return Found(seams, largest(inner, 3), largest(inner, 2))


def own(rig: Any, action: Any, offset: float) -> Found:
    """The largest within a clip itself, on the frames that the transition reads."""
    play(rig, action)
    first, last = action.frame_range
    frames = np.arange(first + (offset - first) % 1.0, last + 1e-3)
    points = heads(rig, frames)
    jump = largest(points, 2)
    return Found(jump, largest(points, 3), jump)


def nla(rig: Any, a: Any, b: Any, at: float, start: float, n: int) -> None:
    """A held from the cut on, B above it fading in with the same weights at the same frames."""
    play(rig, None)
    data = rig.animation_data
    below = data.nla_tracks.new().strips.new("a", math.floor(a.frame_range[0]), a)
    below.action_frame_start, below.action_frame_end = a.frame_range[0], at
    below.frame_start, below.frame_end = a.frame_range[0], at
    below.extrapolation = "HOLD_FORWARD"
    above = data.nla_tracks.new().strips.new("b", math.ceil(at), b)
    above.action_frame_start = b.frame_range[0] - (start - at)
    above.action_frame_end = b.frame_range[1]
    above.frame_start = at
    above.frame_end = start + b.frame_range[1] - b.frame_range[0]
    above.extrapolation = "NOTHING"
    above.use_auto_blend = False
    above.blend_in = min(n, above.frame_end - above.frame_start)


def cases(words: list[str]) -> Iterator[tuple[str, str, str, float]]:
    """File, clips and share of A at which it is left."""
    for file, a, b in PAIRS:
        if not words or any(word in f"{file} {a} {b}" for word in words):
            for share in CUTS:
                yield file, a, b, share


def measure(
    file: str, a_name: str, b_name: str, share: float, curve: str, loaded: dict[str, Any], **settings: Any
) -> dict[str, Any]:
    """Everything about one transition, ratios over the clips' own and over the NLA's."""
    if loaded.get("file") != file:
        loaded["file"], loaded["rig"] = file, rigs.load(file)
    rig = loaded["rig"]
    a, b = clip(a_name), clip(b_name)
    at = float(round(a.frame_range[0] + share * (a.frame_range[1] - a.frame_range[0])))
    play(rig, a)
    result = amble.blend(rig, a, b, at=at, curve=curve, overwrite=True, name="figures", **settings)
    report = result.report
    frames = at + np.arange(-4.0, report.frames + 5.0)
    frames = frames[(frames >= result.frames[0]) & (frames <= result.frames[1] + 1e-3)]
    play(rig, result.action)
    ours = figures(heads(rig, frames), frames, at, at + report.frames)
    limits = [own(rig, a, at), own(rig, b, b.frame_range[0])]
    limit = Found(*(max(values) for values in zip(*limits, strict=True)))
    lead = 1.0 if curve in ("linear", "ease") else 0.0
    nla(rig, a, b, at, at + lead, report.frames)
    theirs = figures(heads(rig, frames), frames, at, at + report.frames)
    play(rig, a)
    jump, jerk = ours.jump / limit.jump, ours.jerk / max(limit.jerk, JERK_BAR * theirs.jerk)
    faults = []
    if curve == "inertial":
        faults += ["jump"] if jump > JUMP_BAR else []
        faults += ["jerk"] if jerk > 1.0 + 1e-6 else []
    elif curve == "linear":
        # A strip that goes the long way round may leave the cut more gently and spin half way through: what
        # counts is the largest change of speed anywhere from the cut to where B is alone.
        faults += ["speed worse than NLA"] if ours.within > theirs.within * NO_WORSE else []
        faults += ["jerk worse than NLA"] if ours.jerk > theirs.jerk * NO_WORSE else []
    leg = LEG / max(result.roles.leg_length * unit(rig), 1e-9)
    slide, slide_own = report.slide_mm * leg, report.slide_own_mm * leg
    faults += ["slide"] if slide > max(SLIDE_BAR, slide_own + 0.1) else []
    return {
        "pair": f"{Path(file).stem}: {a_name} > {b_name}",
        "at": at,
        "n": report.frames,
        "jump_over_own": jump,
        "jump_over_nla": ours.jump / theirs.jump,
        "within_over_nla": ours.within / theirs.within,
        "jerk_over_own": ours.jerk / limit.jerk,
        "jerk_over_nla": ours.jerk / theirs.jerk,
        "slide_mm": slide,
        "slide_own_mm": slide_own,
        "steps": report.steps,
        "carrier": report.carrier,
        "faults": faults,
    }


def unit(rig: Any) -> float:
    """Metres that an armature unit is."""
    return float(np.cbrt(abs(np.linalg.det(np.array(rig.matrix_world)[:3, :3]))))


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pair", nargs="*", help="parts of names of pairs (default: all)")
    parser.add_argument("--curve", default="inertial", help="curve (default: inertial)")
    parser.add_argument("--rotation", default="quaternion", help="rotation (default: quaternion)")
    parser.add_argument("--json", type=Path, help="file for all figures")
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    loaded: dict[str, Any] = {}
    for file, a, b, share in cases(options.pair):
        row = measure(file, a, b, share, options.curve, loaded, rotation=options.rotation)
        found.append(row)
        print(
            f"{row['pair'][:56]:<56} {row['at']:5g} n {row['n']:3d}  jump {row['jump_over_own']:5.2f} own"
            f" {row['jump_over_nla']:5.2f} nla, within {row['within_over_nla']:6.3f} nla"
            f"  jerk {row['jerk_over_own']:5.2f} own {row['jerk_over_nla']:6.3f} nla"
            f"  slide {row['slide_mm']:6.2f} own {row['slide_own_mm']:6.2f}"
            f" steps {row['steps']} {row['carrier'][:10]:<10}"
            f" {'X ' + ', '.join(row['faults']) if row['faults'] else 'ok'}",
            flush=True,
        )
    missed = sum(bool(row["faults"]) for row in found)
    print(f"{len(found)} transitions ({options.curve}), {missed} with a bar missed")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    leave(main())
