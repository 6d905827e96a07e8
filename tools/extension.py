"""Build the Blender extension's zip: `python tools/extension.py --output dist`.

Stages the manifest, the package's files and a wheel that holds the core alone, then lets Blender's own script
(it comes inside the bpy wheel and needs no Blender) build and validate the zip. Run by .venv-tools' Python,
which can build the core.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILDER = "lib/python3.*/site-packages/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"


def build_core_wheel(folder: Path) -> Path:
    """Build the distribution `amble_core` for this platform in `folder` and return the wheel's path."""
    # From a copy: what an earlier build of the whole package left in the source folder would get into it.
    source = folder / "source"
    shutil.copytree(ROOT / "csrc", source / "csrc")
    for name in ("setup.py", "pyproject.toml", "blender_manifest.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check"]
    command = [*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    switches = {"AMBLE_CORE_ONLY": "1", "AMBLE_STRICT": "1"}
    subprocess.run(command, env=os.environ | switches, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def manifest_with_wheels(manifest: str, wheels: list[str]) -> str:
    """The manifest's text with a `wheels` list before its first table, where top-level keys have to stand."""
    top, bracket, tables = manifest.partition("\n[")
    listed = "".join(f'  "./wheels/{name}",\n' for name in wheels)
    return f"{top}\nwheels = [\n{listed}]\n{bracket}{tables}"


def stage(folder: Path, wheels: list[Path]) -> None:
    """Lay out in `folder` what goes into the zip."""
    shutil.copytree(ROOT / "addon", folder, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(wheel, folder / "wheels")
    shutil.copy2(ROOT / "LICENSE", folder)
    manifest = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    text = manifest_with_wheels(manifest, [wheel.name for wheel in wheels])
    (folder / "blender_manifest.toml").write_text(text, encoding="utf-8")


def find_builder(environment: Path) -> Path:
    """Blender's extension script inside a virtual environment that has bpy."""
    found = sorted(environment.glob(BUILDER))
    if not found:
        sys.exit(f"extension: no bpy in {environment}; `make extension` sets it up")
    return found[0]


def main() -> int:
    """Read the command line, build and validate the zip, print its path."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / "dist", help="folder of the zip (default: dist)"
    )
    parser.add_argument(
        "--bpy", type=Path, default=ROOT / ".venv", help="virtual environment with bpy (.venv)"
    )
    parser.add_argument(
        "--wheel", type=Path, action="append", help="core wheel to put in (default: build one here)"
    )
    options = parser.parse_args()

    builder = find_builder(options.bpy)
    output: Path = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        source, made = Path(scratch, "amble"), Path(scratch, "zip")
        stage(source, options.wheel or [build_core_wheel(Path(scratch))])
        made.mkdir()
        build = [
            sys.executable,
            str(builder),
            "build",
            "--source-dir",
            str(source),
            "--output-dir",
            str(made),
        ]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        (archive,) = made.glob("*.zip")
        subprocess.run([sys.executable, str(builder), "validate", str(archive)], check=True)
        shutil.move(archive, output / archive.name)
    print(output / archive.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
