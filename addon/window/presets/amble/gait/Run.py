import bpy

group = bpy.context.scene.amble.gait
group.reset()
group.gait = "RUN"
group.speed = 3.0
