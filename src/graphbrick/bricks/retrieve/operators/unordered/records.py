"""Records of a relation, counted one by one: «how many comments does e0 have», of `COMMENTED`, several of a pair.

A person may comment on a thing, or review it, more than once. «Comments» are then the triples, «who commented» people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import (
    Along,
    Count,
    Degree,
    Having,
    Listed,
    Members,
    Place,
    Plan,
    SetPlan,
    Within,
)
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.edges import Edges
from graphbrick.bricks.retrieve.operators.triples.plans import BestOf, CountOfTriples
from graphbrick.bricks.retrieve.operators.wordings.records import relations_of_noun
from graphbrick.core.session import current_session
from graphbrick.language.stems import is_plural

_THAN = re.compile(r"\bthan (?:the )?(e\d+)\b")
_WORD = re.compile(r"[a-z]+")


def counting_records(parser: Parser, plan: Plan | None) -> Plan | None:
    """Return a plan that counts triples where the question counts records and the plan only what they lead to."""
    if plan is None:
        return None
    place, lexicon = parser.place, parser.resolver.lexicon
    nouns = [word for word in dict.fromkeys(_WORD.findall(parser.question.text)) if is_plural(word)]
    said = {relation for noun in nouns for relation in relations_of_noun(place.graph, lexicon, noun)}
    said = {relation for relation in said if _has_several_of_a_pair(place, relation)}
    found = _replaced(plan, said) if said else plan
    than = _THAN.search(parser.question.text)
    if found != plan and than is not None:
        found = _with_number_of(place, plan, found, parser.entity(than[1]))
    assumed = "; ".join(parser.resolver.assumptions_of(plan)) if found != plan else ""
    if assumed:
        parser.resolver.assumptions[found] = assumed
    return cast(Plan, found)


def _with_number_of(place: Place, plan: Any, found: Any, entity: int) -> Any:
    """Return a changed plan in which «more comments than e0» compares with as many records as e0 has."""
    if not isinstance(plan, Within) or not isinstance(found, Within):
        return found
    one = np.array([entity], dtype=np.int64)
    before, now = (float(measure.of(place, one)[0]) for measure in (plan.measure, found.measure))
    low, high = (now if bound == before else bound for bound in (found.low, found.high))
    return replace(found, low=low, high=high)


def _has_several_of_a_pair(place: Place, relation: int) -> bool:
    """Return whether some heads and tails are joined by more than one triple of a relation; a session looks once."""

    def look() -> bool:
        csr, ids = place.graph.csr, place.graph.triple_ids()
        triples = ids[csr.relation[ids] == relation]
        pairs = csr.heads(triples).astype(np.int64) * place.graph.n_entities + csr.tail[triples]
        return len(np.unique(pairs)) < len(triples)

    key = ("several of a pair", place.graph.place, place.graph.hash, relation)
    return current_session().get(key, look, at_most=256)


def _replaced(plan: Any, said: set[int]) -> Any:
    """Return a plan in which the records of some relations are counted, not what they lead to."""
    if isinstance(plan, Count) and (edges := _edges_of(plan.base, said)) is not None:
        return CountOfTriples(edges)
    if isinstance(plan, BestOf) and plan.how == "ends" and plan.edges.relation in said:
        return replace(plan, how="triples")
    if isinstance(plan, Degree) and len(plan.steps) == 1 and plan.steps[0][0] in said and not plan.of_class:
        ((relation, forward),) = plan.steps
        return CountIn(plan.steps, Having(relation, not forward), every=True)
    if isinstance(plan, CountIn) and len(plan.steps) == 1 and plan.steps[0][0] in said:
        return replace(plan, every=True)
    if not is_dataclass(plan) or isinstance(plan, type):
        return plan
    changed = dict(_changed(plan, said))
    return replace(cast(Any, plan), **changed) if changed else plan


def _changed(plan: Any, said: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a plan that are replaced."""
    for field in fields(plan):
        own = getattr(plan, field.name)
        if isinstance(own, tuple):
            new: Any = tuple(_replaced(one, said) for one in own)
        else:
            new = _replaced(own, said)
        if new is not own and new != own:
            yield field.name, new


def _edges_of(base: SetPlan, said: set[int]) -> Edges | None:
    """Return the triples of a step from one entity, or from a set; None for another set."""
    if isinstance(base, Along) and len(base.steps) == 1 and not base.of_class:
        start: SetPlan = Listed((base.start,))
    elif isinstance(base, Walk) and len(base.steps) == 1 and not any(base.classes):
        start = base.base
    else:
        return None
    ((relation, forward),) = base.steps
    if relation not in said or isinstance(start, Members):
        return None
    return Edges(relation, start, None) if forward else Edges(relation, None, start)
