"""The hierarchy of communities of a subgraph, by the Leiden method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core import Subgraph
from graphbrick.graphs.communities import leiden_tree


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
    csr = subgraph.listed().csr
    head, tail = csr.all_heads().astype(np.int64), csr.tail.astype(np.int64)
    tree = leiden_tree(head, tail, np.ones(len(head)), size, seed)

    def below(parent: int) -> tuple[Community, ...]:
        return tuple(
            Community(tree.members(part), int(tree.level[part]), below(part))
            for part in tree.children(parent)
            if len(tree.members(part)) > 1
        )

    return list(below(-1))


def at_level(communities: Sequence[Community], level: int) -> list[Community]:
    """Return the communities of a level; one that is not divided that far is returned itself."""
    chosen: list[Community] = []
    for community in communities:
        is_last = community.level == level or not community.children
        chosen += [community] if is_last else at_level(community.children, level)
    return sorted(chosen, key=lambda community: int(community.members[0]))
