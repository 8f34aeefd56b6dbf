"""What a reader yields and what a builder takes: triples of keys, and facts about entities and relations.

A *key* is the unique name of an entity or relation in its source (an IRI, a MID, a row id, or the label itself where
the source has nothing else). A *label* is what people read; two entities may share one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from graphbrick.core.errors import InputError

TripleRecord: TypeAlias = tuple[str, str, str]
"""(head key, relation key, tail key)"""


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """Facts about one entity. Several records of one key add up: a later label or description replaces the earlier."""

    key: str
    label: str | None = None
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    description: str | None = None


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """The label of one relation, where it differs from its key."""

    key: str
    label: str


LATEST = 0
"""The rank of a fact that a later one of its kind replaces."""

DESCRIBED, LABEL, ALIAS, TYPE, DESCRIPTION = range(5)
"""What a fact says of its entity: that it is there, or one of its texts."""


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A label or description of one key that competes with others: the lowest rank wins, of equals the first.

    Attributes:
        key: What it is about: an entity, or a relation too.
        kind: `LABEL` or `DESCRIPTION`.
        text: The text.
        rank: From 1; those of rank 0 (`LATEST`) come from `EntityRecord`.
    """

    key: str
    kind: int
    text: str
    rank: int


Record: TypeAlias = TripleRecord | EntityRecord | RelationRecord
Records: TypeAlias = Iterator[Record]


@dataclass
class BadRecords:
    """What to do with a bad record: raise it, or (``skip=True``) count it, keep it for the report and go on.

    Args:
        skip: Leave bad records out instead of stopping at the first.
        keep: At most so many are kept for listing; all are counted.
    """

    skip: bool = False
    keep: int = 1000
    count: int = 0
    kept: list[InputError] = field(default_factory=list)

    def add(self, error: InputError) -> None:
        """Raise ``error``, or count and keep it when bad records are skipped."""
        if not self.skip:
            raise error
        self.count += 1
        if len(self.kept) < self.keep:
            self.kept.append(error)
