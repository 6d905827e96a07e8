import bpy

group = bpy.context.scene.amble.mirror
group.reset()
group.sides = "LEFT_TO_RIGHT"
