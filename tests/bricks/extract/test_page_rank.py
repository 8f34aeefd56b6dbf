from __future__ import annotations

from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.bricks.extract.page_rank import PageRank
from graphbrick.bricks.extract.ppr import PPR
from graphbrick.core import Query
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.testing import check_brick, tiny_graph

DIRECTIONS = ["both", "out", "in"]


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> list[Graph]:
    """Multigraphs with parallel relations, self loops and dangling entities."""
    made = []
    for number in range(12):
        rng = np.random.default_rng(number)
        n = int(rng.integers(3, 40))
        ends = rng.integers(0, n, (int(rng.integers(2, 3 * n)), 2))
        ends[:, 0] //= int(rng.integers(1, 3))  # the upper half may have no outgoing triple
        triples = [(f"e{h}", f"r{rng.integers(2)}", f"e{t}") for h, t in ends]
        made.append(build(triples, tmp_path_factory.mktemp("page_rank") / "any.graph"))
    return made


def near(graph: Graph, seeds: list[int], direction: str, max_hops: int) -> list[int]:
    network = nx.MultiDiGraph()
    network.add_nodes_from(range(graph.n_entities))
    for head, _, tail in map(graph.triple, range(graph.n_triples)):
        if direction != "in":
            network.add_edge(head, tail)
        if direction != "out":
            network.add_edge(tail, head)
    return sorted(set().union(*(nx.ego_graph(network, seed, radius=max_hops).nodes for seed in seeds)))


def by_igraph(graph: Graph, nodes: list[int], direction: str, restart: float) -> npt.NDArray[np.float64]:
    at = {node: i for i, node in enumerate(nodes)}
    ends = [(head, tail) for head, _, tail in map(graph.triple, range(graph.n_triples)) if {head, tail} <= at.keys()]
    edges = [(at[head], at[tail]) if direction != "in" else (at[tail], at[head]) for head, tail in ends]
    network = igraph.Graph(n=len(nodes), edges=edges, directed=direction != "both")
    return np.array(network.pagerank(damping=1 - restart))


def ids(*values: int) -> npt.NDArray[np.int32]:
    return np.array(sorted(values), dtype=np.int32)


@pytest.mark.parametrize(
    "brick",
    [PageRank(k=3), PageRank(k=2, max_hops=None), PageRank(k=1, direction="in", seeds="each", max_hops=1)],
)
def test_the_contract_is_kept(brick: PageRank) -> None:
    check_brick(brick, installed=False)


@pytest.mark.whole
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("restart", [0.15, 0.5])
@pytest.mark.parametrize("max_hops", [1, 2, 4])
def test_scores_are_those_of_igraph_near_the_seeds(
    graphs: list[Graph], direction: str, restart: float, max_hops: int
) -> None:
    for number, graph in enumerate(graphs):
        seeds = np.random.default_rng(number).permutation(graph.n_entities)[:2].tolist()
        expected = near(graph, seeds, direction, max_hops)
        true = by_igraph(graph, expected, direction, restart)
        for tolerance in (1e-2, 1e-4, 1e-9):
            brick = PageRank(restart=restart, direction=direction, max_hops=max_hops, tolerance=tolerance)
            nodes, scores, error, _ = brick.scores(graph, ids(*seeds))
            assert nodes.tolist() == expected
            assert np.abs(scores - true).sum() <= error + 1e-7
            assert error <= tolerance * (1 + 1e-9)
            assert scores.sum() == pytest.approx(1)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("restart", [0.15, 0.5])
def test_scores_of_the_whole_graph_solve_the_equations(graphs: list[Graph], direction: str, restart: float) -> None:
    for graph in graphs:
        n = graph.n_entities
        steps = np.zeros((n, n))  # steps[u, v]: probability of a step from u to v; from a dead end to anywhere
        for head, _, tail in map(graph.triple, range(graph.n_triples)):
            steps[head, tail] += direction != "in"
            steps[tail, head] += direction != "out"
        degrees = steps.sum(axis=1, keepdims=True)
        steps = np.where(degrees > 0, steps / np.maximum(degrees, 1), 1 / n)
        true = np.linalg.solve(np.eye(n) - (1 - restart) * steps.T, np.full(n, restart / n))
        brick = PageRank(k=3, restart=restart, direction=direction, max_hops=None, tolerance=1e-9)
        nodes, scores, error, _ = brick.scores(graph, ids(0))
        assert nodes.tolist() == list(range(n))
        assert np.abs(scores - true).sum() <= error + 1e-9


