"""Phrases: entities by capitals, quotation marks and function words, in any language, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from graphbrick.core.parameters import parameter
from graphbrick.language.scripts import HAN, KANA, KATAKANA, KHMER, MYANMAR, THAI_AND_LAO
from graphbrick.language.stop_words import NAME_LINKS, stop_words_of
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.extract.extraction import Extraction, Extractor, Found, Kind

# A word, with hyphens and apostrophes inside it, or initials such as "U.S.".
_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:[-'’&.](?=[^\W_])[^\W_]+)*")
_QUOTED = re.compile('“([^“”\n]{2,80})”|«([^«»\n]{2,80})»|「([^「」\n]{2,40})」|『([^『』\n]{2,40})』|"([^"\n]{2,80})"')
_HAN = re.compile(f"[{HAN}々]+")
_KATAKANA = re.compile(f"[{KATAKANA}ー]{{2,}}")
_UNSPACED = re.compile(f"[{THAI_AND_LAO}{MYANMAR}{KHMER}{KANA}{HAN}]")
_HAN_FUNCTION = re.compile("[的了是在和与及為为有不這这那一個个之其以于於而也就被把從从到對对等並并或他她它我你们們]")
_MOST_LINKS = 2
_LONGEST_NAME, _LONGEST_QUOTE = 8, 8  # words
_POSSESSIVE = re.compile("['’][sS]?$")
_INITIAL = re.compile(r"[^\W\d_]\.?")


@dataclass(frozen=True, repr=False)
class Phrases(Extractor):
    """Names by their capitals, quoted terms, and phrases between function words, in any language.

    It needs no model and no dictionary but lists of function words. Names are runs of words with a capital, also with
    small words between them («Lord of the Rings»). A word with a capital at the start of a sentence counts only if it
    has one elsewhere too. Phrases without capitals count only if several passages have them. In scripts without
    capitals, phrases are the runs between function words; in Chinese and Japanese, runs of characters.

    A language model or a parser finds more: this does not tell a person from a place and knows no relation but that
    two names are in one sentence.

    Args:
        longest: Most words of a phrase without capitals, at least 1.
    """

    paper = "Rose et al., Automatic keyword extraction from individual documents (RAKE), 2010"
    note: ClassVar[str] = "names were found by capitals and function words, without a model"

    longest: int = parameter(3, at_least=1, at_most=10)

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return the names and phrases of each text."""
        return [self._extract(text) for text in texts]

    def _extract(self, text: str) -> Extraction:
        words = [match.group().lower() for match in _WORD.finditer(text)]
        stops = stop_words_of(words)
        mentions: dict[tuple[int, int], Found] = {}
        for start, end in sentences(text):
            sentence = _Sentence(text, start, end, stops)
            for one in (
                *sentence.quoted(),
                *sentence.names(),
                *sentence.phrases(self.longest),
                *_unspaced(text, start, end),
            ):
                mentions.setdefault((one.start, one.end), one)
        return Extraction(sorted(mentions.values()))


