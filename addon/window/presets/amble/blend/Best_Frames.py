import bpy

group = bpy.context.scene.amble.blend
group.reset()
group.curve = "INERTIAL"
group.find = 10
