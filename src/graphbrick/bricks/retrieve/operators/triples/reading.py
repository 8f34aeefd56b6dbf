"""Questions about the properties of triples, and about dates and sums of what triples lead to, read by rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.measures import Span
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.triples.counts import Counts
from graphbrick.bricks.retrieve.operators.triples.edges import During
from graphbrick.bricks.retrieve.operators.triples.frames import Frame
from graphbrick.bricks.retrieve.operators.triples.parts import Parts
from graphbrick.bricks.retrieve.operators.triples.periods import Period
from graphbrick.bricks.retrieve.operators.triples.plans import EdgeValues, Ends
from graphbrick.bricks.retrieve.operators.triples.superlatives import TripleSuperlatives, with_number_last
from graphbrick.bricks.retrieve.operators.triples.way import OnTheWay
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.properties.values import Kind
from graphbrick.language.stems import stem, stems

_POSITIONS = frozenset(map(stem, ("position", "place", "rank", "placing", "standing", "finish", "result")))
_FINISHES = frozenset(map(stem, ("finish", "finished", "came", "come", "placed", "ended", "was", "ranked")))
_EXACT = 1e-9
_RANGES = {
    "over": (_EXACT, np.inf), "least": (-_EXACT, np.inf), "under": (-np.inf, -_EXACT), "most": (-np.inf, _EXACT),
    "exactly": (-_EXACT, _EXACT),
}  # fmt: skip


class TripleReader(Parts):
    """A reader of one question.

    Args:
        parser: Reads its parts.
    """

    def __init__(self, parser: Parser) -> None:
        super().__init__(parser)
        self._counts, self._superlatives, self._way = Counts(parser), TripleSuperlatives(parser), OnTheWay(parser)

    def read(self, text: str) -> Plan | None:
        """Return the plan of a question; None for another question."""
        text = with_number_last(self.english.without("everywhere", text))
        bounded = self._tried(self._superlatives.bounded, text)
        if bounded is not None:
            return bounded
        numbered = self._tried(self._numbered, text) if self.english.search("at_number", text) else None
        if numbered is not None:
            return numbered
        if self.english.search("not_of_triples", self.period(text)[1]):
            return None if self.english.search("not_on_the_way", text) else self._tried(self._way.read, text)
        counts, superlatives = self._counts, self._superlatives
        rules = (
            counts.count, superlatives.best_time, superlatives.best, self._time, superlatives.first, counts.amount,
            self._placed, self._truth, self._texts, self._ends, self._way.read,
        )  # fmt: skip
        return next((plan for rule in rules if (plan := self._tried(rule, text)) is not None), None)

    @staticmethod
    def _tried(rule: Callable[[str], Plan | None], text: str) -> Plan | None:
        """Return the plan of a rule; None if a part of the question is none that it reads."""
        try:
            return rule(text)
        except CannotPlanError:
            return None

    def _time(self, text: str) -> Plan | None:
        """Read «since when has e0 been with e1», «when did e0 last buy something», «in which season did e0 win e1»."""
        match = self.english.match("time_of", text)
        if not match or not MENTION.search(match["rest"]):
            return self._time_of_class(match) if match else None
        rest, lead = match["rest"], match["lead"]
        order = self.english.search("time_order", rest)
        which = ("last" if order["last"] else "first") if order else ""
        which = "first" if re.match("since|from", lead) else "last" if "until" in lead else which
        rest = self.english.without("time_order", rest)
        is_noun = bool(re.fullmatch(r"(?:the )?[a-z]+ (?:of|for|by|on|about|with|to|at|from) e\d+", rest))
        frame = self.frame(rest, needs_verb=not (is_noun or re.match("since|from|until", lead)))
        if frame is None or (is_noun and not self.asks_for_open(rest.removeprefix("the "), frame)):
            return None
        is_year = "year" in lead
        if self.frames.dates(frame.edges.relation):
            return self._time_of_triples(frame, which, lead, is_year=is_year)
        ends = self.ends(frame, None) if which and len(MENTION.findall(rest)) == 1 else None
        measure = self.date_of(ends) if ends else None
        if ends is None or measure is None:
            return None
        best = p.Best(ends, measure, which == "last")
        return self.with_notes(Values(best, measure.source, "year" if is_year else ""), frame)

    def _time_of_class(self, match: re.Match[str]) -> Plan | None:
        """Read «when was the first invoice»."""
        order = self.english.search("time_order", match["rest"])
        rest = self.english.without("time_order", match["rest"])
        classes = self.lexicon.classes_in(rest)
        if order is None or len(classes) != 1 or len(self.english.content(rest)) != 1:
            return None
        base = p.Members(classes[0])
        measure = self.date_of(base)
        return Values(p.Best(base, measure, bool(order["last"])), measure.source) if measure else None

    def _time_of_triples(self, frame: Frame, which: str, lead: str, *, is_year: bool) -> Plan | None:
        dates, moments = self.frames.dates(frame.edges.relation), self.frames.moments(frame.edges.relation)
        if which == "last" or "until" in lead:
            wanted = [one for one in dates if one.is_end] or moments
        else:
            wanted = [one for one in dates if one.is_begin] or moments
        if not wanted or not len(frame.edges.run(self.place)):
            return None
        part = which or ("years" if is_year and wanted[0].kind != Kind.INTEGER else "")
        return self.with_notes(EdgeValues(frame.edges, wanted[0].name, part), frame)

    def _texts(self, text: str) -> Plan | None:
        """Read «in which league did e0 win e1 in 2000», «at what level does e0 evolve»: a text or number of triples."""
        match = self.english.match("text_of", text)
        if not match or not MENTION.search(match["rest"]):
            return None
        period, rest = self.period(match["rest"])
        does = re.search(r" (?:did|does|do)$", text[: match.start("rest")].rstrip())
        for one in self.frames.properties:
            if not one.is_time and one.kind != Kind.BOOLEAN and one.stems == stems(match["noun"]):
                frame = self.frame(f"does {rest}" if does else rest, period=period, of=one)
                if frame is not None and not frame.unread and (period is None or frame.has_period):
                    return self.with_notes(EdgeValues(frame.edges, one.name), frame)
        return None

    def _placed(self, text: str) -> Plan | None:
        """Read «who finished second in e0», where triples have a position."""
        match = self.english.search("placed", text)
        if match is None:
            return None
        word = match["rank"] or match["place"]
        rank = {"first": 1, **self.english.ordinals}.get(word) or int("".join(filter(str.isdigit, word)) or 0)
        rest = f"{text[: match.start()]} {match['verb']} {text[match.end() :]}"
        for one in self.frames.properties:
            if rank and one.is_number and one.words & _POSITIONS:
                period, said = self.period(re.sub(r"\s+", " ", rest).strip())
                frame = self.frame(said, period=period, used=one.words | _FINISHES, of=one, needs_verb=False)
                if frame is None or frame.open_heads == frame.open_tails or (period and not frame.has_period):
                    continue
                condition = During(one.name, Span(rank - _EXACT, rank + _EXACT, True, f"{rank}"))
                edges = replace(frame.edges, conditions=(*frame.edges.conditions, condition))
                return self.with_notes(Ends(edges, frame.open_heads), replace(frame, edges=edges))
        return None

    def _truth(self, text: str) -> Plan | None:
        """Read «did e0 play for e1 in 2004», «did e0 win an award in 2011»."""
        period, rest = self.period(text)
        if not self.english.match("auxiliary", text):
            return None
        frame = self.frame(rest, period=period)
        if frame is None or (frame.open_heads and frame.open_tails) or not (period or frame.edges.conditions):
            return None
        is_open = frame.open_heads or frame.open_tails
        inside = self.ends(frame, period) if is_open or frame.has_period or frame.edges.conditions else None
        return None if inside is None else self.with_notes(p.IsAny(inside), frame)

    def _ends(self, text: str) -> Plan | None:
        """Read «who managed e0 in 2004», «which awards did e0 win in 2011», «which invoices did e0 get in 2011»."""
        period, rest = self.period(text)
        if self.english.cues.search(rest):
            return None
        frame = self.frame(rest, period=period, needs_verb=False)
        if frame is None or frame.open_heads == frame.open_tails or not (period or frame.edges.conditions):
            return None
        lead = self.english.without("list_lead", rest)
        is_copula = bool(re.match(r"who (?:is|was|are|were) (?:the )?(?:[a-z]+ )*e\d+(?: [a-z]+[eo]rs?)?$", rest))
        is_plain = self.english.search("joins_only", rest) or (is_copula and self._has_one_relation(frame))
        if not frame.spoken and frame.has_period and not is_plain:
            return None
        is_agent = bool(re.match(r"who (?:is|was|are|were) (?:the )?[a-z]+ (?:of|for|by|at|in) e\d+$", rest))
        if not (is_copula or is_agent or self.asks_for_open(lead, frame) or self._asks_for_things(rest, frame)):
            return None
        inside = self.ends(frame, period)
        return None if inside is None else self.with_notes(inside, frame)

    def _numbered(self, text: str) -> Plan | None:
        """Read «which moves does e0 learn before level 10»."""
        period, rest = self.period(text)
        frame = self._with_number(rest, period)
        if frame is None or frame.open_heads == frame.open_tails:
            return None
        if not self.asks_for_open(self.english.without("list_lead", rest), frame):
            return None
        inside = self.ends(frame, period)
        return None if inside is None else self.with_notes(inside, frame)

    def _with_number(self, text: str, period: Period | None) -> Frame | None:
        """Return the triples of a text with a number of theirs, such as «at level 1»; None if it has none."""
        match = self.english.search("at_number", text)
        for one in self.frames.properties if match else ():
            if match and one.is_number and one.stems == (stem(match["name"]),):
                rest, number = f"{text[: match.start()]}{text[match.end() :]}", float(match["number"])
                frame = self.frame(rest, period=period, of=one)
                if frame is not None and not frame.unread:
                    kind = self.english.bounds.get(match["bound"] or "", "least" if match["bound"] else "exactly")
                    low, high = _RANGES[kind]
                    text = f"{match['bound'] or ''} {match['number']}".strip()
                    span = Span(number + low, number + high, kind not in ("over", "under"), text)
                    said = During(one.name, span)
                    return replace(frame, edges=replace(frame.edges, conditions=(*frame.edges.conditions, said)))
        return None

    def _asks_for_things(self, text: str, frame: Frame) -> bool:
        """Return whether «what did e0 direct» asks for the side that a frame leaves open, which has no people."""
        schema, of_class = self.parser.schema, self.frames.classes(frame.edges.relation)[not frame.open_heads]
        is_what = re.match(r"what (?:did|does|do|has|have|had) e\d+ [a-z ]+$", text)
        return bool(is_what and frame.spoken) and of_class in schema.classes.joins and of_class not in schema.people()

    def _has_one_relation(self, frame: Frame) -> bool:
        """Return whether what a question names has no relation but that of a frame."""
        named = frame.edges.heads or frame.edges.tails
        own = self.frames.relations_of(int(named.run(self.place)[0])) if named else ()
        return sum(map(len, own)) == 1
