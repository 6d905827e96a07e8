"""Gait: walks and runs with planted feet, and bodies on orbits.

make           the call: the action, and the report on it
settings       what can be asked for
command        its sub-command of the command line
styles         manners of a gait as files of settings, named, saved and mixed
plan_straight  a planner: settings and rig in, a walk as arrays out; straight on, on level ground
plan_way       the same along a way, over any ground
plan_orbits    the same on orbits (contact="orbit")
plan_legged    the same for animals: any number of legs, any way and ground
walk, timing   what every planner ends in, and the frames that it fills
values         settings as the core's numbers, the core's figures and complaints as ours
body           the body as the core's arrays, and the way back to bones
steps          where feet come down, and when
events, reduce what a walk tells of itself; what fewer keys must keep to
way, journey   of plan_way: where the body goes; the steps that it takes there
presets, paws, legged_body, trail   of plan_legged: gaits as data; legs down to what touches the ground; the
               body as the core's arrays; the steps along a way
course         of plan_orbits, like all that follows: where the character goes, frame by frame
orbits         which parts ride which curves, as data
orbit_rows, orbit_body, orbit_moves   the orbits, the body and its way as the core's arrays

Words: a Path or a Course is what a script says of where to go, places over time or velocities frame by frame.
A Way is what becomes of a path, samples of place and facing in the body's own axes (a Stage says where those
are); moves are what becomes of a course, with the core's names. A Journey is the steps planned along a way. A
Route (report.tracks) is what the report is told of where a motion went.
"""
