"""Measures of the queries that a pipeline writes, for questions with gold queries."""

from __future__ import annotations

from collections.abc import Mapping

from graphbrick.bricks.retrieve.queries.text_to_query import QUERY_EVENT, TextToQuery
from graphbrick.core.graph import QueryLanguage
from graphbrick.core.trace import Trace
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.interpreter import Course
from graphbrick.study.metrics.execution import QueryScores, query_scores
from graphbrick.study.store.identity import bricks_of

QUERY_METRICS = QueryScores._fields
"""Names of the measures."""


def writes_queries(pipeline: Pipeline) -> bool:
    """Return whether a pipeline has a stage that writes one query for each question."""
    return any(isinstance(brick, TextToQuery) for brick in bricks_of(pipeline))


def gold_query(facts: Mapping[str, str], language: str) -> str | None:
    """Return the gold query of a question in a language; None if it has none.

    Args:
        facts: The other fields of the question: ``cypher`` and ``sparql``, or ``query`` and ``language``.
        language: The language of the graph.

    >>> gold_query({"sparql": "ASK {}", "query": "RETURN 1", "language": "Cypher"}, "Cypher")
    'RETURN 1'
    """
    own = facts.get("query") if facts.get("language", "").lower() == language.lower() else None
    return own or facts.get(language.lower())


def gold_facts(facts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the facts that a file of `graphbrick questions` measures queries by; none of other questions."""
    if not {"query", "language"} <= facts.keys():
        return ()
    return tuple(facts.get(name, "") for name in ("language", "query", "cypher", "sparql", "ordered"))


def written_query(trace: Trace) -> str | None:
    """Return the last query that a run of `TextToQuery` settled on; None if no query ran."""
    events = [
        event
        for _, stage in trace.walk()
        if stage.stage.startswith(f"{TextToQuery.__name__}(")
        for event in stage.events
        if event.startswith(QUERY_EVENT)
    ]
    return events[-1].removeprefix(QUERY_EVENT) if events else None


def of_query(graph: object, facts: Mapping[str, str], course: Course | None) -> dict[str, float | None]:
    """Return the measures of the query that a pipeline wrote for a question.

    Args:
        graph: The graph.
        facts: The other fields of the question.
        course: The pipeline's run; None if it could not start.

    Returns:
        None for each measure if the question has no gold query in the language of the graph.
    """
    gold = gold_query(facts, graph.language) if isinstance(graph, QueryLanguage) else None
    if gold is None:
        return dict.fromkeys(QUERY_METRICS)
    assert isinstance(graph, QueryLanguage)
    failed = course is None or course.error is not None
    written = None if failed or course is None else written_query(course.run.trace)
    return query_scores(graph, gold, written, ordered=facts.get("ordered") == "true")._asdict()
