"""Errors of databases, each in one line with advice."""

from __future__ import annotations

from graphbrick.core.errors import GraphbrickError, UnavailableError
from graphbrick.graphs.databases.address import Address

_LONGEST = 300


class QueryError(GraphbrickError):
    """A query that the database refuses."""


class TooSlowError(GraphbrickError):
    """A request that took longer than its limit."""


class TooMuchError(QueryError):
    """A query that takes more memory than its limit, or whose result is longer."""


def too_slow(address: Address, seconds: float, advice: str = ", or raise ?timeout=") -> TooSlowError:
    """Return the error of a request that was given up."""
    text = f"{address}: no answer within {seconds:g} s; ask for less{advice}"
    return TooSlowError(text, code="database.too_slow", seconds=seconds)


def refused_query(address: Address, cause: object) -> QueryError:
    """Return the error of a query that is wrong, or that writes."""
    reason = in_one_line(cause)
    return QueryError(f"{address} refuses the query: {reason}", code="database.refused_query", reason=reason)


def refused_user(address: Address) -> UnavailableError:
    """Return the error of a wrong user or password; it repeats neither."""
    text = f"{address} refuses the user or password; set GRAPHBRICK_USER and GRAPHBRICK_PASSWORD"
    return UnavailableError(text, code="database.refused_user")


def no_encryption(address: Address, cause: object, plain: str) -> UnavailableError:
    """Return the error of a connection that cannot be encrypted; ``plain`` is the scheme without encryption."""
    return UnavailableError(
        f"{address}: no encrypted connection ({in_one_line(cause)}); check the certificate, or use {plain}:// if the "
        "server has no TLS",
        code="database.no_encryption",
    )


def no_server(address: Address, cause: object) -> UnavailableError:
    """Return the error of a server that is not there, or went away."""
    text = f"{address} does not answer ({in_one_line(cause)}); is the server running there?"
    return UnavailableError(text, code="database.no_server")


def no_database(address: Address) -> UnavailableError:
    """Return the error of a server without the database or graph of the address."""
    text = f"{address.host} has no database {address.name!r}; correct the address"
    return UnavailableError(text, code="database.no_database", name=address.name)


def in_one_line(cause: object) -> str:
    """Return a message in one line, cut after 300 letters."""
    return " ".join(str(cause).split())[:_LONGEST] or type(cause).__name__
