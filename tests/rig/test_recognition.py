"""Roles of rigs made from tables: every naming convention, helpers, extras, turned and unnamed bodies."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from amble.rig import Limb, Roles, recognise, sole
from amble.rig.skeleton import depths, reorder
from tests.rig import tables
from tests.rig.tables import Bones

CENTRE = ["root", "pelvis", "spine", "chest", "neck", "head"]
SIDED = ["clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"]

# Words for CENTRE and SIDED in turn; patterns for a centre, a left and a right bone.
CONVENTIONS = {
    "mixamo": (
        "Root Hips Spine Spine2 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase",
        "mixamorig:{}",
        "mixamorig:Left{}",
        "mixamorig:Right{}",
    ),
    "unreal": (
        "root pelvis spine_01 spine_03 neck_01 head clavicle upperarm lowerarm hand thigh calf foot ball",
        "{}",
        "{}_l",
        "{}_r",
    ),
    "unity": (
        "Root Hips Spine Chest Neck Head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes",
        "{}",
        "Left{}",
        "Right{}",
    ),
    "vroid": (
        "Root Hips Spine Chest Neck Head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot ToeBase",
        "J_Bip_C_{}",
        "J_Bip_L_{}",
        "J_Bip_R_{}",
    ),
    "mmd": (
        "全ての親 センター 上半身 上半身2 首 頭 肩 腕 ひじ 手首 足 ひざ 足首 つま先",
        "{}",
        "左{}",
        "右{}",
    ),
    "mmd tools": (
        "全ての親 センター 上半身 上半身2 首 頭 肩 腕 ひじ 手首 足 ひざ 足首 つま先",
        "{}",
        "{}.L",
        "{}.R",
    ),
    "mmd romanised": (
        "master center upper_body upper_body2 neck head shoulder arm elbow wrist leg knee ankle toe",
        "{}",
        "{}_L",
        "{}_R",
    ),
    "daz": (
        (
            "root hip abdomenLower chestLower neckLower head"
            " Collar ShldrBend ForearmBend Hand ThighBend Shin Foot Toe"
        ),
        "{}",
        "l{}",
        "r{}",
    ),
    "daz 9": (
        "root hip spine1 spine4 neck1 head shoulder upperarm forearm hand thigh shin foot toes",
        "{}",
        "l_{}",
        "r_{}",
    ),
    "character creator": (
        "BoneRoot Hip Waist Spine02 NeckTwist01 Head Clavicle Upperarm Forearm Hand Thigh Calf Foot ToeBase",
        "CC_Base_{}",
        "CC_Base_L_{}",
        "CC_Base_R_{}",
    ),
    "auto-rig": (
        (
            "c_traj root.x spine_01.x spine_02.x neck.x head.x"
            " shoulder arm_stretch forearm_stretch hand thigh_stretch leg_stretch foot toes_01"
        ),
        "{}",
        "{}.l",
        "{}.r",
    ),
    "max biped": (
        "Root Pelvis Spine Spine1 Neck Head Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0",
        "Bip01 {}",
        "Bip01 L {}",
        "Bip01 R {}",
    ),
    "valve": (
        "Root Pelvis Spine Spine4 Neck1 Head1 Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0",
        "ValveBiped.Bip01_{}",
        "ValveBiped.Bip01_L_{}",
        "ValveBiped.Bip01_R_{}",
    ),
    "human ik": (
        "Reference Hips Spine Spine3 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase",
        "Character1_{}",
        "Character1_Left{}",
        "Character1_Right{}",
    ),
    "joints": (
        "Reference Hips Chest Chest4 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle Toe",
        "{}",
        "Left{}",
        "Right{}",
    ),
    "smpl": (
        "root Pelvis Spine1 Spine3 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle Foot",
        "{}",
        "L_{}",
        "R_{}",
    ),
    "french letters": (
        "racine bassin colonne poitrine cou tête clavicule bras avant_bras main cuisse mollet pied orteils",
        "{}",
        "{}.G",
        "{}.D",
    ),
    "french words": (
        "racine bassin colonne poitrine cou tete epaule bras avant-bras main cuisse jambe pied orteil",
        "{}",
        "{}_gauche",
        "{}_droite",
    ),
    "german": (
        (
            "Wurzel Becken Wirbelsäule Brust Hals Kopf"
            " Schulter Oberarm Unterarm Hand Oberschenkel Unterschenkel Fuß Zehen"
        ),
        "{}",
        "{}_links",
        "{}_rechts",
    ),
    "spanish": (
        "raiz cadera columna pecho cuello cabeza clavicula brazo antebrazo mano muslo pantorrilla pie dedos",
        "{}",
        "{}_izq",
        "{}_der",
    ),
    "russian": (
        "корень таз позвоночник грудь шея голова ключица плечо предплечье кисть бедро голень стопа носок",
        "{}",
        "левая_{}",
        "правая_{}",
    ),
    "chinese": ("根 骨盆 脊椎 胸 颈 头 锁骨 上臂 前臂 手 大腿 小腿 脚 脚趾", "{}", "左{}", "右{}"),
    "korean": (
        "루트 골반 척추 가슴 목 머리 쇄골 윗팔 아래팔 손 허벅지 종아리 발 발가락",
        "{}",
        "왼쪽_{}",
        "오른쪽_{}",
    ),
    "legs called arms": (
        "root pelvis spine chest neck head c leg1 leg2 leg3 arm1 arm2 arm3 arm4",
        "{}",
        "{}.L",
        "{}.R",
    ),
    "sides in the middle": (
        (
            "root pelvis spine chest neck head"
            " arm|clavicle arm|shoulder arm|elbow arm|wrist leg|thigh leg|knee leg|ankle leg|toes"
        ),
        "{}",
        "left",
        "right",
    ),
}


def _names(convention: str) -> dict[str, str]:
    said, centre, left, right = CONVENTIONS[convention]
    words = said.split()
    names = {b: centre.format(w) for b, w in zip(CENTRE, words[:6], strict=True)}
    for bone, word in zip(SIDED, words[6:], strict=True):
        for side, pattern in (("L", left), ("R", right)):
            names[f"{bone}.{side}"] = (
                word.replace("|", f" {pattern} ") if "|" in word else pattern.format(word)
            )
    return names


def _limb(limb: Limb, back: dict[str, str]) -> tuple[object, ...]:
    return (
        limb.side,
        limb.pair,
        tuple(back[b] for b in limb.bones),
        back.get(limb.contact, ""),
        limb.contact_end,
        back.get(limb.toe or "", ""),
        tuple(back[b] for b in limb.girdle),
    )


def _plain(roles: Roles, back: dict[str, str] | None = None) -> dict[str, object]:
    """Everything that was recognised, under the names of the table."""
    if back is None:
        back = _Same()

    return {
        "kind": roles.kind,
        "legs": [_limb(limb, back) for limb in roles.legs],
        "arms": [_limb(limb, back) for limb in roles.arms],
        "spine": [back[b] for b in roles.spine],
        "neck": [back[b] for b in roles.neck],
        "tail": [back[b] for b in roles.tail],
        "head": back.get(roles.head or "", ""),
        "pelvis": back.get(roles.pelvis or "", ""),
        "root": back.get(roles.root or "", ""),
        "pairs": sorted((back[a], back[b]) for a, b in roles.pairs),
    }


class _Same(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name

    def get(self, name: str, _default: object = None) -> str:
        return name


BIPED = _plain(recognise(tables.skeleton(tables.biped())))


def test_biped_is_recognised_whole():
    roles = recognise(tables.skeleton(tables.biped()))
    assert roles.kind == "biped"
    assert [(limb.side, limb.pair, limb.bones) for limb in roles.legs] == [
        ("L", "hind", ("thigh.L", "shin.L", "foot.L", "toe.L")),
        ("R", "hind", ("thigh.R", "shin.R", "foot.R", "toe.R")),
    ]
    assert [(limb.contact, limb.contact_end, limb.toe) for limb in roles.legs] == [
        ("toe.L", "head", "toe.L"),
        ("toe.R", "head", "toe.R"),
    ]
    assert [(limb.girdle, limb.bones) for limb in roles.arms] == [
        (("clavicle.L",), ("upper_arm.L", "forearm.L", "hand.L")),
        (("clavicle.R",), ("upper_arm.R", "forearm.R", "hand.R")),
    ]
    assert (roles.root, roles.pelvis, roles.spine) == ("root", "pelvis", ("spine", "chest"))
    assert (roles.neck, roles.head, roles.tail) == (("neck",), "head", ())
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)
    assert roles.up == pytest.approx((0, 0, 1), abs=1e-12)
    assert roles.ground == 0.0
    assert roles.leg_length == pytest.approx(0.43046 + 0.42190 + 0.15232, abs=1e-4)
    assert roles.warnings == ()


def test_quadruped_is_recognised_whole():
    roles = recognise(tables.skeleton(tables.quadruped()))
    assert roles.kind == "quadruped"
    assert [(limb.side, limb.pair, limb.bones, limb.contact, limb.contact_end) for limb in roles.legs] == [
        (side, pair, tuple(f"{b}.{side}" for b in bones), f"{bones[-1]}.{side}", "tail")
        for pair, bones in (
            ("fore", ("fore_upper", "fore_lower", "fore_pastern", "fore_paw")),
            ("hind", ("thigh", "shin", "hock", "paw")),
        )
        for side in "LR"
    ]
    assert roles.arms == ()
    assert (roles.root, roles.pelvis, roles.spine) == ("root", "pelvis", ("spine", "chest"))
    assert (roles.neck, roles.head, roles.tail) == (("neck",), "head", ("tail",))
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_roles_are_the_same_in_every_naming_convention(convention: str):
    names = _names(convention)
    roles = recognise(tables.skeleton(tables.renamed(tables.biped(), names.__getitem__)))
    assert _plain(roles, {v: k for k, v in names.items()}) == BIPED
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_roles_without_any_names(seed: int):
    bones, back = tables.unnamed(tables.biped(), seed)
    roles = recognise(tables.skeleton(bones))
    assert _plain(roles, back) == BIPED
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_quadruped_without_any_names(seed: int):
    bones, back = tables.unnamed(tables.quadruped(), seed)
    roles = recognise(tables.skeleton(bones))
    plain = recognise(tables.skeleton(tables.quadruped()))
    assert [(x.side, x.pair, tuple(back[b] for b in x.bones)) for x in roles.legs] == [
        (x.side, x.pair, x.bones) for x in plain.legs
    ]
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)


@pytest.mark.parametrize("table", [tables.biped, tables.quadruped])
@pytest.mark.parametrize("seed", range(5))
def test_order_of_bones_changes_nothing(table, seed: int):
    whole = tables.skeleton(table())
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.random(len(whole.names)), depths(whole.parents)))
    assert recognise(reorder(whole, order)) == recognise(whole)


@pytest.mark.parametrize("table", [tables.biped, tables.quadruped])
@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_size_changes_only_lengths(table, size: float):
    plain = recognise(tables.skeleton(table()))
    sized = recognise(tables.skeleton(tables.moved(table(), size * np.eye(3))))
    assert _plain(sized) == _plain(plain)
    assert sized.leg_length == pytest.approx(size * plain.leg_length, rel=1e-9)
    assert (sized.facing, sized.up) == (plain.facing, plain.up)


TURNS = {
    "lying on its back": (((1, 0, 0), -90), (0, 0, 1), (0, 1, 0)),
    "faces +X": (((0, 0, 1), 90), (1, 0, 0), (0, 0, 1)),
    "faces +Y": (((0, 0, 1), 180), (0, 1, 0), (0, 0, 1)),
    "turned by 30 degrees": (((0, 0, 1), 30), (0.5, -np.sqrt(0.75), 0), (0, 0, 1)),
    "turned by -137 degrees": (
        ((0, 0, 1), -137),
        (np.sin(np.radians(-137)), -np.cos(np.radians(-137)), 0),
        (0, 0, 1),
    ),
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("table", [tables.biped, tables.quadruped])
def test_facing_follows_edit_bones_that_are_turned(table, turn: str):
    (axis, degrees), facing, up = TURNS[turn]
    roles = recognise(tables.skeleton(tables.moved(table(), _rotation(axis, degrees), (3, -2, 1))))
    assert roles.facing == pytest.approx(facing, abs=1e-9)
    assert roles.up == pytest.approx(up, abs=1e-9)
    assert _plain(roles) == _plain(recognise(tables.skeleton(table())))


def _rotation(axis: tuple[int, int, int], degrees: float) -> np.ndarray:
    x, y, z = axis
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    if x:
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    assert (y, z) == (0, 1)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_sides_come_from_places_where_names_lie():
    def swapped(bone: str) -> str:
        return bone[:-1] + {"L": "R", "R": "L"}[bone[-1]] if bone[-2:] in (".L", ".R") else bone

    roles = recognise(tables.skeleton(tables.renamed(tables.biped(), swapped)))
    assert _plain(roles, {swapped(b): b for b in tables.biped()}) == BIPED
    assert any("sides are taken from where the bones lie" in w for w in roles.warnings)


def test_words_that_begin_like_sides_stay_unpaired():
    bones = tables.biped()
    for i, name in enumerate(["lower", "left_over", "reload", "rib", "leaf"]):
        bones[name] = ((0, -0.02, 1.3 + 0.01 * i), (0, -0.04, 1.3 + 0.01 * i), "chest")
    roles = recognise(tables.skeleton(bones))
    assert not {b for pair in roles.pairs for b in pair} & {"lower", "left_over", "reload", "rib", "leaf"}


def _fingers(left: range, right: range) -> Bones:
    bones = tables.biped()
    for k, (i, j) in enumerate(zip(left, right, strict=True)):
        for name, s, hand in ((f"left{i}", 1, "hand.L"), (f"right{j}", -1, "hand.R")):
            y = -0.05 + 0.02 * k
            bones[name] = ((s * 0.68, y, 1.01), (s * 0.72, y, 0.97), hand)
    return bones


def test_numbered_fingers_pair_by_number_and_a_lone_one_stays_alone():
    bones = _fingers(range(1, 5), range(1, 5))
    bones["right0"] = ((0, 0, 1.8), (0, 0, 1.9), "head")
    roles = recognise(tables.skeleton(bones))
    assert {(a, b) for a, b in roles.pairs if a.startswith("left")} == {
        (f"left{i}", f"right{i}") for i in range(1, 5)
    }
    assert "right0" not in {b for pair in roles.pairs for b in pair}


def test_shifted_numbers_pair_by_place_and_are_reported():
    roles = recognise(tables.skeleton(_fingers(range(1, 5), range(4))))
    assert {(a, b) for a, b in roles.pairs if a.startswith("left")} == {
        (f"left{i}", f"right{i - 1}") for i in range(1, 5)
    }
    assert any("paired by place" in w for w in roles.warnings)


def test_names_cut_off_before_the_side_pair_by_place():
    long = "骨" * 21
    names = {b: b for b in tables.biped()} | {"hand.L": long, "hand.R": long[:19] + ".001"}
    roles = recognise(tables.skeleton(tables.renamed(tables.biped(), names.__getitem__)))
    assert _plain(roles, {v: k for k, v in names.items()}) == BIPED


def test_legs_are_found_past_helpers_without_length():
    bones = tables.biped()
    for s, x in (("L", 0.10), ("R", -0.10)):
        bones[f"helper.{s}"] = ((x, 0, 0.93), (x, 0, 0.9301), "pelvis")
        bones[f"zero.{s}"] = ((x, 0, 0.93), (x, 0, 0.93), f"helper.{s}")
        bones[f"thigh.{s}"] = (*bones[f"thigh.{s}"][:2], f"zero.{s}")
    roles = recognise(tables.skeleton(bones))
    assert [limb.bones for limb in roles.legs] == [
        tuple(f"{b}.{s}" for b in ("thigh", "shin", "foot", "toe")) for s in "LR"
    ]
    assert [limb.girdle for limb in roles.legs] == [("helper.L", "zero.L"), ("helper.R", "zero.R")]
    assert roles.leg_length == pytest.approx(recognise(tables.skeleton(tables.biped())).leg_length, abs=1e-12)


def test_twist_bones_in_the_chain_belong_to_it():
    bones = tables.biped()
    for s, x in (("L", 0.10), ("R", -0.10)):
        middle = (x, -0.012, 0.672)
        head, tail, parent = bones.pop(f"thigh.{s}")
        bones[f"{s.lower()}ThighBend"] = (head, middle, parent)
        bones[f"{s.lower()}ThighTwist"] = (middle, tail, f"{s.lower()}ThighBend")
        bones[f"shin.{s}"] = (*bones[f"shin.{s}"][:2], f"{s.lower()}ThighTwist")
    roles = recognise(tables.skeleton(bones))
    assert roles.legs[0].bones == ("lThighBend", "lThighTwist", "shin.L", "foot.L", "toe.L")


def test_twist_bones_beside_the_chain_stay_out_of_it():
    bones = tables.biped()
    for s, x in (("l", 0.10), ("r", -0.10)):
        side = s.upper()
        bones[f"thigh_twist_01_{s}"] = ((x, -0.01, 0.715), (x, -0.02, 0.50), f"thigh.{side}")
        bones[f"calf_twist_01_{s}"] = ((x, 0.0, 0.29), (x, 0.02, 0.08), f"shin.{side}")
        bones[f"lowerarm_twist_01_{s}"] = (
            (np.copysign(0.5, x), 0.0, 1.16),
            (np.copysign(0.6, x), -0.01, 1.08),
            f"forearm.{side}",
        )
    roles = recognise(tables.skeleton(bones))
    assert [x.bones for x in (*roles.legs, *roles.arms)] == [
        x.bones for rig in [recognise(tables.skeleton(tables.biped()))] for x in (*rig.legs, *rig.arms)
    ]


def test_targets_and_copies_for_ik_are_no_limbs():
    bones = tables.biped()
    bones["ik_foot_root"] = ((0, 0, 0), (0, 0, 0.1), "root")
    bones["ik_hand_root"] = ((0, 0, 0), (0, 0, 0.1), "root")
    for s, x in (("l", 1), ("r", -1)):
        bones[f"ik_foot_{s}"] = ((x * 0.10, 0.02, 0.08), (x * 0.10, -0.12, 0.02), "ik_foot_root")
        bones[f"ik_hand_{s}"] = ((x * 0.60, -0.01, 1.08), (x * 0.68, -0.03, 1.01), "ik_hand_root")
        bones[f"pole_{s}"] = ((x * 0.10, -0.8, 0.5), (x * 0.10, -0.9, 0.5), "root")
    roles = recognise(tables.skeleton(bones))
    plain = _plain(roles)
    assert {k: plain[k] for k in BIPED if k != "pairs"} == {k: BIPED[k] for k in BIPED if k != "pairs"}
    assert ("ik_foot_l", "ik_foot_r") in roles.pairs


def test_skirts_hair_and_capes_are_no_limbs():
    bones = tables.biped()
    for s, x in (("L", 1), ("R", -1)):
        bones[f"J_Sec_{s}_SkirtSide1"] = ((x * 0.15, 0, 0.92), (x * 0.2, 0, 0.5), "pelvis")
        bones[f"J_Sec_{s}_SkirtSide2"] = ((x * 0.2, 0, 0.5), (x * 0.22, 0, 0.05), f"J_Sec_{s}_SkirtSide1")
        bones[f"hair_side_{s}"] = ((x * 0.08, 0, 1.7), (x * 0.1, 0.02, 1.3), "head")
        bones[f"hair_end_{s}"] = ((x * 0.1, 0.02, 1.3), (x * 0.1, 0.02, 0.8), f"hair_side_{s}")
    bones["cape_1"] = ((0, 0.1, 1.4), (0, 0.15, 0.8), "chest")
    bones["cape_2"] = ((0, 0.15, 0.8), (0, 0.2, 0.02), "cape_1")
    plain = _plain(recognise(tables.skeleton(bones)))
    assert {k: plain[k] for k in BIPED if k != "pairs"} == {k: BIPED[k] for k in BIPED if k != "pairs"}


def test_arms_that_hang_straight_down_are_arms():
    bones = tables.biped()
    for s, x in (("L", 1), ("R", -1)):
        bones[f"upper_arm.{s}"] = ((x * 0.2, 0, 1.43), (x * 0.2, 0.01, 1.05), f"clavicle.{s}")
        bones[f"forearm.{s}"] = ((x * 0.2, 0.01, 1.05), (x * 0.2, -0.01, 0.72), f"upper_arm.{s}")
        bones[f"hand.{s}"] = ((x * 0.2, -0.01, 0.72), (x * 0.2, -0.01, 0.55), f"forearm.{s}")
    assert _plain(recognise(tables.skeleton(bones))) == BIPED


@pytest.mark.parametrize("offset", [0.0, 1e-6, -1e-6])
def test_straight_knees_leave_the_facing_to_the_feet(offset: float):
    bones = tables.biped()
    for s, x in (("L", 0.10), ("R", -0.10)):
        knee, ankle = (x, offset, 0.50), (x, 0.0, 0.08)
        bones[f"thigh.{s}"] = ((x, 0, 0.93), knee, "pelvis")
        bones[f"shin.{s}"] = (knee, ankle, f"thigh.{s}")
        bones[f"foot.{s}"] = (ankle, (x, -0.12, 0.02), f"shin.{s}")
    roles = recognise(tables.skeleton(bones))
    assert _plain(roles) == BIPED
    assert roles.facing == pytest.approx((0, -1, 0), abs=1e-12)


def test_a_snake_has_no_legs():
    bones: Bones = {"root": ((0, 0, 0), (0, 0, 0.1), None), "head": ((0, 0, 0.1), (0, -0.1, 0.1), "root")}
    parent = "head"
    for i in range(12):
        bones[f"body{i}"] = ((0, 0.2 * i, 0.1), (0, 0.2 * i + 0.2, 0.1), parent)
        parent = f"body{i}"
    roles = recognise(tables.skeleton(bones))
    assert (roles.kind, roles.legs, roles.arms, roles.pairs) == ("none", (), (), ())
    assert roles.leg_length == 0.0


@pytest.mark.parametrize(
    "missing",
    [["shin.L", "shin.R", "foot.L", "foot.R", "toe.L", "toe.R"], ["thigh.R", "shin.R", "foot.R", "toe.R"]],
)
def test_rigs_that_lack_a_leg_do_not_fail(missing: list[str]):
    bones = {b: v for b, v in tables.biped().items() if b not in missing}
    roles = recognise(tables.skeleton(bones))
    assert all(limb.side in "LR" for limb in roles.legs)


def test_sole_lies_on_the_ground_between_heel_and_tip():
    whole = tables.skeleton(tables.biped())
    roles = recognise(whole)
    for limb, x in zip(roles.legs, (0.10, -0.10), strict=True):
        found = sole(whole, roles, limb)
        assert found.ankle == pytest.approx((x, 0.02, 0.08), abs=1e-12)
        assert found.pivot == pytest.approx((x, -0.12, 0.02), abs=1e-12)
        assert found.ball == pytest.approx((x, -0.12, 0.0), abs=1e-12)
        assert found.tip == pytest.approx((x, -0.20, 0.0), abs=1e-12)
        assert found.heel == pytest.approx((x, 0.02 + 0.35 * 0.14, 0.0), abs=1e-12)


def test_sole_follows_a_heel_bone_and_skin():
    bones = tables.biped()
    for s, x in (("L", 0.10), ("R", -0.10)):
        bones[f"heel.{s}"] = ((x - 0.04, 0.06, 0), (x + 0.04, 0.06, 0), f"foot.{s}")
    whole = tables.skeleton(bones)
    roles = recognise(whole)
    assert roles.legs[0].bones == ("thigh.L", "shin.L", "foot.L", "toe.L")
    assert sole(whole, roles, roles.legs[0]).heel == pytest.approx((0.10, 0.06, 0.0), abs=1e-12)
    skin = np.array([(0.10, y, z) for y in np.linspace(0.08, -0.22, 301) for z in (0.0, 0.05)])
    found = sole(whole, roles, roles.legs[0], skin)
    assert found.heel == pytest.approx((0.10, 0.08, 0.0), abs=4e-3)
    assert found.tip == pytest.approx((0.10, -0.22, 0.0), abs=4e-3)


def test_what_is_recognised_again_is_its_own_and_a_change_is_seen() -> None:
    """Roles are kept for a while: nobody's changes to them reach the next one, and another rig is another."""
    skeleton = tables.skeleton(tables.biped())
    first = recognise(skeleton)
    first.why["legs"] = "changed"
    again = recognise(skeleton)
    assert again.why.get("legs") != "changed"
    assert again.legs == first.legs
    rest = skeleton.rest.copy()
    rest[:, :3, 3] *= 2.0
    longer = dataclasses.replace(skeleton, rest=rest, tails=2.0 * skeleton.tails)
    assert recognise(longer).leg_length == pytest.approx(2.0 * first.leg_length)
