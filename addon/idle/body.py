"""The body that idles, in its held pose: what may move, which way it stands, what is held, what differs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import core
from ..action.channels import plan_keys
from ..errors import MissingRole, NoLegsFound
from ..reading import Rig
from ..rig.controls import is_plain
from ..rig.parts import body_parts
from .built_in import Builder, Layer, parts_of
from .conditions import Stretch, names
from .contact import supported, touching
from .held import Held
from .pins import Pin, all_pins, named_pins, standing_pins
from .rigged import Rigged
from .settings import IdleSettings
from .sources import way_of_location

Floats = npt.NDArray[np.float64]


class HeldBody:
    """What the idle needs to know of the armature in its held pose."""

    def __init__(self, armature_object: Any, rig: Rig, held: Held) -> None:
        self.object, self.rig, self.held = armature_object, rig, held
        self.skeleton, self.roles = rig.skeleton, rig.roles
        self.notes: list[str] = []
        self.rest = np.zeros_like(held.channels)
        self.rest[:, [3, 7, 8, 9]] = 1.0
        self.rigged = self._rigged()
        if self.rigged is not None:
            # Its parts are what moves; locks are the controls' own.
            self.moved, self.still, self.pose = self.rigged.skeleton, self.rigged.still, self.rigged.pose
            self.notes += self.rigged.controls.notes
            self.locked: dict[str, tuple[bool, ...]] = {}
            self.carrier = self.roles.pelvis
        else:
            self.moved, self.still = self.skeleton, held.channels
            channels = np.ascontiguousarray(held.channels[:, :, None])
            self.pose = core.load().forward_kinematics(*self.skeleton.arrays, channels)[..., 0]
            self.locked = self._locks()
            self.carrier = self._carrier()
        parts = self.rigged.controls.parts if self.rigged else None
        self.limbs = all_pins(self.moved, self.roles, parts)
        self.way_axes = self._way_axes()

    def _rigged(self) -> Rigged | None:
        """The rig by its controls, where it is moved by such. Of a rig with more legs than two the hind ones
        are parts; the others stand by their own controls, which nothing moves."""
        try:
            roles = self.roles
            if len(roles.legs) > 2:
                roles = dataclasses.replace(roles, legs=roles.legs[-2:])
            parts = body_parts(self.skeleton, roles)
        except (MissingRole, NoLegsFound):
            return None
        if is_plain(self.object, self.skeleton, parts):
            return None
        return Rigged(self.object, self.skeleton, self.roles, parts, self.held)

    # ---- what may move ----

    def _locks(self) -> dict[str, tuple[bool, ...]]:
        """By bone, axes that it may not turn about; those of bones without any are left out."""
        found = {}
        for name in self.skeleton.names:
            bone = self.object.pose.bones[name]
            locks = tuple(bone.lock_rotation)
            if any(locks) and (
                bone.rotation_mode not in ("QUATERNION", "AXIS_ANGLE") or not bone.lock_rotations_4d
            ):
                found[name] = locks
        return found

    def _free(self, bones: Sequence[str]) -> set[str]:
        """Those of the bones whose rotation may be keyed at all."""
        if self.rigged is not None:
            return {part.bone for part in self.rigged.controls.parts} & set(bones)
        wanted = np.tile(np.array([False, True, False]), (len(bones), 1))
        plan = plan_keys(self.object, bones, wanted)
        self.notes += [f"Left still: {text}." for text in plan.skipped]
        return {bone for bone, row in zip(bones, plan.keyed[:, 3:7], strict=True) if row.any()}

    def _carrier(self) -> str | None:
        """The bone whose location moves the body: the pelvis, where it is free."""
        name = self.roles.pelvis
        if name is None:
            return None
        plan = plan_keys(self.object, [name], np.array([[True, False, False]]))
        if plan.keyed[0, :3].all():
            return name
        self.notes.append(
            f'"{name}" cannot be moved ({"; ".join(plan.skipped) or "locked"}): the body only turns.'
        )
        return None

    def _way_axes(self) -> Floats:
        """(3, 3): a way in armature space as the carrier's location channel."""
        if self.carrier is None:
            return np.eye(3)
        return np.asarray(np.linalg.inv(way_of_location(self.moved, self.still, self.carrier)), np.float64)

    # ---- directions ----

    def _up(self) -> Floats:
        """Against gravity, in armature space."""
        up = np.linalg.solve(self.skeleton.world[:3, :3], np.array([0.0, 0.0, 1.0]))
        return np.asarray(up / np.linalg.norm(up))

    def _ways(self) -> tuple[Floats, Floats, Floats]:
        """Left, forward and up of the held pose: level, as the pelvis faces."""
        up = self._up()
        forward = np.array(self.roles.facing)
        if self.roles.pelvis is not None:
            k = self.skeleton.index(self.roles.pelvis)
            turn = self.pose[k].reshape(3, 4)[:, :3].astype(np.float64) @ np.linalg.inv(
                self.skeleton.rest[k, :3, :3]
            )
            forward = turn @ forward
        forward = forward - (forward @ up) * up
        if np.linalg.norm(forward) < 0.3:  # it lies: any level direction will do
            forward = np.cross(
                up, np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
            )
        forward = forward / np.linalg.norm(forward)
        return np.cross(up, forward), forward, up

    # ---- parts of the plan ----

    def pins(self, settings: IdleSettings) -> tuple[list[Pin], bool]:
        """The limbs that are held, and whether the pelvis is."""
        if settings.pins is not None:
            wanted = [pin for pin in settings.pins if pin not in ("", "-")]
            return named_pins(self.skeleton, self.roles, self.limbs, wanted)
        up = self._up()
        own_up = np.array(self.roles.up)
        low = self.roles.ground
        if float(up @ own_up) < 0.9:
            low = float((self.pose[:, [3, 7, 11]].astype(np.float64) @ up).min())
        found = standing_pins(self.skeleton, self.roles, self.limbs, self.rig.soles, self.pose, up, low)
        more, sits, told = supported(
            self.object, self.skeleton, self.roles, self.limbs, self.rig.soles, found, self.pose, up
        )
        hands, told_of_hands = touching(self.object, self.skeleton, self.limbs, self.pose)
        self.notes += [*told, *told_of_hands]
        found += [*more, *map(self._on_part, hands)]
        hips = {leg.bones[0] for leg in self.roles.legs}
        feet = [pin.name for pin in found if pin.chain[0] in hips]
        if len(feet) == 1 and len(self.roles.legs) == 2 and not sits:
            self.notes.append(
                f"The held pose stands on one leg alone ({feet[0]}), as in the middle of a step: hold a "
                "frame on which both stand (pose_frame), or name what is held (pins)."
            )
        if not found and not sits and self.roles.legs:
            self.notes.append("No foot is on the ground, so that none is held; name those that are (pins).")
        return found, sits

    def _on_part(self, pin: Pin) -> Pin:
        """The pin on the part that carries what it is on, where the rig is moved by controls."""
        if self.rigged is None or not pin.on:
            return pin
        parts = {part.bone for part in self.rigged.controls.parts}
        return dataclasses.replace(
            pin, on=next((bone for bone in self.skeleton.line(pin.on) if bone in parts), "")
        )

    def layers(self, found: Sequence[Stretch], still: bool) -> list[Layer]:
        """The differences, on bones that may be keyed."""
        parts = parts_of(self.skeleton, self.roles)
        if parts.missing:
            self.notes.append(f"Left out, as the rig has none: {', '.join(parts.missing)}.")
        leg = self.roles.leg_length or self._height() * 0.5
        builder = Builder(self.skeleton, self.roles, parts, self.pose, leg, self._ways())
        return self.free_of(builder.layers(names(found)), still)

    def free_of(self, layers: Sequence[Layer], still: bool) -> list[Layer]:
        """The layers on bones that may be keyed; still: without the pelvis, which is held."""
        bones = sorted({bone for layer in layers for bone in layer.turns}, key=self.skeleton.index)
        free = self._free(bones)
        if still and self.roles.pelvis is not None:
            free.discard(self.roles.pelvis)
        layers = [
            dataclasses.replace(layer, turns={b: v for b, v in layer.turns.items() if b in free})
            for layer in layers
        ]
        return [layer for layer in layers if layer.turns or layer.move is not None]

    def _height(self) -> float:
        return float(np.ptp(self.skeleton.heads @ np.array(self.roles.up))) or 1.0
