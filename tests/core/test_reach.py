"""Reach and distance from planes against numbers worked out by hand (M1, M2, M4, M5)."""

import amble_core
import numpy as np
import pytest


def still(*axes: tuple[tuple[float, float, float], tuple[float, float, float]]) -> np.ndarray:
    """Tracks (2, 3, parts, 1) of parts at rest."""
    return np.array(axes, float).transpose(1, 2, 0)[..., None].copy()


UP, ORIGIN = np.array([0.0, 0.0, 3.0]), np.zeros(3)


def test_M1_parts_are_where_bone_and_object_take_them():
    # One bone turned a quarter about z at (1, 2, 3); the object moves along x by 10 at the second frame.
    pose = np.zeros((1, 12, 2), np.float32)
    pose[0] = np.array([0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3])[:, None]
    world = np.repeat(np.eye(4)[:3].reshape(12, 1), 2, axis=1)
    world[3, 1] = 10.0
    axis = np.array([[[0.0, 0, 0], [0, 0.5, 0]]])
    found = amble_core.part_tracks(pose, np.array([0], np.int32), axis, world)
    assert found.shape == (2, 3, 1, 2)
    assert found[0, :, 0].T.tolist() == [[1, 2, 3], [11, 2, 3]]
    assert found[1, :, 0].T.tolist() == [[0.5, 2, 3], [10.5, 2, 3]]


def test_M2_the_largest_distance_from_the_line_with_its_direction():
    # An elbow at 3, 4 (5 off the line, whatever its height) and a foot at -6, 0 that is thicker.
    track = still(((0, 0, 1), (3, 4, 9)), ((0, 0, 0), (-6, 0, 0)))
    distance, part, end, direction = amble_core.reach(track, np.array([0.5, 0.25]), ORIGIN, UP)
    assert distance.tolist() == [6.25]
    assert part.tolist() == [1]
    assert end[:, 0].tolist() == [-6, 0, 0]
    assert direction[:, 0].tolist() == [-1, 0, 0]
    distance, part, _, direction = amble_core.reach(track, np.array([1.5, 0.25]), ORIGIN, UP)
    assert distance.tolist() == [6.5]
    assert part.tolist() == [0]
    assert np.allclose(direction[:, 0], [0.6, 0.8, 0.0], atol=1e-15)


def test_M2_the_line_may_stand_anywhere():
    distance, *_ = amble_core.reach(still(((1, 1, 5), (1, 1, 6))), np.zeros(1), np.array([1.0, 1, 0]), UP)
    assert distance.tolist() == [0.0]


def test_M4_M5_room_to_a_wall_is_its_distance_less_the_reach():
    start = np.zeros((2, 3, 1))
    end = start.copy()
    end[1, 0] = 0.8  # an arm that is stretched out towards x
    wall = np.array([[-1.0, 0, 0, -1.0]])  # at x = 1, its free side towards the character
    assert np.allclose(amble_core.plane_clearance(start, end, np.array([0.1]), wall, inside=True), [0.1])
    assert np.allclose(amble_core.plane_clearance(start, end, np.array([0.3]), wall, inside=True), [-0.1])


def test_beside_a_box_one_face_is_enough_within_a_region_every_face_counts():
    box = np.array([[1.0, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]])
    place = np.zeros((2, 3, 2))
    place[:, 0, 0] = 3.0  # two beside the box, and one in its middle
    beside = amble_core.plane_clearance(place, place, np.array([0.5, 0.5]), box)
    assert beside.tolist() == [1.5, -1.5]
    within = amble_core.plane_clearance(place, place, np.array([0.5, 0.5]), -box, inside=True)
    assert within.tolist() == [-2.5, 0.5]


def test_without_planes_and_parts_nothing_is_near():
    none = np.zeros((0, 4))
    place = np.zeros((2, 3, 1))
    for inside in (False, True):
        assert amble_core.plane_clearance(place, place, np.zeros(1), none, inside=inside)[0] == 1e15
    distance, part, _, direction = amble_core.reach(np.zeros((2, 3, 0, 4)), np.zeros(0), ORIGIN, UP)
    assert distance.tolist() == [0.0] * 4
    assert part.tolist() == [-1] * 4
    assert not direction.any()


def test_errors_name_the_argument():
    place = np.zeros((2, 3, 1))
    with pytest.raises(ValueError, match=r"planes\[0\] must have a normal of length 1, not 2"):
        amble_core.plane_clearance(place, place, np.zeros(1), np.array([[2.0, 0, 0, 0]]))
    with pytest.raises(ValueError, match=r"radius\[0\] is -1: below 0"):
        amble_core.plane_clearance(place, place, np.array([-1.0]), np.zeros((0, 4)))
    with pytest.raises(ValueError, match="up must not be 0"):
        amble_core.reach(np.zeros((2, 3, 1, 1)), np.zeros(1), ORIGIN, np.zeros(3))
    with pytest.raises(ValueError, match=r"bone\[0\] is 1: there are 1 bones"):
        amble_core.part_tracks(
            np.zeros((1, 12, 1), np.float32), np.array([1], np.int32), np.zeros((1, 2, 3)), np.zeros((12, 1))
        )
