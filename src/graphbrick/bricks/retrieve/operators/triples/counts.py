"""Questions for numbers of triples, and for sums of their properties or of what they lead to, read by rules."""

from __future__ import annotations

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.amounts import HOW, InUnit
from graphbrick.bricks.retrieve.operators.plan import Plan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.triples.edges import Edges
from graphbrick.bricks.retrieve.operators.triples.frames import YEARS, Frame
from graphbrick.bricks.retrieve.operators.triples.parts import Parts
from graphbrick.bricks.retrieve.operators.triples.periods import Period
from graphbrick.bricks.retrieve.operators.triples.plans import CountOfTriples, EdgeValues, Ends, OfTriples
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.units import factor_of, is_without_unit
from graphbrick.language.stems import stem, stems


class Counts(Parts):
    """A reader of questions for a number."""

    def count(self, text: str) -> Plan | None:
        """Read «how many home runs did e0 hit», «how many e0 did e1 win», «how many awards did e0 win in 2011»."""
        times = self.english.match("times", text)
        match = times or self.english.match("count", text)
        if not match:
            return None
        period, rest = self.period(match["base"])
        rest = self.english.without("whole_time", rest)
        words = rest.split()
        if times or not words:
            return (self._number_of_triples(rest, period) or self._times_on_the_way(rest, period)) if words else None
        one, size = self.number(words, rest)
        if one is not None:
            traded = self.english.search("traded", rest)
            used = one.words | frozenset(self.english.content(traded[0]) if traded else ())
            own = None if period else self._own(rest, one)
            if own is not None:
                return own
            frame = self._frame_of(" ".join(words[size:]), period, one, used)
            if frame is None:
                return None
            factor = factor_of(one.name, words[0]) if is_without_unit((stem(words[0]),), one.name) else None
            total = OfTriples(frame.edges, one.name)
            return self.with_notes(InUnit(total, factor, words[0]) if factor else total, frame)
        if stem(words[0]) in YEARS:
            return self._number_of_years(words, period)
        gains = bool(self.english.search("gains", rest))
        if MENTION.fullmatch(words[0]) and len(set(MENTION.findall(rest))) == 2:
            between = self._number_of_triples(rest, period, needs_verb=gains)
            if between is not None or gains:
                return between
        return self._number_of_ends(rest, period, gains=gains) or self._number_of_dated(rest, period)

    def _own(self, rest: str, one: TripleProperty) -> Plan | None:
        """Return a number that the only entity of a question has itself, such as the wins of «2001 Oslo Bears»."""
        entity = self.one_entity(rest)
        sources = [source for source in self.resolver.numeric if source.relation < 0 and source.stems == one.stems]
        if entity is None or not sources:
            return None
        measure, own = p.Attribute(sources[0]), p.Listed((entity,))
        return None if np.isnan(measure.of(self.place, own.run(self.place))).all() else p.Amount(own, measure)

    def _times_on_the_way(self, rest: str, period: Period | None) -> Plan | None:
        """Read «how many times did e0 win e1», where e0 wins races, and races are editions of e1."""
        match = self.english.match("did_to", rest)
        if match is None or period is not None:
            return None
        one, other = self.parser.entity(match["one"]), self.parser.entity(match["other"])
        noun = self.lexicon.classes_of(np.array([one]))
        walk = self.parser.schema.along(f"which {noun} {match['verb']} {match['other']}", other) if noun else None
        if not isinstance(walk, Walk) or len(walk.steps) < 2:
            return None
        *way, (relation, forward) = walk.steps
        passed = Walk(walk.base, tuple(way), walk.classes[:-1])
        return p.Count(p.Both((passed, p.Along(one, ((relation, not forward),)))))

    def _number_of_triples(self, rest: str, period: Period | None, *, needs_verb: bool = True) -> Plan | None:
        frame = self.dated(rest, period, needs_verb=needs_verb)
        return None if frame is None else self.with_notes(CountOfTriples(frame.edges), frame)

    def _number_of_years(self, words: list[str], period: Period | None) -> Plan | None:
        """Read «how many seasons did e0 play for e1»."""
        frame = self.dated(" ".join(words[1:]), period)
        dates = [] if frame is None else self.frames.moments(frame.edges.relation)
        named = [one for one in dates if stem(words[0]) in one.words] or dates
        if frame is None or not named:
            return None
        return self.with_notes(EdgeValues(frame.edges, named[0].name, "count"), frame)

    def _number_of_ends(self, rest: str, period: Period | None, *, gains: bool) -> Plan | None:
        if not MENTION.search(rest) or not (period or gains):
            return None
        frame = self.frame(rest, period=period, needs_verb=not period)
        if frame is None or frame.open_heads == frame.open_tails or not self.asks_for_open(rest, frame):
            return None
        is_dated = period is None or frame.has_period
        gains = gains and not self.english.search("subject_counted", rest)
        if gains and is_dated and any(frame.edges.relation in one.relations for one in self.frames.properties):
            return self.with_notes(CountOfTriples(frame.edges), frame)
        inside = self.ends(frame, period)
        return None if inside is None else self.with_notes(p.Count(inside), frame)

    def _number_of_dated(self, rest: str, period: Period | None) -> Plan | None:
        """Read «number of invoices in 2009»: entities whose own date is in a stretch of time."""
        if period is None:
            return None
        base = self.parser.set(self.english.as_question(rest))
        if isinstance(base, Walk) and not base.is_backward:
            return None  # the time may be that of a thing on the way
        inside = self.within(base, period)
        return None if inside is None else p.Count(inside)

    def amount(self, text: str) -> Plan | None:
        """Read «what was the salary of e0 in 2005», «how much has e0 spent in total», «the average salary of e0»."""
        match = self.english.match("amount_of", text)
        if not match or not MENTION.search(text) or not (match["lead"] or match["how"]):
            return None
        period, rest = self.period(match["rest"])
        whole = self.english.search("whole_time", rest)
        rest = self.english.without("whole_time", rest)
        how = HOW.get(match["how"] or "", "sum" if whole or self._is_sum(match["lead"], rest) else "")
        words = self.english.content(MENTION.sub(" ", rest))
        if rest.startswith("of ") and match["how"]:  # «the total of the invoices»: a number called so
            words.append(stem(match["how"]))
        numbers = [
            one
            for one in self.frames.properties
            if one.is_number and any(self.english.is_among(word, one.words) for word in words)
        ]
        said = [one for one in numbers if one.words <= set(words)] or numbers
        pairs = [(one, frame) for one in said if (frame := self._amount_frame(rest, period, one)) is not None]
        if len(pairs) == 1:
            one, frame = pairs[0]
            if how:
                return self.with_notes(OfTriples(frame.edges, one.name, how), frame)
            is_one = len(frame.edges.run(self.place)) == 1
            return self.with_notes(EdgeValues(frame.edges, one.name), frame) if period or is_one else None
        return self._amount_of_ends(rest, words, period, how) if how in ("sum", "mean") and not pairs else None

    def _is_sum(self, lead: str, rest: str) -> bool:
        """Return whether a question asks for a sum: «how much ...», «what did e0 spend»."""
        return "how much" in lead or (lead.strip() == "what" and bool(self.english.search("spends", rest)))

    def _amount_frame(self, rest: str, period: Period | None, one: TripleProperty) -> Frame | None:
        said = {word for word in self.english.content(rest) if self.english.is_among(word, one.words)}
        frame = self._frame_of(rest, period, one, one.words | said)
        return None if frame is None or np.isnan(frame.edges.numbers(self.place, one.name)).all() else frame

    def _frame_of(self, rest: str, period: Period | None, one: TripleProperty, used: frozenset[str]) -> Frame | None:
        """Return the triples with a property that the rest of a question speaks of."""
        frame = self.frame(rest, period=period, used=used, of=one, needs_verb=False)
        if frame is None or (period and not frame.has_period) or (frame.open_heads and frame.open_tails):
            return None
        return frame

    def _has_own(self, entity: int, words: list[str]) -> bool:
        """Return whether an entity has itself a number that words speak of: «how much does e0 earn»."""
        own = np.array([entity], dtype=np.int64)
        return any(
            source.relation < 0
            and not source.is_date
            and any(self.english.is_among(word, source.words) for word in words)
            and not np.isnan(p.Attribute(source).of(self.place, own)).all()
            for source in self.resolver.numeric
        )

    def _amount_of_ends(self, rest: str, words: list[str], period: Period | None, how: str) -> Plan | None:
        """Read «how much has e0 spent»: a number of what one relation leads to."""
        entity = self.one_entity(rest)
        if entity is None or not words or self.english.search("own_amount", rest) or self._has_own(entity, words):
            return None
        own, plans = p.Listed((entity,)), list[Plan]()
        leaving, entering = self.frames.relations_of(entity)
        for relation, heads in [*((r, True) for r in sorted(leaving)), *((r, False) for r in sorted(entering))]:
            ends = Ends(Edges(relation, own if heads else None, None if heads else own), not heads)
            names = self.lexicon.relations[relation].words | set(stems(self.frames.classes(relation)[heads]))
            others = [word for word in words if not self.english.is_among(word, names)]
            for source in self.resolver.numeric:
                is_said = others and all(self.english.is_among(word, source.words) for word in others)
                if source.is_date or source.relation >= 0 or not is_said:
                    continue
                measure = p.Attribute(source)
                if not np.isnan(measure.of(self.place, ends.run(self.place))).all():
                    inside = ends if period is None else self.within(ends, period)
                    plans += [] if inside is None else [p.Amount(inside, measure, how)]
        return plans[0] if len(plans) == 1 else None
