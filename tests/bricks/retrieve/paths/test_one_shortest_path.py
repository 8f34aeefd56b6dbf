"""`ShortestPaths` that keeps one path from each seed to each entity."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Query, Subgraph
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.kernels.paths.path_tree import shortest_path_tree, shortest_paths_python
from graphbrick.testing import check_brick, tiny_graph

WAYS = [(True, True), (True, False), (False, True)]


@st.composite
def csrs(draw: st.DrawFn) -> Csr:
    n = draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    triples = draw(st.lists(st.tuples(node, node, st.integers(0, 1)), max_size=24))
    rows = np.array(sorted(set(triples)), dtype=np.int32).reshape(-1, 3)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> list[Graph]:
    made = []
    for number in range(12):
        rng = np.random.default_rng(number)
        n = int(rng.integers(2, 15))
        triples = [(f"e{h}", f"r{rng.integers(2)}", f"e{t}") for h, t in rng.integers(0, n, (3 * n, 2))]
        made.append(build(triples, tmp_path_factory.mktemp("one") / "any.graph"))
    return made


@given(csr=csrs(), data=st.data(), way=st.sampled_from(WAYS), max_hops=st.integers(1, 5))
def test_one_is_the_first_of_all(csr: Csr, data: st.DataObject, way: tuple[bool, bool], max_hops: int) -> None:
    seeds = data.draw(st.lists(st.integers(0, csr.n_nodes - 1), max_size=3, unique=True))
    cap = data.draw(st.integers(1, 30))
    first: dict[tuple[int, int], tuple[int, tuple[tuple[int, bool], ...]]] = {}
    head = np.repeat(np.arange(csr.n_nodes), csr.out_degrees())
    for seed, steps in shortest_paths_python(csr, seeds, *way, max_hops):
        triple, forward = steps[-1]
        first.setdefault((seed, int(csr.tail[triple] if forward else head[triple])), (seed, steps))
    expected = list(first.values())
    assert shortest_paths_python(csr, seeds, *way, max_hops, one=True) == expected
    tree = shortest_path_tree(
            csr.rows,
            np.array(seeds, dtype=np.int32), *way, max_hops, cap, True,
        )  # fmt: skip
    last = list(zip(tree.triple.tolist(), tree.forward.tolist(), strict=True))[len(seeds) :]
    assert last == [steps[-1] for _, steps in expected[:cap]]
    assert tree.capped == (cap < len(expected))


@pytest.mark.parametrize("direction", ["both", "out", "in"])
@pytest.mark.parametrize("max_hops", [1, 2, 6])
def test_exactly_one_path_to_every_entity_that_is_reached(graphs: list[Graph], direction: str, max_hops: int) -> None:
    for number, graph in enumerate(graphs):
        network = nx.DiGraph()
        network.add_nodes_from(range(graph.n_entities))
        for head, _, tail in map(graph.triple, range(graph.n_triples)):
            network.add_edges_from([(head, tail)] * (direction != "in") + [(tail, head)] * (direction != "out"))
        seeds = tuple(np.random.default_rng(number).permutation(graph.n_entities)[:2].tolist())
        brick = ShortestPaths(max_hops=max_hops, direction=direction, keep="one")
        items = brick.retrieve(Query("?", seeds=seeds), Subgraph(graph)).items
        for seed in seeds:
            hops = nx.single_source_shortest_path_length(network, seed, cutoff=max_hops)
            found = [(path.end, path.hops) for path in items if path.start == seed]
            assert sorted(found) == sorted((node, hop) for node, hop in hops.items() if node != seed)
        everything = ShortestPaths(max_hops=max_hops, direction=direction).retrieve(
            Query("?", seeds=seeds), Subgraph(graph)
        )
        assert set(items) <= set(everything.items)


def test_by_hand() -> None:
    graph = tiny_graph()
    query = Query("?", seeds=(graph.entity("Uganda"),))
    kept = {
        keep: [path.text for path in ShortestPaths(max_hops=1, keep=keep).retrieve(query, Subgraph(graph)).items]
        for keep in ("all", "one")
    }
    assert kept["one"] == [
        "Uganda -> borders -> Kenya",
        "Uganda -> currency -> Ugandan shilling",
        "Uganda -> capital -> Kampala",
        "Uganda <- borders <- Rwanda",
    ]
    assert [text for text in kept["all"] if text not in kept["one"]] == [
        "Uganda -> largest city -> Kampala", "Uganda <- borders <- Kenya"
    ]  # fmt: skip


@pytest.mark.parametrize("brick", [ShortestPaths(keep="one"), ShortestPaths(keep="one", direction="in", cap=1)])
def test_the_contract_is_kept(brick: ShortestPaths) -> None:
    check_brick(brick, installed=False)


def test_other_words_are_refused() -> None:
    with fails("parameter.not_allowed", PipelineError, name="keep", value="'first'", example="'all'"):
        ShortestPaths(keep="first")
