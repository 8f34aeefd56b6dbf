"""Relations that mean the same in both directions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick import Graph, Patterns, PatternScorer, Query, Subgraph, build, change
from graphbrick.graphs.symmetric import symmetric_relations
from graphbrick.learn.learned import learned_pipeline, learned_place
from graphbrick.learn.learning import learn
from graphbrick.patterns.model.confidence import fit_features
from graphbrick.patterns.model.folder import load
from graphbrick.patterns.text import Steps

PLACES = [f"Place {number}" for number in range(24)]
ROADS = list(pairwise(PLACES))


def test_a_relation_is_symmetric_if_nearly_all_its_triples_are_there_both_ways(tmp_path: Path) -> None:
    graph = build(
        [
            *((a, "borders", b) for pair in ROADS for a, b in (pair, pair[::-1])),
            ("Place 0", "borders", "Place 9"),  # one of 47 has no counterpart
            *((a, "north of", b) for a, b in ROADS),
            *((b, "south of", a) for a, b in ROADS),  # the inverse of another relation, not of itself
            *((a, "twinned with", b) for pair in ROADS[:4] for a, b in (pair, pair[::-1])),
            *((a, "twinned with", b) for a, b in ROADS[4:6]),  # 2 of 10 have none
            *((a, "ferry to", b) for pair in ROADS[:1] for a, b in (pair, pair[::-1])),  # two triples say little
        ],
        tmp_path / "places.graph",
    )
    assert symmetric_relations(graph) == {"borders"}


@pytest.mark.whole
def test_both_directions_of_a_symmetric_relation_have_one_score(tmp_path: Path) -> None:
    graph = build(
        [
            *((a, "borders", b) for pair in ROADS for a, b in (pair, pair[::-1])),
            *((place, "mayor", f"Mayor {number}") for number, place in enumerate(PLACES)),
        ],
        tmp_path / "places.graph",
    )
    learn(graph, n=100, max_hops=2)
    model = load(str(learned_place(graph)))
    assert model.symmetric == {"borders"}
    assert model.alignment is not None
    patterns: list[Steps] = [
        (("borders", True), ("mayor", True)),
        (("borders", False), ("mayor", True)),
        (("mayor", True),),
        (("mayor", False),),
    ]
    for question in ("Who is the mayor of a place that borders X?", "who governs the neighbours of X"):
        scores = model.score(model.ask(question), patterns)
        np.testing.assert_allclose(scores[0], scores[1], rtol=1e-6)
        assert abs(scores[2] - scores[3]) > 0.1
        assert scores[:2].min() > scores[2:].max()

    pipeline, question = learned_pipeline(graph), "Which places border Place 7?"
    assert pipeline is not None
    stage = Patterns(PatternScorer(str(learned_place(graph))), max_hops=2)

    def fit(graph: Graph) -> npt.NDArray[np.float64]:
        readings = stage.readings(Query(question, (graph.entity("Place 7"),)), Subgraph(graph))
        return fit_features(model, {}, {}, question, readings)

    complete = fit(graph)
    assert set(pipeline(graph, question).texts) == {"Place 6", "Place 8"}
    change(graph.place, delete=[("Place 7", "borders", "Place 8")])  # the triple the other way stays
    changed = Graph.open(graph.place)
    assert set(pipeline(changed, question).texts) == {"Place 6", "Place 8"}
    np.testing.assert_allclose(fit(changed), complete)
