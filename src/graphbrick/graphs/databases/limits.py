"""Limits of rows, for databases that would send all rows of a query at once."""

from __future__ import annotations

import re

# Strings, quoted names and comments, which may hold any word; then words.
_PIECES = re.compile(
    r"""'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | `(?:``|[^`])*` | //[^\n]* | /\*.*?\*/ | \w+ | [{}] """, re.S | re.X
)


def limited(text: str, limit: int) -> str:
    """Return a Cypher query with a limit of rows; one that has a limit of its own, or a union, stays as it is.

    >>> limited("MATCH (n) RETURN n.name", 5)
    'MATCH (n) RETURN n.name LIMIT 5'
    >>> limited("MATCH (n) WITH n LIMIT 3 RETURN n // LIMIT 2", 5)
    'MATCH (n) WITH n LIMIT 3 RETURN n // LIMIT 2\\nLIMIT 5'
    >>> limited("MATCH (n) RETURN n LIMIT 3", 5)
    'MATCH (n) RETURN n LIMIT 3'
    """
    depth, last, words = 0, "", []
    for match in _PIECES.finditer(text):
        piece = last = match.group()
        depth += (piece == "{") - (piece == "}")
        if depth == 0 and (piece[0].isalpha() or piece[0] == "_"):
            words.append(piece.upper())
    after = words[len(words) - words[::-1].index("RETURN") :] if "RETURN" in words else None
    if after is None or "LIMIT" in after or "UNION" in words:
        return text
    bare = text.rstrip().rstrip(";")
    return f"{bare}\nLIMIT {limit}" if last.startswith("//") else f"{bare} LIMIT {limit}"
