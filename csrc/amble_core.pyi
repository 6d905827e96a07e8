"""Types of the compiled module; its docstrings say what the functions do."""

from typing import Any, final, type_check_only

import numpy as np
from numpy.typing import NDArray

__version__: str
simd: str
api: int
GAIT_SETTINGS: tuple[tuple[str, float, float, float], ...]
GAIT_SUMMARY: tuple[str, ...]
ORBIT_FIELDS: tuple[tuple[str, float, float], ...]
RIDE_SETTINGS: tuple[tuple[str, float, float], ...]
ORBIT_STATE: int
GAIT_TUNING: tuple[tuple[str, float], ...]

@final
@type_check_only
class _Mesh:
    """What mesh_build returns: opaque, and only for the other mesh functions."""

def forward_kinematics(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    channels: NDArray[np.float32],
    *,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]: ...
def two_bone_ik(
    root: NDArray[np.float32],
    target: NDArray[np.float32],
    pole: NDArray[np.float32],
    upper: float,
    lower: float,
    *,
    limit: float = 1.0,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]: ...
def orbit_ellipse(
    phase: NDArray[np.float64],
    forward: float,
    upward: float,
    *,
    auxiliary: float = 0.0,
    tilt: float = 0.0,
    even: bool = False,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
def orbit_polygon(
    phase: NDArray[np.float64], vertices: NDArray[np.float64], *, tilt: float = 0.0, even: bool = False
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
def orbit_ride(
    orbits: NDArray[np.float64],
    vertices: NDArray[np.float64],
    ride: NDArray[np.float64],
    *,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    facing: NDArray[np.float64],
    dt: NDArray[np.float64],
    state: NDArray[np.float64],
) -> tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]
]: ...
def orbit_land(
    orbits: NDArray[np.float64],
    vertices: NDArray[np.float64],
    ride: NDArray[np.float64],
    *,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    facing: NDArray[np.float64],
    dt: NDArray[np.float64],
    tracks: NDArray[np.float64],
    height: NDArray[np.float64],
    normal: NDArray[np.float64],
    state: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]: ...
def orbit_pose(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    *,
    pelvis: int,
    root: int,
    spine: NDArray[np.int32],
    neck: NDArray[np.int32],
    legs: NDArray[np.int32],
    soles: NDArray[np.float64],
    leg_phase: NDArray[np.float64],
    arms: NDArray[np.int32],
    hands: NDArray[np.float64],
    followers: NDArray[np.int32],
    mixed: NDArray[np.int32],
    share: NDArray[np.float64],
    forward: NDArray[np.float64],
    up: NDArray[np.float64],
    ground: float,
    extras: NDArray[np.int32],
    travel: bool,
    course: NDArray[np.float64],
    facing: NDArray[np.float64],
    turning: NDArray[np.float64],
    waist: NDArray[np.float64],
    ankles: NDArray[np.float64],
    sole_tracks: NDArray[np.float64],
    toe_out: NDArray[np.float64],
    hand_tracks: NDArray[np.float64],
    extra_tracks: NDArray[np.float64],
    lean: float,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]: ...
def sine_cosine(angle: NDArray[np.float64]) -> NDArray[np.float64]: ...
def quaternion_multiply(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]: ...
def quaternion_normalise(q: NDArray[np.float32]) -> NDArray[np.float32]: ...
def quaternion_rotate(q: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]: ...
def quaternion_nlerp(
    a: NDArray[np.float32], b: NDArray[np.float32], t: NDArray[np.float32]
) -> NDArray[np.float32]: ...
def quaternion_slerp(
    a: NDArray[np.float32], b: NDArray[np.float32], t: NDArray[np.float32]
) -> NDArray[np.float32]: ...
def quaternion_between(start: NDArray[np.float32], end: NDArray[np.float32]) -> NDArray[np.float32]: ...
def quaternion_to_matrix(q: NDArray[np.float32]) -> NDArray[np.float32]: ...
def quaternion_from_matrix(matrix: NDArray[np.float32]) -> NDArray[np.float32]: ...
def sample_curves(
    starts: NDArray[np.int64],
    points: NDArray[np.float32],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    kinds: NDArray[np.int32],
    beyond: NDArray[np.int32],
    time: NDArray[np.float64],
) -> NDArray[np.float32]: ...
def slope_curves(
    starts: NDArray[np.int64],
    points: NDArray[np.float32],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    kinds: NDArray[np.int32],
    beyond: NDArray[np.int32],
    time: NDArray[np.float64],
    *,
    leaving: bool,
) -> NDArray[np.float32]: ...
def combine_curves(
    starts: NDArray[np.int64],
    points: NDArray[np.float32],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    kinds: NDArray[np.int32],
    beyond: NDArray[np.int32],
    terms: NDArray[np.int32],
    factors: NDArray[np.float64],
    added: NDArray[np.float64],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]: ...
