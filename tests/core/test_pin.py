"""Limbs that hold their ends: against the twin, and by what they must do whatever the twin does."""

import amble_core
import numpy as np
import pytest
from tests.core import skeletons
from tests.reference import pin as twin
from tests.reference import quat
from tests.reference.pose import forward_kinematics

# A leg: pelvis, thigh, shin, foot, toe, as in the plain biped; and a hind leg of three bones and a paw.
LEG = [(0, 0, 0.95), (0.1, 0, 0.93), (0.1, -0.02, 0.5), (0.1, 0.02, 0.08), (0.1, -0.12, 0.02)]
HIND = [(0, 0.45, 0.75), (0.12, 0.42, 0.72), (0.12, 0.32, 0.48), (0.12, 0.5, 0.26), (0.12, 0.44, 0.06)]
LEFT = np.array([1.0, 0.0, 0.0])


class Limb:
    """A line of bones from heads in armature space, each with a rest rotation of its own."""

    def __init__(self, heads, seed=1, flags=None) -> None:
        rng = np.random.default_rng(seed)
        bones = len(heads)
        self.parents = np.arange(-1, bones - 1, dtype=np.int32)
        self.rest = np.tile(np.eye(4), (bones, 1, 1))
        turns = quat.to_matrix(quat.normalise(rng.normal(size=(4, bones)))).T.reshape(bones, 3, 3)
        self.rest[:, :3, :3], self.rest[:, :3, 3] = turns, np.array(heads)
        self.flags = np.zeros(bones, dtype=np.uint32) if flags is None else np.array(flags, dtype=np.uint32)
        self.bones = bones

    def still(self, frames=1):
        channels = np.zeros((self.bones, 10, frames), dtype=np.float32)
        channels[:, [3, 7, 8, 9]] = 1.0
        return channels

    def turned(self, channels, bone, axis, angle):
        """Bone turned by `angle` (frames,) radians about an armature axis, seen from its rest pose."""
        local = self.rest[bone, :3, :3].T @ np.array(axis)
        channels[bone, 3] = np.cos(np.asarray(angle) / 2)
        channels[bone, 4:7] = local[:, None] * np.sin(np.asarray(angle) / 2)
        return channels

    def moved(self, channels, bone, shift):
        """Bone moved by `shift` (3, frames) in armature space."""
        channels[bone, :3] = self.rest[bone, :3, :3].T @ np.asarray(shift, dtype=np.float64).reshape(3, -1)
        return channels

    @property
    def skeleton(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.parents, self.rest, self.flags

    def places(self, channels, end=-1, point=(0.0, 0.0, 0.0)):
        ends = np.array([end % self.bones], dtype=np.int32)
        return amble_core.pin_places(*self.skeleton, channels, ends=ends, points=np.array([point]))

    def hold(
        self, channels, places, chain=None, end=None, *, hinge=LEFT, soft=0.0, turned=1, point=(0, 0, 0)
    ):
        """Pinned by the bones of `chain` (default: all between the first and the end)."""
        end = self.bones - 2 if end is None else end
        chain = list(range(1, end)) if chain is None else chain
        hinges = np.array([[self.rest[bone, :3, :3].T @ np.array(hinge) for bone in chain]])
        return amble_core.pin_hold(
            *self.skeleton,
            channels,
            chains=np.array([chain], dtype=np.int32),
            ends=np.array([end], dtype=np.int32),
            points=np.array([point], dtype=float),
            turned=np.array([turned], dtype=np.int32),
            hinges=hinges,
            bound=np.zeros((1, len(chain)), dtype=np.int32),
            soft=np.array([soft]),
            places=np.ascontiguousarray(places, dtype=np.float32),
        )

    def heads(self, channels):
        pose = amble_core.forward_kinematics(*self.skeleton, channels)
        return pose.reshape(self.bones, 3, 4, -1)[:, :, 3]

    def bend(self, channels, bone):
        """Angle at a bone's head between the segments before and after it, degrees (frames,)."""
        heads = self.heads(channels).astype(np.float64)
        a, b = heads[bone] - heads[bone - 1], heads[bone + 1] - heads[bone]
        cross = np.linalg.norm(np.cross(a, b, axis=0), axis=0)
        return np.degrees(np.arctan2(cross, np.sum(a * b, axis=0)))


def turn_between(a, b):
    """Degrees between quaternions (4, n)."""
    return np.degrees(quat.angle_between(a.astype(np.float64), b.astype(np.float64)))


def lunged(limb, bends):
    """A pose with the joints turned about the left by degrees."""
    channels = limb.still()
    for bone, angle in bends.items():
        limb.turned(channels, bone, LEFT, [np.radians(angle)])
    return channels


def swayed(limb, channels, frames=97, size=0.03):
    """The held pose with the pelvis on a round of `size`, and the held ends' places."""
    time = np.linspace(0, 2 * np.pi, frames)
    posed = np.repeat(channels, frames, axis=2)
    shift = size * np.stack([np.sin(time), 0.5 * (np.cos(time) - 1), 0.4 * (np.cos(2 * time) - 1)])
    return limb.moved(posed, 0, shift)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("heads", [LEG, HIND], ids=["leg", "hind leg"])
def test_the_twin_agrees(heads, seed):
    rng = np.random.default_rng(seed)
    limb = Limb(heads, seed)
    channels = limb.still()
    for bone in range(limb.bones):
        limb.turned(channels, bone, rng.normal(size=3) / 2, [rng.uniform(0.2, 0.7)])
    end = limb.bones - 1
    place = limb.places(channels, end)
    root = limb.heads(channels)[1]
    place[0, :3] = root + (place[0, :3] - root) * rng.uniform(0.85, 0.97) + rng.uniform(-0.05, 0.05, (3, 1))
    place[0, 3:] = skeletons.unit_quaternions(rng, 1)
    chain = list(range(1, end))
    found, miss = limb.hold(channels, place, chain, end, hinge=(0, 0, 0))
    expected = twin.hold(
        limb.parents, limb.rest, channels[..., 0], chain, end, place[0, :, 0].astype(np.float64)
    )
    assert miss.max() < 1e-6
    for bone in range(limb.bones):
        a, b = found[bone, 3:7], expected[bone, 3:7, None]
        assert turn_between(a, b)[0] < (0.002 if bone in (*chain, end) else 1e-9)


@pytest.mark.parametrize("heads", [LEG, HIND], ids=["leg", "hind leg"])
def test_a_foot_stays_while_the_pelvis_moves(heads):
    limb = Limb(heads)
    held = lunged(limb, {1: -30, 2: 25, 3: -10})
    posed = swayed(limb, held)
    places = limb.places(held, limb.bones - 2 if heads is LEG else -1)
    end = limb.bones - 2 if heads is LEG else limb.bones - 1
    found, miss = limb.hold(posed, places, end=end)
    now = limb.places(found, end)
    assert miss.max() < 1e-6
    assert np.abs(now[0, :3] - places[0, :3]).max() < 1e-6
    assert turn_between(now[0, 3:], places[0, 3:]).max() < 1e-3
    chain = [*range(1, end), end]
    rest = [bone for bone in range(limb.bones) if bone not in chain]
    assert np.array_equal(found[rest], posed[rest])
    assert np.array_equal(found[:, :3], posed[:, :3])
    assert np.array_equal(found[:, 7:], posed[:, 7:])
    steps = turn_between(found[1, 3:7, 1:], found[1, 3:7, :-1])
    assert steps.max() < 1.0


def test_what_is_in_its_place_stays_to_the_bit():
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 25})
    found, miss = limb.hold(held, limb.places(held, 3))
    assert np.array_equal(found, held)
    assert miss.max() < 1e-6


