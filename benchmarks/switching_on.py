"""What switching the extension on costs, CPU time: `python -m benchmarks.switching_on`."""

import os
import subprocess
import sys

RUNS = 7
CODE = """
import sys, time, bpy
import bl_operators, bl_ui  # as in every Blender that has a window
start = time.process_time()
import amble
amble.register()
print(1e3 * (time.process_time() - start))
amble.unregister()
sys.stdout.flush()
import os
os._exit(0)
"""


def main() -> None:
    """Print the median of several fresh processes."""
    runs = [
        float(subprocess.check_output([sys.executable, "-c", CODE], text=True, env=os.environ).split()[-1])
        for _ in range(RUNS)
    ]
    print(f"import and register: {sorted(runs)[RUNS // 2]:.0f} ms of {RUNS} runs (bar 100)")


if __name__ == "__main__":
    main()
