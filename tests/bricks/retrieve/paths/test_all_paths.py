from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from faults import told

from graphbrick.bricks.extract.ppr import PPR
from graphbrick.bricks.retrieve.paths.all_paths import AllPaths
from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Query, Subgraph
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.testing import check_brick, tiny_graph


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> list[Graph]:
    """Small multigraphs with parallel relations and self loops."""
    made = []
    for number in range(12):
        rng = np.random.default_rng(number)
        n = int(rng.integers(2, 9))
        ends = rng.integers(0, n, (int(rng.integers(1, 2 * n)), 2))
        triples = [(f"e{h}", f"r{rng.integers(2)}", f"e{t}") for h, t in ends]
        made.append(build(triples, tmp_path_factory.mktemp("all_paths") / "any.graph"))
    return made


def by_networkx(subgraph: Subgraph, seed: int, max_hops: int) -> set[tuple[int, ...]]:
    """The triples of all simple paths from a seed, walked both ways."""
    graph = subgraph.graph
    network = nx.MultiGraph()
    network.add_nodes_from(range(graph.n_entities) if subgraph.nodes is None else subgraph.nodes.tolist())
    for triple in range(graph.n_triples) if subgraph.triples is None else subgraph.triples.tolist():
        head, _, tail = graph.triple(triple)
        if head != tail:
            network.add_edge(head, tail, key=triple)
    others = set(network) - {seed}
    if not others:
        return set()
    paths = nx.all_simple_edge_paths(network, seed, others, cutoff=max_hops)
    return {tuple(triple for _, _, triple in path) for path in paths}


@pytest.mark.parametrize("brick", [AllPaths(), AllPaths(max_hops=1, direction="in"), AllPaths(cap=2)])
def test_the_contract_is_kept(brick: AllPaths) -> None:
    check_brick(brick, installed=False)


@pytest.mark.parametrize("max_hops", [1, 2, 4])
def test_the_paths_are_those_of_networkx(graphs: list[Graph], max_hops: int) -> None:
    seen = 0
    for number, graph in enumerate(graphs):
        seeds = tuple(np.random.default_rng(number).permutation(graph.n_entities)[:2].tolist())
        query = Query("?", seeds=seeds)
        for subgraph in (Subgraph(graph), PPR(k=4).extract(graph, query)):
            items = AllPaths(max_hops=max_hops).retrieve(query, subgraph).items
            for seed in seeds:
                found = [path.triples for path in items if path.start == seed]
                assert len(set(found)) == len(found)
                assert set(found) == by_networkx(subgraph, seed, max_hops)
            assert all(len(set(path.nodes)) == path.hops + 1 for path in items)
            order = [(path.hops, seeds.index(path.start)) for path in items]
            assert order == sorted(order)
            seen += len(items)
    assert seen > 50


@pytest.mark.parametrize("direction", ["both", "out", "in"])
def test_shortest_paths_are_among_them(graphs: list[Graph], direction: str) -> None:
    for graph in graphs:
        query = Query("?", seeds=(0,))
        items = AllPaths(direction=direction).retrieve(query, Subgraph(graph)).items
        shortest = ShortestPaths(direction=direction).retrieve(query, Subgraph(graph)).items
        assert set(shortest) <= set(items)
        assert {path.end for path in items} == {path.end for path in shortest}
        if direction != "both":
            assert all(set(path.forward) == {direction == "out"} for path in items)


def test_the_cap_is_an_event() -> None:
    graph = tiny_graph()
    query = Query("?", seeds=(graph.entity("Kigali"), graph.entity("Nairobi")))
    everything = AllPaths().retrieve(query, Subgraph(graph)).items
    for cap in range(1, len(everything) + 2):
        run = AllPaths(cap=cap).run(graph, query)
        assert run.evidence is not None
        assert run.evidence.items == everything[:cap]
        assert told(run.trace.events) == ([("paths.cap", {"cap": cap})] if cap < len(everything) else [])


def test_paths_of_a_subgraph_have_the_ids_of_the_graph() -> None:
    graph = tiny_graph()
    nairobi, kenya, uganda, kampala = (graph.entity(key) for key in ("Nairobi", "Kenya", "Uganda", "Kampala"))
    nodes = np.array(sorted([nairobi, kenya, uganda, kampala]), dtype=np.int32)
    triples = induced_triples(graph.csr.rows, nodes)
    largest = next(t for t in triples if graph.triple_text(int(t)) == "Uganda -> largest city -> Kampala")
    subgraph = Subgraph(graph, nodes, triples[triples != largest])
    brick = AllPaths(max_hops=3)
    found = brick.retrieve(Query("?", seeds=(nairobi, graph.entity("Kigali"))), subgraph).items
    assert [path.text for path in found] == [
        "Nairobi <- capital <- Kenya",
        "Nairobi <- capital <- Kenya -> borders -> Uganda",
        "Nairobi <- capital <- Kenya <- borders <- Uganda",
        "Nairobi <- capital <- Kenya -> borders -> Uganda -> capital -> Kampala",
        "Nairobi <- capital <- Kenya <- borders <- Uganda -> capital -> Kampala",
    ]
    assert found[-1].nodes == (nairobi, kenya, uganda, kampala)
    assert found[-1].source == repr(brick)
    nothing = np.empty(0, dtype=np.int32)
    for seeds, view in [
        ((), subgraph),
        ((graph.entity("Kigali"),), subgraph),
        ((nairobi,), Subgraph(graph, nothing, nothing)),
    ]:
        assert brick.retrieve(Query("?", seeds=seeds), view).items == ()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_hops": 0}, "AllPaths max_hops must be a whole number of at least 1 and at most 100, got 0; try 4"),
        ({"max_hops": 101}, "max_hops must be a whole number of at least 1 and at most 100"),
        ({"cap": 0}, "cap must be a whole number of at least 1"),
        ({"direction": "any"}, "direction must be one of 'both', 'out', 'in', got 'any'"),
    ],
)
def test_nonsense_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        AllPaths(**parameters)  # type: ignore[arg-type]
    assert message in str(caught.value)
