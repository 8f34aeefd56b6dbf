"""The text of a question as a linker reads it: words, capitals, quotes, and spans of words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from graphbrick.bricks.link.words import MONTHS
from graphbrick.language.folding import Token, name_form, nfc, tokens
from graphbrick.language.stop_words import QUESTION_WORDS

V = TypeVar("V")

_QUOTES = re.compile(
    r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|‘([^’]+)’(?!\w)|(?<!\w)['`]([^'`]+)['´`](?!\w)"
)
_APOSTROPHES = "'\u2019\u00b4`"
_SHORT_WORDS = ("s", "t", "re", "ve", "ll", "d", "m")  # after an apostrophe: «who's», «haven't», «they've»
# Signs that stand alone; a possessive may follow. Those of the second kind are names only in quotation marks.
_FREE_SIGNS = re.compile(r"(?<!\S)(?:[^\w\s]|_)+(?=\s|$|'s\b)")
_QUOTE_SIGNS, _SENTENCE_SIGNS, _ENDS = "\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb", "-,.;:?!\u2026&/()[]", "?.!,;:"
_BRACKETED_YEAR = re.compile(r"\((\d{4})\)")


class Span(NamedTuple):
    """Consecutive words of a question, from ``first`` to ``last``."""

    first: int
    last: int

    def overlaps(self, other: Span) -> bool:
        """Return whether the two spans have a word in common."""
        return self.first <= other.last and other.first <= self.last

    def contains(self, other: Span) -> bool:
        """Return whether all words of the other span are in this one."""
        return self.first <= other.first and other.last <= self.last

    @property
    def size(self) -> int:
        """Number of words."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class Question:
    """A question in Unicode form NFC.

    Attributes:
        text: The text.
        words: Its words, folded.
        shows_names: Whether capitals tell names from other words: some word after the first is capitalized, other than
            months and units beside numbers, and some word is not in capitals throughout.
        shouts: Whether all letters of several words are capitals.
        quoted: The spans between quotation marks.
        years: The spans of years in brackets.
    """

    text: str
    words: Sequence[Token]
    shows_names: bool
    shouts: bool
    quoted: frozenset[Span]
    years: frozenset[Span]

    @classmethod
    def read(cls, text: str, words: Sequence[Token] | None = None) -> Question:
        """Read the text of a question; ``words`` are its words if they are not those of `tokens`."""
        text = nfc(text)
        words = tokens(text) if words is None else words
        surfaces = [text[word.start : word.end] for word in words]
        capitals = [at for at in range(1, len(words)) if surfaces[at][0].isupper() and not _is_of_number(surfaces, at)]
        first = surfaces[0] if words and words[0].text not in QUESTION_WORDS else ""  # «EU» of «EU members»; no «WHO»
        shows = bool(capitals or (len(first) > 1 and first.isupper())) and any(s != s.upper() for s in surfaces)
        inside = [m.span(m.lastindex or 0) for m in _QUOTES.finditer(text)]
        return cls(
            text,
            words,
            shows,
            len(words) > 1 and text.isupper(),
            frozenset(_between(words, inside)),
            frozenset(_between(words, [m.span(1) for m in _BRACKETED_YEAR.finditer(text)])),
        )

    def surface(self, span: Span) -> str:
        """Return a span as the question writes it."""
        return self.text[self.words[span.first].start : self.words[span.last].end]

    def folded(self, span: Span) -> str:
        """Return the words of a span after folding."""
        return " ".join(word.text for word in self.words[span.first : span.last + 1])

    def is_capitalized(self, at: int) -> bool:
        """Return whether a word begins with a capital letter or a digit."""
        first = self.text[self.words[at].start]
        return first.isupper() or first.isdigit()

    def is_lower(self, span: Span) -> bool:
        """Return whether a span is not spelled as a name: in lower case, or in a question in capitals."""
        surface = self.surface(span)
        return surface.islower() or (self.shouts and surface.isupper())

    def cuts_word(self, span: Span) -> bool:
        """Return whether a span is a piece of a hyphened word, a lone letter, or ends with a possessive «s»."""
        first, last = self.words[span.first], self.words[span.last]
        before, after = self.text[max(first.start - 2, 0) : first.start], self.text[last.end : last.end + 2]
        if (before[-1:] == "-" and before[0].isalnum()) or (after[:1] == "-" and after[1:].isalnum()):
            return True
        if last.text in _SHORT_WORDS and span.last > 0 and self.text[last.start - 1] in _APOSTROPHES:
            return True
        if after[:1] in (*_APOSTROPHES,) and after[1:].casefold() == "t":  # «haven» of «haven't»
            return True
        return span.size == 1 and last.end - last.start == 1

    def with_signs(self, is_name: Callable[[str], bool]) -> Question:
        """Return the question with signs that stand alone as words if they are a name, such as «!!!»."""
        signs = [sign for match in _FREE_SIGNS.finditer(self.text) if (sign := _sign_name(match, is_name)) is not None]
        return Question.read(self.text, sorted((*self.words, *signs), key=lambda word: word.start)) if signs else self

    @staticmethod
    def is_function_word(word: Token) -> bool:
        """Return whether a word only builds a question."""
        return word.text in QUESTION_WORDS

    def is_function_words(self, span: Span) -> bool:
        """Return whether a span has function words only."""
        return all(word.text in QUESTION_WORDS for word in self.words[span.first : span.last + 1])

    def is_month(self, at: int) -> bool:
        """Return whether a word is the month of a date, and nobody's name: «5 March», «April 2025», «in May»."""
        return _is_of_number(["", *(word.text for word in self.words)], at + 1)

    def content(self, span: Span) -> int:
        """Return the number of words of a span that are not function words."""
        return sum(word.text not in QUESTION_WORDS for word in self.words[span.first : span.last + 1])


