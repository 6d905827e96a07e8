"""Twin of csrc/orbit_ride.c and orbit_land.c: one frame and one part after the other, in float64, by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.reference import orbit

Array = NDArray[np.float64]
GOINGS = ("forward", "backward", "sideways")


def rotated(facing: Array, v: Array) -> Array:
    """From a level facing's axes."""
    left = np.array([-facing[1], facing[0], 0.0])
    return facing * v[0] + left * v[1] + np.array([0.0, 0.0, v[2]])


def vector(row: Mapping[str, float], name: str) -> Array:
    """Three fields of a part."""
    return np.array([row.get(f"{name}_{axis}", 0.0) for axis in ("forward", "left", "up")])


class Rider:
    """Parts on orbits. parts: (fields by name, corners); settings by name, all of them."""

    def __init__(self, parts: list[Any], settings: Mapping[str, float]) -> None:
        self.parts, self.settings = parts, settings
        self.travel = self.time = 0.0
        self.direction: Array | None = None
        self.weights: Array | None = None

    def size(self, row: Mapping[str, float], name: str, share: float) -> float:
        """A size at a share of the fast one."""
        assert self.weights is not None
        ends = [(row[f"{g}_slow_{name}"], row[f"{g}_fast_{name}"]) for g in GOINGS]
        return float(sum(w * (a + share * (b - a)) for w, (a, b) in zip(self.weights, ends, strict=True)))

    def step(
        self, position: Array, velocity: Array, facing: Array, dt: float
    ) -> tuple[list[Array], list[float]]:
        """Places and phases of all parts in the next frame."""
        s = self.settings
        facing = np.array([facing[0], facing[1], 0.0]) / np.hypot(facing[0], facing[1])
        speed = float(np.linalg.norm(velocity))
        share = float(np.clip((speed - s["slow"]) / (s["fast"] - s["slow"]), 0.0, 1.0))
        r, growth = 0.0, 1.0
        going = "forward"
        if speed > 0.0:
            r = float(velocity @ facing) / speed
            going = "forward" if r >= 0.5 else "backward" if r <= -0.5 else "sideways"
            direction = np.array([r, (velocity[1] * facing[0] - velocity[0] * facing[1]) / speed])
            if self.direction is None:
                self.direction = direction
            else:
                off = direction - self.direction
                growth += s["growth"] * min(float(np.linalg.norm(off)) / 2.0, 1.0)
                late = s["growth_time"]
                self.direction = self.direction + off * (dt / (dt + late) if late else 1.0)
        goal = np.array([float(g == going) for g in GOINGS])
        if self.weights is None:
            self.weights = goal
        elif speed > 0.0:
            self.weights = self.weights + (goal - self.weights) * (
                dt / (dt + s["ease"]) if s["ease"] else 1.0
            )
        k = s["rate"]
        if k == 0.0:
            leader = self.parts[int(s["leader"])][0]
            k = 2.0 * np.pi / (s["axes"] * self.size(leader, "length", share) * leader["rate"])
        self.travel += (-1.0 if s["reverse"] and r < 0.0 else 1.0) * k * speed * growth * dt
        self.time += dt
        return self.places(position, facing, share)

    def places(self, position: Array, facing: Array, share: float) -> tuple[list[Array], list[float]]:
        """Of all parts, parents first."""
        places: list[Array] = []
        ways: list[Array] = []
        phases = []
        for row, corners in self.parts:
            phase = row.get("phase", 0.0) + row["rate"] * self.travel + row.get("spin", 0.0) * self.time
            if row["curve"] == 2.0:
                way, top = vector(row, "echo") * ways[int(row["source"])], 0.0
            else:
                way, top = self.way(row, corners, phase, share)
            on = int(row["on"])
            centre = vector(row, "centre") - np.array([0.0, 0.0, top if row.get("top") else 0.0])
            places.append((position if on < 0 else places[on]) + rotated(facing, centre + way))
            ways.append(way)
            phases.append(phase)
        return places, phases

    def way(self, row: Mapping[str, float], corners: Any, phase: float, share: float) -> tuple[Array, float]:
        """From the orbit's centre, in the character's axes, and how far its highest point is over that."""
        length, height, tilt = (self.size(row, name, share) for name in ("length", "height", "tilt"))
        points = np.array([phase])
        many = np.linspace(0.0, 2.0 * np.pi, 20_001)
        if row["curve"] == 1.0:
            sized = np.array(corners) * [length, height]
            place = (
                orbit.curve_by_length(points, sized.T)
                if row.get("pace")
                else orbit.polygon_by_angle(points, sized)
            )
            outline = sized.T
        else:
            a, b = max(length / 2.0, 1e-12), max(height / 2.0, 1e-12)
            outline = np.stack([a * np.sin(many), b * np.cos(many)])
            if row.get("pace"):
                place = orbit.ellipse_by_length(points, a, b, 40_000)
            elif min(length, height) == 0.0:  # a line, under a circle
                place = np.stack([a * np.sin(points) * (length > 0.0), b * np.cos(points) * (height > 0.0)])
            else:
                place = orbit.ellipse_by_angle(points, a, b)
        ahead, upward = vector(row, "ahead"), vector(row, "upward")

        def out(flat: Array) -> Array:
            return np.outer(ahead, orbit.tilted(flat, tilt)[0]) + np.outer(
                upward, orbit.tilted(flat, tilt)[1]
            )

        return out(place)[:, 0], float(out(outline)[2].max())


def landed(
    place: Array, speed: float, height: float, normal: Array, clearance: float, settings: Mapping[str, float]
) -> tuple[Array, bool]:
    """Where a foot is put, and whether its heel is down (G11, G12, G14)."""
    normal = normal / np.linalg.norm(normal)
    ground = height + clearance / normal[2]
    above = max(place[2] - ground, 0.0)
    if speed < settings["threshold"]:
        above *= speed / settings["threshold"]
    return np.array([place[0], place[1], ground + above]), above < settings["down"]


def sole(last: Array, down: bool, normal: Array, facing: Array, toe_out: float, angle: float) -> Array:
    """Out of the sole, in the axes of the foot's own direction: the ground's normal, or turned towards up."""
    if down:
        level = np.array([facing[0], facing[1], 0.0]) / np.hypot(facing[0], facing[1])
        foot = rotated(level, np.array([np.cos(toe_out), np.sin(toe_out), 0.0]))
        unit = normal / np.linalg.norm(normal)
        return np.array([unit @ foot, unit @ np.array([-foot[1], foot[0], 0.0]), unit[2]])
    lean = np.arccos(np.clip(last[2], -1.0, 1.0))
    if lean <= angle:
        return np.array([0.0, 0.0, 1.0])
    across = last[:2] / np.linalg.norm(last[:2])
    return np.array([*(across * np.sin(lean - angle)), np.cos(lean - angle)])
