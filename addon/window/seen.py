"""What is recognised of the rig that the panel shows, kept until an armature changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

if TYPE_CHECKING:
    from ..rig import Roles

# By object and its bones: what was recognised, or a sentence that says why nothing was.
_seen: dict[tuple[Any, ...], Roles | str] = {}
_MOST = 16


def seen(rig: Any) -> Roles | str:
    """The roles of an armature object, or what is wrong with it. Reads alone, so that panels may draw it."""
    from ..errors import AmbleError
    from ..rig import roles

    key = (rig.as_pointer(), rig.data.as_pointer(), len(rig.data.bones))
    if key not in _seen:
        try:
            found: Roles | str = roles(rig)
        except AmbleError as error:
            found = " ".join(str(error).split())
        while len(_seen) >= _MOST:
            del _seen[next(iter(_seen))]
        _seen[key] = found
    return _seen[key]


def sureness(found: Roles) -> float:
    """How sure the least sure is of what a walk needs, 0 to 1."""
    limbs = [leg.sure for leg in found.legs]
    return min([*limbs, *(found.sure.get(role, 0.0) for role in ("pelvis", "facing"))])


def forget() -> None:
    """Look again at every rig."""
    _seen.clear()


def _on_update(_scene: Any, depsgraph: Any) -> None:
    if depsgraph.id_type_updated("ARMATURE") or depsgraph.id_type_updated("MESH"):
        _seen.clear()


def _on_other_data(*_: Any) -> None:
    _seen.clear()


_HANDLERS = {
    "depsgraph_update_post": _on_update,
    "undo_post": _on_other_data,
    "redo_post": _on_other_data,
    "load_post": _on_other_data,
}


def watch() -> None:
    """Begin to look out for changes, also in files that are opened later."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(bpy.app.handlers.persistent(handler))


def stop_watching() -> None:
    """Look out no more, and forget."""
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        while handler in handlers:
            handlers.remove(handler)
    _seen.clear()
