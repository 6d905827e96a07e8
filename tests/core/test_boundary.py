"""The module's boundary: every argument, given in every wrong way, is named in an exception."""

import threading
import time

import amble_core
import numpy as np
import pytest
from tests.core import riders
from tests.core.animals import Animal, steady
from tests.core.animals import settings as legged_settings
from tests.core.bodies import Figure, settings

F, D = np.float32, np.float64
SQUARE = ((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))


def orbit_arguments() -> dict[str, dict[str, object]]:
    """The same of the orbit gait's functions."""
    figure = Figure(controls=True, root=False, neck=2)
    orbits, vertices = riders.rows(
        riders.part(), riders.part(lands=1.0, on=0.0), riders.part(lands=1.0, corners=SQUARE)
    )
    level = np.zeros((3, 5))
    level[0] = 1.0
    up = np.zeros((2, 6, 5))
    up[:, 2] = 1.0
    course = {"position": level, "velocity": level, "facing": level, "dt": np.full(5, 0.1)}
    common = {"orbits": orbits, "vertices": vertices, "ride": riders.ride(), **course}
    body = figure.body()
    return {
        "orbit_ride": {**common, "state": np.zeros(amble_core.ORBIT_STATE)},
        "orbit_land": {
            **common,
            "tracks": np.zeros((3, 6, 5)),
            "height": np.zeros((2, 5)),
            "normal": np.ascontiguousarray(up[:, :3]),
            "state": np.zeros((2, 3)),
        },
        "orbit_pose": {
            **body.arguments,
            "extras": np.array([[body.bones["neck.0"], 1], [body.bones["neck.1"], 0]], dtype=np.int32),
            "travel": True,
            "course": np.zeros((6, 5)),
            "facing": level,
            "turning": np.zeros(5),
            "waist": np.ones((6, 5)),
            "ankles": np.zeros((2, 6, 5)),
            "sole_tracks": up,
            "toe_out": np.zeros(2),
            "hand_tracks": np.zeros((2, 6, 5)),
            "extra_tracks": np.full((2, 6, 5), 2.0),
            "lean": 0.1,
        },
    }


def legged_arguments() -> dict[str, dict[str, object]]:
    """The same of gaits on any number of legs: six of them, one a follower's."""
    animal = Animal(3)
    count = len(animal.names)
    animal.add("control", 0, (0.0, 0.5, 0.0), "tail")
    animal.add("hinge", 0, (0.0, 0.0, 0.5), "tail")
    animal.add("held", count + 1, (0.0, 0.0, 0.5), "tail")
    del animal.parts[-3:], animal.weight[-3:]
    way = steady((0.0, 0.5) * 3, 0.5, 1.0, 1.0, seconds=3.0)
    common = {
        **animal.arguments,
        "followers": np.array([[count, count - 1], [count + 2, count - 1]], dtype=np.int32),
        "mixed": np.array([[count + 1, 1, -1]], dtype=np.int32),
        "share": np.array([0.5]),
        "settings": legged_settings(),
        **way,
    }
    falls = amble_core.legged_plan(**common)
    return {
        "legged_plan": common,
        "legged_pose": {**common, "footfalls": falls, "travel": True, "time": np.linspace(0.0, 1.0, 5)},
    }


def fit_arguments() -> dict[str, object]:
    """Three bones, two of them a chain that carries two points."""
    rest = np.tile(np.eye(4), (3, 1, 1))
    rest[:, 1, 3] = np.arange(3.0)
    return {
        "time": np.arange(5.0),
        "key": np.ones(5, dtype=np.int32),
        "value": np.ones((3, 10, 5), dtype=F),
        "slope": np.zeros((3, 10, 5), dtype=F),
        "keyed": np.ones((3, 10), dtype=np.int32),
        "mode": np.zeros(3, dtype=np.int32),
        "tolerance": np.full((3, 3, 5), 0.1, dtype=F),
        "chain": np.array([-1, 0, 0], dtype=np.int32),
        "rest": rest,
        "carrier": np.array([2, 2], dtype=np.int32),
        "place": np.ones((2, 3)),
        "point_tolerance": np.full((2, 5), 0.1, dtype=F),
    }


