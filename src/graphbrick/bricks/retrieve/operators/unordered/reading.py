"""Plans of questions by their parts, whatever the order of their words: the last reading that is tried.

As in Pasupat and Liang, Compositional Semantic Parsing on Semi-Structured Tables (ACL 2015), what is asked and what is
said of it are put together by their types alone: a value belongs to the nearest class that has it, a number to the
property beside it, a name to what the relations join it to. Every word must have its place, but for verbs that join
two of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import repeat

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.amounts import HOW
from graphbrick.bricks.retrieve.operators.grammar.asked.questions import Questions
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.links import Links
from graphbrick.bricks.retrieve.operators.grammar.small_words import AUXILIARIES
from graphbrick.bricks.retrieve.operators.grammar.tokens import Tokens
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.triples.edges import Edges
from graphbrick.bricks.retrieve.operators.triples.plans import CountOfTriples
from graphbrick.bricks.retrieve.operators.unordered.attempt import Attempt
from graphbrick.bricks.retrieve.operators.unordered.parts import (
    AtTriples,
    Best,
    Bounded,
    How,
    Named,
    OfClass,
    OfProperty,
    Part,
    Parts,
    Valued,
)
from graphbrick.bricks.retrieve.operators.unordered.words import Found, checked
from graphbrick.language import forms
from graphbrick.language.stems import is_plural
from graphbrick.patterns.lexicon import SMALL
from graphbrick.patterns.properties.name_parts import NameOf
from graphbrick.patterns.properties.sources import Source, value_of

_LEADS = {
    ("how", "many"): "count", ("how", "much"): "count", ("number", "of"): "count", ("count", "of"): "count",
    ("what", "time"): "when", ("at", "what"): "when", ("on", "what"): "when",
}  # fmt: skip
_ANYBODY = frozenset("anybody anyone somebody someone".split())
_KINDS = frozenset("kind kinds type types sort sorts".split())
_OF = frozenset(("of", "for"))
_LONGEST = 60  # words of a question that is taken apart
_FAR = 3  # relations
_LOOKED_AT = 1_000  # members of a class
_WHO = {"when": "when", "who": "who", "whom": "who", "where": "where", "which": "which", "what": "which"}


def unordered(parser: Parser, text: str) -> list[Found]:
    """Return the readings of a question by its parts, those that leave out the fewest words first.

    Args:
        parser: Knows the graph.
        text: The question, with placeholders for entities.
    """
    tokens = Tokens(parser, text)
    links = Links(tokens)
    if not links.joins or not 0 < len(tokens) <= _LONGEST:
        return []
    questions = Questions(tokens, links)
    found = [one for parts in Parts(questions).splits() for one in _Reader(questions, parts).readings()]
    return sorted(found, key=lambda one: (len(one.left_out), one.size))


@dataclass(frozen=True)
class _Asked:
    """What a question asks for.

    Attributes:
        name: A class.
        part: The words for a property of it; None for its members themselves.
    """

    name: str
    part: OfProperty | None = None


class _Reader:
    """A reader of a question that was split into parts.

    Args:
        questions: Reads phrases of the question.
        parts: Its parts.
    """

    def __init__(self, questions: Questions, parts: list[Part]) -> None:
        self.questions, self.tokens, self.links = questions, questions.tokens, questions.links
        words = self.tokens.words
        self.lead = _LEADS.get(tuple(words[:2])) or _WHO.get(words[0], "yes" if words[0] in AUXILIARIES else "list")  # type: ignore[arg-type]
        self.start = 2 if tuple(words[:2]) in _LEADS else 0 if self.lead == "list" else 1
        self.start += words[self.start : self.start + 1] == ["time"]
        self.parts = _compounds([part for part in parts if part.start >= self.start])
        inner = (at for at, word in enumerate(words) if at and word in ("which", "what") and self.lead == "list")
        self._asking = next(inner, self.start)  # «for the meeting: which stores ...»
        self._ends = {part.end - 1 for part in self.parts if isinstance(part, OfProperty)}

    def readings(self) -> Iterator[Found]:
        """Yield the readings of the question."""
        if any(map(self._is_grouped, self.parts)):
            return
        if self.lead == "count":
            yield from (checked(one, plan) for one, plan in self._counts_of_triples())
        for asked in self._asked() if self.parts else ():
            attempt = Attempt(self.questions, self.parts, asked.name, self.start)
            try:
                plan = self._plan(attempt, asked)
            except CannotPlanError:
                continue
            found = checked(attempt, plan) if plan is not None else None
            is_far = found is not None and found.size > 1 and self._has_parts_of_names()
            if found is None or is_far or self._is_far_date(asked.name, attempt):
                continue
            if found.size <= _FAR or not isinstance(plan, p.IsAny) or plan.value(self.questions.place):
                yield found  # that nothing fits says little over long ways

    def _is_grouped(self, part: Part) -> bool:
        """Return whether a class is one of groups, which no part says: «number of planes by airline»."""
        is_by = isinstance(part, OfClass) and part.start > 1 and self.tokens.word(part.start - 1) == "by"
        before = self.tokens.word(part.start - 2) if is_by else ""
        verb = forms.verb_of(before) if before and forms.is_installed() else ""
        return is_by and not (before.endswith("ed") or (verb and forms.participle(verb) == before))

    def _is_far_date(self, name: str, attempt: Attempt) -> bool:
        """Return whether «when» would be asked of what is not joined to a name: of who qualified, not of the visit."""
        named = {one for part in self.parts if isinstance(part, Named) for one in self._classes_of(part.entity)}
        is_said = any(isinstance(part, OfClass) and part.name == name for part in self.parts)
        return self.lead == "when" and not is_said and any(attempt.ways.distance(name, one) > 1 for one in named)

    def _has_parts_of_names(self) -> bool:
        """Return whether the question has a part of names: what is far from it may well speak of another name."""
        terms = (term for one in self.parts if isinstance(one, Valued) for term, _ in one.values.terms)
        return any(isinstance(source, NameOf) for term in terms for source in term.sources)

    def _asked(self) -> Iterator[_Asked]:
        """Yield what may be asked for."""
        after = [one for one in self.parts if one.start >= self._asking]
        classes = [one.name for one in after if isinstance(one, OfClass)]
        properties = [one for one in self.parts if isinstance(one, OfProperty)]
        hows = [one for one in self.parts if isinstance(one, How)]
        first = next((one for one in self.parts if one.start >= self._asking), self.parts[0])
        named = [name for one in self.parts if isinstance(one, Named) for name in self._classes_of(one.entity)]
        if hows:
            numbers = [one for one in properties if one.start >= hows[0].end] or properties
            yield from self._asked_of(numbers[:1], classes, named)
        elif self.lead == "who":
            yield from map(_Asked, self.links.people())
        elif self.lead == "where":
            yield from (_Asked(name) for name in self.links.joins if self.links.is_place(name))
        elif self.lead == "when":
            dated = [name for name in self.links.joins if self._is_dated(name)]
            yield from map(_Asked, dict.fromkeys((*classes, *named, *dated)))
        elif self.lead == "yes":
            people = self.links.people() if self.tokens.is_one_of(1, _ANYBODY) else []
            is_there = self.tokens.word(1) == "there"
            things = (classes[:1] or self._with_values()) if is_there else named[:1] or classes[:1]
            yield from map(_Asked, dict.fromkeys(people or things))
        elif (extreme := self._extreme()) is not None:
            yield from self._asked_of([extreme], classes, named)
        else:
            is_kind = self.tokens.is_one_of(first.start, _KINDS) and self.tokens.word(first.end) == "of"
            if is_kind:
                self.parts = [one for one in self.parts if one is not first]  # «what kind of damage»
            elif isinstance(first, OfProperty) and (self.lead != "list" or self._ends_phrase(first.end)):
                yield from self._asked_of([first], classes, named)
            yield from map(_Asked, classes[:1])
            if not classes and self.lead != "count":
                yield from map(_Asked, self._with_values())

    def _extreme(self) -> OfProperty | None:
        """Return the number after a superlative whose value is asked: «what was the lowest temperature in e0»."""
        first, second = (*self.parts, None, None)[:2]
        if not isinstance(first, Best) or first.is_date or not isinstance(second, OfProperty):
            return None
        is_asked = self.lead in ("which", "list") and second.start == first.end
        return second if is_asked and not any(isinstance(one, OfClass) for one in self.parts) else None

    def _is_dated(self, name: str) -> bool:
        """Return whether members of a class have a date or a time of day."""
        return bool(self.questions.resolver.plain_date(p.Members(name)) or self.questions.clocks_of(name))

    def _ends_phrase(self, at: int) -> bool:
        """Return whether the name of a property may end at a place: «speed of e0», and not «flying birds»."""
        is_named = any(isinstance(one, Named) and one.start == at for one in self.parts)
        return is_named or at == len(self.tokens) or self.tokens.is_one_of(at, ("of", "for", "at", "in"))

    def _asked_of(self, properties: list[OfProperty], classes: list[str], named: list[str]) -> Iterator[_Asked]:
        """Yield the property of a class; where it is one «of e0», not that of what is near e0."""
        places = [one.start for one in self.parts if isinstance(one, Named)]
        is_of = any(self.tokens.is_one_of(at - 1, _OF) or at - 1 in self._ends for at in places)
        for one in properties:
            for name, _ in one.sources:
                if name in classes or name in named or not is_of:
                    yield _Asked(name, one)

    def _classes_of(self, entity: int) -> tuple[str, ...]:
        return self.links.classes_of(p.Listed((entity,)).run(self.questions.place))[:1]

    def _with_values(self) -> list[str]:
        """Return the classes that have the first value that the question names: «beers under 2 dollars»."""
        values = next((one.values for one in self.parts if isinstance(one, Valued)), None)
        sources = {source for term, _ in values.terms for source in term.sources} if values else set()
        subjects = (Subject(p.Members(name), name) for name in self.links.joins)
        return [one.name for one in subjects if any(self.questions.has(one, source) for source in sources)]

    def _plan(self, attempt: Attempt, asked: _Asked) -> Plan | None:
        hows = [one for one in self.parts if isinstance(one, How)]
        if asked.part is not None and self._is_said_twice(asked.part):
            return None
        attempt.use(*hows, *filter(None, [asked.part]))
        best = self.parts[0] if asked.part is not None and asked.part is self._extreme() else None
        if isinstance(best, Best):
            attempt.use(best)
            attempt.parts = [one for one in attempt.parts if one is not best]
        if self.lead == "yes":
            return self._truth(attempt, asked.name)
        base = attempt.selected(may_be_named=asked.part is not None or self.lead == "when")
        if base is None or len(hows) > 1:
            return None
        if isinstance(best, Best) and asked.part is not None:
            number = p.Attribute(next(source for name, source in asked.part.sources if name == asked.name))
            is_number = number.source.literal is not None and not number.source.is_date
            return p.Amount(p.Best(base, number, best.comparison.largest), number) if is_number else None
        if hows and asked.part is not None and "and" in self.tokens.words[hows[0].end : asked.part.start]:
            return None  # «the average and the highest score» are two numbers
        if asked.part is not None:
            return self._number_or_values(base, asked, hows)
        if self.lead == "when":
            date = attempt.moment(is_time=self.start > 0 and self.tokens.word(self.start - 1) == "time")
            return None if date is None else Values(base, date)
        return p.Count(base) if self.lead == "count" else base

    def _is_said_twice(self, asked: OfProperty) -> bool:
        """Return whether a property is named again beside a superlative: «the food with the most food points»."""
        others = [one for one in self.parts if isinstance(one, OfProperty) and one is not asked]
        is_best = any(isinstance(one, Best) for one in self.parts)
        return is_best and any(set(asked.sources) & set(one.sources) for one in others)

    def _counts_of_triples(self) -> Iterator[tuple[Attempt, Plan]]:
        """Yield how many triples there are of a relation with the name of what is counted: LAB_RESULT."""
        tokens = self.tokens
        for relation, label in enumerate(self.links.labels):
            name = tuple(word for word in label if word not in SMALL)
            places = (at for at in range(self.start, len(tokens)) if tokens.stems(at, at + len(name)) == name)
            said = next((at for at in places if name and is_plural(tokens.word(at + len(name) - 1))), None)
            if said is None:
                continue
            attempt = Attempt(self.questions, self.parts, "", self.start)
            attempt.used.update(range(said, said + len(name)))
            attempt.at_triples += [one for one in self.parts if isinstance(one, AtTriples | Bounded)]
            conditions = attempt.conditions(relation)
            named = [one for one in self.parts if isinstance(one, Named)]
            heads, tails = (Edges(relation).ends(self.questions.place, heads=side) for side in (True, False))
            ends = [[one for one in named if one.entity in side] for side in (heads, tails)]
            attempt.use(*ends[0], *ends[1])
            one, other = (p.Listed(tuple(part.entity for part in side)) if side else None for side in ends)
            yield attempt, CountOfTriples(Edges(relation, one, other, conditions))

    def _number_or_values(self, base: SetPlan, asked: _Asked, hows: list[How]) -> Plan | None:
        """Return the values of a property, what is made of them, or those that have them if each has its own."""
        assert asked.part is not None
        source = next(source for name, source in asked.part.sources if name == asked.name)
        is_number = source.literal is not None and not source.is_date
        how = hows[0].how if hows else HOW.get(self.tokens.word(asked.part.start), "")  # «total» of `AmountTotal`
        if (how and is_number) or hows or self.lead == "count":
            return p.Amount(base, p.Attribute(source), how or "sum") if is_number else None
        is_key = source.relation < 0 and source.literal is None and self._tells_apart(source, asked.name)
        if is_key and self.lead == "which" and asked.part.start == self.start and not isinstance(base, p.Listed):
            return base  # «which carriers», of airlines with a code each
        if is_number and isinstance(base, p.Members):
            return None  # «what is the population» of nothing asks for no list of numbers
        return Values(base, source)

    def _tells_apart(self, source: Source, name: str) -> bool:
        """Return whether all members of a class have another value of a property."""
        members = self.links.lexicon.classes[name]
        values = [value_of(self.questions.place.graph, source, one) for one in members[:_LOOKED_AT].tolist()]
        return len(values) > 1 and None not in values and len(set(map(str, values))) == len(values)

    def _truth(self, attempt: Attempt, name: str) -> Plan | None:
        """Return whether the first entity that the question names is one of those of which the rest holds."""
        named = next((one for one in self.parts if isinstance(one, Named)), None)
        is_any = self.tokens.is_one_of(1, _ANYBODY)
        if is_any:
            attempt.used.add(1)
        if named is None or is_any or self.tokens.is_one_of(1, ("there",)):
            base = attempt.selected(may_be_named=False)
            return None if base is None else p.IsAny(base)
        attempt.use(named)
        attempt.parts = [one for one in attempt.parts if one is not named]
        base = attempt.selected(may_be_named=False)
        if base is None or base == p.Members(name) or any(map(self._is_unknown, self.parts, repeat(named.entity))):
            return None
        plan = p.IsAmong(p.Listed((named.entity,)), base)
        is_one = not isinstance(base, p.Both)  # else «no» would not say to what
        return plan if is_one or plan.value(self.questions.place) else None

    def _is_unknown(self, part: Part, entity: int) -> bool:
        """Return whether an entity lacks the property of which a value is asked: neither yes nor no is known."""
        if not isinstance(part, Valued):
            return False
        sources = [source for term, _ in part.values.terms for source in term.sources]
        holding = (self.questions.resolver.holding(source).run(self.questions.place) for source in sources)
        return not any(entity in owners for owners in holding)


def _compounds(parts: list[Part]) -> list[Part]:
    """Return parts in which names of classes side by side are one: «model families» are families.

    What is only like the name of a class is none behind another one: «service calendars» are no calendar dates.
    """
    joined = list[Part]()
    for part in parts:
        before = joined[-1] if joined else None
        if isinstance(part, OfClass) and isinstance(before, OfClass) and before.end == part.start:
            if part.is_alike:
                continue
            joined[-1] = replace(part, start=before.start)
        else:
            joined.append(part)
    return joined
