"""Roles set by hand on real objects: where they are kept, what survives, who honours them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from amble import AmbleError, gait
from amble.errors import BadFile, BadSetting, NotAnArmature
from amble.report.sampling import sample
from amble.rig import Roles, clear_roles, load_roles, roles, save_roles, set_roles
from tests.blender import rigs
from tests.rig import tables

HEAD = {"head": "neck", "neck": []}


def reopened(folder: Path) -> None:
    path = str(folder / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)


def scene() -> Any:
    return bpy.context.scene


def library(folder: Path, stored: dict[str, Any] | None) -> None:
    """A file with a biped in a collection, its roles set or not; afterwards an empty session."""
    rig = rigs.biped()
    collection = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig)
    if stored is not None:
        set_roles(rig, stored)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)


def overridden(folder: Path) -> Any:
    """The library's biped as an override in this file."""
    libraries: Any = bpy.data.libraries
    with libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.collections = ["Character"]
    bpy.data.collections["Character"].override_hierarchy_create(scene(), scene().view_layers[0])
    return override()


def override() -> Any:
    return next(o for o in bpy.data.objects if o.type == "ARMATURE" and o.override_library is not None)


def is_by_hand(found: Roles) -> bool:
    return found.head == "neck" and found.why["head"] == "set by hand" and found.sure["head"] == 1.0


# ---- kept with the object ----


def test_roles_are_kept_through_saving_copying_and_renaming(tmp_path):
    rig = rigs.biped()
    before = (
        bpy.context.mode,
        bpy.context.view_layer.objects.active,
        [b.matrix_local.copy() for b in rig.data.bones],
    )
    assert is_by_hand(set_roles(rig, HEAD))
    assert (
        bpy.context.mode,
        bpy.context.view_layer.objects.active,
        [b.matrix_local for b in rig.data.bones],
    ) == before
    copy = rig.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.name = "copy"
    rig.name = "hero"
    reopened(tmp_path)
    assert is_by_hand(roles(bpy.data.objects["hero"]))
    assert is_by_hand(roles(bpy.data.objects["copy"]))
    assert json.loads(bpy.data.objects["hero"]["amble_roles"]) == HEAD


def test_roles_are_the_object_s_not_the_armature_data_s():
    rig = rigs.biped()
    other = bpy.data.objects.new("other", rig.data)
    bpy.context.scene.collection.objects.link(other)
    set_roles(rig, HEAD)
    assert is_by_hand(roles(rig))
    assert roles(other).head == "head"
    assert "amble_roles" not in rig.data


def test_roles_are_added_taken_back_and_cleared_one_by_one():
    rig = rigs.biped()
    plain = roles(rig)
    set_roles(rig, HEAD)
    set_roles(rig, {"ground": 0.5})
    assert (roles(rig).head, roles(rig).ground) == ("neck", 0.5)
    set_roles(rig, {"head": None, "neck": None})
    assert (roles(rig).head, roles(rig).ground) == ("head", 0.5)
    clear_roles(rig)
    assert roles(rig) == plain
    assert "amble_roles" not in rig


def test_roles_given_with_a_call_stand_in_place_of_those_kept():
    rig = rigs.biped()
    set_roles(rig, HEAD)
    assert roles(rig, {}).head == "head"
    assert roles(rig, {"ground": 1.0}).ground == 1.0
    assert is_by_hand(roles(rig))


def test_what_does_not_fit_changes_nothing():
    rig = rigs.biped()
    set_roles(rig, HEAD)
    for wrong in ({"pelvis": "hip"}, {"hips": "pelvis"}, {"tail": ["neck"]}, {"facing": "z"}):
        with pytest.raises(BadSetting):
            set_roles(rig, wrong)
        assert json.loads(rig["amble_roles"]) == HEAD
    with pytest.raises(NotAnArmature):
        set_roles(bpy.data.objects.new("empty", None), HEAD)


@pytest.mark.parametrize("stored", ["{", "[]", '{"hips": "pelvis"}', '{"head": 1}', 3, "[" * 100000])
def test_a_property_that_was_spoiled_is_named_with_the_way_out(stored):
    rig = rigs.biped()
    rig["amble_roles"] = stored
    with pytest.raises(BadSetting, match=r'amble_roles of "biped" cannot be read.*clear_roles'):
        roles(rig)
    with pytest.raises(AmbleError):
        gait(rig)
    clear_roles(rig)
    assert roles(rig).head == "head"