def line_of_bones() -> dict[str, object]:
    """Four bones, one on the other, and poses of them: what the pins' functions begin with."""
    rest = np.tile(np.eye(4), (4, 1, 1))
    rest[:, 1, 3] = np.arange(4.0)
    return {
        "parents": np.arange(-1, 3, dtype=np.int32),
        "rest": rest,
        "flags": np.zeros(4, dtype=np.uint32),
        "channels": np.ones((4, 10, 5), dtype=F),
    }


def blend_arguments() -> dict[str, dict[str, object]]:
    """The same of the transitions' functions: two bones, five frames."""
    skeleton = {
        "parents": np.array([-1, 0], dtype=np.int32),
        "rest": np.tile(np.eye(4), (2, 1, 1)),
        "flags": np.zeros(2, dtype=np.uint32),
    }
    modes = np.array([0, 2], dtype=np.int32)
    ends = np.ones((2, 10, 3), dtype=F)
    channels = np.ones((2, 10, 5), dtype=F)
    values = np.ones((2, 5), dtype=F)
    moved = np.array([*np.zeros(3), *np.ones(3), 1.0, *np.zeros(3), 0.0, 0.0, 1.0, *np.zeros(4), 4.0])
    return {
        "blend": {
            "modes": modes,
            "time": np.arange(5.0),
            "start": ends,
            "onto": ends,
            "b": channels,
            "begin": np.zeros(2),
            "length": np.full(2, 4.0),
            "curve": 3,
            "a": channels,
        },
        "blend_values": {
            "time": np.arange(5.0),
            "start": np.ones((2, 3), dtype=F),
            "onto": np.ones((2, 3), dtype=F),
            "b": values,
            "length": 4.0,
            "curve": 3,
            "a": values,
        },
        "settle_rotations": {"modes": modes, "channels": channels},
        "slopes": {"time": np.arange(5.0), "values": values},
        "rotations_to_world": {**skeleton, "modes": modes, "channels": channels},
        "rotations_from_world": {
            **skeleton,
            "modes": modes,
            "channels": channels,
            "near": np.ones((2, 10), dtype=F),
        },
        "stand": {
            "pose": np.ones((12, 5), dtype=F),
            "rest": np.eye(4),
            "up": np.array([0.0, 0.0, 1.0]),
            "time": np.arange(5.0),
            "at": 2.0,
        },
        "move_ground": {
            "rest": skeleton["rest"],
            "flags": skeleton["flags"],
            "modes": modes,
            "channels": channels,
            "time": np.arange(5.0),
            "move": moved,
        },
        "track_peaks": {"points": np.ones((2, 3, 5), dtype=F)},
        "pose_features": {
            "pose": np.ones((2, 12, 5), dtype=F),
            "stand": 0,
            "rest": np.eye(4),
            "joints": np.array([0, 1], dtype=np.int32),
            "up": np.array([0.0, 0.0, 1.0]),
            "reach": 1.0,
        },
        "pose_distances": {"a": values, "b": values, "weights": np.ones(2), "share": 2.0},
        "find_plants": {
            "points": np.ones((2, 3, 5), dtype=F),
            "up": np.array([0.0, 0.0, 1.0]),
            "levels": np.zeros(2),
            "speed": 0.01,
            "height": 0.02,
            "shortest": 2,
            "gap": 1,
        },
        "foot_way": {
            "free": np.ones((7, 5), dtype=F),
            "held": np.ones((7, 5), dtype=F),
            "hold": np.array([1, 1, 0, 0, 1], dtype=np.uint8),
            "up": np.array([0.0, 0.0, 1.0]),
            "lift": 0.1,
            "highest": 0.2,
        },
        "blend_length": {"sizes": np.ones(2), "speeds": np.ones(2), "acceleration": 0.1, "jerk": 0.1},
    }


