"""The hierarchy of communities of a subgraph, by the Leiden method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core import Subgraph
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.limits import check_limits


class Community(NamedTuple):
    """A community and its place in the hierarchy.

    Attributes:
        members: int64, local ids of the subgraph, ascending.
        level: 0 for the coarsest communities.
        children: The communities of the next level that it is divided into; none if it is small enough.
    """

    members: npt.NDArray[np.int64]
    level: int
    children: tuple[Community, ...]


def hierarchy(subgraph: Subgraph, size: int, seed: int = 0) -> list[Community]:
    """Return the communities of level 0, in the order of their lowest member.

    A community of more than ``size`` entities is divided at the next level, if that is possible. Parallel triples count
    separately; direction is ignored. Entities without triples are in no community; communities of one entity are left
    out.

    Raises:
        GraphbrickError: The library for it is not installed.
    """
    try:
        from graspologic_native import hierarchical_leiden
    except ImportError as error:
        raise GraphbrickError("communities need a library: pip install 'graphbrick[communities]'") from error
    csr = subgraph.listed().csr
    head, tail = csr.all_heads().astype(np.int64), csr.tail.astype(np.int64)
    apart = head != tail
    ends = np.stack([np.minimum(head, tail)[apart], np.maximum(head, tail)[apart]])
    if not ends.shape[1]:
        return []
    pairs, weights = np.unique(ends, axis=1, return_counts=True)
    edges = [(str(u), str(v), float(w)) for u, v, w in zip(*pairs.tolist(), weights.tolist(), strict=True)]
    check_limits()
    members: dict[int, list[int]] = {}
    parents: dict[int, int | None] = {}
    for entry in hierarchical_leiden(edges, max_cluster_size=size, seed=seed):
        members.setdefault(entry.cluster, []).append(int(entry.node))
        parents[entry.cluster] = entry.parent_cluster
    divided: dict[int | None, list[int]] = {}
    for cluster, parent in parents.items():
        divided.setdefault(parent, []).append(cluster)

    def below(parent: int | None, level: int) -> list[Community]:
        parts = [
            Community(np.sort(np.array(members[cluster])), level, tuple(below(cluster, level + 1)))
            for cluster in divided.get(parent, [])
            if len(members[cluster]) > 1
        ]
        return sorted(parts, key=lambda community: int(community.members[0]))

    return below(None, 0)


def at_level(communities: Sequence[Community], level: int) -> list[Community]:
    """Return the communities of a level; one that is not divided that far is returned itself."""
    chosen: list[Community] = []
    for community in communities:
        is_last = community.level == level or not community.children
        chosen += [community] if is_last else at_level(community.children, level)
    return sorted(chosen, key=lambda community: int(community.members[0]))
