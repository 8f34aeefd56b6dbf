"""The names that the N-Triples export of a graph has for the tables of its ladybug export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphbrick.graphs.databases.cypher.cypher import UNTYPED
from graphbrick.graphs.databases.cypher.dialect import quoted
from graphbrick.graphs.databases.cypher.ladybug import LadybugGraph
from graphbrick.graphs.export.ntriples import relation_iri, type_iri
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.query_copy import query_copy

_MOST_TABLES = 100_000


@dataclass(frozen=True)
class RdfNames:
    """IRIs in angle brackets; missing tables and properties have no exact counterpart in RDF.

    Attributes:
        classes: The class of each node table; empty for nodes of any class.
        relations: The predicate of each relation table.
        properties: The predicate of each property with numbers or dates.
    """

    classes: Mapping[str, str]
    relations: Mapping[str, str]
    properties: Mapping[str, str]


def rdf_names(graph: object) -> RdfNames | None:
    """Return the names of the tables of the ladybug export in SPARQL queries over the N-Triples export.

    A node table holds the nodes whose first type it is, a class all nodes of that type: a table is missing if nodes of
    another one have its type too. So is the table of nodes without a type, unless it is the only one. A property
    holds the first of several values, but RDF has all of them: a property is missing if a node has several.

    Args:
        graph: A folder graph, or a ladybug database.

    Returns:
        None if the graph is something else, or a database that is not an export.
    """
    copy = query_copy(graph) if isinstance(graph, Graph) else graph
    if not isinstance(copy, LadybugGraph):
        return None
    rows = copy.fetch("CALL show_tables() RETURN name, type, comment", {}, _MOST_TABLES).rows
    comments = {name: (kind, _read(comment)) for name, kind, comment in rows}
    nodes = {name: facts for name, (kind, facts) in comments.items() if kind == "NODE"}
    relations = {name: facts for name, (kind, facts) in comments.items() if kind == "REL"}
    if not all("type" in facts for facts in nodes.values()) or not all(
        "relation" in facts for facts in relations.values()
    ):
        return None
    shared = _types_of_other_tables(copy)
    classes = {name: type_iri(facts["type"]) for name, facts in nodes.items() if facts["type"] not in shared}
    if UNTYPED in classes:
        classes = {UNTYPED: ""} if len(nodes) == 1 else {n: iri for n, iri in classes.items() if n != UNTYPED}
    keys = {name: str(facts["relation"]) for name, facts in relations.items()}
    properties = {name: key for facts in nodes.values() for name, key in facts.get("properties", {}).items()}
    several = {key for name, key in keys.items() if key in properties.values() and _has_several(copy, name)}
    return RdfNames(
        classes,
        {name: relation_iri(key) for name, key in keys.items()},
        {name: relation_iri(key) for name, key in properties.items() if key not in several},
    )


def _types_of_other_tables(copy: LadybugGraph) -> set[str]:
    """Return the types that are not the first type of at least one node."""
    text = "MATCH (n) WHERE size(n.types) > 1 UNWIND n.types[2:] AS other RETURN DISTINCT other"
    return {str(row[0]) for row in copy.fetch(text, {}, _MOST_TABLES).rows}


def _has_several(copy: LadybugGraph, relation: str) -> bool:
    """Return whether several triples of a relation leave one node."""
    text = f"MATCH (n)-[r:{quoted(relation)}]->() WITH n, count(r) AS number WHERE number > 1 RETURN n.key LIMIT 1"
    return bool(copy.fetch(text, {}, 1).rows)


def _read(comment: str | None) -> dict[str, Any]:
    try:
        facts = json.loads(comment or "")
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}
