"""Motions to be mirrored, and the judge: evaluated poses against reflected ones."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from amble.action import slots
from amble.action.channels import bone_path, rotation_path
from amble.rig import read_skeleton
from amble.rig.partners import Partners, find_partners
from tests.blender import rigs
from tests.reference.mirror import reflection
from tests.rig import tables

DEFAULTS = {"location": (0, 0, 0), "rotation_quaternion": (1, 0, 0, 0), "rotation_euler": (0, 0, 0)}


def biped(rolls: dict[str, float] | None = None) -> Any:
    """The plain biped; rolls in degrees."""
    angles = {bone: np.radians(angle) for bone, angle in (rolls or {}).items()}
    return rigs.build(tables.biped(), "biped", angles)


def random_rolls(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {bone: float(rng.uniform(-180, 180)) for bone in tables.biped()}


def key(home: Any, path: str, axis: int, frames: Any, values: Any, kind: str = "BEZIER") -> Any:
    curve = home.new_curve(path, axis, path.split('"')[1] if '"' in path else "Object Transforms")
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set("co", np.column_stack((frames, values)).astype(np.float32).ravel())
    for point in curve.keyframe_points:
        point.interpolation = kind
        point.handle_left_type = point.handle_right_type = "AUTO_CLAMPED"
    curve.update()
    return curve


def new_action(rig: Any, name: str = "clip") -> Any:
    rig.animation_data_create()
    action = bpy.data.actions.new(name)
    home = slots.open_home(action, rig)
    slots.assign(rig.animation_data, action, home.slot)
    return home


def random_action(
    rig: Any, seed: int = 1, frames: Sequence[float] = (1, 4.5, 9, 20), bones: Sequence[str] | None = None
) -> Any:
    """Sparse keys on every bone's rotation, in its own mode, and on the places of root and pelvis."""
    rng = np.random.default_rng(seed)
    home = new_action(rig)
    for bone in rig.pose.bones:
        if bones is not None and bone.name not in bones:
            continue
        mode = rotation_path(bone.rotation_mode)
        size = {"rotation_euler": 3}.get(mode, 4)
        values = rng.uniform(-0.7, 0.7, (size, len(frames)))
        if mode == "rotation_quaternion":
            values[0] = 1.0
            values /= np.linalg.norm(values, axis=0)
        elif mode == "rotation_axis_angle":
            values[2] += 1.0
        for axis in range(size):
            key(home, f"{bone_path(bone.name)}.{mode}", axis, frames, values[axis])
        if bone.parent is None or bone.name == "pelvis":
            for axis in range(3):
                place = rng.uniform(-0.5, 0.5, len(frames))
                key(home, f"{bone_path(bone.name)}.location", axis, frames, place)
    return home.action


def poses(rig: Any, times: Any, names: Sequence[str] | None = None, *, world: bool = False) -> np.ndarray:
    """Evaluated pose matrices (times, bones, 4, 4) in armature space or in the world."""
    names = [bone.name for bone in rig.pose.bones] if names is None else names
    found = np.empty((len(times), len(names), 4, 4))
    scene = bpy.context.scene
    for at, time in enumerate(times):
        whole = int(np.floor(time))
        scene.frame_set(whole, subframe=float(time - whole))
        seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found[at] = [np.array(seen.pose.bones[name].matrix) for name in names]
        if world:
            found[at] = np.array(seen.matrix_world) @ found[at]
    return found


def sides(rig: Any) -> tuple[list[str], Partners, np.ndarray]:
    """Names of the bones, their partners, and their rest matrices."""
    skeleton = read_skeleton(rig)
    return list(skeleton.names), find_partners(skeleton), skeleton.rest


def images(rig: Any, before: np.ndarray, plane: np.ndarray | None = None) -> np.ndarray:
    """S D S R of every bone, from the poses of its partner: where the mirrored motion has it. plane: another
    reflection (4, 4) than the body's own, for the first S."""
    _, partners, rest = sides(rig)
    own = reflection(partners.normal, partners.offset)
    deformed = before @ np.linalg.inv(rest)
    return np.asarray((own if plane is None else plane) @ deformed[:, partners.partner] @ own @ rest)


def errors(found: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    """(largest distance of heads, largest angle in degrees) between poses."""
    place = np.linalg.norm(found[..., :3, 3] - wanted[..., :3, 3], axis=-1).max()
    a, b = (m[..., :3, :3] / np.linalg.norm(m[..., :3, :3], axis=-2, keepdims=True) for m in (found, wanted))
    return float(place), float(np.degrees(np.linalg.norm(a - b, axis=(-2, -1)).max() / np.sqrt(2.0)))


def assert_reflects(
    rig: Any, before: np.ndarray, after: np.ndarray, size: float = 1.0, plane: np.ndarray | None = None
) -> None:
    place, angle = errors(after, images(rig, before, plane))
    assert place < 1e-5 * size, place
    assert angle < 0.01, angle


def curve_bytes(action: Any, rig: Any) -> dict[tuple[str, int], bytes]:
    """Every number of the curves of an action's slot for a rig."""
    from tests.blender.action_tools import numbers

    found = slots.curves_for(action, rig) or ()
    return {(curve.data_path, curve.array_index): numbers(curve).tobytes() for curve in found}


TIMES = np.array([1.0, 2.0, 2.75, 4.5, 6.0, 6.5, 9.0, 13.3, 20.0, 22.0])
