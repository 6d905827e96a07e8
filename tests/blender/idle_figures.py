"""The figures of idle on twelve poses of many rigs, measured on evaluated armatures.

    python -m tests.blender.idle_figures [RIG ...] [--pose POSE ...] [--json FILE]

One line a pose of a rig: what is held, how far it drifts (millimetres, for a leg of 0.9 m, at frames and
quarter frames), the largest joint turn from frame to frame (degrees), how far the loop is from closing in
value and slope, and how far shoulders and chest move. A cross where a bar is missed; the exit code is 1 when
any is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
from amble.leave import leave
from amble.rig.parts import arm_pieces
from mathutils import Quaternion, Vector
from tests.blender import idles, rigs

BIPEDS = (
    "biped",
    "rigify:human",
    "glb/m2m_rig-human.glb",
    "json/mpfb_rig.mixamo.json",
    "glb/kaykit_Med_General.glb",
    "glb/gdquest_mannequiny-0.3.0.glb",
    "glb/godot_platformer_player.glb",
    "glb/khronos_cesium_man.gltf",
)
FOUR = ("quadruped", "glb/m2m_rig-fox.glb", "glb/m2m_rig-horse.glb")
DRIFT_MM, TURN, JUMP, CLOSED, SLOPE = 0.1, 0.05, 3.0, 1e-5, 1e-4
# Millimetres for a leg of 0.9 m that shoulders (four legs: the chest) move at rest, at least and at most.
EXCURSION = (3.0, 60.0)


class Body:
    """A rig by its roles: bones turned about the body's axes, the pelvis moved."""

    def __init__(self, rig: Any) -> None:
        self.rig, self.roles = rig, amble.rig.roles(rig)
        # Vectors of Blender; its stubs do not say what comes of adding and scaling them.
        self.up: Any = Vector(self.roles.up)
        self.forward: Any = Vector(self.roles.facing)
        self.left: Any = self.up.cross(self.forward)
        self.skeleton = amble.rig.read_skeleton(rig)
        self.legs = {leg.side: leg for leg in self.roles.legs[-2:]}
        self.arms = {arm.side: arm_pieces(self.skeleton, arm) for arm in self.roles.arms}
        self.size = self.roles.leg_length or 1.0

    def turn(self, bone: str, axis: Any, degrees: float) -> None:
        idles.turn(self.rig, bone, axis, degrees)

    def leg(self, side: str, thigh: float, shin: float, foot: float | None = None) -> None:
        """Degrees that the thigh swings forward, the knee bends, and the foot is turned (level without)."""
        bones = amble.rig.foot_bones(self.skeleton, self.legs[side])
        chain = self.legs[side].bones
        below = chain.index(bones[0]) if bones[0] in chain else len(chain) - 1
        self.turn(chain[0], self.left, -thigh)
        if below > 1:
            self.turn(chain[1], self.left, shin)
        if below < len(chain):
            self.turn(chain[below], self.left, thigh - shin if foot is None else foot)

    def aim(self, bone: str, forward: float, left: float, up: float) -> None:
        """Point a bone along a direction of the body."""
        bpy.context.view_layer.update()
        pose = self.rig.pose.bones[bone]
        k = self.skeleton.index(bone)
        own = Vector(self.skeleton.tails[k] - self.skeleton.heads[k])
        now = pose.matrix.to_3x3() @ (pose.bone.matrix_local.to_3x3().inverted() @ own)
        wanted = forward * self.forward + left * self.left + up * self.up
        turn: Quaternion = now.rotation_difference(wanted)
        axis = pose.matrix.to_3x3().inverted() @ turn.axis
        rest = pose.bone.matrix_local.to_3x3() @ axis
        self.turn(bone, rest, np.degrees(turn.angle))

    def arm(self, side: str, upper: Sequence[float], fore: Sequence[float]) -> None:
        pieces = self.arms.get(side, {})
        sign = 1.0 if side == "L" else -1.0
        for part, way in (("upper", upper), ("fore", fore)):
            for bone in pieces.get(part, ())[:1]:
                self.aim(bone, way[0], sign * way[1], way[2])

    def hang(self) -> None:
        for side in "LR":
            self.arm(side, (0.0, 0.25, -1.0), (0.2, 0.15, -1.0))

    def land(self, bones: Sequence[str] = (), height: float = 0.0) -> None:
        """Move the pelvis until the lowest of bones (default: feet and toes, as at rest) is there."""
        bpy.context.view_layer.update()
        feet = list(bones) or [
            b for leg in self.roles.legs for b in amble.rig.foot_bones(self.skeleton, leg)[:1]
        ]
        toes = [] if bones else [leg.toe for leg in self.roles.legs if leg.toe]
        off = []
        for bone in [*feet, *toes]:
            rest = 0.0 if bones else float(self.skeleton.heads[self.skeleton.index(bone)] @ np.array(self.up))
            rest = self.roles.ground + height * self.size if bones else rest
            off.append(float(self.rig.pose.bones[bone].head @ self.up) - rest)
        if self.roles.pelvis:
            idles.move(self.rig, self.roles.pelvis, tuple(-min(off) * self.up))
        bpy.context.view_layer.update()


