from __future__ import annotations

import pytest

from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Evidence, Path, Query, Report, Subgraph
from graphbrick.study.metrics.path_metrics import met, path_f1, path_precision, path_recall
from graphbrick.testing import tiny_graph

PATHS = [("Kenya", "Nairobi"), ("Uganda", "Kampala"), ("Uganda", "Kampala", "Nairobi"), ("Rwanda",)]


def test_by_hand() -> None:
    gold = ["Nairobi", "Kigali"]
    assert path_precision(PATHS, gold) == 0.5
    assert path_recall(PATHS, gold) == 0.5
    assert path_f1(PATHS, ["Nairobi"]) == pytest.approx(2 / 3)
    assert path_f1(PATHS, ["Gulu"]) == 0


def test_alternatives_and_answers_that_are_not_in_the_graph() -> None:
    # A path to either of two entities of a name reaches the answer; paths to both reach it once.
    assert path_recall(PATHS, [("Nairobi", "Kampala"), None, ()]) == pytest.approx(1 / 3)
    assert path_precision(PATHS, [("Nairobi", "Kampala"), None]) == 0.75


def test_no_paths_are_0_and_no_gold_is_an_error() -> None:
    assert (path_precision([], ["a"]), path_recall([], ["a"]), path_f1([], ["a"])) == (0, 0, 0)
    for measure in (path_precision, path_recall, path_f1):
        with pytest.raises(ValueError, match="without gold answers"):
            measure(PATHS, [])


def test_a_path_does_not_meet_the_seed_that_it_starts_from() -> None:
    graph = tiny_graph()
    kenya, nairobi = graph.entity("Kenya"), graph.entity("Nairobi")
    evidence = ShortestPaths().retrieve(Query("?", seeds=(kenya,)), Subgraph(graph))
    assert all(isinstance(item, Path) and item.start == kenya for item in evidence.items)
    assert kenya not in {entity for item in met(evidence) for entity in item}
    assert (nairobi,) in met(evidence)
    report = Report(graph, (kenya, nairobi), "about both")
    assert met(Evidence((report,))) == [(kenya, nairobi)]
