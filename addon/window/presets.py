"""Presets in Blender's own menus: those that come with Amble, by feature, and the user's own.

A preset is a Python file that sets the scene's group of properties, as Blender writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

from .features import FEATURES, Feature
from .groups import PROPERTY, make_class

# Blender looks for "presets/SUBFOLDER" in it.
HOME = Path(__file__).parent


def preset_classes() -> list[type]:
    """A menu of presets, and the operator that adds and removes one, for each feature."""
    return [kind for feature in FEATURES.values() for kind in (_panel(feature), _operator(feature))]


def preset_panel(feature: Feature) -> Any:
    """The menu of a feature's presets, once it is registered."""
    return getattr(bpy.types, f"AMBLE_PT_{feature.name}_presets")


def add_presets() -> None:
    """Let Blender find the presets that come with Amble."""
    bpy.utils.register_preset_path(str(HOME))


def remove_presets() -> None:
    """Let Blender forget them."""
    bpy.utils.unregister_preset_path(str(HOME))


def _panel(feature: Feature) -> type:
    made: type = make_class(
        f"AMBLE_PT_{feature.name}_presets",
        (PresetPanel, bpy.types.Panel),
        {
            "__doc__": f"Presets of {feature.label}.",
            "bl_label": f"{feature.label} Presets",
            "bl_space_type": "VIEW_3D",
            "bl_region_type": "HEADER",
            "preset_subdir": f"{PROPERTY}/{feature.name}",
            "preset_operator": "script.execute_preset",
            "preset_add_operator": f"amble.{feature.name}_preset_add",
        },
    )
    return made


def _operator(feature: Feature) -> type:
    # Objects and actions belong to one file; a preset is for all.
    fields = [field for field in feature.own_fields() if not field.pointers]
    # The value first: to set it switches it on.
    names = [name for field in fields for name in (field.name, field.switch) if name]
    made: type = make_class(
        f"AMBLE_OT_{feature.name}_preset_add",
        (AddPresetBase, bpy.types.Operator),
        {
            "__doc__": "Add or remove a preset",
            "bl_idname": f"amble.{feature.name}_preset_add",
            "bl_label": f"Add {feature.label} Preset",
            "preset_menu": f"AMBLE_PT_{feature.name}_presets",
            "preset_subdir": f"{PROPERTY}/{feature.name}",
            "preset_defines": [f"group = bpy.context.scene.{PROPERTY}.{feature.name}"],
            "preset_values": [f"group.{name}" for name in names],
        },
    )
    return made
