"""The check of a query against a schema, before it is run."""

from __future__ import annotations

from typing import NamedTuple

from graphbrick.core.schema import Schema
from graphbrick.graphs.queries.check_cypher import CypherCheck
from graphbrick.graphs.queries.check_sparql import SparqlCheck, sparql_reads_nothing
from graphbrick.graphs.queries.cypher_clauses import cypher_reads_nothing
from graphbrick.graphs.queries.tokens import SPARQL, known_language


class Checked(NamedTuple):
    """A query that was checked.

    Attributes:
        text: The query with all safe corrections.
        changes: The corrections, a sentence each.
        problems: The remaining faults, a sentence each; empty if the query fits the schema.
    """

    text: str
    changes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def check_query(text: str, language: str, schema: Schema) -> Checked:
    """Check the names and directions of a query against a schema.

    Names that differ from one known name only in case, spaces or marks are corrected, and so are relations that the
    schema has only in the other direction. Other unknown classes, relations and properties are problems, told with the
    known names that resemble them; relations between classes that have none are problems too. An incomplete schema
    gives no problems: names are corrected, and directions only of relations with known counts.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".
        schema: The names that queries may use.

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


def reads_nothing(text: str, language: str) -> bool:
    """Return whether a query returns only what it says itself, as a model may write its own answer.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".

    Raises:
        QueryTextError: The query cannot be split into tokens.
    """
    return (sparql_reads_nothing if known_language(language) == SPARQL else cypher_reads_nothing)(text)
