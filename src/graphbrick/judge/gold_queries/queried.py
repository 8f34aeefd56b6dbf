"""A graph with a query language, as the generator of questions sees it."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphbrick.core.graph import QueryLanguage
from graphbrick.core.schema import Connection, Property, Rows
from graphbrick.core.trace import event
from graphbrick.graphs.databases.errors import TooSlowError
from graphbrick.graphs.databases.sparql.rdf_schema import RESOURCE
from graphbrick.graphs.queries.check_cypher import quoted
from graphbrick.graphs.queries.prefixes import STANDARD, prefixes_for
from graphbrick.graphs.queries.schema_text import readable, schema_prefixes
from graphbrick.graphs.queries.tokens import SPARQL, known_language
from graphbrick.graphs.rdf_counterpart import RdfNames, rdf_names
from graphbrick.judge.gold_queries.gold_query import GoldQuery
from graphbrick.judge.gold_queries.in_cypher import in_cypher
from graphbrick.judge.gold_queries.in_sparql import SparqlNames, in_sparql

_NAMES = ("label", "name", "title")  # properties that hold names, best first
_NUMBERS = ("INT", "FLOAT", "DOUBLE", "DECIMAL", "NUMBER", "UINT")
_RDF_NUMBERS = ("integer", "decimal", "double", "float", "int", "long", "g year")
_YEAR = "xsd:gYear"
_YEAR_TEXT = re.compile(r"1\d{3}|2[01]\d\d")
_STRING = "xsd:string"
_LABEL = f"<{STANDARD['rdfs']}label>"
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_MOST_NAMES = 20_000
_MOST_ROWS = 1_000


class Written(NamedTuple):
    """A query in both languages; None for a language that the graph is not to be had in."""

    cypher: str | None
    sparql: str | None


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
        self._in_rdf = self._rdf_names()
        self._names = self._sparql_names() if self.language == SPARQL else None

    def _sparql_names(self) -> SparqlNames:
        """Return what a writer of SPARQL has to know of an RDF graph."""
        types: dict[str, set[str]] = {}
        for part in (part for known in self._schema.classes for part in known.properties):
            types.setdefault(part.name, set()).add(part.type)
        return SparqlNames(
            self._name_of,
            schema_prefixes(self._schema),
            plain={name for name, kinds in types.items() if kinds == {_STRING}},
            language=getattr(self._graph, "label_language", "en"),
            years={name for name, kinds in types.items() if _YEAR in kinds},
        )

    def _rdf_names(self) -> RdfNames | None:
        """Return the names of this graph in its N-Triples export; None if it has none."""
        try:
            return rdf_names(self._graph)
        except TooSlowError as error:
            event(f"gold queries are in {self.language} only: {error}", "gold_queries.one_language")
            return None

    def usable_connections(self) -> list[Connection]:
        """Return the relations between classes whose nodes have names, without those that copy a property."""
        return [
            known
            for known in self._schema.connections
            if not known.label
            and all(part.name != known.relation for part in self._properties.get(known.head, ()))
            and all(end in self._properties and self._name_of(end) for end in (known.head, known.tail))
        ]

    def written(self, gold: GoldQuery, *, with_value: bool = False) -> str:
        """Return a gold query in the language of the graph."""
        if self.language == SPARQL:
            any_class = gold.renamed(lambda name: "" if name == RESOURCE else name)
            assert self._names is not None
            return in_sparql(any_class, self._names, with_value=with_value)
        return in_cypher(gold, self._name_of, with_value=with_value)

    def both(self, gold: GoldQuery) -> Written:
        """Return a gold query in both languages, if the graph can be had in both.

        A folder graph and its ladybug export have an N-Triples export too, for which the query in SPARQL is.
        """
        if self.language == SPARQL:
            return Written(None, self.written(gold))
        return Written(self.written(gold), self._exported(gold))

    def _exported(self, gold: GoldQuery) -> str | None:
        """Return the SPARQL for the N-Triples export of a Cypher query; None without a counterpart."""
        if self._in_rdf is None:
            return None
        known = self._in_rdf
        try:
            renamed = gold.renamed(known.classes.__getitem__, known.relations.__getitem__, known.properties.__getitem__)
        except KeyError:
            return None
        iris = [iri for iri in (*known.classes.values(), *known.relations.values()) if iri]
        years = {
            known.properties[part.name]
            for parts in self._properties.values()
            for part in parts
            if part.name in known.properties and part.examples and all(map(_YEAR_TEXT.fullmatch, part.examples))
        }
        names = SparqlNames(lambda kind: _LABEL, prefixes_for(iris), plain={_LABEL}, years=years)
        return in_sparql(renamed, names)

    def rows(self, gold: GoldQuery, *, with_value: bool = False) -> Rows:
        """Return the rows of a gold query."""
        return self._graph.query(self.written(gold, with_value=with_value), {}, _MOST_ROWS)

    def names(self, gold: GoldQuery) -> list[str]:
        """Return the names that a query without an order gives, in alphabetical order, at most 20,000."""
        order = " ORDER BY ?answer LIMIT" if self.language == SPARQL else " ORDER BY answer LIMIT"
        rows = self._graph.query(f"{self.written(gold)}{order} {_MOST_NAMES}", {}, _MOST_NAMES).rows
        return [str(row[0]) for row in rows if row[0] is not None]

    def numbers(self, kind: str) -> list[str]:
        """Return the properties of a class that hold numbers."""
        return [part.name for part in self._properties[kind] if _is_number(part)]

    def values(self, kind: str, name: str) -> list[float]:
        """Return values of a property that holds numbers, ascending, at most 20,000."""
        if self.language == SPARQL:
            member = "" if kind == RESOURCE else f"?x a {kind} . "
            query = (
                f"SELECT DISTINCT ?value WHERE {{ {member}?x {name} ?value FILTER(ISLITERAL(?value)) }} ORDER BY ?value"
            )
        else:
            value = f"x.{quoted(name)}"
            query = (
                f"MATCH (x:{quoted(kind)}) WHERE {value} IS NOT NULL RETURN DISTINCT {value} AS value ORDER BY value"
            )
        rows = self._graph.query(f"{query} LIMIT {_MOST_NAMES}", {}, _MOST_NAMES).rows
        return [float(row[0]) for row in rows if row[0] is not None and _NUMBER.fullmatch(str(row[0]))]

    def _name_of(self, kind: str) -> str:
        """Return the property that holds the names of a class; empty if there is none."""
        names = [part.name for part in self._properties.get(kind, ())]
        predicate = next((name for wanted in _NAMES for name in names if readable(name).lower() == wanted), "")
        return predicate or (_LABEL if self.language == SPARQL else "")


def _is_number(part: Property) -> bool:
    return part.type.upper().startswith(_NUMBERS) or readable(part.type).lower() in _RDF_NUMBERS
