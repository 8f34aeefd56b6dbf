"""Blocks of triples or facts, as spans of one array of bytes: fast readers yield them, builders take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.records.interner import spans_of
from graphbrick.graphs.records.records import (
    ALIAS,
    DESCRIBED,
    DESCRIPTION,
    LABEL,
    LATEST,
    TYPE,
    EntityRecord,
    RankedFact,
    Record,
    TripleRecord,
)
from graphbrick.kernels.strings.spans import Bytes, Offsets

NAMES_ONLY = 0x80
"""Flag of a fact kind: the fact describes an existing entity but does not create one."""

FOR_RELATION = 0x40
"""Flag of a fact kind: the label also applies to a relation with this key."""

KIND = 0x3F
"""Mask of a fact kind without its flags."""


@dataclass(frozen=True, slots=True)
class TripleBlock:
    """Triples in order.

    Attributes:
        data: uint8; UTF-8 text that holds all cells.
        starts: int64 [3, triples]; starts of heads, relations and tails.
        ends: int64 [3, triples]; their ends.
    """

    data: Bytes
    starts: Offsets
    ends: Offsets

    def records(self) -> list[TripleRecord]:
        """Return the triples as Python texts."""
        data = self.data.tobytes()
        cells = [
            [data[start:end].decode("utf-8", "surrogatepass") for start, end in zip(starts, ends, strict=True)]
            for starts, ends in zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        ]
        return list(zip(*cells, strict=True))

    @classmethod
    def of(cls, triples: Sequence[TripleRecord]) -> TripleBlock:
        """Make a block from Python triples."""
        data, starts, ends = spans_of(part for triple in triples for part in triple)
        return cls(data, *(np.ascontiguousarray(places.reshape(-1, 3).T) for places in (starts, ends)))

    def merged(self, before: Sequence[int], triples: Sequence[TripleRecord]) -> TripleBlock:
        """Return this block with further triples, each inserted before the triple with the index in ``before``."""
        if not triples:
            return self
        more = TripleBlock.of(triples)
        data = np.concatenate([self.data, more.data])
        starts, ends = (
            np.insert(own, before, others + len(self.data), axis=1)
            for own, others in ((self.starts, more.starts), (self.ends, more.ends))
        )
        return TripleBlock(data, starts, ends)


@dataclass(frozen=True, slots=True)
class Described:
    """A record that describes an existing entity but does not create one."""

    record: EntityRecord


@dataclass(frozen=True, slots=True)
class FactBlock:
    """Facts about entities in order, one text per fact; keys and texts are spans of the same bytes.

    Attributes:
        data: uint8; UTF-8 text.
        key_starts: int64 [facts].
        key_ends: int64 [facts].
        starts: int64 [facts]; starts of the texts.
        ends: int64 [facts].
        kind: uint8 [facts]; kinds of `graphbrick.graphs.records.records`, with flags.
        rank: uint8 [facts].
    """

    data: Bytes
    key_starts: Offsets
    key_ends: Offsets
    starts: Offsets
    ends: Offsets
    kind: npt.NDArray[np.uint8]
    rank: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, records: Sequence[EntityRecord | Described | RankedFact]) -> FactBlock:
        """Make a block from Python records, in their order."""
        facts = [fact for record in records for fact in _facts(record)]
        data, starts, ends = spans_of(part for key, text, _, _ in facts for part in (key, text))
        key_starts, key_ends, text_starts, text_ends = (
            np.ascontiguousarray(places[part::2]) for part in (0, 1) for places in (starts, ends)
        )
        kind = np.fromiter((kind for _, _, kind, _ in facts), dtype=np.uint8, count=len(facts))
        rank = np.fromiter((rank for _, _, _, rank in facts), dtype=np.uint8, count=len(facts))
        return cls(data, key_starts, key_ends, text_starts, text_ends, kind, rank)

    def merged(self, order: Offsets, other: FactBlock, other_order: Offsets) -> FactBlock:
        """Merge with another block by the order numbers of all facts; for equal numbers these facts come first."""
        shift = len(self.data)
        sorted_ = np.argsort(np.concatenate([order, other_order]), kind="stable")
        places = (
            np.concatenate([own, more + shift])[sorted_]
            for own, more in (
                (self.key_starts, other.key_starts),
                (self.key_ends, other.key_ends),
                (self.starts, other.starts),
                (self.ends, other.ends),
            )
        )
        key_starts, key_ends, starts, ends = places
        kind, rank = (np.concatenate(both)[sorted_] for both in ((self.kind, other.kind), (self.rank, other.rank)))
        data = np.concatenate([self.data, other.data])
        return FactBlock(data, key_starts, key_ends, starts, ends, kind, rank)

    def records(self) -> list[EntityRecord]:
        """Return the facts of a table of labels as Python records."""
        data = self.data.tobytes()
        places = (self.key_starts, self.key_ends, self.starts, self.ends)
        spans = zip(*(place.tolist() for place in places), strict=True)
        return [EntityRecord(data[a:b].decode(), data[c:d].decode() or None) for a, b, c, d in spans]


Part: TypeAlias = TripleBlock | FactBlock | Described | RankedFact | Record
"""A part that readers yield and builders take."""


def fact_count(record: EntityRecord | Described | RankedFact) -> int:
    """Return the number of facts that a record adds to a block."""
    return len(_facts(record))


def _facts(record: EntityRecord | Described | RankedFact) -> list[tuple[str, str, int, int]]:
    """Return (key, text, kind, rank) for each fact of a record; an `EntityRecord` also makes its entity exist."""
    if isinstance(record, RankedFact):
        return [(record.key, record.text, record.kind | (FOR_RELATION if record.kind == LABEL else 0), record.rank)]
    if isinstance(record, Described):
        return [(key, text, kind | NAMES_ONLY, rank) for key, text, kind, rank in _facts(record.record)[1:]]
    facts = [(record.key, "", DESCRIBED, LATEST)]
    if record.label is not None:
        facts.append((record.key, record.label, LABEL, LATEST))
    facts += [(record.key, alias, ALIAS, LATEST) for alias in record.aliases]
    facts += [(record.key, type_, TYPE, LATEST) for type_ in record.types]
    if record.description is not None:
        facts.append((record.key, record.description, DESCRIPTION, LATEST))
    return facts
