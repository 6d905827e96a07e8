"""Body plans beyond the plain biped and quadruped, and rests and hierarchies that mislead."""

from __future__ import annotations

import numpy as np
import pytest
from amble.rig import Limb, recognise
from tests.rig import tables
from tests.rig.tables import Bones, Point


def _chain(bones: Bones, parent: str | None, names: list[str], points: list[Point]) -> None:
    """Bones head to tail along the points, each the child of the one before."""
    for name, head, tail in zip(names, points, points[1:], strict=False):
        bones[name] = (head, tail, parent)
        parent = name


def _both(bones: Bones, parent: str, names: list[str], points: list[Point]) -> None:
    """The chain on the left and mirrored on the right, names with .L and .R."""
    for side, sign in (("L", 1), ("R", -1)):
        own = f"{parent}.{side}" if f"{parent}.{side}" in bones else parent
        _chain(bones, own, [f"{n}.{side}" for n in names], [(sign * x, y, z) for x, y, z in points])


def _left(limbs: tuple[Limb, ...]) -> list[tuple[str, ...]]:
    return [limb.bones for limb in limbs if limb.side == "L"]


def _dragon() -> Bones:
    bones = tables.quadruped()
    _both(
        bones,
        "chest",
        ["wing_arm", "wing_fore", "wing_tip"],
        [(0.1, -0.3, 0.85), (0.5, -0.2, 1.2), (1.2, 0, 1.2), (2, 0.2, 1.2)],
    )
    return bones


def test_a_dragon_has_four_legs_and_two_wings():
    roles = recognise(tables.skeleton(_dragon()))
    assert roles.kind == "quadruped"
    assert _left(roles.wings) == [("wing_arm.L", "wing_fore.L", "wing_tip.L")]
    assert roles.arms == ()


def test_a_dragon_without_names_keeps_its_wings_off_the_ground():
    bones, back = tables.unnamed(_dragon())
    roles = recognise(tables.skeleton(bones))
    assert roles.kind == "quadruped"
    assert [tuple(back[b] for b in chain) for chain in _left(roles.legs)] == [
        ("fore_upper.L", "fore_lower.L", "fore_pastern.L", "fore_paw.L"),
        ("thigh.L", "shin.L", "hock.L", "paw.L"),
    ]


def test_a_centaur_has_four_legs_and_two_arms():
    bones = tables.quadruped()
    del bones["neck"], bones["head"]
    _chain(bones, "chest", ["torso", "neck", "head"], [(0, -0.35, z) for z in (0.78, 1.2, 1.3, 1.5)])
    _both(
        bones,
        "torso",
        ["shoulder", "upper_arm", "forearm", "hand"],
        [(0.05, -0.35, 1.15), (0.18, -0.35, 1.15), (0.4, -0.35, 1), (0.55, -0.38, 0.85), (0.62, -0.4, 0.8)],
    )
    roles = recognise(tables.skeleton(bones))
    assert roles.kind == "quadruped"
    assert _left(roles.arms) == [("upper_arm.L", "forearm.L", "hand.L")]
    assert (roles.spine, roles.neck, roles.head) == (("spine", "chest", "torso"), ("neck",), "head")


def test_an_ant_has_six_legs_and_no_limbs_for_antennae():
    bones: Bones = {
        "root": ((0, 0, 0), (0, 0, 0.1), None),
        "thorax": ((0, 0.1, 0.5), (0, -0.1, 0.5), "root"),
        "head": ((0, -0.1, 0.5), (0, -0.3, 0.5), "thorax"),
        "abdomen": ((0, 0.1, 0.5), (0, 0.6, 0.55), "thorax"),
    }
    for i, y in enumerate((-0.1, 0.0, 0.1)):
        _both(
            bones,
            "thorax",
            [f"leg{i}_coxa", f"leg{i}_femur", f"leg{i}_tibia"],
            [(0.05, y, 0.5), (0.1, 1.2 * y, 0.5), (0.4, 3 * y, 0.8), (0.7, 5 * y, 0)],
        )
    _both(bones, "head", ["antenna"], [(0.03, -0.3, 0.52), (0.1, -0.6, 0.6)])
    roles = recognise(tables.skeleton(bones))
    assert roles.kind == "six"
    assert [(limb.pair, limb.bones[0]) for limb in roles.legs if limb.side == "L"] == [
        (str(i + 1), f"leg{i}_coxa.L") for i in range(3)
    ]
    assert (roles.arms, roles.wings, roles.tail) == ((), (), ("abdomen",))


