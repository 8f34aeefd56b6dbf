"""Routes about what the server has: graphs, recipes, bricks, and the check of a recipe."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from graphbrick.core.errors import GraphbrickError, PipelineError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.properties.stated import shortened
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.info import graph_info, property_facts
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.blocks import BlockError, from_blocks, to_blocks
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import all_bricks, describe
from graphbrick.pipeline.composition import stages_of
from graphbrick.recipes import all_recipes
from graphbrick.serve.errors import ServeError, not_found, recipe_error
from graphbrick.serve.hosting import Opened
from graphbrick.serve.models import LONGEST_RECIPE, Check, Name
from graphbrick.serve.routes.common import GraphName, Serving, look_up
from graphbrick.serve.service import Service, read_recipe
from graphbrick.serve.trust import calls_model

router = APIRouter(prefix="/v1", tags=["catalogue"])
_MOST_TYPES, _MOST_PROPERTIES, _LONGEST_EXAMPLE = 1_000, 1_000, 200  # of a graph, and characters


@router.get("/graphs", summary="List the graphs")
async def graphs(service: Serving) -> dict[str, Any]:
    """Return every graph with its counts, what it gives, its recipes, and ``questions`` that it can answer.

    ``write`` says whether documents may be changed and answers marked, ``labels`` whether there are answers to label,
    and ``tuned`` whether there are results of searches for pipelines.
    """
    return {
        "graphs": [_graph(service, hosted.now) for hosted in service.graphs.values()],
        "write": service.options.write,
        "labels": service.labelling is not None,
        "tuned": bool(service.options.tuned),
    }


@router.get("/graphs/{name}", summary="Describe a graph")
async def graph(name: Name, service: Serving, request: Request) -> dict[str, Any]:
    """Return counts, origin, the most frequent relations, the types and the properties of a graph.

    At most 1,000 properties of entities and of triples each are listed; ``more_properties`` says how many others
    there are, ``more_types`` the same beyond 1,000 types. Examples are cut after 200 characters. Of a database the
    properties of entities are listed, or ``problem`` says why not; its ``schema`` has those of triples.
    """
    opened = service.graph(name)

    def work() -> dict[str, Any]:
        facts, graph = _graph(service, opened), opened.graph
        if isinstance(graph, Graph):
            info = {key: value for key, value in graph_info(graph).items() if key != "graph"}
            facts["info"] = info | _short_properties(info)
            types = graph.type_labels()
            facts |= {"types": types[:_MOST_TYPES], "more_types": len(types[_MOST_TYPES:])}
        elif Capability.PROPERTIES in capabilities_of(graph):
            facts["info"] = _info_of_database(service, graph)
        return facts

    return await look_up(service, request, work)


def _info_of_database(service: Service, graph: Any) -> dict[str, Any]:
    """Return the properties of a database; one that does not answer is described without them."""
    try:
        columns, problem = graph.property_columns(), None
    except GraphbrickError as error:
        columns, problem = [], service.without_places(str(error))
    return _short_properties({"properties": list(map(property_facts, columns))}) | {"problem": problem}


def _short_properties(info: dict[str, Any]) -> dict[str, Any]:
    """Return the lists of properties in a size that can be sent."""
    short: dict[str, Any] = {"more_properties": 0}
    for name in ("properties", "triple_properties"):
        rows = info.get(name, [])
        short["more_properties"] += len(rows[_MOST_PROPERTIES:])
        short[name] = [
            row | {"examples": [shortened(example, _LONGEST_EXAMPLE) for example in row["examples"]]}
            for row in rows[:_MOST_PROPERTIES]
        ]
    return short


@router.get("/graphs/{name}/schema", summary="What queries of a graph may name")
async def schema(name: Name, service: Serving, request: Request) -> dict[str, Any]:
    """Return classes with their properties, and the relations between them, with counts."""
    opened = service.graph(name)
    if not hasattr(opened.graph, "schema"):
        raise ServeError(400, "no_schema", f"the graph {name} has no schema")
    schema_of_graph = await look_up(service, request, opened.graph.schema)
    return {"language": opened.graph.language, **asdict(schema_of_graph)}


def _graph(service: Service, opened: Opened) -> dict[str, Any]:
    """Return a graph in short."""
    graph, hosted = opened.graph, service.graphs[opened.name]
    counts = (
        {"entities": graph.n_entities, "relations": graph.n_relations, "triples": graph.n_triples}
        if isinstance(graph, Graph)
        else {}
    )
    text = {"passages": graph.n_passages} if isinstance(graph, TextGraph) else {}
    return {
        "name": opened.name,
        **counts,
        **text,
        "hash": opened.hash,
        "made_from_text": isinstance(graph, TextGraph),
        "gives": sorted(capability.value for capability in capabilities_of(graph)),
        "language": getattr(graph, "language", None),
        "recipes": opened.places.shown({name: repr(pipeline) for name, pipeline in opened.recipes.items()}),
        "questions": opened.questions,
        "problem": service.without_places(hosted.failure) or None,
    }


@router.get("/recipes", summary="List the recipes")
async def recipes(service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Return the recipes of the server for a graph, the default first, and the published ones with their figures.

    ``allowed`` says whether the server runs a recipe for clients; else ``reason`` says why not.
    """
    opened = service.graph(graph)
    own = opened.places.shown([_recipe(name, pipeline) for name, pipeline in opened.recipes.items()])
    trust = service.trust(opened)
    listed = []
    for one in all_recipes().values():
        reason = f"it needs {', '.join(one.needs)}" if one.needs else trust.refusal(one.pipeline())
        listed.append(one.to_dict() | {"allowed": not reason, "reason": reason or None})
    return {"graph": opened.name, "recipes": own, "published": listed}


