"""Tokens of queries in Cypher and SPARQL; comments and white space are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.core.errors import GraphbrickError, shown

CYPHER, SPARQL = "Cypher", "SPARQL"


class QueryTextError(GraphbrickError):
    """A query that cannot be split into tokens, such as one with a string that does not end."""


class Token(NamedTuple):
    """One token of a query.

    Attributes:
        kind: "word", "name" (in backticks, without them), "string", "number", "symbol", "parameter" (with $),
            "variable" (SPARQL, with ? or $), "iri" (without brackets) or "prefixed" (such as rdfs:label).
        text: The text; its form depends on the kind.
        start: Offset of the first character in the query.
        end: Offset after the last character.
    """

    kind: str
    text: str
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        """Return whether this is one of these words, in any case; ``words`` are in capitals."""
        return self.kind == "word" and self.text.upper() in words

    def is_symbol(self, *symbols: str) -> bool:
        """Return whether this is one of these symbols."""
        return self.kind == "symbol" and self.text in symbols


_STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_LOCAL = r"(?:[\w%:-]|\\[-_~.!$&'()*+,;=/?#@%]|\.(?=[\w.%:\\-]))*"
_RULES = {
    CYPHER: {
        "space": r"\s+|//[^\n]*|/\*.*?\*/",
        "string": _STRING,
        "name": r"`(?:[^`]|``)*`",
        "parameter": r"\$(?:\w+|`(?:[^`]|``)*`)",
        "number": _NUMBER,
        "word": r"[^\W\d]\w*",
        "symbol": r"\.\.|<>|<=|>=|=~|[-+*/%^=<>(){}\[\],.:;|&!]",
    },
    SPARQL: {
        "space": r"\s+|#[^\n]*",
        "string": rf"'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|{_STRING}",
        "iri": r"""<[^<>"{}|^`\\\s]*>""",
        "variable": r"[?$]\w+",
        "prefixed": rf"(?:_|[^\W\d_](?:[\w.-]{{0,100}}[\w-])?)?:{_LOCAL}",  # longer prefixes would take quadratic time
        "language": r"@[A-Za-z][A-Za-z0-9-]*",
        "number": _NUMBER,
        "word": r"[^\W\d]\w*",
        "symbol": r"\^\^|!=|<=|>=|&&|\|\||[-+*/^=<>(){}\[\],.;|!?]",
    },
}
_PATTERNS = {
    language: re.compile("|".join(f"(?P<{kind}>{rule})" for kind, rule in rules.items()), re.DOTALL)
    for language, rules in _RULES.items()
}
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_VERSION = re.compile(r"\s*CYPHER\s+\d+(?:\.\d+)?\s+(?=[A-Za-z])", re.IGNORECASE)
_OPEN = {"'": "a string", '"': "a string", "`": "a name in backticks", "/": "a comment"}


def known_language(language: str) -> str:
    """Return `CYPHER` or `SPARQL`; the case of the name does not matter.

    Raises:
        GraphbrickError: It is neither.
    """
    name = {CYPHER.lower(): CYPHER, SPARQL.lower(): SPARQL}.get(language.lower())
    if name is None:
        text = f"queries in {shown(language)} cannot be checked; this works for {CYPHER} and {SPARQL}"
        raise GraphbrickError(text, code="query.unknown_language", language=language)
    return name


def tokens_of(text: str, language: str) -> list[Token]:
    """Return the tokens of a query.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".

    Raises:
        QueryTextError: A string, name or comment does not end, or a character has no place in a query.

    >>> [token.text for token in tokens_of("MATCH (n:`a b`) RETURN n.x // all", "Cypher")]
    ['MATCH', '(', 'n', ':', 'a b', ')', 'RETURN', 'n', '.', 'x']
    """
    pattern, tokens, place = _PATTERNS[known_language(language)], [], 0
    while place < len(text):
        match = pattern.match(text, place)
        if match is None or (match.lastgroup == "symbol" and text.startswith("/*", place)):
            raise _fault(text, place)
        kind, whole = str(match.lastgroup), match[0]
        if kind == "name":
            whole = whole[1:-1].replace("``", "`")
        elif kind == "iri":
            whole = whole[1:-1]
        if kind != "space":
            tokens.append(Token(kind, whole, place, match.end()))
        place = match.end()
    return tokens


def without_version(text: str) -> str:
    """Return a Cypher query without the version that it may begin with.

    >>> without_version("CYPHER 5 MATCH (n) RETURN n"), without_version("cypher 25\\nRETURN 1")
    ('MATCH (n) RETURN n', 'RETURN 1')
    """
    return _VERSION.sub("", text)


def literal(text: str) -> str:
    r"""Return a text as a string of Cypher and of SPARQL.

    >>> print(literal("it's\n"))
    'it\'s\n'
    """
    return f"'{text.translate(_ESCAPES)}'"


def _fault(text: str, place: int) -> QueryTextError:
    character = text[place]
    following = shown(text[place : place + 40])
    if character in _OPEN:
        reason = f"the query has {_OPEN[character]} that does not end, at character {place + 1}: {following}; close it"
        return QueryTextError(reason, code="query.no_end", place=place + 1)
    return QueryTextError(
        f"the query has {character!r} (U+{ord(character):04X}) at character {place + 1}, which belongs only in strings "
        f"and quoted names: {following}; write ASCII symbols",
        code="query.strange_character",
        place=place + 1,
    )


def after_bracket(tokens: Sequence[Token], i: int) -> int:
    """Return the index after the bracket that closes the one at ``i``."""
    depth = 0
    while i < len(tokens):
        depth += tokens[i].is_symbol("(", "{", "[") - tokens[i].is_symbol(")", "}", "]")
        i += 1
        if not depth:
            break
    return i
