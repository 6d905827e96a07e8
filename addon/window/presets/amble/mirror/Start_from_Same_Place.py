import bpy

group = bpy.context.scene.amble.mirror
group.reset()
group.plane = "FIRST"
