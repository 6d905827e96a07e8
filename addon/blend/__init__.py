"""Blend: out of any frame of one motion into another, at once.

settings   what can be asked for
clips      actions as arrays in the numbers that bones are keyed in
ground     where B is set down
distance   how far apart two poses are, and the frames that takes
legs       the legs' feet that can be held, by joints or by controls
feet       contacts, and the steps of feet that must move
body       what is read of the armature and of its clips
plan       where to cut, where to set B down, how long to take
writing    the action: curves and markers
measure    the report on a transition
make       the call
table      the transition table: frames for each pair of clips
sequence   many clips into one action
command    the sub-commands of the command line
"""
