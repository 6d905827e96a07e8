"""Walking bodies for the tests of the gait: skeletons from proportions, and where their feet come to lie."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import amble_core
import numpy as np
from numpy.typing import ArrayLike, NDArray
from tests.reference import quat

Array = NDArray[np.float64]

OPTIONS = {name: (initial, low, high) for name, initial, low, high in amble_core.GAIT_SETTINGS}


def settings(**given: float) -> Array:
    """The core's settings, defaults where nothing is given."""
    assert set(given) <= set(OPTIONS)
    return np.array([given.get(name, initial) for name, (initial, _, _) in OPTIONS.items()])


def turn_about(axis: Sequence[float] | Array, degrees: float) -> Array:
    """Rotation matrix."""
    half = np.radians(degrees) / 2.0
    unit = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis)
    return quat.to_matrix(np.concatenate([[np.cos(half)], np.sin(half) * unit])[:, None]).reshape(3, 3)


@dataclass(frozen=True)
class Figure:
    """Proportions of a body that faces forward. Lengths are shares of `size`, angles degrees."""

    size: float = 1.0
    thigh: float = 0.45
    shin: float = 0.44
    ankle: float = 0.09
    heel: float = 0.06
    ball: float = 0.14
    tip: float = 0.21
    hips: float = 0.18
    toe_out: float = 6.0
    knee: float = 6.0  # bend at rest; negative: bent backwards
    asymmetry: float = 0.0  # how much longer the bones of one leg are
    longer: str = "R"  # which
    spine: int = 3
    neck: int = 2
    arms: bool = True
    toes: bool = True
    root: bool = True
    controls: bool = False  # bones that follow the feet, as an IK rig has them
    helpers: bool = False  # bones that play no part, between those that do
    rolls: int = 0  # seed of the bones' rolls
    flags: int = 0  # seed of the bones' inheritance; 0: all as usual
    turned: tuple[float, float, float] = (0.0, 0.0, 0.0)  # the armature's axes against the body's
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def body(self) -> "Body":
        return _build(self)


@dataclass
class Body:
    """A figure's arguments for the core, names of its bones, and the way back to body axes."""

    figure: Figure
    arguments: dict[str, Any]
    bones: dict[str, int]
    axes: Array  # rows: forward, left, up in armature space
    origin: Array  # on the ground under the pelvis, armature space
    soles: dict[tuple[str, str], Array] = field(default_factory=dict)

    @property
    def leg(self) -> float:
        """Length of the leg, hip joint to ground: the mean of both."""
        f = self.figure
        return f.size * ((f.thigh + f.shin) * (1.0 + 0.5 * f.asymmetry) + f.ankle)

    def run(self, time: ArrayLike, travel: bool = False, **given: float) -> "Walk":
        """The core's walk of this body."""
        values = settings(**{"gravity": 9.81 * self.figure.size, **given})
        moments = np.asarray(time, dtype=np.float64)
        result = amble_core.gait(**self.arguments, settings=values, travel=travel, time=moments)
        return Walk(self, moments, *result)

    def speed(self, vn: float) -> float:
        """Speed of a dimensionless speed."""
        return vn * float(np.sqrt(9.81 * self.figure.size * self.leg))


