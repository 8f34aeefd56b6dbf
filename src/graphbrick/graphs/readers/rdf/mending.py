"""Repair the lines and terms of dumps that are almost RDF, such as those of Wikidata and DBpedia."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedReader
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from graphbrick.core.errors import InputError
from graphbrick.graphs.records.records import BadRecords, LeftOut

if TYPE_CHECKING:
    from graphbrick.graphs.readers.rdf.reading import Parse

IRIS, TAGS, TEXTS, BYTES, ENDS = (
    "IRIs with signs that must be escaped, which were mended",
    "language tags that are none, which were mended or left out",
    "texts with wrong escapes or quotes, which were mended",
    "lines with bytes that are not UTF-8 or are NUL, which were mended",
    "lines without a full stop, which was added",
)
_TERM = r"<.*?>|_:\S+"
_LINE = re.compile(rf"\s*({_TERM})\s+(<.*?>)\s+(.*?)(\s*\.)?\s*", re.DOTALL)
_LITERAL = re.compile(rf'"(.*)"(?:@(\S*)|\^\^(<.*?>))?(?:\s+({_TERM}))?', re.DOTALL)
_NODE = re.compile(rf"({_TERM})(?:\s+({_TERM}))?", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_FORBIDDEN = re.compile(r'[\x00-\x20<>"{}|^`\\\x7f]|%(?![0-9A-Fa-f]{2})')
_IN_TEXT = re.compile(
    r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
    r"""|\\[tbnrf"'\\]|\\|"|[\n\r]"""
)
_BAD_TAG = re.compile(
    rb'(?<=[^\\]"@)(?![A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*(?:--(?:ltr|rtl))?(?![A-Za-z0-9_-]))[A-Za-z0-9_-]*'
)
_CHUNK = 1 << 20
_KINDS = {
    "reader.line_too_long": "lines that are too long",
    "reader.not_text": "lines that are not text",
    "reader.not_rdf": "lines that are not RDF, even when mended",
}


class LeftOutLines(BadRecords):
    """Collector that counts bad records as left out, and raises none."""

    def __init__(self, left_out: LeftOut) -> None:
        super().__init__(skip=True, keep=0)
        self._left_out = left_out

    def add(self, error: InputError) -> None:
        """Count a record by the kind of its fault."""
        super().add(error)
        place = "" if error.line is None else f"line {error.line}: "
        self._left_out.add(_KINDS.get(error.code, error.reason), f"{place}{error.text}"[:100])


class Mender:
    """Repairs lines, and counts what it repairs.

    Args:
        left_out: Receives the counts, with examples.
    """

    def __init__(self, left_out: LeftOut) -> None:
        self._left_out = left_out

    def quads(self, line: bytes, parse: Parse) -> list[Any] | None:
        """Return the statements of a line that the parser refused; None if it cannot be repaired."""
        faults: list[tuple[str, str]] = []
        text = line.decode("utf-8", "replace").replace("\0", "\ufffd")
        if text.encode() != line:
            faults.append((BYTES, text[:100]))
        mended = _mended_line(text, faults)
        for leniently in (False, True) if mended else ():
            try:
                quads = list(parse(mended.encode(), lenient=leniently))
            except (SyntaxError, UnicodeEncodeError):
                continue
            for what, example in faults:
                self._left_out.add(what, example)
            return quads
        return None

    def iri(self, iri: str) -> str:
        """Return an IRI with all signs escaped that must be."""
        faults: list[tuple[str, str]] = []
        mended = mended_iri(iri, faults)
        for what, example in faults:
            self._left_out.add(what, example)
        return mended

    def tags(self, data: bytes) -> bytes:
        """Return lines of Turtle with language tags that can be read."""

        def replaced(match: re.Match[bytes]) -> bytes:
            tag = match[0].decode()
            self._left_out.add(TAGS, f"@{tag}")
            return mended_tag(tag).encode()

        # A tag that is left out leaves its sign, which must go too.
        return re.sub(rb'(?<=[^\\]")@(?![A-Za-z])', b"", _BAD_TAG.sub(replaced, data))


class MendedStream:
    """A stream of Turtle with repaired language tags.

    Args:
        stream: The bytes.
        mender: Repairs them.
    """

    def __init__(self, stream: BufferedReader, mender: Mender) -> None:
        self._chunks, self._rest = self._mended(stream, mender), b""

    @staticmethod
    def _mended(stream: BufferedReader, mender: Mender) -> Iterator[bytes]:
        while chunk := stream.read(_CHUNK):
            yield mender.tags(chunk + stream.readline())

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` bytes; none at the end."""
        while not self._rest or size < 0:
            chunk = next(self._chunks, b"")
            if not chunk:
                break
            self._rest += chunk
        end = len(self._rest) if size < 0 else size
        data, self._rest = self._rest[:end], self._rest[end:]
        return data


def mended_iri(iri: str, faults: list[tuple[str, str]]) -> str:
    """Return an IRI with escapes resolved, and percent signs for letters that it must not have.

    >>> mended_iri("http://dbpedia.org/resource/A|B", [])
    'http://dbpedia.org/resource/A%7CB'
    """
    plain = _ESCAPE.sub(lambda match: _letter(match[1] or match[2]), iri)
    mended = _FORBIDDEN.sub(lambda match: quote(match[0], safe=""), plain)
    if mended != plain:
        faults.append((IRIS, iri))
    return mended


def mended_tag(tag: str) -> str:
    """Return a language tag that can be read; empty if there is none.

    >>> mended_tag("zh_min_nan"), mended_tag("en-"), mended_tag("-"), mended_tag("x-thislanguage")
    ('zh-min-nan', 'en', '', 'x-thislang')
    """
    parts = [part[:8] for part in re.split("[^A-Za-z0-9]+", tag) if part]
    while parts and not parts[0].isalpha():
        parts = parts[1:]
    return "-".join(parts)


def _mended_line(text: str, faults: list[tuple[str, str]]) -> str:
    """Return a line with all its terms repaired; empty if it has other parts than terms."""
    line = _LINE.fullmatch(text)
    value = line and (_LITERAL.fullmatch(line[3]) or _NODE.fullmatch(line[3]))
    if not line or not value:
        return ""
    if not line[4]:
        faults.append((ENDS, text[:100]))
    is_literal = value.re is _LITERAL
    graph = value[4 if is_literal else 2]
    terms = [_mended_node(line[1], faults), _mended_node(line[2], faults)]
    terms.append(_mended_literal(value, faults) if is_literal else _mended_node(value[1], faults))
    terms += [_mended_node(graph, faults)] if graph else []
    return " ".join([*terms, "."])


def _mended_node(term: str, faults: list[tuple[str, str]]) -> str:
    return f"<{mended_iri(term[1:-1], faults)}>" if term.startswith("<") else term


def _mended_literal(literal: re.Match[str], faults: list[tuple[str, str]]) -> str:
    text = _IN_TEXT.sub(_in_text, literal[1])
    if text != literal[1]:
        faults.append((TEXTS, literal[1][:100]))
    if literal[3]:
        return f'"{text}"^^{_mended_node(literal[3], faults)}'
    if literal[2] is None:
        return f'"{text}"'
    tag = literal[2]
    if not _TAG.fullmatch(tag):
        faults.append((TAGS, f"@{tag}"))
        tag = mended_tag(tag)
    return f'"{text}"@{tag}' if tag else f'"{text}"'


_TAG = re.compile("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*(--(ltr|rtl))?")


def _in_text(match: re.Match[str]) -> str:
    """Return a part of a text with quotes and lone backslashes escaped, and half letters replaced."""
    part = match[0]
    if part.startswith("\\u") and len(part) == 12:
        return (bytes.fromhex(part[2:6] + part[8:])).decode("utf-16-be")
    if part[:2] in ("\\u", "\\U"):
        return part if len(_letter(part[2:])) == 1 and _letter(part[2:]) != "\ufffd" else "\ufffd"
    return {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}.get(part, part)


def _letter(number: str) -> str:
    """Return the letter with a hexadecimal number; the sign for unknown letters if there is none."""
    code = int(number, 16)
    return "\ufffd" if code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)
