"""A small organisation that tests learn."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from embedded_once import embedded_once
from filelock import FileLock
from organisation import TRIPLES

from graphbrick import Graph, build
from graphbrick.learn.fitting import calibration
from graphbrick.learn.learning import LearnReport, learn


@contextmanager
def quick_learning() -> Iterator[None]:
    """Take fewer strange words into questions, and embed each text once in all tests: that is most of the time."""
    with embedded_once(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "_LEXICON", 60)
        yield


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with quick_learning():
        yield


@pytest.fixture(scope="session")
def learned(shared_dir: Path) -> tuple[Graph, LearnReport]:
    """The organisation and what was learned from it once in a test run; not to be changed."""
    place, report = shared_dir / "learned" / "org.graph", shared_dir / "learned" / "report.pickle"
    with FileLock(shared_dir / "learned.lock"):
        if not report.exists():
            graph = build(TRIPLES, place)
            with quick_learning():
                report.write_bytes(pickle.dumps(learn(graph, n=200, call={"works in": ["person"]})))
        return Graph.open(place), pickle.loads(report.read_bytes())
