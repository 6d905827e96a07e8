"""A picture of a walk: poses of a cycle or a whole take side by side, prints, when each foot is down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..errors import BadFile
from ..rig import foot_points, read_skeleton, read_skin, sole
from .body import foot_of
from .figures import Figures, turn_between
from .inks import GROUND, TEXT
from .marks import LANE, cycle_of, draw_ground, draw_prints, draw_strip, touches_of, touches_within
from .playing import playing
from .stage import ELEVATION, Stage


def walk_picture(
    armature_object: bpy.types.Object,
    action: bpy.types.Action | None,
    frames: tuple[float, float],
    path: str | Path,
    *,
    roles: Any,
    contacts: Sequence[Any] = (),
    loop: bool = True,
    soles: Sequence[Any] | None = None,
    ground: float | None = None,
    title: str = "",
    poses: int = 8,
    width: int = 1600,
) -> None:
    """Draw one cycle of an action as a PNG file, or all of it where it is no loop.

    armature_object  in the current scene; its visible meshes are shown, else a plain figure on its bones
    action           None: the action that is assigned
    frames           first and last frame of the motion; a cycle where `contacts` hold one strike a leg
    roles            as `rig` recognised them; one leg or more
    contacts         objects with leg (index into roles.legs), heel_on, flat, heel_off, toe_off in frames
    loop             the last pose closes on the first
    soles            one a leg, of the rest pose; None: found from bones and skin
    ground           height of the ground along the rig's up, world units; None: where the rest pose stands
    poses            figures side by side, evenly spread: over a cycle, from a right heel strike on; of what
                     is no loop, from the first frame to the last
    width            pixels

    The scene is left as it was found. Raises BadFile where the file cannot be written.
    """
    path = Path(path).absolute()  # Blender takes a bare name for one beside the .blend file
    skeleton = read_skeleton(armature_object)
    if soles is None:
        skin = read_skin(armature_object, skeleton.names)
        soles = [sole(skeleton, roles, limb, foot_points(skeleton, limb, skin)) for limb in roles.legs]
    first_leg = next((k for k, limb in enumerate(roles.legs) if limb.side == "R"), 0)
    first, last = min(frames), max(frames)
    if loop:
        start, length = cycle_of(contacts, first_leg, (first, last))
        touches = touches_of(contacts, start, length)
    else:
        start, length = first, (last - first) * poses / max(poses - 1, 1)  # the last pose is the last frame
        touches = touches_within(contacts, (first, last), length)
    phases = np.arange(poses) / poses
    times = start + phases * length
    names = [
        f"{100 * phase:.3g} %" if loop else f"frame {time:.0f}"
        for phase, time in zip(phases, times, strict=True)
    ]
    feet = [foot_of(limb, skeleton, roles, soles[k]) for k, limb in enumerate(roles.legs)]

    with Stage() as stage:
        figures = Figures(stage, armature_object, roles, skeleton, soles, ground)
        with playing(armature_object, action) as at:
            turn = turn_between(figures.attitude(at(first)), figures.attitude(at(min(first + length, last))))
            for time in times:
                # In a loop the pose of a round before, turned by what the body turns in a round.
                before = time > last
                figures.take(at(time - length if before else time), feet, turn if before else 0.0)
        low, high = figures.place()
        draw_prints(stage, figures.soles, roles, touches, phases)
        size = 0.0115 * (high[0] - low[0])
        if figures.level:
            draw_ground(stage, low[0], high[0])
        front = LANE[0] * math.sin(ELEVATION)
        low_y = draw_strip(stage, roles, touches, names, figures.step, min(low[1], front), size, events=loop)
        top = high[1] + 0.14
        if title:
            stage.add_text(title, (low[0], top + 0.4 * size), 1.35 * size, TEXT, "LEFT")
            top += 2.6 * size
        margin = 0.03 * (high[0] - low[0])
        temporary = path.with_name(f".{path.stem}.part.png")
        try:
            stage.render(
                temporary, (low[0] - margin, low_y - 0.6 * margin), (high[0] + margin, top), width, GROUND
            )
            temporary.replace(path)
        except (OSError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise BadFile(f"The picture {path} cannot be drawn or written: {reason}") from error
        finally:
            temporary.unlink(missing_ok=True)
