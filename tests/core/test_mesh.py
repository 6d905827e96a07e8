"""Triangle meshes against twins that ask every triangle, and what the tree promises."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import amble_core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.drawn import examples
from tests.reference import mesh as reference

SEEDS = st.integers(0, 2**32 - 1)


def soup(seed: int, count: int, size: float = 1.0, spread: float = 5.0) -> tuple[np.ndarray, np.ndarray]:
    """Loose triangles about a box, some of them without area."""
    rng = np.random.default_rng(seed)
    middle = rng.uniform(-spread, spread, (count, 1, 3))
    vertices = (middle + rng.normal(size=(count, 3, 3)) * size).reshape(-1, 3)
    triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    triangles[::7, 2] = triangles[::7, 1]
    return vertices, triangles


def grid(side: int, height: float = 0.2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Uneven ground over -1 to 1, `side` squares of two triangles along each side."""
    line = np.linspace(-1.0, 1.0, side + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = height * np.random.default_rng(seed).uniform(-1.0, 1.0, x.shape)
    i = np.arange((side + 1) ** 2, dtype=np.int32).reshape(side + 1, side + 1)
    a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
    triangles = [np.stack(three, axis=-1).reshape(-1, 3) for three in ((a, b, c), (a, c, d))]
    return np.stack([x, y, z], axis=-1).reshape(-1, 3), np.concatenate(triangles)


def down(places: np.ndarray, top: float) -> tuple[np.ndarray, np.ndarray]:
    """Rays straight down from `top` over places (2, n)."""
    origin = np.concatenate([places, np.full((1, places.shape[1]), top)])
    return origin, np.broadcast_to([[0.0], [0.0], [-1.0]], origin.shape).copy()


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """A closed box that faces outward."""
    vertices = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]
    return np.array(low) + vertices * (np.array(high) - low), np.array(triangles, dtype=np.int32)


@given(
    seed=SEEDS,
    count=st.integers(0, 90),
    size=st.sampled_from([0.01, 0.3, 3.0]),
    unit=st.sampled_from([1e-9, 1.0, 1e9]),
)
def test_rays_meet_what_the_twin_meets(seed, count, size, unit):
    vertices, triangles = soup(seed, count, size)
    rng = np.random.default_rng(seed + 1)
    origin, direction = rng.uniform(-8.0, 8.0, (2, 3, 20))
    direction[:, :5] = [[0.0], [0.0], [-1.0]]
    mesh = amble_core.mesh_build(vertices * unit, triangles)
    distance, normal, triangle = amble_core.mesh_rays(mesh, origin * unit, direction, length=30.0 * unit)
    tri = reference.corners(vertices, triangles)
    for i in range(20):
        expected = reference.ray(tri, origin[:, i], direction[:, i])
        nearest = expected.min(initial=np.inf)
        assert (triangle[i] >= 0) == (nearest <= 30.0)
        if triangle[i] < 0:
            assert distance[i] == 30.0 * unit
            assert not normal[:, i].any()
            continue
        assert distance[i] == pytest.approx(nearest * unit, rel=1e-8, abs=1e-9 * unit)
        assert expected[triangle[i]] == pytest.approx(nearest, rel=1e-8, abs=1e-9)
        a, b, c = tri[triangle[i]]
        across = np.cross(b - a, c - a)
        across *= -np.sign(across @ direction[:, i]) / np.linalg.norm(across)
        np.testing.assert_allclose(normal[:, i], across, atol=1e-9)


@given(seed=SEEDS, side=st.integers(1, 12))
def test_no_ray_slips_through_edges_and_corners(seed, side):
    # So low that the eye sees no triangle edge-on, past which a ray could leave the ground at its rim.
    vertices, triangles = grid(side, height=0.03, seed=seed)
    mesh = amble_core.mesh_build(vertices, triangles)
    rng = np.random.default_rng(seed)
    ends = vertices[triangles[:, [0, 1, 2, 0]]]
    share = rng.uniform(0.0, 1.0, (len(triangles), 3, 1))
    on_edges = ends[:, :3] * (1.0 - share) + ends[:, 1:] * share
    spots = np.concatenate([on_edges.reshape(-1, 3), vertices])
    # Rounding puts spots on the rim a little outside.
    spots = spots[(np.abs(spots[:, :2]) < 1.0).all(axis=1)]
    if len(spots) == 0:
        return
    _, _, triangle = amble_core.mesh_rays(mesh, *down(spots.T[:2].copy(), 2.0))
    assert (triangle >= 0).all()
    eye = np.array([[0.3], [-0.2], [3.0]])
    _, _, triangle = amble_core.mesh_rays(
        mesh, np.repeat(eye, len(spots), axis=1), np.ascontiguousarray((spots - eye[:, 0]).T)
    )
    assert (triangle >= 0).all()


