"""Gait: body parts ride orbits whose phase follows the distance travelled.

settings   what can be asked for
body       the body as the core's arrays, and the way back to bones
plan       settings and rig in, the core's result and its timing out
make       the call: the action, and the report on it
command    its sub-command of the command line
"""
