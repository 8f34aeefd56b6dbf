"""Stretches of time and prices that belong to a thing on the way: «which tracks did e0 buy in 2010»."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.measures import Span
from graphbrick.bricks.retrieve.operators.plan import Plan, SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.edges import During, Edges
from graphbrick.bricks.retrieve.operators.triples.parts import Parts
from graphbrick.bricks.retrieve.operators.triples.plans import Ends
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.stems import stem

_PRICES = frozenset(map(stem, ("price", "cost", "amount", "paid", "fee")))
_EXACT = 1e-9


class _Place(NamedTuple):
    """A place on a walk that has what a condition is about.

    Attributes:
        at: The number of the step after which entities are selected, or whose triples are.
        measure: The number or date of the entities; None for triples.
        name: The property of the triples; "" for entities.
    """

    at: int
    measure: p.Attribute | None
    name: str = ""


class OnTheWay(Parts):
    """A reader of conditions on what a walk passes."""

    def read(self, text: str) -> Plan | None:
        """Return the plan of a question with a condition on the way; None for another question."""
        if re.search(r"\bthe [12]\d{3} (?:[a-z]+ )?e\d", text):
            return None  # «the 2012 e0» is an entity that the time describes
        paid = self._paid(text)
        period, rest = (None, paid[1]) if paid else self.period(text)
        span = paid[0] if paid else period.span if period else None
        match = self.english.match("count", rest)
        phrase = f"which {match['base']}" if match else rest
        if span is None or self.english.cues.search(phrase) or len(set(MENTION.findall(phrase))) > 1:
            return None
        walk = self._walk(phrase)
        if walk is None:
            return None
        places = self._prices(walk) if paid else self._dates(walk)
        said = self._said_before(text, walk) if not paid else None
        chosen = [one for one in places if one.at == said and one.measure is not None] or places
        if len(chosen) > 1:
            words = self.english.content(MENTION.sub(" ", phrase))
            chosen = [one for one in chosen if self._is_spoken(walk, one.at, words)]
        if len(chosen) != 1:
            return None
        plan = self._narrowed(walk, chosen[0], span)
        if walk in self.resolver.assumptions:
            self.resolver.assumptions[plan] = self.resolver.assumptions[walk]
        return p.Count(plan) if match else plan

    def _walk(self, phrase: str) -> Walk | None:
        """Return the walk that a phrase without its condition asks for; None if it is another plan."""
        mentions = MENTION.findall(phrase)
        if mentions:
            plan = self.parser.schema.along(phrase, self.parser.entity(f"e{mentions[0]}"))
        else:
            plan = self.parser.set(phrase)
            parts = [part for part in getattr(plan, "parts", ()) if isinstance(part, Walk)]
            if len(parts) == 2:
                first, last = parts  # «who won the race at Rome»: the way from Rome passes what was won
                plan = last if last.steps[-len(first.steps) :] == first.steps else plan
        return plan if isinstance(plan, Walk) else None

    def _paid(self, text: str) -> tuple[Span, str] | None:
        """Return the price that was paid, and the question whether it was bought: «what did e0 pay 1.99 for»."""
        match = self.english.search("paid_for", text)
        amount = self.english.read_amount(match["amount"]) if match else None
        if match is None or amount is None:
            return None
        kind = self.english.bounds.get((match["bound"] or "").strip(), "exactly")
        low, high, said = {
            "over": (amount.value, np.inf, "over"), "under": (-np.inf, amount.value, "under"),
            "least": (amount.value, np.inf, "at least"), "most": (-np.inf, amount.value, "at most"),
            "exactly": (amount.value - _EXACT, amount.value + _EXACT, "of"),
        }[kind]  # fmt: skip
        verb = "bought" if match["verb"] in ("paid", "spent") else "buy"
        rest = re.sub(r"\s+", " ", f"{text[: match.start()]} {verb} {text[match.end() :]}").strip()
        return Span(low, high, kind not in ("over", "under"), f"{said} {amount.value:g}"), rest

    def _dates(self, walk: Walk) -> list[_Place]:
        """Return the places of a walk that have one date: things that it passes, and its triples."""
        places = list[_Place]()
        if walk.is_backward and (measure := self.date_of(walk.base)) is not None:
            places.append(_Place(-1, measure))
        for at, (relation, _) in enumerate(walk.steps):
            measure = self.date_of(p.Members(walk.classes[at])) if at < len(walk.steps) - 1 else None
            if measure is not None:
                places.append(_Place(at, measure))
            moments = self.frames.moments(relation)
            if len(moments) == 1:
                places.append(_Place(at, None, moments[0].name))
        return places

    def _prices(self, walk: Walk) -> list[_Place]:
        """Return the price of the triples of a walk; of what it leads to, if they have none."""
        triples = [
            _Place(at, None, one.name)
            for at, (relation, _) in enumerate(walk.steps)
            for one in self.frames.properties
            if one.is_number and one.words & _PRICES and relation in one.relations
        ]
        if triples:
            return triples
        ends = p.Members(walk.classes[-1])
        measures = (self.resolver.attribute(name, ends) for name in ("price", "cost", "amount"))
        return [_Place(len(walk.steps) - 1, measure) for measure in measures if measure is not None][:1]

    def _is_spoken(self, walk: Walk, at: int, words: Sequence[str]) -> bool:
        """Return whether words say the relation of a step that a place belongs to."""
        names = self.lexicon.relations[walk.steps[max(at, 0)][0]].words
        return any(self.english.is_among(word, names) for word in words)

    def _said_before(self, text: str, walk: Walk) -> int | None:
        """Return the step that leads to the class whose noun stands before the stretch of time; None for no noun."""
        period = self.period(text)[0]
        common = 0
        while period and common < len(period.rest) and text[common] == period.rest[common]:
            common += 1
        named = self.parser.schema.classes_in(" ".join(text[:common].split()[-2:]))
        names = [self._start(walk), *walk.classes]
        return names.index(named[-1][0]) - 1 if named and named[-1][0] in names else None

    @staticmethod
    def _start(walk: Walk) -> str:
        return walk.base.name if isinstance(walk.base, p.Members) else ""

    def _narrowed(self, walk: Walk, place: _Place, span: Span) -> SetPlan:
        """Return a walk that passes only what meets a condition."""
        steps, classes, at = walk.steps, walk.classes, place.at
        if place.measure is not None:
            passed = self._part(walk, steps[: at + 1], classes[: at + 1])
            inside: SetPlan = p.Within(
                passed, place.measure, span.low, span.high, includes=span.includes, said=span.said
            )
        else:
            relation, forward = steps[at]
            passed = self._part(walk, steps[:at], classes[:at])
            edges = Edges(
                relation, passed if forward else None, None if forward else passed, (During(place.name, span),)
            )
            inside = Ends(edges, heads=not forward)
        rest = steps[at + 1 :], classes[at + 1 :]
        return Walk(inside, *rest) if rest[0] else inside

    @staticmethod
    def _part(walk: Walk, steps: Sequence[tuple[int, bool]], classes: Sequence[str]) -> SetPlan:
        return replace(walk, steps=tuple(steps), classes=tuple(classes), is_backward=False) if steps else walk.base
