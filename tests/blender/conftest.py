"""A fresh Blender for every test, its user folder out of the way, a process that ends with the tests."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

# Before the first `import bpy`: Blender reads the variable once. A folder for each process, since parallel
# workers would otherwise install extensions and save preferences over each other's.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
USER_RESOURCES = Path(tempfile.mkdtemp(prefix=f"amble-blender-{WORKER}-"))
os.environ["BLENDER_USER_RESOURCES"] = str(USER_RESOURCES)


def settled(*_: object) -> None:
    """What opening a file in Blender 4.2 may leave undone."""
    from amble.files import settle_context

    settle_context()


@pytest.fixture(autouse=True)
def empty_blender() -> None:
    """Factory settings and an empty scene before each test."""
    import bpy

    handlers = bpy.app.handlers.load_post
    if settled not in handlers:  # tests open files by themselves, too
        handlers.append(bpy.app.handlers.persistent(settled))
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(scope="session")
def user_resources() -> Path:
    """Blender's user folder of this process, thrown away at the end."""
    return USER_RESOURCES


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT_STATUS] = int(exitstatus)


EXIT_STATUS = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process here, before Python tears Blender down."""
    shutil.rmtree(USER_RESOURCES, ignore_errors=True)
    if "bpy" in sys.modules and EXIT_STATUS in config.stash:
        from amble.leave import leave

        leave(config.stash[EXIT_STATUS])
