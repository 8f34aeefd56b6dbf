"""Graphs in FalkorDB."""

from __future__ import annotations

import datetime
import os
import socket
import ssl
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Properties
from graphbrick.core.schema import RelationType, Rows, Schema
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.databases.cypher.dialect import Dialect
from graphbrick.graphs.databases.cypher.plain_schema import plain_schema
from graphbrick.graphs.databases.cypher.properties import Search, searches
from graphbrick.graphs.databases.cypher.rows import first_rows, plain_values
from graphbrick.graphs.databases.errors import (
    no_database,
    no_encryption,
    no_server,
    refused_query,
    refused_user,
    too_slow,
)
from graphbrick.graphs.databases.graph import USER, needed_module
from graphbrick.graphs.databases.nodes import Node
from graphbrick.graphs.queries.limits import with_limit

_CONNECT = 10.0  # seconds
_GRACE = 2.0  # seconds after the time-out of the server
_PORT = 6379
_CHANGES = ("run_id", "rdb_last_save_time", "rdb_changes_since_last_save")  # of INFO


class FalkorGraph(CypherGraph):
    """A graph behind ``falkor://HOST:PORT/GRAPH``, or ``falkors://`` with TLS.

    Queries are sent as ``GRAPH.RO_QUERY``, so that the server refuses writes, and with a time-out. A query without a
    ``LIMIT`` gets one, because the server sends all rows at once.
    """

    @property
    def dialect(self) -> Dialect:
        """The words that differ."""
        return Dialect()

    def read_schema(self) -> Schema:
        """Ask the database for its schema."""
        return plain_schema(self.fetch)

    def _client(self) -> Any:
        """Return the client, with the connections of the session to its server."""
        falkordb = needed_module("falkordb", "falkordb")
        host, _, port = self.address.host.rpartition(":") if ":" in self.address.host else (self.address.host, "", "")
        seconds = self.timeout

        def connect() -> Any:
            if self.address.scheme == "falkors":
                self._check_encryption(host, int(port or _PORT), min(_CONNECT, seconds))
            return falkordb.FalkorDB(
                host=host,
                port=int(port or _PORT),
                username=os.environ.get(USER),
                password=os.environ.get("GRAPHBRICK_PASSWORD"),
                ssl=self.address.scheme == "falkors",
                socket_connect_timeout=_CONNECT,
                socket_timeout=seconds + _GRACE,
            )

        key = ("falkor client", self.address.scheme, self.address.host, seconds)
        return current_session().get(key, connect, close=lambda client: client.connection.close())

    def _check_encryption(self, host: str, port: int, seconds: float) -> None:
        """Connect once with TLS, because the client would wait for a server without it until the time-out.

        Raises:
            GraphbrickError: The server is not there, has no TLS, or its certificate is wrong.
        """
        try:
            with (
                socket.create_connection((host, port), seconds) as plain,
                ssl.create_default_context().wrap_socket(plain, server_hostname=host),
            ):
                return
        except (ssl.SSLError, TimeoutError) as error:
            raise no_encryption(self.address, error, "falkor") from error
        except OSError as error:
            raise no_server(self.address, error) from error

    def fetch(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query and return values as the client returns them."""
        exceptions = needed_module("redis.exceptions", "falkordb")
        if not self.address.name:
            text = f"{self.address} names no graph; write falkor://{self.address.host}/GRAPH"
            raise GraphbrickError(text, code="falkor.no_graph_named")
        try:
            result = (
                self._client()
                .select_graph(self.address.name)
                .ro_query(
                    with_limit(text, self.language, limit + 1),
                    dict(parameters) or None,
                    timeout=int(self.timeout * 1000),
                )
            )
        except (exceptions.RedisError, OSError, ValueError) as error:
            raise self._explained(error, exceptions) from error
        return first_rows([str(name) for _, name in result.header or []], result.result_set, limit)

    def _explained(self, error: Exception, exceptions: Any) -> GraphbrickError:
        """Return an error with advice."""
        message = str(error)
        if isinstance(error, exceptions.AuthenticationError) or message.startswith(("NOAUTH", "WRONGPASS", "NOPERM")):
            return refused_user(self.address)
        if isinstance(error, exceptions.TimeoutError) or "timed out" in message:
            return too_slow(self.address, self.timeout)
        if "empty key" in message:
            return no_database(self.address)
        if isinstance(error, exceptions.ResponseError):
            return refused_query(self.address, message.removeprefix("errMsg: "))
        if "SSL" in message:
            return no_encryption(self.address, message, "falkor")
        return no_server(self.address, message)

    def mark(self) -> dict[str, Any] | None:
        """Return how often anything on the server was changed, or what `CypherGraph.mark` returns.

        None, with an event, if the user may not ask for it.
        """
        if self.stamp:
            return super().mark()
        exceptions = needed_module("redis.exceptions", "falkordb")
        try:
            told = {**self._client().connection.info("server"), **self._client().connection.info("persistence")}
        except exceptions.NoPermissionError:
            text = f"{self.address} does not say whether it has changed: the user may not send INFO"
            event(text, "falkor.no_mark", once=True)
            return None
        except (exceptions.RedisError, OSError) as error:
            raise self._explained(error, exceptions) from error
        return {name: told[name] for name in _CHANGES} if set(_CHANGES) <= set(told) else None

    @property
    def mark_is_shared(self) -> bool:
        """Whether changes are counted by the server, in all that it holds."""
        return not self.stamp

    def full_text(self, text: str, n: int) -> Iterable[Node]:
        """Return entities from the full-text indexes over names; none where there are none."""
        words = "".join(letter if letter.isalnum() else " " for letter in text).split()
        for label in self._full_text_labels if words else ():
            event(
                f"names were searched with the full-text index of {label}", "falkor.full_text", once=True, label=label
            )
            query = f"CALL db.idx.fulltext.queryNodes($label, $text) YIELD node RETURN {self.shown('node')} LIMIT {n}"
            for row in self.fetch(query, {"label": label, "text": "|".join(words)}, n).rows:
                yield self.read(row[0])

    @cached_property
    def _full_text_labels(self) -> list[str]:
        rows = self.fetch("CALL db.indexes() YIELD label, properties, types, entitytype, status", {}, 1000).rows
        names = {*self.called.names, *self.called.parts, "aliases"}
        return [
            label
            for label, properties, types, kind, status in rows
            if kind == "NODE"
            and status == "OPERATIONAL"
            and any(name in names and "FULLTEXT" in types.get(name, ()) for name in properties)
        ]

    def own(self, values: Mapping[str, Any], without: Collection[str]) -> Properties:
        """Return the properties among the values of a node or relation."""
        return super().own({name: _without_zone(value) for name, value in values.items()}, without)

    def searches(self, condition: Condition) -> Iterable[Search]:
        """Return the searches that together find all nodes with a property that meets a condition, and a few more."""
        return searches(self, condition, ())  # it compares times wrongly that are more than 68 years apart

    def plain(self, value: Any) -> Any:
        """Return a value as plain data: entities as keys, relations as their types, paths as lists of both."""
        falkordb = needed_module("falkordb", "falkordb")
        if isinstance(value, falkordb.Node):
            values = value.properties or {}
            return self.node_value(self.made(value.id, value.labels or [], values), values)
        if isinstance(value, falkordb.Edge):
            return RelationType.of(value.relation, self.own(value.properties or {}, ()))
        if isinstance(value, falkordb.Path):
            steps = [value.nodes()[0]]
            for edge, node in zip(value.edges(), value.nodes()[1:], strict=True):
                steps += [edge, node]
            return [self.plain(step) for step in steps]
        return plain_values(_without_zone(value), self.plain)


def _without_zone(value: Any) -> Any:
    """Return a date-time as the database has it: the client adds UTC."""
    if isinstance(value, list):
        return list(map(_without_zone, value))
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value
