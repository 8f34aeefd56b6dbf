"""Answering a question with the pipeline that suits the graph."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from graphbrick.core import Answer, Query
from graphbrick.graphs import opening
from graphbrick.learn.default import default_pipeline
from graphbrick.pipeline.parsing import parse

if TYPE_CHECKING:
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph
    from graphbrick.pipeline import Pipeline


def ask(
    graph: str | PathLike[str] | Graph | DatabaseGraph | ExtractedGraph,
    question: str | Query,
    pipeline: str | Pipeline | None = None,
) -> Answer:
    """Answer a question over a graph, like ``graphbrick ask``.

    Args:
        graph: The graph, or its folder or address.
        question: The question.
        pipeline: The pipeline, also as recipe text; by default the one for passages if the graph was made from
            documents, else the learned one if the graph was learned.

    Raises:
        GraphbrickError: As for calling the pipeline.

    >>> from graphbrick import PathAnswer, ShortestPaths
    >>> from graphbrick.testing import tiny_graph
    >>> ask(tiny_graph(), "Which country has the capital Nairobi?", ShortestPaths() >> PathAnswer()).texts
    ('Kenya',)
    """
    opened = opening.open(graph) if isinstance(graph, str | PathLike) else graph
    if pipeline is None:
        pipeline = default_pipeline(opened)
    return (parse(pipeline) if isinstance(pipeline, str) else pipeline)(opened, question)