class _Sentence:
    """The words of one sentence."""

    def __init__(self, text: str, start: int, end: int, stops: frozenset[str]) -> None:
        self._text, self._start, self._end = text, start, end
        self._words = [m for m in _WORD.finditer(text, start, end) if not _UNSPACED.search(m.group())]
        self._lower = [m.group().lower() for m in self._words]
        self._is_stop = [word in stops or _POSSESSIVE.sub("", word) in stops for word in self._lower]
        capitals = [_has_capital(m.group()) for m in self._words]
        cased = [m.group() for m in self._words if m.group().lower() != m.group().upper()]
        # A heading, or a text in capitals throughout, does not tell names by capitals.
        shouted = len(cased) > 3 and all(word.isupper() for word in cased)
        self._is_capital = [False] * len(capitals) if shouted else capitals
        self._in_name = [False] * len(self._words)

    def quoted(self) -> Iterator[Found]:
        """Yield the terms in quotation marks."""
        for match in _QUOTED.finditer(self._text, self._start, self._end):
            group = match.lastindex or 0
            words = match.group(group).split()
            if 0 < len(words) <= _LONGEST_QUOTE and match.group(group)[-1:] not in ".!?,":
                start, end = match.span(group)
                yield Found(start, end, Kind.NAME)

    def names(self) -> Iterator[Found]:
        """Yield the runs of words with a capital, and the last part of those that small words join."""
        i = 0
        while i < len(self._words):
            if not self._is_capital[i] or (self._is_stop[i] and not self._goes_on(i)):
                i += 1
                continue
            if self._is_stop[i]:  # «The Kenyan shilling»: the article is no part of the name
                i += 1
                continue
            last, cuts = self._run(i)
            for place in range(i, last + 1):
                self._in_name[place] = True
            starts = [i, cuts[-1]] if cuts else [i]
            for first in starts:
                if last - first < _LONGEST_NAME:
                    yield self._found(first, last, Kind.MAYBE if first == last == 0 else Kind.NAME)
            if cuts and cuts[0] - i > 1:
                head = next(place for place in range(cuts[0] - 1, i - 1, -1) if self._is_capital[place])
                yield self._found(i, head, Kind.MAYBE if head == i == 0 else Kind.NAME)
            i = last + 1

    def _run(self, first: int) -> tuple[int, list[int]]:
        """Return the last word of a name, and the words after the small words that join its parts."""
        last = first
        cuts: list[int] = []
        while True:
            place, links = last + 1, 0
            while (
                place < len(self._words)
                and links < _MOST_LINKS
                and self._lower[place] in NAME_LINKS
                and not self._is_capital[place]
                and self._is_next(place)
            ):
                place, links = place + 1, links + 1
            if place >= len(self._words) or not self._is_next(place):
                return last, cuts
            if not (self._is_capital[place] or (not links and self._words[place].group().isdigit())):
                return last, cuts
            if self._is_stop[place] and not links and self._lower[place] not in NAME_LINKS:
                return last, cuts
            if links:
                cuts.append(place)
            last = place

    def _goes_on(self, place: int) -> bool:
        return place + 1 < len(self._words) and self._is_capital[place + 1] and self._is_next(place + 1)

    def _is_next(self, place: int) -> bool:
        """Return whether only white space, or the dot of an initial, parts a word from the one before."""
        before, word = self._words[place - 1], self._words[place]
        between = self._text[before.end() : word.start()]
        return between.isspace() or (between.strip() == "." and _INITIAL.fullmatch(before.group()) is not None)

    def phrases(self, longest: int) -> Iterator[Found]:
        """Yield the runs of words without capital between function words, names and signs."""
        run: list[int] = []
        for i in range(len(self._words) + 1):
            is_word = i < len(self._words) and not (
                self._is_stop[i] or self._in_name[i] or self._lower[i].isdigit() or len(self._lower[i]) < 2
            )
            if run and not (is_word and self._is_next(i)):
                if len(run) <= longest:
                    yield self._found(run[0], run[-1], Kind.PHRASE)
                run = []
            if is_word:
                run.append(i)

    def _found(self, first: int, last: int, kind: Kind) -> Found:
        start, end = self._words[first].start(), self._words[last].end()
        end -= len(self._text[start:end]) - len(_POSSESSIVE.sub("", self._text[start:end]))
        return Found(start, end, kind)


def _has_capital(word: str) -> bool:
    return any(letter.isupper() for letter in word[:3]) and word[0].isalnum() and not word[0].islower()


def _unspaced(text: str, start: int, end: int) -> Iterator[Found]:
    """Yield the runs of Chinese characters between function characters, and those of katakana."""
    for match in _KATAKANA.finditer(text, start, end):
        yield Found(*match.span(), Kind.NAME)
    for match in _HAN.finditer(text, start, end):
        at = match.start()
        for stop in [*_HAN_FUNCTION.finditer(text, match.start(), match.end()), None]:
            until = match.end() if stop is None else stop.start()
            if 2 <= until - at <= 8:
                yield Found(at, until, Kind.PHRASE)
            at = match.end() if stop is None else stop.end()
