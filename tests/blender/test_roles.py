"""Roles of real rigs, held against what people found by looking at them bone by bone."""

from __future__ import annotations

import math
import random
import time
from typing import Any

import bpy
import numpy as np
import pytest
from amble.errors import NotAnArmature, TooFewBones
from amble.rig import Limb, Roles, Sole, foot_points, read_skeleton, read_skin, recognise, roles, sole
from amble.rig.skeleton import FLAG_CONNECTED, FLAG_NO_INHERIT_ROTATION, FLAG_NO_LOCAL_LOCATION
from tests.blender import rigs
from tests.rig import tables

TRUTH = rigs.truth()
KINDS = {"biped": {"biped"}, "quadruped": {"quadruped"}, "other": {"none", "six", "eight", "other"}}


def _marked(keys: list[str]) -> list[Any]:
    """Generated control rigs take seconds each."""
    return [pytest.param(k, marks=pytest.mark.slow) if k.endswith(":generated") else k for k in keys]


@pytest.fixture(scope="module")
def recognised() -> Any:
    """Recognises each rig once: key -> (truth, roles, world matrix)."""
    known: dict[str, tuple[dict[str, Any], Roles, np.ndarray]] = {}

    def of(key: str) -> tuple[dict[str, Any], Roles, np.ndarray]:
        if key not in known:
            rig = rigs.load(key)
            known[key] = (TRUTH[key], roles(rig), np.array(rig.matrix_world))
        return known[key]

    return of


if not TRUTH:
    pytest.skip("rigs_truth.json is not in the data folder (set AMBLE_DATA)", allow_module_level=True)

every_rig = pytest.mark.parametrize("key", _marked(list(TRUTH)))
with_legs = pytest.mark.parametrize("key", _marked([k for k, t in TRUTH.items() if t["legs"]]))
standing = pytest.mark.parametrize(
    "key", _marked([k for k, t in TRUTH.items() if t["ground_world"] is not None])
)


@pytest.fixture(autouse=True)
def empty_blender(request: pytest.FixtureRequest) -> None:
    """A new scene only for tests that build something: loading a rig begins with one anyway."""
    if "recognised" not in request.fixturenames:
        rigs.clear()


@every_rig
def test_body_plan(recognised, key: str):
    truth, found, _ = recognised(key)
    assert found.kind in KINDS[truth["kind"]]


@every_rig
def test_facing_and_up(recognised, key: str):
    truth, found, world = recognised(key)
    facing = _unit(world[:3, :3] @ found.facing)
    up = _unit(np.linalg.inv(world[:3, :3]).T @ found.up)
    assert math.degrees(math.acos(np.clip(facing @ _unit(truth["facing"]), -1, 1))) < 1.0
    assert math.degrees(math.acos(np.clip(up @ _unit(truth["up"]), -1, 1))) < 1.0


@every_rig
def test_legs(recognised, key: str):
    truth, found, world = recognised(key)
    assert len(found.legs) == len(truth["legs"])
    # A length along up in the world for one in the armature: objects are scaled.
    scale = 1.0 / float(np.linalg.norm(np.linalg.inv(world[:3, :3]).T @ found.up))
    for wanted in truth["legs"]:
        limb = _same_limb(found.legs, wanted)
        assert _chain(limb, wanted) == wanted["chain"]
        assert (limb.contact, limb.contact_end) in _contacts(wanted)
        assert limb.length * scale == pytest.approx(wanted["length"], rel=0.02)
        girdle = list(limb.girdle)
        assert girdle == wanted.get("girdle", [])[len(wanted.get("girdle", [])) - len(girdle) :]
    if len(truth["legs"]) <= 4:
        assert {(limb.pair, limb.side) for limb in found.legs} == {
            (w["pair"], w["side"]) for w in truth["legs"]
        }
        for wanted in truth["legs"]:
            assert _same_limb(found.legs, wanted).pair == wanted["pair"]
    else:
        order = {"fore": "1", "mid1": "2", "mid2": "3", "hind": "4"}
        for wanted in truth["legs"]:
            assert _same_limb(found.legs, wanted).pair == order[wanted["pair"]]


@every_rig
@pytest.mark.parametrize("what", ["arms", "wings"])
def test_arms_and_wings(recognised, key: str, what: str):
    truth, found, _ = recognised(key)
    limbs, wanted_limbs = getattr(found, what), truth.get(what, [])
    assert len(limbs) == len(wanted_limbs)
    for wanted in wanted_limbs:
        limb = _same_limb(limbs, wanted)
        assert _chain(limb, wanted) == wanted["chain"]
        assert list(limb.girdle) == wanted.get("clavicle", [])


