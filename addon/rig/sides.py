"""The sides of a body as roles name them, and in words. They are the character's own."""

SIDES = ("L", "R")  # of a pair; what is alone in the middle is "C"
WORDS = {"L": "left", "R": "right", "C": "middle"}
OPPOSITE = {"L": "R", "R": "L"}


def leg_words(side: str, pair: str, legs: int) -> str:
    """A leg in words, of so many: "left"; of more than two with its pair, "left hind"; a single one in the
    middle is ""."""
    words = (WORDS[side] if side in OPPOSITE else "", pair if legs > 2 else "")
    return " ".join(word for word in words if word)
