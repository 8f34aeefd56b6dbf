"""Browsing a graph: its entities by type and by value, those with the most triples first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request

from graphbrick.core.properties.values import shown_value
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.serve.errors import ServeError, not_found
from graphbrick.serve.routes.common import GraphName, Serving, look_up, with_properties

router = APIRouter(prefix="/v1", tags=["graph"])
_READ = 2_000  # entities of a type whose values are counted
_MOST_VALUES, _LISTED = 40, 12  # distinct values of a property that can be chosen, and how many of them are listed
_MOST_PROPERTIES = 8
_LONGEST = 60  # characters of a value that can be chosen


@router.get("/entities/browse", summary="Browse entities by type and value")
async def browse(
    request: Request,
    service: Serving,
    graph: GraphName = None,
    type: Annotated[str, Query(max_length=200, description="Only entities of this type; empty for all.")] = "",  # noqa: A002
    property: Annotated[str, Query(max_length=500, description="Only with a value of this property.")] = "",  # noqa: A002
    value: Annotated[str, Query(max_length=2_000, description="The value, as it is listed.")] = "",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    n: Annotated[int, Query(ge=1, le=200)] = 25,
) -> dict[str, Any]:
    """Return entities with their properties, those with the most triples first.

    ``values`` lists, for properties with few different values, each value with how many entities of the type have it;
    they are counted among the first 2,000. ``count`` says how many entities there are, ``next`` is the offset of the
    next page, or null.
    """
    opened = service.graph(graph)
    made = opened.graph
    if not isinstance(made, Graph):
        raise ServeError(400, "no_browsing", f"the graph {opened.name} is in a database, which cannot be browsed here")

    def work() -> dict[str, Any]:
        entities = _of_type(made, type)
        values = current_session().get(("values of a type", type), lambda: _values(made, entities[:_READ]), of=made)
        if property:
            entities = [one for one in entities if value in _shown(made.properties(one).get(property))]
        page = entities[offset : offset + n]
        return {
            "graph": opened.name,
            "entities": with_properties(made, page),
            "count": len(entities),
            "next": offset + n if offset + n < len(entities) else None,
            "values": values,
        }

    return await look_up(service, request, work)


def _of_type(graph: Graph, name: str) -> Sequence[int]:
    """Return the entities of a type, or all, those with the most triples first; they are sorted once."""
    if name and name not in graph.type_labels():
        raise not_found("type", name, graph.type_labels())

    def make() -> Sequence[int]:
        entities = _typed(graph, name) if name else range(graph.n_entities)
        return sorted(entities, key=lambda entity: (-graph.degree(entity), entity))

    return current_session().get(("entities of a type", name), make, of=graph)


def _typed(graph: Graph, name: str) -> Sequence[int]:
    entities: set[int] = set()
    if graph.type_table is not None:
        pointers, ids, names = graph.type_table
        mine = [i for i in range(len(names)) if names[i] == name]
        places = np.flatnonzero(np.isin(ids, mine))
        entities.update((np.searchsorted(pointers, places, side="right") - 1).tolist())
    for entity, changed in graph.changes.facts.items():
        if changed.types is not None:
            entities.discard(entity)
            if name in changed.types:
                entities.add(entity)
    return list(entities)


def _values(graph: Graph, entities: Sequence[int]) -> list[dict[str, Any]]:
    """Return the properties with few different values, each with its most frequent ones."""
    counts: dict[str, Counter[str]] = {}
    for entity in entities:
        for name, value in graph.properties(entity).items():
            of_name = counts.setdefault(name, Counter())
            if len(of_name) <= _MOST_VALUES:
                of_name.update(_shown(value))
    few = {
        name: of_name
        for name, of_name in counts.items()
        if 1 < len(of_name) <= _MOST_VALUES and max(of_name.values()) > 1 and max(map(len, of_name)) <= _LONGEST
    }
    first = sorted(few, key=lambda name: len(few[name]))[:_MOST_PROPERTIES]
    return [
        {"property": name, "values": [{"value": one, "count": n} for one, n in few[name].most_common(_LISTED)]}
        for name in first
    ]


def _shown(value: Any) -> list[str]:
    """Return a value, or each of a list, as it is shown."""
    if value is None:
        return []
    return [shown_value(one) for one in value] if isinstance(value, tuple) else [shown_value(value)]
