"""Fixtures of the tests of language models."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chat_models import KEY

from graphbrick import Session


@pytest.fixture
def key_alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set a key, and no address, prices or proxies, in a session of its own."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "GRAPHBRICK_PRICES"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with Session():  # a port can come back with another server behind it
        yield
