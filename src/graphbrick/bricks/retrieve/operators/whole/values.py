"""Questions for a number, and comparisons of entities that the question names, read by rules."""

from __future__ import annotations

import re
from functools import partial

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.amounts import HOW, MEANS
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan, UnreadWordError, ValuePlan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.whole.time_between import time_between
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.properties.sources import Source, sources_of

_MORE_THAN = Expression(r"(?P<more>more|fewer|less) .* than ")
_DONE = Expression(r"(?:the )?e\d+ (?P<verb>.+)")  # «e0 own»
_DONE_BY = Expression(r"(?P<verb>.+ by )(?:the )?e\d+")  # «owned by e0»


class Numbers:
    """A reader of one question.

    Args:
        parser: Reads its parts.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.resolver = parser, parser.english, parser.resolver

    def read(self, text: str) -> Plan | None:
        """Return the plan of a question for a number; None if it asks for something else.

        Raises:
            CannotPlanError: The graph does not have what the question speaks of.
        """
        text = self.english.without("everywhere", text)
        for rule in (
            partial(time_between, self.parser), self._difference, self._how, self._people, self._count, self._total,
            self.parser.superlatives.value,
        ):  # fmt: skip
            plan = rule(text)
            if plan is not None:
                return plan
        return None

    def compared(self, text: str) -> SetPlan | None:
        """Return the plan of «which is larger, e0 or e1»; None for other questions."""
        parser, english = self.parser, self.english
        match = english.match("compared", text)
        if match:
            base = parser.listed(match["list"])
            comparison = english.comparatives.get(match["more"]) or english.superlatives[match["more"]]
            words = match["attr"] or ""
            measure = self.resolver.measure(words, comparison.names, base, f"{match['more']} {words}".strip())
            plan = p.Best(base, measure, comparison.largest)
            self._check_lead(text[: match.start("more")], plan, is_measured=bool(comparison.names))
            return plan
        match = english.match("compared_dates", text)
        if match:
            base = parser.listed(match["list"])
            return p.Best(
                base, self.resolver.date(match["attr"], base, match["when"]), match["when"] in ("last", "later")
            )
        return None

    def _check_lead(self, lead: str, plan: p.Best, *, is_measured: bool) -> None:
        """Refuse a comparison that leaves a verb before it unread: «which team won more games» is no count of games.

        Raises:
            CannotPlanError: Words before the comparison say something else than its plan.
        """
        graph = self.parser.place.graph
        types = {
            word
            for one in plan.base.run(self.parser.place).tolist()
            for name in graph.types(one)
            for word in stems(spaced(name))
        }
        words = [
            word for word in self.english.content(MENTION.sub(" ", lead)) if not self.english.is_among(word, types)
        ]
        words = [word for word in words if not self.english.match("light_verb", word)]
        unread = self.resolver.unexplained(plan, words)
        if unread and not (is_measured and len(unread) == 1):
            raise UnreadWordError(unread[0])
        self.resolver.assume(plan, unread)

    def _count(self, text: str) -> ValuePlan | None:
        match = self.english.match("count", text)
        if not match:
            return None
        base = match["base"]
        compared = _MORE_THAN.match(base)
        if compared:
            raise UnreadWordError(compared["more"])
        if self.english.match("people_first", base) and not self.resolver.lexicon.class_named(("person",)):
            raise CannotPlanError("this graph has no people to count", code="operators.no_people")
        counted = self.english.match("counted", base)
        base = base[counted.end() :] if counted else base
        together = self.english.match("together", base)
        if together:
            parts = [
                self.parser.set(f"which {together['what']} does e{number} have")
                for number in MENTION.findall(together["who"])
            ]
            return p.Count(p.Either(tuple(parts)))
        try:
            plan = self.parser.set(f"{'in which' if match['place'] else 'which'} {base}")
        except CannotPlanError:
            total = self._given_total(base)
            if total is None:
                raise
            return total
        return self._given_number(plan) or p.Count(plan)

    def _given_total(self, words: str) -> p.Amount | None:
        """Return the sum of an attribute that counts the things asked for, over all entities; else None."""
        if MENTION.search(words):
            return None
        try:
            base, measure = self.resolver.measured(words, (), words)
        except CannotPlanError:
            return None
        return p.Amount(base, measure) if isinstance(measure, p.Attribute) and self._counts(measure.source) else None

    @staticmethod
    def _counts(source: Source | None) -> bool:
        """Return whether a property gives whole numbers without a unit."""
        kind = None if source is None else source.literal
        return kind is not None and kind.kind == "integer" and not kind.unit

    def _given_number(self, plan: SetPlan) -> p.Amount | None:
        """Return the attribute that counts the things asked for, such as `number_of_beds`; else None."""
        if not isinstance(plan, p.Along):
            return None
        relation, forward = plan.steps[-1]
        sources = sources_of(self.parser.place.graph)
        source = next((source for source in sources if source.relation == relation), None)
        if source is None or not forward or not self._counts(source):
            return None
        base = p.Along(plan.start, plan.steps[:-1], plan.back) if plan.steps[1:] else p.Listed((plan.start,))
        return p.Amount(base, p.Attribute(source))

    def _people(self, text: str) -> ValuePlan | None:
        """Read «how many people live in e0»: where people are not a class, their number is an attribute."""
        match = self.english.match("people", text)
        if not match or self.resolver.lexicon.class_named(("person",)):
            return None
        return self._amount_of(match["where"], match["what"])

    def _how(self, text: str) -> Plan | None:
        """Read «how large is e0», «how old is the capital of e0»."""
        match = self.english.match("how", text)
        comparison = self.english.comparatives.get(f"more {match['adjective']}") if match else None
        if match is None or comparison is None:
            return None
        base = self._named(match["what"])
        names = ("age", *comparison.names) if match["adjective"] == "old" else comparison.names
        measure = self.resolver.measure("", names, base, f"how {match['adjective']}")
        if measure.is_date(self.parser.place):
            from graphbrick.bricks.retrieve.operators.today import age_by  # most questions are about no age

            age = age_by(self.parser.place, measure)
            if age is None:
                date = measure.text(self.parser.place)
                text = f"'how {match['adjective']}' needs an age; this graph has a date, {date!r}"
                raise CannotPlanError(text, code="operators.needs_age")
            measure = age
        is_column = isinstance(measure, p.Attribute) and measure.source.relation < 0 and not isinstance(base, p.Best)
        if is_column and isinstance(measure, p.Attribute) and len(base.run(self.parser.place)) > 1:
            return Values(base, measure.source, "each")  # «how old were the bakers of e0» asks for the age of each
        return p.Amount(base, measure)

    def _named(self, text: str) -> SetPlan:
        return self.parser.set(text if self.english.match("listed", text) else f"which {text}")

    def _amount_of(self, where: str, words: str, *, how: str = "sum") -> ValuePlan:
        base = self._named(where)
        measure = self.resolver.attribute(words, base)
        if how == "sum" and measure is not None and not MEANS.isdisjoint(measure.source.stems):
            measure = None  # an average of its own is no total
        if measure is None and isinstance(base, p.Listed):
            base, measure = self._of_parts(base, words)
        if measure is None:
            raise CannotPlanError(
                f"this graph has no number for {words!r} here", code="operators.no_number", words=words
            )
        return p.Amount(base, self._of_today(measure, words), how)

    def _of_parts(self, base: p.Listed, words: str) -> tuple[SetPlan, p.Attribute | None]:
        """Return what one relation joins to an entity that has a number: «the average price of e0», a category."""
        csr, place = self.parser.place.graph.csr, self.parser.place
        options = list[tuple[SetPlan, p.Attribute]]()
        for entity in base.entities[:1] if len(base.entities) == 1 else ():
            leaving, entering = csr.relation[csr.row(entity, True)], csr.relation[csr.in_triple[csr.row(entity, False)]]
            for forward, row in ((True, leaving), (False, entering)):
                for relation in dict.fromkeys(row.tolist()):
                    along = p.Along(entity, ((relation, forward),))
                    several = len(along.run(place)) > 1
                    measure = self.resolver.attribute(words, along) if several else None
                    options += [(along, measure)] if measure is not None and not measure.source.is_date else []
        return options[0] if len(options) == 1 else (base, None)

    def _total(self, text: str) -> ValuePlan | None:
        match = self.english.match("total", text)
        if match is None:
            return None
        how, words = HOW.get(match["how"], "sum"), match["attr"]
        whole = f"{match['how']} {words}"
        if any(source.stems == stems(whole) for source in self.resolver.numeric):
            words = whole  # «total cost» of `total_cost`, beside other costs
        if match["base"] is not None:
            return self._amount_of(match["base"], words, how=how)
        base, measure = self.resolver.measured(words, (), whole)
        return p.Amount(base, self._of_today(measure, words), how)

    def _of_today(self, measure: p.Measure, words: str) -> p.Measure:
        """Return a measure; for «age», where there is a date of birth, the years until today.

        Raises:
            CannotPlanError: The words speak of no date, but the graph has one for them.
        """
        name = measure.text(self.parser.place)
        if not measure.is_date(self.parser.place) or set(stems(words)) & set(stems(spaced(name))):
            return measure
        from graphbrick.bricks.retrieve.operators.today import age_by  # most questions are about no age

        age = age_by(self.parser.place, measure) if set(stems(words)) == {stem("age")} else None
        if age is None:
            text = f"{name} is a date: it tells no {words!r}, of today or of those who have died"
            raise CannotPlanError(text, code="operators.needs_today", words=words)
        return age

    def _difference(self, text: str) -> ValuePlan | None:
        """Read «how many more people live in e0 than in e1», «how much larger is e0 than e1»."""
        match = self.english.match("difference", text)
        if not match:
            return None
        comparison, words = self.english.comparatives[match["more"]], match["attr"] or ""
        sides: tuple[ValuePlan, ...] = self._counts_of_both(match)
        if not sides:
            one, other = (self.parser.set(match[name]) for name in ("one", "other"))
            measure = self.resolver.measure(words, comparison.names, one, f"{match['more']} {words}".strip())
            sides = p.Amount(one, measure), p.Amount(other, measure)
        return p.Difference(*(sides if comparison.largest else sides[::-1]))

    def _counts_of_both(self, match: re.Match[str]) -> tuple[ValuePlan, ...]:
        """Read «how many more services does e0 own than e1»: both counts; empty for other differences."""
        words, one, other = match["attr"], match["one"], match["other"]
        done, done_by = _DONE.fullmatch(one), _DONE_BY.fullmatch(one)
        if not words or not (done or done_by) or not match[0].startswith("how many"):
            return ()
        if done_by:
            other = done_by["verb"] + other.removeprefix("by ")
        elif done and not _DONE.fullmatch(other):
            other = f"{other} {done['verb']}"
        counts = (self._count(f"how many {words} {'does' if done else 'are'} {side}") for side in (one, other))
        return tuple(filter(None, counts))
