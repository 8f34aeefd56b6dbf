"""Questions for numbers and values: averages, totals, shares, quantities, properties of what a phrase selects."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.amounts import MEANS, Share
from graphbrick.bricks.retrieve.operators.grammar.clauses import Clauses
from graphbrick.bricks.retrieve.operators.grammar.clocks import PLANNED_TO
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject
from graphbrick.bricks.retrieve.operators.grammar.small_words import AUXILIARIES, KINDS, QUANTITIES
from graphbrick.bricks.retrieve.operators.plan import Plan, SetPlan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.edges import Edges
from graphbrick.bricks.retrieve.operators.triples.plans import EdgeValues, OfTriples
from graphbrick.core.properties.values import Kind
from graphbrick.language.stems import is_plural, stem
from graphbrick.patterns.properties.sources import Source

_LEADS = frozenset(
    ("what is the", "what are the", "what was the", "what are all the", "the", "all", "all the", "list", "list the",
     "list all", "list all the", "show", "show all", "show the", "show me the", "show me all", "give me the",
     "give me all")
)  # fmt: skip
_ONCE = frozenset(
    map(stem, "build found establish create construct bear born invent launch die open introduce".split())
)
_TAILS = {
    "on average": "mean", "in total": "sum", "in all": "sum", "together": "sum", "combined": "sum", "altogether": "sum"
}  # fmt: skip


class Amounts(Clauses):
    """A reader of questions for numbers and values."""

    def _of_quantity(self, at: int) -> Iterator[tuple[Plan, int]]:
        """Yield «how many e0 does e1 use», where a number at the triple says how many."""
        tokens = self.tokens
        thing = tokens.entity(at)
        if thing is None or not tokens.is_one_of(at + 1, AUXILIARIES):
            return
        for group, end in self.group(at + 2):
            for name in group.classes:
                for link, last in self.links.by_verb(end, name):
                    (relation, forward) = link.steps[0]
                    own = [one for one in self.of_triples if relation in one.relations and one.is_number]
                    many = [one for one in own if QUANTITIES & one.words]
                    ends = p.Listed((thing,))
                    if len(many) == 1:
                        heads, tails = (group.plan, ends) if forward else (ends, group.plan)
                        yield OfTriples(Edges(relation, heads, tails), many[0].name), last

    def _share(self) -> Iterator[tuple[Plan, int]]:
        """Yield «what percentage of pilots are married»."""
        tokens = self.tokens
        at = tokens.past(0, ("what", "is", "the"))
        if tokens.word(at) not in ("percentage", "share", "proportion", "percent"):
            return
        for subject, end in self.noun(tokens.past(at + 1, ("of", "the", "all"))):
            for plan, last in self.clauses(end, subject):
                yield Share(plan, subject.plan), last

    def _values(self) -> Iterator[tuple[Plan, int]]:
        """Yield «what is the runway length of the newest airport», «when was the oldest plane bought»."""
        tokens = self.tokens
        at = next((end for _, end in tokens.phrase(0, _LEADS)), 0)
        if at or not tokens.is_one_of(0, AUXILIARIES):
            for name in self.links.joins:
                start = at + (self.class_at(at, at + 1) == name and tokens.word(at + 1) != "of")  # «course code»
                for source, end in self.sources(start, Subject(p.Members(name), name)):
                    if at and start > at and end == len(tokens) and is_plural(tokens.word(end - 1)):
                        yield Values(p.Members(name), source), end  # «all customer countries»
                    are_many = source.kind is Kind.BOOLEAN and is_plural(tokens.word(end - 1))
                    is_no_total = tokens.word(start) == "total" and not MEANS.isdisjoint(source.stems)
                    if not tokens.is_one_of(end, ("of", "for")) or self.class_at(at, end) or are_many or is_no_total:
                        continue  # «employees of e0» are no values of EmployeeType, nor «subparts» of is_subpart
                    for subject, last in self._owner(end + 1, name) if source.relation < 0 else ():
                        is_sum = tokens.word(start) == "total" and len(subject.plan.run(self.place)) > 1
                        is_sum &= source.literal is not None and not source.is_date  # also of a `total_points`
                        yield (
                            p.Amount(subject.plan, p.Attribute(source)) if is_sum else Values(subject.plan, source),
                            last,
                        )
        lead = 1 if tokens.word(0) == "when" else 3 if tokens.joined(0, 3) == "at what time" else 2
        if (lead == 1 or tokens.joined(lead - 2, lead) == "what time") and tokens.is_one_of(lead, AUXILIARIES):
            for group, end in self.group(lead + 1):
                is_once = tokens.is_one_of(lead, ("was", "were")) and not _ONCE.isdisjoint(tokens.verb_stems(end))
                is_daily = bool(group.classes) and not is_once  # a building was built on no time of day
                end = tokens.past(end, PLANNED_TO)
                clock = self.clock_named(tokens.verb_stems(end), group.classes[0]) if is_daily else None
                if clock is not None and end < len(tokens):
                    yield Values(group.plan, clock), tokens.past(end + 1, ("off", "out", "in", "up"))
        if tokens.word(0) == "when" and tokens.is_one_of(1, AUXILIARIES):
            for group, end in self.group(2):
                own = self.resolver.plain_date(group.plan) if end == len(tokens) and group.classes else None
                if own is not None and own.source.relation < 0:  # «when was the last order of e0»
                    yield Values(group.plan, own.source), end
                for name in group.classes[:1]:
                    sources = self.dates_named(tokens.verb_stems(end), name)
                    if len(sources) == 1 and sources[0].relation < 0:
                        yield Values(group.plan, sources[0]), end + 1

    def _owners(self, at: int, name: str, source: Source) -> Iterator[tuple[SetPlan, int]]:
        """Yield the entities of a class that a phrase names, or that one relation joins to what it names."""
        for group, end in self.group(at):
            if group.quantity.kind not in ("some", "all", "both"):
                continue
            if name in group.classes[:1]:
                yield group.plan, end
            else:
                for other in group.classes[:1]:
                    for link in (
                        () if self._has_number_like(other, source) else self.links.plain(other, (name,), "have")
                    ):
                        yield Walk(group.plan, link.steps, (name,)), end

    def _owner(self, at: int, name: str) -> Iterator[tuple[Subject, int]]:
        """Yield the entities of a class that a phrase names."""
        if self.tokens.is_one_of(at, ("each", "every")):
            return  # each has a number of its own
        for group, end in self.group(at):
            if name in group.classes[:1] and group.quantity.kind in ("some", "all", "both"):
                yield Subject(group.plan, name), end

    def _aggregate(self) -> Iterator[tuple[Plan, int]]:
        """Yield «the average salary of the pilots of e0», «how many flight hours do pilots have on average»."""
        tokens = self.tokens
        at = tokens.past(0, ("what", "is", "the", "was")) if tokens.word(0) in ("what", "the") else 0
        how = KINDS.get(tokens.word(at), "")
        if how and (at or tokens.word(0) in KINDS):
            start = tokens.past(at + 1, ("of", "the"))
            start += 2 * (how != "sum" and tokens.joined(start, start + 2) == "number of")  # a total number is a count
            for name in self.links.joins:
                for source, end in self.sources(start, Subject(p.Members(name), name)):
                    is_year = source.is_date and source.kind == Kind.INTEGER and how != "sum"
                    is_mean = how == "sum" and not MEANS.isdisjoint(source.stems)
                    if source.literal is None or (source.is_date and not is_year) or is_mean:
                        continue
                    if tokens.is_one_of(end, ("of", "for", "over", "across", "among", "in", "by")):
                        yield from (
                            (p.Amount(base, p.Attribute(source), how), last)
                            for base, last in self._owners(end + 1, name, source)
                        )
                    is_alone = len([one for one in self.links.joins if self._has(one, source)]) == 1
                    if end < len(tokens) and is_alone and not self._names_others_with_it(end + 1, name, source):
                        for subject, last in self.with_modifiers(Subject(p.Members(name), name), end):
                            yield p.Amount(subject.plan, p.Attribute(source), how), last  # «total freight in 2013»
        if tokens.word(0) == "how" and tokens.word(1) in ("many", "much", "old", "high", "big", "long"):
            yield from self._on_average()

    def _has_number_like(self, name: str, source: Source) -> bool:
        """Return whether a class has a number like one of another class.

        «The salary of tutors» is not that of teachers, nor «the budget of departments» that of their projects.
        """
        return any(one.stems[:1] == source.stems[:1] for one in self.own_sources(name) if one.literal)

    def _names_others_with_it(self, at: int, name: str, source: Source) -> bool:
        """Return whether a phrase names things of another class with a number like that of a class."""
        named = (group.classes[0] for group, _ in self.group(at) if group.classes)
        return any(other != name and self._has_number_like(other, source) for other in named)

    def _has(self, name: str, source: Source) -> bool:
        return source in self.own_sources(name)

    def _on_average(self) -> Iterator[tuple[Plan, int]]:
        tokens = self.tokens
        size = next((n for n in (2, 1) if " ".join(tokens.words[-n:]) in _TAILS), 0)
        if not size:
            return
        tail = _TAILS[" ".join(tokens.words[-size:])]
        for name in self.links.joins:
            for source, end in [*self.sources(2, Subject(p.Members(name), name)), (None, 2)]:
                if not tokens.is_one_of(end, ("do", "does", "did", "are", "is")):
                    continue
                for subject, last in self._owner(end + 1, name):
                    one = source or next(iter(self.measured_by(last, subject)), None)
                    if one is None and tokens.word(1) == "old":
                        age = self.age_of(subject)
                        one = age.source if age else None
                    rest = (
                        tokens.past(last, ("have", "make"))
                        if source
                        else last + (one is not None and tokens.word(1) != "old")
                    )
                    if one is not None and one.literal is not None and not one.is_date and rest == len(tokens) - size:
                        yield p.Amount(subject.plan, p.Attribute(one), tail), len(tokens)

    def _of_property(self) -> Iterator[tuple[Plan, int]]:
        """Yield «how many credits do I get for e0», «how many seats are there in e0»: a number, or a sum."""
        tokens = self.tokens
        if tuple(tokens.words[:2]) not in (("how", "many"), ("how", "much")):
            return
        for name in self.links.joins:
            for source, end in self.sources(2, Subject(p.Members(name), name)):
                said = tokens.stems(2, end)
                is_class = said != source.stems and bool(self.lexicon.class_named(said))  # deals are no `nb_deals`
                if source.literal is None or source.is_date or is_class or not tokens.is_one_of(end, AUXILIARIES):
                    continue
                start = tokens.past(
                    end + 1, ("i", "we", "you", "get", "earn", "there", "have", "for", "in", "of", "at", "with")
                )
                is_each = tokens.is_one_of(start, ("each", "every"))  # each has a number of its own
                for base, last in () if is_each else self._owners(start, name, source):
                    after = tokens.past(last, ("have", "get", "give", "sum", "add", "up", "to", "bring", "offer"))
                    yield p.Amount(base, p.Attribute(source)), after

    def _at_triples(self) -> Iterator[tuple[Plan, int]]:
        """Yield «on what weekday is e0», «what role does e0 have in e1», «what is the grade of e0 in e1»."""
        tokens = self.tokens
        at = tokens.past(0, ("on", "at", "in", "as", "with"))
        lead = 3 if tuple(tokens.words[:2]) == ("what", "is") and tokens.word(2) == "the" else at + 1
        if not tokens.is_one_of(at, ("what", "which")):
            return
        for one in self.of_triples:
            end = lead + len(one.stems)
            if tokens.stems(lead, end) != one.stems:
                continue
            start = tokens.past(end, (*AUXILIARIES, "of", "for", "the"))
            first = tokens.entity(start)
            if first is None:
                continue
            last = tokens.past(
                start + 1, ("have", "get", "play", "hold", "held", "take", "place", "in", "on", "for", "at", "the")
            )
            second = tokens.entity(last)
            if second is None and one.name in self.place.graph.properties(first):
                continue  # its own, not that of what leads to it
            last = last + 1 if second is not None else last
            for relation in sorted(one.relations):
                for one_end, other in ((first, second), (second, first)):
                    heads = None if one_end is None else p.Listed((one_end,))
                    tails = None if other is None else p.Listed((other,))
                    edges = Edges(relation, heads, tails)
                    if len(edges.run(self.place)):
                        yield EdgeValues(edges, one.name), last

    def _difference(self) -> Iterator[tuple[Plan, int]]:
        """Yield «the difference in price between e0 and e1», «the height difference», always more than nothing."""
        tokens, words = self.tokens, self.tokens.words
        at = tokens.past(0, ("what", "is", "the"))
        if "between" not in words or "difference" not in words[: words.index("between")]:
            return
        between, said = words.index("between"), words.index("difference")
        if said == at and tokens.is_one_of(at + 1, ("in", "of")):
            start, stop = at + 2, between
        elif said > at and said == between - 1:
            start, stop = at, said
        else:
            return
        one, other = tokens.entity(between + 1), tokens.entity(between + 3)
        if one is None or other is None:
            return
        pair = p.Listed((one, other))
        for measure in self._measures_between(start, stop):
            numbers = (p.Amount(p.Best(pair, measure, up), measure) for up in (True, False))
            yield p.Difference(*numbers), between + 4

    def _measures_between(self, start: int, stop: int) -> Iterator[p.Attribute]:
        """Yield the numbers that a noun names, or what it is of: the elevation for «height»."""
        noun = self.tokens.joined(start, stop)
        others = {one.names for one in self.english.comparatives.values() if noun in one.names}
        for name in self.links.joins:
            subject = Subject(p.Members(name), name)
            for source, end in self.sources(start, subject):
                if end == stop and source.literal is not None:
                    yield p.Attribute(source)
            yield from filter(None, (self.measure_of(names, subject) for names in sorted(others)))
