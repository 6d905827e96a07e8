"""Loops that do not close, closed: the difference at the seam is spread over the cycle."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import core
from ..action.names import action_of
from ..errors import BadSetting
from ..rig import Roles
from ..rig.roles import separate
from .body import body_of, sources_of
from .ground import find_move
from .join import edges
from .make import BlendResult
from .settings import CURVES, BlendSettings
from .source import Joined
from .writing import write_joined


def close_loop(
    armature_object: Any,
    action: Any,
    *,
    frames: int | None = None,
    repeats: bool = True,
    name: str | None = None,
    overwrite: bool = False,
    assign: bool = True,
) -> BlendResult:
    """Make an action whose last pose leads into its first.

    frames: over how many frames before the end the difference is spread, default the whole cycle. repeats:
    the last frame shows the first one's pose again; else it is one frame before that. Way over the ground
    and turns of what travels stay. name: default that of the action with "loop"; the rest as in `blend`.

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    given = action_of(action, "the loop")
    body = body_of(armature_object)
    body, (clip,), notes = sources_of(body, (given,))
    frame, native = body.frame, core.load()
    clip = clip.on_frames_of(clip.last)
    length = clip.last - clip.first
    if length < 2.0:
        raise BadSetting(
            f'"{given.name}" is shorter than two frames and makes no loop: name a longer action.'
        )
    asked: Any = length if frames is None else frames
    spread = float(asked) if isinstance(asked, (int, float)) else 0.0
    if not 1.0 <= spread <= length:
        raise BadSetting(f"frames must be from 1 to {length:g}, the length of the cycle, not {frames!r}.")
    # The pose that the last frame is to have, and those beside it: the first ones, where it has got to.
    move = find_move(
        frame, body.rig.roles, body.reach, clip, clip, (clip.last, clip.first),
        align="ground", up=body.up, fps=body.fps, length=1.0, drifts=False,
    )  # fmt: skip
    ahead = 0.0 if repeats else -1.0
    wanted = move.moved(frame, edges(clip, clip.first + ahead), np.zeros(3))
    found = edges(clip, clip.last)
    back = int(np.floor(length + 1e-6))
    times = clip.last - np.arange(back + 1.0)[::-1]
    if times[0] - clip.first > 1e-3:
        times = np.insert(times, 0, clip.first)
    rows = clip.numbers(times)
    # Backwards in time this is a transition: out of what is wanted at the end into the clip itself.
    away = clip.last - times[::-1]
    bones = len(frame.names)
    turned = native.blend(
        frame.modes,
        away,
        np.ascontiguousarray(wanted[..., ::-1]),
        np.ascontiguousarray(found[..., ::-1]),
        np.ascontiguousarray(rows[..., ::-1]),
        np.zeros(bones),
        np.full(bones, spread),
        CURVES["inertial"].number,
    )
    rows = native.settle_rotations(frame.modes, np.ascontiguousarray(turned[..., ::-1]))
    extras = clip.extras
    label = name or f"{given.name} loop"
    values = clip.values(extras, times) if extras else np.zeros((0, times.size), np.float32)
    rates = native.slopes(times, rows.reshape(-1, times.size)).reshape(rows.shape)
    joined = Joined(label, times, rows, clip.keyed, extras, values, clip.stepped(extras), rates, rates)
    written, skipped = write_joined(
        body, joined, label, overwrite=overwrite, assign=assign,
        markers=[(m.name, float(m.frame)) for m in given.pose_markers], remembered=BlendSettings(),
    )  # fmt: skip
    roles: Roles = separate(body.rig.roles)
    return BlendResult(
        written,
        None,
        roles,
        tuple(dict.fromkeys((*notes, *skipped, *body.rig.notes))),
        (joined.first, joined.last),
    )
