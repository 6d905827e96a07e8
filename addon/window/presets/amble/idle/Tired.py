import bpy

group = bpy.context.scene.amble.idle
group.reset()
group.condition = "tired"
