"""A graph with a query language, as the generator of questions sees it."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from graphbrick.core.graph import QueryLanguage, Rows
from graphbrick.core.schema import Connection, Property
from graphbrick.evaluate.gold_queries.gold_query import GoldQuery
from graphbrick.evaluate.gold_queries.in_cypher import in_cypher
from graphbrick.evaluate.gold_queries.in_sparql import SparqlNames, in_sparql
from graphbrick.graphs.databases.rdf_schema import RESOURCE
from graphbrick.queries.prefixes import STANDARD
from graphbrick.queries.schema_text import readable, schema_prefixes
from graphbrick.queries.tokens import SPARQL, known_language

_NAMES = ("label", "name", "title")  # properties that hold names, best first
_NUMBERS = ("INT", "FLOAT", "DOUBLE", "DECIMAL", "NUMBER", "UINT")
_RDF_NUMBERS = ("integer", "decimal", "double", "float", "int", "long", "g year")
_YEAR = "xsd:gYear"
_STRING = "xsd:string"
_LABEL = f"<{STANDARD['rdfs']}label>"
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_MOST_NAMES = 20_000
_MOST_ROWS = 1_000


class Number(NamedTuple):
    """A property with numbers, and one of them."""

    name: str
    value: float


class QueriedGraph:
    """Writes and runs gold queries over a graph.

    Args:
        graph: The graph.

    Attributes:
        language: "Cypher" or "SPARQL".
    """

    def __init__(self, graph: QueryLanguage) -> None:
        self._graph, self._schema = graph, graph.schema()
        self.language = known_language(graph.language)
        self._properties = {known.name: known.properties for known in self._schema.classes}
        if self.language == SPARQL:
            types: dict[str, set[str]] = {}
            for part in (part for known in self._schema.classes for part in known.properties):
                types.setdefault(part.name, set()).add(part.type)
            self._names = SparqlNames(
                self._name_of,
                schema_prefixes(self._schema),
                plain={name for name, kinds in types.items() if kinds == {_STRING}},
                language=getattr(graph, "label_language", "en"),
                years={name for name, kinds in types.items() if _YEAR in kinds},
            )

    def usable_connections(self) -> list[Connection]:
        """Return the relations between classes whose nodes have names, without those that copy a property."""
        return [
            known
            for known in self._schema.connections
            if all(part.name != known.relation for part in self._properties.get(known.head, ()))
            and all(end in self._properties and self._name_of(end) for end in (known.head, known.tail))
        ]

    def written(self, gold: GoldQuery, *, with_value: bool = False) -> str:
        """Return a gold query in the language of the graph."""
        if self.language == SPARQL:
            any_class = gold.renamed(lambda name: "" if name == RESOURCE else name, lambda name: name)
            return in_sparql(any_class, self._names, with_value=with_value)
        return in_cypher(gold, self._name_of, with_value=with_value)

    def rows(self, gold: GoldQuery, *, with_value: bool = False) -> Rows:
        """Return the rows of a gold query."""
        return self._graph.query(self.written(gold, with_value=with_value), {}, _MOST_ROWS)

    def names(self, gold: GoldQuery) -> list[str]:
        """Return the names that a query without an order gives, in alphabetical order, at most 20,000."""
        order = " ORDER BY ?answer LIMIT" if self.language == SPARQL else " ORDER BY answer LIMIT"
        rows = self._graph.query(f"{self.written(gold)}{order} {_MOST_NAMES}", {}, _MOST_NAMES).rows
        return [str(row[0]) for row in rows if row[0] is not None]

    def number_of(self, kind: str, chosen: random.Random) -> Number | None:
        """Return a property of a class that holds numbers, with one of its examples; None if it has none."""
        numbers = [
            Number(part.name, float(value))
            for part in self._properties[kind]
            if _is_number(part)
            for value in part.examples
            if _NUMBER.fullmatch(value)
        ]
        return chosen.choice(numbers) if numbers else None

    def _name_of(self, kind: str) -> str:
        """Return the property that holds the names of a class; empty if there is none."""
        names = [part.name for part in self._properties.get(kind, ())]
        found = next((name for wanted in _NAMES for name in names if readable(name).lower() == wanted), "")
        return found or (_LABEL if self.language == SPARQL else "")


def _is_number(part: Property) -> bool:
    return part.type.upper().startswith(_NUMBERS) or readable(part.type).lower() in _RDF_NUMBERS
