"""Items of evidence: the protocol that every stage works on, and the kinds that are not paths."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from graphbrick.core.deferred import Shown
from graphbrick.core.properties.values import Value, shown_value

if TYPE_CHECKING:
    from graphbrick.core.graph import Graph

ANSWER = ("answer", "plan")
"""Columns of a `Row` that is an answer itself: its text, and the plan that it was computed by."""

I = TypeVar("I", bound="BaseItem")  # noqa: E741 - a type variable


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that an item of evidence was taken from.

    Attributes:
        document: Name or address of the document; empty if the item does not come from a document.
        start: Offset of the first character in the document; None for the whole document.
        end: Offset after the last character; None for the end of the document.
        query: Text of the query that returned the item; empty if it does not come from a query.
        section: The headings above the place in the document, joined by " > "; empty for none.
    """

    document: str = ""
    start: int | None = None
    end: int | None = None
    query: str = ""
    section: str = ""


class Scorable(Protocol):
    """Anything that a scorer can score: an item of evidence, or a relation pattern."""

    @property
    def text(self) -> str:
        """The whole text."""

    @property
    def pattern_text(self) -> str:
        """The text without names of entities; the whole text if there is no such form."""


class Item(Scorable, Protocol):
    """One item of evidence: any class with these attributes; `BaseItem` has defaults for most."""

    @property
    def kind(self) -> str:
        """The kind in one word: "path", "triple", "row", "passage", "report", or another word in the singular."""

    @property
    def score(self) -> float:
        """The score of the last ranking stage; 0 before any."""

    @property
    def source(self) -> str:
        """The stage that made the item, as recipe text."""

    @property
    def graph(self) -> Graph | None:
        """The graph that the entity ids belong to; None if the item speaks of no entity."""

    @property
    def entities(self) -> tuple[int, ...]:
        """The entities that the item says something about, so that it can support them as answers."""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The places in documents that the item was taken from; empty if the graph itself is the source."""

    @property
    def identity(self) -> Hashable:
        """Value that differs between different items of one graph; score and source do not count."""

    def with_score(self, score: float) -> Item:
        """The same item with another score."""


class BaseItem(Shown):
    """Defaults for a kind of item that is a frozen dataclass; equality and hash follow the identity.

    A kind declares ``@dataclass(frozen=True, eq=False, repr=False)`` with the fields ``text``, ``score`` and
    ``source``, and overrides what differs.

    Example:
        >>> Passage("Nairobi lies in Kenya.", citations=(Citation("atlas.txt", 10, 32),)).with_score(0.5).score
        0.5
    """

    kind: ClassVar[str]

    if TYPE_CHECKING:  # annotations only: at run time these would become defaults of the fields
        text: Any
        entities: Any
        citations: Any

    @property
    def pattern_text(self) -> str:
        """The text: only paths can be written without names."""
        return str(self.text)

    @property
    def identity(self) -> Hashable:
        """Kind, text, entities and citations."""
        return self.kind, self.text, self.entities, self.citations

    def fields(self) -> dict[str, Any]:
        """What the kind adds to the JSON of items; nothing by default."""
        return {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def with_score(self: I, score: float) -> I:
        """The same item with another score."""
        return replace(self, score=score)  # type: ignore[type-var]


@dataclass(frozen=True, eq=False, repr=False)
class Triple(BaseItem):
    """One triple of a graph.

    Attributes:
        graph: The graph.
        id: Triple id.
        score: Score of the last ranking stage.
        source: The stage that retrieved it.
        description: What documents say about it; empty for nothing.
        citations: The places in documents that state it, if any.
    """

    kind = "triple"

    graph: Graph
    id: int
    score: float = 0.0
    source: str = ""
    description: str = ""
    citations: tuple[Citation, ...] = ()

    @property
    def text(self) -> str:
        """The triple as text, such as ``Kenya -> capital -> Nairobi``, with its description."""
        text = self.graph.triple_text(self.id)
        return f"{text}: {self.description}" if self.description else text

    @property
    def entities(self) -> tuple[int, ...]:
        """Head and tail."""
        head, _, tail = self.graph.triple(self.id)
        return head, tail

    @property
    def identity(self) -> Hashable:
        """Kind and id."""
        return self.kind, self.id


@dataclass(frozen=True, eq=False, repr=False)
class Row(BaseItem):
    """One row of a query's result.

    Attributes:
        columns: Names of the columns.
        values: Value of each column as text.
        citations: One citation with the query.
        entities: The entities that the values name.
        graph: The graph of these entities.
        score: Score of the last ranking stage.
        source: The stage that ran the query.
        counted: How many things the answer counts; None for a row that is no count, such as a price.

    Example:
        >>> Row(("country", "capital"), ("Kenya", "Nairobi")).text
        'country: Kenya, capital: Nairobi'
    """

    kind = "row"

    columns: tuple[str, ...]
    values: tuple[str, ...]
    citations: tuple[Citation, ...] = ()
    entities: tuple[int, ...] = ()
    graph: Graph | None = None
    score: float = 0.0
    source: str = ""
    counted: int | None = None

    @property
    def text(self) -> str:
        """Every value with the name of its column."""
        return ", ".join(f"{column}: {value}" for column, value in zip(self.columns, self.values, strict=True))

    def fields(self) -> dict[str, Any]:
        """Return columns and values, and how many things a count counts."""
        counted = {} if self.counted is None else {"counted": self.counted}
        return {"columns": self.columns, "values": self.values} | counted


@dataclass(frozen=True, eq=False, repr=False)
class CitedText(BaseItem):
    """A text with the places in documents that support it.

    Attributes:
        text: The words.
        citations: The places in documents.
        entities: The entities that the words are about.
        graph: The graph of these entities.
        score: Score of the last ranking stage.
        source: The stage that made it.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    entities: tuple[int, ...] = ()
    graph: Graph | None = None
    score: float = 0.0
    source: str = ""


