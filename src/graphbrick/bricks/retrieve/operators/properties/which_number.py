"""Which of several properties a number is: «the highest cost», of `cost_total` and `cost_other`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import Attribute
from graphbrick.bricks.retrieve.operators.sets import Ints, SetPlan
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.stems import stems
from graphbrick.patterns.properties.sources import Source, owners_of

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.properties.plans import Values
    from graphbrick.bricks.retrieve.operators.resolve import Resolver

_SHOWN = 2  # other properties


def meant_of(resolver: Resolver, words: str, wanted: Sequence[str], sources: Sequence[Source]) -> Source:
    """Return the property that some words name, or the one that most entities have.

    Args:
        resolver: Knows the graph, and takes assumptions.
        words: The words of the question.
        wanted: The stems that have a meaning.
        sources: The properties that they may be, at least one.
    """
    graph = resolver.place.graph
    named = [source for source in sources if sorted(source.stems) == sorted(stems(words))]
    source = max(named or usual_first(sources), key=lambda source: len(owners_of(graph, source)))
    resolver.assume_number(wanted, source)
    own = owners_of(graph, source)
    if not named:
        assume_one_of(resolver, wanted, source, [one for one in sources if np.isin(owners_of(graph, one), own).any()])
    return source


def usual_first(sources: Sequence[Source]) -> list[Source]:
    """Return properties with totals first: the cost is the total cost, but the price is that of a unit."""
    return sorted(sources, key=lambda one: ("total" not in one.stems) != ("pric" in one.stems))


def assume_one_of(resolver: Resolver, wanted: Sequence[str], source: Source, sources: Sequence[Source]) -> None:
    """Record the assumption that one of several properties with the same word is meant, if none has it as its name."""
    others = [one for one in sources if one.stems != source.stems and one.kind == source.kind]
    if others and wanted and all(tuple(wanted) != one.stems for one in (source, *others)):
        names = " and ".join(dict.fromkeys(one.name for one in others[:_SHOWN]))
        told = f"{' '.join(wanted)!r} is taken for {source.name}; there is {names} too"
        resolver.assumptions.setdefault(Attribute(source), told)


def in_full(sources: Sequence[Source], text: str) -> list[Source]:
    """Return the properties whose whole name a text says: `last_seen`, for «last seen»; all if it says none so."""
    said = set(stems(text))
    return [one for one in sources if said.issuperset(one.stems)] or [*sources]


def told_if_several(resolver: Resolver, plan: Values, sources: Sequence[Source], text: str) -> Values:
    """Return a plan; that it takes one of several properties which a text may mean is an assumption.

    Args:
        resolver: Knows the graph, and takes assumptions.
        plan: The plan.
        sources: The properties.
        text: The question; one that it names in full is no assumption.
    """
    place, own = resolver.place, plan.base.run(resolver.place)
    others = [
        one for one in sources if one.stems != plan.source.stems and np.isin(owners_of(place.graph, one), own).any()
    ]
    if others and not set(stems(text)).issuperset(plan.source.stems):
        names = " and ".join(dict.fromkeys(one.name for one in others[:_SHOWN]))
        resolver.assumptions.setdefault(plan, f"{plan.source.name} is taken; there is {names} too")
    return plan


def in_unit_of_noun(resolver: Resolver, base: SetPlan, names: Sequence[str], words: str) -> Attribute | None:
    """Return the height for «taller than 3 blocks», as an assumption; None where the words name what is compared.

    Args:
        resolver: Finds numbers, and takes assumptions.
        base: What is compared.
        names: What the adjective measures, if that is one thing: «larger than 3 rooms» may count rooms.
        words: The words after the number.
    """
    is_plain = not words or bool(MENTION.search(words)) or "area" in names or not names
    if is_plain or resolver.attribute(words, base) is not None:
        return None
    measures = (resolver.attribute(name, base) for name in names)
    measure = next((one for one in measures if one is not None and not one.is_date(resolver.place)), None)
    if measure is not None:
        resolver.assumptions[measure] = f"{words!r} is taken for the unit of {measure.text(resolver.place)}"
    return measure


def attribute_of(resolver: Resolver, wanted: Sequence[str], entities: Ints) -> Attribute | None:
    """Return the number or date that some stems speak of; of several, one that most entities have."""
    alike, most, few = list[Source](), 0.0, list[Source]()  # few have the date of death
    has_age = any(source.stems == ("ag",) for source in resolver.numeric)
    for source in resolver.numeric:
        if not resolver.is_said(wanted, source) or (has_age and source.is_date and [*wanted] == ["ag"]):
            continue  # the lowest age is the latest birth
        share = float(np.mean(~np.isnan(Attribute(source).of(resolver.place, entities)))) if len(entities) else 0.0
        if share >= 0.5 and share >= most:
            alike, most = [*alike, source] if share == most else [source], share
        elif share > 0 and source.relation < 0:
            few.append(source)
    if not alike and len(few) == 1:
        return Attribute(few[0])
    if not alike:
        return None
    best = usual_first(alike)[0]
    assume_one_of(resolver, wanted, best, alike)
    return Attribute(best)
