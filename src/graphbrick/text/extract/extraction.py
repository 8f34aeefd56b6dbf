"""Extractors: bricks that find the entities of passages, and triples among them."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import Any, ClassVar, NamedTuple

from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.identity import identity_of


class Kind(StrEnum):
    """The certainty that words are the name of an entity."""

    NAME = "name"
    """A name, or a term in quotation marks."""
    MAYBE = "maybe"
    """A word with a capital at the start of a sentence: a name only if it is one elsewhere."""
    PHRASE = "phrase"
    """Words without a capital: an entity only if several passages have them."""


class Found(NamedTuple):
    """Words of a passage that may be an entity.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        kind: How certain it is.
        type: Type of the entity, such as "person"; empty if it is not known.
    """

    start: int
    end: int
    kind: Kind
    type: str = ""


class FoundEntity(NamedTuple):
    """An entity that a model named, without a place in the text.

    Attributes:
        name: Its name.
        type: Its type, such as "person"; empty if it is not known.
        description: What the passage says about it; empty for nothing.
    """

    name: str
    type: str = ""
    description: str = ""


class FoundTriple(NamedTuple):
    """A triple in words.

    Attributes:
        head: Name of the head, which is an entity in any case.
        relation: The relation, such as "is the capital of".
        tail: Name of the tail, which is an entity in any case.
        description: What the passage says about it; empty for nothing.
        keywords: Topics of the triple, most important first.
        strength: How strongly the passage states it, above 0 to 1.
    """

    head: str
    relation: str
    tail: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    strength: float = 1.0


STATUSES = ("TRUE", "FALSE", "SUSPECTED")
"""The statuses of claims: true, false or suspected by the passage."""


class FoundClaim(NamedTuple):
    """A claim of a passage about an entity.

    Attributes:
        subject: Name of the entity that it is about, which is an entity in any case.
        object: Name of the entity that is affected; empty for none.
        type: Kind of claim, such as "fraud".
        status: One of `STATUSES`.
        start: ISO date from which it holds; empty if it is not known.
        end: ISO date until which it holds; empty if it is not known.
        description: The claim in words.
        quote: The words of the passage that make the claim.
    """

    subject: str
    object: str
    type: str
    status: str
    start: str
    end: str
    description: str
    quote: str


@dataclass
class Extraction:
    """The result of an extractor for one passage.

    Attributes:
        found: Possible entities with their places in the text, by start; two in one sentence are joined by a triple.
        triples: Triples in words.
        entities: Entities that a model named, with types and descriptions.
        claims: Claims about entities.
        problem: Why there is no result, or not all of it, such as a reply that could not be read; empty for nothing.
        dropped: Number of rows of a reply that were left out, by reason.
        has_failed: Whether the problem is a failure of the server, so that asking again may help.
    """

    found: list[Found] = field(default_factory=list)
    triples: list[FoundTriple] = field(default_factory=list)
    entities: list[FoundEntity] = field(default_factory=list)
    claims: list[FoundClaim] = field(default_factory=list)
    problem: str = ""
    dropped: dict[str, int] = field(default_factory=dict)
    has_failed: bool = False

    @property
    def size(self) -> int:
        """Number of entities, triples and claims."""
        return len(self.found) + len(self.triples) + len(self.entities) + len(self.claims)

    def to_json(self) -> list[Any]:
        """Return it as plain JSON types; empty parts at the end are left out."""
        triples = [list(one[:3] if one[3:] == _PLAIN else one) for one in self.triples]
        entities, claims = [list(one) for one in self.entities], [list(one) for one in self.claims]
        told = [self.problem, self.dropped, self.has_failed]
        value: list[Any] = [[list(one) for one in self.found], triples, entities, claims, *told]
        while len(value) > _LEAST_PARTS and not value[-1]:
            value.pop()
        return value

    @classmethod
    def from_json(cls, value: Sequence[Any]) -> Extraction:
        """Return what `to_json` gave, also in earlier versions."""
        found, triples, entities, claims, problem, dropped, failed = list(value) + list(_NOTHING[len(value) :])
        return cls(
            [Found(start, end, Kind(kind), type_) for start, end, kind, type_ in found],
            [_triple(*row) for row in triples],
            [FoundEntity(*row) for row in entities],
            [FoundClaim(*row) for row in claims],
            problem,
            dropped,
            failed,
        )

    def __or__(self, other: Extraction) -> Extraction:
        """Merge two results; the first triple counts where both have the same words."""
        return Extraction(
            sorted({(one.start, one.end): one for one in (*other.found, *self.found)}.values()),
            list({one[:3]: one for one in (*other.triples, *self.triples)}.values()),
            list(dict.fromkeys([*self.entities, *other.entities])),
            list(dict.fromkeys([*self.claims, *other.claims])),
            "; ".join(dict.fromkeys(filter(None, (self.problem, other.problem)))),
            dict(Counter(self.dropped) + Counter(other.dropped)),
            self.has_failed or other.has_failed,
        )


_PLAIN = FoundTriple("", "", "")[3:]
_NOTHING: tuple[Any, ...] = ((), (), (), (), "", {}, False)
_LEAST_PARTS = 2


def _triple(
    head: str,
    relation: str,
    tail: str,
    description: str = "",
    keywords: Sequence[str] = (),
    strength: float = 1.0,
) -> FoundTriple:
    return FoundTriple(head, relation, tail, description, tuple(keywords), strength)


class Extractor(Brick):
    """Base class of bricks that find the entities of passages, and triples among them.

    Attributes:
        version: Part of the identity: raise it when the same text gives another result.
        note: What a user should know about it; empty for nothing.
    """

    version: ClassVar[int] = 1
    note: ClassVar[str] = ""

    @property
    def identity(self) -> str:
        """Key of its results."""
        return f"{identity_of(self)} {self.version}"

    @property
    def parts(self) -> tuple[Extractor, ...]:
        """The extractors it is made of, each with its own results; itself if it is not combined."""
        return (self,)

    def __or__(self, other: Extractor) -> Extractor:
        """Return an extractor that gives the results of both."""
        return Combined((*self.parts, *other.parts)) if isinstance(other, Extractor) else NotImplemented

    @abstractmethod
    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return the result for each text; it does not depend on the other texts."""


@dataclass(frozen=True, repr=False)
class Combined(Extractor):
    """The results of several extractors together, written ``SpacyPhrases() | OpenIE(LLM())``.

    Each of them keeps its own results, so that adding one to others extracts with the new one only.

    Args:
        members: The extractors, none of them combined.
    """

    members: tuple[Extractor, ...]

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.members))

    @property
    def identity(self) -> str:
        """Keys of its parts."""
        return " | ".join(part.identity for part in self.members)

    @property
    def parts(self) -> tuple[Extractor, ...]:
        """The extractors."""
        return self.members

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return the results of all of them together for each text."""
        rows = zip(*(part.extract(texts) for part in self.members), strict=True)
        return [reduce(or_, row) for row in rows]
