"""Blocks of triples or facts as spans of one array of bytes, from fast readers to builders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import Value
from graphbrick.graphs.records.columns import ColumnKey, property_facts, read_fact
from graphbrick.graphs.records.interner import spans_of, text_at
from graphbrick.graphs.records.records import (
    ALIAS,
    DESCRIBED,
    DESCRIPTION,
    LABEL,
    LATEST,
    PROPERTY,
    TYPE,
    EdgeRecord,
    EntityRecord,
    RankedFact,
    Record,
    TripleRecord,
)
from graphbrick.kernels.strings.spans import Bytes, Offsets

NAMES_ONLY = 0x80
"""Flag of a fact kind: the fact describes an existing entity but does not create one."""

FOR_RELATION = 0x40
"""Flag of a fact kind: the fact may be about a relation with this key, which makes no entity then."""

KIND = 0x3F
"""Mask of a fact kind without its flags."""


@dataclass(frozen=True, slots=True)
class TripleValues:
    """The properties of the triples of a block; texts are spans of the bytes of the block.

    Attributes:
        columns: The columns.
        triple: int64 [values]; index of the triple of each value.
        column: int32 [values]; index of its column.
        starts: int64 [values]; start of its text (`graphbrick.graphs.records.columns.property_facts`).
        ends: int64 [values].
    """

    columns: tuple[ColumnKey, ...]
    triple: Offsets
    column: npt.NDArray[np.int32]
    starts: Offsets
    ends: Offsets


@dataclass(frozen=True, slots=True)
class TripleBlock:
    """Triples in order.

    Attributes:
        data: uint8; UTF-8 text that holds all cells.
        starts: int64 [3, triples]; starts of heads, relations and tails.
        ends: int64 [3, triples]; their ends.
        values: The properties of the triples; None if there are none.
    """

    data: Bytes
    starts: Offsets
    ends: Offsets
    values: TripleValues | None = None

    def records(self) -> list[TripleRecord | EdgeRecord]:
        """Return the triples as Python texts."""
        data = self.data.tobytes()
        cells = [
            [data[start:end].decode("utf-8", "surrogatepass") for start, end in zip(starts, ends, strict=True)]
            for starts, ends in zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        ]
        triples: list[TripleRecord | EdgeRecord] = list(zip(*cells, strict=True))
        if self.values is not None:
            known = self.values
            properties: dict[int, dict[str, Value]] = {}
            for triple, column, start, end in zip(known.triple, known.column, known.starts, known.ends, strict=True):
                key = known.columns[int(column)]
                text = text_at(self.data, start, end)
                properties.setdefault(int(triple), {})[key.name] = read_fact(key, text)
            for triple, values in properties.items():
                triples[triple] = EdgeRecord(*cells_of(triples[triple]), values)
        return triples

    @classmethod
    def of(cls, triples: Sequence[TripleRecord | EdgeRecord]) -> TripleBlock:
        """Make a block from Python triples."""
        edges = [(i, record) for i, record in enumerate(triples) if isinstance(record, EdgeRecord)]
        plain = map(cells_of, triples)
        if not edges:
            data, starts, ends = spans_of(part for triple in plain for part in triple)
            return cls(data, _rows_of_three(starts), _rows_of_three(ends))
        numbers: dict[ColumnKey, int] = {}
        facts = [(i, *fact) for i, record in edges for fact in property_facts(record.properties)]
        texts = [text for _, _, text in facts]
        data, starts, ends = spans_of([*(part for triple in plain for part in triple), *texts])
        n = 3 * len(triples)
        owners = np.fromiter((i for i, _, _ in facts), dtype=np.int64, count=len(facts))
        columns = [numbers.setdefault(key, len(numbers)) for _, key, _ in facts]
        values = TripleValues(
            tuple(numbers), owners, np.array(columns, dtype=np.int32), starts[n:].copy(), ends[n:].copy()
        )
        return cls(data, _rows_of_three(starts[:n]), _rows_of_three(ends[:n]), values if facts else None)

    def merged(self, before: Sequence[int], triples: Sequence[TripleRecord | EdgeRecord]) -> TripleBlock:
        """Return this block with further triples, each before the triple with the index in ``before``.

        This block must have no properties; those of the further triples are kept.
        """
        if not triples:
            return self
        assert self.values is None
        more = TripleBlock.of(triples)
        shift = len(self.data)
        data = np.concatenate([self.data, more.data])
        starts, ends = (
            np.insert(own, before, others + shift, axis=1)
            for own, others in ((self.starts, more.starts), (self.ends, more.ends))
        )
        values = more.values
        if values is not None:
            places = np.asarray(before, dtype=np.int64) + np.arange(len(before))
            values = replace(
                values, triple=places[values.triple], starts=values.starts + shift, ends=values.ends + shift
            )
        return TripleBlock(data, starts, ends, values)

    def kept(self, keep: npt.NDArray[np.bool_]) -> TripleBlock:
        """Return the triples of a mask, with their properties."""
        starts, ends = (np.compress(keep, places, axis=1) for places in (self.starts, self.ends))
        values = self.values
        if values is not None:
            stays = keep[values.triple]
            number = np.cumsum(keep) - 1
            values = TripleValues(
                values.columns,
                number[values.triple[stays]],
                values.column[stays],
                values.starts[stays],
                values.ends[stays],
            )
        return TripleBlock(self.data, starts, ends, values)


def _rows_of_three(places: Offsets) -> Offsets:
    """Return starts or ends of cells as int64 [3, triples]."""
    return np.ascontiguousarray(places.reshape(-1, 3).T)


def cells_of(record: TripleRecord | EdgeRecord) -> TripleRecord:
    """Return head, relation and tail of a triple with or without properties."""
    return record.triple if isinstance(record, EdgeRecord) else record


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
        columns: The columns of facts of kind `PROPERTY`.
        column: int32 [facts]; index of the column, any for other facts; None without properties.
    """

    data: Bytes
    key_starts: Offsets
    key_ends: Offsets
    starts: Offsets
    ends: Offsets
    kind: npt.NDArray[np.uint8]
    rank: npt.NDArray[np.uint8]
    columns: tuple[ColumnKey, ...] = ()
    column: npt.NDArray[np.int32] | None = None

    @classmethod
    def of(cls, records: Iterable[EntityRecord | Described | RankedFact]) -> FactBlock:
        """Make a block from Python records, in their order."""
        facts = [fact for record in records for fact in _facts(record)]
        data, starts, ends = spans_of(part for key, text, *_ in facts for part in (key, text))
        key_starts, key_ends, text_starts, text_ends = (
            np.ascontiguousarray(places[part::2]) for part in (0, 1) for places in (starts, ends)
        )
        kind = np.fromiter((fact[2] for fact in facts), dtype=np.uint8, count=len(facts))
        rank = np.fromiter((fact[3] for fact in facts), dtype=np.uint8, count=len(facts))
        block = cls(data, key_starts, key_ends, text_starts, text_ends, kind, rank)
        numbers: dict[ColumnKey, int] = {}
        if not (kind & KIND == PROPERTY).any():
            return block
        columns = [0 if key is None else numbers.setdefault(key, len(numbers)) for *_, key in facts]
        return replace(block, columns=tuple(numbers), column=np.array(columns, dtype=np.int32))

    def merged(self, order: Offsets, other: FactBlock, other_order: Offsets) -> FactBlock:
        """Merge with another block by the numbers of facts; of equal ones these facts come first.

        Only the other block may have properties.
        """
        assert self.column is None
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
        data, column = np.concatenate([self.data, other.data]), other.column
        if column is not None:
            column = np.concatenate([np.zeros(len(order), dtype=np.int32), column])[sorted_]
        return FactBlock(data, key_starts, key_ends, starts, ends, kind, rank, other.columns, column)

    def records(self) -> list[EntityRecord]:
        """Return the facts as Python records, one for each key in order of first facts."""
        data = self.data.tobytes()
        places = (self.key_starts, self.key_ends, self.starts, self.ends)
        made, kinds = (self.kind == DESCRIBED).tolist(), (self.kind & KIND).tolist()
        columns = [0] * len(kinds) if self.column is None else self.column.tolist()
        facts: dict[str, dict[str, Any]] = {}
        for a, b, c, d, is_made, kind, column in zip(
            *(place.tolist() for place in places), made, kinds, columns, strict=True
        ):  # fmt: skip
            key, text = data[a:b].decode("utf-8", "surrogatepass"), data[c:d].decode("utf-8", "surrogatepass")
            own = facts.setdefault(key, {"may_be_relation": True})
            own["may_be_relation"] &= not is_made
            if kind == PROPERTY:
                known = self.columns[column]
                own.setdefault("properties", {})[known.name] = read_fact(known, text)
            elif kind in (ALIAS, TYPE):
                name = "aliases" if kind == ALIAS else "types"
                own[name] = (*own.get(name, ()), text)
            elif kind != DESCRIBED:
                own["label" if kind == LABEL else "description"] = text or None
        return [EntityRecord(key, **own) for key, own in facts.items()]


