"""The check of a query against a schema, before it is run."""

from __future__ import annotations

from typing import NamedTuple

from graphbrick.core.schema import Schema
from graphbrick.graphs.queries.check_cypher import CypherCheck
from graphbrick.graphs.queries.check_sparql import SparqlCheck
from graphbrick.graphs.queries.tokens import SPARQL, known_language


class Checked(NamedTuple):
    """A query that was checked.

    Attributes:
        text: The query, with what could be corrected for sure.
        changes: What was corrected, a sentence each.
        problems: What is wrong still, a sentence each; empty if the query fits the schema.
    """

    text: str
    changes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def check_query(text: str, language: str, schema: Schema) -> Checked:
    """Check the names and directions of a query against a schema.

    Corrected are names that differ only in case, spaces or marks from one known name, and relations that the schema
    has only in the other direction. Other unknown classes, relations and properties are problems, with the known names
    that resemble them, and so are relations between classes that have none. Of a schema that is not complete nothing
    is taken for wrong; then names are corrected, and only such directions as belong to relations with known counts.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".
        schema: What queries may name.

    Raises:
        QueryTextError: The query cannot be split into tokens.

    Example:
        >>> from graphbrick.core.schema import Connection, NodeClass, Property
        >>> classes = (NodeClass("Film", (Property("title"),)), NodeClass("Person", (Property("name"),)))
        >>> schema = Schema(classes, (Connection("Person", "DIRECTED", "Film"),))
        >>> check_query("MATCH (f:film)-[:DIRECTED]->(p:Person) RETURN p.name", "Cypher", schema).text
        'MATCH (f:Film)<-[:DIRECTED]-(p:Person) RETURN p.name'
    """
    check = (SparqlCheck if known_language(language) == SPARQL else CypherCheck)(text, schema)
    check.run()
    problems = tuple(dict.fromkeys(check.problems)) if schema.is_complete else ()
    return Checked(check.edits.applied(), tuple(dict.fromkeys(check.edits.changes)), problems)
