"""Questions that a learned reader is unsure of, and rules read whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.bricks.generate.path_answer import PathAnswer
from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Reading, Step
from graphbrick.graphs.build.builder import build
from graphbrick.patterns.pattern_reader import PatternReader

TRIPLES = [
    *((f"Person {i}", "works at", f"Company {i % 3}") for i in range(9)),
    *((f"Company {i}", "is based in", f"City {i}") for i in range(3)),
]


@dataclass(frozen=True)
class LongestPath(PatternReader):
    """Takes the longest path, with a confidence of its own."""

    sure: float | None

    def rate_steps(
        self, query: str, starts: Sequence[str], patterns: Sequence[tuple[Step, ...]]
    ) -> npt.NDArray[np.float64]:
        return np.array([0.1 * len(steps) for steps in patterns])

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.array([0.1 * text.count("->") for text in texts])

    @property
    def symmetric(self) -> frozenset[str]:
        return frozenset()

    def confidence(self, query: str, read: Callable[[], Sequence[Reading]]) -> float | None:
        return self.sure


@pytest.mark.parametrize("has_properties", [False, True])
@pytest.mark.parametrize(
    ("question", "sure", "answers"),
    [
        ("Where does Person 4 work?", 0.1, {"Company 1"}),
        ("Who works at Company 1?", 0.3, {"Person 1", "Person 4", "Person 7"}),
        ("Where is Company 2 based?", 0.49, {"City 2"}),
        ("Where does Person 4 work?", 0.8, None),
        ("Where does Person 4 work?", None, None),
        ("Where does Person 4 sleep?", 0.1, None),
    ],
)
def test_a_path_that_says_all_of_the_question_goes_before_an_unlikely_reading(
    tmp_path: Path, question: str, sure: float | None, answers: set[str] | None, has_properties: bool
) -> None:
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("id,born\nPerson 1,1980\nPerson 2,1990\n")
    edges = tmp_path / "edges.csv"
    edges.write_text("\n".join(["source,relation,target", *map(",".join, TRIPLES)]) + "\n")
    graph = build(edges, tmp_path / "g.graph", nodes=nodes if has_properties else None)
    answer = (LinkLabels() >> Operators(Patterns(LongestPath(sure), max_hops=2)) >> PathAnswer())(graph, question)
    if answers is None:  # as the reader has it
        assert answer.confidence == sure
        assert len(answer.evidence.paths[0].triples) == 2
    else:
        assert (set(answer.texts), answer.confidence) == (answers, 0.9)
