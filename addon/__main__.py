"""`python -m amble`: the command line beside the bpy module."""

import os
import sys

from .cli import main

if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Torn down together with Python, Blender 4.2 crashes and 4.5 hangs; everything is written by now.
    os._exit(code)
