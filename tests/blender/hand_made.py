"""Motions made by hand on a plain biped, whose slide, depth and speeds are known exactly."""

from dataclasses import dataclass
from typing import Any

import bpy
from amble.action import slots
from amble.report import Contact
from amble.report.measure import measure
from tests.blender import rigs

LEG = 0.43046 + 0.42190 + 0.08  # thigh, shin, ankle over the ground
SCALE = 0.9 / LEG
FORWARD = (0.0, -1.0, 0.0)


@dataclass(frozen=True)
class Leg:
    side: str
    bones: tuple
    contact: str
    toe: str | None


@dataclass(frozen=True)
class Sole:
    heel: tuple
    ball: tuple
    tip: tuple
    ankle: tuple
    pivot: tuple


@dataclass(frozen=True)
class Roles:
    legs: tuple
    kind: str = "biped"
    pelvis: str | None = "pelvis"
    facing: tuple = FORWARD
    up: tuple = (0.0, 0.0, 1.0)
    leg_length: float = LEG
    ground: float = 0.0


def roles(size=1.0):
    legs = tuple(
        Leg(s, (f"thigh.{s}", f"shin.{s}", f"foot.{s}", f"toe.{s}"), f"toe.{s}", f"toe.{s}") for s in "LR"
    )
    return Roles(legs, leg_length=LEG * size)


def soles(size=1.0):
    def at(side, y, z):
        return (size * side * 0.10, size * y, size * z)

    return [
        Sole(at(s, 0.07, 0), at(s, -0.12, 0), at(s, -0.20, 0), at(s, 0.02, 0.08), at(s, -0.12, 0.02))
        for s in (1, -1)
    ]


def straighten(thing, interpolation="LINEAR"):
    for fcurve in slots.find_curves(thing):
        for point in fcurve.keyframe_points:
            point.interpolation = interpolation
        fcurve.update()


def key(rig, bone, channel, keys, interpolation="LINEAR"):
    """Keys {frame: value} on a channel of a pose bone."""
    pose = rig.pose.bones[bone]
    if channel == "rotation_euler":
        pose.rotation_mode = "XYZ"
    for frame, value in keys.items():
        setattr(pose, channel, value)
        pose.keyframe_insert(channel, frame=frame)
    straighten(rig, interpolation)


def move(rig, keys):
    """Root location keys {frame: (left, up, forward)} in metres: the root's own axes lie that way."""
    key(rig, "root", "location", keys)


def standing(first=1.0, last=25.0):
    """Both feet claimed to stand flat for the whole range."""
    return [Contact(leg, first, first, last, last) for leg in (0, 1)]


def look(rig, contacts, frames=(1, 25), **settings: Any):
    given = {"speed": 0.0, "travel": FORWARD, "in_place": False, "cyclic": False, **settings}
    bpy.context.scene.render.fps = 24
    size = given.pop("size", 1.0)
    return measure(rig, given.pop("roles", roles(size)), soles(size), contacts, frames, **given)


def walking_on_ice():
    """Feet that stand by height for the whole range and are dragged along at 1 m/s."""
    rig = rigs.biped()
    move(rig, {1: (0, 0, 0), 25: (0, 0, 1.0)})
    return rig
