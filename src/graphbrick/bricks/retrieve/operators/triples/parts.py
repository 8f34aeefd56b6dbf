"""Parts of questions about triples that several rules read: frames without unread words, dates of ends, notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.own_dates import LIFE_DATES
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import Plan, SetPlan
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.triples.edges import Edges
from graphbrick.bricks.retrieve.operators.triples.frames import TIME_WORDS, Frame, Frames
from graphbrick.bricks.retrieve.operators.triples.periods import Period, period_in
from graphbrick.bricks.retrieve.operators.triples.plans import Ends
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.units import is_without_unit
from graphbrick.core.properties.values import Kind
from graphbrick.language.stems import Stems, stem, stems

_LONGEST = 3  # words of the name of a property


class Parts:
    """A reader of parts of one question.

    Args:
        parser: Reads phrases of the question that ask for entities.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.resolver = parser, parser.english, parser.resolver
        self.place, self.lexicon = parser.place, parser.resolver.lexicon
        self.frames = Frames(parser)

    def period(self, text: str) -> tuple[Period | None, str]:
        """Return the stretch of time in a text, and the text without it."""
        period = period_in(text, self.english)
        return period, period.rest if period else text

    def number(self, words: Sequence[str], verbs: str = "") -> tuple[TripleProperty | None, int]:
        """Return the number of triples that some words begin with, and how many words name it.

        Args:
            words: The words.
            verbs: Words elsewhere that may be a part of the name: «stole the most bases».
        """
        of_verb = self._number_of_verb(words[0], verbs) if words and not self._is_joined(words[0], verbs) else None
        if of_verb is not None:
            named = {stems(name) for name in of_verb}
            numbers = [one for one in self.frames.properties if one.is_number and one.stems in named]
            return (numbers[0], 1) if numbers else (None, 0)
        for size in range(min(_LONGEST, len(words)), 0, -1):
            name = stems(" ".join(words[:size]))
            for one in self.frames.properties:
                if one.is_number and (one.stems == name or self._is_near(name, one) or self._is_rest(name, one, verbs)):
                    return one, size
        in_units = [
            one
            for one in self.frames.properties
            if one.is_number and is_without_unit(stems(" ".join(words[:1])), one.name)
        ]
        return (in_units[0], 1) if len(in_units) == 1 and stem(words[0]) not in self.lexicon.words else (None, 0)

    def _is_joined(self, noun: str, verbs: str) -> bool:
        """Return whether a relation with a verb leads to what a noun names: «won the most races», `won` to a race."""
        name = self.lexicon.class_named(stems(noun))
        said = [word for word in self.english.content(verbs) if word != stem(noun)]
        return bool(name) and any(
            name in self.frames.classes(relation)
            for relation, names in enumerate(self.lexicon.relations)
            if any(self.english.is_among(word, names.words) for word in said)
        )

    def _number_of_verb(self, noun: str, verbs: str) -> tuple[str, ...] | None:
        """Return names of the number that a verb asks for: wins for «won the most games»; None for another."""
        contest = self.english.search("won_or_lost", verbs) if self.english.match("contests", noun) else None
        if contest:
            return ("wins",) if contest["won"] else ("losses", "loss", "lost", "defeats")
        is_traded = self.english.match("pieces", noun) and self.english.search("traded", verbs)
        return ("quantity", "amount", "units", "copies") if is_traded else None

    def _is_near(self, name: Stems, one: TripleProperty) -> bool:
        return len(name) == 1 and one.stems in self.english.near.get(name[0], ())

    def _is_rest(self, name: Stems, one: TripleProperty, verbs: str) -> bool:
        others = one.words.difference(name)
        if not verbs or not others or len(others) == len(one.words):
            return False
        said = {near for word in stems(verbs) for near in (word, *(n[0] for n in self.english.near.get(word, ())))}
        return others <= said and set(name) <= one.words

    def frame(
        self,
        text: str,
        *,
        period: Period | None = None,
        used: frozenset[str] = frozenset(),
        of: TripleProperty | None = None,
        needs_verb: bool = True,
    ) -> Frame | None:
        """Return the triples that a text speaks of, every word of which is read; None if there are none.

        Args:
            text: The text, without the stretch of time.
            period: The stretch of time.
            used: Stems that need no relation.
            of: A property that the triples have; one verb that the graph does not know may stand beside it.
            needs_verb: Whether a word must speak of the relation.
        """
        frame = self.frames.best(text, period=period, used=used, of=of)
        if frame is None or (needs_verb and not frame.spoken):
            return None
        is_free = of is not None and len(frame.unread) == 1 and self._is_verb(frame.unread[0], text)
        return None if frame.unread and not is_free else frame

    def _is_verb(self, word: str, text: str) -> bool:
        """Return whether a word stands as a verb: after a name or after «who»."""
        verbs = re.findall(r"(?:\be\d+ |^who (?:has |have |had )?|^which [a-z]+ (?:has |have |had )?)([a-z-]+)", text)
        return word in map(stem, verbs) and word not in self.english.near

    def dated(self, text: str, period: Period | None, *, needs_verb: bool = True) -> Frame | None:
        """Return the triples of a text, if a stretch of time that it names is a condition on them."""
        frame = self.frame(text, period=period, needs_verb=needs_verb)
        return None if frame is None or (period and not frame.has_period) else frame

    def with_notes(self, plan: Plan, frame: Frame) -> Plan:
        """Return a plan; what it assumes of a verb and of dates is recorded."""
        own = {word for one in self.frames.properties for word in one.stems}
        verbs = [word for word in frame.unread if word not in own]
        if verbs:
            self.resolver.assume(plan, verbs)
        if frame.assumption:
            self.resolver.assumptions[plan] = frame.assumption
        return plan

    # What triples lead to

    def ends(self, frame: Frame, period: Period | None) -> SetPlan | None:
        """Return what triples lead to; those in a stretch of time if the triples have no dates; None if none have."""
        ends = Ends(frame.edges, frame.open_heads)
        return ends if period is None or frame.has_period else self.within(ends, period)

    def within(self, base: SetPlan, period: Period) -> SetPlan | None:
        """Return the entities of a set whose date is in a stretch of time; None if they have no one date."""
        measure, span = self.date_of(base), period.span
        if measure is None:
            return None
        return p.Within(base, measure, span.low, span.high, includes=span.includes, said=span.said)

    def date_of(self, base: SetPlan) -> p.Attribute | None:
        """Return the date of entities: the one called «date», «order date» of orders; else the only one."""
        entities = base.run(self.place)
        if not len(entities):
            return None
        dates = [p.Attribute(source) for source in self.resolver.numeric if source.is_date and source.relation < 0]
        own = [one for one in dates if np.mean(~np.isnan(one.of(self.place, entities))) >= 0.5]
        general = TIME_WORDS | set(stems(self.lexicon.classes_of(entities)))
        plain = [one for one in own if one.source.words <= general]
        plain = [one for one in plain if one.source.kind in (Kind.DATE, Kind.DATETIME)] or plain
        own = [one for one in own if not one.source.words & LIFE_DATES]
        return plain[0] if len(plain) == 1 else own[0] if len(own) == 1 else None

    def with_ends_in(self, edges: Edges, heads: bool, period: Period) -> Edges | None:
        """Return the triples whose head, or tail, has its date in a stretch of time; None if there is no date."""
        inside = self.within(Ends(edges, heads), period)
        if inside is None:
            return None
        return replace(edges, heads=inside) if heads else replace(edges, tails=inside)

    def asks_for_open(self, text: str, frame: Frame) -> bool:
        """Return whether the first class that a text names is that of the side that it leaves open."""
        named = self.lexicon.classes_in(re.split(r" (?:did|does|do|has|have|had|was|were|is|are|e\d+)\b", text)[0])
        of_class, schema = self.frames.classes(frame.edges.relation)[not frame.open_heads], self.parser.schema
        if not named:
            is_other = bool(schema.people()) and of_class in schema.classes.joins and of_class not in schema.people()
            return bool(re.match(r"(?:who|whom)\b", text)) and not is_other
        return named[0] == of_class

    def one_entity(self, text: str) -> int | None:
        """Return the only entity that a text names; None for none or several."""
        mentions = set(MENTION.findall(text))
        return self.parser.entities[int(mentions.pop())] if len(mentions) == 1 else None
