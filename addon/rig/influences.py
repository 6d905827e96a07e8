"""Notes on what decides how a walk comes out beside its keys, and on rest poses that do not stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import graph
from .roles import Roles
from .sole import Sole
from .stance import unsettled

STRAY = 1e-4  # a scale this little off 1 is at rest
SHOWN = 6  # names in a note at most


def influences(
    armature_object: Any, keyed: Sequence[str], roles: Roles, soles: Sequence[Sole], *, ok: bool
) -> list[str]:
    """A sentence on each. keyed: bones of the walk; ok: whether it is known to come out as planned, so that
    what could have spoiled it did not.
    """
    import bpy

    notes = [*_unsettled(roles, soles), *_remapped(bpy.context.scene)]
    if not ok:
        # As it was evaluated last: anew, the action would be played and pose the rig.
        layer = bpy.context.view_layer
        evaluated = armature_object.evaluated_get(layer.depsgraph) if layer else armature_object
        reach = _with_parents(armature_object, keyed)
        notes += _layers(armature_object)
        notes += _constraints(armature_object, evaluated, reach)
        notes += _drivers(armature_object, reach)
        notes += _scaled(armature_object, reach, set(keyed))
    return notes


def _unsettled(roles: Roles, soles: Sequence[Sole]) -> Iterator[str]:
    """Whether the rest pose stands."""
    found = unsettled(roles, soles)
    if found:
        yield (
            f"The rest pose does not seem to stand ({', '.join(found)}), and the walk begins from it: apply "
            "a standing pose as rest pose, or set up and facing in the roles (--roles)."
        )


def _remapped(scene: Any) -> Iterator[str]:
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old != new:
        yield (
            f"The scene remaps time (old {old}, new {new}): the walk is played {old / new:.3g} times as fast "
            "as it was made. Set both alike for the speed that was asked for."
        )


def _layers(armature_object: Any) -> Iterator[str]:
    """Layers of the object's own animation that take part in it."""
    data = armature_object.animation_data
    if data is None or not data.use_nla:
        return
    tracks = [track for track in data.nla_tracks if len(track.strips)]
    solo = [track.name for track in tracks if track.is_solo]
    if solo:
        yield f'The NLA track "{solo[0]}" is soloed and is played in place of the walk: end its solo.'
        return
    playing = [track.name for track in tracks if not track.mute]
    if not playing:
        return
    yield (
        f"NLA tracks are played with the walk and may change it ({_some(playing)}): mute them to see "
        "the walk alone."
    )
    if data.action_blend_type != "REPLACE" or data.action_influence < 1.0:
        yield (
            f'The walk is laid over the NLA tracks by "{data.action_blend_type}" with an influence of '
            f"{data.action_influence:.2g}: set them to Replace and 1."
        )


def _constraints(armature_object: Any, evaluated: Any, bones: Sequence[str]) -> Iterator[str]:
    own = [f'"{constraint.name}"' for constraint in evaluated.constraints if graph.is_active(constraint)]
    if own:
        yield f'"{armature_object.name}" itself is moved by constraints ({_some(own, "")}): mute them.'
    found = [
        f'"{constraint.name}" of "{name}"'
        for name in bones
        if not graph.is_mechanism(name)  # whose constraints are the rig's own
        for constraint in evaluated.pose.bones[name].constraints
        if constraint.type in graph.CARRYING - graph.PARENTING and graph.is_active(constraint)
    ]
    if found:
        yield (
            f"Constraints may hold back bones that the walk moves ({_some(found, '')}): mute them or widen "
            "their limits."
        )


def _drivers(armature_object: Any, bones: Sequence[str]) -> Iterator[str]:
    own = set(bones)
    found = sorted(f'{channel} of "{bone}"' for bone, channel in graph.driven(armature_object) if bone in own)
    data = armature_object.animation_data
    for driver in data.drivers if data is not None else ():
        if driver.data_path in ("location", "rotation_euler", "rotation_quaternion", "scale"):
            found.append(f'{driver.data_path} of "{armature_object.name}" itself')
    if found:
        yield f"Drivers decide what the walk should move ({_some(dict.fromkeys(found), '')}): mute them."


def _scaled(armature_object: Any, bones: Sequence[str], keyed: set[str]) -> Iterator[str]:
    """Bones that stay scaled under the walk, which has no keys that put them back."""
    found = []
    scales = np.empty(3 * len(armature_object.pose.bones), dtype=np.float32)
    armature_object.pose.bones.foreach_get("scale", scales)
    for name in bones if (np.abs(scales - 1.0) > STRAY).any() else ():
        bone = armature_object.pose.bones[name]
        for factor, lock in zip(bone.scale, bone.lock_scale, strict=True):
            if abs(factor - 1.0) > STRAY and (lock or name not in keyed):
                found.append(name)
                break
    if found:
        yield f"Bones are scaled and not set back by the walk ({_some(found)}): clear their scale."


def _with_parents(armature_object: Any, names: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        bone = armature_object.pose.bones[name]
        while bone is not None and bone.name not in found:
            found[bone.name] = None
            bone = bone.parent
    return list(found)


def _some(names: Any, quote: str = '"') -> str:
    """The first of many names."""
    listed = [f"{quote}{name}{quote}" for name in names]
    more = len(listed) - SHOWN
    return ", ".join(listed[:SHOWN]) + (f" and {more} more" if more > 0 else "")
