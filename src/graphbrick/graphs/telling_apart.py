"""What tells entities of one name apart: a type, a property, or a neighbour."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.core.properties.values import shown_value
from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import spaced

_TRIPLES, _LONGEST = 64, 60  # triples in each direction that are looked at, and characters of one fact


def told_apart(graph: Graph, entities: Sequence[int]) -> list[str]:
    """Return for each entity its name with what tells it from the others: its type, and one or two facts.

    >>> from graphbrick.testing import tiny_graph
    >>> graph = tiny_graph()
    >>> told_apart(graph, [graph.entity("Kenya"), graph.entity("Uganda")])[0]
    'Kenya (currency Kenyan shilling)'
    """
    facts = [_facts(graph, entity) for entity in entities]
    names = list(dict.fromkeys(name for own in facts for name in own))
    chosen = list[str]()
    left = list(range(len(entities)))
    for name in sorted(names, key=lambda name: -len({own.get(name, "") for own in facts})):
        if len(left) > 1 and len({_shown(facts[place], [*chosen, name]) for place in left}) > 1:
            chosen.append(name)
            texts = [_shown(own, chosen) for own in facts]
            left = [place for place, text in enumerate(texts) if texts.count(text) > 1]
    types = [graph.first_type(entity) for entity in entities]
    keys = [graph.key(entities[place]) if place in left else "" for place in range(len(entities))]
    return [
        f"{graph.label(entity)} ({', '.join(filter(None, (of_type, _shown(own, chosen), key)))})"
        for entity, of_type, own, key in zip(entities, types, facts, keys, strict=True)
    ]


def _facts(graph: Graph, entity: int) -> dict[str, str]:
    """Return short facts about an entity: description, properties, then the first neighbour by each relation."""
    facts = {"described as": graph.description(entity)}
    facts |= {name: shown_value(value) for name, value in graph.properties(entity).items()}
    for forward, triples in ((True, graph.triples_from(entity)), (False, graph.triples_to(entity))):
        for triple in list(triples)[:_TRIPLES]:
            head, relation, tail = graph.triple(triple)
            label = graph.relation_label(relation)
            facts.setdefault(label if forward else f"{label} of", graph.label(tail if forward else head))
    return {name: text for name, text in facts.items() if text and len(text) <= _LONGEST}


def _shown(facts: dict[str, str], names: Sequence[str]) -> str:
    shown = (f"{spaced(name).replace('_', ' ').lower()} {facts[name]}" for name in names if name in facts)
    return ", ".join(shown)
