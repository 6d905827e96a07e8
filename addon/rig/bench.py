"""Trying out a rig: what moves when a bone is moved. Everything is put back as it was.

The armature is evaluated at its zero pose (every bone's own channels at rest, constraints, drivers and
switches as they are set), and once more for each nudge.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..shown import shown
from .skeleton import matrices_of
from .switches import get_value, set_value

Floats = npt.NDArray[np.float64]

_REST = {
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}


class Bench:
    """Context in which the armature object stands in its zero pose and may be nudged.

    names: the bones in the order of every result. Raises BadSetting where the object is not evaluated.
    """

    def __init__(self, armature_object: Any) -> None:
        self.object = armature_object
        self.names: tuple[str, ...] = tuple(bone.name for bone in armature_object.pose.bones)
        self._place = {name: k for k, name in enumerate(self.names)}
        self._kept: dict[str, npt.NDArray[np.float32]] = {}
        self._shown = shown(armature_object)
        self._values: dict[str, Any] = {}

    def __enter__(self) -> Bench:
        if self.object.mode == "EDIT":
            raise BadSetting(f'"{self.object.name}" is in edit mode, where it has no pose: leave edit mode.')
        for channel, rest in _REST.items():
            self._kept[channel] = np.empty(len(self.names) * len(rest), dtype=np.float32)
            self.object.pose.bones.foreach_get(channel, self._kept[channel])
        self._shown.__enter__()
        self._rest()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for path, value in self._values.items():
            set_value(self.object, path, value)
        for channel, values in self._kept.items():
            self.object.pose.bones.foreach_set(channel, values)
        self._shown.__exit__(None, None, None)
        self._update()

    def _rest(self) -> None:
        for channel, rest in _REST.items():
            values = np.tile(np.array(rest, dtype=np.float32), len(self.names))
            self.object.pose.bones.foreach_set(channel, values)

    def _update(self) -> Any:
        self.object.update_tag(refresh={"OBJECT", "DATA"})
        return bpy.context.evaluated_depsgraph_get()

    def switch(self, path: str, value: float) -> None:
        """Set a property, seen from the object, until the bench is left."""
        self._values.setdefault(path, get_value(self.object, path))
        set_value(self.object, path, value)

    def switch_back(self, path: str) -> None:
        """Set a property that was switched as it was before."""
        set_value(self.object, path, self._values.pop(path))

    def matrices(self) -> Floats:
        """The pose as evaluated now, float64 (bones, 4, 4), armature space."""
        evaluated = self.evaluated()
        found = np.empty(len(self.names) * 16, dtype=np.float32)
        evaluated.pose.bones.foreach_get("matrix", found)
        return matrices_of(found)

    def evaluated(self) -> Any:
        """The evaluated object."""
        evaluated = self.object.evaluated_get(self._update())
        if not evaluated.is_evaluated:
            raise BadSetting(
                f'"{self.object.name}" is not evaluated in this view layer: link it to the scene and neither '
                "exclude its collection nor disable it in viewports."
            )
        return evaluated

    def nudged(self, nudges: Mapping[str, tuple[Floats | None, float]]) -> Floats:
        """The pose with bones moved and turned, each by its `move` (3,), in its own axes, armature units, and
        by `turn` radians about an axis that is none of its own; locked axes are left out. Afterwards they are
        back."""
        pose = self.object.pose.bones
        try:
            for bone, (move, turn) in nudges.items():
                _nudge(pose[bone], move, turn)
            return self.matrices()
        finally:
            for bone in nudges:
                pose[bone].location = _REST["location"]
                channel = _rotation_channel(pose[bone])
                setattr(pose[bone], channel, _REST[channel])


def _nudge(pose: Any, move: Floats | None, turn: float) -> None:
    if move is not None:
        pose.location = [0.0 if lock else x for lock, x in zip(pose.lock_location, move, strict=True)]
    if not turn:
        return
    axis = np.array([0.0 if lock else x for lock, x in zip(pose.lock_rotation, (1.0, 0.8, 0.6), strict=True)])
    axis /= max(float(np.linalg.norm(axis)), 1e-9)
    channel = _rotation_channel(pose)
    if channel == "rotation_quaternion":
        pose.rotation_quaternion = (np.cos(turn / 2), *(np.sin(turn / 2) * axis))
    elif channel == "rotation_axis_angle":
        pose.rotation_axis_angle = (turn, *axis)
    else:
        pose.rotation_euler = turn * axis


def _rotation_channel(pose: Any) -> str:
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        pose.rotation_mode, "rotation_euler"
    )
