"""Addresses of graphs in databases, such as ``bolt://localhost:7687/films``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from graphbrick.core.errors import InputError

_FOLDERS = ("ladybug", "oxigraph")
_BOLT = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
SCHEMES = (*_FOLDERS, *_BOLT, "falkor", "falkors", "sparql+http", "sparql+https")
"""What an address may begin with."""


@dataclass(frozen=True)
class Address:
    """Where a graph is; never holds a user or a password, which are read from the environment.

    Attributes:
        scheme: One of `SCHEMES`.
        host: Host with port; empty for graphs in a folder.
        name: Name of the database, path of the endpoint, or folder.
        options: What follows ``?``, such as the property that holds names.
    """

    scheme: str
    host: str
    name: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        options = "?" + "&".join(f"{name}={value}" for name, value in self.options) if self.options else ""
        if self.scheme in _FOLDERS:
            return f"{self.scheme}:{self.name}{options}"
        return f"{self.scheme}://{self.host}/{self.name}{options}"

    @classmethod
    def read(cls, text: str) -> Address:
        """Read an address.

        Args:
            text: ``ladybug:FOLDER``, ``oxigraph:FOLDER``, ``bolt://HOST:PORT/DATABASE``, ``neo4j+s://...``,
                ``falkor://HOST:PORT/GRAPH``, ``sparql+https://HOST/PATH``; each may end in ``?OPTION=VALUE&...``.

        Raises:
            InputError: It is none of these, or holds a password.
        """
        parts = urlsplit(text)
        if parts.username or parts.password or "@" in parts.netloc:
            raise InputError(
                f"the address of {parts.hostname} holds a user or a password, which would stand in traces and recipes; "
                "set GRAPHBRICK_USER and GRAPHBRICK_PASSWORD in the environment instead"
            )
        options = tuple(parse_qsl(parts.query, keep_blank_values=True))
        if parts.scheme in _FOLDERS:
            return cls(parts.scheme, "", unquote(text.split(":", 1)[1].split("?", 1)[0]), options)
        if parts.scheme not in SCHEMES or not parts.netloc:
            raise InputError(
                f"{text!r} is not the address of a graph; an address begins with one of {', '.join(SCHEMES)}"
            )
        return cls(parts.scheme, parts.netloc, unquote(parts.path.lstrip("/")), options)


def is_address(text: str) -> bool:
    """Return whether a text is meant as the address of a database rather than a folder; it may be a wrong one."""
    scheme, colon, rest = text.partition(":")
    return bool(colon) and bool(rest) and (scheme in SCHEMES or rest.startswith("//"))
