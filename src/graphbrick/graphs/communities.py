"""Nested communities of entities by the hierarchical Leiden method, kept beside the graph.

The communities of ``notes.graph`` are in ``notes.graph.communities/``. Finding them needs the extra
``graphbrick[communities]``; reading them does not.
"""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.errors import GraphbrickError, GraphFormatError, shown
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import FolderBeside, facts_of
from graphbrick.graphs.store.strings import open_array

Ids = npt.NDArray[np.int64]

SIZE = 10
"""Number of entities up to which a community is not divided further, as in Microsoft GraphRAG."""


class CommunityTree:
    """Communities of entities, each divided into those of the next level, if it is divided.

    Communities are numbered from 0, level by level, and in a level by their lowest entity. The communities of a level,
    with the undivided ones of the levels above, are a partition of the entities that have a triple with another entity.

    Attributes:
        level: int32 [communities], from 0, the coarsest.
        parent: int32 [communities], the community that it is a part of; -1 on level 0.
        begin: int64 [communities + 1], the begin of the entities of each community in ``member``.
        member: int64, the entities of each community, ascending.
    """

    FILES = ("level", "parent", "begin", "member")

    def __init__(
        self, level: npt.NDArray[np.int32], parent: npt.NDArray[np.int32], begin: Ids, member: npt.NDArray[np.int64]
    ) -> None:
        self.level, self.parent, self.begin, self.member = level, parent, begin, member

    @classmethod
    def of(
        cls, clusters: Mapping[int, Sequence[int]], parents: Mapping[int, int | None]
    ) -> tuple[CommunityTree, dict[int, int]]:
        """Return the tree of numbered clusters, and the community of each cluster.

        Args:
            clusters: The entities of each cluster.
            parents: The cluster that each cluster is a part of; None for none.

        Raises:
            ValueError: A parent does not exist, or clusters are parts of each other.
        """
        level: dict[int, int] = {}
        for cluster in clusters:
            chain = []
            at: int | None = cluster
            while at is not None and at not in level:
                if at in chain or at not in clusters:
                    raise ValueError(f"the parents of community {cluster} do not lead to level 0")
                chain.append(at)
                at = parents[at]
            above = -1 if at is None else level[at]
            level |= {one: above + 1 + i for i, one in enumerate(reversed(chain))}
        members = {cluster: np.unique(np.array(list(ids), dtype=np.int64)) for cluster, ids in clusters.items()}
        order = sorted(clusters, key=lambda cluster: (level[cluster], members[cluster][:1].tolist(), cluster))
        number = {cluster: i for i, cluster in enumerate(order)}
        above_of = (parents[cluster] for cluster in order)
        tree = cls(
            np.array([level[cluster] for cluster in order], dtype=np.int32),
            np.array([-1 if above is None else number[above] for above in above_of], dtype=np.int32),
            np.cumsum([0, *(len(members[cluster]) for cluster in order)], dtype=np.int64),
            np.concatenate([np.zeros(0, dtype=np.int64), *(members[cluster] for cluster in order)]),
        )
        return tree, number

    @classmethod
    def open(cls, folder: Path, entities: int) -> CommunityTree:
        """Open a stored tree by memory map.

        Raises:
            ValueError: The files contradict each other, or belong to a graph with another number of entities.
        """
        opened = cls(*(open_array(folder / f"{name}.npy") for name in cls.FILES))
        n = len(opened)
        lengths = (
            len(opened.parent) == n and len(opened.begin) == n + 1 and opened.begin[-1:].sum() == len(opened.member)
        )
        if not lengths or (n and (opened.parent.max() >= n or opened.member.max(initial=-1) >= entities)):
            raise ValueError(f"arrays of {n:,} communities do not belong together, or to {entities:,} entities")
        return opened

    def save(self, folder: Path) -> None:
        """Write the arrays into a folder."""
        for name in self.FILES:
            np.save(folder / f"{name}.npy", getattr(self, name))

    def __len__(self) -> int:
        return len(self.level)

    @property
    def levels(self) -> int:
        """Number of levels."""
        return int(self.level.max(initial=-1)) + 1

    @cached_property
    def identity(self) -> str:
        """Hash of the communities."""
        return hashlib.sha256(b"".join(getattr(self, name).tobytes() for name in self.FILES)).hexdigest()

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        rows: dict[int, list[int]] = {}
        for community, parent in enumerate(self.parent.tolist()):
            rows.setdefault(parent, []).append(community)
        return rows

    def members(self, community: int) -> Ids:
        """Return the entities of a community, int64, ascending."""
        return self.member[self.begin[community] : self.begin[community + 1]]

    def children(self, community: int) -> list[int]:
        """Return the communities that a community is divided into; for -1, those of level 0."""
        return self._children.get(community, [])

    @cached_property
    def _finest(self) -> npt.NDArray[np.int32]:
        """The finest community of each entity up to the last that is in one, int32; -1 for none."""
        finest = np.full(int(self.member.max(initial=-1)) + 1, -1, dtype=np.int32)
        for community in np.argsort(self.level, kind="stable").tolist():
            finest[self.members(community)] = community
        return finest

    def around(self, entity: int) -> list[int]:
        """Return the communities that hold an entity, finest first; none for an entity in no community."""
        at = int(self._finest[entity]) if entity < len(self._finest) else -1
        communities = []
        while at >= 0:
            communities.append(at)
            at = int(self.parent[at])
        return communities

    def at_level(self, level: int) -> list[int]:
        """Return the communities of a level and the undivided ones above it, ascending: each entity is in one."""
        is_last = [not self.children(community) for community in range(len(self))]
        return [i for i, of in enumerate(self.level.tolist()) if of == level or (of < level and is_last[i])]