# ---- linked and overridden ----


def test_roles_come_along_with_a_linked_rig_and_its_override(tmp_path):
    library(tmp_path, HEAD)
    assert is_by_hand(roles(overridden(tmp_path)))
    linked = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o.library is not None)
    assert is_by_hand(roles(linked))
    reopened(tmp_path)
    assert is_by_hand(roles(override()))


@pytest.mark.parametrize("stored", [None, {"ground": 0.5}])
def test_roles_set_on_an_override_survive_and_leave_the_library_alone(tmp_path, stored):
    library(tmp_path, stored)
    assert is_by_hand(set_roles(overridden(tmp_path), HEAD))
    reopened(tmp_path)
    rig = override()
    rig.name = "renamed"
    assert is_by_hand(roles(rig))
    assert roles(rig).ground == (stored or {"ground": 0.0})["ground"]
    set_roles(rig, {"pelvis": "spine"})
    reopened(tmp_path)
    assert (roles(override()).head, roles(override()).pelvis) == ("neck", "spine")
    clear_roles(override())
    reopened(tmp_path)
    assert roles(override()).head == "head"
    assert roles(override()).ground == 0.0  # also where the library says otherwise
    linked = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o.library is not None)
    assert roles(linked).ground == (stored or {"ground": 0.0})["ground"]


def test_roles_of_two_overrides_in_one_scene_are_kept_apart(tmp_path):
    library(tmp_path, None)
    first = overridden(tmp_path)
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    set_roles(first, HEAD)
    set_roles(second, {"ground": 2.0})
    assert (roles(first).head, roles(first).ground) == ("neck", 0.0)
    assert (roles(second).head, roles(second).ground) == ("head", 2.0)
    bpy.data.objects.remove(second)
    assert is_by_hand(roles(first))
    clear_roles(first)
    assert "amble_roles" not in scene()


# ---- honoured ----


def paths(rig: Any, bones: list[str]) -> np.ndarray:
    action = rig.animation_data.action
    first, last = action.frame_range
    return sample(rig, np.arange(first, last + 1.0), bones)[:, :, :3, 3]


def test_a_walk_by_roles_set_by_hand_is_that_of_a_rig_with_plain_names(tmp_path):
    limbs = ["thigh", "shin", "foot", "toe"]
    arms = ["upper_arm", "forearm", "hand"]
    rig = rigs.biped()
    gait(rig, speed=1.2)
    wanted = paths(rig, [f"{part}.{side}" for part in (*limbs, *arms) for side in "LR"])

    rigs.clear()
    strange = {
        "chest": 'x"]["y',
        "pelvis": "骨",
        "thigh.L": "🌍",
        "thigh.R": "🌎",
        "shin.L": 'a"b',
        "shin.R": "a\\b",
    }
    strange |= {"foot.L": "Bone", "foot.R": "Bone.001", "toe.L": "x.R", "toe.R": "x.L"}
    bones = tables.renamed(tables.biped(), lambda bone: strange.get(bone, bone))
    rig = rigs.build(bones, "strange")

    def named(part: str, side: str) -> str:
        return strange.get(f"{part}.{side}", f"{part}.{side}")

    set_roles(
        rig,
        {
            "legs": [{"side": s, "bones": [named(part, s) for part in limbs]} for s in "LR"],
            "arms": [{"side": s, "bones": [named(part, s) for part in arms]} for s in "LR"],
            "spine": ["spine", 'x"]["y'],
            "pelvis": "骨",
        },
    )
    result = gait(rig, speed=1.2)
    assert result.roles.pelvis == "骨"
    assert {limb.why for limb in result.roles.legs} == {"set by hand"}
    order = [named(part, side) for part in (*limbs, *arms) for side in "LR"]
    np.testing.assert_allclose(paths(rig, order), wanted, atol=1e-4)
    reopened(tmp_path)
    np.testing.assert_allclose(paths(bpy.data.objects["strange"], order), wanted, atol=1e-4)


def test_a_walk_goes_where_facing_was_set():
    rig = rigs.biped()
    set_roles(rig, {"facing": [0.5, -np.sqrt(0.75), 0.0]})
    gait(rig, speed=1.0)
    track = paths(rig, ["root"])[:, 0]
    way = track[-1] - track[0]
    np.testing.assert_allclose(way / np.linalg.norm(way), [0.5, -np.sqrt(0.75), 0.0], atol=1e-5)


