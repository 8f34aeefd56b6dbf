"""The clauses of a Cypher query, and the nodes of its patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphbrick.graphs.queries.tokens import CYPHER, Token, token_at, tokens_of

_BEGINNINGS = ("MATCH", "WHERE", "WITH", "RETURN", "UNWIND", "CALL", "UNION", "ORDER", "SKIP", "LIMIT")
_NAME = ("word", "name")


class Clause(NamedTuple):
    """A clause: its first word in capitals, and its tokens after that word."""

    word: str
    tokens: Sequence[Token]
    start: int  # offset in the query; of OPTIONAL, if it is an optional match
    end: int


def clauses_of(tokens: Sequence[Token]) -> list[Clause]:
    """Return the clauses of a query, in order; those of subqueries are part of the clause that holds them."""
    firsts, depth = list[int](), 0
    for i, token in enumerate(tokens):
        depth += token.is_symbol("(", "{", "[") - token.is_symbol(")", "}", "]")
        before = token_at(tokens, i - 1)
        is_name = before.is_symbol(".", ":", "|", "&", "!") or before.is_word("AS")
        is_operator = token.is_word("WITH") and before.is_word("STARTS", "ENDS")
        if not depth and token.is_word(*_BEGINNINGS) and not is_name and not is_operator:
            firsts.append(i)
    clauses = []
    for first, following in zip(firsts, [*firsts, len(tokens)][1:], strict=True):
        begin = first - token_at(tokens, first - 1).is_word("OPTIONAL")
        end = following - (following < len(tokens) and tokens[following - 1].is_word("OPTIONAL"))
        part = tokens[first + 1 : end]
        clauses.append(Clause(tokens[first].text.upper(), part, tokens[begin].start, tokens[end - 1].end))
    return clauses


class Node(NamedTuple):
    """A node of a pattern: its variable, empty if it has none, and the offset where one can be written."""

    variable: str
    place: int


class Part(NamedTuple):
    """One of the patterns of a MATCH clause, between commas.

    Attributes:
        path: The variable of the whole path; empty if it has none.
        place: Offset where such a variable can be written.
        nodes: The nodes.
        relations: Variables of relations.
        has_inner: True if a relation of variable length has inner nodes.
        fault: The reason why the pattern cannot be read; empty if it can.
    """

    path: str
    place: int
    nodes: tuple[Node, ...]
    relations: tuple[str, ...]
    has_inner: bool
    fault: str


def parts_of(clause: Clause) -> Iterator[Part]:
    """Yield the patterns of a MATCH clause."""
    start, depth = 0, 0
    for i, token in enumerate([*clause.tokens, None]):
        if token is not None:
            depth += token.is_symbol("(", "{", "[") - token.is_symbol(")", "}", "]")
        if token is None or (not depth and token.is_symbol(",")):
            yield _part(clause.tokens[start:i])
            start = i + 1


def _part(tokens: Sequence[Token]) -> Part:
    path, first = "", 0
    if token_at(tokens, 0).kind in _NAME and token_at(tokens, 1).is_symbol("="):
        path, first = tokens[0].text, 2
    nodes, relations, has_inner, fault, depth = list[Node](), list[str](), False, "", 0
    if not token_at(tokens, first).is_symbol("("):
        fault = "a pattern that is not a chain of nodes, such as a shortest path"
    for i in range(first, len(tokens)):
        token = tokens[i]
        if not depth and token.is_symbol("("):
            if token_at(tokens, i + 1).is_symbol("("):
                fault = fault or "a pattern within brackets"
            nodes.append(Node(_variable(tokens, i + 1), token.end))
        elif not depth and token.is_symbol("["):
            relations.append(_variable(tokens, i + 1))
            has_inner = has_inner or _has_star(tokens[i:])
        elif not depth and token.is_symbol("{", "+", "*"):
            fault = fault or "a pattern that is repeated"
        depth += token.is_symbol("(", "{", "[") - token.is_symbol(")", "}", "]")
    return Part(path, token_at(tokens, first).start, tuple(nodes), tuple(filter(None, relations)), has_inner, fault)


def _variable(tokens: Sequence[Token], i: int) -> str:
    """Return the variable that begins inside a bracket, at ``i``; empty if there is none."""
    name, after = token_at(tokens, i), token_at(tokens, i + 1)
    is_named = after.is_symbol(":", "{", ")", "]", "*") or after.is_word("WHERE")
    return name.text if name.kind in _NAME and is_named else ""


def _has_star(tokens: Sequence[Token]) -> bool:
    """Return whether the relation whose bracket is the first token has a variable length."""
    ends = (token for token in tokens if token.is_symbol("*", "]", "{", "(") or token.is_word("WHERE"))
    first = next(ends, None)
    return first is not None and first.is_symbol("*")


def cypher_reads_nothing(text: str) -> bool:
    """Return whether a query returns only what it says itself, as a model may write its own answer.

    Args:
        text: The query.

    Raises:
        QueryTextError: The query cannot be split into tokens.

    >>> own = ["RETURN '2029-01-09' AS day", "MATCH (n) RETURN date('2029-01-09') ORDER BY n.x"]
    >>> own += ["WITH 'x' AS a MATCH (n) RETURN a", "MATCH (n) RETURN n.a UNION RETURN 'x' AS a"]
    >>> [*map(cypher_reads_nothing, own)]
    [True, True, True, True]
    >>> read = ["MATCH (n:OS) WITH n.eol AS day RETURN day", "MATCH (:OS) RETURN count(*) > 0"]
    >>> [*map(cypher_reads_nothing, read)]
    [False, False]
    """
    read = set[str]()
    for clause in clauses_of(tokens_of(text, CYPHER)):
        if clause.word == "UNION":
            read = set()
        elif clause.word == "MATCH" or any(token.is_word("MATCH") for token in clause.tokens):
            read |= {token.text.lower() for token in clause.tokens if token.kind in _NAME}
        elif clause.word in ("WITH", "RETURN", "UNWIND"):
            items = list(_items(clause.tokens))
            of_graph = [item for item in items if _is_read(item, read)]
            if clause.word == "RETURN" and items and not of_graph:
                return True
            read |= {item[-1].text.lower() for item in of_graph}
    return False


def _items(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the parts between commas outside of brackets."""
    first, depth = 0, 0
    for i, token in enumerate(tokens):
        depth += token.is_symbol("(", "{", "[") - token.is_symbol(")", "}", "]")
        if not depth and token.is_symbol(","):
            yield tokens[first:i]
            first = i + 1
    if tokens[first:]:
        yield tokens[first:]


def _is_read(item: Sequence[Token], read: set[str]) -> bool:
    """Return whether a part has a name that was matched, or counts what was."""
    end = next((i for i, token in enumerate(item) if token.is_word("AS")), len(item))
    return any(token.is_symbol("*") or token.text.lower() in read for token in item[:end]) and bool(read)
