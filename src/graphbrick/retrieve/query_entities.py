"""The entities that a question names, as a query finds them: for the prompt of a model that writes queries."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.core.graph import Labels
from graphbrick.core.schema import NodeClass, Schema
from graphbrick.graphs.local import mentioned
from graphbrick.queries.check_cypher import quoted
from graphbrick.queries.names import same_name
from graphbrick.queries.schema_text import name_property
from graphbrick.queries.tokens import CYPHER

KEYS = ("key", "id")
"""Properties that hold unique keys, best first."""
_NAMESAKES = 5  # entities of one name that are looked at
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def entities_named(graph: Labels, question: str) -> list[int]:
    """Return the entities whose names stand in a question, with all namesakes, longest name first.

    Where some names stand there letter by letter, those that differ in case are left out: «time» is not the city Time
    in a question about Kenya.
    """
    exact, other = list[int](), list[int]()
    for entity in mentioned(graph, question):
        label = graph.label(entity)
        found = [one for one in graph.search(label, _NAMESAKES) if graph.label(one) == label]
        (exact if label in question else other).extend(dict.fromkeys((entity, *found)))
    return exact or other


def entity_lines(graph: Labels, entities: Sequence[int], schema: Schema, language: str, *, by_key: bool) -> list[str]:
    """Return a line for each entity: in Cypher the pattern that matches it, in SPARQL its label, types and IRI.

    Args:
        graph: The graph.
        entities: The entities.
        schema: The schema of the graph.
        language: "Cypher" or "SPARQL".
        by_key: Whether just these entities are meant, so that one with namesakes is written with its key.

    >>> from graphbrick.core.schema import Property
    >>> from graphbrick.testing import tiny_graph
    >>> graph = tiny_graph()
    >>> schema = Schema((NodeClass("Country", (Property("label"),)),))
    >>> entity_lines(graph, [graph.entity("Kenya")], schema, "Cypher", by_key=False)
    ["(:Country {label: 'Kenya'})"]
    """
    write = _pattern if language == CYPHER else _described
    lines = [write(graph, entity, schema, by_key and _has_namesake(graph, entity)) for entity in entities]
    return list(dict.fromkeys(lines))


def _has_namesake(graph: Labels, entity: int) -> bool:
    label = graph.label(entity)
    return any(one != entity and graph.label(one) == label for one in graph.search(label, _NAMESAKES))


def _pattern(graph: Labels, entity: int, schema: Schema, by_key: bool) -> str:
    known = _class_of(graph, entity, schema)
    names = {part.name for part in known.properties} if known else set[str]()
    key = next((name for name in KEYS if name in names), "") if by_key else ""
    name = key or (name_property(known) if known else "")
    if known is None or not name:
        return _described(graph, entity, schema, by_key)
    value = graph.key(entity) if key else graph.label(entity)
    return f"(:{quoted(known.name)} {{{quoted(name)}: {cypher_text(value)}}})"


def cypher_text(value: str) -> str:
    """Return a text as Cypher writes it.

    >>> print(cypher_text("King's Cross"))
    'King\\'s Cross'
    """
    return f"'{value.translate(_ESCAPES)}'"


def _class_of(graph: Labels, entity: int, schema: Schema) -> NodeClass | None:
    """Return the class of an entity: that of its first type, or the only one."""
    classes = {known.name: known for known in schema.classes}
    if len(classes) == 1:
        return schema.classes[0]
    named = (same_name(type_, classes) for type_ in graph.types(entity))
    return next((classes[name] for name in named if name), classes.get("Entity"))


def _described(graph: Labels, entity: int, schema: Schema, by_key: bool) -> str:
    kinds, key, label = " and ".join(graph.types(entity)), graph.key(entity), graph.label(entity)
    known = ", ".join(part for part in (kinds, "" if key == label else f"key {key!r}") if part)
    return f"{label!r}" + (f" ({known})" if known else "")
