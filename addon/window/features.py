"""The features of the window: their settings, how these are laid out, and the calls behind their buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..blend.settings import BlendSettings
from ..gait.settings import GaitSettings
from ..idle.settings import IdleSettings
from ..mirror.settings import MirrorSettings
from ..options import setting
from .fields import Field, fields_of

MORE = "More"


@dataclass(frozen=True, slots=True)
class Output:
    """What becomes of the action."""

    name: str | None = setting(None, "name of the action", default="by what it is")
    overwrite: bool = setting(False, "replace an action that has this name, instead of adding a number to it")


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing beside the settings."""


@dataclass(frozen=True, slots=True)
class GaitMore:
    """What a gait is given beside its settings."""

    orbits: str | None = setting(
        None,
        "for contact orbit, a TOML file of parts on orbits",
        metavar="PATH",
        default="those of a human",
    )


@dataclass(frozen=True, slots=True)
class BlendMore:
    """What is blended."""

    a: str | None = setting(None, "action that is left", names="action", default="the one that the rig plays")
    b: str | None = setting(None, "action that is entered", names="action")
    table: str | None = setting(
        None, "TOML file with a transition table that gives the frames", metavar="PATH"
    )


@dataclass(frozen=True, slots=True)
class MirrorMore:
    """What is mirrored, among what."""

    action: str | None = setting(
        None, "action that is mirrored", names="action", default="the one that the rig plays"
    )
    obstacles: tuple[str, ...] = setting(
        (),
        "what must not be hit: the motion is mirrored only where it hits that and its mirror image does not",
        names="things",
    )
    region: str | None = setting(None, "object that must not be left", names="object")


@dataclass(frozen=True, slots=True)
class Feature:
    """A button of the panel and what belongs to it.

    name: of its operator, amble.NAME, and of its group of properties; label: of its panel; button: on it;
    verb: what is said while it works; settings, more: dataclasses; first: what is shown before all else;
    sections: what is folded, by title; what stands in none is under "More", so that a new setting is there
    by itself; call: (armature object, settings, values of `more` and `Output`) -> result.
    """

    name: str
    label: str
    button: str
    about: str
    icon: str
    settings: type
    more: type
    first: tuple[str, ...]
    sections: Mapping[str, tuple[str, ...]]
    call: Callable[[Any, Any, dict[str, Any]], Any]
    labels: Mapping[str, str] = field(default_factory=dict)
    typical: Mapping[str, Any] = field(default_factory=dict)
    suggest: Mapping[str, Callable[[], Iterable[str]]] = field(default_factory=dict)

    def own_fields(self) -> tuple[Field, ...]:
        """Fields of the settings."""
        return _fields(self.name)[0]

    def more_fields(self) -> tuple[Field, ...]:
        """Fields of what is given beside the settings."""
        return _fields(self.name)[1]

    def fields(self) -> tuple[Field, ...]:
        """All of them."""
        return (*self.own_fields(), *self.more_fields())

    def layout(self) -> tuple[tuple[str, tuple[Field, ...]], ...]:
        """(title, fields) of the sections, the first one without a title."""
        by_name = {field.name: field for field in self.fields()}
        named = {"": self.first, **self.sections}
        placed = {name for names in named.values() for name in names}
        rest = tuple(name for name in by_name if name not in placed)
        everything = [*named.items(), (MORE, rest)]
        return tuple(
            (heading, tuple(by_name[name] for name in names if name in by_name))
            for heading, names in everything
            if any(name in by_name for name in names)
        )


@cache
def _fields(name: str) -> tuple[tuple[Field, ...], tuple[Field, ...]]:
    feature = FEATURES[name]
    own = fields_of(feature.settings, feature.labels, feature.typical, feature.suggest)
    more = tuple(
        field for kind in (feature.more, Output) for field in fields_of(kind, feature.labels, {}, {})
    )
    return own, more


def _gait(rig: Any, settings: Any, more: dict[str, Any]) -> Any:
    from ..gait.make import gait
    from ..gait.orbits import load_orbits

    path = more.pop("orbits")
    changes: dict[str, Any] = {"orbits": load_orbits(path)} if path else {}
    return gait(rig, settings, **changes, **more)


def _idle(rig: Any, settings: Any, more: dict[str, Any]) -> Any:
    from ..idle.make import idle

    return idle(rig, settings, name=more["name"] or "Idle", overwrite=more["overwrite"])


def _conditions() -> Iterable[str]:
    from ..idle.conditions import load

    return load(None)


def _blend(rig: Any, settings: Any, more: dict[str, Any]) -> Any:
    from ..blend.make import blend
    from ..errors import BadSetting

    a, b = more.pop("a"), more.pop("b")
    if a is None:
        raise BadSetting(f'"{rig.name}" plays no action to blend from: choose A.')
    if b is None:
        raise BadSetting("No action to blend into is chosen: choose B.")
    return blend(rig, a, b, settings, **more)