def test_the_triangle_given_first_is_met_where_several_lie_in_one_place():
    vertices, triangles = grid(3, height=0.0)
    twice = np.concatenate([triangles[::-1], triangles, triangles])
    mesh = amble_core.mesh_build(vertices, np.ascontiguousarray(twice))
    origin, direction = down(np.random.default_rng(0).uniform(-1, 1, (2, 50)), 1.0)
    distance, normal, triangle = amble_core.mesh_rays(mesh, origin, direction)
    assert (triangle < len(triangles)).all()
    assert (distance == 1.0).all()
    assert (normal == [[0.0], [0.0], [1.0]]).all()


def test_a_ray_from_a_surface_meets_it_at_distance_0_and_one_that_ends_on_it_as_well():
    mesh = amble_core.mesh_build(*grid(2, height=0.0))
    origin, direction = down(np.array([[0.3], [0.1]]), 0.0)
    assert amble_core.mesh_rays(mesh, origin, direction)[0] == [0.0]
    origin, direction = down(np.array([[0.3], [0.1]]), 0.5)
    assert amble_core.mesh_rays(mesh, origin, direction, length=0.5)[2][0] >= 0
    assert amble_core.mesh_rays(mesh, origin, direction, length=0.499)[2][0] == -1


def test_a_track_climbs_a_bridge_by_its_ramp_and_walks_under_it_from_the_ground():
    ground, bridge = box((-9, -9, -1), (9, 9, 0)), box((0, -4, 0.8), (2, 1, 1.0))
    # A ramp up to the bridge's deck along Y at x 0 .. 2, from y = -9 at 0.
    ramp = np.array([[0, -9, 0.0], [2, -9, 0.0], [2, -4, 1.0], [0, -4, 1.0]])
    parts = [ground, bridge, (ramp, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))]
    offsets = np.cumsum([0] + [len(v) for v, _ in parts])
    vertices = np.concatenate([v for v, _ in parts])
    triangles = np.concatenate([t + np.int32(o) for (_, t), o in zip(parts, offsets, strict=False)])
    mesh = amble_core.mesh_build(vertices, triangles)
    along = np.linspace(-8.9, 0.9, 50)
    up_the_ramp = np.stack([np.ones(50), along])
    height, normal, triangle = amble_core.mesh_follow(mesh, up_the_ramp, 0.0, 0.3, 0.3)
    np.testing.assert_allclose(height, np.minimum((along + 9.0) / 5.0, 1.0), atol=1e-12)
    assert (triangle >= 0).all()
    assert (normal[2] > 0.9).all()
    across = np.stack([np.linspace(-2.0, 4.0, 50), np.zeros(50)])
    np.testing.assert_allclose(amble_core.mesh_follow(mesh, across, 0.0, 0.3, 0.3)[0], 0.0, atol=1e-12)
    # Off the end of the bridge it is too far down; the height is kept, and nothing found.
    off = np.stack([np.ones(3), np.array([0.5, 1.5, 2.5])])
    height, normal, triangle = amble_core.mesh_follow(mesh, off, 1.0, 0.3, 0.3)
    np.testing.assert_allclose(height, 1.0, atol=1e-12)
    assert (triangle >= 0).tolist() == [True, False, False]
    assert not normal[:, 1:].any()


