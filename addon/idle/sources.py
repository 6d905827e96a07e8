"""Differences from elsewhere: an idle action of this or another rig, or a table of the user's own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import action as actions
from .. import core
from ..errors import AmbleError, BadFile, BadSetting
from ..rig import Roles, Skeleton, read_skeleton
from ..rig import roles as roles_of
from ..rig.parts import arm_pieces
from ..toml import load_toml, read_text
from .built_in import Layer
from .held import Float32, find_action
from .settings import IdleSettings

Floats = npt.NDArray[np.float64]

# Degrees: a clip whose ends are no further apart goes round, any other to and fro; a base that is further off
# its clip is told of.
CLOSED, FAR = 0.5, 25.0
# Of the leg: what is moved less than this besides the pelvis need not be told of.
STRAY = 0.01


@dataclass(frozen=True, slots=True)
class Source:
    """layer: its differences; base: channels (bones, 10) of the pose that they are taken from, as far as the
    held rig has it; notes: sentences."""

    layer: Layer
    base: Float32
    notes: tuple[str, ...]


# ---- an action ----


def from_action(
    skeleton: Skeleton, roles: Roles, armature_object: Any, settings: IdleSettings, fps: float, name: str
) -> Source:
    """The differences of an idle action from its base pose. name: of the condition that it stands for."""
    action = find_action(settings.source)
    other = _object(settings.source_rig) if settings.source_rig is not None else armature_object
    clip = actions.read(other, action)
    own = read_skeleton(other)
    bones = [bone for bone in clip.bones if bone in own.names]
    if not bones:
        raise AmbleError(
            f'The action "{action.name}" moves no bone of "{other.name}": name its rig (source_rig).'
        )
    first, last = clip.span
    if last - first < 1.0:
        raise BadSetting(
            f'The action "{action.name}" is a single pose: choose an idle with a motion as source.'
        )
    times = np.append(np.arange(0.0, last - first - 1e-3), last - first)
    channels = clip.channels(own.names, first + times)
    base, frame = _base(settings, clip, own.names, channels)
    rows = [own.index(bone) for bone in bones]
    vectors = differences(base[rows], channels[rows])
    off = float(np.degrees(np.linalg.norm(vectors, axis=1)).max(axis=1).max())
    notes = []
    if off > FAR and settings.base not in ("first", "mean"):
        worst = bones[int(np.argmax(np.linalg.norm(vectors, axis=1).max(axis=1)))]
        notes.append(
            f'"{action.name}" and its base, {frame}, differ by up to {off:.0f} degrees ("{worst}"): what is '
            "laid on the pose is that large."
        )
    gap = float(
        np.degrees(
            np.linalg.norm(differences(channels[rows][..., 0], channels[rows][..., -1:]), axis=1)
        ).max()
    )
    after = 0 if gap < CLOSED else 1
    if after:
        notes.append(f'"{action.name}" ends {gap:.1f} degrees from where it begins: it is played to and fro.')
    move = _way(own, roles_of(other) if other != armature_object else roles, base, channels)
    turns = dict(zip(bones, vectors.astype(np.float64), strict=True))
    if other != armature_object:
        other_roles = roles_of(other)
        turns = onto(own, other_roles, turns, skeleton, roles)
        move = (
            None
            if move is None
            else _body(roles)
            @ _body(other_roles).T
            @ move
            * (roles.leg_length / max(other_roles.leg_length, 1e-9))
        )
    turns = {bone: v for bone, v in turns.items() if bone in skeleton.names and np.abs(v).max() > 0.0}
    found = np.zeros((len(skeleton.names), 10), dtype=np.float32)
    found[:, [3, 7, 8, 9]] = 1.0
    for row, bone in enumerate(skeleton.names):
        if other == armature_object:
            found[row] = base[own.index(bone)]
    layer = Layer(
        action.name,
        times,
        turns,
        move,
        (last - first) / fps * (2.0 if after else 1.0),
        "",
        name,
        0.0,
        after=after,
    )
    return Source(layer, found, tuple(notes))


def _object(name: str) -> Any:
    import bpy

    found = bpy.data.objects.get(name)
    if found is None or found.type != "ARMATURE":
        raise BadSetting(f'source_rig must be an armature object of this file, not "{name}".')
    return found


def _base(settings: IdleSettings, clip: Any, names: Sequence[str], channels: Float32) -> tuple[Float32, str]:
    """The base pose (bones, 10) of a clip's channels, and what it is in words."""
    if settings.base == "first":
        return channels[..., 0], "its first pose"
    if settings.base == "rest":
        rest = np.zeros(channels.shape[:2], dtype=np.float32)
        rest[:, [3, 7, 8, 9]] = 1.0
        return rest, "the rest pose"
    if settings.base == "mean":
        signs = np.sign((channels[:, 3:7] * channels[:, 3:7, :1]).sum(axis=1, keepdims=True))
        mean = channels.mean(axis=2)
        mean[:, 3:7] = (channels[:, 3:7] * np.where(signs == 0.0, 1.0, signs)).mean(axis=2)
        mean[:, 3:7] /= np.linalg.norm(mean[:, 3:7], axis=1, keepdims=True)
        return mean, "its mean pose"
    try:
        frame = float(settings.base)
    except ValueError:
        frame = math.nan
    if not math.isfinite(frame):
        raise BadSetting(f"base must be first, mean, rest or the number of a frame, not {settings.base!r}.")
    return clip.channels(names, [frame])[..., 0], f"frame {frame:g}"


