"""Records from readers to builders: triples of keys, and facts about entities and relations.

A *key* is the unique name of an entity or relation in its source: an IRI, a MID, a row id, or the label if the source
has nothing else. A *label* is a name for people; two entities may share one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import NO_PROPERTIES, Properties

TripleRecord: TypeAlias = tuple[str, str, str]
"""(head key, relation key, tail key)"""


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """Facts about one entity.

    Records of the same key add up; a later label, description or property of the same name replaces the earlier.

    Attributes:
        may_be_relation: Whether the source names relations and entities alike, so that these facts may be about a
            relation with this key, and make no entity then. Else they make one, also beside such a relation.
    """

    key: str
    label: str | None = None
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    description: str | None = None
    properties: Properties = field(default_factory=lambda: NO_PROPERTIES, hash=False)
    may_be_relation: bool = field(default=False, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """A triple with properties. Triples that differ in properties only are different triples."""

    head: str
    relation: str
    tail: str
    properties: Properties = field(default_factory=lambda: NO_PROPERTIES, hash=False)

    @property
    def triple(self) -> TripleRecord:
        """The triple without its properties."""
        return self.head, self.relation, self.tail


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """The label of a relation, if it differs from its key."""

    key: str
    label: str


LATEST = 0
"""Rank of a fact that is replaced by a later fact of the same kind."""
IS_TRIPLE = 8
"""Added to the rank of a description that is a triple as well, so that nothing is lost where another is better."""

DESCRIBED, LABEL, ALIAS, TYPE, DESCRIPTION, PROPERTY = range(6)
"""Kinds of facts: the entity exists (`DESCRIBED`), one of its texts, or the value of a property."""


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A label or description that competes with others of its key: the lowest rank wins, then the first.

    Attributes:
        key: The key of an entity; a label also applies to a relation with this key.
        kind: `LABEL` or `DESCRIPTION`.
        text: The text.
        rank: At least 1; rank 0 (`LATEST`) is reserved for facts of an `EntityRecord`.
    """

    key: str
    kind: int
    text: str
    rank: int


Record: TypeAlias = TripleRecord | EdgeRecord | EntityRecord | RelationRecord
Records: TypeAlias = Iterator[Record]


@dataclass
class BadRecords:
    """Collector of bad records: raises the first one, or with ``skip=True`` counts and keeps them.

    Args:
        skip: Whether to skip bad records instead of raising the first.
        keep: Maximum number of bad records kept for the report; all are counted.
    """

    skip: bool = False
    keep: int = 1000
    count: int = 0
    errors: list[InputError] = field(default_factory=list)

    def add(self, error: InputError) -> None:
        """Raise ``error``, or count and keep it if bad records are skipped."""
        if not self.skip:
            raise error
        self.count += 1
        if len(self.errors) < self.keep:
            self.errors.append(error)

    def write(self, path: Path) -> None:
        """Write a line of JSON for each record that was kept: file, line, reason and text."""
        with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            for error in self.errors:
                row = {"file": str(error.file or ""), "line": error.line, "reason": error.reason, "text": error.text}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


_EXAMPLES = 5


@dataclass
class LeftOut:
    """Counts of what a source says and a graph does not keep, by kind, which a build prints and keeps.

    Attributes:
        counts: The number of cases of each kind, such as "edge ends that are not in the table of nodes".
        examples: At most five different examples of each kind.
    """

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, example: str = "", n: int = 1) -> None:
        """Count cases.

        Args:
            what: The kind, as words that follow a number: "columns of nodes.csv", "values that are not numbers".
            example: The name of the column, the value, or another example.
            n: Number of cases.
        """
        self.counts[what] = self.counts.get(what, 0) + n
        shown = self.examples.setdefault(what, [])
        if example and example not in shown and len(shown) < _EXAMPLES:
            shown.append(example)

    def update(self, other: LeftOut) -> None:
        """Add all cases of another."""
        for what, n in other.counts.items():
            self.add(what, n=n)
            for example in other.examples[what]:
                self.add(what, example, 0)

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> LeftOut:
        """Return the counts and examples of `to_dict`."""
        counts = {what: row["count"] for what, row in facts.items()}
        return cls(counts, {what: list(row["examples"]) for what, row in facts.items()})

    @classmethod
    def of(cls, known: Mapping[str, Mapping[str, Any]]) -> LeftOut:
        """Return what `to_dict` gave."""
        return cls(
            {what: row["count"] for what, row in known.items()},
            {what: [*row["examples"]] for what, row in known.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return counts and examples by kind, as plain JSON types."""
        return {what: {"count": n, "examples": self.examples[what]} for what, n in self.counts.items()}