def test_quaternions_do_not_change_their_sign_on_the_way():
    """Held ends turned by about half a turn from rest, where the sign of what is read from matrices flips."""
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 45, 3: 165})
    posed = swayed(limb, held)
    found, _ = limb.hold(posed, limb.places(held, 3))
    for bone in (1, 2, 3):
        assert (np.sum(found[bone, 3:7] * posed[bone, 3:7], axis=0) > 0.9).all()


def test_the_same_pose_gives_the_same_solution_whatever_came_before():
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 25})
    posed, places = swayed(limb, held), limb.places(held, 3)
    whole, _ = limb.hold(posed, places)
    for frame in (0, 5, 50, 96):
        alone, _ = limb.hold(np.ascontiguousarray(posed[..., frame : frame + 1]), places)
        assert np.array_equal(alone[..., 0], whole[..., frame])


def test_a_straight_leg_bends_as_its_hinge_says():
    """Case 53: thigh and shin in line, or a micrometre off it either way."""
    for off in (0.0, 1e-6, -1e-6):
        limb = Limb([(0, 0, 0.95), (0.1, 0, 0.93), (0.1, off, 0.5), (0.1, 0, 0.08), (0.1, -0.12, 0.02)])
        posed = limb.moved(limb.still(5), 0, np.outer([0, 0, -1], [0, 0.001, 0.01, 0.05, 0.1]))
        found, miss = limb.hold(posed, limb.places(limb.still(), 3))
        assert miss.max() < 1e-6
        knee = limb.heads(found)[2, 1]
        assert (knee[1:] < -0.005).all()  # forward is -y


