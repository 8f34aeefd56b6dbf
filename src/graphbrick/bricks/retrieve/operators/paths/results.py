"""The evidence of a plan that was run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import numpy as np

from graphbrick.bricks.retrieve.operators.amounts import Count, shown_number
from graphbrick.bricks.retrieve.operators.measures import Gap, Measure
from graphbrick.bricks.retrieve.operators.paths.in_units import in_asked_unit
from graphbrick.bricks.retrieve.operators.plan import (
    Amount,
    Best,
    Both,
    Holding,
    IsAmong,
    Listed,
    Members,
    Place,
    Plan,
    SetPlan,
    ValuePlan,
    Without,
)
from graphbrick.bricks.retrieve.operators.sets import Shown, TextPlan
from graphbrick.bricks.retrieve.operators.triples.per_group import TriplesPerGroup
from graphbrick.bricks.retrieve.operators.triples.plans import OfTriples
from graphbrick.core import Citation, Evidence, Row
from graphbrick.core.items import ANSWER, Item
from graphbrick.core.trace import REFUSAL, event, fact

EXPLAINED, ASSUMED = 0.95, 0.5
"""The confidence of a plan of which the graph explains every word, and of one with an assumption; see the docs."""


def evidence_of(plan: Plan, place: Place, cap: int, source: str, *, sure: bool = True) -> Evidence:
    """Run a plan, and return its answers with the paths that support them.

    Args:
        plan: The plan.
        place: The graph.
        cap: Most answers listed.
        source: The stage, as it is named in each item.
        sure: Whether the plan rests on no assumption, so that «nothing» would be the answer.
    """
    text = plan.text(place)
    rows: list[Item] = []
    entities = np.zeros(0, dtype=np.int64)
    cited = (Citation(query=text),)
    inner: object = None
    in_unit = True
    if isinstance(plan, Count) and not sure and not len(plan.base.run(place)):
        _tell_nothing(text, sure=False)  # «0» would say that there are none of what was only assumed
    elif isinstance(plan, TextPlan | ValuePlan):
        shown = plan.shown(place) if isinstance(plan, TextPlan) else [_value_of(plan, place)]
        shown, in_unit = in_asked_unit(plan, place, shown)
        _tell_cap(len(shown), cap, "values")
        counted = int(shown[0].text.replace(",", "")) if plan.is_count else None
        for one in shown[:cap]:
            named = () if one.entity is None else (one.entity,)
            rows.append(Row(ANSWER, (one.text, text), cited, named, place.graph, source=source, counted=counted))
        inner = getattr(plan, "base", None) if isinstance(plan, ValuePlan) else None
        if isinstance(inner, SetPlan) and not isinstance(inner, Members):
            entities = inner.run(place)
            if isinstance(plan, IsAmong):  # what shows it of those that are asked about
                entities = entities[np.isin(entities, plan.entities.run(place))]
    else:
        assert isinstance(plan, SetPlan)
        inner, entities = plan, plan.run(place)
        if not len(entities):
            _tell_nothing(text, sure=sure)
        rows += [
            Row(ANSWER, (place.graph.label(entity), text), cited, (entity,), place.graph, source=source)
            for entity in entities[:cap].tolist()
        ]
    if rows:  # where there is nothing, the reason has said it
        event(f"plan: {text}", "operators.plan", plan=text)
    _tell_missing(plan, place)
    _tell_ties(plan, place)
    _tell_empty(plan, place)
    fact(results=len(entities))
    _tell_cap(len(entities), cap, "entities")
    proofs: list[Item] = []
    if isinstance(plan, TextPlan):
        proofs = plan.proofs(place)
    elif isinstance(inner, SetPlan) and not isinstance(inner, Listed | Members):
        proofs = inner.proofs(place, entities[:cap])[:cap]
    return Evidence((*rows, *dict.fromkeys(proofs)), confidence=None if in_unit else ASSUMED)


def _tell_nothing(text: str, *, sure: bool) -> None:
    """Record that no entity is what a plan asks for, which is the answer only if nothing was assumed."""
    if sure:
        event(f"nothing in the graph fits: {text}", "operators.nothing_fits", REFUSAL, plan=text)
    else:
        event(f"nothing in the graph fits what was assumed: {text}", "operators.no_fit", REFUSAL, plan=text)


def _tell_cap(n: int, cap: int, what: str) -> None:
    """Record that there are more answers than are listed."""
    if n > cap:
        event(f"{n:,} {what} are the answer; the first {cap:,} are given (cap)", "operators.cap", n=n, cap=cap)


def _tell_missing(plan: Plan, place: Place) -> None:
    """Record how many entities have no value of what a plan compares, adds up or denies, so that they do not count."""
    for name, missing, of in dict.fromkeys(_missing(plan, place)):
        if 0 < missing < of:
            text = f"{missing:,} of {of:,} have no {name}, and do not count"
            event(text, "operators.without_value", name=name, missing=missing, of=of)


def _tell_ties(plan: Plan, place: Place) -> None:
    """Record how many have the same number as the last of «the three largest», and are left out."""
    for part in _parts(plan):
        if isinstance(part, Best) and (ties := part.left_out(place)):
            name = part.measure.text(place)
            text = f"{ties:,} more have the same {name} as the last of the {part.n}; they are left out"
            event(text, "operators.ties", name=name, ties=ties, n=part.n)


def _tell_empty(plan: Plan, place: Place) -> None:
    """Record how many groups have none of what is counted, and are not listed."""
    empty = plan.empty_groups(place) if isinstance(plan, TextPlan) else 0
    if empty:
        event(
            f"{empty:,} more {'has' if empty == 1 else 'have'} none, and {'is' if empty == 1 else 'are'} not listed",
            "operators.empty_groups",
            n=empty,
        )


def _missing(plan: Plan, place: Place) -> Iterator[tuple[str, int, int]]:
    """Yield the properties that parts of a plan need, how many entities or triples lack them, and of how many."""
    for part in _parts(plan):
        base, measure = getattr(part, "base", None), getattr(part, "measure", None)
        if isinstance(part, TextPlan) and (without := part.without_group(place)) is not None:
            yield without
        if isinstance(part, OfTriples) or (isinstance(part, TriplesPerGroup) and part.name):
            numbers = part.edges.numbers(place, part.name)
            yield part.name, int(np.isnan(numbers).sum()), len(numbers)
        if isinstance(base, SetPlan) and isinstance(measure, Measure) and measure.is_own:
            values = measure.of(place, base.run(place))
            name = measure.text(place)
            name = f"{name} or {measure.other.text(place)}" if isinstance(measure, Gap) else name
            yield name, int(np.isnan(values).sum()), len(values)
        elif isinstance(part, Without) and isinstance(base, Both) and isinstance(base.parts[-1], Holding):
            everyone = base.parts[0].run(place)  # «not married»: of some it is not known
            yield base.parts[-1].source.name, len(everyone) - len(base.run(place)), len(everyone)


def _parts(plan: Plan) -> Iterator[Plan]:
    """Yield a plan and the plans that it is made of."""
    yield plan
    if not is_dataclass(plan):
        return
    for field in fields(plan):
        value = getattr(plan, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Plan):
                yield from _parts(part)


def _value_of(plan: ValuePlan, place: Place) -> Shown:
    """Return the value of a plan, as the graph writes it where it does."""
    written = plan.written(place) if isinstance(plan, Amount) else None
    return written or Shown(shown_number(plan.value(place), plan.unit(place)))
