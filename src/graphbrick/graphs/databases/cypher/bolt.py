"""Graphs behind the Bolt protocol: Neo4j, Memgraph, ArcadeDB and others."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.schema import RelationType, Rows, Schema
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.databases.cypher.dialect import Dialect
from graphbrick.graphs.databases.cypher.plain_schema import plain_schema
from graphbrick.graphs.databases.cypher.rows import first_rows, plain_values
from graphbrick.graphs.databases.deadline import within
from graphbrick.graphs.databases.errors import (
    QueryError,
    no_database,
    no_encryption,
    no_server,
    refused_query,
    refused_user,
    too_slow,
)
from graphbrick.graphs.databases.graph import USER, needed_module
from graphbrick.graphs.databases.nodes import Node
from graphbrick.graphs.queries.tokens import without_version

_CONNECT = 10.0  # seconds
_GRACE = 2.0  # seconds after the time-out of the server, before the connection is broken
_BLOCK = 1000  # rows that come together
_OPERATORS = ("AND", "OR", "NOT")  # of Lucene, in capitals only


class BoltGraph(CypherGraph):
    """A graph behind ``bolt://`` or ``neo4j://``, with ``+s`` for TLS and ``+ssc`` for TLS with any certificate.

    Queries run in transactions that are routed to readers, with a time-out, and are rolled back. Servers that honour
    neither read access nor time-outs exist (ArcadeDB): give the user of the connection no right to write. A request
    that the server does not end is given up by breaking the connection.
    """

    @property
    def dialect(self) -> Dialect:
        """The words that differ; older servers have no ``elementId``."""
        return self._dialect

    @cached_property
    def _dialect(self) -> Dialect:
        try:
            self.fetch("MATCH (n) RETURN elementId(n) LIMIT 1", {}, 1)
        except QueryError:
            return Dialect()
        return Dialect(handle="elementId({})")

    def read_schema(self) -> Schema:
        """Ask the database for its schema."""
        return plain_schema(self.fetch)

    def _driver(self) -> Any:
        """Return the connections of the session to this server."""
        neo4j = needed_module("neo4j", "neo4j")
        logging.getLogger("neo4j").addHandler(logging.NullHandler())  # what it says comes as an error too
        uri = f"{self.address.scheme}://{self.address.host}"

        def connect() -> Any:
            user, password = os.environ.get(USER), os.environ.get("GRAPHBRICK_PASSWORD")
            return neo4j.GraphDatabase.driver(
                uri,
                auth=None if user is None and password is None else (user or "neo4j", password or ""),
                connection_timeout=_CONNECT,
                connection_acquisition_timeout=_CONNECT,
                max_transaction_retry_time=0,
                telemetry_disabled=True,
            )

        return current_session().get(("bolt driver", uri), connect, close=_closed)

    def fetch(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query and return values as the client returns them."""
        neo4j, driver = needed_module("neo4j", "neo4j"), self._driver()
        seconds = self.timeout

        def call() -> Rows:
            with (
                driver.session(
                    database=self.address.name or None,
                    default_access_mode=neo4j.READ_ACCESS,
                    fetch_size=min(_BLOCK, limit + 1),
                ) as session,
                session.begin_transaction(timeout=seconds) as transaction,
            ):
                result = transaction.run(text, dict(parameters))
                rows = first_rows(result.keys(), (record.values() for record in result), limit)
                transaction.rollback()  # leaving the block would commit what a server let through
                return rows

        def give_up() -> None:
            current_session().drop(("bolt driver", f"{self.address.scheme}://{self.address.host}"))

        try:
            return within(seconds + _GRACE, call, give_up)
        except TimeoutError as error:
            raise too_slow(self.address, seconds) from error
        except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError, OSError, ValueError) as error:
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> GraphbrickError:
        """Return an error with advice."""
        code, message = str(getattr(error, "code", "") or ""), getattr(error, "message", None) or str(error)
        if any(word in code for word in ("Unauthorized", "AuthenticationRateLimit", "Forbidden")):
            return refused_user(self.address)
        if "DatabaseNotFound" in code:
            return no_database(self.address)
        if "TransactionTimedOut" in code:
            return too_slow(self.address, self.timeout)
        if code.startswith(("Neo.ClientError", "Neo.DatabaseError", "Memgraph")):
            return refused_query(self.address, message)
        plain, _, encryption = self.address.scheme.partition("+")
        if encryption and any(word in message for word in ("SSL", "certificate", "encrypted")):
            return no_encryption(self.address, message, plain)
        if encryption and "routing information" in message:  # the client tells no more
            message = f"{message}; perhaps it has no TLS or a certificate of its own: try {plain}:// or {plain}+ssc://"
        return no_server(self.address, message)

    def run(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads; one that names a version of Cypher is run without it by servers without any."""
        try:
            return self.rows(text, parameters, limit)
        except QueryError:
            if without_version(text) == text:
                raise
        return super().run(text, parameters, limit)

    def full_text(self, text: str, n: int) -> Iterable[Node]:
        """Return entities from the full-text indexes of a Neo4j server over names; none where there are none."""
        for name in self._full_text_indexes:
            event(f"names were searched with the full-text index {name}", "bolt.full_text", once=True, index=name)
            query = f"CALL db.index.fulltext.queryNodes($index, $text) YIELD node RETURN {self.shown('node')} LIMIT {n}"
            for row in self.fetch(query, {"index": name, "text": _lucene(text)}, n).rows:
                yield self.read(row[0])

    @cached_property
    def _full_text_indexes(self) -> list[str]:
        try:
            rows = self.fetch("SHOW INDEXES YIELD name, type, entityType, properties, state", {}, 1000).rows
        except QueryError:
            return []  # not Neo4j: names are compared instead
        names = {*self.called.names, *self.called.parts, "aliases"}
        return [
            row[0] for row in rows if (row[1], row[2], row[4]) == ("FULLTEXT", "NODE", "ONLINE") and names & {*row[3]}
        ]

    def plain(self, value: Any) -> Any:
        """Return a value as plain data: entities as keys, relations as their types, paths as lists of both."""
        graph = needed_module("neo4j.graph", "neo4j")
        if isinstance(value, graph.Node):
            handle = value.element_id if "element" in self.dialect.handle else value.id
            return self.node_value(self.made(handle, sorted(value.labels), dict(value)), dict(value))
        if isinstance(value, graph.Relationship):
            return RelationType.of(value.type, self.own(dict(value), ()))
        if isinstance(value, graph.Path):
            steps = [value.nodes[0]]
            for relation, node in zip(value.relationships, value.nodes[1:], strict=True):
                steps += [relation, node]
            return [self.plain(step) for step in steps]
        return plain_values(value, self.plain)


def _closed(driver: Any) -> None:
    driver.close()


def _lucene(text: str) -> str:
    """Return a text as a query of words, without signs and words that have a meaning there.

    >>> _lucene("Portland, OR?")
    'Portland or'
    """
    words = "".join(c if c.isalnum() else " " for c in text).split()
    return " ".join(word.lower() if word in _OPERATORS else word for word in words) or '""'