@given(seed=SEEDS, up=st.floats(0.0, 1.0), down=st.floats(0.0, 1.0))
def test_tracks_follow_what_the_twin_follows(seed, up, down):
    vertices, triangles = soup(seed, 40, 2.0, 2.0)
    mesh = amble_core.mesh_build(vertices, triangles)
    places = np.random.default_rng(seed).uniform(-2.0, 2.0, (2, 1)) + np.linspace(0.0, 1.0, 9) * [
        [1.0],
        [0.5],
    ]
    height, _, triangle = amble_core.mesh_follow(mesh, places, 0.1, up, down)
    expected = reference.follow(reference.corners(vertices, triangles), places, 0.1, up, down)
    np.testing.assert_array_equal(triangle >= 0, np.isfinite(expected))
    np.testing.assert_allclose(height[triangle >= 0], np.array(expected)[triangle >= 0], atol=1e-9)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 17, 1000])
def test_meshes_of_any_size_find_every_triangle(count):
    rng = np.random.default_rng(count)
    middle = rng.uniform(-1e3, 1e3, (count, 3))
    vertices = (middle[:, None] + [[0, 0, 0], [1, 0, 0], [0, 1, 0]]).reshape(-1, 3)
    mesh = amble_core.mesh_build(vertices, np.arange(3 * count, dtype=np.int32).reshape(-1, 3))
    origin = np.ascontiguousarray((middle + [0.25, 0.25, 0.125]).T)
    distance, _, triangle = amble_core.mesh_rays(mesh, origin, np.tile([[0.0], [0.0], [-1.0]], count))
    assert triangle.tolist() == list(range(count))
    np.testing.assert_allclose(distance, 0.125, atol=1e-12)
    missed = amble_core.mesh_rays(mesh, *down(np.full((2, 1), 5e3), 0.0))
    assert missed[2].tolist() == [-1]


@pytest.mark.parametrize("far", [0.0, 1e7])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_ground_far_from_the_origin_and_rays_from_afar(far, scale):
    vertices, triangles = grid(20)
    mesh = amble_core.mesh_build(vertices * scale + far, triangles)
    spots = np.random.default_rng(3).uniform(-0.9, 0.9, (2, 200))
    near, direction = down(spots * scale + far, 0.3 * scale + far)
    high, _ = down(spots * scale + far, 1e9)
    for origin in (near, high):
        _, _, triangle = amble_core.mesh_rays(mesh, origin, direction)
        # The square in which a place lies is told by its coordinates; 1e7 leaves 2e-9 of them.
        square = np.floor((spots + 1.0) * 10.0).astype(int)
        sure = np.abs((spots + 1.0) * 10.0 - np.round((spots + 1.0) * 10.0)).min(axis=0) * 0.1 * scale > 4e-9
        assert (triangle >= 0)[sure].all()
        assert (triangle % 400 == square[0] * 20 + square[1])[sure].all()


EXTREMES = np.array([0.0, -0.0, 1.0, -1.0, 1e15, -1e15, 1e-300, 5e-324, 1e-15, 1e-8, 1e8, 3.7e-46])


@given(seed=SEEDS, count=st.integers(0, 40), corners=st.integers(3, 60), scattered=st.booleans())
def test_the_largest_and_smallest_coordinates_give_finite_answers(seed, count, corners, scattered):
    rng = np.random.default_rng(seed)
    vertices = rng.choice(EXTREMES, (corners, 3))
    if scattered:
        vertices = rng.normal(size=(corners, 3)) * 10.0 ** rng.uniform(-300.0, 14.0, (corners, 1))
    vertices = vertices.clip(-1e15, 1e15)
    mesh = amble_core.mesh_build(vertices, rng.integers(0, corners, (count, 3)).astype(np.int32))
    point = np.concatenate([rng.choice(EXTREMES, (3, 8)), vertices[rng.integers(0, corners, 8)].T], axis=1)
    way = rng.choice([1.0, -1.0, 1e-15, 1e15, 1e-9], (3, 16))
    way[:2, :8] *= rng.choice([0.0, 1.0], (2, 8))
    axis = np.stack([point, point[:, ::-1]])
    answers = [
        amble_core.mesh_rays(mesh, point, way),
        amble_core.mesh_nearest(mesh, point),
        amble_core.mesh_follow(mesh, np.ascontiguousarray(point[:2]), 0.0, 1e15, 1e15),
        amble_core.mesh_clearance(mesh, axis, axis, np.full(16, 0.1), limit=1e15, tolerance=1.0),
    ]
    for number, vector, triangle in answers:
        assert np.isfinite(number).all()
        assert np.isfinite(vector).all()
        assert ((triangle >= -1) & (triangle < count)).all()


