"""Fixtures that the whole test suite shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from graphbrick.session import Session


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real graphs: GRAPHBRICK_DATA, or ``../shared/data`` beside the repository."""
    given = os.environ.get("GRAPHBRICK_DATA")
    folder = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set GRAPHBRICK_DATA to the folder that holds metaqa/ and others")
    return folder


@pytest.fixture
def fresh_session() -> Iterator[Session]:
    """The current session of the test, with nothing opened yet; closed at the end."""
    with Session() as session:
        yield session


# In continuous integration a property test tries the same examples every time; elsewhere it looks for new ones. That
# many of them are filtered out says something about the strategy, not about the code under test.
_COMMON = settings(suppress_health_check=[HealthCheck.filter_too_much])
settings.register_profile("local", _COMMON)
settings.register_profile("ci", _COMMON, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
