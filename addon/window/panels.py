"""The panels of the sidebar's tab Animation."""

from __future__ import annotations

from typing import Any

import bpy

from .draw import draw_fields, draw_settings
from .features import FEATURES, Feature
from .groups import group_of, make_class
from .rigs import active_rig, why_not
from .told import kept

TAB = "Animation"
MAIN = "AMBLE_PT_main"
WIDTH = 34  # letters that a line of the panel holds at its usual width


class AMBLE_PT_main(bpy.types.Panel):  # noqa: N801 - Blender's rule for names
    """Which armature is seen, and what the last run came to."""

    bl_idname = MAIN
    bl_label = "Amble"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB

    def draw(self, context: Any) -> None:
        """Draw it."""
        layout: Any = self.layout
        reason = why_not(context)
        if reason:
            lines(layout, reason, icon="INFO")
            return
        rig = active_rig(context)
        layout.label(text=rig.name, icon="OUTLINER_OB_ARMATURE", translate=False)
        told = kept(rig.animation_data.action) if rig.animation_data else None
        if told is not None:
            lines(layout, told["line"], icon="CHECKMARK" if told["ok"] else "ERROR")


class _FeaturePanel:
    """What the panels of all features have in common."""

    feature: Feature
    layout: Any
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = MAIN

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Nothing is shown where nothing can be done."""
        return not why_not(context)

    def draw(self, context: Any) -> None:
        """What matters first, the button, and the rest folded."""
        feature, group = self.feature, group_of(context.scene, self.feature)
        layout = self.layout
        draw_settings(layout, group, feature, folded=True)
        button = layout.column()
        button.scale_y = 1.5
        button.operator(f"amble.{feature.name}", icon=feature.icon)
        for heading, fields in feature.layout()[1:]:
            header, body = layout.panel(f"amble_{feature.name}_{heading}", default_closed=True)
            header.label(text=heading)
            if body is not None:
                draw_fields(body, group, fields)


def lines(layout: Any, text: str, icon: str) -> None:
    """A sentence over as many lines as it takes, an icon before the first."""
    import textwrap

    column = layout.column(align=True)
    for number, line in enumerate(textwrap.wrap(text, WIDTH)):
        column.label(text=line, icon=icon if number == 0 else "BLANK1", translate=False)


def panels() -> list[type]:
    """The classes, parents first."""
    return [AMBLE_PT_main, *(_panel(feature) for feature in FEATURES.values())]


def _panel(feature: Feature) -> type:
    return make_class(
        f"AMBLE_PT_{feature.name}",
        (_FeaturePanel, bpy.types.Panel),
        {
            "__doc__": feature.about,
            "bl_idname": f"AMBLE_PT_{feature.name}",
            "bl_label": feature.label,
            "bl_options": set() if feature.name == "gait" else {"DEFAULT_CLOSED"},
            "feature": feature,
        },
    )
