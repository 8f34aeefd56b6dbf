"""The texts of a query that names or keys of entities are compared with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphbrick.core.schema import Schema
from graphbrick.graphs.databases.names import KEYS
from graphbrick.graphs.queries.check_sparql import triples_in
from graphbrick.graphs.queries.prefixes import expanded
from graphbrick.graphs.queries.schema_text import name_property, prefixes_of
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, Token, known_language, tokens_of
from graphbrick.graphs.records.rdf_names import LABEL_IRIS


class ComparedName(NamedTuple):
    """A text that a name or a key is compared with.

    Attributes:
        text: The text, without its quotation marks.
        start: Offset of its first quotation mark in the query.
        end: Offset after its last one.
        is_key: Whether it is compared with a key.
        type: The type of the property, in the words of the schema; empty if not known.
    """

    text: str
    start: int
    end: int
    is_key: bool
    type: str = ""


def compared_names(text: str, language: str, schema: Schema) -> list[ComparedName]:
    """Return the texts of a query that a name or key is compared with for equality, in their order.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".
        schema: Tells which properties hold names.

    Raises:
        QueryTextError: The query cannot be split into tokens.

    >>> [name.text for name in compared_names("SELECT ?x { ?x rdfs:label 'Kenya' ; :motto 'Hi' }", "SPARQL", Schema())]
    ['Kenya']
    """
    names = {name_property(known) for known in schema.classes} - {""}
    if known_language(language) == SPARQL:
        tokens = [(token, False, "") for token in _in_sparql(text, names, schema)]
    else:
        tokens = list(_in_cypher(text, names, schema))
    return [ComparedName(_value(token), token.start, token.end, is_key, kind) for token, is_key, kind in tokens]


def _in_cypher(text: str, names: set[str], schema: Schema) -> Iterator[tuple[Token, bool, str]]:
    tokens = tokens_of(text, CYPHER)
    keys = {part.name for known in schema.classes for part in known.properties if part.name in KEYS} - names
    types = {name: {p.type for known in schema.classes for p in known.properties if p.name == name} for name in keys}
    relations = {known.label for known in schema.connections}  # in the map of a relation
    for i, token in enumerate(tokens):
        if token.kind in ("name", "word") and token.text in names | keys:
            for value in _compared(tokens, i):
                if _value(value) not in relations:
                    of_name = types.get(token.text, set())
                    yield value, token.text in keys, next(iter(of_name)) if len(of_name) == 1 else ""


def _compared(tokens: Sequence[Token], i: int) -> list[Token]:
    """Return the texts that the property at a place is compared with."""
    following = tokens[i + 1 : i + 3]
    is_key_of_map = i > 0 and tokens[i - 1].is_symbol("{", ",") and len(following) > 0 and following[0].is_symbol(":")
    is_property = i > 0 and tokens[i - 1].is_symbol(".") and len(following) > 0
    if is_key_of_map:
        return [token for token in following[1:] if token.kind == "string"]
    return _equal(tokens, i - 2, i + 1, "[", "]") if is_property else []


def _equal(tokens: Sequence[Token], start: int, end: int, opening: str, closing: str) -> list[Token]:
    """Return the texts that the expression from ``start`` to ``end`` is compared with: one, or a list."""
    following = tokens[end : end + 2]
    if len(following) == 2 and following[0].is_symbol("="):
        return [token for token in following[1:] if token.kind == "string"]
    if len(following) == 2 and following[0].is_word("IN") and following[1].is_symbol(opening):
        listed = []
        for token in tokens[end + 2 :]:
            if token.is_symbol(closing):
                break
            listed += [token] if token.kind == "string" else []
        return listed
    if start > 1 and tokens[start - 1].is_symbol("=") and tokens[start - 2].kind == "string":
        return [tokens[start - 2]]
    return []


def _in_sparql(text: str, names: set[str], schema: Schema) -> Iterator[Token]:
    tokens, prefixes = tokens_of(text, SPARQL), prefixes_of(text, schema)
    predicates = LABEL_IRIS | {expanded(name, prefixes) for name in names}
    variables = set[str]()
    for triple in triples_in(tokens):
        if len(triple.path) == 1 and expanded(triple.path[0].text, prefixes) in predicates:
            if triple.object.kind == "string":
                yield triple.object
            elif triple.object.kind == "variable":
                variables.add(triple.object.text[1:])
    for i, token in enumerate(tokens):
        if token.kind == "variable" and token.text[1:] in variables:
            is_string = i > 1 and tokens[i - 1].is_symbol("(") and tokens[i - 2].is_word("STR")
            yield from _equal(tokens, i - 2 if is_string else i, i + 2 if is_string else i + 1, "(", ")")


def _value(token: Token) -> str:
    try:
        return str(ast.literal_eval(token.text))
    except (ValueError, SyntaxError):
        return token.text[1:-1]
