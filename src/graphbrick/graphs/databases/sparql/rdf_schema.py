"""Read the schema of a SPARQL graph with counts, from a sample of each class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.graphs.databases.sparql.rdf_terms import Term
from graphbrick.graphs.records.rdf_names import LANGUAGE_STRING_IRI, STRING_IRI, TYPE_IRI

if TYPE_CHECKING:
    from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph

_CLASSES, _MEMBERS, _ROWS = 50, 300, 5000
_EXAMPLES = 3
RESOURCE = "<http://www.w3.org/2000/01/rdf-schema#Resource>"
"""The class of everything, for tails and graphs without types."""


def read_schema(graph: RdfGraph, names: Collection[str]) -> Schema:
    """Return the 50 largest classes, with the properties and relations of 300 members of each.

    Properties are predicates with literal values; their type is the datatype. Counts of classes cover the whole graph;
    those of connections are None, as they come from a sample.

    Args:
        graph: The graph.
        names: Predicates that state names; the properties begin with them.
    """
    counted = graph.solutions(
        f"SELECT ?c (COUNT(?s) AS ?n) WHERE {{ ?s <{TYPE_IRI}> ?c FILTER(isIRI(?c)) }} GROUP BY ?c "
        f"ORDER BY DESC(?n) ?c LIMIT {_CLASSES + 1}",
        _CLASSES,
    )
    classes = [(row[0], int(row[1].plain)) for row in counted.rows if row[0] and row[1]]
    is_complete = not counted.is_cut and all(count <= _MEMBERS for _, count in classes)
    nodes: list[NodeClass] = []
    connections: dict[tuple[str, str, str], None] = {}
    members: list[tuple[str, str, int | None]] = [
        (klass.text, f"?s <{TYPE_IRI}> {klass.text}", count) for klass, count in classes
    ] or [(RESOURCE, "?s ?any ?value", None)]
    for name, member, count in members:
        rows = graph.solutions(
            f"SELECT DISTINCT ?p ?o ?c WHERE {{ {{ SELECT DISTINCT ?s WHERE {{ {member} }} LIMIT {_MEMBERS} }} "
            f"?s ?p ?o FILTER(?p != <{TYPE_IRI}>) OPTIONAL {{ ?o <{TYPE_IRI}> ?c }} }} LIMIT {_ROWS + 1}",
            _ROWS,
        )
        is_complete = is_complete and not rows.is_cut
        examples: dict[tuple[str, str], list[str]] = defaultdict(list)
        for predicate, value, klass in rows.rows:
            if predicate is None or value is None:
                continue
            if value.kind == "literal":
                examples[predicate.text, _datatype(value)].append(value.value)
            else:
                connections[name, predicate.text, klass.text if klass else RESOURCE] = None
        ordered = sorted(examples.items(), key=lambda item: (item[0][0].strip("<>") not in names, item[0]))
        properties = tuple(
            Property(text, datatype, tuple(dict.fromkeys(values))[:_EXAMPLES]) for (text, datatype), values in ordered
        )
        nodes.append(NodeClass(name, properties, count))
    return Schema(tuple(nodes), tuple(Connection(*key) for key in connections), is_complete)


def _datatype(value: Term) -> str:
    datatype = value.datatype or (LANGUAGE_STRING_IRI if value.language else STRING_IRI)
    return datatype.replace("http://www.w3.org/2001/XMLSchema#", "xsd:").replace(
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"
    )
