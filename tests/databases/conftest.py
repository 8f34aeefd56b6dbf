"""A part of the world graph, and the stores that hold it: each is started at most once in a process of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from filelock import FileLock
from same_answers import part_of_world
from stores import SERVERS, Held, holding

import graphbrick
from graphbrick import Graph
from graphbrick.core.session import Session
from graphbrick.graphs.databases.graph import DatabaseGraph


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests over stores that need a server."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        if callspec is not None and callspec.params.get("store") in SERVERS:
            item.add_marker(pytest.mark.databases)


@pytest.fixture(scope="session")
def part(shared_dir: Path) -> Graph:
    """A part of the world graph; not to be changed."""
    cache = shared_dir / "cache"
    with pytest.MonkeyPatch.context() as patch, FileLock(f"{cache}.lock"):
        patch.setenv("GRAPHBRICK_CACHE", str(cache))
        return part_of_world()


@pytest.fixture(scope="session")
def held(part: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Held]]:
    """Return the store of a kind that holds the part; its server runs until the last test."""
    stores: dict[str, Held] = {}
    with ExitStack() as stack:

        def started(kind: str) -> Held:
            if kind not in stores:
                stores[kind] = stack.enter_context(holding(kind, part, tmp_path_factory.mktemp(kind)))
            return stores[kind]

        yield started


@pytest.fixture
def store(
    request: pytest.FixtureRequest, part: Graph, held: Callable[[str], Held], monkeypatch: pytest.MonkeyPatch
) -> Iterator[DatabaseGraph]:
    """The graph in the store that a test is about, in a session of its own."""
    found = held(request.param)
    monkeypatch.setattr(DatabaseGraph, "vectors_place", part.vectors_place)  # each text is embedded once for all
    found.log_in(monkeypatch)
    with Session():
        graph = graphbrick.open(found.address)
        assert isinstance(graph, DatabaseGraph)
        yield graph
