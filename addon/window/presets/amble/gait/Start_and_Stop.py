import bpy

group = bpy.context.scene.amble.gait
group.reset()
group.speeds = "0, 1.4, 1.4, 0"
group.frames = (1, 120)
group.loop = False
