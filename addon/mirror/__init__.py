"""The mirror image of a motion, exact on any rig; by itself where the motion would hit something.

`make.mirror` is the call (amble.mirror); csrc/mirror.h derives the mathematics.
"""
