"""Animals walk: every preset on real rigs with held feet and footfalls as the gait says, turns, slopes and
ramps through all gaits, by what Blender evaluates (requirements G17, G10; spider's and insects' gaits)."""

from __future__ import annotations

import itertools

import amble
import numpy as np
import pytest
from amble.errors import BadSetting
from amble.gait.presets import aligned, chosen, presets
from tests.blender import rigs
from tests.blender.action_tools import curves
from tests.blender.animal_figures import DUTY, PHASE, courses, footfalls

FOX, HORSE, SPIDER = "glb/m2m_anim-fox.glb", "glb/m2m_anim-horse.glb", "glb/m2m_anim-spider.glb"
BIRD, KHRONOS = "glb/m2m_rig-bird.glb", "glb/khronos_Fox.glb"
GAITS = [
    (FOX, "walk"),
    (FOX, "rotary gallop"),
    (FOX, "pronk"),
    (HORSE, "walk"),
    (HORSE, "trot"),
    (HORSE, "canter"),
    (HORSE, "gallop"),
    (KHRONOS, "walk"),
    (KHRONOS, "pace"),
    (SPIDER, "tetrapod"),
    (SPIDER, "wave"),
    (BIRD, "walk"),
    (BIRD, "run"),
    (BIRD, "hop"),
]


@pytest.mark.parametrize(("key", "gait"), GAITS)
def test_G17_a_preset_holds_its_feet_and_keeps_its_footfalls(key: str, gait: str) -> None:
    rig = rigs.load(key)
    result = amble.gait(rig, gait=gait)
    assert result.report is not None
    assert result.report.problems == ()
    assert result.gait == gait
    preset = next(row for row in presets(len(result.roles.legs)) if row.name == gait)
    feet = footfalls(rig, result, preset)
    assert feet.phase <= PHASE
    assert feet.duty <= DUTY
    if gait in ("walk", "trot", "pace", "pronk", "hop"):
        assert feet.even < 0.01
    least = {"tetrapod": 4, "wave": 6}.get(gait, 2 if gait == "walk" and key != BIRD else 0)
    assert feet.down >= least


CONTROLLED = [
    ("blend/quaternius_Cow.blend", "walk"),
    ("blend/quaternius_Cat.blend", "trot"),
    ("blend/quaternius_Horse.blend", "gallop"),
    ("blend/quaternius_Spider.blend", "tetrapod"),
    ("rigify:horse:generated", "canter"),
    ("rigify:cat:generated", "walk"),
    ("rigify:wolf:generated", "trot"),
    ("rigify:bird:generated", "walk"),
]


@pytest.mark.parametrize(("key", "gait"), CONTROLLED)
def test_animals_moved_by_controls_walk_too(key: str, gait: str) -> None:
    result = amble.gait(rigs.load(key), gait=gait)
    assert result.report is not None
    assert result.report.problems == ()
    assert result.gait == gait


@pytest.mark.parametrize("key", [FOX, HORSE, SPIDER, BIRD])
@pytest.mark.parametrize("course", ["turn", "slope", "ramp", "start and stop"])
def test_courses_hold_their_feet(key: str, course: str) -> None:
    rig = rigs.load(key)
    roles = amble.rig.roles(rig)
    settings = courses(roles, rig)[course]
    result = amble.gait(rig, **settings)
    assert result.report is not None
    assert result.report.problems == ()


def test_a_ramp_goes_through_all_gaits() -> None:
    rig = rigs.load(HORSE)
    roles = amble.rig.roles(rig)
    settings = courses(roles, rig)["ramp"]
    result = amble.gait(rig, report=False, **settings)
    # The share of a stride that a hind foot stands falls from a walk's to a gallop's and comes back.
    hind = next(k for k, leg in enumerate(roles.legs) if (leg.pair, leg.side) == ("hind", "L"))
    own = [contact for contact in result.contacts if contact.leg == hind]
    shares = [(a.toe_off - a.heel_on) / (b.heel_on - a.heel_on) for a, b in itertools.pairwise(own)]
    assert shares[0] > 0.55
    assert min(shares) < 0.36
    assert shares[-1] > min(shares) + 0.1
    assert np.abs(np.diff(shares)).max() < 0.15


def test_size_right_defaults_by_dynamic_similarity() -> None:
    strides = []
    for size in (0.1, 1.0):
        rig = rigs.quadruped(size)
        result = amble.gait(rig, frames=(1, 97), loop=False)
        assert result.report is not None
        assert not result.report.problems
        strides.append((result.figures["stride"] / result.figures["leg_length"], result.figures["froude"]))
        rigs.clear()
    assert strides[0] == pytest.approx(strides[1], rel=1e-3)