def _recipe(name: str, pipeline: Pipeline) -> dict[str, Any]:
    return {
        "name": name,
        "pipeline": repr(pipeline),
        "blocks": to_blocks(pipeline),
        "calls_model": calls_model(pipeline),
    }


@router.get("/bricks", summary="List the bricks")
async def bricks(
    name: Annotated[list[Name] | None, Query(max_length=100, description="Only these; repeatable.")] = None,
) -> dict[str, Any]:
    """Return every brick with its kind, its paper, and its parameters: type, default, range, choices, and text."""
    there = all_bricks()
    for one in name or ():
        if one not in there:
            raise not_found("brick", one, list(there))
    return {"bricks": [describe(there[one]) for one in (name or there)]}


@router.post("/check", summary="Check a recipe, and convert it between text and blocks")
async def check(body: Check, request: Request, service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Read a recipe from text or blocks.

    Returns:
        If it can be read: ``ok`` true, the recipe as ``pipeline`` and as ``blocks``, its ``stages`` with what each
        needs and gives, what it ``gives``, and whether this server runs it for clients (``allowed``, ``reason``).
        Else: ``ok`` false and ``error`` with the message, its ``fix``, and the place: ``line`` and ``column`` from 1
        in a text, ``at`` in blocks.
    """
    if (body.pipeline is None) == (body.blocks is None):
        raise ServeError(400, "one_recipe", "give either a pipeline text, or blocks")
    opened = service.graph(graph)
    return await look_up(service, request, lambda: _checked(service, opened, body))


def _checked(service: Service, opened: Opened, body: Check) -> dict[str, Any]:
    """Return what `check` does; many blocks take some time, in which others must be answered."""
    try:
        if body.pipeline is not None:
            pipeline = read_recipe(opened, body.pipeline)
        else:
            if _size(body.blocks) > LONGEST_RECIPE:
                raise PipelineError(f"the blocks have more than {LONGEST_RECIPE:,} values; leave stages out")
            pipeline = from_blocks(opened.places.meant(body.blocks))
            if len(repr(pipeline)) > LONGEST_RECIPE:
                raise PipelineError(
                    f"the pipeline has more than {LONGEST_RECIPE:,} characters as text; leave stages out"
                )
    except BlockError as error:
        return {"ok": False, "error": {"message": str(error), **recipe_error(error), "at": list(error.at)}}
    except PipelineError as error:
        return {"ok": False, "error": {"message": str(error), **recipe_error(error)}}
    reason = service.trust(opened).refusal(pipeline)
    facts = {
        "ok": True,
        "pipeline": repr(pipeline),
        "blocks": to_blocks(pipeline),
        "stages": [_stage(stage) for stage in stages_of(pipeline)],
        "gives": pipeline.gives.name.lower(),
        "calls_model": calls_model(pipeline),
        "missing": _missing(pipeline, opened),
        "allowed": not reason,
        "reason": reason or None,
    }
    shown: dict[str, Any] = opened.places.shown(facts)
    return shown


def _size(value: object) -> int:
    """Return the number of values in blocks, however deep."""
    count, left = 0, [value]
    while left:
        one = left.pop()
        count += 1
        left.extend(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
    return count


def _stage(stage: Pipeline) -> dict[str, Any]:
    """Return a stage in short, for a form."""
    return {
        "stage": repr(stage),
        "kind": getattr(stage, "kind", "union"),
        "accepts": sorted(level.name.lower() for level in stage.accepts),
        "gives": stage.gives.name.lower(),
        "parameters": {one.name: repr(getattr(stage, one.name)) for one in stage.parameters()}
        if isinstance(stage, Brick)
        else {},
    }


def _missing(pipeline: Pipeline, opened: Opened) -> list[str]:
    """Return what stages need that the graph does not give."""
    gives = capabilities_of(opened.graph)
    needs = {capability for stage in pipeline.stages_within() for capability in stage.needs}
    return sorted(capability.value for capability in needs - gives) if isinstance(opened.graph, Graph) else []
