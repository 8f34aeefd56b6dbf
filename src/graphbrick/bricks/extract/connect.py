"""Connect the components of a subgraph by shortest links through the graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.seeds import among
from graphbrick.core.compute import check_limits
from graphbrick.core.trace import event, fact
from graphbrick.graphs.graph import Graph

Entities = npt.NDArray[np.int32]

_LOOKED_AT = 1_000_000  # triples read for one link: some milliseconds, and tens of megabytes
_IN_ALL = 20_000_000  # triples read for all links of one subgraph


def parts_of(graph: Graph, nodes: Entities) -> list[Entities]:
    """Return the weakly connected components of the induced subgraph, ordered by lowest id."""
    from graphbrick.kernels.paths.components import components

    view = among(graph, [nodes])
    assert view.nodes is not None
    lowest = components(view.csr.rows)
    order = np.argsort(lowest, kind="stable")
    borders = np.flatnonzero(np.diff(lowest[order])) + 1
    return [view.nodes[part] for part in np.split(order, borders)] if len(order) else []


def connected(graph: Graph, nodes: Entities) -> Entities:
    """Return the entities plus those on shortest links between their components: int32, ascending.

    Repeatedly, the smallest component (ties: the lowest id) is joined to the nearest other component by a shortest
    link, and the entities of the link join the merged component. This goes on until one component is left. The minimum
    would be a Steiner tree, where links may also meet halfway. This is the usual approximation of one, with at most
    twice its links. Components that cannot be joined within the search budget are an event.
    """
    from graphbrick.kernels.paths.components import shortest_link

    parts = parts_of(graph, nodes)
    far: list[Entities] = []  # components whose search ran out of budget; another search may still reach them
    alone: list[Entities] = []  # components that no triple connects to another one
    left, added = _IN_ALL, 0
    while parts and len(parts) + len(far) > 1 and left > 0:
        check_limits()
        parts.sort(key=lambda part: (len(part), int(part[0])))
        first, others = parts[0], [*parts[1:], *far]
        budget = min(_LOOKED_AT, left)
        link, looked = shortest_link(graph.csr.rows, first, np.sort(np.concatenate(others)), budget)
        left -= int(looked)
        if not len(link):
            (far if looked == budget else alone).append(first)
            parts = parts[1:]
            continue
        added += len(link) - 2
        met = next(i for i, part in enumerate(others) if np.isin(link[0], part))
        joined = np.unique(np.concatenate([first, link, others[met]]))
        far = [part for i, part in enumerate(far, len(parts) - 1) if i != met]
        parts = [*(part for i, part in enumerate(parts[1:]) if i != met), joined]
    lone = [*far, *alone]
    apart = len(parts) + len(lone)
    fact(entities_between=added)
    if apart > 1:
        event(
            f"{apart:,} parts of the subgraph could not be connected: no link was found within {_LOOKED_AT:,} triples "
            "looked at",
            "connect.parts_apart",
            n=apart,
        )
    return np.sort(np.concatenate([np.empty(0, dtype=np.int32), *parts, *lone]))
