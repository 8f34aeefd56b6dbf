"""Comparisons of two entities that a question names: «e0 or e1, whose budget is larger»."""

from __future__ import annotations

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.clauses import Clauses
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.small_words import DATED
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.wordings.plain_words.compass import UPWARD, is_coordinate
from graphbrick.patterns.properties.sources import Source

_ASKING = frozenset(
    "which who what whose is are was were did do does has have had got one of them the these two ones it".split()
)
_LIGHT = frozenset("give gives gave get gets bring brings come comes came offer offers at".split())
_LIES = frozenset("lies lie is are located situated".split())
_EARLIER = {**DATED, "more recently": True, "more recent": True, "earlier": False, "later": True, "before": False}


class Pairs(Clauses):
    """A reader of what a question says of two entities, without them."""

    def compared_pair(self, pair: Subject) -> SetPlan | None:
        """Return the one of a pair that compares as the words say; None if one of them has no place."""
        at = self.tokens.past(0, _ASKING | _LIGHT)
        return (
            self._by_place(at, pair)
            or self._by_comparative(at, pair)
            or self._by_name(at, pair)
            or self._by_time(at, pair)
        )

    def _by_place(self, at: int, pair: Subject) -> SetPlan | None:
        """Read «is farther from e2», «lies further north», by distances and coordinates."""
        tokens = self.tokens
        for said, end in tokens.phrase(tokens.past(at, _LIES), self.english.comparatives):
            comparison = self.english.comparatives[said]
            if "distance" not in comparison.names:
                continue
            for measure, _, last in self._far_from(end, pair.name):
                if last == len(tokens):
                    return p.Best(pair.plan, measure, comparison.largest)
            point = tokens.word(tokens.past(end, ("to", "the"))).removesuffix("ern")
            sources = [one for one in self.own_sources(pair.name) if one.stems and is_coordinate(one, point)]
            if len(sources) == 1 and tokens.past(end, ("to", "the")) + 1 == len(tokens) and comparison.largest:
                return self._best(pair, sources[0], largest=point in UPWARD)
        return None

    def _best(self, pair: Subject, source: Source, *, largest: bool) -> SetPlan:
        return p.Best(pair.plan, p.Attribute(source), largest)

    def _is_end(self, at: int, source: Source) -> bool:
        """Return whether only words of the name of a number follow."""
        return self.past_own_words(at, source) == len(self.tokens)

    def _by_comparative(self, at: int, pair: Subject) -> SetPlan | None:
        """Read «pricier», «more expensive», «more credits», «the lower price», «more electronegative»."""
        tokens = self.tokens
        for said, end in tokens.phrase(at, self.english.comparatives):
            comparison = self.english.comparatives[said]
            for source, last in self.sources(end, pair):
                if source.literal is not None and self._is_end(last, source):
                    return self._best(pair, source, largest=comparison.largest)
            measure = self.measure_of(comparison.names, pair)
            if measure is not None and self._is_end(end, measure.source):
                return p.Best(pair.plan, measure, self.is_upward(comparison, measure))
        for source in self.numbers_like(at + 1, pair) if tokens.word(at) in ("more", "less") else ():
            if self._is_end(at + 2, source):
                return self._best(pair, source, largest=tokens.word(at) == "more")
        return None

    def _by_name(self, at: int, pair: Subject) -> SetPlan | None:
        """Read «budget is larger», «costs more», «melts lower»."""
        tokens = self.tokens
        named = [(source, end) for source, end in self.sources(at, pair) if source.literal is not None]
        named += [(source, at + 1) for source in self.measured_by(at, pair)]
        for source, end in named:
            for said, last in tokens.phrase(tokens.past(end, _ASKING | _LIGHT), self.english.comparatives):
                if last == len(tokens):
                    return self._best(pair, source, largest=self.english.comparatives[said].largest)
        return None

    def _by_time(self, at: int, pair: Subject) -> SetPlan | None:
        """Read «was renovated more recently», «was born first»."""
        dates = self.dates_named(self.tokens.verb_stems(at), pair.name)
        for said, end in self.tokens.phrase(at + 1, _EARLIER) if len(dates) == 1 else ():
            if end == len(self.tokens):
                return self._best(pair, dates[0], largest=_EARLIER[said])
        return None
