"""Legs as transitions hold them: feet on legs of plain bones, and controls that carry a rig's feet."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import core
from ..action.channels import MODES
from ..action.read import to_quaternions
from ..errors import AmbleError
from ..reading import Rig
from ..rig.controls import Control, Controls
from ..rig.parts import body_parts
from ..rig.search import find_controls
from ..rig.skeleton import FLAG_NO_LOCAL_LOCATION
from .clips import Float32, Frame
from .ground import Floats, poses
from .source import Source

# Most frames of each clip that legs are looked at in for the axes that they bend about, and the sine of the
# bend, on the whole, below which they are straight.
SEEN, BENT = 9, 0.03


@dataclass(frozen=True, slots=True)
class Foot:
    """A leg's foot. end: bone that is held; chain: bones that bring it there, none where the end is a control
    that the rig's own constraints bring the leg to; points: heel and toe joint,
    (2, 3) in the axes of the end; group: feet of one group step together; name: for messages; hinges:
    (chain, 3), axis in each bone's own axes that its joint bends about, of which a positive turn bends it
    further, the first's 0; axes: (3, 3), of the end as it is seen, along which its location is counted."""

    end: int
    chain: tuple[int, ...]
    points: Floats
    group: int
    name: str
    hinges: Floats
    axes: Floats = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True, slots=True)
class Legs:
    """Feet, and the skeleton that they are seen in: controls hang there from what carries them in the end,
    whatever constraints do that with."""

    frame: Frame
    feet: tuple[Foot, ...]

    def seen(self, numbers: Float32) -> Float32:
        """Numbers (bones, 10, f) as channels of that skeleton, with every rotation as a quaternion."""
        channels = numbers.copy()
        to_quaternions(channels, [MODES[mode] for mode in self.frame.modes])
        for foot in self.feet:
            if not foot.chain:
                channels[foot.end, :3] = foot.axes.T @ channels[foot.end, :3]
        return channels

    def written(self, channels: Float32, near: Float32) -> Float32:
        """Such channels in each bone's own numbers, next to those of `near` (bones, 10) first."""
        for foot in self.feet:
            if not foot.chain:
                channels[foot.end, :3] = foot.axes @ channels[foot.end, :3]
        count = len(self.frame.names)
        found: Float32 = core.load().rotations_from_world(
            np.full(count, -1, np.int32),
            np.repeat(np.eye(4)[None], count, 0),
            np.zeros(count, np.uint32),
            self.frame.modes,
            channels,
            np.ascontiguousarray(near),
        )
        return found


def legs_of(target: Any, rig: Rig, frame: Frame, kept: dict[str, Any]) -> Legs:
    """The feet that can be held: those at the end of legs of plain bones, and those that a rig's controls
    bring to their places. kept: what was found out about the rig before."""
    feet = _plain(rig, frame)
    return Legs(frame, feet) if feet else _controlled(target, rig, frame, kept)


def _plain(rig: Rig, frame: Frame) -> tuple[Foot, ...]:
    skeleton, roles = rig.skeleton, rig.roles
    place = frame.place
    driven = {
        skeleton.names[link.bone]
        for link in skeleton.links
        if link.kind in ("IK", "ARMATURE", "COPY_TRANSFORMS")
    }
    found = []
    for leg, sole in zip(roles.legs, rig.soles, strict=True):
        bones = list(leg.bones)
        last = bones.index(leg.toe) if leg.toe in bones else len(bones)
        own = bones[: max(last, 2)]
        if len(own) < 2 or driven & set(own):
            continue
        *chain, end = own
        rest = skeleton.rest[skeleton.index(end)]
        points = np.stack([(point - rest[:3, 3]) @ rest[:3, :3] for point in (sole.heel, sole.pivot)])
        # Left and right in turn, and fore against hind, as animals step.
        group = (leg.side == "L") != (leg.pair in ("fore", "2", "4"))
        links = tuple(place[bone] for bone in chain)
        found.append(Foot(place[end], links, points, int(group), end, np.zeros((len(links), 3))))
    return tuple(found)


def with_hinges(
    frame: Frame, feet: Sequence[Foot], sources: Sequence[Source], facing: Floats
) -> tuple[Foot, ...]:
    """The feet, with the axes that the joints of their legs bend about in the clips; where those keep them
    straight, the axis that lets a knee go forward.

    Between two poses that are bent well a blended leg may be straight, or a little bent the other way: what
    brings its foot to a place must not take its knee from one side to the other there.
    """
    if not any(foot.chain for foot in feet):
        return tuple(feet)
    times = [
        source.first + np.unique(np.rint(np.linspace(0.0, source.last - source.first, SEEN)))
        for source in sources
    ]
    numbers = [source.numbers(time) for source, time in zip(sources, times, strict=True)]
    pose = poses(frame, np.concatenate(numbers, axis=2)).reshape(len(frame.names), 3, 4, -1)
    found = []
    for foot in feet:
        heads = [pose[bone, :, 3] for bone in (*foot.chain, foot.end)]
        hinges = np.zeros((len(foot.chain), 3))
        for k, bone in enumerate(foot.chain[1:], start=1):
            u, v = heads[k] - heads[k - 1], heads[k + 1] - heads[k]
            u, v = (way / np.maximum(np.linalg.norm(way, axis=0), 1e-12) for way in (u, v))
            axes = pose[bone, :, :3] / np.maximum(np.linalg.norm(pose[bone, :, :3], axis=0), 1e-12)
            bent = np.einsum("ijf,if->j", axes, np.cross(u, v, axis=0)) / u.shape[1]
            if float(np.linalg.norm(bent)) < BENT:
                rest = frame.rest[bone, :3, :3]
                bent = rest.T @ np.cross(rest[:, 1], -facing)
            hinges[k] = bent / max(float(np.linalg.norm(bent)), 1e-12)
        found.append(dataclasses.replace(foot, hinges=hinges))
    return tuple(found)


