"""The query in a model's reply: without fences, quotes, tags, JSON, words before it and explanations after it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, QueryTextError, Token, literal, tokens_of

_KEYS = ("query", "cypher", "sparql", "cypher_query", "sparql_query", "statement", "answer")
_FINAL = re.compile(r"<[|｜]channel[|｜]>\s*final\b.*?<[|｜]message[|｜]>", re.DOTALL | re.IGNORECASE)
_MARK = re.compile(r"<[|｜][^<>|｜]{1,40}[|｜]>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]", re.IGNORECASE)
_FENCE = re.compile(r"(?:```|~~~)[ \t]*(\w*)[ \t]*\n?(.*?)(?:```|~~~|\Z)", re.DOTALL)
_TAG = re.compile(r"<(cypher|sparql|query|code|answer|output|result)\b[^<>]*>(.*?)(?:</\1>|\Z)", re.DOTALL | re.I)
_STRONG = {
    CYPHER: r"(?:CYPHER\s+\d[\d.]*\s+)?(?:OPTIONAL\s+)?MATCH\s*(?:\(|\w+\s*=|(?:ALL|ANY)?\s*SHORTEST)",
    SPARQL: r"PREFIX\s+[\w.-]*:\s*<|BASE\s*<|SELECT\s+(?:DISTINCT\b|REDUCED\b|[?$*(])|ASK\s*(?:WHERE\s*)?\{",
}
_WEAK = {CYPHER: r"(?:CYPHER\s+\d[\d.]*\s+)?(?:WITH|UNWIND|RETURN|CALL|OPTIONAL|MATCH)\b", SPARQL: r"(?!)"}
_STARTS = {CYPHER: "MATCH OPTIONAL WITH UNWIND RETURN CALL CYPHER".split(), SPARQL: "SELECT ASK PREFIX BASE".split()}
_BEFORE = r"(?:^|(?<=[.!:>)\]}`\"'“‘*])[ \t]*|(?<=[.!:])\s+)"  # the beginning of a line, or the end of words
_LABEL = r"(?:[>$*#-]+[ \t]+|\d+[.)][ \t]+)?"  # marks of lists and quotations
_BLANK = re.compile(r"\n[ \t]*\n[ \t]*\Z")
_CURLY = re.compile(r"[‘“]([^‘“\n]*?)[’”](?=\s*(?:[,)\]}]|$|AND\b|OR\b|RETURN\b))", re.MULTILINE)
_CLOSED = re.compile(r"[\s.,;)]*(?:$|\n|[A-Za-z])")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`", "«": "»"}
_KEYWORDS = frozenset(
    "MATCH OPTIONAL WITH UNWIND RETURN CALL WHERE ORDER BY SKIP LIMIT AS AND OR XOR NOT IN IS NULL STARTS ENDS "
    "CONTAINS DISTINCT ASC ASCENDING DESC DESCENDING CASE WHEN THEN ELSE END UNION ALL ANY NONE SINGLE EXISTS "
    "COUNT YIELD TRUE FALSE SHORTEST USING INDEX OFFSET CYPHER".split()
)


def query_in(reply: str, language: str = "") -> str:
    """Return the query of a reply; empty if it has none. Prose is not taken for one.

    Args:
        reply: The reply.
        language: "Cypher" or "SPARQL"; empty for either.

    >>> query_in("Here it is:\\n```cypher\\nMATCH (n) RETURN n\\n```\\nIt lists all."), query_in("Query: RETURN 1")
    ('MATCH (n) RETURN n', 'RETURN 1')
    >>> query_in('{"query": "MATCH (n) RETURN n"}'), query_in("With this graph I cannot answer.")
    ('MATCH (n) RETURN n', '')
    """
    languages = [language] if language else [CYPHER, SPARQL]
    final = list(_FINAL.finditer(reply))
    text = reply[final[-1].end() :] if final else reply
    for part in _parts(_MARK.sub("\n\n", text) if final else _unmarked(text)):
        for one in languages:
            query = _query_of(part, one)
            if query:
                return query
    first = re.match(r"\s*(\w+)", text)
    is_start = first is None or any(first[1].upper() in _STARTS[one] for one in languages)
    return "" if is_start or "```" in text else text.strip()  # the guard says what is wrong with it


def _unmarked(text: str) -> str:
    """Return a reply without the marks of a chat template."""
    pieces = [piece for piece in _MARK.split(text) if piece.strip().lower() not in ("", "assistant", "final")]
    return pieces[0] if pieces else ""


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a reply that may hold a query, the surest first."""
    value = _json(text)
    if value is not None:
        yield value
    for fence in _FENCE.finditer(text):
        # The word after a fence may begin the query.
        is_language = fence[1] and fence[1].upper() not in (*_STARTS[CYPHER], *_STARTS[SPARQL])
        body = fence[2] if is_language or not fence[1] else text[fence.start(1) : fence.end(2)]
        yield _json(body) or body
    for tag in _TAG.finditer(text):
        yield _json(tag[2]) or tag[2]
    yield re.sub(r"```|~~~", "\n\n", text)


