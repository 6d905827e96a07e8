"""A motion and its mirror image in the world, as they are held against what stands around."""

from __future__ import annotations

import math

import numpy as np

from ..action.read import Clip
from .body import body_parts, tracks, world_radius
from .decide import Moving
from .plane import Floats
from .settings import MirrorSettings
from .subject import Subject


def motions(
    subject: Subject, source: Clip, mirrored: Clip, settings: MirrorSettings
) -> tuple[Moving, Moving]:
    """Both motions in the world, every whole frame and both ends."""
    target, skeleton = subject.target, subject.skeleton
    parts = body_parts(skeleton, subject.skin, subject.partners.size, subject.roles.root)
    radius = world_radius(target, parts)
    if settings.thickness is not None:
        radius = np.full(len(radius), settings.thickness)
    first, last = source.span
    frames = np.unique([first, *np.arange(math.ceil(first), math.floor(last) + 1.0), last])
    up = skeleton.world[:3, :3] @ subject.up
    size = subject.partners.size * float(np.linalg.norm(up))
    up = up / np.linalg.norm(up)
    found = []
    for clip in (source, mirrored):
        track = tracks(target, skeleton, clip, parts, frames)
        line = _line(subject, track, settings)
        found.append(Moving(track, frames, parts.names, radius, line, up, size))
    return found[0], found[1]


def _line(subject: Subject, track: Floats, settings: MirrorSettings) -> Floats:
    """A point on the reference line, in the world (M2)."""
    world = subject.skeleton.world
    if settings.plane == "reach" and settings.point is not None:
        point = np.array(settings.point)
        return point if settings.space == "world" else world[:3, :3] @ point + world[:3, 3]
    if settings.line == "middle" and track.size:
        return np.asarray(0.5 * (track.min(axis=(0, 2, 3)) + track.max(axis=(0, 2, 3))))
    waist = subject.roles.pelvis
    head = subject.skeleton.heads[subject.skeleton.index(waist)] if waist is not None else np.zeros(3)
    return np.asarray(world[:3, :3] @ head + world[:3, 3])
