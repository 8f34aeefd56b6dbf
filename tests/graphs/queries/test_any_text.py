"""Any text is handled: refused or passed on, never another error."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.graphs.databases.sparql.sparql_text import limited
from graphbrick.graphs.queries.check import check_query
from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.limits import with_limit
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, QueryTextError, tokens_of

_PIECES = (
    "MATCH RETURN WHERE WITH CALL SELECT ASK FILTER OPTIONAL VALUES LIMIT PREFIX UNION n Film DIRECTED ?x e:p "
    "<urn:a> a 3 ?y 1.5 'x' ( ) [ ] { } - > < : ; , . * | / ^ + $p `b c` // /* */ # \n"
).split(" ")
_TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(_PIECES), max_size=25).map(" ".join))
_SCHEMA = Schema(
    (NodeClass("Film", (Property("n"),)), NodeClass("urn:a", (Property("urn:b"),))),
    (Connection("Film", "DIRECTED", "Film"), Connection("urn:a", "urn:p", "urn:a")),
)


@given(_TEXTS, st.sampled_from((CYPHER, SPARQL)))
def test_any_text_is_refused_or_passes(text: str, language: str) -> None:
    try:
        check_read_only(text, language)
    except RefusedQueryError:
        return
    limited = with_limit(text, language, 3)
    assert with_limit(limited, language, 3) == limited
    checked = check_query(text, language, _SCHEMA)
    assert check_query(checked.text, language, _SCHEMA).changes == ()


@given(_TEXTS, st.sampled_from((CYPHER, SPARQL)))
def test_tokens_are_pieces_of_the_text_in_order(text: str, language: str) -> None:
    try:
        tokens = tokens_of(text, language)
    except QueryTextError:
        return
    assert all(before.end <= after.start for before, after in pairwise(tokens))
    assert all(token.text in text[token.start : token.end].replace("``", "`") for token in tokens)


_REPEATED = (
    *("a.", "a-", "a:", "limit,", "PREFIX p{}:<b>", "a.b(", "?x.", "1e", "("),
    *("[", "{", "<", "'", "'\"", "`", "/*", "\\u"),
)


@pytest.mark.whole
@pytest.mark.parametrize("piece", _REPEATED)
@pytest.mark.parametrize("language", [CYPHER, SPARQL])
def test_the_longest_texts_take_linear_time(language: str, piece: str) -> None:
    start = "RETURN " if language == CYPHER else "SELECT "
    text = start + "".join(piece.replace("{}", str(i)) for i in range(50_000 // len(piece)))[:49_000]
    began = time.process_time()
    try:
        check_read_only(text, language)
        with_limit(text, language, 3)
    except RefusedQueryError:
        pass
    if language == SPARQL:
        limited(text, 3)
    assert time.process_time() - began < 5
