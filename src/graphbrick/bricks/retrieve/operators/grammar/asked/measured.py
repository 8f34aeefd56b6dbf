"""Numbers at the triples of a named entity: «who had the highest creatinine value», «the average grade in e0»."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.asked.journeys import JourneysAsked
from graphbrick.bricks.retrieve.operators.grammar.groups import Subject, joined
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.measures import OfEdges
from graphbrick.bricks.retrieve.operators.grammar.small_words import HAVE, KINDS
from graphbrick.bricks.retrieve.operators.plan import Plan, SetPlan
from graphbrick.bricks.retrieve.operators.schema.class_graph import Join
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.triples.edges import Edges
from graphbrick.bricks.retrieve.operators.triples.plans import OfTriples
from graphbrick.bricks.retrieve.operators.wordings.units import is_without_unit
from graphbrick.language.stems import Stems, spaced, stem, stems
from graphbrick.patterns.properties.sources import UNITS

_UNITS = frozenset(map(stem, UNITS))
_LONGEST = 3  # words of the name of a number
_OF = ("of", "for", "in", "on", "at")
_GOT = HAVE | {"got", "gets", "get", "showed", "scored", "reached", "achieved", "received"}


class MeasuredAsked(JourneysAsked):
    """A reader of questions about numbers at the triples of a named entity."""

    def _measured(self) -> Iterator[tuple[Plan, int]]:
        """Yield who has the best of such numbers, or what these are."""
        tokens = self.tokens
        start = tokens.past(0, ("what", "is", "was", "are", "were", "the", "our"))
        how = KINDS.get(tokens.word(start), "")
        if how:
            yield from self._number_at_entity(start + 1, how)
            yield from self._number_of_all(start + 1, how)
        for said, end in tokens.phrase(start, self.english.superlatives):
            how = "largest" if self.english.superlatives[said].largest else "smallest"
            yield from self._number_at_entity(end, how)
            if said not in ("most", "fewest", "least"):  # «most goals» asks for who has them
                yield from self._number_of_all(end, how)
        names, at = self._whose_number()
        if names and at < len(tokens):
            for said, end in tokens.phrase(tokens.past(at + 1, ("the",)), self.english.superlatives):
                largest = self.english.superlatives[said].largest
                how = "largest" if largest else "smallest"
                how = "sum" if said in ("most", "fewest", "least") else how  # «the most days of sick leave»
                for one, entity, last in self._number_of(end):
                    for join in self._joins(one, entity):
                        if not self._is_got(at, join):
                            continue
                        measure = OfEdges(
                            join.relation, not join.forward, p.Listed((entity,)), one.name, how
                        )  # fmt: skip
                        best = p.Best(p.Members(join.end), measure, largest)
                        yield from ((plan, last) for plan in self._whose_records(join.end, best, names))

    def _is_got(self, at: int, join: Join) -> bool:
        """Return whether a verb says that somebody has records with a number: «had», «ordered» of orders."""
        verbs = self.tokens.verb_stems(at)
        return self.tokens.is_one_of(at, _GOT) or bool(
            verbs & {*stems(spaced(join.end)), *self.links.labels[join.relation]}
        )

    def _whose_number(self) -> tuple[list[str], int]:
        """Return the classes that «who» or «which patient» may ask for, and the place after it."""
        tokens = self.tokens
        if tokens.word(0) == "who":
            return self.links.people(), 1
        name = self.class_at(1, 2) if tokens.is_one_of(0, ("which", "what")) and len(tokens) > 1 else ""
        return ([name] if name else []), 2

    def _number_at_entity(self, at: int, how: str) -> Iterator[tuple[Plan, int]]:
        for one, entity, end in self._number_of(at):
            for join in self._joins(one, entity):
                here = p.Listed((entity,))
                edges = Edges(join.relation, here, None) if join.forward else Edges(join.relation, None, here)
                yield OfTriples(edges, one.name, how), end

    def _number_of_all(self, at: int, how: str) -> Iterator[tuple[Plan, int]]:
        """Yield «(total) fines», «(highest) fine», where one relation and no class has the number."""
        everything = [Subject(p.Members(name), name) for name in self.links.joins]
        for end in range(min(at + _LONGEST, len(self.tokens)), at, -1):
            said = self.tokens.stems(at, end)
            fits = [
                one
                for one in self.of_triples
                if one.is_number and len(one.relations) == 1 and self._is_called(one, said)
            ]
            if len(fits) == 1 and not any(next(self.sources(at, subject), None) for subject in everything):
                (one,) = fits
                (relation,) = one.relations
                yield OfTriples(Edges(relation, None, None), one.name, how), end

    def _is_called(self, one: TripleProperty, said: Stems) -> bool:
        """Return whether words name a number of triples, with its unit or without: fines of `fine_gbp`."""
        is_short = one.stems[-1] in _UNITS and one.stems[:-1] == said
        return one.stems == said or is_short or is_without_unit(said, one.name)

    def _number_of(self, at: int) -> Iterator[tuple[TripleProperty, int, int]]:
        """Yield the number, the entity and the place after «value of e0», «e0 value»."""
        tokens = self.tokens
        for one in self.of_triples:
            size = len(one.stems)
            if not one.is_number:
                continue
            after = tokens.past(at + size + 1, ("the",))
            if tokens.stems(at, at + size) == one.stems and tokens.is_one_of(at + size, _OF):
                entity = tokens.entity(after)
                if entity is not None:
                    yield one, entity, after + 1
            entity = tokens.entity(at)
            if entity is not None and tokens.stems(at + 1, at + 1 + size) == one.stems:
                yield one, entity, at + 1 + size

    def _joins(self, one: TripleProperty, entity: int) -> list[Join]:
        """Return the relations whose triples at an entity have a number."""
        names = self.place.graph.types(entity)
        return [join for name in names for join in self.links.between(name, None) if join.relation in one.relations]

    def _whose_records(self, name: str, best: SetPlan, names: list[str]) -> list[SetPlan]:
        """Return the records themselves if their class is asked for, else those to whom they belong."""
        if name in names:
            return [best]
        links = [(one, link) for one in names for link in self._records_of(one) if link.end == name]
        having = [(one, link) for one, link in links if self._is_had(link)]
        making = [(one, link) for one, link in links if self._makes(one, name) is not None]
        chosen = links if len(links) == 1 else having or making
        return [joined(Subject(p.Members(one), one), link, best) for one, link in chosen[: len(chosen) == 1]]

    def _is_had(self, link: Link) -> bool:
        """Return whether a relation says that its heads have the records: `HAS_VISIT`."""
        label = self.place.graph.relation_label(link.steps[0][0]).lower()
        return label.startswith(("has", "have"))