def standing(body: Body) -> None:
    body.hang()


def crouch(body: Body) -> None:
    for side in "LR":
        body.leg(side, 55, 85)
    body.hang()
    body.land()


def lunge(body: Body) -> None:
    body.leg("L", 65, 65)
    body.leg("R", -25, 25, 0)
    body.hang()
    body.land()


def mid_run(body: Body) -> None:
    body.leg("L", 50, 95, -10)
    body.leg("R", 5, 20)
    body.arm("L", (-0.6, 0.2, -0.8), (0.6, 0.1, -0.6))
    body.arm("R", (0.5, 0.2, -0.8), (0.9, 0.0, 0.4))
    body.land()


def kneeling(body: Body) -> None:
    for side in "LR":
        body.leg(side, 0, 88, 25)
    body.hang()
    body.land([body.legs[side].bones[1] for side in "LR"], 0.06)


def sitting(body: Body) -> None:
    for side in "LR":
        body.leg(side, 85, 85)
    body.arm("L", (0.5, 0.2, -0.9), (1.0, 0.0, -0.2))
    body.arm("R", (0.5, 0.2, -0.9), (1.0, 0.0, -0.2))
    body.land()


def hands_on_hips(body: Body) -> None:
    for side in "LR":
        body.leg(side, 8, 16)
        body.arm(side, (-0.3, 0.8, -0.7), (0.4, -0.9, -0.3))
    body.land()


def staff_raised(body: Body) -> None:
    body.leg("L", 20, 30)
    body.leg("R", -10, 20)
    body.arm("L", (0.2, 0.3, -1.0), (0.6, 0.0, -0.6))
    body.arm("R", (0.4, 0.3, 0.8), (0.2, 0.0, 1.0))
    body.land()


def leaning(body: Body) -> None:
    for side in "LR":
        body.leg(side, -8, 10)
        body.arm(side, (0.9, 0.2, 0.0), (0.8, 0.0, 0.5))
    body.land()


def t_pose(body: Body) -> None:
    for side in "LR":
        body.arm(side, (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))


def four_standing(body: Body) -> None:
    del body


def grazing(body: Body) -> None:
    for bone in (*body.roles.neck, *([body.roles.head] if body.roles.head else [])):
        body.turn(bone, body.left, 35 / max(len(body.roles.neck), 1))
    body.land()


LEAN_PINS = ("foot.L", "foot.R", "hand.L", "hand.R")
POSES: dict[str, tuple[Callable[[Body], None], tuple[str, ...] | None]] = {
    "standing": (standing, None),
    "crouch": (crouch, None),
    "lunge": (lunge, None),
    "mid-run": (mid_run, None),
    "kneeling": (kneeling, None),
    "sitting": (sitting, ("foot.L", "foot.R", "pelvis")),
    "hands on hips": (hands_on_hips, None),
    "staff raised": (staff_raised, None),
    "leaning on a wall": (leaning, LEAN_PINS),
    "T-pose": (t_pose, None),
}
FOUR_POSES: dict[str, tuple[Callable[[Body], None], tuple[str, ...] | None]] = {
    "standing": (four_standing, None),
    "grazing": (grazing, None),
}


def load(key: str) -> Any:
    """A rig at rest in an empty file."""
    rigs.clear()
    if key in ("biped", "quadruped"):
        return getattr(rigs, key)()
    rig = rigs.load(key)
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.update()
    return rig


def closing(rig: Any) -> tuple[float, float]:
    """How far first and last keys are apart, and their slopes, the larger of all curves."""
    value = slope = 0.0
    for curve in idles.curves_of(rig).values():
        keys = curve.keyframe_points
        if len(keys) > 1:
            first, last = keys[0], keys[-1]
            value = max(value, abs(first.co[1] - last.co[1]))
            out = (first.handle_right[1] - first.co[1]) / (first.handle_right[0] - first.co[0])
            into = (last.co[1] - last.handle_left[1]) / (last.co[0] - last.handle_left[0])
            slope = max(slope, abs(out - into))
    return value, slope


