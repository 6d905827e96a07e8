"""Where feet can stand, on every kind of ground: levels, functions, meshes."""

import math
from typing import Any

import amble
import numpy as np
import pytest
from amble.scene import Flat, Footing, Ground, HeightField, MeshGround, as_ground
from amble.scene.read import Soup

# A foot 0.25 long and 0.08 wide, its place under the ankle.
FOOT = np.array([[0.18, 0.18, 0.06, 0.06, -0.07, -0.07], [0.04, -0.04, 0.04, -0.04, 0.04, -0.04]])
FOOTING = Footing(FOOT, spread=0.01, steepest=35.0, up=0.3, down=0.3)


def mesh_of(function: Any, x: np.ndarray, y: np.ndarray) -> MeshGround:
    """A mesh over lines at x and y, two triangles a square."""
    grid = np.stack(np.meshgrid(x, y, indexing="ij"))
    i = np.arange(grid[0].size, dtype=np.int32).reshape(grid[0].shape)
    a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
    triangles = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    vertices = np.stack([grid[0], grid[1], function(*grid)], axis=-1).reshape(-1, 3)
    owner = np.zeros(len(triangles), dtype=np.int32)
    return MeshGround(Soup(vertices, triangles, ("ground",), owner, ()))


def slope(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Up along X by 0.3, down along Y by 0.1."""
    return 0.3 * x - 0.1 * y + 0.05


def stairs(x: Any, y: Any) -> Any:
    """Treads 0.28 deep and 0.17 high, from x = 0."""
    return 0.17 * (np.floor(x / 0.28) + 1.0) + 0.0 * y


def stairs_mesh() -> MeshGround:
    """The same with risers: at each edge two lines of vertices."""
    edges = np.arange(-4, 12) * 0.28
    x = np.stack([edges, np.nextafter(edges, 9.0)], axis=1).ravel()
    # Each pair's first line belongs to the tread below; rounding of x / 0.28 plays no part.
    height = np.stack([np.arange(-4, 12), np.arange(-3, 13)], axis=1).ravel() * 0.17
    return mesh_of(
        lambda x, y: np.repeat(height[:, None], y.shape[1], axis=1) + 0.0 * x, x, np.array([-2.0, 2.0])
    )


def ramp(rise: float) -> Any:
    """Up along X."""
    return lambda x, _: rise * x


def across_the_ball(height: float) -> Any:
    """Level but for a ridge along Y under the balls of feet at x = 0."""
    return lambda x, _: np.where(np.abs(x - 0.06) < 0.02, height, 0.0)


def points(*places: tuple[float, float, float]) -> np.ndarray:
    return np.array(places, dtype=np.float64).T.copy()


SLOPES = {
    "function": HeightField(slope),
    "mesh": mesh_of(slope, np.linspace(-3, 3, 7), np.linspace(-3, 3, 7)),
}
STAIRS = {"function": HeightField(stairs), "mesh": stairs_mesh()}


@pytest.mark.parametrize("ground", SLOPES.values(), ids=SLOPES)
def test_a_function_and_its_mesh_are_the_same_ground(ground: Ground):
    spots = np.random.default_rng(0).uniform(-2.0, 2.0, (3, 100))
    spots[2] = slope(spots[0], spots[1])
    spots[2, ::3] += 1.0
    spots[2, 1::3] -= 1.0
    found = ground.heights(spots, up=0.5, down=0.5)
    np.testing.assert_array_equal(found.found, np.arange(100) % 3 == 2)
    np.testing.assert_allclose(found.height[2::3], spots[2, 2::3], atol=1e-12)
    np.testing.assert_array_equal(found.height[0::3], spots[2, 0::3])
    normal = np.array([-0.3, 0.1, 1.0]) / math.sqrt(1.1)
    np.testing.assert_allclose(found.normal[:, 2::3], np.repeat(normal[:, None], 33, axis=1), atol=1e-9)
    assert (found.normal[:, 0] == [0.0, 0.0, 1.0]).all()
    # Higher or deeper is found where it is asked for.
    assert ground.heights(spots, up=1.5, down=1.5).found.all()


@pytest.mark.parametrize("ground", STAIRS.values(), ids=STAIRS)
def test_a_track_goes_up_stairs_and_stays_before_a_step_that_is_too_high(ground: Ground):
    x = np.linspace(-0.5, 2.0, 73) + 0.003
    track = np.stack([x, np.zeros_like(x)])
    found = ground.follow(track, stairs(x[:1], x[:1])[0], up=0.2, down=0.2)
    assert found.found.all()
    np.testing.assert_allclose(found.height, stairs(x, x), atol=1e-12)
    down = ground.follow(track[:, ::-1], stairs(x[-1:], x)[0], up=0.2, down=0.2)
    np.testing.assert_allclose(down.height, stairs(x, x)[::-1], atol=1e-12)
    stuck = ground.follow(track, stairs(x[:1], x[:1])[0], up=0.1, down=0.1)
    first = x < np.ceil(x[0] / 0.28) * 0.28
    np.testing.assert_array_equal(stuck.found, first)
    np.testing.assert_allclose(stuck.height, stairs(x[0], 0.0), atol=1e-12)


def test_a_track_goes_on_beyond_a_gap():
    def gap(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where((x > 1.0) & (x < 2.0), np.nan, 0.1 * x + 0.0 * y)

    x = np.linspace(0.0, 3.0, 31) + 0.01
    track = np.stack([x, np.zeros_like(x)])
    found = HeightField(gap).follow(track, 0.0, up=0.2, down=0.2)
    there = (x < 1.0) | (x > 2.0)
    np.testing.assert_array_equal(found.found, there)
    np.testing.assert_allclose(found.height, np.where(there, 0.1 * x, 0.1 * x[x < 1.0][-1]), atol=1e-12)


def test_level_ground_is_level():
    ground = Flat(1.5)
    found = ground.heights(points((3.0, -2.0, 1.4), (0.0, 0.0, 0.0)), up=0.5, down=0.5)
    assert found.found.tolist() == [True, False]
    assert found.height.tolist() == [1.5, 0.0]
    assert (found.normal == [[0.0], [0.0], [1.0]]).all()
    assert (ground.follow(np.zeros((2, 4)), 1.2).height == 1.5).all()
    assert as_ground(None).heights(points((1.0, 2.0, 0.1))).height.tolist() == [0.0]
    assert as_ground(-2).heights(points((1.0, 2.0, -2.1))).height.tolist() == [-2.0]
    assert as_ground(slope).heights(points((1.0, 2.0, 0.0))).height == pytest.approx([0.15])
    assert as_ground(ground) is ground


@pytest.mark.parametrize("ground", SLOPES.values(), ids=SLOPES)
def test_a_foot_lies_along_a_slope_whichever_way_it_heads(ground: Ground):
    places = np.random.default_rng(1).uniform(-1.5, 1.5, (3, 40))
    places[2] = slope(places[0], places[1]) + 0.1
    heading = np.linspace(0.0, 2.0 * np.pi, 40)
    stand = ground.stand(places, heading, FOOTING)
    assert stand.solid.all()
    np.testing.assert_array_equal(stand.place[:2], places[:2])
    np.testing.assert_allclose(stand.place[2], slope(places[0], places[1]), atol=1e-9)
    normal = np.array([-0.3, 0.1, 1.0]) / math.sqrt(1.1)
    np.testing.assert_allclose(stand.normal, np.repeat(normal[:, None], 40, axis=1), atol=1e-9)


def test_what_is_too_steep_too_uneven_or_too_low_overhead_is_not_solid():
    here, straight = points((0.0, 0.0, 0.0)), 0.0
    for degrees, solid in ((34.0, True), (36.0, False)):
        ground = HeightField(ramp(math.tan(math.radians(degrees))))
        assert ground.stand(here, straight, FOOTING).solid.tolist() == [solid]
    # A ridge across the ball of the foot: its points are off their plane by what three heights say.
    for height, solid in ((0.009, True), (0.02, False)):
        ridge = HeightField(across_the_ball(height))
        stand = ridge.stand(here, straight, FOOTING)
        assert stand.solid.tolist() == [solid]
        if solid:
            # The sole touches, and nothing is above it.
            over = (
                stand.place[2] - (stand.normal[0] * FOOT[0] / stand.normal[2]) - np.repeat([0, height, 0], 2)
            )
            assert over.min() == pytest.approx(0.0, abs=1e-12)
    floor = mesh_of(lambda x, _: 0.0 * x, np.array([-2.0, 2.0]), np.array([-2.0, 2.0]))
    assert floor.stand(here, straight, FOOTING).solid.tolist() == [True]
    shelf = mesh_of(lambda x, _: 0.0 * x + 1.0, np.array([-2.0, 2.0]), np.array([-2.0, 2.0])).soup
    both = MeshGround(
        Soup(
            np.concatenate([floor.soup.vertices, shelf.vertices]),
            np.concatenate([floor.soup.triangles, shelf.triangles + np.int32(4)]),
            ("floor", "shelf"),
            np.array([0, 0, 1, 1], dtype=np.int32),
            (),
        )
    )
    for headroom, solid in ((0.9, True), (1.1, False)):
        footing = Footing(FOOT, up=0.3, down=0.3, headroom=headroom)
        assert both.stand(here, straight, footing).solid.tolist() == [solid]
    assert both.room(points((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (9.0, 0.0, 0.0)), 5.0) == pytest.approx(
        [1.0, 5.0, 5.0]
    )


@pytest.mark.parametrize("ground", STAIRS.values(), ids=STAIRS)
def test_feet_on_the_edges_of_stairs_move_to_the_nearest_whole_tread(ground: Ground):
    x = np.linspace(0.0, 0.28, 29)[:-1] + 0.005
    asked = np.stack([x, np.full_like(x, 0.3), np.full_like(x, 0.17)])
    stand = ground.stand_near(asked, 0.0, FOOTING, reach=0.25, step=0.01)
    assert stand.solid.all()
    # The whole foot is on one tread: heel 0.07 behind the place, tip 0.18 before it.
    tread = np.floor((stand.place[0] - 0.07) / 0.28)
    np.testing.assert_array_equal(tread, np.floor((stand.place[0] + 0.18) / 0.28))
    np.testing.assert_allclose(stand.place[2], 0.17 * (tread + 1.0), atol=1e-9)
    np.testing.assert_allclose(stand.normal[2], 1.0, atol=1e-9)
    # No place that is nearer, by more than a step, is on one tread: from 0.07 to 0.10 of any of them.
    rooms = 0.28 * np.arange(-2, 3)[:, None] + np.array([0.07, 0.10])
    away = np.maximum(np.maximum(rooms[:, :1] - x, x - rooms[:, 1:]), 0.0).min(axis=0)
    moved = np.hypot(stand.place[0] - x, stand.place[1] - 0.3)
    assert (moved <= away + 0.01 + 1e-9).all()
    assert (moved[away == 0.0] == 0.0).all()


def test_a_foot_over_a_hole_moves_to_its_rim_and_over_nothing_stays_and_says_so():
    def hole(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(np.hypot(x, y) < 0.2, np.nan, 0.0)

    ground = HeightField(hole)
    asked = points((0.0, 0.2, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.0))
    stand = ground.stand_near(asked, 0.0, FOOTING, reach=0.35, step=0.02)
    assert stand.solid.tolist() == [True, True, True]
    moved = np.linalg.norm(stand.place - asked, axis=0)
    assert moved[1] == 0.0
    assert 0.0 < moved[0] < 0.15
    assert 0.2 < moved[2] <= 0.35
    for place in stand.place.T:
        assert np.isfinite(hole(place[0] + FOOT[0], place[1] + FOOT[1])).all()
    none = ground.stand_near(asked[:, 2:], 0.0, FOOTING, reach=0.1)
    assert none.solid.tolist() == [False]
    np.testing.assert_array_equal(none.place, asked[:, 2:])


def test_equal_moves_go_straight_on_and_feet_alike_are_moved_alike():
    slot = HeightField(lambda x, y: np.where(np.abs(x) < 0.3, np.nan, 0.0) + 0.0 * y)
    # Heading along Y beside the slot: straight on it never ends, so the foot goes sideways, to its own side.
    asked = points((-0.3, 0.0, 0.0), (0.3, 0.0, 0.0))
    stand = slot.stand_near(asked, np.pi / 2.0, FOOTING)
    assert stand.solid.all()
    np.testing.assert_allclose(stand.place[0, 0], -stand.place[0, 1], atol=1e-9)
    np.testing.assert_allclose(stand.place[1], 0.0, atol=1e-9)
    # One that could go back or on, by as much, goes on.
    bump = HeightField(lambda x, y: np.where(np.abs(x - 0.055) < 0.06, np.nan, 0.0) + 0.0 * y)
    moved = bump.stand_near(points((0.0, 0.0, 0.0)), 0.0, FOOTING)
    assert moved.place[0, 0] > 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Flat(math.nan), "height of flat ground must be a finite number"),
        (lambda: HeightField(slope, spacing=0.0), "spacing must be over 0"),
        (
            lambda: HeightField(lambda *_: np.zeros(3)).heights(np.zeros((3, 5))),
            "one height for each place",
        ),
        (lambda: Flat().heights(np.zeros((2, 5))), r"shape \(3, n\), not \(2, 5\)"),
        (lambda: Flat().heights(np.full((3, 1), np.nan)), "numbers of at most"),
        (lambda: Flat().heights(np.zeros((3, 1)), up=-0.1), "up must be a number from 0"),
        (lambda: SLOPES["mesh"].follow(np.zeros((2, 1)), 0.0, down=math.nan), "down must be a number from 0"),
        (lambda: Footing(np.zeros((2, 5))), "not all on one line"),
        (lambda: Footing(FOOT, spread=-1.0), "spread must be a number from 0"),
        (lambda: Footing(FOOT, steepest=90.0), "steepest must be from 0 to under 90"),
        (lambda: Flat().stand_near(np.zeros((3, 1)), 0.0, FOOTING, reach=0.1, step=0.2), "step must be"),
        (lambda: as_ground(True), "ground must be objects, a height or a function"),
    ],
)
def test_what_cannot_be_is_told_in_words(call: Any, message: str):
    with pytest.raises(amble.AmbleError, match=message):
        call()
