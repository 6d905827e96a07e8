import bpy

group = bpy.context.scene.amble.gait
group.reset()
group.gait = "WALK"
group.speed = 0.9
group.arm_swing = 0.8
