"""The parts of a question: names, values, numbers, dates, classes, properties, superlatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.amounts import HOW
from graphbrick.bricks.retrieve.operators.grammar.asked.questions import Questions
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.nouns.values import Values
from graphbrick.bricks.retrieve.operators.grammar.numbers import Bound
from graphbrick.bricks.retrieve.operators.grammar.small_words import DATED
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty, triple_properties
from graphbrick.bricks.retrieve.operators.wording import Comparison
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, spaced, stems
from graphbrick.patterns.lexicon import label_stems
from graphbrick.patterns.properties.sources import Source, sources_of

_NAMES = frozenset("names numbers ids identifiers".split())
_NO_NOUN = Expression(r"(?:al|ic|ive|ous|ed|ing|ly|able)$")
_ROOT = 6  # letters that a word and the name of a class begin with
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
    """The name of a class.

    Attributes:
        name: The class.
        is_alike: Whether only the beginning of its name is said: Allergen, for «allergies».
    """

    name: str
    is_alike: bool = False


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


def pairs_of_names(graph: Graph) -> frozenset[Stems]:
    """Return the stems of words that stand side by side in names of properties and relations; found once."""
    key = ("pairs of names", graph.place, graph.hash)
    return current_session().get(key, lambda: _find_pairs(graph), at_most=8)


def _find_pairs(graph: Graph) -> frozenset[Stems]:
    names = [source.stems for source in sources_of(graph) if source.relation < 0]
    names += [one.stems for one in triple_properties(graph)]
    names += [label_stems(graph.relation_label(number)) for number in range(graph.n_relations)]
    return frozenset(pair for name in names for pair in pairwise(name))


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
        values = [self._with_property(one, end) for one, end in questions.values(at)]
        yield from (Valued(at, end, one) for one, end in values if all(term.named for term, _ in one.terms))
        classes = self._classes(at)
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

    def _classes(self, at: int) -> list[OfClass]:
        """Return the classes whose names begin at a place, also after a word that names of the graph have before it."""
        tokens, joins, found = self.tokens, self.questions.links.joins, list[OfClass]()
        for end in range(min(at + _LONGEST, len(tokens)), at, -1):
            name = self.questions.class_at(at, end)
            is_pair = not name and end == at + 2 and tokens.stems(at, end) in pairs_of_names(self.questions.place.graph)
            name = self.questions.class_at(at + 1, end) if is_pair else name
            if name in joins:
                found.append(OfClass(at, end, name))
        return found or self._alike(at)

    def _alike(self, at: int) -> list[OfClass]:
        """Return the one class whose name has the root of a noun: Allergen, for «allergies»."""
        word = self.tokens.word(at)
        if len(word) < _ROOT or not word.isalpha() or word in self.english.all_words or _NO_NOUN.search(word):
            return []
        names = [name for name in self.questions.links.joins if name.lower().startswith(word[:_ROOT])]
        return [OfClass(at, at + 1, names[0], is_alike=True)] if len(names) == 1 else []

    def _with_property(self, values: Values, end: int) -> tuple[Values, int]:
        """Return a value with the word of its property that follows it: «the xen bus» of a `bus-type`."""
        after, ((term, _), *others) = self.tokens.stems(end, end + 1), values.terms
        fits = [source for source in term.sources if after and after[0] in source.stems and len(source.stems) > 1]
        if others or not fits or self.questions.class_at(end, end + 1):
            return values, end
        return values._replace(terms=((replace(term, sources=tuple(fits)), values.terms[0][1]),)), end + 1

    def _properties(self, at: int) -> Iterator[OfProperty]:
        """Yield the properties whose names begin at a place, those of several classes together."""
        by_end = dict[int, dict[tuple[str, Source], None]]()
        for name in self.questions.links.joins:
            for source, end in self.questions.sources(at, Subject(p.Members(name), name)):
                is_part = end > at + 1 and source.stems != self.tokens.stems(at, end)
                if not (is_part and self.questions.class_at(end - 1, end)):  # «cloud images» of `cloud-image-user`
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
