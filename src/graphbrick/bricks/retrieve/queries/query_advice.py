"""Queries that people write, whose errors say what was meant and which properties there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphbrick.bricks.retrieve.queries.query_names import checked_by_graph
from graphbrick.core.schema import Rows, Schema
from graphbrick.graphs.databases.errors import QueryError, TooMuchError
from graphbrick.graphs.queries.limits import with_limit

_NO_PROPERTY = re.compile(r"Cannot find property \S+ for (?P<variable>\w+)")


def rows_or_advice(graph: Any, text: str, limit: int) -> Rows:
    """Run a query that only reads.

    Args:
        graph: The graph, with a query language.
        text: The query.
        limit: Most rows.

    Raises:
        QueryError: The database refuses the query; the message adds what may be meant, and which properties there are.
    """
    try:
        return graph.query(with_limit(text, graph.language, limit + 1), {}, limit)  # type: ignore[no-any-return]
    except TooMuchError:
        raise
    except QueryError as error:
        schema = graph.schema()
        checked = checked_by_graph(graph, text, schema)
        meant = [f"is this meant: {checked.text}"] if checked.text != text else []
        advice = (*(checked.problems or _properties(str(error), text, schema)), *meant)
        raise QueryError("; ".join((str(error), *advice)), code=error.code, **error.values) from error


def _properties(error: str, text: str, schema: Schema) -> Iterator[str]:
    """Yield the properties of the classes and relations of a variable that lacks the one that a query names.

    >>> from graphbrick.core.schema import NodeClass, Property
    >>> teams = Schema((NodeClass("Team", (Property("label"), Property("budget"))),))
    >>> list(_properties("Cannot find property name for t.", "MATCH (t:Team) RETURN t.name", teams))
    ['Team has label, budget']
    """
    match = _NO_PROPERTY.search(error)
    if match is None:
        return
    named = re.search(rf"[(\[]\s*{match['variable']}\s*:\s*(?P<names>[\w`|: ]+)", text)
    names = re.findall(r"\w+", named["names"]) if named else []
    own = {one.name: one.properties for one in schema.classes}
    own |= {one.relation: one.properties for one in schema.connections}
    for name in names or own:
        if name in own:
            yield f"{name} has {', '.join(one.name for one in own[name]) or 'no properties'}"
