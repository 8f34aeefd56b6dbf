from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.graphs.partitions import Partitions
from graphbrick.kernels.paths.inside_rows import inside_rows, inside_rows_python

WAYS = [(True, True), (True, False), (False, True)]


def random_csr(rng: np.random.Generator) -> Csr:
    """A multigraph with parallel edges, self loops and isolated nodes."""
    ends = rng.integers(0, 40, (90, 2))
    rows = np.array(sorted({(int(h), int(t), int(rng.integers(2))) for h, t in ends}), dtype=np.int32)
    return from_sorted(42, *(np.ascontiguousarray(column) for column in rows.T))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loops", [True, False])
def test_rows_are_those_of_the_readable_version(seed: int, way: tuple[bool, bool], loops: bool) -> None:
    rng = np.random.default_rng(seed)
    csr = random_csr(rng)
    partitions = Partitions.of(rng.integers(0, 4, csr.n_nodes).astype(np.int32))
    parts = np.sort(rng.choice(len(partitions), size=2, replace=False)).astype(np.int32)
    both = [partitions.member[partitions.pointer[p] : partitions.pointer[p + 1]] for p in parts]
    members, offset = np.concatenate(both), np.array([0, len(both[0])], dtype=np.int32)
    pointers, neighbours = inside_rows(
        csr.rows, partitions.label, partitions.place, parts, offset, members, *way, loops
    )
    assert (pointers.dtype, neighbours.dtype) == (np.uint32, np.int32)
    rows = [neighbours[a:b].tolist() for a, b in pairwise(pointers.tolist())]
    assert rows == inside_rows_python(csr, members.tolist(), *way, loops)
    if way == (True, True):
        # Symmetric, as the library that parts a graph expects.
        counts = {(u, v): row.count(v) for u, row in enumerate(rows) for v in row}
        assert all(counts[v, u] == count for (u, v), count in counts.items())


def test_no_member_has_no_row() -> None:
    csr = random_csr(np.random.default_rng(0))
    partitions = Partitions.of(np.zeros(csr.n_nodes, dtype=np.int32))
    none = np.empty(0, dtype=np.int32)
    pointers, neighbours = inside_rows(csr.rows, partitions.label, partitions.place, none, none, none, True, True, True)
    assert (pointers.tolist(), len(neighbours)) == ([0], 0)
