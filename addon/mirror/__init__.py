"""The mirror image of a motion, exact on any rig; by itself where the motion would hit something.

make        the call (amble.mirror), and would_fit; library: the same for all actions of a file
settings    what can be asked for
command     its sub-command of the command line
subject     what is read of a rig once
plane, asked       planes, and the one that is asked for
maps, sums, curves, fit    the constants of every bone (csrc/mirror.h derives them), and curves made by them
partial, shift     parts of a mirror image; a cycle begun half of itself later
properties, shapes     what moves with a side and is no bone
body, moving, obstacles, decide    whether the motion or its mirror image fits among what stands around
play        the new action's name, and letting the object play it
"""
