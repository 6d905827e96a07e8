"""Cases from practice about legs: flags, locks, drivers, control rigs, root motion, cut bones, knees.

The numbers in the tests' docstrings count the cases.
"""

from __future__ import annotations

from typing import Any

import amble
import bpy
import numpy as np
import pytest
from mathutils import Matrix
from tests.blender import control_rigs, rigs
from tests.blender.action_tools import contents
from tests.blender.control_rigs import editing, keyed
from tests.rig import tables

TENTH = 1e-4  # metres


def shown(armature: Any, frame: float) -> Any:
    """The evaluated pose bones at a frame."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
    return armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones


def heads(armature: Any, frames: Any, names: tuple[str, ...]) -> np.ndarray:
    """World places of bones' heads, (frames, bones, 3)."""
    return np.array(
        [[armature.matrix_world @ shown(armature, f)[name].head for name in names] for f in frames]
    )


def flat_frames(result: Any, side: str, count: int = 5) -> np.ndarray:
    """Frames at which the sole of a foot is claimed flat on the ground."""
    contact = next(c for c in result.contacts if result.roles.legs[c.leg].side == side)
    return np.linspace(contact.flat + 0.02, min(contact.heel_off, result.frames[1]) - 0.02, count)


def good(result: Any) -> Any:
    """The result, after a look at its report."""
    report = result.report
    assert report.slide_mm <= 1.0, report.table()
    assert report.penetration_mm <= 1.0, report.table()
    assert report.over_reach <= 0.999, report.table()
    return result


def test_bones_that_inherit_no_rotation_or_scale_stand_all_the_same() -> None:
    """58: world result as Blender evaluates it, planted feet within 0.1 mm of the plain rig's."""
    plain = rigs.biped()
    frames = np.arange(1, 26)
    names = ("foot.L", "toe.L", "foot.R", "toe.R", "head")
    good(amble.gait(plain))
    path = heads(plain, frames, names)
    armature = rigs.biped()
    for name in ("head", "foot.L", "foot.R"):
        armature.data.bones[name].use_inherit_rotation = False
    for name in ("hand.L", "hand.R"):
        armature.data.bones[name].inherit_scale = "NONE"
    good(amble.gait(armature))
    assert np.abs(heads(armature, frames, names) - path).max() < TENTH


def test_a_connected_bone_gets_no_location_and_its_leftover_one_does_no_harm() -> None:
    """59."""
    armature = rigs.biped()
    with editing(armature) as bones:
        for side in "LR":
            bones[f"thigh.{side}"].tail = bones[f"shin.{side}"].head
            bones[f"shin.{side}"].use_connect = True
    shin = armature.pose.bones["shin.L"]
    for frame in (1, 10):
        shin.location = (1, 2, 3)
        shin.keyframe_insert("location", frame=frame)
    good(amble.gait(armature))
    assert keyed(armature)["shin.L"] == {"rotation_quaternion"}
    assert tuple(shin.location) == (1, 2, 3)


def test_locked_channels_get_no_keys_and_what_is_lost_is_told() -> None:
    """61: shins that turn about one axis, a pelvis that must not move: the root moves the body."""
    armature = rigs.biped()
    for side in "LR":
        armature.pose.bones[f"shin.{side}"].lock_rotation = (False, True, True)
    armature.pose.bones["pelvis"].lock_location = (True, True, True)
    result = amble.gait(armature)
    found = keyed(armature)
    assert "location" not in found.get("pelvis", set())
    assert "location" in found["root"]
    assert any('"pelvis" is connected or locked: "root" carries the body' in note for note in result.notes)
    for side in "LR":
        assert any(f"shin.{side}: rotation Y, Z, which is locked" in note for note in result.notes)
        pose = shown(armature, 13.0)[f"shin.{side}"]
        assert np.abs(np.array(pose.matrix_basis.to_quaternion())[2:]).max() < 1e-6
    # The knee's own hinge lies across: what the locks take away is little.
    assert result.report.slide_mm < 1.0


def test_driven_channels_are_not_keyed_and_their_drivers_go_on() -> None:
    """62."""
    armature = rigs.biped()
    shin = armature.pose.bones["shin.L"]
    shin.rotation_mode = "XYZ"
    curve = shin.driver_add("rotation_euler", 0)
    curve.driver.expression = "0.5"
    armature.pose.bones["hand.L"]["grip"] = 0.0
    grip = armature.pose.bones["hand.L"].driver_add('["grip"]')
    grip.driver.expression = "0.75"
    result = amble.gait(armature)
    assert any("shin.L: rotation X, which is driven" in note for note in result.notes)
    driven = 'pose.bones["shin.L"].rotation_euler'
    assert [axis for path, axis in sorted(contents(armature)) if path == driven] == [1, 2]
    assert {(d.data_path, d.array_index) for d in armature.animation_data.drivers} == {
        (driven, 0),
        ('pose.bones["hand.L"]["grip"]', 0),
    }
    bones = shown(armature, 9.0)
    assert bones["shin.L"].rotation_euler[0] == pytest.approx(0.5)
    assert bones["hand.L"]["grip"] == pytest.approx(0.75)


