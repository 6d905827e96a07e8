"""G13 to G15 and G22 of the orbit gait: knees, feet and the rest, in the poses that its channels give."""

from dataclasses import dataclass, replace
from typing import Any

import amble_core
import numpy as np
import pytest
from tests.core.bodies import Array, Figure, Walk
from tests.core.riders import course, land, part
from tests.core.test_orbit_gait import assert_at

LEGS = {"L": 0, "R": 1}


@dataclass
class Goals:
    """A pose of a figure for tracks that stand still in one frame."""

    figure: Figure
    facing: tuple[float, float, float] = (1.0, 0.0, 0.0)
    travel: bool = True

    def run(self, **given: Any) -> Walk:
        """The core's pose. waist, ankles, hands, course: places; soles: unit vectors; toe_out: degrees."""
        body = self.figure.body()
        extras = given.pop("extras", [])
        places = {name: np.asarray(value, dtype=np.float64) for name, value in given.items()}
        frames = 1

        def track(name: str, rows: int) -> Array:
            out = np.zeros((rows, 6, frames))
            if name in places:
                out[:, :3, 0] = places[name].reshape(rows, 3)
            return out

        hands = track("hands", 2 if "hands" in given else 0)
        result = amble_core.orbit_pose(
            **body.arguments,
            extras=np.array([[body.bones[name], how] for name, how, _ in extras], np.int32).reshape(-1, 2),
            travel=self.travel,
            course=track("course", 1)[0],
            facing=np.array(self.facing)[:, None].copy(),
            turning=np.zeros(frames),
            waist=track("waist", 1)[0],
            ankles=track("ankles", 2),
            sole_tracks=track("soles", 2)
            + np.array([0.0, 0.0, float("soles" not in given), 0, 0, 0])[:, None],
            toe_out=np.radians(places.get("toe_out", np.zeros(2))),
            hand_tracks=hands,
            extra_tracks=np.array([[*place, 0.0, 0.0, 0.0] for *_, place in extras]).reshape(-1, 6, 1),
            lean=float(given.get("lean", 0.0)),
        )
        return Walk(body, np.zeros(1), *result, np.zeros(0))


FIGURE = Figure(toe_out=0.0, knee=4.0)


def stand(figure: Figure = FIGURE, **given: Any) -> Walk:
    """The figure with its waist 0.1 lower than at rest, its ankles 0.3 ahead and 0.2 behind."""
    walk = Goals(figure, given.pop("facing", (1.0, 0.0, 0.0)), given.pop("travel", True))
    rest = walk.run(waist=(0.0, 0.0, 1.0), ankles=np.zeros((2, 3)))
    height = rest.rest_head("pelvis")[2]
    ankles = [[0.3, figure.hips / 2, figure.ankle], [-0.2, -figure.hips / 2, figure.ankle]]
    return walk.run(**{"waist": (0.0, 0.0, height - 0.1), "ankles": ankles, **given})


