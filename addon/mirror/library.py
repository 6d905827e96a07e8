"""Whole libraries of actions, and the mark on each whether it may be mirrored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy

from ..action.read import read
from ..errors import AmbleError
from .make import MirrorResult, mirror
from .play import mirrored_name
from .settings import MirrorSettings

MARK = "amble_mirror"


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one action: name; result, None where it was left alone; why, then, in words."""

    name: str
    result: MirrorResult | None
    why: str


def set_may_mirror(action: Any, may: bool | None) -> None:
    """Mark an action as one that may be mirrored, or may not, in batch runs; None takes the mark off."""
    if may is None:
        if MARK in action:
            del action[MARK]
        return
    action[MARK] = bool(may)


def may_mirror(action: Any) -> bool:
    """Whether an action may be mirrored in batch runs: unless it is marked otherwise."""
    return bool(action.get(MARK, True))


def mirror_all(
    armature_object: Any,
    actions: Iterable[Any] | None = None,
    settings: MirrorSettings | None = None,
    **changes: Any,
) -> tuple[Entry, ...]:
    """Mirror every action that moves the rig, and tell what became of each; none is played.

    actions: by default all of the file. Left alone are those marked, those whose other side is there already,
    and those with nothing for this rig; settings, changes: as `mirror` takes them. One that fails does not
    stop the others.
    """
    found: list[Any] = list(bpy.data.actions if actions is None else actions)
    names = {action.name for action in found} | {action.name for action in bpy.data.actions}
    entries: list[Entry] = []
    subject = None
    for action in found:
        why = _why_not(armature_object, action, names)
        result = None
        if not why:
            try:
                result = mirror(armature_object, action, settings, assign=False, subject=subject, **changes)
                subject = result.subject
            except AmbleError as error:
                why = str(error)
        entries.append(Entry(action.name, result, why))
    return tuple(entries)


def _why_not(target: Any, action: Any, names: set[str]) -> str:
    if not may_mirror(action):
        return "it is marked as not to be mirrored"
    other = mirrored_name(action.name)
    if other in names:
        return f'"{other}" is there already'
    bones = set(read(target, action, lazily=True).bones)
    if not bones & {bone.name for bone in target.pose.bones}:
        return "it moves no bone of this rig"
    return ""
