"""What can be asked of a mirror image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..options import setting


@dataclass(frozen=True, slots=True)
class MirrorSettings:
    """Every field's metadata is the one place for its help, unit and range."""

    plane: Literal["rest", "first", "reach", "given"] = setting(
        "rest",
        "vertical plane to mirror about: rest the rest pose's own between left and right; first the "
        "character's own where it stands in the first frame, so that it starts from the same place; reach "
        "across the direction of the largest reach; given by point and normal",
    )
    point: tuple[float, float, float] | None = setting(
        None, "a point on the plane, for plane given, or on the reference line, for reach", default="origin"
    )
    normal: tuple[float, float, float] | None = setting(
        None, "direction square to the plane, for plane given; made level"
    )
    space: Literal["local", "world"] = setting(
        "local", "what point and normal are coordinates of: the armature or the world"
    )
    look: Literal["deformation", "pose"] = setting(
        "deformation",
        "on rest poses that are not symmetric: deformation keeps each side's own shape, so that the rest "
        "pose is its own mirror image; pose mirrors the limbs' directions as they are seen",
    )
    bones: tuple[str, ...] = setting((), "mirror these bones and their partners alone", default="all")
    sides: Literal["both", "left to right", "right to left"] = setting(
        "both",
        "exchange the sides, or lay the mirror image of one over the other and leave that one as it is",
    )
    part: Literal["whole", "upper", "lower"] = setting(
        "whole", "mirror the whole body, or what lies above or below the pelvis alone"
    )
    frames: tuple[float, float] | None = setting(
        None, "mirror the keys within these frames alone", default="all"
    )
    shift: bool = setting(
        False, "shift a cycle by half of itself, so that the mirrored one starts on the same foot"
    )
    locked: bool = setting(False, "key locked channels too, where the other side's are keyed")
    precision: float = setting(
        0.001,
        "largest error of a curve that has no exact mirror image and is drawn anew",
        unit="degrees",
        above=0.0,
        max=1.0,
    )
    mirror: Literal["auto", "always"] = setting(
        "auto",
        "auto mirrors only where the motion itself does not fit among obstacles; always in any case",
    )
    test: Literal["full", "reach"] = setting(
        "full",
        "what fits: full, every part of the body at every frame stays off the obstacles; reach, the largest "
        "reach alone, in its direction",
    )
    tolerance: float = setting(0.0, "room that is to be left to obstacles", unit="m", min=0.0)
    line: Literal["waist", "middle"] = setting(
        "waist",
        "upright line that reach is measured from: through the waist at rest, or through the middle of the "
        "space that the motion takes up",
    )
    thickness: float | None = setting(
        None,
        "radius of every part of the body, for obstacles",
        unit="m",
        min=0.0,
        default="from the mesh, without one from the bones' lengths",
    )
