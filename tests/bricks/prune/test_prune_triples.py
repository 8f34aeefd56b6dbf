from __future__ import annotations

import pytest
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
    ids,
    prune,
    query_on,
    records_of,
    sets_of,
    some,
    view,
)

from graphbrick import BM25, Query, Subgraph
from graphbrick.bricks.prune.triples import PruneTriples
from graphbrick.graphs.records.records import Record
from graphbrick.testing import tiny_graph


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory)


@pytest.mark.whole
@some
@given(
    records=records_of(),
    data=st.data(),
    scorer=st.builds(Hashed, st.sampled_from([1, 3, 1000]), st.sampled_from("xyz")),
    connected=st.booleans(),
)
def test_triples_are_those_of_the_reference(
    folder: Folder,
    records: list[Record],
    data: st.DataObject,
    scorer: Hashed,
    connected: bool,
) -> None:
    with folder.graph(records) as graph:
        subgraph, query = view(data, graph), query_on(data, graph)
        away = far(subgraph, query)
        scores = {t: scorer.one(graph.triple_text(t)) for t in sets_of(subgraph)[1]}

        def place(t: int) -> tuple[float, float, int]:
            return -scores[t], min(away[graph.triple(t)[0]], away[graph.triple(t)[2]]), t

        seeds = sets_of(subgraph)[0] & set(query.seeds)
        for n, threshold in SIZES:
            ranked = [t for t in sorted(scores, key=place) if threshold is None or scores[t] > threshold]
            triples = set(ranked if n is None else ranked[:n])
            nodes = {end for t in triples for end in graph.triple(t)[::2]} | seeds
            brick = PruneTriples(scorer, n=n, threshold=threshold, connected=connected)
            check_components(brick, query, subgraph, nodes, triples)


@pytest.mark.whole
@some
@given(records=records_of(), data=st.data())
def test_the_texts_of_a_view_are_those_of_its_triples(
    folder: Folder, records: list[Record], data: st.DataObject
) -> None:
    with folder.graph(records) as graph:
        subgraph = view(data, graph)
        texts = [graph.triple_text(t) for t in sorted(sets_of(subgraph)[1])]
        assert subgraph.triple_texts() == texts
        ASKED.clear()
        PruneTriples(Hashed(), n=1).prune(query_on(data, graph), subgraph)
        assert ([list(dict.fromkeys(texts))] if texts else []) == ASKED


@pytest.mark.parametrize("n", range(1, 12))
def test_of_equal_texts_the_nearer_to_a_seed_stays(n: int) -> None:
    graph = tiny_graph()
    query = Query("?", seeds=at(graph, "Kigali"))
    away = far(Subgraph(graph), query)
    order = sorted(range(10), key=lambda t: (min(away[graph.triple(t)[0]], away[graph.triple(t)[2]]), t))
    _, triples, _ = prune(PruneTriples(Says(), n=n), query, Subgraph(graph))
    assert triples == set(order[:n])


def test_a_self_loop_keeps_its_one_end() -> None:
    graph = tiny_graph()
    nodes, triples, entry = prune(PruneTriples(BM25(), n=1), Query("Rwanda borders Rwanda"), Subgraph(graph))
    assert [graph.triple_text(t) for t in triples] == ["Rwanda -> borders -> Rwanda"]
    assert nodes == set(at(graph, "Rwanda"))
    assert entry.facts["cut_off"] == 1


def test_parallel_triples_are_scored_each() -> None:
    graph = tiny_graph()
    query = Query("largest city of Uganda", seeds=at(graph, "Kampala"))
    _, triples, _ = prune(PruneTriples(BM25(), n=1), query, Subgraph(graph))
    assert [graph.triple_text(t) for t in triples] == ["Uganda -> largest city -> Kampala"]


def test_nodes_without_triples() -> None:
    lonely = Subgraph(tiny_graph(), ids([0, 3]), ids([]))
    ASKED.clear()
    nodes, triples, entry = prune(PruneTriples(Hashed(), n=1), Query("?", seeds=(3, 5)), lonely)
    assert (nodes, triples, entry.facts, ASKED) == ({3}, set(), {"cut_off": 0}, [])


def test_a_seed_outside_the_subgraph_is_not_brought_in() -> None:
    graph = tiny_graph()
    nodes, triples, _ = prune(
        PruneTriples(BM25(), n=1), Query("Kenya", seeds=(7,)), Subgraph(graph, ids([0, 1]), ids([0]))
    )
    assert (nodes, triples) == ({0, 1}, {0})
