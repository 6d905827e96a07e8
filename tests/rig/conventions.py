"""Humans in the hierarchies, and with the bone names, of rigs that are in wide use, with their helper bones.

A line is a bone: its name, what its head is at and what its tail points to; what is indented hangs from the
line above. "§" in a name stands for the side. A place is a joint's name, or "a*0.6*b" for one on the way from
a to b, or "a+x,y,z" for one beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.rig.tables import Bones, Point

JOINTS: dict[str, Point] = {
    "floor": (0, 0, 0),
    "pelvis": (0, 0, 0.95),
    "waist": (0, 0, 1.05),
    "belly": (0, 0, 1.15),
    "chest": (0, 0, 1.25),
    "breast": (0, 0, 1.36),
    "neck": (0, 0, 1.45),
    "head": (0, -0.01, 1.55),
    "crown": (0, -0.01, 1.75),
    "clavicle": (0.02, 0, 1.42),
    "shoulder": (0.17, 0, 1.43),
    "elbow": (0.40, 0.02, 1.25),
    "wrist": (0.60, -0.01, 1.08),
    "knuckle": (0.68, -0.03, 1.01),
    "fingertip": (0.74, -0.05, 0.95),
    "hip": (0.10, 0, 0.93),
    "knee": (0.10, -0.02, 0.50),
    "ankle": (0.10, 0.02, 0.08),
    "ball": (0.10, -0.12, 0.02),
    "toe": (0.10, -0.20, 0.02),
    "eye": (0.03, -0.09, 1.65),
    "nipple": (0.07, -0.10, 1.30),
}


@dataclass(frozen=True)
class Convention:
    """sides: what "§" stands for, left and right; bones: as the module says; the others: the roles that are
    right."""

    sides: tuple[str, str]
    bones: str
    pelvis: str
    leg: tuple[str, ...]
    toe: str
    arm: tuple[str, ...]
    spine: tuple[str, ...]
    head: str
    root: str | None = None

    def table(self) -> Bones:
        """All bones, both sides."""
        found: Bones = {}
        above: list[str] = []
        for line in filter(str.strip, self.bones.splitlines()):
            depth = (len(line) - len(line.lstrip())) // 2
            name, head, tail = (part.strip() for part in line.split("|"))
            parent = above[depth - 1] if depth else None
            above[depth:] = [name]
            for side, sign in zip(self.sides, (1.0, -1.0), strict=True):
                own = name.replace("§", side)
                if own not in found:
                    on = None if parent is None else parent.replace("§", side)
                    found[own] = (_place(head, sign), _place(tail, sign), on)
        return found


def _place(text: str, sign: float) -> Point:
    joint, _, offset = text.partition("+")
    first, *rest = joint.split("*")
    point = JOINTS[first]
    if rest:
        share, end = float(rest[0]), JOINTS[rest[1]]
        point = tuple(a + share * (b - a) for a, b in zip(point, end, strict=True))  # type: ignore[assignment]
    x, y, z = (float(c) for c in offset.split(",")) if offset else (0.0, 0.0, 0.0)
    return sign * (point[0] + x), point[1] + y, point[2] + z


CONVENTIONS: Mapping[str, Convention] = {
    "character creator 4": Convention(
        sides=("L", "R"),
        bones="""
