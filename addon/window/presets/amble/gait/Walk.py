import bpy

group = bpy.context.scene.amble.gait
group.reset()
group.gait = "WALK"
