"""Triples that stand for several of what they are called: `SCORED {value: 3}` is three goals in one game.

Such triples are added up where a question counts by their noun, and counted where it counts what they lead to: «how
many goals did she score», «in how many games did she score».
"""

from __future__ import annotations

import numpy as np

from graphbrick.bricks.retrieve.operators.plan import Place
from graphbrick.bricks.retrieve.operators.triples.columns import (
    Ints,
    TripleProperty,
    numbers_of_triples,
    triple_properties,
)
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.language import forms
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.patterns.properties.sources import Source, sources_of

_COUNTS = frozenset(map(stem, "count number times quantity qty occurrences".split()))
_GENERAL = frozenset(map(stem, "value n amount total".split()))  # a count only where more than that says so
_HAVE = 0.9  # of the triples that have the number
_ONES = 0.5  # of the triples that stand for one


def weight_of(place: Place, relation: int) -> str:
    """Return the property of triples that says how many each stands for; "" where each is one.

    A property called `value` is one if most triples have 1, or if a property of the entities is called like the
    relation: `goals_scored` of players, beside their triples `GOALS_SCORED {value}`.
    """

    def look() -> str:
        ids = place.graph.triple_ids()
        triples = ids[place.graph.csr.relation[ids] == relation]
        fits = [one.name for one in triple_properties(place.graph) if _is_weight(place, relation, one, triples)]
        return fits[0] if len(fits) == 1 else ""

    key = ("weight of triples", place.graph.place, place.graph.hash, relation)
    return current_session().get(key, look, at_most=256)


def _is_weight(place: Place, relation: int, one: TripleProperty, triples: Ints) -> bool:
    name = frozenset(one.stems)
    if relation not in one.relations or one.kind != Kind.INTEGER or not name <= _COUNTS | _GENERAL or not len(triples):
        return False
    numbers = numbers_of_triples(place.graph, one.name, triples)
    known = numbers[~np.isnan(numbers)]
    if len(known) < _HAVE * len(triples) or known.min() < 0:
        return False
    return bool(name & _COUNTS) or (known == 1).mean() > _ONES or total_of(place, relation) is not None


def total_of(place: Place, relation: int) -> Source | None:
    """Return the number of entities that is called like a relation; None without one."""
    own = stems(spaced(place.graph.relation_label(relation)))
    fits = (one for one in sources_of(place.graph) if one.relation < 0 and one.measured is None)
    return next((one for one in fits if one.stems == own and one.literal is not None and not one.is_date), None)


def nouns_of(place: Place, relation: int) -> frozenset[str]:
    """Return the noun in the plural that a relation is called by, with what stands before it; none without one.

    `YELLOW_CARDS` is called yellow cards, and `GOALS_SCORED` goals.
    """
    words = spaced(place.graph.relation_label(relation)).lower().replace("_", " ").split()
    nouns = [word for word in words if not (forms.is_installed() and forms.participle_of(word))]
    return frozenset(nouns) if nouns and is_plural(nouns[-1]) else frozenset()
