"""Reading the evaluated armature at any time, and leaving the scene as it was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ..action.slots import find_curves
from ..errors import BadSetting, MissingRole
from .reference import Floats

OBJECT_CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
# Number of floats a bone has in each channel.
BONE_CHANNELS = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}


def scene_fps() -> float:
    """Frames a second of the scene, as Blender plays them."""
    scene: Any = bpy.context.scene
    return float(scene.render.fps / scene.render.fps_base)


def unit_size(world: Floats) -> float:
    """Metres of the world that an armature unit is, from the object's matrix_world (4, 4).

    The cube root of the change of volume, which is the scale where all three axes have the same.
    """
    return float(np.cbrt(abs(np.linalg.det(world[:3, :3]))))


def densest_keys(armature_object: Any) -> float:
    """The smallest distance, frames, of two keys at either end of a curve of the action that is played;
    infinity where there are none."""
    least = np.inf
    for curve in find_curves(armature_object) or ():
        keys = curve.keyframe_points
        if len(keys) > 1:
            least = min(least, keys[1].co[0] - keys[0].co[0], keys[-1].co[0] - keys[-2].co[0])
    return float(least)


def sample(armature_object: Any, frames: npt.ArrayLike, bones: Sequence[str]) -> Floats:
    """World matrices of bones of the evaluated armature, float64 (frames, bones, 4, 4).

    armature_object: an armature in the current view layer, with whatever moves it (action, NLA, constraints,
    drivers); frames: (n,), fractions allowed; bones: names. The scene's frame is set once for each sample and
    put back, and so is every pose or transform that had been changed by hand over its animation and would be
    lost by that. Raises BadSetting where the armature shows no motion (another scene, switched off, edit
    mode, rest position), MissingRole for an unknown bone, BadSetting again for a pose that is not finite.
    """
    times = np.atleast_1d(np.asarray(frames, dtype=np.float64))
    missing = [name for name in bones if name not in armature_object.pose.bones]
    if missing:
        raise MissingRole(f'"{armature_object.name}" has no bone "{missing[0]}": name one of its bones.')
    if armature_object.mode == "EDIT":
        raise BadSetting(f'"{armature_object.name}" is in edit mode, where it has no pose: leave edit mode.')
    if armature_object.data.pose_position == "REST":
        raise BadSetting(f'"{armature_object.name}" is shown in rest position: switch it to pose position.')
    found = np.empty((len(times), len(bones), 4, 4))
    scene: Any = bpy.context.scene
    with scene_kept(scene):
        for k, time in enumerate(times):
            _go_to(scene, float(time))
            # Fetched anew each time: Blender may make the evaluated copy again whenever the frame changes.
            evaluated = armature_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
            if not evaluated.is_evaluated:
                raise BadSetting(
                    f'"{armature_object.name}" is not evaluated in this view layer: link it to the scene and '
                    "neither exclude its collection nor disable it in viewports."
                )
            pose = evaluated.pose.bones
            found[k] = np.array(evaluated.matrix_world) @ np.array([pose[name].matrix for name in bones])
    broken = ~np.isfinite(found).all(axis=(2, 3))
    if broken.any():
        k, bone = np.argwhere(broken)[0]
        raise BadSetting(
            f'The pose of "{bones[bone]}" is not a number at frame {times[k]:g}: mend its curves.'
        )
    return found


def _go_to(scene: Any, time: float) -> None:
    whole = int(np.floor(time))
    scene.frame_set(whole, subframe=time - whole)


@contextmanager
def scene_kept(scene: Any) -> Iterator[None]:
    """Put back frame, poses and transforms of everything animated in the scene, also after an error.

    Setting a frame overwrites every animated channel, and so what the user moved by hand and has not keyed
    yet.
    """
    frame, subframe = scene.frame_current, scene.frame_subframe
    animated = [thing for thing in scene.objects if _animated(thing)]
    kept = [(thing, {name: tuple(getattr(thing, name)) for name in OBJECT_CHANNELS}) for thing in animated]
    poses = [(thing, _pose(thing)) for thing in animated if thing.pose is not None]
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
        for thing, channels in kept:
            for name, values in channels.items():
                # Only where it differs: a library's objects cannot be written, and were not changed.
                if tuple(getattr(thing, name)) != values:
                    setattr(thing, name, values)
        for thing, pose in poses:
            _set_pose(thing, pose)
        bpy.context.evaluated_depsgraph_get().update()


def _animated(thing: Any) -> bool:
    """Whether the object, or its armature's data, has animation that a change of frame would apply."""
    return thing.animation_data is not None or getattr(thing.data, "animation_data", None) is not None


def _pose(thing: Any) -> dict[str, npt.NDArray[np.float32]]:
    found = {}
    for name, size in BONE_CHANNELS.items():
        found[name] = np.empty(len(thing.pose.bones) * size, dtype=np.float32)
        thing.pose.bones.foreach_get(name, found[name])
    return found


def _set_pose(thing: Any, pose: dict[str, npt.NDArray[np.float32]]) -> None:
    now = _pose(thing)
    changed = [name for name in BONE_CHANNELS if not np.array_equal(now[name], pose[name])]
    for name in changed:
        thing.pose.bones.foreach_set(name, pose[name])
    if changed:
        thing.update_tag(refresh={"OBJECT"})
