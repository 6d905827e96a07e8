"""What can be asked of a transition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ..options import LAST_FRAME

# Curves and their numbers in the core.
CURVES = {"linear": 0, "ease": 1, "inertial": 2, "overlap": 3}


def _setting(initial: Any, text: str, /, **more: Any) -> Any:
    return field(default=initial, metadata={"help": text, **more})


@dataclass(frozen=True, slots=True)
class BlendSettings:
    """What can be asked of a transition from motion A into motion B (JP4257764B2)."""

    at: float | None = _setting(
        None,
        "frame of A that is its last",
        unit="frames",
        min=-LAST_FRAME,
        max=LAST_FRAME,
        default="A's last, or the best one with find",
    )
    entry: float | None = _setting(
        None, "frame of B that it begins with", unit="frames", default="B's first, or the best one with find"
    )
    frames: int | None = _setting(
        None,
        "frames from A's last until B is alone",
        unit="frames",
        min=0,
        max=100000,
        default="as many as the poses and speeds need",
    )
    seconds: float | None = _setting(
        None, "the same in seconds, in place of frames", unit="s", min=0.0, max=1000.0, default="as frames"
    )
    curve: Literal["linear", "ease", "inertial", "overlap"] = _setting(
        "linear",
        "linear and ease hold A's last frame and fade to the running B; inertial carries A's speed and lets "
        "the difference die away; overlap lets A run on meanwhile",
    )
    rotation: Literal["quaternion", "euler"] = _setting(
        "quaternion", "blend rotations the short way, or angle by angle"
    )
    space: Literal["local", "world"] = _setting(
        "local", "blend each bone against its parent, or its direction in the world"
    )
    align: Literal["ground", "place", "height", "full", "none"] = _setting(
        "ground",
        "set B down where A stopped: ground is place and heading, place without heading, height with height, "
        "full every axis, none B's own place",
    )
    find: int = _setting(
        0,
        "look for the best frame to leave A and to enter B, up to so many frames before the one asked for "
        "and after B's first",
        unit="frames",
        min=0,
        max=1000,
    )
    feet: bool | None = _setting(
        None,
        "hold planted feet, and let feet that must move take a step",
        default="with inertial and overlap; linear and ease are left as the specification has them",
    )
    acceleration: float | None = _setting(
        None,
        "largest acceleration of a joint that the frames are chosen for",
        unit="m/s²",
        above=0.0,
        default="the larger of the two clips' own",
    )
    legs: float = _setting(1.0, "share of the frames after which the legs are B's", min=0.05, max=1.0)
    arms: float = _setting(1.0, "share of the frames after which the arms are B's", min=0.05, max=1.0)
    markers: Literal["keep", "time"] = _setting(
        "keep",
        "markers of B: keep where B itself plays in the result, or time them so that those within the "
        "transition come when B is alone",
    )
    result: Literal["whole", "transition"] = _setting(
        "whole", "A up to the cut, the transition and B to its end; or the transition alone"
    )
