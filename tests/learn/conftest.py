"""A small organisation that tests learn."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from filelock import FileLock
from organisation import TRIPLES

from graphbrick import Graph, build
from graphbrick.learn import LearnReport, learn


@pytest.fixture(scope="session")
def learned(shared_dir: Path) -> tuple[Graph, LearnReport]:
    """The organisation and what was learned from it once in a test run; not to be changed."""
    place, report = shared_dir / "learned" / "org.graph", shared_dir / "learned" / "report.pickle"
    with FileLock(shared_dir / "learned.lock"):
        if not report.exists():
            graph = build(TRIPLES, place)
            report.write_bytes(pickle.dumps(learn(graph, n=300, call={"works in": ["person"]})))
        return Graph.open(place), pickle.loads(report.read_bytes())
