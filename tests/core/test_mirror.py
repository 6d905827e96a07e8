"""The mirror against its slow twin: poses of the mirrored channels are the images of the source's poses.

M6: every element is reflected about the plane; left and right change places, the middle reflects in itself,
and for another plane than the body's own the reflection is followed by a turn about the reference line.
"""

import itertools
from typing import Any

import amble_core
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.core import skeletons
from tests.reference import mirror as twin
from tests.reference import quat

NO_TURN = np.eye(4)[:3].copy()
X_PLANE = np.array([1.0, 0.0, 0.0, 0.0])


def turned(rng: np.random.Generator) -> np.ndarray:
    q = quat.normalise(rng.normal(size=(4, 1)))
    return quat.to_matrix(q)[:, 0].reshape(3, 3)


def symmetric(rng: np.random.Generator, pairs: int, middle: int, plane: np.ndarray) -> dict[str, Any]:
    """A skeleton that is its own image about the plane but for the directions of its axes, which are drawn:
    middle bones in a chain, pairs hanging on these and on each other."""
    s = twin.reflection(plane[:3], float(plane[3]))
    normal = plane[:3] / np.linalg.norm(plane[:3])
    rest, parents, partner = [], [], []
    for k in range(middle):
        matrix = np.eye(4)
        matrix[:3, :3] = turned(rng)
        place = rng.uniform(-1, 1, 3)
        matrix[:3, 3] = place - (place @ normal) * normal + plane[3] / np.linalg.norm(plane[:3]) * normal
        rest.append(matrix)
        parents.append(k - 1)
        partner.append(k)
    for _ in range(pairs):
        own = len(rest)
        hang = int(rng.integers(0, len(rest)))
        for side in range(2):
            matrix = np.eye(4)
            matrix[:3, :3] = turned(rng)
            matrix[:3, 3] = rng.uniform(-1, 1, 3) if side == 0 else (s @ rest[own][:, 3])[:3]
            rest.append(matrix)
            parents.append(hang if side == 0 else partner[hang])
            partner.append(own + 1 - side)
    return {
        "parents": np.array(parents, np.int32),
        "rest": np.array(rest),
        "partner": np.array(partner, np.int32),
        "plane": plane,
    }


def even(channels: NDArray[np.float32]) -> NDArray[np.float32]:
    """The channels with equal scales on all three axes."""
    channels[:, 8:] = channels[:, 7:8]
    return channels


def assert_images(body: dict[str, Any], flags: np.ndarray, turn: np.ndarray, channels: np.ndarray) -> None:
    found = amble_core.mirror(**body, flags=flags, turn=turn, channels=channels)
    poses = twin.as_matrices(
        amble_core.forward_kinematics(body["parents"], body["rest"], flags, found).astype(np.float64)
    )
    wanted = twin.mirrored_poses(
        body["parents"], body["rest"], flags, body["partner"], body["plane"], turn, channels
    )
    size = np.maximum(np.abs(wanted).max(axis=(2, 3)), 1.0)[..., None, None]
    assert (np.abs(poses - wanted) / size).max() < 2e-5


PLANES = [X_PLANE, np.array([0.0, 2.0, 0.0, 0.6]), np.array([0.6, 0.8, 0.0, -0.3])]


@pytest.mark.parametrize("plane", PLANES, ids=["x", "y beside the origin", "slanted"])
@pytest.mark.parametrize("seed", range(4))
def test_M6_poses_are_reflected_whatever_the_rolls(seed, plane):
    rng = np.random.default_rng(seed)
    body = symmetric(rng, 9, 5, plane)
    channels = even(skeletons.channels(rng, 23, 7))
    assert_images(body, np.zeros(23, np.uint32), NO_TURN, channels)