def differences(base: Float32, channels: Float32) -> Floats:
    """Rotation vectors (bones, 3, n), in each bone's own axes, from base poses (bones, 10) to channels
    (bones, 10, n): the short way, and no jumps along n."""
    native = core.load()
    found = np.empty((len(base), 3, channels.shape[2]))
    for row in range(len(base)):
        back = (base[row, 3:7] * np.array([1, -1, -1, -1], dtype=np.float32))[:, None]
        back = np.ascontiguousarray(np.repeat(back, channels.shape[2], axis=1))
        own = native.quaternion_normalise(np.ascontiguousarray(channels[row, 3:7]))
        step = native.quaternion_multiply(native.quaternion_normalise(back), own).astype(np.float64)
        step *= np.where(step[0] < 0.0, -1.0, 1.0)
        sine = np.linalg.norm(step[1:], axis=0)
        angle = 2.0 * np.arctan2(sine, step[0])
        found[row] = step[1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0)
    return found


def _way(skeleton: Skeleton, roles: Roles, base: Float32, channels: Float32) -> Floats | None:
    """The pelvis's way in armature space, (3, n), as its own location moves it in the base pose."""
    if roles.pelvis is None:
        return None
    k = skeleton.index(roles.pelvis)
    more = (channels[k, :3] - base[k, :3, None]).astype(np.float64)
    return None if not more.any() else way_of_location(skeleton, base, roles.pelvis) @ more


def way_of_location(skeleton: Skeleton, channels: Float32, bone: str) -> Floats:
    """(3, 3): what a bone's location channel moves it by in armature space, in a pose (bones, 10)."""
    from ..rig.skeleton import FLAG_NO_LOCAL_LOCATION

    k = skeleton.index(bone)
    parent = int(skeleton.parents[k])
    own = skeleton.rest[k, :3, :3]
    above = np.eye(3)
    if parent >= 0:
        pose = core.load().forward_kinematics(*skeleton.arrays, np.ascontiguousarray(channels[:, :, None]))
        above = pose[parent, :, 0].reshape(3, 4)[:, :3].astype(np.float64)
        own = np.linalg.inv(skeleton.rest[parent, :3, :3]) @ own
    return np.asarray(above if skeleton.flags[k] & FLAG_NO_LOCAL_LOCATION else above @ own)


# ---- onto another rig ----


def _body(roles: Roles) -> Floats:
    """Columns: the body's forward, left and up in its armature's space."""
    forward, up = np.array(roles.facing), np.array(roles.up)
    return np.stack([forward, np.cross(up, forward), up], axis=1)


def lines_of(skeleton: Skeleton, roles: Roles) -> dict[str, tuple[str, ...]]:
    """The bones of each line of a body, from the trunk on, by what it is."""
    found: dict[str, tuple[str, ...]] = {
        "pelvis": (roles.pelvis,) if roles.pelvis else (),
        "spine": tuple(bone for bone in roles.spine if bone != roles.pelvis),
        "neck": (*roles.neck, *((roles.head,) if roles.head else ())),
        "tail": roles.tail,
    }
    for leg in roles.legs:
        found[f"leg {leg.pair} {leg.side}"] = leg.bones
    for arm in roles.arms:
        found[f"girdle {arm.side}"] = arm.girdle
        pieces = arm_pieces(skeleton, arm)
        for part in ("upper", "fore", "hand"):
            found[f"{part} {arm.side}"] = pieces.get(part, ())
    return found


