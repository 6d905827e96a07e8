"""Key reduction against its slow twin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import amble_core
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import fit as twin

LOCATION, ROTATION, CHAIN = range(3)
EXAMPLES = settings(max_examples=max(settings.default.max_examples // 4, 1))


@dataclass
class Motion:
    """A few bones in smooth motion; the arguments of fit_keys."""

    seed: int = 1
    frames: int = 24
    between: int = 3
    mode: int = 0
    size: float = 0.4
    harmonics: int = 3
    tolerance: float = 0.01
    bones: int = 3
    chained: bool = True
    start: float = 1.0
    points: list[int] = field(default_factory=lambda: [1, 2])

    def arguments(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(self.seed)
        n = self.frames * (self.between + 1) + 1
        time = self.start + np.arange(n) / (self.between + 1)
        turn = 2.0 * np.pi * (time - time[0]) / self.frames
        value = np.zeros((self.bones, 10, n))
        slope = np.zeros_like(value)
        for k in range(1, self.harmonics + 1):
            a, b = rng.uniform(-self.size, self.size, (2, self.bones, 10, 1)) / k
            rate = k * 2.0 * np.pi / self.frames
            value += a * np.cos(k * turn) + b * np.sin(k * turn)
            slope += rate * (b * np.cos(k * turn) - a * np.sin(k * turn))
        value[:, 3] += 2.5 if self.mode < 2 else 0.0  # far from no rotation at all
        value[:, 7:10] += 1.0
        rest = np.tile(np.eye(4), (self.bones, 1, 1))
        for bone in range(self.bones):
            rest[bone, :3, :3] = twin.about(np.array([0.6, 0.0, 0.8]), rng.uniform(-2.0, 2.0))
            rest[bone, :3, 3] = rng.uniform(-0.5, 0.5, 3)
        chain = np.full(self.bones, -1, dtype=np.int32)
        if self.chained:
            chain[1:] = 7
        points = self.points if self.chained else []
        key = np.zeros(n, dtype=np.int32)
        key[:: self.between + 1] = 1
        return {
            "time": time,
            "key": key,
            "value": value.astype(np.float32),
            "slope": slope.astype(np.float32),
            "keyed": np.ones((self.bones, 10), dtype=np.int32),
            "mode": np.full(self.bones, self.mode, dtype=np.int32),
            "tolerance": np.full((self.bones, 3, n), self.tolerance, dtype=np.float32),
            "chain": chain,
            "rest": rest,
            "carrier": np.array(points, dtype=np.int32),
            "place": rng.uniform(-0.5, 0.5, (len(points), 3)),
            "point_tolerance": np.full((len(points), n), self.tolerance, dtype=np.float32),
        }

    def of_sums(self) -> dict[str, np.ndarray]:
        """The same out of sums and products only, so that it is the same on every platform."""
        a = self.arguments()
        rng = np.random.default_rng(self.seed)
        t = (a["time"] - a["time"][0]) / self.frames
        u = 1.0 - t
        p = rng.uniform(-1.0, 1.0, (3, self.bones, 10, 1))
        value = p[0] * t * t * u + p[1] * t * u * u + p[2] * t**4
        rate = p[0] * (2.0 * t * u - t * t) + p[1] * (u * u - 2.0 * t * u) + 4.0 * p[2] * t**3
        value[:, 3] += 2.5
        a["value"], a["slope"] = value.astype(np.float32), (rate / self.frames).astype(np.float32)
        a["rest"][:, :3, :3] = [[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]
        return a


def drawn(a: dict[str, np.ndarray], found: tuple[np.ndarray, ...]) -> np.ndarray:
    """What the keys draw, (bones, 10, samples)."""
    keep, slope, before, after = found
    value = a["value"].astype(np.float64)
    for place in np.argwhere(a["keyed"]):
        row = tuple(place)
        value[row] = twin.drawn(a["time"], value[row], keep[row], slope[row], before[row], after[row])
    return value


def errors(a: dict[str, np.ndarray], value: np.ndarray, sample: int) -> dict[tuple[int, int], float]:
    """By (bone, kind) the error at a sample in tolerances; chains stand at their first bone."""
    true, mode = a["value"].astype(np.float64), a["mode"]
    found = {}
    turns = {}
    for bone in range(len(mode)):
        off = value[bone, :3, sample] - true[bone, :3, sample]
        found[bone, LOCATION] = np.linalg.norm(off) / a["tolerance"][bone, 0, sample]
        pair = [twin.rotation(mode[bone], rows[bone, 3:7, sample]) for rows in (value, true)]
        turns[bone] = pair
        off = twin.angle_of(pair[0] @ pair[1].T) / a["tolerance"][bone, 1, sample]
        first = bone if a["chain"][bone] < 0 else int(np.argmax(a["chain"] == a["chain"][bone]))
        kind = ROTATION if a["chain"][bone] < 0 else CHAIN
        found[first, kind] = max(found.get((first, kind), 0.0), off)
    for number in set(a["chain"].tolist()) - {-1}:
        bones = np.nonzero(a["chain"] == number)[0]
        own = [k for k, carrier in enumerate(a["carrier"]) if a["chain"][carrier] == number]
        carriers = [int(a["carrier"][k] - bones[0]) for k in own]
        rest = a["rest"][bones]
        there, here = (
            twin.chain_points(rest, [turns[int(bone)][which] for bone in bones], carriers, a["place"][own])
            for which in (0, 1)
        )
        for k, off in zip(own, np.linalg.norm(there - here, axis=1), strict=True):
            key = (int(bones[0]), CHAIN)
            found[key] = max(found[key], off / a["point_tolerance"][k, sample])
    return found


def rows_of(a: dict[str, np.ndarray], bone: int, kind: int) -> list[tuple[int, int]]:
    if kind == LOCATION:
        return [(bone, row) for row in range(3)]
    bones = [bone] if kind == ROTATION else np.nonzero(a["chain"] == a["chain"][bone])[0].tolist()
    return [(b, row) for b in bones for row in range(3, 7)]


MOTIONS = st.builds(
    Motion,
    seed=st.integers(0, 10**6),
    frames=st.integers(4, 30),
    between=st.integers(0, 4),
    mode=st.integers(0, 7),
    size=st.floats(0.01, 0.5),
    harmonics=st.integers(0, 5),
    tolerance=st.floats(1e-3, 0.1),
    chained=st.booleans(),
    start=st.sampled_from([-3.0, 1.0, 1000.25]),
)


@EXAMPLES
@given(MOTIONS)
def test_between_keys_that_could_be_nearer_the_tolerance_is_kept(motion: Motion) -> None:
    a = motion.arguments()
    found = amble_core.fit_keys(**a)
    keep, value = found[0], drawn(a, found)
    candidates = np.nonzero(a["key"])[0]
    for sample in range(len(a["time"])):
        for (bone, kind), error in errors(a, value, sample).items():
            if error <= 1.001:
                continue
            # Then both neighbours that may be keys are.
            after = int(np.searchsorted(candidates, sample, side="right"))
            around = candidates[[after - 1, after]]
            rows = [row for row in rows_of(a, bone, kind) if keep[row].sum() > 2]
            assert rows
            assert all(keep[row][around].all() for row in rows), (bone, kind, sample, error)


@EXAMPLES
@given(MOTIONS)
def test_keys_lie_where_they_may_and_are_shared(motion: Motion) -> None:
    a = motion.arguments()
    keep, slope, before, after = amble_core.fit_keys(**a)
    assert not keep[:, :, a["key"] == 0].any()
    assert keep[:, :, [0, -1]].all()
    assert ((before > 0) == (keep > 0)).all()
    assert ((after > 0) == (keep > 0)).all()
    for bone in range(motion.bones):
        for kind in (LOCATION, ROTATION if a["chain"][bone] < 0 else CHAIN):
            own = [keep[row] for row in rows_of(a, bone, kind)]
            full = [row for row in own if row.sum() > 2]
            assert all((row == full[0]).all() for row in full)
    # The first and the last piece are Hermite, so that a loop passes its seam as evenly as the motion.
    for row in np.argwhere(keep.sum(axis=2) > 2):
        keys = np.nonzero(keep[tuple(row)])[0]
        span = a["time"][keys[1]] - a["time"][keys[0]]
        assert after[tuple(row)][keys[0]] == pytest.approx(span / 3.0, rel=1e-5)
        assert before[tuple(row)][keys[1]] == pytest.approx(span / 3.0, rel=1e-5)
        assert slope[tuple(row)][keys] == pytest.approx(a["slope"][tuple(row)][keys], abs=1e-7)


@EXAMPLES
@given(MOTIONS)
def test_handles_never_cost_keys(motion: Motion) -> None:
    """Never more keys than the shortest way over plain Hermite pieces."""
    a = motion.arguments()
    keep = amble_core.fit_keys(**a)[0]
    rows = [(0, row) for row in range(3)]
    value, slope = (a[name].astype(np.float64)[0, :3] for name in ("value", "slope"))

    def error(start: int, end: int) -> float:
        if end - start < 2:
            return 0.0
        off = twin.hermite(a["time"], value, slope, start, end) - value[:, start + 1 : end]
        return float((np.linalg.norm(off, axis=0) / a["tolerance"][0, 0, start + 1 : end]).max())

    if all(keep[row].sum() > 2 for row in rows):  # a straight row has its own, lesser error besides
        assert keep[rows[0]].sum() <= twin.fewest(np.nonzero(a["key"])[0], error)


def test_straight_rows_have_their_ends_only_and_curves_few() -> None:
    a = Motion(frames=48, harmonics=1, tolerance=0.02, size=0.3).arguments()
    for row, line in ((0, 0.0), (1, 0.1), (2, -2.0)):
        a["value"][0, row] = line * (a["time"] - 1.0) + 1.0
        a["slope"][0, row] = line
    keep, slope, before, after = amble_core.fit_keys(**a)
    assert keep[0, :3].sum(axis=1).tolist() == [2, 2, 2]
    assert slope[0, :3, 0] == pytest.approx([0.0, 0.1, -2.0], abs=1e-6)
    assert after[0, :3, 0] == pytest.approx([16.0] * 3)
    assert before[0, :3, -1] == pytest.approx([16.0] * 3)
    # One harmonic to a fifteenth of its size: a cubic a quarter turn or so.
    assert (keep[1, :3].sum(axis=1) <= 6).all()


def test_a_chain_that_holds_a_point_is_judged_by_the_point() -> None:
    """Two bones that turn against each other leave the second one's end where it is."""
    n, time = 49, np.arange(49.0)
    a = Motion(frames=48, between=0, bones=2).arguments()
    turn = 0.6 * np.sin(2.0 * np.pi * time / 48.0)
    rate = 0.6 * 2.0 * np.pi / 48.0 * np.cos(2.0 * np.pi * time / 48.0)
    a["value"][:], a["slope"][:] = 0.0, 0.0
    a["value"][:, 7:] = 1.0
    a["mode"][:] = 2
    for bone, sign in ((0, 1.0), (1, -1.0)):
        a["value"][bone, 4], a["slope"][bone, 4] = sign * turn, sign * rate
    a["chain"] = np.zeros(2, dtype=np.int32)
    a["rest"] = np.tile(np.eye(4), (2, 1, 1))
    a["carrier"], a["place"] = np.array([1], dtype=np.int32), np.array([[0.0, 1.0, 0.0]])
    a["tolerance"][:, 1] = 0.3
    a["point_tolerance"] = np.full((1, n), 1e-6, dtype=np.float32)
    together = amble_core.fit_keys(**a)[0][:, 4].sum(axis=1)
    a["chain"][:] = -1
    a["carrier"], a["place"] = np.empty(0, dtype=np.int32), np.empty((0, 3))
    a["point_tolerance"] = np.empty((0, n), dtype=np.float32)
    a["tolerance"][:, 1] = 1e-6
    alone = amble_core.fit_keys(**a)[0][:, 4].sum(axis=1)
    assert (together <= 6).all()
    assert (alone >= 2 * together).all()


