"""A subgraph of a brick of another package is checked: the error names the brick, not the next stage."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from pathlib import Path

import numpy as np
import pytest
from faults import fails

from graphbrick import KHop, PathAnswer, Query, ShortestPaths, Subgraph
from graphbrick.core.errors import BrickError, PipelineError
from graphbrick.pipeline.apply import Apply
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.testing import tiny_graph

GRAPH = tiny_graph()
NODES, TRIPLES = np.arange(GRAPH.n_entities, dtype=np.int32), np.arange(GRAPH.n_triples, dtype=np.int32)
NONE = np.empty(0, dtype=np.int32)
KENYA = next(entity for entity in range(GRAPH.n_entities) if GRAPH.label(entity) == "Kenya")
QUESTION, AFTER = Query("Which currency has Kenya?", seeds=(KENYA,)), ShortestPaths() >> PathAnswer()


def run(stage: Apply, before: KHop | None = None) -> None:
    pipeline = (stage if before is None else before >> stage) >> AFTER
    pipeline.run(GRAPH, QUESTION)


@pytest.mark.parametrize(
    ("part", "nodes", "triples"),
    [
        ("int32, but 1-d int64", NODES.astype(np.int64), NONE),
        ("int32, but list", NODES.tolist(), NONE),
        ("int32, but 2-d", NODES[None], NONE),
        ("nodes are not ascending", NODES[::-1].copy(), NONE),
        ("triples are not ascending", NODES, TRIPLES.repeat(2)),
        ("entities that the graph does not have", np.append(NODES, np.int32(99)), NONE),
        ("triples that the graph does not have", NODES, np.array([99], dtype=np.int32)),
        ("ends are not both among", np.array([KENYA], dtype=np.int32), TRIPLES),
        ("without the seed 'Kenya'", NODES[NODES != KENYA], NONE),
    ],
)
@pytest.mark.parametrize("kind", ["extract", "expand", "prune"])
def test_arrays_that_are_wrong_are_refused(kind: str, part: str, nodes: object, triples: object) -> None:
    made = Apply(name="mine", **{kind: lambda *_: Subgraph(GRAPH, nodes, triples)})  # type: ignore[arg-type]
    with pytest.raises(PipelineError, match="mine") as raised:
        run(made)
    if kind != "expand" or not part.startswith("without the seed"):
        assert part in str(raised.value)


@pytest.mark.parametrize(
    "stage",
    [
        Apply(prune=lambda query, subgraph: Subgraph(subgraph.graph), name="whole"),
        Apply(prune=lambda query, subgraph: Subgraph(GRAPH, NODES, TRIPLES), name="more"),
        Apply(expand=lambda query, subgraph: Subgraph(GRAPH, subgraph.nodes, NONE), name="fewer"),
        Apply(prune=lambda query, subgraph: Subgraph(copy(GRAPH), subgraph.nodes, subgraph.triples), name="other"),
    ],
)
def test_a_stage_returns_no_more_and_no_less_than_its_kind(stage: Apply) -> None:
    with fails("run.bad_subgraph", stage=repr(stage)):
        run(stage, KHop(max_hops=1))


def test_what_keeps_the_contract_is_not_refused() -> None:
    run(Apply(extract=lambda graph, query: Subgraph(graph), name="all"))
    run(Apply(extract=lambda graph, query: Subgraph(graph, NODES, TRIPLES[:3]), name="some"))
    run(Apply(prune=lambda query, subgraph: subgraph, name="same"), KHop(max_hops=1))
    run(Apply(expand=lambda query, subgraph: Subgraph(GRAPH), name="larger"), KHop(max_hops=1))
    run(Apply(prune=lambda query, subgraph: Subgraph(GRAPH, NODES, NONE), name="no triples"))


def _nodes(query: Query, subgraph: Subgraph) -> Subgraph:
    assert subgraph.nodes is not None
    subgraph.nodes[:] = subgraph.nodes[0]
    return subgraph


def _triples(query: Query, subgraph: Subgraph) -> Subgraph:
    assert subgraph.triples is not None
    subgraph.triples.sort()
    return subgraph


def _adjacency(query: Query, subgraph: Subgraph) -> Subgraph:
    subgraph.csr.tail[0] = 0
    return subgraph


@pytest.mark.parametrize("vandal", [_nodes, _triples, _adjacency])
def test_a_brick_cannot_write_into_what_other_pipelines_read(
    vandal: Callable[[Query, Subgraph], Subgraph], tmp_path: Path
) -> None:
    begin, question = KHop(max_hops=1), Question("1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",))
    pipelines = {"vandal": begin >> Apply(prune=vandal, name="vandal") >> AFTER, "good": begin >> AFTER}
    with evaluate(GRAPH, [question], pipelines, out=tmp_path / "runs.sqlite") as study:
        (bad,), (good,) = (study.results(number) for number in (1, 2))
    with evaluate(GRAPH, [question], {"good": begin >> AFTER}, out=tmp_path / "alone.sqlite") as study:
        (alone,) = study.results(1)
    assert bad.error is not None
    assert "vandal" in bad.error
    assert "read-only" in bad.error
    assert good.metrics == alone.metrics
    with pytest.raises(BrickError, match="vandal"):
        (begin >> Apply(prune=vandal, name="vandal") >> AFTER)(GRAPH, "Which currency has Kenya?")