@dataclass
class Walk:
    """The core's result for a body."""

    body: Body
    time: Array
    bones: NDArray[np.int32]
    motion: NDArray[np.float32]
    slope: NDArray[np.float32]
    summary: Array

    @property
    def figures(self) -> dict[str, float]:
        return dict(zip(amble_core.GAIT_SUMMARY, self.summary.tolist(), strict=True))

    def channels(self, name: str) -> NDArray[np.float32]:
        """Channels (10, frames) of a bone by name."""
        (row,) = np.flatnonzero(self.bones == self.body.bones[name])
        return self.motion[row]

    def poses(self) -> Array:
        """From rest to pose (bones, frames, 4, 4) in body axes, by forward kinematics in float64."""
        given = self.body.arguments
        count, frames = len(given["parents"]), len(self.time)
        rest = given["rest"]
        out = np.tile(np.eye(4), (count, frames, 1, 1))
        rows = {int(bone): row for row, bone in enumerate(self.bones)}
        for bone in range(count):
            parent, flags = int(given["parents"][bone]), int(given["flags"][bone])
            above = out[parent] if parent >= 0 else np.tile(np.eye(4), (frames, 1, 1))
            basis = np.tile(np.eye(3), (frames, 1, 1))
            location = np.zeros((frames, 3))
            if bone in rows:
                moved = self.motion[rows[bone]].astype(np.float64)
                basis = quat.to_matrix(quat.normalise(moved[3:7])).T.reshape(frames, 3, 3)
                location = moved[:3].T
            own = rest[bone, :3, :3]
            base = np.tile(np.eye(3), (frames, 1, 1)) if flags & 2 else above[:, :3, :3]
            seen = own if not flags & 4 else rest[parent, :3, :3] if parent >= 0 else np.eye(3)
            turn = base @ own @ basis @ own.T
            head = np.einsum("fij,fj->fi", above[:, :3, :3], rest[bone, :3, 3] + location @ seen.T)
            out[bone, :, :3, :3] = turn
            out[bone, :, :3, 3] = head + above[:, :3, 3] - turn @ rest[bone, :3, 3]
        frame = np.eye(4)
        frame[:3, :3] = self.body.axes
        frame[:3, 3] = -self.body.axes @ self.body.origin
        return frame @ out @ np.linalg.inv(frame)

    def places(self, poses: Array | None = None) -> dict[tuple[str, str], Array]:
        """Paths (frames, 3) in body axes of hip, knee, ankle, heel, ball and tip of the legs L and R."""
        poses = self.poses() if poses is None else poses
        out = {}
        for side in "LR":
            points = {
                "hip": (f"thigh.{side}", self.rest_head(f"thigh.{side}")),
                "knee": (f"shin.{side}", self.rest_head(f"shin.{side}")),
                "ankle": (f"foot.{side}", self.rest_head(f"foot.{side}")),
                "heel": (f"foot.{side}", self.body.soles[side, "heel"]),
                "ball": (f"foot.{side}", self.body.soles[side, "ball"]),
                "tip": (
                    f"toe.{side}" if self.body.figure.toes else f"foot.{side}",
                    self.body.soles[side, "tip"],
                ),
            }
            for name, (bone, point) in points.items():
                matrix = poses[self.body.bones[bone]]
                out[side, name] = matrix[:, :3, :3] @ point + matrix[:, :3, 3]
        return out

    def rest_head(self, name: str) -> Array:
        """Place in body axes of a bone's head at rest."""
        head = self.body.arguments["rest"][self.body.bones[name], :3, 3]
        return self.body.axes @ (head - self.body.origin)

    def ground(self) -> Array:
        """(frames, 3): what a fixed place of the ground has moved by in body axes since time 0, in place."""
        speed = self.figures["stride"] / self.figures["cycle"]
        return np.stack([-speed * self.time, 0.0 * self.time, 0.0 * self.time], axis=1)


def _leg_points(f: Figure, side: float) -> dict[str, Array]:
    """Joints and sole of one leg at rest, body axes, for a size of 1."""
    longer = 1.0 + (f.asymmetry if side == (-1.0 if f.longer == "R" else 1.0) else 0.0)
    thigh, shin = f.thigh * longer, f.shin * longer
    distance = np.sqrt(thigh**2 + shin**2 + 2.0 * thigh * shin * np.cos(np.radians(f.knee)))
    height = f.ankle + distance
    # The ankle is straight under the hip; the knee is in front of that line by the bend.
    cosine = (thigh**2 + distance**2 - shin**2) / (2.0 * thigh * distance)
    angle = np.copysign(np.arccos(np.clip(cosine, -1.0, 1.0)), f.knee)
    hip = np.array([0.0, side * f.hips / 2.0, height])
    knee = hip + thigh * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    ankle = np.array([0.0, hip[1], f.ankle])
    heading = turn_about((0.0, 0.0, 1.0), side * f.toe_out)

    def sole(forward: float) -> Array:
        return np.array([0.0, hip[1], 0.0]) + heading @ np.array([forward, 0.0, 0.0])

    return {
        "hip": hip,
        "knee": knee,
        "ankle": ankle,
        "heel": sole(-f.heel),
        "ball": sole(f.ball if f.toes else f.tip),  # without a toe the foot rolls off over its front
        "tip": sole(f.tip),
    }


