"""Routes about entities: search, one, its neighbours, paths between two, and queries."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from graphbrick.bricks.agents.agent_tool import Walked
from graphbrick.bricks.agents.tools.paths import shortest
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.bricks.retrieve.queries.query_advice import rows_or_advice
from graphbrick.core import Subgraph
from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.properties.stated import short_json, stated_condition
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.queries.guard import check_read_only
from graphbrick.pipeline.budget import StoppedError
from graphbrick.serve.errors import ServeError, not_found
from graphbrick.serve.hosting import Opened, named_card
from graphbrick.serve.limits.streams import gone
from graphbrick.serve.models import GraphQuery
from graphbrick.serve.routes.common import (
    LONGEST_VALUE,
    MOST_PROPERTIES,
    EntityKey,
    GraphName,
    Serving,
    entity_json,
    entity_of,
    look_up,
    with_properties,
)

router = APIRouter(prefix="/v1", tags=["graph"])
_MOST_SEARCHED = 100_000  # triples of an entity among which a relation is looked for
_MOST_PATHS = 100
Direction = Literal["out", "in", "both"]
EntityType = Annotated[str | None, Query(max_length=200, description="Only entities of this type.")]
Bound = Annotated[str, Query(max_length=2_000, description="A value as text; dates like 2020-05-31.")]


@router.get("/entities", summary="Search entities by name")
async def search(
    request: Request,
    service: Serving,
    q: Annotated[str, Query(min_length=1, max_length=500, description="A name, its beginning, or a question.")],
    graph: GraphName = None,
    n: Annotated[int, Query(ge=1, le=100)] = 10,
    type: EntityType = None,  # noqa: A002
    properties: Annotated[bool, Query(description="Whether to send their properties.")] = True,
) -> dict[str, Any]:
    """Return the entities whose names occur in a text or resemble it, best first, with their properties."""
    opened = service.graph(graph)

    def work() -> list[dict[str, Any]]:
        entities = [int(entity) for entity in opened.graph.search(q, n if type is None else 10 * n)]
        entities = [entity for entity in entities if type is None or type in opened.graph.types(entity)][:n]
        return _listed(opened, entities, properties)

    return {"graph": opened.name, "entities": await look_up(service, request, work)}


def _listed(opened: Opened, entities: Sequence[int], properties: bool) -> list[dict[str, Any]]:
    if properties:
        return with_properties(opened.graph, entities)
    return [entity_json(opened.graph, entity) for entity in entities]


@router.get("/entities/where", summary="Find entities by a property")
async def where(
    request: Request,
    service: Serving,
    property: Annotated[str, Query(min_length=1, max_length=500, description="Name of the property.")],  # noqa: A002
    graph: GraphName = None,
    equals: Bound = "",
    above: Bound = "",
    at_least: Bound = "",
    below: Bound = "",
    at_most: Bound = "",
    type: EntityType = None,  # noqa: A002
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    n: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> dict[str, Any]:
    """Return the entities whose value of a property meets all bounds, by id, with their properties.

    ``count`` says how many there are, ``next`` is the offset of the next page, or null.
    """
    opened = service.graph(graph)
    bounds = {"equals": equals, "above": above, "at_least": at_least, "below": below, "at_most": at_most}
    if Capability.PROPERTIES not in capabilities_of(opened.graph):
        raise ServeError(400, "no_properties", f"the graph {opened.name} has no properties of entities")

    def work() -> dict[str, Any]:
        one = opened.graph
        try:
            condition = stated_condition(one.property_columns(), property, bounds)
        except InputError as error:
            raise ServeError(400, "bad_condition", str(error)) from error
        entities = [int(entity) for entity in one.matching(condition)]
        if type is not None:
            entities = [entity for entity in entities if type in one.types(entity)]
        page = entities[offset : offset + n]
        return {
            "graph": opened.name,
            "property": condition.name,
            "entities": with_properties(one, page),
            "count": len(entities),
            "next": offset + n if offset + n < len(entities) else None,
        }

    return await look_up(service, request, work)


@router.get("/entities/one", summary="One entity")
async def one(request: Request, service: Serving, key: EntityKey, graph: GraphName = None) -> dict[str, Any]:
    """Return the card of an entity: what it is, its properties, its relations with counts, and passages."""
    opened = service.graph(graph)
    return await look_up(service, request, lambda: named_card(opened, entity_of(opened, key)).to_dict())


@router.get("/entities/neighbours", summary="The neighbours of an entity, page by page")
async def neighbours(
    request: Request,
    service: Serving,
    key: EntityKey,
    graph: GraphName = None,
    relation: Annotated[str | None, Query(max_length=500, description="Only this relation: its key or label.")] = None,
    direction: Annotated[Direction, Query(description="out: triples that leave the entity; in: enter it.")] = "both",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    n: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> dict[str, Any]:
    """Return the triples around an entity with their other ends; ``next`` is the offset of the next page, or null.

    Triples of folder graphs have their properties.
    """
    opened = service.graph(graph)

    def work() -> dict[str, Any]:
        entity = entity_of(opened, key)
        relations = None if relation is None else _ids(opened, entity, relation)
        around = opened.graph.neighbours([entity], direction=direction, relations=relations, limit=offset + n)[0]
        return {
            "entity": entity_json(opened.graph, entity),
            "triples": _triples(opened.graph, entity, around.triples[: offset + n], offset),
            "next": offset + n if around.is_cut else None,
        }

    return await look_up(service, request, work)


def _ids(opened: Opened, entity: int, relation: str) -> list[int]:
    """Return the relations of an entity with a key or label."""
    graph = opened.graph
    triples = graph.neighbours([entity], limit=_MOST_SEARCHED)[0].triples
    there = np.unique(triples[:, 1]).tolist()
    matches = [one for one in there if relation in (graph.relation_key(one), graph.relation_label(one))]
    if not matches:
        raise not_found("relation", relation, [graph.relation_label(one) for one in there])
    return matches


def _triples(graph: Any, entity: int, around: Any, offset: int) -> list[dict[str, Any]]:
    """Return the triples from an offset on as seen from an entity; parallel ones differ in their properties."""
    rows = [tuple(row) for row in around[offset:].tolist()]
    triples = [_triple(graph, entity, *row) for row in rows]
    if not rows or not (isinstance(graph, Graph) and graph.triples_have_properties):
        return triples
    places, start = Counter[tuple[int, ...]](), offset
    while start and tuple(around[start - 1].tolist()) == rows[0]:  # parallel triples follow each other
        start -= 1
    places[rows[0]] = offset - start
    for row, triple in zip(rows, triples, strict=True):
        parallels = graph.properties_between(*row)
        own, is_cut = short_json(parallels[places[row] % len(parallels)], MOST_PROPERTIES, LONGEST_VALUE)
        triple |= {"properties": own, "properties_cut": is_cut}
        places[row] += 1
    return triples


def _triple(graph: Any, entity: int, head: int, relation: int, tail: int) -> dict[str, Any]:
    """Return a triple as seen from an entity."""
    forward = head == entity
    return {
        "relation": {"key": graph.relation_key(relation), "label": graph.relation_label(relation)},
        "direction": "out" if forward else "in",
        "entity": entity_json(graph, tail if forward else head),
    }


@router.get("/paths", summary="The shortest paths between two entities")
async def paths(
    request: Request,
    service: Serving,
    start: EntityKey,
    end: EntityKey,
    graph: GraphName = None,
    max_hops: Annotated[int, Query(ge=1, le=6)] = 4,
) -> dict[str, Any]:
    """Return the shortest paths, whatever the directions of their triples; ``is_cut`` if large nodes were cut.

    A step has ``properties`` if triples of the graph have any: a list with those of each parallel triple.
    """
    opened = service.graph(graph)

    def work() -> dict[str, Any]:
        source, target = entity_of(opened, start), entity_of(opened, end)
        if source == target:
            raise ServeError(400, "same_entity", "start and end are the same entity; give two")
        view = Workspace("", Subgraph(opened.graph))
        found, is_cut = shortest(view, source, target, max_hops)
        return {"paths": [_path(opened.graph, path) for path in found[:_MOST_PATHS]], "is_cut": is_cut}

    return await look_up(service, request, work)


def _path(graph: Any, steps: Iterable[Walked]) -> dict[str, Any]:
    """Return a path as its text and its steps."""
    text, listed = "", []
    for step in steps:
        arrow = "->" if step.forward else "<-"
        text = text or graph.label(step.start)
        text += f" {arrow} {graph.relation_label(step.relation)} {arrow} {graph.label(step.end)}"
        listed.append(
            {
                "start": {"key": graph.key(step.start), "label": graph.label(step.start)},
                "relation": {"key": graph.relation_key(step.relation), "label": graph.relation_label(step.relation)},
                "end": {"key": graph.key(step.end), "label": graph.label(step.end)},
                "forward": step.forward,
                **_of_step(graph, step),
            }
        )
    return {"text": text, "steps": listed}


def _of_step(graph: Any, step: Walked) -> dict[str, Any]:
    if not (isinstance(graph, Graph) and graph.triples_have_properties):
        return {}
    parallels = graph.properties_between(*step.triple)[:MOST_PROPERTIES]
    return {"properties": [short_json(own, MOST_PROPERTIES, LONGEST_VALUE)[0] for own in parallels]}


@router.post("/query", summary="Run a query that only reads", response_model=dict[str, Any])
async def query(body: GraphQuery, request: Request, service: Serving) -> Response:
    """Run a query in the graph's own language (Cypher or SPARQL); one that may write is refused with status 403."""
    opened = service.graph(body.graph)
    if Capability.QUERY_LANGUAGE not in capabilities_of(opened.graph):
        raise ServeError(400, "no_query_language", f"the graph {opened.name} has no query language")

    def work() -> bytes:
        check_read_only(body.query, opened.graph.language)
        try:
            rows = rows_or_advice(opened.graph, body.query, body.limit)
        except (ValueError, TypeError) as error:  # an engine that does not take the text
            raise GraphbrickError(f"the query cannot be run: {error}") from error
        except StoppedError as error:
            raise ServeError(504, "stopped", f"{error}; ask for less") from error
        return json.dumps(rows.to_dict()).encode()  # here, as a long one takes a while

    runner = service.runner  # a query may take long, and must not keep look-ups waiting
    content = await runner.call(work, runner.queries, runner.budget(), lambda: gone(request.receive))
    return Response(content, media_type="application/json")