Part: TypeAlias = TripleBlock | FactBlock | Described | RankedFact | Record
"""A part that readers yield and builders take."""


def fact_count(record: EntityRecord | Described | RankedFact) -> int:
    """Return the number of facts that a record adds to a block."""
    return len(_facts(record))


_Fact: TypeAlias = tuple[str, str, int, int, ColumnKey | None]


def _facts(record: EntityRecord | Described | RankedFact) -> list[_Fact]:
    """Return (key, text, kind, rank, column) of facts; an `EntityRecord` makes its entity exist."""
    if isinstance(record, RankedFact):
        kind = record.kind | (FOR_RELATION if record.kind == LABEL else 0)
        return [(record.key, record.text, kind, record.rank, None)]
    if isinstance(record, Described):
        return [
            (key, text, kind | NAMES_ONLY, rank, column) for key, text, kind, rank, column in _facts(record.record)[1:]
        ]
    facts: list[_Fact] = [(record.key, "", DESCRIBED | (FOR_RELATION if record.may_be_relation else 0), LATEST, None)]
    if record.label is not None:
        facts.append((record.key, record.label, LABEL, LATEST, None))
    facts += [(record.key, alias, ALIAS, LATEST, None) for alias in record.aliases]
    facts += [(record.key, type_, TYPE, LATEST, None) for type_ in record.types]
    if record.description is not None:
        facts.append((record.key, record.description, DESCRIPTION, LATEST, None))
    if record.properties:
        facts += [(record.key, text, PROPERTY, LATEST, column) for column, text in property_facts(record.properties)]
    return facts
