"""A rig in the way of Auto-Rig Pro: skin on bones of its own, which copy layers of controls by switches."""

from __future__ import annotations

from typing import Any

import bpy
from tests.blender import control_rigs, rigs
from tests.rig.conventions import Convention

RIG = Convention(
    sides=(".l", ".r"),
    bones="""
c_pos | floor | floor+0,0.3,0
  c_traj | floor | floor+0,0.2,0
    c_root_master.x | pelvis | pelvis+0,0.2,0
      root_master.x | pelvis | waist
        c_root.x | pelvis | pelvis+0,0.15,0
          root.x | pelvis | waist
            c_thigh_b§ | hip+0,0,0.02 | hip
              thigh§ | hip | knee
                thigh_stretch§ | hip*0.5*knee | knee
                thigh_twist§ | hip | hip*0.5*knee
                leg§ | knee | ankle
                  leg_stretch§ | knee | knee*0.5*ankle
                  leg_twist§ | knee*0.5*ankle | ankle
                  foot§ | ankle | ball
                    toes_01§ | ball | toe
              thigh_ik§ | hip | knee
                leg_ik§ | knee | ankle
              c_thigh_fk§ | hip | knee
                c_leg_fk§ | knee | ankle
                  c_foot_fk§ | ankle | ball
                    c_toes_fk§ | ball | toe
        c_spine_01.x | waist | belly
          spine_01.x | waist | belly
          c_spine_02.x | belly | neck
            spine_02.x | belly | neck
            c_neck.x | neck | head
              neck.x | neck | head
              c_head.x | head | crown
                head.x | head | crown
            c_shoulder§ | clavicle | shoulder
              shoulder§ | clavicle | shoulder
                arm§ | shoulder | elbow
                  arm_stretch§ | shoulder*0.5*elbow | elbow
                  arm_twist§ | shoulder | shoulder*0.5*elbow
                  forearm§ | elbow | wrist
                    forearm_stretch§ | elbow | elbow*0.5*wrist
                    forearm_twist§ | elbow*0.5*wrist | wrist
                    hand§ | wrist | knuckle
                c_arm_fk§ | shoulder | elbow
                  c_forearm_fk§ | elbow | wrist
                    c_hand_fk§ | wrist | knuckle
    c_foot_ik§ | ankle+0,0,-0.08 | ball+0,0,-0.02
      foot_ik_target§ | ankle | ball
      c_toes_ik§ | ball | toe
    c_leg_pole§ | knee+0,-0.6,0 | knee+0,-0.7,0
""",
    pelvis="c_root_master.x",
    root="c_pos",
    leg=("thigh_twist§", "leg_stretch§", "foot§", "toes_01§"),
    toe="toes_01§",
    arm=("arm_twist§", "forearm_stretch§", "hand§"),
    spine=("root.x", "spine_01.x", "spine_02.x"),
    head="head.x",
)
# Bones that only machinery moves, though they have no prefix that says so.
MACHINERY = ("thigh.", "leg.", "arm.", "forearm.", "thigh_ik", "leg_ik", "foot_ik_target", "root_master")


def build() -> Any:
    """The rig, its legs switched to inverse kinematics."""
    armature = rigs.build(RIG.table())
    for bone in armature.data.bones:
        bone.use_deform = not bone.name.startswith(("c_", *MACHINERY))
    for side in RIG.sides:
        switch = f"c_foot_ik{side}"
        armature.pose.bones[switch]["ik_fk_switch"] = 0.0
        leg = control_rigs.constrain(armature, f"leg_ik{side}", "IK", f"foot_ik_target{side}", chain_count=2)
        control_rigs.aim_pole(armature, leg, f"thigh_ik{side}", f"c_leg_pole{side}")
        for bone, ik, fk in (
            ("thigh", "thigh_ik", "c_thigh_fk"),
            ("leg", "leg_ik", "c_leg_fk"),
            ("foot", "foot_ik_target", "c_foot_fk"),
            ("toes_01", "c_toes_ik", "c_toes_fk"),
        ):
            control_rigs.constrain(armature, bone + side, "COPY_TRANSFORMS", ik + side)
            over = control_rigs.constrain(armature, bone + side, "COPY_TRANSFORMS", fk + side)
            control_rigs.drive(over, "influence", armature, f'pose.bones["{switch}"]["ik_fk_switch"]')
        for bone in ("arm", "forearm", "hand"):
            control_rigs.constrain(armature, bone + side, "COPY_TRANSFORMS", f"c_{bone}_fk{side}")
    bpy.context.view_layer.update()
    return armature