MIRROR: dict[str, object] = {
    "parents": np.array([-1, 0, 0], dtype=np.int32),
    "rest": np.tile(np.eye(4), (3, 1, 1)),
    "flags": np.zeros(3, dtype=np.uint32),
    "partner": np.array([0, 2, 1], dtype=np.int32),
    "plane": np.array([1.0, 0.0, 0.0, 0.0]),
    "turn": np.eye(4)[:3].copy(),
}


def sound_arguments() -> dict[str, dict[str, object]]:
    """Arguments that each function accepts, arrays with at least two elements on each axis."""
    rest = np.tile(np.eye(4), (3, 1, 1))
    channels = np.ones((3, 10, 5), dtype=F)
    vector, four = np.ones((3, 5), dtype=F), np.ones((4, 5), dtype=F)
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 2.0, 0.0]])
    triangles = np.array([[0, 1, 2], [2, 1, 0]], dtype=np.int32)
    mesh = amble_core.mesh_build(corners, triangles)
    way = {
        **Figure(controls=True).body().arguments,
        "settings": settings(),
        "start": -2.0,
        "step": 0.05,
        "place": np.stack([np.linspace(-2.0, 3.0, 100), np.zeros(100)]),
        "facing": np.zeros(100),
        "pace": np.ones(100),
        "first": True,
    }
    journey = amble_core.journey(**way)
    return {
        "fit_keys": fit_arguments(),
        "forward_kinematics": {
            "parents": np.array([-1, 0, 1], dtype=np.int32),
            "rest": rest,
            "flags": np.zeros(3, dtype=np.uint32),
            "channels": channels,
        },
        "two_bone_ik": {"root": vector, "target": vector * 2, "pole": vector, "upper": 1.0, "lower": 1.0},
        "orbit_ellipse": {
            "phase": np.arange(5.0),
            "forward": 1.0,
            "upward": 2.0,
            "auxiliary": 1.0,
            "tilt": 0.0,
        },
        "orbit_polygon": {
            "phase": np.arange(5.0),
            "vertices": np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]),
            "tilt": 0.0,
        },
        "sine_cosine": {"angle": np.arange(5.0)},
        "quaternion_multiply": {"a": four, "b": four},
        "quaternion_normalise": {"q": four},
        "quaternion_rotate": {"q": four, "vector": vector},
        "quaternion_nlerp": {"a": four, "b": four, "t": np.ones(5, dtype=F)},
        "quaternion_slerp": {"a": four, "b": four, "t": np.ones(5, dtype=F)},
        "quaternion_between": {"start": vector, "end": vector},
        "quaternion_to_matrix": {"q": four},
        "quaternion_from_matrix": {"matrix": np.ones((9, 5), dtype=F)},
        "sample_curves": {
            "starts": np.array([0, 2, 5]),
            "points": np.column_stack((np.arange(5), np.ones(5))).astype(F),
            "left": np.ones((5, 2), dtype=F),
            "right": np.ones((5, 2), dtype=F),
            "kinds": np.full(5, 2, dtype=np.int32),
            "beyond": np.zeros((2, 5), dtype=np.int32),
            "time": np.arange(5.0),
        },
        "slope_curves": {
            "starts": np.array([0, 2, 5]),
            "points": np.column_stack((np.arange(5), np.ones(5))).astype(F),
            "left": np.ones((5, 2), dtype=F),
            "right": np.ones((5, 2), dtype=F),
            "kinds": np.full(5, 2, dtype=np.int32),
            "beyond": np.zeros((2, 5), dtype=np.int32),
            "time": np.arange(5.0),
            "leaving": True,
        },
        "combine_curves": {
            "starts": np.array([0, 2, 5]),
            "points": np.column_stack((np.arange(5), np.ones(5))).astype(F),
            "left": np.ones((5, 2), dtype=F),
            "right": np.ones((5, 2), dtype=F),
            "kinds": np.full(5, 2, dtype=np.int32),
            "beyond": np.zeros((2, 5), dtype=np.int32),
            "terms": np.array([[0, -1, -1, -1], [1, 0, -1, -1]], dtype=np.int32),
            "factors": np.ones((2, 4)),
            "added": np.ones(2),
        },
        "part_tracks": {
            "pose": np.ones((3, 12, 5), dtype=F),
            "bone": np.array([0, 2], dtype=np.int32),
            "axis": np.ones((2, 2, 3)),
            "world": np.ones((12, 5)),
        },
        "reach": {
            "track": np.ones((2, 3, 5, 5)),
            "radius": np.ones(5),
            "point": np.zeros(3),
            "up": np.array([0.0, 0.0, 1.0]),
        },
        "plane_clearance": {
            "start": np.zeros((2, 3, 5)),
            "end": np.ones((2, 3, 5)),
            "radius": np.ones(5),
            "planes": np.array([[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 2.0]]),
        },
        "mirror_maps": MIRROR,
        "mirror": {**MIRROR, "channels": np.ones((3, 10, 5), dtype=F)},
        "quaternion_from_euler": {"angles": vector, "order": np.array([0, 1, 2], dtype=np.int32)},
        "quaternion_from_axis_angle": {"turn": four},
        "gait": {
            **Figure(controls=True).body().arguments,
            "settings": settings(),
            "travel": False,
            "time": np.linspace(0.0, 1.0, 5),
        },
        "pin_places": {
            **line_of_bones(),
            "ends": np.array([3, 2], dtype=np.int32),
            "points": np.ones((2, 3)),
        },
        "pin_hold": {
            **line_of_bones(),
            "chains": np.array([[0, 1], [1, 2]], dtype=np.int32),
            "ends": np.array([2, 3], dtype=np.int32),
            "points": np.ones((2, 3)),
            "turned": np.array([1, 0], dtype=np.int32),
            "hinges": np.ones((2, 2, 3)),
            "bound": np.zeros((2, 2), dtype=np.int32),
            "soft": np.full(2, 0.1),
            "places": np.ones((2, 7, 5), dtype=F),
        },
        "mesh_build": {"vertices": corners, "triangles": triangles},
        "mesh_rays": {
            "mesh": mesh,
            "origin": np.ones((3, 5)),
            "direction": np.ones((3, 5)),
            "length": 9.0,
        },
        "mesh_follow": {"mesh": mesh, "place": np.ones((2, 5)), "start": 0.0, "up": 0.5, "down": 0.5},
        "idle": {
            "samples": np.array([3, 2], dtype=np.int32),
            "times": np.array([0.0, 1.0, 2.0, 0.0, 1.0]),
            "turns": np.ones((2, 3, 5), dtype=F),
            "moves": np.ones((2, 3, 5), dtype=F),
            "between": np.array([0, 1], dtype=np.int32),
            "after": np.array([0, 1], dtype=np.int32),
            "held_turns": np.ones((2, 2, 4), dtype=F),
            "held_moves": np.ones((2, 2, 3), dtype=F),
            "coefficients": np.ones((2, 4), dtype=F),
            "set_times": np.ones((2, 2, 5)),
            "origins": np.ones((2, 2)),
            "weights": np.ones((2, 2, 5), dtype=F),
        },
        "idle_coefficients": {"base": np.ones(5), "held": np.ones(5), "least": 0.1, "most": 4.0},
        "idle_clocks": {
            "time": np.linspace(0.0, 1.0, 5),
            "cycles": np.full(3, 4.0),
            "phase": np.zeros(3),
            "variation": np.full(3, 0.1),
            "seeds": np.arange(3, dtype=np.uint32),
        },
        "idle_layer": {
            "held": np.full((3, 4), 0.5, dtype=F),
            "turns": np.full((3, 4, 5), 0.5, dtype=F),
            "slopes": np.zeros((3, 4, 5), dtype=F),
            "factor": 64.0,
        },
        "joint_angles": {
            **{name: value for name, value in line_of_bones().items() if name != "channels"},
            "pose": np.ones((4, 12), dtype=F),
        },
        "journey": way,
        "journey_plants": {"journey": journey},
        "journey_stand": {"journey": journey, "plants": amble_core.journey_plants(journey)},
        "journey_probes": {"journey": journey},
        "journey_heights": {
            "journey": journey,
            "height": np.zeros(amble_core.journey_probes(journey).shape[1:]),
        },
        "journey_pose": {"journey": journey, "travel": True, "time": np.linspace(0.0, 1.0, 5)},
        "mesh_nearest": {"mesh": mesh, "point": np.ones((3, 5)), "limit": 9.0},
        "mesh_clearance": {
            "mesh": mesh,
            "start": np.ones((2, 3, 5)),
            "end": np.zeros((2, 3, 5)),
            "radius": np.ones(5),
            "limit": 9.0,
            "tolerance": 0.1,
        },
        **orbit_arguments(),
        **blend_arguments(),
        **legged_arguments(),
    }


