"""The parts of a question: names, values, numbers, dates, classes, properties, superlatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.amounts import HOW
from graphbrick.bricks.retrieve.operators.grammar.asked.questions import Questions
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.nouns.values import Values
from graphbrick.bricks.retrieve.operators.grammar.numbers import Bound
from graphbrick.bricks.retrieve.operators.grammar.small_words import DATED
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.wording import Comparison
from graphbrick.language.stems import spaced, stems
from graphbrick.patterns.properties.sources import Source

_NAMES = frozenset("names numbers ids identifiers".split())
_LONGEST = 3  # words of the name of a class
_MOST = 24  # ways of splitting a question into parts


@dataclass(frozen=True)
class Part:
    """Words of a question with what they stand for.

    Attributes:
        start: The place of the first word.
        end: The place after the last.
    """

    start: int
    end: int


@dataclass(frozen=True)
class Named(Part):
    """An entity."""

    entity: int


@dataclass(frozen=True)
class Valued(Part):
    """Values of properties."""

    values: Values


@dataclass(frozen=True)
class Bounded(Part):
    """A comparison with a number, or a stretch of time."""

    bound: Bound
    is_time: bool


@dataclass(frozen=True)
class OfClass(Part):
    """The name of a class."""

    name: str


@dataclass(frozen=True)
class OfProperty(Part):
    """The name of a property, of one class or more."""

    sources: tuple[tuple[str, Source], ...]


@dataclass(frozen=True)
class AtTriples(Part):
    """A text, or the name of a number, that stands at triples.

    Attributes:
        one: The property of triples.
        value: The text; "" for a name of the property.
    """

    one: TripleProperty
    value: str = ""


@dataclass(frozen=True)
class Best(Part):
    """A superlative: «highest», «most», «first»."""

    comparison: Comparison
    is_date: bool


@dataclass(frozen=True)
class How(Part):
    """What is made of several numbers: «average», «total»."""

    how: str


class Parts:
    """A finder of the parts of one question.

    Args:
        questions: Reads names of classes and properties, values, numbers and dates at a place.
    """

    def __init__(self, questions: Questions) -> None:
        self.questions, self.tokens, self.english = questions, questions.tokens, questions.english

    def splits(self) -> Iterator[list[Part]]:
        """Yield the ways of splitting the question into parts, the most usual meaning of each first."""
        places = list[list[Part]]()
        at = 0
        while at < len(self.tokens):
            found = list(self._at(at))
            longest = max((one.end for one in found), default=at + 1)
            if found:
                places.append([one for one in found if one.end == longest])
            at = longest
        for split in islice(product(*places), _MOST):
            yield list(split)

    def _at(self, at: int) -> Iterator[Part]:
        """Yield what begins at a place."""
        questions, tokens = self.questions, self.tokens
        entity = tokens.entity(at)
        if entity is not None:
            yield Named(at, at + 1, entity)
            return
        yield from (Bounded(at, end, bound, is_time=True) for bound, end in questions.moment(at))
        yield from (Bounded(at, end, bound, is_time=False) for bound, end in questions.bound(at))
        amount = tokens.amount(at)
        if amount is not None and amount[0].date is not None:
            yield Bounded(at, amount[1], Bound("exactly", amount[0].value, amount[0].date), is_time=True)
        values = list(questions.values(at))
        yield from (Valued(at, end, one) for one, end in values if all(term.named for term, _ in one.terms))
        classes = [
            OfClass(at, end, name)
            for end in range(min(at + _LONGEST, len(tokens)), at, -1)
            if (name := questions.class_at(at, end)) in questions.links.joins
        ]
        yield from classes
        if classes and tokens.is_one_of(classes[0].end, _NAMES) and not self._has_name(classes[0]):
            yield replace(classes[0], end=classes[0].end + 1)  # «route numbers»
        ends = {one.end for one in classes}
        yield from (one for one in self._properties(at) if one.end not in ends or self._is_whole(one))
        yield from (Valued(at, end, one) for one, end in values)
        yield from (AtTriples(at, end, one, text) for one, text, end in questions.text_of_triples(at))
        yield from self._numbers_of_triples(at)
        yield from self._bests(at)
        if tokens.word(at) in HOW and tokens.word(at) not in self.english.superlatives:
            yield How(at, at + 1, HOW[tokens.word(at)])

    def _properties(self, at: int) -> Iterator[OfProperty]:
        """Yield the properties whose names begin at a place, those of several classes together."""
        by_end = dict[int, dict[tuple[str, Source], None]]()
        for name in self.questions.links.joins:
            for source, end in self.questions.sources(at, Subject(p.Members(name), name)):
                by_end.setdefault(end, {})[name, source] = None
        for end, sources in by_end.items():
            yield OfProperty(at, end, tuple(sources))

    def _numbers_of_triples(self, at: int) -> Iterator[Part]:
        """Yield the numbers of triples whose names begin at a place."""
        for one in self.questions.of_triples:
            end = at + len(one.stems)
            if one.is_number and self.tokens.stems(at, end) == one.stems:
                yield AtTriples(at, end, one)

    def _has_name(self, part: OfClass) -> bool:
        """Return whether a class has a property called as the word after its name: the `number` of a route."""
        said = self.tokens.stems(part.end, part.end + 1)
        return any(set(said) <= source.words for source in self.questions.own_sources(part.name))

    def _is_whole(self, part: OfProperty) -> bool:
        """Return whether a part is the whole name of a property, and not of the class that has it."""
        said = self.tokens.stems(part.start, part.end)
        return any(source.stems == said and stems(spaced(name)) != said for name, source in part.sources)

    def _bests(self, at: int) -> Iterator[Part]:
        for said, end in self.tokens.phrase(at, DATED):
            yield Best(at, end, Comparison(DATED[said], ()), is_date=True)
        for said, end in self.tokens.phrase(at, self.english.superlatives):
            yield Best(at, end, self.english.superlatives[said], is_date=False)
