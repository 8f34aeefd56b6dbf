"""The schema of a Cypher database, read with plain Cypher: no procedures of one vendor but the lists of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphbrick.core.schema import Connection, NodeClass, Property, Rows, Schema
from graphbrick.graphs.databases.cypher.dialect import quoted
from graphbrick.graphs.databases.cypher.values import plain_scalar
from graphbrick.graphs.queries.tokens import literal

_SAMPLED = 100  # nodes of a label, or relations of a type, whose properties are read
_CONNECTED = 5_000  # relations of a type whose ends are read
_EXAMPLES, _LONGEST = 3, 60
_MOST_LABELS, _MOST_TYPES = 300, 500
_TYPES: dict[type, str] = {bool: "BOOLEAN", int: "INTEGER", float: "FLOAT", str: "STRING", list: "LIST"}

Fetch = Callable[[str, Mapping[str, Any], int], Rows]


def plain_schema(fetch: Fetch) -> Schema:
    """Read labels, properties with examples, and relations with the labels that they join.

    Numbers of nodes and relations are exact; properties are read from 100 nodes of each label, and what a relation
    joins from 5,000 of each type.

    Args:
        fetch: Runs a query with parameters and a limit.
    """
    labels = [str(row[0]) for row in fetch("CALL db.labels()", {}, _MOST_LABELS).rows]
    types = [str(row[0]) for row in fetch("CALL db.relationshipTypes()", {}, _MOST_TYPES).rows]
    is_complete = len(labels) < _MOST_LABELS and len(types) < _MOST_TYPES
    classes = []
    for label in labels:
        pattern = f"(n:{quoted(label)})"
        count = fetch(f"MATCH {pattern} RETURN count(n)", {}, 1).rows[0][0]
        if count:
            sample = fetch(f"MATCH {pattern} RETURN properties(n) LIMIT {_SAMPLED}", {}, _SAMPLED).rows
            classes.append(NodeClass(label, properties_of(row[0] for row in sample), count))
            is_complete = is_complete and count <= _SAMPLED
    connections: list[Connection] = []
    for name in types:
        joined = _connections(fetch, name)
        connections += joined
        is_complete = is_complete and all(connection.count is not None for connection in joined)
    return Schema.by_count(classes, connections, is_complete)


def _connections(fetch: Fetch, name: str) -> list[Connection]:
    """Return the classes that a relation joins, with numbers if all of its triples were read."""
    pattern = f"-[r:{quoted(name)}]->"
    total = fetch(f"MATCH (){pattern}() RETURN count(r)", {}, 1).rows[0][0]
    if not total:
        return []
    properties = properties_of(
        row[0] for row in fetch(f"MATCH (){pattern}() RETURN properties(r) LIMIT {_SAMPLED}", {}, _SAMPLED).rows
    )
    text = f"MATCH (a){pattern}(b) WITH a, b LIMIT {_CONNECTED} RETURN labels(a), labels(b), count(*)"
    counts: dict[tuple[str, str], int] = {}
    for heads, tails, count in fetch(text, {}, _CONNECTED).rows:
        for pair in ((head, tail) for head in heads or [""] for tail in tails or [""]):
            counts[pair] = counts.get(pair, 0) + count
    known = total <= _CONNECTED or len(counts) == 1
    return [
        Connection(head, name, tail, properties, (total if len(counts) == 1 else count) if known else None)
        for (head, tail), count in counts.items()
    ]


def properties_of(sample: Iterable[Mapping[str, Any]]) -> tuple[Property, ...]:
    """Return the properties in a sample, with their types and up to three examples."""
    values: dict[str, list[Any]] = {}
    for properties in sample:
        for name, value in properties.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return tuple(Property(name, type_name(values[name][0]), examples_of(values[name])) for name in sorted(values))


def type_name(value: Any) -> str:
    """Return the type of a value in the words of Cypher."""
    if isinstance(value, list) and value:
        return f"LIST OF {type_name(value[0])}"
    if isinstance(value, Mapping):
        return "MAP"
    if hasattr(value, "srid"):
        return "POINT"
    name = _TYPES.get(type(value), type(value).__name__.upper())
    return "DURATION" if name in ("RELATIVEDELTA", "TIMEDELTA") else name


def examples_of(values: Iterable[Any]) -> tuple[str, ...]:
    """Return up to three different values as short texts, lists and maps as Cypher writes them.

    Long lists, such as embeddings, are left out.

    >>> examples_of([["en", "de"], {"x": 1}, True, "text"])
    ("['en', 'de']", '{x: 1}', 'true')
    """
    texts: dict[str, None] = {}
    for value in values:
        if isinstance(value, list) and len(value) > _EXAMPLES:
            continue
        value = plain_scalar(value)  # a text stays as it is
        text = value if isinstance(value, str) else _written(value)
        if 0 < len(text) <= _LONGEST:
            texts[text] = None
        if len(texts) == _EXAMPLES:
            break
    return tuple(texts)


def _written(value: Any) -> str:
    value = plain_scalar(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name}: {_written(part)}' for name, part in value.items())}}}"
    return literal(value) if isinstance(value, str) else str(value)
