"""The triples of many nodes of a Cypher database, in few requests of limited size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graphbrick.core.graph import follow
from graphbrick.graphs.databases.nodes import Edge, Edges

if TYPE_CHECKING:
    from graphbrick.graphs.databases.cypher.cypher import CypherGraph

_LARGEST_BATCH = 20_000  # triples of one request


class Followed(NamedTuple):
    """The relations to follow.

    Attributes:
        types: Their types in the database.
        keys: Their keys, since relations of one type may have different keys.
    """

    types: list[str]
    keys: list[str]


def edges_around(
    graph: CypherGraph, handles: Sequence[Any], direction: str, followed: Followed | None, limit: int
) -> list[Edges]:
    """Return the triples of nodes with their properties, each once; see `DatabaseGraph.around`."""
    out, into = follow(direction)
    collected: dict[Any, list[Edge]] = {hashable(handle): [] for handle in handles}
    for forward in (True,) * out + (False,) * into:
        _Collector(graph, followed, limit, forward, whole=True).collect(collected, [*handles])
    lists = []
    for handle in handles:
        edges = [
            edge
            for edge in collected[hashable(handle)]
            if (followed is None or edge.key in followed.keys)
            and not (out and not edge.forward and hashable(edge.node.handle) == hashable(handle))
        ]
        edges = list({(edge.forward, *_order(edge)): edge for edge in edges}.values())
        lists.append(Edges(edges[:limit], len(edges) > limit))
    return lists


def edges_out_of(graph: CypherGraph, handles: Sequence[Any], limit: int) -> list[Edges]:
    """Return the triples that leave nodes, with their properties; parallel ones are several."""
    collected: dict[Any, list[Edge]] = {hashable(handle): [] for handle in handles}
    _Collector(graph, None, limit, True, whole=True).collect(collected, [*handles])
    lists = [collected[hashable(handle)] for handle in handles]
    return [Edges(edges[:limit], len(edges) > limit) for edges in lists]


class _Collector(NamedTuple):
    """The requests for the triples of one direction."""

    graph: CypherGraph
    followed: Followed | None
    limit: int
    forward: bool
    whole: bool

    def collect(self, collected: dict[Any, list[Edge]], handles: list[Any]) -> None:
        """Add the edges of nodes; query a node with very many alone, so that no edges of others are lost."""
        if not handles:
            return
        limit = self.limit
        most = limit + 1 if len(handles) == 1 else max(limit + 1, _LARGEST_BATCH)
        rows = self.graph.edges(handles, self.forward, self.followed, most, whole=self.whole)
        lists: dict[Any, list[Edge]] = {hashable(handle): [] for handle in handles}
        for handle, edge in rows:
            lists[hashable(handle)].append(edge)
        complete = len(rows) < most or len(handles) == 1
        for handle in handles:
            edges = lists[hashable(handle)]
            if complete or len(edges) > limit:
                collected[hashable(handle)] += sorted(edges[: limit + 1], key=_order)
        if not complete:
            left = [handle for handle in handles if len(lists[hashable(handle)]) <= limit]
            half = len(left) if len(left) < len(handles) else (len(left) + 1) // 2
            for part in (left[:half], left[half:]):
                self.collect(collected, part)


def _order(edge: Edge) -> tuple[str, str, str]:
    return edge.key, edge.node.key, repr(sorted(edge.properties.items())) if edge.properties else ""


def hashable(handle: Any) -> Any:
    """Return a handle as key of a dictionary; some clients give internal ids as lists."""
    return tuple(handle) if isinstance(handle, list) else handle


def relation_counts(graph: CypherGraph, handle: Any) -> dict[tuple[str, bool], tuple[int, int]]:
    """Return the numbers of triples and of neighbours of a node, by the key of the relation and its direction.

    Relations are left out whose type in the database stands for several keys.
    """
    is_place = isinstance(handle, tuple)  # of ladybug, whose ids are no parameters
    place = f"internal_id({int(handle[0])}, {int(handle[1])})" if is_place else "$handle"
    counts: dict[tuple[str, bool], tuple[int, int]] = {}
    for forward, arrow in ((True, "-[r]->"), (False, "<-[r]-")):
        text = (
            f"MATCH (n){arrow}(m) WHERE {graph.dialect.handle.format('n')} = {place} "
            f"RETURN {graph.dialect.type.format('r')} AS kind, count(*) AS triples, count(DISTINCT m) AS others"
        )
        rows = graph.fetch(text, {} if is_place else {"handle": handle}, _LARGEST_BATCH).rows
        for kind, triples, others in rows:
            keys = [key for key, kinds in graph.relation_types.items() if kind in kinds]
            counts |= {(key, forward): (triples, others) for key in keys if len(keys) == 1}
    return counts
