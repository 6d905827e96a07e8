"""Run clang-tidy over C files with the options the core is built with: `python tools/tidy.py csrc/*.c`."""

import runpy
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[1]


def options() -> list[str]:
    """Compiler options and definitions from setup.py, with foreign headers left unchecked."""
    build = runpy.run_path(str(ROOT / "setup.py"), run_name="build")
    defines = [f"-D{name}={value}" for name, value in build["defines"]()]
    headers = [f"-isystem{folder}" for folder in (numpy.get_include(), sysconfig.get_path("include"))]
    return [*build["compile_flags"](), *defines, *headers, "-Icsrc"]


def main() -> int:
    """Check the files named on the command line; exit code of clang-tidy."""
    if not sys.argv[1:]:
        print("tidy: no C files named", file=sys.stderr)
        return 2
    tidy = Path(sys.executable).with_name("clang-tidy")
    command = [str(tidy), "--quiet", *sys.argv[1:], "--", *options()]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
