from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import ppr_libraries
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.core.graph import follow
from graphbrick.kernels.pagerank.ppr import ppr_python

DIRECTIONS = ["both", "out", "in"]
EXACT = ["igraph", "networkx", "scipy", "scikit-network"]
RIVALS = ["FORA", "AGP"]


def random_csr(seed: int, ring: bool = False) -> tuple[Csr, np.random.Generator]:
    """A multigraph with parallel edges, self loops, dangling and isolated nodes; or with a ring through all."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    ends = rng.integers(0, n, (4 * n, 2))
    ends[:, 0] //= int(rng.integers(1, 3))  # the upper half may have no outgoing triple
    ends[rng.random(len(ends)) < 0.1, 1] = 0
    if ring:
        ends = np.concatenate([ends, np.column_stack([np.arange(n + 1), (np.arange(n + 1) + 1) % (n + 1)])])
    rows = np.unique(np.column_stack([ends, rng.integers(0, 3, len(ends))]), axis=0).astype(np.int32)
    return from_sorted(n + 1, *(np.ascontiguousarray(column) for column in rows.T)), rng


def graph_of(csr: Csr) -> SimpleNamespace:
    """What solvers need of a graph."""
    return SimpleNamespace(csr=csr, n_entities=csr.n_nodes)


@pytest.mark.whole
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", EXACT)
def test_libraries_agree_with_the_reference(name: str, direction: str) -> None:
    pytest.importorskip("sknetwork" if name == "scikit-network" else name)
    solver = ppr_libraries.SOLVERS[name]
    for number in range(8):
        # scikit-network means something else where walks cannot go on.
        csr, rng = random_csr(number, ring=name == "scikit-network")
        state = solver.prepare(graph_of(csr), direction)
        for restart in (0.2, 0.8):
            # Two seeds, one of them maybe twice, and once the isolated node.
            seeds = rng.integers(0, csr.n_nodes, 3).astype(np.int32)
            seeds[0] = csr.n_nodes - 1 if number == 3 else seeds[0]
            exact = ppr_python(csr, seeds, restart, *follow(direction))
            nodes, scores = solver.query(state, seeds, restart, csr.n_nodes)
            assert set(np.flatnonzero(exact > 1e-7)) <= set(nodes.tolist()) <= set(np.flatnonzero(exact))
            np.testing.assert_allclose(scores, exact[nodes], rtol=0, atol=1e-6)
            assert (np.diff(scores) <= 0).all()
            few, _ = solver.query(state, seeds, restart, 3)
            assert few.tolist() == nodes[:3].tolist()
            assert solver.exact


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", RIVALS)
def test_rivals_come_near_the_reference(name: str, direction: str) -> None:
    solver = ppr_libraries.SOLVERS[name]
    for number in range(4):
        csr, rng = random_csr(number)
        seeds = rng.integers(0, csr.n_nodes, 2).astype(np.int32)
        exact = ppr_python(csr, seeds, 0.2, *follow(direction))
        nodes, scores = solver.query(solver.prepare(graph_of(csr), direction), seeds, 0.2, 3)
        assert len(nodes) == min(3, np.count_nonzero(exact))
        np.testing.assert_allclose(scores, exact[nodes], rtol=0.3, atol=0.01)
        assert not solver.exact


def test_settings_are_in_the_name() -> None:
    assert ppr_libraries.fora(0.2).name == "FORA eps=0.2"
    assert ppr_libraries.agp(1e-7).name == "AGP theta=1e-07"
    assert list(ppr_libraries.SOLVERS) == EXACT + RIVALS
