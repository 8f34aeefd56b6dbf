"""Phrases that say whether things have a property at all: «monsters with a swim speed», «which monsters cannot fly»."""

from __future__ import annotations

from collections.abc import Callable

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.measures import Attribute
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.properties.selections import Where
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.core.properties.values import Kind
from graphbrick.language.stems import stems
from graphbrick.patterns.properties.sources import Source, sources_of


def with_property(resolver: Resolver, read: Callable[[str], SetPlan], text: str) -> SetPlan | None:
    """Return the plan of a phrase about things that have a property, or lack it; None for another phrase.

    Args:
        resolver: Knows the graph and its words.
        read: Returns the plan of the phrase before it.
        text: The phrase.
    """
    english = resolver.english
    match = english.match("presence", text)
    if match is None:
        return None
    words = set(english.content(match["what"]))
    if words != set(stems(match["what"])) or words & resolver.lexicon.words:
        return None  # «with priority high» says more than that there is one
    sources = [one for one in sources_of(resolver.place.graph) if one.relation < 0 and words <= one.words]
    if match["can"] or match["cannot"]:  # «can fly»: a speed, or yes
        sources = [one for one in sources if one.literal is not None or one.kind == Kind.BOOLEAN]
    if len(sources) != 1:
        return None
    base = read(english.as_question(match["base"]))
    holding = _holding(resolver, sources[0], is_able=bool(match["can"] or match["cannot"]))
    return p.Without(base, holding) if match["cannot"] or match["lacks"] else p.Both((base, holding))


def _holding(resolver: Resolver, source: Source, *, is_able: bool) -> SetPlan:
    """Return what has a property: of yes and no what has yes, and of numbers that say what can be done those over 0."""
    if source.kind == Kind.BOOLEAN:
        return Where(None, (source,), source.yes)
    holding = resolver.holding(source)
    return p.Within(holding, Attribute(source), low=0.0) if is_able else holding