@pytest.mark.parametrize("degrees", [180.0, 90.0, -33.0])
def test_M6_another_plane_is_the_reflection_and_a_turn_about_the_line(degrees):
    rng = np.random.default_rng(9)
    body = symmetric(rng, 9, 5, X_PLANE)
    angle = np.radians(degrees)
    turn = np.eye(4)[:3].copy()
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    line = np.array([0.3, -0.2, 0.0])
    turn[:, 3] = line - turn[:, :3] @ line
    assert_images(body, np.zeros(23, np.uint32), turn, even(skeletons.channels(rng, 23, 7)))


@pytest.mark.parametrize("low", range(8))
@pytest.mark.parametrize("mode", range(6))
def test_poses_are_reflected_through_every_inheritance_flag(low, mode):
    rng = np.random.default_rng(17)
    body = symmetric(rng, 6, 4, X_PLANE)
    flags = np.zeros(16, np.uint32)
    for bone in (2, 5, 8, 11, 14):
        flags[[bone, body["partner"][bone]]] = low | mode << 4
    channels = even(skeletons.channels(rng, 16, 5))
    connected = (flags & 1) == 1
    channels[connected, :3] = 0.0
    turn = np.array([[0.0, -1.0, 0.0, 0.5], [1.0, 0.0, 0.0, 0.1], [0.0, 0.0, 1.0, 0.0]])
    assert_images(body, flags, turn, channels)


def test_bones_that_hang_on_no_partners_are_worked_out_from_poses():
    rng = np.random.default_rng(23)
    body = symmetric(rng, 6, 4, X_PLANE)
    left = [bone for bone, other in enumerate(body["partner"]) if bone < other]
    body["parents"][left[2]] = 0
    body["parents"][left[4]] = left[0]
    flags = np.zeros(16, np.uint32)
    flags[left[3]] = 2
    flags[body["partner"][left[5]]] = 0x40
    general = amble_core.mirror_maps(**body, flags=flags, turn=NO_TURN)[3]
    assert {left[2], left[4], left[3], left[5]} <= set(np.flatnonzero(general).tolist())
    channels = skeletons.channels(rng, 16, 5)
    channels[:, 7:] = 1.0
    assert_images(body, flags, NO_TURN, channels)


@pytest.mark.parametrize("seed", range(3))
def test_mirrored_twice_is_the_original(seed):
    rng = np.random.default_rng(seed)
    body = symmetric(rng, 9, 5, X_PLANE)
    channels = even(skeletons.channels(rng, 23, 7))
    flags = np.zeros(23, np.uint32)
    once = amble_core.mirror(**body, flags=flags, turn=NO_TURN, channels=channels)
    twice = amble_core.mirror(**body, flags=flags, turn=NO_TURN, channels=once)
    assert np.abs(twice - channels).max() < 1e-6


def test_the_rest_pose_is_its_own_mirror_image_also_where_it_is_not_symmetric():
    rng = np.random.default_rng(5)
    parents, rest = skeletons.skeleton(rng, 20)
    partner = np.arange(20, dtype=np.int32)
    partner[[4, 9]] = 9, 4
    channels = np.zeros((20, 10, 1), np.float32)
    channels[:, 3] = channels[:, 7:] = 1.0
    found = amble_core.mirror(parents, rest, np.zeros(20, np.uint32), partner, X_PLANE, NO_TURN, channels)
    assert np.abs(found - channels).max() < 1e-6