def _saurian() -> Bones:
    bones: Bones = {"root": ((0, 0, 0), (0, 0, 0.1), None)}
    _chain(
        bones,
        "root",
        ["hips", "spine", "chest", "neck", "head"],
        [(0, 0.1, 1), (0, -0.1, 1.02), (0, -0.5, 1.1), (0, -0.8, 1.2), (0, -1, 1.5), (0, -1.4, 1.45)],
    )
    _chain(
        bones, "hips", ["tail1", "tail2", "tail3"], [(0, 0.1, 1), (0, 0.6, 1), (0, 1.2, 0.95), (0, 1.8, 0.9)]
    )
    _both(
        bones,
        "hips",
        ["thigh", "shin", "metatarsus", "toes"],
        [(0.2, 0.05, 0.95), (0.22, -0.25, 0.6), (0.22, 0.1, 0.3), (0.22, -0.05, 0.05), (0.22, -0.3, 0.02)],
    )
    _both(
        bones,
        "chest",
        ["upper_arm", "forearm", "hand"],
        [(0.15, -0.75, 1.05), (0.17, -0.7, 0.9), (0.16, -0.85, 0.85), (0.15, -0.9, 0.8)],
    )
    return bones


def test_a_body_carried_level_on_two_legs_faces_where_its_head_is():
    roles = recognise(tables.skeleton(_saurian()))
    assert roles.kind == "biped"
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)
    assert _left(roles.arms) == [("upper_arm.L", "forearm.L", "hand.L")]
    assert roles.tail == ("tail1", "tail2", "tail3")


def test_a_body_carried_level_on_two_legs_without_names():
    bones, back = tables.unnamed(_saurian())
    roles = recognise(tables.skeleton(bones))
    assert roles.kind == "biped"
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)
    assert [tuple(back[b] for b in chain) for chain in _left(roles.legs)] == [
        ("thigh.L", "shin.L", "metatarsus.L", "toes.L")
    ]
    assert [back[b] for b in roles.tail] == ["tail1", "tail2", "tail3"]


def test_rests_that_lay_every_limb_along_one_axis_are_read_by_names():
    bones: Bones = {"Hips": ((0, 0, 0), (0, 0.1, 0), None)}

    def line(start: Point, *steps: float) -> list[Point]:
        return [(start[0] + float(x), *start[1:]) for x in np.cumsum((0, *steps))]

    for side, z in (("Left", 1), ("Right", -1)):
        names = [side + n for n in ("UpLeg", "Leg", "Foot", "Toe")]
        _chain(bones, "Hips", names, line((0.1, 1.9, 10.5 * z), 43.5, 42.4, 17.3, 5))
    _chain(
        bones, "Hips", ["Spine", "Spine1", "Spine2", "Neck", "Head"], line((7, -2.6, 0), 12, 12, 26, 12, 10)
    )
    for side, z in (("Left", 1), ("Right", -1)):
        names = [side + n for n in ("Shoulder", "Arm", "ForeArm", "Hand")]
        _chain(bones, "Spine2", names, line((51, -4, 6 * z), 11, 33, 25, 8))
    roles = recognise(tables.skeleton(bones))
    assert roles.kind == "biped"
    assert _left(roles.legs) == [("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe")]
    assert _left(roles.arms) == [("LeftArm", "LeftForeArm", "LeftHand")]
    assert (roles.spine, roles.neck, roles.head) == (("Spine", "Spine1", "Spine2"), ("Neck",), "Head")
    assert any("no standing pose" in w for w in roles.warnings)


def test_legs_that_exist_twice_are_two_and_not_four():
    bones = tables.biped()
    for side in "LR":
        for bone, parent in (("thigh", "pelvis"), ("shin", f"thigh_D.{side}"), ("foot", f"shin_D.{side}")):
            head, tail, _ = bones[f"{bone}.{side}"]
            bones[f"{bone}_D.{side}"] = (head, tail, parent)
        head, tail, _ = bones[f"toe.{side}"]
        bones[f"toe_EX.{side}"] = (head, tail, f"foot_D.{side}")
    roles = recognise(tables.skeleton(bones))
    assert roles.kind == "biped"
    assert _left(roles.legs) == [("thigh.L", "shin.L", "foot.L", "toe.L")]


