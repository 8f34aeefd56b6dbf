"""The relations of a Cypher query at nodes that the query names: in braces, or in a condition of WHERE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from graphbrick.graphs.queries.check_cypher import CypherCheck, Part
from graphbrick.graphs.queries.cypher_clauses import clauses_of
from graphbrick.graphs.queries.tokens import Token

_NAME = ("word", "name")


class NamedStep(NamedTuple):
    """A relation of a pattern at a node that a text or a parameter names.

    Attributes:
        node: The text of the node, such as "(p:Person {name: 'Ridley Scott'})".
        where: A condition on the node, such as "p.name = 'Ridley Scott'"; empty for none.
        types: The types of the relation.
        leaves: Whether the arrow leaves the node.
        start: Index of the first token of the arrow.
        stop: Index after its last token.
    """

    node: str
    where: str
    types: tuple[str, ...]
    leaves: bool
    start: int
    stop: int


def named_steps(check: CypherCheck) -> list[NamedStep]:
    """Return the relations with an arrow and a type of which just one end is named.

    Args:
        check: A check that has run.
    """
    tokens, conditions, in_braces = check.tokens, _conditions(check), dict[str, str]()
    for node in check.nodes:
        if node.variable and _is_named(_inside(tokens, node)):
            in_braces.setdefault(node.variable, _text(check, node.start, node.end))
    steps = []
    for left, relation, right, _ in check.steps:
        to_left = tokens[left.end].is_symbol("<")
        to_right = tokens[relation.end - 1].is_symbol(">")
        ends = [_named(check, node, in_braces, conditions) for node in (left, right)]
        if to_left != to_right and (ends[0] is None) != (ends[1] is None) and relation.names and not relation.is_long:
            text, where = ends[0] or ends[1] or ("", "")
            leaves = to_left if ends[0] is None else to_right
            steps.append(NamedStep(text, where, tuple(relation.names), leaves, left.end, relation.end))
    return steps


def _named(
    check: CypherCheck, node: Part, in_braces: dict[str, str], conditions: dict[str, str]
) -> tuple[str, str] | None:
    """Return the text of a node and the condition that names it; None if nothing does."""
    text = _text(check, node.start, node.end)
    if _is_named(_inside(check.tokens, node)):
        return text, ""
    if node.variable in in_braces:
        return in_braces[node.variable], ""
    return (text, conditions[node.variable]) if node.variable in conditions else None


def _inside(tokens: Sequence[Token], node: Part) -> Sequence[Token]:
    """Return the tokens of a node from its braces, or its WHERE, on."""
    part = tokens[node.start : node.end]
    first = next((i for i, token in enumerate(part) if token.is_symbol("{") or token.is_word("WHERE")), len(part))
    return part[first:]


def _is_named(tokens: Sequence[Token]) -> bool:
    return any(token.kind in ("string", "parameter") for token in tokens)


def _conditions(check: CypherCheck) -> dict[str, str]:
    """Return for each variable the conditions of WHERE that name it, joined by AND."""
    conditions: dict[str, list[str]] = {}
    for clause in clauses_of(check.tokens):
        for part in _conjuncts(clause.tokens) if clause.word == "WHERE" else ():
            variables = {
                one.text
                for one, other in pairwise(part)
                if one.kind in _NAME and other.is_symbol(".") and not _is_property(part, one)
            }
            is_plain = not any(token.is_symbol("{", "<>") or token.is_word("NOT", "EXISTS") for token in part)
            if len(variables) == 1 and is_plain and _is_named(part):
                conditions.setdefault(variables.pop(), []).append(check.text[part[0].start : part[-1].end])
    return {variable: " AND ".join(f"({part})" for part in parts) for variable, parts in conditions.items()}


def _is_property(tokens: Sequence[Token], token: Token) -> bool:
    place = tokens.index(token)
    return place > 0 and tokens[place - 1].is_symbol(".")


def _conjuncts(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the conditions that AND joins outside brackets, without brackets around them."""
    while tokens and tokens[0].is_symbol("(") and _closes_last(tokens):
        tokens = tokens[1:-1]
    start, depth = 0, 0
    ands = list[int]()
    for i, token in enumerate(tokens):
        depth += token.is_symbol("(", "{", "[") - token.is_symbol(")", "}", "]")
        if not depth and token.is_word("OR", "XOR"):
            ands.clear()
            break
        if not depth and token.is_word("AND"):
            ands.append(i)
    for end in (*ands, len(tokens)):
        part = tokens[start:end]
        start = end + 1
        if ands:
            yield from _conjuncts(part)
        elif part:
            yield part


def _closes_last(tokens: Sequence[Token]) -> bool:
    """Return whether the first bracket is closed by the last token."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += token.is_symbol("(", "{", "[") - token.is_symbol(")", "}", "]")
        if not depth:
            return i == len(tokens) - 1
    return False


def _text(check: CypherCheck, start: int, end: int) -> str:
    return check.text[check.tokens[start].start : check.tokens[end - 1].end]
