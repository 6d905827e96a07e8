"""Names and pairs as they come in practice: what a rig's bones are called changes nothing of its walk.

Paths are world heads and tails at whole frames; plain rigs are the ones they are compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from amble.errors import AmbleError, MissingRole, NoLegsFound, TooFewBones
from amble.rig import naming, set_roles
from tests.blender import rigs
from tests.blender.action_tools import contents, curves, state
from tests.blender.control_rigs import keyed
from tests.blender.paths import path, plants, whole
from tests.rig import tables
from tests.rig.tables import Bones

SAME = 1e-4
BODY = ("root", "pelvis", "spine", "chest", "neck", "head")
LIMBS = ("thigh", "shin", "foot", "toe", "upper_arm", "forearm", "hand")
BONES = (*BODY, *(f"{bone}.{side}" for bone in LIMBS for side in "LR"))


@pytest.fixture(scope="module")
def plain() -> dict[str, np.ndarray]:
    """By bone, the path that the biped with plain names walks."""
    rigs.clear()
    armature = rigs.biped()
    return dict(zip(BONES, np.moveaxis(track(armature, BONES), 1, 0), strict=True))


def track(armature: Any, bones: Iterable[str], **settings: Any) -> np.ndarray:
    """World path of bones in a walk made now, (frames, bones, 2, 3)."""
    result = amble.gait(armature, speed=1.4, frames=(1, 51), **settings)
    holds(result)
    return path(armature, whole(result), list(bones))


def holds(result: Any) -> None:
    """No planted foot slides by more than a millimetre."""
    assert result.report.slide_mm <= 1.0, result.report.table()


def called(names: Mapping[str, str]) -> Bones:
    """The plain biped with some bones called otherwise."""
    return tables.renamed(tables.biped(), lambda bone: names.get(bone, bone))


def both(names: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Names by plain name, from (left, right) by plain name without side."""
    return {f"{bone}.{side}": pair[place] for bone, pair in names.items() for place, side in enumerate("LR")}


def is_as_plain(armature: Any, plain: Mapping[str, np.ndarray], names: Mapping[str, str]) -> None:
    """A walk made now goes where the plain one goes, bone by bone; names: by plain name."""
    found = track(armature, [names.get(bone, bone) for bone in BONES])
    assert np.abs(found - np.stack([plain[bone] for bone in BONES], axis=1)).max() < SAME


# ---- case 12: quotes, backslashes, brackets and symbols ----


def test_every_path_of_a_curve_resolves_whatever_signs_are_in_a_name(plain, tmp_path: Path) -> None:
    names = both({"thigh": ("🌍.L", "🌍.R"), "shin": ('a"b.L', 'a"b.R'), "foot": ("a\\b.L", "a\\b.R")})
    names["chest"] = 'x"]["y'
    armature = rigs.build(called(names), "strange")
    legs = [
        {"side": side, "bones": [names.get(f"{bone}.{side}", f"{bone}.{side}") for bone in LIMBS[:4]]}
        for side in "LR"
    ]
    arms = [{"side": side, "bones": [f"{bone}.{side}" for bone in LIMBS[4:]]} for side in "LR"]
    roles = {"legs": legs, "arms": arms, "pelvis": "pelvis", "spine": ["spine", names["chest"]]}
    set_roles(armature, {**roles, "neck": ["neck"], "head": "head", "root": "root"})
    is_as_plain(armature, plain, names)
    resolves(armature)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strange.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "strange.blend"))
    armature = bpy.data.objects["strange"]
    resolves(armature)
    found = path(armature, np.arange(1, 52), [names.get(bone, bone) for bone in BONES])
    assert np.abs(found - np.stack([plain[bone] for bone in BONES], axis=1)).max() < SAME


def resolves(armature: Any) -> None:
    """Every curve belongs to a property that there is, and each property to one curve a number."""
    found = list(slots.find_curves(armature))
    assert len(found) == len(curves(armature)) > 0
    for curve in found:
        value = armature.path_resolve(curve.data_path)
        assert 0 <= curve.array_index < len(value)


# ---- case 13: names that call left what is right ----


