"""Which armatures the window works on, and what is known of them."""

from __future__ import annotations

from typing import Any

MODES = {"OBJECT", "POSE"}


def active_rig(context: Any) -> Any:
    """The armature object that is meant: the active one, or that which moves the active object; else None."""
    thing = context.active_object
    if thing is None or thing.name not in context.view_layer.objects:
        return None
    return _armature_of(thing)


def chosen_rigs(context: Any) -> list[Any]:
    """All armature objects that are selected, or in pose mode, the active one first."""
    active = active_rig(context)
    found = [] if active is None else [active]
    for thing in (*context.selected_objects, *(context.objects_in_mode or ())):
        rig = _armature_of(thing)
        if rig is not None and rig not in found:
            found.append(rig)
    return found


def why_not(context: Any) -> str:
    """What has to be done before anything can be made, as a sentence; "" where nothing has to."""
    from .. import core
    from ..errors import CoreMismatch

    try:
        core.load()
    except CoreMismatch as error:
        return str(error)
    if context.scene is None or context.mode not in MODES:
        return "Change to Object Mode or Pose Mode."
    if active_rig(context) is None:
        return "Select an armature, or a mesh that one moves."
    return ""


def _armature_of(thing: Any) -> Any:
    return thing if thing.type == "ARMATURE" else thing.find_armature()
