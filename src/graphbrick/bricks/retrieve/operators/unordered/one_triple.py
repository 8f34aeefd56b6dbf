"""Conditions that hold of one triple: «level 5 in Python» is said of one skill, not of two."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from graphbrick.bricks.retrieve.operators.plan import Along, Both, Listed, Members, SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.plans import Ends


def in_one_triple(plan: Any) -> Any:
    """Return a plan in which a name and a value of the same relation are those of one triple.

    Two sets of which one has a value at triples of a relation, and the other leads to a name by this relation, become
    one. With several such names, the question may mean any of them, and the plan stays as it is.
    """
    if type(plan) is Both:  # and not `Either`
        return _joined(plan)
    if not is_dataclass(plan) or isinstance(plan, type):
        return plan
    changed = {}
    for field in fields(plan):
        own = getattr(plan, field.name)
        new: Any = tuple(map(in_one_triple, own)) if isinstance(own, tuple) else in_one_triple(own)
        if new != own:
            changed[field.name] = new
    return replace(cast(Any, plan), **changed) if changed else plan


def _joined(plan: Both) -> SetPlan:
    parts = [in_one_triple(part) for part in plan.parts]
    for part in [one for one in parts if isinstance(one, Ends) and one.edges.conditions]:
        named = [(other, name) for other in parts if (name := _named(other, part)) is not None]
        if len(named) == 1:
            ((other, name),) = named
            edges = replace(part.edges, tails=name) if part.heads else replace(part.edges, heads=name)
            parts = [replace(part, edges=edges) if one is part else one for one in parts if one is not other]
    return Both(tuple(parts)) if parts[1:] else parts[0]


def _named(other: SetPlan, part: Ends) -> Listed | None:
    """Return the entity that a set leads to by the relation of another one that leads to all of a class."""
    if not isinstance(part.edges.tails if part.heads else part.edges.heads, Members | None):
        return None
    steps = other.steps if isinstance(other, Walk | Along) else ()
    if tuple(steps) != ((part.edges.relation, not part.heads),):
        return None
    if isinstance(other, Along):
        return Listed((other.start,))
    base = cast(Walk, other).base
    return base if isinstance(base, Listed) and len(base.entities) == 1 else None
