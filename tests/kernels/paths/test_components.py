from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.paths.components import (
    components,
    components_python,
    shortest_link,
    shortest_link_python,
)


def random_csr(seed: int, nodes: int = 40, density: float = 1.2) -> Csr:
    """A multigraph with parallel edges, self loops and isolated nodes."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, (int(density * nodes), 2))
    rows = np.array(sorted({(int(h), int(t), int(rng.integers(2))) for h, t in ends}), dtype=np.int32)
    return from_sorted(nodes, *(np.ascontiguousarray(column) for column in rows.T))


def undirected(csr: Csr) -> nx.Graph:
    heads = np.repeat(np.arange(csr.n_nodes), csr.out_degrees())
    graph = nx.Graph()
    graph.add_nodes_from(range(csr.n_nodes))
    graph.add_edges_from(zip(heads.tolist(), csr.tail.tolist(), strict=True))
    return graph


def ids(nodes: object) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(sorted(nodes), dtype=np.int32)  # type: ignore[call-overload]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("density", [0.4, 0.7, 1.5])
def test_components_are_those_of_networkx(seed: int, density: float) -> None:
    csr = random_csr(seed, density=density)
    lowest = components(csr.rows)
    assert lowest.dtype == np.int32
    assert lowest.tolist() == components_python(csr)
    of_networkx = {node: min(part) for part in nx.connected_components(undirected(csr)) for node in part}
    assert lowest.tolist() == [of_networkx[node] for node in range(csr.n_nodes)]


def test_a_long_chain_is_one_component() -> None:
    n = 100_000
    head, tail = np.arange(n - 1, dtype=np.int32), np.arange(1, n, dtype=np.int32)
    chain = from_sorted(n, head, tail, np.zeros(n - 1, dtype=np.int32))
    assert not components(chain.rows).any()


@pytest.mark.parametrize("seed", range(40))
def test_a_link_is_a_shortest_path_and_that_of_the_readable_version(seed: int) -> None:
    csr = random_csr(seed, nodes=80)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(80, size=6, replace=False)
    sources, others = ids(chosen[:3]), ids(chosen[3:])
    link, looked = shortest_link(csr.rows, sources, others, 10**9)
    assert link.tolist() == shortest_link_python(csr, sources.tolist(), set(others.tolist()))
    graph = undirected(csr)
    distances = [nx.shortest_path_length(graph, a, b) for a in sources for b in others if nx.has_path(graph, a, b)]
    if not distances:
        assert len(link) == 0
        return
    assert len(link) == min(distances) + 1
    assert link[0] in others
    assert link[-1] in sources
    assert all(graph.has_edge(a, b) for a, b in zip(link[:-1].tolist(), link[1:].tolist(), strict=True))
    # What it looked at is enough for it, and less is not.
    assert shortest_link(csr.rows, sources, others, looked)[0].tolist() == link.tolist()
    less, looked_less = shortest_link(csr.rows, sources, others, looked - 1)
    assert (len(less), looked_less) == (0, looked - 1)


def test_a_search_that_sees_thousands_of_nodes_grows_its_tables() -> None:
    # A star of 5,000 leaves, each with a leaf of its own; only the last of these is wanted.
    n = 5000
    head = np.concatenate([np.zeros(n), np.arange(1, n + 1)]).astype(np.int32)
    tail = np.arange(1, 2 * n + 1, dtype=np.int32)
    csr = from_sorted(2 * n + 1, head, tail, np.zeros(2 * n, dtype=np.int32))
    link, _ = shortest_link(csr.rows, ids([0]), ids([2 * n]), 10**9)
    assert link.tolist() == [2 * n, n, 0]