def angle(a: Array, b: Array) -> float:
    return float(np.degrees(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


def test_G13_the_knee_opens_by_the_triangle_of_hip_ankle_and_the_bones_lengths():
    places = {key: path[0] for key, path in stand().places().items()}
    for side in LEGS:
        hip, knee, ankle = (places[side, name] for name in ("hip", "knee", "ankle"))
        distance = np.linalg.norm(ankle - hip)
        # thigh 0.45, shin 0.44: the law of cosines.
        cosine = (0.45**2 + 0.44**2 - distance**2) / (2.0 * 0.45 * 0.44)
        opening = np.degrees(np.arccos(cosine))
        assert 90.0 < opening < 179.0
        assert angle(hip - knee, ankle - knee) == pytest.approx(opening, abs=1e-3)
        assert_at(ankle, [0.3, 0.09, 0.09] if side == "L" else [-0.2, -0.09, 0.09])


@pytest.mark.parametrize(
    ("toe_out", "facing", "direction"),
    [
        # Half way between the facing and the foot: 15 degrees of 30 to the left for the left foot.
        ((30.0, -30.0), 0.0, (15.0, -15.0)),
        ((0.0, 0.0), 0.0, (0.0, 0.0)),
        ((-10.0, 20.0), 0.0, (-5.0, 10.0)),
        ((30.0, -30.0), 90.0, (105.0, 75.0)),
    ],
)
def test_G13_the_knee_points_half_way_between_the_facing_and_the_feet(toe_out, facing, direction):
    c, s = np.cos(np.radians(facing)), np.sin(np.radians(facing))
    hips = [[-0.09 * s, 0.09 * c, 0.09], [0.09 * s, -0.09 * c, 0.09]]  # ankles straight under the hips
    walk = stand(facing=(c, s, 0.0), toe_out=toe_out, ankles=hips)
    places = {key: path[0] for key, path in walk.places().items()}
    for side, row in LEGS.items():
        out = places[side, "knee"] - places[side, "hip"]
        assert np.degrees(np.arctan2(out[1], out[0])) == pytest.approx(direction[row], abs=1e-3)
        foot = places[side, "ball"] - places[side, "ankle"]
        assert np.degrees(np.arctan2(foot[1], foot[0])) == pytest.approx(facing + toe_out[row], abs=1e-3)


def test_G13_a_knee_that_bends_backward_at_rest_goes_on_doing_so():
    figure = replace(FIGURE, knee=-40.0)
    walk = stand(figure)
    places = {key: path[0] for key, path in walk.places().items()}
    for side in LEGS:
        hip, knee, ankle = (places[side, name] for name in ("hip", "knee", "ankle"))
        along = (knee - hip) @ (ankle - hip) / ((ankle - hip) @ (ankle - hip))
        assert (knee - hip - along * (ankle - hip))[0] < -0.01


# ---- G14: the sole ----


def soles(z: list[float], slope: tuple[float, float, float], **given: Any) -> tuple[Array, Array]:
    """Unit vectors out of the sole, (frames, 3), and whether the heel is down, of a foot at heights over its
    place on the ground, a tenth of a second apart."""
    frames = len(z)
    unit = np.array(slope) / np.linalg.norm(slope)
    tracks = np.zeros((1, 6, frames))
    tracks[0, 2] = np.array(z) + 0.1 / unit[2]
    going = course(np.tile((1.0, 0.0, 0.0), (frames, 1)), given.pop("facing", (1.0, 0.0, 0.0)), dt=0.1)
    foot = [part(lands=1.0, clearance=0.1, toe_out=given.pop("toe_out", 0.0))]
    landing = land(foot, going, tracks, 0.0, slope, down=0.05, **given)
    return landing.soles[0, :3].T, landing.down[0]


def test_G14_the_heel_counts_as_down_under_a_threshold_and_the_sole_then_lies_along_the_ground():
    # A slope of 20 degrees up ahead: its normal leans back by 20 degrees. Steps of 10 degrees a frame.
    up = np.radians(20.0)
    found, down = soles(
        [-0.3, 0.0, 0.049, 0.051, 0.3, 0.3, 0.01], (-np.sin(up), 0.0, np.cos(up)), step=np.radians(100.0)
    )
    assert list(down) == [1, 1, 1, 0, 0, 0, 1]
    pitch = np.degrees(np.arctan2(-found[:, 0], found[:, 2]))
    np.testing.assert_allclose(pitch, [20.0, 20.0, 20.0, 10.0, 0.0, 0.0, 20.0], atol=1e-6)


def test_G14_a_raised_foot_turns_towards_level_by_a_fixed_step_and_stops_there():
    up = np.radians(20.0)
    found, _ = soles([0.0, 1.0, 1.0, 1.0], (-np.sin(up), 0.0, np.cos(up)), step=np.radians(75.0))
    pitch = np.degrees(np.arctan2(-found[:, 0], found[:, 2]))
    np.testing.assert_allclose(pitch, [20.0, 12.5, 5.0, 0.0], atol=1e-6)


def test_G14_slopes_are_seen_from_the_direction_of_the_foot():
    # A slope that rises to the north, 20 degrees; a foot turned north lies pitched, one turned east banked.
    up = np.radians(20.0)
    slope = (0.0, -np.sin(up), np.cos(up))
    north, _ = soles([0.0], slope, toe_out=np.pi / 2)
    east, _ = soles([0.0], slope)
    assert_at(north[0], [-np.sin(up), 0.0, np.cos(up)])
    assert_at(east[0], [0.0, -np.sin(up), np.cos(up)])


@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (100.0, 20.0, 30.0)])
def test_G14_foot_and_toe_take_the_soles_attitude(turned):
    up = np.radians(20.0)
    sole = (-np.sin(up), 0.0, np.cos(up))
    walk = stand(replace(FIGURE, turned=turned, rolls=3, flags=5), soles=[sole, (0.0, 0.0, 1.0)])
    places = {key: path[0] for key, path in walk.places().items()}
    for name in ("heel", "ball", "tip"):
        # On a slope of 20 degrees through the point under the ankle, and level on the other side.
        out = places["L", name] - places["L", "ankle"]
        assert out @ np.array(sole) == pytest.approx(-0.09, abs=1e-6)
        assert places["R", name][2] == pytest.approx(0.0, abs=1e-6)


# ---- G15: hands, neck, head ----


def test_G15_hands_are_put_where_they_are_asked_for_and_the_head_looks_ahead():
    walk = stand(hands=[[-0.25, 0.2, 1.0], [0.22, -0.15, 0.95]], lean=0.2, facing=(0.0, 1.0, 0.0))
    poses = walk.poses()
    body = walk.body
    for side, hand in (("L", (-0.25, 0.2, 1.0)), ("R", (0.22, -0.15, 0.95))):
        row = LEGS[side]
        wrist = body.axes @ (body.arguments["hands"][row] - body.origin)
        matrix = poses[body.bones[f"fore.{side}"], 0]
        assert_at(matrix[:3, :3] @ wrist + matrix[:3, 3], hand)
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert_at(poses[body.bones["neck.1"], 0, :3, :3], quarter)
    lean = np.array([[np.cos(0.2), 0, np.sin(0.2)], [0, 1, 0], [-np.sin(0.2), 0, np.cos(0.2)]])
    assert_at(poses[body.bones["spine.2"], 0, :3, :3], quarter @ lean)


