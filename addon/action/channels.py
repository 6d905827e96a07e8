"""Which channels of which bones may be keyed, and why the others may not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import AmbleError
from .slots import find_curves

# A bone's channels in the order of a motion array's rows: 3 location, 4 rotation, 3 scale. A rotation in
# Euler angles uses the last three of its four rows.
CHANNELS = 10
# Rotation modes in the order of the core's numbers for them.
MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
ROTATION_PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_AXES = "XYZ"


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """What is keyed, bone by bone.

    keyed: (bones, 10), by row as above. held: (bones, 3), XYZ axes that a rotation of four numbers must not
    turn about. modes: each bone's rotation mode. skipped: what was left out, in words.
    """

    keyed: NDArray[np.bool_]
    held: NDArray[np.bool_]
    modes: tuple[str, ...]
    skipped: tuple[str, ...]


def rotation_path(mode: str) -> str:
    """The property that a rotation mode reads."""
    return ROTATION_PATHS.get(mode, "rotation_euler")


def bone_path(name: str) -> str:
    """The data path of a pose bone, seen from its object."""
    return f'pose.bones["{bpy.utils.escape_identifier(name)}"]'


def plan_keys(target: bpy.types.Object, bones: Sequence[str], channels: NDArray[np.bool_]) -> KeyPlan:
    """Decide for every bone which of its 10 rows get a curve.

    channels: (bones, 3), the location, rotation and scale asked for. Left out are locked and driven channels,
    and the location of connected bones, which Blender does not read. AmbleError when a bone is not there.
    Nobody may change what is returned: where nothing has changed, it is the same again.
    """
    driven = driven_channels(target)
    key = (tuple(bones), channels.tobytes(), frozenset(driven), _locks_of(target))
    plan = _known.get(key)
    if plan is None:
        plan = _plan_keys(target, bones, channels, driven)
        while len(_known) >= _KEPT:
            del _known[next(iter(_known))]
        _known[key] = plan
    return plan


# The plans made last, by all that they depend on.
_KEPT = 16
_known: dict[tuple[Any, ...], KeyPlan] = {}


def _locks_of(target: Any) -> tuple[Any, ...]:
    """What decides beside drivers which channels of all bones are keyed, read in bulk."""
    pose, data = target.pose.bones, target.data.bones
    found: list[Any] = [tuple(pose.keys())]
    for bones, name, width, kind in (
        (pose, "rotation_mode", 1, np.int32),
        (pose, "lock_location", 3, bool),
        (pose, "lock_rotation", 3, bool),
        (pose, "lock_rotation_w", 1, bool),
        (pose, "lock_rotations_4d", 1, bool),
        (pose, "lock_scale", 3, bool),
        (data, "use_connect", 1, bool),
    ):
        values = np.empty(width * len(bones), dtype=kind)
        bones.foreach_get(name, values)
        found.append(values.tobytes())
    if values.any():  # a bone without a parent is connected to nothing
        found.append(tuple([bone.parent is None for bone in data]))
    return tuple(found)


def _plan_keys(
    target: bpy.types.Object,
    bones: Sequence[str],
    channels: NDArray[np.bool_],
    driven: set[tuple[str, int]],
) -> KeyPlan:
    pose: Any = target.pose
    keyed = np.zeros((len(bones), CHANNELS), dtype=bool)
    held = np.zeros((len(bones), 3), dtype=bool)
    modes: list[str] = []
    skipped: list[str] = []
    for row, name in enumerate(bones):
        bone = pose.bones.get(name)
        if bone is None:
            raise AmbleError(f'The armature "{target.name}" has no bone "{name}"; name one that it has.')
        mode = bone.rotation_mode
        modes.append(mode)
        location, rotation, scale = (bool(wanted) for wanted in channels[row])
        path = bone_path(name) if driven else ""
        if location:
            if bone.parent is not None and bone.bone.use_connect:
                skipped.append(f"{name}: location, as the bone is connected to its parent")
            else:
                free = _free(name, "location", bone.lock_location, _AXES, driven, path + ".location", skipped)
                keyed[row, 0:3] = free
        if rotation:
            keyed[row, 3:7], held[row] = _rotation(name, bone, mode, driven, path, skipped)
        if scale:
            keyed[row, 7:10] = _free(name, "scale", bone.lock_scale, _AXES, driven, path + ".scale", skipped)
    keyed.flags.writeable = held.flags.writeable = False
    return KeyPlan(keyed, held, tuple(modes), tuple(skipped))


def plan_location(target: bpy.types.Object) -> tuple[list[bool], tuple[str, ...]]:
    """Which axes of the object's own location may be keyed, and what is left out in words."""
    skipped: list[str] = []
    driven = driven_channels(target)
    locks = list(target.lock_location)
    free = _free(f"object {target.name}", "location", locks, _AXES, driven, "location", skipped)
    return free, tuple(skipped)