RL_BoneRoot | floor | floor+0,0,0.1
  CC_Base_Hip | pelvis | waist
    CC_Base_Pelvis | pelvis | pelvis+0,0,-0.08
      CC_Base_§_Thigh | hip | knee
        CC_Base_§_ThighTwist01 | hip | hip*0.5*knee
          CC_Base_§_ThighTwist02 | hip*0.5*knee | knee
        CC_Base_§_Calf | knee | ankle
          CC_Base_§_CalfTwist01 | knee | knee*0.5*ankle
            CC_Base_§_CalfTwist02 | knee*0.5*ankle | ankle
          CC_Base_§_KneeShareBone | knee | knee+0,-0.1,0
          CC_Base_§_Foot | ankle | ball
            CC_Base_§_ToeBaseShareBone | ball | toe
            CC_Base_§_ToeBase | ball | toe
              CC_Base_§_BigToe1 | toe+-0.03,0.02,0 | toe+-0.03,-0.02,0
              CC_Base_§_IndexToe1 | toe+-0.01,0.02,0 | toe+-0.01,-0.02,0
              CC_Base_§_PinkyToe1 | toe+0.04,0.04,0 | toe+0.04,0,0
    CC_Base_Waist | waist | belly
      CC_Base_Spine01 | belly | chest
        CC_Base_Spine02 | chest | neck
          CC_Base_NeckTwist01 | neck | neck*0.5*head
            CC_Base_NeckTwist02 | neck*0.5*head | head
              CC_Base_Head | head | crown
                CC_Base_FacialBone | head | head+0,-0.08,0.02
                  CC_Base_JawRoot | head+0,-0.02,0.03 | head+0,-0.1,0
                  CC_Base_§_Eye | eye | eye+0,-0.03,0
          CC_Base_§_RibsTwist | nipple+0,0.1,0 | nipple
            CC_Base_§_Breast | nipple | nipple+0,-0.05,0
          CC_Base_§_Clavicle | clavicle | shoulder
            CC_Base_§_Upperarm | shoulder | elbow
              CC_Base_§_UpperarmTwist01 | shoulder | shoulder*0.5*elbow
                CC_Base_§_UpperarmTwist02 | shoulder*0.5*elbow | elbow
              CC_Base_§_Forearm | elbow | wrist
                CC_Base_§_ForearmTwist01 | elbow | elbow*0.5*wrist
                  CC_Base_§_ForearmTwist02 | elbow*0.5*wrist | wrist
                CC_Base_§_ElbowShareBone | elbow | elbow+0,0.1,0
                CC_Base_§_Hand | wrist | knuckle
                  CC_Base_§_Index1 | knuckle | fingertip
                  CC_Base_§_Thumb1 | wrist*0.5*knuckle | wrist*0.5*knuckle+0,-0.06,0
""",
        pelvis="CC_Base_Hip",
        root="RL_BoneRoot",
        leg=("CC_Base_§_Thigh", "CC_Base_§_Calf", "CC_Base_§_Foot", "CC_Base_§_ToeBase"),
        toe="CC_Base_§_ToeBase",
        arm=("CC_Base_§_Upperarm", "CC_Base_§_Forearm", "CC_Base_§_Hand"),
        spine=("CC_Base_Waist", "CC_Base_Spine01", "CC_Base_Spine02"),
        head="CC_Base_Head",
    ),
    "unreal 5": Convention(
        sides=("l", "r"),
        bones="""