@with_legs
def test_spine_neck_and_head(recognised, key: str):
    truth, found, _ = recognised(key)
    spine = list(found.spine)
    if truth["spine"] and found.pelvis == truth["spine"][0]:
        spine.insert(0, found.pelvis)
    assert spine == truth["spine"]
    assert [*found.neck, *([found.head] if found.head else [])] == truth["neck_head"]
    assert list(found.tail) == truth["tail"]


@every_rig
def test_what_carries_the_body(recognised, key: str):
    truth, found, _ = recognised(key)
    assert found.pelvis == truth["root"]["pelvis_mover"]
    assert (found.root or found.pelvis) == truth["root"]["root"]


@every_rig
def test_pairs(recognised, key: str):
    truth, found, _ = recognised(key)
    # Blender before 5.0 removes bones without length as it leaves edit mode.
    gone = set() if bpy.app.version >= (5, 0) else {"mixamorig:LeftButtock"}
    wanted = {tuple(pair) for pair in truth["pairs"] if not gone & set(pair)}
    assert wanted <= set(found.pairs)
    rule = truth.get("pairs_rule")
    assert len(found.pairs) == (rule["pairs_in_all"] if rule else len(wanted))
    alone = {b for pair in found.pairs for b in pair} & set(truth["unpaired_side_bones"])
    assert not alone


@standing
def test_ground_and_leg_length(recognised, key: str):
    truth, found, world = recognised(key)
    normal = np.linalg.inv(world[:3, :3]).T @ found.up
    place = world[:3, 3] @ _unit(normal) + found.ground / float(np.linalg.norm(normal))
    assert place == pytest.approx(truth["ground_world"], abs=0.03 * truth["leg_length_world"])
    assert found.leg_length / float(np.linalg.norm(normal)) == pytest.approx(
        truth["leg_length_world"], rel=0.02
    )


def _soles(key: str) -> tuple[Roles, list[Sole]]:
    rig = rigs.load(key)
    skeleton = read_skeleton(rig)
    skin = read_skin(rig, skeleton.names)
    found = recognise(skeleton, skin)
    return found, [sole(skeleton, found, leg, foot_points(skeleton, leg, skin)) for leg in found.legs]


@pytest.mark.parametrize(
    "key", [k for k, t in TRUTH.items() if t["ground_world"] is not None and ":gen" not in k]
)
def test_soles_lie_on_the_ground_heel_behind_ball_behind_tip(key: str):
    found, soles = _soles(key)
    up, facing = np.array(found.up), np.array(found.facing)
    ahead = facing if len(soles) <= 4 else None
    for each, leg in zip(soles, found.legs, strict=True):
        for point in (each.heel, each.ball, each.tip):
            assert point @ up == pytest.approx(found.ground, abs=0.02 * leg.length)
        if ahead is not None:
            assert each.heel @ ahead < each.ball @ ahead < each.tip @ ahead
        assert abs((each.pivot - each.ball) @ up) < 0.08 * leg.length


def test_the_sole_of_a_foot_in_the_air_is_tilted_as_the_foot_is():
    found, soles = _soles("glb/gdquest_mannequiny-0.3.0.glb")
    up, facing = np.array(found.up), np.array(found.facing)
    for each in soles:
        way = each.tip - each.heel
        # Toes up by about 38 degrees, as in the render of the rest pose.
        assert 30 < math.degrees(math.atan2(way @ up, way @ facing)) < 48
        assert np.linalg.norm(each.pivot - each.ball) < 0.05 * found.leg_length


