"""What phrases of a question stand for, and the sets that relations to them select."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.sets import Place
from graphbrick.bricks.retrieve.operators.triples.edges import Condition, Edges
from graphbrick.bricks.retrieve.operators.triples.plans import Ends

OPPOSITES = {"over": "most", "under": "least", "least": "under", "most": "over"}
"""The comparison that holds where one does not."""


class Quantity(NamedTuple):
    """How many of a group a phrase speaks of.

    Attributes:
        kind: "some", "no", "only", "all", "both", or a comparison: "over", "under", "least", "most", "exactly".
        number: The number that a comparison is made with.
    """

    kind: str = "some"
    number: float = 0.0


SOME, NO = Quantity(), Quantity("no")


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


class Said(NamedTuple):
    """A clause that was read.

    Attributes:
        plan: The subjects of which it holds.
        end: The place after it.
        link: The relation that it speaks of, for another object: «work for e0 but not for e1».
        group: Its object, for another time or role: «had a fault in 2022 but not in 2024».
    """

    plan: SetPlan
    end: int
    link: Link | None = None
    group: Group | None = None


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


def selected(
    place: Place,
    subject: Subject,
    link: Link,
    group: Group,
    conditions: tuple[Condition, ...] = (),
    *,
    negated: bool = False,
) -> SetPlan:
    """Return the subjects that a link joins to as many of a group as a phrase says.

    Args:
        place: The graph.
        subject: The subjects.
        link: The link.
        group: What it leads to.
        conditions: Conditions on its triples.
        negated: Whether the phrase says that it is not so.

    Raises:
        CannotPlanError: The opposite of the phrase has no clear meaning.
    """
    kind, number = group.quantity
    ends: SetPlan = link.everything() if group.is_any else group.plan
    if (kind == "no") != negated:
        ends = group.alike or ends
    some = joined(subject, link, ends, conditions)
    if kind == "no":
        return some if negated else p.Without(subject.plan, some)
    if kind == "some":
        return p.Without(subject.plan, some) if negated else some
    if kind == "both":
        every = p.Both(tuple(joined(subject, link, one, conditions) for one in group.parts))
        if CountIn(link.steps, link.everything()).of(place, p.Members(subject.name).run(place)).max(initial=0) < 2:
            raise CannotPlanError("each has one only, so that none has both", code="grammar.one_only")
        return p.Without(subject.plan, every) if negated else every
    if kind == "only":
        if negated:
            raise CannotPlanError("«not only» has no clear meaning", code="grammar.not_only")
        others = joined(subject, link, p.Without(link.everything(), ends), conditions)
        return p.Without(some, others)
    if not is_countable(place, link):
        raise CannotPlanError("the same two are joined several times", code="grammar.joined_again")
    measure = CountIn(link.steps, ends, conditions)
    if kind == "all":
        number, kind = float(len(ends.run(place))), "least"
        if not number:
            raise CannotPlanError("there is nothing of which all could be meant", code="grammar.all_of_none")
    if negated and kind not in OPPOSITES:
        raise CannotPlanError("no rule reads what is not so often", code="grammar.not_exactly")
    return p.compared(subject.plan, measure, OPPOSITES[kind] if negated else kind, number)


def is_countable(place: Place, link: Link) -> bool:
    """Return whether a relation joins no two more than once; else its triples may be meant, and not its ends."""
    for relation, _ in link.steps:
        edges = Edges(relation)
        heads, tails = edges.ends(place, heads=True), edges.ends(place, heads=False)
        if len(np.unique(heads * place.graph.n_entities + tails)) < len(heads):
            return False
    return True
