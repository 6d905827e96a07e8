"""Idle: breath and small motions laid on whatever pose is held, feet and hands where they are.

settings    what can be asked for
conditions  how a body breathes when it is tired, cold, afraid ...: data files
built_in    the differences of a breath, a weight shift ... of any body, by role
sources     differences from an idle action, of this or another rig, or from a table
held        the pose that is held, from what is shown, an action or a pose asset
rigged      rigs that are moved by controls
body        the body in its held pose: what may move, is held, differs
pins        limbs that stay where they are, named or standing on the ground
contact     what hands touch
plan        everything from settings and a held pose to the core's result
layer       the idle as an additive layer of the NLA
make        the call: the action, and what is told of it
command     its sub-command of the command line
"""
