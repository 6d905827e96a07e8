"""The plane that is asked for, found for one rig and one action."""

from __future__ import annotations

import numpy as np

from .. import core
from ..action.read import Clip
from ..errors import AmbleError, BadSetting
from .decide import reach
from .moving import motions
from .plane import Floats, Plane, level, upright
from .settings import MirrorSettings
from .subject import Subject
from .sums import DEFAULTS


def plane_of(subject: Subject, source: Clip, settings: MirrorSettings) -> Plane:
    """The plane that is asked for, in armature space. Raises BadSetting where it is none that is upright."""
    own = Plane(subject.partners.normal, subject.partners.offset)
    if settings.plane == "reach":
        return _reach_plane(subject, source, settings)
    if settings.plane == "first":
        return own.carried(_first_place(subject, source))
    if settings.plane == "given":
        normal, point = (
            np.array(settings.normal, np.float64),
            np.array(settings.point or (0, 0, 0), np.float64),
        )
        if settings.space == "world":
            world = subject.skeleton.world
            inverse = np.linalg.inv(world)
            # A plane's normal goes over by the transposed inverse of what points go over by.
            normal, point = world[:3, :3].T @ normal, inverse[:3, :3] @ point + inverse[:3, 3]
        flat = level(normal, subject.up)
        if flat is None:
            raise BadSetting("The normal of the plane must not be 0 or upright: give a level direction.")
        return Plane(flat, float(flat @ point))
    return own


def _reach_plane(subject: Subject, source: Clip, settings: MirrorSettings) -> Plane:
    """Through the reference line, across the direction of the largest reach (M6)."""
    moving, _ = motions(subject, source, source, settings)
    found = reach(moving, ())
    world = subject.skeleton.world
    inverse = np.linalg.inv(world)
    flat = level(world[:3, :3].T @ np.array(found.direction), subject.up)
    if flat is None:
        raise AmbleError(
            "No part of the body leaves the reference line, so that no plane lies across its reach."
        )
    return Plane(flat, float(flat @ (inverse[:3, :3] @ np.array(found.line) + inverse[:3, 3])))


def _first_place(subject: Subject, source: Clip) -> Floats:
    """Where the character stands and faces in the first frame, against its rest; (4, 4), upright."""
    if subject.carrier is None:
        return np.eye(4)
    skeleton = subject.skeleton
    channels = source.channels(skeleton.names, [source.span[0]])
    pose = core.load().forward_kinematics(
        np.ascontiguousarray(skeleton.parents),
        np.ascontiguousarray(skeleton.rest),
        np.ascontiguousarray(skeleton.flags),
        channels,
    )
    index = skeleton.index(subject.carrier)
    posed, rest = np.eye(4), skeleton.rest[index]
    posed[:3] = pose[index, :, 0].reshape(3, 4)
    found = upright(posed @ np.linalg.inv(rest), subject.facing, subject.up)
    found[:3, 3] = posed[:3, 3] - found[:3, :3] @ rest[:3, 3]
    return found


def object_turn(subject: Subject, source: Clip, own: Plane) -> Floats:
    """What follows the reflection of the object's own motion, so that it is about the character's plane where
    the object stands in the first frame."""
    if not any(not channel.bone and channel.path in DEFAULTS for channel in source.channels_of):
        return np.eye(4)[:3].copy()
    channels = source.object_channels(subject.target, [source.span[0]])
    found = core.load().forward_kinematics(
        np.array([-1], np.int32), np.eye(4)[None], np.zeros(1, np.uint32), channels[None]
    )
    place = np.eye(4)
    place[:3] = found[0, :, 0].reshape(3, 4)
    through = Plane(own.normal, 0.0)
    scale = np.linalg.norm(place[:3, :3], axis=0)
    place[:3, :3] /= np.where(scale > 0.0, scale, 1.0)
    return through.turn_to(through.carried(place))
