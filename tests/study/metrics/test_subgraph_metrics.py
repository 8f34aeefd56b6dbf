from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core import Subgraph
from graphbrick.study.metrics.subgraph_metrics import SubgraphScores, n_components, subgraph_scores
from graphbrick.testing import TINY, tiny_graph


def view(names: list[str], triples: list[int]) -> Subgraph:
    graph = tiny_graph()
    nodes = np.array(sorted(graph.entity(name) for name in names), dtype=np.int32)
    return Subgraph(graph, nodes, np.array(triples, dtype=np.int32))


def test_by_hand() -> None:
    graph = tiny_graph()
    subgraph = view(["Kenya", "Nairobi", "Uganda", "Kigali"], [])
    gold = [graph.entity("Nairobi"), graph.entity("Kampala"), None]
    assert subgraph_scores(subgraph, gold) == pytest.approx((1 / 3, 1 / 4, 2 / 7, 4, 0, 4))


def test_alternatives() -> None:
    graph = tiny_graph()
    capitals = tuple(graph.entity(name) for name in ("Nairobi", "Kampala", "Kigali"))
    scores = subgraph_scores(view(["Kenya", "Nairobi", "Kampala"], []), [capitals, graph.entity("Rwanda"), ()])
    assert scores.recall == pytest.approx(1 / 3)
    assert scores.precision == pytest.approx(2 / 3)
    # One entity that two answers may mean reaches both.
    nairobi, kampala, kigali = capitals
    scores = subgraph_scores(view(["Kampala"], []), [(nairobi, kampala), (kampala, kigali)])
    assert (scores.recall, scores.precision, scores.f1) == (1, 1, 1)


def test_an_empty_subgraph_and_the_whole_graph() -> None:
    graph = tiny_graph()
    gold = [graph.entity("Nairobi")]
    assert subgraph_scores(view([], []), gold) == SubgraphScores(0, 0, 0, 0, 0, 0)
    whole = subgraph_scores(Subgraph(graph), gold)
    assert whole == pytest.approx((1, 1 / 8, 2 / 9, 8, 10, None))
    with pytest.raises(ValueError, match="without gold answers"):
        subgraph_scores(Subgraph(graph), [])


@given(st.sets(st.sampled_from(sorted({name for h, _, t in TINY for name in (h, t)}))), st.sets(st.integers(0, 9)))
def test_components_are_those_of_networkx(names: set[str], chosen: set[int]) -> None:
    graph = tiny_graph()
    nodes = {graph.entity(name) for name in names}
    ends = {i: (int(graph.csr.heads(np.array([i]))[0]), int(graph.csr.tail[i])) for i in chosen}
    kept = {i: pair for i, pair in ends.items() if nodes.issuperset(pair)}
    reference = nx.DiGraph()
    reference.add_nodes_from(nodes)
    reference.add_edges_from(kept.values())
    assert n_components(view(sorted(names), sorted(kept))) == nx.number_weakly_connected_components(reference)
