"""Sums, groups and superlatives over the triples of a relation: «total fees in 2024», «average fee per vet»."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.asked.measured import MeasuredAsked
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject, joined
from graphbrick.bricks.retrieve.operators.grammar.small_words import DATED, KINDS
from graphbrick.bricks.retrieve.operators.plan import Plan, SetPlan
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.triples.edges import Edges, Said
from graphbrick.bricks.retrieve.operators.triples.per_group import TriplesPerGroup
from graphbrick.bricks.retrieve.operators.triples.plans import BestOf, CountOfTriples, OfTriples
from graphbrick.bricks.retrieve.operators.wordings.records import relations_of_noun
from graphbrick.language import forms
from graphbrick.language.stems import stem, stems

_LEADS = ("what", "is", "was", "are", "were", "the", "our")
_OF = frozenset("of at by for with from in on to".split())
_BECAUSE = frozenset("for of with after due to because during".split())
_ARTICLES = ("the", "a", "an", "all", "any", "our")
_GETS = frozenset("had has have got gets did gave gives made makes charged performed received paid needed".split())
_MONEY = ("fee", "price", "cost", "amount", "total", "charge", "payment")
_COMMONEST = {
    "most common": "largest", "commonest": "largest", "most frequent": "largest", "least common": "smallest",
    "rarest": "smallest", "least frequent": "smallest",
}  # fmt: skip
_THERE = ("were", "are", "was", "is", "have", "been", "there", "do", "we", "did")
_SPENT = frozenset(("spend", "spent", "pay", "paid", "cost"))


class AmountsOfTriples(MeasuredAsked):
    """A reader of questions for numbers over the triples of one relation."""

    def _over_triples(self) -> Iterator[tuple[Plan, int]]:
        """Yield «total fees in 2024», «average fee per vet», «most expensive treatment of e0»."""
        tokens = self.tokens
        start = tokens.past(0, _LEADS)
        how = KINDS.get(tokens.word(start), "")
        if how:
            called = list(self._number_called(tokens.past(start + 1, ("of", *_ARTICLES))))
            for one, relation, end in sorted(called, key=lambda found: (-found[2], not self._is_at_named(found[1]))):
                yield from self._reduced(Edges(relation), one.name, how, end)
        yield from self._counted_triples(start)
        yield from self._commonest(start)
        yield from self._spent()
        for said, end in [*tokens.phrase(start, self.english.superlatives), *tokens.phrase(start, DATED)]:
            yield from self._best_record(said, end)
        name = self.class_at(1, 2) if tokens.is_one_of(0, ("which", "what", "whose")) and len(tokens) > 2 else ""
        if name and tokens.is_one_of(2, _GETS):
            at = tokens.past(3, ("the",))
            for said, end in [*tokens.phrase(at, self.english.superlatives), *tokens.phrase(at, DATED)]:
                yield from self._best_of_class(said, end, name)

    def _is_at_named(self, relation: int) -> bool:
        """Return whether a relation leads to, or from, what the question names: its own numbers come first."""
        ends = (self._side_classes(Edges(relation), heads=side) for side in (True, False))
        sides = frozenset[str]().union(*ends)
        return any(not sides.isdisjoint(self.place.graph.types(one)) for one in self.parser.entities)

    def _counted_triples(self, at: int) -> Iterator[tuple[Plan, int]]:
        """Yield «how many treatments were there in 2024», «number of treatments per vet», «treatments by reason»."""
        tokens = self.tokens
        is_count = tokens.joined(at, at + 2) in ("number of", "how many", "count of")
        start = tokens.past(at + 2, _ARTICLES) if is_count else at
        for relation in self._relations_called(start):
            after = tokens.past(start + 1, _THERE)
            for edges, end in self._narrowed_twice(Edges(relation), after):
                yield from self._per_group(edges, "", "count", end)
                if is_count and "per" not in tokens.words:
                    yield CountOfTriples(edges), tokens.past(end, ("in", "total", "all", "altogether", "so", "far"))

    def _commonest(self, at: int) -> Iterator[tuple[Plan, int]]:
        """Yield «the most common reason for a treatment», «rarest reason»."""
        tokens = self.tokens
        for said, start in tokens.phrase(at, _COMMONEST):
            for one in self.of_triples:
                end = start + len(one.stems)
                if one.is_number or len(one.relations) != 1 or tokens.stems(start, end) != one.stems:
                    continue
                for edges, last in self._narrowed(Edges(min(one.relations)), end):
                    yield TriplesPerGroup(edges, "", "count", one.name, best=_COMMONEST[said]), last

    def _number_called(self, at: int) -> Iterator[tuple[TripleProperty, int, int]]:
        """Yield the number of triples that words name, with its one relation: «fees», «treatment fee»."""
        tokens = self.tokens
        said = self._relations_called(at)
        start = at + 1 if said else at
        for end in range(min(start + 3, len(tokens)), start, -1):
            words = tokens.stems(start, end)
            for one in self.of_triples:
                relations = [number for number in one.relations if not said or number in said]
                if one.is_number and len(relations) == 1 and self._is_called(one, words) and not self._is_own(words):
                    yield one, relations[0], end

    def _is_own(self, words: tuple[str, ...]) -> bool:
        """Return whether a class has a number of that name too."""
        return any(one.stems == words for name in self.links.joins for one in self.own_sources(name))

    def _relations_called(self, at: int) -> list[int]:
        """Return the relations whose triples a noun at a place stands for: treatments of `TREATED_BY`."""
        noun = forms.singular(self.tokens.word(at)) if at < len(self.tokens) else ""
        if not noun or not noun.isalpha() or self.class_at(at, at + 1):
            return []
        return relations_of_noun(self.place.graph, self.lexicon, noun)

    def _reduced(self, edges: Edges, name: str, how: str, at: int) -> Iterator[tuple[Plan, int]]:
        for narrowed, end in self._narrowed(edges, at):
            yield from self._per_group(narrowed, name, how, end)
            yield OfTriples(narrowed, name, how), end

    def _per_group(self, edges: Edges, name: str, how: str, at: int) -> Iterator[tuple[Plan, int]]:
        """Yield «per vet», «by reason», «for each month», at the end of a question."""
        tokens = self.tokens
        start = at + 1 if tokens.is_one_of(at, ("per", "by")) else tokens.past(at, ("for", "in", "of", "at", "each"))
        is_group = tokens.word(at) in ("per", "by") or tokens.word(start - 1) == "each"
        if start == at or start >= len(tokens) or not is_group:
            return
        of_class, said = self.class_at(start, len(tokens)), tokens.stems(start, len(tokens))
        for heads, names in enumerate((self._side_classes(edges, heads=False), self._side_classes(edges, heads=True))):
            if of_class and of_class in names:
                yield TriplesPerGroup(edges, name, how, "head" if heads else "tail"), len(tokens)
        for one in self.of_triples:
            if edges.relation not in one.relations:
                continue
            if one.stems == said and not one.is_number:
                yield TriplesPerGroup(edges, name, how, one.name), len(tokens)
            elif one.is_time and said in (("year",), ("month",)):
                yield TriplesPerGroup(edges, name, how, one.name, said[0]), len(tokens)

    def _side_classes(self, edges: Edges, *, heads: bool) -> set[str]:
        """Return the classes of the heads or tails of a relation."""
        joins = [join for own in self.links.joins.values() for join in own if join.relation == edges.relation]
        return {join.start if heads else join.end for join in joins if join.forward}

    def _narrowed(self, edges: Edges, at: int) -> Iterator[tuple[Edges, int]]:
        """Yield the triples of which what follows holds: «in 2024», «for surgery», «of e0», «for dogs»."""
        tokens = self.tokens
        for condition, end in self._condition(at, edges.relation):
            yield from self._narrowed(replace(edges, conditions=(*edges.conditions, condition)), end)
        if tokens.word(at) in _BECAUSE:
            start = tokens.past(tokens.past(at, tuple(_BECAUSE)), _ARTICLES)
            if edges.relation in self._relations_called(start):
                yield from self._narrowed(edges, start + 1)  # «of treatments»
            for one, text, end in self.text_of_triples(start):
                if edges.relation in one.relations:
                    said = Said(one.name, text)
                    yield from self._narrowed(replace(edges, conditions=(*edges.conditions, said)), end)
        if tokens.word(at) in _OF:
            for name, ends, end in self._said_ends(at):
                for narrowed in self._at_ends(edges, name, ends, tokens.word(at)):
                    yield from self._narrowed(narrowed, end)
        yield edges, at

    def _narrowed_twice(self, edges: Edges, at: int) -> Iterator[tuple[Edges, int]]:
        """Yield the triples of which what stands on both sides of «were there» holds."""
        for first, end in self._narrowed(edges, at):
            further = self.tokens.past(end, _THERE)
            if further > end:
                yield from self._narrowed(first, further)
            yield first, end

    def _said_ends(self, at: int) -> Iterator[tuple[str, SetPlan, int]]:
        """Yield the entities after a preposition, with their class: «of e0», «for dogs»."""
        tokens = self.tokens
        start = tokens.past(at + 1, _ARTICLES)
        entity = tokens.entity(start)
        if entity is not None:
            for name in self.place.graph.types(entity):
                yield name, p.Listed((entity,)), start + 1
            return
        for subject, end in self.noun(start):
            yield subject.name, subject.plan, end

    def _at_ends(self, edges: Edges, name: str, ends: SetPlan, preposition: str) -> Iterator[Edges]:
        """Yield the triples with such heads or tails, or with those that one relation joins to them."""
        heads, tails = self._side_classes(edges, heads=True), self._side_classes(edges, heads=False)
        if name in heads and edges.heads is None:
            yield replace(edges, heads=ends)
        elif name in tails and edges.tails is None:
            yield replace(edges, tails=ends)
        else:
            sides = [(True, one) for one in heads] + [(False, one) for one in tails]
            ways = [(side, one, link) for side, one in sides for link in self.links.plain(one, (name,), preposition)]
            if len(ways) == 1:
                ((is_head, one, link),) = ways
                further = joined(Subject(p.Members(one), one), link, ends)
                yield replace(edges, heads=further) if is_head else replace(edges, tails=further)

    def _spent(self) -> Iterator[tuple[Plan, int]]:
        """Yield «how much did e0 spend on treatments», where the triples have one number of money."""
        tokens = self.tokens
        if tokens.joined(0, 2) != "how much" or tokens.entity(tokens.past(3, ("the",))) is None:
            return
        at = tokens.past(3, ("the",))
        verb = tokens.past(at + 1, ("have", "has", "already"))
        if tokens.word(verb) not in _SPENT or not tokens.is_one_of(verb + 1, ("on", "for")):
            return
        noun = tokens.past(verb + 2, _ARTICLES)
        for relation in self._relations_called(noun):
            money = [one for one in self._numbers(relation) if not set(one.stems).isdisjoint(map(stem, _MONEY))]
            for name in self.place.graph.types(tokens.entity(at) or 0) if len(money) == 1 else ():
                for edges in self._at_ends(Edges(relation), name, p.Listed((tokens.entity(at) or 0,)), "of"):
                    yield from self._reduced(edges, money[0].name, "sum", noun + 1)

    def _numbers(self, relation: int) -> list[TripleProperty]:
        return [one for one in self.of_triples if one.is_number and relation in one.relations]

    def _best_record(self, said: str, at: int) -> Iterator[tuple[Plan, int]]:
        """Yield what stands at the other end of the best triple: the vet of the «latest treatment of e0»."""
        for edges, end, name, largest in self._compared_records(said, at):
            if (edges.heads is None) != (edges.tails is None):
                yield BestOf(edges, edges.heads is None, "each", name, largest=largest), end

    def _best_of_class(self, said: str, at: int, of_class: str) -> Iterator[tuple[Plan, int]]:
        """Yield those of a class that have the best triple: «(which pet had) the most expensive treatment»."""
        for edges, end, name, largest in self._compared_records(said, at):
            is_head = of_class in self._side_classes(edges, heads=True)
            if is_head or of_class in self._side_classes(edges, heads=False):
                yield BestOf(edges, is_head, "each", name, largest=largest), end

    def _compared_records(self, said: str, at: int) -> Iterator[tuple[Edges, int, str, bool]]:
        """Yield the triples that a noun stands for, and what a superlative compares of them.

        Yields:
            The triples, the place after them, the number or date, and whether the largest wins.
        """
        comparison = None if said in DATED else self.english.superlatives[said]
        wanted = {stems(name) for name in comparison.names} if comparison else set()
        largest = DATED[said] if comparison is None else comparison.largest
        for relation in self._relations_called(at):
            times = [one for one in self.of_triples if one.is_time and relation in one.relations and not one.is_end]
            fits = times if comparison is None else [one for one in self._numbers(relation) if one.stems in wanted]
            if len(fits) == 1:
                for edges, end in self._narrowed(Edges(relation), at + 1):
                    yield edges, end, fits[0].name, largest
