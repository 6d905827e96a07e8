"""What is read of a rig once, for any number of its actions to be mirrored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..rig import Roles, Skeleton, Skin, read_skeleton, read_skin, recognise
from ..rig.partners import Partners, find_partners
from ..rig.stored import corrections_of
from .plane import Floats


@dataclass(frozen=True)
class Subject:
    """What is read of a rig once for any number of its actions; what takes long, when it is asked for."""

    target: Any
    skeleton: Skeleton
    partners: Partners

    @cached_property
    def skin(self) -> Skin | None:
        """The rig's skin."""
        return read_skin(self.target, self.skeleton.names)

    @cached_property
    def roles(self) -> Roles:
        """What its bones are."""
        return recognise(self.skeleton, self.skin, corrections_of(self.target))

    @cached_property
    def up(self) -> Floats:
        """Upward, unit, within the body's plane."""
        up = np.array(self.roles.up)
        up = up - (up @ self.partners.normal) * self.partners.normal
        return np.asarray(up / np.linalg.norm(up))

    @cached_property
    def facing(self) -> Floats:
        """Forward, unit, within the body's plane and square to up."""
        facing = np.cross(self.partners.normal, self.up)
        return np.asarray(facing if float(facing @ np.array(self.roles.facing)) >= 0.0 else -facing)

    @property
    def left(self) -> Floats:
        """The character's own left, unit."""
        return np.asarray(np.cross(self.up, self.facing))

    @property
    def carrier(self) -> str | None:
        """The bone that carries the body: root, else pelvis."""
        return self.roles.root or self.roles.pelvis


def read_subject(armature_object: Any) -> Subject:
    """Skeleton, pairs and plane of a rig."""
    skeleton = read_skeleton(armature_object)
    return Subject(armature_object, skeleton, find_partners(skeleton, None, corrections_of(armature_object)))
