"""What moves with a side and is no bone: custom properties, constraint influences, bendy bones, markers.

A channel goes to the same channel of the partner, or to the one named for the other side. In the middle it
stays, or changes its sign where it says how far to one side something is. Rules by property name say
otherwise: "swap", "negate", "copy" (to the partner as it is), "leave".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ..action.channels import bone_path
from ..action.read import Channel, channel_of
from ..action.slots import CurveHome
from ..errors import BadSetting
from ..rig.flip import flip_side
from .maps import Map
from .sums import DEFAULTS

RULES = ("swap", "negate", "copy", "leave")
_BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\](.*)$', re.DOTALL)
_NAME = re.compile(r'\["((?:[^"\\]|\\.)*)"\]$|\.(\w+)$', re.DOTALL)
# A property in the middle whose name holds such a word, and whose range is as wide to both sides, says how
# far to one side something is.
_SIDEWAYS = re.compile(
    r"(?i)(?<![a-z])(side|sideways|lateral|lean|sway|yaw|roll|turn|twist|tilt|strafe|x|lr|leftright)(?![a-z])"
)
# Bendy bones: what is along or about an axis that the mirror turns over.
_BENDY_TURN = ("bbone_rollin", "bbone_rollout")
_TRANSFORMS = tuple(f".{path}" for path in DEFAULTS)
_BENDY_X = ("bbone_curveinx", "bbone_curveoutx")


def check_rules(rules: Mapping[str, str]) -> None:
    """Raises BadSetting for a rule that there is not."""
    if not isinstance(rules, Mapping):
        raise BadSetting(f"rules must be a mapping of names to rules, not {rules!r}.")
    for name, rule in rules.items():
        if rule not in RULES:
            raise BadSetting(f"The rule of {name} must be one of {', '.join(RULES)}, not {rule!r}.")


def mirror_properties(
    home: CurveHome, target: bpy.types.Object, maps: Mapping[str, Map], rules: Mapping[str, str]
) -> list[str]:
    """Carry every curve that is no transform to where it belongs, in place; what is left out, in words."""
    lost: list[str] = []
    partner = {name: one.source for name, one in maps.items() if name}
    dead = []
    curves = [curve for curve in home.bag.fcurves if not curve.data_path.endswith(_TRANSFORMS)]
    for curve in curves:
        channel = channel_of(curve.data_path, curve.array_index)
        if channel.path in DEFAULTS:
            continue
        if not _carry(curve, channel, target, partner, rules):
            dead.append(curve)
            lost.append(f"{curve.data_path}: there is no such channel on the other side")
    for curve in dead:
        home.bag.fcurves.remove(curve)
    return lost


def _carry(
    curve: Any, channel: Channel, target: Any, partner: Mapping[str, str], rules: Mapping[str, str]
) -> bool:
    """Move one curve; False where it has nowhere to go."""
    path = curve.data_path
    match = _BONE.match(path)
    name, rest = (bpy.utils.unescape_identifier(match[1]), match[2]) if match else ("", path)
    rule = rules.get(_property(path), "")
    other = partner.get(name, name)
    if rule == "leave":
        return True
    if other != name:
        found = _first_there(target, bone_path(other), (flip_side(rest), rest), curve.array_index)
        if found is None:
            return False
        curve.data_path = found
        if rule == "negate" or channel.path in _BENDY_TURN + _BENDY_X:
            _negate(curve)
        return True
    flipped = flip_side(rest)
    if flipped != rest and rule in ("", "swap"):
        found = _first_there(target, bone_path(name) if name else "", (flipped,), curve.array_index)
        if found is not None:
            curve.data_path = found
            return True
    if (
        rule == "negate"
        or (not rule and _is_sideways(target, path))
        or channel.path in _BENDY_TURN + _BENDY_X
    ):
        _negate(curve)
    return True


def _property(path: str) -> str:
    """The name of the property that a path ends with."""
    match = _NAME.search(path)
    if match is None:
        return path
    return bpy.utils.unescape_identifier(match[1]) if match[1] is not None else match[2]


def _first_there(target: Any, start: str, rests: tuple[str, ...], index: int) -> str | None:
    """The first of the paths that leads to something of the object."""
    for rest in rests:
        path = start + rest if start else rest.lstrip(".")
        try:
            value = target.path_resolve(path)
        except ValueError:
            continue
        if isinstance(value, (str, bytes)) or (hasattr(value, "__len__") and index >= len(value)):
            continue
        return path
    return None


def _is_sideways(target: Any, path: str) -> bool:
    """Whether a custom property says how far to one side something is, by its name and range."""
    match = re.search(r'^(.*)\["((?:[^"\\]|\\.)*)"\]$', path, re.DOTALL)
    if match is None or not _SIDEWAYS.search(match[2]):
        return False
    try:
        owner = target.path_resolve(match[1]) if match[1] else target
        limits = owner.id_properties_ui(bpy.utils.unescape_identifier(match[2])).as_dict()
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    low, high = limits.get("min"), limits.get("max")
    return low is not None and high is not None and low < 0 and low == -high


def _negate(curve: Any) -> None:
    points = curve.keyframe_points
    for name in ("co", "handle_left", "handle_right"):
        block = np.empty(2 * len(points), np.float32)
        points.foreach_get(name, block)
        block[1::2] *= -1.0
        points.foreach_set(name, block)


def mirror_markers(action: Any) -> None:
    """Give the action's markers the names of the other side."""
    for marker in action.pose_markers:
        flipped = flip_side(marker.name)
        if flipped != marker.name:
            marker.name = flipped
