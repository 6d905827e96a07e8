"""Twin of csrc/gait.c, gait_body.c and gait_pose.c: the channels, one bone and frame at a time, in float64.

Poses are 4 by 4 matrices from rest to pose, in armature space; gait_plan.py says where the feet go, and
gait_stilt.py where hips and legs do on legs of one bone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import amble_core
import numpy as np
from numpy.typing import NDArray
from tests.reference import quat
from tests.reference.gait_curves import Array, Curve, central
from tests.reference.gait_plan import foot, make_plan
from tests.reference.gait_stance import Leg, Plan, pelvis, turn, unit
from tests.reference.gait_stilt import Stilts, make_stilts
from tests.reference.pose import NO_LOCAL_LOCATION, NO_ROTATION


@dataclass
class Body:
    """The arguments of the core, and the matrix (4, 4) from armature space to body axes on the ground."""

    given: dict[str, Any]
    to_body: Array
    parts: dict[int, tuple[str, int]]

    @property
    def rest(self) -> Array:
        return self.given["rest"]

    def point(self, place: Array) -> Array:
        """A place in body axes."""
        return self.to_body[:3, :3] @ place + self.to_body[:3, 3]

    def head(self, bone: int) -> Array:
        return self.point(self.rest[bone, :3, 3])


def body_of(given: dict[str, Any]) -> Body:
    forward, up = given["forward"], given["up"]
    axes = np.stack([forward, np.cross(up, forward), up])
    hips = np.mean([given["rest"][thigh, :3, 3] for thigh in given["legs"][:, 0]], axis=0)
    to_body = np.eye(4)
    to_body[:3, :3] = axes
    to_body[:3, 3] = -np.array(
        [axes[0] @ given["rest"][given["pelvis"], :3, 3], axes[1] @ hips, given["ground"]]
    )
    return Body(given, to_body, parts_of(given))


def parts_of(given: dict[str, Any]) -> dict[int, tuple[str, int]]:
    """Which part a bone plays, and which one of its kind it is; later ones go over earlier ones."""
    parts: dict[int, tuple[str, int]] = {}
    if given["root"] >= 0:
        parts[given["root"]] = ("root", 0)
    for name in ("spine", "neck"):
        parts.update({int(bone): (name, i) for i, bone in enumerate(given[name])})
    parts[given["pelvis"]] = ("pelvis", 0)
    for side in (0, 1):
        for name, bone in zip(("thigh", "shin", "foot", "toe"), given["legs"][side], strict=True):
            parts[int(bone)] = (name, side)
        if given["arms"][side, 0] >= 0:
            for name, bone in zip(("upper", "fore"), given["arms"][side], strict=True):
                parts[int(bone)] = (name, side)
    parts.pop(-1, None)
    parts.update({int(bone): ("follower", i) for i, (bone, _) in enumerate(given["followers"])})
    return parts


def plan_of(body: Body, derivatives: Callable[[Curve, float], Array] = central) -> Plan | Stilts:
    """The plan of a stride from the body's rest pose and settings."""
    given = body.given
    settings = {
        option[0]: float(v) for option, v in zip(amble_core.GAIT_SETTINGS, given["settings"], strict=True)
    }
    pelvis_head = body.head(given["pelvis"])
    if given["legs"][0, 1] < 0:
        joints = np.array([body.head(thigh) for thigh in given["legs"][:, 0]])
        soles = np.array([[body.point(place) for place in sole] for sole in given["soles"]])
        return make_stilts(joints, pelvis_head, soles, given["leg_phase"], settings)
    legs = []
    for side in (0, 1):
        thigh, shin, foot_bone, toe = given["legs"][side]
        joint, knee, ankle = body.head(thigh), body.head(shin), body.head(foot_bone)
        heel, ball, tip = (body.point(place) - ankle for place in given["soles"][side])
        legs.append(
            Leg(
                hip=joint - pelvis_head,
                heel=heel,
                ball=ball,
                tip=tip,
                thigh=float(np.linalg.norm(knee - joint)),
                shin=float(np.linalg.norm(ankle - knee)),
                height=float(ankle[2]),
                phase=float(given["leg_phase"][side]),
                toe=bool(toe >= 0),
            )
        )
    return make_plan(legs, float(pelvis_head[0]), settings, derivatives)


