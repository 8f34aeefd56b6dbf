"""The entities of each type of a graph."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph

Ints = npt.NDArray[np.int64]


def entities_by_type(graph: Graph) -> Mapping[str, Ints]:
    """Return the entities of each type, int64, ascending; empty for a graph without types.

    >>> from graphbrick.testing import tiny_graph
    >>> dict(entities_by_type(tiny_graph()))
    {}
    """
    return current_session().get(("entities by type", graph.place, graph.hash), lambda: _by_type(graph), at_most=4)


def _by_type(graph: Graph) -> dict[str, Ints]:
    by_type: dict[str, Ints] = {}
    if graph.type_table is not None:
        pointers, ids, names = graph.type_table
        owner = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
        order = np.argsort(ids, kind="stable")
        bounds = np.searchsorted(ids[order], np.arange(len(names) + 1))
        by_type = {names[i]: owner[order[bounds[i] : bounds[i + 1]]] for i in range(len(names))}
    changed = [entity for entity, facts in graph.changes.facts.items() if facts.types is not None]
    if changed:
        by_type = {name: entities[~np.isin(entities, changed)] for name, entities in by_type.items()}
        added: dict[str, list[int]] = {}  # joined once: an array that grows by one is copied each time
        for entity in changed:
            for name in graph.types(entity):
                added.setdefault(name, []).append(entity)
        none = np.zeros(0, dtype=np.int64)
        by_type |= {name: np.append(by_type.get(name, none), entities) for name, entities in added.items()}
    return {name: np.sort(entities) for name, entities in by_type.items() if len(entities)}
