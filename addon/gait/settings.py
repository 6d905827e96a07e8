"""What can be asked of a gait."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..errors import BadSetting
from ..options import LAST_FRAME, setting
from .presets import names as gait_names

# People's walk and run at ease, metres a second.
USUAL_SPEED = {"auto": 1.4, "walk": 1.4, "run": 3.0}
# The core's number of each gait.
GAITS = {"walk": 0, "run": 1, "auto": 2}
# Fewer keys than this and feet that are planted on keys leave their places between them; a runner's legs turn
# faster.
KEYS_A_STRIDE = {"walk": 24, "run": 40}
# Settings of which each alone sets the time of a stride.
PACES = ("cycle", "stride", "step", "cadence")
# Settings of how the body is held, degrees.
POSTURE = ("crouch", "hunch", "nod", "arm_raise", "elbow_bend")


@dataclass(frozen=True, slots=True)
class GaitSettings:
    """What can be asked of a gait. Every field's metadata is the one place for its help, unit and range."""

    speed: float | None = setting(
        None,
        "ground speed",
        unit="m/s",
        above=0.0,
        default="1.4 m/s; for legs shorter or longer than people's in proportion to the root of their length "
        "(3 m/s for a run)",
    )
    style: str | None = setting(
        None,
        "manner, which gives what is not set: one of addon/data/styles by name, a .toml file by its path, or "
        "several with their weights, as tired:0.5+heavy:0.5",
        metavar="NAME",
    )
    frames: tuple[int, int] | None = setting(
        None,
        "first and last frame; a loop that fits no whole number of strides ends where a stride ends",
        min=-LAST_FRAME,
        max=LAST_FRAME,
        default="one stride from frame 1",
    )
    gait: str = setting(
        "auto",
        "kind of gait: walk, run, or auto, a run above the speed from which people run (2.1 m/s with legs of "
        "0.9 m, with others in proportion to the root of their length), else a walk; animals have others, "
        "and auto is theirs at the speed",
        choices=tuple(dict.fromkeys(("walk", "run", "auto", *gait_names()))),
    )
    contact: Literal["planted", "orbit"] = setting(
        "planted",
        "how feet meet the ground: planted, fixed to it while they stand; orbit, riding closed curves that "
        "go with the body, on which they slide",
    )
    orbits: Any = field(
        default=None,
        metadata={
            "help": "for contact orbit, the parts that ride orbits: a table as orbits.py describes it",
            "option": None,
        },
    )
    course: Any = field(
        default=None,
        metadata={
            "help": "for contact orbit, where to go: a Course of velocities, facings and places in each "
            "frame from the first on, or a function that steers",
            "option": None,
        },
    )
    fps: float | None = setting(
        None, "frames a second", unit="1/s", above=0.0, max=1000.0, default="the scene's"
    )
    speeds: tuple[float, ...] = setting(
        (),
        "speeds at even moments from the first to the last frame, in place of speed: 0,1.4,1.4,0 starts and "
        "stops; 0,0 stays on the spot",
        unit="m/s",
        min=0.0,
    )
    turn: float = setting(
        0.0, "rate at which the body turns to the left", unit="degrees/s", min=-360.0, max=360.0
    )
    direction: float = setting(
        0.0,
        "where the body goes against where it faces: 90 to its left, 180 backward",
        unit="degrees",
        min=-180.0,
        max=180.0,
    )
    path: str | None = setting(
        None,
        "object to follow: a curve is walked along from end to end, of another object its own animation",
        metavar="NAME",
        names="object",
    )
    ground: tuple[str, ...] = setting(
        (),
        "objects and collections to walk on",
        metavar="NAME,...",
        names="things",
        default="level ground that the rest pose stands on",
    )
    first_foot: Literal["left", "right"] = setting("left", "foot that takes the first step from a stand")
    root_motion: Literal["none", "auto", "bone", "object"] = setting(
        "auto",
        "what carries the body forward: none walks in place; auto takes the root bone, else the pelvis; bone "
        "the root bone; object the armature object",
    )
    limbs: Literal["as set", "ik", "fk"] = setting(
        "as set",
        "how limbs that can be moved in two ways are moved: by inverse or by forward kinematics; ik and fk "
        "are keyed on the rig's switches",
    )
    loop: bool = setting(True, "close the last pose on the first")
    cycle: float | None = setting(
        None, "time of one stride", unit="s", above=0.0, default="from speed and leg length"
    )
    stride: float | None = setting(
        None,
        "way from a footfall to the next of the same foot, in place of cycle",
        unit="m",
        above=0.0,
        default="from speed and cycle",
    )
    step: float | None = setting(
        None, "half a stride, in place of cycle", unit="m", above=0.0, default="from speed and cycle"
    )
    cadence: float | None = setting(
        None, "steps a minute, in place of cycle", unit="1/min", above=0.0, default="from cycle"
    )
    duty: float | None = setting(
        None,
        "share of the stride that a foot is on the ground: more than half in a walk, less in a run",
        min=0.22,
        max=0.8,
        default="from speed",
    )
    step_width: float | None = setting(
        None,
        "distance between the lines that the feet walk on",
        unit="m",
        min=0.0,
        default="from speed and hips",
    )
    arm_swing: float = setting(1.0, "factor on the swing of the arms", min=0.0, max=3.0)
    pelvis_sway: float = setting(1.0, "factor on the sideways motion of the pelvis", min=0.0, max=3.0)
    pelvis_turn: float = setting(1.0, "factor on turn and list of the pelvis", min=0.0, max=3.0)
    lean: float = setting(
        2.0, "forward lean of the trunk; in a run by 3.5 degrees more", unit="degrees", min=-45.0, max=45.0
    )
    step_length: float = setting(
        1.0, "factor on the length of steps that people take at the speed", min=0.5, max=1.5
    )
    crouch: float = setting(
        0.0, "bend that is left in the knees beyond people's", unit="degrees", min=0.0, max=45.0
    )
    bounce: float = setting(1.0, "factor on the rise and fall of the pelvis", min=0.0, max=2.0)
    hunch: float = setting(
        0.0, "spine bent forward from pelvis to chest, beside the lean", unit="degrees", min=-45.0, max=60.0
    )
    nod: float = setting(0.0, "head bowed from level", unit="degrees", min=-45.0, max=60.0)
    arm_raise: float = setting(
        0.0, "upper arms forward of where they hang", unit="degrees", min=-45.0, max=90.0
    )
    elbow_bend: float = setting(0.0, "elbows bent beyond people's", unit="degrees", min=-25.0, max=130.0)
    keys: Literal["every frame", "reduced"] = setting(
        "every frame", "a key on every frame, or as few as the tolerance allows, with handles to edit"
    )
    tolerance: float = setting(
        4.0,
        "how far reduced keys may leave any bone's end off, for a leg of 0.9 m; planted feet a tenth of it",
        unit="mm",
        above=0.0,
        max=100.0,
    )
    repeat: bool = setting(
        False, "let a loop play on before its first and after its last frame, by cyclic modifiers"
    )
    events: bool = setting(
        False,
        "key contact_BONE and plant_BONE of each foot and distance, custom properties of the armature object",
    )


def with_cycle(settings: GaitSettings) -> GaitSettings:
    """The settings with stride, step or cadence told as a cycle. Raises BadSetting where two of them are set.

    Speed and ways are both of the world, so that the armature's scale does not matter.
    """
    speed = settings.speed or USUAL_SPEED.get(settings.gait, USUAL_SPEED["auto"])
    given = paces(settings)
    if len(given) > 1:
        raise BadSetting(
            f"{', '.join(given[:-1])} and {given[-1]} are set, and each of them sets the time of a stride: "
            "set one."
        )
    if settings.stride is not None:
        cycle = settings.stride / speed
    elif settings.step is not None:
        cycle = 2.0 * settings.step / speed
    elif settings.cadence is not None:
        cycle = 120.0 / settings.cadence
    else:
        return settings
    return replace(settings, cycle=cycle, stride=None, step=None, cadence=None)


def paces(settings: GaitSettings) -> list[str]:
    """Those of the settings for the time of a stride that are set."""
    return [name for name in PACES if getattr(settings, name) is not None]
