"""A schema as text, for a model that writes queries and for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.queries.check_cypher import quoted
from graphbrick.queries.prefixes import prefixes_for, shortened
from graphbrick.queries.tokens import SPARQL, known_language

_EXAMPLES, _LONGEST = 2, 24  # values of a property, and letters of one
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def schema_prefixes(schema: Schema) -> dict[str, str]:
    """Return prefixes for the IRIs of a schema."""
    names = [name for known in schema.classes for name in (known.name, *(part.name for part in known.properties))]
    return prefixes_for([*names, *(known.relation for known in schema.connections)])


def schema_text(schema: Schema, language: str) -> str:
    """Return classes with their properties and examples, and the relations between them with counts.

    Args:
        schema: The schema.
        language: "Cypher" or "SPARQL", in whose words names are written.

    >>> schema = Schema((NodeClass("Film", (Property("title", "STRING", ("Alien",)),), 2),))
    >>> print(schema_text(schema, "Cypher"))
    Classes:
    (:Film) {title: STRING such as 'Alien'}; 2 nodes
    """
    write, lines = _Writer(schema, known_language(language)), list[str]()
    lines += [f"PREFIX {prefix}: <{iri}>" for prefix, iri in write.prefixes.items()]
    if schema.classes:
        lines += ["Classes:", *map(write.node_class, schema.classes)]
    if schema.connections:
        lines += ["Relations:", *map(write.connection, schema.connections)]
    if not schema.is_complete:
        lines.append("This was read from a sample of the graph; there may be more.")
    return "\n".join(lines)


def trimmed(schema: Schema, n: int, rate: Callable[[Sequence[str]], Sequence[float]]) -> Schema:
    """Return the part of a schema that bears on a question: at most ``n`` relations, and about ``n`` classes.

    The relations with the best rating are taken, then the classes that they join, then those with the best rating; of
    equal ratings the larger first. The order of the schema stays. Classes keep at most ``n`` properties.

    Args:
        schema: The whole schema.
        n: Most relations, at least 1.
        rate: Returns a number for each text, higher for those nearer to the question.
    """
    connections = schema.connections
    if len(connections) > n:
        texts = [readable(f"{known.head} {known.relation} {known.tail}") for known in connections]
        best = _best(rate(texts), n)
        connections = tuple(known for i, known in enumerate(connections) if i in best)
    classes = schema.classes
    if len(classes) > n:
        texts = [readable(" ".join((known.name, *(part.name for part in known.properties)))) for known in classes]
        joined = {end for known in connections for end in (known.head, known.tail)}
        best = _best(rate(texts), n)
        classes = tuple(known for i, known in enumerate(classes) if i in best or known.name in joined)
    classes = tuple(NodeClass(known.name, known.properties[:n], known.count) for known in classes)
    return Schema(classes, connections, schema.is_complete)


def readable(name: str) -> str:
    """Return the words of a name, or of the last part of an IRI.

    >>> readable("http://example.org/hasCapital_city"), readable("<urn:graphbrick:relation/part%20of>")
    ('has Capital city', 'part of')
    """
    parts = [unquote(re.split(r"[/#:]", part.rstrip(">"))[-1]) for part in name.split()]
    return _WORD_BREAK.sub(" ", " ".join(parts)).replace("_", " ")


def _best(ratings: Sequence[float], n: int) -> set[int]:
    return set(sorted(range(len(ratings)), key=lambda i: -ratings[i])[:n])  # stable: the larger first


class _Writer:
    """Writes the lines of one schema."""

    def __init__(self, schema: Schema, language: str) -> None:
        self._is_sparql = language == SPARQL
        self.prefixes = schema_prefixes(schema) if self._is_sparql else {}

    def name(self, name: str) -> str:
        return shortened(name, self.prefixes) if self._is_sparql else quoted(name)

    def node_class(self, known: NodeClass) -> str:
        name = self.name(known.name) if self._is_sparql else f"(:{self.name(known.name)})"
        count = "" if known.count is None else f"; {known.count:,} nodes"
        return f"{name}{self._properties(known.properties)}{count}"

    def connection(self, known: Connection) -> str:
        head, relation, tail = map(self.name, (known.head, known.relation, known.tail))
        count = "" if known.count is None else f"; {known.count:,} triples"
        if self._is_sparql:
            return f"{head} {relation} {tail}{count}"
        return f"(:{head})-[:{relation}{self._properties(known.properties)}]->(:{tail}){count}"

    def _properties(self, properties: Sequence[Property]) -> str:
        return f" {{{', '.join(map(self._property, properties))}}}" if properties else ""

    def _property(self, known: Property) -> str:
        examples = ", ".join(repr(value[:_LONGEST]) for value in known.examples[:_EXAMPLES])
        words = " ".join(part for part in (known.type, f"such as {examples}" if examples else "") if part)
        return f"{self.name(known.name)}: {words}" if words else self.name(known.name)
