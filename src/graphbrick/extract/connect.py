"""Joining the parts of a subgraph that no triple connects, by shortest links through the graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.limits import check_limits
from graphbrick.core.trace import event, fact
from graphbrick.extract.seeds import among
from graphbrick.graphs.graph import Graph

Entities = npt.NDArray[np.int32]

_LOOKED_AT = 1_000_000  # triples for one link: some milliseconds, and tens of megabytes
_IN_ALL = 20_000_000  # triples for all links of one subgraph


def parts_of(graph: Graph, nodes: Entities) -> list[Entities]:
    """The weakly connected components of some entities and the triples among them, in order of their lowest id."""
    from graphbrick.kernels.components import components

    view = among(graph, [nodes])
    assert view.nodes is not None
    lowest = components(view.csr.rows)
    order = np.argsort(lowest, kind="stable")
    borders = np.flatnonzero(np.diff(lowest[order])) + 1
    return [view.nodes[part] for part in np.split(order, borders)] if len(order) else []


def connected(graph: Graph, nodes: Entities) -> Entities:
    """Some entities and those on links between the components that they fall into: int32, ascending.

    The smallest component (of equal ones, that with the lowest id) is joined to the nearest other one by a shortest
    link, whose entities count as its own from then on; so on until one is left. A shortest link out of any component
    is part of some smallest set of links, so that no fewer triples would do, were it not for links that meet halfway
    (a Steiner tree, of which this is the usual approximation: at most twice the links). What is not joined within the
    bounds of the search is an event.
    """
    from graphbrick.kernels.components import shortest_link

    parts = parts_of(graph, nodes)
    far: list[Entities] = []  # whose own search gave up; another may find them
    alone: list[Entities] = []  # to which no triple leads
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
            "looked at"
        )
    return np.sort(np.concatenate([np.empty(0, dtype=np.int32), *parts, *lone]))