def mirror_maps(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    partner: NDArray[np.int32],
    plane: NDArray[np.float64],
    turn: NDArray[np.float64],
    *,
    whole_pose: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
def mirror(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    partner: NDArray[np.int32],
    plane: NDArray[np.float64],
    turn: NDArray[np.float64],
    channels: NDArray[np.float32],
    *,
    whole_pose: bool = False,
) -> NDArray[np.float32]: ...
def part_tracks(
    pose: NDArray[np.float32],
    bone: NDArray[np.int32],
    axis: NDArray[np.float64],
    world: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def reach(
    track: NDArray[np.float64],
    radius: NDArray[np.float64],
    point: NDArray[np.float64],
    up: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]: ...
def plane_clearance(
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    radius: NDArray[np.float64],
    planes: NDArray[np.float64],
    *,
    inside: bool = False,
) -> NDArray[np.float64]: ...
def quaternion_from_euler(angles: NDArray[np.float32], order: NDArray[np.int32]) -> NDArray[np.float32]: ...
def quaternion_from_axis_angle(turn: NDArray[np.float32]) -> NDArray[np.float32]: ...
def gait(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    *,
    pelvis: int,
    root: int,
    spine: NDArray[np.int32],
    neck: NDArray[np.int32],
    legs: NDArray[np.int32],
    soles: NDArray[np.float64],
    leg_phase: NDArray[np.float64],
    arms: NDArray[np.int32],
    hands: NDArray[np.float64],
    followers: NDArray[np.int32],
    mixed: NDArray[np.int32],
    share: NDArray[np.float64],
    forward: NDArray[np.float64],
    up: NDArray[np.float64],
    ground: float,
    settings: NDArray[np.float64],
    travel: bool,
    time: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]: ...
def legged_plan(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    *,
    parts: NDArray[np.int32],
    weight: NDArray[np.float64],
    girdles: NDArray[np.int32],
    soles: NDArray[np.float64],
    followers: NDArray[np.int32],
    mixed: NDArray[np.int32],
    share: NDArray[np.float64],
    forward: NDArray[np.float64],
    up: NDArray[np.float64],
    ground: float,
    settings: NDArray[np.float64],
    start: float,
    step: float,
    place: NDArray[np.float64],
    facing: NDArray[np.float64],
    rate: NDArray[np.float64],
    offset: NDArray[np.float64],
    duty: NDArray[np.float64],
    flex: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def legged_pose(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    *,
    parts: NDArray[np.int32],
    weight: NDArray[np.float64],
    girdles: NDArray[np.int32],
    soles: NDArray[np.float64],
    followers: NDArray[np.int32],
    mixed: NDArray[np.int32],
    share: NDArray[np.float64],
    forward: NDArray[np.float64],
    up: NDArray[np.float64],
    ground: float,
    settings: NDArray[np.float64],
    start: float,
    step: float,
    place: NDArray[np.float64],
    facing: NDArray[np.float64],
    rate: NDArray[np.float64],
    offset: NDArray[np.float64],
    duty: NDArray[np.float64],
    flex: NDArray[np.float64],
    footfalls: NDArray[np.float64],
    travel: bool,
    time: NDArray[np.float64],
) -> tuple[
    NDArray[np.int32],
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...
def pin_places(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    channels: NDArray[np.float32],
    *,
    ends: NDArray[np.int32],
    points: NDArray[np.float64],
) -> NDArray[np.float32]: ...
def pin_hold(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    channels: NDArray[np.float32],
    *,
    chains: NDArray[np.int32],
    ends: NDArray[np.int32],
    points: NDArray[np.float64],
    turned: NDArray[np.int32],
    hinges: NDArray[np.float64],
    bound: NDArray[np.int32],
    soft: NDArray[np.float64],
    places: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
def mesh_build(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> _Mesh: ...
def mesh_rays(
    mesh: _Mesh, origin: NDArray[np.float64], direction: NDArray[np.float64], *, length: float = 1e15
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
def mesh_follow(
    mesh: _Mesh, place: NDArray[np.float64], start: float, up: float, down: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
def idle(
    samples: NDArray[np.int32],
    times: NDArray[np.float64],
    turns: NDArray[np.float32],
    moves: NDArray[np.float32],
    *,
    between: NDArray[np.int32],
    after: NDArray[np.int32],
    held_turns: NDArray[np.float32],
    held_moves: NDArray[np.float32],
    coefficients: NDArray[np.float32],
    set_times: NDArray[np.float64],
    origins: NDArray[np.float64],
    weights: NDArray[np.float32],
    out: NDArray[np.float32] | None = None,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
def idle_coefficients(
    base: NDArray[np.float64], held: NDArray[np.float64], *, least: float, most: float
) -> NDArray[np.float64]: ...
def idle_clocks(
    time: NDArray[np.float64],
    cycles: NDArray[np.float64],
    phase: NDArray[np.float64],
    variation: NDArray[np.float64],
    seeds: NDArray[np.uint32],
) -> tuple[NDArray[np.float64], NDArray[np.float32]]: ...
def idle_layer(
    held: NDArray[np.float32], turns: NDArray[np.float32], slopes: NDArray[np.float32], factor: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], float]: ...
def joint_angles(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    pose: NDArray[np.float32],
) -> NDArray[np.float64]: ...
def mesh_nearest(
    mesh: _Mesh, point: NDArray[np.float64], *, limit: float = 1e15
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
def mesh_clearance(
    mesh: _Mesh,
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    radius: NDArray[np.float64],
    *,
    limit: float,
    tolerance: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
def blend(
    modes: NDArray[np.int32],
    time: NDArray[np.float64],
    start: NDArray[np.float32],
    onto: NDArray[np.float32],
    b: NDArray[np.float32],
    begin: NDArray[np.float64],
    length: NDArray[np.float64],
    curve: int,
    *,
    rotations: int = 0,
    a: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]: ...
def blend_values(
    time: NDArray[np.float64],
    start: NDArray[np.float32],
    onto: NDArray[np.float32],
    b: NDArray[np.float32],
    length: float,
    curve: int,
    *,
    a: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]: ...
def settle_rotations(modes: NDArray[np.int32], channels: NDArray[np.float32]) -> NDArray[np.float32]: ...
def slopes(time: NDArray[np.float64], values: NDArray[np.float32]) -> NDArray[np.float32]: ...
def rotations_to_world(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    modes: NDArray[np.int32],
    channels: NDArray[np.float32],
) -> NDArray[np.float32]: ...
def rotations_from_world(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    modes: NDArray[np.int32],
    channels: NDArray[np.float32],
    near: NDArray[np.float32],
) -> NDArray[np.float32]: ...
def stand(
    pose: NDArray[np.float32],
    rest: NDArray[np.float64],
    up: NDArray[np.float64],
    time: NDArray[np.float64],
    at: float,
    *,
    exact: bool = False,
) -> NDArray[np.float64]: ...
def move_ground(
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    modes: NDArray[np.int32],
    channels: NDArray[np.float32],
    time: NDArray[np.float64],
    move: NDArray[np.float64],
) -> NDArray[np.float32]: ...
def track_peaks(points: NDArray[np.float32]) -> NDArray[np.float64]: ...
def pose_features(
    pose: NDArray[np.float32],
    stand: int,
    rest: NDArray[np.float64],
    joints: NDArray[np.int32],
    up: NDArray[np.float64],
    reach: float,
) -> NDArray[np.float32]: ...
def pose_distances(
    a: NDArray[np.float32], b: NDArray[np.float32], weights: NDArray[np.float64], share: float
) -> NDArray[np.float32]: ...
def blend_length(
    sizes: NDArray[np.float64], speeds: NDArray[np.float64], acceleration: float, jerk: float
) -> float: ...
JOURNEY_PLANT: tuple[str, ...]
LEGGED_SETTINGS: tuple[tuple[str, float, float, float], ...]
LEGGED_KINDS: tuple[str, ...]
FOOTFALL: tuple[str, ...]
def journey(
    parents: NDArray[np.int32],
    rest: NDArray[np.float64],
    flags: NDArray[np.uint32],
    *,
    pelvis: int,
    root: int,
    spine: NDArray[np.int32],
    neck: NDArray[np.int32],
    legs: NDArray[np.int32],
    soles: NDArray[np.float64],
    leg_phase: NDArray[np.float64],
    arms: NDArray[np.int32],
    hands: NDArray[np.float64],
    followers: NDArray[np.int32],
    mixed: NDArray[np.int32],
    share: NDArray[np.float64],
    forward: NDArray[np.float64],
    up: NDArray[np.float64],
    ground: float,
    settings: NDArray[np.float64],
    start: float,
    step: float,
    place: NDArray[np.float64],
    facing: NDArray[np.float64],
    pace: NDArray[np.float64],
    first: int,
) -> Any: ...
def journey_plants(journey: Any) -> NDArray[np.float64]: ...
def journey_stand(journey: Any, plants: NDArray[np.float64]) -> None: ...
def journey_probes(journey: Any) -> NDArray[np.float64]: ...
def journey_heights(journey: Any, height: NDArray[np.float64]) -> None: ...
def journey_pose(
    journey: Any, *, travel: bool, time: NDArray[np.float64]
) -> tuple[
    NDArray[np.int32],
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...
def fit_keys(
    time: NDArray[np.float64],
    key: NDArray[np.int32],
    value: NDArray[np.float32],
    slope: NDArray[np.float32],
    keyed: NDArray[np.int32],
    mode: NDArray[np.int32],
    tolerance: NDArray[np.float32],
    chain: NDArray[np.int32],
    rest: NDArray[np.float64],
    carrier: NDArray[np.int32],
    place: NDArray[np.float64],
    point_tolerance: NDArray[np.float32],
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]: ...
def find_plants(
    points: NDArray[np.float32],
    up: NDArray[np.float64],
    levels: NDArray[np.float64],
    speed: float,
    height: float,
    shortest: int,
    gap: int,
) -> NDArray[np.uint8]: ...
def foot_way(
    free: NDArray[np.float32],
    held: NDArray[np.float32],
    hold: NDArray[np.uint8],
    up: NDArray[np.float64],
    lift: float,
    highest: float,
) -> NDArray[np.float32]: ...
