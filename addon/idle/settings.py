"""What can be asked of an idle. Every field's metadata is the one place for its help, unit and range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..options import LAST_FRAME, setting

USUAL_CYCLES = 4


@dataclass(frozen=True, slots=True)
class IdleSettings:
    """What can be asked of an idle. Every field's metadata is the one place for its help, unit and range."""

    frames: tuple[int, int] | None = setting(
        None,
        "first and last frame; a loop closes on the last one",
        min=-LAST_FRAME,
        max=LAST_FRAME,
        default="as many as the breaths take, from frame 1",
    )
    cycles: int | None = setting(
        None,
        "how many breaths",
        min=1,
        max=10000,
        default=f"those that fit the frames, else {USUAL_CYCLES}",
    )
    fps: float | None = setting(
        None, "frames a second", unit="1/s", above=0.0, max=1000.0, default="the scene's"
    )
    condition: str = setting(
        "rest",
        "how the body is: rest, tired, hurt, cold, hot, afraid, sprint, asleep or one of a file; changes "
        "within one idle are written rest,afraid@60,rest@120 with the frame that each sets in at",
    )
    conditions: str | None = setting(
        None,
        "TOML file with conditions of your own, as addon/data/idle.toml has them",
        metavar="PATH",
    )
    rate: float | None = setting(
        None, "breaths a minute", unit="1/min", above=0.0, max=600.0, default="the condition's"
    )
    strength: float = setting(1.0, "factor on all that moves; 0 holds the pose still", min=0.0, max=10.0)
    strength_end: float | None = setting(
        None,
        "factor at the last frame, gone over to smoothly; 0 calms down to the held pose",
        min=0.0,
        max=10.0,
        default="as strength",
    )
    variation: float | None = setting(
        None,
        "by what share breaths differ from one another in length and depth",
        min=0.0,
        max=0.5,
        default="the condition's",
    )
    seed: int = setting(0, "which of all variations", min=0, max=2**31 - 1)
    phase: float = setting(
        0.0,
        "share of a breath that is gone at the first frame, so that a crowd is not in step",
        min=0.0,
        max=1.0,
    )
    loop: bool = setting(True, "close the last frame on the first, in value and slope")
    pose: str | None = setting(
        None,
        "action or pose asset whose pose is held",
        default="the pose shown, or the action that is played",
        metavar="NAME",
        names="action",
    )
    pose_frame: float | None = setting(
        None,
        "frame of the action whose pose is held",
        min=-LAST_FRAME,
        max=LAST_FRAME,
        default="the pose shown; of a pose asset its first frame",
    )
    source: str | None = setting(
        None,
        "idle action of this file whose differences are laid on the pose, in place of the built-in ones",
        default="built in",
        metavar="NAME",
        names="action",
    )
    source_rig: str | None = setting(
        None,
        "armature object that the source was made for, by whose roles it is read",
        default="the rig's own",
        metavar="NAME",
        names="armature",
    )
    table: str | None = setting(
        None,
        "TOML or JSON file of differences, or JSON text, in place of the built-in ones; "
        "addon/idle/sources.py has an example",
        default="built in",
        metavar="PATH",
    )
    base: str = setting(
        "first",
        "pose of the source that its differences are taken from: first, mean, rest, or the number of a frame",
    )
    coefficient: Literal["same", "ratio"] = setting(
        "same",
        "same: every joint moves as the differences say; ratio: as much more as it is opened wider in the "
        "held pose than in the base pose",
    )
    pins: tuple[str, ...] | None = setting(
        None,
        "limbs, by bone or as foot.L, hand.R, knee.L, pelvis, that stay where they are; hand.R@hand.L stays "
        "where it is on another bone; - for none",
        default="what touches the ground, meshes or the body",
    )
    keep_reach: bool = setting(
        True, "move the body less where a pinned limb could not follow; else misses are told"
    )
    shapes: bool = setting(
        True,
        "blinks and breath on the shape keys of the character's meshes that are named for them; a layer "
        "leaves them alone",
    )
    written: Literal["action", "layer", "into"] = setting(
        "action",
        "action: a whole action; layer: an additive NLA strip over what is played, and nothing else; "
        "into: keys in the action that is played, from its end on, or within the frames",
    )
    ease: float = setting(
        1.0,
        "of an idle into an action that goes on after it: time in which it comes back to the held pose",
        unit="s",
        min=0.0,
    )
