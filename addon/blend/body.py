"""What is read of an armature object, and of its clips, for any number of transitions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ..reading import Rig, check_playing, read
from ..report.sampling import scene_fps, unit_size
from .clips import Frame, frame_of, motion_of
from .source import ClipSource


@dataclass(frozen=True, slots=True)
class Body:
    """An armature object read once for any number of transitions. up: axis of the ground, metres: length of
    a unit, and reach: length of the legs, all in the space of the poses; fps: frames a second; kept: what
    has been found out about it."""

    target: Any
    rig: Rig
    frame: Frame
    up: npt.NDArray[np.float64]
    metres: float
    reach: float
    fps: float
    kept: dict[str, Any] = field(default_factory=dict)


def body_of(armature_object: Any) -> Body:
    """Read an armature object. Raises AmbleError for what cannot be animated."""
    check_playing(armature_object)
    rig = read(armature_object)
    return Body(
        armature_object,
        rig,
        frame_of(armature_object, rig.skeleton, with_object=False),
        np.array(rig.roles.up, np.float64),
        unit_size(rig.skeleton.world),
        max(rig.roles.leg_length, 1e-6),
        scene_fps(),
    )


def _on_object(body: Body) -> Body:
    """The same where the object itself is moved: poses are then in the space of its parent."""
    basis = np.array(body.target.matrix_basis, np.float64)[:3, :3]
    up = basis @ body.up
    scale = float(np.cbrt(abs(np.linalg.det(basis)))) or 1.0
    return dataclasses.replace(
        body,
        frame=frame_of(body.target, body.rig.skeleton, with_object=True),
        up=up / (float(np.linalg.norm(up)) or 1.0),
        metres=body.metres / scale,
        reach=body.reach * scale,
    )


def sources_of(
    body: Body, given: Sequence[bpy.types.Action]
) -> tuple[Body, list[ClipSource], tuple[str, ...]]:
    """Clips to blend, the body as they move it, and notes on how they were read."""
    motions = [motion_of(body.target, action, body.frame) for action in given]
    if any(motion.keyed[0].any() for motion in motions):
        body = _on_object(body)
        motions = [motion.on(body.frame) for motion in motions]
    notes = tuple(note for motion in motions for note in motion.notes)
    return body, [ClipSource(motion, motion.first, motion.last) for motion in motions], notes
