"""The transition table: for each pair of clips whether, and over how many frames, one is blended into the
other.

It is a plain table (B2): a pair that is not in it is cut straight. `transition_table` works one out for a
whole library of clips at once; it is kept as a TOML file, or on the armature object.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..action.names import action_of, list_of
from ..errors import BadFile, BadSetting
from ..toml import load_toml
from .clips import Float32, Frame, motion_of
from .distance import Bounds, bounds_of, frames_for, joints, peaks
from .ground import poses
from .search import features, joints_of, with_tails

# Custom property of an armature object that a table is kept in, as JSON text.
PROPERTY = "amble_transitions"
# Frames of a clip that are compared with those of others, evenly spread.
COMPARED = 48
# Of the leg: poses nearer than this need no blending.
NEAR = 0.005


@dataclass(frozen=True, slots=True)
class Transition:
    """a, b: names of actions; frames: n; cost: distance of the poses that meet, metres; at, entry: frames of
    A and of B that are nearest to each other, and their distance, metres: where a search would meet."""

    a: str
    b: str
    frames: int
    cost: float = 0.0
    at: float = 0.0
    entry: float = 0.0
    nearest: float = 0.0


@dataclass(frozen=True, slots=True)
class TransitionTable:
    """Transitions by pair of names."""

    transitions: Mapping[tuple[str, str], Transition] = field(default_factory=dict)

    def frames(self, a: str, b: str) -> int:
        """n for a pair, 0 for one that is not in the table: it is cut straight."""
        found = self.transitions.get((a, b))
        return found.frames if found is not None else 0

    @property
    def names(self) -> list[str]:
        """Of all clips, in order of appearance."""
        return list(dict.fromkeys(name for pair in self.transitions for name in pair))

    def save(self, path: str | Path) -> None:
        """Write a TOML file. Raises BadFile where it cannot be written."""
        lines = []
        for one in self.transitions.values():
            lines.append("[[transition]]")
            lines += [
                f"a = {json.dumps(one.a, ensure_ascii=False)}",
                f"b = {json.dumps(one.b, ensure_ascii=False)}",
            ]
            lines.append(f"frames = {one.frames}")
            lines += [f"{name} = {getattr(one, name):.6g}" for name in ("cost", "at", "entry", "nearest")]
            lines.append("")
        try:
            Path(path).write_text("\n".join(lines), encoding="utf-8")
        except OSError as error:
            raise BadFile(f"{path} cannot be written: {error.strerror}.") from error

    def keep(self, armature_object: Any) -> None:
        """Keep the table on an armature object, with the file."""
        armature_object[PROPERTY] = json.dumps(
            [dataclasses.asdict(one) for one in self.transitions.values()], ensure_ascii=False
        )


def table_of(given: Any, armature_object: Any) -> TransitionTable | None:
    """A table as a call takes it: None, a TransitionTable, {(a, b): frames}, a path, or True for the one kept
    on the object. Raises BadSetting or BadFile."""
    if given is None or given is False or isinstance(given, TransitionTable):
        return given or None
    if given is True:
        text = armature_object.get(PROPERTY)
        if text is None:
            raise BadSetting(f'"{armature_object.name}" keeps no transition table: keep one, or give it.')
        return _table(json.loads(text), f'"{armature_object.name}"')
    if isinstance(given, Mapping):
        rows = []
        for pair, frames in given.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise BadSetting(f"table must have pairs of actions as its keys, not {pair!r}.")
            a, b = (getattr(one, "name", one) for one in pair)
            rows.append({"a": a, "b": b, "frames": frames})
        return _table(rows, "table")
    if isinstance(given, (str, Path)):
        return load_table(given)
    raise BadSetting(f"table must be a transition table, a path or True, not {given!r}.")


def load_table(path: str | Path) -> TransitionTable:
    """Read a TOML file with [[transition]] entries of a, b and frames. Raises BadFile."""
    return _table(load_toml(path).get("transition", []), str(path))


def _table(rows: Iterable[Mapping[str, Any]], where: str) -> TransitionTable:
    known = {one.name for one in dataclasses.fields(Transition)}
    found = {}
    for row in rows:
        frames = row.get("frames")
        if not isinstance(row.get("a"), str) or not isinstance(row.get("b"), str):
            raise BadFile(f"A transition of {where} does not name its clips: give a and b.")
        if isinstance(frames, bool) or not isinstance(frames, int) or frames < 0:
            raise BadFile(f"frames of {row['a']} to {row['b']} in {where} must be a whole number from 0 on.")
        one = Transition(**{key: value for key, value in row.items() if key in known})
        found[one.a, one.b] = one
    return TransitionTable(found)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A clip as it is compared: its frames; features (6 * joints, f); places of joints and their change per
    frame at its first and last frame, (joints, 3); peaks per frame."""

    name: str
    times: npt.NDArray[np.float64]
    rows: Float32
    ends: tuple[tuple[Float32, Float32], tuple[Float32, Float32]]
    bounds: Bounds