def test_every_layout_builds_in_time_and_order():
    # Bins put all but one of these aside at every split.
    powers = 2.0 ** np.arange(-40.0, 40.0, 0.01)
    vertices = np.stack([np.outer(powers, [1.0, 1.0, 1.001]), np.outer(powers, [0.0, 0.5, 0.0])], axis=-1)
    vertices = np.concatenate([vertices, np.zeros((*vertices.shape[:2], 1))], axis=2).reshape(-1, 3)
    triangles = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    mesh = amble_core.mesh_build(vertices, triangles)
    middle = vertices.reshape(-1, 3, 3).mean(axis=1).T
    _, _, triangle = amble_core.mesh_rays(mesh, *down(middle[:2].copy(), 1.0))
    assert (triangle >= 0).all()
    # All in one place: nothing tells them apart.
    same = np.tile(np.eye(3), (5000, 1, 1)).reshape(-1, 3)
    mesh = amble_core.mesh_build(same, np.arange(15000, dtype=np.int32).reshape(-1, 3))
    _, _, triangle = amble_core.mesh_rays(mesh, *down(np.array([[0.2], [0.2]]), 2.0))
    assert triangle.tolist() == [0]


def test_a_hundred_times_the_triangles_cost_a_track_less_than_twice_the_time():
    track = np.stack([np.linspace(-0.9, 0.9, 4000), 0.3 * np.sin(np.linspace(0.0, 20.0, 4000))])
    times: dict[int, list[float]] = {22: [], 224: []}
    meshes = {side: amble_core.mesh_build(*grid(side, height=0.02)) for side in times}
    for _ in range(15):  # by turns, so that what else the machine does falls on both
        for side, mesh in meshes.items():
            begin = time.perf_counter()
            amble_core.mesh_rays(mesh, *down(track, 1.0))
            times[side].append(time.perf_counter() - begin)
    assert min(times[224]) < 2.0 * min(times[22])


@pytest.mark.parametrize(
    ("triangles", "message"),
    [
        ([[0, 1, 3]], "triangles holds vertex 3 in triangle 0, where there are 3 vertices"),
        ([[0, 1, 2], [0, -1, 2]], "triangles holds vertex -1 in triangle 1"),
    ],
)
def test_indices_out_of_range_are_named(triangles, message):
    with pytest.raises(ValueError, match=message):
        amble_core.mesh_build(np.eye(3), np.array(triangles, dtype=np.int32))


def test_a_vertex_that_is_no_number_is_named():
    vertices = np.eye(3)
    vertices[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"^vertices holds NaN or infinity at flat index 5"):
        amble_core.mesh_build(vertices, np.array([[0, 1, 2]], dtype=np.int32))


def test_a_direction_of_length_0_is_named():
    mesh = amble_core.mesh_build(*grid(1))
    with pytest.raises(ValueError, match=r"^direction has length 0 at item 1"):
        amble_core.mesh_rays(mesh, np.zeros((3, 2)), np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))


def inside_box(points: np.ndarray) -> np.ndarray:
    """Whether points (3, n) are inside the box from -1 to 1."""
    return (np.abs(points) < 1.0).all(axis=0)


@given(seed=SEEDS, count=st.integers(0, 60), size=st.sampled_from([0.01, 0.5, 4.0]))
def test_the_nearest_point_is_the_twins(seed, count, size):
    vertices, triangles = soup(seed, count, size)
    mesh = amble_core.mesh_build(vertices, triangles)
    point = np.random.default_rng(seed + 1).uniform(-9.0, 9.0, (3, 15))
    distance, nearest, triangle = amble_core.mesh_nearest(mesh, point, limit=6.0)
    tri = reference.corners(vertices, triangles)
    expected = reference.point_mesh(point.T, tri)
    found = triangle >= 0
    np.testing.assert_array_equal(found, expected < 6.0)
    np.testing.assert_allclose(np.abs(distance), np.where(found, expected, 6.0), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(nearest - point, axis=0)[found], expected[found], atol=1e-12)
    assert (nearest[:, ~found] == point[:, ~found]).all()
    for i in np.flatnonzero(found):
        one = tri[triangle[i]]
        assert reference.point_triangle(nearest[:, i][None], one)[0] < 1e-12
        normal = np.cross(one[1] - one[0], one[2] - one[0])
        height = (point[:, i] - one[0]) @ normal
        assert distance[i] >= 0.0 if height >= 0.0 else distance[i] <= 0.0


