"""The folder graph: arrays and strings on disk, and a query language."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from typing import Any, Self, cast

from graphbrick.core.deferred import repr_html
from graphbrick.core.graph import QueryLanguage
from graphbrick.core.schema import Rows, Schema
from graphbrick.graphs.property_view import PropertyView
from graphbrick.graphs.store.beside_text import has_text


class Graph(PropertyView, QueryLanguage):
    """A directed labelled multigraph: entities, relations and triples by integer id.

    Two entities may share a label; a key is unique. Parallel relations between two entities are separate triples.
    It is read from memory maps (`StoredGraph`), and answers Cypher through a copy in a ladybug database beside it,
    which is made at the first query.

    >>> from graphbrick.testing import tiny_graph
    >>> graph = tiny_graph()
    >>> graph
    Graph('tiny.graph', entities=8, relations=4, triples=10)
    >>> [graph.triple_text(t) for t in graph.triples_from(graph.entity("Kenya"))]
    ['Kenya -> currency -> Kenyan shilling', 'Kenya -> capital -> Nairobi', 'Kenya -> borders -> Uganda']
    """

    remote: Any = None
    """The graph in a database that this graph is a copied part of; None for another graph."""
    has_namesakes: bool = False
    """Whether a copy was made around all entities that have a name of the question."""
    cut: frozenset[str] = frozenset()
    """Keys of the entities of which a copy lacks triples, as they have more than its limit."""
    _repr_html_ = repr_html

    @classmethod
    def open(cls, path: str | PathLike[str], *, passages: bool = True) -> Self:
        """Open a graph folder; `graphbrick.open` opens databases and extracted subgraphs too.

        Args:
            path: The folder.
            passages: Whether a graph that was made from documents is opened with them, as a `TextGraph`.

        Raises:
            GraphFormatError: The folder holds no graph, or a damaged one, or one of another format version.
        """
        if cls is Graph and passages and has_text(path):
            kind = import_module("graphbrick.graphs.corpus").TextGraph  # derives from this class
            return cast("Self", kind.open(path))
        return super().open(path)

    @property
    def language(self) -> str:
        """The name of the query language."""
        return "Cypher"

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads and return at most ``limit`` rows; entities among the values are keys.

        Raises:
            GraphbrickError: The query is wrong, writes, or took too long, or the copy cannot be made.
        """
        return self._copy().query(text, parameters, limit)

    def schema(self) -> Schema:
        """Return the names of queries: a node table for each first type, a relation table for each relation."""
        return self._copy().schema()

    def _copy(self) -> QueryLanguage:
        from graphbrick.graphs.query_copy import query_copy  # most runs do without it, and start faster

        return query_copy(self)
