"""Distance in hops between two sets of nodes, by bidirectional search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, Ints

_NO_CAP = 2**31 - 1


def nearest_hops(csr: Csr, sources: Ints, targets: Ints, max_hops: int) -> int | None:
    """Return the length of the shortest undirected path from a source to a target, in triples.

    Both sets grow one hop at a time until they meet; each step grows the set with fewer triples. This visits only about
    the nodes within half the distance of either set, which matters in a graph with hubs.

    Args:
        csr: The rows of the graph.
        sources: int32, distinct, ascending.
        targets: int32, distinct, ascending.
        max_hops: The greatest distance that is searched.

    Returns:
        The number of hops, 0 if a source is a target; None if no target is within ``max_hops``.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> ends = [np.array([graph.entity(name)], dtype=np.int32) for name in ("Nairobi", "Kenyan shilling")]
        >>> nearest_hops(graph.csr, *ends, 4)
        2
    """
    from graphbrick.kernels.paths.k_hop import k_hop

    if not len(sources) or not len(targets):
        return None
    sets = [sources, targets]
    if _meet(*sets):
        return 0
    work = [_triples(csr, nodes) for nodes in sets]
    for hops in range(1, max_hops + 1):
        side = int(work[1] < work[0])
        grown, _, _ = k_hop(csr.rows, sets[side], True, True, 1, _NO_CAP)
        if len(grown) == len(sets[side]):
            return None  # this set is a whole connected component without a node of the other set
        sets[side], work[side] = grown, _triples(csr, grown)
        if _meet(*sets):
            return hops
    return None


def _triples(csr: Csr, nodes: Ints) -> int:
    """Return the number of triples that leave or enter the nodes."""
    out = int((csr.out_end[nodes] - csr.out_begin[nodes]).sum(dtype=np.int64))
    return out + int((csr.in_end[nodes] - csr.in_begin[nodes]).sum(dtype=np.int64))


def _meet(nodes: Ints, others: Ints) -> bool:
    """Return whether two ascending sets have a node in common."""
    few, many = (nodes, others) if len(nodes) <= len(others) else (others, nodes)
    at: npt.NDArray[np.intp] = np.searchsorted(many, few)
    return bool((many[np.minimum(at, len(many) - 1)] == few).any())
