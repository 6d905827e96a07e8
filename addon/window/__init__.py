"""Amble in Blender's window: the sidebar's tab Animation, menus, and the operators behind them.

fields      settings dataclasses as properties of Blender
features    the four features: settings, layout, and the calls behind their buttons
groups      what the panel is set to, kept in the scene
rigs        which armatures are meant
operators   the operators of the features
memory      what an action was made with, so that it is made again
told        what is said after a run, and kept with the action
seen, roles what is recognised of a rig; the operators that correct it
assets      results for the Asset Browser
presets     Blender's preset menus: those in the folder presets, and the user's own
draw, panels, menus    what is seen
translations    the same in other languages

Nothing here imports what makes motion before a button is pressed.
"""

from __future__ import annotations

from typing import Any

import bpy

props: Any = bpy.props
_classes: list[Any] = []


def register() -> None:
    """Add everything to Blender's window."""
    from .assets import AMBLE_OT_mark_asset
    from .groups import PROPERTY, groups
    from .menus import AMBLE_MT_menu, add_menus
    from .operators import operators
    from .panels import panels
    from .presets import add_presets, preset_classes
    from .roles import role_operators
    from .seen import watch
    from .translations import add_translations

    found = groups()
    made = (*operators(), *role_operators(), AMBLE_OT_mark_asset)
    for kind in (*found, *made, *preset_classes(), *panels(), AMBLE_MT_menu):
        if issubclass(kind, bpy.types.Operator) and "bl_description" not in vars(kind):
            # As the docstring, without the full stop, which Blender adds.
            kind.bl_description = (kind.__doc__ or "").rstrip(".")
        bpy.utils.register_class(kind)
        _classes.append(kind)
    setattr(bpy.types.Scene, PROPERTY, props.PointerProperty(type=found[-1]))
    add_translations()
    add_presets()
    add_menus()
    watch()


def unregister() -> None:
    """Take all of it away again."""
    from .groups import PROPERTY
    from .menus import remove_menus
    from .presets import remove_presets
    from .seen import stop_watching
    from .translations import remove_translations

    stop_watching()
    remove_presets()
    remove_translations()
    remove_menus()
    if hasattr(bpy.types.Scene, PROPERTY):
        delattr(bpy.types.Scene, PROPERTY)
    while _classes:
        bpy.utils.unregister_class(_classes.pop())
