"""Names in a query that the graph writes in another way, corrected by the graph's own search."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Labels
from graphbrick.core.schema import Schema
from graphbrick.graphs.text import name_form
from graphbrick.queries.check import Checked, check_query
from graphbrick.queries.edits import Edits
from graphbrick.queries.schema_text import name_property
from graphbrick.queries.tokens import CYPHER, Token, known_language, tokens_of
from graphbrick.retrieve.query_entities import KEYS, cypher_text

_SEARCHED = 5  # entities for a name


def checked_by_graph(graph: Any, text: str, schema: Schema) -> Checked:
    """Check a query against the schema, and in Cypher its names against the entities of the graph.

    Args:
        graph: The graph, with labels and a query language.
        text: The query.
        schema: Its schema.

    Raises:
        QueryTextError: The query cannot be split into tokens.
    """
    checked = check_query(text, graph.language, schema)
    if known_language(graph.language) != CYPHER:
        return checked
    spelled = with_names_of(graph, checked.text, schema)
    return Checked(spelled.text, (*checked.changes, *spelled.changes), checked.problems)


def with_names_of(graph: Labels, text: str, schema: Schema) -> Checked:
    """Return a Cypher query in which names have the spelling of the graph.

    Looked at are texts that a property with names or keys is compared with: ``{label: 'kenya'}``, ``n.label = 'kenya'``
    and ``n.key IN ['Kenya']``. A text that no entity has stands for the entities whose name or other name is the same
    apart from case, accents and marks, if they all have one label, or one key. Other texts stay.

    Args:
        graph: The graph.
        text: The query.
        schema: The schema of the graph.

    Raises:
        QueryTextError: The query cannot be split into tokens.

    >>> from graphbrick.core.schema import NodeClass, Property
    >>> from graphbrick.testing import tiny_graph
    >>> schema = Schema((NodeClass("Country", (Property("label"),)),))
    >>> with_names_of(tiny_graph(), "MATCH (c {label: 'kenya'}) RETURN c", schema).text
    "MATCH (c {label: 'Kenya'}) RETURN c"
    """
    tokens, edits = tokens_of(text, CYPHER), Edits(text)
    names = {name_property(known) for known in schema.classes} - {""}
    keys = {part.name for known in schema.classes for part in known.properties if part.name in KEYS} - names
    relations = {known.label for known in schema.connections}  # in the map of a relation
    for i, token in enumerate(tokens):
        if token.kind == "name" or token.kind == "word":
            compared = _compared(tokens, i) if token.text in names | keys else []
            for value in compared:
                written = _value(value)
                if written in relations:
                    continue
                right = _spelled(graph, written, by_key=token.text in keys)
                if right is not None and right != written:
                    edits.replace(value.start, value.end, cypher_text(right), f"wrote {right!r} for {written!r}")
    return Checked(edits.applied(), tuple(dict.fromkeys(edits.changes)))


def _compared(tokens: Sequence[Token], i: int) -> list[Token]:
    """Return the texts that the property at a place is compared with."""
    following = tokens[i + 1 : i + 3]
    is_key_of_map = i > 0 and tokens[i - 1].is_symbol("{", ",") and len(following) > 0 and following[0].is_symbol(":")
    is_property = i > 0 and tokens[i - 1].is_symbol(".") and len(following) > 0
    if is_key_of_map or (is_property and following[0].is_symbol("=")):
        return [token for token in following[1:] if token.kind == "string"]
    if is_property and following[0].is_word("IN") and len(following) > 1 and following[1].is_symbol("["):
        listed = []
        for token in tokens[i + 3 :]:
            if token.is_symbol("]"):
                break
            listed += [token] if token.kind == "string" else []
        return listed
    if is_property and i > 3 and tokens[i - 3].is_symbol("=") and tokens[i - 4].kind == "string":
        return [tokens[i - 4]]
    return []


def _value(token: Token) -> str:
    try:
        return str(ast.literal_eval(token.text))
    except (ValueError, SyntaxError):
        return token.text[1:-1]


def _spelled(graph: Labels, name: str, *, by_key: bool) -> str | None:
    """Return the label, or the key, that a name stands for; None if that is not known for sure."""
    if by_key and _is_key(graph, name):
        return name
    found = graph.search(name, _SEARCHED)
    if not by_key and any(graph.label(entity) == name for entity in found):
        return name
    form = name_form(name)
    same = [entity for entity in found if form in map(name_form, (graph.label(entity), *graph.aliases(entity)))]
    spelled = {graph.key(entity) if by_key else graph.label(entity) for entity in same}
    return spelled.pop() if len(spelled) == 1 else None


def _is_key(graph: Labels, text: str) -> bool:
    try:
        graph.entity(text)
    except LinkError:
        return False
    return True