def test_past_full_reach_it_is_told_and_the_knee_does_not_pop():
    """Case 54: the hip raised by 5 % over full reach and back, from a leg that is bent."""
    limb = Limb(LEG)
    held = lunged(limb, {1: -20, 2: 40, 3: -20})
    frames = 193
    time = np.linspace(0, 2 * np.pi, frames)
    heads = limb.heads(held)[..., 0]
    reach = float(sum(np.linalg.norm(heads[i + 1] - heads[i]) for i in (1, 2)))
    given = np.linalg.norm(heads[3] - heads[1])
    way = (heads[1] - heads[3]) / given
    rise = (1.05 * reach - given) * 0.5 * (1 - np.cos(time))
    posed = limb.moved(np.repeat(held, frames, axis=2), 0, np.outer(way, rise))
    found, miss = limb.hold(posed, limb.places(held, 3), soft=0.05)
    bends = limb.bend(found, 2)
    assert np.isfinite(found).all()
    assert miss[0, 0] == pytest.approx(0.0, abs=1e-6)
    assert float(miss.max()) == pytest.approx(0.05 * reach, abs=0.02 * reach)
    speed = np.diff(bends)
    assert np.abs(np.diff(speed)).max() < 0.1 * np.abs(speed).max()
    hard, _ = limb.hold(posed, limb.places(held, 3), soft=0.0)
    assert (
        np.abs(np.diff(np.diff(limb.bend(hard, 2)))).max() > 0.5 * np.abs(np.diff(limb.bend(hard, 2))).max()
    )


def test_a_foot_swept_over_the_hip_turns_the_leg_steadily():
    """Case 67: from 0.5 m ahead over hip height to 0.5 m behind, in 60 frames."""
    limb = Limb(LEG)
    held = lunged(limb, {1: -40, 2: 60, 3: -20})
    angle = np.linspace(0, np.pi, 61)
    places = np.repeat(limb.places(held, 3), 61, axis=2)
    hip = limb.heads(held)[1]
    places[0, :3] = hip + np.stack([0 * angle, -0.5 * np.cos(angle), 0.5 * np.sin(angle)])
    found, miss = limb.hold(np.repeat(held, 61, axis=2), places)
    assert miss.max() < 1e-6
    for bone in (1, 2):
        assert turn_between(found[bone, 3:7, 1:], found[bone, 3:7, :-1]).max() < 4.0