# ---- carried over ----


def test_roles_of_one_rig_fit_all_of_its_family(tmp_path):
    path = tmp_path / "family.toml"
    rig = rigs.biped()
    length = set_roles(rig, {"pelvis": "spine", "root": "pelvis", "spine": ["chest"]}).leg_length
    save_roles(rig, path)
    rigs.clear()
    child = rigs.biped(0.5)
    found = set_roles(child, load_roles(path))
    assert (found.root, found.pelvis, found.spine) == ("pelvis", "spine", ("chest",))
    # Lengths and places are the child's own.
    assert found.leg_length == pytest.approx(0.5 * length, rel=1e-6)
    assert found.legs[0].contact_point[0] == pytest.approx(0.05)
    assert gait(child, speed=0.8).roles.pelvis == "spine"


def test_a_rig_that_lacks_bones_of_the_family_is_told_which(tmp_path):
    save_roles(rigs.biped(), tmp_path / "family.toml")
    rigs.clear()
    stranger = rigs.quadruped()
    with pytest.raises(BadSetting, match=r'none of the bones "foot.L", "toe.L", .*named for leg 1 \(left\)'):
        set_roles(stranger, load_roles(tmp_path / "family.toml"))
    assert "amble_roles" not in stranger


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(BadFile, match="cannot be written"):
        save_roles(rigs.biped(), tmp_path / "none" / "roles.toml")


with_rigs = pytest.mark.parametrize("key", [k for k in rigs.truth() if not k.endswith(":generated")])


@with_rigs
def test_a_saved_file_gives_back_the_same_roles(key, tmp_path):
    rig = rigs.load(key)
    found = roles(rig)
    save_roles(rig, tmp_path / "roles.toml")
    again = roles(rig, load_roles(tmp_path / "roles.toml"))
    for role in (
        "kind",
        "root",
        "spine",
        "neck",
        "head",
        "tail",
        "pairs",
        "facing",
        "up",
        "leg_length",
        "ground",
    ):
        assert getattr(again, role) == getattr(found, role), role
    for what in ("legs", "arms"):
        for one, other in zip(getattr(found, what), getattr(again, what), strict=True):
            for part in (
                "side",
                "pair",
                "bones",
                "contact",
                "contact_end",
                "toe",
                "girdle",
                "length",
                "contact_point",
            ):
                assert getattr(other, part) == getattr(one, part), (what, part)


# ---- refusals of rigs from practice ----


def test_a_snake_is_refused_with_what_to_set():
    rig = rigs.load("glb/m2m_rig-snake.glb")
    actions = len(bpy.data.actions)
    with pytest.raises(AmbleError) as raised:
        gait(rig)
    assert len(bpy.data.actions) == actions
    assert '"root" to "tail_tip" (no other chain mirrors it). Set legs' in str(raised.value)


def test_a_doll_on_stiff_legs_walks_straight_on_and_is_refused_what_takes_knees():
    rig = rigs.load("glb/raylib_greenman.glb")
    for what, words in (
        ({"turn": 30.0, "frames": (1, 40)}, "A walk that turns"),
        ({"contact": "orbit"}, "A gait on orbits"),
    ):
        with pytest.raises(
            AmbleError, match=rf'^{words}.* needs legs with knees, and "leg_L" is all of its leg'
        ):
            gait(rig, **what)
    with pytest.raises(BadSetting, match=r"^Gait is 1: legs without shins walk"):
        gait(rig, gait="run")
    result = gait(rig)
    assert result.notes[0].startswith('The legs have no knees ("leg_L", "leg_R")')
    # By hand: the hips are wide enough to turn the whole step, so that both soles lie flat and still.
    assert result.figures["heel_lift"] == result.figures["duty"] == 0.5
    assert result.report.slide_mm < 0.1
    assert result.report.float_mm < 0.1


def test_one_stiff_leg_beside_one_with_a_knee_is_refused_with_what_to_set():
    rig = rigs.load("glb/m2m_rig-human.glb")
    left, right = roles(rig).legs
    set_roles(
        rig,
        {"legs": [{"side": "L", "bones": list(left.bones[:1])}, {"side": "R", "bones": list(right.bones)}]},
    )
    with pytest.raises(
        AmbleError, match=r'^No shin was found: ".*" is all of the left leg.* only a pair walks'
    ):
        gait(rig)
