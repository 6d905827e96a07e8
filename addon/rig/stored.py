"""Where roles set by hand are kept: on the armature object, or beside it in the scene.

The object carries them as a custom property, a JSON text, which goes wherever the object goes: saved, copied,
appended, linked. An object that belongs to another file (linked, or a library override of one) loses new
properties when its file is saved; for these the scene keeps the text, with a pointer to the object, which
holds through renaming and moving.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import BadSetting
from ..once import once
from .corrections import NONE, Corrections, read

PROPERTY = "amble_roles"


def corrections_of(armature_object: Any) -> Corrections:
    """The roles set by hand on an object. Raises BadSetting where what is stored cannot be read."""
    text = _text(armature_object)
    if text is None:
        return NONE
    try:
        return _corrections_in(text)
    except (TypeError, ValueError, RecursionError):
        raise BadSetting(_unreadable(armature_object, "it is no JSON table")) from None
    except BadSetting as error:
        raise BadSetting(_unreadable(armature_object, str(error).rstrip("."))) from error


@once
def _corrections_in(text: str) -> Corrections:
    content = json.loads(text)
    if not isinstance(content, Mapping):
        raise TypeError
    return read(content)


def _unreadable(armature_object: Any, why: str) -> str:
    return (
        f'The property {PROPERTY} of "{armature_object.name}" cannot be read ({why}): '
        "set the roles anew, or remove it with clear_roles."
    )


def _text(armature_object: Any) -> str | None:
    if _is_foreign(armature_object):
        for _scene, entries in _scene_entries():
            for thing, text in entries:
                if thing == armature_object:
                    return text
    found = armature_object.get(PROPERTY)
    return found if found is None or isinstance(found, str) else ""


def store(armature_object: Any, corrections: Corrections) -> None:
    """Keep roles set by hand in place of those there were."""
    text = json.dumps(corrections.plain(), ensure_ascii=False)
    if not _is_foreign(armature_object):
        if corrections == NONE:
            armature_object.pop(PROPERTY, None)
        else:
            armature_object[PROPERTY] = text
        return
    _forget(armature_object)
    if corrections == NONE and armature_object.get(PROPERTY) is None:
        return
    scene = _scene_of(armature_object)
    kept = _entries(scene)
    scene[PROPERTY] = [{"object": thing, "roles": t} for thing, t in [*kept, (armature_object, text)]]


def _is_foreign(armature_object: Any) -> bool:
    """Whether the object comes out of another file."""
    return armature_object.library is not None or armature_object.override_library is not None


def _forget(armature_object: Any) -> None:
    """Take an object's entries, and those of objects that are gone, out of all scenes."""
    for scene, entries in _scene_entries():
        kept = [(thing, text) for thing, text in entries if thing is not None and thing != armature_object]
        if kept:
            scene[PROPERTY] = [{"object": thing, "roles": text} for thing, text in kept]
        else:
            del scene[PROPERTY]


def _scene_of(armature_object: Any) -> Any:
    import bpy

    own = [scene for scene in armature_object.users_scene if scene.library is None]
    return own[0] if own else bpy.context.scene


def _scene_entries() -> list[tuple[Any, list[tuple[Any, str]]]]:
    """The scenes of this file that keep anything, with (object, text) of each entry."""
    import bpy

    scenes: list[Any] = list(bpy.data.scenes)
    return [(s, _entries(s)) for s in scenes if s.library is None and PROPERTY in s]


def _entries(scene: Any) -> list[tuple[Any, str]]:
    return [(entry.get("object"), entry["roles"]) for entry in scene.get(PROPERTY, ())]
