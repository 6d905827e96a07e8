"""The same bits whatever the back-end, and however the frames are cut into calls."""

import hashlib

import amble_core
import numpy as np
import pytest
from tests.core import skeletons


def problem(frames: int = 37) -> dict[str, np.ndarray]:
    """Inputs made of sums and products only, so that they are the same on every platform."""
    rng = np.random.default_rng(20240229)

    def uniform(*shape: int) -> np.ndarray:
        return rng.uniform(-1.0, 1.0, shape)

    flags = skeletons.all_flags()
    bones = len(flags)
    rest = np.tile(np.eye(4), (bones, 1, 1))
    rest[:, :3] += 0.3 * uniform(bones, 3, 4)
    return {
        "parents": (np.arange(bones) // 2 - 1).astype(np.int32).clip(-1),
        "rest": rest,
        "flags": flags,
        "channels": (uniform(bones, 10, frames) + 0.5).astype(np.float32),
        "a": uniform(4, frames).astype(np.float32),
        "b": uniform(4, frames).astype(np.float32),
        "t": uniform(frames).astype(np.float32),
        "u": uniform(3, frames).astype(np.float32),
        "v": uniform(3, frames).astype(np.float32),
        "w": uniform(3, frames).astype(np.float32),
        "phase": 100.0 * uniform(frames),
        "time": 12.0 * uniform(frames),
        "vertices": uniform(60, 3),
        "triangles": np.arange(60, dtype=np.int32).reshape(20, 3),
    }


def mirrored(p: dict[str, np.ndarray]) -> np.ndarray:
    """Six of the bones as a mirror image, half of them worked out from poses."""
    rest = np.tile(np.eye(4), (6, 1, 1))
    rest[:, :3, 3] = p["rest"][:6, :3, 3]
    rest[2, :2, :2] = [[0.6, -0.8], [0.8, 0.6]]
    parents = np.array([-1, 0, 0, 1, 1, 3], np.int32)
    partner = np.array([0, 2, 1, 4, 3, 5], np.int32)
    plane, turn = np.array([0.6, 0.0, 0.8, 0.1]), np.eye(4)[:3].copy()
    turn[:2] = turn[1::-1] * [[-1.0], [1.0]]
    channels = np.ascontiguousarray(p["channels"][:6])
    return amble_core.mirror(parents, rest, np.zeros(6, np.uint32), partner, plane, turn, channels)


def pinned(p: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """A chain of three bones of the skeleton held where another frame has it."""
    skeleton = p["parents"], p["rest"], p["flags"]
    places = np.ones((1, 7, p["t"].size), dtype=np.float32)
    places[0, :3], places[0, 3:] = p["u"], p["a"]
    return amble_core.pin_hold(
        *skeleton,
        p["channels"],
        chains=np.array([[0, 2, 6]], dtype=np.int32),
        ends=np.array([14], dtype=np.int32),
        points=np.zeros((1, 3)),
        turned=np.ones(1, dtype=np.int32),
        hinges=np.ones((1, 3, 3)),
        bound=np.zeros((1, 3), dtype=np.int32),
        soft=np.full(1, 0.1),
        places=places,
    )


def idled(p: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """One character of five bones, two sets."""
    rng = np.random.default_rng(5)
    times = np.array([0.0, 1.0, 1.5, 3.0, 0.0, 2.0])
    phase = p["phase"]
    return amble_core.idle(
        np.array([4, 2], dtype=np.int32),
        times,
        rng.uniform(-1.0, 1.0, (5, 3, 6)).astype(np.float32),
        rng.uniform(-1.0, 1.0, (1, 3, 6)).astype(np.float32),
        between=np.array([1, 0], dtype=np.int32),
        after=np.array([0, 1], dtype=np.int32),
        held_turns=rng.uniform(-1.0, 1.0, (1, 5, 4)).astype(np.float32),
        held_moves=np.zeros((1, 1, 3), dtype=np.float32),
        coefficients=rng.uniform(0.5, 2.0, (1, 6)).astype(np.float32),
        set_times=np.ascontiguousarray(np.stack([phase, 0.5 * phase])[None]),
        origins=np.zeros((1, 2)),
        weights=np.ascontiguousarray(np.stack([p["t"], p["t"]])[None]),
    )


def results(p: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What every function makes of the inputs, frames last."""
    square = np.array([[-1.0, 1.2], [1.0, 1.0], [1.5, -1.0], [-1.0, -1.0]])
    unit = amble_core.quaternion_normalise(p["a"]), amble_core.quaternion_normalise(p["b"])
    matrix = amble_core.quaternion_to_matrix(unit[0])
    curves = np.linspace(-4.0, 5.0, 28).reshape(14, 2).astype(np.float32)
    kinds = np.array([0, 1, 2, 2, 2, 2, 2] * 2, dtype=np.int32)
    beyond = np.array([[1, 0, 0, 0, 0], [0, 2, 0, 3, 0]], dtype=np.int32)
    starts = np.array([0, 7, 14])
    order = np.array([2, 0, 1], dtype=np.int32)
    mesh = amble_core.mesh_build(p["vertices"], p["triangles"])
    u, v, w = (p[name].astype(np.float64) for name in "uvw")
    many: dict[str, tuple[np.ndarray, ...]] = {
        "fk": (amble_core.forward_kinematics(p["parents"], p["rest"], p["flags"], p["channels"]),),
        "ik": amble_core.two_bone_ik(p["u"], p["v"], p["w"], 0.6, 0.5, limit=0.99),
        "ellipse": amble_core.orbit_ellipse(p["phase"], 2.0, 0.7, tilt=0.2),
        "ellipse even": amble_core.orbit_ellipse(p["phase"], 2.0, 0.7, tilt=0.2, even=True),
        "polygon": amble_core.orbit_polygon(p["phase"], square, tilt=0.1),
        "polygon even": amble_core.orbit_polygon(p["phase"], square, even=True),
        "sine": (amble_core.sine_cosine(p["phase"]),),
        "multiply": (amble_core.quaternion_multiply(p["a"], p["b"]),),
        "normalise": unit,
        "rotate": (amble_core.quaternion_rotate(unit[0], p["u"]),),
        "nlerp": (amble_core.quaternion_nlerp(*unit, p["t"]),),
        "slerp": (amble_core.quaternion_slerp(*unit, p["t"]),),
        "between": (amble_core.quaternion_between(p["u"], p["v"]),),
        "pins": pinned(p),
        "idle": idled(p),
        "matrix": (matrix, amble_core.quaternion_from_matrix(matrix)),
        "curves": (
            amble_core.sample_curves(
                starts, curves, curves - 0.5, curves[::-1].copy(), kinds, beyond, p["time"]
            ),
        ),
        "mirror": (mirrored(p),),
        "euler": (amble_core.quaternion_from_euler(p["u"], order),),
        "axis and angle": (amble_core.quaternion_from_axis_angle(p["a"]),),
        "rays": amble_core.mesh_rays(mesh, u, v, length=3.0),
        "nearest": amble_core.mesh_nearest(mesh, u, limit=0.5),
        "clearance": amble_core.mesh_clearance(
            mesh, np.stack([u, v]), np.stack([v, w]), np.abs(u[0]), limit=0.3, tolerance=0.01
        ),
    }
    return {f"{name} {i}": value for name, values in many.items() for i, value in enumerate(values)}


GOLDEN = "82524fbb25cc33d435c133725f251b142d7cec889405f2723464a1425651a9d0"


def test_every_build_gives_the_same_bits():
    digest = hashlib.sha256()
    for name, value in results(problem()).items():
        assert np.isfinite(value).all(), name
        digest.update(name.encode() + np.ascontiguousarray(value).tobytes())
    assert digest.hexdigest() == GOLDEN


@pytest.mark.parametrize(("begin", "end"), [(0, 1), (1, 2), (36, 37), (5, 8), (3, 7), (2, 19), (8, 16)])
def test_frames_computed_alone_equal_the_same_frames_of_the_whole(begin, end):
    whole = results(problem())
    constant = ("parents", "rest", "flags", "vertices", "triangles")
    part = {
        name: value if name in constant else np.ascontiguousarray(value[..., begin:end])
        for name, value in problem().items()
    }
    for name, value in results(part).items():
        assert value.tobytes() == np.ascontiguousarray(whole[name][..., begin:end]).tobytes(), name