def _json(text: str) -> str | None:
    """Return the query in a value of JSON: the value itself, or under a name such as "query"."""
    start = min((place for sign in '{"' if (place := text.find(sign)) >= 0), default=-1)
    if start < 0 or text[:start].strip().rstrip(":").lower() not in (
        "",
        "json",
        "query",
        "cypher",
        "sparql",
        "```json",
    ):
        return None
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text[start:])
    except ValueError:
        return None
    if isinstance(value, str):  # else a quotation mark within the query ended it
        return value if re.match(r"[\s;.]*(?:\n|```|~~~|\Z)", text[start + end :]) else None
    return _named(value)


def _named(value: Any) -> str | None:
    if isinstance(value, Mapping):
        for name, part in value.items():
            if str(name).lower() in _KEYS and isinstance(part, str) and part.strip():
                return part
        return next((text for part in value.values() if (text := _named(part))), None)
    return None


def _query_of(text: str, language: str) -> str:
    """Return the query that begins somewhere in a text; empty if none does."""
    for rule in (_STRONG[language], _WEAK[language]):
        for match in re.finditer(rf"{_BEFORE}{_LABEL}[\"'`“‘«(]?\s*({rule})", text, re.MULTILINE | re.IGNORECASE):
            start = match.start(1)
            body = _straight(_ended(_unquoted(text[start - 1 : start], text[start:]), language), language)
            is_sure = rule == _STRONG[language] and match[1].split()[0].isupper()
            if is_sure or not _is_prose(body, language):
                return body
    return ""


def _unquoted(opening: str, text: str) -> str:
    """Return a text up to the quotation mark that closes the one before it."""
    closing = _QUOTES.get(opening)
    if closing is None:
        return text
    for place, sign in enumerate(text):
        before = text[:place]
        is_even = opening != closing or before.count(sign) % 2 == 0
        if sign == closing and is_even and _depth(before) == 0 and _CLOSED.match(text, place + 1):
            return before
    return text


def _depth(text: str) -> int:
    return sum(text.count(sign) for sign in "([{") - sum(text.count(sign) for sign in ")]}")


def _ended(text: str, language: str) -> str:
    """Return a text up to the end of the query that it begins with: what follows is prose after a complete query."""
    kept = ""
    for line in re.split(r"(?<=\n)", text):
        if line.strip() and _is_complete(kept, language) and not _continues(line, language):
            is_comment = line.lstrip().startswith(("//", "#"))
            if _BLANK.search(kept) or (_is_prose(line, language) and not is_comment):
                break
        kept += line
    return kept.strip().rstrip("`").rstrip()


def _is_complete(text: str, language: str) -> bool:
    last = r"\b(?:RETURN|YIELD|CALL)\b" if language == CYPHER else r"\}"
    return re.search(last, text, re.IGNORECASE) is not None and _depth(text) <= 0 and not text.rstrip().endswith(",")


def _continues(line: str, language: str) -> bool:
    """Return whether a line begins as a clause does."""
    first = re.match(r"\s*(\w+)(.?)", line)
    words = (*_KEYWORDS, "GROUP", "HAVING", "VALUES", "SELECT", "ASK")
    return first is not None and first[1].upper() in words and (first[1].isupper() or not _is_prose(line, language))


def _is_prose(text: str, language: str) -> bool:
    """Return whether a text is sentences rather than a query: two plain words stand side by side."""
    try:
        tokens = tokens_of(text, language)
    except QueryTextError:
        return True
    if language == SPARQL:
        return not any(token.is_symbol("{") for token in tokens)
    is_side_by_side = any(_is_plain(one) and _is_plain(other) for one, other in pairwise(tokens))
    return is_side_by_side or not tokens or tokens[-1].is_symbol(".", "!") or _is_only_keywords(tokens)


def _is_only_keywords(tokens: list[Token]) -> bool:
    return len(tokens) < 2 or (tokens[0].is_word("MATCH") and not any(token.is_symbol("(") for token in tokens))


def _is_plain(token: Token) -> bool:
    return token.kind == "word" and token.text.upper() not in _KEYWORDS


def _straight(text: str, language: str) -> str:
    """Return a query with straight quotation marks where it cannot be read with its curly ones."""
    try:
        tokens_of(text, language)
    except QueryTextError:
        return _CURLY.sub(lambda match: literal(match[1]), text)
    return text