def _sign_name(match: re.Match[str], is_name: Callable[[str], bool]) -> Token | None:
    """Return the name that signs between spaces are, without quotation marks and the end of the sentence."""
    signs = match.group()
    inner = signs.strip(_QUOTE_SIGNS)
    start = match.start() + signs.find(inner)
    is_quoted = signs[0] in _QUOTE_SIGNS
    while inner:
        form = name_form(inner)
        is_repeated = len(form) > 1 and not form.strip("!?")  # «!!!», «??», as no sentence has them
        if (is_quoted or (form != "!" and form.strip(_SENTENCE_SIGNS)) or is_repeated) and is_name(form):
            return Token(form, start, start + len(inner))
        if inner[-1] not in _ENDS + _QUOTE_SIGNS:
            return None
        inner = inner[:-1]
    return None


_IN_TIME = frozenset("in during since until before after between from through".split())


def _is_of_number(surfaces: Sequence[str], at: int) -> bool:
    """Return whether a word is a unit or month beside a number: «60000 EUR», «5 March», or a month in «in March»."""
    is_month = surfaces[at].lower() in MONTHS
    if is_month and surfaces[at - 1].lower() in _IN_TIME:
        return True
    after = at + 1 < len(surfaces) and surfaces[at + 1].isdigit()
    return (surfaces[at - 1].isdigit() and (surfaces[at].isupper() or is_month)) or (is_month and after)


def _between(words: Sequence[Token], places: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """Yield the spans of the words between two places of the text."""
    starts = [word.start for word in words]
    for start, end in places:
        first, after = bisect_left(starts, start), bisect_left(starts, end)
        if first < after:
            yield Span(first, after - 1)


def disjoint(spans: Iterable[tuple[Span, V]], taken: Iterable[Span] = ()) -> list[tuple[Span, V]]:
    """Return spans that overlap neither each other nor ``taken``, in order; earlier entries win."""
    used = {at for span in taken for at in range(span.first, span.last + 1)}
    chosen = []
    for span, value in spans:
        place = range(span.first, span.last + 1)
        if used.isdisjoint(place):
            used.update(place)
            chosen.append((span, value))
    return sorted(chosen, key=lambda entry: entry[0].first)
