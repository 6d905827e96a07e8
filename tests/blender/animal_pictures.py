"""A contact sheet of animals' gaits: one cycle of each over the others.

python -m tests.blender.animal_pictures FILE [RIG=GAIT ...]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
from amble.leave import leave
from amble.picture import walk_picture
from tests.blender import rigs
from tests.blender.way_pictures import coarse

SHOWN = (
    "glb/m2m_anim-fox.glb=walk",
    "glb/m2m_anim-horse.glb=trot",
    "glb/m2m_anim-horse.glb=gallop",
    "glb/m2m_anim-fox.glb=rotary gallop",
)
WIDTH = 700


def pixels_of(path: Path) -> np.ndarray:
    """(rows, columns, 4) of a picture, the lowest row first."""
    image: Any = bpy.data.images.load(str(path))
    found = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
    image.pixels.foreach_get(found)
    return found.reshape(image.size[1], image.size[0], 4)


def main() -> int:
    """Draws the sheet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("shown", nargs="*", default=SHOWN)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for k, text in enumerate(options.shown):
            key, gait = text.split("=")
            rig = rigs.load(key)
            result = amble.gait(rig, gait=gait)
            path = Path(folder) / f"{k}.png"
            walk_picture(
                rig,
                result.action,
                result.frames,
                path,
                roles=result.roles,
                contacts=result.contacts,
                title=gait,
                width=WIDTH,
            )
            rows.append(pixels_of(path))
    sheet = np.concatenate(rows[::-1])
    image: Any = bpy.data.images.new("sheet", sheet.shape[1], sheet.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(sheet).ravel())
    image.filepath_raw, image.file_format = str(options.file.absolute()), "PNG"
    image.save()
    coarse(options.file)
    return 0


if __name__ == "__main__":
    leave(main())
