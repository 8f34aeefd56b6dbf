"""Induced triples: the compiled kernel against the readable one, on rows short and long."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.csr import Csr, from_sorted
from graphbrick.kernels.paths.induced import induced_triples, induced_triples_python


def rows_of(n: int, triples: set[tuple[int, int, int]]) -> Csr:
    head, tail, relation = (np.array(column, dtype=np.int32) for column in zip(*sorted(triples), strict=True))
    return from_sorted(n, head, tail, relation)


triples = st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11), st.integers(0, 2)), min_size=1, max_size=60)


@pytest.mark.whole
@given(triples, st.sets(st.integers(0, 11)))
def test_like_the_readable_version(given_triples: set[tuple[int, int, int]], nodes: set[int]) -> None:
    csr = rows_of(12, given_triples)
    kept = np.array(sorted(nodes), dtype=np.int32)
    assert induced_triples(csr.rows, kept).tolist() == induced_triples_python(csr, sorted(nodes))


@pytest.mark.parametrize("hub", [0, 2500, 4999])
def test_rows_of_hubs_are_searched(hub: int) -> None:
    # Out of the hub and into it go thousands of triples, some parallel, with a loop; the other way is searched as well.
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 5000, 6000).tolist()
    among = {(hub, v, int(v) % 3) for v in ends} | {(v, hub, 1) for v in ends[:3000]} | {(hub, hub, 0), (hub, hub, 2)}
    among |= {(int(a), int(b), 0) for a, b in rng.integers(0, 5000, (4000, 2))}
    csr = rows_of(5000, among)
    nodes = sorted({hub, *rng.integers(0, 5000, 300).tolist()})
    found = induced_triples(csr.rows, np.array(nodes, dtype=np.int32))
    assert found.tolist() == induced_triples_python(csr, nodes)
    assert len(found) > 300