@given(seed=SEEDS)
def test_points_inside_a_closed_mesh_are_at_negative_distances(seed):
    vertices, triangles = box((-1, -1, -1), (1, 1, 1))
    mesh = amble_core.mesh_build(vertices, triangles)
    # Half of them nearest to edges and corners, where several triangles are as near.
    point = np.random.default_rng(seed).uniform(-2.0, 2.0, (3, 64))
    distance, _, _ = amble_core.mesh_nearest(mesh, point)
    np.testing.assert_array_equal(distance < 0.0, inside_box(point))
    mirrored = amble_core.mesh_build(vertices, np.ascontiguousarray(triangles[:, ::-1]))
    np.testing.assert_allclose(amble_core.mesh_nearest(mirrored, point)[0], -distance, atol=1e-12)


def capsule(*ends: object) -> np.ndarray:
    """An axis from its two ends, as (2, 3, 1)."""
    return np.array(ends, dtype=np.float64)[:, :, None]


def test_capsules_stay_clear_by_what_can_be_read_off_a_box():
    mesh = amble_core.mesh_build(*box((-1, -1, -1), (1, 1, 1)))

    def clear(start: np.ndarray, end: np.ndarray, radius: float = 0.25, limit: float = 9.0) -> float:
        found, _, _ = amble_core.mesh_clearance(
            mesh, start, end, np.array([radius]), limit=limit, tolerance=1e-6
        )
        return float(found[0])

    beside = capsule((3, -5, 0), (3, 5, 0))
    assert clear(beside, beside) == pytest.approx(1.75)
    over_the_edge = capsule((2, 0, 2), (2, 0.5, 2))
    assert clear(over_the_edge, over_the_edge) == pytest.approx(np.sqrt(2.0) - 0.25)
    # A sphere at rest off a corner, and one that passes it between two frames.
    assert clear(capsule((2, 2, 2), (2, 2, 2)), capsule((2, 2, 2), (2, 2, 2))) == pytest.approx(3**0.5 - 0.25)
    assert clear(capsule((-4, 0, 3), (-4, 0, 3)), capsule((4, 0, 3), (4, 0, 3))) == pytest.approx(1.75)
    # One that goes through the box from side to side, and is outside at both ends.
    assert clear(capsule((-4, 0, 0), (-4, 0.2, 0)), capsule((4, 0, 0), (4, 0.2, 0))) == -0.25
    # A leg that swings about its hip over the box: the nearest is when it hangs, halfway.
    swing = capsule((0, 0, 4), (-2, 0, 2)), capsule((0, 0, 4), (2, 0, 2))
    assert clear(*swing) == pytest.approx(0.75)
    # Inside all along: as far from the surface as one outside.
    within = capsule((-0.2, 0, 0), (0.2, 0, 0))
    assert clear(within, within) == pytest.approx(0.8 - 0.25)
    # What stays clear by the limit is not told any closer.
    assert clear(beside, beside, limit=1.7) == 1.7
    assert clear(beside, beside, limit=1.8) == pytest.approx(1.75)


