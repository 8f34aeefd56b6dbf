"""Row limits, written into the text of a query."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.queries.tokens import CYPHER, SPARQL, Token, known_language, tokens_of


def with_limit(text: str, language: str, n: int) -> str:
    """Return a query whose result has at most ``n`` rows.

    A lower limit that the query has stays; a higher one is lowered. Queries that cannot take a limit stay as they are:
    unions and calls of procedures in Cypher, ASK in SPARQL, and limits that are no plain number. The reader of the
    rows has to stop by itself as well.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".
        n: Most rows, at least 1.

    Raises:
        QueryTextError: The query cannot be split into tokens.

    >>> with_limit("MATCH (n) RETURN n;", "Cypher", 10)
    'MATCH (n) RETURN n LIMIT 10'
    >>> with_limit("SELECT ?s { ?s ?p ?o } LIMIT 5000", "SPARQL", 10)
    'SELECT ?s { ?s ?p ?o } LIMIT 10'
    """
    tokens = tokens_of(text, language)
    while tokens and tokens[-1].is_symbol(";"):
        tokens.pop()
    outer = outermost(tokens)
    first = _result_part(outer, known_language(language))
    if first is None:
        return text
    for i in range(first, len(outer)):
        if outer[i].is_word("LIMIT"):
            is_plain = i + 1 < len(outer) and outer[i + 1].kind == "number" and outer[i + 1].text.isdigit()
            if is_plain and int(outer[i + 1].text) > n:
                return f"{text[: outer[i + 1].start]}{n}{text[outer[i + 1].end :]}"
            return text
    values = next((token for token in outer[first:] if token.is_word("VALUES")), None)
    if values is not None:
        return f"{text[: values.start]}LIMIT {n} {text[values.start :]}"
    return f"{text[: tokens[-1].end]} LIMIT {n}"


def outermost(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens that are in no brackets."""
    outer, depth = [], 0
    for token in tokens:
        if token.is_symbol("(", "{", "["):
            depth += 1
        elif token.is_symbol(")", "}", "]"):
            depth -= 1
        elif not depth:
            outer.append(token)
    return outer


def _result_part(outer: Sequence[Token], language: str) -> int | None:
    """Return the index of the first token that may be a limit of the whole result; None if it can have none."""
    if language == SPARQL:
        return next((i + 1 for i, token in enumerate(outer) if token.is_word("SELECT")), None)
    if language == CYPHER and any(token.is_word("UNION") for token in outer):
        return None
    returns = [i for i, token in enumerate(outer) if token.is_word("RETURN")]
    return returns[-1] + 1 if returns else None
