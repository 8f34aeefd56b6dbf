"""Superlatives over triples, read by rules: «who hit the most home runs in one season», «who won the most awards»."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import Plan
from graphbrick.bricks.retrieve.operators.triples.frames import Frame
from graphbrick.bricks.retrieve.operators.triples.parts import Parts
from graphbrick.bricks.retrieve.operators.triples.periods import Period
from graphbrick.bricks.retrieve.operators.triples.plans import BestOf, BestTime, Bounded
from graphbrick.bricks.retrieve.operators.triples.ratings import RATINGS
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.records import relations_of_noun
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stems
from graphbrick.patterns.lexicon import label_stems
from graphbrick.patterns.properties.sources import Source, owners_of

_SUMS = ("most", "fewest", "least")
_COUNT = r"(?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten)"
_OF_SEVERAL = (
    Expression(
        rf"^(?:(?:who|which|what) (?:are|were) )?(?:the |which |what )?{_COUNT} (?P<noun>[a-z]+) "
        r"(?:(?:that|who|which) )?(?P<verb>(?!(?:with|having|has|have|had|of|in|at)\b)[a-z]+) (?:the )?"
        r"(?P<most>most|fewest|least) (?P<what>.+)$"
    ),
    Expression(
        rf"^(?:(?:who|which|what) (?:are|were) )?(?:list |show me |give me )?(?:the |our )?(?P<most>top) {_COUNT} "
        r"(?P<noun>[a-z]+) by (?:total |the )?(?P<what>[a-z]+) (?P<verb>[a-z]+ed|spent|won|sold|bought|made)$"
    ),
)
_PEOPLE = frozenset("people persons ones".split())


def with_number_last(text: str) -> str:
    """Return «the 3 users who logged the most time» as who «logged the 3 most time», and «top 3 users by time logged».

    >>> with_number_last("who are the 3 users that logged the most time")
    'which users logged the 3 most time'
    >>> with_number_last("top 5 people by hours spent")
    'who spent the 5 most hours'
    """
    match = next(filter(None, (pattern.match(text) for pattern in _OF_SEVERAL)), None)
    if match is None:
        return text
    who = "who" if match["noun"] in _PEOPLE else f"which {match['noun']}"
    most = "most" if match["most"] == "top" else match["most"]
    return f"{who} {match['verb']} the {match['n']} {most} {match['what']}"


class TripleSuperlatives(Parts):
    """A reader of superlatives."""

    def best(self, text: str) -> Plan | None:
        """Read «who hit the most home runs in one season», «which player won the most awards in 2011»."""
        times = self.english.match("best_times", self.period(text)[1])
        if times:
            return self._most_often(times, self.period(text)[0])
        match = self.english.match("best_of_triples", text)
        if not match or (match["lead"] == "what" and match["left"].strip() in ("is", "was", "are", "were")):
            return None
        period, rest = self.period(match["rest"] or "")
        per = self.english.search("in_one_season", rest)
        rest = self.english.without("whole_time", self.english.without("in_one_season", rest))
        words, left, is_sum = rest.split(), match["left"].strip(), match["sup"] in _SUMS
        if words and words[0] in ("total", "combined", "overall"):
            if self._is_own(words, left):
                return None  # «which order has the highest total» of orders with a `total`
            words, is_sum = words[1:], True
        if len(words) == 1 and self.english.match("often", words[0]):
            words = []
        one, size = self.number(words, left)
        verb = self.english.content(left)[-1:]
        if not words and verb and not self.english.search("spends", left):  # «who earned the most»
            one, size = self.number(verb)[0], 0
        said = f"{match['lead']} {left} {' '.join(words[size:])}".strip()
        if one is not None:
            is_verb = size < len(one.stems) or any(
                self.english.search(name, left) for name in ("won_or_lost", "traded")
            )
            used = one.words | frozenset(verb) if is_verb else one.words
            frame = self.frame(said, period=period, used=used, of=one, needs_verb=False)
            how = "sum" if is_sum else "each"
        elif words and is_sum:
            frame = self.frame(said, period=period)
            if match["lead"] == "who" and frame and not self.frames.is_literal(frame.edges.relation, left):
                return None  # «who bought the most tracks» does not ask for invoices
            is_each = self.english.search("gains", left) or MENTION.fullmatch(words[0])
            how = "triples" if is_each or self._is_of_records(frame, words[-1]) else "ends"
        else:
            if not is_sum or words or per:
                return None
            frame = self.frame(said, period=period)
            if frame is None or not self.lexicon.classes_in(left):
                return self._spender(left, period, match)
            how = "triples"
        if frame is None:
            return None
        if one is not None:  # «the highest paid player»
            is_copula = left in ("is", "was", "are", "were")
            left, words = " ".join(words) if is_copula else left, []
        heads = self._compared_side(frame, left, " ".join(words))
        moments = self.frames.moments(frame.edges.relation)
        if heads is None or (per and not moments):
            return None
        edges = frame.edges
        if period and not frame.has_period:
            inside = None if one else self.with_ends_in(edges, not heads, period)
            if inside is None:
                return None
            edges = inside
        largest, (rank, n) = self._is_largest(match), self._rank(match)
        season = moments[0].name if per else ""
        plan = BestOf(edges, heads, how, one.name if one else "", season, largest=largest, rank=rank, n=n)
        return self.with_notes(plan, frame)

    def _is_own(self, words: list[str], left: str) -> bool:
        """Return whether words are the whole name of a property of the class that is compared."""
        classes = self.lexicon.classes
        owners = [
            owners_of(self.place.graph, one)
            for one in self.resolver.numeric
            if one.relation < 0 and one.stems == stems(" ".join(words))
        ]
        named = self.lexicon.classes_in(left)
        return any(np.isin(own, classes[name]).any() for own in owners for name in named)

    def _most_often(self, match: re.Match[str], period: Period | None) -> Plan | None:
        """Read «who won e0 most often»."""
        frame = self.dated(f"{match['lead']} {match['left']}", period) or self._called(match["left"], period)
        if frame is None or frame.open_heads == frame.open_tails:
            return None
        plan = BestOf(frame.edges, frame.open_heads, "triples", largest=self._is_largest(match))
        return self.with_notes(plan, frame)

    def _called(self, left: str, period: Period | None) -> Frame | None:
        """Return the triples of «which manager was e0», where only one relation leads to e0."""
        match = self.english.match("was_named", left)
        frame = self.dated(f"who was {match['who']}", period, needs_verb=False) if match else None
        if match is None or frame is None or frame.open_heads == frame.open_tails:
            return None
        entity = self.one_entity(match["who"])
        around = self.frames.relations_of(entity) if entity is not None else ()
        noun = stems(match["noun"] or "")
        is_known = not noun or bool(self.lexicon.class_named(noun)) or noun in self.lexicon.roles
        return frame if is_known and sum(map(len, around)) == 1 else None

    def best_time(self, text: str) -> Plan | None:
        """Read «in which year did e0 hit the most home runs»."""
        match = self.english.match("best_time", text)
        if not match:
            return None
        rest = self.english.without("whole_time", match["rest"])
        words = rest.split()
        one, size = self.number(words, match["verb"])
        said = f"{match['who']} {match['verb']} {' '.join(words[size:])}"
        frame = None if one is None else self.frame(said, used=one.words, of=one, needs_verb=False)
        moments = [] if frame is None else self.frames.moments(frame.edges.relation)
        if frame is None or one is None or not moments or (frame.open_heads and frame.open_tails):
            return None
        plan = BestTime(frame.edges, one.name, moments[0].name, largest=self._is_largest(match))
        return self.with_notes(plan, frame)

    def bounded(self, text: str) -> Plan | None:
        """Read «which players hit more than 60 home runs in a season», «who won 20 or more games in 2010»."""
        period, rest = self.period(text)
        match = self.english.match("bounded_triples", self.english.without("in_one_season", rest))
        if not match:
            return None
        per = self.english.search("in_one_season", rest)
        words = match["rest"].split()
        one, size = self.number(words, match["verb"])
        amount = self.english.read_amount(match["number"])
        if amount is None or amount.rest or (one is not None and one.words & RATINGS):
            return None  # ratings do not add up
        kind = self.english.bounds[match["bound"]] if match["bound"] else "least" if match["more"] else "exactly"
        if one is None:
            if per or (kind in ("under", "most") and period is None):  # those that have none count too
                return None
            return self._bounded_count(match, period, kind, amount.value)
        verb = frozenset(
            self.english.content(match["verb"]) if self.english.search("won_or_lost", match["verb"]) else ()
        )
        said = f"which {match['noun'] or ''} {match['verb']} {' '.join(words[size:])}".replace("which  ", "who ")
        frame = self.frame(said, period=period, used=one.words | verb, of=one, needs_verb=False)
        heads = None if frame is None else self._compared_side(frame, match["noun"] or "", "")
        moments = [] if frame is None else self.frames.moments(frame.edges.relation)
        if frame is None or heads is None or (per and not moments) or (period and not frame.has_period):
            return None
        season = moments[0].name if per else ""
        plan = Bounded(BestOf(frame.edges, heads, "sum", one.name, season), kind, amount.value)
        counted = p.Count(plan) if match["lead"].startswith("how many") else plan
        return self.with_notes(counted, frame)

    def _bounded_count(self, match: re.Match[str], period: Period | None, kind: str, number: float) -> Plan | None:
        """Read «who resolved more than 10 incidents», «which services use at least two services»."""
        noun, verb, rest = match["noun"] or "", match["verb"], match["rest"]
        frame = self.frame(f"{f'which {noun}' if noun else 'who'} {verb} {rest}", period=period)
        others = self.lexicon.classes_in(rest)
        if frame is None or not others or not (noun or match["lead"] == "who"):
            return None
        heads = self._compared_side(frame, noun, rest, verb)
        compared, counted = self.frames.classes(frame.edges.relation)[:: 1 if heads else -1]
        if heads is None or counted != others[0] or not self._is_asked(noun, compared, frame, heads):
            return None
        edges = frame.edges
        if period and not frame.has_period:
            dated = self.with_ends_in(edges, not heads, period)
            if dated is None:
                return None
            edges = dated
        how = "triples" if self.english.search("gains", verb) else "ends"
        plan = Bounded(BestOf(edges, heads, how), kind, number)
        return self.with_notes(p.Count(plan) if match["lead"].startswith("how many") else plan, frame)

    def _is_asked(self, noun: str, compared: str, frame: Frame, heads: bool) -> bool:
        """Return whether a noun is that of a class, or of a side of triples; for «who», whether the class is people."""
        if not noun:
            return compared in self.parser.schema.people()
        of_side = (frame.edges.relation, not heads) in self.resolver.steps_named(stems(noun))
        return of_side or compared in self.lexicon.classes_in(noun)

    def _is_largest(self, match: re.Match[str]) -> bool:
        return self.english.superlatives[match["sup"]].largest

    def _rank(self, match: re.Match[str]) -> tuple[int, int]:
        return self.english.ordinals.get(match["rank"] or "", 1), self.english.count_of(match["n"] or "")

    def _is_of_records(self, frame: Frame | None, noun: str) -> bool:
        """Return whether a noun stands for the triples of a relation: treatments of `TREATED_BY`."""
        one = forms.singular(noun) if forms.is_installed() else noun
        return frame is not None and frame.edges.relation in relations_of_noun(self.place.graph, self.lexicon, one)

    def _compared_side(self, frame: Frame, left: str, counted: str, verb: str = "") -> bool | None:
        """Return whether the heads of triples are compared, False for the tails; None if that is not clear.

        Args:
            frame: The triples.
            left: The words for what is compared.
            counted: The words for what is counted.
            verb: What is compared does so, which decides for relations between entities of one class.
        """
        head, tail = self.frames.classes(frame.edges.relation)
        named, others = self.lexicon.classes_in(left), self.lexicon.classes_in(counted)
        if named:
            sides = [side for side, name in ((True, head), (False, tail)) if name == named[0]]
        else:
            sides = [side for side, name in ((True, head), (False, tail)) if name not in others]
        sides = [side for side in sides if (frame.open_heads if side else frame.open_tails)]
        if len(sides) == 2 and not named and head != tail:
            return True  # «who»: the subject of the relation
        if len(sides) == 2 and head == tail and verb:
            is_passive = bool(re.match(r"(?:is|are|was|were) .+ by$", verb))
            return is_passive == ("by" in label_stems(self.place.graph.relation_label(frame.edges.relation)))
        return sides[0] if len(sides) == 1 else None

    def _spender(self, left: str, period: Period | None, match: re.Match[str]) -> Plan | None:
        """Read «which customer has spent the most»: the sum of a number of what leads to each entity."""
        named = self.lexicon.classes_in(left)
        if not named and match["lead"] == "who":
            every = [self._spender_of(left, period, match, [name]) for name in sorted(self.parser.schema.people())]
            plans = [plan for plan in every if plan is not None]
            return plans[0] if len(plans) == 1 else None
        return self._spender_of(left, period, match, named)

    def _spender_of(self, left: str, period: Period | None, match: re.Match[str], named: list[str]) -> Plan | None:
        """Return the sums for the members of the class that is named, or for all without one."""
        names = {part for name in named for part in self.english.content(name)}
        verbs = [word for word in self.english.content(left) if word not in names]
        if len(named) > 1 or len(verbs) != 1 or not self.english.search("spends", left):
            return None
        for near in ((verbs[0],), *self.english.near.get(verbs[0], ())):
            sources = [s for s in self.resolver.numeric if s.relation < 0 and not s.is_date and s.words == set(near)]
            plans = [plan for source in sources for plan in self._sums(source, named, period, match)]
            if plans:
                return plans[0] if len(plans) == 1 else None
        return None

    def _sums(self, source: Source, named: list[str], period: Period | None, match: re.Match[str]) -> list[Plan]:
        """Return the sums of a property by what owners of it are joined to by a relation that each has once."""
        owners, csr, plans = owners_of(self.place.graph, source), self.place.graph.csr, list[Plan]()
        ids = self.place.graph.triple_ids()
        heads, tails = csr.heads(ids), csr.tail[ids]
        for relation in range(self.place.graph.n_relations):
            of_relation = csr.relation[ids] == relation
            for at_head, side in ((True, heads), (False, tails)):
                joined = side[of_relation]
                own = joined[np.isin(joined, owners)]
                compared = self.frames.classes(relation)[at_head]
                if not len(own) or len(np.unique(own)) < len(own) or (named and compared != named[0]):
                    continue
                edges = self.frames.whole(relation)
                dated = edges if period is None else self.with_ends_in(edges, at_head, period)
                if dated is not None:
                    rank, n = self._rank(match)
                    largest = self._is_largest(match)
                    plans.append(BestOf(dated, not at_head, "sum", of_ends=source, largest=largest, rank=rank, n=n))
        return plans

    def first(self, text: str) -> Plan | None:
        """Read «who was the first manager of e0», «which club did e0 last play for»."""
        order = self.english.search("time_order", text)
        if order is None or self.english.match("time_of", text) or self.english.match("count", text):
            return None
        rest = self.english.without("time_order", text)
        if self.english.cues.search(rest):
            return None
        frame = self.frame(rest)
        if frame is None or frame.open_heads == frame.open_tails or not self._asks_for(rest, frame):
            return None
        last, is_relative = bool(order["last"]), bool(self.english.search("last_season", text))
        dates = self.frames.dates(frame.edges.relation)
        wanted = [one for one in dates if (one.is_end if last else one.is_begin)]
        wanted = self.frames.moments(frame.edges.relation) or wanted
        if wanted:
            plan = BestOf(frame.edges, frame.open_heads, "each", wanted[0].name, largest=last)
            if is_relative:
                frame = replace(
                    frame, assumption=f"«last season» is taken for the latest {wanted[0].name} of these triples"
                )
            return self.with_notes(plan, frame)
        if is_relative:
            return None
        ends = self.ends(frame, None)
        measure = self.date_of(ends) if ends else None
        return self.with_notes(p.Best(ends, measure, last), frame) if ends and measure else None

    def _asks_for(self, text: str, frame: Frame) -> bool:
        lead = self.english.without("list_lead", text)
        if re.match(r"(?:who|whom) (?:is|was|are|were) (?:the )?[a-z]+ (?:of|for|by|at|in) e\d+$", lead):
            return True
        return self.asks_for_open(lead, frame)
