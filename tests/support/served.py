"""A server in this process, for tests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient

from graphbrick.serve.app import create_app
from graphbrick.serve.options import ServeOptions
from graphbrick.testing import tiny_graph

PATHS = "ShortestPaths() >> PathAnswer()"
QUESTION = "Which currency is used in the country whose capital is Nairobi?"


def options(**changes: Any) -> ServeOptions:
    """Settings of a server over the tiny graph, whose default recipe needs no model."""
    given: dict[str, Any] = {"graphs": {"tiny": str(tiny_graph().path)}, "recipes": {"paths": PATHS}}
    return ServeOptions(**given | changes)


@contextmanager
def serving(**changes: Any) -> Iterator[TestClient]:
    """A client of a server that is ready."""
    with TestClient(create_app(options(**changes)), base_url="http://localhost") as client:
        yield client


def examples(client: TestClient, seconds: float = 120) -> list[str]:
    """Return the questions that the server found for its first graph, once it has found them."""
    found: list[dict[str, Any]] = client.app.state.service.graph().questions  # type: ignore[attr-defined]
    end = time.monotonic() + seconds
    while not found and time.monotonic() < end:
        time.sleep(0.01)
    return [one["question"] for one in found]


def events(text: str) -> list[tuple[str, str]]:
    """Return the events of a stream: name and data."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if lines:
            found.append((lines.get("event", ""), lines["data"]))
    return found
