"""The pose that is held, as channels of every bone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .. import action as actions
from ..action.channels import CHANNELS, ROTATION_PATHS, animated_channels, rotation_path
from ..action.read import to_quaternions
from ..errors import AmbleError, BadSetting
from ..rig import Skeleton
from .settings import IdleSettings

Float32 = npt.NDArray[np.float32]
_FIRST = {"location": 0, "scale": 7}
# A channel this little off its rest is at rest.
STRAY = 1e-6


@dataclass(frozen=True, slots=True)
class Held:
    """channels: float32 (bones, 10) in the skeleton's order; shown: those of the pose that is shown;
    animated: what (bones, 3) the action that is played moves; action: the one that the held pose is from,
    None for the pose shown."""

    channels: Float32
    shown: Float32
    animated: npt.NDArray[np.bool_]
    action: Any = None

    def off_rest(self) -> npt.NDArray[np.bool_]:
        """Channels (bones, 3) that need a key to be as held: not at rest, shown otherwise, or moved by what
        is played, which would leave them anywhere."""
        rest = np.zeros(CHANNELS, dtype=np.float32)
        rest[[3, 7, 8, 9]] = 1.0
        off = (np.abs(self.channels - rest) > STRAY) | (self.channels != self.shown)
        return self.animated | np.stack(
            [off[:, :3].any(axis=1), off[:, 3:7].any(axis=1), off[:, 7:].any(axis=1)], axis=1
        )


def held_pose(armature_object: Any, skeleton: Skeleton, settings: IdleSettings) -> Held:
    """The pose that the settings name. Raises BadSetting for an action that is not there, AmbleError for one
    without a motion of this rig."""
    shown = shown_channels(armature_object, skeleton)
    animated = animated_channels(armature_object, skeleton.names)
    if settings.pose is None and settings.pose_frame is None:
        return Held(shown, shown, animated)
    action = find_action(settings.pose) if settings.pose is not None else None
    clip = actions.read(armature_object, action)
    known = [name for name in clip.bones if name in skeleton.names]
    if not known:
        raise AmbleError(f'The action "{clip.action.name}" moves no bone of "{armature_object.name}".')
    frame = clip.span[0] if settings.pose_frame is None else settings.pose_frame
    found = clip.channels(skeleton.names, [frame])[..., 0]
    if settings.written == "into" or (settings.pose is not None and settings.pose_frame is None):
        # A pose asset says something of its own bones alone, and so does the action that is added to.
        keyed = clip.keyed(skeleton.names)
        found = np.where(keyed, found, shown)
    return Held(np.ascontiguousarray(found), shown, animated, clip.action)


def shown_channels(armature_object: Any, skeleton: Skeleton) -> Float32:
    """Channels (bones, 10) of the pose as it is shown."""
    bones = armature_object.pose.bones
    order = {bone.name: row for row, bone in enumerate(bones)}
    found = np.empty((len(bones), CHANNELS), dtype=np.float32)
    for channel, first in _FIRST.items():
        values = np.empty(len(bones) * 3, dtype=np.float32)
        bones.foreach_get(channel, values)
        found[:, first : first + 3] = values.reshape(-1, 3)
    modes = [bone.rotation_mode for bone in bones]
    rotations: dict[str, Float32] = {}
    for path, size in (("rotation_quaternion", 4), ("rotation_axis_angle", 4), ("rotation_euler", 3)):
        rotations[path] = np.empty(len(bones) * size, dtype=np.float32)
        bones.foreach_get(path, rotations[path])
        rotations[path] = rotations[path].reshape(-1, size)
    paths = np.array([rotation_path(mode) for mode in modes])
    for path in ROTATION_PATHS.values():
        found[paths == path, 3:7] = rotations[path][paths == path]
    euler = paths == "rotation_euler"
    found[euler, 3], found[euler, 4:7] = 0.0, rotations["rotation_euler"][euler]
    blocks = found[..., None].copy()
    to_quaternions(blocks, modes)
    return np.ascontiguousarray(blocks[[order[name] for name in skeleton.names], :, 0])


def find_action(name: Any) -> Any:
    """The action of that name in this file. Raises BadSetting."""
    if isinstance(name, bpy.types.Action):
        return name
    everything: Any = bpy.data.actions
    action = everything.get(name)
    if action is None:
        some = ", ".join(sorted(other.name for other in everything)[:8]) or "none"
        raise BadSetting(f'There is no action "{name}" in this file; there are {some}.')
    return action
