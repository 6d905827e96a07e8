"""What an idle holds: contacts with meshes and with the body itself, found by distance (I6)."""

import amble
import bpy
import numpy as np
from tests.blender import idles, rigs


def box(name, place, size):
    """A box of that size about a place."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=size)
    bpy.context.object.name = name
    return bpy.context.object


def test_I6_hands_on_a_wall_are_found_and_held():
    rig = idles.crouched()
    for side, sign in (("L", 1), ("R", -1)):
        idles.turn(rig, f"upper_arm.{side}", (0, 0, 1), -60 * sign)
        idles.turn(rig, f"forearm.{side}", (0, 0, 1), -50 * sign)
    bpy.context.view_layer.update()
    hand = idles.world_heads(rig, ["hand.L"])[0]
    assert [pin.name for pin in amble.idle(rig, cycles=1).pins] == ["foot.L", "foot.R"]
    rig.animation_data.action = None
    tip = np.array(rig.matrix_world @ rig.pose.bones["hand.L"].tail)
    box("Wall", (hand[0], min(tip[1], hand[1]) - 0.055, hand[2]), (0.4, 0.1, 0.4))
    bpy.context.view_layer.update()
    result = amble.idle(rig, cycles=2)
    assert "hand.L" in [pin.name for pin in result.pins]
    assert any('touches "Wall"' in note for note in result.notes)
    assert idles.drift(idles.tracks(rig, result, ["hand.L", "foot.L", "foot.R"])) < 1e-4


def test_I6_a_hand_on_the_knee_goes_along_with_it():
    """On skin of the shin, over the knee; the hand brought there joint by joint."""
    from mathutils import Vector

    rig = rigs.biped()
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.07, location=(0.1, -0.02, 0.5))
    skin = bpy.context.object
    bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
    skin.vertex_groups.new(name="shin.L").add(range(len(skin.data.vertices)), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    idles.crouch(rig)
    idles.turn(rig, "spine", (1, 0, 0), 55)
    for _ in range(60):
        for name in ("forearm.L", "upper_arm.L"):
            bpy.context.view_layer.update()
            pose = rig.pose.bones[name]
            goal = rig.pose.bones["shin.L"].head + Vector((0.0, -0.05, 0.06))
            turn = (rig.pose.bones["hand.L"].head - pose.head).rotation_difference(goal - pose.head)
            axis = pose.bone.matrix_local.to_3x3() @ (pose.matrix.to_3x3().inverted() @ turn.axis)
            idles.turn(rig, name, axis, np.degrees(turn.angle))
    bpy.context.view_layer.update()
    result = amble.idle(rig, cycles=2, condition="tired")
    held = {pin.name: pin for pin in result.pins}
    assert held["hand.L"].on == "shin.L"
    both = idles.tracks(rig, result, ["shin.L", "hand.L"])
    seen = np.linalg.inv(both[:, 0]) @ both[:, 1]
    assert np.abs(seen[:, :3, 3] - seen[:1, :3, 3]).max() < 1e-4
    assert idles.drift(both[:, :1]) > 1e-3


def test_I6_a_foot_on_a_step_is_found_and_held():
    """The left foot on a block 0.25 m high, the right one on the ground."""
    rig = idles.crouched()
    for bone, degrees in (("thigh.L", -40), ("shin.L", 25), ("foot.L", 15)):
        idles.turn(rig, bone, (1, 0, 0), degrees)
    bpy.context.view_layer.update()
    assert [pin.name for pin in amble.idle(rig, cycles=1).pins] == ["foot.R"]
    rig.animation_data.action = None
    bone = rig.pose.bones["foot.L"]
    low = min((rig.matrix_world @ end).z for end in (bone.tail, rig.pose.bones["toe.L"].tail))
    place = rig.matrix_world @ bone.tail
    box("Step", (place.x, place.y, low - 0.14), (0.4, 0.6, 0.25))
    bpy.context.view_layer.update()
    result = amble.idle(rig, cycles=2)
    assert sorted(pin.name for pin in result.pins) == ["foot.L", "foot.R"]
    assert any('foot.L touches "Step"' in note for note in result.notes)
    assert idles.drift(idles.tracks(rig, result, ["foot.L", "foot.R"])) < 1e-4


def test_I9_a_pose_from_the_middle_of_a_step_is_told():
    """Where a walk has one foot in the air the idle balances on the other; of two nothing is said."""
    rig = rigs.biped()
    walk = amble.gait(rig, name="Walk")
    said = {}
    for frame in np.arange(*walk.action.frame_range):
        result = amble.idle(rig, pose=walk.action.name, pose_frame=float(frame), cycles=1, overwrite=True)
        said[len(result.pins)] = any("stands on one leg alone" in note for note in result.notes)
    assert said[1]
    assert not said[2]


def test_I6_the_pelvis_on_a_seat_is_held_and_a_table_beside_it_is_none():
    rig = rigs.biped()
    for side in "LR":
        idles.turn(rig, f"thigh.{side}", (1, 0, 0), -85)
        idles.turn(rig, f"shin.{side}", (1, 0, 0), 85)
    idles.move(rig, "pelvis", (0, 0, -0.4))
    bpy.context.view_layer.update()
    hip = rig.matrix_world @ rig.pose.bones["thigh.L"].head
    box("Table", (hip.x + 0.4, hip.y, hip.z), (0.6, 0.6, 0.5))
    bpy.context.view_layer.update()
    result = amble.idle(rig, cycles=2)
    assert not any("pelvis" in note for note in result.notes)
    assert idles.drift(idles.tracks(rig, result, ["pelvis"])) > 1e-3
    rig.animation_data.action = None
    box("Seat", (0.0, hip.y, hip.z - 0.12 - 0.1), (0.5, 0.5, 0.2))
    bpy.context.view_layer.update()
    result = amble.idle(rig, cycles=2)
    assert any('The pelvis touches "Seat"' in note for note in result.notes)
    still = idles.tracks(rig, result, ["pelvis"])
    assert idles.drift(still) < 1e-4
    assert idles.turned(still) < 0.01
    assert idles.drift(idles.tracks(rig, result, ["upper_arm.L"])) > 3e-3


def test_I6_a_staff_in_one_hand_carries_the_other_that_is_on_it():
    """A thin pole without a vertex near the second hand, hung from the bone of the first."""
    rig = idles.crouched()
    for side, sign in (("L", 1), ("R", -1)):
        idles.turn(rig, f"upper_arm.{side}", (0, 0, 1), -50 * sign)
        idles.turn(rig, f"forearm.{side}", (0, 0, 1), -60 * sign)
    bpy.context.view_layer.update()
    left, right = (rig.matrix_world @ rig.pose.bones[f"hand.{side}"].tail for side in "LR")
    bpy.ops.mesh.primitive_cylinder_add(vertices=6, radius=0.015, depth=3.0, location=(left + right) / 2)
    pole = bpy.context.object
    pole.name = "Staff"
    pole.rotation_euler = (right - left).to_track_quat("Z", "Y").to_euler()
    bpy.context.view_layer.update()
    matrix = pole.matrix_world.copy()
    pole.parent, pole.parent_type, pole.parent_bone = rig, "BONE", "hand.R"
    pole.matrix_world = matrix
    bpy.context.view_layer.update()
    result = amble.idle(rig, cycles=2, condition="sprint")
    held = {pin.name: pin for pin in result.pins}
    assert held["hand.L"].on == "hand.R"
    assert "hand.R" not in held
    assert any('hand.L touches "Staff"' in note for note in result.notes)
    hands = idles.tracks(rig, result, ["hand.R", "hand.L"])
    seen = np.linalg.inv(hands[:, 0]) @ hands[:, 1]
    assert np.abs(seen - seen[:1]).max() < 1e-4
    assert idles.drift(hands[:, :1]) > 0.005
