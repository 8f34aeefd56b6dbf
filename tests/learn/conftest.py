"""A small organisation that tests learn."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from filelock import FileLock
from organisation import TRIPLES

from graphbrick import Graph, MiniLM, build
from graphbrick.learn import LearnReport, calibration, learn

_VECTORS: dict[str, npt.NDArray[np.float32]] = {}


@contextmanager
def quick_learning() -> Iterator[None]:
    """Take fewer strange words into questions, and embed each text once in all tests: that is most of the time."""

    def encode(model: MiniLM, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in _VECTORS]
        if new:
            _VECTORS.update(zip(new, model.load().embed(new), strict=True))
        return np.stack([_VECTORS[text] for text in texts])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "encode", encode)
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
                report.write_bytes(pickle.dumps(learn(graph, n=300, call={"works in": ["person"]})))
        return Graph.open(place), pickle.loads(report.read_bytes())
