"""What all tests share: where the rigs are, how hypothesis draws, and which core is under test."""

import os
from pathlib import Path

import pytest
from tests.data import DATA

try:
    from hypothesis import settings
except ImportError:  # a lane without hypothesis runs the tests that need none
    pass
else:
    # No deadline: a loaded machine is no failure. Everyday runs draw the same inputs each time, so that a
    # red run can be run again; the full lane (HYPOTHESIS_PROFILE=full) draws new and more ones.
    settings.register_profile("everyday", deadline=None, derandomize=True, max_examples=100)
    settings.register_profile("full", deadline=None, max_examples=1000, print_blob=True)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "everyday"))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of real rigs and clips: $AMBLE_DATA, else ../shared/data beside the repository."""
    if not DATA.is_dir():
        pytest.skip(f"no rigs and clips at {DATA}; name their folder in AMBLE_DATA")
    return DATA


def pytest_report_header() -> str:
    """Name the core under test, so that a log shows whether it was the plain, scalar or sanitized build."""
    try:
        import amble_core
    except ImportError as error:
        return f"amble_core: not importable ({error})"
    return f"amble_core: {amble_core.__file__}"
