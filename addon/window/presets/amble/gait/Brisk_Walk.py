import bpy

group = bpy.context.scene.amble.gait
group.reset()
group.gait = "WALK"
group.speed = 1.8
group.arm_swing = 1.2
