"""A motion of transitions as an action: its curves and its markers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import action as actions
from .. import core
from ..action.channels import bone_path, driven_channels, rotation_path
from ..action.read import Channel
from ..action.write import Row, write_rows
from ..kept import pose_kept_on_error
from .body import Body
from .join import Cut
from .settings import BlendSettings
from .source import Joined


def write_joined(
    body: Body,
    joined: Joined,
    name: str,
    *,
    overwrite: bool,
    assign: bool,
    markers: Sequence[tuple[str, float]],
    remembered: Any,
) -> tuple[Any, tuple[str, ...]]:
    """Write a motion as an action; what was left out, in words."""
    rows, values, slopes, slopes_after, steps, skipped = _rows_of(body, joined)
    native = core.load()
    stepped = None
    if steps.any():
        stepped = np.repeat(steps[:, None], joined.times.size, 1)

    def finish(action: Any) -> None:
        actions.add_markers(action, markers)
        actions.remember(action, "blend", native.__version__, remembered)

    with pose_kept_on_error(body.target):
        action = write_rows(
            body.target,
            name,
            rows,
            values,
            slopes,
            joined.times,
            leaving=slopes_after,
            stepped=stepped,
            overwrite=overwrite,
            assign=assign,
            finish=finish,
        )
    return action, skipped


def _rows_of(body: Body, joined: Joined) -> tuple[list[Row], Any, Any, Any, Any, tuple[str, ...]]:
    """Curves, their values, slopes to and from each key, which of them are stepped, and what is left out in
    words."""
    frame, target = body.frame, body.target
    driven = driven_channels(target)
    rows: list[Row] = []
    taken: list[int] = []
    skipped: list[str] = []
    keyed = joined.keyed.copy()
    turned = np.asarray(keyed[:, 3:7].any(axis=1))
    angles = frame.modes >= 2
    keyed[:, 3:7] = turned[:, None]
    keyed[angles, 3] = False
    keyed[np.logical_and(frame.flags & 1, frame.parents > 0), :3] = False  # connected: Blender reads none
    modes = [target.rotation_mode, *body.rig.skeleton.rotation_modes]
    starts = ["", *(bone_path(name) + "." for name in frame.names[1:])]
    for bone, row in np.argwhere(keyed).tolist():
        if row < 3:
            path, axis = "location", row
        elif row >= 7:
            path, axis = "scale", row - 7
        else:
            path, axis = rotation_path(modes[bone]), row - (4 if angles[bone] else 3)
        path = starts[bone] + path
        if (path, axis) in driven:
            skipped.append(f"{path}[{axis}], which is driven")
            continue
        color = "AUTO_YRGB" if 3 <= row < 7 and not angles[bone] else "AUTO_RGB"
        rows.append(Row(path, axis, frame.names[bone] or "Object Transforms", color))
        taken.append(10 * bone + row)
    values, coming, leaving = (
        block.reshape(-1, joined.times.size)[taken] for block in (joined.rows, joined.coming, joined.leaving)
    )
    steps = np.zeros(len(rows), bool)
    if joined.extras:
        free = []
        for number, channel in enumerate(joined.extras):
            path = _path_of(channel)
            if (path, channel.axis) in driven:
                skipped.append(f"{path}[{channel.axis}], which is driven")
                continue
            rows.append(Row(path, channel.axis, channel.bone or "Properties"))
            free.append(number)
        more = np.ascontiguousarray(joined.extra_rows[free])
        rates = core.load().slopes(joined.times, more)
        values = np.concatenate((values, more))
        coming, leaving = np.concatenate((coming, rates)), np.concatenate((leaving, rates))
        steps = np.concatenate((steps, joined.extra_steps[free]))
    return rows, values, coming, leaving, steps, tuple(skipped)


def _path_of(channel: Channel) -> str:
    return f"{bone_path(channel.bone)}.{channel.path}" if channel.bone else channel.path


def markers_of(cut: Cut, settings: BlendSettings, a: Any, b: Any) -> list[tuple[str, float]]:
    """Markers of A up to the cut, and those of B: at B's own frames, or none before B is alone (B7)."""
    found = []
    if settings.result == "whole":
        found = [(m.name, float(m.frame)) for m in a.pose_markers if m.frame <= cut.at]
    for marker in b.pose_markers:
        frame = marker.frame - cut.entry + cut.at + cut.lead
        if frame < cut.at:
            continue
        if settings.markers == "time" and frame < cut.end:
            frame = cut.end
        found.append((marker.name, frame))
    return found
