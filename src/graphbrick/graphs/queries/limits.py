"""Row limits, written into the text of a query."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, Token, known_language, token_at, tokens_of


def with_limit(text: str, language: str, n: int) -> str:
    """Return a query whose result has at most ``n`` rows.

    A lower limit that the query has stays; a higher one is lowered. Queries that cannot take a limit stay as they are:
    unions and calls of procedures in Cypher, ASK in SPARQL, and limits that are not a plain number. The reader of the
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
    while len(tokens) > 1 and tokens[-1].is_symbol(";"):  # SPARQL has none at the end
        tokens.pop()
        text = text[: tokens[-1].end]
    outer = outermost(tokens)
    first = _result_part(outer, known_language(language))
    if first is None:
        return text
    places = {token.start: place for place, token in enumerate(tokens)}
    for i in range(first, len(outer)):
        number = token_at(outer, i + 1)
        if outer[i].is_word("LIMIT") and not _is_name(tokens[places[outer[i].start] - 1], number):
            if number.kind == "number" and _is_plain(number, token_at(tokens, places[number.start] + 1)):
                return f"{text[: number.start]}{lower_limit(number.text, n)}{text[number.end :]}"
            return text
    values = next((token for token in outer[first:] if token.is_word("VALUES")), None)
    if values is not None:
        return f"{text[: values.start]}LIMIT {n} {text[values.start :]}"
    return f"{text[: tokens[-1].end]} LIMIT {n}"


def lower_limit(digits: str, n: int) -> int:
    """Return the lower of a number in digits, however many, and ``n``."""
    digits = digits.lstrip("0") or "0"
    return n if len(digits) > len(str(n)) else min(n, int(digits))


def _is_name(before: Token, after: Token) -> bool:
    """Return whether a word LIMIT is a property or variable of Cypher, such as ``account.limit``, by its neighbours."""
    is_after_name = before.is_symbol(".", ",") or before.is_word("AS", "BY", "RETURN", "DISTINCT")
    return is_after_name and after.kind != "number"


def _is_plain(number: Token, after: Token) -> bool:
    """Return whether a number is whole, and not a part of a longer expression."""
    return number.text.isdigit() and not after.is_symbol(*"+-*/%^")


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