def test_sides_are_taken_from_where_bones_lie(plain) -> None:
    exchanged = {bone: bone[:-1] + "LR"[bone.endswith("L")] for bone in tables.biped() if bone[-2] == "."}
    armature = rigs.build(called(exchanged))
    before = [bone.name for bone in armature.data.bones]
    is_as_plain(armature, plain, exchanged)
    result = amble.gait(armature, report=False)
    assert any("names call left what lies on the right" in note for note in result.notes)
    assert {leg.side: leg.bones[0] for leg in result.roles.legs} == {"L": "thigh.R", "R": "thigh.L"}
    assert [bone.name for bone in armature.data.bones] == before


def test_sides_of_a_rig_from_practice_whose_l_lies_on_the_right() -> None:
    armature = rigs.load("glb/godot_platformer_player.glb")
    before = [bone.name for bone in armature.data.bones]
    result = amble.gait(armature, root_motion="none", frames=(1, 41))
    assert any("names call left what lies on the right" in note for note in result.notes)
    assert {leg.side: leg.bones[0] for leg in result.roles.legs} == {"L": "r-thigh", "R": "l-thigh"}
    assert [bone.name for bone in armature.data.bones] == before
    holds(result)
    way = armature.matrix_world.to_3x3() @ rest(armature, "r-thigh")
    assert way.x > 0.0  # the left, as it faces -Y


def rest(armature: Any, bone: str) -> Any:
    return armature.data.bones[bone].head_local


# ---- cases 14, 15, 20: conventions ----

MMD = {
    "thigh": ("leg left thigh", "leg right thigh"),
    "shin": ("leg left knee", "leg right knee"),
    "foot": ("leg left ankle", "leg right ankle"),
    "toe": ("leg left toes", "leg right toes"),
    "forearm": ("arm left elbow", "arm right elbow"),
    "hand": ("arm left wrist", "arm right wrist"),
}
CONVENTIONS = {
    "sides within, shoulder 1 the upper arm": both(
        MMD | {"upper_arm": ("arm left shoulder 1", "arm right shoulder 1")}
    ),
    "sides within, shoulder 1 the collar": both(
        MMD
        | {
            "clavicle": ("arm left shoulder 1", "arm right shoulder 1"),
            "upper_arm": ("arm left shoulder 2", "arm right shoulder 2"),
        }
    ),
    "words before dots": both(
        {
            bone: (f"Left.{name}", f"Right.{name}")
            for bone, name in {
                "clavicle": "Shoulder",
                "upper_arm": "UpperArm",
                "forearm": "LowerArm",
                "hand": "Hand",
                "thigh": "UpperLeg",
                "shin": "LowerLeg",
                "foot": "Foot",
                "toe": "Toes",
            }.items()
        }
    ),
}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_convention_is_read_without_any_mapping(convention: str, plain) -> None:
    names = CONVENTIONS[convention]
    armature = rigs.build(called(names))
    before = [bone.name for bone in armature.data.bones]
    is_as_plain(armature, plain, names)
    assert [bone.name for bone in armature.data.bones] == before
    pairs = set(amble.rig.roles(armature).pairs)
    assert {(names[f"{bone}.L"], names[f"{bone}.R"]) for bone in LIMBS} <= pairs