# ---- what is asked of each part: turns from rest, in body axes ----


def quaternion_of(matrix: Array) -> Array:
    """Unit quaternion (4,), w >= 0: the eigenvector of the largest eigenvalue of Bar-Itzhack's matrix."""
    m = matrix
    k = np.array(
        [
            [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    q = np.linalg.eigh(k)[1][:, 3]
    return -q if q[0] < 0.0 else q


def mixed(a: Array, b: Array, share: float) -> Array:
    """Rotation matrix a share of the way from a to b, along the straight line between their quaternions."""
    q = quat.nlerp(quaternion_of(a)[:, None], quaternion_of(b)[:, None], np.array([share]))
    return quat.to_matrix(q).reshape(3, 3)


def shortest(start: Array, end: Array) -> Array:
    """The shortest turn from one unit vector to another."""
    axis = np.cross(start, end)
    sine = float(np.linalg.norm(axis))
    return turn(axis / sine, float(np.arctan2(sine, start @ end))) if sine > 0.0 else np.eye(3)


def square_to(v: Array, axis: Array) -> Array:
    return unit(v - axis * (v @ axis))


def from_pair(along: Array, hinge: Array) -> Array:
    return np.stack([along, hinge, np.cross(along, hinge)], axis=1)


def leg_turns(body: Body, leg: Leg, side: int, joint: Array, ankle: Array) -> tuple[Array, Array]:
    """Turns of thigh and shin that put the ankle where it is asked for. The knee goes to the foot's side, or
    to the other where it is bent that way by more than 25 degrees at rest."""
    thigh_bone, shin_bone, foot_bone, _ = body.given["legs"][side]
    rest_joint, rest_knee, rest_ankle = body.head(thigh_bone), body.head(shin_bone), body.head(foot_bone)
    heading = unit(np.array([leg.ball[0], leg.ball[1], 0.0]))
    pole = heading + np.array([1.0, 0.0, 0.0])

    def hinge_of(line: Array) -> Array:
        return np.cross(square_to(pole, line), line)

    rest_hinge = hinge_of(unit(rest_ankle - rest_joint))
    bend = np.cross(unit(rest_knee - rest_joint), unit(rest_ankle - rest_knee)) @ rest_hinge
    if bend < -np.sin(np.radians(25.0)):
        pole, rest_hinge = -pole, -rest_hinge
    distance = min(float(np.linalg.norm(ankle - joint)), leg.thigh + leg.shin)
    down = unit(ankle - joint)
    cosine = (leg.thigh**2 + distance**2 - leg.shin**2) / (2.0 * leg.thigh * distance)
    hinge = hinge_of(down)
    # Positive about the hinge (to the left) is backward at the bottom, so the thigh turns the other way.
    thigh = turn(hinge, -np.arccos(np.clip(cosine, -1.0, 1.0))) @ down
    shin = unit(down * distance - thigh * leg.thigh)
    turns = []
    for rest, now in ((unit(rest_knee - rest_joint), thigh), (unit(rest_ankle - rest_knee), shin)):
        turns.append(from_pair(now, hinge) @ from_pair(rest, square_to(rest_hinge, rest)).T)
    return turns[0], turns[1]


def phases(plan: Plan | Stilts) -> list[float]:
    return plan.phases if isinstance(plan, Stilts) else [leg.phase for leg in plan.legs]


def arm_directions(plan: Plan | Stilts, side: int, phase: float) -> tuple[Array, Array]:
    """Directions of upper arm and forearm."""
    u = phase - phases(plan)[side]
    swing, elbow = plan.curves["shoulder"](u), plan.curves["elbow"](u)
    outward = -1.0 if side else 1.0
    upper = np.array([np.sin(swing), 0.14 * outward, -np.cos(swing)])
    bent = swing + elbow
    fore = np.array([np.sin(bent), (0.05 - 0.15 * np.sin(bent)) * outward, -np.cos(bent)])
    return unit(upper), unit(fore)


def chest(plan: Plan | Stilts, phase: float) -> Array:
    u = phase - phases(plan)[0]
    yaw = turn(np.array([0.0, 0.0, 1.0]), -plan.curves["thorax"](u))
    roll = turn(np.array([1.0, 0.0, 0.0]), -0.2 * plan.curves["list"](u))
    return yaw @ turn(np.array([0.0, 1.0, 0.0]), plan.lean + plan.hunch) @ roll


# ---- poses ----


@dataclass
class Moment:
    """What is asked for at one time: a place of the pelvis, turns by part, feet that have travelled; and the
    hip joints, once the thighs have been posed."""

    phase: float
    travelled: float
    pelvis: Array
    hips: Array
    chest: Array
    ankles: list[Array]
    pitches: list[tuple[float, float]]
    joints: dict[int, Array] = field(default_factory=dict)
    legs: list[Array] = field(default_factory=list)  # turns of legs of one bone


def moment(body: Body, plan: Plan | Stilts, time: float) -> Moment:
    phase = time / plan.figures["cycle"]
    speed = plan.figures["stride"] / plan.figures["cycle"]
    travelled = speed * time if body.given["travel"] else 0.0
    onward = np.array([travelled, 0.0, 0.0])
    if isinstance(plan, Stilts):
        place, hips, legs = plan.at(phase)
        return Moment(phase, travelled, place + onward, hips, chest(plan, phase), [], [], legs=legs)
    place, hips = pelvis(plan, phase)
    feet = [foot(plan, leg, phase) for leg in plan.legs]
    return Moment(
        phase=phase,
        travelled=travelled,
        pelvis=place + onward,
        hips=hips,
        chest=chest(plan, phase),
        ankles=[f.ankle + onward for f in feet],
        pitches=[(f.pitch, f.toe) for f in feet],
    )


def turn_of(body: Body, plan: Plan | Stilts, at: Moment, bone: int, base: Array, head: Array) -> Array:
    """Turn from rest, in body axes, of one bone whose head is at that place; base: what it inherits."""
    part, which = body.parts.get(bone, ("", 0))
    if part == "pelvis":
        return at.hips
    if part == "spine":
        return mixed(at.hips, at.chest, (which + 1) / len(body.given["spine"]))
    if part == "neck":
        return mixed(
            at.chest, turn(np.array([0.0, 1.0, 0.0]), plan.nod), (which + 1) / len(body.given["neck"])
        )
    if isinstance(plan, Stilts):
        if part == "thigh":
            return at.legs[which]
    elif part == "thigh":
        at.joints[which] = head
        return leg_turns(body, plan.legs[which], which, head, at.ankles[which])[0]
    elif part == "shin":
        return leg_turns(body, plan.legs[which], which, at.joints[which], at.ankles[which])[1]
    elif part in ("foot", "toe"):
        return turn(plan.legs[which].axis, -at.pitches[which][part == "toe"])
    if part in ("upper", "fore"):
        bones = body.given["arms"][which]
        elbow = body.head(bones[1])
        end = elbow if part == "upper" else body.point(body.given["hands"][which])
        rest = unit(end - (body.head(bones[0]) if part == "upper" else elbow))
        return shortest(base @ rest, arm_directions(plan, which, at.phase)[part == "fore"]) @ base
    return base


def own_channels(body: Body, bone: int, above: Array, turned: Array, now: Array) -> Array:
    """Location and quaternion (7,) that bring a bone to its pose `now` when its parent's is `above`, and
    how far that is a turn `turned`."""
    rest, flags = body.rest[bone], int(body.given["flags"][bone])
    parent = int(body.given["parents"][bone])
    base = np.eye(3) if flags & NO_ROTATION else turned
    seen = rest[:3, :3]
    if flags & NO_LOCAL_LOCATION:
        seen = body.rest[parent, :3, :3] if parent >= 0 else np.eye(3)
    moved = now @ rest[:, 3] - above @ rest[:, 3]
    basis = rest[:3, :3].T @ base.T @ now[:3, :3] @ rest[:3, :3]
    return np.concatenate([seen.T @ np.linalg.inv(above[:3, :3]) @ moved[:3], quaternion_of(basis)])


def pose(body: Body, plan: Plan | Stilts, time: float) -> list[Array]:
    """Location and quaternion (7,) of every bone that plays a part, in the bones' order."""
    given = body.given
    at = moment(body, plan, time)
    axes = body.to_body[:3, :3]
    followed = {int(bone): int(target) for bone, target in given["followers"]}
    shares = {
        int(row[0]): (int(row[1]), int(row[2]), float(share))
        for row, share in zip(given["mixed"], given["share"], strict=True)
    }
    carried = np.tile(np.eye(4), (len(body.rest), 1, 1))  # from rest to pose, armature space

    def above(bone: int) -> Array:
        parent = int(given["parents"][bone])
        return carried[parent] if parent >= 0 else np.eye(4)

    for bone, rest in enumerate(body.rest):
        if bone in followed or bone in shares:
            continue
        base = np.eye(3) if int(given["flags"][bone]) & NO_ROTATION else above(bone)[:3, :3]
        head = (above(bone) @ rest[:, 3])[:3]
        part = body.parts.get(bone, ("", 0))[0]
        if part == "root":
            head = head + axes.T @ np.array([at.travelled, 0.0, 0.0])
        elif part == "pelvis":
            head = head + axes.T @ (at.pelvis - body.point(head))
        turned = axes.T @ turn_of(body, plan, at, bone, axes @ base @ axes.T, body.point(head)) @ axes
        carried[bone, :3, :3] = turned
        carried[bone, :3, 3] = head - turned @ rest[:3, 3]
    for bone, target in followed.items():
        carried[bone] = carried[target]
    turns = carried[:, :3, :3].copy()
    for bone, (one, two, share) in shares.items():
        first, second = (carried[k] if k >= 0 else np.eye(4) for k in (one, two))
        carried[bone] = (1.0 - share) * first + share * second
        turns[bone] = mixed(first[:3, :3], second[:3, :3], share)
    found = []
    for bone in sorted(body.parts):
        parent = int(given["parents"][bone])
        turned = turns[parent] if parent >= 0 else np.eye(3)
        found.append(own_channels(body, bone, above(bone), turned, carried[bone]))
    return found


def channels(body: Body, plan: Plan | Stilts, time: float) -> tuple[Array, Array]:
    """Channels (moved, 10) and their derivatives a second, from five poses close to one another."""
    step = 1e-4 * plan.figures["cycle"]
    samples = [np.array(pose(body, plan, time + k * step)) for k in (-2, -1, 0, 1, 2)]
    middle = samples[2]
    for sample in samples:
        sample[:, 3:] *= np.where(np.sum(sample[:, 3:] * middle[:, 3:], axis=1) < 0.0, -1.0, 1.0)[:, None]
    slope = (8.0 * (samples[3] - samples[1]) - (samples[4] - samples[0])) / (12.0 * step)
    ones = np.ones((len(middle), 3))
    return np.hstack([middle, ones]), np.hstack([slope, 0.0 * ones])


def gait(
    derivatives: Callable[[Curve, float], Array] = central, **given: Any
) -> tuple[NDArray[np.int32], Array, Array, dict[str, float]]:
    """What amble_core.gait returns for the same arguments; the summary by name.

    derivatives: how the ends of the swing are fitted to the stance: as the core does, or `exact`."""
    body = body_of(given)
    plan = plan_of(body, derivatives)
    bones = np.array(sorted(body.parts), dtype=np.int32)
    frames = [channels(body, plan, float(time)) for time in given["time"]]
    motion = np.array([f[0] for f in frames]).reshape(-1, len(bones), 10).transpose(1, 2, 0)
    slope = np.array([f[1] for f in frames]).reshape(-1, len(bones), 10).transpose(1, 2, 0)
    return bones, motion, slope, plan.figures
