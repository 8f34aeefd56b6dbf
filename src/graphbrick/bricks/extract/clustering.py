"""The local clustering coefficient of entities, exact for few neighbours and by sampled pairs for many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.graph import Graph

PAIRS = 496
"""Most pairs of neighbours that are tested: all pairs of 32 neighbours."""
_SEED = 0


def local_clustering(graph: Graph, entity: int, pairs: int = PAIRS) -> float:
    """Return the share of pairs of an entity's neighbours that a triple joins, from 0 to 1; 0 for fewer than two.

    Direction, relations, parallel triples and triples of an entity with itself do not count. If there are more pairs
    than ``pairs``, so many are drawn (with replacement, always by the same seed) and the share among them is returned;
    its standard error is at most 1 / (2 * sqrt(pairs)), .022 for the default.

    Watts and Strogatz, Collective dynamics of small-world networks, 1998.

    Args:
        graph: The graph.
        entity: Entity id.
        pairs: Most pairs that are tested, at least 1.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from graphbrick.graphs.build.builder import build
    >>> borders = [("Kenya", "Uganda"), ("Kenya", "Tanzania"), ("Kenya", "Somalia"), ("Uganda", "Tanzania")]
    >>> triples = [(one, "borders", other) for one, other in borders]
    >>> graph = build(triples, Path(tempfile.mkdtemp()) / "borders.graph")
    >>> round(local_clustering(graph, graph.entity("Kenya")), 3)
    0.333
    """
    around = _neighbours(graph, entity)
    n = len(around)
    total = n * (n - 1) // 2
    if not total:
        return 0.0
    if total <= pairs:
        first, second = np.triu_indices(n, 1)
    else:
        random = np.random.default_rng(_SEED)
        first, second = random.integers(0, n, pairs), random.integers(0, n - 1, pairs)
        second = second + (second >= first)
    joined = sum(_joined(graph, int(around[i]), int(around[j])) for i, j in zip(first, second, strict=True))
    return joined / len(first)


def _neighbours(graph: Graph, entity: int) -> npt.NDArray[np.int32]:
    """Return the distinct neighbours of an entity in both directions, without itself, ascending."""
    csr = graph.csr
    ends = np.concatenate([csr.tail[csr.row(entity, True)], csr.in_head[csr.row(entity, False)]])
    return np.unique(ends[ends != entity])


def _joined(graph: Graph, one: int, other: int) -> bool:
    """Return whether a triple joins two entities, by reading the rows of the one with fewer triples."""
    if graph.degree(one) > graph.degree(other):
        one, other = other, one
    csr = graph.csr
    leaves = bool((csr.tail[csr.row(one, True)] == other).any())
    return leaves or bool((csr.in_head[csr.row(one, False)] == other).any())
