"""Questions that a learned reader is unsure of, and rules read whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.bricks.generate.path_answer import PathAnswer
from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.bricks.retrieve.operators.paths.plain import classes_passed_by
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Path as GraphPath
from graphbrick.core import Reading, Step
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.patterns.lexicon import lexicon_of
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


@dataclass(frozen=True)
class NearestPath(LongestPath):
    """Takes the shortest path."""

    def rate_steps(
        self, query: str, starts: Sequence[str], patterns: Sequence[tuple[Step, ...]]
    ) -> npt.NDArray[np.float64]:
        return np.array([-0.1 * len(steps) for steps in patterns])

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.array([-0.1 * (text.count("->") + text.count("<-")) for text in texts])


def test_the_best_pattern_that_leads_to_the_asked_class_answers(tmp_path: Path) -> None:
    names = dict.fromkeys(end for head, _, tail in TRIPLES for end in (head, tail))
    graph = build([*(EntityRecord(name, types=(name.split()[0],)) for name in names), *TRIPLES], tmp_path / "g.graph")
    runs = [
        (LinkLabels() >> Operators(Patterns(NearestPath(0.8), max_hops=hops)) >> PathAnswer()).run(graph, question)
        for hops, question in ((2, "Which city does Person 1 adore?"), (1, "Which city does Person 1 adore?"))
    ]
    found, refused = (run.answer for run in runs)
    assert found is not None
    assert refused is not None
    assert (found.texts, refused.texts) == (("City 1",), ())
    assert "operators.not_answered" in runs[1].trace.event_codes


@pytest.mark.parametrize(("sure", "confidence"), [(0.1, 0.9), (0.6, 0.9), (0.95, 0.95), (None, None)])
def test_a_reading_that_the_rules_find_too_is_surer(
    tmp_path: Path, sure: float | None, confidence: float | None
) -> None:
    graph = build(TRIPLES, tmp_path / "g.graph")
    pipeline = LinkLabels() >> Operators(Patterns(NearestPath(sure), max_hops=2)) >> PathAnswer()
    answer = pipeline(graph, "Where does Person 4 work?")
    assert (answer.texts, answer.confidence) == (("Company 1",), confidence)


@pytest.mark.parametrize(
    ("text", "passed_by"),
    [
        ("which cities do the companies of e0 come from?", []),
        ("which city does e0 come from?", []),
        ("which cities do the persons of e0 come from?", ["persons"]),
        ("which cities do the people of e0 and the company come from?", ["people"]),
    ],
)
def test_classes_of_a_question_that_a_path_passes_by_are_told(tmp_path: Path, text: str, passed_by: list[str]) -> None:
    names = dict.fromkeys(end for head, _, tail in TRIPLES for end in (head, tail))
    graph = build([*(EntityRecord(name, types=(name.split()[0],)) for name in names), *TRIPLES], tmp_path / "g.graph")
    nodes = [graph.entity(name) for name in ("Company 1", "City 1")]
    (triple,) = (t for t in graph.triple_ids().tolist() if graph.triple(t)[0] == nodes[0])
    path = GraphPath(graph, tuple(nodes), (triple,), (True,))
    parser = SimpleNamespace(
        resolver=SimpleNamespace(lexicon=lexicon_of(graph)),
        place=SimpleNamespace(graph=graph),
        question=SimpleNamespace(text=text),
    )
    with record(Trace(), "Operators()", "retrieve") as entry:
        found = classes_passed_by(path, parser)  # type: ignore[arg-type]
    assert found == passed_by
    assert [event.code for event in entry.events] == ["operators.classes_not_met"] * bool(found)
