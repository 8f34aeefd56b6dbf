"""Whole questions by the grammar: sets, counts, yes or no, places, values, averages, shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.asked.in_order import in_order
from graphbrick.bricks.retrieve.operators.grammar.asked.more import asks_for_more, more_of
from graphbrick.bricks.retrieve.operators.grammar.asked.over_triples import AmountsOfTriples
from graphbrick.bricks.retrieve.operators.grammar.asked.pairs import Pairs
from graphbrick.bricks.retrieve.operators.grammar.groups import Group, Reading, Subject, joined
from graphbrick.bricks.retrieve.operators.grammar.left_out import assume_other
from graphbrick.bricks.retrieve.operators.grammar.links import Link, Links
from graphbrick.bricks.retrieve.operators.grammar.small_words import AUXILIARIES, IS
from graphbrick.bricks.retrieve.operators.grammar.tokens import Tokens
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import Plan, SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced

_ORDER_SAID = Expression(r",? (?:the )?(?P<best>most [a-z]+|[a-z]+est) first$")
_BUT = r"(?:apart from|besides|other than|aside from|except(?: for)?)"
_BUT_FIRST = Expression(rf"^{_BUT} (?P<but>e\d+(?:(?:, | and |, and )e\d+)*),? (?P<rest>.+)$")
_BUT_LAST = Expression(rf"^(?P<rest>.+?),? {_BUT} (?P<but>e\d+)$")
_ELSE = Expression(
    r"\b(?P<lead>who|what|where|anyone|anything|which) else\b"
    r"|(?:\b(?P<which>(?:which|what|who|any)(?: of the)?) |^(?:the )?)other\b"
)
_PAIR_FIRST = Expression(r"(?P<one>e\d+),? (?:or|vs\.?|versus|and) (?:the )?(?P<other>e\d+)\b[ ,:-]*(?P<rest>.+)$")
_PAIR_LAST = Expression(r"(?P<rest>.+?)[ ,:-]* (?:the )?(?P<one>e\d+),? (?:or|vs\.?|versus) (?:the )?(?P<other>e\d+)$")
_CHOICE = Expression(
    r"(?P<before>(?:is|are|was|were|does|do|did|has|have) .*?)"
    r"(?P<one>e\d+),? or (?:[a-z]+ )?(?:the )?(?P<other>e\d+)(?P<rest>.*)"
)
_DO_WE = frozenset(("do we have", "do you have", "have we got", "have you got"))
_MOST_READINGS, _LOOKED_AT = 60, 50


class Questions(AmountsOfTriples):
    """A reader of one question."""

    def read(self) -> Plan | None:
        """Return the plan of the question; None if the grammar has no place for one of its words."""
        return next(self._whole(), None)

    def _whole(self) -> Iterator[Plan]:
        """Yield the readings that take in all words."""
        rules = (
            self._yes_or_no,
            self._how_far,
            self._journeys,
            self._over_triples,
            self._measured,
            self._count,
            self._of_property,
            self._at_triples,
            self._share,
            self._aggregate,
            self._difference,
            self._where,
            self._of_records,
            self._values,
            self._sets,
        )
        for rule in rules:
            for plan, end in islice(rule(), _MOST_READINGS):
                if self._past_end(end) == len(self.tokens):
                    yield plan

    def _sets(self) -> Iterator[tuple[Plan, int]]:
        """Yield the readings of a question for entities."""
        yield from self.set_at(0)

    def _count(self) -> Iterator[tuple[Plan, int]]:
        """Yield «how many ...», «number of ...»."""
        tokens = self.tokens
        start = 2 if tuple(tokens.words[:2]) == ("how", "many") else 0
        for lead in (("number", "of"), ("count", "of"), ("the", "number", "of"), ("what", "is", "the", "number", "of")):
            start = len(lead) if tuple(tokens.words[: len(lead)]) == lead else start
        if not start or tokens.is_one_of(start, ("each",)) or {"each", "per"} & set(tokens.words):
            return
        for subject, end in self.of_names(start):
            yield from ((p.Count(plan), last) for plan, last in self.clauses(end, subject))
        start = tokens.past(start, ("of", "the", "different", "distinct"))
        is_class = self.class_named(start) or self.resolver.has_number("people")
        if tokens.word(start) in ("people", "persons") and not is_class:
            yield from ((p.Count(plan), end) for plan, end in self._who(start + 1))
        yield from self._of_quantity(start)
        for subject, end in self.noun(start):
            for plan, last in [*self.clauses(end, subject), *self._asked_object(end, subject, counted=True)]:
                yield p.Count(plan), last
            be = tokens.past(end, ("are", "is", "were", "was", "there", "exist"))
            for inner, last in self.with_modifiers(subject, be):  # «how many orders were there in May»
                yield p.Count(inner.plan), last

    def _where(self) -> Iterator[tuple[Plan, int]]:
        """Yield «where is the newest plane based», «where do the pilots of e0 come from»."""
        tokens = self.tokens
        if tokens.word(0) != "where" or not tokens.is_one_of(1, AUXILIARIES):
            return
        asked = [
            (group, end)
            for group, end in self.group(2)
            if not group.is_any and group.quantity.kind in ("some", "all", "both")
        ]
        for group, end in asked:
            for link, last in self._by_verb_of_place(end, group):
                if len(link.steps) == 1:
                    yield Walk(group.plan, link.steps, (link.end,)), last
                else:  # «where does e0 stop», of a route with trips
                    every = Subject(p.Members(link.end), link.end)
                    yield joined(every, link.back(group.classes[0]), group.plan), last
        for group, end in asked:
            for link, last in self._only_place(end, group):
                yield Walk(group.plan, link.steps, (link.end,)), last

    def _by_verb_of_place(self, at: int, group: Group) -> list[tuple[Link, int]]:
        """Return the relations to places that a verb names: «(where is e0) based»."""
        passive = self.tokens.is_one_of(1, IS)
        return [
            (link, last)
            for name in group.classes[:1]
            for link, last in self.links.by_verb(at, name, passive=passive)
            if self._is_place(link)
        ]

    def _only_place(self, at: int, group: Group) -> list[tuple[Link, int]]:
        """Return the one relation to a place, for «where is e0», «where does e0 come from»."""
        tokens = self.tokens
        if tokens.past(at, ("come", "from", "located", "situated", "found", "at", "in", "now")) != len(tokens):
            return []
        places = [
            join
            for name in group.classes[:1]
            for join in self.links.between(name, None)
            if self.links.is_place(join.end)
        ]
        said = [join for join in places if set(self.links.labels[join.relation]) & {"in", "at", "on", "from"}]
        chosen = said or places
        return [(Link(((join.relation, join.forward),), join.end), len(tokens)) for join in chosen[: len(chosen) == 1]]

    def _is_place(self, link: Link) -> bool:
        label = set(self.links.labels[link.steps[-1][0]])
        return bool(label & {"in", "at", "on", "from"}) or self.links.is_place(link.end)

    def _yes_or_no(self) -> Iterator[tuple[Plan, int]]:
        """Yield «is e0 a captain», «does every airline own a plane», «do any welders operate machines»."""
        tokens = self.tokens
        if not tokens.is_one_of(0, AUXILIARIES):
            return
        lead = next((size for size in (3, 2) if tokens.joined(0, size) in _DO_WE), 0)
        if lead:
            yield from ((p.IsAny(group.plan), end) for group, end in self.group(lead) if group.quantity.kind == "some")
            return
        if tokens.word(1) == "there":
            for group, end in self._asked(2):
                if (plan := self._is_there(group)) is not None:
                    yield plan, end
            return
        for group, end in self._asked(1):
            if isinstance(group.plan, p.Listed) and self._is_unknown(end, group.plan):
                return
            if len(getattr(group.plan, "entities", ())) > 1 and not MENTION.search(tokens.joined(end, len(tokens))):
                return  # of each other: «are e0 and e1 neighbours»
            for name in group.classes:
                every = Subject(p.Members(name), name)
                for plan, last in islice(self._said_of(end, every), _MOST_READINGS):
                    if last != len(tokens):
                        continue
                    is_named = isinstance(group.plan, p.Listed) and group.quantity.kind == "some"
                    if is_named or group.quantity.kind in ("all", "both"):
                        yield p.IsAmong(group.plan, plan), last
                    elif group.quantity.kind == "some":
                        yield p.IsAny(p.Both((group.plan, plan))), last
                    elif group.quantity.kind == "no":
                        yield p.Not(p.IsAny(p.Both((group.plan, plan)))), last
                    break

    def _is_there(self, group: Group) -> Plan | None:
        """Return the reading of «is there a ...», «are there no ...», «are there at least five ...»."""
        kind, number = group.quantity
        if kind in ("some", "no"):
            return p.Not(p.IsAny(group.plan)) if kind == "no" else p.IsAny(group.plan)
        if kind == "exactly" and "exactly" not in self.tokens.words:
            return p.Count(group.plan)  # «are there two ...» may mean at least two: the number answers both
        return p.Compares(p.Count(group.plan), kind, number) if kind in p.SIGNS else None

    def _is_unknown(self, at: int, asked: p.Listed) -> bool:
        """Return whether the entities lack the property of which a value is asked: neither yes nor no is known."""
        start = self.tokens.past(at, ("not", "a", "an", "the", "still", "currently"))
        sources = {source for values, _ in self.values(start) for term, _ in values.terms for source in term.sources}
        every = set(asked.entities)
        return bool(sources) and not any(
            every.issubset(self.resolver.holding(source).run(self.place).tolist()) for source in sources
        )

    def _asked(self, at: int) -> Iterator[tuple[Group, int]]:
        """Yield the subjects of a question for yes or no."""
        for group, end in self.group(at):
            if group.is_any:
                names = [name for name in self.links.joins if forms.may_be_who(spaced(name))]
                for name in names:
                    inner = p.Members(name)
                    for subject, last in self.with_modifiers(Subject(inner, name), end):
                        yield Group(subject.plan, (name,), group.quantity), last
            else:
                yield group, end

    def _said_of(self, at: int, subject: Subject) -> Iterator[tuple[SetPlan, int]]:
        """Yield what the rest of a question for yes or no says, after its subject."""
        first, tokens = self.tokens.word(0), self.tokens
        negated = tokens.is_one_of(at, ("not", "never"))
        start = tokens.past(at + 1 if negated else at, ("ever", "also", "currently", "still"))
        if first in IS:
            for said in self._is(start, subject, negated=negated):
                yield from self._further(said, subject)
        for said in self.denied_if(subject, self._verb_after(start, subject, first), negated=negated):
            yield from self._further(said, subject)

    def _verb_after(self, at: int, subject: Subject, first: str) -> Iterator[Reading]:
        """Yield the clauses whose auxiliary stands before the subject."""
        yield from self.passive_or_active(at, subject, passive=first in IS)
        if first not in IS and self.tokens.is_one_of(at, ("have", "had", "has")):
            yield from self._having(at + 1, subject)


def read(parser: Parser, text: str) -> Plan | None:
    """Return the plan of a question in which every word has its place in the grammar; None for another question.

    Args:
        parser: Knows the graph.
        text: The question, with placeholders for entities.
    """
    if (sorted_set := in_order(parser, text, read)) is not None:
        return sorted_set
    order = _ORDER_SAID.search(text)
    if order is not None:
        plan = read(parser, text[: order.start()])
        return plan if _is_in_order(parser, plan, order["best"]) else None
    but = _BUT_FIRST.match(text) or _BUT_LAST.match(text)
    rest = but["rest"] if but else text
    other = _ELSE.search(rest)
    if other is not None:
        rest = f"{rest[: other.start()]}{other['lead'] or other['which'] or ''}{rest[other.end() :]}"
    without = MENTION.findall(but["but"] if but else rest)
    if (but is None and other is None) or not without:
        return _read(parser, text)
    plan = _read(parser, rest)
    if not isinstance(plan, SetPlan):
        return None
    others = tuple(parser.entities[int(number)] for number in without)
    if but is None and not _are_alike(parser, others, plan):
        assume_other(parser, plan, "other")  # «other planes of e0», an airline
        return plan
    taken: SetPlan = p.Listed(others)
    if but is not None and not _are_alike(parser, others, plan):  # «products except e0», a category
        taken = parser.conditions.linked(taken, plan.run(parser.place), set()) or taken
    return p.Without(plan, taken)


def _are_alike(parser: Parser, others: Sequence[int], plan: SetPlan) -> bool:
    """Return whether any of some entities is of a type that what a plan selects has too."""
    types = parser.place.graph.types
    found = {name for entity in plan.run(parser.place)[:_LOOKED_AT].tolist() for name in types(entity)}
    return not found or any(found.intersection(types(entity)) for entity in others)


def _is_in_order(parser: Parser, plan: Plan | None, best: str) -> bool:
    """Return whether a plan gives several answers in an order that is said: «the 4 biggest rooms, largest first»."""
    order = parser.english.superlatives.get(best)
    if not isinstance(plan, p.Best) or plan.n == 1 or order is None:
        return False
    if isinstance(plan.measure, p.Attribute):
        return plan.largest == Questions.is_upward(order, plan.measure)
    return plan.largest == order.largest


def _read(parser: Parser, text: str) -> Plan | None:
    tokens = Tokens(parser, text)
    links = Links(tokens)
    if not links.joins or len(tokens) == 0:
        return None
    if asks_for_more(text):
        return more_of(parser, text, read)
    plan = _chosen(parser, text) or _of_pair(parser, text) or Questions(tokens, links).read()
    return plan or more_of(parser, text, read)  # «how many more customers are in Germany than in France»


def _chosen(parser: Parser, text: str) -> Plan | None:
    """Return those of two entities of which a question holds: «is e0 in e1 or e2»; None for another question."""
    match = _CHOICE.match(text)
    if match is None or match["one"] == match["other"]:
        return None
    holding = []
    for name in ("one", "other"):
        plan = read(parser, f"{match['before']}{match[name]}{match['rest']}")
        if not isinstance(plan, p.IsAmong):
            return None
        if plan.value(parser.place):
            holding.append(parser.entity(match[name]))
    return p.Listed(tuple(holding))


def _of_pair(parser: Parser, text: str) -> Plan | None:
    """Return that of two entities which compares as is asked: «e0 or e1, which is cheaper»; None for another one."""
    match = _PAIR_FIRST.match(text) or _PAIR_LAST.match(text)
    if match is None:
        return None
    one, other = (parser.entity(match[name]) for name in ("one", "other"))
    tokens = Tokens(parser, match["rest"].strip(" ,:-"))
    links = Links(tokens)
    shared = [name for name in links.joins if {one, other} <= set(parser.resolver.lexicon.classes[name].tolist())]
    plans = (Pairs(tokens, links).compared_pair(Subject(p.Listed((one, other)), name)) for name in shared)
    return next(filter(None, plans), None)