SOUND = sound_arguments()
ARRAYS = [(f, a) for f, arguments in SOUND.items() for a, v in arguments.items() if isinstance(v, np.ndarray)]
NUMBERS = [(f, a) for f, arguments in SOUND.items() for a, v in arguments.items() if isinstance(v, float)]
# Arrays that may be None, counts that need not agree, functions of any number of rows, and numbers that may
# be infinite: no bound then.
OPTIONAL = [("blend", "a"), ("blend_values", "a")]
APART = [("pose_distances", "b")]
MANY = ("mesh_build", "track_peaks", "slopes", "find_plants")
BOUNDS = [("blend_length", "acceleration"), ("blend_length", "jerk")]
FOLLOWERS = [
    (f, a)
    for f, a in ARRAYS
    if (f, a) not in APART and a in ("b", "vector", "t", "end", "target", "pole", "direction", "radius")
]
WIDE = [(f, a) for f, a in ARRAYS if SOUND[f][a].itemsize > 1]  # bytes have no order and lie anywhere
FLOATS = [(f, a) for f, a in ARRAYS if SOUND[f][a].dtype.kind == "f"]


def call(function: str, **changes: object) -> object:
    """Call a function with sound arguments, changed as given."""
    return getattr(amble_core, function)(**{**SOUND[function], **changes})


