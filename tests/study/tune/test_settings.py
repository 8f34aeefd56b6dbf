"""What a search may be asked for, and where it may begin."""

from __future__ import annotations

from typing import Any

import pytest
from faults import fails

from graphbrick.questions.question import Question
from graphbrick.study.tune.questions import split
from graphbrick.study.tune.settings import MEASURES, Settings
from graphbrick.study.tune.space.default_space import permitted
from graphbrick.study.tune.space.space import STAGES, Space


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"workers": 0}, "tune.bad_workers"),
        ({"workers": 5_000}, "tune.bad_workers"),
        ({"seed": -100}, "tune.bad_seed"),
        ({"metric": "nodes"}, "tune.bad_metric"),
        ({"metric": "confidence"}, "tune.bad_metric"),
        ({"metric": "beauty"}, "tune.bad_metric"),
        ({"metric": "linking_precision"}, "tune.needs_linking"),
        ({"pipelines": 0}, "tune.bad_pipelines"),
        ({"seconds": 0.0}, "tune.bad_seconds"),
        ({"aims": ()}, "tune.no_aim"),
    ],
)
def test_settings_are_checked_before_the_search(wrong: dict[str, Any], code: str) -> None:
    with fails(code, **{name: value for name, value in wrong.items() if name != "aims"}):
        Settings(**wrong)


def test_measures_that_count_things_are_no_quality() -> None:
    assert {"hits_at_1", "f1", "recall_at_10", "entity_f1", "subgraph_recall"} <= set(MEASURES)
    assert not {"nodes", "triples", "components", "confidence"} & set(MEASURES)
    assert Settings(metric="linking_precision", link=True).metric == "linking_precision"


def test_a_graph_that_writes_too_few_questions_asks_for_some() -> None:
    few = [Question(str(i), "?", ("a",), ("b",)) for i in range(5)]
    with fails("tune.too_few_questions", n=5):
        split(few, seed=0)
    with fails("tune.too_few_written", n=5):
        split(few, seed=0, written=True)


KNOWN = {
    "default": "PPR(k=50) >> ShortestPaths() >> PathAnswer()",
    "paths": "KHop() >> AllPaths() >> PathAnswer()",
    "pruned": "PPR() >> PruneEdges(BM25()) >> ShortestPaths() >> PathAnswer()",
}
SPACE = Space(
    {"extract": ("PPR()",), "retrieve": ("ShortestPaths()", "AllPaths()"), "generate": ("PathAnswer()",)},
    {"scorer": ("BM25()",)},
)


def names(**restrictions: Any) -> tuple[set[str], bool]:
    known, first = permitted(KNOWN, SPACE, **{"without": (), "kinds": (), **restrictions})
    return set(known), first


def test_published_recipes_are_restricted_like_the_space() -> None:
    assert names() == ({"default", "paths", "pruned"}, True)
    assert names(without=["AllPaths"]) == ({"default", "pruned"}, True)
    assert names(without=["BM25"]) == ({"default", "paths"}, True)
    assert names(without=["PPR"]) == ({"default", "paths"}, False)  # the default stays, to compare with
    assert names(kinds=["extract"]) == ({"default", "pruned"}, True)
    assert names(kinds=STAGES) == ({"default"}, True)
