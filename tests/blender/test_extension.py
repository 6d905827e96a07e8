"""The extension's zip, installed as a user would, in this Blender."""

from pathlib import Path

import bpy
import pytest
from tests.data import ROOT


@pytest.fixture
def archive() -> Path:
    found = sorted((ROOT / "dist").glob("amble-*.zip"))
    if not found:
        pytest.skip("no zip in dist; `make extension` builds it")
    return found[-1]


def test_zip_installs_and_brings_its_own_core(archive: Path, user_resources: Path) -> None:
    bpy.ops.extensions.package_install_files(
        filepath=str(archive), repo="user_default", enable_on_install=True, overwrite=True
    )
    installed = user_resources / "extensions" / "user_default" / "amble"
    assert (installed / "blender_manifest.toml").is_file()
    assert list(
        (user_resources / "extensions" / ".local").glob("lib/python3.*/site-packages/amble_core.abi3.so")
    )

    module = "bl_ext.user_default.amble"
    assert module in bpy.context.preferences.addons
    imported = __import__(module, fromlist=["gait"])
    assert Path(str(imported.__file__)).parent == installed
    assert callable(imported.gait)
    bpy.ops.preferences.addon_disable(module=module)
    assert module not in bpy.context.preferences.addons
