"""Small changes to the text of SPARQL queries."""

from __future__ import annotations

import re

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.queries.limits import lower_limit

_TOKENS = re.compile(
    r"""(?P<skip>\#[^\n]*|'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"
    |<[^<>"{}|^`\\\s]*>|[?$]\w+|[\w.-]{0,100}:[\w.:%-]*)|(?P<open>\{)|(?P<close>\})|(?P<number>\d+)|(?P<word>[A-Za-z]\w*)""",
    re.DOTALL | re.VERBOSE,
)


def is_ask(text: str) -> bool:
    """Return whether a query is an ASK; it is checked to be an ASK or a SELECT without SERVICE.

    Raises:
        GraphbrickError: It is another form, or asks other servers.

    >>> is_ask("# SELECT\\nPREFIX a: <b> ASK { ?s a:service 'SERVICE' }")
    True
    """
    words = [match["word"].upper() for match in _TOKENS.finditer(text) if match["word"]]
    if "SERVICE" in words:
        text = "the query was not run: SERVICE asks other servers; ask about this graph alone"
        raise GraphbrickError(text, code="sparql.asks_others")
    form = next((word for word in words if word in ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "INSERT", "DELETE")), "")
    if form not in ("SELECT", "ASK"):
        text = f"the query was not run: it must be a SELECT or an ASK, got {form or text[:40]!r}"
        raise GraphbrickError(text, code="sparql.wrong_form")
    return form == "ASK"


def limited(text: str, limit: int) -> str:
    """Return a SELECT query with at most ``limit`` rows; a smaller limit in the query stays.

    >>> limited("SELECT * { ?s ?p ?o } # all", 5).splitlines()[-1]
    'LIMIT 5'
    >>> limited("SELECT * { { SELECT ?s { ?s ?p ?o } LIMIT 3 } } limit 900 OFFSET 2", 5)
    'SELECT * { { SELECT ?s { ?s ?p ?o } LIMIT 3 } } limit 5 OFFSET 2'
    """
    depth, is_next, values = 0, False, None
    for match in _TOKENS.finditer(text):
        if match["open"] or match["close"]:
            depth += 1 if match["open"] else -1
        elif depth == 0 and is_next and match["number"]:
            return f"{text[: match.start()]}{lower_limit(match['number'], limit)}{text[match.end() :]}"
        elif depth == 0 and match["word"] and match["word"].upper() == "VALUES":
            values = match.start()
        if not match["skip"]:
            is_next = bool(match["word"]) and match["word"].upper() == "LIMIT" and depth == 0
    if values is not None:
        return f"{text[:values]}\nLIMIT {limit}\n{text[values:]}"
    return f"{text}\nLIMIT {limit}"
