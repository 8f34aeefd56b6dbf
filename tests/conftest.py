"""Fixtures that the whole test suite shares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real graphs: GRAPHBRICK_DATA, or ``../shared/data`` beside the repository."""
    given = os.environ.get("GRAPHBRICK_DATA")
    folder = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set GRAPHBRICK_DATA to the folder that holds metaqa/ and others")
    return folder


# In continuous integration a property test tries the same examples every time; elsewhere it looks for new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
