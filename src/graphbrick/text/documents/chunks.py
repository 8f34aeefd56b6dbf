"""Chunkers: bricks that cut a document into passages. Each passage is a slice of the document's text."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from graphbrick.core.parameters import parameter
from graphbrick.language.expressions.expression import Expression
from graphbrick.pipeline.brick import Brick
from graphbrick.text.documents.document import Document
from graphbrick.text.documents.sentences import TOKEN, sentence_ranges, trimmed_ranges

_BLANK = Expression(r"\n[ \t]*\n\s*")


class Span(NamedTuple):
    """The place of a passage in its document.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        section: The headings above it, from the highest, joined by " > "; empty for none.
    """

    start: int
    end: int
    section: str


class Chunker(Brick):
    """Base class of bricks that cut a document into passages."""

    @abstractmethod
    def spans(self, document: Document) -> Iterator[Span]:
        """Yield the passages of a document in order; none is empty or begins or ends with white space."""


@dataclass(frozen=True, repr=False)
class ByTokens(Chunker):
    """Passages of a number of tokens, which overlap.

    Args:
        n: Tokens of a passage, at least 1. A token is a word, a sign, or a character of a script without spaces.
        overlap: Tokens that a passage shares with the one before, at least 0 and less than ``n``.
    """

    n: int = parameter(300, at_least=1, search=(150, 300, 1200))
    overlap: int = parameter(50, at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap >= self.n:
            self.refuse("overlap", f"less than n, which is {self.n}", self.n // 6)

    def spans(self, document: Document) -> Iterator[Span]:
        """Yield the passages of a document in order."""
        tokens = [(match.start(), match.end()) for match in TOKEN.finditer(document.text)]
        sections = Sections(document)
        for first in range(0, max(1, len(tokens) - self.overlap), self.n - self.overlap):
            part = tokens[first : first + self.n]
            if part:
                yield Span(part[0][0], part[-1][1], sections.at(part[0][0]))


@dataclass(frozen=True, repr=False)
class ByParagraph(Chunker):
    """Whole paragraphs, as many as fit a number of tokens, whatever headings are between them.

    A paragraph of more tokens is cut between sentences, and a sentence of more tokens between tokens.

    Args:
        n: Most tokens of a passage, at least 1.
    """

    n: int = parameter(200, at_least=1, search=(100, 200, 400))

    def spans(self, document: Document) -> Iterator[Span]:
        """Yield the passages of a document in order."""
        sections = Sections(document)
        for start, end in _packed(document.text, 0, len(document.text), self.n):
            yield Span(start, end, sections.at(start))


@dataclass(frozen=True, repr=False)
class ByHeading(Chunker):
    """The text under one heading, with the heading; a longer one is cut like by `ByParagraph`.

    A heading that another follows at once goes with that one. A document without headings is one section.

    Args:
        n: Most tokens of a passage, at least 1.
    """

    n: int = parameter(200, at_least=1, search=(100, 200, 400, 1200))

    def spans(self, document: Document) -> Iterator[Span]:
        """Yield the passages of a document in order."""
        sections = Sections(document)
        for first, last in sections.ranges():
            for start, end in _packed(document.text, first, last, self.n):
                yield Span(start, end, sections.at(last - 1))


class Sections:
    """The headings above every place of a document."""

    def __init__(self, document: Document) -> None:
        self._text, self._starts = document.text, [heading.start for heading in document.headings]
        self._titles = [heading.title for heading in document.headings]
        self._paths: list[str] = []
        above: list[tuple[int, str]] = []
        for heading in document.headings:
            above = [*(one for one in above if one[0] < heading.level), (heading.level, heading.title)]
            self._paths.append(" > ".join(title for _, title in above))

    def at(self, place: int) -> str:
        """Return the headings above a place."""
        i = bisect_left(self._starts, place + 1)
        return self._paths[i - 1] if i else ""

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the range of each section with text, in order; headings without text join the next section."""
        bounds = [*self._starts, len(self._text)]
        start = 0
        for end in bounds:
            if "\n" in self._text[start:end].strip() or end == bounds[-1] or not self._is_heading(start):
                if start < end:
                    yield start, end
                start = end

    def _is_heading(self, start: int) -> bool:
        """Return whether a line with a heading begins here; a page number is a heading without a line."""
        i = bisect_left(self._starts, start)
        if i == len(self._starts) or self._starts[i] != start:
            return False
        end = self._text.find("\n", start)
        return self._titles[i] in self._text[start : end if end >= 0 else None]


def _packed(text: str, start: int, end: int, n: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of at most ``n`` tokens made of whole paragraphs, or of whole sentences, or of tokens.

    A paragraph that does not fit is cut only if the passage before it would be less than half full, such as a heading.
    """
    first, last, size = -1, -1, 0
    for one, two in _paragraphs(text, start, end):
        count = _n_tokens(text, one, two)
        fits = size + count <= n or (count <= n and 2 * size >= n)
        for three, four, part in [(one, two, count)] if fits else _parts(text, one, two, n):
            if first >= 0 and size + part > n:
                yield first, last
                first, size = -1, 0
            if first < 0:
                first = three
            last, size = four, size + part
    if first >= 0:
        yield first, last


def _parts(text: str, start: int, end: int, n: int) -> Iterator[tuple[int, int, int]]:
    """Yield range and number of tokens of each sentence; those of more than ``n`` tokens in parts."""
    for one, two in sentence_ranges(text, start, end):
        tokens = [(match.start(), match.end()) for match in TOKEN.finditer(text, one, two)]
        for i in range(0, len(tokens), n):
            part = tokens[i : i + n]
            yield part[0][0], part[-1][1], len(part)


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the paragraphs between two offsets."""
    return trimmed_ranges(text, (start, *(match.end() for match in _BLANK.finditer(text, start, end)), end))


def _n_tokens(text: str, start: int, end: int) -> int:
    return sum(1 for _ in TOKEN.finditer(text, start, end))
