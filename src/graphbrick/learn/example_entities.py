"""The entities of a graph that example questions are written about."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.literals import literal_types
from graphbrick.language import forms

_DRAWN, _CHOSEN = 300, 40  # triples that are drawn for entities, and entities that are chosen of them
_CLASSES, _OF_CLASS, _OF_DATABASE = 12, 4, 16  # classes of a database, entities of each, and of all of them
_WELL_KNOWN = 40  # triples of an entity that everybody may know; more count no more
_LONGEST_NAME = 40  # characters
_CODED = re.compile(r"\d{4,}|[^\W\d_]\d|\d[^\W\d_]|\d[:_-]\d")


def entities_with_good_names(graph: Any, rng: random.Random) -> list[int]:
    """Return entities with good names, the well known first.

    A few are drawn, whatever the size of the graph.

    Args:
        graph: A folder graph, or a graph in a database.
        rng: Draws the entities of a folder graph.
    """
    drawn = list(dict.fromkeys(_drawn(graph, rng) if isinstance(graph, Graph) else _of_classes(graph)))
    if not isinstance(graph, Graph):
        return [entity for entity in drawn if has_good_name(graph.label(entity))][:_OF_DATABASE]
    named = [one for one in drawn if has_good_name(graph.label(one)) and len(graph.named(graph.label(one))) == 1]
    known = sorted(named, key=lambda one: (_is_coded(graph.label(one)), -min(graph.degree(one), _WELL_KNOWN)))
    place = Counter[str]()
    turns: list[tuple[bool, int, int]] = []
    for entity in known:
        place[graph.first_type(entity)] += 1
        turns.append((_is_coded(graph.label(entity)), place[graph.first_type(entity)], entity))
    return [entity for *_, entity in sorted(turns, key=lambda turn: turn[:2])][:_CHOSEN]


def _drawn(graph: Graph, rng: random.Random) -> Iterator[int]:
    """Yield the ends of triples drawn at random that are not numbers or dates; without triples any entities."""
    runs, values = graph.csr.runs(), literal_types(graph)
    if not graph.n_triples:
        yield from rng.sample(range(graph.n_entities), min(_DRAWN, graph.n_entities))
        return
    for run in rng.choices(runs, [len(run) for run in runs], k=_DRAWN):
        head, relation, tail = graph.triple(rng.choice(run))
        yield head
        if relation not in values:
            yield tail


def _of_classes(graph: Any) -> Iterator[int]:
    """Yield a few entities of each class of a Cypher database, in turns; none of another one."""
    if Capability.QUERY_LANGUAGE not in capabilities_of(graph) or graph.language != "Cypher":
        return
    lists = []
    for one in graph.schema().classes[:_CLASSES]:
        name = one.name.replace("`", "``")
        rows = graph.query(f"MATCH (n:`{name}`) RETURN n LIMIT {_OF_CLASS}", {}, _OF_CLASS).rows
        lists.append([graph.entity(str(row[0])) for row in rows])
    for place in range(_OF_CLASS):
        yield from (one[place] for one in lists if place < len(one))


def has_good_name(label: str) -> bool:
    """Return whether a question with the name reads well: it is short, of letters, and on one line."""
    return 2 < len(label) <= _LONGEST_NAME and any(map(str.isalpha, label)) and "\n" not in label


def is_name(label: str) -> bool:
    """Return whether a label of documents is a name, and no word that stood at the beginning of a sentence.

    >>> [label for label in ("euros", "Use", "Kenya", "Lake Victoria", "See also") if is_name(label)]
    ['Kenya', 'Lake Victoria']
    """
    first, *rest = label.split()
    if first[:1] == first[:1].lower():
        return False
    try:
        is_common = all(forms.is_word(word) for word in (first.lower(), *rest)) and not forms.is_only_noun(
            first.lower()
        )
    except GraphbrickError:  # no word forms are installed
        return True
    return not is_common or any(word != word.lower() for word in rest)


def _is_coded(label: str) -> bool:
    """Return whether a label is a code or has one: «N25134», «ENC-000537», «B68 2013-02-07»."""
    return _CODED.search(label) is not None