def array(function: str, argument: str) -> np.ndarray:
    """The sound array of an argument."""
    value = SOUND[function][argument]
    assert isinstance(value, np.ndarray)
    return value


def misaligned(source: np.ndarray) -> np.ndarray:
    """The same values one byte off their alignment."""
    buffer = np.zeros(source.nbytes + 1, dtype=np.uint8)
    shifted = buffer[1:].view(source.dtype).reshape(source.shape)
    shifted[...] = source
    return shifted


def test_every_function_is_tried_here():
    names = {name for name in dir(amble_core) if not name.startswith("_")}
    assert set(SOUND) == {name for name in names if callable(getattr(amble_core, name))}


@pytest.mark.parametrize("function", SOUND)
def test_sound_arguments_are_accepted(function):
    result = call(function)
    if function in ("mesh_build", "journey", "journey_stand", "journey_heights"):
        return  # what they return is for other functions to ask, or nothing
    arrays = result if isinstance(result, tuple) else (result,)
    assert all(isinstance(array, np.ndarray | float) and np.isfinite(array).all() for array in arrays)


@pytest.mark.parametrize(("function", "argument"), ARRAYS)
@pytest.mark.parametrize(
    "bad", [None, 1.0, [[1.0]], "text", b"bytes", object()], ids=lambda v: type(v).__name__
)
def test_what_is_no_array_is_a_TypeError(function, argument, bad):
    if bad is None and (function, argument) in OPTIONAL:
        return
    with pytest.raises(TypeError, match=f"^{argument} must be a NumPy array"):
        call(function, **{argument: bad})