def test_feet_that_hang_on_the_root_are_joined_by_place():
    bones = tables.biped()
    for side in "LR":
        head, tail, _ = bones[f"foot.{side}"]
        bones[f"foot.{side}"] = (head, tail, "root")
    roles = recognise(tables.skeleton(bones))
    assert _left(roles.legs) == [("thigh.L", "shin.L", "foot.L", "toe.L")]
    assert roles.pelvis == "pelvis"
    assert "joined" in roles.legs[0].why


def _stunted(bones: Bones) -> Bones:
    """Every bone shortened to a stub that keeps its direction, as importers of other units make them."""
    out: Bones = {}
    for name, (head, tail, parent) in bones.items():
        way = np.subtract(tail, head)
        x, y, z = (np.array(head) + 0.004 * way / np.linalg.norm(way)).tolist()
        out[name] = (head, (x, y, z), parent)
    return out


def test_bones_that_are_mere_stubs_are_read_by_their_joints():
    roles = recognise(tables.skeleton(_stunted(tables.biped())))
    assert roles.kind == "biped"
    assert _left(roles.legs) == [("thigh.L", "shin.L", "foot.L", "toe.L")]
    assert _left(roles.arms) == [("upper_arm.L", "forearm.L", "hand.L")]
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)


def test_stubs_with_feet_on_the_root_are_joined_along_the_shin():
    bones = tables.biped()
    for side in "LR":
        head, tail, _ = bones[f"foot.{side}"]
        bones[f"foot.{side}"] = (head, tail, "root")
    roles = recognise(tables.skeleton(_stunted(bones)))
    assert _left(roles.legs) == [("thigh.L", "shin.L", "foot.L", "toe.L")]


@pytest.mark.parametrize("degrees", [-35, -20, 20, 35])
def test_a_quadruped_pitched_in_edit_mode_stands_on_its_feet(degrees: float):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    pitch = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    roles = recognise(tables.skeleton(tables.moved(tables.quadruped(), pitch)))
    assert roles.kind == "quadruped"
    assert roles.up == pytest.approx(tuple(pitch @ (0, 0, 1)), abs=0.02)
    assert roles.facing == pytest.approx(tuple(pitch @ (0, -1, 0)), abs=0.02)


def test_a_rear_claw_is_no_foot():
    bones = tables.biped()
    for side, x in (("L", 0.10), ("R", -0.10)):
        bones[f"FootBack.{side}"] = ((x, 0.02, 0.08), (x, 0.2, 0.0), f"shin.{side}")
    roles = recognise(tables.skeleton(bones))
    assert _left(roles.legs) == [("thigh.L", "shin.L", "foot.L", "toe.L")]
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)


def test_arms_called_front_legs_are_arms_where_they_do_not_stand():
    bones = tables.biped()
    words = {"clavicle": "Front_Leg_Shoulder", "upper_arm": "Front_Leg_Upper", "forearm": "Front_Leg_Lower"}
    names = {
        b: words[b[:-2]] + "_" + b[-1] if b[:-2] in words else b.replace("thigh", "Back_Leg_Upper")
        for b in bones
    }
    roles = recognise(tables.skeleton(tables.renamed(bones, names.__getitem__)))
    assert roles.kind == "biped"
    assert _left(roles.arms) == [("Front_Leg_Upper_L", "Front_Leg_Lower_L", "hand.L")]
    assert roles.arms[0].girdle == ("Front_Leg_Shoulder_L",)


def test_six_legs_that_hang_in_the_air_are_legs():
    bones: Bones = {
        "root": ((0, 0, 0), (0, 0, 0.1), None),
        "thorax": ((0, 0.2, 1.0), (0, -0.2, 1.0), "root"),
        "head": ((0, -0.2, 1.0), (0, -0.5, 1.0), "thorax"),
    }
    for i, (y, low) in enumerate(((-0.15, 0.7), (0.0, 0.6), (0.15, 0.45))):
        _both(
            bones, "thorax", [f"leg{i}_a", f"leg{i}_b"], [(0.1, y, 1), (0.4, 1.5 * y, 1.1), (0.5, 2 * y, low)]
        )
    roles = recognise(tables.skeleton(bones))
    assert roles.kind == "six"
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)
