"""What can be asked of a transition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..options import LAST_FRAME, setting

# The core's numbers of how rotations are blended.
ROTATIONS = {"quaternion": 0, "euler": 1, "numbers": 2}
# frames="auto" is None.
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Curve:
    """How one motion goes over into another. number: the core's; moving: A's last frame and B's first are the
    same moment, whose speed goes on, where else A's last is held and B's first comes a frame later; overlap:
    A runs on meanwhile."""

    number: int
    moving: bool = False
    overlap: bool = False


CURVES = {
    "linear": Curve(0),
    "ease": Curve(1),
    "inertial": Curve(2, moving=True),
    "overlap": Curve(3, moving=True, overlap=True),
}


@dataclass(frozen=True, slots=True)
class BlendSettings:
    """What can be asked of a transition from motion A into motion B (JP4257764B2)."""

    at: float | None = setting(
        None,
        "frame of A that is its last",
        unit="frames",
        min=-LAST_FRAME,
        max=LAST_FRAME,
        default="A's last, or the best one with find",
    )
    entry: float | None = setting(
        None, "frame of B that it begins with", unit="frames", default="B's first, or the best one with find"
    )
    frames: int | None = setting(
        None,
        "frames from A's last until B is alone",
        unit="frames",
        min=0,
        max=100000,
        default="as many as the poses and speeds need",
    )
    seconds: float | None = setting(
        None, "the same in seconds, in place of frames", unit="s", min=0.0, max=1000.0, default="as frames"
    )
    curve: Literal["linear", "ease", "inertial", "overlap"] = setting(
        "linear",
        "linear and ease hold A's last frame and fade to the running B; inertial carries A's speed and lets "
        "the difference die away; overlap lets A run on meanwhile",
    )
    rotation: Literal["quaternion", "euler", "numbers"] = setting(
        "quaternion",
        "blend rotations along the arc between them, angle by angle, or number by number as NLA strips do, "
        "always the short way",
    )
    space: Literal["local", "world"] = setting(
        "local", "blend each bone against its parent, or its direction in the world"
    )
    align: Literal["ground", "place", "height", "full", "none"] = setting(
        "ground",
        "set B down where A stopped: ground is place and heading, place without heading, height with height, "
        "full every axis, none B's own place",
    )
    find: int = setting(
        0,
        "look for the best frame to leave A and to enter B, up to so many frames before the one asked for "
        "and after B's first",
        unit="frames",
        min=0,
        max=1000,
    )
    feet: bool | None = setting(
        None,
        "hold planted feet, and let feet that must move take a step",
        default="with inertial and overlap; linear and ease are left as the specification has them",
    )
    acceleration: float | None = setting(
        None,
        "largest acceleration of a joint that the frames are chosen for",
        unit="m/s²",
        above=0.0,
        default="the larger of the two clips' own",
    )
    joint_speed: float | None = setting(
        None,
        "largest speed at which a joint closes the distance between the two motions, that the frames are "
        "chosen for",
        unit="m/s",
        above=0.0,
        default="3 lengths of the legs a second",
    )
    legs: float = setting(1.0, "share of the frames after which the legs are B's", min=0.05, max=1.0)
    arms: float = setting(1.0, "share of the frames after which the arms are B's", min=0.05, max=1.0)
    markers: Literal["keep", "time"] = setting(
        "keep",
        "markers of B: keep where B itself plays in the result, or time them so that those within the "
        "transition come when B is alone",
    )
    result: Literal["whole", "transition"] = setting(
        "whole", "A up to the cut, the transition and B to its end; or the transition alone"
    )