@pytest.mark.parametrize(
    "key",
    [
        "rigify:human",
        "glb/m2m_rig-human.glb",
        "glb/kaykit_Med_MovementBasic.glb",
        "glb/khronos_cesium_man.gltf",
        "blend/quaternius_Male_Casual.blend",
        "blend/quaternius_Cat.blend",
        "json/mpfb_rig.mixamo.json",
        "glb/m2m_rig-bird.glb",
    ],
)
def test_where_the_object_stands_changes_nothing(key: str):
    rig = rigs.load(key)
    before = roles(rig)
    rig.rotation_mode = "XYZ"
    rig.location = (5.0, -3.0, 1.0)
    rig.rotation_euler = (0.4, -1.1, 2.0)
    rig.scale = (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    after = roles(rig)
    assert after.leg_length == pytest.approx(before.leg_length, rel=1e-5)
    assert after.ground == pytest.approx(before.ground, abs=1e-4 * before.leg_length)
    assert _shape(after) == _shape(before)


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("build", [rigs.biped, rigs.quadruped])
def test_scale_of_the_armature_changes_only_lengths(build, size: float):
    rig = build(size)
    found = roles(rig)
    plain = recognise(tables.skeleton(tables.biped() if build is rigs.biped else tables.quadruped()))
    assert _shape(found) == _shape(plain)
    assert found.leg_length == pytest.approx(size * plain.leg_length, rel=1e-5)


@pytest.mark.parametrize("build", [tables.biped, tables.quadruped])
@pytest.mark.parametrize("seed", range(4))
def test_order_and_rolls_of_bones_change_nothing(build, seed: int):
    table = build()
    plain = _shape(roles(rigs.build(table)))
    bones = list(table)
    rng = random.Random(seed)
    rng.shuffle(bones)
    rig = rigs.build({b: table[b] for b in bones})
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for edit in rig.data.edit_bones:
        edit.roll = rng.uniform(-math.pi, math.pi)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert _shape(roles(rig)) == plain


def test_skeleton_holds_what_blender_holds():
    rig = rigs.biped()
    bones = rig.data.bones
    bones["head"].use_inherit_rotation = False
    bones["foot.L"].use_local_location = False
    bones["hand.R"].inherit_scale = "NONE"
    rig.pose.bones["shin.L"].rotation_mode = "ZXY"
    found = read_skeleton(rig)
    assert all(parent < i for i, parent in enumerate(found.parents))
    for i, name in enumerate(found.names):
        assert np.array_equal(found.rest[i], np.array(bones[name].matrix_local))
        assert np.array_equal(found.tails[i], np.array(bones[name].tail_local))
        parent = bones[name].parent
        assert (found.names[found.parents[i]] if found.parents[i] >= 0 else None) == (parent and parent.name)
    assert found.flags[found.index("head")] & FLAG_NO_INHERIT_ROTATION
    assert found.flags[found.index("foot.L")] & FLAG_NO_LOCAL_LOCATION
    assert not found.flags[found.index("spine")] & FLAG_CONNECTED
    assert int(found.flags[found.index("hand.R")]) >> 4 == 4
    assert found.rotation_modes[found.index("shin.L")] == "ZXY"
    with pytest.raises(KeyError, match="wing"):
        found.index("wing")


def test_what_is_no_armature_is_named():
    mesh = bpy.data.objects.new("box", bpy.data.meshes.new("box"))
    with pytest.raises(NotAnArmature, match="box"):
        roles(mesh)
    with pytest.raises(NotAnArmature):
        roles(None)
    empty = bpy.data.objects.new("bare", bpy.data.armatures.new("bare"))
    with pytest.raises(TooFewBones, match="bare"):
        roles(empty)


def test_names_that_lie_are_reported(recognised):
    _, found, _ = recognised("glb/godot_platformer_player.glb")
    assert any("sides are taken from where the bones lie" in w for w in found.warnings)


@pytest.mark.slow
def test_700_bones_take_less_than_50_ms():
    rig = rigs.load("rigify:human:generated")
    assert len(rig.data.bones) > 700
    best = math.inf
    for _ in range(10):
        start = time.perf_counter()
        roles(rig)
        best = min(best, time.perf_counter() - start)
    assert best < 0.050


def _unit(vector: Any) -> np.ndarray:
    value = np.array(vector, dtype=float)
    return value / np.linalg.norm(value)


def _same_limb(limbs: tuple[Limb, ...], wanted: dict[str, Any]) -> Limb:
    same = [x for x in limbs if x.side == wanted["side"] and set(x.bones) & set(wanted["chain"])]
    assert len(same) == 1, f"no limb of side {wanted['side']} shares bones with {wanted['chain']}: {limbs}"
    return same[0]


def _chain(limb: Limb, wanted: dict[str, Any]) -> list[str]:
    """The limb's bones without the girdle and leaf bones that may be there or not."""
    chain = list(limb.bones)
    while chain[0] != wanted["chain"][0] and chain[0] in (
        wanted.get("girdle") or wanted.get("clavicle") or []
    ):
        chain.pop(0)
    while chain[-1] != wanted["chain"][-1] and chain[-1] in (wanted.get("leaf") or []):
        chain.pop()
    return chain


def _contacts(wanted: dict[str, Any]) -> set[tuple[str, str]]:
    """The same place said two ways: the tail of a bone and the head of the next."""
    chain = [*wanted["chain"], *(wanted.get("leaf") or [])[:1]]
    place = chain.index(wanted["contact"])
    found = {(wanted["contact"], wanted["contact_end"])}
    if wanted["contact_end"] == "tail" and place + 1 < len(chain):
        found.add((chain[place + 1], "head"))
    if wanted["contact_end"] == "head" and place > 0:
        found.add((chain[place - 1], "tail"))
    return found


def _shape(found: Roles) -> tuple[Any, ...]:
    """All that is recognised but for lengths."""
    limbs = [
        (x.side, x.pair, x.bones, x.contact, x.contact_end, x.toe, x.girdle)
        for x in (*found.legs, *found.arms, *found.wings)
    ]
    return (
        found.kind,
        limbs,
        found.root,
        found.pelvis,
        found.spine,
        found.neck,
        found.head,
        found.tail,
        found.pairs,
        tuple(np.round(found.facing, 4)),
        tuple(np.round(found.up, 4)),
    )
