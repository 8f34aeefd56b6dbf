"""The beginning of a run: the question, the graph that its stages work on, and its seeds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from graphbrick.core import Query
from graphbrick.core.errors import GraphbrickError, LinkError, PipelineError, shown
from graphbrick.core.graph import (
    Adjacency,
    Capability,
    Copied,
    Labels,
    PerQuestion,
    capabilities_of,
    check_needs,
)
from graphbrick.core.query import check_question
from graphbrick.core.trace import Trace, event, record
from graphbrick.pipeline.catalog import default_linker
from graphbrick.pipeline.composition import Pipeline, Repeat, Sequence, Union, needed_levels
from graphbrick.pipeline.run import Level, Run
from graphbrick.pipeline.stages import GenerateStage, LinkStage, RetrieveStage

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph


def begin(
    pipeline: Pipeline,
    graph: Labels | PerQuestion,
    query: str | Query,
    seeds: Iterable[str | int] = (),
) -> Run:
    """Return the run of a question before the first stage; see `Pipeline.run` for arguments and errors."""
    if Level.QUERY not in pipeline.accepts:
        raise PipelineError(
            f"{shown(pipeline)} cannot start a run: it needs {needed_levels(pipeline)}; put stages such as PPR() >> "
            "ShortestPaths() before it",
            code="run.cannot_start",
            pipeline=shown(pipeline),
        )
    if not isinstance(query, str | Query):
        raise GraphbrickError(f"the question must be a text or a Query, got {query!r}", code="run.question_type")
    if isinstance(query, str):
        query = Query(query)
    check_question(query.text)
    trace = Trace()
    names: list[str | int] = list(seeds) if isinstance(seeds, Iterable) and not isinstance(seeds, str) else [seeds]
    is_copied = isinstance(graph, Copied) and Capability.ADJACENCY in _needs(pipeline) - capabilities_of(graph)
    if is_copied or isinstance(graph, PerQuestion):
        with record(trace, repr(graph), "local") as entry:
            each = _copied(pipeline, cast("Copied", graph)) if is_copied else cast("PerQuestion", graph)
            entry.stage = repr(each)
            graph, keys = each.for_question(query.text, names or query.seeds, query.id)
            names = list(keys)
            entry.counts_out = {"entities": graph.n_entities, "triples": graph.n_triples}
    else:
        check_needs(pipeline.stages_within(), graph)
    has_index = Capability.STORED in capabilities_of(graph)  # the default linker needs it
    if names or not (has_index or query.seeds or links_itself(pipeline)):
        with record(trace, "seeds", "link") as entry:
            query = _seeded(graph, query, names, is_needed=_needs_seeds(pipeline))
            entry.counts_out = {"seeds": len(query.seeds)}
    if isinstance(graph, Adjacency):
        query = _checked(graph, query)
    return Run(cast("Graph", graph), query, linked=bool(query.seeds) or not has_index, trace=trace)


def _copied(pipeline: Pipeline, graph: Copied) -> PerQuestion:
    """Return the graph as one of which all, or a part for each question, is copied."""
    if Capability.QUERY_LANGUAGE in _needs(pipeline):
        command = f"graphbrick build {graph.path} my.graph"
        text = f"{shown(pipeline)} queries the whole graph, and also walks on a part of it; copy all of it first: "
        raise GraphbrickError(text + command, code="run.walks_and_queries", command=command)
    from graphbrick.graphs.changes.kept_copy import copied

    return copied(graph, required=all(getattr(stage, "required", True) for stage in pipeline.stages_within()))


def _needs(pipeline: Pipeline) -> frozenset[Capability]:
    return frozenset[Capability]().union(*(stage.needs for stage in pipeline.stages_within()))


def _needs_seeds(pipeline: Pipeline) -> bool:
    """Return whether a question must name an entity; pipelines that only query do without."""
    walked = {Capability.ADJACENCY, Capability.NEIGHBOURS, Capability.PASSAGES}
    needs = _needs(pipeline)
    return Capability.QUERY_LANGUAGE not in needs or bool(needs & walked)


def _seeded(graph: Labels, query: Query, names: list[str | int], *, is_needed: bool) -> Query:
    """Return the query with seeds of these names, and of its mentions without an index of names."""
    if Capability.STORED in capabilities_of(graph):
        return default_linker().resolve(cast("Graph", graph), query, names)
    from graphbrick.graphs.local.seeds import seeds_in

    ids = seeds_in(graph, query.text, names)
    if not ids and not is_needed:
        event("the question names no entity of the graph", "run.no_entity_named")
    elif not ids:
        text = query.text[:80]
        raise LinkError(f"nothing in «{text}» is a name that {graph!r} knows", code="run.no_entity", question=text)
    return replace(query, seeds=tuple(dict.fromkeys(ids)))


def _checked(graph: Adjacency, query: Query) -> Query:
    """Return the query with seeds as plain ids, each of which is one of the graph."""
    if any(isinstance(seed, np.integer) for seed in query.seeds):
        query = replace(query, seeds=tuple(int(s) if isinstance(s, np.integer) else s for s in query.seeds))
    for seed in query.seeds:
        if not isinstance(seed, int) or not 0 <= seed < graph.n_entities:
            raise LinkError(f"{seed} is not an entity id of {graph!r}", code="run.bad_seed", seed=seed)
    return query


def links_itself(pipeline: Pipeline) -> bool:
    """Return whether a pipeline begins with a link stage, or with a stage that needs no seeds."""
    if isinstance(pipeline, Sequence):
        return links_itself(pipeline.stages[0])
    if isinstance(pipeline, Union):
        return any(links_itself(branch) for branch in pipeline.branches)
    if isinstance(pipeline, Repeat):
        return links_itself(pipeline.stage)
    if isinstance(pipeline, GenerateStage):
        return True  # it can stand alone only if it reads nothing of the graph
    return isinstance(pipeline, LinkStage) or (isinstance(pipeline, RetrieveStage) and pipeline.links_itself)
