"""Answers out of the rows of a query, where no other stage gave one."""

from __future__ import annotations

from dataclasses import replace

from graphbrick.bricks.generate.path_answer import computed
from graphbrick.core import Answer, Evidence, Query, Row, Subgraph
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import Labels
from graphbrick.core.items import ANSWER
from graphbrick.core.trace import NOTE, REFUSAL, event
from graphbrick.graphs.databases.errors import QueryError, TooSlowError
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
        event("the evidence does not say of which graph it is, so no query can be asked", "from_rows.no_graph")
        return Answer()
    graph = evidence.subgraph.graph
    whole = getattr(graph, "remote", None)  # of a part that was copied
    subgraph = Subgraph(graph if whole is None else whole)
    if whole is not None:
        query = replace(query, seeds=_seeds_there(query, graph, whole), mentions=())
    try:
        found = stage.retrieve(query, subgraph)
    except GraphbrickError as error:
        if not isinstance(error, QueryError | TooSlowError) and not error.code.startswith("query_copy."):
            raise
        event(f"the graph cannot be queried: {error}", "from_rows.not_queried", REFUSAL)
        return Answer()
    given = [row for row in found.items if isinstance(row, Row)]
    rows = [row for row in given if any(row.values)]
    if len(rows) < len(given):
        told = f"{len(given) - len(rows):,} of {len(given):,} rows of the query have no value in this graph"
        event(told, "from_rows.no_value", NOTE if rows else REFUSAL, rows=len(given) - len(rows))
    if not rows:
        return Answer()
    event("a language model wrote the query that answers this question; look at it", "from_rows.by_model")
    return computed(Evidence(tuple(map(_as_answer, rows)), subgraph=subgraph))


def _seeds_there(query: Query, graph: Labels, whole: Labels) -> tuple[int, ...]:
    """Return the seeds in the graph that a copy was made of, without those that are gone or another entity there."""
    seeds = []
    for seed in query.seeds:
        try:
            there = whole.entity(graph.key(seed))
            is_same = whole.label(there) == graph.label(seed)
        except LinkError:
            is_same = False
        if is_same:
            seeds.append(there)
        else:
            event(f"{graph.label(seed)} has gone from the database, or has another name there", "from_rows.seed_gone")
    return tuple(seeds)


def _as_answer(row: Row) -> Row:
    """Return a row of a query as an answer, with the query as its plan."""
    first, *others = (value or "none" for value in row.values)
    text = f"{first}: {', '.join(others)}" if others else first
    query = next((one.query for one in row.citations if one.query), "")
    return replace(row, columns=ANSWER, values=(text, query), entities=() if others else row.entities)