@pytest.mark.slow
@pytest.mark.parametrize("switch", [0.0, 1.0])
def test_a_generated_rigify_human_is_moved_by_its_controls_alone(switch: float) -> None:
    """63 and 64: no curve on the machinery, deform bones follow, the switch is honoured."""
    armature = rigs.load("rigify:human:generated")
    for bone in ("thigh_parent", "upper_arm_parent"):
        for side in "LR":
            armature.pose.bones[f"{bone}.{side}"]["IK_FK"] = switch
    result = good(amble.gait(armature))
    names = keyed(armature).keys()
    assert not [name for name in names if name.startswith(("DEF-", "MCH-", "ORG-"))]
    used, idle = ("foot_ik.L", "thigh_fk.L") if switch == 0.0 else ("thigh_fk.L", "foot_ik.L")
    assert names & {used, idle} == {used}
    assert any(used in note for note in result.notes)
    for side in "LR":
        places = heads(armature, flat_frames(result, side), (f"DEF-foot.{side}",))
        assert np.ptp(places, axis=0).max() < 1e-3
    # No key shows nothing: whichever of the bones keyed is moved, deform bones go along.
    deforming = [bone.name for bone in armature.data.bones if bone.use_deform]
    for name in names:
        before = np.array([bone.matrix for bone in (shown(armature, 7.0)[deform] for deform in deforming)])
        bone = armature.pose.bones[name]
        bone.rotation_quaternion = Matrix.Rotation(0.2, 3, "X").to_quaternion() @ bone.rotation_quaternion
        armature.update_tag(refresh={"DATA"})
        pose = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        after = np.array([pose[deform].matrix for deform in deforming])
        assert np.abs(after - before).max() > 0.01, name


@pytest.mark.parametrize("motion", ["root", "object"])
def test_net_travel_is_speed_times_time(motion: str) -> None:
    """65 a and c."""
    armature = rigs.biped()
    result = good(amble.gait(armature, speed=1.4, root_motion="auto" if motion == "root" else "object"))
    start, end = result.frames
    way = heads(armature, (start, end), ("pelvis",))[:, 0]
    assert np.abs(way[1] - way[0] - (0, -1.4 * (end - start) / 24.0, 0)).max() < 1e-3


def test_without_a_root_it_is_told_where_the_motion_went() -> None:
    """65 b."""
    armature = rigs.load("glb/gdquest_mannequiny-0.3.0.glb")
    result = amble.gait(armature, speed=1.4)
    start, end = result.frames
    way = heads(armature, (start, end), ("pelvis",))[:, 0]
    assert np.linalg.norm(way[1] - way[0]) == pytest.approx(1.4 * (end - start) / 24.0, abs=1e-3)
    assert any('"pelvis" carries the motion' in note for note in result.notes)


def cut_biped(*, beside: bool = False) -> Any:
    """The biped with thighs and forearms cut in two, 60 and 40 %, or (beside) with twist bones under them."""
    bones: dict[str, Any] = {}
    for name, (head, tail, parent) in tables.biped().items():
        side = name[-1].lower()
        if name.split(".")[0] not in ("thigh", "forearm"):
            bones[name] = (head, tail, parent)
            continue
        upper, lower = (
            (f"{side}ThighBend", f"{side}ThighTwist")
            if name.startswith("thigh")
            else (f"{side}ForearmBend", f"{side}ForearmTwist")
        )
        middle = tuple(0.4 * a + 0.6 * b for a, b in zip(head, tail, strict=True))
        if beside:
            bones[name] = (head, tail, parent)
            bones[f"{name.split('.')[0]}_twist.{name[-1]}"] = (middle, tail, name)
        else:
            bones[upper] = (head, middle, parent)
            bones[lower] = (middle, tail, upper)
    renamed = {
        f"{part}.{side}": f"{side.lower()}{new}Twist"
        for part, new in (("thigh", "Thigh"), ("forearm", "Forearm"))
        for side in "LR"
    }
    if not beside:
        bones = {n: (h, t, renamed.get(p, p) if p else p) for n, (h, t, p) in bones.items()}
    return rigs.build(bones)