root | floor | floor+0,0.1,0
  pelvis | pelvis | waist
    spine_01 | waist | waist+0,0,0.06
      spine_02 | waist+0,0,0.06 | belly
        spine_03 | belly | chest
          spine_04 | chest | breast
            spine_05 | breast | neck
              neck_01 | neck | neck*0.5*head
                neck_02 | neck*0.5*head | head
                  head | head | crown
              clavicle_§ | clavicle | shoulder
                upperarm_§ | shoulder | elbow
                  upperarm_twist_01_§ | shoulder*0.3*elbow | shoulder*0.6*elbow
                  upperarm_correctiveRoot_§ | shoulder | shoulder+0.03,0,0
                    upperarm_fwd_§ | shoulder+0,-0.05,0 | shoulder+0,-0.08,0
                    upperarm_bck_§ | shoulder+0,0.05,0 | shoulder+0,0.08,0
                  lowerarm_§ | elbow | wrist
                    lowerarm_twist_01_§ | elbow*0.6*wrist | wrist
                    hand_§ | wrist | knuckle
                      index_metacarpal_§ | wrist*0.5*knuckle | knuckle
                        index_01_§ | knuckle | fingertip
                clavicle_pec_§ | nipple | nipple+0,-0.05,0
    thigh_§ | hip | knee
      thigh_twist_01_§ | hip*0.3*knee | hip*0.6*knee
        thigh_twistCor_01_§ | hip*0.3*knee | hip*0.5*knee
      thigh_correctiveRoot_§ | hip | hip+0,0,-0.05
        thigh_fwd_§ | hip+0,-0.08,0 | hip+0,-0.1,0
        thigh_bck_§ | hip+0,0.08,0 | hip+0,0.1,0
        thigh_out_§ | hip+0.08,0,0 | hip+0.1,0,0
        thigh_bck_lwr_§ | hip+0,0.08,-0.1 | hip+0,0.1,-0.1
      calf_§ | knee | ankle
        calf_twist_01_§ | knee*0.6*ankle | ankle
        calf_correctiveRoot_§ | knee | knee+0,0,-0.05
          calf_knee_§ | knee+0,-0.06,0 | knee+0,-0.09,0
          calf_kneeBack_§ | knee+0,0.06,0 | knee+0,0.09,0
        foot_§ | ankle | ball
          ankle_fwd_§ | ankle+0,-0.04,0.02 | ankle+0,-0.07,0.02
          ankle_bck_§ | ankle+0,0.04,0.02 | ankle+0,0.07,0.02
          ball_§ | ball | toe
  ik_foot_root | floor | floor+0,0.1,0
    ik_foot_§ | ankle | ball
  ik_hand_root | floor | floor+0,0.1,0
    ik_hand_gun | wrist+-1.2,0,0 | knuckle+-1.36,0,0
      ik_hand_§ | wrist | knuckle
  interaction | floor | floor+0,0.1,0
  center_of_mass | pelvis | pelvis+0,0.1,0
""",
        pelvis="pelvis",
        root="root",
        leg=("thigh_§", "calf_§", "foot_§", "ball_§"),
        toe="ball_§",
        arm=("upperarm_§", "lowerarm_§", "hand_§"),
        spine=("spine_01", "spine_02", "spine_03", "spine_04", "spine_05"),
        head="head",
    ),
    "3ds max biped": Convention(
        sides=("L", "R"),
        bones="""
Bip001 | pelvis | pelvis+0,0.1,0
  Bip001 Footsteps | floor | floor+0,0.1,0
  Bip001 Pelvis | pelvis | pelvis+0,0,0.05
    Bip001 Spine | waist | belly
      Bip001 § Thigh | hip | knee
        Bip001 § Calf | knee | ankle
          Bip001 § Foot | ankle | ball
            Bip001 § Toe0 | ball | toe
              Bip001 § Toe0Nub | toe | toe+0,-0.03,0
        Bip001 §ThighTwist | hip | hip*0.5*knee
      Bip001 Spine1 | belly | chest
        Bip001 Spine2 | chest | neck
          Bip001 Neck | neck | head
            Bip001 Head | head | crown
              Bip001 HeadNub | crown | crown+0,0,0.05
              Bip001 Ponytail1 | head+0,0.1,0.1 | head+0,0.15,-0.1
            Bip001 § Clavicle | clavicle | shoulder
              Bip001 § UpperArm | shoulder | elbow
                Bip001 § Forearm | elbow | wrist
                  Bip001 § Hand | wrist | knuckle
                    Bip001 § Finger0 | wrist*0.5*knuckle | wrist*0.5*knuckle+0,-0.06,0
                    Bip001 § Finger1 | knuckle | fingertip
                  Bip001 § ForeTwist | elbow | elbow*0.5*wrist
                Bip001 §UpArmTwist | shoulder | shoulder*0.5*elbow
      Bip001 Prop1 | belly+0.4,0,0 | belly+0.5,0,0
""",
        pelvis="Bip001 Pelvis",
        root="Bip001",
        leg=("Bip001 § Thigh", "Bip001 § Calf", "Bip001 § Foot", "Bip001 § Toe0"),
        toe="Bip001 § Toe0",
        arm=("Bip001 § UpperArm", "Bip001 § Forearm", "Bip001 § Hand"),
        spine=("Bip001 Spine", "Bip001 Spine1", "Bip001 Spine2"),
        head="Bip001 Head",
    ),
    "daz genesis 8": Convention(
        sides=("l", "r"),
        bones="""
