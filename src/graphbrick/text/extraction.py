"""Extractors: bricks that find the entities of passages, and triples among them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.identity import identity_of


class Kind(StrEnum):
    """How certain it is that words are the name of an entity."""

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


@dataclass
class Extraction:
    """What an extractor found in one passage.

    Attributes:
        found: Possible entities, by start.
        triples: Head, relation and tail in words; heads and tails are entities in any case.
    """

    found: list[Found] = field(default_factory=list)
    triples: list[tuple[str, str, str]] = field(default_factory=list)

    def to_json(self) -> list[Any]:
        """Return it as plain JSON types."""
        return [[list(one) for one in self.found], [list(triple) for triple in self.triples]]

    @classmethod
    def from_json(cls, value: Any) -> Extraction:
        """Return what `to_json` gave."""
        found = [Found(start, end, Kind(kind), type_) for start, end, kind, type_ in value[0]]
        return cls(found, [(head, relation, tail) for head, relation, tail in value[1]])


class Extractor(Brick):
    """Finds the entities of passages, and triples among them.

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

    @abstractmethod
    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return what was found in each text; the result for a text does not depend on the others."""
