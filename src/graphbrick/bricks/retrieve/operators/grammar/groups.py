"""What phrases of a question stand for, and the sets that relations to them select."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.sets import Place
from graphbrick.bricks.retrieve.operators.triples.columns import triple_properties
from graphbrick.bricks.retrieve.operators.triples.edges import Condition, Edges, Measures
from graphbrick.bricks.retrieve.operators.triples.plans import Ends
from graphbrick.core import Subgraph
from graphbrick.core.session import current_session
from graphbrick.language.stems import stem
from graphbrick.patterns.properties.sources import Source


class Quantity(NamedTuple):
    """How many of a group a phrase speaks of.

    Attributes:
        kind: "some", "no", "only", "all", "both", or a comparison: "over", "under", "least", "most", "exactly".
        number: The number that a comparison is made with.
    """

    kind: str = "some"
    number: float = 0.0


SOME, NO = Quantity(), Quantity("no")
_BOUNDS: dict[str, Callable[[float], tuple[float, float]]] = {
    "over": lambda number: (number, np.inf),
    "least": lambda number: (number, np.inf),
    "under": lambda number: (-np.inf, number),
    "most": lambda number: (-np.inf, number),
    "exactly": lambda number: (number, number),
}
_AMOUNTS = frozenset(map(stem, "quantity qty amount count units pieces copies".split()))


class Group(NamedTuple):
    """The entities that a noun phrase stands for.

    Attributes:
        plan: The entities.
        classes: Their classes, the most usual first.
        quantity: How many of them.
        is_any: Whether the phrase says no more than «anything» or «nobody».
        parts: The single entities of «both e0 and e1».
        alike: All entities with the names of those that are named, for «not resolved by e0»; None if none is.
    """

    plan: SetPlan
    classes: tuple[str, ...]
    quantity: Quantity = SOME
    is_any: bool = False
    parts: tuple[SetPlan, ...] = ()
    alike: SetPlan | None = None


ANYTHING = Group(p.Listed(()), (), is_any=True)


class Subject(NamedTuple):
    """The entities of one class that a clause speaks of."""

    plan: SetPlan
    name: str


class Reading(NamedTuple):
    """A clause that was read, as if no «not» stood before it.

    Attributes:
        plan: The subjects of which it holds.
        end: The place after it.
        link: The relation that it speaks of, for another object: «work for e0 but not for e1».
        group: Its object, for another time or role: «had a fault in 2022 but not in 2024».
        known: Properties that must be known of a subject of which it is denied.
        wide: The subjects of which it may hold, by all entities with the names that it says; None for those of `plan`.
        can_be_denied: Whether «not» before it has a clear meaning.
    """

    plan: SetPlan
    end: int
    link: Link | None = None
    group: Group | None = None
    known: tuple[Source, ...] = ()
    wide: SetPlan | None = None
    can_be_denied: bool = True


def joined(subject: Subject, link: Link, ends: SetPlan, conditions: tuple[Condition, ...] = ()) -> SetPlan:
    """Return the subjects that a link joins to any of some ends by triples that meet conditions."""
    if conditions:
        ((relation, forward),) = link.steps
        heads, tails = (subject.plan, ends) if forward else (ends, subject.plan)
        return Ends(Edges(relation, heads, tails, conditions), heads=forward)
    steps = tuple((relation, not forward) for relation, forward in reversed(link.steps))
    is_named = isinstance(ends, p.Listed)
    classes = (*("" for _ in steps[1:]), subject.name)
    walk = Walk(ends, steps, classes, is_backward=not is_named)
    return walk if subject.plan == p.Members(subject.name) else p.Both((subject.plan, walk))


def linked(
    place: Place, subject: Subject, link: Link, group: Group, end: int = 0, conditions: tuple[Condition, ...] = ()
) -> Iterator[Reading]:
    """Yield the subjects that a link joins to as many of a group as a phrase says; nothing if that is not clear.

    Args:
        place: The graph.
        subject: The subjects.
        link: The link.
        group: What it leads to.
        end: The place after the phrase.
        conditions: Conditions on its triples.
    """
    if group.is_any and is_denied(subject.plan, link):
        return  # «accounts that do not roll up to anything»: «(roll) up to anything»
    kind, number = group.quantity
    if isinstance(group.plan, p.Listed) and len(group.plan.entities) == 1 and kind in _BOUNDS:
        amount = _amount(place, link, group.quantity)
        if amount is not None:
            yield Reading(joined(subject, link, group.plan, (*conditions, amount)), end, link, group)
        return
    ends: SetPlan = link.everything() if group.is_any else group.plan
    some = joined(subject, link, ends, conditions)
    wide = joined(subject, link, group.alike, conditions) if group.alike not in (None, ends) else None
    if kind == "some":
        yield Reading(some, end, link, group, wide=wide)
    elif kind == "no":
        yield Reading(p.Without(subject.plan, wide or some), end, link, group, can_be_denied=False)
    elif kind == "both":
        if joins_several(place, subject.name, link):  # else none has both
            every = p.Both(tuple(joined(subject, link, one, conditions) for one in group.parts))
            yield Reading(every, end, link, group)
    elif kind == "only":
        others = joined(subject, link, p.Without(link.everything(), ends), conditions)
        yield Reading(p.Without(some, others), end, link, group, can_be_denied=False)
    elif is_countable(place, link):
        if kind == "all":
            kind, number = "least", float(len(ends.run(place)))
        if number or kind != "least":
            many = p.compared(subject.plan, CountIn(link.steps, ends, conditions), kind, number)
            yield Reading(many, end, link, group, can_be_denied=kind != "exactly")


def _amount(place: Place, link: Link, quantity: Quantity) -> Condition | None:
    """Return the condition that «8 obsidian» sets to the one amount that stands at the triples of a relation."""
    ((relation, _), *others), number = link.steps, quantity.number
    own = [one for one in triple_properties(place.graph) if relation in one.relations and one.is_number]
    amounts = [one.name for one in own if _AMOUNTS & one.words]
    if others or len(amounts) != 1:
        return None
    low, high = _BOUNDS[quantity.kind](number)
    return Measures(amounts[0], low, high, includes=quantity.kind not in ("over", "under"))


def is_denied(plan: SetPlan, link: Link) -> bool:
    """Return whether a set is without what a link leads to, or some of it."""
    other = plan.other if isinstance(plan, p.Without) else None
    steps = tuple((relation, not forward) for relation, forward in reversed(link.steps))
    return isinstance(other, Walk) and other.steps == steps


def joins_several(place: Place, name: str, link: Link) -> bool:
    """Return whether a link joins any member of a class to several."""
    graph, whole = place.graph, replace(place, subgraph=Subgraph(place.graph), results={})

    def most() -> float:
        counts = CountIn(link.steps, link.everything()).of(whole, p.Members(name).run(whole))
        return float(counts.max(initial=0))

    return current_session().get(("most ends", graph.place, graph.hash, name, link), most, at_most=256) > 1


def joins_itself(place: Place, relation: int) -> bool:
    """Return whether a relation joins any entity to itself."""
    heads, tails = (Edges(relation).ends(place, heads=heads) for heads in (True, False))
    return bool((heads == tails).any())


def is_countable(place: Place, link: Link) -> bool:
    """Return whether a relation joins no two more than once; else its triples may be meant, and not its ends."""
    graph = place.graph
    keys = {relation: ("joins once", graph.place, graph.hash, relation) for relation, _ in link.steps}
    session = current_session()
    return all(session.get(key, partial(_joins_once, place, one), at_most=256) for one, key in keys.items())


def _joins_once(place: Place, relation: int) -> bool:
    whole = replace(place, subgraph=Subgraph(place.graph), results={})
    heads, tails = (Edges(relation).ends(whole, heads=heads) for heads in (True, False))
    return len(np.unique(heads * place.graph.n_entities + tails)) == len(heads)
