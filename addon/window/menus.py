"""The operators in Blender's own menus, where F3 finds them too."""

from __future__ import annotations

from typing import Any

import bpy

from .features import FEATURES

MENUS = ("VIEW3D_MT_object_animation", "VIEW3D_MT_pose", "DOPESHEET_MT_key")


class AMBLE_MT_menu(bpy.types.Menu):  # noqa: N801 - Blender's rule for names
    """All that Amble makes."""

    bl_idname = "AMBLE_MT_menu"
    bl_label = "Amble"

    def draw(self, _context: Any) -> None:
        """Draw it."""
        layout: Any = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        for feature in FEATURES.values():
            layout.operator(f"amble.{feature.name}", icon=feature.icon)
        layout.separator()
        layout.operator("amble.again", icon="FILE_REFRESH")
        layout.operator("amble.load_settings", icon="IMPORT")
        layout.operator("amble.mark_asset", icon="ASSET_MANAGER")
        layout.separator()
        layout.operator("amble.save_roles")
        layout.operator("amble.load_roles")
        layout.operator("amble.clear_roles")


def _draw(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.menu(AMBLE_MT_menu.bl_idname)


def add_menus() -> None:
    """Put the menu into Blender's."""
    for name in MENUS:
        menu: Any = getattr(bpy.types, name, None)
        if menu is not None:
            menu.append(_draw)


def remove_menus() -> None:
    """Take it out again."""
    for name in MENUS:
        menu: Any = getattr(bpy.types, name, None)
        if menu is not None:
            menu.remove(_draw)
