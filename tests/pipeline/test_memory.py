"""Common beginnings of several pipelines, which are run once a question."""

from __future__ import annotations

from itertools import permutations

import pytest

from graphbrick import Query, parse
from graphbrick.core import Subgraph
from graphbrick.pipeline.interpreter import execute
from graphbrick.pipeline.memory import Beginnings, QuestionMemory
from graphbrick.pipeline.run import Run
from graphbrick.testing import tiny_graph

ALIKE = [  # the texts differ only in parentheses
    "(KHop(max_hops=1) | KHop(max_hops=3)) >> PruneEdges(BM25(), n=1)",
    "KHop(max_hops=1) | KHop(max_hops=3) >> PruneEdges(BM25(), n=1)",
    "KHop(max_hops=1) | KHop(max_hops=3)",
]


def contents(subgraph: Subgraph | None) -> tuple[list[int], list[int]]:
    """The entities and triples of a subgraph."""
    assert subgraph is not None
    assert subgraph.nodes is not None
    assert subgraph.triples is not None
    return subgraph.nodes.tolist(), subgraph.triples.tolist()


@pytest.mark.parametrize("linked", [False, True])
def test_unions_with_and_without_parentheses_do_not_share_results(linked: bool) -> None:
    graph = tiny_graph()
    query = Query("Which currency is used in Kenya?", (graph.entity("Kenya"),) if linked else ())
    alone = {text: parse(text).run(graph, query).subgraph for text in ALIKE}
    for texts in permutations(ALIKE):
        pipelines = [parse(text) for text in texts]
        memory = QuestionMemory(Beginnings(pipelines, linked=linked))
        for text, pipeline in zip(texts, pipelines, strict=True):
            subgraph = execute(pipeline, Run(graph, query, linked=linked), memory).subgraph
            assert contents(subgraph) == contents(alone[text])
