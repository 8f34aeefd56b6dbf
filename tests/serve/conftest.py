"""Fixtures for tests of the server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from served import serving
from starlette.testclient import TestClient


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A client of a server over the tiny graph."""
    with serving() as client:
        yield client
