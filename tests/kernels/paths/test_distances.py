from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import Subgraph
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.paths.distances import hop_distances, hop_distances_python
from graphbrick.testing import tiny_graph

Kernel = Callable[[Csr, list[int]], list[int]]


def csr_of(n: int, triples: set[tuple[int, int, int]]) -> Csr:
    """Rows of (head, tail, relation) triples."""
    columns = np.array(sorted(triples), dtype=np.int32).reshape(-1, 3).T
    return from_sorted(n, *(np.ascontiguousarray(column) for column in columns))


def compiled(csr: Csr, seeds: list[int]) -> list[int]:
    found: npt.NDArray[np.int32] = hop_distances(csr.rows, np.array(seeds, dtype=np.int32))
    assert found.dtype == np.int32
    return found.tolist()


both_kernels = pytest.mark.parametrize("kernel", [compiled, hop_distances_python])


@pytest.mark.whole
@both_kernels
@given(
    triples=st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11), st.integers(0, 2)), max_size=24),
    seeds=st.lists(st.integers(0, 12), max_size=4),
)
def test_equals_networkx(kernel: Kernel, triples: set[tuple[int, int, int]], seeds: list[int]) -> None:
    network = nx.Graph()
    network.add_nodes_from(range(13))
    network.add_edges_from((head, tail) for head, tail, _ in triples)
    expected = [-1] * 13
    for seed in seeds:
        for node, hops in nx.single_source_shortest_path_length(network, seed).items():
            expected[node] = hops if expected[node] == -1 else min(hops, expected[node])
    assert kernel(csr_of(13, triples), seeds) == expected


@both_kernels
def test_by_hand(kernel: Kernel) -> None:
    # 0 -> 1 <- 2 -> 3, a self loop and a parallel triple; 4 and 5 apart, 6 alone.
    csr = csr_of(7, {(0, 1, 0), (2, 1, 0), (2, 1, 1), (2, 3, 0), (2, 2, 0), (4, 5, 0)})
    assert kernel(csr, [0]) == [0, 1, 2, 3, -1, -1, -1]
    assert kernel(csr, [3, 5]) == [3, 2, 1, 0, 1, 0, -1]
    assert kernel(csr, [6, 6]) == [-1, -1, -1, -1, -1, -1, 0]
    assert kernel(csr, []) == [-1] * 7
    assert kernel(csr, list(range(7))) == [0] * 7


@both_kernels
def test_no_nodes_and_no_triples(kernel: Kernel) -> None:
    assert kernel(csr_of(0, set()), []) == []
    assert kernel(csr_of(2, set()), [1]) == [-1, 0]


@both_kernels
def test_a_long_chain(kernel: Kernel) -> None:
    n = 5_000
    assert kernel(csr_of(n, {(i + i % 2, i + 1 - i % 2, 0) for i in range(n - 1)}), [0]) == list(range(n))


@both_kernels
def test_the_rows_of_a_graph_and_of_a_view(kernel: Kernel) -> None:
    graph = tiny_graph()
    kenya, rwanda = graph.entity("Kenya"), graph.entity("Rwanda")
    whole = kernel(graph.csr, [kenya])
    assert {graph.label(i): hops for i, hops in enumerate(whole)} == {
        "Kenya": 0,
        "Kenyan shilling": 1,
        "Nairobi": 1,
        "Uganda": 1,
        "Ugandan shilling": 2,
        "Kampala": 2,
        "Rwanda": 2,
        "Kigali": 3,
    }
    part = Subgraph(graph, np.array(sorted([kenya, rwanda]), dtype=np.int32), np.zeros(0, dtype=np.int32))
    assert kernel(part.csr, part.local([rwanda])) == [-1, 0]
