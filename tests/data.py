"""Where the repository and the real rigs and clips lie."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# No part of the repository: $AMBLE_DATA, else ../shared/data beside it. Tests that need it skip where there
# is none.
DATA = Path(os.environ.get("AMBLE_DATA") or ROOT.parent / "shared" / "data")