@examples(12)
@given(
    seed=SEEDS,
    count=st.integers(1, 12),
    length=st.sampled_from([0.0, 0.02, 0.5]),
    moved=st.sampled_from([0.0, 0.05, 2.0]),
    turned=st.sampled_from([0.0, 0.05, 1.0]),
    tolerance=st.sampled_from([1e-3, 1e-2]),
)
def test_moving_capsules_stay_clear_by_what_the_twin_finds(seed, count, length, moved, turned, tolerance):
    vertices, triangles = soup(seed, count, 1.0, 2.0)
    mesh = amble_core.mesh_build(vertices, triangles)
    rng = np.random.default_rng(seed + 1)
    start, end, radius = np.empty((2, 3, 3)), np.empty((2, 3, 3)), rng.uniform(0.0, 0.2, 3)
    for i in range(3):
        start[0, :, i] = rng.uniform(-3.0, 3.0, 3)
        start[1, :, i] = start[0, :, i] + rng.normal(size=3) * length
        shift = rng.normal(size=3) * moved
        end[:, :, i] = start[:, :, i] + shift + rng.normal(size=(2, 3)) * turned * length
    clearance, nearest, triangle = amble_core.mesh_clearance(
        mesh, start, end, radius, limit=5.0, tolerance=tolerance
    )
    tri = reference.corners(vertices, triangles)
    for i in range(3):
        expected = reference.axis_mesh(tri, start[:, :, i], end[:, :, i]) - radius[i]
        if expected >= 5.0 + tolerance:
            assert clearance[i] == 5.0
            continue
        # Samples of the axis may miss where it goes through an edge by what is between them.
        assert expected - tolerance - 1e-6 <= clearance[i] <= expected + tolerance + 1e-9
        if triangle[i] >= 0:
            assert reference.point_triangle(nearest[:, i][None], tri[triangle[i]])[0] < 1e-9
        else:
            assert not nearest[:, i].any()


def test_a_bound_and_a_batch_change_no_result():
    vertices, triangles = grid(20, height=0.1)
    mesh = amble_core.mesh_build(vertices, triangles)
    rng = np.random.default_rng(5)
    start = rng.uniform(-1.0, 1.0, (2, 3, 60)) * [[[1.0], [1.0], [0.5]]] + [[[0.0], [0.0], [0.5]]]
    end = start + rng.normal(size=start.shape) * 0.02
    radius = rng.uniform(0.0, 0.1, 60)
    free = amble_core.mesh_clearance(mesh, start, end, radius, limit=1e15, tolerance=1e-3)
    bound = amble_core.mesh_clearance(mesh, start, end, radius, limit=0.2, tolerance=1e-3)
    near = free[0] < 0.2
    assert 6 < near.sum() < 54
    np.testing.assert_array_equal(bound[0], np.where(near, free[0], 0.2))
    np.testing.assert_array_equal(bound[2], np.where(near, free[2], -1))
    for i in range(0, 60, 3):
        one = [np.ascontiguousarray(a[..., i : i + 1]) for a in (start, end, radius)]
        alone = amble_core.mesh_clearance(mesh, *one, limit=1e15, tolerance=1e-3)
        assert [a.tobytes() for a in alone] == [
            np.ascontiguousarray(a[..., i : i + 1]).tobytes() for a in free
        ]


def test_many_threads_may_ask_one_mesh():
    mesh = amble_core.mesh_build(*grid(60))
    origin, direction = down(np.random.default_rng(9).uniform(-1.0, 1.0, (2, 20_000)), 1.0)
    alone = amble_core.mesh_rays(mesh, origin, direction)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(amble_core.mesh_rays, mesh, origin, direction) for _ in range(8)]
        del mesh  # kept by those who ask
        for future in asked:
            for ours, theirs in zip(alone, future.result(), strict=True):
                assert ours.tobytes() == theirs.tobytes()


def test_what_no_mesh_is_and_negative_radii_are_named():
    mesh = amble_core.mesh_build(*grid(1))
    wrong: tuple[Any, ...] = (None, np.zeros(3), object())
    for bad in wrong:
        with pytest.raises(TypeError, match=r"^mesh must be what mesh_build returned"):
            amble_core.mesh_nearest(bad, np.zeros((3, 1)))
    axis = np.zeros((2, 3, 2))
    with pytest.raises(ValueError, match=r"^radius holds -1 at flat index 1"):
        amble_core.mesh_clearance(mesh, axis, axis, np.array([0.0, -1.0]), limit=1.0, tolerance=1e-3)
    turned = np.array([[[0.0], [0.0], [0.0]], [[1.0], [0.0], [0.0]]])
    with pytest.raises(ValueError, match=r"^tolerance is too small for the turn of the axis at item 0"):
        amble_core.mesh_clearance(
            mesh, turned, turned[::-1] + [[[0.0], [0.0], [1.0]]], np.zeros(1), limit=1.0, tolerance=1e-9
        )
