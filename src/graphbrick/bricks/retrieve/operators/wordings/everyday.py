"""Everyday questions for values: «when was the last employee hired», «which countries do our customers come from»."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan
from graphbrick.bricks.retrieve.operators.properties.plans import TripleValues, Values
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.units import is_in_unit, names_of_unit
from graphbrick.core.properties.values import Kind
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.properties.amounts import is_amount

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.facts import Facts

_UNITS_OF = Expression(
    r"^how many (?P<unit>[a-z]+)(?: of (?P<noun>[a-z ]+?))? (?:do|does|did|is|are|was|were|has|have) "
    r"(?:the )?(?P<who>e\d+)(?: (?P<verb>[a-z ]+))?$"
)
_HOW_BIG = Expression(
    r"^how (?:big|large|high|great|low|small|long|strong) (?:is|was|are|were) (?:the )?(?P<noun>[a-z -]+) of "
    r"(?P<who>e\d+)$"
)
_PEOPLE = "people|population|inhabitants|residents|citizens"
_SHARE = Expression(
    r"^(?:how many|what|which) (?:per ?cent|percentage|share|proportion) of (?:the |all )?"
    rf"(?:{_PEOPLE})(?: (?:in|of|from))? (?P<who>e\d+) (?P<verb>[a-z]+)(?: [a-z]+)? (?P<other>e\d+)$"
)
_OF_ALL, _OF_PEOPLE = ("percent", "percentage", "pct", "share", "proportion"), ("population", "people", "inhabitants")
_TOTALS = ("total", "amount", "price", "cost", "value")


class Everyday:
    """A reader of one question.

    Args:
        facts: Knows which properties words name.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts, self.english, self.resolver = facts, facts.english, facts.resolver
        self.parser, self.place, self.lexicon = facts.parser, facts.place, facts.lexicon

    def read(self, text: str) -> Plan | None:
        """Return the plan of a question; None for another question."""
        rules = (self._total, self._when_best, self._of_class, self._done_by, self._earlier, self._own_amount)
        for rule in (*rules, self._how_big):
            try:
                plan = rule(text)
                if plan is not None:
                    self.parser.check_read(self.english.without("is_earlier_when", text), plan)
                    return plan
            except CannotPlanError:
                continue  # a part of the question is none that this rule reads
        return self._share(text) or self._in_unit(text)

    def _total(self, text: str) -> Plan | None:
        """Read «what is the total of the invoices», where each has a total: the sum."""
        match = self.english.match("total_of", text)
        if match is None or MENTION.fullmatch(match["base"]):
            return None
        base = self.parser.set(self.english.as_question(match["base"]))
        if len(base.run(self.place)) < 2:
            return None
        named = (self.facts.own(self.facts.said(stems(name)), base) for name in _TOTALS)
        numbers = (one for one in named if one is not None and one.literal is not None and not one.is_date)
        source = next(numbers, None)
        return None if source is None else p.Amount(base, p.Attribute(source))

    def _when_best(self, text: str) -> Plan | None:
        """Read «when was the last employee hired», «what year was the first club founded»."""
        match = self.english.match("when_best", text)
        if match is None:
            return None
        best = self.parser.phrasings.set(f"the {match['when']} {match['base']} to be {match['verb']}")
        if not isinstance(best, p.Best) or not isinstance(best.measure, p.Attribute):
            return None
        return Values(best, best.measure.source, "year" if "year" in match["lead"] else "")

    def _of_class(self, text: str) -> Plan | None:
        """Read «which countries do our customers come from», «how many cities do our customers live in»."""
        match = self.english.match("values_of_class", text)
        if match is None or MENTION.search(text):
            return None
        noun, who = match["noun"], match["who"]
        sources, part = self.facts.named(noun)
        if not sources or self.lexicon.classes_in(noun) or not self.lexicon.classes_in(who):
            return None
        base: SetPlan = self.parser.set(f"which {who}")
        source = self.facts.own(sources, base)
        if source is None or source.kind == Kind.BOOLEAN:
            return None
        if match["how"] == "how many" and is_amount(source):
            return p.Amount(base, p.Attribute(source))  # «how many beds do our wards have»
        return Values(base, source, "count" if match["how"] == "how many" else part)

    def _done_by(self, text: str) -> Plan | None:
        """Read «who composed e0», where a text property tells it."""
        match = self.english.match("who_did", text)
        if match is None:
            return None
        base = p.Listed((self.parser.entity(match["who"]),))
        sources = self.facts.said(self.english.content(match["verb"]), kinds=(Kind.TEXT,))
        source = self.facts.own([one for one in sources if one.relation < 0], base)
        return None if source is None else Values(base, source)

    def _earlier(self, text: str) -> Plan | None:
        """Read «was e0 hired before e1»."""
        match = self.english.match("is_earlier", text)
        if match is None:
            return None
        one, other = (p.Listed((self.parser.entity(match[name]),)) for name in ("one", "other"))
        date = self.resolver.date(match["verb"], p.Listed((*one.entities, *other.entities)), match["when"])
        sides = p.Amount(one, date), p.Amount(other, date)
        return p.IsMore(*(sides if match["when"] in ("after", "later than") else sides[::-1]))

    def _in_unit(self, text: str) -> Plan | None:
        """Read «how many watts does e0 draw», «how many gb of memory does e0 have», of a number in this unit."""
        match = _UNITS_OF.match(text)
        if match is None or stem(match["unit"]) in self.lexicon.words:
            return None
        base, unit = p.Listed((self.parser.entity(match["who"]),)), match["unit"]
        numbers = [one for one in self.facts.sources if one.relation < 0 and is_in_unit(one.name, unit)]
        own = [one for one in numbers if self.facts.own([one], base) is not None]
        said = set(self.english.content(f"{match['noun'] or ''} {match['verb'] or ''}"))
        adjective = self.english.comparatives.get(f"more {match['verb']}")
        said |= {stem(name) for name in adjective.names} if adjective else set()
        usual = {stem(name) for name in names_of_unit(unit)}
        named = [one for one in own if said & one.words] or [one for one in own if usual & one.words] or own
        if len(named) != 1 or (match["noun"] and not set(self.english.content(match["noun"])) <= named[0].words):
            return None
        plan = Values(base, named[0])
        unread = [word for word in self.english.content(match["verb"] or "") if word not in named[0].words]
        if len(unread) > 1:
            return None  # «how many days has e0 been off sick» is no `leave_days`
        if unread:
            self.resolver.assumptions[plan] = f"{match['verb']!r} is taken for {named[0].name}, the number in {unit}"
        return plan

    def _how_big(self, text: str) -> Plan | None:
        """Read «how big is the population of e0», a number of its own."""
        match = _HOW_BIG.match(text)
        sources = self.facts.named(match["noun"])[0] if match else []
        numbers = [one for one in sources if one.literal is not None and not one.is_date]
        return self.facts.values(numbers, p.Listed((self.parser.entity(match["who"]),))) if match and numbers else None

    def _share(self, text: str) -> Plan | None:
        """Read «how many percent of people in e0 speak e1», where triples of a relation called so have a percentage."""
        match = _SHARE.match(text)
        if match is None or not self.facts.is_relation(match["verb"]):
            return None
        one, other = self.parser.entity(match["who"]), self.parser.entity(match["other"])
        joined = self.facts.joining(one, other)
        names = {name for triple in joined for name in self.place.graph.triple_properties(triple)}
        words = {name: {*spaced(name).lower().replace("_", " ").split()} for name in sorted(names)}
        shares = [name for name, own in words.items() if own.intersection(_OF_ALL)]
        chosen = [name for name in shares if words[name].intersection(_OF_PEOPLE)] or shares
        return TripleValues(tuple(joined), chosen[0]) if len(chosen) == 1 else None

    def _own_amount(self, text: str) -> Plan | None:
        """Read «how much does e0 cost», where e0 has a price of its own."""
        return self.facts.how_much(text)
