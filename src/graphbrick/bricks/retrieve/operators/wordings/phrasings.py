"""Everyday wordings of sets by properties: «the last employee to be hired», «invoices in 2009», «out of stock»."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.presence import with_property
from graphbrick.core.properties.values import Kind
from graphbrick.language.stems import stem, stems
from graphbrick.patterns.properties.sources import Source, sources_of

_LATE = ("last", "latest", "newest", "most recent", "most recently", "newly")


class Phrasings:
    """A reader of everyday wordings in the phrases of one question.

    Args:
        resolver: Knows the graph and its words.
        read: Returns the plan of a phrase.
        entity: Returns what a placeholder stands for.
    """

    def __init__(self, resolver: Resolver, read: Callable[[str], SetPlan], entity: Callable[[str], int]) -> None:
        self.resolver, self.read, self.entity, self.place = resolver, read, entity, resolver.place
        self.english, self.lexicon = resolver.english, resolver.lexicon
        self.columns = [source for source in sources_of(resolver.place.graph) if source.relation < 0]

    def set(self, text: str) -> SetPlan | None:
        """Return the plan of a phrase in such a wording; None for another phrase.

        Raises:
            CannotPlanError: The graph does not have what the phrase speaks of.
        """
        for rule in (
            self._namesakes,
            self._done_first,
            self._except,
            self._in_one,
            self._at_hand,
            self._not_done,
            self._with_value,
            self._with_number,
            partial(with_property, self.resolver, self.read),
        ):
            plan = rule(text)
            if plan is not None:
                return plan
        return None

    def cue(self, text: str) -> str:
        """Return the words of a text that such a wording has, where a plain path would not see them; "" for none."""
        match = self.english.match("called", text) or self.english.match("except_those", text)
        if match:
            return match[0]
        dated, gained = self.english.match("done_in_time", text), self.english.match("gained", text)
        if dated and any(one.is_date and stem(dated["attr"]) in one.words for one in self.columns):
            return dated["when"]
        if gained and self.resolver.has_number(gained["what"]):
            return gained["what"]
        at_hand = self.english.search("at_hand", text)
        return at_hand["how"] if at_hand and self._amounts(at_hand["how"]) else ""

    def _namesakes(self, text: str) -> SetPlan | None:
        """Read «players called e0»: all entities of a class with a name."""
        match = self.english.match("called", text)
        if match is None:
            return None
        graph, who = self.place.graph, self.entity(match["who"])
        noun = match["noun"] or ""
        of_class = self.lexicon.class_named(stems(noun))
        if self.english.content(noun) and not of_class and stem(noun) not in self.english.anything:
            return None
        entities = sorted({who, *graph.named(graph.label(who))})
        if of_class:
            entities = [entity for entity in entities if np.isin(entity, self.lexicon.classes[of_class])]
        return p.Listed(tuple(entities)) if entities else None

    def _done_first(self, text: str) -> SetPlan | None:
        """Read «the last employee to be hired», «the first two players born in Japan»."""
        match = self.english.match("done_first", text)
        if match is None:
            return None
        noun, verb, rest = match["base"] or "", match["verb"], match["rest"] or ""
        largest, n = match["when"] in _LATE, self.english.count_of(match["n"] or "")
        try:
            if not self.english.content(noun):
                if rest:
                    return None
                base, measure = self.resolver.measured(verb, (), verb, dates=True)
            else:
                base = self.read(f"which {noun} {verb}{rest}" if rest else f"which {noun}")
                measure = self.resolver.date(verb, base, match["when"])
        except CannotPlanError:
            return None
        return p.Best(base, measure, largest, n=n)

    def _except(self, text: str) -> SetPlan | None:
        """Read «customers in France except those of e0», «except e0's»."""
        match = self.english.match("except_those", text)
        noun = next(iter(self.lexicon.classes_in(match["base"])), "") if match else ""
        if match is None or not noun:
            return None
        other = f"of {match['owner']}" if match["owner"] else match["rest"]
        return p.Without(self.read(self.english.as_question(match["base"])), self.read(f"which {noun} {other}"))

    def _in_one(self, text: str) -> SetPlan | None:
        """Read «the most wins in a season» of teams that have one season each."""
        match = self.english.match("in_one_value", text)
        sources = self._named(match["noun"]) if match else []
        if match is None or not sources:
            return None
        plan = self.read(match["rest"])
        entities = plan.run(self.place)
        has = any(np.isin(entities, self.resolver.holding(source).run(self.place)).all() for source in sources)
        return plan if has and len(entities) else None

    def _named(self, noun: str) -> list[Source]:
        """Return the columns with a name."""
        own, joined = stems(noun), noun.replace(" ", "")
        return [source for source in self.columns if own and (source.stems == own or source.name.lower() == joined)]

    def _not_done(self, text: str) -> SetPlan | None:
        """Read «orders that have not been shipped», where a date tells when they are."""
        match = self.english.match("not_done", text)
        if match is None or not self.english.content(match["base"]):
            return None
        words = self.english.content(match["verb"])
        dates = [one for one in self.columns if one.is_date and words and set(words) <= one.words]
        if len(dates) != 1:
            return None
        base, holds = self.read(self.english.as_question(match["base"])), self.resolver.holding(dates[0])
        inside = np.isin(base.run(self.place), holds.run(self.place))
        return p.Without(base, holds) if inside.any() and not inside.all() else None

    def is_at_hand(self, text: str) -> p.IsAmong | None:
        """Return the plan of «is e0 in stock»; None for another question."""
        match = self.english.match("is_at_hand", text)
        if match is None or not self._amounts(match["how"]):
            return None
        one = p.Listed((self.entity(match["who"]),))
        inside = self._part_at_hand(one, match["how"], is_not=bool(match["not"]))
        return None if inside is None else p.IsAmong(one, inside)

    def _at_hand(self, text: str) -> SetPlan | None:
        """Read «products that are out of stock», where `UnitsInStock` or `inStock` tells how many, or whether, are."""
        match = self.english.search("at_hand", text)
        if match is None:
            return None
        sources = self._amounts(match["how"])
        base_text = f"{text[: match.start()]}{text[match.end() :]}".strip()
        said = set(self.english.content(base_text))
        if not sources or not said or any(said & (source.words - {*stems(match["how"])}) for source in sources):
            return None  # «the most units in stock» are an amount
        base = self.read(self.english.as_question(base_text))
        return self._part_at_hand(base, match["how"], is_not=bool(match["not"]))

    def _part_at_hand(self, base: SetPlan, how: str, *, is_not: bool) -> SetPlan | None:
        """Return the part of a set that is in stock, or out of stock."""
        is_none, entities = how.startswith("out of ") != is_not, base.run(self.place)
        for source in self._amounts(how):
            if not np.isin(entities, self.resolver.holding(source).run(self.place)).any():
                continue
            if source.kind == Kind.BOOLEAN:
                holds = p.Where(base, (source,), True)
                return p.Without(base, holds) if is_none else holds
            return p.Within(base, p.Attribute(source), 0, 0 if is_none else np.inf, is_none)
        return None

    def _amounts(self, how: str) -> list[Source]:
        """Return the columns that tell how many are in stock, or, for «out of stock», also whether any are."""
        words = stems(how.replace("out of ", "in "))
        sources = [source for source in self.columns if source.stems[-len(words) :] == words]
        numbers = [s for s in sources if s.literal is not None and s.kind != Kind.BOOLEAN and s.stems != words]
        return numbers + [s for s in sources if s.kind == Kind.BOOLEAN and how.startswith("out of ")]

    def _with_value(self, text: str) -> SetPlan | None:
        """Read «customers without a company», where company is a property."""
        match = self.english.match("with_value", text)
        own = match["what"] if match else ""
        sources = [source for source in self._named(own) if source.kind != Kind.BOOLEAN]
        if match is None or not sources or not self.english.content(match["base"]):
            return None
        base = self.read(self.english.as_question(match["base"]))
        inside = np.isin(base.run(self.place), self.resolver.holding(sources[0]).run(self.place))
        if not inside.any():
            return None
        holds: SetPlan = p.Both((base, self.resolver.holding(sources[0])))
        if sources[0].literal is not None and not sources[0].is_date:
            holds = p.Within(base, p.Attribute(sources[0]), 0)  # «no units in stock»
        return p.Without(base, holds) if self.english.match("with_none", match["how"]) else holds

    def _with_number(self, text: str) -> SetPlan | None:
        """Read «tracks that cost 1.99»."""
        match = self.english.match("with_number", text)
        amount = self.english.read_amount(match["right"]) if match else None
        if match is None or amount is None or amount.date or self.english.cues.search(match["base"]):
            return None
        if not self.english.content(match["base"]) or not self.resolver.has_number(match["verb"]):
            return None
        try:
            base = self.read(self.english.as_question(match["base"]))
        except CannotPlanError:
            return None
        attribute = self.resolver.attribute(match["verb"], base)
        money = self.english.without("money", amount.rest)
        if attribute is None or attribute.source.is_date or attribute.source.relation >= 0 or money:
            return None
        return p.compared(base, attribute, "exactly", amount.value)

    def dated(self, text: str) -> SetPlan | None:
        """Return the plan of «invoices in 2009», entities with one date; None for another phrase."""
        match = self.english.match("of_time", text)
        when = self.english.read_amount(match["when"]) if match else None
        if match is None or when is None or when.rest or not self.lexicon.classes_in(match["base"]):
            return None
        if MENTION.search(match["base"]) or self.english.cues.search(match["base"]):
            return None
        base = self.read(self.english.as_question(match["base"]))
        if len(self.lexicon.classes_in(match["base"])) > 1:
            return None  # «teams that had incidents in 2010»: the time is that of the incidents
        date = self.resolver.plain_date(base)
        return None if date is None else p.dated(base, date, "exactly", when.as_date)
