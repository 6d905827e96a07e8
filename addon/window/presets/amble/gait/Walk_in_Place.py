import bpy

group = bpy.context.scene.amble.gait
group.reset()
group.gait = "WALK"
group.root_motion = "NONE"
