"""The sides of a body as roles name them, and in words. They are the character's own."""

SIDES = ("L", "R", "C")  # C: in the middle
WORDS = {"L": "left", "R": "right", "C": "middle"}
OPPOSITE = {"L": "R", "R": "L"}