def _mirror(rig: Any, settings: Any, more: dict[str, Any]) -> Any:
    from ..mirror.make import mirror
    from ..scene import named_thing

    around = [named_thing(name, "obstacles") for name in more.pop("obstacles")]
    name = more.pop("region")
    region = None if name is None else named_thing(name, "region", collections=False)
    return mirror(rig, more.pop("action"), settings, obstacles=around or None, region=region, **more)


GAIT = Feature(
    name="gait",
    label="Gait",
    button="Generate Gait",
    about="Make a walk or a run with planted feet for the selected armatures, as an action",
    icon="MOD_DYNAMICPAINT",
    settings=GaitSettings,
    more=GaitMore,
    first=("gait", "speed", "frames"),
    sections={
        "Way and Ground": ("ground", "path", "turn", "direction", "speeds", "first_foot", "root_motion"),
        "Stride": ("cycle", "stride", "step", "cadence", "duty", "step_width"),
        "Style": ("style", "step_length", "bounce", "crouch", "hunch", "nod", "arm_raise", "elbow_bend"),
        "Body": ("arm_swing", "pelvis_sway", "pelvis_turn", "lean", "limbs"),
        "Keys": ("loop", "repeat", "keys", "tolerance", "events", "fps", "name", "overwrite"),
        "Contact": ("contact", "orbits"),
    },
    call=_gait,
    labels={"gait": "Kind", "fps": "Frame Rate (fps)", "name": "Name", "loop": "Close Loop"},
    typical={
        "speed": 1.4,
        "frames": (1, 48),
        "fps": 24.0,
        "cycle": 1.1,
        "stride": 1.5,
        "step": 0.75,
        "cadence": 110.0,
        "duty": 0.62,
        "step_width": 0.1,
    },
)
IDLE = Feature(
    name="idle",
    label="Idle",
    button="Generate Idle",
    about="Let the selected armatures breathe in the pose that they hold, feet and hands where they are",
    icon="ARMATURE_DATA",
    settings=IdleSettings,
    more=Nothing,
    first=("condition", "cycles", "strength"),
    sections={
        "Pose": ("pose", "pose_frame", "pins", "keep_reach"),
        "Breath": ("rate", "strength_end", "variation", "seed", "phase", "shapes", "conditions"),
        "Source": ("source", "source_rig", "table", "base", "coefficient"),
        "Keys": ("frames", "loop", "written", "ease", "fps", "name", "overwrite"),
    },
    call=_idle,
    labels={
        "fps": "Frame Rate (fps)",
        "cycles": "Breaths",
        "conditions": "Conditions File",
        "source": "Source Action",
        "table": "Table File",
        "loop": "Close Loop",
        "written": "Write As",
        "shapes": "Shape Keys",
    },
    typical={
        "frames": (1, 250),
        "cycles": 4,
        "fps": 24.0,
        "rate": 14.0,
        "strength_end": 1.0,
        "variation": 0.1,
        "pose_frame": 1.0,
    },
    suggest={"condition": _conditions},
)
BLEND = Feature(
    name="blend",
    label="Blend",
    button="Blend Actions",
    about="Make an action that leads out of one action into another, for the selected armatures",
    icon="OVERLAY",
    settings=BlendSettings,
    more=BlendMore,
    first=("a", "b", "curve", "frames"),
    sections={
        "Where to Cut": ("at", "entry", "find", "seconds", "table"),
        "Feet and Place": ("feet", "align", "space", "rotation"),
        "Timing": ("acceleration", "joint_speed", "legs", "arms"),
        "Keys": ("markers", "result", "name", "overwrite"),
    },
    call=_blend,
    labels={
        "a": "A",
        "b": "B",
        "at": "Leave A At",
        "entry": "Enter B At",
        "find": "Search Frames",
        "feet": "Hold Feet",
        "legs": "Legs' Share",
        "arms": "Arms' Share",
        "table": "Table File",
    },
    typical={"at": 24.0, "entry": 1.0, "frames": 12, "seconds": 0.5, "acceleration": 30.0},
)
MIRROR = Feature(
    name="mirror",
    label="Mirror",
    button="Mirror Action",
    about="Make the mirror image of an action, for the selected armatures",
    icon="MOD_MIRROR",
    settings=MirrorSettings,
    more=MirrorMore,
    first=("action", "plane", "obstacles"),
    sections={
        "Plane": ("point", "normal", "space"),
        "What Is Mirrored": ("look", "sides", "part", "bones", "frames", "shift", "locked", "precision"),
        "Obstacles": ("mirror", "test", "tolerance", "line", "thickness", "region"),
        "Keys": ("name", "overwrite"),
    },
    call=_mirror,
    labels={"mirror": "When", "look": "Asymmetric Rest", "tolerance": "Room to Leave"},
    typical={"normal": (1.0, 0.0, 0.0), "frames": (1.0, 250.0), "thickness": 0.05},
)
FEATURES: dict[str, Feature] = {feature.name: feature for feature in (GAIT, IDLE, BLEND, MIRROR)}
