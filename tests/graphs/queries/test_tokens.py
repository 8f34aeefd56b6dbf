"""Tokens of queries: brackets that do not close, and texts that are no query."""

from __future__ import annotations

import pytest
from faults import fails

from graphbrick.graphs.queries.edits import Edits
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, QueryTextError, after_bracket, tokens_of


@pytest.mark.parametrize(("text", "after"), [("(a)b", 3), ("(a{b}[c])d", 9), ("((a)", 4), ("(", 1)])
def test_a_bracket_ends_where_it_is_closed_or_with_the_query(text: str, after: int) -> None:
    assert after_bracket(tokens_of(text, CYPHER), 0) == after


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("RETURN 'abc", "query.no_end", 8),
        ("RETURN `abc", "query.no_end", 8),
        ('RETURN "abc', "query.no_end", 8),
        ("RETURN 1 /* abc", "query.no_end", 10),
        ("RETURN §", "query.strange_character", 8),
    ],
)
def test_the_place_of_a_fault_is_told(text: str, code: str, place: int) -> None:
    with fails(code, QueryTextError, place=place):
        tokens_of(text, CYPHER)


def test_forty_characters_from_the_fault_are_shown() -> None:
    with fails("query.no_end") as fault:
        tokens_of("ASK {?s ?p '" + "x" * 50, SPARQL)
    assert f"{chr(39) + 'x' * 39!r}; close it" in str(fault.value)


def test_edits_are_applied_together_or_forgotten() -> None:
    edits = Edits("abcdef")
    edits.replace(1, 2, "XX", "wrote XX")
    edits.replace(4, 4, "-")
    assert (edits.applied(), edits.changes) == ("aXXcd-ef", ["wrote XX"])
    edits.forget()
    assert (edits.applied(), edits.changes) == ("abcdef", [])
