import bpy

group = bpy.context.scene.amble.gait
group.reset()
group.keys = "REDUCED"
