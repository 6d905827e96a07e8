"""The colours of the figures and of what is drawn around them, linear red, green, blue."""

from typing import Any

import bpy

Colour = tuple[float, float, float]


def colour(code: str) -> Colour:
    """'#RRGGBB' (sRGB) as linear red, green, blue."""
    parts = (int(code[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return red, green, blue


# By side as in body: none, left, right. Orange and blue keep apart for colour-blind eyes too.
NAMES = ("body", "left", "right")
INKS = (colour("#E3DED6"), colour("#2F7DC1"), colour("#EE6A3B"))
GROUND, LANE_INK, TEXT, FAINT = colour("#F3F1EC"), colour("#DBD6CB"), colour("#3A3A3C"), colour("#8B8984")


def use_nodes(holder: Any) -> Any:
    """The node tree of a material or world, switched on; from 5.0 on it is, and asking is deprecated."""
    if bpy.app.version < (5, 0, 0):
        holder.use_nodes = True
    return holder.node_tree