def test_bones_that_are_not_in_the_chain_go_along_as_they_are():
    """Case 66: a thigh cut in two, of which the upper half alone bends at the hip."""
    heads = [LEG[0], LEG[1], (0.1, -0.012, 0.672), *LEG[2:]]
    limb = Limb(heads)
    held = lunged(limb, {1: -30, 3: 45, 4: -15})
    found, miss = limb.hold(swayed(limb, held), limb.places(held, 4), [1, 3], 4)
    assert miss.max() < 1e-6
    assert np.array_equal(found[2], np.repeat(held[2], 97, axis=1))
    assert limb.bend(found, 2).max() < 0.01


def test_one_bone_points_at_its_place_and_tells_what_is_missing():
    limb = Limb(LEG)
    held = lunged(limb, {1: -30})
    posed = swayed(limb, held)
    place = limb.places(held, 2)
    found, miss = limb.hold(posed, place, [1], 2, turned=0)
    heads = limb.heads(found)
    length = np.linalg.norm(heads[2] - heads[1], axis=0)
    away = np.linalg.norm(place[0, :3] - heads[1], axis=0)
    assert np.allclose(miss[0], np.abs(away - length), atol=1e-6)


def test_a_point_of_the_end_is_held():
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 45})
    point = (0.03, 0.1, -0.02)
    places = limb.places(held, 3, point)
    found, miss = limb.hold(swayed(limb, held), places, point=point)
    assert miss.max() < 1e-6
    assert np.abs(limb.places(found, 3, point)[0, :3] - places[0, :3]).max() < 1e-6


@pytest.mark.parametrize(
    "flags", [(0, 0, 2, 2, 0), (0, 2, 0, 0, 0), (0, 0x40, 0x30, 0x10, 0), (4, 4, 4, 4, 4)]
)
def test_odd_inheritance_and_scale_are_met(flags):
    limb = Limb(LEG, flags=flags)
    held = lunged(limb, {1: -30, 2: 45, 3: -10})
    held[0, 7:], held[1, 7:] = 1.2, np.array([[1.0], [1.1], [1.0]])
    found, miss = limb.hold(swayed(limb, held), limb.places(held, 3))
    assert miss.max() < 2e-6
    pose = forward_kinematics(*limb.skeleton, found)[3, [3, 7, 11]]
    assert np.abs(pose - limb.places(held, 3)[0, :3]).max() < 3e-6


def test_a_mirrored_end_is_held():
    limb = Limb(LEG)
    held = lunged(limb, {1: -30, 2: 45})
    held[3, 7:] = -1.0
    found, miss = limb.hold(swayed(limb, held), limb.places(held, 3))
    assert miss.max() < 1e-6
    now = limb.places(found, 3)
    assert turn_between(now[0, 3:], limb.places(held, 3)[0, 3:]).max() < 1e-3


def test_chains_that_cannot_be_are_refused():
    limb = Limb(LEG)
    held = limb.still()
    places = limb.places(held, 3)
    for chain, end, message in (
        ([2, 1], 3, r"chains\[0\]: bone 1 is not between"),
        ([1, 4], 3, r"chains\[0\]: bone 4 is not between"),
        ([1, 9], 3, r"chains\[0\] holds 9"),
        ([], 3, r"chains\[0\] must have from 1"),
        ([1, 2], 7, r"ends\[0\] is 7"),
        ([1, 2, 3], 3, r"ends\[0\] is in its own chain"),
    ):
        arguments = {
            "chains": np.array([chain], dtype=np.int32).reshape(1, -1),
            "ends": np.array([end], dtype=np.int32),
            "points": np.zeros((1, 3)),
            "turned": np.ones(1, dtype=np.int32),
            "hinges": np.zeros((1, len(chain), 3)),
            "bound": np.zeros((1, len(chain)), dtype=np.int32),
            "soft": np.zeros(1),
            "places": places,
        }
        with pytest.raises(ValueError, match=message):
            amble_core.pin_hold(*limb.skeleton, held, **arguments)
