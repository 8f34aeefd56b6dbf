"""The entities that a question names, in the form that a query finds them by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphbrick.core.graph import Labels
from graphbrick.core.schema import NodeClass, Schema
from graphbrick.graphs.databases.cypher.values import key_value
from graphbrick.graphs.databases.names import KEYS
from graphbrick.graphs.local.seeds import mentioned
from graphbrick.graphs.queries.check_cypher import quoted
from graphbrick.graphs.queries.names import same_name
from graphbrick.graphs.queries.schema_text import name_property, readable
from graphbrick.graphs.queries.tokens import CYPHER, literal
from graphbrick.language.folding import name_form
from graphbrick.language.stop_words import FUNCTION_WORDS

_COMPARING = "all any but each every few least less more most no not only than".split()
_NAMESAKES = 5  # entities of one name that are looked at


def entities_named(graph: Labels, question: str, schema: Schema) -> list[int]:
    """Return the entities whose names stand in a question, with all namesakes, longest name first.

    Names that stand there letter by letter are preferred: «bolivia» is the tag, not the country, if there are both.
    Other names are left out if there are such, or if they are only function words and words of the schema: «most» and
    «time zone» are no cities in a question about countries with time zones.
    """
    small = {*FUNCTION_WORDS, *_COMPARING}.union(*(name_form(readable(name)).split() for name in _names(schema)))
    exact, other = list[int](), list[int]()
    for entity in mentioned(graph, question):
        form = name_form(graph.label(entity))
        namesakes = [
            one for one in graph.search(graph.label(entity), _NAMESAKES) if name_form(graph.label(one)) == form
        ]
        namesakes = list(dict.fromkeys((entity, *namesakes)))
        literal = [one for one in namesakes if graph.label(one) in question]
        if set(form.split()) <= small:
            exact += [one for one in literal if graph.label(one) != graph.label(one).lower()]
        elif literal:
            exact += literal
        else:
            other += namesakes
    return exact or other


def _names(schema: Schema) -> Iterator[str]:
    yield from (known.name for known in schema.classes)
    yield from (known.relation for known in schema.connections)


def entity_lines(graph: Labels, entities: Sequence[int], schema: Schema, language: str, *, by_key: bool) -> list[str]:
    """Return a line for each entity: its pattern in Cypher; label, types and IRI in SPARQL.

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
    types = {part.name: part.type for part in known.properties}
    own = graph.key(entity).removeprefix(f"{known.name}:")  # of ids that are unique within a class only
    value = key_literal(own, types[key]) if key else literal(graph.label(entity))
    return f"(:{quoted(known.name)} {{{quoted(name)}: {value}}})"


def key_literal(key: str, type_name: str) -> str:
    """Return a key as Cypher writes it: as a number where the property has numbers.

    >>> key_literal("7001", "INT64"), key_literal("Person:7001", "INTEGER"), key_literal("7001", "STRING")
    ('7001', '7001', "'7001'")
    """
    value = key_value(key.rpartition(":")[2], type_name)
    return literal(key) if isinstance(value, str | None) else str(value)


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