def test_M6_by_hand_on_the_axes():
    # Left upper arm along +x, right along -x, both with z up: the right one's x runs backwards.
    left = np.array([[0.0, 1, 0, 0.2], [-1, 0, 0, 0], [0, 0, 1, 1.4], [0, 0, 0, 1]])
    right = np.array([[0.0, -1, 0, -0.2], [1, 0, 0, 0], [0, 0, 1, 1.4], [0, 0, 0, 1]])
    body: dict[str, Any] = {
        "parents": np.array([-1, -1], np.int32),
        "rest": np.stack((left, right)),
        "partner": np.array([1, 0], np.int32),
        "plane": X_PLANE,
    }
    rotation, location, scale, general = amble_core.mirror_maps(
        body["parents"],
        body["rest"],
        np.zeros(2, np.uint32),
        body["partner"],
        body["plane"],
        NO_TURN,
    )
    # The reflection takes left's x (armature -y) to -y, which is right's -x; y to y; z to z.
    assert location[1].tolist() == [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert rotation[1].tolist() == np.diag([1.0, 1, -1, -1]).tolist()
    assert scale[1].tolist() == np.eye(3).tolist()
    assert general.tolist() == [0, 0]


def test_whole_pose_makes_directions_images_where_rests_are_not():
    rng = np.random.default_rng(31)
    body = symmetric(rng, 0, 3, X_PLANE)
    for k in range(3):  # an upright trunk
        body["rest"][k] = [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0.4 * k], [0, 0, 0, 1]]
    limbs = np.array([[[1.0, 0, 0], [0, 0, -1], [0, 1, 0]], [[1, 0, 0], [0, -0.6, -0.8], [0, 0.8, -0.6]]])
    rest = np.tile(np.eye(4), (2, 1, 1))
    rest[:, :3, :3] = limbs
    rest[:, :3, 3] = [[0.2, 0, 0.9], [-0.2, 0, 0.9]]
    body = {
        "parents": np.concatenate((body["parents"], [2, 2])).astype(np.int32),
        "rest": np.concatenate((body["rest"], rest)),
        "partner": np.concatenate((body["partner"], [4, 3])).astype(np.int32),
        "plane": X_PLANE,
    }
    channels = skeletons.channels(rng, 5, 6, (1.0, 1.0))
    flags = np.zeros(5, np.uint32)
    found = amble_core.mirror(**body, flags=flags, turn=NO_TURN, channels=channels, whole_pose=True)
    before, after = (
        twin.as_matrices(amble_core.forward_kinematics(body["parents"], body["rest"], flags, one))
        for one in (channels, found)
    )
    direction = before[body["partner"], :, :3, 1] * [-1, 1, 1]
    assert np.abs(after[:, :, :3, 1] - direction).max() < 1e-5
    head = before[body["partner"], :, :3, 3] * [-1, 1, 1]
    assert np.abs(after[:, :, :3, 3] - head).max() < 1e-5


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (
            "partner",
            np.array([0, 2, 0], np.int32),
            r"partner\[1\] is 2: each bone must be the partner of its",
        ),
        ("partner", np.array([0, 1, 3], np.int32), r"partner\[2\] is 3"),
        ("plane", np.zeros(4), "plane must have a normal that is not 0"),
        ("turn", np.diag([-1.0, 1, 1, 1])[:3].copy(), "turn must be a rotation, not a reflection"),
        ("turn", 2.0 * NO_TURN, r"turn\[0\] must have axes of length 1"),
        ("rest", np.tile(np.diag([2.0, 1, 1, 1]), (3, 1, 1)), r"rest\[0\] must have axes of length 1"),
    ],
)
def test_what_is_no_mirror_is_an_error(argument, value, message):
    sound = {
        "parents": np.array([-1, 0, 0], np.int32),
        "rest": np.tile(np.eye(4), (3, 1, 1)),
        "flags": np.zeros(3, np.uint32),
        "partner": np.array([0, 2, 1], np.int32),
        "plane": X_PLANE,
        "turn": NO_TURN,
    }
    with pytest.raises(ValueError, match=message):
        amble_core.mirror_maps(**{**sound, argument: value})


def test_no_bones_and_no_frames_are_nothing():
    for bones, frames in itertools.product((0, 2), (0, 1)):
        found = amble_core.mirror(
            np.full(bones, -1, np.int32),
            np.tile(np.eye(4), (bones, 1, 1)),
            np.zeros(bones, np.uint32),
            np.arange(bones, dtype=np.int32),
            X_PLANE,
            NO_TURN,
            np.ones((bones, 10, frames), np.float32),
        )
        assert found.shape == (bones, 10, frames)