def test_all_questions_share_the_scores_of_the_whole_graph(graphs: list[Graph]) -> None:
    graph, brick = graphs[3], PageRank(k=3, max_hops=None)
    assert brick.scores(graph, ids(0))[1] is brick.scores(graph, ids(1))[1]
    assert brick.scores(graph, ids(0))[1] is not brick.scores(graphs[4], ids(0))[1]
    finer = PageRank(k=3, max_hops=None, tolerance=1e-9)
    assert brick.scores(graph, ids(0))[1] is not finer.scores(graph, ids(0))[1]


def test_the_whole_graph_reaches_beyond_the_component_of_the_seed(tmp_path: Path) -> None:
    triples = [("seed", "r", "near"), *((f"leaf {i}", "r", "hub") for i in range(9))]
    graph = build(triples, tmp_path / "parts.graph")
    nodes = PageRank(k=2, max_hops=None).extract(graph, Query("?", seeds=(graph.entity("seed"),))).nodes
    assert nodes is not None
    assert {graph.key(int(node)) for node in nodes} == {"seed", "hub"}


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("k", [1, 4, 1000])
def test_the_best_are_kept_and_the_seeds(graphs: list[Graph], direction: str, k: int) -> None:
    for number, graph in enumerate(graphs):
        seeds = np.random.default_rng(number).permutation(graph.n_entities)[:2].tolist()
        brick = PageRank(k=k, direction=direction, max_hops=3, tolerance=1e-12)
        nodes, scores, _, _ = brick.scores(graph, ids(*seeds))
        others = [(-score, node) for score, node in zip(scores, nodes.tolist(), strict=True) if node not in seeds]
        expected = sorted([*seeds, *(node for _, node in sorted(others)[: max(0, k - 2)])])
        subgraph = brick.extract(graph, Query("?", seeds=tuple(seeds)))
        assert subgraph.nodes is not None
        assert subgraph.nodes.tolist() == expected
        assert subgraph.triples is not None
        assert subgraph.triples.tolist() == [
            t for t in range(graph.n_triples) if {graph.triple(t)[0], graph.triple(t)[2]} <= set(expected)
        ]


def test_ties_go_to_the_lower_id(tmp_path_factory: pytest.TempPathFactory) -> None:
    star = build([("hub", "r", f"leaf {i}") for i in range(9)], tmp_path_factory.mktemp("star") / "star.graph")
    nodes = PageRank(k=4).extract(star, Query("?", seeds=(star.entity("leaf 5"),))).nodes
    assert nodes is not None
    assert [star.key(int(node)) for node in nodes] == ["hub", "leaf 0", "leaf 1", "leaf 5"]


def test_it_keeps_the_best_connected_not_the_closest(tmp_path_factory: pytest.TempPathFactory) -> None:
    triples = [("seed", "r", f"near {i}") for i in range(5)]
    triples += [("near 4", "r", "hub"), *((f"leaf {i}", "r", "hub") for i in range(20))]
    graph = build(triples, tmp_path_factory.mktemp("hub") / "hub.graph")
    query = Query("?", seeds=(graph.entity("seed"),))
    for brick, kept in [(PageRank(k=2, restart=0.5), "hub"), (PPR(k=2, restart=0.5), "near 4")]:
        nodes = brick.extract(graph, query).nodes
        assert nodes is not None
        assert {graph.key(int(node)) for node in nodes} == {"seed", kept}
    near_by = PageRank(k=2, max_hops=1).extract(graph, query).nodes
    assert near_by is not None
    assert graph.entity("hub") not in near_by


def test_the_error_bound_is_in_the_trace() -> None:
    run = PageRank(tolerance=1e-3).run(tiny_graph(), Query("?", seeds=(tiny_graph().entity("Kenya"),)))
    facts = run.trace.stages[-1].facts
    assert 0 <= facts["error_bound"] <= 1e-3
    assert facts["edges_seen"] > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "PageRank k must be a whole number of at least 1, got 0; try 1000"),
        ({"restart": 17}, "PageRank restart must be in [0.001, 1), got 17; try 0.2"),
        ({"restart": 0.0005}, "PageRank restart must be in [0.001, 1), got 0.0005; try 0.2"),
        ({"max_hops": 0}, "max_hops must be a whole number of at least 1"),
        ({"max_hops": 101}, "max_hops must be a whole number of at least 1 and at most 100"),
        ({"seeds": "all"}, "seeds must be one of 'together', 'each', got 'all'"),
    ],
)
def test_nonsense_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        PageRank(**parameters)  # type: ignore[arg-type]
    assert message in str(caught.value)