class Passage(CitedText):
    """A passage of a document: its words, their place, and the entities that it mentions."""

    kind = "passage"


@dataclass(frozen=True, eq=False, repr=False)
class Entity(BaseItem):
    """An entity with its facts.

    Attributes:
        graph: The graph.
        id: Entity id.
        score: Score of the last ranking stage.
        source: The stage that retrieved it.
        citations: The places in documents that mention it, if any.
    """

    kind = "entity"

    graph: Graph
    id: int
    score: float = 0.0
    source: str = ""
    citations: tuple[Citation, ...] = ()

    @property
    def text(self) -> str:
        """Label, types and description, such as ``Nairobi (city): the capital of Kenya``."""
        types = ", ".join(self.graph.types(self.id))
        description = self.graph.description(self.id)
        return f"{self.graph.label(self.id)}{f' ({types})' if types else ''}{f': {description}' if description else ''}"

    @property
    def entities(self) -> tuple[int, ...]:
        """The entity."""
        return (self.id,)

    @property
    def identity(self) -> Hashable:
        """Kind and id."""
        return self.kind, self.id


@dataclass(frozen=True, eq=False, repr=False)
class Property(BaseItem):
    """A property of an entity or of a triple, with its value.

    Attributes:
        graph: The graph.
        owner: Entity id, or triple id.
        name: The name of the property.
        value: The value.
        of_triple: Whether a triple has the property.
        score: Score of the last ranking stage.
        source: The stage that retrieved it.
        citations: The places in documents that state it, if any.
    """

    kind = "property"

    graph: Graph
    owner: int
    name: str
    value: Value
    of_triple: bool = False
    score: float = 0.0
    source: str = ""
    citations: tuple[Citation, ...] = ()

    @property
    def text(self) -> str:
        """Owner, name and value, such as ``Blue Kettle: price 24.5``."""
        owner = self.graph.triple_text(self.owner) if self.of_triple else self.graph.label(self.owner)
        return f"{owner}: {self.name} {shown_value(self.value)}"

    @property
    def entities(self) -> tuple[int, ...]:
        """The entity, or head and tail of the triple."""
        if not self.of_triple:
            return (self.owner,)
        head, _, tail = self.graph.triple(self.owner)
        return head, tail

    @property
    def identity(self) -> Hashable:
        """Kind, owner, name and value."""
        return self.kind, self.of_triple, self.owner, self.name, self.value


class Point(CitedText):
    """One statement that was read out of other evidence, such as a finding of a report, or a claim."""

    kind = "point"


@dataclass(frozen=True, eq=False, repr=False)
class Report(BaseItem):
    """A text about a part of a graph, such as what a language model wrote about a community.

    Attributes:
        graph: The graph.
        entities: The entities that the report is about, ascending.
        text: The words of the report.
        citations: The documents that it was written from, if any.
        score: Score of the last ranking stage.
        source: The stage that made it.
    """

    kind = "report"

    graph: Graph
    entities: tuple[int, ...]
    text: str
    score: float = 0.0
    source: str = ""
    citations: tuple[Citation, ...] = ()
    parts: tuple[Point, ...] = ()
