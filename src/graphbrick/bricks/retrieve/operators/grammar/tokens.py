"""The words of a question by their places, with what some of them are: entities, values, amounts, dates."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators.dates import Date, read_date
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError
from graphbrick.bricks.retrieve.operators.wording import MENTION, Amount
from graphbrick.core.deferred import cached_property
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, stem
from graphbrick.patterns.english import senses
from graphbrick.patterns.properties.terms import Term, terms_in

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_TOKEN = Expression(r"\d+:\d+|[^\s,;:?!()«»\"]+|,")
_METRES = Expression(r"(?<=\d) m\b(?! people)|(?<=\d\d\d)m\b")
_SQUARE = Expression(
    r"(\d|lion|sand) (?:square |sq\.? ?)"
    r"(?P<unit>kilomet|millimet|centimet|met|mile|feet|foot|km|mm|cm|mi|ft|m)[a-z]*\b"
)
_SQUARES = {
    "km": "km2", "kilomet": "km2", "mm": "mm2", "millimet": "mm2", "cm": "cm2", "centimet": "cm2",
    "m": "m2", "met": "m2", "mi": "mi2", "mile": "mi2", "ft": "sqft", "feet": "sqft", "foot": "sqft",
}  # fmt: skip
_OF_MONTH = Expression(
    r"(?:the )?(?:(?P<number>\d{1,2})(?:st|nd|rd|th)? (?:of )?(?P<month>[a-z]{3,9})|(?P<name>[a-z]{3,9})"
    r"(?: (?P<day>\d{1,2})(?:st|nd|rd|th)?)?)(?=$| (?!(?:of )?\d{4}\b))"
)
_IN_TIME = frozenset("in of during since until before after from to and last by between".split())
_LONGEST = 4  # words of a phrase
_MOST_PHRASES = 1_500  # begun in all ways of reading a question; those of people have at most about fifty
_SEASONS = {"spring": 2, "summer": 5, "autumn": 8, "fall": 8}
"""The months before the first one of a season, in the northern hemisphere; winters fall into two years."""


class Tokens:
    """The words of one question.

    Args:
        parser: Knows the graph and the wordings.
        text: The question, in lower case, with placeholders for entities.
    """

    def __init__(self, parser: Parser, text: str) -> None:
        text = _SQUARE.sub(lambda match: f"{match[1]} {_SQUARES[match['unit']]}", _METRES.sub(" metres", text))
        self.parser, self.text, self.english = parser, text, parser.english
        matches = list(_TOKEN.finditer(text))
        self.words = [match[0].removesuffix(".") for match in matches]
        self._starts = [match.start() for match in matches]
        self._ends = [match.end() for match in matches]
        self._stems = [stem(word.removesuffix("'s")) for word in self.words]
        self._phrases = 0

    def __len__(self) -> int:
        return len(self.words)

    def begin_phrase(self) -> None:
        """Count a noun phrase that is read; raise `CannotPlanError` if a question in phrases has too many readings."""
        self._phrases += 1
        if self._phrases > _MOST_PHRASES:
            message = "this question can be read in too many ways; ask it in parts"
            raise CannotPlanError(message, code="grammar.too_many_readings")

    def word(self, at: int) -> str:
        """Return the word at a place; "" after the last."""
        return self.words[at] if at < len(self.words) else ""

    def stems(self, at: int, end: int) -> Stems:
        """Return the stems of the words between two places."""
        return tuple(self._stems[at:end])

    def joined(self, at: int, end: int) -> str:
        """Return the words between two places as a text."""
        return " ".join(self.words[at:end])

    def is_one_of(self, at: int, words: Container[str]) -> bool:
        """Return whether the word at a place is one of some words."""
        return at < len(self.words) and self.words[at] in words

    def phrase(self, at: int, phrases: Container[str]) -> Iterator[tuple[str, int]]:
        """Yield the phrases of some that begin at a place, with the places after them, the longest first."""
        for end in range(min(at + _LONGEST, len(self.words)), at, -1):
            said = self.joined(at, end)
            if said in phrases:
                yield said, end

    def past(self, at: int, words: Container[str]) -> int:
        """Return the first place from one on whose word is not one of some."""
        while self.is_one_of(at, words):
            at += 1
        return at

    def entity(self, at: int) -> int | None:
        """Return the entity whose placeholder stands at a place."""
        match = MENTION.fullmatch(self.word(at))
        return None if match is None else self.parser.entities[int(match[1])]

    def amount(self, at: int) -> tuple[Amount, int] | None:
        """Return the number or date that begins at a place, and the place after it."""
        if at >= len(self.words):
            return None
        season = self._season(at)
        if season is not None:
            return season
        yearless = self._yearless(at)
        if yearless is not None:
            return yearless
        amount = self.english.read_amount(self.text[self._starts[at] :])
        if amount is None or self.words[at] in ("a", "no", "half"):
            return None
        end = len(self.text) - len(amount.rest)
        after = next((place for place, start in enumerate(self._starts) if start >= end), len(self.words))
        return (amount, after) if after > at else None

    def _yearless(self, at: int) -> tuple[Amount, int] | None:
        """Return the day or month without a year that begins at a place, in a year 0: «February 14», «14 February»."""
        months = self.english.months
        match = _OF_MONTH.match(self.joined(at, at + 4))
        if match is None or (match["month"] or match["name"]) not in months:
            return None
        month = months[match["month"] or match["name"]]
        day = int(match["day"] or match["number"] or 0)
        if not day and self.word(at) in ("may", "march") and self.word(at - 1) not in _IN_TIME:
            return None
        if day > 31:
            return None
        whole = read_date(f"2000-{month:02}{f'-{day:02}' if day else ''}", months)
        if whole is None:
            return None
        date = Date(whole.start - 2000, whole.width, f"{self.joined(at, at + len(match[0].split()))}")
        return Amount(date.start, "", date), at + len(match[0].split())

    def _season(self, at: int) -> tuple[Amount, int] | None:
        """Return the season of a year that begins at a place."""
        end = self.past(at + 1, ("of", "in"))
        year = self.word(end)
        if self.word(at) not in _SEASONS or not re.fullmatch(r"[12]\d{3}", year):
            return None
        start = int(year) + _SEASONS[self.word(at)] / 12
        first = _SEASONS[self.word(at)] + 1
        months = f"{month_name[first]} to {month_name[first + 2]}"
        date = Date(start, 0.25, f"{self.word(at)} {year} ({months})")
        return Amount(start, "", date), end + 1

    @cached_property
    def _terms(self) -> dict[int, tuple[Term, int]]:
        """The values of properties, with the places after them, by their first places."""
        found = {}
        for term in [*self.values_in(self.text), *self.parts_of_names, *self._parts_of_values()]:
            at = next((place for place, end in enumerate(self._ends) if end > term.start), len(self.words))
            end = next((place for place, end in enumerate(self._ends) if end >= term.end), len(self.words) - 1)
            word = self.words[at] if end == at and forms.is_installed() else ""
            is_verb = bool(word) and forms.third_person_of(word) == str(term.value).lower()
            if is_verb and stem(word) in self.parser.resolver.lexicon.words:
                continue  # «(who) works (at e0)» is no phone of the type Work
            if end >= at:
                found[at] = (term, end + 1)
        return found

    def values_in(self, text: str) -> list[Term]:
        """Return the values of properties in a text; a word may also be one of a relation, but not of a class."""
        lexicon = self.parser.resolver.lexicon
        known = frozenset(word for name in lexicon.by_class for word in name)
        return terms_in(self.parser.place.graph, text, known)

    @cached_property
    def parts_of_names(self) -> list[Term]:
        """Words that are no values of properties and stand in the names of several entities."""
        graph, lexicon = self.parser.place.graph, self.parser.resolver.lexicon
        if not lexicon.classes:
            return []
        from graphbrick.patterns.properties.name_parts import parts_of_names

        taken = [(term.start, term.end) for term in self.values_in(self.text)]
        capitals = [name.lower() for name in self.parser.question.names]
        known = lexicon.words | self.english.all_words
        return parts_of_names(graph, self.text, taken, known, capitals)

    def _parts_of_values(self) -> list[Term]:
        """Return words that are no values of properties and stand in several of one."""
        graph, lexicon = self.parser.place.graph, self.parser.resolver.lexicon
        if not lexicon.classes or not graph.columns:
            return []
        from graphbrick.patterns.properties.value_parts import parts_of_values

        taken = [(term.start, term.end) for term in [*self.values_in(self.text), *self.parts_of_names]]
        of_classes = {word for name in lexicon.by_class for word in name}
        same = {stem(word) for word in self.words if self._means_class(word)}  # «visits» where there are encounters
        return parts_of_values(graph, self.text, taken, lexicon.words | self.english.all_words | of_classes | same)

    def _means_class(self, word: str) -> bool:
        """Return whether a noun has the everyday meaning of the name of a class."""
        near = senses.near_nouns(forms.singular(word)) if word.isalpha() and forms.is_installed() else ()
        return any((stem(one),) in self.parser.resolver.lexicon.by_class for one in near)

    def is_prefixed(self, at: int) -> bool:
        """Return whether the value at a place begins inside its word: «non-radioactive»."""
        found = self._terms.get(at)
        return found is not None and found[0].start > self._starts[at] and self.words[at].startswith("non")

    def term(self, at: int) -> tuple[Term, int] | None:
        """Return the value of a property that begins at a place, and the place after it."""
        return self._terms.get(at)

    def verb_stems(self, at: int) -> frozenset[str]:
        """Return the stems of a word and of the verb that it is a form of."""
        word = self.word(at)
        verb = forms.verb_of(word) if word.isalpha() and forms.is_installed() else ""
        verbs = {verb, "find"} if word == "found" else {verb}
        acts = (act for verb in filter(None, verbs) for act in forms.acts(verb))  # discovery of discover
        return frozenset(map(stem, filter(None, (word, *verbs, *acts))))
