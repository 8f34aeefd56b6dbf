"""Browsing a graph: its types and the relations between them, and its entities by type and by value."""

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
from graphbrick.serve.hosting import Opened
from graphbrick.serve.models import Name
from graphbrick.serve.routes.common import GraphName, Serving, look_up, with_properties

router = APIRouter(prefix="/v1", tags=["graph"])
_READ = 2_000  # entities of a type whose values are counted
_MOST_VALUES, _LISTED = 40, 12  # distinct values of a property that can be chosen, and how many of them are listed
_MOST_PROPERTIES, _MOST_JOINED = 8, 1_000
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
    made = _folder_graph(opened)

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


@router.get("/graphs/{name}/types", summary="The types of a graph, and the relations between them")
async def types(request: Request, service: Serving, name: Name) -> dict[str, Any]:
    """Return the types with the number of their entities, and how many triples join each two of them.

    An entity counts as one of its first type. At most 1,000 relations between two types are listed, the most frequent
    ones; ``more`` says how many others there are, ``untyped`` how many entities have no type and stand in none.
    """
    made = _folder_graph(service.graph(name))
    return await look_up(
        service, request, lambda: current_session().get(("map of types",), lambda: _map(made), of=made)
    )


def _map(graph: Graph) -> dict[str, Any]:
    names = graph.type_labels()
    number = {name: i for i, name in enumerate(names)}
    first = np.fromiter(
        (number.get(graph.first_type(entity), -1) for entity in range(graph.n_entities)), np.int64, graph.n_entities
    )
    ids = graph.triple_ids()
    heads, tails = first[graph.csr.heads(ids)], first[graph.csr.tail[ids]]
    joined = np.stack([heads, graph.csr.relation[ids], tails], axis=1)[(heads >= 0) & (tails >= 0)]
    rows, counts = np.unique(joined, axis=0, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_MOST_JOINED]
    entities = np.bincount(first[first >= 0], minlength=len(names))
    largest = np.argsort(-entities, kind="stable").tolist()
    return {
        "classes": [{"name": names[i], "count": int(entities[i])} for i in largest if entities[i]],
        "connections": [
            {"head": names[head], "relation": graph.relation_label(relation), "tail": names[tail], "count": count}
            for (head, relation, tail), count in zip(rows[most].tolist(), counts[most].tolist(), strict=True)
        ],
        "more": len(rows) - len(most),
        "untyped": int((first < 0).sum()),
    }


def _folder_graph(opened: Opened) -> Graph:
    if not isinstance(opened.graph, Graph):
        raise ServeError(400, "no_browsing", f"the graph {opened.name} is in a database, which cannot be browsed here")
    return opened.graph


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