def test_G15_arms_hang_where_hands_ride_nothing():
    walk = stand()
    matrix = walk.poses()[walk.body.bones["upper.L"], 0]
    down = matrix[:3, :3] @ (walk.rest_head("fore.L") - walk.rest_head("upper.L"))
    assert angle(down, np.array([0.0, 0.14, -1.0])) == pytest.approx(0.0, abs=1e-3)


# ---- G16, G22: any bone; channels ----


def test_G16_a_bone_can_be_put_on_an_orbit_or_turned_towards_it():
    walk = stand(extras=[("neck.0", 0, (0.1, 0.2, 2.0)), ("neck.1", 1, (1.0, 0.5, 2.5))])
    poses = walk.poses()
    bones = walk.body.bones
    places = {}
    for name in ("neck.0", "neck.1"):
        matrix = poses[bones[name], 0]
        places[name] = matrix[:3, :3] @ walk.rest_head(name) + matrix[:3, 3]
    assert_at(places["neck.0"], [0.1, 0.2, 2.0])
    rest = walk.body.axes @ walk.body.arguments["rest"][bones["neck.1"], :3, 1]
    along = poses[bones["neck.1"], 0, :3, :3] @ rest
    assert angle(along, np.array([1.0, 0.5, 2.5]) - places["neck.1"]) == pytest.approx(0.0, abs=1e-3)


def test_a_leg_cannot_be_an_extra_part():
    with pytest.raises(ValueError, match=r"^extras: bone \d+ has another role already"):
        stand(extras=[("shin.L", 1, (1.0, 0.5, 2.5))])


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("travel", [True, False])
@pytest.mark.parametrize("rolls", [0, 7])
def test_G22_the_channels_carry_the_body_to_its_place_in_any_armature(root, travel, rolls):
    figure = replace(
        FIGURE,
        root=root,
        rolls=rolls,
        flags=rolls,
        helpers=bool(rolls),
        controls=bool(rolls),
        turned=(40.0, 10.0, 5.0) if rolls else (0.0, 0.0, 0.0),
        offset=(0.3, 0.2, 0.1),
    )
    place = np.array([3.0, -2.0, 0.5])
    ankles = np.array([[0.3, 0.09, 0.09], [-0.2, -0.09, 0.09]]) + place
    height = stand(figure).rest_head("pelvis")[2]
    walk = stand(
        figure, travel=travel, course=place, ankles=ankles, waist=place + np.array([0.0, 0.0, height - 0.1])
    )
    home = np.zeros(3) if travel else place
    for side, row in LEGS.items():
        np.testing.assert_allclose(walk.places()[side, "ankle"][0], ankles[row] - home, atol=2e-6)
    if root:
        matrix = walk.poses()[walk.body.bones["root"], 0]
        np.testing.assert_allclose(matrix[:3, 3], place if travel else 0.0, atol=2e-6)


def test_G22_slopes_are_the_derivatives_of_the_channels():
    body = FIGURE.body()
    rng = np.random.default_rng(4)
    step = 1e-3
    velocity = {
        name: rng.uniform(-0.5, 0.5, (rows, 3))
        for name, rows in (("waist", 1), ("ankles", 2), ("soles", 2), ("hands", 2))
    }
    base = {
        "waist": np.array([[0.0, 0.0, 0.85]]),
        "ankles": np.array([[0.3, 0.09, 0.09], [-0.2, -0.09, 0.12]]),
        "soles": np.array([[0.0, 0.0, 1.0], [0.1, 0.1, 0.9]]),
        "hands": np.array([[0.1, 0.25, 0.95], [-0.1, -0.25, 0.95]]),
    }

    def run(shift: float) -> tuple[Array, Array]:
        def track(name: str) -> Array:
            return np.concatenate([base[name] + shift * velocity[name], velocity[name]], axis=1)[
                :, :, None
            ].copy()

        yaw = 0.4 + 0.7 * shift
        _, motion, slope = amble_core.orbit_pose(
            **body.arguments,
            extras=np.zeros((0, 2), np.int32),
            travel=True,
            course=np.array([1.0 + shift, 2.0, 0.0, 1.0, 0.0, 0.0])[:, None].copy(),
            facing=np.array([[np.cos(yaw)], [np.sin(yaw)], [0.0]]),
            turning=np.array([0.7]),
            waist=track("waist")[0],
            ankles=track("ankles"),
            sole_tracks=track("soles"),
            toe_out=np.zeros(2),
            hand_tracks=track("hands"),
            extra_tracks=np.zeros((0, 6, 1)),
            lean=0.0,
        )
        return motion.astype(np.float64), slope.astype(np.float64)

    motion = (run(step)[0] - run(-step)[0]) / (2.0 * step)
    np.testing.assert_allclose(run(0.0)[1][:, :7], motion[:, :7], atol=2e-3)
