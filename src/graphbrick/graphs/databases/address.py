"""Addresses of graphs in databases, such as ``bolt://localhost:7687/films``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from graphbrick.core.errors import InputError, without_secrets
from graphbrick.core.plugins import Registry

if TYPE_CHECKING:
    from graphbrick.graphs.databases.graph import DatabaseGraph


def _fault(kind: object) -> str:
    """Return why a value is not a kind of database; empty if it is one."""
    if all(base.__name__ != "DatabaseGraph" for base in getattr(kind, "__mro__", ())):
        return "it is not a kind of database; derive it from graphbrick.DatabaseGraph"
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    return f"it does not implement {', '.join(missing)}" if missing else ""


_HERE = "graphbrick.graphs.databases"
DATABASES: Registry[type[DatabaseGraph]] = Registry(
    "graphbrick.databases",
    {
        "ladybug": f"{_HERE}.cypher.ladybug:LadybugGraph",
        "oxigraph": f"{_HERE}.sparql.oxigraph:OxigraphGraph",
        **dict.fromkeys(
            ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"), f"{_HERE}.cypher.bolt:BoltGraph"
        ),
        **dict.fromkeys(("falkor", "falkors"), f"{_HERE}.cypher.falkor:FalkorGraph"),
        **dict.fromkeys(("sparql+http", "sparql+https"), f"{_HERE}.sparql.sparql:SparqlGraph"),
    },
    _fault,
)
"""The kinds of database by the beginning of an address. Their modules import a client when they connect."""
SQL_KINDS = ("postgresql", "postgres", "mysql", "mariadb", "mssql", "oracle", "sqlite", "duckdb")
"""What addresses of SQL databases begin with, beside the kinds that packages add to SQLAlchemy."""
_IN_NAMES = str.maketrans({"%": "%25", "?": "%3F"})
_IN_OPTIONS = str.maketrans({"%": "%25", "&": "%26", "+": "%2B"})


@dataclass(frozen=True)
class Address:
    """The address of a graph, without user and password, which are read from the environment.

    Attributes:
        scheme: A name of `DATABASES`.
        host: Host with port; empty for graphs in a folder.
        name: Name of the database, path of the endpoint, or folder.
        options: The options after ``?``, such as the property that holds names.
    """

    scheme: str
    host: str
    name: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        options = "&".join(f"{name}={value.translate(_IN_OPTIONS)}" for name, value in self.options)
        host = f"//{self.host}/" if self.host else ""
        return f"{self.scheme}:{host}{self.name.translate(_IN_NAMES)}{'?' if options else ''}{options}"

    @classmethod
    def read(cls, text: str) -> Address:
        """Read an address.

        Args:
            text: ``ladybug:FOLDER``, ``oxigraph:FOLDER``, ``bolt://HOST:PORT/DATABASE``, ``neo4j+s://...``,
                ``falkor://HOST:PORT/GRAPH``, ``sparql+https://HOST/PATH``; each may end in ``?OPTION=VALUE&...``.
                A ``#`` is a part of the path or option that contains it, as many IRIs have one.

        Raises:
            InputError: It is none of these, or holds a password.
        """
        if is_sql_address(text):
            reason = (
                f"a {text.partition('://')[0]} address names an SQL database, whose tables are made a graph before it "
                "is asked: graphbrick build ADDRESS my.graph"
            )
            raise InputError(reason, code="address.of_tables")
        place, _, query = text.partition("?")
        try:
            parts = urlsplit(place, allow_fragments=False)
        except ValueError:  # its message may hold the password
            raise InputError(
                "the host of an address cannot be read; write HOST or HOST:PORT, an IPv6 address in brackets",
                code="address.bad_host",
            ) from None
        options = tuple(parse_qsl(query, keep_blank_values=True))
        others = "&".join(f"{name}={value}" for name, value in options if name != "key")  # a property that holds keys
        kind = DATABASES.find(parts.scheme)
        if kind is None or (kind.has_host and not parts.netloc):
            sql = f"{', '.join(SQL_KINDS)}, or what a package adds to SQLAlchemy"
            raise InputError(
                f"{without_secrets(text)!r} is not the address of a graph; an address of tables, to build from, begins "
                f"with {sql}, one of a graph with {', '.join(DATABASES.names())}",
                code="address.unknown_scheme",
                scheme=parts.scheme,
            )
        if "@" in parts.netloc or without_secrets(f"?{others}") != f"?{others}":
            raise InputError(
                f"the address of {parts.hostname} holds a user, a password or a key, which would stand in traces "
                "and recipes; set GRAPHBRICK_USER and GRAPHBRICK_PASSWORD in the environment instead",
                code="address.has_password",
            )
        if not kind.has_host:
            return cls(parts.scheme, "", unquote(place.split(":", 1)[1]), options)
        return cls(parts.scheme, parts.netloc, unquote(parts.path.lstrip("/")), options)


def is_address(text: str) -> bool:
    """Return whether a text is meant as the address of a database rather than a folder; it may be a wrong one."""
    scheme, colon, rest = text.partition(":")
    return bool(colon) and bool(rest) and (rest.startswith("//") or scheme in DATABASES.names())


def is_sql_address(text: str) -> bool:
    """Return whether a text is meant as the address of an SQL database, from which a graph can be built.

    >>> [is_sql_address(text) for text in ("postgres://host/shop", "mysql+mysqldb://h/d", "bolt://h", "shop.csv")]
    [True, True, False, False]
    """
    scheme, marks, _ = text.partition("://")
    kind = scheme.lower().partition("+")[0]
    if not marks or not kind or scheme.lower() in DATABASES.names():
        return False
    others = (one.name.partition(".")[0] for one in entry_points(group="sqlalchemy.dialects"))
    return kind in SQL_KINDS or kind in others
