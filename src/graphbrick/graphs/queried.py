"""The query language of folder graphs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from graphbrick.core.graph import QueryLanguage, Rows
from graphbrick.core.schema import Schema


class QueriedByCopy(QueryLanguage):
    """A folder graph that answers Cypher through a copy in a ladybug database beside it, made at the first query."""

    @property
    def language(self) -> str:
        """The name of the query language."""
        return "Cypher"

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads and return at most ``limit`` rows; entities among the values are keys.

        Raises:
            GraphbrickError: The query is wrong, writes, or took too long, or the copy cannot be made.
        """
        rows: Rows = self._copy().query(text, parameters, limit)
        return rows

    def schema(self) -> Schema:
        """Return what queries may name: a node table for each first type, a relation table for each relation."""
        schema: Schema = self._copy().schema()
        return schema

    def _copy(self) -> Any:
        # By name, as the module needs folder graphs, which derive from this class.
        return import_module("graphbrick.graphs.query_copy").query_copy(self)