@pytest.mark.parametrize(
    ("key", "speeds", "frames"),
    [
        (FOX, (0.0, 1.2, 1.2, 0.0), (1, 120)),
        (FOX, (0.0, 0.6, 0.6, 0.0), (1, 120)),
        (FOX, (1.2, 0.0, 0.0, 0.0, 1.2), (1, 120)),
        (FOX, (0.0, 0.2, 0.0), (1, 12)),
        ("blend/quaternius_Horse.blend", (0.0, 2.0, 2.0, 0.0), (1, 120)),
        (SPIDER, (0.0, 0.5, 0.5, 0.0), (1, 120)),
    ],
)
def test_a_start_or_stop_within_a_frame_holds_every_foot(
    key: str, speeds: tuple[float, ...], frames: tuple[int, int]
) -> None:
    result = amble.gait(rigs.load(key), speeds=speeds, frames=frames)
    assert result.report is not None
    assert result.report.slide_mm < 1.0
    assert result.report.float_mm < 3.0


@pytest.mark.parametrize(("key", "gait"), [(FOX, "walk"), (SPIDER, "tetrapod"), ("biped", "auto")])
def test_every_foot_down_and_up_of_a_loop_has_a_marker_of_its_own(key: str, gait: str) -> None:
    rig = rigs.biped() if key == "biped" else rigs.load(key)
    result = amble.gait(rig, gait=gait, report=False)
    start, end = result.frames
    words = {"L": "left", "R": "right"}
    legs = result.roles.legs
    names = [words[leg.side] + (f" {leg.pair}" if len(legs) > 2 else "") for leg in legs]
    assert len(set(names)) == len(legs)
    found: dict[str, list[int]] = {}
    for marker in result.action.pose_markers:
        found.setdefault(marker.name, []).append(marker.frame)
    assert found.keys() == {f"{name} {word}" for name in names for word in ("down", "up")}
    for contact in result.contacts:
        for word, frame in (("down", contact.heel_on), ("up", contact.toe_off)):
            apart = [at - frame for at in found[f"{names[contact.leg]} {word}"]]
            rounds = [round(value / (end - start)) * (end - start) for value in apart]
            assert min(abs(a - b) for a, b in zip(apart, rounds, strict=True)) <= 0.5 + 1e-6


def test_orbits_are_for_two_legs() -> None:
    with pytest.raises(BadSetting, match="contact orbit is for two legs, and the rig has 4"):
        amble.gait(rigs.load(FOX), contact="orbit")


def test_what_moves_is_the_whole_animal() -> None:
    rig = rigs.load(FOX)
    result = amble.gait(rig, gait="walk", report=False)
    roles = result.roles
    pose = [bone.name for bone in rig.pose.bones]
    keyed = {path.split('"')[1] for path, _ in curves(rig) if '"' in path}
    for bone in (
        *roles.spine,
        *roles.neck,
        roles.head,
        *roles.tail,
        *(bone for leg in roles.legs for bone in leg.bones),
    ):
        assert bone in keyed
        assert bone in pose


def test_unasked_animals_walk_and_people_keep_their_gaits() -> None:
    assert [row.name for row in chosen("auto", 4, 1.2)] == ["walk", "trot", "canter", "gallop"]
    assert [row.name for row in chosen("auto", 4, 0.4)] == ["walk", "trot", "canter", "rotary gallop"]
    with pytest.raises(BadSetting, match="gait trot is none for 6 legs: ask for auto, tripod, ripple, wave"):
        chosen("trot", 6, 1.0)
    with pytest.raises(BadSetting, match="gait trot is none for 2 legs"):
        amble.gait(rigs.biped(), gait="trot")


def test_gaits_go_over_into_each_other_by_the_shortest_way() -> None:
    rows = {row.name: row for row in presets(4)}
    walk, trot = aligned([rows["walk"], rows["trot"]])
    assert np.abs((trot - walk) - (trot - walk).mean()).max() <= 0.13
    assert np.allclose(np.mod(trot - trot[0], 1.0), [0.0, 0.5, 0.5, 0.0], atol=1e-9)


def test_G10_a_biped_hops_on_both_feet() -> None:
    rig = rigs.biped()
    result = amble.gait(rig, gait="hop")
    assert result.report is not None
    assert result.report.problems == ()
    strikes = sorted(contact.heel_on for contact in result.contacts)
    assert strikes[0] == pytest.approx(strikes[1], abs=1e-6)