@pytest.mark.parametrize(("function", "argument"), ARRAYS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u4", "i8", "c8", "?", "O", "S4", "M8[s]"])
def test_another_dtype_is_a_TypeError(function, argument, dtype):
    good = array(function, argument)
    if np.dtype(dtype) == good.dtype:
        return
    with pytest.raises(TypeError, match=f"^{argument} must have dtype {good.dtype}, not "):
        call(function, **{argument: np.zeros(good.shape, dtype=dtype)})


@pytest.mark.parametrize(("function", "argument"), WIDE)
def test_another_byte_order_is_a_TypeError(function, argument):
    good = array(function, argument)
    with pytest.raises(TypeError, match=f"^{argument} must be in the machine's byte order"):
        call(function, **{argument: good.astype(good.dtype.newbyteorder())})


@pytest.mark.parametrize(("function", "argument"), ARRAYS)
def test_another_number_of_axes_is_a_ValueError(function, argument):
    good = array(function, argument)
    for bad in (good[None], np.array(good[0])):
        with pytest.raises(ValueError, match=f"^{argument} must have shape "):
            call(function, **{argument: bad})


@pytest.mark.parametrize(("function", "argument"), ARRAYS)
def test_another_size_of_a_fixed_axis_is_a_ValueError(function, argument):
    good = array(function, argument)
    for axis in range(good.ndim - 1):
        if argument in ("followers", "mixed", "footfalls") and axis == 0:
            continue  # any number of rows
        if argument in ("followers", "planes", "pose") or (function in MANY and axis == 0):
            continue  # any number of pairs, planes, bones, vertices, triangles, points, rows
        bad = np.concatenate([good, good], axis=axis)
        # `vertices` may have any number of corners, and these are still a polygon: twice round; orbits may be
        # any number, which the polygons' corners then are not enough for.
        counts = {"vertices": "vertices", "orbits": "vertices", "hand_tracks": "hand_tracks"}
        pattern = f"^{counts[argument]} must" if argument in counts else "must have shape "
        with pytest.raises(ValueError, match=pattern):
            call(function, **{argument: bad})


@pytest.mark.parametrize(("function", "argument"), FOLLOWERS)
def test_counts_that_differ_are_a_ValueError_naming_the_later_argument(function, argument):
    good = array(function, argument)
    with pytest.raises(ValueError, match=rf"^{argument} must have shape \((.*, )?5,?\), not \((.*, )?4,?\)"):
        call(function, **{argument: np.ascontiguousarray(good[..., :4])})


@pytest.mark.parametrize(("function", "argument"), ARRAYS)
def test_other_strides_are_a_ValueError(function, argument):
    good = array(function, argument)
    spread = np.repeat(good, 2, axis=-1)[..., ::2]
    assert spread.shape == good.shape
    views = [spread, good[..., ::-1], np.asfortranarray(good), np.broadcast_to(good[..., :1], good.shape)]
    for bad in views:
        if not bad.flags.c_contiguous:
            with pytest.raises(ValueError, match=f"^{argument} must be C-contiguous"):
                call(function, **{argument: bad})


@pytest.mark.parametrize(("function", "argument"), WIDE)
def test_misaligned_memory_is_a_ValueError(function, argument):
    with pytest.raises(ValueError, match=f"^{argument} must be aligned"):
        call(function, **{argument: misaligned(array(function, argument))})


@pytest.mark.parametrize(("function", "argument"), FLOATS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_NaN_and_infinity_are_a_ValueError(function, argument, value):
    for place in (0, -1):
        bad = array(function, argument).copy()
        bad.flat[place] = value
        with pytest.raises(ValueError, match=rf"^{argument}(\[\d\])? holds NaN"):
            call(function, **{argument: bad})


@pytest.mark.parametrize(("function", "argument"), [(f, a) for f, a in FLOATS if SOUND[f][a].dtype == F])
def test_values_over_1e15_are_a_ValueError_with_their_place(function, argument):
    bad = array(function, argument).copy()
    bad.flat[3] = -2e15
    with pytest.raises(ValueError, match=rf"^{argument} holds -2e\+15 at flat index 3: the largest"):
        call(function, **{argument: bad})


@pytest.mark.parametrize(("function", "argument"), NUMBERS)
@pytest.mark.parametrize("bad", [None, "1.0", [1.0], 1j], ids=repr)
def test_what_is_no_number_is_a_TypeError(function, argument, bad):
    with pytest.raises(TypeError, match=f"^{argument} must be a number, not "):
        call(function, **{argument: bad})


@pytest.mark.parametrize(("function", "argument"), NUMBERS)
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e300])
def test_numbers_out_of_range_are_a_ValueError(function, argument, bad):
    if (function, argument) in BOUNDS and bad > 0.0:
        return
    with pytest.raises(ValueError, match=f"^{argument} must be a number from "):
        call(function, **{argument: bad})