def transition_table(armature_object: Any, actions: Sequence[Any] | None = None) -> TransitionTable:
    """Frames and cost for every pair of clips, out of A's last frame into B's first.

    actions: actions or names; default all of the file that move bones of the armature. Frames are those in
    which no joint exceeds the larger of the two clips' own accelerations and jerks, as in a transition of
    automatic length; where the poses are one, there is no transition. Raises AmbleError.
    """
    import bpy

    from .body import body_of

    given = list(bpy.data.actions)
    if actions is not None:
        given = [action_of(one, "the table") for one in list_of(actions, "actions")]
    body = body_of(armature_object)
    frame = body.frame
    compared = joints_of(frame, body.rig.roles)
    stand = frame.place.get(body.rig.roles.root or body.rig.roles.pelvis or "", 0)
    seen = []
    for action in given:
        one = _look(armature_object, action, frame, compared, stand, body.up, body.fps, body.reach)
        if one is not None:
            seen.append(one)
    if not seen:
        raise BadSetting("No action moves bones of the armature: name some that do.")
    rows = [np.ascontiguousarray(one.rows) for one in seen]
    every = np.concatenate(rows, axis=1)
    distances = core.load().pose_distances(every, every, np.ones(len(every)), float(len(compared)))
    edge = np.concatenate(([0], np.cumsum([len(one.times) for one in seen])))
    found = {}
    for i, a in enumerate(seen):
        for j, b in enumerate(seen):
            block = distances[edge[i] : edge[i + 1], edge[j] : edge[j + 1]]
            at, entry = np.unravel_index(int(np.argmin(block)), block.shape)
            cost = float(block[-1, 0])
            found[a.name, b.name] = Transition(
                a.name,
                b.name,
                0 if cost < NEAR * body.reach else _frames(a, b, body.fps),
                cost * body.metres,
                float(a.times[at]),
                float(b.times[entry]),
                float(block[at, entry]) * body.metres,
            )
    return TransitionTable(found)


def _look(
    target: Any,
    action: Any,
    frame: Frame,
    compared: npt.NDArray[np.int32],
    stand: int,
    up: npt.NDArray[np.float64],
    fps: float,
    reach: float,
) -> _Seen | None:
    from ..errors import AmbleError

    try:
        motion = motion_of(target, action, frame)
    except AmbleError:
        return None
    if not motion.keyed.any():
        return None
    step = max(math.ceil((motion.last - motion.first) / COMPARED), 1)
    times = np.arange(motion.first, motion.last + 1e-6, step)
    if motion.last - times[-1] > 1e-3:
        times = np.append(times, motion.last)
    ends = np.array(
        [
            motion.first,
            min(motion.first + 1.0, motion.last),
            max(motion.last - 1.0, motion.first),
            motion.last,
        ]
    )
    numbers = motion.numbers(np.concatenate((times, ends)))
    pose = with_tails(frame, poses(frame, numbers))
    rows = features(
        frame, compared, stand, np.ascontiguousarray(pose[..., : times.size]), up, fps, float(step)
    )
    close = features(frame, compared, stand, np.ascontiguousarray(pose[..., times.size :]), up, fps, 1.0)
    places = close[: 3 * len(compared)].reshape(-1, 3, 4)
    low = (places[..., 0], places[..., 1] - places[..., 0])
    high = (places[..., 3], places[..., 3] - places[..., 2])
    run = motion.first + np.arange(min(int(motion.last - motion.first) + 1, COMPARED))
    found = peaks(joints(frame, motion.numbers(run)))
    return _Seen(motion.name, times, rows, (low, high), bounds_of(found, reach, fps))


def _frames(a: _Seen, b: _Seen, fps: float) -> int:
    """Frames in which every joint gets from A's end to B's begin."""
    (there, going), (here, coming) = a.ends[1], b.ends[0]
    sizes = np.linalg.norm(there.astype(np.float64) - here, axis=1)
    speeds = np.linalg.norm(going.astype(np.float64) - coming, axis=1)
    larger = Bounds(*np.maximum(dataclasses.astuple(a.bounds), dataclasses.astuple(b.bounds)).tolist())
    return frames_for(sizes, speeds, larger, fps)[0]
