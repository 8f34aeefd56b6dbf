"""What can go wrong with a database, each in one line that says what to do."""

from __future__ import annotations

from graphbrick.core.errors import GraphbrickError, UnavailableError
from graphbrick.graphs.databases.address import Address

_LONGEST = 300


class QueryError(GraphbrickError):
    """A query that the database refuses."""


class TooSlowError(GraphbrickError):
    """A request that took longer than its limit."""


def too_slow(address: Address, seconds: float) -> TooSlowError:
    """Return the error of a request that was given up."""
    return TooSlowError(f"{address}: no answer within {seconds:g} s; ask for less, or raise ?timeout=")


def refused_query(address: Address, cause: object) -> QueryError:
    """Return the error of a query that is wrong, or that writes."""
    return QueryError(f"{address} refuses the query: {in_one_line(cause)}")


def refused_user(address: Address) -> UnavailableError:
    """Return the error of a wrong user or password, of which nothing is repeated."""
    return UnavailableError(f"{address} refuses the user or password; set GRAPHBRICK_USER and GRAPHBRICK_PASSWORD")


def no_encryption(address: Address, cause: object, plain: str) -> UnavailableError:
    """Return the error of a connection that cannot be encrypted; ``plain`` is the scheme without encryption."""
    return UnavailableError(
        f"{address}: no encrypted connection ({in_one_line(cause)}); check the certificate, or use {plain}:// if the "
        "server has no TLS"
    )


def no_server(address: Address, cause: object) -> UnavailableError:
    """Return the error of a server that is not there, or went away."""
    return UnavailableError(f"{address} does not answer ({in_one_line(cause)}); is the server running there?")


def no_database(address: Address) -> UnavailableError:
    """Return the error of a server without the database or graph of the address."""
    return UnavailableError(f"{address.host} has no database {address.name!r}; correct the address")


def in_one_line(cause: object) -> str:
    """Return a message in one line, cut after 300 letters."""
    return " ".join(str(cause).split())[:_LONGEST] or type(cause).__name__
