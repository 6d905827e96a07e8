"""`python -m amble`: the command line beside the bpy module."""

import sys

from .cli import main
from .leave import leave

if __name__ == "__main__":
    leave(main(sys.argv[1:]))
