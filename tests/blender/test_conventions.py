"""Rigs of other makers, built as they come: recognised, paired, and walking without set-up."""

from __future__ import annotations

import math
from typing import Any

import amble
import bpy
import pytest
from tests.blender import auto_rig, control_rigs, rigs
from tests.blender.control_rigs import keyed
from tests.rig.conventions import CONVENTIONS, Convention

every = pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS.keys())


@pytest.fixture(autouse=True)
def empty_blender() -> None:
    rigs.clear()


def good(result: Any) -> Any:
    report = result.report
    assert report.slide_mm <= 1.0, report.table()
    assert report.penetration_mm <= 1.0, report.table()
    assert report.over_reach <= 0.999, report.table()
    assert report.seam_position <= 1e-5, report.table()
    assert report.seam_angle_deg <= 0.01, report.table()
    assert report.seam_slope <= 0.01, report.table()
    return result


@every
def test_the_body_is_recognised(convention: Convention) -> None:
    roles = amble.rig.roles(rigs.build(convention.table()))
    sides = dict(zip("LR", convention.sides, strict=True))
    assert roles.kind == "biped"
    assert roles.facing == (0.0, -1.0, 0.0)
    assert (roles.pelvis, roles.root, roles.head) == (convention.pelvis, convention.root, convention.head)
    assert roles.spine == convention.spine
    assert [limb.side for limb in (*roles.legs, *roles.arms)] == ["L", "R", "L", "R"]
    for leg in roles.legs:
        chain = tuple(bone.replace("§", sides[leg.side]) for bone in convention.leg)
        assert leg.bones[: len(chain)] == chain
        # Bones that mark the end may follow.
        assert all(bone.endswith(("Nub", "_End")) for bone in leg.bones[len(chain) :])
        assert leg.toe == convention.toe.replace("§", sides[leg.side])
    for arm in roles.arms:
        assert arm.bones == tuple(bone.replace("§", sides[arm.side]) for bone in convention.arm)
    pairs = {
        tuple(line.split("|")[0].strip().replace("§", side) for side in convention.sides)
        for line in convention.bones.splitlines()
        if "§" in line
    }
    assert pairs <= set(roles.pairs)
    paired = {bone for pair in pairs for bone in pair}
    assert not [pair for pair in set(roles.pairs) - pairs if paired & set(pair)]


@every
@pytest.mark.parametrize("root_motion", ["auto", "none"])
def test_it_walks_by_default(convention: Convention, root_motion: str) -> None:
    armature = rigs.build(convention.table())
    result = good(amble.gait(armature, root_motion=root_motion))
    roles = result.roles
    body = {roles.root, roles.pelvis, roles.head, *roles.spine, *roles.neck}
    for limb in (*roles.legs, *roles.arms):
        # What a limb hangs on is held at rest.
        body |= {*limb.bones, *(above.name for above in armature.data.bones[limb.bones[0]].parent_recursive)}
    assert keyed(armature).keys() <= body
    if root_motion == "auto":
        assert abs(result.report.speed_error) < 1e-3


@pytest.mark.parametrize("hinged", [False, True])
def test_mmd_rigs_walk_on_the_targets_of_their_feet(hinged: bool) -> None:
    """As MMD Tools sets them up: the leg's inverse kinematics has no pole, the foot's own one points it at a
    target that the leg's carries, and what skin hangs on follows the leg."""
    armature = rigs.build(CONVENTIONS["mmd"].table())
    for side in "左右":
        control_rigs.constrain(armature, f"{side}ひざ", "IK", f"{side}足ＩＫ", chain_count=2)
        control_rigs.constrain(armature, f"{side}足首", "IK", f"{side}つま先ＩＫ", chain_count=1)
        for bone in ("足", "ひざ", "足首"):
            copy = control_rigs.constrain(armature, f"{side}{bone}D", "COPY_ROTATION", f"{side}{bone}")
            copy.owner_space = copy.target_space = "LOCAL"
        knee = armature.pose.bones[f"{side}ひざ"]
        knee.lock_ik_y = knee.lock_ik_z = knee.use_ik_limit_x = hinged
        knee.ik_min_x, knee.ik_max_x = 0.0, math.pi
    bpy.context.view_layer.update()
    good(amble.gait(armature))
    found = keyed(armature)
    for side in "左右":
        assert found[f"{side}足IK親"] == {"location", "rotation_quaternion"}
        assert f"{side}つま先ＩＫ" not in found
        assert not [bone for bone in found if bone.endswith("D")]
        assert {f"{side}腕", f"{side}ひじ"} <= found.keys()


@pytest.mark.parametrize("limbs", ["as set", "ik", "fk"])
def test_auto_rig_pro_rigs_walk_on_their_controls(limbs: str) -> None:
    armature = auto_rig.build()
    roles = amble.rig.roles(armature)
    assert (roles.pelvis, roles.root, roles.spine) == (
        auto_rig.RIG.pelvis,
        auto_rig.RIG.root,
        auto_rig.RIG.spine,
    )
    assert roles.legs[0].bones == tuple(bone.replace("§", ".l") for bone in auto_rig.RIG.leg)
    good(amble.gait(armature, limbs=limbs))
    forward = ("c_thigh_fk", "c_leg_fk", "c_foot_fk", "c_toes_fk")
    legs = forward if limbs == "fk" else ("c_foot_ik", "c_leg_pole", "c_toes_ik")
    wanted = {f"{bone}{side}" for bone in (*legs, "c_arm_fk", "c_forearm_fk") for side in (".l", ".r")}
    wanted |= {"c_pos", "c_root_master.x", "c_spine_01.x", "c_spine_02.x", "c_neck.x", "c_head.x"}
    switches = {"c_foot_ik.l", "c_foot_ik.r"} if limbs != "as set" else set()
    found = keyed(armature)
    assert found.keys() == wanted | switches
    assert all("ik_fk_switch" in found[bone] for bone in switches)