def test_letters_before_names_are_sides_and_words_that_begin_so_are_none(plain) -> None:
    """Thighs and upper arms of two bones each, beside bones whose names begin with l and r."""
    names = both(
        {
            "upper_arm": ("lShldrBend", "rShldrBend"),
            "forearm": ("lForearmBend", "rForearmBend"),
            "hand": ("lHand", "rHand"),
            "thigh": ("lThighBend", "rThighBend"),
            "shin": ("lShin", "rShin"),
            "foot": ("lFoot", "rFoot"),
            "toe": ("lToe", "rToe"),
        }
    )
    bones = called(names)
    for side in "lr":
        cut(bones, f"{side}ThighBend", f"{side}ThighTwist", f"{side}Shin")
        cut(bones, f"{side}ShldrBend", f"{side}ShldrTwist", f"{side}ForearmBend")
    odd = ("lower", "left_over", "rib", "reload", "leaf")
    for place, bone in enumerate(odd):
        bones[bone] = ((0.03, 0.1, 1.1 + 0.05 * place), (0.03, 0.15, 1.1 + 0.05 * place), "chest")
    armature = rigs.build(bones)
    found = track(armature, [names.get(f"{bone}.{side}", "") for bone in ("foot", "toe") for side in "LR"])
    wanted = np.stack([plain[f"{bone}.{side}"] for bone in ("foot", "toe") for side in "LR"], axis=1)
    assert np.abs(found - wanted).max() < SAME
    roles = amble.rig.roles(armature)
    assert roles.legs[0].bones == ("lThighBend", "lThighTwist", "lShin", "lFoot", "lToe")
    assert roles.arms[0].bones == ("lShldrBend", "lShldrTwist", "lForearmBend", "lHand")
    assert set(roles.pairs) == {
        *((f"l{b}", f"r{b}") for b in ("ThighBend", "ThighTwist", "Shin", "Foot", "Toe")),
        *((f"l{b}", f"r{b}") for b in ("ShldrBend", "ShldrTwist", "ForearmBend", "Hand")),
        ("clavicle.L", "clavicle.R"),
    }
    assert [naming.side(bone) for bone in ("lower", "root", "rib", "reload", "leaf")] == [""] * 5


def cut(bones: Bones, upper: str, lower: str, after: str) -> None:
    """Cut a bone in two at 60 % of its length; `after` hangs on the second part."""
    head, tail, parent = bones[upper]
    x, y, z = (h + 0.6 * (t - h) for h, t in zip(head, tail, strict=True))
    bones[upper], bones[lower] = (head, (x, y, z), parent), ((x, y, z), tail, upper)
    bones[after] = (*bones[after][:2], lower)


def test_prefixed_names_stay_verbatim_and_walk_as_plain_ones_do() -> None:
    """mixamorig:LeftArm, which Blender's own flip of names does not pair, against the same bones with .L."""
    armature = rigs.load("json/mpfb_rig.mixamo.json")
    before = [bone.name for bone in armature.data.bones]
    roles = amble.rig.roles(armature)
    assert ("mixamorig:LeftArm", "mixamorig:RightArm") in roles.pairs
    sided = {b for b in before if b.startswith(("mixamorig:Left", "mixamorig:Right"))}
    assert sided <= {bone for pair in roles.pairs for bone in pair}
    found = track(armature, before)
    assert [bone.name for bone in armature.data.bones] == before

    other = rigs.load("json/mpfb_rig.mixamo.json")
    plainly = {bone: plainer(bone) for bone in before}
    for bone, name in plainly.items():
        other.data.bones[bone].name = name
    assert {b.name for b in other.data.bones} == set(plainly.values())
    assert np.abs(track(other, [plainly[bone] for bone in before]) - found).max() < SAME


def plainer(bone: str) -> str:
    """mixamorig:LeftUpLeg as upper_leg.L."""
    name = bone.removeprefix("mixamorig:")
    parts = {"UpLeg": "thigh", "Leg": "shin", "Foot": "foot", "ToeBase": "toe", "Arm": "upper_arm"}
    parts |= {"ForeArm": "forearm", "Hips": "pelvis"}
    for side in ("Left", "Right"):
        if name.startswith(side):
            name = name.removeprefix(side)
            return f"{parts.get(name, name)}.{side[0]}"
    return parts.get(name, name)


# ---- case 17: again, and names that Blender numbered ----


@pytest.mark.parametrize("numbered", [False, True])
def test_a_second_call_replaces_or_stands_beside_as_asked(numbered: bool) -> None:
    bones = tables.biped()
    if numbered:
        bones = called({"hand.L": "hand", "hand.R": "hand.001"})
    armature = rigs.build(bones)
    if numbered:
        assert ("hand", "hand.001") in amble.rig.roles(armature).pairs
    first = amble.gait(armature, report=False)
    written = contents(armature)
    again = amble.gait(armature, report=False, overwrite=True)
    assert again.action == first.action
    assert len(bpy.data.actions) == 1
    assert contents(armature) == written
    assert len(list(slots.find_curves(armature))) == len(written)
    beside = amble.gait(armature, report=False, speed=1.0)
    assert beside.action.name == "Walk.001"
    assert bpy.data.actions["Walk"] == first.action
    assert contents(armature) != written
    armature.animation_data.action = first.action
    if slots.HAS_SLOTS:
        armature.animation_data.action_slot = first.action.slots[0]
    assert contents(armature) == written


