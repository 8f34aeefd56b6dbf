"""Measures of ranked evidence, against ir_measures where every item is one entity, and by hand where it is not."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Path, Query, Subgraph
from graphbrick.study.metrics.ranking_metrics import hit_at, ndcg_at, precision_at, recall_at, reciprocal_rank
from graphbrick.testing import tiny_graph

OURS = {
    "R": recall_at,
    "Success": hit_at,
    "RR": reciprocal_rank,
    "nDCG": ndcg_at,
}
entities = st.lists(st.integers(0, 30), unique=True, max_size=20)


@given(entities.filter(bool), st.sets(st.integers(0, 40), min_size=1, max_size=12), st.integers(1, 25))
def test_rankings_of_entities_agree_with_ir_measures(ranking: list[int], gold: set[int], n: int) -> None:
    measures = {name: getattr(ir_measures, name) @ n for name in OURS}
    qrels = [ir_measures.Qrel("q", str(entity), 1) for entity in gold]
    run = [ir_measures.ScoredDoc("q", str(entity), float(-rank)) for rank, entity in enumerate(ranking)]
    theirs = ir_measures.calc_aggregate(list(measures.values()), qrels, run)
    for name, ours in OURS.items():
        assert ours([(entity,) for entity in ranking], gold, n) == pytest.approx(theirs[measures[name]]), name


def test_the_mrr_of_several_questions_agrees_with_ir_measures() -> None:
    rankings = {"a": [3, 1, 2], "b": [2, 9], "c": [7, 8, 9]}
    gold = {"a": {1, 2}, "b": {2}, "c": {4}}
    qrels = [ir_measures.Qrel(q, str(entity), 1) for q in gold for entity in gold[q]]
    run = [ir_measures.ScoredDoc(q, str(e), float(-i)) for q in gold for i, e in enumerate(rankings[q])]
    theirs = ir_measures.calc_aggregate([ir_measures.RR], qrels, run)[ir_measures.RR]
    ours = [reciprocal_rank([(entity,) for entity in rankings[q]], gold[q]) for q in gold]
    assert sum(ours) / 3 == pytest.approx(theirs) == 0.5


def test_items_that_meet_several_entities() -> None:
    items = [("Kenya",), ("Kenya", "Nairobi"), ("Uganda", "Nairobi"), ("Kampala", "Kigali", "Nairobi")]
    gold = ["Nairobi", "Kigali", "Kampala", None]
    assert [recall_at(items, gold, n) for n in (1, 2, 3, 4, 9)] == [0, 0.25, 0.25, 0.75, 0.75]
    assert [hit_at(items, gold, n) for n in (1, 2)] == [0, 1]
    assert (reciprocal_rank(items, gold), reciprocal_rank(items, gold, 1)) == (0.5, 0)
    # The third item leads to nothing new.
    assert ndcg_at(items, ["Nairobi"], 4) == pytest.approx(0.6309297535714575)


PATHS = [("Kenya", "Nairobi"), ("Uganda", "Kampala"), ("Uganda", "Kampala", "Nairobi"), ("Rwanda",)]


def test_of_all_paths_each_that_meets_an_answer_is_right() -> None:
    gold = ["Nairobi", "Kigali"]
    assert (precision_at(PATHS, gold), recall_at(PATHS, gold)) == (0.5, 0.5)
    assert (precision_at([], gold), recall_at([], gold)) == (0, 0)
    # A path to either of two entities of a name reaches the answer; paths to both reach it once.
    assert recall_at(PATHS, [("Nairobi", "Kampala"), None, ()]) == pytest.approx(1 / 3)
    assert precision_at(PATHS, [("Nairobi", "Kampala"), None]) == 0.75


def test_a_path_does_not_meet_the_seed_that_it_starts_from() -> None:
    graph = tiny_graph()
    kenya, nairobi = graph.entity("Kenya"), graph.entity("Nairobi")
    evidence = ShortestPaths().retrieve(Query("?", seeds=(kenya,)), Subgraph(graph))
    assert all(isinstance(item, Path) and item.start == kenya for item in evidence.items)
    assert kenya not in {entity for item in evidence.items for entity in item.entities}
    assert (nairobi,) in [item.entities for item in evidence.items]


def test_alternatives_count_once() -> None:
    items = [(1,), (2,), (3,)]
    assert recall_at(items, [(1, 2), 3], 2) == 0.5
    assert recall_at([(2,)], [(1, 2), (2, 3)], 1) == 1


@given(
    st.lists(st.sets(st.integers(0, 6), max_size=3), max_size=8),
    st.lists(st.one_of(st.none(), st.integers(0, 6), st.sets(st.integers(0, 6), max_size=3)), min_size=1, max_size=5),
    st.integers(1, 10),
)
def test_all_lie_between_0_and_1_and_grow_with_n(items: list[set[int]], gold: list[object], n: int) -> None:
    for name, measure in OURS.items():
        assert 0 <= measure(items, gold, n) <= 1
        if name in ("R", "Success", "RR"):
            assert measure(items, gold, n) <= measure(items, gold, n + 1)
    assert reciprocal_rank(items, gold) == reciprocal_rank(items, gold, 99)


@pytest.mark.parametrize("measure", OURS.values())
def test_bad_input_is_refused(measure) -> None:
    assert measure([], ["a"], 3) == 0
    with pytest.raises(ValueError, match="without gold answers"):
        measure([("a",)], [], 3)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        measure([("a",)], ["a"], 0)
    with pytest.raises(TypeError, match="must be a collection of entities, got the text 'Nairobi'"):
        measure(["Nairobi"], ["a"], 3)
