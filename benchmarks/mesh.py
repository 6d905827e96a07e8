"""What questions to triangle meshes cost: building, rays, nearest points, clearance of a clip.

    python -m benchmarks.mesh

Milliseconds, the best of several runs, on one thread; the last column is what a hundred times the triangles
cost. Random places are as far apart as the ground is wide, so that each asks for memory that is in no cache;
a track is what a character asks for.
"""

import time
from collections.abc import Callable

import amble_core
import numpy as np

SIZE = 50.0  # half the side of the ground, metres
BONES, FRAMES = 60, 250


def ground(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Hills with stones, `count` triangles or a few more."""
    side = int(np.ceil(np.sqrt(count / 2))) + 1
    line = np.linspace(-SIZE, SIZE, side)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = np.sin(0.3 * x) * np.cos(0.2 * y) + np.random.default_rng(0).uniform(0.0, 0.15, x.shape)
    i = np.arange(side * side, dtype=np.int32).reshape(side, side)
    a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
    triangles = [np.stack(three, axis=-1).reshape(-1, 3) for three in ((a, b, c), (a, c, d))]
    return np.stack([x, y, z], axis=-1).reshape(-1, 3), np.concatenate(triangles)


def drop(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rays straight down over places (2, n)."""
    origin = np.concatenate([places, np.full((1, places.shape[1]), 3.0)])
    return origin, np.broadcast_to([[0.0], [0.0], [-1.0]], origin.shape).copy()


def track(count: int) -> np.ndarray:
    """Places (2, count) along a winding way across the ground."""
    x = np.linspace(-0.9 * SIZE, 0.9 * SIZE, count)
    return np.stack([x, 10.0 * np.sin(0.1 * x)])


def clip(speed: float = 1.4, fps: float = 24.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A body of capsules that goes over the ground with swinging limbs: start, end, radius of each bone and
    frame."""
    rng = np.random.default_rng(2)
    place = rng.uniform(-0.4, 0.4, (BONES, 3, 1))
    place[:, 2, 0] = np.linspace(0.05, 1.8, BONES)
    length = rng.uniform(0.03, 0.4, (BONES, 1, 1))
    time_of = np.arange(FRAMES + 1) / fps
    x = speed * time_of
    z = np.sin(0.3 * x)
    swing = 0.5 * np.sin(2.0 * np.pi * 0.9 * time_of + rng.uniform(0.0, 6.0, (BONES, 1)))
    way = np.stack([np.sin(swing), 0.3 * np.sin(2.0 * swing), -np.cos(swing)], axis=1)
    head = place + np.stack([x, 0.0 * x, z])
    ends = np.stack([head, head + length * way])  # (2, bones, 3, frames + 1)
    start, end = (
        np.ascontiguousarray(np.moveaxis(part, 1, 2).reshape(2, 3, -1))
        for part in (ends[..., :-1], ends[..., 1:])
    )
    return start, end, np.repeat(0.25 * length.ravel(), FRAMES)


def best(call: Callable[[], object], runs: int = 7) -> float:
    """Milliseconds of the fastest of some runs."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def questions(count: int) -> dict[str, Callable[[], object]]:
    """What is asked of a ground of `count` triangles, by name."""
    rng = np.random.default_rng(1)
    random = drop(rng.uniform(-0.95 * SIZE, 0.95 * SIZE, (2, 10_000)))
    along = drop(track(10_000))
    way = rng.normal(size=(3, 10_000))
    points = random[0] - np.array([[0.0], [0.0], [2.0]])
    places = np.ascontiguousarray(along[0][:2])
    start, end, radius = clip()
    vertices, triangles = ground(count)
    mesh = amble_core.mesh_build(vertices, triangles)

    def clearance(limit: float) -> object:
        return amble_core.mesh_clearance(mesh, start, end, radius, limit=limit, tolerance=1e-3)

    what = f"clearance of {BONES} bones x {FRAMES} frames"
    return {
        "build": lambda: amble_core.mesh_build(vertices, triangles),
        "10,000 rays down, along a track": lambda: amble_core.mesh_rays(mesh, *along),
        "10,000 rays down, random places": lambda: amble_core.mesh_rays(mesh, *random),
        "10,000 rays in random directions": lambda: amble_core.mesh_rays(mesh, random[0], way),
        "follow a track of 10,000 places": lambda: amble_core.mesh_follow(mesh, places, 0.0, 1.0, 1.0),
        "10,000 nearest points": lambda: amble_core.mesh_nearest(mesh, points),
        f"{what}, nearer than 0.05": lambda: clearance(0.05),
        f"{what}, nearer than 0.2": lambda: clearance(0.2),
        f"{what}, any": lambda: clearance(1e15),
    }


def main() -> None:
    """Print the table."""
    counts = (1_000, 10_000, 100_000, 1_000_000)
    rows: dict[str, list[float]] = {}
    for count in counts:
        for name, question in questions(count).items():
            rows.setdefault(name, []).append(best(question))
    print(f"{'triangles':>50}" + "".join(f"{count:>12,}" for count in counts) + f"{'100k / 1k':>12}")
    for name, times in rows.items():
        ratio = "" if name == "build" else f"{times[2] / times[0]:>12.2f}"
        print(f"{name:>50}" + "".join(f"{ms:>12.2f}" for ms in times) + ratio)


if __name__ == "__main__":
    main()