@pytest.mark.parametrize("beside", [False, True])
def test_a_cut_thigh_stays_straight_and_the_ankle_reaches_its_place(beside: bool) -> None:
    """66."""
    frames = np.arange(1, 26)
    plain = rigs.biped()
    good(amble.gait(plain))
    path = heads(plain, frames, ("foot.L", "foot.R", "shin.L", "hand.L"))
    armature = cut_biped(beside=beside)
    good(amble.gait(armature))
    assert np.abs(heads(armature, frames, ("foot.L", "foot.R", "shin.L", "hand.L")) - path).max() < TENTH
    pairs = (
        (("thigh.L", "thigh_twist.L"), ("forearm.R", "forearm_twist.R"))
        if beside
        else (("lThighBend", "lThighTwist"), ("rForearmBend", "rForearmTwist"))
    )
    for frame in frames[::4]:
        bones = shown(armature, frame)
        for upper, lower in pairs:
            a, b = (np.array(bones[name].matrix)[:3, 1] for name in (upper, lower))
            assert np.degrees(np.arccos(np.clip(a @ b, -1.0, 1.0))) < 0.1


def knee_heading(bones: Any, side: str) -> float:
    """Degrees that the plane of a leg is turned outward from straight ahead: of its level line."""
    hip, knee, ankle = (np.array(bones[f"{name}.{side}"].head) for name in ("thigh", "shin", "foot"))
    level = np.cross(np.cross(knee - hip, ankle - hip), (0.0, 0.0, 1.0))
    level *= np.sign(level @ (knee - 0.5 * (hip + ankle)))
    return float(np.degrees(np.arctan2(level[0] * (1 if side == "L" else -1), -level[1])))


def test_the_knee_follows_foot_and_facing_and_not_the_pelvis() -> None:
    """68: with the pelvis's turn blown up knees stay ahead; with feet toed out they turn half as far."""
    armature = rigs.biped()
    result = amble.gait(armature, pelvis_turn=3.0, root_motion="none")
    yaw = []
    for frame in np.arange(result.frames[0], result.frames[1]):
        bones = shown(armature, frame)
        turned = bones["pelvis"].matrix @ armature.data.bones["pelvis"].matrix_local.inverted()
        yaw.append(np.degrees(turned.to_euler("ZYX").z))
        for side in "LR":
            assert abs(knee_heading(bones, side)) < 3.0
    assert max(yaw) > 6.0
    assert min(yaw) < -6.0
    toed = rigs.biped()
    with editing(toed) as bones:
        for side, sign in (("L", 1.0), ("R", -1.0)):
            ankle = bones[f"foot.{side}"].head.copy()
            turn = Matrix.Rotation(np.radians(25.0 * sign), 4, "Z")
            for name in (f"foot.{side}", f"toe.{side}"):
                for end in ("head", "tail"):
                    setattr(bones[name], end, ankle + turn @ (getattr(bones[name], end) - ankle))
    result = amble.gait(toed, pelvis_turn=0.0, root_motion="none")
    for frame in np.arange(result.frames[0], result.frames[1], 2):
        bones = shown(toed, frame)
        for side in "LR":
            assert knee_heading(bones, side) == pytest.approx(12.5, abs=3.0)


def test_the_first_step_is_like_the_others_whatever_is_shown() -> None:
    """73: current frame 37, a large pose there, an unapplied object scale of 1.2."""
    armature = rigs.biped()
    armature.scale = (1.2, 1.2, 1.2)
    bpy.context.scene.frame_set(37)
    for name in ("root", "pelvis", "thigh.L", "hand.R"):
        armature.pose.bones[name].location = (0.4, 0.3, -0.5)
        armature.pose.bones[name].rotation_quaternion = (0.7, 0.3, 0.5, 0.1)
    bpy.context.view_layer.update()
    result = good(amble.gait(armature, frames=(1, 49)))
    frames = np.arange(result.frames[0], result.frames[1] + 1)
    root = heads(armature, frames, ("root", "pelvis"))
    steps = np.linalg.norm(np.diff(root[:, 0], axis=0), axis=1)
    assert np.abs(steps / steps.mean() - 1.0).max() < 0.01
    assert tuple(armature.scale) == pytest.approx((1.2, 1.2, 1.2))
    cycle = result.figures["cycle"] * 24.0
    above = heads(armature, (1.0, 1.0 + cycle), ("root", "pelvis"))
    assert np.abs(np.diff(np.diff(above, axis=1), axis=0)).max() < TENTH
    plain = control_rigs.build()
    plain.scale = (1.2, 1.2, 1.2)
    bpy.context.view_layer.update()
    amble.gait(plain, frames=(1, 49))
    again = heads(plain, frames, ("root", "pelvis"))
    assert np.abs(again - root).max() < TENTH
