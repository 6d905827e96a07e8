"""A picture of a transition table: a square for each pair of clips, the darker the farther apart they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .inks import FAINT, GROUND, TEXT, colour
from .stage import Stage

# From near to far; sRGB.
_SHADES = tuple(np.array(colour(code)) for code in ("#FFF6E3", "#F6C98B", "#E58A4E", "#B5442F", "#5A1C2B"))
# Small beside the stage, whose floor would else cut through it.
CELL, GAP = 0.1, 0.006
# Of a cell: letters of names and numbers. Numbers are left out of tables with more clips than this.
NAME, NUMBER, NUMBERED = 0.42 * CELL, 0.36 * CELL, 24
# Letters of a name that are shown.
LETTERS = 22


def transition_picture(
    table: Any, path: str | Path, *, title: str = "Transitions", width: int = 1400
) -> None:
    """Draw a TransitionTable as a PNG file: rows are left, columns entered; numbers are frames.

    Raises BadFile where the file cannot be written. The scene is left as it was found.
    """
    names = table.names
    count = len(names)
    found = np.full((count, count), np.nan)
    place = {name: at for at, name in enumerate(names)}
    for one in table.transitions.values():
        found[place[one.a], place[one.b]] = one.cost
    highest = float(np.nanmax(found)) or 1.0
    with Stage() as stage:
        _cells(stage, found / highest)
        for at, name in enumerate(names):
            label = name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
            y = -(at + 0.5) * CELL
            stage.add_text(label, (-0.2 * CELL, y - 0.15 * CELL), NAME, TEXT, align="RIGHT")
            stage.add_text(str(at + 1), ((at + 0.5) * CELL, 0.2 * CELL), NAME, FAINT)
            stage.add_text(str(at + 1), ((count + 0.2) * CELL, y - 0.15 * CELL), NAME, FAINT, align="LEFT")
        if count <= NUMBERED:
            for one in table.transitions.values():
                row, column = place[one.a], place[one.b]
                ink = (1.0, 1.0, 1.0) if one.cost > 0.45 * highest else TEXT
                spot = ((column + 0.5) * CELL, -(row + 0.63) * CELL)
                stage.add_text(str(one.frames), spot, NUMBER, ink)
        stage.add_text(title, (0.0, 1.5 * CELL), 0.62 * CELL, TEXT, align="LEFT")
        note = f"frames from the clip of a row into that of a column; darkest: {highest:.2f} m apart"
        stage.add_text(note, (0.0, 0.9 * CELL), 0.4 * CELL, FAINT, align="LEFT")
        left = -0.5 * CELL - 0.62 * NAME * max(min(max(map(len, names)), LETTERS), 4)
        wide = max(count + 1.2, 14.0) * CELL
        stage.render(Path(path).absolute(), (left, -(count + 0.5) * CELL), (wide, 2.6 * CELL), width, GROUND)


def _cells(stage: Stage, shares: Any) -> None:
    """All squares as one mesh, shaded by 0 .. 1; pairs that are not in the table are left out."""
    rows, columns = np.nonzero(~np.isnan(shares))
    corner = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * (CELL - GAP) + GAP / 2
    start = np.column_stack([columns, -rows - 1.0]) * CELL
    points = (start[:, None] + corner[None]).reshape(-1, 2)
    mesh: Any = stage.keep_mesh(bpy.data.meshes.new("amble"))
    flat = np.column_stack([points, np.zeros(len(points))])
    mesh.from_pydata(flat.tolist(), [], np.arange(len(points)).reshape(-1, 4).tolist())
    steps = shares[rows, columns] * (len(_SHADES) - 1)
    low = np.clip(steps.astype(int), 0, len(_SHADES) - 2)
    part = (steps - low)[:, None]
    shades = np.array(_SHADES)
    inks = shades[low] * (1.0 - part) + shades[low + 1] * part
    stage.add_overlay_mesh(mesh, np.repeat(inks, 4, axis=0))
