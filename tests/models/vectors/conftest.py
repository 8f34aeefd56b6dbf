"""A fresh session for every test of stored vectors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from toy_vectors import CALLS

from graphbrick.core.session import Session


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    CALLS.clear()
    monkeypatch.delenv("GRAPHBRICK_VECTORS_MB", raising=False)
    with Session():
        yield