hip | pelvis+0,0,0.05 | waist+0,0,0.05
  pelvis | pelvis+0,0,0.03 | pelvis+0,0,-0.08
    §ThighBend | hip | hip*0.6*knee
      §ThighTwist | hip*0.6*knee | knee
        §Shin | knee | ankle
          §Foot | ankle | ball
            §Metatarsals | ankle*0.3*ball | ball
            §Heel | ankle+0,0.02,-0.05 | ankle+0,0.04,-0.06
            §Toe | ball | toe
              §BigToe | toe+-0.02,0.02,0 | toe+-0.02,-0.02,0
                §BigToe_2 | toe+-0.02,-0.02,0 | toe+-0.02,-0.04,0
              §SmallToe1 | toe+0,0.02,0 | toe+0,-0.01,0
              §SmallToe4 | toe+0.04,0.04,0 | toe+0.04,0.01,0
  abdomenLower | waist | belly
    abdomenUpper | belly | chest
      chestLower | chest | breast
        §Pectoral | nipple+0,0.08,0 | nipple
        chestUpper | breast | neck
          §Collar | clavicle | shoulder
            §ShldrBend | shoulder | shoulder*0.5*elbow
              §ShldrTwist | shoulder*0.5*elbow | elbow
                §ForearmBend | elbow | elbow*0.5*wrist
                  §ForearmTwist | elbow*0.5*wrist | wrist
                    §Hand | wrist | knuckle
                      §Thumb1 | wrist*0.5*knuckle | wrist*0.5*knuckle+0,-0.06,0
                      §Carpal1 | wrist*0.4*knuckle | knuckle
                        §Index1 | knuckle | fingertip
          neckLower | neck | neck*0.5*head
            neckUpper | neck*0.5*head | head
              head | head | crown
                upperTeeth | head+0,-0.08,0.02 | head+0,-0.1,0.02
                lowerJaw | head+0,-0.02,0.03 | head+0,-0.1,0
                §Eye | eye | eye+0,-0.03,0
                §Ear | head+0.08,0,0.1 | head+0.1,0,0.1
""",
        pelvis="hip",
        leg=("§ThighBend", "§ThighTwist", "§Shin", "§Foot", "§Toe"),
        toe="§Toe",
        arm=("§ShldrBend", "§ShldrTwist", "§ForearmBend", "§ForearmTwist", "§Hand"),
        spine=("abdomenLower", "abdomenUpper", "chestLower", "chestUpper"),
        head="head",
    ),
    "xsens": Convention(
        sides=("Left", "Right"),
        bones="""
Pelvis | pelvis | waist
  L5 | waist | waist+0,0,0.07
    L3 | waist+0,0,0.07 | belly+0,0,0.03
      T12 | belly+0,0,0.03 | chest
        T8 | chest | neck
          Neck | neck | head
            Head | head | crown
          §Shoulder | clavicle | shoulder
            §UpperArm | shoulder | elbow
              §ForeArm | elbow | wrist
                §Hand | wrist | knuckle
  §UpperLeg | hip | knee
    §LowerLeg | knee | ankle
      §Foot | ankle | ball
        §Toe | ball | toe
""",
        pelvis="Pelvis",
        leg=("§UpperLeg", "§LowerLeg", "§Foot", "§Toe"),
        toe="§Toe",
        arm=("§UpperArm", "§ForeArm", "§Hand"),
        spine=("L5", "L3", "T12", "T8"),
        head="Head",
    ),
    "smpl": Convention(
        sides=("L", "R"),
        bones="""