def _controlled(target: Any, rig: Rig, frame: Frame, kept: dict[str, Any]) -> Legs:
    """Feet that controls carry, place and turn in one, and that hang from nothing or from the root."""
    none = Legs(frame, ())
    if "controls" not in kept:
        try:
            parts = body_parts(rig.skeleton, rig.roles)
            travels = rig.roles.root is not None
            kept["controls"] = find_controls(target, rig.roles, parts, travels=travels)
        except AmbleError:
            kept["controls"] = None
    controls: Controls | None = kept["controls"]
    if controls is None:
        return none
    parents, rest, flags = frame.parents.copy(), frame.rest.copy(), frame.flags.copy()
    place, skeleton = frame.place, rig.skeleton
    bone_of = {part.key: part.bone for part in controls.parts}
    feet = []
    for leg, sole in zip(rig.roles.legs, rig.soles, strict=True):
        part = f"foot.{leg.side}"
        own = [one for one in controls.controls if one.follows == part and _carries(one, bone_of, frame)]
        if not own or part not in bone_of:
            continue
        control = own[0]
        end = place[control.bone]
        # At rest, all controls at rest, the foot may lie elsewhere than in its own rest pose.
        moved = controls.zero[bone_of[part]] @ np.linalg.inv(skeleton.rest[skeleton.index(bone_of[part])])
        back = np.linalg.inv(controls.zero[control.bone]) @ moved
        points = np.stack([(back @ np.append(point, 1.0))[:3] for point in (sole.heel, sole.pivot)])
        parents[end] = 0 if control.anchor is None else place[bone_of[control.anchor]]
        axes: Floats = np.eye(3)
        if flags[end] & FLAG_NO_LOCAL_LOCATION:
            # Its location is along the axes of the bone that it really hangs from.
            above = skeleton.names[skeleton.parents[skeleton.index(control.bone)]]
            axes = np.linalg.inv(_axes(controls.zero[above])) @ _axes(controls.zero[control.bone])
        rest[end], flags[end] = controls.zero[control.bone], 0
        feet.append(Foot(end, (), points, int(leg.side == "L"), control.bone, np.zeros((0, 3)), axes))
    seen = dataclasses.replace(frame, parents=parents, rest=rest, flags=flags)
    return Legs(seen, tuple(feet)) if feet else none


def _carries(control: Control, bone_of: dict[str, str], frame: Frame) -> bool:
    """Whether a control has a foot's place and turn, and hangs as a bone of the skeleton would."""
    place = frame.place
    if not (control.location and control.rotation) or control.hinge or control.second is not None:
        return False
    if control.bone not in place:
        return False
    if control.anchor is None:
        return True
    above = place.get(bone_of.get(control.anchor, ""), -1)
    return control.anchor == "root" and 0 <= above < place[control.bone]


def set_controls(frame: Frame, wanted: Sequence[tuple[int, Float32]], channels: Float32) -> None:
    """Give bones the locations and rotations, in place, that bring them to (place, turn) (7, f) each.
    channels: (bones, 10, f) with quaternions."""
    if not wanted:
        return
    native = core.load()
    pose = native.forward_kinematics(frame.parents, frame.rest, frame.flags, channels)
    for bone, way in wanted:
        above = int(frame.parents[bone])
        carried = pose[above].reshape(3, 4, -1).astype(np.float64)
        local = np.linalg.inv(frame.rest[above]) @ frame.rest[bone]
        axes = np.einsum("ijf,jk->fik", carried[:, :3], local[:3, :3])
        head = np.einsum("ijf,j->fi", carried[:, :3], local[:3, 3]) + carried[:, 3].T
        channels[bone, :3] = np.linalg.solve(axes, (way[:3].T - head)[..., None])[..., 0].T
        axes /= np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-12)
        level = native.quaternion_from_matrix(np.ascontiguousarray(axes.reshape(-1, 9).T, np.float32))
        level[1:] *= -1.0
        channels[bone, 3:7] = native.quaternion_multiply(level, np.ascontiguousarray(way[3:], np.float32))


def _axes(matrix: Floats) -> Floats:
    found: Floats = matrix[:3, :3] / np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-12)
    return found
