"""A small organisation that tests learn."""

from __future__ import annotations

import pytest
from organisation import TRIPLES

from graphbrick import Graph, build
from graphbrick.learn import LearnReport, learn


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Graph, LearnReport]:
    graph = build(TRIPLES, tmp_path_factory.mktemp("org") / "org.graph")
    return graph, learn(graph, n=500, call={"works in": ["person"]})
