"""Where an object's F-curves live: the one module that knows actions with and without slots.

Up to Blender 4.3 an action holds one list of curves for whoever uses it. From 4.4 on it holds slots, one for
each user, and the curves of a slot lie in a channelbag of a strip of a layer; 5.0 has only those.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy

HAS_SLOTS = bpy.app.version >= (4, 4, 0)
_NAMES_GROUPS = bpy.app.version >= (5, 0, 0)


@dataclass(frozen=True, slots=True)
class CurveHome:
    """The curves of one object in one action; references into Blender, to be used at once and not kept."""

    action: bpy.types.Action
    slot: Any  # bpy.types.ActionSlot, or None where the Blender has no slots
    bag: Any  # the action itself, or its channelbag for the slot: both have .fcurves and .groups

    def new_curve(self, path: str, index: int, group: str) -> Any:
        """Add an F-curve for one channel, in the group of that name; RuntimeError when it is there."""
        if _NAMES_GROUPS:
            return self.bag.fcurves.new(path, index=index, group_name=group)
        if not HAS_SLOTS:
            return self.bag.fcurves.new(path, index=index, action_group=group)
        curve = self.bag.fcurves.new(path, index=index)
        curve.group = self.bag.groups.get(group) or self.bag.groups.new(group)
        return curve

    def clear(self) -> None:
        """Remove every curve and group of this object; those of other slots stay."""
        self.bag.fcurves.clear()
        for group in list(self.bag.groups):
            self.bag.groups.remove(group)


def slot_for(action: bpy.types.Action, target: bpy.types.Object) -> Any:
    """The slot of `action` that is the object's own, or None.

    That is the slot it is using now, else the one that carries its name and that nobody else uses.
    """
    if not HAS_SLOTS:
        return None
    data = target.animation_data
    if data is not None and data.action == action and data.action_slot is not None:
        return data.action_slot
    named: Any = action.slots.get("OB" + target.name)
    return named if named is not None and not _others(_players(action, named), target) else None


def used_by_others(action: bpy.types.Action, target: bpy.types.Object) -> list[str]:
    """Names of the others that play the curves which writing for `target` would replace."""
    if HAS_SLOTS:
        slot = slot_for(action, target)
        return [] if slot is None else _others(_players(action, slot), target)
    return _others(bpy.data.user_map(subset={action})[action], target)


def open_home(action: Any, target: Any, kind: str = "OBJECT") -> CurveHome:
    """The object's curves in `action`; slot, layer, strip and channelbag are made where they are missing.
    kind: of data-block, where the target is no object."""
    if not HAS_SLOTS:
        action.id_root = kind
        return CurveHome(action, None, action)
    slot = slot_for(action, target)
    if slot is None:
        slot = action.slots.new(id_type=kind, name=target.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip: Any = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return CurveHome(action, slot, strip.channelbag(slot, ensure=True))


def find_curves(target: bpy.types.Object) -> Any:
    """The F-curves that the object's own action holds for it, or None when there are none to hold."""
    data: Any = target.animation_data
    if data is None or data.action is None:
        return None
    return curves_in(data.action, data.action_slot if HAS_SLOTS else None)


def curves_for(action: bpy.types.Action, target: bpy.types.Object) -> Any:
    """The F-curves that the object would play of any action, or None where there are none.

    Those of its own slot, else of the first that is for objects: a clip taken over from another rig.
    """
    return curves_in(action, slot_to_play(action, target))


def curves_in(action: Any, slot: Any) -> Any:
    """The F-curves of a slot, or of the action where the Blender has no slots; None where there are none."""
    if not HAS_SLOTS:
        return action.fcurves
    if slot is None:
        return None
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                return bag.fcurves
    return None


def current(data: bpy.types.AnimData | None) -> tuple[bpy.types.Action | None, Any]:
    """(action, slot) that is played, as `assign` takes them: None where there is none of it."""
    action = data.action if data is not None else None
    return action, data.action_slot if HAS_SLOTS and data is not None and action is not None else None


def slot_to_play(action: bpy.types.Action, target: bpy.types.Object) -> Any:
    """The object's own slot in `action`, else the first for objects: a clip taken over from another rig."""
    if not HAS_SLOTS:
        return None
    fit = (slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED"))
    return slot_for(action, target) or next(fit, None)


def assign(data: bpy.types.AnimData, action: bpy.types.Action | None, slot: Any) -> None:
    """Make the object play `action`, from `slot` where there are slots. The action must be editable here."""
    data.action = action
    # Blender has often chosen the right slot by itself. Choosing it again crashes 5.0 on an armature that has
    # not been evaluated yet.
    if HAS_SLOTS and action is not None and data.action_slot != slot:
        data.action_slot = slot


def keep(former: bpy.types.Action | None) -> None:
    """Give an action that was played a fake user where nothing else uses it, so that saving keeps it."""
    if former is not None and former.library is None and former.users == 0:
        former.use_fake_user = True


def only_home(home: CurveHome) -> bool:
    """Whether the action holds curves for no one but this object."""
    return not HAS_SLOTS or len(home.action.slots) == 1


def _players(action: bpy.types.Action, slot: Any) -> list[bpy.types.ID]:
    """Whatever plays a slot: itself, in strips, or in action constraints.

    The slot's own `users` crashes Blender 5.0 where any armature of the file has not been evaluated yet.
    """
    return [user for user in bpy.data.user_map(subset={action})[action] if _plays(user, action, slot)]


def _plays(user: Any, action: bpy.types.Action, slot: Any) -> bool:
    data = getattr(user, "animation_data", None)
    using: list[Any] = []
    if data is not None:
        if data.action_tweak_storage == action and data.action_slot_handle_tweak_storage == slot.handle:
            return True  # as soon as it leaves the tweak mode of a strip
        using = [data, *(strip for track in data.nla_tracks for strip in _strips(track.strips))]
    holders = [user, *(user.pose.bones if getattr(user, "pose", None) is not None else ())]
    using += [one for holder in holders for one in getattr(holder, "constraints", ()) if one.type == "ACTION"]
    return any(one.action == action and one.action_slot == slot for one in using)


def _strips(strips: Iterable[Any]) -> Iterator[Any]:
    """Strips and those within meta strips."""
    for strip in strips:
        yield strip
        yield from _strips(strip.strips)


def _others(users: Iterable[bpy.types.ID], target: bpy.types.Object) -> list[str]:
    return sorted(user.name for user in users if user != target)
