"""Kernels work in slices: the size of a slice changes no result, and the work can be stopped between two of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core.compute import limited_by
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.pagerank import agp, fora, local_ppr, ppr, random_walk, touched
from graphbrick.kernels.paths import distances, induced, k_hop, path_tree

MODULES = (agp, distances, fora, induced, k_hop, local_ppr, path_tree, ppr, random_walk, touched)
SEEDS = np.array([3, 40], dtype=np.int32)


class StopError(Exception):
    pass


def heavy_tailed(n: int = 600, m: int = 4000) -> Csr:
    rng = np.random.default_rng(5)
    ends = (n * rng.random((m, 2)) ** 3).astype(np.int32)
    rows = np.unique(np.column_stack([ends, rng.integers(0, 5, m)]), axis=0).astype(np.int32)
    return from_sorted(n, *(np.ascontiguousarray(column) for column in rows.T))


def calls() -> dict[str, Callable[[Csr], Any]]:
    both = True, True
    return {
        "hop_distances": lambda csr: distances.hop_distances(csr.rows, SEEDS),
        "induced_triples": lambda csr: induced.induced_triples(csr.rows, np.arange(0, 600, 2, dtype=np.int32)),
        "k_hop": lambda csr: k_hop.k_hop(csr.rows, SEEDS, *both, 3, 400),
        "shortest paths": lambda csr: path_tree.shortest_path_tree(csr.rows, SEEDS, *both, 4, 5000),
        "simple paths": lambda csr: path_tree.simple_path_tree(csr.rows, SEEDS, *both, 3, 5000),
        "ppr_push": lambda csr: ppr.ppr_push(csr.rows, SEEDS, 0.2, *both, 1e-6),
        "push": lambda csr: local_ppr.push(csr.rows, SEEDS, 0.2, *both, 20, 0.01, 100, 10**9),
        "sweep": lambda csr: local_ppr.sweep(csr.rows, SEEDS, 0.2, *both, 20, 0.01, 10**9),
        "walked_nodes": lambda csr: random_walk.walked_nodes(csr.rows, SEEDS, 50, 4, 0.1, *both, 1),
        "fora": lambda csr: fora.fora_top_k(csr.rows, SEEDS, 0.2, *both, 20, 0.5, 0.01, 1),
        "randomized_forward": lambda csr: agp.randomized_forward(csr.rows, SEEDS, 0.2, *both, 20, 1e-4, 1),
    }


REQUEUED = ("fora",)  # a slice of a push begins with a new queue, so the order of pushes differs


def arrays(result: Any) -> list[npt.NDArray[Any]]:
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", [name for name in calls() if name not in REQUEUED])
def test_the_size_of_a_slice_changes_no_result(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    csr = heavy_tailed()
    whole = arrays(calls()[name](csr))
    for size in (1, 300):
        for module in MODULES:
            monkeypatch.setattr(module, "SLICE", size)
        for part, expected in zip(arrays(calls()[name](csr)), whole, strict=True):
            np.testing.assert_array_equal(part, expected)


@pytest.mark.parametrize("name", list(calls()))
def test_the_work_can_be_stopped_between_slices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    csr, checks = heavy_tailed(), 0

    def check() -> None:
        nonlocal checks
        checks += 1
        if checks == 2:
            raise StopError

    for module in MODULES:
        monkeypatch.setattr(module, "SLICE", 1)
    with pytest.raises(StopError), limited_by(check):
        calls()[name](csr)
