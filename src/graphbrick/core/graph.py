"""Protocols for what stages need from a graph.

A graph implements the protocols it can; a brick states the ones it needs (``needs``), which is checked when a run
starts. The folder graph has labels, neighbours and adjacency. A database may have only labels and neighbours, or a
query language; `graphbrick.LocalAround` makes a folder graph around the seeds of each question for every brick.

A class may derive from a protocol to get the methods that have defaults. Ids are integers from 0 that stay the same as
long as the graph object lives; a graph over a database can number its keys as it meets them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import Properties
from graphbrick.core.schema import Rows, Schema

if TYPE_CHECKING:
    from graphbrick.core.csr import Csr, Ints


@runtime_checkable
class Labels(Protocol):
    """Entities and relations have keys and labels, and entities are found by them.

    Stages ask for the labels of single entities. A graph over a database should remember the labels of the entities
    that its other methods have returned, so that `label` needs no request.
    """

    def label(self, entity: int) -> str:
        """Return the name that people use; not unique."""
        ...

    def key(self, entity: int) -> str:
        """Return the unique name in the source."""
        ...

    def relation_label(self, relation: int) -> str:
        """Return the name of a relation that people use."""
        ...

    def relation_key(self, relation: int) -> str:
        """Return the unique name of a relation in the source; by default its label."""
        return self.relation_label(relation)

    def entity(self, key: str) -> int:
        """Return the entity with exactly this key.

        Raises:
            LinkError: There is none.
        """
        ...

    def search(self, text: str, n: int) -> list[int]:
        """Return at most ``n`` entities whose label or alias equals, contains or resembles a text, best first.

        The text may be a whole question; then the entities whose names occur in it come first.
        """
        ...

    def types(self, entity: int) -> list[str]:
        """Return the types of an entity; by default none."""
        return []

    def first_type(self, entity: int) -> str:
        """Return the first type of an entity; empty if it has none."""
        return next(iter(self.types(entity)), "")

    def description(self, entity: int) -> str:
        """Return a sentence about an entity; by default an empty text."""
        return ""

    def aliases(self, entity: int) -> list[str]:
        """Return other names of an entity; by default none."""
        return []

    def describe(self, entity: int) -> str:
        """Return a text that tells an entity from others with the same label; by default label and key."""
        return f"{self.label(entity)} [{self.key(entity)}]"


class _Neighbours(NamedTuple):
    triples: npt.NDArray[np.int32]
    is_cut: bool


class NeighbourList(_Neighbours):
    """The triples around one entity, as a pair of ``triples`` and ``is_cut``.

    Attributes:
        triples: int32 [triples, 3]: head, relation, tail; each once.
        is_cut: Whether there are more than the limit.
        properties: Those of each triple and of its parallels with other ones; empty if no triple has any.
    """

    properties: Sequence[Sequence[Properties]] = ()

    def with_properties(self, properties: Sequence[Sequence[Properties]]) -> NeighbourList:
        """Return these triples with their properties."""
        made = NeighbourList(*self)
        made.properties = properties
        return made


@runtime_checkable
class Neighbours(Protocol):
    """The triples around entities, many entities at a time."""

    def neighbours(
        self,
        entities: Sequence[int],
        *,
        direction: str = "both",
        relations: Collection[int] | None = None,
        limit: int = 1000,
    ) -> list[NeighbourList]:
        """Return the triples of each entity, in the order of ``entities``.

        Args:
            entities: Entity ids.
            direction: "out" for triples that leave the entity, "in" for those that enter it, or "both".
            relations: Only triples of these relations; None for all.
            limit: Most triples for one entity.
        """
        ...


@runtime_checkable
class Adjacency(Protocol):
    """All triples have ids and are compressed sparse rows, in memory or memory-mapped files."""

    @property
    def csr(self) -> Csr:
        """The rows of both directions."""
        ...

    @property
    def n_entities(self) -> int:
        """Number of entities."""
        ...

    @property
    def n_relations(self) -> int:
        """Number of relations."""
        ...

    @property
    def n_triples(self) -> int:
        """Number of triples."""
        ...

    def triple_ids(self) -> Ints:
        """Return the ids of all triples, int32, ascending."""
        ...

    def triple(self, triple: int) -> tuple[int, int, int]:
        """Return head, relation and tail of a triple."""
        ...

    def relation_of(self, triple: int) -> int:
        """Return the relation of a triple."""
        ...

    def triple_text(self, triple: int) -> str:
        """Return a triple as text, such as ``Kenya -> capital -> Nairobi``."""
        ...

    def degree(self, entity: int) -> int:
        """Return the number of triples that leave or enter an entity."""
        ...


class Graph(Labels, Adjacency, Protocol):
    """A graph that subgraphs are views of and that paths belong to."""


@runtime_checkable
class QueryLanguage(Protocol):
    """The graph answers queries in a language of its own."""

    @property
    def language(self) -> str:
        """Name of the language, such as "Cypher" or "SPARQL"."""
        ...

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads and return at most ``limit`` rows; nodes among the values are keys.

        Where keys may be numbers in digits, give nodes as `NodeKey`: other texts of digits are taken for numbers.

        Raises:
            GraphbrickError: The query is wrong, writes, or took too long.
        """
        ...

    def schema(self) -> Schema:
        """Return the classes and relations that queries may name; by default none are known."""
        return Schema()