@pytest.mark.parametrize("function", SOUND)
def test_missing_and_unknown_arguments_are_a_TypeError(function):
    with pytest.raises(TypeError, match=function):
        getattr(amble_core, function)()
    with pytest.raises(TypeError, match=function):
        call(function, unknown=1)


@pytest.mark.parametrize("function", SOUND)
def test_inputs_may_be_read_only_and_stay_as_they_are(function):
    arguments = {a: v.copy() if isinstance(v, np.ndarray) else v for a, v in SOUND[function].items()}
    for value in arguments.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    getattr(amble_core, function)(**arguments)
    for name, value in arguments.items():
        assert np.array_equal(np.asarray(value), np.asarray(SOUND[function][name]))


@pytest.mark.parametrize("function", SOUND)
def test_every_function_states_its_arguments_shapes_and_errors(function):
    text = getattr(amble_core, function).__doc__
    signature = getattr(amble_core, function).__text_signature__
    assert all(argument in signature for argument in SOUND[function])
    assert "Raises" in text
    assert "float" in text


OUT_ERRORS = {
    "read-only": (lambda out, _: out.flags.__setattr__("writeable", False) or out, ValueError, "writable"),
    "shape": (lambda out, _: out[:2].copy(), ValueError, "have shape"),
    "dtype": (lambda out, _: out.astype(D), TypeError, "have dtype float32"),
    "strides": (lambda out, _: np.asfortranarray(out), ValueError, "C-contiguous"),
    "overlap": (
        lambda _, memory: memory[:180].reshape(3, 12, 5),
        ValueError,
        "not share memory with channels",
    ),
}


@pytest.mark.parametrize(("make", "error", "message"), OUT_ERRORS.values(), ids=OUT_ERRORS)
def test_an_unfit_out_is_an_error(make, error, message):
    memory = np.ones(400, dtype=F)
    channels = memory[:150].reshape(3, 10, 5)
    out = make(np.zeros((3, 12, 5), dtype=F), memory)
    with pytest.raises(error, match=f"^out must .*{message}"):
        call("forward_kinematics", channels=channels, out=out)


def test_sizes_whose_product_would_wrap_are_refused():
    huge: np.ndarray = np.ndarray((0, 10, 2**57), dtype=F)
    with pytest.raises(ValueError, match="channels is too large"):
        amble_core.forward_kinematics(
            np.zeros(0, np.int32), np.zeros((0, 4, 4)), np.zeros(0, np.uint32), huge
        )


def test_other_threads_run_while_the_core_works():
    bones, frames = 64, 8000
    channels = np.ones((bones, 10, frames), dtype=F)
    parents = np.arange(-1, bones - 1, dtype=np.int32)
    rest, flags = np.tile(np.eye(4), (bones, 1, 1)), np.full(bones, 0x10, dtype=np.uint32)
    inside = threading.Event()
    span = [0.0, 0.0]

    def work() -> None:
        span[0] = time.perf_counter()
        inside.set()
        amble_core.forward_kinematics(parents, rest, flags, channels)
        span[1] = time.perf_counter()

    worker = threading.Thread(target=work)
    worker.start()
    inside.wait()
    ticks = []
    while worker.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.0005)
    worker.join()
    assert sum(span[0] < tick < span[1] for tick in ticks) >= 5


def test_the_module_names_its_version_and_back_end():
    assert amble_core.__version__.count(".") == 2
    assert amble_core.simd in ("sse2", "neon", "scalar")
    if "/scalar/" in amble_core.__file__:
        assert amble_core.simd == "scalar"
