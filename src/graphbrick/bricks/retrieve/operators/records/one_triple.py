"""Conditions that hold of one triple: «level 5 in Python» is said of one skill, not of two.

Triples may also have the code of a thing, such as the `term_code` of an enrolment in a course: «enrolled in spring» is
then said of the enrolment, and not of a course that runs in spring as well.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn
from graphbrick.bricks.retrieve.operators.plan import Along, Best, Both, Having, Listed, Members, Place, SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.columns import triple_properties
from graphbrick.bricks.retrieve.operators.triples.edges import Edges, Said
from graphbrick.bricks.retrieve.operators.triples.plans import Ends, OfTriples
from graphbrick.core.properties.values import Kind
from graphbrick.patterns.properties.sources import has_triple_properties


def in_one_triple(place: Place, plan: Any) -> Any:
    """Return a plan in which a name and a value of the same relation are those of one triple.

    Two sets of which one has a value at triples of a relation, and the other leads to a name by this relation, become
    one. With several such names, the question may mean any of them, and the plan stays as it is.

    Args:
        place: The graph.
        plan: A plan, or part of one.
    """
    return _OneTriple(place).of(plan) if has_triple_properties(place.graph) else plan


class _OneTriple:
    """Changes plans over one graph."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def of(self, plan: Any) -> Any:
        """Return a plan, or part of one, with conditions of one triple."""
        if type(plan) is Both:  # and not `Either`
            return self._joined(plan)
        if not is_dataclass(plan) or isinstance(plan, type):
            return plan
        if isinstance(plan, OfTriples):
            plan = replace(plan, edges=self._at_named(plan.edges))
        if isinstance(plan, Best) and (counted := self._counted(plan)) is not None:
            return counted
        if isinstance(plan, Walk | Along) and (coded := self._coded(plan)) is not None:
            return coded
        changed = {}
        for field in fields(plan):
            own = getattr(plan, field.name)
            new: Any = tuple(map(self.of, own)) if isinstance(own, tuple) else self.of(own)
            if new != own:
                changed[field.name] = new
        plan = replace(cast(Any, plan), **changed) if changed else plan
        return self._coded_ends(plan) if isinstance(plan, Ends) else plan

    @staticmethod
    def _at_named(edges: Edges) -> Edges:
        """Return the triples to a name, for all triples of those that the same relation leads to it.

        «The average score of the employees in e0» is that in e0, not in all that they attended.
        """
        for side, other, forward in (("heads", "tails", False), ("tails", "heads", True)):
            way, of_other = getattr(edges, side), getattr(edges, other)
            start = _start(way) if isinstance(way, Walk | Along) else None
            if start is None or of_other is not None or tuple(way.steps) != ((edges.relation, forward),):
                continue
            of_class = way.of_class if isinstance(way, Along) else way.classes[-1]
            sides: dict[str, SetPlan | None] = {side: Members(of_class) if of_class else None, other: Listed((start,))}
            return replace(edges, heads=sides["heads"], tails=sides["tails"])
        return edges

    @staticmethod
    def _counted(plan: Best) -> Best | None:
        """Return a superlative that counts the triples that its set is chosen by: «the most official languages»."""
        base, measure = plan.base, plan.measure
        if not (isinstance(base, Ends) and base.edges.conditions and isinstance(measure, CountIn)):
            return None
        if measure.conditions or tuple(measure.steps) != ((base.edges.relation, base.heads),):
            return None
        owners = base.edges.heads if base.heads else base.edges.tails
        own = owners or Having(base.edges.relation, base.heads)
        return replace(plan, base=own, measure=replace(measure, conditions=base.edges.conditions))

    def _joined(self, plan: Both) -> SetPlan:
        parts = [self.of(part) for part in plan.parts]
        for part in [one for one in parts if isinstance(one, Ends) and one.edges.conditions]:
            named = [(other, name) for other in parts if (name := _named(other, part)) is not None]
            if len(named) == 1:
                ((other, name),) = named
                edges = replace(part.edges, tails=name) if part.heads else replace(part.edges, heads=name)
                parts = [replace(part, edges=edges) if one is part else one for one in parts if one is not other]
        return Both(tuple(parts)) if parts[1:] else parts[0]

    def _coded(self, plan: Walk | Along) -> Ends | None:
        """Return the ends of triples with the code of an entity, for a way from it whose last triples have that."""
        start, steps = _start(plan), tuple(plan.steps)
        if start is None or len(steps) != 2:
            return None
        relation, forward = steps[-1]
        code = self._code_at(start, relation)
        of_class = plan.of_class if isinstance(plan, Along) else plan.classes[-1]
        ends = Members(of_class) if of_class else None
        if code is None:
            return None
        edges = Edges(relation, None, ends, (code,)) if forward else Edges(relation, ends, None, (code,))
        return Ends(edges, heads=not forward)

    def _coded_ends(self, plan: Ends) -> Ends:
        """Return triples with the code of an entity, for triples to what a relation joins to that entity."""
        edges = plan.edges
        side = edges.tails if plan.heads else edges.heads
        parts = side.parts if type(side) is Both else (side,)
        found = [
            (part, code)
            for part in parts
            if isinstance(part, Walk | Along) and len(part.steps) == 1 and (start := _start(part)) is not None
            if (code := self._code_at(start, edges.relation)) is not None
        ]
        if len(found) != 1 or len(parts) < 2:
            return plan
        ((coded, code),) = found
        rest = [part for part in parts if part is not coded and part is not None]
        other = Both(tuple(rest)) if rest[1:] else rest[0]
        edges = replace(edges, conditions=(*edges.conditions, code))
        return replace(plan, edges=replace(edges, tails=other) if plan.heads else replace(edges, heads=other))

    def _code_at(self, entity: int, relation: int) -> Said | None:
        """Return the condition that triples of a relation have the code of an entity, which no other entity has."""
        graph = self.place.graph
        apart = {column.name for column in graph.columns if not column.of_triples and column.tells_apart}
        own = graph.properties(entity)
        for one in triple_properties(graph):
            code = own.get(one.name) if one.kind == Kind.TEXT and relation in one.relations else None
            if isinstance(code, str) and one.name in apart:
                return Said(one.name, code)
        return None


def _start(plan: Walk | Along) -> int | None:
    """Return the only entity that a way starts from; None for a set."""
    if isinstance(plan, Along):
        return plan.start
    return plan.base.entities[0] if isinstance(plan.base, Listed) and len(plan.base.entities) == 1 else None


def _named(other: SetPlan, part: Ends) -> Listed | None:
    """Return the entity that a set leads to by the relation of another one that leads to all of a class."""
    if not isinstance(part.edges.tails if part.heads else part.edges.heads, Members | None):
        return None
    steps = tuple(other.steps) if isinstance(other, Walk | Along) else ()
    if steps != ((part.edges.relation, not part.heads),) or not isinstance(other, Walk | Along):
        return None
    start = _start(other)
    return None if start is None else Listed((start,))
