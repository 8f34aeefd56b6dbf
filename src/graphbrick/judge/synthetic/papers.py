"""Parts of papers that no question is written about: lists of references, and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphbrick.text.documents.document import Document

Range = tuple[int, int]

_NUMBER = r"(?:(?:\d+|[ivx]+)(?:\.\d+)*[.)]?\s+)?"
_REFERENCES = re.compile(
    _NUMBER + r"(?:references(?: cited)?|reference list|bibliography|literature(?: cited)?|works cited|"
    r"literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|referenties|literatuur(?:lijst)?|références|bibliographie|"
    r"referencias|bibliografía|riferimenti|bibliografia)\s*:?",
    re.IGNORECASE,
)
_AFTER = re.compile(_NUMBER + r"(?:appendi(?:x|ces)|supplement\w*|supporting information|anhang|bijlagen?)\b.*", re.I)
_PAGE = re.compile(r"page \d+", re.IGNORECASE)  # the heading that a page of a PDF is
_CAPTION = re.compile(r"(?:table|tab\.|tabelle|tabel|tableau|tabla)\s+[\divx]+\b.*", re.IGNORECASE)
_LEAST_ROWS = 2
_LEAST_CELLS = 3


def is_references(title: str) -> bool:
    """Return whether a heading is that of a list of references.

    >>> is_references("7. References"), is_references("Literaturverzeichnis"), is_references("References to law")
    (True, True, False)
    """
    return _REFERENCES.fullmatch(title.strip()) is not None


def in_references(section: str) -> bool:
    """Return whether a passage is under a heading of references; ``section`` joins the headings by " > "."""
    return any(is_references(title) for title in section.split(" > "))


def written_parts(document: Document) -> list[Range]:
    """Return the ranges of a document without its references and tables, ascending, none empty.

    References go from their heading, or a line that is only their title, to the next heading of the same or a higher
    level, an appendix, or the end. A table is at least two lines in a row that have cells (``|``, tabs or wide gaps) or
    mostly numbers, with its caption.
    """
    left_out = sorted([*_reference_lists(document), *_tables(document.text)])
    ranges, at = [], 0
    for start, end in left_out:
        if start > at:
            ranges.append((at, start))
        at = max(at, end)
    ranges.append((at, len(document.text)))
    return [(start, end) for start, end in ranges if document.text[start:end].strip()]


def _reference_lists(document: Document) -> Iterator[Range]:
    levels = {one.start: one.level for one in document.headings if not _PAGE.fullmatch(one.title.strip())}
    begin = level = None
    for start, end in _lines(document.text):
        line = document.text[start:end].strip(" \t#*")
        if begin is not None:
            is_above = start in levels and (level is None or levels[start] <= level)
            if not is_above and not _AFTER.fullmatch(line):
                continue
            yield begin, start
            begin = None
        if is_references(line):
            begin, level = start, levels.get(start)
    if begin is not None:
        yield begin, len(document.text)


def _tables(text: str) -> Iterator[Range]:
    """Yield the ranges of tables: rows, and the caption before or after them."""
    lines = list(_lines(text))
    kinds = [_kind(text[start:end]) for start, end in lines]
    at = 0
    while at < len(lines):
        if kinds[at] != "row":
            at += 1
            continue
        first = at
        while at < len(lines) and kinds[at] in ("row", "blank"):
            at += 1
        last = max(i for i in range(first, at) if kinds[i] == "row")
        if sum(kind == "row" for kind in kinds[first : last + 1]) < _LEAST_ROWS:
            continue
        before = next((i for i in range(first - 1, -1, -1) if kinds[i] != "blank"), first)
        after = next((i for i in range(last + 1, len(lines)) if kinds[i] != "blank"), last)
        first = before if kinds[before] == "caption" else first
        last = after if kinds[after] == "caption" and kinds[first] != "caption" else last
        yield lines[first][0], lines[last][1]


def _kind(line: str) -> str:
    """Return what a line is: "blank", "caption", "row" of a table, or "text"."""
    line = line.strip()
    if not line:
        return "blank"
    if _CAPTION.fullmatch(line):
        return "caption"
    cells = [cell for cell in re.split(r"\s*\|\s*|\t+| {2,}", line) if cell]
    if len(cells) >= _LEAST_CELLS or (line.startswith("|") and line.endswith("|")):
        return "row"
    words = line.split()
    numbers = sum(any(sign.isdigit() for sign in word) for word in words)
    return "row" if len(words) >= _LEAST_CELLS and 2 * numbers > len(words) else "text"


def _lines(text: str) -> Iterator[Range]:
    """Yield the range of each line, without its end."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1
