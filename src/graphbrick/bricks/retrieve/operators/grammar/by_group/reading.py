"""Questions for a number of each group: «average price by category», «which country has the most customers»."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.amounts import HOW
from graphbrick.bricks.retrieve.operators.grammar.asked.questions import Questions, read
from graphbrick.bricks.retrieve.operators.grammar.by_group.plans import PARTS, BestOfEach, Grouping, OfEach, PerGroup
from graphbrick.bricks.retrieve.operators.grammar.by_group.since import times_of_each
from graphbrick.bricks.retrieve.operators.grammar.by_group.wordings import (
    SUPERLATIVE,
    about_them,
    and_when,
    each_asked,
    each_with,
)
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.links import Links
from graphbrick.bricks.retrieve.operators.grammar.small_words import KINDS
from graphbrick.bricks.retrieve.operators.grammar.tokens import Tokens
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.sets import Steps
from graphbrick.graphs.store.literals import YEAR
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, spaced, stems
from graphbrick.patterns.properties.sources import Source

_COUNTED = Expression(r"(?:how many|(?:total )?(?:number|count) of) (?P<what>.+)")
# «Which person works in every office» asks for one who works in all of them.
_EACH_OF = Expression(
    r"\b(?:each|(?<=\b(?:is|do) )every|(?<=\b(?:are|was|has|had|did) )every|(?<=\b(?:were|does|have) )every)"
    r" (?!other\b)(?:of (?:the|our) )?(?=[a-z])"
)
_IN_WHICH = Expression(r"(?:in|at|on|for|from) (?:which|what) ")  # «in which groups is every element radioactive»
_EVERYONE = Expression(r"\b(?:everyone|everybody)\b")
_IDS = (("id",), ("key",), ("uuid",))
_KINDS_OF = frozenset("type types kind category class group name".split())
_NOT_NOUNS = frozenset("different individual single distinct calendar separate the our".split())


class GroupReader(Questions):
    """A reader of one phrase of such a question: the number without its entities, or what the groups are."""

    def amounts(self) -> Iterator[tuple[SetPlan, p.Attribute]]:
        """Yield «average price», of all that have a price."""
        tokens = self.tokens
        if tokens.word(0) not in KINDS:
            return
        start = tokens.past(1, ("of", "the"))
        for name in self.links.joins:
            for source, end in self.sources(start, Subject(p.Members(name), name)):
                if end == len(tokens) and source.literal is not None and not source.is_date:
                    yield p.Members(name), p.Attribute(source)

    def by_verb(self, base: SetPlan, verb: str, done: str) -> Iterator[Grouping]:
        """Yield the class whose members act on the entities of a set: «each agent handled», «handled by each agent»."""
        (name,) = self.links.classes_of(base.run(self.place))[:1] or ("",)
        group = self.class_at(0, len(self.tokens)) if 0 < len(self.tokens) <= 3 else ""
        if not name or not group:
            return
        tokens = Tokens(self.parser, verb or done)
        start, end = (group, name) if verb else (name, group)
        for link, last in Links(tokens).by_verb(0, start, passive=bool(done)):
            if last == len(tokens) and link.leads_to((end,)):
                yield Grouping(group, link.back(start).steps if verb else link.steps, group)

    def groupings(self, base: SetPlan, asked: str) -> Iterator[Grouping]:
        """Yield what the words of the question may group the entities of a set by.

        Args:
            base: The set.
            asked: The whole question, whose words tell one relation to the groups from another.
        """
        tokens, entities = self.tokens, base.run(self.place)
        names = self.links.classes_of(entities)[:1]
        if not names or not len(tokens):
            return
        start, size = tokens.past(0, _NOT_NOUNS), len(tokens)
        if size - start > 1 and self.class_at(start, start + 1) == names[0]:
            start += 1  # «product category»
        yield from self._by_part(start, names[0])
        own = [one for one, end in self._groups_by(start, names[0]) if end == size]
        whole = [one for one in own if one.stems == tokens.stems(start, size)]
        yield from map(_by_source, whole)
        name = self.class_at(start, size) if size - start <= 3 else ""
        if name and (way := self.links.way(names[0], name, asked)):
            yield Grouping(name, way, name)
        yield from (_by_source(one) for one in own if one not in whole)  # an engine is no `engine_version`
        for link in self.links.by_noun(tokens.stems(start, size), names[0]):
            yield Grouping(tokens.joined(start, size), link.steps, "" if link.ends else link.end)
        for end in range(start + 1, size):  # «customer country», «customer's country»
            if owner := self.class_at(start, end):
                for source, last in self._groups_by(end, owner):
                    if last == size and (way := self.links.way(names[0], owner, asked)):
                        yield Grouping(f"{source.name} of {owner}", way, owner, source)

        if size - start > 1 and tokens.word(size - 1) in _KINDS_OF:  # «per fuel type», of a column `fuel`
            shorter = Tokens(self.parser, tokens.joined(start, size - 1))
            yield from GroupReader(shorter, Links(shorter)).groupings(base, asked)

    def _groups_by(self, at: int, name: str) -> Iterator[tuple[Source, int]]:
        """Yield the properties of a class that words name; the number of a row only where they say so."""
        for source, end in self.sources(at, Subject(p.Members(name), name)):
            if source.stems[-1:] not in _IDS or source.stems[-1] in self.tokens.stems(at, end):
                yield source, end

    def _by_part(self, at: int, name: str) -> Iterator[Grouping]:
        """Yield the year, month, day or weekday of a date of a class: of the one that it has, or «year of release»."""
        said = self.tokens.joined(at, len(self.tokens))
        said = {"day of the week": "weekday", "date": "day"}.get(said, said)
        words = [word for word in said.split() if word not in ("of", "the", "date")]
        part = next((word for word in words if word in PARTS), "")
        named = [word for word in words if word != part]
        own = [one for one in self.own_sources(name) if one.is_date and named]
        dates = [one for one in own if all(is_said_by(one, word) for word in named)]
        plain = self.resolver.plain_date(p.Members(name)) if part and not named else None
        for date in [plain.source] if plain is not None else dates[:1] if part and len(dates) == 1 else []:
            is_year = date.literal is not None and date.literal.kind == YEAR
            if date.relation < 0 and (part == "year" or not is_year):
                yield Grouping(f"{part} of {date.name}", source=date, part=part)


def is_said_by(date: Source, word: str) -> bool:
    """Return whether a word, or the verb that it is the noun of, is one of a date: «creation» of `created`."""
    verb = forms.verb_behind(word) if forms.is_installed() else ""
    return not date.words.isdisjoint(stems(f"{word} {verb}"))


def _by_source(source: Source) -> Grouping:
    steps: Steps = ((source.relation, True),) if source.relation >= 0 else ()
    return Grouping(source.name, steps, source=None if steps else source)


def per_group(parser: Parser, text: str) -> Plan | None:
    """Return the plan of a question for a number of each group; None for another question."""
    for asked in each_asked(text):
        asked = asked._replace(said=_of_class(parser, asked.said))
        best = (
            _best_of_each(parser, asked.said, asked.group, text)
            if not (asked.best or asked.verb or asked.done)
            else None
        )
        if best is not None:
            return best
        own = None if _is_combined(asked.said) or asked.best else _own_number(parser, asked.said, asked.group)
        if own is not None:
            return own
        is_doer = f"by {asked.group} of e" in text  # «tickets by agents of e0»: those of e0 did something
        for base, how, measure in _numbers(parser, asked.said, may_be_path=not is_doer):
            tokens = Tokens(parser, asked.group)
            reader = GroupReader(tokens, Links(tokens))
            is_verb = bool(asked.verb or asked.done)
            found = reader.by_verb(base, asked.verb, asked.done) if is_verb else reader.groupings(base, text)
            grouping = next((one for one in found if asked.is_number or not one.is_of_numbers), None)
            if grouping is not None and not asked.of_best:
                plan = PerGroup(base, how, measure, grouping, asked.best)
                if measure is not None and not _is_combined(asked.said):
                    is_sum = _usual(asked.said) == "total"
                    told = f"{asked.said} are added up" if is_sum else f"the average {asked.said} is taken"
                    told = f"{told} for each {grouping.name}"
                    parser.resolver.assumptions[plan] = told
                elif not asked.is_number and "per" not in text.split():
                    parser.resolver.assumptions[plan] = f"{asked.said!r} are counted for each {grouping.name}"
                return plan
    return of_each(parser, text)


def _best_of_each(parser: Parser, said: str, group: str, text: str) -> Plan | None:
    """Return the plan of «highest paid employee in each store», of what a superlative says; None for a number."""
    best = _read(parser, said)
    if best is None and SUPERLATIVE.match(said):
        with suppress(CannotPlanError):
            best = parser.set(said)  # «highest paid employee»
    if not isinstance(best, p.Best):
        return None
    tokens = Tokens(parser, group)
    found = GroupReader(tokens, Links(tokens)).groupings(best.base, text)
    grouping = next((one for one in found if not one.is_of_numbers), None)
    if grouping is None:
        return None
    return BestOfEach(best.base, best.measure, grouping, best.largest, best.rank, best.n)


def _own_number(parser: Parser, said: str, group: str) -> Plan | None:
    """Return the plan of «budget by department», where departments have a budget; else None."""
    tokens = Tokens(parser, group)
    name = GroupReader(tokens, Links(tokens)).class_at(0, len(tokens)) if 0 < len(tokens) <= 3 else ""
    words = Tokens(parser, said)
    found = GroupReader(words, Links(words)).sources(0, Subject(p.Members(name), name)) if name else iter(())
    own = next((one for one, end in found if end == len(words) and one.literal is not None), None)
    return OfEach(p.Members(name), _by_source(own)) if own is not None else None


def of_each(parser: Parser, text: str) -> Plan | None:
    """Return the plan of «employees and their departments», «the price of each product»; None for another question."""
    for group, said in each_with(text):
        base = _read(parser, group)
        if isinstance(base, SetPlan):
            tokens = Tokens(parser, said)
            grouping = next(GroupReader(tokens, Links(tokens)).groupings(base, text), None)
            if grouping is not None:
                return OfEach(base, grouping)
    return of_them(parser, text) or _reached_from_each(parser, text)


def of_them(parser: Parser, text: str) -> Plan | None:
    """Return the plan of «which project is the largest, and who owns it», «..., and since when»; None for others."""
    first, when = and_when(text)
    if first:
        return times_of_each(parser.place, _read(parser, first), when)
    first, _ = about_them(text)
    base = _read(parser, first) if first else None
    if not isinstance(base, SetPlan):
        return None
    for name in Links(Tokens(parser, first)).classes_of(base.run(parser.place))[:1]:
        plan = _reached_from_each(parser, about_them(text, spaced(name).lower())[1])
        if isinstance(plan, OfEach):
            return OfEach(base, plan.grouping)
    return None


def _reached_from_each(parser: Parser, text: str) -> Plan | None:
    """Return the plan of «who leads each team», «where does everyone work»: a line for each; else None."""
    people = spaced(parser.resolver.lexicon.class_of_people).lower()
    asked = _EVERYONE.sub(f"each {people}", text) if people else text
    found = list(_EACH_OF.finditer(asked))
    if len(found) != 1 or (found[0][0].startswith("every") and _IN_WHICH.match(asked)):
        return None
    rest = Tokens(parser, asked[found[0].end() :])
    reader = GroupReader(rest, Links(rest))
    name = next(filter(None, (reader.class_at(0, size) for size in range(min(3, len(rest)), 0, -1))), "")
    plan = _read(parser, f"{asked[: found[0].start()]}a {rest.joined(0, len(rest))}")
    if isinstance(plan, p.Both):  # «agents who are members of a team»: agents, who are members
        walk = next((one for one in plan.parts if isinstance(one, Walk)), None)
        same = walk is not None and all(one in (walk, p.Members(walk.classes[-1])) for one in plan.parts)
        plan = walk if same else None
    end = plan.classes[-1] if isinstance(plan, Walk) else ""
    steps: Steps = ()
    while name and isinstance(plan, Walk):
        steps, base = (*plan.steps, *steps), plan.base
        if np.isin(base.run(parser.place), parser.place.classes[name]).all():
            return OfEach(base, Grouping(end or "what it leads to", steps, end))
        plan = base
    return None


def _numbers(parser: Parser, said: str, *, may_be_path: bool) -> Iterator[tuple[SetPlan, str, p.Attribute | None]]:
    """Yield what is counted or measured, of which entities, and how, as `PerGroup.how`.

    Args:
        parser: Reads phrases.
        said: The number, such as «number of orders of e0».
        may_be_path: Whether what is counted may be the ends of a path, of which the grammar does not tell the relation.
    """
    word = said.split()[0]
    how = HOW.get(word, "") if word not in KINDS else ""
    if how:  # «highest price» is read as «average price» is
        said = f"average{said.removeprefix(word)}"
    said = re.sub(r"^how much ", "total ", said)
    counted = _COUNTED.fullmatch(said)
    plan = _read(parser, said) or (_read(parser, counted["what"]) if counted else None)
    if plan is None and counted and may_be_path:
        with suppress(CannotPlanError):
            plan = parser.set(f"which {counted['what']}")  # «number of Northair planes», by two relations
    if isinstance(plan, p.Count):
        plan = plan.base
    nouns = said.split()[1:] if how else said.split()  # «largest order» is none of the units on order
    is_noun = bool(parser.resolver.lexicon.class_named(stems(" ".join(nouns))))
    if isinstance(plan, SetPlan):
        yield from (
            () if _is_combined(said) or is_noun else _amounts(parser, said, how)
        )  # goals, and not games with some
        yield plan, "count", None
    if isinstance(plan, p.Amount) and isinstance(plan.measure, p.Attribute):
        yield plan.base, how or plan.how, plan.measure
    if plan is None and not (how and is_noun):
        yield from _amounts(parser, said, how)


def _amounts(parser: Parser, said: str, how: str) -> Iterator[tuple[SetPlan, str, p.Attribute | None]]:
    """Yield the numbers that some words name, with how they are combined."""
    tokens = Tokens(parser, said if _is_combined(said) else f"{_usual(said)} {said}")
    for base, measure in GroupReader(tokens, Links(tokens)).amounts():
        yield base, how or KINDS[tokens.word(0)], measure


def _of_class(parser: Parser, said: str) -> str:
    """Return «number of issues» for «issue count», where there are issues."""
    noun = said.removesuffix(" count")
    return f"number of {noun}" if noun != said and parser.resolver.lexicon.class_named(stems(noun)) else said


def _is_combined(said: str) -> bool:
    """Return whether a number says how it is combined: «average price», «number of orders»."""
    word = said.split()[0]
    return word in KINDS or word in HOW or bool(_COUNTED.fullmatch(said)) or word in ("how", "sum")


def _usual(said: str) -> str:
    """Return how a number is combined that does not say so: goals are added up, and a price is averaged."""
    return "total" if is_plural(said.split()[-1]) else "average"


def _read(parser: Parser, text: str) -> Plan | None:
    try:
        return read(parser, text)
    except CannotPlanError:
        return None  # a part of the question is no question of its own