f_avg_root | floor | floor+0,0,0.1
  f_avg_Pelvis | pelvis | waist
    f_avg_§_Hip | hip | knee
      f_avg_§_Knee | knee | ankle
        f_avg_§_Ankle | ankle | ball
          f_avg_§_Foot | ball | toe
    f_avg_Spine1 | waist | belly
      f_avg_Spine2 | belly | chest
        f_avg_Spine3 | chest | neck
          f_avg_Neck | neck | head
            f_avg_Head | head | crown
          f_avg_§_Collar | clavicle | shoulder
            f_avg_§_Shoulder | shoulder | elbow
              f_avg_§_Elbow | elbow | wrist
                f_avg_§_Wrist | wrist | knuckle
                  f_avg_§_Hand | knuckle | fingertip
""",
        pelvis="f_avg_Pelvis",
        root="f_avg_root",
        leg=("f_avg_§_Hip", "f_avg_§_Knee", "f_avg_§_Ankle", "f_avg_§_Foot"),
        toe="f_avg_§_Foot",
        arm=("f_avg_§_Shoulder", "f_avg_§_Elbow", "f_avg_§_Wrist", "f_avg_§_Hand"),
        spine=("f_avg_Spine1", "f_avg_Spine2", "f_avg_Spine3"),
        head="f_avg_Head",
    ),
    "vroid": Convention(
        sides=("L", "R"),
        bones="""
Root | floor | floor+0,0,0.1
  J_Bip_C_Hips | pelvis | waist
    J_Bip_C_Spine | waist | belly
      J_Bip_C_Chest | belly | chest
        J_Bip_C_UpperChest | chest | neck
          J_Bip_C_Neck | neck | head
            J_Bip_C_Head | head | crown
              J_Adj_§_FaceEye | eye | eye+0,-0.03,0
              J_Sec_Hair1_01 | crown+0,-0.1,0 | crown+0,-0.12,-0.1
                J_Sec_Hair2_01 | crown+0,-0.12,-0.1 | crown+0,-0.12,-0.2
              J_Sec_Hair1_02 | crown+0.05,0.05,0 | crown+0.1,0.1,-0.2
                J_Sec_Hair2_02 | crown+0.1,0.1,-0.2 | crown+0.1,0.1,-0.5
              J_Sec_Hair1_03 | crown+-0.05,0.05,0 | crown+-0.1,0.1,-0.2
                J_Sec_Hair2_03 | crown+-0.1,0.1,-0.2 | crown+-0.1,0.1,-0.5
          J_Sec_§_Bust1 | nipple+0,0.06,0 | nipple
            J_Sec_§_Bust2 | nipple | nipple+0,-0.05,0
          J_Bip_§_Shoulder | clavicle | shoulder
            J_Bip_§_UpperArm | shoulder | elbow
              J_Sec_§_TopsUpperArmInside | shoulder*0.5*elbow+0,0,-0.05 | elbow+0,0,-0.1
              J_Bip_§_LowerArm | elbow | wrist
                J_Bip_§_Hand | wrist | knuckle
                  J_Bip_§_Index1 | knuckle | fingertip
                  J_Bip_§_Thumb1 | wrist*0.5*knuckle | wrist*0.5*knuckle+0,-0.06,0
    J_Bip_§_UpperLeg | hip | knee
      J_Sec_§_CoatSkirtFront_01 | hip+0,-0.1,0 | knee+0,-0.15,0.1
        J_Sec_§_CoatSkirtFront_end_01 | knee+0,-0.15,0.1 | knee+0,-0.15,0
      J_Sec_§_CoatSkirtBack_01 | hip+0,0.1,0 | knee+0,0.2,0.1
        J_Sec_§_CoatSkirtBack_end_01 | knee+0,0.2,0.1 | knee+0,0.2,0
      J_Bip_§_LowerLeg | knee | ankle
        J_Bip_§_Foot | ankle | ball
          J_Bip_§_ToeBase | ball | toe
""",
        pelvis="J_Bip_C_Hips",
        root="Root",
        leg=("J_Bip_§_UpperLeg", "J_Bip_§_LowerLeg", "J_Bip_§_Foot", "J_Bip_§_ToeBase"),
        toe="J_Bip_§_ToeBase",
        arm=("J_Bip_§_UpperArm", "J_Bip_§_LowerArm", "J_Bip_§_Hand"),
        spine=("J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"),
        head="J_Bip_C_Head",
    ),
    "mmd": Convention(
        sides=("左", "右"),
        bones="""
