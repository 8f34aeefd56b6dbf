"""Texts of queries in Cypher and SPARQL: the read-only guard, row limits, and the check against a schema."""

from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL

__all__ = ["CYPHER", "SPARQL", "RefusedQueryError", "check_read_only"]