def onto(
    skeleton: Skeleton, roles: Roles, turns: Mapping[str, Floats], target: Skeleton, target_roles: Roles
) -> dict[str, Floats]:
    """Turns of one rig's bones as those of another's: each line's turn, spread over as many bones as it has.

    Axes go over by the two bodies' forward, left and up in their rest poses.
    """
    to_body, from_body = _body(roles).T, _body(target_roles)
    samples = next(iter(turns.values())).shape[1] if turns else 0
    theirs, ours = lines_of(skeleton, roles), lines_of(target, target_roles)
    found: dict[str, Floats] = {}
    for key, bones in ours.items():
        line = theirs.get(key, ())
        if not line or not bones:
            continue
        total = np.zeros((len(line) + 1, 3, samples))
        for k, bone in enumerate(line):
            own = turns.get(bone)
            rest = skeleton.rest[skeleton.index(bone), :3, :3]
            total[k + 1] = total[k] + (0.0 if own is None else from_body @ to_body @ rest @ own)
        places = np.linspace(0.0, len(line), len(bones) + 1)
        low = np.minimum(places.astype(int), len(line) - 1)
        at = total[low] + (places - low)[:, None, None] * (total[low + 1] - total[low])
        for k, bone in enumerate(bones):
            rest = target.rest[target.index(bone), :3, :3]
            found[bone] = rest.T @ (at[k + 1] - at[k])
    return found


# ---- a table ----


def from_table(skeleton: Skeleton, text: str, name: str, fps: float) -> Source:
    """The differences of a table (I1, I2): a TOML or JSON file, or JSON text.

    after = "back"            # or "again"; what follows the last sample
    times = [0, 5, 10, 15]    # frames
    [bones.spine]
    axis = [1, 0, 0]          # in the bone's own axes
    degrees = [0, 2, 3, 2]
    base = 30                 # its angle in the base pose, for coefficient = "ratio"
    [bones.pelvis]
    location = [[0, 0, 0], [0, 0.001, 0], [0, 0.002, 0], [0, 0.001, 0]]
    """
    content, where = _content(text)
    times = _numbers(content.get("times"), (None,), f"{where}: times")
    if len(times) < 2 or times[0] != 0.0 or (np.diff(times) <= 0.0).any():
        raise BadFile(f"{where}: times must be two or more frames that rise from 0.")
    after = {"again": 0, "back": 1}.get(str(content.get("after", "back")))
    bones = content.get("bones")
    if after is None or not isinstance(bones, Mapping) or not bones:
        raise BadFile(f'{where}: there must be tables [bones.NAME], and after must be "again" or "back".')
    turns: dict[str, Floats] = {}
    move = None
    for bone, row in bones.items():
        if bone not in skeleton.names:
            raise BadFile(f'{where}: the rig has no bone "{bone}".')
        if not isinstance(row, Mapping) or not {"degrees", "location"} & set(row):
            raise BadFile(f"{where}: [bones.{bone}] must have degrees with an axis, or location.")
        if "degrees" in row:
            axis = _numbers(row.get("axis"), (3,), f"{where}: axis of {bone}")
            degrees = _numbers(row["degrees"], (len(times),), f"{where}: degrees of {bone}")
            size = float(np.linalg.norm(axis))
            if size == 0.0:
                raise BadFile(f"{where}: the axis of {bone} must have a direction.")
            turns[bone] = np.outer(axis / size, np.radians(degrees))
        if "location" in row:
            move = _numbers(row["location"], (len(times), 3), f"{where}: location of {bone}").T
    seconds = float(times[-1]) / fps * (2.0 if after else 1.0)
    layer = Layer(where, times, turns, move, seconds, "", name, 0.0, smooth=False, after=after)
    base = np.zeros((len(skeleton.names), 10), dtype=np.float32)
    base[:, [3, 7, 8, 9]] = 1.0
    return Source(layer, base, ())


def _content(text: str) -> tuple[Mapping[str, Any], str]:
    """What a table's file or text holds, and what it is called."""
    named = not text.lstrip().startswith("{")
    where = text if named else "table"
    content = load_toml(text) if named and Path(text).suffix.lower() != ".json" else _json(text, named, where)
    if not isinstance(content, Mapping):
        raise BadFile(f"{where} must hold a table with times and bones.")
    return content, where


def _json(text: str, named: bool, where: str) -> Any:
    """What JSON holds that is given as text, or in a file that the text names."""
    try:
        return json.loads(read_text(text) if named else text)
    except (ValueError, RecursionError) as reason:
        raise BadFile(f"{where} is no JSON table: {reason}.") from reason


def _numbers(given: Any, shape: tuple[int | None, ...], what: str) -> Floats:
    """An array of finite numbers of a shape. Raises BadFile."""
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array(math.nan)
    fits = found.ndim == len(shape) and all(s in (None, n) for s, n in zip(shape, found.shape, strict=True))
    if not fits or not np.isfinite(found).all():
        wanted = " by ".join("some" if s is None else str(s) for s in shape)
        raise BadFile(f"{what} must be {wanted} numbers.")
    return found