def animated_channels(target: bpy.types.Object, bones: Sequence[str]) -> NDArray[np.bool_]:
    """Which of location, rotation, scale (bones, 3) the action that the object plays has curves for."""
    paths = {curve.data_path for curve in find_curves(target) or ()}
    found = np.zeros((len(bones), 3), dtype=bool)
    if paths:
        pose: Any = target.pose
        for row, name in enumerate(bones):
            path = bone_path(name)
            rotation = f"{path}.{rotation_path(pose.bones[name].rotation_mode)}"
            found[row] = f"{path}.location" in paths, rotation in paths, f"{path}.scale" in paths
    return found


def driven_channels(target: bpy.types.Object) -> set[tuple[str, int]]:
    """(data path, index) of every channel of the object that has a driver."""
    data = target.animation_data
    return {(driver.data_path, driver.array_index) for driver in data.drivers} if data is not None else set()


def _rotation(
    name: str,
    bone: bpy.types.PoseBone,
    mode: str,
    driven: set[tuple[str, int]],
    path: str,
    skipped: list[str],
) -> tuple[list[bool], list[bool]]:
    """Which of the four rotation rows are keyed, and which XYZ axes are held at rest within them."""
    path = f"{path}.{rotation_path(mode)}"
    locks = list(bone.lock_rotation)
    if mode not in ROTATION_PATHS:
        return [False, *_free(name, "rotation", locks, _AXES, driven, path, skipped)], [False] * 3
    if all(locks):  # what W could do alone is no rotation
        return _free(name, "rotation", [True] * 4, "WXYZ", set(), path, skipped), [False] * 3
    if bone.lock_rotations_4d:  # on a new bone: the locks are for the numbers of the rotation, not for axes
        locks = [bone.lock_rotation_w, *locks]
        return _free(name, "rotation", locks, "WXYZ", driven, path, skipped), [False] * 3
    free = _free(name, "rotation", [False] * 4, "WXYZ", driven, path, skipped)
    if any(locks) and any(free):
        skipped.append(f"{name}: rotation about {_list(_AXES, locks)}, which is locked")
        return free, locks
    return free, [False] * 3


def _free(
    name: str,
    what: str,
    locks: Sequence[bool],
    letters: str,
    driven: set[tuple[str, int]],
    path: str,
    skipped: list[str],
) -> list[bool]:
    """Which components are neither locked nor driven; the others are told in `skipped`."""
    if not driven and not any(locks):
        return [True] * len(locks)
    is_driven = [(path, index) in driven for index in range(len(locks))] if driven else [False] * len(locks)
    for flags, why in ((locks, "locked"), (is_driven, "driven")):
        if all(flags):
            skipped.append(f"{name}: {what}, which is {why}")
        elif any(flags):
            skipped.append(f"{name}: {what} {_list(letters, flags)}, which is {why}")
    return [not (lock or drive) for lock, drive in zip(locks, is_driven, strict=True)]


def _list(letters: str, flags: Sequence[bool]) -> str:
    return ", ".join(letter for letter, flag in zip(letters, flags, strict=True) if flag)
