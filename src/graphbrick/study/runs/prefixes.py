"""Runs several pipelines on one question; common first stages run once.

``PPR() >> ShortestPaths() >> Rerank(BM25())`` and ``PPR() >> ShortestPaths() >> Rerank(MiniLM())`` extract and retrieve
once. Each pipeline still has its own trace with all its stages. The seconds, calls and tokens of a shared stage appear
in each trace, because the pipeline alone would have used as many.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.core import Query
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import Pipeline, Run
from graphbrick.pipeline.interpreter import Course, follow
from graphbrick.pipeline.memory import Beginnings, QuestionMemory


class SharedStages:
    """Pipelines that run together; a common prefix of stages runs once per question.

    Args:
        pipelines: The pipelines; each must be able to start a run.

    Example:
        >>> from graphbrick import BM25, PPR, NGram, PathAnswer, Rerank, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> begin = PPR(k=1000) >> ShortestPaths()
        >>> shared = SharedStages([begin >> Rerank(BM25()) >> PathAnswer(), begin >> Rerank(NGram()) >> PathAnswer()])
        >>> first, second = shared.run(tiny_graph(), Query("Which currency is used in Kenya?"))
        >>> [stage.kind for stage in second.run.trace.stages]
        ['link', 'extract', 'retrieve', 'rerank', 'generate']
        >>> first.run.trace.stages[1] == second.run.trace.stages[1]
        True
    """

    def __init__(self, pipelines: Sequence[Pipeline]) -> None:
        self._pipelines = tuple(pipelines)
        self._beginnings = {linked: Beginnings(pipelines, linked=linked) for linked in (False, True)}

    def run(self, graph: Graph, query: Query, *, turn: int = 0) -> list[Course]:
        """Run each pipeline on a question; return the courses in the order of the pipelines.

        Args:
            graph: The graph.
            query: The question; with seeds, linking is skipped.
            turn: Rotates which pipeline runs first. The first pipeline that needs a cached value, such as the embedding
                of the question, pays for it; a different turn for every question spreads this cost evenly.
        """
        beginnings = self._beginnings[bool(query.seeds)]
        memory = QuestionMemory(beginnings)
        courses: dict[int, Course] = {}
        for index in beginnings.order(turn):
            start = Run(graph, query, linked=bool(query.seeds))
            courses[index] = follow(self._pipelines[index], start, memory)
        return [courses[index] for index in range(len(self._pipelines))]
