"""The graph of each question of a study: one for all, or the subgraph extracted for its seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from graphbrick.core.compute import Progress
from graphbrick.core.errors import LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.extracted import ExtractedGraph
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.questions.question import Question

StudyGraph: TypeAlias = Graph | ExtractedGraph
"""A graph that a study can be made on."""


def graph_of(graph: StudyGraph, question: Question) -> Graph:
    """Return the graph that a question is asked on.

    Raises:
        LinkError: No subgraph was extracted for its seeds.
    """
    if isinstance(graph, ExtractedGraph):
        return graph.subgraph(graph.set_of(question.text, question.seeds, question.id))
    return graph


def ground_each(graph: StudyGraph, questions: Sequence[Question], progress: Progress) -> list[GroundedQuestion]:
    """Find the seeds and answers of questions, each in its graph.

    A question without a subgraph is kept; its seeds and answers count as missing.
    """
    if not isinstance(graph, ExtractedGraph):
        return list(ground(graph, questions, progress=progress).questions)
    grounded: list[GroundedQuestion] = []
    for done, question in enumerate(questions, 1):
        try:
            grounded += ground(graph_of(graph, question), [question]).questions
        except LinkError:  # raised again when the question is asked, and then it is the error of its results
            grounded.append(_without_graph(question))
        progress("", done, len(questions))
    return grounded


def _without_graph(question: Question) -> GroundedQuestion:
    texts = question.answer_names or ((),) * len(question.answers)
    names = tuple(own or (answer,) for answer, own in zip(question.answers, texts, strict=True))
    return GroundedQuestion(question, (), ((),) * len(question.answers), names, missing_seeds=question.seeds)
