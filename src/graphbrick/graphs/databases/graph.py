"""The base of all graphs in databases: it numbers entities and relations as it meets them."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from graphbrick.core.deferred import repr_html
from graphbrick.core.errors import GraphbrickError, InputError, LinkError
from graphbrick.core.files.folders import user_folder
from graphbrick.core.graph import Labels, NeighbourList, Neighbours, QueryLanguage, follow
from graphbrick.core.properties.values import Properties
from graphbrick.core.schema import Rows, Schema
from graphbrick.graphs.databases.address import Address
from graphbrick.graphs.databases.errors import refused_query
from graphbrick.graphs.databases.nodes import Edges, Node
from graphbrick.graphs.queries.guard import check_read_only

_REMEMBERED = 200_000  # entities with all that is known of them
_MOST = 1_000_000_000  # of numbers in addresses
_COPY_OPTIONS = {"hops": ("hops", 2), "limit": ("limit_per_node", 1000), "triples": ("max_triples", 200_000)}
_WHOLE = 30_000  # nodes and relations
USER = "GRAPHBRICK_USER"
"""Name of the environment variable with the user of a database."""
TIMEOUT = 30.0
"""Seconds that one request may take, unless the address says another number (``?timeout=60``)."""


class DatabaseGraph(Labels, Neighbours, QueryLanguage):
    """A graph in a database: labels, neighbours, a query language and a schema, but no adjacency.

    Entities and relations are numbered as they are met, and keep their number as long as this object lives; what is
    known of the last 200,000 entities is remembered. Connections belong to the session. Safe for threads.

    A kind of database implements `language`, `schema`, `find`, `named`, `around` and `run`. Another package declares
    its kind as an entry point of the group ``graphbrick.databases``, whose name is what addresses begin with.

    Attributes:
        has_host: Whether addresses are ``name://HOST/NAME``, rather than ``name:FILE``.

    Args:
        address: Where the graph is.
    """

    has_host: ClassVar[bool] = True

    def __init__(self, address: Address) -> None:
        self.address = address
        self._lock = threading.RLock()
        self._ids: dict[str, int] = {}
        self._keys: list[str] = []
        self._handles: list[Any] = []
        self._nodes: OrderedDict[int, Node] = OrderedDict()
        self._relations: dict[str, int] = {}
        self._relation_names: list[tuple[str, str]] = []

    # What differs between databases

    @property
    @abstractmethod
    def language(self) -> str:
        """Name of the query language, such as "Cypher" or "SPARQL"."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the names that queries may use; remembered."""

    @abstractmethod
    def find(self, key: str) -> Node | None:
        """Return the entity with exactly this key; None if there is none."""

    @abstractmethod
    def named(self, text: str, n: int) -> list[Node]:
        """Return at most ``n`` entities whose names equal, contain or resemble a text, or occur in it, best first."""

    @abstractmethod
    def around(self, handles: Sequence[Any], direction: str, relations: list[str] | None, limit: int) -> list[Edges]:
        """Return the triples of entities, in their order.

        Args:
            handles: Their handles, or keys where they have none.
            direction: "out", "in" or "both".
            relations: Keys of the relations to follow; None for all.
            limit: Most triples for one entity.
        """

    @abstractmethod
    def run(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads; entities among the values are given by their keys."""

    def mark(self) -> dict[str, Any] | None:
        """Return values that differ after every change of the graph, as JSON; None if it has none."""
        return None

    @property
    def mark_is_shared(self) -> bool:
        """Whether the mark also differs after changes of what else is on a server."""
        return False

    # What the protocols ask for

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads and return at most ``limit`` rows; entities among the values are keys.

        Raises:
            GraphbrickError: The query is wrong, writes, or took too long, or the database does not answer.
        """
        check_read_only(text, self.language)  # engines let some writes through even if they are opened read-only
        if limit < 1:
            text = f"the limit of a query must be at least 1, got {limit}"
            raise GraphbrickError(text, code="database.bad_limit", limit=limit)
        try:
            return self.run(text, parameters, limit)
        except RecursionError as error:
            raise refused_query(self.address, "a value of the result is nested too deeply") from error

    def neighbours(
        self,
        entities: Sequence[int],
        *,
        direction: str = "both",
        relations: Collection[int] | None = None,
        limit: int = 1000,
    ) -> list[NeighbourList]:
        """Return the triples of each entity, first those that leave it; see `graphbrick.core.graph.Neighbours`."""
        follow(direction)
        ids = [self._checked(entity) for entity in entities]
        keys = None if relations is None else [self.relation_key(relation) for relation in relations]
        if not ids or keys == []:
            return [NeighbourList(np.empty((0, 3), dtype=np.int32), is_cut=False) for _ in ids]
        distinct = list(dict.fromkeys(ids))
        around = zip(distinct, self.around([*map(self.handle, distinct)], direction, keys, limit), strict=True)
        lists = {entity: self._numbered(entity, edges) for entity, edges in around}
        return [lists[entity] for entity in ids]

    def _numbered(self, entity: int, edges: Edges) -> NeighbourList:
        rows: dict[tuple[int, int, int], list[Properties]] = {}
        for edge in edges.edges:
            relation, other = self.met_relation(edge.key, edge.label), self.met(edge.node)
            row = (entity, relation, other) if edge.forward else (other, relation, entity)
            rows.setdefault(row, []).append(edge.properties)
        around = NeighbourList(np.array(list(rows), dtype=np.int32).reshape(-1, 3), edges.is_cut)
        return around.with_properties(list(rows.values())) if any(edge.properties for edge in edges.edges) else around

    def entity(self, key: str) -> int:
        """Return the entity with exactly this key.

        Raises:
            LinkError: There is none.
        """
        known = self._ids.get(key)
        if known is not None:
            return known
        node = self.find(key)
        if node is None:
            text = f"no entity of {self.address} has the key {key[:80]!r}"
            raise LinkError(text, code="database.unknown_key", key=key)
        return self.met(node)

    def search(self, text: str, n: int) -> list[int]:
        """Return at most ``n`` entities whose names occur in a text, equal, contain or resemble it, best first."""
        return list(dict.fromkeys(map(self.met, self.named(text, n))))[:n] if text.strip() and n > 0 else []

    def met(self, node: Node) -> int:
        """Return the number of an entity, and remember the facts about it."""
        with self._lock:
            entity = self._ids.setdefault(node.key, len(self._keys))
            if entity == len(self._keys):
                self._keys.append(node.key)
                self._handles.append(node.handle)
            self._nodes[entity] = node
            self._nodes.move_to_end(entity)
            if len(self._nodes) > _REMEMBERED:
                self._nodes.popitem(last=False)
            return entity

    def met_relation(self, key: str, label: str) -> int:
        """Return the number of a relation."""
        with self._lock:
            relation = self._relations.setdefault(key, len(self._relation_names))
            if relation == len(self._relation_names):
                self._relation_names.append((key, label))
            return relation

    def node(self, entity: int) -> Node:
        """Return the facts about an entity; they are requested again if they were forgotten."""
        node = self._nodes.get(self._checked(entity))
        if node is None:
            node = self.find(self._keys[entity])
            if node is None:
                text = f"{self._keys[entity]!r} was removed from {self.address}"
                raise LinkError(text, code="database.removed", key=self._keys[entity])
            self.met(node)
        return node

    def _checked(self, entity: int) -> int:
        """Return a plain id that this graph gave; else raise IndexError."""
        if not 0 <= entity < len(self._keys):
            raise IndexError(
                f"there is no entity {entity}: {self.address} has shown "
                f"{len(self._keys):,} so far; take ids from its answers"
            )
        return int(entity)

    def handle(self, entity: int) -> Any:
        """Return the fastest way for the database to find an entity: its handle, or its key where it has none."""
        handle = self._handles[self._checked(entity)]
        return self._keys[entity] if handle is None else handle

    def key(self, entity: int) -> str:
        """Return the unique name of an entity."""
        return self._keys[self._checked(entity)]

    def label(self, entity: int) -> str:
        """Return the name of an entity that people use."""
        return self.node(entity).label

    def types(self, entity: int) -> list[str]:
        """Return the types of an entity."""
        return list(self.node(entity).types)

    def description(self, entity: int) -> str:
        """Return a sentence about an entity, or an empty text."""
        return self.node(entity).description

    def aliases(self, entity: int) -> list[str]:
        """Return other names of an entity."""
        return list(self.node(entity).aliases)

    def relation_label(self, relation: int) -> str:
        """Return the name of a relation that people use."""
        return self._relation_names[relation][1]

    def relation_key(self, relation: int) -> str:
        """Return the unique name of a relation."""
        return self._relation_names[relation][0]

    # What runs, traces and messages ask for

    @property
    def path(self) -> str:
        """The address, where a folder graph has its folder; without user and password."""
        return str(self.address)

    @property
    def hash(self) -> str:
        """Always empty: a database may change at any time."""
        return ""

    @property
    def vectors_place(self) -> Path:
        """The folder in the user's cache for embeddings of its texts; not made before it is needed."""
        name = sha256(str(self.address).encode()).hexdigest()[:16]
        return user_folder("GRAPHBRICK_CACHE") / "databases" / f"{name}.vectors"

    def copy_limits(self) -> dict[str, int]:
        """Return the limits of the part copied around the seeds of a question, for stages that need adjacency.

        The address may say it: ``?hops=3&limit=500&triples=100000``.

        Raises:
            InputError: One of them is not a whole number above 0.
        """
        limits = dict[str, int]()
        for option, (name, example) in _COPY_OPTIONS.items():
            if option not in dict(self.address.options):
                continue
            value = number_option(self.address, option, example)
            if value != int(value):
                raise InputError(
                    f"{option} of {self.address} must be a whole number, got {value:g}; try ?{option}={example}",
                    code="database.not_whole",
                    option=option,
                    example=example,
                )
            limits[name] = int(value)
        return limits

    @property
    def copied_whole(self) -> int:
        """Most nodes and relations of a database that is copied as a whole to be asked (``?whole=``); 0 for never."""
        text = self.option("whole") or str(_WHOLE)
        if not text.isdecimal():
            told = f"whole of {self.address} must be a whole number from 0, got {text!r}; try ?whole={_WHOLE}"
            raise InputError(told, code="database.bad_whole", value=text, example=_WHOLE)
        return int(text)

    @property
    def timeout(self) -> float:
        """Seconds that one request may take."""
        return number_option(self.address, "timeout", TIMEOUT)

    def option(self, name: str) -> str:
        """Return an option of the address; empty if it is not there."""
        return dict(self.address.options).get(name, "")

    _repr_html_ = repr_html

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.address)!r})"

    def __reduce__(self) -> tuple[type[DatabaseGraph], tuple[Address]]:
        return type(self), (self.address,)


