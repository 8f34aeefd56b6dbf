"""The clauses of a Cypher query, and the nodes of its patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphbrick.graphs.queries.tokens import Token

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
        before = tokens[i - 1] if i else None
        is_name = before is not None and (before.is_symbol(".", ":", "|", "&", "!") or before.is_word("AS"))
        is_operator = before is not None and token.is_word("WITH") and before.is_word("STARTS", "ENDS")
        if not depth and token.is_word(*_BEGINNINGS) and not is_name and not is_operator:
            firsts.append(i)
    clauses = []
    for first, following in zip(firsts, [*firsts[1:], len(tokens)], strict=True):
        begin = first - (first > 0 and tokens[first - 1].is_word("OPTIONAL"))
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
    if len(tokens) > 1 and tokens[0].kind in _NAME and tokens[1].is_symbol("="):
        path, first = tokens[0].text, 2
    nodes, relations, has_inner, fault, depth = list[Node](), list[str](), False, "", 0
    if first == len(tokens) or not tokens[first].is_symbol("("):
        fault = "a pattern that is not a chain of nodes, such as a shortest path"
    for i in range(first, len(tokens)):
        token, following = tokens[i], tokens[i + 1 : i + 3]
        if not depth and token.is_symbol("("):
            if following and following[0].is_symbol("("):
                fault = fault or "a pattern within brackets"
            nodes.append(Node(_variable(following), token.end))
        elif not depth and token.is_symbol("["):
            relations.append(_variable(following))
            has_inner = has_inner or _has_star(tokens[i + 1 :])
        elif not depth and token.is_symbol("{", "+", "*"):
            fault = fault or "a pattern that is repeated"
        depth += token.is_symbol("(", "{", "[") - token.is_symbol(")", "}", "]")
    place = tokens[first].start if first < len(tokens) else 0
    return Part(path, place, tuple(nodes), tuple(filter(None, relations)), has_inner, fault)


def _variable(following: Sequence[Token]) -> str:
    """Return the variable that begins inside a bracket; empty if there is none."""
    if len(following) < 2 or following[0].kind not in _NAME:
        return ""
    is_named = following[1].is_symbol(":", "{", ")", "]", "*") or following[1].is_word("WHERE")
    return following[0].text if is_named else ""


def _has_star(tokens: Sequence[Token]) -> bool:
    """Return whether the relation whose bracket was just opened has a variable length."""
    for token in tokens:
        if token.is_symbol("*"):
            return True
        if token.is_symbol("]", "{", "(") or token.is_word("WHERE"):
            return False
    return False
