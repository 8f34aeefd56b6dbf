"""Documents from plain text, as people lay it out: with titles, pages and tables made of signs."""

from __future__ import annotations

import re

from graphbrick.language.counting import counted
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources.encodings import decoded
from graphbrick.text.sources.plain.contents import without_contents
from graphbrick.text.sources.plain.grids import without_grids
from graphbrick.text.sources.plain.hyphens import joined_words
from graphbrick.text.sources.plain.pages import without_pages
from graphbrick.text.sources.plain.titles import titles_in

_AFTER_SENTENCE = re.compile(r"(?<=[.!?:;,])\t(?=\S)")
_LEAST_PROSE = 40  # characters of a line


def plain_document(address: str, title: str, data: bytes) -> Document:
    """Return a plain text; its titles give headings, and a note says what was left out.

    What pages repeat stands once, a table of contents not at all, a row of a table that is drawn is one line, and words
    that are cut at the ends of lines are whole. All else stays as it is.

    Args:
        address: Its path or address.
        title: Its title.
        data: Its content.
    """
    text, encoding = decoded(data)
    text, pages = without_pages(text)
    lines, n_contents = without_contents(text.split("\n"))
    contents = f"table of contents left out: {counted(n_contents, 'line')}" if n_contents else ""
    lines = joined_words(without_grids(lines))
    lines = [_without_tab(line) for line in lines]
    headings: list[Heading] = []
    kept: list[str] = []
    length = done = 0
    for found in titles_in(lines):
        before = lines[done : found.first]
        kept += before
        length += sum(len(line) + 1 for line in before)
        headings.append(Heading(length, found.level, found.title))
        kept.append(found.title)
        length += len(found.title) + 1
        done = found.last + 1
    text = "\n".join([*kept, *lines[done:]])
    return Document(address, title, text, tuple(headings), "; ".join(filter(None, (encoding, pages, contents))))


def _without_tab(line: str) -> str:
    """Return a line of prose with spaces for the tab that some editors write for the two spaces after a sentence."""
    if len(line) < _LEAST_PROSE or line.strip().count("\t") != 1:
        return line
    return _AFTER_SENTENCE.sub("  ", line)