全ての親 | floor | floor+0,0,0.1
  センター | pelvis+0,0,-0.35 | pelvis+0,0,-0.25
    グルーブ | pelvis+0,0,-0.3 | pelvis+0,0,-0.2
      腰 | pelvis | waist
        上半身 | waist | chest
          上半身2 | chest | neck
            首 | neck | head
              頭 | head | crown
                §目 | eye | eye+0,-0.03,0
                両目 | crown+0,0,0.2 | crown+0,0,0.3
            §肩P | clavicle | clavicle+0,0,0.05
              §肩 | clavicle | shoulder
                §肩C | shoulder | shoulder+0,0,0.05
                  §腕 | shoulder | elbow
                    §腕捩 | shoulder*0.6*elbow | elbow
                      §ひじ | elbow | wrist
                        §手捩 | elbow*0.6*wrist | wrist
                          §手首 | wrist | knuckle
                            §人指１ | knuckle | fingertip
        下半身 | waist | pelvis+0,0,-0.08
          腰キャンセル§ | hip | hip+0,0,0.05
            §足 | hip | knee
              §ひざ | knee | ankle
                §足首 | ankle | ball
                  §つま先 | ball | toe
            §足D | hip | knee
              §ひざD | knee | ankle
                §足首D | ankle | ball
                  §足先EX | ball | toe
  §足IK親 | ankle+0,0,-0.08 | ankle
    §足ＩＫ | ankle | ankle+0,0.15,0
      §つま先ＩＫ | ball | ball+0,0,-0.1
""",
        pelvis="腰",
        root="全ての親",
        leg=("§足", "§ひざ", "§足首", "§つま先"),
        toe="§つま先",
        arm=("§腕", "§腕捩", "§ひじ", "§手捩", "§手首"),
        spine=("上半身", "上半身2"),
        head="頭",
    ),
    "ready player me": Convention(
        sides=("Left", "Right"),
        bones="""
Hips | pelvis | waist
  Spine | waist | belly
    Spine1 | belly | chest
      Spine2 | chest | neck
        Neck | neck | head
          Head | head | crown
            HeadTop_End | crown | crown+0,0,0.1
            §Eye | eye | eye+0,-0.03,0
        §Shoulder | clavicle | shoulder
          §Arm | shoulder | elbow
            §ForeArm | elbow | wrist
              §Hand | wrist | knuckle
                §HandThumb1 | wrist*0.5*knuckle | wrist*0.5*knuckle+0,-0.06,0
                §HandIndex1 | knuckle | fingertip
                  §HandIndex4 | fingertip | fingertip+0,0,-0.02
  §UpLeg | hip | knee
    §Leg | knee | ankle
      §Foot | ankle | ball
        §ToeBase | ball | toe
          §Toe_End | toe | toe+0,-0.05,0
""",
        pelvis="Hips",
        leg=("§UpLeg", "§Leg", "§Foot", "§ToeBase"),
        toe="§ToeBase",
        arm=("§Arm", "§ForeArm", "§Hand"),
        spine=("Spine", "Spine1", "Spine2"),
        head="Head",
    ),
    "valve": Convention(
        sides=("L", "R"),
        bones="""