def followed(f: Figure) -> dict[str, str]:
    """By name of a control, the bone that it follows."""
    if not f.controls:
        return {}
    toe = "toe" if f.toes else "foot"
    return {
        f"{name}.{side}": f"{bone}.{side}"
        for side in "LR"
        for name, bone in (("heel", "foot"), ("roll", toe), ("pole", "thigh"))
    }


def mixed(f: Figure) -> dict[str, tuple[str, str, float]]:
    """By name of a bone that others move in shares, the first of them, the second, and its share."""
    return {f"mix.{side}": ("root", f"shin.{side}", 0.3) for side in "LR"} if f.controls else {}


def _build(f: Figure) -> Body:
    rng = np.random.default_rng(f.rolls)
    legs = {side: _leg_points(f, sign) for side, sign in (("L", 1.0), ("R", -1.0))}
    waist = np.array([0.0, 0.0, max(leg["hip"][2] for leg in legs.values()) + 0.05])
    lines: list[tuple[str, str | None, Array, Array]] = []  # name, parent, head, tail: body axes, size 1

    def bone(name: str, parent: str | None, head: Array, tail: Array) -> str:
        if f.helpers and parent is not None and not parent.startswith(("heel", "mix")):
            lines.append((f"{name} helper", parent, head - 0.2 * (tail - head), head))
            parent = f"{name} helper"
        lines.append((name, parent, head, tail))
        return name

    top = bone("root", None, np.zeros(3), np.array([0.3, 0.0, 0.0])) if f.root else None
    bone("pelvis", top, waist, waist + np.array([0.0, 0.0, 0.1]))
    above, place = "pelvis", waist + np.array([0.0, 0.0, 0.1])
    trunk: dict[str, list[str]] = {"spine": [], "neck": []}
    for part, count, length in (("spine", f.spine, 0.45), ("neck", f.neck, 0.25)):
        for i in range(count):
            step = np.array([0.01 * (-1) ** i, 0.0, length / count])
            above = bone(f"{part}.{i}", above, place, place + step)
            trunk[part].append(above)
            place = place + step
    chest = trunk["spine"][-1] if trunk["spine"] else "pelvis"
    for side, sign in (("L", 1.0), ("R", -1.0)):
        at = legs[side]
        bone(f"thigh.{side}", "pelvis", at["hip"], at["knee"])
        bone(f"shin.{side}", f"thigh.{side}", at["knee"], at["ankle"])
        bone(f"foot.{side}", f"shin.{side}", at["ankle"], at["ball"])
        if f.toes:
            bone(f"toe.{side}", f"foot.{side}", at["ball"], at["tip"])
        if f.controls:
            bone(f"heel.{side}", top, at["heel"], at["heel"] + np.array([0.0, 0.0, 0.1]))
            bone(f"roll.{side}", f"heel.{side}", at["ball"], at["ball"] + np.array([-0.03, 0.0, 0.05]))
            bone(f"mix.{side}", None, at["hip"], at["hip"] + np.array([0.1, 0.0, 0.1]))
            bone(f"pole.{side}", f"mix.{side}", at["knee"] + np.array([0.5, 0.0, 0.0]), at["knee"])
        if f.arms:
            shoulder = waist + np.array([0.0, sign * 0.19, 0.42])
            elbow = shoulder + np.array([0.0, sign * 0.2, -0.2])
            bone(f"upper.{side}", chest, shoulder, elbow)
            bone(f"fore.{side}", f"upper.{side}", elbow, elbow + np.array([0.05, sign * 0.15, -0.2]))

    bones = {name: index for index, (name, *_) in enumerate(lines)}
    yaw, pitch, roll = f.turned
    axes = (
        turn_about((0, 0, 1), yaw) @ turn_about((0, 1, 0), pitch) @ turn_about((1, 0, 0), roll)
    ).T  # rows: body axes in armature space
    offset = f.size * np.array(f.offset)

    def out(point: Array) -> Array:
        return f.size * axes.T @ point + offset

    rest = np.tile(np.eye(4), (len(lines), 1, 1))
    for index, (_, _, head, tail) in enumerate(lines):
        y = axes.T @ (tail - head)
        y = y / np.linalg.norm(y)
        side_axis = np.cross(y, axes.T @ np.array([0.3, 0.9, 0.2]))
        x = side_axis / np.linalg.norm(side_axis)
        x = turn_about(y, rng.uniform(-180.0, 180.0) if f.rolls else 0.0) @ x
        rest[index, :3, :3] = np.stack([x, y, np.cross(x, y)], axis=1)
        rest[index, :3, 3] = out(head)
    flags = np.zeros(len(lines), dtype=np.uint32)
    if f.flags:
        flags = np.random.default_rng(f.flags).choice([0, 0, 2, 4, 6], len(lines)).astype(np.uint32)
        # What hangs from a joint's helper would not turn about the joint if the helper did not turn.
        flags[[name.endswith("helper") for name, *_ in lines]] &= 4

    def index_of(name: str) -> int:
        return bones.get(name, -1)

    def rows(*names: str) -> NDArray[np.int32]:
        return np.array([[index_of(f"{name}.{side}") for name in names] for side in "LR"], dtype=np.int32)

    hands = np.zeros((2, 3))
    if f.arms:
        hands = np.array([out(lines[bones[f"fore.{side}"]][3]) for side in "LR"])
    arguments = {
        "parents": np.array([-1 if p is None else bones[p] for _, p, _, _ in lines], dtype=np.int32),
        "rest": rest,
        "flags": flags,
        "pelvis": bones["pelvis"],
        "root": index_of("root"),
        "spine": np.array([bones[name] for name in trunk["spine"]], dtype=np.int32),
        "neck": np.array([bones[name] for name in trunk["neck"]], dtype=np.int32),
        "legs": rows("thigh", "shin", "foot", "toe"),
        "soles": np.array([[out(legs[s][name]) for name in ("heel", "ball", "tip")] for s in "LR"]),
        "leg_phase": np.array([0.0, 0.5]),
        "arms": rows("upper", "fore"),
        "hands": hands,
        "followers": np.array(
            [[bones[name], bones[target]] for name, target in followed(f).items()], dtype=np.int32
        ).reshape(-1, 2),
        "mixed": np.array(
            [[bones[name], index_of(one), index_of(two)] for name, (one, two, _) in mixed(f).items()],
            dtype=np.int32,
        ).reshape(-1, 3),
        "share": np.array([share for _, _, share in mixed(f).values()]),
        "forward": axes[0].copy(),
        "up": axes[2].copy(),
        "ground": float(axes[2] @ offset),
    }
    origin = out(np.zeros(3))
    soles = {(s, n): f.size * legs[s][n] for s in "LR" for n in ("heel", "ball", "tip")}
    return Body(f, arguments, bones, axes, origin, soles)


def straight(figure: Figure) -> Figure:
    """The same figure in an armature with the body's axes, with plain bones: a mirror image of itself."""
    return replace(figure, turned=(0.0, 0.0, 0.0), offset=(0.0, 0.0, 0.0), rolls=0, flags=0)