def leiden_tree(
    head: Ids, tail: Ids, weight: npt.NDArray[np.float64], size: int, seed: int, resolution: float = 1.0
) -> CommunityTree:
    """Return the communities of an undirected weighted graph, of all its components.

    Args:
        head: int64 [edges], one end of each edge.
        tail: int64 [edges], the other end; an edge from a node to itself does not count.
        weight: float64 [edges], above 0; edges of one pair add up.
        size: A community of more nodes than this is divided at the next level, if that is possible.
        seed: Seed of the random numbers; the same seed gives the same communities.
        resolution: Resolution of the modularity, above 0; a higher value gives more and smaller communities.

    Raises:
        GraphbrickError: The library for it is not installed, or a parameter is out of range.
    """
    _check_parameters(size, seed, resolution)
    try:
        from graspologic_native import hierarchical_leiden
    except ImportError as error:
        text = "communities need a library: pip install 'graphbrick[communities]'"
        raise GraphbrickError(text, code="communities.no_library") from error
    apart = head != tail
    ends = np.stack([np.minimum(head, tail)[apart], np.maximum(head, tail)[apart]])
    if not ends.shape[1]:
        return CommunityTree.of({}, {})[0]
    pairs, place = np.unique(ends, axis=1, return_inverse=True)
    weights = np.bincount(place.ravel(), weights=weight[apart])
    edges = [(str(u), str(v), w) for u, v, w in zip(*pairs.tolist(), weights.tolist(), strict=True)]
    check_limits()
    clusters: dict[int, list[int]] = {}
    parents: dict[int, int | None] = {}
    for entry in hierarchical_leiden(edges, resolution=resolution, max_cluster_size=size, seed=seed):
        clusters.setdefault(entry.cluster, []).append(int(entry.node))
        parents[entry.cluster] = entry.parent_cluster
    return CommunityTree.of(clusters, parents)[0]


def _check_parameters(size: int, seed: int, resolution: float) -> None:
    for name, value, least, most in (("size", size, 1, 2**31 - 1), ("seed", seed, 0, 2**64 - 1)):
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise GraphbrickError(
                f"{name} of communities must be a whole number from {least} to {most:,}, got {shown(value)}",
                code="communities.bad_number",
                name=name,
            )
    if not isinstance(resolution, int | float) or not 0 < resolution < math.inf:
        text = f"resolution of communities must be a number above 0, got {shown(resolution)}; try 1.0"
        raise GraphbrickError(text, code="communities.bad_resolution")


def find_communities(graph: Graph, *, size: int = SIZE, seed: int = 0, resolution: float = 1.0) -> CommunityTree:
    """Return the communities of a graph; the triples of a graph made from text count by their weights.

    Arguments and errors as for `leiden_tree`.
    """
    ids = graph.triple_ids()
    head, tail = graph.csr.heads(ids).astype(np.int64), graph.csr.tail[ids].astype(np.int64)
    weights = graph.weights if isinstance(graph, TextGraph) else None
    weight = np.ones(len(ids)) if weights is None else weights.astype(np.float64)
    return leiden_tree(head, tail, weight, size, seed, resolution)


def communities_place(graph: Graph) -> FolderBeside:
    """Return the folder of the communities of a graph."""
    return FolderBeside(graph, "communities", "tree")


def keep_communities(graph: Graph, tree: CommunityTree, facts: Mapping[str, Any]) -> None:
    """Write communities beside a graph, in place of others.

    Args:
        graph: The graph.
        tree: The communities.
        facts: The method and its parameters.

    Raises:
        GraphbrickError: They cannot be written.
    """

    def fill(folder: Path) -> dict[str, Any]:
        tree.save(folder)
        return {"graph": graph.hash, "communities": len(tree), "levels": tree.levels, **facts}

    communities_place(graph).keep("the communities", fill)
    current_session().drop(("community tree",), of=graph)


def earlier_method(graph: Graph) -> dict[str, Any]:
    """Return size, seed and resolution of the communities of an earlier version of a graph; the defaults for none."""
    method: dict[str, Any] = {"size": SIZE, "seed": 0, "resolution": 1.0}
    for folder in communities_place(graph).older():
        with suppress(ValueError):  # a damaged folder counts as none
            facts = facts_of(folder) or {}
            method |= {name: facts[name] for name in method if name in facts}
    return method


def communities_of(graph: Graph) -> CommunityTree:
    """Return the communities kept beside a graph, those of an earlier version of it if little has changed (an event).

    Raises:
        GraphbrickError: There are none.
        GraphFormatError: They are damaged.
    """
    return current_session().get(("community tree",), lambda: _open(graph), of=graph)


def _open(graph: Graph) -> CommunityTree:
    place = communities_place(graph)
    advice = f"graphbrick prepare communities {shlex.quote(str(graph.path))}"
    try:
        if place.facts() is not None:
            return CommunityTree.open(place.folder, graph.n_entities)
        earlier = place.earlier()
        if earlier is not None and earlier.is_usable:
            text = f"the communities were found {earlier.since} (anew: {advice})"
            event(text, "communities.of_earlier_version", command=advice)
            return CommunityTree.open(earlier.folder, graph.n_entities)
    except (OSError, ValueError) as error:
        text = f"the communities in {place.parent} are damaged ({error}); run {advice}"
        raise GraphFormatError(text, code="communities.damaged", reason=str(error), command=advice) from error
    why = place.missing_because().replace("was not made", "were not found").replace("was ", "were ", 1)
    text = f"the communities of {graph.path} {why.replace('is ', 'are ', 1)}; run {advice}"
    raise GraphbrickError(text, code="communities.missing", command=advice)
