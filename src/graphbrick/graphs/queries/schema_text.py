"""A schema as text, for a model that writes queries and for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.graphs.queries.check_cypher import quoted
from graphbrick.graphs.queries.prefixes import STANDARD, declared_prefixes, prefixes_for, shortened
from graphbrick.graphs.queries.tokens import SPARQL, known_language, literal

_EXAMPLES, _LONGEST = 2, 24  # values of a property, and letters of one
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMES = ("label", "name", "title", "pref label")  # properties that hold names, in words, best first
_NUMBERS = ("INT", "FLOAT", "DOUBLE", "DECIMAL", "UINT", "XSD:INT", "XSD:D")
_WRITTEN = ("BOOL", "LIST", "MAP", "STRUCT")  # whose examples are written as in a query
_PLAIN_TYPES = ("", "STRING", "xsd:string")  # which need not be said


def schema_prefixes(schema: Schema) -> dict[str, str]:
    """Return prefixes for the IRIs of a schema."""
    names = [name for known in schema.classes for name in (known.name, *(part.name for part in known.properties))]
    return prefixes_for([*names, *(known.relation for known in schema.connections)])


def prefixes_of(text: str, schema: Schema) -> dict[str, str]:
    """Return the prefixes that a query in SPARQL may use: its own first, the standard ones, and those of the schema."""
    own = declared_prefixes(text)
    return own | {prefix: iri for prefix, iri in {**STANDARD, **schema_prefixes(schema)}.items() if prefix not in own}


def schema_text(schema: Schema, language: str, *, counts: bool = True) -> str:
    """Return classes with their properties and examples, and the relations between them.

    Properties that most classes share are listed once, by name only; texts have no type.

    Args:
        schema: The schema.
        language: "Cypher" or "SPARQL", in whose words names are written.
        counts: Whether to give the numbers of nodes and triples: for people; models write no better queries with them.

    >>> schema = Schema((NodeClass("Film", (Property("title", "STRING", ("Alien",)),), 2),))
    >>> print(schema_text(schema, "Cypher"))
    Classes:
    (:Film {title: 'Alien'}); 2 nodes
    """
    write, lines = _Writer(schema, known_language(language), counts=counts), list[str]()
    lines += [f"PREFIX {prefix}: <{iri}>" for prefix, iri in write.prefixes.items()]
    lines += write.shared_lines()
    if schema.classes:
        lines += ["Classes:", *map(write.node_class, schema.classes)]
    if schema.connections:
        lines += ["Relations:", *map(write.connection, schema.connections)]
    if not schema.is_complete:
        lines.append("This was read from a sample of the graph; there may be more.")
    return "\n".join(lines)


def name_property(known: NodeClass) -> str:
    """Return the property that holds the names of a class; empty if none is known for that.

    >>> name_property(NodeClass("Film", (Property("year"), Property("title"))))
    'title'
    """
    by_words = {readable(part.name).lower(): part.name for part in reversed(known.properties)}
    return next((by_words[words] for words in _NAMES if words in by_words), "")


def sample_query(schema: Schema) -> str:
    """Return a query in Cypher over a schema that shows a model its form; empty if no class has two named neighbours.

    >>> named = (Property("name", "STRING", ("Heat",)),)
    >>> classes = tuple(NodeClass(name, named) for name in ("Film", "Person", "Genre"))
    >>> joined = (Connection("Film", "DIRECTOR", "Person"), Connection("Film", "GENRE", "Genre"))
    >>> print(sample_query(Schema(classes, joined)))
    MATCH (a:Film)-[:DIRECTOR]->(b:Person {name: 'Heat'}), (a)-[:GENRE]->(c:Genre) RETURN DISTINCT c.name
    """
    names = {known.name: name_property(known) for known in schema.classes}
    values = {
        known.name: part.examples[0]
        for known in schema.classes
        for part in known.properties
        if part.name == names[known.name] and part.examples and "'" not in part.examples[0]
    }
    for first in schema.connections:
        others = [
            known for known in schema.connections if known.head == first.head and known.relation != first.relation
        ]
        second = next((known for known in others if names.get(known.tail)), None)
        if second is not None and first.tail in values:
            return (
                f"MATCH (a:{quoted(first.head)})-[:{quoted(first.relation)}]->(b:{quoted(first.tail)} "
                f"{{{quoted(names[first.tail])}: '{values[first.tail]}'}}), "
                f"(a)-[:{quoted(second.relation)}]->(c:{quoted(second.tail)}) "
                f"RETURN DISTINCT c.{quoted(names[second.tail])}"
            )
    return ""


def trimmed(schema: Schema, n: int, rate: Callable[[Sequence[str]], Sequence[float]]) -> Schema:
    """Return the part of a schema that bears on a question: at most ``n`` relations, and about ``n`` classes.

    The relations with the best rating are taken, then the classes that they join, then those with the best rating; ties
    go to the larger. The order of the schema stays. Classes keep at most ``n`` properties.

    Args:
        schema: The whole schema.
        n: Most relations, at least 1.
        rate: Returns a number for each text, higher for those nearer to the question.
    """
    connections = schema.connections
    if len(connections) > n:
        texts = [readable(f"{known.head} {known.label or known.relation} {known.tail}") for known in connections]
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

    def __init__(self, schema: Schema, language: str, *, counts: bool) -> None:
        self._is_sparql, self._counts = language == SPARQL, counts
        self.prefixes = schema_prefixes(schema) if self._is_sparql else {}
        self._n_classes = len(schema.classes)
        having = Counter((part.name, part.type) for known in schema.classes for part in known.properties)
        self._names = {name_property(known) for known in schema.classes} - {""}
        least = max(2, self._n_classes * 2 // 3)
        self._shared = {part: n for part, n in having.items() if n >= least}

    def shared_lines(self) -> list[str]:
        """Return a line about the properties that all or most classes have."""
        names_first = sorted(self._shared.items(), key=lambda entry: entry[0][0] not in self._names)
        listed = [
            self.name(name) + (" (the name)" if name in self._names else "") + self._type(kind)
            + (" (of most classes)" if n < self._n_classes else "")
            for (name, kind), n in names_first
        ]  # fmt: skip
        return [f"Properties of nodes: {', '.join(listed)}"] if listed else []

    def name(self, name: str) -> str:
        return shortened(name, self.prefixes) if self._is_sparql else quoted(name)

    def node_class(self, known: NodeClass) -> str:
        names = {part.examples for part in known.properties if part.name in self._names}
        shown = [
            self._property(part)
            for part in known.properties
            if part.name in self._names or ((part.name, part.type) not in self._shared and part.examples not in names)
        ]
        inside = f" {{{', '.join(shown)}}}" if shown else ""
        name = f"{self.name(known.name)}{inside}" if self._is_sparql else f"(:{self.name(known.name)}{inside})"
        return name + self._count(known.count, "nodes")

    def connection(self, known: Connection) -> str:
        head, relation, tail = map(self.name, (known.head, known.relation, known.tail))
        count = self._count(known.count, "triples")
        if self._is_sparql:
            return f"{head} {relation} {tail}{count}"
        shown = [f"label: {literal(known.label)}"] * bool(known.label) + list(map(self._property, known.properties))
        inside = f" {{{', '.join(shown)}}}" if shown else ""
        return f"(:{head})-[:{relation}{inside}]->(:{tail}){count}"

    def _count(self, n: int | None, what: str) -> str:
        return f"; {n:,} {what}" if self._counts and n is not None else ""

    def _type(self, kind: str) -> str:
        return "" if kind in _PLAIN_TYPES else f": {kind}"

    def _property(self, known: Property) -> str:
        examples = " or ".join(_example(value, known.type) for value in known.examples[:_EXAMPLES])
        if known.type in _PLAIN_TYPES:
            return f"{self.name(known.name)}: {examples}" if examples else self.name(known.name)
        return f"{self.name(known.name)}: {known.type}" + (f" such as {examples}" if examples else "")


def _example(value: str, kind: str) -> str:
    shown = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 3]}..."
    is_written = kind.endswith("]") or kind.upper().startswith((*_NUMBERS, *_WRITTEN))
    return shown if is_written else repr(shown)