ValveBiped.Bip01_Pelvis | pelvis | waist
  ValveBiped.Bip01_§_Thigh | hip | knee
    ValveBiped.Bip01_§_Calf | knee | ankle
      ValveBiped.Bip01_§_Foot | ankle | ball
        ValveBiped.Bip01_§_Toe0 | ball | toe
    ValveBiped.Bip01_§_Quadricep | hip*0.4*knee | hip*0.4*knee+0,-0.05,0
  ValveBiped.Bip01_Spine | waist | belly
    ValveBiped.Bip01_Spine1 | belly | chest
      ValveBiped.Bip01_Spine2 | chest | breast
        ValveBiped.Bip01_Spine4 | breast | neck
          ValveBiped.Bip01_Neck1 | neck | head
            ValveBiped.Bip01_Head1 | head | crown
              ValveBiped.forward | head+0,-0.1,0.1 | head+0,-0.15,0.1
          ValveBiped.Bip01_§_Clavicle | clavicle | shoulder
            ValveBiped.Bip01_§_UpperArm | shoulder | elbow
              ValveBiped.Bip01_§_Trapezius | shoulder+-0.05,0,0.03 | shoulder+-0.05,0,0.06
              ValveBiped.Bip01_§_Bicep | shoulder*0.5*elbow | shoulder*0.5*elbow+0,-0.03,0
              ValveBiped.Bip01_§_Elbow | elbow | elbow+0,0.05,0
              ValveBiped.Bip01_§_Forearm | elbow | wrist
                ValveBiped.Bip01_§_Ulna | elbow*0.5*wrist | wrist
                ValveBiped.Bip01_§_Wrist | wrist | wrist+0,0.02,0
                ValveBiped.Bip01_§_Hand | wrist | knuckle
                  ValveBiped.Bip01_§_Finger0 | wrist*0.5*knuckle | wrist*0.5*knuckle+0,-0.06,0
                  ValveBiped.Bip01_§_Finger1 | knuckle | fingertip
                  ValveBiped.Bip01_§_Finger2 | knuckle+0.01,0.01,0 | fingertip+0.01,0.02,0
                  ValveBiped.Anim_Attachment_§H | knuckle | knuckle+0,0,-0.05
""",
        pelvis="ValveBiped.Bip01_Pelvis",
        leg=(
            "ValveBiped.Bip01_§_Thigh",
            "ValveBiped.Bip01_§_Calf",
            "ValveBiped.Bip01_§_Foot",
            "ValveBiped.Bip01_§_Toe0",
        ),
        toe="ValveBiped.Bip01_§_Toe0",
        arm=("ValveBiped.Bip01_§_UpperArm", "ValveBiped.Bip01_§_Forearm", "ValveBiped.Bip01_§_Hand"),
        spine=tuple("ValveBiped.Bip01_" + s for s in ("Spine", "Spine1", "Spine2", "Spine4")),
        head="ValveBiped.Bip01_Head1",
    ),
    "auto-rig pro, exported": Convention(
        sides=(".l", ".r"),
        bones="""
root | floor | floor+0,0,0.1
  root.x | pelvis | waist
    thigh_twist§ | hip | hip*0.5*knee
    thigh_stretch§ | hip*0.5*knee | knee
      leg_stretch§ | knee | knee*0.5*ankle
        leg_twist§ | knee*0.5*ankle | ankle
        foot§ | ankle | ball
          toes_01§ | ball | toe
    spine_01.x | waist | belly
      spine_02.x | belly | chest
        spine_03.x | chest | neck
          neck.x | neck | head
            head.x | head | crown
              jawbone.x | head+0,-0.02,0.03 | head+0,-0.1,0
              c_eye§ | eye | eye+0,-0.03,0
          shoulder§ | clavicle | shoulder
            arm_twist§ | shoulder | shoulder*0.5*elbow
            arm_stretch§ | shoulder*0.5*elbow | elbow
              forearm_stretch§ | elbow | elbow*0.5*wrist
                forearm_twist§ | elbow*0.5*wrist | wrist
                hand§ | wrist | knuckle
                  thumb1§ | wrist*0.5*knuckle | wrist*0.5*knuckle+0,-0.06,0
                  index1§ | knuckle | fingertip
""",
        pelvis="root.x",
        root="root",
        leg=("thigh_stretch§", "leg_stretch§", "foot§", "toes_01§"),
        toe="toes_01§",
        arm=("arm_stretch§", "forearm_stretch§", "hand§"),
        spine=("spine_01.x", "spine_02.x", "spine_03.x"),
        head="head.x",
    ),
}
