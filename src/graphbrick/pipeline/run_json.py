"""Runs as JSON: what ``graphbrick ask --json`` prints and the server sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from graphbrick.core import Item, Path
from graphbrick.core.errors import LinkError
from graphbrick.core.trace import Trace
from graphbrick.pipeline.composition import Pipeline
from graphbrick.pipeline.run import Run

MOST_NODES, MOST_TRIPLES = 1_000, 3_000
"""A subgraph with more is cut to these numbers."""


def run_json(run: Run, pipeline: Pipeline, *, subgraph: bool = False) -> dict[str, Any]:
    """Return a run as plain JSON types, with the names of all entities and relations that it speaks of.

    Args:
        run: The run.
        pipeline: The pipeline that was run.
        subgraph: Whether to add the entities and triples of the subgraph, up to `MOST_NODES` and `MOST_TRIPLES`.

    Returns:
        ``pipeline``; the fields of `Run.to_dict`; ``evidence_count``, the number of items of the evidence;
        ``entities``, label and first type by key; ``relations``, labels by key; and, if asked for, ``nodes`` and
        ``triples``, all as keys.
    """
    items = [*(run.answer.evidence.items if run.answer else ()), *(run.evidence.items if run.evidence else ())]
    entities = {run.graph.key(entity): _named(run.graph, entity) for entity in _of_question(run)}
    for graph, entity in _of_items(items):
        key = graph.key(entity)
        if key not in entities:
            entities[key] = _named(graph, entity)
    relations = {}
    for graph, relation in _relations(items):
        relations[graph.relation_key(relation)] = graph.relation_label(relation)
    count = None if run.evidence is None else len(run.evidence.items)
    more = {"evidence_count": count, "entities": entities, "relations": relations}
    fields = {"pipeline": repr(pipeline), **run.to_dict(), **more}
    return fields | (_subgraph(run, entities, relations) if subgraph and run.subgraph is not None else {})


def refusal_json(question: str, pipeline: str, error: LinkError) -> dict[str, Any]:
    """Return a question that names nothing of the graph as a run without answers, as plain JSON types."""
    return {
        "pipeline": pipeline,
        "question": question,
        "level": "answer",
        "seeds": [],
        "subgraph": None,
        "answers": [],
        "from_model": False,
        "confidence": None,
        "withheld": None,
        "refusal": {"text": str(error), "code": error.code},
        "readings": [asdict(reading) for reading in error.readings],
        "notes": [],
        "support": [],
        "stopped": None,
        "evidence": None,
        "evidence_count": None,
        "trace": Trace().to_dict(),
        "entities": {},
        "relations": {},
    }


def _named(graph: Any, entity: int) -> dict[str, str]:
    return {"label": graph.label(entity), "type": graph.first_type(entity)}


def _of_question(run: Run) -> Iterator[int]:
    """Yield seeds, what else mentions may mean, and answers."""
    yield from run.query.seeds
    for mention in run.query.mentions:
        yield from mention.others
    if run.answer is not None:
        yield from (entity for entity in run.answer.entities if entity is not None)


def _of_items(items: Iterable[Item]) -> Iterator[tuple[Any, int]]:
    """Yield the entities of items, each with its graph."""
    for item in items:
        if item.graph is not None:
            for entity in item.nodes if isinstance(item, Path) else item.entities:
                yield item.graph, entity


def _relations(items: Iterable[Item]) -> Iterator[tuple[Any, int]]:
    for item in items:
        if isinstance(item, Path):
            for triple in item.triples:
                yield item.graph, item.graph.relation_of(triple)


def _subgraph(run: Run, entities: dict[str, Any], relations: dict[str, str]) -> dict[str, Any]:
    """Return entities and triples of the subgraph, and add their names to those of the run."""
    subgraph, graph = run.subgraph, run.graph
    assert subgraph is not None
    if subgraph.nodes is None or subgraph.triples is None:  # the whole graph
        return {"nodes": [], "triples": [], "subgraph_cut": True}
    nodes: list[int] = subgraph.nodes[:MOST_NODES].tolist()
    triples: list[tuple[str, str, str]] = []
    shown = set(nodes)
    for triple in subgraph.triples[: 3 * MOST_TRIPLES].tolist():
        head, relation, tail = graph.triple(triple)
        if head in shown and tail in shown and len(triples) < MOST_TRIPLES:
            triples.append((graph.key(head), graph.relation_key(relation), graph.key(tail)))
            relations[graph.relation_key(relation)] = graph.relation_label(relation)
    for node in nodes:
        entities.setdefault(graph.key(node), _named(graph, node))
    is_cut = len(nodes) < subgraph.n_nodes or len(triples) < subgraph.n_triples
    return {"nodes": [graph.key(node) for node in nodes], "triples": triples, "subgraph_cut": is_cut}
