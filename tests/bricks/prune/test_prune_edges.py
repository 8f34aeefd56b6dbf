from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from faults import fails, told
from hypothesis import given
from hypothesis import strategies as st
from test_prune_nodes import (
    ASKED,
    SIZES,
    Folder,
    Hashed,
    Says,
    at,
    check_components,
    far,
    prune,
    query_on,
    records_of,
    sets_of,
    some,
    view,
)

from graphbrick import BM25, Query, Subgraph
from graphbrick.bricks.prune.edges import PruneEdges
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record, RelationRecord
from graphbrick.testing import tiny_graph


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory)


def name(graph: Graph, triple: int) -> str:
    return graph.relation_label(graph.triple(triple)[1])


def kept_edges(
    subgraph: Subgraph, query: Query, scorer: Hashed, n: int | None, threshold: float | None, by: str
) -> set[int]:
    graph = subgraph.graph
    _, triples = sets_of(subgraph)
    if by == "relation":
        relations = sorted({graph.triple(t)[1] for t in triples})
        best = sorted(relations, key=lambda r: (-scorer.one(graph.relation_label(r)), r))
        if threshold is not None:
            best = [r for r in best if scorer.one(graph.relation_label(r)) > threshold]
        best = best if n is None else best[:n]
        return {t for t in triples if graph.triple(t)[1] in best}
    away = far(subgraph, query)

    def place(t: int) -> tuple[float, float, int]:
        head, _, tail = graph.triple(t)
        return -scorer.one(name(graph, t)), min(away[head], away[tail]), t

    ranked = sorted(triples, key=place)
    if threshold is not None:
        ranked = [t for t in ranked if scorer.one(name(graph, t)) > threshold]
    return set(ranked if n is None else ranked[:n])


@pytest.mark.whole
@some
@given(
    records=records_of(),
    data=st.data(),
    scorer=st.builds(Hashed, st.sampled_from([1, 2, 1000]), st.sampled_from("xyz")),
    by=st.sampled_from(["relation", "triple"]),
    connected=st.booleans(),
)
def test_edges_are_those_of_the_reference(
    folder: Folder,
    records: list[Record],
    data: st.DataObject,
    scorer: Hashed,
    by: str,
    connected: bool,
) -> None:
    with folder.graph(records) as graph:
        subgraph, query = view(data, graph), query_on(data, graph)
        seeds = sets_of(subgraph)[0] & set(query.seeds)
        for n, threshold in SIZES:
            triples = kept_edges(subgraph, query, scorer, n, threshold, by)
            nodes = {end for t in triples for end in graph.triple(t)[::2]} | seeds
            brick = PruneEdges(scorer, n=n, threshold=threshold, by=by, connected=connected)
            check_components(brick, query, subgraph, nodes, triples)


@pytest.mark.parametrize("by", ["relation", "triple"])
def test_each_name_is_scored_once(by: str) -> None:
    ASKED.clear()
    PruneEdges(Hashed(), n=2, by=by).prune(Query("?", seeds=(0,)), Subgraph(tiny_graph()))
    (asked,) = ASKED
    assert sorted(asked) == ["borders", "capital", "currency", "largest city"]


def test_all_triples_of_a_name_stay() -> None:
    graph = tiny_graph()
    _, triples, _ = prune(PruneEdges(BM25(), n=1), Query("what borders what"), Subgraph(graph))
    assert {name(graph, t) for t in triples} == {"borders"}
    assert len(triples) == 4  # a self loop and both ways between two countries among them


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_by_triple_n_counts_edges(n: int) -> None:
    graph = tiny_graph()
    query = Query("what borders what", seeds=at(graph, "Rwanda"))
    nodes, triples, _ = prune(PruneEdges(BM25(), n=n, by="triple"), query, Subgraph(graph))
    assert len(triples) == n
    assert {name(graph, t) for t in triples} == {"borders"}
    # Both triples at Rwanda are at distance 0, then those at Uganda.
    texts = sorted(graph.triple_text(t) for t in triples)
    near = ["Rwanda -> borders -> Rwanda", "Rwanda -> borders -> Uganda"]
    assert [text for text in texts if text in near] == (near if n > 1 else near[1:])
    assert at(graph, "Rwanda")[0] in nodes


def test_parallel_relations_are_told_apart() -> None:
    graph = tiny_graph()
    _, triples, _ = prune(PruneEdges(BM25(), n=1), Query("what is the largest city"), Subgraph(graph))
    assert [graph.triple_text(t) for t in triples] == ["Uganda -> largest city -> Kampala"]


def test_n_counts_distinct_names_also_where_relations_share_one(tmp_path: Path) -> None:
    records: list[Record] = [
        ("a", "film.actor", "b"),
        ("a", "theatre.actor", "c"),
        ("a", "born", "d"),
        RelationRecord("film.actor", "actor"),
        RelationRecord("theatre.actor", "actor"),
    ]
    graph = build(records, tmp_path / "names.graph")
    _, triples, _ = prune(PruneEdges(BM25(), n=1), Query("which actor", seeds=at(graph, "a")), Subgraph(graph))
    assert {graph.triple_text(t) for t in triples} == {"a -> actor -> b", "a -> actor -> c"}


def test_of_equal_names_the_lower_relation_id_stays() -> None:
    graph = tiny_graph()
    for n in range(1, 5):
        _, triples, _ = prune(PruneEdges(Says(), n=n), Query("?"), Subgraph(graph))
        assert {graph.triple(t)[1] for t in triples} == set(range(n))


@pytest.mark.parametrize("by", ["relation", "triple"])
def test_a_seed_without_a_triple_left_stays(by: str) -> None:
    graph = tiny_graph()
    query = Query("largest city", seeds=at(graph, "Kigali"))
    nodes, _, entry = prune(PruneEdges(BM25(), n=1, by=by), query, Subgraph(graph))
    assert nodes == set(at(graph, "Uganda", "Kampala", "Kigali"))
    assert entry.facts["cut_off"] == 2
    nodes, triples, entry = prune(PruneEdges(BM25(), n=1, by=by, connected=True), query, Subgraph(graph))
    assert (nodes, triples) == (set(query.seeds), set())
    assert told(entry.events) == [("prune.lonely_seed", {"seed": query.seeds[0]}), ("prune.cut_off", {"n": 2})]


@pytest.mark.parametrize("by", ["relations", "", None, 1])
def test_by_is_checked(by: Any) -> None:
    with fails("parameter.not_allowed", PipelineError, brick="PruneEdges", name="by"):
        PruneEdges(BM25(), by=by)