# ---- case 18: what cannot walk ----


def without_shins() -> Bones:
    bones = {bone: place for bone, place in tables.biped().items() if not bone.startswith("shin")}
    for side in "LR":
        bones[f"thigh.{side}"] = (bones[f"thigh.{side}"][0], bones[f"foot.{side}"][0], "pelvis")
        bones[f"foot.{side}"] = (*bones[f"foot.{side}"][:2], f"thigh.{side}")
    return bones


def left_leg_alone() -> Bones:
    gone = ("thigh.R", "shin.R", "foot.R", "toe.R")
    return {bone: place for bone, place in tables.biped().items() if bone not in gone}


REFUSED = {
    "no shins": (without_shins, MissingRole, ("thigh, shin and foot", "only thigh.L above the foot")),
    "one leg": (left_leg_alone, NoLegsFound, ("legs", '"thigh.L"')),
    "no bones": (dict, TooFewBones, ('"rig" has no bones',)),
    "a snake": (None, NoLegsFound, ("legs", '"root" to "tail_tip"')),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_missing_is_named_and_nothing_is_changed(case: str) -> None:
    make, kind, words = REFUSED[case]
    armature = rigs.load("glb/m2m_rig-snake.glb") if make is None else rigs.build(make())
    bpy.context.scene.frame_set(17)
    if armature.pose.bones:
        armature.pose.bones[0].location = (0.1, 0.2, 0.3)
        armature.pose.bones[-1].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    before = state(armature)
    with pytest.raises(kind) as raised:
        amble.gait(armature)
    assert isinstance(raised.value, AmbleError)
    for word in words:
        assert word in str(raised.value)
    assert state(armature) == before


def test_a_foot_in_one_piece_may_be_called_toe() -> None:
    bones = {bone: place for bone, place in tables.biped().items() if not bone.startswith("toe")}
    armature = rigs.build(tables.renamed(bones, lambda bone: bone.replace("foot", "toe")))
    result = amble.gait(armature, speed=1.4)
    assert result.roles.legs[0].bones == ("thigh.L", "shin.L", "toe.L")
    holds(result)


def test_a_toe_set_where_the_foot_should_be_is_named() -> None:
    armature = rigs.build({b: p for b, p in tables.biped().items() if not b.startswith("toe")})
    legs = [{"side": s, "bones": [f"{b}.{s}" for b in LIMBS[:3]], "toe": f"foot.{s}"} for s in "LR"]
    set_roles(armature, {"legs": legs})
    with pytest.raises(MissingRole, match=r'no foot before its toe "foot\.L": set toe'):
        amble.gait(armature)
    assert not bpy.data.actions


# ---- case 19: names at the limit ----


def test_names_that_were_cut_lose_no_side_and_no_letter(plain) -> None:
    """63 bytes of kanji: Blender cut the side off, and a number off the partner."""
    kanji = "山川田空雨雪風花鳥月星海森林石竹草虫魚貝米"
    assert len(kanji) == 21
    bones = tables.biped()
    armature = rigs.build(bones)
    names = {bone: bone for bone in bones}
    for part, letters in (("thigh", kanji), ("shin", kanji[::-1]), ("foot", kanji[1:] + "糸")):
        left, right = (armature.data.bones[f"{part}.{side}"] for side in "LR")
        left.name = f"{letters}.L"
        right.name = f"{letters}.R"
        names[f"{part}.L"], names[f"{part}.R"] = left.name, right.name
    assert names["thigh.L"] == kanji
    assert names["thigh.R"].endswith(".001")
    is_as_plain(armature, plain, names)
    pairs = amble.rig.roles(armature).pairs
    assert {(names[f"{bone}.L"], names[f"{bone}.R"]) for bone in LIMBS} <= set(pairs)


def test_names_of_actions_are_cut_between_letters_and_never_replace_another() -> None:
    armature = rigs.biped()
    asked = "Walk_" + "山川田空雨雪風花鳥月星海森林石竹草虫魚貝米糸"
    made = [amble.gait(armature, name=asked, report=False, speed=speed).action for speed in (1.0, 1.2, 1.4)]
    names = [action.name for action in made]
    assert len(set(names)) == len(bpy.data.actions) == 3
    for name in names:
        assert len(name.encode()) <= 63
        assert asked.startswith(name.removesuffix(".001").removesuffix(".002"))
    lengths = [tuple(action.frame_range) for action in made]
    assert len(set(lengths)) == 3  # each kept its own walk


# ---- case 21: a cat without names ----


def test_a_cat_whose_bones_have_no_names_walks() -> None:
    armature = rigs.load("blend/quaternius_Cat.blend")
    roles = amble.rig.roles(armature)
    assert roles.kind == "quadruped"
    assert np.allclose(armature.matrix_world.to_3x3() @ _vector(roles.facing), (1.0, 0.0, 0.0), atol=0.02)
    holds(amble.gait(armature))


def _vector(values: Iterable[float]) -> Any:
    from mathutils import Vector

    return Vector(tuple(values))


CAT_LEGS = {
    ("L", "IKFrontLeft"): ("Bone.017", "Bone.018", "Bone.019"),
    ("R", "IKFrontRight"): ("Bone.014", "Bone.015", "Bone.016"),
    ("L", "IKBackLeft"): ("Bone.008", "Bone.009", "Bone.010"),
    ("R", "IKBackRight"): ("Bone.011", "Bone.012", "Bone.013"),
}


def test_a_cat_whose_roles_are_given_walks_on_its_targets() -> None:
    armature = rigs.load("blend/quaternius_Cat.blend")
    set_roles(armature, {"legs": [{"side": s, "bones": list(b)} for (s, _), b in CAT_LEGS.items()]})
    result = amble.gait(armature)
    holds(result)
    way = path(armature, result.frames, ["Bone"])[:, 0, 0]
    assert way[1, 0] - way[0, 0] > 0.1
    assert abs(way[1, 1] - way[0, 1]) < 1e-3
    assert {target for _, target in CAT_LEGS} <= keyed(armature).keys()


# ---- case 22: rigs whose sides have unlike axes ----


@pytest.mark.parametrize("key", ["glb/m2m_rig-human.glb", "json/mpfb_rig.game_engine.json"])
def test_the_two_sides_walk_as_mirror_images_whatever_their_axes(key: str) -> None:
    """One side half a stride later is the other reflected."""
    armature = rigs.load(key)
    result = amble.gait(armature, speed=1.3, cycle=1.0, frames=(1, 25), fps=24.0, root_motion="none")
    roles = result.roles
    sided = {b.name for b in armature.data.bones if b.name.endswith(("_l", "_r"))}
    paired = {bone for pair in roles.pairs for bone in pair}
    assert sided <= paired
    assert all(left[:-2] == right[:-2] for left, right in roles.pairs)
    sides: dict[str, list[str]] = {"L": [], "R": []}
    for limb in (*roles.legs, *roles.arms):
        sides[limb.side] += limb.bones
    frames = np.arange(1, 25)
    left, right = (path(armature, frames, sides[side]) for side in "LR")
    at_rest = [ends(armature, sides[side]) for side in "LR"]
    mirror = np.array([-1.0, 1.0, 1.0])
    uneven = float(np.abs(at_rest[0] - at_rest[1] * mirror).max())
    later = np.roll(right, -12, axis=0)
    assert np.abs(later * mirror - left).max() < SAME + uneven
    assert len(plants(armature, result)) == 2


def ends(armature: Any, bones: Iterable[str]) -> np.ndarray:
    """World heads and tails in the rest pose, (bones, 2, 3)."""
    world = armature.matrix_world
    shown = [armature.data.bones[bone] for bone in bones]
    return np.array([[world @ bone.head_local, world @ bone.tail_local] for bone in shown])
