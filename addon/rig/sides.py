"""The sides of a body as roles name them, and in words. They are the character's own."""

SIDES = ("L", "R")  # of a pair; what is alone in the middle is "C"
WORDS = {"L": "left", "R": "right", "C": "middle"}
OPPOSITE = {"L": "R", "R": "L"}