def number_option(address: Address, name: str, default: float) -> float:
    """Return a positive number among the options of an address.

    Raises:
        InputError: It is something else.
    """
    text = dict(address.options).get(name)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= _MOST:
        raise InputError(
            f"{name} of {address} must be a number above 0 and at most {_MOST:,}, got {text!r}; "
            f"try ?{name}={default:g}",
            code="database.bad_number",
            option=name,
            value=text,
            example=default,
        )
    return value


def check_options(address: Address, allowed: Iterable[str]) -> None:
    """Check that an address has only options that its kind of database knows.

    Raises:
        InputError: There is another one.
    """
    names = sorted(allowed)
    for name, _ in address.options:
        if name not in names:
            text = f"{address} has the option {name!r}; allowed are {', '.join(names)}"
            raise InputError(text, code="database.unknown_option", option=name, allowed=names)


def needed_module(name: str, extra: str) -> ModuleType:
    """Import the client of a database.

    Raises:
        GraphbrickError: It is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise _no_client(name, extra, error) from error


def check_client(name: str, extra: str) -> None:
    """Check that the client of a database is installed, without importing it.

    Raises:
        GraphbrickError: It is not installed.
    """
    if find_spec(name) is None:
        raise _no_client(name, extra, "it is not installed")


def _no_client(name: str, extra: str, cause: object) -> GraphbrickError:
    text = f"{extra} graphs need {name}: pip install 'graphbrick[{extra}]' ({cause})"
    return GraphbrickError(text, code="database.no_client", extra=extra)


def files_mark(files: Iterable[Path]) -> dict[str, Any]:
    """Return the mark of a database on this machine: the names, sizes and times of its files.

    Raises:
        GraphbrickError: One cannot be read.
    """
    try:
        stamps = sorted((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    except OSError as error:
        text = f"a file of the database cannot be read ({error})"
        raise GraphbrickError(text, code="database.unreadable_file") from error
    return {"files": sha256(repr(stamps).encode()).hexdigest()}