class PassageText(NamedTuple):
    """A passage of a document that mentions entities of the graph.

    Attributes:
        text: The words.
        document: Name or address of the document.
        start: Offset of the first character in the document.
        end: Offset after the last character.
        title: Title of the document; empty if it has none.
        section: The headings above the passage, joined by " > "; empty for none.
    """

    text: str
    document: str
    start: int
    end: int
    title: str = ""
    section: str = ""


@runtime_checkable
class Passages(Protocol):
    """The graph knows the passages of documents that its entities come from."""

    def passages(self, entities: Sequence[int], limit: int) -> list[list[PassageText]]:
        """Return at most ``limit`` passages that mention each entity, in the order of ``entities``."""
        ...


@runtime_checkable
class Corpus(Passages, Protocol):
    """All passages of the documents that the graph was made from lie in files, and have ids from 0."""

    @property
    def n_passages(self) -> int:
        """Number of passages."""
        ...

    def passage(self, passage: int) -> PassageText:
        """Return a passage."""
        ...

    def passage_texts(self) -> list[str]:
        """Return the text of every passage under the title of its document, which questions are compared with."""
        ...

    @property
    def mentions(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The entities of each passage: int64 [passages + 1] where those of each begin, int32 entities."""
        ...


@runtime_checkable
class Stored(Protocol):
    """The graph is a folder on this machine with an index of its names; files can be kept beside it."""

    place: Path
    """The folder."""
    hash: str
    """Changes whenever the contents change."""
    vectors_place: Path
    """The folder for embeddings of its texts."""


@runtime_checkable
class PerQuestion(Protocol):
    """Not a graph itself, but makes one for each question: a folder graph around its seeds."""

    def for_question(self, question: str, seeds: Iterable[str | int], question_id: str) -> tuple[Graph, list[str]]:
        """Return the graph of a question, and the keys of its seeds there.

        Args:
            question: The question.
            seeds: Ids, keys or names; if empty, the entities that the question names.
            question_id: The id of the question in its data set; empty if it has none.

        Raises:
            LinkError: A seed does not exist, or the question names nothing.
        """
        ...


@runtime_checkable
class Copied(Labels, Neighbours, Protocol):
    """A part of the graph is copied for each question that needs it; see `graphbrick.LocalAround`."""

    @property
    def path(self) -> str:
        """The address of the graph."""
        ...

    def copy_limits(self) -> dict[str, int]:
        """Return how far and how much is copied: parameters of `LocalAround` that differ from its defaults."""
        ...


DIRECTIONS = ("both", "out", "in")
"""The directions in which triples can be walked."""


class Capability(Enum):
    """Something that a graph can do and a brick can need; the value is its name in messages."""

    LABELS = "labels"
    NEIGHBOURS = "neighbours"
    ADJACENCY = "adjacency"
    QUERY_LANGUAGE = "a query language"
    PASSAGES = "passages"
    CORPUS = "all passages of its documents"
    STORED = "a folder with an index of names"
    PROPERTIES = "properties of entities"


Capabilities: TypeAlias = frozenset[Capability]

_PROTOCOLS: dict[Capability, Any] = {
    Capability.LABELS: Labels,
    Capability.NEIGHBOURS: Neighbours,
    Capability.ADJACENCY: Adjacency,
    Capability.QUERY_LANGUAGE: QueryLanguage,
    Capability.PASSAGES: Passages,
    Capability.CORPUS: Corpus,
    Capability.STORED: Stored,
    Capability.PROPERTIES: HasProperties,
}


_BY_TYPE: WeakKeyDictionary[type, Capabilities] = WeakKeyDictionary()


def capabilities_of(graph: object) -> Capabilities:
    """Return the capabilities of a graph, by the protocols it implements; cached per class."""
    known = _BY_TYPE.get(type(graph))
    if known is None:
        known = frozenset(capability for capability, protocol in _PROTOCOLS.items() if isinstance(graph, protocol))
        _BY_TYPE[type(graph)] = known
    return known


class Needing(Protocol):
    """A brick that states what it needs from a graph."""

    @property
    def needs(self) -> Capabilities:
        """The capabilities that the graph must have."""


def check_needs(bricks: Iterable[Needing], graph: object) -> None:
    """Check that a graph gives what bricks need.

    Args:
        bricks: The bricks.
        graph: The graph.

    Raises:
        GraphbrickError: Something is missing; the message says what, and what to do.
    """
    gives, name = capabilities_of(graph), type(graph).__name__
    if not gives:
        raise GraphbrickError(
            f"the graph must be a Graph, got {graph!r}; open it with Graph.open(folder)", code="graph.not_a_graph"
        )
    brick = next((brick for brick in bricks if not brick.needs <= gives), None)
    if brick is None:
        return
    missing = brick.needs - gives
    advice = f"use a brick that needs only {_listed(gives)}, or a graph that gives {_listed(missing)}"
    if Capability.CORPUS in missing:
        advice = "make the graph from documents, with graphbrick index"
    if {Capability.LABELS, Capability.NEIGHBOURS} <= gives and missing == {Capability.ADJACENCY}:
        advice = "use LocalAround(graph, hops=2), which copies the part of it around the seeds"
    raise GraphbrickError(
        f"{brick!r} needs {_listed(missing)}, but {name} gives {_listed(gives)}; {advice}",
        code="graph.missing_capability",
        missing=missing,
        advice=advice,
    )


def _listed(capabilities: Capabilities) -> str:
    names = [capability.value for capability in Capability if capability in capabilities]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def follow(direction: str) -> tuple[bool, bool]:
    """Return whether a walk follows outgoing triples, and whether it follows incoming ones.

    >>> follow("both"), follow("in")
    ((True, True), (False, True))
    """
    return direction != "in", direction != "out"
