"""Names in a query that the graph writes in another way, corrected by the graph's own search."""

from __future__ import annotations

from typing import Any

from graphbrick.bricks.retrieve.queries.compared_names import compared_names
from graphbrick.bricks.retrieve.queries.query_entities import key_literal
from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Labels
from graphbrick.core.schema import Schema
from graphbrick.graphs.queries.check import Checked, check_query
from graphbrick.graphs.queries.edits import Edits
from graphbrick.graphs.queries.tokens import literal
from graphbrick.language.folding import name_form

_SEARCHED = 5  # entities for a name


def checked_by_graph(graph: Any, text: str, schema: Schema) -> Checked:
    """Check a query against the schema, and its names against the entities of the graph.

    Args:
        graph: The graph, with labels and a query language.
        text: The query.
        schema: Its schema.

    Raises:
        QueryTextError: The query cannot be split into tokens.
    """
    checked = check_query(text, graph.language, schema)
    spelled = with_names_of(graph, checked.text, graph.language, schema)
    return Checked(spelled.text, (*checked.changes, *spelled.changes), checked.problems)


def with_names_of(graph: Labels, text: str, language: str, schema: Schema) -> Checked:
    """Return a query in which names have the spelling of the graph.

    Looked at are texts that a name or a key is compared with: ``{label: 'kenya'}``, ``n.label = 'kenya'``,
    ``n.key IN ['Kenya']``, and in SPARQL ``?n rdfs:label 'kenya'`` or ``FILTER(?label = 'kenya')``. A text that no
    entity has stands for the entities whose name or other name is the same apart from case, accents and marks, if they
    all have one label, or one key. A key that is a number in the graph is written as one. Other texts stay.

    Args:
        graph: The graph.
        text: The query.
        language: "Cypher" or "SPARQL".
        schema: The schema of the graph.

    Raises:
        QueryTextError: The query cannot be split into tokens.

    >>> from graphbrick.core.schema import NodeClass, Property
    >>> from graphbrick.testing import tiny_graph
    >>> schema = Schema((NodeClass("Country", (Property("label"),)),))
    >>> with_names_of(tiny_graph(), "MATCH (c {label: 'kenya'}) RETURN c", "Cypher", schema).text
    "MATCH (c {label: 'Kenya'}) RETURN c"
    """
    edits = Edits(text)
    for name in compared_names(text, language, schema):
        right = _spelled(graph, name.text, by_key=name.is_key)
        written = "" if right is None else key_literal(right, name.type) if name.is_key else literal(right)
        if written and written != literal(name.text):
            edits.replace(name.start, name.end, written, f"wrote {written} for {name.text!r}")
    return Checked(edits.applied(), tuple(dict.fromkeys(edits.changes)))


def _spelled(graph: Labels, name: str, *, by_key: bool) -> str | None:
    """Return the label, or the key, that a name stands for; None if that is not known for sure."""
    if by_key and _is_key(graph, name):
        return name
    matches = graph.search(name, _SEARCHED)
    if not by_key and any(graph.label(entity) == name for entity in matches):
        return name
    form = name_form(name)
    same = [entity for entity in matches if form in map(name_form, (graph.label(entity), *graph.aliases(entity)))]
    spelled = {graph.key(entity) if by_key else graph.label(entity) for entity in same}
    return spelled.pop() if len(spelled) == 1 else None


def _is_key(graph: Labels, text: str) -> bool:
    try:
        graph.entity(text)
    except LinkError:
        return False
    return True
