"""Answers out of the rows of a query, where no other stage gave one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graphbrick.bricks.generate.path_answer import computed
from graphbrick.core import Answer, Evidence, Query, Row, Subgraph
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.items import ANSWER
from graphbrick.core.trace import REFUSAL, event
from graphbrick.pipeline import RetrieveStage


def answer_by_rows(stage: RetrieveStage, query: Query, evidence: Evidence) -> Answer:
    """Return the rows that a stage gives for a question; an empty answer if there are none.

    A row of several values is one answer, the first of them before the others: «Hessen: 12». There is no confidence:
    that the query runs says nothing of what it asks.

    Args:
        stage: Asks the whole graph, such as TextToQuery(LLM()).
        query: The question.
        evidence: What was found before, with the subgraph that it was found in.
    """
    if evidence.subgraph is None:
        event("no graph is known that could be asked by a query", "from_rows.no_graph")
        return Answer()
    subgraph = Subgraph(evidence.subgraph.graph)
    try:
        found = stage.retrieve(query, subgraph)
    except GraphbrickError as error:
        if not error.code.startswith("query_copy."):
            raise
        event(f"the graph cannot be queried: {error}", "from_rows.no_copy", REFUSAL)
        return Answer()
    rows = tuple(_as_answers(found))
    if not rows:
        return Answer()  # the stage told why
    event("a language model wrote the query that answers this question; look at it", "from_rows.by_model")
    return computed(Evidence(rows, subgraph=subgraph))


def _as_answers(found: Evidence) -> Iterator[Row]:
    """Yield the rows of a query as answers, each text once."""
    seen = set[str]()
    for row in found.items:
        if not isinstance(row, Row) or not any(row.values):
            continue
        first, *others = row.values
        text = f"{first or 'none'}: {', '.join(value or 'none' for value in others)}" if others else first
        plan = next((one.query for one in row.citations if one.query), "")
        if text not in seen:
            seen.add(text)
            entities = row.entities if not others else ()
            yield replace(row, columns=ANSWER, values=(text, plan), entities=entities)
