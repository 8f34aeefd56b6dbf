"""Views of a graph: some of its entities and triples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, ScatteredCsr, from_rows
from graphbrick.core.deferred import Shown, cached_property
from graphbrick.core.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphbrick.core.graph import Graph


@dataclass(frozen=True, eq=False, repr=False)
class Subgraph(Shown):
    """A view of a graph: some of its entities and some of the triples among them.

    Other pipelines may use the same view, so its arrays become read-only.

    Attributes:
        graph: The graph viewed.
        nodes: Entity ids, int32, ascending; None for all.
        triples: Triple ids, int32, ascending, each with both ends among ``nodes``; None for all.
    """

    graph: Graph
    nodes: npt.NDArray[np.int32] | None = None
    triples: npt.NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        if (self.nodes is None) != (self.triples is None):
            raise ValueError("a subgraph has both nodes and triples, or neither for the whole graph")
        for array in (self.nodes, self.triples):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @property
    def is_whole(self) -> bool:
        """True if this is the whole graph, which is never copied."""
        return self.nodes is None or self.triples is None

    @property
    def n_nodes(self) -> int:
        """Number of entities."""
        return self.graph.n_entities if self.nodes is None else len(self.nodes)

    @property
    def n_triples(self) -> int:
        """Number of triples."""
        return self.graph.n_triples if self.triples is None else len(self.triples)

    @cached_property
    def csr(self) -> Csr:
        """Adjacency in local ids: local node i is ``nodes[i]``, local triple j is ``triples[j]``."""
        if self.nodes is None or self.triples is None:
            return self.graph.csr
        whole = self.graph.csr
        head = whole.heads(self.triples)
        # Ids are ascending, so the triples of a head lie together, in the order (tail, relation) of the graph.
        return from_rows(
            len(self.nodes),
            np.searchsorted(self.nodes, head).astype(np.int32),
            np.searchsorted(self.nodes, whole.tail[self.triples]).astype(np.int32),
            np.ascontiguousarray(whole.relation[self.triples]),
        )

    def listed(self) -> Subgraph:
        """The same view with its ids listed, if local triple ids are not positions, as after a change.

        In any other view a local triple id is a position already, and the view itself is returned.
        """
        if self.triples is not None or not isinstance(self.graph.csr, ScatteredCsr):
            return self
        return Subgraph(self.graph, np.arange(self.graph.n_entities, dtype=np.int32), self.graph.triple_ids())

    def local(self, entities: Iterable[int]) -> list[int]:
        """The local ids of those entities that are in the view, in the order given."""
        if self.nodes is None:
            return [entity for entity in entities if 0 <= entity < self.graph.n_entities]
        local_ids = []
        for entity in entities:
            at = int(np.searchsorted(self.nodes, entity))
            if at < len(self.nodes) and self.nodes[at] == entity:
                local_ids.append(at)
        return local_ids

    def triple_texts(self) -> list[str]:
        """The text of every triple of the view in order, such as ``Kenya -> capital -> Nairobi``."""
        label, relation_label = self.graph.label, self.graph.relation_label
        whole = self.graph.csr
        ids = self.graph.triple_ids() if self.triples is None else self.triples
        heads = whole.heads(ids)
        rows = zip(heads.tolist(), whole.relation[ids].tolist(), whole.tail[ids].tolist(), strict=True)
        return [f"{label(head)} -> {relation_label(relation)} -> {label(tail)}" for head, relation, tail in rows]

    def union(self, other: Subgraph) -> Subgraph:
        """The entities and triples that are in either view."""
        if self.nodes is None or self.triples is None:
            return self
        if other.nodes is None or other.triples is None:
            return other
        return Subgraph(self.graph, np.union1d(self.nodes, other.nodes), np.union1d(self.triples, other.triples))


def seeds_of(query: Query, subgraph: Subgraph) -> npt.NDArray[np.int32]:
    """The local ids of the query's seeds in a subgraph, int32, distinct, in the order of the query."""
    return np.array(list(dict.fromkeys(subgraph.local(query.seeds))), dtype=np.int32)