def measure(key: str, pose: str, condition: str = "rest", written: str = "action") -> dict[str, Any]:
    """All figures of one pose of one rig."""
    rig = load(key)
    body = Body(rig)
    make, pins = (FOUR_POSES if len(body.roles.legs) > 2 else POSES)[pose]
    make(body)
    bpy.context.view_layer.update()
    settings: dict[str, Any] = {} if pins is None else {"pins": pins}
    result = amble.idle(rig, cycles=2, condition=condition, written=written, **settings)
    bones = [bone.name for bone in rig.pose.bones]
    whole = idles.tracks(rig, result, bones)
    scale = body.size * float(np.cbrt(abs(np.linalg.det(np.array(rig.matrix_world)[:3, :3])))) / 0.9
    held = [bones.index(pin.bone) for pin in result.pins]
    for pin, row in zip(result.pins, held, strict=True):
        if pin.name.startswith("hand") and pin.bone in [
            p["fore"][-1] for p in body.arms.values() if "hand" not in p
        ]:
            # An arm without a hand is held at its end.
            length = rig.data.bones[pin.bone].length
            whole[:, row, :3, 3] += length * whole[:, row, :3, 1]
            whole[:, row, :3, :3] = np.eye(3)
    axes = whole[..., :3, :3] / np.linalg.norm(whole[..., :3, :3], axis=-2, keepdims=True)
    local = axes.copy()
    for row, bone in enumerate(rig.pose.bones):
        if bone.parent is not None:
            local[:, row] = np.swapaxes(axes[:, bones.index(bone.parent.name)], -1, -2) @ axes[:, row]
    steps = np.swapaxes(local[:-4:4], -1, -2) @ local[4::4]
    sine = np.linalg.norm(steps - np.swapaxes(steps, -1, -2), axis=(-1, -2)) / np.sqrt(8.0)
    jumps = np.degrees(np.arctan2(sine, 0.5 * (np.trace(steps, axis1=-2, axis2=-1) - 1.0)))
    upper = [pieces["upper"][0] for pieces in body.arms.values() if "upper" in pieces]
    seen = upper or list(body.roles.spine[-1:])
    value, slope = closing(rig)
    chest = body.roles.spine[-1:] or body.roles.neck[:1]
    return {
        "rig": key,
        "pose": pose,
        "pins": [pin.name for pin in result.pins],
        "drift_mm": 1000 * idles.drift(whole[:, held]) / scale if held else 0.0,
        "turn_deg": idles.turned(whole[:, held]) if held else 0.0,
        "jump_deg": float(jumps.max()),
        "jump_bone": bones[int(np.unravel_index(int(jumps.argmax()), jumps.shape)[1])],
        "close": value,
        "close_slope": slope,
        "shoulder_mm": 1000 * idles.drift(whole[:, [bones.index(b) for b in seen]]) / scale,
        "chest_deg": idles.turned(whole[:, [bones.index(b) for b in chest]]) if chest else 0.0,
        "notes": list(result.notes),
    }


def faults(figures: dict[str, Any]) -> list[str]:
    """The bars that are missed."""
    low, high = EXCURSION
    found = [
        ("drift", figures["drift_mm"] > DRIFT_MM),
        ("turn", figures["turn_deg"] > TURN),
        ("jump", figures["jump_deg"] > JUMP),
        ("closing", figures["close"] > CLOSED or figures["close_slope"] > SLOPE),
        ("excursion", not low <= figures["shoulder_mm"] <= high),
    ]
    return [name for name, bad in found if bad]


def main() -> int:
    """Measures and prints; see the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "rig", nargs="*", default=(*BIPEDS, *FOUR), help="rigs as tests.blender.rigs.load takes them"
    )
    parser.add_argument("--pose", action="append", help="one of the poses; may be given more than once")
    parser.add_argument("--condition", default="rest", help="how the body is")
    parser.add_argument("--written", default="action", choices=("action", "layer"), help="what is made")
    parser.add_argument("--json", type=Path, help="file for all figures")
    options = parser.parse_args()
    found = []
    for key in options.rig:
        poses = FOUR_POSES if len(amble.rig.roles(load(key)).legs) > 2 else POSES
        for pose in poses:
            if options.pose and pose not in options.pose:
                continue
            figures = measure(key, pose, options.condition, options.written)
            bad = faults(figures)
            print(
                f"{key.split('/')[-1]:<28} {pose:<18} {','.join(figures['pins']) or '-':<28}"
                f" drift {figures['drift_mm']:.4f} mm {figures['turn_deg']:.4f} deg"
                f"  jump {figures['jump_deg']:.2f} deg"
                f"  seam {figures['close']:.1e} {figures['close_slope']:.1e}"
                f"  shoulders {figures['shoulder_mm']:5.1f} mm  chest {figures['chest_deg']:.2f} deg"
                f"  {'ok' if not bad else 'X ' + ', '.join(bad)}",
                flush=True,
            )
            found.append(figures)
    missed = sum(bool(faults(figures)) for figures in found)
    print(f"{len(found)} idles, {missed} with a bar missed")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    leave(main())
