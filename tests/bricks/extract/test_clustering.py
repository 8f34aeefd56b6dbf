"""Local clustering coefficients, against networkx."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest

from graphbrick import PPR, Graph, Query, SizedPPR, build, change
from graphbrick.bricks.extract.clustering import PAIRS, local_clustering
from graphbrick.bricks.extract.seeds import start
from graphbrick.bricks.extract.sized_ppr import ranking
from graphbrick.core.trace import Trace, record


def simple(graph: Graph) -> networkx.Graph:
    """The undirected simple graph of the triples."""
    made = networkx.Graph()
    made.add_nodes_from(range(graph.n_entities))
    made.add_edges_from((h, t) for h, _, t in map(graph.triple, graph.triple_ids().tolist()) if h != t)
    return made


@pytest.mark.parametrize("seed", range(4))
def test_small_neighbourhoods_are_exact(tmp_path: Path, seed: int) -> None:
    """Parallel relations, both directions and loops do not count twice or at all."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 25, (160, 2)).tolist()
    triples = [(f"n{a}", f"r{random.integers(3)}", f"n{b}") for a, b in rows] + [("n0", "r0", "n0"), ("x", "r0", "n1")]
    graph = build(triples, tmp_path / "random.graph")
    expected = networkx.clustering(simple(graph))
    assert any(0 < value < 1 for value in expected.values())
    for entity in range(graph.n_entities):
        assert local_clustering(graph, entity) == pytest.approx(expected[entity], abs=1e-12)


def test_triples_of_a_change_count(tmp_path: Path) -> None:
    graph = build([("a", "r", "b"), ("a", "r", "c"), ("a", "r", "d")], tmp_path / "star.graph")
    assert local_clustering(graph, graph.entity("a")) == 0
    changed = change(graph.path, add=[("c", "r", "b"), ("e", "r", "d")], delete=[("a", "r", "d")]).graph
    assert (
        local_clustering(changed, changed.entity("a")) == networkx.clustering(simple(changed))[changed.entity("a")] == 1
    )


@pytest.mark.whole
def test_large_neighbourhoods_are_sampled_and_always_alike(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    spokes = [("hub", "r", f"n{i}") for i in range(300)]
    rim = [(f"n{a}", "s", f"n{b}") for a, b in random.integers(0, 300, (20_000, 2)).tolist()]
    graph = build([*spokes, *rim], tmp_path / "wheel.graph")
    hub = graph.entity("hub")
    exact = networkx.clustering(simple(graph), hub)
    estimate = local_clustering(graph, hub)
    assert estimate == local_clustering(graph, hub)
    assert estimate != exact
    error = (exact * (1 - exact) / PAIRS) ** 0.5
    assert abs(estimate - exact) < 4 * error
    assert local_clustering(graph, hub, pairs=300 * 299 // 2) == pytest.approx(exact, abs=1e-12)


def test_the_sizer_is_told_the_coefficient_of_each_seed(tmp_path: Path) -> None:
    clique = [f"c{i}" for i in range(6)]
    triples = [(a, "r", b) for a in clique for b in clique if a < b] + [("c0", "r", "far"), ("far", "r", "end")]
    graph = build(triples, tmp_path / "clique.graph")
    query = Query("Who knows whom?", seeds=(graph.entity("c0"), graph.entity("far")))
    _, around = ranking(graph, PPR(k=10), query.text, start(graph, query))
    assert sorted(around.clustering) == pytest.approx([0, 10 / 15])  # five of the clique and one outside it
    with record(Trace(), "stage", "extract") as entry:
        SizedPPR().extract(graph, query)
    assert entry.facts["clustering"] == pytest.approx(1 / 3)