def test_keys_grow_with_the_frames_alone() -> None:
    few, many = (Motion(frames=frames, harmonics=0).arguments() for frames in (250, 2500))
    for a in (few, many):
        turn = 2.0 * np.pi * (a["time"] - 1.0) / 25.0
        a["value"][:, :3], a["slope"][:, :3] = np.sin(turn), 2.0 * np.pi / 25.0 * np.cos(turn)
    counts = [int(amble_core.fit_keys(**a)[0][0, 0].sum()) for a in (few, many)]
    assert counts[1] == pytest.approx(10 * counts[0], rel=0.15)


GOLDEN = "c637d7bdf613d7ed9ead4848ccb43930f7ddccebd0a0f0d893f0cb618b152864"


def test_every_build_gives_the_same_keys() -> None:
    digest = hashlib.sha256()
    for mode in range(8):
        for array in amble_core.fit_keys(**Motion(seed=5, mode=mode).of_sums()):
            digest.update(array.tobytes())
    assert digest.hexdigest() == GOLDEN


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"time": np.zeros(97)}, "time must rise: it does not at index 1"),
        ({"key": np.zeros(97, dtype=np.int32)}, "key must allow the first and the last sample"),
        ({"mode": np.full(3, 8, dtype=np.int32)}, r"mode\[0\] is 8, which is no mode of rotation"),
        ({"tolerance": np.zeros((3, 3, 97), dtype=np.float32)}, "tolerance must be greater than 0, not 0"),
        ({"point_tolerance": np.zeros((2, 97), dtype=np.float32)}, "point_tolerance must be greater than 0"),
        ({"carrier": np.array([0, 1], dtype=np.int32)}, r"carrier\[0\] is 0, which is no bone of a chain"),
        ({"carrier": np.array([1, 9], dtype=np.int32)}, r"carrier\[1\] is 9, which is no bone of a chain"),
    ],
)
def test_what_cannot_be_is_named(change: dict[str, np.ndarray], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}"):
        amble_core.fit_keys(**(Motion().arguments() | change))


def test_chains_have_bounds() -> None:
    a = Motion(bones=18, frames=4, points=[17]).arguments()
    with pytest.raises(ValueError, match=r"^chain 7 has more than 16 bones"):
        amble_core.fit_keys(**a)
    a = Motion(frames=4, points=[2] * 33).arguments()
    with pytest.raises(ValueError, match=r"^carrier: a chain has more than 32 points"):
        amble_core.fit_keys(**a)


def test_one_sample_is_no_motion_and_no_bones_are_no_keys() -> None:
    a = {
        name: np.ascontiguousarray(value[..., :1]) if value.shape[-1:] == (97,) else value
        for name, value in Motion().arguments().items()
    }
    with pytest.raises(ValueError, match=r"^time must hold at least 2 samples"):
        amble_core.fit_keys(**a)
    a = Motion(bones=0, chained=False).arguments()
    assert amble_core.fit_keys(**a)[0].shape == (0, 10, 97)
